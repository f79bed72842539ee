/* From motion vectors to a transform ([S] section 2.5, steps 3 to 8; docs/algorithms/pairs.md) by vectors whose answer is
 * known: exact maps among a few liars, and numbers counted by hand. */
#include "systems/pairs/pair_deviation.h"
#include "systems/pairs/pairs.h"

#include "check.h"
#include "scene.h"

#include <string.h>

#define MOST 64

static const int size[2] = {320, 240};

typedef struct vectors {
    size_t n;
    double from[2 * MOST];
    endo_search_result found[MOST];
    endo_pairs_options options;
} vectors;

static void take(const double m[6], const double *from, endo_search_result *to) {
    to->x = m[0] * from[0] + m[1] * from[1] + m[2];
    to->y = m[3] * from[0] + m[4] * from[1] + m[5];
}

/* n places on a grid of 8, all of them found exactly where the map (reference -> current) takes them. */
static vectors exact(const double m[6], size_t n) {
    vectors v = {.n = n, .options = endo_pairs_options_default()};
    for (size_t i = 0; i < n; i++) {
        v.from[2 * i] = 40.0 * (double)(i % 8), v.from[2 * i + 1] = 30.0 * (double)(i / 8);
        v.found[i] = (endo_search_result){0, 0, 0.9, ENDO_LANDMARK_FOUND, 20, 7};
        take(m, v.from + 2 * i, &v.found[i]);
    }
    return v;
}

static endo_pair_result fit(const vectors *v) {
    endo_pair_result r;
    memset(&r, 0x5a, sizeof r);
    r.flow_pixels = 0;
    CHECK(endo_mosaic_fit(v->from, v->found, v->n, &v->options, size, &r, NULL, NULL) == ENDO_OK);
    return r;
}

/* The result leads back. */
static void expect_map(const endo_pair_result *r, const double m[6], double tolerance) {
    const double *back = r->transform.matrix;
    for (int i = 0; i < 4; i++) {
        double from[2] = {i & 1 ? 300 : 0, i & 2 ? 220 : 0};
        endo_search_result to;
        take(m, from, &to);
        CHECK_NEAR(back[0] * to.x + back[1] * to.y + back[2], from[0], tolerance);
        CHECK_NEAR(back[3] * to.x + back[4] * to.y + back[5], from[1], tolerance);
    }
}

static void expect_identity(const endo_pair_result *r) {
    const endo_transform identity = endo_transform_identity();
    CHECK(!memcmp(&r->transform, &identity, sizeof identity));
}

static const double gentle[6] = {1.02, -0.03, 11, 0.025, 0.99, -6}, shift[6] = {1, 0, -4.5, 0, 1, 8.25};

static void test_exact(void) {
    vectors v = exact(gentle, 64);
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.landmarks == 64 && r.found == 64 && r.used == 64);
    CHECK(r.computed == 64 * 20 && r.reused == 64 * 7 && isnan(r.quality));
    CHECK_NEAR(r.mean_coefficient, 0.9, 1e-12);
    expect_map(&r, gentle, 1e-9);
    v = exact(shift, 64);
    v.options.transform = ENDO_TRANSFORM_TRANSLATION;
    r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.transform.kind == ENDO_TRANSFORM_TRANSLATION);
    CHECK(endo_transform_check(&r.transform) == ENDO_OK);
    expect_map(&r, shift, 1e-9);
}

/* Step 3: what is below cthresh is not looked at, however wrong it is; what reaches it is. */
static void test_threshold(void) {
    vectors v = exact(gentle, 64);
    v.options.cthresh = 0.7;
    for (int i = 0; i < 64; i += 3) v.found[i].coefficient = 0.6999, v.found[i].x += 2; /* 22 of them, within uthresh */
    v.found[1].coefficient = 0.7;
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.found == 42 && r.used == 42 && r.landmarks == 64);
    CHECK_NEAR(r.mean_coefficient, (41 * 0.9 + 0.7) / 42, 1e-12);
    expect_map(&r, gentle, 1e-9);
}

