/* The rules of the optical flow against mathematics: exponentials, exact quotients, maps carried from level to level,
 * least squares; and its tests of pseudo motions by images in which every vector can be counted by hand. */
#include "rules/flow.h"
#include "backends.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- smoothing */

/* 1 - exp(-1 / a) in 1/32768: 0.6321206, 0.2211992, 0.0039139. */
static void test_time_constants(void) {
    CHECK(endo_smooth_coefficient(0) == 0);
    CHECK(endo_smooth_coefficient(1) == 20713);
    CHECK(endo_smooth_coefficient(4) == 7248);
    CHECK(endo_smooth_coefficient(255) == 128);
    for (int a = 1; a <= 60; a++) { /* after a pixels, 1/e of a step is left */
        int32_t y = 0, k = endo_smooth_coefficient(a);
        for (int i = 0; i < a; i++) y = endo_smooth_step(y, 16320, k);
        CHECK_NEAR(1 - y / 16320.0, 0.36788, 0.004);
    }
}

static void test_smooth_step(void) {
    test_random r = {1};
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        int32_t y = test_between(&r, 0, 16320), x = test_between(&r, 0, 16320), k = test_between(&r, 128, 20713);
        double exact = y + (double)k / 32768 * (x - y);
        wrong += fabs(endo_smooth_step(y, x, k) - exact) > 0.5;
    }
    CHECK(wrong == 0);
    CHECK(endo_smooth_step(0, 1, 16384) == 1); /* a half goes up */
}

/* A picture of one grey level g, smoothed together with a mask of which m of 255 is left, is g again once it is divided
 * by the mask: nothing remains. Rounded: the product (half a unit times a gain of up to 7), the gain (half of 1/4096 of
 * up to 16320 units) and the mean: at most 6 units of 1/64 level. Below a seventh there is not enough to divide by. */
static void test_gain(void) {
    int wrong = 0, unchanged = 0;
    for (int m = 2332; m <= 16320; m += 3)
        for (int g = 0; g < 256; g += 5) {
            int smoothed = (int)floor(g * 64.0 * m / 16320 + 0.5);
            wrong += abs(endo_smooth_difference(g, smoothed, endo_smooth_gain(m))) > 6;
        }
    CHECK(wrong == 0);
    CHECK(endo_smooth_gain(16320) == 4096);
    CHECK(endo_smooth_gain(8160) == 8192);
    for (int m = 0; m < 2331; m += 7) unchanged += endo_smooth_gain(m) == 7 * 4096;
    CHECK(unchanged == 333);
}

/* 64 g less the mean; the mean is white at most. */
static void test_difference(void) {
    CHECK(endo_smooth_difference(100, 3200, 4096) == 3200);
    CHECK(endo_smooth_difference(0, 1000, 2 * 4096) == -2000);
    CHECK(endo_smooth_difference(255, 16320, 7 * 4096) == 0);
    CHECK(endo_smooth_difference(10, 3, 4096 / 2) == 640 - 2); /* 1.5 goes up */
}

/* ----------------------------------------------------------- pseudo motion */

/* -I_t / I_x in 1/256 px, cut towards zero; slope = I(x+1) - I(x-1) = 2 I_x. Beyond 2 px only that it is beyond. */
static void test_pseudo_motion(void) {
    test_random r = {2};
    int wrong = 0, near = 0;
    for (int i = 0; i < 60000; i++) {
        int difference = test_between(&r, -32640, 32640), slope = test_between(&r, 1, 32640) * (i % 2 ? 1 : -1);
        if (i % 3) difference /= 64, slope += slope < 0 ? -192 : 192;
        int64_t exact = (int64_t)-512 * difference / slope, d = endo_pseudo_motion(difference, slope);
        if (llabs(exact) <= 512)
            wrong += d != exact, near++;
        else
            wrong += llabs(d) <= 512;
    }
    CHECK(wrong == 0);
    CHECK(near > 20000);
    CHECK(endo_pseudo_motion(0, 0) > 512 && endo_pseudo_motion(5, 0) > 512);
    CHECK(endo_pseudo_motion(64, 128) == -256); /* a level brighter where it climbs by one a pixel: a pixel back */
}

