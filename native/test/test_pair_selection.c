/* The selection behind a pair's transform: many random sets of motion vectors, each result held against
 * definitions that this file works out for itself, in long double and without sorting.
 *
 * Holds of every result: `used` and the mean coefficient are those of the final matrix; OK is never
 * said below the guarantee; and where the rounds came to an end, the matrix is the fit of its own selection. */
#include "systems/pairs/pairs.h"

#include "check.h"
#include "scene.h"

#include <string.h>

#define FITS 120000
#define MOST 64
/* A vector this close to the threshold, px, may fall on either side: such a fit is left out. */
#define TOO_CLOSE 1e-7L

typedef struct vectors {
    size_t n;
    double from[2 * MOST];
    endo_search_result found[MOST];
    endo_pairs_options options;
} vectors;

typedef struct tally {
    int ok, few, jump, unsettled, close;
} tally;

static void shake(test_random *r, double spread, double point[2]) {
    for (int i = 0; i < 2; i++) point[i] += spread * (test_unit(r) + test_unit(r) + test_unit(r) - 1.5);
}

static double pick(test_random *r, const double *from, int n) { return from[test_between(r, 0, n - 1)]; }

/* A grid of landmarks under a map near the identity, with noise, wild vectors, and a second motion. */
static void make_vectors(test_random *r, vectors *v) {
    static const double noises[] = {0, 0.3, 1, 2, 4}, wilds[] = {0, 0.1, 0.3, 0.6}, guarantees[] = {0, 0.2, 0.4, 0.7};
    static const double thresholds[] = {0.5, 1, 2.5, 4};
    double noise = pick(r, noises, 5), wild = pick(r, wilds, 4), map[6] = {1, 0, 0, 0, 1, 0}, other[2] = {0, 0};
    int side = test_between(r, 3, 8), two_motions = test_between(r, 0, 3) == 0;
    for (int i = 0; i < 6; i++) map[i] += (i % 3 == 2 ? 30 : 0.06) * (test_unit(r) - 0.5);
    shake(r, 8, other);
    v->n = (size_t)(side * side);
    v->options = endo_pairs_options_default();
    v->options.transform = test_between(r, 0, 4) ? ENDO_TRANSFORM_AFFINE : ENDO_TRANSFORM_TRANSLATION;
    v->options.guarantee = pick(r, guarantees, 4), v->options.uthresh = pick(r, thresholds, 4);
    for (size_t i = 0; i < v->n; i++) {
        double x = 40.0 * (double)(i % (size_t)side), y = 30.0 * (double)(i / (size_t)side);
        double to[2] = {map[0] * x + map[1] * y + map[2], map[3] * x + map[4] * y + map[5]};
        shake(r, noise, to);
        if (two_motions && x > 90) to[0] += other[0], to[1] += other[1];
        if (test_unit(r) < wild) shake(r, 60, to);
        v->from[2 * i] = x, v->from[2 * i + 1] = y;
        v->found[i] = (endo_search_result){to[0], to[1], 0.6 + 0.4 * test_unit(r), ENDO_LANDMARK_FOUND, 18, 9};
        if (test_between(r, 0, 9) == 0) v->found[i].state = test_between(r, 1, 3), v->found[i].coefficient = NAN;
    }
}

/* ------------------------------------------------------------- definitions */

static int guaranteed_count(const vectors *v) {
    int landmarks = 0;
    for (size_t i = 0; i < v->n; i++) landmarks += v->found[i].state != ENDO_LANDMARK_NO_TEXTURE;
    int count = (int)ceil(v->options.guarantee * landmarks);
    return count < 3 ? 3 : count;
}

/* Steps 3 and 4: by rank among the coefficients. Returns how many reached cthresh. */
static int accept(const vectors *v, int guaranteed, int accepted[MOST]) {
    int reached = 0;
    for (size_t i = 0; i < v->n; i++)
        reached += v->found[i].state == ENDO_LANDMARK_FOUND && v->found[i].coefficient >= v->options.cthresh;
    for (size_t i = 0; i < v->n; i++) {
        int rank = 0;
        accepted[i] = 0;
        if (v->found[i].state != ENDO_LANDMARK_FOUND) continue;
        for (size_t k = 0; k < v->n; k++)
            rank += v->found[k].state == ENDO_LANDMARK_FOUND && v->found[k].coefficient > v->found[i].coefficient;
        accepted[i] = rank < (reached > guaranteed ? reached : guaranteed);
    }
    return reached;
}

