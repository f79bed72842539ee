/* The rules of Fourier registration by brute force: levels and tiles, values, windows, places of peaks, and the step of
 * the alignment against motions that are known. */
#include "check.h"
#include "scene.h"

#include "rules/fourier_align.h"
#include "rules/fourier_spectra.h"

#include <stdlib.h>
#include <string.h>

static void test_levels(void) {
    CHECK(endo_fourier_levels(1, 1) == 1 && endo_fourier_levels(15, 4000) == 1 && endo_fourier_levels(16, 16) == 2);
    CHECK(endo_fourier_levels(512, 512) == 7 && endo_fourier_levels(32767, 32767) == ENDO_FOURIER_LEVELS);
    CHECK(endo_fourier_level(512, 300, 512) == 0 && endo_fourier_level(513, 300, 512) == 0 + (513 > 512));
    CHECK(endo_fourier_level(2048, 1536, 256) == 3 && endo_fourier_level(720, 576, 256) == 2);
    CHECK(endo_fourier_level(3, 5000, 256) == 0);
    CHECK(endo_fourier_halve(1, 2, 2, 1) == 2 && endo_fourier_halve(255, 255, 255, 254) == 255);
    CHECK(endo_fourier_halve(0, 0, 0, 1) == 0);
    CHECK_NEAR(endo_fourier_up(0, 2), 1.5, 0); /* four pixels */
    CHECK_NEAR(endo_fourier_down(endo_fourier_up(7.25, 5), 5), 7.25, 1e-12);
}

/* Tiles of every layer cover the image, overlap by about half, and fit. */
static void test_tiles(void) {
    static const int across[] = {1, 2, 3, 5, 7};
    static const int sizes[][2] = {{512, 512}, {720, 576}, {333, 97}, {2048, 1500}};
    for (int s = 0; s < 4; s++)
        for (int k = -4; k <= 4; k++) {
            int n = endo_fourier_tiles_across(k), magnitude = abs(k), width = sizes[s][0], height = sizes[s][1];
            endo_fourier_part before = endo_fourier_tile(width, height, k, 0, 128), last = endo_fourier_tile(width, height, k, n * n - 1, 128);
            CHECK(n == across[magnitude] && before.left == 0 && before.top == 0);
            CHECK(before.width <= 128 && before.height <= 128);
            CHECK(last.left + last.width == width >> last.level && last.top + last.height == height >> last.level);
            CHECK_NEAR((double)before.width / (width >> before.level), pow(2, -magnitude / 2.0), 0.02);
            for (int i = 1; i < n; i++) {
                endo_fourier_part p = endo_fourier_tile(width, height, k, i, 128);
                CHECK(p.left > before.left && p.left - before.left <= 0.53 * p.width + 1 && p.top == 0);
                before = p;
            }
        }
}

