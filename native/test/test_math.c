/* The reference, and the CPU beside it, against mathematics: definitions by brute force and known motions
 * of synthetic scenes. */
#include "api/testing.h"
#include "backend/objects.h"
#include "base/transform.h"
#include "base/mask.h"
#include "base/span.h"
#include "rules/coefficient.h"
#include "rules/sampling.h"
#include "check.h"
#include "correlation.h"
#include "posed.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 360
#define HEIGHT 288
#define AREA (WIDTH * HEIGHT)

static uint8_t first[AREA], second[AREA];

/* Two views of a scene: where image 1 shows what image 0 shows at p is map(p). */
static endo_frames *views(endo_context *context, const double map[6], double gain, double offset, int noise) {
    test_scene scene;
    test_random random = {99};
    double still[6] = {1, 0, 0, 0, 1, 0}, back[6];
    endo_frames *frames = NULL;
    endo_frames_options o = endo_frames_options_default();
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2;
    test_scene_init(&scene, 5);
    endo_affine_invert(map, back);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    test_scene_render(&scene, back, WIDTH, HEIGHT, second);
    for (int i = 0; i < AREA; i++) {
        double v = gain * second[i] + offset + test_between(&random, -noise, noise);
        second[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5);
    }
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK);
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    return frames;
}

/* [S] eq. 2.12, with means, in floating point. */
static double coefficient_by_definition(int x, int y, int cx, int cy, int half) {
    for (int v = -half; v <= half; v++)
        for (int u = -half; u <= half; u++)
            test_sample(first[(y + v) * WIDTH + x + u], second[(cy + v) * WIDTH + cx + u]);
    return test_correlate().coefficient;
}

static void test_coefficients(endo_context *context) {
    const double moved[6] = {1, 0, 3, 0, 1, -2};
    endo_frames *frames = views(context, moved, 0.7, 20, 3);
    endo_ncc_request q[] = {{0, 1, 100, 90, 103, 88}, {0, 1, 100, 90, 99, 95}, {0, 0, 200, 150, 200, 150},
                            {0, 1, 10, 90, 100, 90},  {0, 1, 100, 90, 350, 90}};
    double c[5];
    CHECK(endo_ncc_compute(frames, q, 5, 31, c) == ENDO_OK);
    CHECK_NEAR(c[0], coefficient_by_definition(100, 90, 103, 88, 15), 1e-12);
    CHECK_NEAR(c[1], coefficient_by_definition(100, 90, 99, 95, 15), 1e-12);
    CHECK(c[2] == 1); /* a template on itself, exactly */
    CHECK(c[0] > 0.98 && c[1] < c[0]);
    CHECK(isnan(c[3]) && isnan(c[4])); /* off the image */
    for (int i = 0; i < AREA; i++) second[i] = 255 - first[i];
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_ncc_compute(frames, q, 1, 31, c) == ENDO_OK);
    endo_ncc_request inverse = {0, 1, 100, 90, 100, 90};
    CHECK(endo_ncc_compute(frames, &inverse, 1, 31, c) == ENDO_OK);
    CHECK(c[0] == -1);
    memset(second, 77, AREA);
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_ncc_compute(frames, &inverse, 1, 31, c) == ENDO_OK);
    CHECK(isnan(c[0])); /* no variance */
    endo_frames_destroy(&frames);
}

/* Shifts that an uphill walk from no motion can reach are found to the pixel; fractions to a tenth. */
static void test_search(endo_context *context) {
    for (int i = 0; i < 12; i++) {
        double dx = -4.4 + 0.8 * i, dy = 3.7 - 0.65 * i, moved[6] = {1, 0, dx, 0, 1, dy};
        endo_frames *frames = views(context, moved, 1, 0, 2);
        endo_search_options p = endo_search_options_default();
        endo_search_request q = {0, 1, 170, 140, 170, 140};
        endo_search_result r;
        CHECK(endo_search_run(frames, &q, 1, &p, &r) == ENDO_OK);
        CHECK(r.state == ENDO_LANDMARK_FOUND);
        CHECK_NEAR(r.x, 170 + dx, 0.12);
        CHECK_NEAR(r.y, 140 + dy, 0.12);
        CHECK(r.computed + r.reused == 9 * ((r.computed + r.reused) / 9)); /* whole patterns */
        CHECK(r.reused > 0);
        p.subpixel = 0;
        CHECK(endo_search_run(frames, &q, 1, &p, &r) == ENDO_OK);
        CHECK_NEAR(r.x, 170 + dx, 0.61); /* whole pixels, half a pixel and noise */
        CHECK(r.x == floor(r.x) && r.y == floor(r.y));
        endo_frames_destroy(&frames);
    }
}

