/* The integers of mutual information against their definitions in floating point. */
#include "check.h"
#include "scene.h"

#include "rules/mutual.h"

#include <stdlib.h>
#include <string.h>

static void test_logarithm(void) {
    test_random r = {1};
    for (uint32_t n = 1; n < 5000; n++) CHECK_NEAR(endo_mutual_log2(n), log2(n), 1e-14);
    for (int i = 0; i < 5000; i++) {
        uint32_t n = test_next(&r) | 1;
        CHECK_NEAR(endo_mutual_log2(n), log2(n), 1e-14);
    }
    for (int k = 0; k < 32; k++) {
        CHECK(endo_mutual_log2(1u << k) == k);
        CHECK(endo_mutual_term(1u << k) == ((int64_t)k << k) * 1048576);
    }
    CHECK(endo_mutual_term(0) == 0 && endo_mutual_term(1) == 0);
    CHECK(endo_mutual_term(3) == (int64_t)(3 * log2(3) * 1048576 + 0.5));
}

/* ------------------------------------------------------------------- sums */

#define BINS 16

static endo_mutual_sums add_up(const uint32_t h[BINS][BINS]) {
    endo_mutual_sums s = {0, 0, 0, 0};
    for (int a = 0; a < BINS; a++) {
        uint32_t row = 0, column = 0;
        for (int b = 0; b < BINS; b++) row += h[a][b], column += h[b][a], s.joint += endo_mutual_term(h[a][b]);
        s.n += row, s.fixed += endo_mutual_term(row), s.moving += endo_mutual_term(column);
    }
    return s;
}

/* [B] equation 2 as it stands, and the entropies. */
static void by_definition(const uint32_t h[BINS][BINS], double *information, double *normalized) {
    double n = 0, rows[BINS] = {0}, columns[BINS] = {0}, first = 0, second = 0, both = 0;
    for (int a = 0; a < BINS; a++)
        for (int b = 0; b < BINS; b++) n += h[a][b], rows[a] += h[a][b], columns[b] += h[a][b];
    *information = 0;
    for (int a = 0; a < BINS; a++) {
        if (rows[a] > 0) first -= rows[a] / n * log2(rows[a] / n);
        if (columns[a] > 0) second -= columns[a] / n * log2(columns[a] / n);
        for (int b = 0; b < BINS; b++)
            if (h[a][b]) {
                double p = h[a][b] / n;
                *information += p * log2(p / (rows[a] / n * (columns[b] / n)));
                both -= p * log2(p);
            }
    }
    *normalized = both > 0 ? (first + second) / both : 1;
}

static void test_information(void) {
    uint32_t h[BINS][BINS];
    test_random r = {2};
    for (int i = 0; i < 300; i++) {
        double information, normalized;
        int most = 1 << test_between(&r, 0, 22);
        for (int a = 0; a < BINS; a++)
            for (int b = 0; b < BINS; b++) h[a][b] = test_between(&r, 0, 3) ? 0 : (uint32_t)test_between(&r, 0, most);
        h[3][4]++;
        endo_mutual_sums s = add_up(h);
        by_definition(h, &information, &normalized);
        /* 256 + 2 * 16 + 1 terms are off by half a unit each, of 2^-20 / n. */
        CHECK_NEAR(endo_mutual_information(&s), information, 145 / 1048576.0 / (double)s.n + 1e-12);
        if (s.n > 100) CHECK_NEAR(endo_mutual_normalized(&s), normalized, 1e-3);
        if (s.n > 100000) CHECK_NEAR(endo_mutual_normalized(&s), normalized, 1e-8);
    }
}

static void test_known_histograms(void) {
    uint32_t h[BINS][BINS];
    memset(h, 0, sizeof h);
    endo_mutual_sums s = add_up(h);
    CHECK(endo_mutual_information(&s) == 0 && endo_mutual_normalized(&s) == 1);
    for (int a = 0; a < BINS; a++) h[a][BINS - 1 - a] = 5; /* one tells the other: 4 bits */
    s = add_up(h);
    CHECK_NEAR(endo_mutual_information(&s), 4, 1e-5);
    CHECK_NEAR(endo_mutual_normalized(&s), 2, 1e-5);
    for (int a = 0; a < BINS; a++)
        for (int b = 0; b < BINS; b++) h[a][b] = (uint32_t)((a + 1) * (3 * b + 1)); /* independent */
    s = add_up(h);
    CHECK_NEAR(endo_mutual_information(&s), 0, 1e-7);
    CHECK_NEAR(endo_mutual_normalized(&s), 1, 1e-7);
}