/* ----------------------------------------------------------------- pyramid */

static void expect_levels(int width, int height, int n, int first_width, int first_height, int first_scale) {
    endo_flow_level levels[ENDO_FLOW_MAX_LEVELS];
    int made = endo_flow_levels(width, height, levels);
    CHECK(made == n);
    for (int i = 0; i < made; i++) {
        CHECK(levels[i].width == first_width >> i && levels[i].height == first_height >> i);
        CHECK(levels[i].scale == first_scale << i);
    }
}

/* Halved to at most 512 px a side, then on while no side falls below 24. */
static void test_levels(void) {
    expect_levels(720, 576, 4, 360, 288, 2);
    expect_levels(1920, 1080, 4, 480, 270, 4);
    expect_levels(512, 512, 5, 512, 512, 1);
    expect_levels(513, 100, 2, 256, 50, 2);
    expect_levels(24, 24, 1, 24, 24, 1);
    expect_levels(48, 47, 1, 48, 47, 1);
    expect_levels(48, 48, 2, 48, 48, 1);
    expect_levels(23, 400, 0, 0, 0, 0);
    expect_levels(32767, 32767, 5, 511, 511, 64);
    CHECK(endo_flow_last_level(720, 576, 0) == 0 && endo_flow_last_level(720, 576, 1) == 2);
    CHECK(endo_flow_last_level(128, 128, 1) == 0 && endo_flow_last_level(130, 128, 1) == 1 && endo_flow_last_level(128, 130, 1) == 1);
    CHECK(endo_flow_last_level(400, 47, 1) == 0 && endo_flow_last_level(23, 400, 1) == 0); /* there is no other */
    CHECK(endo_flow_row_step(256, 256) == 1 && endo_flow_row_step(257, 256) == 2);
    endo_flow_level level = {45, 36, 16};
    CHECK(endo_shift_reach(&level) == 9);
}

static double at(const double a[3], double x, double y) { return a[0] + a[1] * x + a[2] * y; }

/* Where the centre of a level's pixel lies in the image. */
static double to_image(const endo_flow_level *l, double i) { return l->scale * i + (l->scale - 1) / 2.0; }

static const endo_flow_level some_levels[] = {{360, 288, 2}, {45, 36, 16}, {97, 61, 1}, {64, 200, 4}};

/* The motion of a level's pixel is that of its place in the image, over the scale. Each coefficient is rounded to
 * 1/65536: half of that at each pixel from the centre. */
static void test_motion_at_level(void) {
    test_random r = {3};
    int wrong = 0;
    for (int i = 0; i < 200; i++) {
        const endo_flow_level *l = &some_levels[i % 4];
        endo_motion m;
        endo_level_motion there = {{0}};
        for (int k = 0; k < 6; k++) m.a[k] = (k % 3 ? 0.02 : 9.0) * (2 * test_unit(&r) - 1);
        CHECK(endo_motion_at_level(&m, l, &there));
        for (int k = 0; k < 20; k++) {
            int x = test_between(&r, 0, l->width - 1), y = test_between(&r, 0, l->height - 1);
            int xc = x - l->width / 2, yc = y - l->height / 2;
            for (int c = 0; c < 6; c += 3) {
                double u = (there.a[c] + there.a[c + 1] * (double)xc + there.a[c + 2] * (double)yc) / 65536;
                double e = at(m.a + c, to_image(l, x), to_image(l, y)) / l->scale;
                wrong += fabs(u - e) > (1 + abs(xc) + abs(yc)) * 0.5 / 65536 + 1e-9;
            }
        }
    }
    CHECK(wrong == 0);
    endo_motion away = {{97, 0, 0, 0, 0, 0}}, steep = {{0, 0, 0, 0, -0.5, 0}}, still = {{96.9, 0, 0, 0, -0.49, 0.49}};
    endo_level_motion there;
    CHECK(!endo_motion_at_level(&away, &some_levels[2], &there));
    CHECK(!endo_motion_at_level(&steep, &some_levels[2], &there));
    CHECK(endo_motion_at_level(&still, &some_levels[2], &there) == 1);
}

/* ----------------------------------------------------------- least squares */