static double corner_error(const endo_transform *t, const double b[6]) {
    const double *a = t->matrix;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? WIDTH - 1 : 0, y = i & 2 ? HEIGHT - 1 : 0, ax, ay, bx, by;
        endo_affine_apply(a, x, y, &ax, &ay);
        endo_affine_apply(b, x, y, &bx, &by);
        sum += ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)) / 4;
    }
    return sqrt(sum);
}

static const double motions[][6] = {
    {1, 0, 0, 0, 1, 0},
    {1, 0, 0.4, 0, 1, -0.3},
    {1, 0, 9, 0, 1, -6},
    {1, 0, -21.5, 0, 1, 17.25},
    {1.02, 0.015, 4, -0.01, 0.99, 7},
    {0.999, -0.035, 12, 0.035, 0.999, -9},
};

#define N_MOTIONS (sizeof motions / sizeof motions[0])

static void test_flow(endo_context *context) {
    for (size_t i = 0; i < N_MOTIONS; i++) {
        endo_frames *frames = views(context, motions[i], 1, 0, 2);
        endo_pair pair = {0, 1};
        endo_flow_result r;
        double back[6];
        endo_affine_invert(motions[i], back);
        CHECK(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &r) == ENDO_OK);
        CHECK(r.pixels > 1000 && r.transform.kind == ENDO_TRANSFORM_AFFINE);
        CHECK_NEAR(corner_error(&r.transform, back), 0, 2.0); /* the search reaches 4 px and more */
        endo_frames_destroy(&frames);
    }
}

static void test_registration(endo_context *context) {
    for (size_t i = 0; i < N_MOTIONS; i++) {
        endo_frames *frames = views(context, motions[i], 0.8, 15, 3);
        endo_pairs_options p = endo_pairs_options_default();
        endo_pair pair = {0, 1};
        endo_pair_result r;
        double back[6];
        endo_affine_invert(motions[i], back);
        CHECK(endo_pairs_register(frames, &pair, 1, &p, &r) == ENDO_OK);
        CHECK(r.status == ENDO_PAIR_OK);
        CHECK_NEAR(corner_error(&r.transform, back), 0, 0.2);
        CHECK(r.found >= 40 && r.used <= r.found && r.landmarks <= 64);
        CHECK(r.quality > 0.97 && r.quality <= 1);
        endo_frames_destroy(&frames);
    }
}

/* A turn and a shift, registered as each class that can show it; and as the nearest shift. */
static void test_classes(endo_context *context) {
    const double turn[6] = {0.9998, -0.02, 7, 0.02, 0.9998, -4};
    double back[6];
    endo_frames *frames = views(context, turn, 1, 0, 2);
    endo_pair pair = {0, 1};
    endo_affine_invert(turn, back);
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        endo_pairs_options p = endo_pairs_options_default();
        endo_pair_result r;
        p.transform = (endo_transform_class)kind, p.uthresh = kind == ENDO_TRANSFORM_TRANSLATION ? 6 : 2.5;
        CHECK(endo_pairs_register(frames, &pair, 1, &p, &r) == ENDO_OK);
        CHECK(r.status == ENDO_PAIR_OK && r.transform.kind == kind && endo_transform_check(&r.transform) == ENDO_OK);
        if (kind != ENDO_TRANSFORM_TRANSLATION) CHECK_NEAR(corner_error(&r.transform, back), 0, 0.2);
    }
    endo_frames_destroy(&frames);
}

/* Equal frames: exactly no motion. */
static void test_identical(endo_context *context) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    endo_frames *frames = views(context, still, 1, 0, 0);
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair pair = {0, 0};
    endo_pair_result r;
    CHECK(endo_pairs_register(frames, &pair, 1, &p, &r) == ENDO_OK);
    CHECK(r.status == ENDO_PAIR_OK && r.quality == 1 && r.mean_coefficient == 1);
    CHECK_NEAR(corner_error(&r.transform, still), 0, 1e-9);
    endo_frames_destroy(&frames);
}

