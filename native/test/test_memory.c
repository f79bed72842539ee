/* Every public function with an allocator that fails at its Nth call, N from the first to one beyond the last: the
 * status is MEMORY, the outputs hold what they held, so do the objects, nothing is lost, and the same call works
 * afterwards. Linked with --wrap: all memory of the library comes through the functions of base/memory.h. */
#include "../include/endorama.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- allocator */

void *__real_endo_alloc(size_t n, size_t size);
void *__real_endo_alloc_zeroed(size_t n, size_t size);
void __real_endo_free(void *memory);
void *__wrap_endo_alloc(size_t n, size_t size);
void *__wrap_endo_alloc_zeroed(size_t n, size_t size);
void __wrap_endo_free(void *memory);

/* fail_at: 0: none fails. lasting: nor does any after it succeed. Threads allocate, too. */
static int calls, fail_at, lasting, failures, alive;

static int fails(void) {
    int call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    int failed = fail_at && (call == fail_at || (lasting && call > fail_at));
    __atomic_add_fetch(&failures, failed, __ATOMIC_SEQ_CST);
    return failed;
}

static void *counted(void *memory) {
    if (memory) __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
    return memory;
}

void *__wrap_endo_alloc(size_t n, size_t size) { return fails() ? NULL : counted(__real_endo_alloc(n, size)); }

void *__wrap_endo_alloc_zeroed(size_t n, size_t size) {
    return fails() ? NULL : counted(__real_endo_alloc_zeroed(n, size));
}

void __wrap_endo_free(void *memory) {
    if (memory) __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
    __real_endo_free(memory);
}

static void arm(int at, int all_after) { calls = failures = 0, fail_at = at, lasting = all_after; }

/* ------------------------------------------------------------------ worlds */

enum {
    WIDTH = 96,
    HEIGHT = 80,
    AREA = WIDTH * HEIGHT,
    SLOTS = 4,
    LARGE_WIDTH = 192, /* for several threads in equalization */
    LARGE_HEIGHT = 144,
    LARGE = LARGE_WIDTH * LARGE_HEIGHT,
    REQUESTS = 800, /* for several threads */
    CANVAS = 120,
    OUT = 4 * LARGE,
    STATE = 5 * 160 * 160
};

/* What a call works on; made anew for each N. */
typedef struct world {
    endo_context *context;
    endo_frames *frames;
    endo_canvas *canvas;
    endo_blend *blend;
    endo_field_finder *finder;
    endo_pattern_finder *pattern;
    endo_light *light;
    endo_demo *demo;
    endo_mutual *mutual;
    uint8_t *out; /* OUT bytes: whatever the call writes */
} world;

static uint8_t grey[SLOTS + 1][AREA], field[AREA];
static uint32_t large[LARGE], colours[SLOTS + 1][AREA];

static void fill_pictures(void) {
    test_scene scene;
    test_random r = {5};
    test_scene_init(&scene, 3);
    for (int k = 0; k <= SLOTS; k++) {
        double map[6] = {1, 0.01 * k, 1.5 * k, -0.01 * k, 1, -1.2 * k};
        test_scene_render(&scene, map, WIDTH, HEIGHT, grey[k]);
        for (int i = 0; i < AREA; i++) colours[k][i] = 0x010101u * grey[k][i] ^ (test_next(&r) & 0x070707);
    }
    for (int i = 0; i < AREA; i++) field[i] = i % WIDTH > 3 || i / WIDTH > 5;
    for (int i = 0; i < LARGE; i++) large[i] = test_next(&r);
}

static void open_context(world *w) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 3;
    CHECK(endo_context_create(&o, &w->context) == ENDO_OK);
}

static endo_frames_options frames_options(void) {
    endo_frames_options o = endo_frames_options_default();
    o.width = WIDTH, o.height = HEIGHT, o.capacity = SLOTS, o.type = ENDO_RGB32, o.field = field, o.highlights = 1;
    return o;
}

static void make_frames(world *w, int enhance) {
    endo_frames_options o = frames_options();
    open_context(w);
    o.enhance = enhance;
    CHECK(endo_frames_create(w->context, &o, &w->frames) == ENDO_OK);
    for (int k = 0; k < SLOTS; k++) CHECK(endo_frames_put(w->frames, k, colours[k], WIDTH) == ENDO_OK);
}