/* Sums of a component over n accepted motions d = 256 (b0 + b1 x + b2 y), with noise. */
static endo_flow_sums sums_of(test_random *r, const endo_flow_level *l, int n, const double b[3], int noise,
                              int points[][3]) {
    endo_flow_sums s = {0};
    for (int i = 0; i < n; i++) {
        int x = test_between(r, -l->width / 2, l->width / 2), y = test_between(r, -l->height / 2, l->height / 2);
        int d = (int)floor(256 * (b[0] + b[1] * x + b[2] * y) + 0.5) + test_between(r, -noise, noise);
        endo_flow_accumulate(&s, x, y, d);
        points[i][0] = x, points[i][1] = y, points[i][2] = d;
    }
    return s;
}

/* The residuals of a least-squares fit are orthogonal to 1, x and y. */
static void test_update(void) {
    static int points[500][3];
    test_random r = {4};
    for (int i = 0; i < 40; i++) {
        const endo_flow_level *l = &some_levels[i % 4];
        double b[3] = {test_unit(&r) - 0.5, 0.02 * (test_unit(&r) - 0.5), 0.02 * (test_unit(&r) - 0.5)};
        double a[3] = {3.5, -0.01, 0.02}, before[3] = {3.5, -0.01, 0.02}, sums[3] = {0, 0, 0}, size = 0;
        endo_flow_sums s = sums_of(&r, l, 500, b, 60, points);
        CHECK(endo_motion_update(&s, l, 1, a) == 1);
        for (int k = 0; k < 500; k++) {
            double x = to_image(l, points[k][0] + l->width / 2), y = to_image(l, points[k][1] + l->height / 2);
            double rest = points[k][2] / 256.0 - (at(a, x, y) - at(before, x, y)) / l->scale;
            sums[0] += rest, sums[1] += rest * points[k][0], sums[2] += rest * points[k][1];
            size += rest * rest;
        }
        for (int k = 0; k < 3; k++) CHECK_NEAR(sums[k], 0, 1e-6);
        CHECK(size / 500 < 0.03); /* noise of 60/256 px, evenly spread: 0.0183 */
        double shift[3] = {0, 0, 0};
        CHECK(endo_motion_update(&s, l, 0, shift) == 1);
        CHECK_NEAR(shift[0], l->scale * (double)s.d / (double)s.n / 256, 1e-12);
        CHECK(shift[1] == 0 && shift[2] == 0);
    }
}

/* 63 vectors decide nothing, nor do any number on a line. */
static void test_no_update(void) {
    static int points[500][3];
    static const double b[3] = {1, 0, 0};
    test_random r = {5};
    double a[3] = {1, 2, 3};
    endo_flow_sums s = sums_of(&r, &some_levels[0], 63, b, 0, points), line = {0};
    CHECK(endo_motion_update(&s, &some_levels[0], 1, a) == 0 && endo_motion_update(&s, &some_levels[0], 0, a) == 0);
    for (int i = 0; i < 400; i++) endo_flow_accumulate(&line, i - 200, 2 * (i - 200) + 7, 5);
    CHECK(endo_motion_update(&line, &some_levels[0], 1, a) == 0);
    CHECK(a[0] == 1 && a[1] == 2 && a[2] == 3);
    s = sums_of(&r, &some_levels[0], 64, b, 0, points);
    CHECK(endo_motion_update(&s, &some_levels[0], 0, a) == 1);
    CHECK_NEAR(a[0], 1 + 2, 1e-12);
}

/* The corner of (x, y) = (358 + .., ..) moves most: 0.5 + 0.001 * 718 - 0.002 * 574, in level pixels of 2. */
static void test_change(void) {
    endo_motion before = {{1, 0, 0, 2, 0, 0}}, after = {{1, 0, 0, 2.5, 0.001, -0.002}}, same = before;
    CHECK_NEAR(endo_motion_change(&before, &after, &some_levels[0]), fmax(0.5 + 0.718, fabs(0.5 - 1.148)) / 2, 1e-12);
    CHECK(endo_motion_change(&before, &same, &some_levels[0]) == 0);
    same.a[0] = 0.25;
    CHECK_NEAR(endo_motion_change(&before, &same, &some_levels[0]), 0.375, 1e-12);
    CHECK(endo_flow_fits_affine(ENDO_TRANSFORM_AFFINE, 0, 0) && endo_flow_fits_affine(ENDO_TRANSFORM_AFFINE, 1, 2));
    CHECK(!endo_flow_fits_affine(ENDO_TRANSFORM_AFFINE, 1, 1) && !endo_flow_fits_affine(ENDO_TRANSFORM_TRANSLATION, 0, 4));
}

