/* Thresholds and candidates of the alignment of exposures against docs/algorithms/exposures.md, steps 1 to 4: from lists of
 * pixels, every edge tried and every pixel counted. */
#include "rules/exposure_coefficients.h"
#include "rules/exposure_thresholds.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define MOST 6000

typedef struct pixels {
    int n;
    uint8_t v[MOST];
} pixels;

static pixels images[2];
static const endo_exposure_slice all = {0, 255};

static endo_exposure_levels levels_of(const pixels *p) {
    endo_exposure_levels l = {{0}};
    for (int i = 0; i < p->n; i++)
        for (int v = p->v[i] + 1; v <= 256; v++) l.below[v]++;
    return l;
}

static int count(const pixels *p, int from, int to) { /* from <= value <= to */
    int n = 0;
    for (int i = 0; i < p->n; i++) n += p->v[i] >= from && p->v[i] <= to;
    return n;
}

/* Fills an image of one of several kinds: even, dark, with clipped ends, in few levels. */
static void fill(test_random *r, pixels *p, int n, int kind) {
    p->n = n;
    for (int i = 0; i < n; i++) {
        double u = test_unit(r);
        double v = kind == 0 ? u : kind == 1 ? 0.3 * u * u : kind == 2 ? 1.6 * u - 0.3 : floor(6 * u) / 9;
        p->v[i] = (uint8_t)(v < 0 ? 0 : v > 1 ? 255 : 255 * v);
    }
}

/* -------------------------------------------------------------- thresholds */

/* Rows that count: all of less than twice as many, else every so many-th, at least so many. */
static void test_rows(void) {
    CHECK(endo_exposure_row_step(59, 30) == 1 && endo_exposure_row_step(60, 30) == 2);
    CHECK(endo_exposure_row_step(480, 30) == 16 && endo_exposure_row_step(1080, 480) == 2);
    CHECK(ENDO_EXPOSURE_LEVEL_ROWS == 30 && ENDO_EXPOSURE_ROUGH_ROWS == 60 && ENDO_EXPOSURE_EXACT_ROWS == 480);
}

/* The tolerance is narrowed, to one level at least, while more than a sixteenth of the pixels are ignored. */
static void expect_threshold(const pixels *p, const endo_exposure_threshold *t, int level, int tolerance) {
    while (tolerance > 1 && 16 * count(p, level - tolerance + 1, level + tolerance) > p->n) tolerance--;
    CHECK(t->level == level && t->tolerance == tolerance);
    CHECK(t->black == count(p, 0, level - tolerance));
    CHECK(t->white == count(p, level + tolerance + 1, 255));
    CHECK(t->above == count(p, level + 1, 255));
}

static void test_threshold_at(void) {
    test_random r = {1};
    for (int i = 0; i < 80; i++) {
        fill(&r, &images[0], test_between(&r, 40, 3000), i % 4);
        endo_exposure_levels l = levels_of(&images[0]);
        int level = test_between(&r, 0, 254), tolerance = i % 5 ? test_between(&r, 0, 12) : 127;
        endo_exposure_threshold t = endo_exposure_threshold_at(&l, all, level, tolerance);
        expect_threshold(&images[0], &t, level, tolerance);
    }
}

/* Edges: step - 1, 2 step - 1, .. below the last bin. */
static int edges(int step) { return 256 / step - 1; }

static void test_median(void) {
    test_random r = {2};
    CHECK(endo_exposure_step(64) == 4 && endo_exposure_step(256) == 1);
    for (int i = 0; i < 60; i++) {
        int step = i % 2 ? 4 : 1, e = 0;
        fill(&r, &images[0], test_between(&r, 20, 2000), i % 4);
        endo_exposure_levels l = levels_of(&images[0]);
        while (e < edges(step) - 1 && 2 * count(&images[0], 0, (e + 1) * step - 1) < images[0].n) e++;
        CHECK(endo_exposure_median(&l, step) == (e + 1) * step - 1);
    }
}

