/* A static pattern in a store of frames: taken out of what matching sees, not of what is painted, on every back end. */
#include "backends.h"
#include "posed.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 240, HEIGHT = 200, AREA = WIDTH * HEIGHT };

static uint8_t image[AREA];
static int16_t pattern[AREA];

/* Any pattern, and pixels of which a third were cut off at black or white. */
static void draw_image(void) {
    test_random r = {77};
    for (int i = 0; i < AREA; i++) {
        int grey = test_between(&r, -64, 319);
        image[i] = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
        pattern[i] = (int16_t)test_between(&r, -255, 255);
    }
}

/* Matching sees frames less the pattern; painting has them as they are. */
static void test_store(endo_context *backend, endo_pixel type) {
    static uint8_t grey[AREA];
    static uint32_t colour[AREA], painted[AREA];
    const endo_transform still = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const int32_t slot = 0;
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_canvas *canvas = NULL;
    draw_image();
    for (int i = 0; i < AREA; i++) colour[i] = 0xff000000u | 0x010101u * image[i];
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 1, o.type = type, o.pattern = pattern, o.rim = 0;
    CHECK(endo_frames_create(backend, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, type == ENDO_RGB32 ? (const void *)colour : image, WIDTH) == ENDO_OK);
    CHECK(endo_frames_get_grey(frames, 0, grey) == ENDO_OK);
    int wrong = 0;
    for (int i = 0; i < AREA; i++) {
        int cut = image[i] == 0 || image[i] == 255, less = image[i] - (cut ? 0 : pattern[i]);
        wrong += grey[i] != (less < 0 ? 0 : less > 255 ? 255 : less);
    }
    CHECK(wrong == 0);
    CHECK(endo_canvas_create(backend, type, WIDTH, HEIGHT, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &still, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(canvas, 0, 0, WIDTH, HEIGHT, painted, NULL) == ENDO_OK);
    CHECK(!memcmp(painted, type == ENDO_RGB32 ? (const void *)colour : image, type == ENDO_RGB32 ? 4 * AREA : AREA));
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* Highlights are those of the pixels, whatever is taken out of them: a template over one has no coefficient. */
static void test_store_highlights(endo_context *backend) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    const endo_ncc_request q = {0, 0, 100, 100, 100, 100};
    double coefficient = 0;
    test_random r = {3};
    for (int i = 0; i < AREA; i++) image[i] = (uint8_t)test_between(&r, 241, 255), pattern[i] = 100;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 1, o.pattern = pattern, o.highlights = 1;
    CHECK(endo_frames_create(backend, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, image, WIDTH) == ENDO_OK);
    CHECK(endo_ncc_compute(frames, &q, 1, 15, &coefficient) == ENDO_OK && isnan(coefficient));
    endo_frames_destroy(&frames);
    pattern[7] = 256;
    CHECK(endo_frames_create(backend, &o, &frames) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "pattern at pixel 7 is 256: must be -255..255") != NULL);
    pattern[7] = -256;
    CHECK(endo_frames_create(backend, &o, &frames) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "-255..255") != NULL);
    CHECK(frames == NULL);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *backend = test_open(i);
        if (!backend) continue;
        test_store(backend, ENDO_GREY8);
        test_store(backend, ENDO_RGB32);
        test_store_highlights(backend);
        endo_context_destroy(&backend);
    }
    return check_summary("test_pattern_store");
}
