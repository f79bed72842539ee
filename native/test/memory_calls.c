#include "memory_calls.h"
#include "posed.h"

#include "base/transform.h"

#include <string.h>

static endo_status create_context(world *w) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    return endo_context_create(&o, &w->context);
}

static endo_status create_frames(world *w) {
    endo_frames_options o = memory_frames_options();
    o.enhance = 31;
    return endo_frames_create(w->context, &o, &w->frames);
}

/* A pair of volumes of one head: four slices of a frame's picture each. */
static endo_status create_mutual(world *w) {
    endo_mutual_options o = endo_mutual_options_default();
    endo_volume v = endo_volume_default(), m;
    v.width = WIDTH, v.height = HEIGHT / 4, v.depth = 4, v.spacing[2] = 5;
    m = v;
    v.pixels = memory_grey[0], m.pixels = memory_grey[1];
    o.levels = 2, o.bins = 32, o.starts = 3;
    return endo_mutual_create(w->context, &v, &m, &o, &w->mutual);
}

static void with_mutual(world *w) {
    memory_open_context(w);
    MUST(create_mutual(w) == ENDO_OK);
}

/* Times, which differ from call to call, are left out. */
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

static endo_status put(world *w) { return endo_frames_put(w->frames, 2, memory_colours[SLOTS], WIDTH); }

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

/* A ring of frames that do not quite close. */
static endo_status solve_graph(world *w, endo_transform_class kind) {
    endo_graph_pair ring[5];
    endo_graph_options o = endo_graph_options_default();
    endo_transform places[5];
    double deviations[5];
    o.transform = kind;
    for (int i = 0; i < 5; i++) {
        const double m[6] = {1, 0, i == 4 ? -38 : 10, 0, 1, i};
        places[i] = endo_transform_identity();
        ring[i] = (endo_graph_pair){i, (i + 1) % 5, endo_transform_make(ENDO_TRANSFORM_TRANSLATION, m), 0.5};
    }
    endo_status status = endo_graph_solve(w->context, &(endo_graph){.width = WIDTH, .height = HEIGHT, .pairs = ring,
                                          .n_pairs = 5, .poses = places, .n = 5, .deviations = deviations}, &o, NULL);
    if (status == ENDO_OK) memcpy(w->out, places, sizeof places);
    if (status == ENDO_OK) memcpy(w->out + sizeof places, deviations, sizeof deviations);
    return status;
}

static endo_status graph(world *w) { return solve_graph(w, ENDO_TRANSFORM_AFFINE); }
static endo_status graph_of_homographies(world *w) { return solve_graph(w, ENDO_TRANSFORM_HOMOGRAPHY); }

static endo_status flow(world *w) {
    return endo_flow_estimate(w->frames, pairs, 3, ENDO_TRANSFORM_AFFINE, (endo_flow_result *)w->out);
}

/* Puts the same frames again: what was derived from them is stale, and has to be made once more. */
static void put_again(world *w) {
    for (int k = 0; k < SLOTS; k++) MUST(endo_frames_put(w->frames, k, memory_colours[k], WIDTH) == ENDO_OK);
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

/* One pair: it is lost at first, and searched for, which takes long. */
static endo_status register_best(world *w) {
    endo_pairs_options o = endo_pairs_options_default();
    o.landmarks = 4, o.template_side = 15, o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_AUTO;
    return endo_pairs_register(w->frames, pairs, 1, &o, (endo_pair_result *)w->out);
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

/* From homographies, of which one leads astray and the pair begins again. */
static endo_status register_homography(world *w) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_transform starts[3];
    for (int i = 0; i < 3; i++) {
        endo_transform start = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, i ? 1 : 40, 0, 1, -1, 1e-4, i ? 0 : 2e-3, 1}};
        starts[i] = start;
    }
    o.landmarks = 4, o.template_side = 15, o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_HOMOGRAPHY;
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

static endo_transform far_homography(void) {
    endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 1, 0, 1, -1, 3e-3, 0, 1}};
    return t;
}

static endo_status homography_quality(world *w) {
    endo_transform map = far_homography();
    return endo_quality_measure(w->frames, pairs, &map, 1, (double *)w->out);
}

static endo_status homography_agreement(world *w) {
    endo_transform map = far_homography();
    return endo_agreement_measure(w->frames, pairs, &map, 1, (endo_agreement *)w->out);
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
    endo_fourier_image images[2] = {{memory_colours[0], ENDO_RGB32, WIDTH, HEIGHT, WIDTH, 0, 65535},
                                    {memory_colours[1], ENDO_RGB32, WIDTH - 8, HEIGHT - 3, WIDTH, 0, 65535}};
    return endo_fourier_register_images(w->context, &images[0], &images[1], &o, (endo_fourier_result *)w->out);
}

