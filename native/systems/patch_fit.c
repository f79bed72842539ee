#include "patch_fit.h"

#include <math.h>
#include <string.h>

/* Two numbers at a time, each by itself: the same bits as one after the other. */
typedef double two __attribute__((vector_size(16)));

static two both(double v) { return (two){v, v}; }

/* ---------------------------------------------------------------- a patch */

/* Numbers of a pixel. */
enum { ALONG, DOWN, REFERENCE, CURRENT, SEEN, X = SEEN, Y };

/* The sums of two patches, or of one twice: each is reckoned with by itself, with the same bits as alone. */
typedef const endo_patch_sums *sums_of_two[2];

/* Sum of the products of numbers i <= k about their means. */
static two covariance(const sums_of_two s, int i, int k) {
    int at = i * ENDO_PATCH_NUMBERS - i * (i - 1) / 2 + k - i;
    two product = {s[0]->product[at], s[1]->product[at]}, n = {s[0]->n, s[1]->n};
    return product - (two){s[0]->sum[i], s[1]->sum[i]} * (two){s[0]->sum[k], s[1]->sum[k]} / n;
}

/* What a patch has beyond slopes across it: sums of the products of what is seen, i <= k, with the places taken out by
 * regression. Light leans; of a scene little does at this size. */
typedef struct level_sums {
    two of[SEEN][SEEN];
} level_sums;

/* Of the numbers from `first` on. */
static inline void take_slopes_out(const sums_of_two s, int first, level_sums *l) {
    two xx = covariance(s, X, X), xy = covariance(s, X, Y), yy = covariance(s, Y, Y);
    two determinant = xx * yy - xy * xy, across[SEEN], down[SEEN];
    for (int i = first; i < SEEN; i++) across[i] = covariance(s, i, X), down[i] = covariance(s, i, Y);
    for (int i = first; i < SEEN; i++)
        for (int k = i; k < SEEN; k++) {
            two mixed = across[i] * down[k] + down[i] * across[k];
            two slopes = (yy * across[i] * across[k] - xy * mixed + xx * down[i] * down[k]) / determinant;
            l->of[i][k] = covariance(s, i, k) - slopes;
        }
}

/* Of patch k of the two. Less variance, of smoothed values, than that of a quarter of a grey level is none. Half of the
 * pixels are never on one line. */
static int has_texture(const endo_patch_sums *s, int side, const level_sums *l, int k) {
    return 2 * s->n >= side * side && l->of[REFERENCE][REFERENCE][k] >= s->n && l->of[CURRENT][CURRENT][k] >= s->n;
}

double endo_patch_coefficient(const endo_patch_sums *s, int side) {
    const sums_of_two twice = {s, s};
    level_sums l;
    take_slopes_out(twice, REFERENCE, &l);
    if (!has_texture(s, side, &l, 0)) return NAN;
    return l.of[REFERENCE][CURRENT][0] / sqrt(l.of[REFERENCE][REFERENCE][0] * l.of[CURRENT][CURRENT][0]);
}

double endo_patch_common(const endo_patch_sums *s, int side) {
    const sums_of_two twice = {s, s};
    level_sums l;
    take_slopes_out(twice, REFERENCE, &l);
    return has_texture(s, side, &l, 0) ? l.of[REFERENCE][CURRENT][0] / s->n : NAN;
}

/* Of white noise that was smoothed by (1 2 1) / 4: mean square of the difference of two pixels two apart, over its variance. */
#define GRADIENT_NOISE (5.0 / 3)

/* At the right place C = gain R + offset + slopes; a shift d of what C shows adds -gain (gx dx + gy dy) / 2. With R taken out of
 * everything by regression, two unknowns are left. */
typedef struct regression {
    two xx, xy, yy, determinant; /* of the gradients */
    two p, q, gain, left;        /* what they make of C, by x and by y; of its variance, what they do not explain */
} regression;