static void test_values(void) {
    for (int32_t grey = 0; grey < 256; grey += 51)
        for (int32_t count = 1; count <= 289; count += 24)
            for (int32_t sum = grey; sum <= 255 * count; sum += 401) {
                double exact = 4.0 * grey - floor(4.0 * sum / count + 0.5);
                CHECK_NEAR(endo_fourier_highpass(grey, sum, count), exact, 0);
            }
    for (int32_t down = 0; down <= ENDO_FOURIER_MOST_HALF; down++) /* at sums on both sides of where the mean grows */
        for (int32_t right = 0; right <= ENDO_FOURIER_MOST_HALF; right++)
            for (int32_t mean = 0; mean <= 1020; mean++)
                for (int32_t before = 0; before < 2; before++) {
                    int32_t count = (2 * down + 1) * (2 * right + 1), numerator = 2 * count * mean - count;
                    int32_t sum = (numerator + 2 * ENDO_FOURIER_ONE - 1) / (2 * ENDO_FOURIER_ONE) - before;
                    float factor = 1.0f / (float)(2 * count);
                    if (sum < 0 || sum > 255 * count) continue;
                    CHECK(endo_fourier_highpass_by(9, sum, count, factor) == endo_fourier_highpass(9, sum, count));
                }
    CHECK(endo_fourier_half(1) == ENDO_FOURIER_HALF && endo_fourier_half(1.2) == 7 && endo_fourier_half(0.8) == 10);
    CHECK(endo_fourier_half(100) == ENDO_FOURIER_LEAST_HALF && endo_fourier_half(0.1) == ENDO_FOURIER_MOST_HALF);
    CHECK(endo_fourier_reach(0, 50, 8) == 0 && endo_fourier_reach(3, 50, 8) == 3 && endo_fourier_reach(46, 50, 8) == 3);
    CHECK(endo_fourier_reach(20, 50, 8) == 8 && endo_fourier_reach(20, 21, 8) == 0);
    CHECK(endo_fourier_has_mean(7, 8) && !endo_fourier_has_mean(6, 8) && endo_fourier_has_mean(1, 1));
    const int32_t edge[9] = {0, 0, 255, 0, 0, 255, 0, 0, 255}, corner[9] = {255, 0, 0, 0, 0, 0, 0, 0, 0};
    CHECK(endo_fourier_sobel(edge) == 1020 && endo_fourier_sobel(corner) == 360);
    for (int32_t n = 0; n <= 1442; n++) {
        volatile float squares = (float)(n * n), less = (float)(n * n - 1);
        CHECK((int32_t)sqrtf(squares) == n && (n == 0 || (int32_t)sqrtf(less) == n - 1));
    }
    CHECK(endo_fourier_window_at(ENDO_WINDOW_NONE, 0, 10) == 1);
    CHECK_NEAR(endo_fourier_window_at(ENDO_WINDOW_HANN, 49.5, 100), 1, 1e-12);
    CHECK_NEAR(endo_fourier_window_at(ENDO_WINDOW_HANN, 24.5, 100), 0.5, 1e-12);
    CHECK_NEAR(endo_fourier_window_at(ENDO_WINDOW_TUKEY, 5.75, 100), 0.5, 1e-12);
    CHECK(endo_fourier_window_at(ENDO_WINDOW_TUKEY, 12, 100) == 1 && endo_fourier_window_at(ENDO_WINDOW_TUKEY, -0.5, 100) == 0);
    for (int i = 0; i < 100; i++)
        CHECK_NEAR(endo_fourier_window_at(ENDO_WINDOW_TUKEY, i, 100), endo_fourier_window_at(ENDO_WINDOW_TUKEY, 99 - i, 100), 1e-12);
}

static void test_turns(void) {
    endo_turns_setup s;
    memset(&s, 0, sizeof s);
    s.angles = 180, s.radii = 100, s.radius_step = 0.01, s.max_angle = 30, s.max_log_scale = 0.1, s.spectrum.side = 256;
    CHECK_NEAR(endo_turn_degrees(10, 180), 10, 0);
    CHECK_NEAR(endo_turn_degrees(170, 180), -10, 0);
    CHECK_NEAR(endo_turn_log_scale(5, 100, 0.01), -0.05, 1e-15);
    CHECK_NEAR(endo_turn_log_scale(95, 100, 0.01), 0.05, 1e-15);
    CHECK(endo_turn_is_allowed(&s, 0, 30, 0) && !endo_turn_is_allowed(&s, 0, 33, 0)); /* nor is 147 turned the other way */
    CHECK(endo_turn_is_allowed(&s, 0, 150, 0) && endo_turn_is_allowed(&s, 11, 0, 0) && !endo_turn_is_allowed(&s, 12, 0, 0));
    CHECK(endo_turn_is_allowed(&s, 80, 0, -0.2) && !endo_turn_is_allowed(&s, 0, 0, 0.2));
    CHECK_NEAR(exp(endo_turn_level_scale(3, 1)), 4, 1e-12);
    CHECK_NEAR(endo_log_polar_angle(&s, 90), 0, 1e-15);
    s.paper = 1;
    CHECK_NEAR(endo_turn_weight(&s, 1e9, 40, 20) * 1e9, 1, 1e-6);
    CHECK_NEAR(endo_log_polar_value(&s, 17), 17, 0);
    CHECK(endo_twin_position(255, 256) == 0 && endo_twin_position(3, 256) == 4);
}

