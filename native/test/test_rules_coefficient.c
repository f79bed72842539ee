/* The coefficient, its peak between pixels, the search's pattern and interpolation against their definitions: means
 * and sums in floating point, normal equations, quadratics whose top is known, weights that make 65536. */
#include "rules/coefficient.h"
#include "rules/sampling.h"
#include "backends.h"
#include "correlation.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- coefficient */

#define MOST (255 * 255)

static uint8_t x_of[MOST], y_of[MOST];

static endo_sums sums_of(int n) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        int64_t x = x_of[i], y = y_of[i];
        s.n++, s.x += x, s.y += y, s.xx += x * x, s.yy += y * y, s.xy += x * y;
    }
    return s;
}

/* [S] eq. 2.12: with means. */
static double by_means(int n) {
    for (int i = 0; i < n; i++) test_sample(x_of[i], y_of[i]);
    return test_correlate().coefficient;
}

static void test_coefficient(void) {
    test_random r = {1};
    for (int round = 0; round < 40; round++) {
        int n = round < 38 ? test_between(&r, 2, 3000) : MOST, extreme = round % 3 == 2, alike = test_between(&r, -9, 9);
        for (int i = 0; i < n; i++) {
            x_of[i] = (uint8_t)(extreme ? 255 * test_between(&r, 0, 1) : test_between(&r, 0, 255));
            y_of[i] = (uint8_t)(test_between(&r, 0, 9) < abs(alike) ? alike < 0 ? 255 - x_of[i] : x_of[i]
                                                                    : test_between(&r, 0, 255));
        }
        x_of[0] = 0, x_of[1] = 255, y_of[0] = 3, y_of[1] = 200;
        endo_sums s = sums_of(n);
        CHECK_NEAR(endo_coefficient(&s), by_means(n), 1e-11);
    }
}

/* Gain and offset change nothing, a negative gain the sign; what has no variance is undefined. */
static void test_invariance(void) {
    test_random r = {2};
    for (int i = 0; i < 900; i++) x_of[i] = (uint8_t)test_between(&r, 0, 120), y_of[i] = (uint8_t)(2 * x_of[i] + 7);
    endo_sums s = sums_of(900);
    CHECK(endo_coefficient(&s) == 1);
    for (int i = 0; i < 900; i++) y_of[i] = (uint8_t)(255 - 2 * x_of[i]);
    s = sums_of(900);
    CHECK(endo_coefficient(&s) == -1);
    memset(y_of, 9, 900);
    s = sums_of(900);
    CHECK(isnan(endo_coefficient(&s)));
    endo_sums swapped = {s.n, s.y, s.x, s.yy, s.xx, s.xy}, none = {0, 0, 0, 0, 0, 0};
    CHECK(isnan(endo_coefficient(&swapped)) && isnan(endo_coefficient(&none)));
}

/* -------------------------------------------------------------------- peak */

/* Row by row: c[3 (dy + 1) + dx + 1]. */
static void fill_quadratic(double c[9], double top, double a, double b, double d, double x, double y) {
    for (int i = 0; i < 9; i++) {
        double u = i % 3 - 1 - x, v = i / 3 - 1 - y;
        c[i] = top - a * u * u - b * v * v - d * u * v;
    }
}

static void expect_peak(const double c[9], double x, double y) {
    double dx = 7, dy = 7;
    endo_subpixel_peak(c, &dx, &dy);
    CHECK_NEAR(dx, x, 1e-9);
    CHECK_NEAR(dy, y, 1e-9);
}

static void test_quadratics(void) {
    test_random r = {3};
    double c[9];
    for (int i = 0; i < 200; i++) {
        double a = 0.05 + test_unit(&r), b = 0.05 + test_unit(&r), d = 1.8 * sqrt(a * b) * (2 * test_unit(&r) - 1);
        double x = 1.96 * (test_unit(&r) - 0.5), y = 1.96 * (test_unit(&r) - 0.5);
        fill_quadratic(c, 0.9, a, b, d, x, y);
        expect_peak(c, x, y);
    }
    fill_quadratic(c, 0.9, 0.1, 0.1, 0, 1.05, 0); /* beyond a pixel */
    expect_peak(c, 0, 0);
    fill_quadratic(c, 0.9, 0.1, 0.1, 0, 0.2, -1.05);
    expect_peak(c, 0, 0);
    fill_quadratic(c, 0.2, -0.1, -0.1, 0, 0.2, 0.1); /* a pit, */
    expect_peak(c, 0, 0);
    fill_quadratic(c, 0.2, 0.1, -0.1, 0, 0.2, 0.1); /* and saddles */
    expect_peak(c, 0, 0);
    fill_quadratic(c, 0.2, 0.1, 0.1, 0.3, 0.2, 0.1);
    expect_peak(c, 0, 0);
    fill_quadratic(c, 1 + 0.005, 0.1, 0.1, 0, 0.2, 0.1); /* the centre is a perfect match */
    CHECK_NEAR(c[4], 1, 1e-12);
    c[4] = 1;
    expect_peak(c, 0, 0);
    for (int i = 0; i < 9; i++) {
        fill_quadratic(c, 0.9, 0.1, 0.1, 0, 0.2, 0.1);
        c[i] = NAN;
        expect_peak(c, 0, 0);
    }
}