static regression regress(const level_sums *l) {
    two rr = l->of[REFERENCE][REFERENCE], cc = l->of[CURRENT][CURRENT], rc = l->of[REFERENCE][CURRENT];
    two xr = l->of[ALONG][REFERENCE], yr = l->of[DOWN][REFERENCE];
    regression g = {.xx = l->of[ALONG][ALONG] - xr * xr / rr, .xy = l->of[ALONG][DOWN] - xr * yr / rr,
                    .yy = l->of[DOWN][DOWN] - yr * yr / rr};
    two xc = l->of[ALONG][CURRENT] - xr * rc / rr, yc = l->of[DOWN][CURRENT] - yr * rc / rr;
    g.determinant = g.xx * g.yy - g.xy * g.xy;
    g.p = (g.yy * xc - g.xy * yc) / g.determinant, g.q = (g.xx * yc - g.xy * xc) / g.determinant;
    g.gain = (rc - g.p * xr - g.q * yr) / rr, g.left = cc - rc * rc / rr - g.p * xc - g.q * yc;
    return g;
}

/* Patch k of the two. */
static int conclude(const endo_patch_sums *s, int side, const level_sums *l, const regression *g, int k, endo_patch *patch) {
    double rr = l->of[REFERENCE][REFERENCE][k], cc = l->of[CURRENT][CURRENT][k], rc = l->of[REFERENCE][CURRENT][k];
    double gain = g->gain[k], left = g->left[k];
    if (!has_texture(s, side, l, k)) return 0;
    if (!(g->determinant[k] > 1e-6 * g->xx[k] * g->yy[k]) || !(gain > 0.1)) return 0;
    double noise = (left > 0 ? left : 0) / (s->n - 6) + 1;
    double f = gain * gain / (4 * noise);
    patch->dx = -2 * g->p[k] / gain, patch->dy = -2 * g->q[k] / gain;
    patch->xx = f * g->xx[k], patch->xy = f * g->xy[k], patch->yy = f * g->yy[k];
    patch->coefficient = rc / sqrt(rr * cc);
    patch->noise = f * 2 * GRADIENT_NOISE * rr * (1 - patch->coefficient);
    patch->weight = 1;
    return 1;
}

void endo_patch_measure_two(const endo_patch_sums *one, const endo_patch_sums *other, int side, endo_patch patches[2],
                            int known[2]) {
    const sums_of_two s = {one, other};
    level_sums l;
    take_slopes_out(s, ALONG, &l);
    regression g = regress(&l);
    for (int k = 0; k < 2; k++) known[k] = conclude(s[k], side, &l, &g, k, &patches[k]);
}

int endo_patch_measure(const endo_patch_sums *sums, int side, endo_patch *patch) {
    const sums_of_two twice = {sums, sums};
    level_sums l;
    take_slopes_out(twice, ALONG, &l);
    regression g = regress(&l);
    return conclude(sums, side, &l, &g, 0, patch);
}

/* ----------------------------------------------------------------- motions */

int endo_motion_numbers(endo_transform_class kind) {
    static const int numbers[] = {2, 3, 4, 6};
    return numbers[kind];
}

/* Weighted sums over patches: of each number of their precisions, times 1 and x, y and x x, x y and y y; of what the
 * precisions make of their shifts, along and down, times 1, x and y. */
typedef struct moments {
    two xx[3], xy[3], yy[3];
    two shift[3];
    two share; /* of the precisions: without noise, and all */
    double squares, weights;
} moments;

static void add_patch(const endo_patch *p, moments *s) {
    const two of[3] = {{1, p->x}, {p->y, p->x * p->x}, {p->x * p->y, p->y * p->y}};
    double w = p->weight, xx = w * p->xx, xy = w * p->xy, yy = w * p->yy, whole = p->xx + p->yy;
    two shift = {p->dx, p->dy}, e = (two){xx, xy} * both(p->dx) + (two){xy, yy} * both(p->dy), squares = e * shift;
    for (int i = 0; i < 3; i++) {
        s->xx[i] += both(xx) * of[i];
        s->xy[i] += both(xy) * of[i];
        s->yy[i] += both(yy) * of[i];
    }
    s->shift[0] += e, s->shift[1] += e * both(p->x), s->shift[2] += e * both(p->y);
    s->share += both(w) * (two){whole - p->noise, whole};
    s->squares += squares[0] + squares[1];
    s->weights += w;
}