/* Step 4: 6 of 64 reach cthresh, a fraction of 0.3 of 64 is guaranteed: the best of the others are added up to 20. */
static void test_guarantee(void) {
    vectors v = exact(gentle, 64);
    double sum = 6 * 0.9;
    int others = 0;
    v.options.guarantee = 0.3;
    for (int i = 0; i < 64; i++) {
        if (i % 11 == 0) continue;
        v.found[i].coefficient = 0.84 - 0.004 * others;
        if (others < 14)
            sum += v.found[i].coefficient;
        else
            v.found[i].x += 40; /* the rest is wrong, and never seen */
        others++;
    }
    endo_pair_result r = fit(&v);
    CHECK(r.found == 6 && r.used == 20 && r.status == ENDO_PAIR_FEW_LANDMARKS);
    CHECK_NEAR(r.mean_coefficient, sum / 20, 1e-12);
    expect_map(&r, gentle, 1e-9);
    v.options.guarantee = 0; /* three at least; six are enough */
    r = fit(&v);
    CHECK(r.found == 6 && r.used == 6 && r.status == ENDO_PAIR_OK);
}

/* Without a guarantee three are, since fewer fit anything. */
static void test_three(void) {
    vectors v = exact(gentle, 64);
    v.options.guarantee = 0;
    for (int i = 0; i < 64; i++) v.found[i].coefficient = i == 9 ? 0.95 : i == 30 ? 0.9 : 0.84 - 0.001 * i;
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_FEW_LANDMARKS && r.found == 2 && r.used == 3);
    CHECK_NEAR(r.mean_coefficient, (0.95 + 0.9 + 0.84) / 3, 1e-12);
}

/* Steps 6 and 7: vectors far from the fit go, but never below the guarantee. */
static void test_selection(void) {
    vectors v = exact(gentle, 64);
    for (int i = 3; i < 64; i += 13) v.found[i].x += 30, v.found[i].y -= 30; /* five */
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.found == 64 && r.used == 59);
    expect_map(&r, gentle, 1e-9);
    v.options.guarantee = 62 / 64.0; /* three liars must stay */
    r = fit(&v);
    CHECK(r.used == 62 && r.status == ENDO_PAIR_FEW_LANDMARKS);
    v = exact(shift, 64); /* errors of 1 px, to and fro, are within 2.5 px; those of 3 px are not */
    for (int i = 0; i < 64; i++) v.found[i].x += i % 2 ? 1 : -1;
    v.found[20].y += 3, v.found[27].y -= 3;
    r = fit(&v);
    CHECK(r.used == 62 && r.status == ENDO_PAIR_OK);
    v.options.uthresh = 3.5;
    r = fit(&v);
    CHECK(r.used == 64);
}

/* Liars on one side bend the first fit so far that it pushes true vectors out; the rounds bring them back. */
static void test_rounds(void) {
    int rounds_matter = 0;
    for (int k = 6; k <= 14; k++) {
        vectors v = exact(gentle, 64);
        int first = 0;
        endo_transform first_fit;
        int solved = 0;
        double to[2 * MOST];
        for (int i = 0; i < k; i++) v.found[63 - i].x += 14, v.found[63 - i].y += 9;
        for (int i = 0; i < 64; i++) to[2 * i] = v.found[i].x, to[2 * i + 1] = v.found[i].y;
        CHECK(endo_transform_fit(v.from, to, NULL, 64, ENDO_TRANSFORM_AFFINE, &first_fit, &solved) == ENDO_OK && solved);
        for (int i = 0; i < 64; i++) {
            endo_search_result e;
            take(first_fit.matrix, v.from + 2 * i, &e);
            first += hypot(e.x - to[2 * i], e.y - to[2 * i + 1]) <= 2.5;
        }
        endo_pair_result r = fit(&v);
        CHECK(r.status == ENDO_PAIR_OK && r.used == 64 - k);
        expect_map(&r, gentle, 1e-9);
        rounds_matter += first < 64 - k;
    }
    CHECK(rounds_matter >= 5);
}

