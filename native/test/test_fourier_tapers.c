/* How the field of view tapers out for spectra, pixel by pixel: the share of a square that lies in the field, from half of
 * it (0) to all of it (255), in every level. */
#include "backend/objects.h"
#include "rules/fourier_levels.h"
#include "systems/fourier/fourier.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>

static endo_context *context;

static endo_frames *make_frames(int width, int height, const uint8_t *field) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = width;
    o.height = height;
    o.capacity = 1;
    o.flow = 0;
    o.keep_pixels = 0;
    o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* A pixel of a level is in the field if all its pixels in the frame are. */
static int inside(const uint8_t *field, int width, int level, int x, int y) {
    int side = 1 << level;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            if (!field[(size_t)(y * side + j) * width + x * side + i]) return 0;
    return 1;
}

static int expected(const uint8_t *field, int whole_width, int level, int width, int height, int x, int y) {
    int longer = width > height ? width : height, half = longer / 24 > 2 ? longer / 24 : 2, count = 0, area = 0;
    if (!inside(field, whole_width, level, x, y)) return 0;
    for (int v = y - half; v <= y + half; v++)
        for (int u = x - half; u <= x + half; u++) {
            if (u < 0 || v < 0 || u >= width || v >= height) continue; /* the frame's border is no edge */
            area++;
            count += inside(field, whole_width, level, u, v);
        }
    return 2 * count < area ? 0 : 255 * (2 * count - area) / area;
}

static void check_level(const endo_fourier_taper *taper, const uint8_t *field, int width, int height, int level) {
    int wrong = 0;
    CHECK(taper->width == width >> level && taper->height == height >> level);
    for (int y = 0; y < taper->height; y++)
        for (int x = 0; x < taper->width; x++) {
            int weight = taper->weight[(size_t)y * taper->width + x];
            wrong += weight != expected(field, width, level, taper->width, taper->height, x, y);
        }
    CHECK(wrong == 0);
}

static void test_size(int width, int height, test_field kind) {
    uint8_t *field = malloc((size_t)width * height);
    test_fill_field(kind, width, height, 5, field);
    endo_frames *frames = make_frames(width, height, field);
    const endo_fourier_taper *tapers = NULL;
    CHECK(endo_fourier_tapers_make(frames, &tapers) == ENDO_OK && tapers != NULL);
    for (int level = 0; tapers && level < endo_fourier_levels(width, height); level++)
        check_level(&tapers[level], field, width, height, level);
    endo_frames_destroy(&frames);
    free(field);
}

/* Where every pixel is in the field there is nothing to taper. */
static void test_whole(void) {
    endo_frames *frames = make_frames(160, 120, NULL);
    const endo_fourier_taper *tapers = (const endo_fourier_taper *)frames;
    CHECK(endo_fourier_tapers_make(frames, &tapers) == ENDO_OK && tapers == NULL);
    endo_frames_destroy(&frames);
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    test_size(160, 120, FIELD_CIRCLE);
    test_size(33, 47, FIELD_CIRCLE); /* half: 2 */
    test_size(75, 31, FIELD_CIRCLE); /* half: 3 */
    test_size(301, 203, FIELD_RAGGED);
    test_size(64, 64, FIELD_EMPTY);
    test_whole();
    endo_context_destroy(&context);
    return check_summary("test_fourier_tapers");
}