static void test_hopeless_pairs(endo_context *context) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    endo_frames *frames = views(context, still, 1, 0, 0);
    endo_pairs_options p = endo_pairs_options_default();
    endo_pair pairs[] = {{0, 1}, {1, 0}};
    endo_pair_result r[2];
    memset(second, 0, AREA);
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_register(frames, pairs, 2, &p, r) == ENDO_OK);
    CHECK(r[0].status == ENDO_PAIR_JUMP);       /* a view, then black */
    CHECK(r[1].status == ENDO_PAIR_NO_TEXTURE); /* black, then a view */
    CHECK(isnan(r[0].quality) && r[0].transform.matrix[0] == 1 && r[0].transform.matrix[2] == 0);
    test_scene other;
    test_scene_init(&other, 1234);
    test_scene_render(&other, still, WIDTH, HEIGHT, second);
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_register(frames, pairs, 1, &p, r) == ENDO_OK);
    CHECK(r[0].status != ENDO_PAIR_OK); /* another scene */
    endo_frames_destroy(&frames);
}

static void test_quality(endo_context *context) {
    const double moved[6] = {1, 0, 5, 0, 1, 3};
    endo_frames *frames = views(context, moved, 1, 0, 0);
    endo_pair pairs[] = {{0, 0}, {0, 1}, {0, 1}, {0, 1}};
    const double shifts[4][2] = {{0, 0}, {-5, -3}, {0, 0}, {5000, 0}};
    endo_transform places[4];
    double q[4];
    for (int i = 0; i < 4; i++) {
        places[i] = endo_transform_identity();
        places[i].matrix[2] = shifts[i][0], places[i].matrix[5] = shifts[i][1];
    }
    CHECK(endo_quality_measure(frames, pairs, places, 4, q) == ENDO_OK);
    CHECK(q[0] == 1);
    CHECK(q[1] > 0.999);
    CHECK(q[2] < 0.9);
    CHECK(isnan(q[3])); /* no overlap */
    places[1].matrix[0] = 0; /* flat */
    CHECK(endo_quality_measure(frames, pairs, places, 2, q) == ENDO_OK && isnan(q[1]));
    endo_frames_destroy(&frames);
}