/* Gauss's elimination of 6 equations; the matrix of nine places is regular. */
static void solve_six(double m[6][7]) {
    for (int i = 0; i < 6; i++) {
        int pivot = i;
        for (int k = i; k < 6; k++)
            if (fabs(m[k][i]) > fabs(m[pivot][i])) pivot = k;
        for (int k = 0; k < 7; k++) {
            double t = m[i][k];
            m[i][k] = m[pivot][k], m[pivot][k] = t;
        }
        for (int k = 0; k < 6; k++)
            for (int j = 6; k != i && j >= i; j--) m[k][j] -= m[i][j] * m[k][i] / m[i][i];
    }
    for (int i = 0; i < 6; i++) m[i][6] /= m[i][i];
}

/* The least-squares quadratic of any nine numbers. */
static void test_least_squares(void) {
    test_random r = {4};
    int inside = 0;
    for (int round = 0; round < 300; round++) {
        double c[9], m[6][7] = {{0}};
        fill_quadratic(c, 0.8, 0.2, 0.3, 0.1, test_unit(&r) - 0.5, test_unit(&r) - 0.5);
        for (int i = 0; i < 9; i++) {
            double x = i % 3 - 1, y = i / 3 - 1, terms[6] = {1, x, y, x * x, x * y, y * y};
            c[i] += 0.5 * (test_unit(&r) - 0.5);
            if (c[4] >= 1) c[4] = 0.99;
            for (int k = 0; k < 6; k++) {
                for (int j = 0; j < 6; j++) m[k][j] += terms[k] * terms[j];
                m[k][6] += terms[k] * c[i];
            }
        }
        solve_six(m);
        double a = 2 * m[3][6], b = m[4][6], d = 2 * m[5][6], determinant = a * d - b * b;
        double x = (b * m[2][6] - d * m[1][6]) / determinant, y = (b * m[1][6] - a * m[2][6]) / determinant;
        int peak = a < 0 && d < 0 && determinant > 0 && fabs(x) < 1 && fabs(y) < 1;
        expect_peak(c, peak ? x : 0, peak ? y : 0);
        inside += peak;
    }
    CHECK(inside > 150 && inside < 290);
}

/* ----------------------------------------------------------------- pattern */

/* The centre first, so that it wins a tie; then each neighbour once, from the left and against the clock of y down. */
static void test_pattern(void) {
    static const int x[9] = ENDO_PATTERN_X, y[9] = ENDO_PATTERN_Y;
    int seen[9] = {0};
    CHECK(x[0] == 0 && y[0] == 0);
    for (int i = 0; i < 9; i++) {
        CHECK(abs(x[i]) <= 1 && abs(y[i]) <= 1);
        seen[3 * (y[i] + 1) + x[i] + 1]++;
        if (i > 1) CHECK(abs(x[i] - x[i - 1]) + abs(y[i] - y[i - 1]) == 1); /* a walk around the centre */
    }
    for (int i = 0; i < 9; i++) CHECK(seen[i] == 1);
    CHECK(x[1] == -1 && y[1] == 0 && y[2] == -1);
}

/* Where a search ends no neighbour is better, and the coefficient is that of endo_ncc; an image that repeats itself
 * holds ties, which the centre wins: the start stays. */
