/* From the sums of patches to the motion of a pair, by patches whose answer is known: an image moved by a known shift,
 * exact motions among liars, errors of a known size, and classes that are and are not needed. */
#include "systems/pairs/patch_fit.h"
#include "systems/pairs/patch_grid.h"

#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, ACROSS = 20, DOWN = 16, PATCHES = ACROSS * DOWN, WIDTH = 720, HEIGHT = 576 };

/* ---------------------------------------------------------------- a patch */

static double wave(double x, double y) { return 90 * sin(0.31 * x + 0.11 * y) + 70 * cos(0.23 * y - 0.17 * x); }

/* What C shows lies (dx, dy) from where it is looked for, brighter by a gain and an offset. */
static endo_patch_sums sums_of(double dx, double dy, double gain, double noise, test_random *r) {
    endo_patch_sums s = {0, {0}, {0}};
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = i % SIDE, y = i / SIDE;
        int32_t numbers[ENDO_PATCH_NUMBERS] = {(int32_t)lround(wave(x + 1, y) - wave(x - 1, y)), (int32_t)lround(wave(x, y + 1) - wave(x, y - 1)),
                              (int32_t)lround(wave(x, y)),
                              (int32_t)lround(gain * wave(x - dx, y - dy) + 40 + noise * test_normal(r)),
                              endo_patch_off_middle(i % SIDE, SIDE), endo_patch_off_middle(i / SIDE, SIDE)};
        endo_patch_add(&s, numbers);
    }
    return s;
}

static void test_measure(void) {
    test_random r = {4};
    for (int i = 0; i < 40; i++) {
        double dx = 0.4 * (test_unit(&r) - 0.5), dy = 0.4 * (test_unit(&r) - 0.5), gain = 0.5 + test_unit(&r);
        endo_patch_sums s = sums_of(dx, dy, gain, 0, &r);
        endo_patch p;
        CHECK(endo_patch_measure(&s, SIDE, &p));
        CHECK_NEAR(p.dx, dx, 0.02);
        CHECK_NEAR(p.dy, dy, 0.02);
        CHECK(p.coefficient > 0.99 && endo_patch_coefficient(&s, SIDE) == p.coefficient);
    }
    endo_patch_sums flat = {SIDE * SIDE, {0}, {0}}, few = sums_of(0, 0, 1, 0, &r);
    endo_patch p;
    endo_patch_sums faint = {0, {0}, {0}};
    for (int i = 0; i < SIDE * SIDE; i++) { /* of a quarter of the variance that counts */
        int32_t numbers[ENDO_PATCH_NUMBERS] = {0, 0, i & 1, i & 1, endo_patch_off_middle(i % SIDE, SIDE), endo_patch_off_middle(i / SIDE, SIDE)};
        endo_patch_add(&faint, numbers);
    }
    CHECK(isnan(endo_patch_coefficient(&faint, SIDE)) && isnan(endo_patch_common(&faint, SIDE)));
    few.n = SIDE * SIDE / 2 - 1;
    CHECK(!endo_patch_measure(&flat, SIDE, &p) && isnan(endo_patch_coefficient(&flat, SIDE)));
    CHECK(!endo_patch_measure(&few, SIDE, &p) && isnan(endo_patch_coefficient(&few, SIDE)));
}

/* Two at a time are what each is alone, in either place; with nothing known of the other, too. */
static void test_measure_two(void) {
    static const endo_patch_sums flat = {SIDE * SIDE, {0}, {0}};
    test_random r = {5};
    for (int i = 0; i < 20; i++) {
        endo_patch_sums s[2] = {sums_of(0.1, 0.2 * test_unit(&r), 0.9, 9, &r), sums_of(-0.1, 0, 1.2, 5, &r)};
        endo_patch alone[2], two[2];
        int known[2];
        memset(alone, 0, sizeof alone);
        memset(two, 0, sizeof two);
        if (i % 3 == 1) s[i % 2] = flat;
        for (int k = 0; k < 2; k++) alone[k].x = two[k].x = k;
        int first = endo_patch_measure(&s[0], SIDE, &alone[0]), second = endo_patch_measure(&s[1], SIDE, &alone[1]);
        endo_patch_measure_two(&s[0], &s[1], SIDE, two, known);
        CHECK(known[0] == first && known[1] == second && first + second == (i % 3 == 1 ? 1 : 2));
        CHECK(memcmp(alone, two, sizeof two) == 0);
    }
}