static void test_peaks(void) {
    endo_fourier_peak list[4];
    test_random r = {3};
    int n = 0, best[4] = {0};
    float heights[200];
    for (int i = 0; i < 200; i++) {
        endo_fourier_peak p = {i % 20, i / 20, 0, (float)test_between(&r, 0, 60), {0, 0, 0, 0}};
        heights[i] = p.height;
        n = endo_fourier_insert(list, n, 4, &p);
    }
    CHECK(n == 4);
    for (int k = 0; k < 4; k++) { /* of equal ones the first place */
        best[k] = -1;
        for (int i = 0; i < 200; i++) {
            int taken = 0;
            for (int j = 0; j < k; j++) taken |= best[j] == i;
            if (!taken && (best[k] < 0 || heights[i] > heights[best[k]])) best[k] = i;
        }
        CHECK(list[k].y * 20 + list[k].x == best[k] && list[k].height == heights[best[k]]);
    }
    CHECK_NEAR(endo_fourier_between(0.5f, 1, 0.5f), 0, 0);
    CHECK_NEAR(endo_fourier_between(-0.0225f + 0.5f, -0.0025f + 0.5f, -0.0625f + 0.5f + 0.08f - 0.08f), -0.1, 0.2);
    CHECK(endo_fourier_between(1, 1, 1) == 0 && endo_fourier_between(0, 1, 1) == 0.5);
}

/* Sums of a smooth function and of the same after a small motion give that motion, with gain and offset. */
static void test_step(void) {
    enum { N = 90, M = 70 };
    static const double motions[][4] = {{0.3, -0.2, 0, 0}, {0, 0, 0.4, 0}, {0, 0, 0, -0.35}, {-0.15, 0.1, 0.2, 0.25}};
    for (int k = 0; k < 4; k++) {
        const double *m = motions[k];
        endo_align_sums sums = {0, {0}, {0}};
        endo_align_step step = {0, 0, 0, 0};
#define AT(x, y) (300 * sin(0.13 * (x) + 0.05 * (y)) + 250 * cos(0.11 * (y) - 0.04 * (x)))
        for (int y = 1; y < M - 1; y++)
            for (int x = 1; x < N - 1; x++) {
                int32_t numbers[ENDO_ALIGN_NUMBERS];
                double u = (2 * x - (N - 1)) / (double)N, v = (2 * y - (M - 1)) / (double)N;
                /* The current image shows at x what the reference has at x - d: d is what brings it there. */
                double px = x - (m[0] + m[2] * u - m[3] * v), py = y - (m[1] + m[3] * u + m[2] * v);
                endo_align_numbers((int32_t)lrint(AT(x + 1, y)) - (int32_t)lrint(AT(x - 1, y)),
                                   (int32_t)lrint(AT(x, y + 1)) - (int32_t)lrint(AT(x, y - 1)),
                                   endo_align_coordinate(x, N, N), endo_align_coordinate(y, M, N), (int32_t)lrint(AT(x, y)),
                                   (int32_t)lrint(0.8 * AT(px, py) + 30), numbers);
                endo_align_add(&sums, numbers);
            }
        endo_align_moments moments = endo_align_moments_of(&sums);
        CHECK(sums.n == (N - 2) * (M - 2) && endo_align_ncc(&moments) > 0.99);
        CHECK(endo_align_find(&moments, ENDO_TRANSFORM_SIMILARITY, &step));
        CHECK_NEAR(step.x, m[0], 0.02);
        CHECK_NEAR(step.y, m[1], 0.02);
        CHECK_NEAR(step.growth, m[2], 0.02);
        CHECK_NEAR(step.turn, m[3], 0.02);
        if (k == 0) CHECK(endo_align_find(&moments, ENDO_TRANSFORM_TRANSLATION, &step) && fabs(step.x - m[0]) < 0.02 && step.turn == 0);
    }
    endo_align_moments none = {40, {0}};
    endo_align_step step;
    CHECK(!endo_align_find(&none, ENDO_TRANSFORM_SIMILARITY, &step) && isnan(endo_align_ncc(&none)));
    none.n = 100;
    CHECK(!endo_align_find(&none, ENDO_TRANSFORM_TRANSLATION, &step) && isnan(endo_align_ncc(&none)));
    CHECK(endo_align_spread(&none) == 0);
}