/* Places among the moments. */
enum { BY_ONE, BY_X, BY_Y, BY_XX, BY_XY, BY_YY };

/* The lower half: products of what the numbers move (misfit), in the metric of the precisions. */
static void set_normal(const moments *s, double m[ENDO_MOTION][ENDO_MOTION]) {
    const double *p = (const double *)s->xx, *q = (const double *)s->xy, *r = (const double *)s->yy;
    m[0][0] = p[BY_ONE];
    m[1][0] = q[BY_ONE], m[1][1] = r[BY_ONE];
    m[2][0] = q[BY_X] - p[BY_Y], m[2][1] = r[BY_X] - q[BY_Y], m[2][2] = p[BY_YY] - 2 * q[BY_XY] + r[BY_XX];
    m[3][0] = p[BY_X] + q[BY_Y], m[3][1] = q[BY_X] + r[BY_Y], m[3][2] = q[BY_XX] - q[BY_YY] + r[BY_XY] - p[BY_XY];
    m[3][3] = p[BY_XX] + 2 * q[BY_XY] + r[BY_YY];
    m[4][0] = p[BY_X] - q[BY_Y], m[4][1] = q[BY_X] - r[BY_Y], m[4][2] = q[BY_XX] + q[BY_YY] - r[BY_XY] - p[BY_XY];
    m[4][3] = p[BY_XX] - r[BY_YY], m[4][4] = p[BY_XX] - 2 * q[BY_XY] + r[BY_YY];
    m[5][0] = p[BY_Y] + q[BY_X], m[5][1] = q[BY_Y] + r[BY_X], m[5][2] = r[BY_XX] - p[BY_YY];
    m[5][3] = q[BY_XX] + q[BY_YY] + p[BY_XY] + r[BY_XY], m[5][4] = q[BY_XX] - q[BY_YY] + p[BY_XY] - r[BY_XY];
    m[5][5] = p[BY_YY] + 2 * q[BY_XY] + r[BY_XX];
}

static void add_patches(const endo_patch *patches, size_t n, endo_patch_motion *m) {
    moments s = {.squares = 0};
    for (size_t i = 0; i < n; i++) add_patch(&patches[i], &s);
    set_normal(&s, m->normal);
    const double a[3] = {s.shift[0][0], s.shift[1][0], s.shift[2][0]}, d[3] = {s.shift[0][1], s.shift[1][1], s.shift[2][1]};
    const double right[ENDO_MOTION] = {a[BY_ONE], d[BY_ONE], d[BY_X] - a[BY_Y], a[BY_X] + d[BY_Y], a[BY_X] - d[BY_Y], a[BY_Y] + d[BY_X]};
    memcpy(m->right, right, sizeof right);
    m->squares = s.squares, m->weights = s.weights, m->share = s.share[0], m->whole = s.share[1];
}

/* Lower triangle of the first n rows. 0: not (well) determined. */
static int factor(double normal[ENDO_MOTION][ENDO_MOTION], int n, double lower[ENDO_MOTION][ENDO_MOTION]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double v = normal[i][k];
            for (int j = 0; j < k; j++) v -= lower[i][j] * lower[k][j];
            if (k < i)
                lower[i][k] = v / lower[k][k];
            else if (v > 1e-9 * normal[i][i])
                lower[i][i] = sqrt(v);
            else
                return 0;
        }
    return 1;
}

static void solve(double lower[ENDO_MOTION][ENDO_MOTION], int n, const double right[ENDO_MOTION],
                  double out[ENDO_MOTION]) {
    for (int i = 0; i < n; i++) {
        double v = right[i];
        for (int k = 0; k < i; k++) v -= lower[i][k] * out[k];
        out[i] = v / lower[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) out[i] -= lower[k][i] * out[k];
        out[i] /= lower[i][i];
    }
    for (int i = n; i < ENDO_MOTION; i++) out[i] = 0;
}