/* The lower mean wins, the first one of equals; a shift that leaves less than half of the pixels does not count. */
static void test_shifts(void) {
    endo_shift_sums none = {0, 0}, a = {1000, 100}, equal = {2000, 200}, less = {1999, 200}, few = {0, 99};
    CHECK(endo_shift_is_better(&a, &none, 200) && !endo_shift_is_better(&a, &none, 201));
    CHECK(endo_shift_is_better(&less, &a, 200) && !endo_shift_is_better(&equal, &a, 200));
    CHECK(!endo_shift_is_better(&few, &a, 200) && !endo_shift_is_better(&none, &a, 0));
}

/* u = 1 + 2x + 3y, v = 4 + 5x + 7y: the point (x, y) comes from (x + u, y + v), whose matrix has the determinant 9. */
static void test_result(void) {
    static const double back[9] = {8 / 9.0, -3 / 9.0, 4 / 9.0, -5 / 9.0, 3 / 9.0, -7 / 9.0, 0, 0, 1};
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    endo_motion m = {{1, 2, 3, 4, 5, 7}}, flat = {{1, -1, 0, 4, 0, 0}};
    endo_flow_result r;
    endo_flow_to_result(&m, ENDO_TRANSFORM_AFFINE, 7, &r);
    for (int i = 0; i < 9; i++) CHECK_NEAR(r.transform.matrix[i], back[i], 1e-15);
    CHECK(r.pixels == 7 && r.transform.kind == ENDO_TRANSFORM_AFFINE);
    const endo_motion *none[] = {&m, &flat};
    for (int i = 0; i < 2; i++) {
        memset(&r, 0x5a, sizeof r);
        endo_flow_to_result(none[i], ENDO_TRANSFORM_AFFINE, i * 7, &r); /* nothing decided; cannot be turned round */
        CHECK(!memcmp(r.transform.matrix, still, sizeof still));
        CHECK(r.pixels == 0 && r.transform.kind == ENDO_TRANSFORM_TRANSLATION);
    }
}

/* ----------------------------------------------------------------- vectors */

enum { WIDTH = 48, HEIGHT = 40 };

static uint8_t reference[WIDTH * HEIGHT], current[WIDTH * HEIGHT];

/* Along x: flat for 12 pixels, then 4 levels a pixel up and down, 12 each. Along y: 3 levels in two pixels, and from
 * row 24 on one a pixel, which is no slope. */
static void draw_ramps(void) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int phase = x < 12 ? 0 : (x - 12) % 24, wave = 4 * (phase < 12 ? phase : 24 - phase);
            reference[y * WIDTH + x] = (uint8_t)(60 + wave + (y < 24 ? 3 * y / 2 : y + 12));
        }
    memcpy(current, reference, sizeof current);
}

/* Single pixels of the current frame, far from each other. */
static void brighten(int x, int rows, int by) {
    for (int y = 4; y < rows; y += 5) current[y * WIDTH + x] = (uint8_t)(current[y * WIDTH + x] + by);
}

/* Where the two differ no vector counts; elsewhere each slope of at least 3 levels is one, of length 0. */
static int count_vectors(void) {
    int n = 0;
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            const uint8_t *p = reference + y * WIDTH + x;
            if (p[0] != current[y * WIDTH + x]) continue;
            n += (abs(p[1] - p[-1]) >= 3) + (abs(p[WIDTH] - p[-WIDTH]) >= 3);
        }
    return n;
}

static endo_flow_result flow(endo_context *context, endo_transform_class kind) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_flow_result r = {.pixels = -1};
    endo_pair pair = {0, 1};
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.iir = 0, o.keep_pixels = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, reference, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, current, WIDTH) == ENDO_OK);
    CHECK(endo_flow_estimate(frames, &pair, 1, kind, &r) == ENDO_OK);
    endo_frames_destroy(&frames);
    return r;
}

