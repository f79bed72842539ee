/* The rules of a step, number by number (rules/patch_step.h), against what the processor does with several at a time
 * (systems/pairs/patch_fit.h, patch_grid.h): the same bits. */
#include "systems/pairs/patch_grid.h"

#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 150
#define SIDE 16

/* Sums over pixels of a patch whose gradients explain what is seen but for noise; some have nothing, or few pixels. */
static endo_patch_sums random_sums(test_random *r) {
    endo_patch_sums s = {0, {0}, {0}};
    int noise = test_between(r, 1, 60), relief = test_between(r, 0, 4) ? 90 : 0, part = test_between(r, 0, 9) ? 0 : 3;
    double gain = 0.5 + test_unit(r), dx = test_unit(r) - 0.5, dy = test_unit(r) - 0.5;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            int32_t gx = test_between(r, -relief, relief), gy = test_between(r, -relief, relief);
            int32_t here = 3 * i - 2 * j + test_between(r, -relief, relief);
            int32_t there = (int32_t)(gain * (here - (gx * dx + gy * dy) / 2)) + test_between(r, -noise, noise);
            const int32_t numbers[] = {gx, gy, here, there, endo_patch_off_middle(i, SIDE), endo_patch_off_middle(j, SIDE)};
            if (!part || test_between(r, 0, part) == 0) endo_patch_add(&s, numbers);
        }
    return s;
}

static int same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *values, int n) {
    double sorted[MOST];
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return sorted[n / 2];
}

static void fill(double *c, const endo_patch *p, int n) {
    for (int i = 0; i < n; i++) {
        const double v[ENDO_STEP_COLUMNS] = {p[i].x, p[i].y, p[i].dx, p[i].dy, p[i].xx, p[i].xy, p[i].yy, p[i].noise, 0};
        for (int k = 0; k < ENDO_STEP_COLUMNS; k++) c[k * MOST + i] = v[k];
    }
}

