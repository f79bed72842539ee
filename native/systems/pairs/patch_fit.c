#include "patch_fit.h"

#include "base/math/cholesky.h"
#include "base/math/median.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Two numbers at a time, each by itself: the same bits as one after the other. */
typedef double two __attribute__((vector_size(16)));

/* ---------------------------------------------------------------- a patch */

/* Numbers of a pixel. */
enum { ALONG, DOWN, REFERENCE, CURRENT, SEEN, X = SEEN, Y };

/* The sums of two patches, or of one twice: each is reckoned with by itself, with the same bits as alone. */
typedef const endo_patch_sums *sums_of_two[2];

/* n times the sum of the products of numbers i <= k about their means: whole numbers below 2^42, so nothing is rounded. */
static two covariance(const sums_of_two s, int i, int k) {
    int at = i * ENDO_PATCH_NUMBERS - i * (i - 1) / 2 + k - i;
    two product = {s[0]->product[at], s[1]->product[at]}, n = {s[0]->n, s[1]->n};
    return product * n - (two){s[0]->sum[i], s[1]->sum[i]} * (two){s[0]->sum[k], s[1]->sum[k]};
}

/* What a patch has beyond slopes across it: sums of the products of what is seen, i <= k, with the places taken out by
 * regression, times n. Light leans; of a scene little does at this size. */
typedef struct level_sums {
    two of[SEEN][SEEN];
} level_sums;

/* Of the numbers from `first` on. */
static inline void take_slopes_out(const sums_of_two s, int first, level_sums *l) {
    two xx = covariance(s, X, X), xy = covariance(s, X, Y), yy = covariance(s, Y, Y);
    two part = 1 / (xx * yy - xy * xy), across[SEEN], down[SEEN];
    for (int i = first; i < SEEN; i++) across[i] = covariance(s, i, X), down[i] = covariance(s, i, Y);
    for (int i = first; i < SEEN; i++)
        for (int k = i; k < SEEN; k++) {
            two mixed = across[i] * down[k] + down[i] * across[k];
            two slopes = (yy * across[i] * across[k] - xy * mixed + xx * down[i] * down[k]) * part;
            l->of[i][k] = covariance(s, i, k) - slopes;
        }
}

/* Of patch k of the two. Less variance, of smoothed values, than that of a quarter of a grey level is none. Half of the
 * pixels are never on one line. */
static int has_texture(const endo_patch_sums *s, int side, const level_sums *l, int k) {
    double least = (double)s->n * s->n;
    return 2 * s->n >= side * side && l->of[REFERENCE][REFERENCE][k] >= least && l->of[CURRENT][CURRENT][k] >= least;
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
    return has_texture(s, side, &l, 0) ? l.of[REFERENCE][CURRENT][0] / ((double)s->n * s->n) : NAN;
}

/* At the right place C = gain R + offset + slopes; a shift d of what C shows adds -gain (gx dx + gy dy) / 2. With R taken out of
 * everything by regression, two unknowns are left. */
typedef struct regression {
    two xx, xy, yy, determinant; /* of the gradients, times n */
    two p, q, gain, left;        /* what they make of C, by x and by y; n times the variance that they do not explain */
} regression;

static regression regress(const level_sums *l) {
    two rr = l->of[REFERENCE][REFERENCE], cc = l->of[CURRENT][CURRENT], rc = l->of[REFERENCE][CURRENT], part = 1 / rr;
    two xr = l->of[ALONG][REFERENCE], yr = l->of[DOWN][REFERENCE], xr_part = xr * part, yr_part = yr * part;
    regression g = {.xx = l->of[ALONG][ALONG] - xr * xr_part, .xy = l->of[ALONG][DOWN] - xr_part * yr,
                    .yy = l->of[DOWN][DOWN] - yr * yr_part};
    two xc = l->of[ALONG][CURRENT] - xr_part * rc, yc = l->of[DOWN][CURRENT] - yr_part * rc;
    g.determinant = g.xx * g.yy - g.xy * g.xy;
    two whole = 1 / g.determinant;
    g.p = (g.yy * xc - g.xy * yc) * whole, g.q = (g.xx * yc - g.xy * xc) * whole;
    g.gain = (rc - g.p * xr - g.q * yr) * part, g.left = cc - rc * part * rc - g.p * xc - g.q * yc;
    return g;
}

