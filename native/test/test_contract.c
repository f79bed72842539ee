/* Promises of the headers to every program: the ABI number, flags, cancelled calls. */
#include "include/endorama.h"
#include "check.h"
#include "posed.h"
#include "refuses.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 160, FRAMES = 40 };

/* ----------------------------------------------------------------- versions */

static void test_abi(void) {
    endo_context *context = NULL;
    CHECK(endo_abi() == ENDO_ABI);
    REFUSES(endo_context_create_abi(NULL, ENDO_ABI - 1, &context), "compile the program with its headers");
    CHECK(context == NULL);
}

/* ------------------------------------------------------------------ ownership */

/* The context goes first, and everything that was made from it works on. */
static void test_order_of_destruction(const endo_context_options *options) {
    static uint8_t pixels[32 * 24];
    const int32_t slot = 0;
    const endo_transform pose = endo_transform_identity();
    endo_context *context = NULL;
    endo_frames *frames = NULL;
    endo_canvas *canvas = NULL;
    endo_blend *blend = NULL;
    endo_light *light = NULL;
    endo_field_finder *finder = NULL;
    endo_pattern_finder *pattern = NULL;
    endo_frames_options o = endo_frames_options_default();
    o.width = 32;
    o.height = 24;
    o.capacity = 1;
    o.rim = 0;
    memset(pixels, 99, sizeof pixels);
    CHECK(endo_context_create(options, &context) == ENDO_OK);
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_canvas_create(context, ENDO_GREY8, 32, 24, &canvas) == ENDO_OK);
    CHECK(endo_blend_create(context, ENDO_GREY8, 32, 24, NULL, &blend) == ENDO_OK);
    CHECK(endo_light_create(context, ENDO_GREY8, 32, 24, 255, NULL, &light) == ENDO_OK);
    CHECK(endo_field_finder_create(context, ENDO_GREY8, 32, 24, 0, 255, &finder) == ENDO_OK);
    CHECK(endo_pattern_finder_create(context, &(endo_pattern_options){.width = 32, .height = 24, .high = 255},
                                     &pattern) == ENDO_OK);
    endo_context_destroy(&context);
    CHECK(context == NULL);
    CHECK(endo_frames_put(frames, 0, pixels, 32) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &pose, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    memset(pixels, 0, sizeof pixels);
    CHECK(endo_canvas_read(canvas, 0, 0, 32, 24, pixels, NULL) == ENDO_OK && pixels[5 * 32 + 5] == 99);
    CHECK(endo_blend_add(blend, frames, POSED(&slot, &pose, .n = 1)) == ENDO_OK);
    CHECK(endo_light_put(light, 0, pixels, 32) == ENDO_OK);
    CHECK(endo_field_finder_add(finder, pixels, 32) == ENDO_OK);
    CHECK(endo_pattern_finder_add(pattern, pixels, 32) == ENDO_OK);
    endo_frames_destroy(&frames);
    endo_canvas_destroy(&canvas);
    endo_blend_destroy(&blend);
    endo_light_destroy(&light);
    endo_field_finder_destroy(&finder);
    endo_pattern_finder_destroy(&pattern);
}

/* --------------------------------------------------------------------- flags */

static void test_flags(endo_context *context, endo_frames *frames) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *made = NULL;
    o.width = 8, o.height = 8, o.capacity = 1;
#define WITH_FLAG(field_, value, text)                                    \
    do {                                                                  \
        endo_frames_options p = o;                                        \
        p.field_ = (value);                                               \
        REFUSES(endo_frames_create(context, &p, &made), text);            \
    } while (0)
    WITH_FLAG(flow, 77, "flow 77: must be 0 or 1");
    WITH_FLAG(highlights, -5, "highlights -5");
    WITH_FLAG(keep_pixels, 2, "keep_pixels 2");
    CHECK(made == NULL);
    endo_pair pair = {0, 1};
    endo_pair_result result;
    endo_pairs_options p = endo_pairs_options_default();
    p.quality = 3;
    REFUSES(endo_pairs_register(frames, &pair, 1, &p, &result), "quality 3");
    p.quality = 1, p.subpixel = -1;
    REFUSES(endo_pairs_register(frames, &pair, 1, &p, &result), "subpixel -1");
    endo_search_options s = endo_search_options_default();
    endo_search_request request = {0, 1, 50, 50, 50, 50};
    endo_search_result found;
    s.subpixel = 9;
    REFUSES(endo_search_run(frames, &request, 1, &s, &found), "subpixel 9");
    endo_exposure_options e = endo_exposure_options_default();
    endo_exposure_result shift;
    e.subpixel = 2;
    REFUSES(endo_exposures_register(frames, &pair, 1, &e, &shift), "subpixel 2");
}

/* -------------------------------------------------------------- cancelled calls */

typedef struct asking {
    int asked, until; /* the answer is yes from question `until` on */
} asking;

static int answer(void *user) {
    asking *a = user;
    return ++a->asked > a->until;
}