static endo_status create_canvas(world *w) {
    return endo_canvas_create(w->context, ENDO_RGB32, CANVAS, CANVAS, &w->canvas);
}

static endo_status paint(world *w) {
    const double numbers[6] = {0.9, 0.1, 40, -0.1, 0.9, 30};
    endo_transform map = endo_transform_of_affine(numbers);
    int32_t slot = 3;
    return endo_canvas_paint(w->canvas, w->frames, POSED(&slot, &map, .n = 1), ENDO_PAINT_UNION);
}

static endo_status resize(world *w) { return endo_canvas_resize(w->canvas, 150, 130, 11, 12); }
static endo_status clear(world *w) { return endo_canvas_clear(w->canvas); }
static endo_status read_all(world *w) { return endo_canvas_read(w->canvas, 0, 0, CANVAS, CANVAS, w->out, w->out + 4 * CANVAS * CANVAS); }

static endo_status create_blend(world *w) {
    return endo_blend_create(w->context, ENDO_RGB32, CANVAS, CANVAS, NULL, &w->blend);
}

static endo_status blend_frame(world *w) { return memory_add_to_blend(w, 3, 40); }

static endo_status correct(world *w) {
    static uint16_t correction[AREA];
    for (int i = 0; i < AREA; i++) correction[i] = (uint16_t)(4096 + i % 99);
    return endo_blend_set_correction(w->blend, correction, WIDTH, HEIGHT);
}

static endo_status read_blend(world *w) {
    uint8_t *painted = w->out + 4 * CANVAS * CANVAS;
    return endo_blend_read(w->blend, &(endo_rectangle){0, 0, CANVAS, CANVAS},
                           &(endo_panorama_planes){w->out, painted, NULL, NULL});
}