/* -------------------------------------------------------------- positions */

static void test_positions(void) {
    test_random r = {3};
    for (int i = 0; i < 20000; i++) {
        double row[4];
        int64_t fixed[4];
        for (int k = 0; k < 4; k++) {
            row[k] = k == 3 ? 2000 * (test_unit(&r) - 0.5) : 3 * (test_unit(&r) - 0.5);
            fixed[k] = (int64_t)floor(row[k] * 4294967296.0 + 0.5);
        }
        int x = test_between(&r, 0, 900), y = test_between(&r, 0, 900), z = test_between(&r, 0, 200);
        int start = x / ENDO_MUTUAL_RUN * ENDO_MUTUAL_RUN;
        int32_t at = endo_mutual_run_start(fixed, start, y, z) + (x - start) * endo_mutual_step(fixed[0]);
        double truth = row[0] * x + row[1] * y + row[2] * z + row[3];
        CHECK_NEAR(at / 65536.0, truth, 1 / 2048.0 + 1 / 32768.0); /* the file's head says why */
    }
}

/* A position beyond 32 bits stays outside to the end of its run. */
static void test_far_positions(void) {
    const int64_t voxel = (int64_t)1 << 32;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int step = -59; step <= 59; step += 118) {
            const int64_t row[4] = {step * voxel, 0, 59 * voxel, sign * 16000000 * voxel};
            for (int x = 0; x < 16384; x += 64)
                for (int k = 0; k < ENDO_MUTUAL_RUN; k++)
                    CHECK(!endo_mutual_is_inside(
                        endo_mutual_run_start(row, x, 0, 16383) + k * endo_mutual_step(row[0]), 16384));
        }
}

static void test_inside(void) {
    CHECK(endo_mutual_is_inside(-32768, 1) && !endo_mutual_is_inside(-32769, 1)); /* half a voxel before */
    CHECK(endo_mutual_is_inside(32767, 1) && !endo_mutual_is_inside(32768, 1));   /* and behind */
    CHECK(endo_mutual_is_inside(65536 * 9 + 32767, 10) && !endo_mutual_is_inside(65536 * 9 + 32768, 10));
    for (int nearest = 0; nearest < 2; nearest++)
        for (int side = 1; side < 20; side++)
            for (int32_t p = -32768; p < side * 65536 - 32768; p += 777) {
                endo_mutual_rounding round = endo_mutual_round(nearest);
                int32_t rounded = (p + round.half) & round.mask;
                CHECK(rounded >> 16 >= -1 && rounded >> 16 < side); /* a border of one voxel is enough */
                CHECK(abs(rounded - p) <= (nearest ? 32768 : 256));
                CHECK(!nearest || endo_mutual_fraction(rounded) == 0);
            }
}

/* ---------------------------------------------------------- interpolation */

static double trilinear(const double v[8], const int f[3]) {
    double x = f[0] / 128.0, y = f[1] / 128.0, z = f[2] / 128.0, sum = 0;
    for (int k = 0; k < 8; k++)
        sum += v[k] * (k & 1 ? x : 1 - x) * (k & 2 ? y : 1 - y) * (k & 4 ? z : 1 - z);
    return sum;
}

static void test_interpolation(void) {
    test_random r = {4};
    for (int i = 0; i < 50000; i++) {
        uint8_t level[8];
        uint16_t grey[8];
        double v[8], w[8];
        int f[3];
        for (int k = 0; k < 8; k++) {
            v[k] = level[k] = (uint8_t)(i % 3 ? test_next(&r) >> 24 : test_next(&r) & 1 << 20 ? 255 : 0);
            w[k] = grey[k] = (uint16_t)(test_next(&r) >> 16);
        }
        for (int k = 0; k < 3; k++) f[k] = test_between(&r, 0, 127);
        double is = endo_mutual_interpolate(level, f) / 16384.0, truth = trilinear(v, f);
        CHECK(is <= truth + 1e-12 && is > truth - 1 / 128.0 - 1e-12);
        CHECK_NEAR(endo_mutual_resample_grey(grey, f), trilinear(w, f), 0.5 + 1e-9);
    }
}