/* Neither more than twice nor less than half the area, and little turn and shear: 0.5. */
static void test_plausible(void) {
    static const struct {
        double m[6];
        int plausible;
    } maps[] = {
        {{1.41, 0, 0, 0, 1.41, 0}, 1},      {{1.42, 0, 0, 0, 1.42, 0}, 0},     {{0.71, 0, 9, 0, 0.71, 0}, 1},
        {{0.70, 0, 9, 0, 0.70, 0}, 0},      {{1.24, 0, 0, 0, 0.75, 0}, 1},     {{1.26, 0, 0, 0, 0.75, 0}, 0},
        {{1, 0.49, 0, 0, 1, 0}, 1},         {{1, 0.51, 0, 0, 1, 0}, 0},        {{1, 0, 0, -0.51, 1, 0}, 0},
        {{0.94, -0.34, 0, 0.34, 0.94, 0}, 1}, {{-1, 0, 300, 0, -1, 200}, 1},   {{-1, 0, 300, 0, 1, 0}, 0},
        {{1.2, 0.15, 0, 0.12, 0.98, 0}, 1}, {{1.2, 0.15, 0, 0.16, 0.98, 0}, 0},
    };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        vectors v = exact(maps[i].m, 64);
        endo_pair_result r = fit(&v);
        CHECK(r.status == (maps[i].plausible ? ENDO_PAIR_OK : ENDO_PAIR_JUMP));
        if (maps[i].plausible)
            expect_map(&r, maps[i].m, 1e-8);
        else
            expect_identity(&r);
        CHECK(r.used == 64);
    }
}

/* Below the guarantee a mean coefficient under 0.5 agrees on nothing. */
static void test_mean(void) {
    for (int low = 0; low < 2; low++) {
        vectors v = exact(gentle, 64);
        for (int i = 0; i < 64; i++) v.found[i].coefficient = low ? 0.49 : 0.51;
        endo_pair_result r = fit(&v);
        CHECK(r.status == (low ? ENDO_PAIR_JUMP : ENDO_PAIR_FEW_LANDMARKS) && r.found == 0 && r.used == 13);
        if (low)
            expect_identity(&r);
        else
            expect_map(&r, gentle, 1e-9);
    }
    vectors v = exact(gentle, 64); /* enough of them reach cthresh: no word about the mean */
    v.options.cthresh = 0.3;
    for (int i = 0; i < 64; i++) v.found[i].coefficient = 0.4;
    CHECK(fit(&v).status == ENDO_PAIR_OK);
}

/* Landmarks without texture are none; those that were not found are landmarks still. */
static void test_states(void) {
    vectors v = exact(gentle, 64);
    for (int i = 0; i < 64; i++) {
        if (i % 4 == 1) v.found[i].state = ENDO_LANDMARK_NO_TEXTURE;
        if (i % 4 == 2) v.found[i].state = i % 8 == 2 ? ENDO_LANDMARK_OUTSIDE : ENDO_LANDMARK_UNSETTLED;
        if (i % 4 == 1 || i % 4 == 2) v.found[i].x = 1e6, v.found[i].coefficient = NAN;
    }
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.landmarks == 48 && r.found == 32 && r.used == 32);
    CHECK(r.computed == 64 * 20 && r.reused == 64 * 7);
    v.options.guarantee = 0.68; /* 32.64 of 48: 33 */
    CHECK(fit(&v).status == ENDO_PAIR_FEW_LANDMARKS);
    v.options.guarantee = 0.66; /* 31.68 */
    CHECK(fit(&v).status == ENDO_PAIR_OK);
    for (int i = 0; i < 64; i++) v.found[i].state = i < 2 ? ENDO_LANDMARK_FOUND : ENDO_LANDMARK_NO_TEXTURE;
    r = fit(&v);
    CHECK(r.status == ENDO_PAIR_NO_TEXTURE && r.landmarks == 2 && r.used == 0 && isnan(r.mean_coefficient));
    expect_identity(&r);
    for (int i = 2; i < 64; i++) v.found[i].state = ENDO_LANDMARK_OUTSIDE;
    r = fit(&v);
    CHECK(r.status == ENDO_PAIR_JUMP && r.landmarks == 64);
    expect_identity(&r);
}

/* On a line no affine map is the best: a shift stands in. */
static void test_line(void) {
    vectors v = exact(shift, 8);
    endo_pair_result r = fit(&v);
    CHECK(r.status == ENDO_PAIR_OK && r.used == 8);
    expect_map(&r, shift, 1e-9);
}