/* Places are the nearest of what 16 fractional bits can say, below zero too. */
static void test_places(void) {
    int32_t at[2] = {40, 30};
    const endo_patch_grid g = {
        .level = 0,
        .side = 24,
        .n = 1,
        .positions = at,
        .width = WIDTH,
        .height = HEIGHT,
        .half = WIDTH / 2.0,
    };
    const endo_pair pair = {3, 5};
    const int shift[2] = {1, -2};
    test_random r = {11};
    for (int i = 0; i < 200; i++) {
        const double map[6] = {1, 0, 200 * (test_unit(&r) - 0.5), 0, 1, 200 * (test_unit(&r) - 0.5)};
        endo_patch_request q;
        endo_patch_grid_ask(&g, &pair, map, shift, &q);
        CHECK(q.reference == 3 && q.current == 5 && q.x == 40 && q.y == 30 && q.step[0] == 65536 && q.step[3] == 65536);
        for (int k = 0; k < 2; k++) CHECK(fabs(q.at[k] - 65536 * (at[k] + map[3 * k + 2] + shift[k])) <= 0.5 + 1e-6);
    }
}

/* Noise: the errors are what is said, on both axes. */
static void test_precision(void) {
    enum { RUNS = 600 };
    test_random r = {6};
    double squares = 0;
    for (int i = 0; i < RUNS; i++) {
        endo_patch_sums s = sums_of(0.1, -0.05, 0.8, 25, &r);
        endo_patch p;
        CHECK(endo_patch_measure(&s, SIDE, &p));
        double x = p.dx - 0.1, y = p.dy + 0.05;
        squares += (p.xx * x * x + 2 * p.xy * x * y + p.yy * y * y) / (2 * RUNS);
    }
    CHECK_NEAR(squares, 1, 0.1);
}

/* The gradients of a reference that is noise alone, smoothed as frames are, are taken to be noise. */
static void test_gradient_noise(void) {
    enum { ROOM = SIDE + 4, RUNS = 40 };
    test_random r = {12};
    double told = 0, expected = 0;
    for (int run = 0; run < RUNS; run++) {
        double raw[ROOM][ROOM], v[ROOM][ROOM] = {{0}};
        endo_patch_sums s = {0, {0}, {0}};
        endo_patch p;
        for (int i = 0; i < ROOM * ROOM; i++) raw[i / ROOM][i % ROOM] = 100 * test_normal(&r);
        for (int y = 1; y < ROOM - 1; y++)
            for (int x = 1; x < ROOM - 1; x++)
                for (int k = 0; k < 9; k++)
                    v[y][x] += raw[y + k / 3 - 1][x + k % 3 - 1] * (2 - abs(k / 3 - 1)) * (2 - abs(k % 3 - 1)) / 16;
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE + 2, y = i / SIDE + 2;
            int32_t numbers[ENDO_PATCH_NUMBERS] = {(int32_t)lround(v[y][x + 1] - v[y][x - 1]),
                                                   (int32_t)lround(v[y + 1][x] - v[y - 1][x]), (int32_t)lround(v[y][x]),
                                                   (int32_t)lround(0.5 * v[y][x] + 60 * test_normal(&r)),
                                                   endo_patch_off_middle(x - 2, SIDE), endo_patch_off_middle(y - 2, SIDE)};
            endo_patch_add(&s, numbers);
        }
        CHECK(endo_patch_measure(&s, SIDE, &p));
        told += p.noise / (p.xx + p.yy) / RUNS, expected += (1 - p.coefficient) / RUNS;
    }
    CHECK_NEAR(told, expected, 0.1 * expected);
}

/* ------------------------------------------------------------------ a pair */

/* Patches over the frame that a motion moves, each wrong by its own precision times `deviation`. */
static void make_patches(endo_patch *patches, const double motion[ENDO_MOTION], double deviation, test_random *r) {
    for (int i = 0; i < PATCHES; i++) {
        double x = (i % ACROSS - (ACROSS - 1) / 2.0) / (ACROSS / 2.0), y = (i / ACROSS - (DOWN - 1) / 2.0) / (ACROSS / 2.0);
        double precise = 50 + 400 * test_unit(r), s = deviation / sqrt(precise);
        endo_patch p = {x, y, 0, 0, precise, 0, precise, 0.9, 0, 1};
        p.dx = motion[0] - motion[2] * y + motion[3] * x + motion[4] * x + motion[5] * y + s * test_normal(r);
        p.dy = motion[1] + motion[2] * x + motion[3] * y - motion[4] * y + motion[5] * x + s * test_normal(r);
        patches[i] = p;
    }
}

static const double some[ENDO_MOTION] = {0.4, -0.3, 0.5, 0.2, -0.3, 0.25};