static int nearest_edge(const pixels *p, int step, int wanted) {
    int best = 0;
    for (int e = 1; e < edges(step); e++)
        if (abs(count(p, 0, (e + 1) * step - 1) - wanted) < abs(count(p, 0, (best + 1) * step - 1) - wanted)) best = e;
    return (best + 1) * step - 1;
}

static void test_rank(void) {
    test_random r = {3};
    for (int i = 0; i < 120; i++) {
        int step = i % 2 ? 4 : 1;
        fill(&r, &images[0], test_between(&r, 20, 900), i % 4);
        endo_exposure_levels l = levels_of(&images[0]);
        int wanted = test_between(&r, 0, images[0].n);
        CHECK(endo_exposure_rank(&l, step, wanted) == nearest_edge(&images[0], step, wanted));
        endo_exposure_threshold t = endo_exposure_match(&l, wanted, all, 4);
        expect_threshold(&images[0], &t, nearest_edge(&images[0], 1, wanted), 4);
    }
}

static int least(int a, int b) { return a < b ? a : b; }

/* min(black, black') min(white, white') - n |above - above'| - n^2 / 16 for each threshold within 12 of black or
 * white. */
static int64_t value_of(int r, int c, const endo_exposure_choice *made) {
    int64_t n = images[0].n;
    int black = least(count(&images[0], 0, r - made->reference.tolerance), count(&images[1], 0, c - made->current.tolerance));
    int white = least(count(&images[0], r + made->reference.tolerance + 1, 255),
                      count(&images[1], c + made->current.tolerance + 1, 255));
    int apart = abs(count(&images[0], r + 1, 255) - count(&images[1], c + 1, 255));
    int clipped = (r < 12 || r > 243) + (c < 12 || c > 243);
    return (int64_t)black * white - apart * n - clipped * n * n / 16;
}

/* Every edge of either image with its partner; the first of the best is taken. */
static void test_choices(int step) {
    test_random r = {4};
    for (int i = 0; i < 8; i++) {
        fill(&r, &images[0], 1600, i % 4);
        fill(&r, &images[1], 1600, (i + i / 4) % 4);
        endo_exposure_levels a = levels_of(&images[0]), b = levels_of(&images[1]);
        endo_exposure_options p = {64, 4, 256 / step, ENDO_PERCENTILE_ADAPTIVE, 0};
        endo_exposure_observation look = endo_exposure_first_observation(&p);
        int64_t best = INT64_MIN;
        int best_r = 0, best_c = 0;
        CHECK(endo_exposure_choices(step) == 2 * edges(step));
        for (int k = 0; k < 2 * edges(step); k++) {
            int of_current = k >= edges(step), level = (k % edges(step) + 1) * step - 1;
            int partner = nearest_edge(&images[!of_current], step, count(&images[of_current], 0, level));
            int at_r = of_current ? partner : level, at_c = of_current ? level : partner;
            endo_exposure_choice made = endo_exposure_choose(&a, &b, &look, k);
            expect_threshold(&images[0], &made.reference, at_r, 4);
            expect_threshold(&images[1], &made.current, at_c, 4);
            CHECK(made.value == value_of(at_r, at_c, &made));
            if (made.value > best) best = made.value, best_r = at_r, best_c = at_c;
        }
        endo_exposure_choice taken = endo_exposure_thresholds(&a, &b, &look);
        CHECK(taken.value == best && taken.reference.level == best_r && taken.current.level == best_c);
        p.percentile = ENDO_PERCENTILE_MEDIAN;
        look = endo_exposure_first_observation(&p);
        taken = endo_exposure_thresholds(&a, &b, &look);
        expect_threshold(&images[0], &taken.reference, endo_exposure_median(&a, step), 4);
        expect_threshold(&images[1], &taken.current, endo_exposure_median(&b, step), 4);
    }
}

