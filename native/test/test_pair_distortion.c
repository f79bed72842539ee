/* Perspective and lens that patches tell of beyond a pair's transform, by patches whose answer is known: exact perspective
 * and lenses, errors of a known size, noise that takes a share, liars, and motions that tell nothing of a lens. */
#include "systems/pairs/pair_distortion.h"

#include "check.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 720, HEIGHT = 576, ACROSS = 7, DOWN = 6, PATCHES = ACROSS * DOWN };

static const endo_patch_grid grid = {.width = WIDTH, .height = HEIGHT, .middle = {(WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0},
                                     .half = WIDTH / 2.0};
/* Reference -> current: a shift, a little turn and growth. */
static const endo_transform moved = {ENDO_TRANSFORM_SIMILARITY, {1.01, -0.02, 19, 0.02, 1.01, -14, 0, 0, 1}};

/* The truth of a pair; all zeros: its map. */
typedef struct truth {
    double g[2], lens;
} truth;

/* Where a point of the reference lies in the current frame: the map moves what a camera without the lens would see. */
static void show(const truth *t, const endo_transform *map, const double p[2], double u[2]) {
    const double *c = grid.middle, *m = map->matrix;
    double x = p[0] - c[0], y = p[1] - c[1], part = 1 / (1 + t->lens * (x * x + y * y) / (grid.half * grid.half)), s[2];
    endo_affine_apply(m, c[0] + part * x, c[1] + part * y, &s[0], &s[1]);
    s[0] -= c[0], s[1] -= c[1];
    double q[2] = {s[0], s[1]}, w = 1 - t->g[0] * s[0] - t->g[1] * s[1];
    for (int i = 0; i < 200; i++) { /* q / (1 + lens r^2) = s */
        double grown = 1 + t->lens * (q[0] * q[0] + q[1] * q[1]) / (grid.half * grid.half);
        q[0] = s[0] * grown, q[1] = s[1] * grown;
    }
    for (int k = 0; k < 2; k++) u[k] = c[k] + q[k] / w;
}

/* Spread over the frame, each wrong by its precision times `deviation`. */
static void make_patches(const truth *t, const endo_transform *map, double deviation, test_random *r, endo_patch *patches) {
    const double *m = map->matrix, determinant = m[0] * m[4] - m[1] * m[3];
    for (int i = 0; i < PATCHES; i++) {
        double p[2] = {WIDTH * (i % ACROSS + 0.5) / ACROSS, HEIGHT * (i / ACROSS + 0.5) / DOWN}, u[2], v[2];
        double precise = 300 + 600 * test_unit(r), s = deviation / sqrt(precise);
        show(t, map, p, u);
        endo_affine_apply(m, p[0], p[1], &v[0], &v[1]);
        u[0] -= v[0], u[1] -= v[1];
        endo_patch made = {(p[0] - grid.middle[0]) / grid.half, (p[1] - grid.middle[1]) / grid.half,
                           (m[4] * u[0] - m[1] * u[1]) / determinant + s * test_normal(r),
                           (m[0] * u[1] - m[3] * u[0]) / determinant + s * test_normal(r), precise, 0, precise, 0.9, 0, 1};
        patches[i] = made;
    }
}

static endo_distortion_result distortion_of(const endo_transform *map, endo_patch *patches, size_t n) {
    static double room[ENDO_DISTORTION_WORKSPACE(PATCHES)];
    return endo_pair_distortion(&grid, map, patches, n, room);
}

/* Exact patches: each is found as far as its first order goes, and neither is taken for the other. */
static void test_exact(void) {
    static const truth truths[] = {{{0, 0}, 0}, {{2e-6, -3e-6}, 0}, {{0, 0}, -0.01}, {{-1e-6, 2e-6}, 0.01}};
    endo_patch patches[PATCHES];
    test_random r = {3};
    for (int i = 0; i < 4; i++) {
        make_patches(&truths[i], &moved, 0, &r, patches);
        endo_distortion_result b = distortion_of(&moved, patches, PATCHES);
        for (int k = 0; k < 2; k++) CHECK_NEAR(b.perspective[k], truths[i].g[k], 1e-7);
        CHECK_NEAR(b.lens, truths[i].lens, 0.04 * fabs(truths[i].lens) + 1e-4);
    }
}

/* Errors as the patches say: three deviations hold, and those of numbers that are told are ENDO_DISTORTION_ALIKE too large. */
static void test_deviations(void) {
    enum { RUNS = 400 };
    static const truth truths[] = {{{0, 0}, 0}, {{4e-6, -5e-6}, 0}, {{0, 0}, -0.015}};
    endo_patch patches[PATCHES];
    test_random r = {4};
    for (int i = 0; i < 3; i++) {
        double squares = 0, lens = 0;
        int over = 0;
        for (int run = 0; run < RUNS; run++) {
            make_patches(&truths[i], &moved, 1, &r, patches);
            endo_distortion_result b = distortion_of(&moved, patches, PATCHES);
            double x = (b.perspective[0] - truths[i].g[0]) / b.perspective_deviation;
            double y = (b.perspective[1] - truths[i].g[1]) / b.perspective_deviation;
            double l = (b.lens - truths[i].lens) / b.lens_deviation;
            squares += (x * x + y * y) / (2 * RUNS), lens += l * l / RUNS;
            over += fabs(x) > 3 || fabs(y) > 3 || fabs(l) > 3;
        }
        CHECK(over <= RUNS / 100);
        CHECK_NEAR(sqrt(squares), 1 / 1.5, 0.07);
        CHECK_NEAR(sqrt(lens), 1 / 1.5, 0.07);
    }
}

/* Noise that takes more from the patches of the rim, and more of the light there; a fifth that moves with something else. */
static void test_noise_and_liars(void) {
    static const truth t = {{3e-6, 4e-6}, 0.02};
    endo_patch patches[PATCHES];
    test_random r = {5};
    make_patches(&t, &moved, 0, &r, patches);
    for (int i = 0; i < PATCHES; i++) {
        endo_patch *p = &patches[i];
        double share = 1 - 0.5 * (p->x * p->x + p->y * p->y) / 1.64;
        p->dx *= share, p->dy *= share;
        p->noise = (1 - share) * (p->xx + p->yy);
        if (i % 5 == 2) p->dx += 3, p->dy -= 2;
    }
    endo_distortion_result b = distortion_of(&moved, patches, PATCHES);
    CHECK_NEAR(b.perspective[0], t.g[0], 2e-7);
    CHECK_NEAR(b.perspective[1], t.g[1], 2e-7);
    CHECK_NEAR(b.lens, t.lens, 0.002);
    for (int i = 2; i < PATCHES; i += 5) CHECK(patches[i].weight == 0);
}

/* Gradients that are all noise are divided by three tenths at least, the least share that is believed. */
static void test_least_share(void) {
    static const truth t = {{2e-6, 0}, 0};
    endo_patch patches[PATCHES];
    test_random r = {6};
    make_patches(&t, &moved, 0, &r, patches);
    for (int i = 0; i < PATCHES; i++) patches[i].noise = 5 * (patches[i].xx + patches[i].yy);
    CHECK_NEAR(distortion_of(&moved, patches, PATCHES).perspective[0], t.g[0] / 0.3, 1e-7);
}

/* Without a shift a lens shows nothing; perspective is known the better. With little of it the deviation says so. */
static void test_still(void) {
    static const truth none = {{0, 0}, 0};
    const endo_transform still = endo_transform_still;
    endo_transform crept = still;
    endo_patch patches[PATCHES];
    test_random r = {7};
    make_patches(&none, &moved, 1, &r, patches);
    double with_shift = distortion_of(&moved, patches, PATCHES).perspective_deviation;
    make_patches(&none, &still, 1, &r, patches);
    endo_distortion_result b = distortion_of(&still, patches, PATCHES);
    CHECK(isnan(b.lens) && isnan(b.lens_deviation) && b.perspective_deviation < 0.8 * with_shift);
    crept.matrix[2] = 0.05;
    make_patches(&none, &crept, 1, &r, patches);
    b = distortion_of(&crept, patches, PATCHES);
    CHECK(b.lens_deviation > 0.5 && b.perspective_deviation < 0.8 * with_shift);
    crept.matrix[2] = 0.2; /* a lens would say 0.3 here as loudly as the patches */
    make_patches(&none, &crept, 1, &r, patches);
    double between = distortion_of(&crept, patches, PATCHES).perspective_deviation / b.perspective_deviation;
    CHECK(between > 1.55 && between < 1.75);
    for (int i = 0; i < 2; i++) { /* 0.005 px say next to nothing, a tenth of that nothing */
        crept.matrix[2] = i ? 0.0005 : 0.005;
        make_patches(&none, &crept, 1, &r, patches);
        b = distortion_of(&crept, patches, PATCHES);
        CHECK(i ? isnan(b.lens) && isnan(b.lens_deviation) : b.lens_deviation > 5 && b.lens_deviation < 15);
        CHECK(b.perspective_deviation < 0.8 * with_shift);
    }
}

/* Fewer than a dozen say nothing; a dozen do. */
static void test_few(void) {
    static const truth t = {{2e-6, -3e-6}, 0};
    endo_patch patches[PATCHES], few[12];
    test_random r = {8};
    make_patches(&t, &moved, 0.01, &r, patches);
    for (int i = 0; i < 12; i++) few[i] = patches[(i * 17) % PATCHES];
    endo_distortion_result none = distortion_of(&moved, few, 11), some = distortion_of(&moved, few, 12);
    CHECK(isnan(none.perspective[0]) && isnan(none.perspective[1]) && isnan(none.perspective_deviation));
    CHECK(isnan(none.lens) && isnan(none.lens_deviation));
    CHECK_NEAR(some.perspective[0], t.g[0], 5 * some.perspective_deviation);
    for (int i = 0; i < 2; i++) { /* a thousandth as wide and as high; a little less says nothing */
        double wide = i ? 0.9e-3 : 1.1e-3, high = 1e-3;
        double small[6] = {wide, 0, (1 - wide) * grid.middle[0], 0, high, (1 - high) * grid.middle[1]};
        endo_transform map = endo_transform_make(ENDO_TRANSFORM_AFFINE, small);
        double deviation = distortion_of(&map, patches, PATCHES).perspective_deviation;
        CHECK(i ? isnan(deviation) : isfinite(deviation));
    }
    for (int i = 0; i < PATCHES; i++) patches[i].x = patches[i].y = 0.1; /* in one place nothing is distorted */
    CHECK(isnan(distortion_of(&moved, patches, PATCHES).perspective_deviation));
}

/* Where a fitted homography takes points of the frame is known as precisely as is said. */
static void test_variance(void) {
    enum { RUNS = 300, POINTS = 20 };
    static const truth none = {{0, 0}, 0};
    static double room[ENDO_DISTORTION_WORKSPACE(PATCHES)];
    endo_patch patches[PATCHES];
    test_random r = {9};
    double squares = 0, told = 0;
    for (int run = 0; run < RUNS; run++) {
        endo_distortion b;
        make_patches(&none, &endo_transform_still, 1, &r, patches);
        CHECK(endo_distortion_fit(ENDO_CPU_BEST, patches, PATCHES, &endo_transform_still, grid.middle, grid.half,
                                  ENDO_DISTORTION_PERSPECTIVE, room, &b));
        told += endo_distortion_variance(&b, WIDTH, HEIGHT, grid.half) / (b.scale * RUNS);
        for (int i = 0; i < POINTS * POINTS; i++) {
            double x = 2 * (i % POINTS + 0.5) / POINTS - 1, y = (2 * (i / POINTS + 0.5) / POINTS - 1) * HEIGHT / WIDTH;
            const double *m = b.parameters, tilt = m[6] * x + m[7] * y;
            double u = m[0] + m[1] * x + m[2] * y + tilt * x, v = m[3] + m[4] * x + m[5] * y + tilt * y;
            squares += (u * u + v * v) / (2.0 * RUNS * POINTS * POINTS);
        }
    }
    CHECK_NEAR(told, squares, 0.12 * squares);
}

/* If perspective is known, as precisely as an affine map that is fitted to the same patches, which lie to one side. */
static void test_affine_variance(void) {
    static const truth none = {{0, 0}, 0};
    static double room[ENDO_DISTORTION_WORKSPACE(PATCHES)];
    endo_patch patches[PATCHES];
    endo_patch_motion m;
    endo_distortion b;
    test_random r = {10};
    make_patches(&none, &endo_transform_still, 1, &r, patches);
    for (int i = 0; i < PATCHES; i++) patches[i].x -= 0.5, patches[i].y += 0.3;
    CHECK(endo_distortion_fit(ENDO_CPU_BEST, patches, PATCHES, &endo_transform_still, grid.middle, grid.half,
                              ENDO_DISTORTION_PERSPECTIVE, room, &b));
    CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_AFFINE, room, &m));
    double known = endo_distortion_affine_variance(&b, WIDTH, HEIGHT, grid.half) / b.scale;
    CHECK_NEAR(known, endo_patch_variance(&m, ENDO_TRANSFORM_AFFINE, WIDTH, HEIGHT, grid.half), 0.02 * known);
    CHECK(endo_distortion_variance(&b, WIDTH, HEIGHT, grid.half) > 1.5 * known * b.scale);
}

int main(void) {
    test_exact();
    test_deviations();
    test_noise_and_liars();
    test_least_share();
    test_still();
    test_few();
    test_variance();
    test_affine_variance();
    return check_summary("test_pair_distortion");
}