static void plain_frames(world *w) { make_frames(w, 0); }
static void enhanced_frames(world *w) { make_frames(w, 31); }

static void with_empty_canvas(world *w) {
    make_frames(w, 0);
    CHECK(endo_canvas_create(w->context, ENDO_RGB32, CANVAS, CANVAS, &w->canvas) == ENDO_OK);
}

static void with_canvas(world *w) {
    const double numbers[6] = {1, 0, 20, 0, 1, 10};
    endo_transform map = endo_transform_of_affine(numbers);
    int32_t slot = 1;
    with_empty_canvas(w);
    CHECK(endo_canvas_paint(w->canvas, w->frames, &slot, &map, 1, 0, 0, ENDO_PAINT_UNION) == ENDO_OK);
}

static endo_status add_to_blend(world *w, int32_t slot, double shift) {
    const double numbers[6] = {1, 0, shift, 0, 1, 10};
    endo_transform map = endo_transform_of_affine(numbers);
    return endo_blend_add(w->blend, w->frames, &slot, &map, NULL, NULL, 1, 0, 0);
}

static void with_empty_blend(world *w) {
    make_frames(w, 0);
    CHECK(endo_blend_create(w->context, ENDO_RGB32, CANVAS, CANVAS, NULL, &w->blend) == ENDO_OK);
    CHECK(endo_blend_next_pass(w->blend) == ENDO_OK);
}

static void with_blend(world *w) {
    with_empty_blend(w);
    CHECK(add_to_blend(w, 1, 20) == ENDO_OK);
}

static void draw_scope(uint8_t *image, int cx) {
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH - cx, y = i / WIDTH - 40;
        image[i] = x * x + y * y < 34 * 34 ? (uint8_t)(90 + i % 70) : (uint8_t)(i % 5);
    }
}

/* Circles: near each other, so that they are intersected, or far apart, so that all frames together are looked at. */
static void add_scopes(world *w, int apart) {
    static uint8_t image[AREA];
    open_context(w);
    CHECK(endo_field_finder_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, &w->finder) == ENDO_OK);
    for (int i = 0; i < 2; i++) {
        draw_scope(image, 48 + (i ? apart : -apart));
        CHECK(endo_field_finder_add(w->finder, image, WIDTH) == ENDO_OK);
    }
}

static void near_scopes(world *w) { add_scopes(w, 2); }
static void far_scopes(world *w) { add_scopes(w, 13); }

/* Plain squares that change from frame to frame, under a grain that does not. */
static void draw_grained(uint8_t *image, int frame) {
    test_random squares = {100 + (uint64_t)frame}, grain = {7};
    uint8_t light[(WIDTH / 16) * (HEIGHT / 16)];
    for (size_t i = 0; i < sizeof light; i++) light[i] = (uint8_t)test_between(&squares, 80, 140);
    for (int i = 0; i < AREA; i++)
        image[i] = (uint8_t)(light[i / WIDTH / 16 * (WIDTH / 16) + i % WIDTH / 16] + test_between(&grain, -15, 15));
}

static endo_status create_pattern(world *w) {
    return endo_pattern_finder_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, field, &w->pattern);
}

static void grained(world *w) {
    static uint8_t image[AREA];
    open_context(w);
    CHECK(create_pattern(w) == ENDO_OK);
    for (int i = 0; i < 12; i++) {
        draw_grained(image, i);
        CHECK(endo_pattern_finder_add(w->pattern, image, WIDTH) == ENDO_OK);
    }
}

static endo_status create_light(world *w) {
    return endo_light_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, field, &w->light);
}

static void lit(world *w) {
    static uint8_t image[AREA];
    open_context(w);
    CHECK(create_light(w) == ENDO_OK);
    for (int i = 0; i < 4; i++) {
        draw_grained(image, i);
        CHECK(endo_light_put(w->light, i, image, WIDTH) == ENDO_OK);
    }
}

/* The places of four frames that were put, and one that was not. */
static endo_status solve_light_into(const world *w, uint8_t *out) {
    endo_light_view views[5];
    for (int i = 0; i < 5; i++) {
        const double m[6] = {1, 0, 11 * i, 0, 1, 7 * (i % 2)};
        views[i] = (endo_light_view){i, i == 3, endo_transform_of_affine(m)};
    }
    return endo_light_solve(w->light, views, 5, NULL, (uint16_t *)out, (int32_t *)(out + 2 * AREA),
                            (endo_light_report *)(out + 2 * AREA + 64));
}