/* Fewer black or white than 1/64 of all, or than 16. */
static void test_content(void) {
    endo_exposure_threshold t = {.pixels = 1000, .black = 16, .white = 500};
    CHECK(endo_exposure_has_content(&t));
    t.pixels = 1024;
    CHECK(endo_exposure_has_content(&t));
    t.pixels = 1025;
    CHECK(!endo_exposure_has_content(&t));
    t.pixels = 600, t.black = 500, t.white = 15;
    CHECK(!endo_exposure_has_content(&t));
}

/* ------------------------------------------------------------ coefficients */

static void test_reach(void) {
    CHECK(endo_exposure_reach(64, 640) == 64 && endo_exposure_reach(64, 129) == 64 && endo_exposure_reach(64, 100) == 50);
}

/* count - field * all / all_field, rounded: |2 all_field (count - excess) - 2 field all| <= all_field. Where all is
 * field it is one number for every row. */
static void test_excess(void) {
    test_random r = {5};
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        int64_t field = test_between(&r, 0, 700), all_field = test_between(&r, 700, 400000), all = test_between(&r, 0, (int)all_field);
        int64_t taken = 300 - endo_exposure_excess(300, (int)field, all, all_field);
        wrong += llabs(2 * (taken * all_field - field * all)) > all_field;
    }
    CHECK(wrong == 0);
    CHECK(endo_exposure_excess(300, 0, 0, 0) == 0);
    CHECK(endo_exposure_excess(10, 1, 1, 2) == 9); /* a half goes up */
}

static void test_mean(void) {
    endo_sums alike = {2, 3, 3, 5, 5, 5}, opposite = {2, 3, 3, 5, 5, 4}, flat = {2, 2, 2, 2, 2, 2};
    CHECK(endo_exposure_coefficient(&alike, &alike) == 1 && endo_exposure_coefficient(&alike, &opposite) == 0);
    CHECK(endo_exposure_coefficient(&flat, &alike) == 1 && endo_exposure_coefficient(&opposite, &flat) == -1);
    CHECK(isnan(endo_exposure_coefficient(&flat, &flat)));
}

/* All local maxima, those of greater coefficients first, then smaller shifts, then negative ones; the first four. */
static int peaks_by_sorting(const double *c, int reach, int *out) {
    int n = 0, taken[129] = {0};
    while (n < 4) {
        int best = -1000;
        for (int s = -reach; s <= reach; s++) {
            double here = c[s + reach];
            if (isnan(here) || taken[s + reach] || (s > -reach && c[s - 1 + reach] > here) ||
                (s < reach && c[s + 1 + reach] > here))
                continue;
            double there = best == -1000 ? -9 : c[best + reach];
            if (here > there || (here == there && (abs(s) < abs(best) || (abs(s) == abs(best) && s < best)))) best = s;
        }
        if (best == -1000) break;
        taken[best + reach] = 1;
        out[n++] = best;
    }
    if (n == 0) out[n++] = 0;
    return n;
}

static void test_peaks(void) {
    test_random r = {6};
    for (int i = 0; i < 400; i++) {
        double c[129];
        int reach = test_between(&r, 1, 64), expected[4], levels = i % 2 ? 4 : 1000000;
        int32_t peaks[4];
        for (int k = 0; k <= 2 * reach; k++) {
            c[k] = floor(levels * (2 * test_unit(&r) - 1)) / levels;
            if (i % 3 == 0 && test_between(&r, 0, 3) == 0) c[k] = NAN;
            if (i % 50 == 49) c[k] = NAN;
        }
        int n = peaks_by_sorting(c, reach, expected);
        CHECK(endo_exposure_peaks(c, reach, peaks) == n);
        for (int k = 0; k < n; k++) CHECK(peaks[k] == expected[k]);
    }
}

int main(void) {
    test_rows();
    test_threshold_at();
    test_median();
    test_rank();
    test_choices(4);
    test_choices(1);
    test_content();
    test_reach();
    test_excess();
    test_mean();
    test_peaks();
    return check_summary("test_rules_exposure_choice");
}