static void test_fit(void) {
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    test_random r = {8};
    endo_patch_motion m;
    for (int kind = 0; kind < 4; kind++) {
        double motion[ENDO_MOTION] = {0};
        memcpy(motion, some, (size_t)endo_motion_numbers((endo_transform_class)kind) * sizeof *motion);
        make_patches(patches, motion, 0.2, &r);
        for (int i = 0; i < PATCHES; i += 3) patches[i].dx += 2, patches[i].dy -= 1; /* a third moves with something else */
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, (endo_transform_class)kind, room, &m));
        for (int i = 0; i < ENDO_MOTION; i++) CHECK_NEAR(m.motion[i], motion[i], 0.01);
        for (int i = 0; i < PATCHES; i += 3) CHECK(patches[i].weight == 0);
    }
    CHECK(!endo_patch_fit(ENDO_CPU_BEST, patches, 2, ENDO_TRANSFORM_TRANSLATION, room, &m));
    for (int i = 0; i < PATCHES; i++) patches[i].x = patches[i].y = 0; /* in one place nothing turns */
    CHECK(!endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_RIGID, room, &m));
    CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_TRANSLATION, room, &m));
}

static int in_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The scale is the median of what the motion leaves, for every number of patches, and where many leave the same. */
static void test_scale(void) {
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)], left[PATCHES];
    static const double none[ENDO_MOTION] = {0};
    test_random r = {13};
    for (size_t n = PATCHES - 40; n <= PATCHES; n++) {
        endo_patch_motion m;
        make_patches(patches, none, 1, &r);
        for (size_t i = 0; i < n && n % 2; i++) patches[i].dx = i % 4 < 2 ? 0.1 : -0.1, patches[i].dy = 0, patches[i].xx = 100;
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, n, ENDO_TRANSFORM_TRANSLATION, room, &m));
        for (size_t i = 0; i < n; i++) {
            double dx = patches[i].dx - m.motion[0], dy = patches[i].dy - m.motion[1];
            left[i] = patches[i].xx * dx * dx + 2 * patches[i].xy * dx * dy + patches[i].yy * dy * dy;
        }
        double weights = 0;
        for (size_t i = 0; i < n; i++) weights += patches[i].weight;
        CHECK_NEAR(m.weights, weights, 1e-9 * weights);
        qsort(left, n, sizeof *left, in_order);
        CHECK_NEAR(m.scale * 1.3862943611198906, left[n / 2], 1e-3 * left[n / 2]);
    }
}

/* The share of the precision that noise leaves: a twentieth at least. */
static void test_share(void) {
    static const double noisy[4] = {0, 0.9, 0.97, 1.2}, share[4] = {1, 0.1, 0.05, 0.05};
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    static const double none[ENDO_MOTION] = {0};
    test_random r = {16};
    make_patches(patches, none, 0, &r);
    for (int k = 0; k < 4; k++) {
        endo_patch_motion m;
        for (int i = 0; i < PATCHES; i++) {
            patches[i].dx = i % 2 ? 0.1 : -0.1;
            patches[i].xx = patches[i].yy = 100, patches[i].xy = 0, patches[i].noise = noisy[k] * 200;
        }
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_TRANSLATION, room, &m));
        CHECK_NEAR(m.share, share[k], 1e-9);
    }
}

/* Patches that all lie so far off, px, left and right in turn, leave so much by what they are trusted: less than they say,
 * from four times on of what their errors would leave. */
static void check_relief(double precise, double off) {
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    static const double none[ENDO_MOTION] = {0};
    test_random r = {14};
    endo_patch_motion m;
    double beyond = off * off / (4 * 1.3862943611198906) - 1 / precise, more = beyond > 0 ? beyond / 10 : 0;
    make_patches(patches, none, 0, &r);
    for (int i = 0; i < PATCHES; i++) {
        patches[i].dx = i % 2 ? off : -off;
        patches[i].xx = patches[i].yy = precise, patches[i].noise = precise / 2;
    }
    CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_TRANSLATION, room, &m));
    CHECK_NEAR(m.scale * 1.3862943611198906, off * off / (1 / precise + more), 1e-9 * m.scale);
    CHECK_NEAR(m.relief, beyond > 0 ? beyond : 0, 1e-9);
    CHECK_NEAR(m.share, 0.75, 1e-9);
    CHECK(patches[0].xx == precise);
}

/* Where all patches are off by more than they say, a few with much texture do not decide. */
static void test_relief(void) {
    enum { RUNS = 60 };
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    static const double none[ENDO_MOTION] = {0};
    test_random r = {15};
    double wrong = 0;
    for (int k = 1; k < 20; k++) check_relief(100, 0.03 * k);
    for (int run = 0; run < RUNS; run++) {
        endo_patch_motion m;
        make_patches(patches, none, 1, &r);
        for (int i = 0; i < PATCHES; i++) {
            patches[i].dx += 0.3 * test_normal(&r), patches[i].dy += 0.3 * test_normal(&r);
            if (i % 16 == 0) patches[i].xx = patches[i].yy = 1e6;
        }
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_TRANSLATION, room, &m));
        wrong += (m.motion[0] * m.motion[0] + m.motion[1] * m.motion[1]) / (2 * RUNS);
    }
    CHECK(sqrt(wrong) < 0.03); /* 0.067 if those decide */
}