static void test_search_ends_on_top(endo_context *context) {
    static uint8_t pixels[120 * 100];
    test_scene scene;
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = 120, o.height = 100, o.capacity = 2, o.flow = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    test_scene_init(&scene, 9);
    for (int k = 0; k < 2; k++) {
        double map[6] = {1, 0, 2 * k, 0, 1, -3 * k};
        test_scene_render(&scene, map, 120, 100, pixels);
        CHECK(endo_frames_put(frames, k, pixels, 120) == ENDO_OK);
    }
    for (int i = 0; i < 30; i++) {
        endo_search_options p = {15, 1 << i % 4, 0};
        endo_search_request q = {0, 1, 30 + 2 * i, 25 + i, 28 + 2 * i, 28 + i};
        endo_search_result found;
        endo_ncc_request around[9];
        double c[9];
        CHECK(endo_search_run(frames, &q, 1, &p, &found) == ENDO_OK && found.state == ENDO_LANDMARK_FOUND);
        for (int k = 0; k < 9; k++)
            around[k] = (endo_ncc_request){0, 1, q.x, q.y, (int)found.x + k % 3 - 1, (int)found.y + k / 3 - 1};
        CHECK(endo_ncc_compute(frames, around, 9, 15, c) == ENDO_OK);
        CHECK(c[4] == found.coefficient);
        for (int k = 0; k < 9; k++) CHECK(!(c[k] > c[4]));
    }
    for (int i = 0; i < 120 * 100; i++) pixels[i] = (uint8_t)(100 + 50 * (i % 120 % 2) + 20 * (i / 120 % 2));
    for (int k = 0; k < 2; k++) CHECK(endo_frames_put(frames, k, pixels, 120) == ENDO_OK);
    endo_search_options p = {15, 8, 1};
    endo_search_request q = {0, 1, 50, 40, 60, 50};
    endo_search_result found;
    CHECK(endo_search_run(frames, &q, 1, &p, &found) == ENDO_OK && found.state == ENDO_LANDMARK_FOUND);
    CHECK(found.x == 60 && found.y == 50 && found.coefficient == 1);
    CHECK(found.computed == 4 * 8 + 1 && found.reused == 3); /* offsets 8, 4, 2, 1; the centre only once */
    endo_frames_destroy(&frames);
}

/* ----------------------------------------------------------- interpolation */

/* Weights (256 - fx)(256 - fy), fx (256 - fy), (256 - fx) fy, fx fy, rounded to the nearest, the upper of two. */
static int64_t weighted(const int64_t p[4], int fx, int fy) {
    int64_t sum = p[0] * (256 - fx) * (256 - fy) + p[1] * fx * (256 - fy) + p[2] * (256 - fx) * fy + p[3] * fx * fy;
    return (int64_t)floor((double)sum / 65536 + 0.5);
}

static void test_bilinear(void) {
    test_random r = {5};
    int wrong = 0;
    for (int i = 0; i < 40000; i++) {
        int64_t p[4];
        int kind = i % 3, fx = test_between(&r, 0, 255), fy = test_between(&r, 0, 255);
        for (int k = 0; k < 4; k++)
            p[k] = kind == 0 ? test_between(&r, 0, 255) : kind == 1 ? test_between(&r, -16320, 16320) : 65535 * test_between(&r, 0, 1);
        int64_t e = weighted(p, fx, fy);
        if (kind < 2) wrong += endo_bilinear((int)p[0], (int)p[1], (int)p[2], (int)p[3], fx, fy) != e;
        wrong += endo_bilinear16(p[0], p[1], p[2], p[3], fx, fy) != e;
    }
    CHECK(wrong == 0);
    CHECK(endo_bilinear(10, 20, 30, 40, 0, 0) == 10 && endo_bilinear(10, 20, 30, 40, 128, 0) == 15);
    CHECK(endo_bilinear(10, 20, 30, 40, 0, 128) == 20 && endo_bilinear(0, 1, 0, 1, 128, 77) == 1); /* 0.5 goes up */
}

static void test_positions(void) {
    CHECK(endo_position8(0) == 0 && endo_position8((int64_t)3 << 32) == 3 * 256);
    CHECK(endo_position8((int64_t)1 << 23) == 1 && endo_position8(((int64_t)1 << 23) - 1) == 0); /* 1/512 px */
    CHECK(endo_position8(-((int64_t)1 << 23)) == 0 && endo_position8(-((int64_t)1 << 23) - 1) == -1);
    CHECK(endo_position8(-((int64_t)5 << 32) - ((int64_t)1 << 31)) == -5 * 256 - 128);
}

int main(void) {
    test_coefficient();
    test_invariance();
    test_quadratics();
    test_least_squares();
    test_pattern();
    test_bilinear();
    test_positions();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (context) test_search_ends_on_top(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_rules_coefficient");
}