static endo_demo_options demo_options(void) {
    endo_demo_options o = endo_demo_options_default();
    o.width = 80, o.height = 64, o.frames = 4;
    return o;
}

static void with_demo(world *w) {
    endo_demo_options o = demo_options();
    open_context(w);
    CHECK(endo_demo_create(w->context, &o, &w->demo) == ENDO_OK);
}

static void destroy(world *w) {
    endo_canvas_destroy(&w->canvas);
    endo_blend_destroy(&w->blend);
    endo_frames_destroy(&w->frames);
    endo_field_finder_destroy(&w->finder);
    endo_pattern_finder_destroy(&w->pattern);
    endo_light_destroy(&w->light);
    endo_demo_destroy(&w->demo);
    endo_mutual_destroy(&w->mutual);
    endo_context_destroy(&w->context);
}

/* ------------------------------------------------------------------- calls */

static endo_status create_context(world *w) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    return endo_context_create(&o, &w->context);
}

static endo_status create_frames(world *w) {
    endo_frames_options o = frames_options();
    o.enhance = 31;
    return endo_frames_create(w->context, &o, &w->frames);
}

/* A pair of volumes of one head: four slices of a frame's picture each. */
static endo_status create_mutual(world *w) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_volume v = endo_volume_default(), m;
    v.width = WIDTH, v.height = HEIGHT / 4, v.depth = 4, v.spacing[2] = 5;
    m = v;
    v.pixels = grey[0], m.pixels = grey[1];
    o.levels = 2, o.bins = 32, o.starts = 3;
    return endo_mutual_create(w->context, &v, &m, &o, &w->mutual);
}

static void with_mutual(world *w) {
    open_context(w);
    CHECK(create_mutual(w) == ENDO_OK);
}

/* What takes another time each time is left out. */
static endo_status register_mutual(world *w) {
    endo_mutual_result *r = (endo_mutual_result *)w->out;
    endo_status status = endo_mutual_register(w->mutual, r);
    for (int i = 0; i < ENDO_MUTUAL_MAX_LEVELS && status == ENDO_OK; i++) r->level[i].seconds = 0;
    return status;
}

static endo_status histogram_mutual(world *w) {
    const double still[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    return endo_mutual_histogram(w->mutual, still, (uint32_t *)w->out);
}

static endo_status put(world *w) { return endo_frames_put(w->frames, 2, colours[SLOTS], WIDTH); }

static endo_status ncc(world *w) {
    static endo_ncc_request q[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) q[i] = (endo_ncc_request){i % 3, i % 4, 20 + i % 50, 40, 22 + i % 50, 38 + i % 5};
    return endo_ncc_compute(w->frames, q, REQUESTS, 15, (double *)w->out);
}

static endo_status search(world *w) {
    static endo_search_request q[REQUESTS];
    endo_search_options o = endo_search_options_default();
    o.template_side = 15;
    for (int i = 0; i < REQUESTS; i++) q[i] = (endo_search_request){i % 3, i % 4, 20 + i % 50, 40, 22 + i % 50, 38 + i % 5};
    return endo_search_run(w->frames, q, REQUESTS, &o, (endo_search_result *)w->out);
}

static const endo_pair pairs[SLOTS - 1] = {{0, 1}, {1, 2}, {0, 3}};

static endo_status flow(world *w) {
    return endo_flow_estimate(w->frames, pairs, 3, ENDO_TRANSFORM_AFFINE, (endo_flow_result *)w->out);
}

/* What was derived from the frames is stale, and the same again. */
static void put_again(world *w) {
    for (int k = 0; k < SLOTS; k++) CHECK(endo_frames_put(w->frames, k, colours[k], WIDTH) == ENDO_OK);
}

static endo_status ncc_again(world *w) {
    put_again(w);
    return ncc(w);
}

static endo_status flow_again(world *w) {
    put_again(w);
    return flow(w);
}

static endo_status register_with(world *w, endo_initial initial) {
    endo_pairs_options o = endo_pairs_options_default();
    o.initial = initial, o.landmarks = 6, o.template_side = 15, o.cthresh = 0.9999; /* which asks for a second attempt */
    return endo_pairs_register(w->frames, pairs, 3, &o, (endo_pair_result *)w->out);
}

static endo_status register_best(world *w) {
    endo_pairs_options o = endo_pairs_options_default();
    o.landmarks = 4, o.template_side = 15, o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_AUTO;
    return endo_pairs_register(w->frames, pairs, 3, &o, (endo_pair_result *)w->out);
}

static endo_status register_flow(world *w) { return register_with(w, ENDO_INITIAL_FLOW); }
static endo_status register_exposures(world *w) { return register_with(w, ENDO_INITIAL_EXPOSURES); }

static endo_status register_landmarks(world *w) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_landmark *landmarks = (endo_landmark *)w->out;
    endo_pair_result *results = (endo_pair_result *)(landmarks + 3 * 16);
    o.landmarks = 4, o.template_side = 15, o.cthresh = 0.9999, o.quality = 0;
    return endo_pairs_register_landmarks(w->frames, pairs, 3, &o, results, landmarks, (int32_t *)(results + 3));
}