/* Distance, in the current frame, of a vector from what the result's matrix (current -> reference) says. */
static long double distance(const double m[6], const double from[2], const endo_search_result *to) {
    long double a = m[0], b = m[1], c = m[3], d = m[4], x = from[0] - (long double)m[2], y = from[1] - (long double)m[5];
    long double determinant = a * d - b * c, u = (d * x - b * y) / determinant, w = (a * y - c * x) / determinant;
    return sqrtl((to->x - u) * (to->x - u) + (to->y - w) * (to->y - w));
}

/* Least squares of one coordinate over the chosen vectors, by elimination; terms 1 (a shift) or 3. */
static void fit_coordinate(const vectors *v, const int *chosen, int vertical, int terms, long double c[3]) {
    long double e[3][4] = {{0}};
    for (size_t i = 0; i < v->n; i++) {
        long double row[3] = {1, v->from[2 * i], v->from[2 * i + 1]};
        long double value = vertical ? v->found[i].y : v->found[i].x;
        if (!chosen[i]) continue;
        if (terms == 1) value -= row[1 + vertical];
        for (int a = 0; a < terms; a++) {
            for (int b = 0; b < terms; b++) e[a][b] += row[a] * row[b];
            e[a][3] += row[a] * value;
        }
    }
    for (int a = 0; a < terms; a++)
        for (int b = 0; b < terms; b++) {
            if (b == a) continue;
            long double factor = e[b][a] / e[a][a];
            for (int k = 0; k < 4; k++) e[b][k] -= factor * e[a][k];
        }
    for (int a = 0; a < 3; a++) c[a] = a < terms ? e[a][3] / e[a][a] : a == 1 + vertical;
}

/* Determinant of the chosen landmarks' spread: 0 on a line, where no affine map is the best one. */
static long double spread(const vectors *v, const int *chosen) {
    long double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < v->n; i++) {
        long double px = v->from[2 * i], py = v->from[2 * i + 1];
        if (chosen[i]) n += 1, x += px, y += py, xx += px * px, xy += px * py, yy += py * py;
    }
    return (xx - x * x / n) * (yy - y * y / n) - (xy - x * y / n) * (xy - x * y / n);
}

/* ------------------------------------------------------------------ checks */

/* The accepted vectors that the matrix selects; returns how many are within uthresh, or -1: too close to say. */
static int select_by_matrix(const vectors *v, const int *accepted, int guaranteed, const double m[6], int *chosen) {
    long double away[MOST];
    int within = 0;
    for (size_t i = 0; i < v->n; i++) {
        away[i] = distance(m, v->from + 2 * i, &v->found[i]);
        if (!accepted[i]) continue;
        if (fabsl(away[i] - v->options.uthresh) < TOO_CLOSE) return -1;
        within += away[i] <= v->options.uthresh;
    }
    for (size_t i = 0; i < v->n; i++) {
        int nearer = 0;
        for (size_t k = 0; k < v->n; k++) nearer += accepted[k] && away[k] < away[i];
        chosen[i] = accepted[i] && nearer < (within < guaranteed ? guaranteed : within);
    }
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->n; k++)
            if (chosen[i] && accepted[k] && !chosen[k] && away[k] - away[i] < TOO_CLOSE) return -1;
    return within;
}

static void check_fit_of_selection(const vectors *v, const int *chosen, const endo_pair_result *r) {
    long double column[2][3];
    int affine = v->options.transform == ENDO_TRANSFORM_AFFINE && spread(v, chosen) > 1;
    for (int i = 0; i < 2; i++) fit_coordinate(v, chosen, i, affine ? 3 : 1, column[i]);
    for (size_t i = 0; i < v->n; i++) {
        long double x = v->from[2 * i], y = v->from[2 * i + 1];
        endo_search_result there = {.x = (double)(column[0][0] + column[0][1] * x + column[0][2] * y),
                                    .y = (double)(column[1][0] + column[1][1] * x + column[1][2] * y)};
        CHECK_NEAR((double)distance(r->transform.matrix, v->from + 2 * i, &there), 0, 1e-6);
    }
}