/* Patch k of the two. */
static int conclude(const endo_patch_sums *s, int side, const level_sums *l, const regression *g, int k, endo_patch *patch) {
    double rr = l->of[REFERENCE][REFERENCE][k], cc = l->of[CURRENT][CURRENT][k], rc = l->of[REFERENCE][CURRENT][k];
    double gain = g->gain[k], left = g->left[k];
    if (!has_texture(s, side, l, k)) return 0;
    if (!(g->determinant[k] > 1e-6 * g->xx[k] * g->yy[k]) || !(gain > 0.1)) return 0;
    double n = s->n, noise = (left > 0 ? left : 0) / (n * (n - 6)) + 1;
    double f = gain * gain / (4 * n * noise), back = -2 / gain;
    patch->dx = back * g->p[k], patch->dy = back * g->q[k];
    patch->xx = f * g->xx[k], patch->xy = f * g->xy[k], patch->yy = f * g->yy[k];
    patch->coefficient = rc / sqrt(rr * cc);
    patch->noise = f * 2 * ENDO_GRADIENT_NOISE * rr * (1 - patch->coefficient);
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

/* Weighted sums over patches: of each number of their precisions, times 1, x, y, x x, x y and y y; of what the
 * precisions make of their shifts, times 1, x and y. */
typedef struct moments {
    double xx[6], xy[6], yy[6];
    double along[3], down[3];
    double squares, weights;
    double share, whole; /* of the precisions: without noise, and all */
} moments;
#define MOMENTS (sizeof(moments) / sizeof(double))

/* Places among the moments. */
enum { BY_ONE, BY_X, BY_Y, BY_XX, BY_XY, BY_YY };

/* The lower half: products of what the numbers move (misfit), in the metric of the precisions. */
static void set_normal(const moments *s, double m[ENDO_MOTION][ENDO_MOTION]) {
    const double *p = s->xx, *q = s->xy, *r = s->yy;
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

static void take_moments(const moments *s, endo_patch_motion *m) {
    const double *a = s->along, *d = s->down;
    const double right[ENDO_MOTION] = {a[BY_ONE],           d[BY_ONE],           d[BY_X] - a[BY_Y],
                                       a[BY_X] + d[BY_Y], a[BY_X] - d[BY_Y], a[BY_Y] + d[BY_X]};
    set_normal(s, m->normal);
    memcpy(m->right, right, sizeof right);
    m->squares = s->squares, m->weights = s->weights, m->share = s->share, m->whole = s->whole;
}

/* ----------------------------------------------------------- four at a time */

/* Patches by columns, four of a column at a time; what fills up the last four has no precision, and weight 0. Every
 * processor adds in the same order, whatever it can do at once, and so gets the same bits. */
#define LANES 4
typedef double four __attribute__((vector_size(32)));
typedef double four_numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long four_masks __attribute__((vector_size(32)));

enum {
    PATCH_X = ENDO_STEP_X, PATCH_Y = ENDO_STEP_Y, DX = ENDO_STEP_DX, DY = ENDO_STEP_DY, XX = ENDO_STEP_XX,
    XY = ENDO_STEP_XY, YY = ENDO_STEP_YY, NOISE = ENDO_STEP_NOISE, WEIGHT = ENDO_STEP_WEIGHT, SQUARES, COLUMNS
};

typedef struct patch_columns {
    double *of[COLUMNS];
    size_t n, filled; /* patches; with what fills up */
} patch_columns;

#define READ(c, which, i) (*(const four_numbers *)((c)->of[which] + (i)))

/* What the numbers of a motion move at (x, y): shift, turn (-y, x), growth (x, y), shears (x, -y) and (y, x). Squared
 * distance of each patch from there, by its precision. */
ENDO_SIMD_INLINE void measure_misfits(const patch_columns *c, const double m[ENDO_MOTION]) {
    double xx = m[3] + m[4], xy = m[5] - m[2], yx = m[5] + m[2], yy = m[3] - m[4];
    for (size_t i = 0; i < c->filled; i += LANES) {
        four x = READ(c, PATCH_X, i), y = READ(c, PATCH_Y, i);
        four dx = READ(c, DX, i) - (m[0] + xx * x + xy * y), dy = READ(c, DY, i) - (m[1] + yx * x + yy * y);
        four squares = READ(c, XX, i) * dx * dx + 2 * READ(c, XY, i) * dx * dy + READ(c, YY, i) * dy * dy;
        *(four_numbers *)(c->of[SQUARES] + i) = squares;
    }
}

/* The weights by the squared distances, of which `reach` is the last that counts; and the sums with them. */
ENDO_SIMD_INLINE void weigh_and_add(const patch_columns *c, double reach, moments *out) {
    four sums[MOMENTS] = {{0}};
    for (size_t i = 0; i < c->filled; i += LANES) {
        four x = READ(c, PATCH_X, i), y = READ(c, PATCH_Y, i), dx = READ(c, DX, i), dy = READ(c, DY, i);
        four far = READ(c, SQUARES, i) / reach, less = 1 - far;
        four_masks counts = far < 1;
        four w = (four)((four_masks)(less * less) & counts);
        for (size_t k = c->n; k < i + LANES; k++) w[k - i] = 0;
        four of[6] = {{0}, x, y, x * x, x * y, y * y};
        four pxx = READ(c, XX, i), pyy = READ(c, YY, i), xx = w * pxx, xy = w * READ(c, XY, i), yy = w * pyy;
        four along = xx * dx + xy * dy, down = xy * dx + yy * dy, both_ways = pxx + pyy;
        *(four_numbers *)(c->of[WEIGHT] + i) = w;
        sums[0] += xx, sums[6] += xy, sums[12] += yy, sums[18] += along, sums[21] += down;
        for (int k = 1; k < 6; k++) sums[k] += xx * of[k], sums[6 + k] += xy * of[k], sums[12 + k] += yy * of[k];
        for (int k = 1; k < 3; k++) sums[18 + k] += along * of[k], sums[21 + k] += down * of[k];
        sums[24] += along * dx + down * dy, sums[25] += w;
        sums[26] += w * (both_ways - READ(c, NOISE, i)), sums[27] += w * both_ways;
    }
    for (size_t k = 0; k < MOMENTS; k++) ((double *)out)[k] = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
}

ENDO_SIMD_LOOP(misfits, measure_misfits, (const patch_columns *c, const double m[ENDO_MOTION]), (c, m))
ENDO_SIMD_LOOP(sums_of, weigh_and_add, (const patch_columns *c, double reach, moments *out), (c, reach, out))

static void fill_columns(const endo_patch *patches, size_t n, double *room, patch_columns *c) {
    c->n = n, c->filled = (n + LANES - 1) / LANES * LANES;
    for (int k = 0; k < COLUMNS; k++) {
        c->of[k] = room + (size_t)k * c->filled;
        for (size_t i = n; i < c->filled; i++) c->of[k][i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const endo_patch *p = &patches[i];
        const double v[COLUMNS] = {p->x, p->y, p->dx, p->dy, p->xx, p->xy, p->yy, p->noise, 1, 0};
        for (int k = 0; k < COLUMNS; k++) c->of[k][i] = v[k];
    }
}

/* -------------------------------------------------------------- robust fit */

/* By the squared distances from the motion, by precision: half of them are within the median, whatever the rest is.
 * room: 2 n numbers. */
static double scale_of(const patch_columns *c, double *room) {
    memcpy(room, c->of[SQUARES], c->n * sizeof *room);
    double scale = endo_median(room, room + c->n, c->n) / ENDO_STEP_MEDIAN;
    return scale > 1e-6 ? scale : 1e-6;
}

/* Tissue moves against itself: by so much all patches are trusted less. Columns lie as rules/patch_step.h has them. room:
 * 2 n numbers. */
static void allow_relief(const patch_columns *c, double *room, endo_patch_motion *m) {
    double *columns = c->of[PATCH_X];
    int pitch = (int)c->filled;
    for (size_t i = 0; i < c->n; i++) room[i] = endo_step_relief(columns, pitch, (int)i, m->motion);
    double relief = endo_median(room, room + c->n, c->n);
    m->relief = relief > 0 ? relief : 0;
    for (size_t i = 0; i < c->n && relief > 0; i++)
        endo_step_trust_less(columns, pitch, (int)i, ENDO_STEP_RELIEF_PART * relief);
}

int endo_patch_fit(endo_cpu cpu, endo_patch *patches, size_t n, endo_transform_class kind, double *room,
                   endo_patch_motion *out) {
    int numbers = endo_motion_numbers(kind);
    endo_cpu set = endo_simd_best(cpu);
    endo_patch_motion m = {.scale = 1};
    patch_columns c;
    moments sums;
    if (n < 3) return 0;
    fill_columns(patches, n, room, &c);
    for (int round = 0; round < ENDO_STEP_ROUNDS; round++) {
        double lower[ENDO_MOTION][ENDO_MOTION];
        if (round == ENDO_STEP_RELIEF_ROUND && m.scale > ENDO_STEP_RELIEF_FROM)
            allow_relief(&c, room + COLUMNS * c.filled, &m);
        if (round > 0) {
            misfits[set](&c, m.motion);
            m.scale = scale_of(&c, room + COLUMNS * c.filled);
        }
        sums_of[set](&c, ENDO_STEP_REACH * m.scale, &sums);
        take_moments(&sums, &m);
        if (!endo_cholesky(*m.normal, ENDO_MOTION, numbers, *lower)) return 0;
        endo_cholesky_solve(*lower, ENDO_MOTION, numbers, m.right, m.motion);
    }
    for (size_t i = 0; i < n; i++) patches[i].weight = c.of[WEIGHT][i];
    m.share = m.share > ENDO_STEP_LEAST_SHARE * m.whole ? m.share / m.whole : ENDO_STEP_LEAST_SHARE;
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
    const double(*normal)[ENDO_MOTION] = m->normal;
    double right[ENDO_MOTION], lower[ENDO_MOTION][ENDO_MOTION], squares = m->squares;
    for (int i = 0; i < ENDO_MOTION; i++) {
        right[i] = m->right[i];
        for (int k = 0; k < ENDO_MOTION; k++) right[i] -= (k <= i ? normal[i][k] : normal[k][i]) * start[k];
        squares -= start[i] * (m->right[i] + right[i]);
    }
    if (!endo_cholesky(*normal, ENDO_MOTION, numbers, *lower)) return INFINITY;
    endo_cholesky_solve(*lower, ENDO_MOTION, numbers, right, motion);
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
    double lower[ENDO_MOTION][ENDO_MOTION], inverse[ENDO_MOTION][ENDO_MOTION] = {{0}};
    int n = endo_motion_numbers(kind);
    if (!endo_cholesky(*m->normal, ENDO_MOTION, n, *lower)) return NAN;
    endo_cholesky_invert(*lower, ENDO_MOTION, n, *inverse);
    /* Means of x^2 and y^2 over the frame; what is odd in x or y has none. */
    double xx = width / side * (width / side) / 12, yy = height / side * (height / side) / 12;
    double sum = inverse[0][0] + inverse[1][1] + (xx + yy) * (inverse[2][2] + inverse[3][3] + inverse[4][4] + inverse[5][5]);
    sum += 2 * (xx - yy) * (inverse[2][5] + inverse[3][4]);
    return sum / 2;
}