/* More than are computed between two questions: 500 of this size (backend/pieces.h). */
enum { PAIRS = 600 };

static endo_status measure(endo_frames *frames, const endo_pair *pairs, void *results) {
    endo_pairs_options o = endo_pairs_options_default();
    o.landmarks = 2, o.initial = ENDO_INITIAL_NONE, o.quality = 0, o.template_side = 5;
    return endo_pairs_register(frames, pairs, PAIRS, &o, results);
}

static endo_status expose(endo_frames *frames, const endo_pair *pairs, void *results) {
    endo_exposure_options o = endo_exposure_options_default();
    o.search = 2;
    return endo_exposures_register(frames, pairs, PAIRS, &o, results);
}

static endo_status fourier(endo_frames *frames, const endo_pair *pairs, void *results) {
    endo_fourier_options o = endo_fourier_options_default();
    endo_fourier_pair *asked = malloc(PAIRS * sizeof *asked);
    o.model = ENDO_TRANSFORM_TRANSLATION;
    for (int i = 0; i < PAIRS; i++) asked[i] = (endo_fourier_pair){pairs[i].reference, pairs[i].current, 0, 0, 0, 0};
    endo_status status = endo_fourier_register(frames, asked, PAIRS, &o, results);
    free(asked);
    return status;
}

/* Asked, on the CPU more than once, as a device does all of these at once; a yes to the last question ends the call and leaves
 * the results; a no changes nothing of them. */
static void test_cancel_of(endo_context *context, endo_frames *frames, size_t size,
                           endo_status (*run)(endo_frames *, const endo_pair *, void *)) {
    endo_pair *pairs = malloc(PAIRS * sizeof *pairs);
    uint8_t *expected = malloc(PAIRS * size), *results = malloc(PAIRS * size);
    int is_cpu = !strncmp(endo_context_description(context), "cpu", 3);
    asking never = {0, 1 << 30};
    for (int i = 0; i < PAIRS; i++) pairs[i] = (endo_pair){i % FRAMES, (i + 1) % FRAMES};
    CHECK(run(frames, pairs, expected) == ENDO_OK);
    endo_context_set_cancel(context, answer, &never);
    CHECK(run(frames, pairs, results) == ENDO_OK);
    CHECK(never.asked > is_cpu);
    asking last = {0, never.asked - 1};
    CHECK(memcmp(expected, results, PAIRS * size) == 0);
    memset(results, 0x77, PAIRS * size);
    endo_context_set_cancel(context, answer, &last);
    CHECK(run(frames, pairs, results) == ENDO_CANCELLED);
    CHECK(last.asked == never.asked);
    CHECK(!strcmp(endo_last_error(), "cancelled"));
    CHECK(all_bytes(results, PAIRS * size, 0x77));
    endo_context_set_cancel(context, NULL, NULL);
    free(pairs);
    free(expected);
    free(results);
}

static endo_frames *make_frames(endo_context *context);

/* Spectra take long: one thread is asked again after 15 pairs of this size, in each step of them (backend/pieces.h). */
static void test_spectra_are_asked_often(void) {
    const endo_context_options one_thread = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context = NULL;
    endo_pair pairs[PAIRS];
    endo_fourier_result results[PAIRS];
    asking never = {0, 1 << 30};
    for (int i = 0; i < PAIRS; i++) pairs[i] = (endo_pair){i % FRAMES, (i + 1) % FRAMES};
    CHECK(endo_context_create(&one_thread, &context) == ENDO_OK);
    endo_frames *frames = make_frames(context);
    endo_context_set_cancel(context, answer, &never);
    CHECK(fourier(frames, pairs, results) == ENDO_OK);
    CHECK(never.asked >= 2 * PAIRS / 16);
    endo_frames_destroy(&frames);
    endo_context_destroy(&context);
}

static endo_frames *make_frames(endo_context *context) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    uint8_t *pixels = malloc(WIDTH * HEIGHT);
    test_scene scene;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = FRAMES;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    test_scene_init(&scene, 5);
    for (int i = 0; i < FRAMES; i++) {
        double map[6] = {1, 0, 0.5 * i, 0, 1, 0.25 * i};
        test_scene_render(&scene, map, WIDTH, HEIGHT, pixels);
        CHECK(endo_frames_put(frames, i, pixels, WIDTH) == ENDO_OK);
    }
    free(pixels);
    return frames;
}

int main(void) {
    endo_context *context = NULL;
    test_abi();
    test_order_of_destruction(&(endo_context_options){.backend = ENDO_BACKEND_CPU, .threads = 2});
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    endo_frames *frames = make_frames(context);
    test_flags(context, frames);
    test_cancel_of(context, frames, sizeof(endo_pair_result), measure);
    test_cancel_of(context, frames, sizeof(endo_exposure_result), expose);
    test_cancel_of(context, frames, sizeof(endo_fourier_result), fourier);
    endo_frames_destroy(&frames);
    endo_context_destroy(&context);
    test_spectra_are_asked_often();
    return check_summary("test_contract");
}