static endo_status register_from(world *w) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_transform starts[3];
    const double near_by[6] = {1, 0, 1, 0, 1, -1};
    for (int i = 0; i < 3; i++) starts[i] = endo_transform_of_affine(near_by);
    o.landmarks = 4, o.template_side = 15, o.cthresh = 0.9999;
    return endo_pairs_register_from(w->frames, pairs, starts, 3, &o, (endo_pair_result *)w->out);
}

enum { COMPARED = 30 };

static void make_compared(endo_pair many[COMPARED], endo_transform maps[COMPARED]) {
    for (int i = 0; i < COMPARED; i++) {
        const double numbers[6] = {1, 0.01, i - 9, -0.01, 1, 2};
        many[i] = pairs[i % 3];
        maps[i] = endo_transform_of_affine(numbers);
    }
}

static endo_status quality(world *w) {
    endo_pair many[COMPARED];
    endo_transform maps[COMPARED];
    make_compared(many, maps);
    return endo_quality_measure(w->frames, many, maps, COMPARED, (double *)w->out);
}

static endo_status agreement(world *w) {
    endo_pair many[COMPARED];
    endo_transform maps[COMPARED];
    make_compared(many, maps);
    return endo_agreement_measure(w->frames, many, maps, COMPARED, (endo_agreement *)w->out);
}

static endo_status exposures(world *w) {
    endo_exposure_options o = endo_exposure_options_default();
    return endo_exposures_register(w->frames, pairs, 3, &o, (endo_exposure_result *)w->out);
}

static const endo_fourier_pair fourier_pairs[3] = {{0, 1, 0, 0, 0, 0}, {1, 2, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0}};

static endo_status fourier_with(world *w, endo_fourier_gradient gradient, int paper) {
    endo_fourier_options o = endo_fourier_options_default();
    o.gradient = gradient, o.paper = paper, o.max_scale = 2;
    return endo_fourier_register(w->frames, fourier_pairs, 3, &o, (endo_fourier_result *)w->out);
}

static endo_status fourier(world *w) { return fourier_with(w, ENDO_GRADIENT_HIGHPASS, 0); }
static endo_status fourier_paper(world *w) { return fourier_with(w, ENDO_GRADIENT_SOBEL, 1); }

static endo_status fourier_again(world *w) {
    put_again(w);
    return fourier(w);
}

static endo_status fourier_images(world *w) {
    endo_fourier_options o = endo_fourier_options_default();
    endo_fourier_image images[2] = {{colours[0], ENDO_RGB32, WIDTH, HEIGHT, WIDTH, 0, 65535},
                                    {colours[1], ENDO_RGB32, WIDTH - 8, HEIGHT - 3, WIDTH, 0, 65535}};
    return endo_fourier_register_images(w->context, &images[0], &images[1], &o, (endo_fourier_result *)w->out);
}

static endo_status create_canvas(world *w) {
    return endo_canvas_create(w->context, ENDO_RGB32, CANVAS, CANVAS, &w->canvas);
}

static endo_status paint(world *w) {
    const double numbers[6] = {0.9, 0.1, 40, -0.1, 0.9, 30};
    endo_transform map = endo_transform_of_affine(numbers);
    int32_t slot = 3;
    return endo_canvas_paint(w->canvas, w->frames, &slot, &map, 1, 0, 0, ENDO_PAINT_UNION);
}