/* A step of the map is the motion of the reference's pixels, at every level. */
static void test_map(void) {
    endo_fourier_map map = {0.9, 0.2, 11, -5};
    endo_align_step step = {0.7, -0.4, 1.5, -2};
    for (int level = 0; level < 4; level++) {
        int width = 60, height = 44;
        endo_fourier_map moved = map;
        endo_fixed_affine fixed = {{0}};
        endo_align_apply(&moved, &step, ENDO_TRANSFORM_SIMILARITY, level, width, height);
        for (int i = 0; i < 4; i++) {
            double x = i & 1 ? 59 : 0, y = i & 2 ? 43 : 0, u = (2 * x - 59) / 60, v = (2 * y - 43) / 60;
            double px = endo_fourier_up(x, level), py = endo_fourier_up(y, level);
            double qx = endo_fourier_up(x + 0.7 + 1.5 * u + 2 * v, level), qy = endo_fourier_up(y - 0.4 - 2 * u + 1.5 * v, level);
            CHECK_NEAR(moved.a * px - moved.b * py + moved.tx, map.a * qx - map.b * qy + map.tx, 1e-9);
            CHECK_NEAR(moved.b * px + moved.a * py + moved.ty, map.b * qx + map.a * qy + map.ty, 1e-9);
        }
        CHECK(endo_align_map(&map, level, 1, &fixed));
        double px = endo_fourier_up(13, level), py = endo_fourier_up(9, level);
        double x = (double)(fixed.m[0] * 13 + fixed.m[1] * 9 + fixed.m[2]) / 4294967296.0;
        CHECK_NEAR(endo_fourier_up(x, 1), 0.9 * px - 0.2 * py + 11, 1e-6);
    }
    endo_fourier_map wild = {1e9, 0, 0, 0};
    endo_fixed_affine fixed;
    CHECK(!endo_align_map(&wild, 0, 0, &fixed));
    CHECK_NEAR(endo_align_coordinate(0, 101, 101), -253, 0);
    CHECK(endo_align_coordinate(50, 101, 101) == 0 && endo_align_index(0, 5) == 5 && endo_align_index(5, 5) == 20);
}

/* Moments of two images with a correlation. */
static endo_align_moments moments_with(double ncc) {
    endo_align_moments m = {100, {0}};
    m.of[endo_align_index(4, 4)] = m.of[endo_align_index(5, 5)] = 4;
    m.of[endo_align_index(4, 5)] = 4 * ncc;
    return m;
}

/* The map is measured at the last level, and where it is asked for once more at the first ones. */
static void test_again(void) {
    for (int again = 0; again < 2; again++) {
        endo_align_request q = {{0, 1, 64, 64, 64, 64}, 2, 1, 5, 0, 8, again, {1, 0, 0, 0}};
        endo_align_search search;
        endo_fixed_affine map;
        endo_align_begin(&search, &q, ENDO_TRANSFORM_SIMILARITY);
        endo_align_moments last = moments_with(0.5), first = moments_with(0.25);
        CHECK(endo_align_asks(&search, &map) && search.reference_level == 1 && search.current_level == 0);
        endo_align_take_moments(&search, &last);
        CHECK(endo_align_asks(&search, &map) == again);
        if (again) {
            CHECK(search.reference_level == 2 && search.current_level == 1);
            endo_align_take_moments(&search, &first);
            CHECK(!endo_align_asks(&search, &map));
        }
        CHECK(search.result.ncc == 0.5 && search.result.reference_level == 1);
        CHECK(again ? search.result.first_ncc == 0.25 : isnan(search.result.first_ncc));
    }
}

int main(void) {
    test_levels();
    test_tiles();
    test_values();
    test_turns();
    test_peaks();
    test_step();
    test_map();
    test_again();
    return check_summary("test_rules_fourier");
}