/* Small windows are compared, large ones counted; 0: of the whole picture. */
static endo_status equalize(world *w, endo_pixel type, int window, double limit) {
    endo_ahe_options o = {window ? ENDO_AHE_WINDOW : ENDO_AHE_GLOBAL, window ? window : 3, limit, 0, 0};
    return endo_ahe_apply(w->context, &(endo_image){memory_large, type, LARGE_WIDTH, LARGE_HEIGHT, LARGE_WIDTH}, NULL, &o,
                          w->out, LARGE_WIDTH);
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

/* So many that those that wait are taken in; all alike, so that it does not show how many came. */
static endo_status add_frames(world *w) {
    static uint8_t image[AREA];
    endo_status status = ENDO_OK;
    memory_draw_scope(image, 48);
    for (int i = 0; i < 33 && status == ENDO_OK; i++) status = endo_field_finder_add(w->finder, image, WIDTH);
    return status;
}

static endo_status find(world *w) {
    return endo_field_finder_find(w->finder, w->out, (endo_field_info *)(w->out + AREA));
}

static endo_status add_grained(world *w) {
    static uint8_t image[AREA];
    memory_draw_grained(image, 20);
    return endo_pattern_finder_add(w->pattern, image, WIDTH);
}

static endo_status find_pattern(world *w) {
    endo_pattern_info *info = (endo_pattern_info *)(w->out + 2 * AREA);
    endo_status status = endo_pattern_finder_find(w->pattern, (int16_t *)w->out, info);
    MUST(status != ENDO_OK || info->found);
    return status;
}

/* So far on that there is no room for it yet. */
static endo_status put_light(world *w) {
    static uint8_t image[AREA];
    memory_draw_grained(image, 20);
    return endo_light_put(w->light, 100, image, WIDTH);
}

static endo_status solve_light(world *w) { return memory_solve_light_into(w, w->out); }

static endo_status create_frames_less(world *w) {
    static int16_t pattern[AREA];
    endo_frames_options o = memory_frames_options();
    o.pattern = pattern;
    return endo_frames_create(w->context, &o, &w->frames);
}

static endo_status detect(world *w) {
    static uint8_t image[AREA];
    memory_draw_scope(image, 50);
    return endo_field_detect(image, WIDTH, HEIGHT, w->out, (endo_field_info *)(w->out + AREA));
}

static endo_status create_lens(world *w) { return endo_lens_create(w->context, WIDTH, HEIGHT, -12, &w->lens); }

static void with_lens(world *w) {
    memory_open_context(w);
    MUST(create_lens(w) == ENDO_OK);
}

/* Every other row of two frames. */
static endo_status undistort(world *w) {
    return endo_lens_undistort(w->lens, memory_colours[0], ENDO_RGB32, 2 * WIDTH, w->out, WIDTH);
}

static endo_status create_demo(world *w) {
    endo_demo_options o = memory_demo_options();
    return endo_demo_create(w->context, &o, &w->demo);
}

static endo_status render(world *w) { return endo_demo_render(w->demo, 2, (uint32_t *)w->out); }

const memory_call memory_calls[] = {
    {"context", NULL, create_context, 2},
    {"frames", memory_open_context, create_frames, 10},
    {"put", memory_plain_frames, put, 0},
    {"put, enhanced", memory_enhanced_frames, put, 0},
    {"coefficients", memory_plain_frames, ncc, 2},
    {"coefficients, enhanced", memory_enhanced_frames, ncc_again, 10},
    {"search", memory_plain_frames, search, 2},
    {"flow", memory_plain_frames, flow, 5},
    {"flow, enhanced", memory_enhanced_frames, flow_again, 13},
    {"registration from the flow", memory_plain_frames, register_flow, 15},
    {"registration from exposures", memory_plain_frames, register_exposures, 15},
    {"registration with landmarks", memory_plain_frames, register_landmarks, 15},
    {"registration from given starts", memory_plain_frames, register_from, 15},
    {"registration by the best method", memory_plain_frames, register_best, 30},
    {"registration as homographies", memory_plain_frames, register_homography, 30},
    {"quality", memory_plain_frames, quality, 2},
    {"quality of a homography", memory_plain_frames, homography_quality, 5},
    {"agreement", memory_plain_frames, agreement, 2},
    {"agreement of a homography", memory_plain_frames, homography_agreement, 5},
    {"pose graph", memory_open_context, graph, 10},
    {"pose graph of homographies", memory_open_context, graph_of_homographies, 10},
    {"exposures", memory_plain_frames, exposures, 4},
    {"Fourier", memory_plain_frames, fourier, 30},
    {"Fourier, new frames", memory_plain_frames, fourier_again, 30},
    {"Fourier, paper", memory_plain_frames, fourier_paper, 20},
    {"Fourier, images", memory_open_context, fourier_images, 30},
    {"canvas", memory_open_context, create_canvas, 2},
    {"paint, first", memory_with_empty_canvas, paint, 8},
    {"paint", memory_with_canvas, paint, 0},
    {"resize", memory_with_canvas, resize, 1},
    {"clear", memory_with_canvas, clear, 0},
    {"read", memory_with_canvas, read_all, 0},
    {"blend", memory_open_context, create_blend, 2},
    {"blend, a first frame", memory_with_empty_blend, blend_frame, 10},
    {"blend, a frame", memory_with_blend, blend_frame, 0},
    {"blend, correction", memory_with_blend, correct, 1},
    {"blend, read", memory_with_blend, read_blend, 1},
    {"equalization 3", memory_open_context, equalize_3, 2},
    {"equalization 63", memory_open_context, equalize_63, 3},
    {"equalization 301", memory_open_context, equalize_301, 3},
    {"equalization, limited", memory_open_context, equalize_limited, 3},
    {"equalization, global", memory_open_context, equalize_global, 1},
    {"equalization of 16 bits 3", memory_open_context, equalize16_3, 2},
    {"equalization of 16 bits 63", memory_open_context, equalize16_63, 3},
    {"equalization of 16 bits, limited", memory_open_context, equalize16_limited, 4},
    {"equalization of colours", memory_open_context, equalize_rgb, 5},
    {"equalization of colours, limited", memory_open_context, equalize_rgb_limited, 5},
    {"finder", memory_open_context, create_finder, 3},
    {"finder, frames", memory_same_scopes, add_frames, 17},
    {"finder, near circles", memory_near_scopes, find, 0},
    {"finder, far circles", memory_far_scopes, find, 5},
    {"field", NULL, detect, 5},
    {"frames less a pattern", memory_open_context, create_frames_less, 11},
    {"pattern", memory_open_context, memory_create_pattern, 3},
    {"pattern, a frame", memory_grained, add_grained, 1},
    {"pattern, found", memory_grained, find_pattern, 15},
    {"light", memory_open_context, memory_create_light, 3},
    {"light, a frame", memory_lit, put_light, 2},
    {"light, solved", memory_lit, solve_light, 10},
    {"demo", memory_open_context, create_demo, 10},
    {"volumes", memory_open_context, create_mutual, 10},
    {"registration of volumes", with_mutual, register_mutual, 0},
    {"joint histogram", with_mutual, histogram_mutual, 0},
    {"demo, a frame", memory_with_demo, render, 1},
    {"lens", memory_open_context, create_lens, 5},
    {"lens, a frame", with_lens, undistort, 1},
};

const int memory_call_count = sizeof memory_calls / sizeof memory_calls[0];