static endo_status resize(world *w) { return endo_canvas_resize(w->canvas, 150, 130, 11, 12); }
static endo_status clear(world *w) { return endo_canvas_clear(w->canvas); }
static endo_status read_all(world *w) { return endo_canvas_read(w->canvas, 0, 0, CANVAS, CANVAS, w->out, w->out + 4 * CANVAS * CANVAS); }

static endo_status create_blend(world *w) {
    return endo_blend_create(w->context, ENDO_RGB32, CANVAS, CANVAS, NULL, &w->blend);
}

static endo_status blend_frame(world *w) { return add_to_blend(w, 3, 40); }

static endo_status correct(world *w) {
    static uint16_t correction[AREA];
    for (int i = 0; i < AREA; i++) correction[i] = (uint16_t)(4096 + i % 99);
    return endo_blend_set_correction(w->blend, correction, WIDTH, HEIGHT);
}

static endo_status read_blend(world *w) {
    uint8_t *painted = w->out + 4 * CANVAS * CANVAS;
    return endo_blend_read(w->blend, 0, 0, CANVAS, CANVAS, w->out, painted, NULL);
}

/* Small windows are compared, large ones counted; 0: of the whole picture. */
static endo_status equalize(world *w, endo_pixel type, int window, double limit) {
    endo_ahe_options o = {window ? ENDO_AHE_WINDOW : ENDO_AHE_GLOBAL, window ? window : 3, limit, 0, 0};
    return endo_ahe_apply(w->context, large, type, LARGE_WIDTH, LARGE_HEIGHT, LARGE_WIDTH, NULL, &o, w->out, LARGE_WIDTH);
}

static endo_status equalize_3(world *w) { return equalize(w, ENDO_GREY8, 3, 0); }
static endo_status equalize_63(world *w) { return equalize(w, ENDO_GREY8, 63, 0); }
static endo_status equalize_301(world *w) { return equalize(w, ENDO_GREY8, 301, 0); }
static endo_status equalize_limited(world *w) { return equalize(w, ENDO_GREY8, 63, 2); }
static endo_status equalize_global(world *w) { return equalize(w, ENDO_GREY8, 0, 2); }
static endo_status equalize16_3(world *w) { return equalize(w, ENDO_GREY16, 3, 0); }
static endo_status equalize16_63(world *w) { return equalize(w, ENDO_GREY16, 63, 0); }
static endo_status equalize16_limited(world *w) { return equalize(w, ENDO_GREY16, 63, 2); }
static endo_status equalize_rgb(world *w) { return equalize(w, ENDO_RGB32, 63, 0); }
static endo_status equalize_rgb_limited(world *w) { return equalize(w, ENDO_RGB32, 63, 2); }

static endo_status create_finder(world *w) {
    return endo_field_finder_create(w->context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, &w->finder);
}

static endo_status add_frame(world *w) {
    static uint8_t image[AREA];
    draw_scope(image, 50);
    return endo_field_finder_add(w->finder, image, WIDTH);
}

static endo_status find(world *w) {
    return endo_field_finder_find(w->finder, w->out, (endo_field_info *)(w->out + AREA));
}

static endo_status add_grained(world *w) {
    static uint8_t image[AREA];
    draw_grained(image, 20);
    return endo_pattern_finder_add(w->pattern, image, WIDTH);
}

static endo_status find_pattern(world *w) {
    endo_pattern_info *info = (endo_pattern_info *)(w->out + 2 * AREA);
    endo_status status = endo_pattern_finder_find(w->pattern, (int16_t *)w->out, info);
    CHECK(status != ENDO_OK || info->found);
    return status;
}

/* So far on that there is no room for it yet. */
static endo_status put_light(world *w) {
    static uint8_t image[AREA];
    draw_grained(image, 20);
    return endo_light_put(w->light, 100, image, WIDTH);
}

static endo_status solve_light(world *w) { return solve_light_into(w, w->out); }

static endo_status create_frames_less(world *w) {
    static int16_t pattern[AREA];
    endo_frames_options o = frames_options();
    o.pattern = pattern;
    return endo_frames_create(w->context, &o, &w->frames);
}

static endo_status detect(world *w) {
    static uint8_t image[AREA];
    draw_scope(image, 50);
    return endo_field_detect(image, WIDTH, HEIGHT, w->out, (endo_field_info *)(w->out + AREA));
}

static endo_status create_demo(world *w) {
    endo_demo_options o = demo_options();
    return endo_demo_create(w->context, &o, &w->demo);
}