/* Over the frame the motion is wrong by what is said. */
static void test_variance(endo_transform_class kind) {
    enum { RUNS = 400 };
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    static const double none[ENDO_MOTION] = {0};
    test_random r = {9};
    double wrong = 0, said = 0;
    for (int run = 0; run < RUNS; run++) {
        endo_patch_motion m;
        make_patches(patches, none, 1.5, &r);
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, kind, room, &m));
        said += m.scale * endo_patch_variance(&m, kind, WIDTH, HEIGHT, WIDTH / 2.0) / RUNS;
        for (int i = 0; i < 400; i++) {
            double x = (i % 20 + 0.5) / 10 - 1, y = ((i / 20 + 0.5) / 10 - 1) * HEIGHT / WIDTH, *v = m.motion;
            double dx = v[0] - v[2] * y + (v[3] + v[4]) * x + v[5] * y, dy = v[1] + v[2] * x + (v[3] - v[4]) * y + v[5] * x;
            wrong += (dx * dx + dy * dy) / (800.0 * RUNS);
        }
    }
    CHECK_NEAR(sqrt(said / wrong), 1.05, 0.12); /* patches that are far off count less: said a little too large */
}

/* The class of the motion is taken, whatever the errors are; with steps from the nearest map of each class. */
static void test_choice(void) {
    static endo_patch patches[PATCHES];
    static double room[ENDO_PATCH_FIT_WORKSPACE(PATCHES)];
    test_random r = {10};
    for (int run = 0; run < 200; run++) {
        int truth = run % 4, right = 0;
        double motion[ENDO_MOTION] = {0}, start[4][ENDO_MOTION] = {{0}}, step[ENDO_MOTION];
        endo_patch_motion m;
        memcpy(motion, some, (size_t)endo_motion_numbers((endo_transform_class)truth) * sizeof *motion);
        make_patches(patches, motion, 0.5 + test_unit(&r), &r);
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, PATCHES, ENDO_TRANSFORM_AFFINE, room, &m));
        for (int k = 0; k < 4; k++) start[k][0] = 0.1 * test_unit(&r), start[k][1] = -0.1 * test_unit(&r);
        endo_transform_class kind = endo_patch_choose(&m, (const double(*)[ENDO_MOTION])start, ENDO_TRANSFORM_AFFINE, step);
        right = (int)kind == truth;
        CHECK(right);
        for (int i = 0; i < ENDO_MOTION && right; i++) CHECK_NEAR(start[truth][i] + step[i], motion[i], 0.04);
        endo_patch_shift(&m); /* from there nothing is left to do */
        for (int i = 0; i < ENDO_MOTION; i++) CHECK_NEAR(m.right[i], 0, 1e-6 * m.normal[5][5]);
    }
}

/* In a further level everything is measured in its pixels: of the precision noise is the same share. */
static void test_levels(void) {
    int32_t places[2] = {40, 30};
    test_random r = {41};
    endo_patch_sums sums = sums_of(0.2, -0.1, 1, 20, &r);
    endo_patch patches[3];
    for (int level = 0; level < 3; level++) {
        endo_patch_grid g = {
            .level = level,
            .side = SIDE,
            .n = 1,
            .positions = places,
            .width = WIDTH,
            .height = HEIGHT,
            .middle = {(WIDTH - 1) / 2.0, (HEIGHT - 1) / 2.0},
            .half = WIDTH / 2.0,
        };
        double scale = 1 << level;
        CHECK(endo_patch_grid_measure(&g, &sums, &patches[level]) == 1);
        CHECK_NEAR(patches[level].dx, scale * patches[0].dx, 1e-12);
        CHECK_NEAR(patches[level].xx * scale * scale, patches[0].xx, 1e-12 * patches[0].xx);
        CHECK(patches[0].noise > 0);
        CHECK_NEAR(patches[level].noise * scale * scale, patches[0].noise, 1e-12 * patches[0].noise);
    }
}

int main(void) {
    test_measure();
    test_measure_two();
    test_places();
    test_gradient_noise();
    test_precision();
    test_fit();
    test_scale();
    test_share();
    test_relief();
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++)
        test_variance((endo_transform_class)kind);
    test_choice();
    test_levels();
    return check_summary("test_patch_fit");
}