static void test_painting(endo_context *context) {
    static uint8_t out[(WIDTH + 20) * (HEIGHT + 20)], painted[(WIDTH + 20) * (HEIGHT + 20)];
    const double still[6] = {1, 0, 0, 0, 1, 0};
    endo_frames *frames = views(context, still, 1, 0, 0);
    endo_canvas *canvas = NULL;
    endo_transform shift = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 7, 0, 1, 9, 0, 0, 1}};
    int32_t slot = 0;
    CHECK(endo_canvas_create(context, ENDO_GREY8, WIDTH + 20, HEIGHT + 20, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &shift, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(canvas, 0, 0, WIDTH + 20, HEIGHT + 20, out, painted) == ENDO_OK);
    int wrong = 0;
    for (int y = 0; y < HEIGHT + 20; y++)
        for (int x = 0; x < WIDTH + 20; x++) {
            int u = x - 7, v = y - 9, i = y * (WIDTH + 20) + x;
            int inside = u >= 4 && v >= 4 && u < WIDTH - 4 && v < HEIGHT - 4; /* half of the rim of 8 */
            wrong += painted[i] != (inside ? 255 : 0) || out[i] != (inside ? first[v * WIDTH + u] : 0);
        }
    CHECK(wrong == 0);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* Where the canvas lies changes nothing: the same map, painted with two origins, gives the same pixels. */
static void test_origin(endo_context *context) {
    static uint8_t here[400 * 400], there[500 * 460], marks[500 * 460];
    endo_frames *frames = views(context, motions[4], 1, 0, 3);
    endo_canvas *a = NULL, *b = NULL;
    const double numbers[6] = {0.97, -0.0613, 11.37, 0.0581, 1.013, -7.91};
    endo_transform map = endo_transform_of_affine(numbers);
    int32_t slot = 1;
    CHECK(endo_canvas_create(context, ENDO_GREY8, 400, 400, &a) == ENDO_OK);
    CHECK(endo_canvas_create(context, ENDO_GREY8, 500, 460, &b) == ENDO_OK);
    CHECK(endo_canvas_paint(a, frames, POSED(&slot, &map, .n = 1, .origin_x = 20, .origin_y = 30),
                            ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_paint(b, frames, POSED(&slot, &map, .n = 1, .origin_x = 20 + 93, .origin_y = 30 + 57),
                            ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(a, 0, 0, 400, 400, here, NULL) == ENDO_OK);
    CHECK(endo_canvas_read(b, 0, 0, 500, 460, there, marks) == ENDO_OK);
    int wrong = 0, painted = 0;
    for (int y = 0; y < 400; y++)
        for (int x = 0; x < 400 && y + 57 < 460; x++) {
            wrong += here[y * 400 + x] != there[(y + 57) * 500 + x + 93];
            painted += marks[(y + 57) * 500 + x + 93] != 0;
        }
    CHECK(wrong == 0);
    CHECK(painted > 50000);
    endo_canvas_destroy(&a);
    endo_canvas_destroy(&b);
    endo_frames_destroy(&frames);
}

static void test_mask(void) {
    uint8_t mask[41 * 29], out[41 * 29];
    test_random r = {8};
    for (int half = 0; half < 5; half++) {
        for (int i = 0; i < 41 * 29; i++) mask[i] = test_between(&r, 0, 40) != 0;
        CHECK(endo_mask_erode(mask, 41, 29, half, 1, out) == ENDO_OK);
        int wrong = 0;
        for (int y = 0; y < 29; y++)
            for (int x = 0; x < 41; x++) {
                int inside = 1;
                for (int v = y - half; v <= y + half; v++)
                    for (int u = x - half; u <= x + half; u++)
                        inside &= u >= 0 && v >= 0 && u < 41 && v < 29 && mask[v * 41 + u];
                wrong += out[y * 41 + x] != (inside ? 255 : 0);
            }
        CHECK(wrong == 0);
    }
}

/* A large mask is eroded in strips, one a thread. */
static void test_large_mask(void) {
    enum { LARGE_W = 700, LARGE_H = 501, LARGE_AREA = LARGE_W * LARGE_H };
    uint8_t *mask = malloc(3 * (size_t)LARGE_AREA);
    uint8_t *one = mask + LARGE_AREA;
    uint8_t *many = one + LARGE_AREA;
    test_random r = {9};
    CHECK(mask);
    if (!mask) return;
    for (int i = 0; i < LARGE_AREA; i++) mask[i] = test_between(&r, 0, 400) != 0;
    for (int threads = 2; threads < 600; threads *= 6) {
        memset(many, 77, LARGE_AREA);
        CHECK(endo_mask_erode(mask, LARGE_W, LARGE_H, 6, 1, one) == ENDO_OK);
        CHECK(endo_mask_erode(mask, LARGE_W, LARGE_H, 6, threads, many) == ENDO_OK);
        CHECK(!memcmp(one, many, LARGE_AREA));
    }
    free(mask);
}

static void test_spans(void) {
    test_random r = {17};
    for (int i = 0; i < 300; i++) {
        double m[6];
        endo_fixed_affine map;
        for (int k = 0; k < 6; k++) m[k] = (test_unit(&r) - 0.5) * (k % 3 == 2 ? 300 : 3);
        if (i % 5 == 0) m[3] = 0;
        CHECK(endo_affine_to_fixed(m, &map));
        int y = test_between(&r, 0, 200), from = 0, to = 200, wrong = 0;
        endo_row_span(&map, y, 90, 70, &from, &to);
        for (int x = 0; x < 200; x++) {
            int64_t px = endo_position8(map.m[0] * x + map.m[1] * y + map.m[2]);
            int64_t py = endo_position8(map.m[3] * x + map.m[4] * y + map.m[5]);
            int inside = px >= 0 && py >= 0 && px <= 89 * 256 && py <= 69 * 256;
            wrong += inside != (x >= from && x < to);
        }
        CHECK(wrong == 0);
    }
}

int main(void) {
    const endo_kernels *tables[] = {&endo_kernels_ref, &endo_kernels_cpu};
    for (int i = 0; i < 2; i++) {
        endo_context_options o = endo_context_options_default();
        endo_context *context = NULL;
        CHECK(endo_context_create_with(tables[i], &o, &context) == ENDO_OK);
        test_coefficients(context);
        test_search(context);
        test_flow(context);
        test_registration(context);
        test_classes(context);
        test_identical(context);
        test_hopeless_pairs(context);
        test_quality(context);
        test_painting(context);
        test_origin(context);
        endo_context_destroy(&context);
    }
    test_mask();
    test_large_mask();
    test_spans();
    return check_summary("test_math");
}