static endo_status render(world *w) { return endo_demo_render(w->demo, 2, (uint32_t *)w->out); }

/* ------------------------------------------------------------------ states */

/* What can be seen of the objects. */
static void state_of(world *w, uint8_t *state) {
    memset(state, 0, STATE);
    if (w->canvas) {
        int width = endo_canvas_read(w->canvas, 0, 0, 150, 130, state, state + 4 * 160 * 160) == ENDO_OK ? 150 : CANVAS;
        if (width == CANVAS) CHECK(endo_canvas_read(w->canvas, 0, 0, width, width, state, state + 4 * 160 * 160) == ENDO_OK);
    } else if (w->blend) {
        CHECK(endo_blend_read(w->blend, 0, 0, CANVAS, CANVAS, state, state + 4 * 160 * 160, NULL) == ENDO_OK);
    } else if (w->frames) {
        endo_transform still = endo_transform_identity();
        double quality[SLOTS] = {0}; /* of the pixels before they were enhanced */
        for (int k = 0; k < SLOTS; k++) {
            endo_pair pair = {0, k};
            if (endo_frames_get_grey(w->frames, k, state + k * AREA) != ENDO_OK) state[k * AREA] = 1;
            else CHECK(endo_quality_measure(w->frames, &pair, &still, 1, &quality[k]) == ENDO_OK);
        }
        memcpy(state + SLOTS * AREA, quality, sizeof quality);
    } else if (w->finder) {
        endo_field_info info;
        CHECK(endo_field_finder_find(w->finder, state, &info) == ENDO_OK);
    } else if (w->pattern) {
        endo_pattern_info info;
        CHECK(endo_pattern_finder_find(w->pattern, (int16_t *)state, &info) == ENDO_OK);
    } else if (w->light) {
        CHECK(solve_light_into(w, state) == ENDO_OK);
    }
}

typedef struct scenario {
    const char *name;
    void (*build)(world *w); /* NULL: from nothing */
    endo_status (*call)(world *w);
    int least; /* allocations that there must be: else the sweep finds nothing */
} scenario;

static const scenario scenarios[] = {
    {"context", NULL, create_context, 2},
    {"frames", open_context, create_frames, 10},
    {"put", plain_frames, put, 0},
    {"put, enhanced", enhanced_frames, put, 0},
    {"coefficients", plain_frames, ncc, 2},
    {"coefficients, enhanced", enhanced_frames, ncc_again, 10},
    {"search", plain_frames, search, 2},
    {"flow", plain_frames, flow, 5},
    {"flow, enhanced", enhanced_frames, flow_again, 13},
    {"registration from the flow", plain_frames, register_flow, 15},
    {"registration from exposures", plain_frames, register_exposures, 15},
    {"registration with landmarks", plain_frames, register_landmarks, 15},
    {"registration from given starts", plain_frames, register_from, 15},
    {"registration by the best method", plain_frames, register_best, 30},
    {"quality", plain_frames, quality, 2},
    {"agreement", plain_frames, agreement, 2},
    {"exposures", plain_frames, exposures, 4},
    {"Fourier", plain_frames, fourier, 30},
    {"Fourier, new frames", plain_frames, fourier_again, 30},
    {"Fourier, paper", plain_frames, fourier_paper, 20},
    {"Fourier, images", open_context, fourier_images, 30},
    {"canvas", open_context, create_canvas, 2},
    {"paint, first", with_empty_canvas, paint, 8},
    {"paint", with_canvas, paint, 0},
    {"resize", with_canvas, resize, 1},
    {"clear", with_canvas, clear, 0},
    {"read", with_canvas, read_all, 0},
    {"blend", open_context, create_blend, 2},
    {"blend, a first frame", with_empty_blend, blend_frame, 10},
    {"blend, a frame", with_blend, blend_frame, 0},
    {"blend, correction", with_blend, correct, 1},
    {"blend, read", with_blend, read_blend, 6},
    {"equalization 3", open_context, equalize_3, 2},
    {"equalization 63", open_context, equalize_63, 3},
    {"equalization 301", open_context, equalize_301, 3},
    {"equalization, limited", open_context, equalize_limited, 3},
    {"equalization, global", open_context, equalize_global, 1},
    {"equalization of 16 bits 3", open_context, equalize16_3, 2},
    {"equalization of 16 bits 63", open_context, equalize16_63, 3},
    {"equalization of 16 bits, limited", open_context, equalize16_limited, 4},
    {"equalization of colours", open_context, equalize_rgb, 5},
    {"equalization of colours, limited", open_context, equalize_rgb_limited, 5},
    {"finder", open_context, create_finder, 3},
    {"finder, a frame", near_scopes, add_frame, 3},
    {"finder, near circles", near_scopes, find, 0},
    {"finder, far circles", far_scopes, find, 5},
    {"field", NULL, detect, 5},
    {"frames less a pattern", open_context, create_frames_less, 11},
    {"pattern", open_context, create_pattern, 6},
    {"pattern, a frame", grained, add_grained, 2},
    {"pattern, found", grained, find_pattern, 15},
    {"light", open_context, create_light, 3},
    {"light, a frame", lit, put_light, 2},
    {"light, solved", lit, solve_light, 10},
    {"demo", open_context, create_demo, 10},
    {"volumes", open_context, create_mutual, 10},
    {"registration of volumes", with_mutual, register_mutual, 0},
    {"joint histogram", with_mutual, histogram_mutual, 0},
    {"demo, a frame", with_demo, render, 1},
};

