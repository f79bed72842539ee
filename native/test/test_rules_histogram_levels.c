/* The self-optimising histogram's levels against brute force, and its costs against sums over all cases. */
#include "check.h"
#include "scene.h"

#include "rules/histogram_levels.h"

#include <string.h>

/* [B] eq. 8 as a sum over the binomial distribution. */
static double collisions_by_sum(int n, double p) {
    double sum = 0;
    for (int k = 1; k <= n; k++) {
        double ways = 1;
        for (int i = 0; i < k; i++) ways = ways * (n - i) / (i + 1);
        sum += (k - 1) * ways * pow(p, k) * pow(1 - p, n - k);
    }
    return sum;
}

static void test_collisions(void) {
    for (int n = 1; n <= 32; n *= 2)
        for (double p = 0; p <= 1; p += 0.0625)
            CHECK_NEAR(endo_histogram_collisions(n, p), collisions_by_sum(n, p), 1e-12);
    CHECK(endo_histogram_power(0.5, 10) == 1.0 / 1024 && endo_histogram_power(3, 0) == 1);
}

static void test_costs(void) {
    endo_histogram_costs c = endo_histogram_published_costs(128);
    CHECK(c.capacity[1] == 8 && c.capacity[6] == 256);                    /* eq. 5: 2^(l+2) */
    CHECK(endo_histogram_bytes(&c, 0) == 0 && endo_histogram_bytes(&c, 1) == 1 && endo_histogram_bytes(&c, 6) == 32);
    CHECK_NEAR(endo_histogram_cost(&c, 100, 1000, 0), 100 + 1000 * collisions_by_sum(128, 0.1) / 128, 1e-6);
    CHECK_NEAR(endo_histogram_cost(&c, 100, 1000, 1), 100 / 8.0 + 1000 * collisions_by_sum(32, 0.1) / 32, 1e-9);
    CHECK_NEAR(endo_histogram_cost(&c, 100, 1000, 6), 100 / 256.0, 1e-9); /* one thread a cell: none meets another */
    CHECK(endo_histogram_cost(&c, 0, 0, 0) == 0 && endo_histogram_cost(&c, 0, 1000, 3) == 0);
    for (int l = 0; l < 6; l++) CHECK(endo_histogram_benefit(&c, 100, 1000, l) > 0);
    CHECK(endo_histogram_benefit(&c, 100, 1000, 6) < 0);
    double saved = endo_histogram_cost(&c, 100, 1000, 3) - endo_histogram_cost(&c, 100, 1000, 4);
    CHECK_NEAR(endo_histogram_benefit(&c, 100, 1000, 3), saved / 4, 1e-12); /* 4 bytes become 8 */
}

enum { BINS = 5 };

static double total(const endo_histogram_costs *c, const uint32_t *counts, const uint8_t *levels) {
    double all = 0, sum = 0;
    for (int i = 0; i < BINS; i++) all += counts[i];
    for (int i = 0; i < BINS; i++) sum += endo_histogram_cost(c, counts[i], all, levels[i]);
    return sum;
}

static int64_t bytes_of(const endo_histogram_costs *c, const uint8_t *levels) {
    int64_t bytes = 0;
    for (int i = 0; i < BINS; i++) bytes += endo_histogram_bytes(c, levels[i]);
    return bytes;
}

/* The least of all 7^BINS ways. */
static double best_total(const endo_histogram_costs *c, const uint32_t *counts, int64_t bytes) {
    double best = INFINITY;
    uint8_t levels[BINS];
    for (int way = 0; way < 16807; way++) {
        for (int i = 0, rest = way; i < BINS; i++, rest /= 7) levels[i] = (uint8_t)(rest % 7);
        if (bytes_of(c, levels) <= bytes) best = fmin(best, total(c, counts, levels));
    }
    return best;
}

/* The greedy rule step by step, as [B] tells it. */
static void levels_step_by_step(const endo_histogram_costs *c, const uint32_t *counts, int64_t bytes, uint8_t *levels) {
    double all = 0;
    int passed[BINS] = {0};
    for (int i = 0; i < BINS; i++) all += counts[i], levels[i] = 0;
    for (;;) {
        int best = -1;
        double most = 0;
        for (int i = 0; i < BINS; i++) {
            double benefit = endo_histogram_benefit(c, counts[i], all, levels[i]);
            if (!passed[i] && benefit > most) most = benefit, best = i;
        }
        if (best < 0) return;
        levels[best]++;
        if (bytes_of(c, levels) > bytes) levels[best]--, passed[best] = 1;
    }
}

static void test_levels(void) {
    test_random r = {5};
    double sum = 0;
    int n = 0;
    for (int i = 0; i < 60; i++) {
        endo_histogram_costs c = endo_histogram_published_costs(128);
        uint32_t counts[BINS];
        uint8_t levels[BINS], expected[BINS];
        endo_histogram_candidate heap[BINS];
        int64_t bytes = test_between(&r, 0, 100);
        for (int k = 0; k < BINS; k++) counts[k] = (uint32_t)test_between(&r, 0, 3) ? (uint32_t)test_between(&r, 0, 1 << (k + 4)) : 0;
        int64_t used = endo_histogram_levels(&c, counts, BINS, bytes, heap, levels);
        levels_step_by_step(&c, counts, bytes, expected);
        CHECK(memcmp(levels, expected, sizeof levels) == 0);
        CHECK(used == bytes_of(&c, levels) && used <= bytes);
        for (int k = 0; k < BINS; k++) CHECK(counts[k] || levels[k] == 0); /* nothing for what never comes */
        double best = best_total(&c, counts, bytes), ours = total(&c, counts, levels);
        CHECK(ours >= best - 1e-9);
        if (best > 0) sum += ours / best, n++;
    }
    printf("levels by greatest relative benefit cost %.3f of the least possible in the mean\n", sum / n);
    CHECK(sum / n < 1.25);
}

/* Room for all: every bin that counts has the highest level. A hot bin comes first. */
static void test_room(void) {
    endo_histogram_costs c = endo_histogram_published_costs(128);
    uint32_t counts[BINS] = {100, 0, 5000, 20, 300};
    uint8_t levels[BINS];
    endo_histogram_candidate heap[BINS];
    CHECK(endo_histogram_levels(&c, counts, BINS, 100000, heap, levels) == 4 * 32);
    for (int i = 0; i < BINS; i++) CHECK(levels[i] == (i == 1 ? 0 : 6));
    CHECK(endo_histogram_levels(&c, counts, BINS, 1, heap, levels) == 1 && levels[2] == 1);
    CHECK(endo_histogram_levels(&c, counts, BINS, 0, heap, levels) == 0 && levels[2] == 0);
}

int main(void) {
    test_collisions();
    test_costs();
    test_levels();
    test_room();
    return check_summary("test_rules_histogram_levels");
}