static void test_bins(void) {
    for (uint32_t bins = 16; bins <= 256; bins++)
        for (int level = 0; level < 256; level++) {
            const uint8_t same[8] = {(uint8_t)level, (uint8_t)level, (uint8_t)level, (uint8_t)level,
                                     (uint8_t)level, (uint8_t)level, (uint8_t)level, (uint8_t)level};
            const int f[3] = {level / 2, 127 - level / 2, 64};
            uint32_t bin = endo_mutual_moving_bin(endo_mutual_interpolate(same, f), 1 << 16, bins);
            CHECK(bin == (uint32_t)level * bins / 256);
            CHECK(endo_mutual_fixed_bin((uint16_t)(level << 8), bins) == bin);
            CHECK(endo_mutual_fixed_bin((uint16_t)(level << 8 | 255), bins) < bins);
        }
}

/* The bin of a value times a gain: of what 15 bits of each say; the last bin holds all that is too bright. */
static void test_gain(void) {
    test_random r = {4};
    for (int i = 0; i < 50000; i++) {
        uint32_t value = test_next(&r) >> 10, bins = 16 + (test_next(&r) >> 8) % 241;
        int32_t gain = test_between(&r, 0, ENDO_MUTUAL_MOST_GAIN);
        double grey = value / 4194304.0 * gain / 65536.0, bin = endo_mutual_moving_bin(value, gain, bins);
        CHECK(bin <= grey * bins && bin < bins);
        CHECK(bin > fmin(grey, 32767 / 32768.0) * bins - 1 - 4.0 * bins / 32768);
    }
    CHECK(endo_mutual_moving_bin(4194303, -70000, 64) == 0 && endo_mutual_moving_bin(4194303, 1 << 30, 64) == 63);
    CHECK(endo_mutual_moving_bin(1000000, 1 << 30, 256) == endo_mutual_moving_bin(1000000, ENDO_MUTUAL_MOST_GAIN, 256));
}

static void test_smoothing(void) {
    CHECK(endo_mutual_smooth(0, 65535, 0) == 45055 && endo_mutual_smooth(65535, 0, 0) == 10240);
    CHECK(endo_mutual_smooth(0, 0, 65535) == 10240 && endo_mutual_smooth(1, 1, 0) == 1 && endo_mutual_smooth(1, 0, 0) == 0);
    for (uint32_t v = 0; v < 65536; v += 255) CHECK(endo_mutual_smooth(v, v, v) == v);
}

static void test_quantize(void) {
    for (int v = 0; v < 256; v++) CHECK(endo_mutual_moving_level(endo_mutual_quantize(v, 0, 255)) == v);
    for (int v = 0; v < 65536; v += 5) CHECK(endo_mutual_quantize(v, 0, 65535) == v);
    CHECK(endo_mutual_quantize(99, 100, 300) == 0 && endo_mutual_quantize(100, 100, 300) == 0);
    CHECK(endo_mutual_quantize(300, 100, 300) == 65536 * 200 / 201 && endo_mutual_quantize(9999, 100, 300) == 65536 * 200 / 201);
    CHECK(endo_mutual_quantize(200, 100, 300) == 65536 * 100 / 201);
    CHECK(endo_mutual_quantize(7, 7, 7) == 0 && endo_mutual_quantize(8, 7, 7) == 0);
    CHECK(endo_mutual_mean(7, 2) == 4 && endo_mutual_mean(6, 4) == 2 && endo_mutual_mean(8 * 65535u, 8) == 65535);
}

int main(void) {
    test_logarithm();
    test_information();
    test_known_histograms();
    test_positions();
    test_far_positions();
    test_inside();
    test_interpolation();
    test_bins();
    test_gain();
    test_smoothing();
    test_quantize();
    return check_summary("test_rules_mutual");
}