#define SCENARIOS (sizeof scenarios / sizeof scenarios[0])

static uint8_t outs[2][OUT], states[3][STATE];

/* One N; returns whether the call got that far. */
static int run(const scenario *s, int at, int all_after) {
    world w = {.out = outs[1]};
    int before = alive;
    if (s->build) s->build(&w);
    state_of(&w, states[1]);
    world handles = w;
    memset(outs[1], 0xa5, OUT);
    arm(at, all_after);
    endo_status status = s->call(&w);
    int fired = failures;
    arm(0, 0);
    if (fired) {
        int touched = 0;
        for (int i = 0; i < OUT; i++) touched += outs[1][i] != 0xa5;
        state_of(&w, states[2]);
        int good = status == ENDO_ERR_MEMORY && endo_last_error()[0] && touched == 0 &&
                   !memcmp(&handles, &w, sizeof w) && !memcmp(states[1], states[2], STATE);
        if (!good)
            printf("     %s, allocation %d%s: status %d, %d bytes touched, objects %s\n", s->name, at,
                   all_after ? " and all after" : "", (int)status, touched,
                   memcmp(states[1], states[2], STATE) ? "changed" : "as before");
        CHECK(good);
        status = s->call(&w);
    }
    CHECK(status == ENDO_OK);
    state_of(&w, states[2]);
    CHECK(!memcmp(outs[0], outs[1], OUT) && !memcmp(states[0], states[2], STATE));
    destroy(&w);
    if (alive != before) printf("     %s, allocation %d: %d blocks lost\n", s->name, at, alive - before);
    CHECK(alive == before);
    alive = before;
    return fired;
}

static void sweep(const scenario *s) {
    world w = {.out = outs[0]};
    int at = 1;
    if (s->build) s->build(&w);
    memset(outs[0], 0xa5, OUT);
    CHECK(s->call(&w) == ENDO_OK);
    state_of(&w, states[0]);
    destroy(&w);
    for (int all_after = 0; all_after < 2; all_after++)
        for (at = 1; run(s, at, all_after); at++) {}
    CHECK(at - 1 >= s->least);
    if (at - 1 < s->least) printf("     %s: %d allocations\n", s->name, at - 1);
}

/* It makes contexts of its own; every tenth of its allocations will do. */
static void test_self_test(void) {
    endo_context_options o = endo_context_options_default();
    int fired = 1, before = alive, at = 1;
    o.backend = ENDO_BACKEND_CPU, o.threads = 1;
    for (; fired; at += at < 4 ? 1 : 10) {
        int agrees = 77;
        double seconds = 77;
        arm(at, 0);
        endo_status status = endo_self_test(&o, &agrees, &seconds);
        fired = failures;
        arm(0, 0);
        CHECK(fired ? status == ENDO_ERR_MEMORY && agrees == 77 && seconds == 77 : status == ENDO_OK && agrees == 1);
        CHECK(alive == before);
        alive = before;
    }
    CHECK(at > 30);
}

int main(int argc, char **argv) {
    fill_pictures();
    for (size_t i = 0; i < SCENARIOS; i++)
        if (argc < 2 || !strcmp(argv[1], scenarios[i].name)) sweep(&scenarios[i]);
    if (argc < 2) test_self_test();
    return check_summary("test_memory");
}