/* What the numbers of a motion move at (x, y): shift, turn (-y, x), growth (x, y), shears (x, -y) and (y, x). Squared
 * distance of a patch from there, by its precision. */
static double misfit(const endo_patch *p, const double m[ENDO_MOTION]) {
    const two along = {m[3] + m[4], m[5] + m[2]}, down = {m[5] - m[2], m[3] - m[4]};
    two d = (two){p->dx, p->dy} - ((two){m[0], m[1]} + along * both(p->x) + down * both(p->y));
    two squares = (two){p->xx, p->yy} * d * d;
    return squares[0] + 2 * p->xy * d[0] * d[1] + squares[1];
}

/* -------------------------------------------------------------- robust fit */

static double middle_of_three(double a, double b, double c) {
    double less = a < b ? a : b, more = a < b ? b : a;
    return c < less ? less : c > more ? more : c;
}

/* Those below the pivot to the front of values, the others into rest; returns how many are below. No branch depends on
 * what the values are: nothing could foresee it. */
static size_t divide(double *values, size_t n, double pivot, double *rest) {
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        double v = values[i];
        int is_below = v < pivot;
        values[below] = v;
        rest[i - below] = v;
        below += (size_t)is_below;
    }
    return below;
}

/* Those that are not the least, which is given, to the front; returns how many are. */
static size_t drop_least(double *values, size_t n, double least) {
    size_t more = 0;
    for (size_t i = 0; i < n; i++) {
        double v = values[i];
        int is_more = v > least;
        values[more] = v;
        more += (size_t)is_more;
    }
    return more;
}

/* Selected, not sorted: the part in which it lies is divided until that is it. Both arrays are spoilt. */
static double median(double *values, double *rest, size_t n) {
    size_t wanted = n / 2;
    while (n > 1) {
        double pivot = middle_of_three(values[0], values[n / 2], values[n - 1]);
        size_t below = divide(values, n, pivot, rest);
        if (wanted < below) {
            n = below;
            continue;
        }
        double *other = values;
        values = rest, rest = other;
        n -= below, wanted -= below;
        if (below > 0) continue;
        size_t more = drop_least(values, n, pivot);
        if (wanted < n - more) return pivot;
        wanted -= n - more, n = more;
    }
    return values[0];
}

#define ROUNDS 6
/* Of less nothing can be told. */
#define LEAST_SHARE 0.05
/* The median of a squared distance in the plane, of deviation 1. */
#define MEDIAN 1.3862943611198906
/* Tukey's: beyond so many deviations, squared, nothing counts. In the plane 99 % lie within a half of it. */
#define REACH 18.0

/* The scale, and each patch's weight by it. The squared distances from the motion, by precision, are first put beside
 * each other: half of them are within the median, whatever the rest is. */
static void weigh(endo_patch *patches, size_t n, double *room, endo_patch_motion *m) {
    double *squares = room, *divided = room + n;
    for (size_t i = 0; i < n; i++) divided[i] = squares[i] = misfit(&patches[i], m->motion);
    m->scale = median(divided, room + 2 * n, n) / MEDIAN;
    if (!(m->scale > 1e-6)) m->scale = 1e-6;
    for (size_t i = 0; i < n; i++) {
        double far = squares[i] / (REACH * m->scale);
        patches[i].weight = far < 1 ? (1 - far) * (1 - far) : 0;
    }
}

int endo_patch_fit(endo_patch *patches, size_t n, endo_transform_class kind, double *room, endo_patch_motion *out) {
    int numbers = endo_motion_numbers(kind);
    endo_patch_motion m = {.scale = 1};
    for (size_t i = 0; i < n; i++) patches[i].weight = 1;
    if (n < 3) return 0;
    for (int round = 0; round < ROUNDS; round++) {
        double lower[ENDO_MOTION][ENDO_MOTION];
        if (round > 0) weigh(patches, n, room, &m);
        add_patches(patches, n, &m);
        if (!factor(m.normal, numbers, lower)) return 0;
        solve(lower, numbers, m.right, m.motion);
    }
    m.share = m.share > LEAST_SHARE * m.whole ? m.share / m.whole : LEAST_SHARE;
    *out = m;
    return 1;
}