/* The order in which the landmarks come changes no byte. */
static void test_order(void) {
    test_random r = {5};
    for (int round = 0; round < 30; round++) {
        vectors v = exact(gentle, 64), other;
        for (int i = 0; i < 64; i++) {
            v.found[i].x += 2 * test_unit(&r) - 1, v.found[i].y += 2 * test_unit(&r) - 1;
            v.found[i].coefficient = 0.7 + 0.05 * test_between(&r, 0, 5); /* many are equal */
            if (i % 9 == 0) v.found[i].x += 20 * test_unit(&r);
        }
        v.options.guarantee = 0.6, v.options.cthresh = 0.88;
        other = v;
        for (int i = 63; i > 0; i--) {
            int k = test_between(&r, 0, i);
            endo_search_result found = other.found[i];
            double x = other.from[2 * i], y = other.from[2 * i + 1];
            other.found[i] = other.found[k], other.found[k] = found;
            other.from[2 * i] = other.from[2 * k], other.from[2 * i + 1] = other.from[2 * k + 1];
            other.from[2 * k] = x, other.from[2 * k + 1] = y;
        }
        endo_pair_result a = fit(&v), b = fit(&other);
        CHECK(a.used == b.used && a.found == b.found && a.status == b.status);
        for (int i = 0; i < 6; i++) CHECK_NEAR(a.transform.matrix[i], b.transform.matrix[i], 1e-9);
    }
}

/* Places that are wrong by a known deviation, many times over: over the frame, the fit is then wrong by what it says. */
static void test_deviation(endo_transform_class kind) {
    enum { RUNS = 4000, ACROSS = 40, DOWN = 30 };
    const double spread = 0.3;
    test_random r = {31};
    double wrong = 0, said = 0;
    for (int run = 0; run < RUNS; run++) {
        vectors v = exact(shift, 20); /* in one part of the frame */
        v.options.transform = kind;
        for (size_t i = 0; i < v.n; i++) {
            v.found[i].x += spread * sqrt(12) * (test_unit(&r) - 0.5);
            v.found[i].y += spread * sqrt(12) * (test_unit(&r) - 0.5);
        }
        endo_pair_result fitted = fit(&v);
        const double *m = fitted.transform.matrix;
        for (int i = 0; i < ACROSS * DOWN; i++) {
            double x = (i % ACROSS + 0.5) * size[0] / ACROSS - 0.5, y = (i / ACROSS + 0.5) * size[1] / DOWN - 0.5;
            double u = m[0] * x + m[1] * y + m[2] - (x - shift[2]), w = m[3] * x + m[4] * y + m[5] - (y - shift[5]);
            wrong += (u * u + w * w) / (2.0 * ACROSS * DOWN * RUNS);
        }
        said += fitted.deviation * fitted.deviation / RUNS;
    }
    CHECK_NEAR(sqrt(said / wrong), 1, 0.04);
}

/* Landmarks that fit by chance are known no better than to a whole pixel once: n of them without any residual. */
static void test_least_deviation(void) {
    for (size_t n = 3; n <= 100; n += 97) {
        endo_spread s = {.n = n, .centre = {(size[0] - 1) / 2.0, (size[1] - 1) / 2.0}, .xx = 1000, .yy = 1000};
        double one = 1 / 12.0, shift = sqrt(one / (2 * (double)n - 1) / (double)n);
        CHECK_NEAR(endo_spread_deviation(&s, ENDO_TRANSFORM_TRANSLATION, size), shift, 1e-12);
        s.residuals = 2;
        CHECK_NEAR(endo_spread_deviation(&s, ENDO_TRANSFORM_TRANSLATION, size), shift * sqrt(2 / one + 1), 1e-12);
    }
}

int main(void) {
    test_least_deviation();
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= ENDO_TRANSFORM_AFFINE; kind++)
        test_deviation((endo_transform_class)kind);
    test_exact();
    test_threshold();
    test_guarantee();
    test_three();
    test_selection();
    test_rounds();
    test_plausible();
    test_mean();
    test_states();
    test_line();
    test_order();
    return check_summary("test_pair_fit");
}