static void expect_rest(endo_context *context, endo_transform_class kind, int vectors) {
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    endo_flow_result r = flow(context, kind);
    CHECK(r.pixels == vectors);
    CHECK(!memcmp(r.transform.matrix, still, sizeof still));
}

/* The pseudo motion of a pixel that is brighter by D than where it was leads down the ramp to where it is darker by D,
 * and so D remains. On the slope of 4 that is D / 4 px: 5 levels remain, and the vector is rejected; of 4 levels it
 * would be 1 px and taken. On the slope of 1.5 they are 2.7 px away, which is too far. */
static void test_vectors(endo_context *context) {
    draw_ramps();
    expect_rest(context, ENDO_TRANSFORM_AFFINE, count_vectors());
    for (int x = 18; x < WIDTH; x += 12) brighten(x, HEIGHT - 2, 5);
    expect_rest(context, ENDO_TRANSFORM_AFFINE, count_vectors());
    for (int x = 3; x < 10; x += 3) brighten(x, 22, 4);
    expect_rest(context, ENDO_TRANSFORM_AFFINE, count_vectors());
    CHECK(count_vectors() > 2000);
    /* Equally many vectors of 1 px to the left and to the right: their mean is 0, but they count. */
    draw_ramps();
    int all = count_vectors(), on_slopes = 2 * 7;
    brighten(18, HEIGHT - 2, 4);
    brighten(30, HEIGHT - 2, 4);
    expect_rest(context, ENDO_TRANSFORM_TRANSLATION, count_vectors() + on_slopes);
    CHECK(all - count_vectors() == on_slopes + 2 * 5); /* rows 4 to 24 climb */
}

/* ---------------------------------------------------------------- accuracy */

enum { LARGE_WIDTH = 240, LARGE_HEIGHT = 192 };

/* Affine motions of some pixels are found to a tenth: the estimate is made anew from what it explained, up to five
 * times a level. The second frame shows the scene from `map` on, and the transform leads from there back. */
static void test_accuracy(endo_context *context, uint64_t seed) {
    static uint8_t pixels[LARGE_WIDTH * LARGE_HEIGHT];
    double s = (double)seed, still[6] = {1, 0, 0, 0, 1, 0}, map[6] = {1 + 0.012 * sin(s), 0.02 * cos(s), 5.3 * sin(2 * s),
                                                                      -0.015 * cos(3 * s), 1 - 0.01 * sin(s), 6 * cos(s)};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_pair pair = {0, 1};
    endo_flow_result r = {.pixels = -1};
    test_scene scene;
    o.width = LARGE_WIDTH, o.height = LARGE_HEIGHT, o.capacity = 2, o.keep_pixels = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    test_scene_init(&scene, 100 + seed);
    for (int k = 0; k < 2; k++) {
        test_scene_render(&scene, k ? map : still, LARGE_WIDTH, LARGE_HEIGHT, pixels);
        CHECK(endo_frames_put(frames, k, pixels, LARGE_WIDTH) == ENDO_OK);
    }
    CHECK(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &r) == ENDO_OK && r.pixels > 1000);
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? LARGE_WIDTH - 1 : 0, y = k & 2 ? LARGE_HEIGHT - 1 : 0;
        const double *m = r.transform.matrix;
        CHECK_NEAR(m[0] * x + m[1] * y + m[2], map[0] * x + map[1] * y + map[2], 0.1);
        CHECK_NEAR(m[3] * x + m[4] * y + m[5], map[3] * x + map[4] * y + map[5], 0.1);
    }
    endo_frames_destroy(&frames);
}

int main(void) {
    test_time_constants();
    test_smooth_step();
    test_gain();
    test_difference();
    test_pseudo_motion();
    test_levels();
    test_motion_at_level();
    test_update();
    test_no_update();
    test_change();
    test_shifts();
    test_result();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (context) test_vectors(context);
        for (uint64_t seed = 0; context && seed < 6; seed++) test_accuracy(context, seed);
        endo_context_destroy(&context);
    }
    return check_summary("test_rules_flow");
}