static void add(const double *c, int n, double moments[ENDO_STEP_MOMENTS]) {
    for (int k = 0; k < ENDO_STEP_MOMENTS; k++) {
        double lanes[ENDO_STEP_LANES] = {0};
        for (int i = 0; i < n; i++) lanes[i % ENDO_STEP_LANES] += endo_step_term(c, MOST, i, k);
        moments[k] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
}

/* Fits in which patches were trusted less. */
static int relieved;

static int allow_relief(double *c, int n, endo_patch_motion *m) {
    double relief[MOST];
    for (int i = 0; i < n; i++) relief[i] = endo_step_relief(c, MOST, i, m->motion);
    double middle = median_of(relief, n);
    for (int i = 0; i < n && middle > 0; i++) endo_step_trust_less(c, MOST, i, ENDO_STEP_RELIEF_SHARE * middle);
    m->relief = middle > 0 ? middle : 0;
    return middle > 0;
}

/* Fits a pair by the rules of a step, in the order in which a device does. */
static int fit(const endo_patch *patches, int n, int kind, endo_patch_motion *m) {
    double c[ENDO_STEP_COLUMNS * MOST], moments[ENDO_STEP_MOMENTS], lower[ENDO_MOTION][ENDO_MOTION];
    double *weights = c + ENDO_STEP_WEIGHT * MOST;
    memset(m, 0, sizeof *m);
    m->scale = 1;
    fill(c, patches, n);
    for (int round = 0; round < ENDO_STEP_ROUNDS; round++) {
        if (round == ENDO_STEP_RELIEF_ROUND && m->scale > ENDO_STEP_RELIEF_FROM) relieved += allow_relief(c, n, m);
        for (int i = 0; i < n && round; i++) weights[i] = endo_step_misfit(c, MOST, i, m->motion);
        if (round) m->scale = endo_step_scale(median_of(weights, n));
        for (int i = 0; i < n; i++) weights[i] = endo_step_weight(weights[i], ENDO_STEP_REACH * m->scale);
        add(c, n, moments);
        endo_step_take(moments, m);
        if (!endo_step_factor(m->normal, endo_step_numbers(kind), lower)) return 0;
        endo_step_solve(lower, endo_step_numbers(kind), m->right, m->motion);
    }
    m->share = m->share > ENDO_STEP_LEAST_SHARE * m->whole ? m->share / m->whole : ENDO_STEP_LEAST_SHARE;
    return 1;
}

static endo_step_setup setup_of(const endo_patch_grid *g) {
    endo_step_setup s = {g->level, g->side, (int32_t)g->n, 1, g->positions, {g->middle[0], g->middle[1]}, g->half};
    return s;
}

static void check_asking(const endo_patch_grid *g, test_random *r) {
    static const int none[2] = {0, 0};
    endo_step_setup setup = setup_of(g);
    endo_step_request q = {.reference = 3, .current = 5};
    endo_patch_request asked[MOST];
    const endo_pair pair = {3, 5};
    for (int k = 0; k < 6; k++) q.map[k] = (k % 4 == 0) + (test_unit(r) - 0.5) * (k % 3 == 2 ? 300 : 0.3);
    endo_patch_grid_ask(g, &pair, q.map, none, asked);
    for (size_t i = 0; i < g->n; i++) {
        endo_patch_request made = endo_step_ask(&setup, &q, g->positions + 2 * i);
        CHECK(same(&made, &asked[i], sizeof made));
    }
}

static int measure(const endo_patch_grid *g, const endo_patch_sums *sums, endo_patch *out) {
    endo_step_setup setup = setup_of(g);
    int n = 0;
    for (size_t i = 0; i < g->n; i++) {
        out[n].weight = 1;
        n += endo_step_patch(&setup, &sums[i], g->positions + 2 * i, &out[n]);
    }
    return n;
}

static void check_fits(endo_patch *patches, int n) {
    double room[ENDO_PATCH_FIT_WORKSPACE(MOST)];
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++) {
        endo_patch_motion one, other;
        memset(&other, 0, sizeof other);
        int fitted = fit(patches, n, kind, &one);
        CHECK(endo_patch_fit(ENDO_CPU_BEST, patches, (size_t)n, (endo_transform_class)kind, room, &other) == fitted);
        CHECK(!fitted || same(&one, &other, sizeof one));
        CHECK(endo_step_numbers(kind) == endo_motion_numbers((endo_transform_class)kind));
    }
}

static void check_grid(int level, int n, uint64_t seed) {
    test_random r = {seed};
    int32_t places[2 * MOST];
    endo_patch_sums sums[MOST];
    endo_patch one[MOST], other[MOST];
    endo_patch_grid g = {.level = level, .side = SIDE, .n = (size_t)n, .positions = places, .width = 720, .height = 577,
                         .middle = {359.5, 288}, .half = 360};
    for (int i = 0; i < n; i++) {
        places[2 * i] = test_between(&r, 0, (720 >> level) - SIDE), places[2 * i + 1] = test_between(&r, 0, (577 >> level) - SIDE);
        sums[i] = random_sums(&r);
    }
    check_asking(&g, &r);
    int known = measure(&g, sums, one);
    CHECK(endo_patch_grid_measure(&g, sums, other) == (size_t)known && known > n / 4 && known < n);
    CHECK(same(one, other, (size_t)known * sizeof *one));
    check_fits(other, known);
}

/* Many factors leave the range of a number; the logarithm does not. */
static void check_scores(void) {
    endo_score s = endo_score_begin();
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
        double coefficient = i % 7 ? 0.999 : i % 2 ? -0.3 : 0.4;
        endo_score_add(&s, coefficient);
        if (coefficient > 0) sum += log(1 - 0.999 * coefficient * coefficient);
    }
    CHECK(s.exponent < -10 && s.mantissa > 0);
    CHECK_NEAR(log(s.mantissa) + (double)s.exponent * ENDO_SCORE_BITS * log(2), sum, 1e-9 * -sum);
}

int main(void) {
    for (int i = 0; i < 40; i++) check_grid(i % ENDO_PATCH_LEVELS, i < 30 ? MOST - i : 12, (uint64_t)i + 1);
    check_scores();
    CHECK(relieved > 20);
    return check_summary("test_patch_step");
}