static void check_result(const vectors *v, const endo_pair_result *r, tally *t) {
    int accepted[MOST], chosen[MOST], guaranteed = guaranteed_count(v), count = 0;
    int reached = accept(v, guaranteed, accepted);
    double sum = 0;
    CHECK(r->found == reached && r->rounds >= 0 && r->rounds <= ENDO_PAIR_ROUNDS);
    if (r->status == ENDO_PAIR_NO_TEXTURE || r->status == ENDO_PAIR_JUMP) {
        t->jump++;
        CHECK(r->transform.matrix[0] == 1 && r->transform.matrix[2] == 0 && r->transform.matrix[4] == 1 && r->transform.matrix[5] == 0);
        return;
    }
    int within = select_by_matrix(v, accepted, guaranteed, r->transform.matrix, chosen);
    if (within < 0) {
        t->close++;
        return;
    }
    for (size_t i = 0; i < v->n; i++) count += chosen[i], sum += chosen[i] ? v->found[i].coefficient : 0;
    CHECK(r->used == count);
    CHECK_NEAR(r->mean_coefficient, sum / count, 1e-12);
    CHECK((r->status == ENDO_PAIR_OK) == (within >= guaranteed && reached >= guaranteed));
    *(r->status == ENDO_PAIR_OK ? &t->ok : &t->few) += 1;
    if (r->rounds < ENDO_PAIR_ROUNDS)
        check_fit_of_selection(v, chosen, r);
    else
        t->unsettled++;
}

/* Landmarks that are handed out: every vector once, in the order of the landmarks; and the fit of those used, which is
 * measured in the current frame, is the result's. */
static void check_landmarks(const vectors *v, const endo_pair_result *r, const endo_landmark *marks, int32_t count) {
    int accepted[MOST], used = 0, wrong = 0;
    double from[2 * MOST], to[2 * MOST], weights[MOST], sum = 0;
    int32_t k = 0;
    accept(v, guaranteed_count(v), accepted);
    for (size_t i = 0; i < v->n; i++) {
        const endo_search_result *found = &v->found[i];
        const endo_landmark *mark = &marks[k];
        if (found->state != ENDO_LANDMARK_FOUND || k == count) continue;
        wrong += mark->reference_x != v->from[2 * i] || mark->reference_y != v->from[2 * i + 1];
        wrong += mark->current_x != found->x || mark->current_y != found->y || mark->coefficient != found->coefficient;
        wrong += mark->used != (mark->weight == 1) || (mark->used && !mark->accepted) || (!mark->used && mark->weight != 0);
        wrong += r->rounds > 0 && mark->accepted != accepted[i];
        from[2 * k] = mark->reference_x, from[2 * k + 1] = mark->reference_y, weights[k] = mark->weight;
        to[2 * k] = mark->current_x, to[2 * k + 1] = mark->current_y;
        used += mark->used, sum += mark->used ? mark->coefficient : 0;
        k++;
    }
    for (size_t i = 0; i < v->n; i++) count -= v->found[i].state == ENDO_LANDMARK_FOUND;
    CHECK(wrong == 0 && count == 0 && used == r->used);
    if (r->status != ENDO_PAIR_OK) return;
    CHECK_NEAR(sum / used, r->mean_coefficient, 1e-12);
    endo_transform forward, back;
    int solved = 0;
    endo_transform_class kind = (endo_transform_class)r->transform.kind;
    CHECK(endo_transform_fit(from, to, weights, (size_t)k, kind, &forward, &solved) == ENDO_OK && solved);
    CHECK(endo_transform_invert(&forward, &back) == ENDO_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(back.matrix[i], r->transform.matrix[i], i % 3 == 2 ? 1e-7 : 1e-10);
}

static void test_random_fits(void) {
    static const int size[2] = {320, 240};
    test_random r = {20};
    tally t = {0};
    for (int i = 0; i < FITS; i++) {
        vectors v;
        endo_pair_result result;
        endo_landmark marks[MOST];
        int32_t count = -1;
        make_vectors(&r, &v);
        memset(&result, 0x5a, sizeof result);
        CHECK(endo_mosaic_fit(v.from, v.found, v.n, &v.options, size, &result, marks, &count) == ENDO_OK);
        check_result(&v, &result, &t);
        check_landmarks(&v, &result, marks, count);
    }
    printf("%d fits: %d ok, %d few landmarks, %d none; %d unsettled, %d too close to say\n", FITS, t.ok, t.few, t.jump,
           t.unsettled, t.close);
    CHECK(t.ok > FITS / 4 && t.few > FITS / 50 && t.jump > FITS / 50); /* all of them were seen */
    CHECK(t.unsettled == 0);
    CHECK(t.close < FITS / 100);
}

int main(void) {
    test_random_fits();
    return check_summary("test_pair_selection");
}