void endo_patch_shift(endo_patch_motion *m) {
    double moved[ENDO_MOTION] = {0};
    for (int i = 0; i < ENDO_MOTION; i++)
        for (int k = 0; k < ENDO_MOTION; k++) moved[i] += (k <= i ? m->normal[i][k] : m->normal[k][i]) * m->motion[k];
    for (int i = 0; i < ENDO_MOTION; i++) {
        m->squares += m->motion[i] * (moved[i] - 2 * m->right[i]);
        m->right[i] -= moved[i];
    }
}

/* ------------------------------------------------------------------- class */

/* Sum of squares that is left by a class, from its start: the quadratic form is known everywhere. */
static double left_by(const endo_patch_motion *m, const double start[ENDO_MOTION], int numbers,
                      double motion[ENDO_MOTION]) {
    double right[ENDO_MOTION], lower[ENDO_MOTION][ENDO_MOTION], normal[ENDO_MOTION][ENDO_MOTION], squares = m->squares;
    memcpy(normal, m->normal, sizeof normal);
    for (int i = 0; i < ENDO_MOTION; i++) {
        right[i] = m->right[i];
        for (int k = 0; k < ENDO_MOTION; k++) right[i] -= (k <= i ? normal[i][k] : normal[k][i]) * start[k];
        squares -= start[i] * (m->right[i] + right[i]);
    }
    if (!factor(normal, numbers, lower)) return INFINITY;
    solve(lower, numbers, right, motion);
    for (int i = 0; i < numbers; i++) squares -= motion[i] * right[i];
    return squares > 0 ? squares : 0;
}

/* Of numbers that nothing asks for, in units of BIC's own. */
#define PENALTY 2.0

endo_transform_class endo_patch_choose(const endo_patch_motion *m, const double start[][ENDO_MOTION],
                                       endo_transform_class most, double motion[ENDO_MOTION]) {
    endo_transform_class best = ENDO_TRANSFORM_TRANSLATION;
    double least = INFINITY;
    for (int kind = ENDO_TRANSFORM_TRANSLATION; kind <= (int)most; kind++) {
        double step[ENDO_MOTION];
        int numbers = endo_motion_numbers((endo_transform_class)kind);
        double cost = left_by(m, start[kind], numbers, step) / m->scale + PENALTY * numbers * log(2 * m->weights);
        if (!(cost < least)) continue;
        least = cost, best = (endo_transform_class)kind;
        memcpy(motion, step, sizeof step);
    }
    return best;
}

/* --------------------------------------------------------------- deviation */

double endo_patch_variance(const endo_patch_motion *m, endo_transform_class kind, int width, int height, double side) {
    double lower[ENDO_MOTION][ENDO_MOTION], inverse[ENDO_MOTION][ENDO_MOTION], normal[ENDO_MOTION][ENDO_MOTION];
    int n = endo_motion_numbers(kind);
    memcpy(normal, m->normal, sizeof normal);
    if (!factor(normal, n, lower)) return NAN;
    for (int i = 0; i < ENDO_MOTION; i++) {
        double unit[ENDO_MOTION] = {0};
        if (i < n) unit[i] = 1, solve(lower, n, unit, inverse[i]);
        if (i >= n) memset(inverse[i], 0, sizeof inverse[i]);
    }
    /* Means of x^2 and y^2 over the frame; what is odd in x or y has none. */
    double xx = width / side * (width / side) / 12, yy = height / side * (height / side) / 12;
    double sum = inverse[0][0] + inverse[1][1] + (xx + yy) * (inverse[2][2] + inverse[3][3] + inverse[4][4] + inverse[5][5]);
    sum += 2 * (xx - yy) * (inverse[2][5] + inverse[3][4]);
    return sum / 2;
}
