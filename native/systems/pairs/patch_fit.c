#include "patch_fit.h"

#include "base/math/cholesky.h"
#include "robust_fit.h"

#include <math.h>
#include <string.h>

_Static_assert(ROBUST_WORKSPACE(0, 0) == ENDO_PATCH_FIT_WORKSPACE(0), "workspace without further parameters");

/* Two numbers at a time, each by itself: the same bits as one after the other. */
typedef double two __attribute__((vector_size(16)));

/* ---------------------------------------------------------------- a patch */

/* Numbers of a pixel: gradients along and down, intensities, position. */
enum { ALONG, DOWN, REFERENCE, CURRENT, SEEN, X = SEEN, Y };

/* The sums of two patches, or of one twice: each is computed by itself, with the same bits as alone. */
typedef const endo_patch_sums *sums_of_two[2];

/* n times the sum of the products of numbers i <= k about their means: integers below 2^42, so nothing is rounded. */
static two covariance(const sums_of_two s, int i, int k) {
    int at = i * ENDO_PATCH_NUMBERS - i * (i - 1) / 2 + k - i;
    two product = {s[0]->product[at], s[1]->product[at]}, n = {s[0]->n, s[1]->n};
    return product * n - (two){s[0]->sum[i], s[1]->sum[i]} * (two){s[0]->sum[k], s[1]->sum[k]};
}

/* Sums of the products of gradients and intensities, i <= k, times n, with linear ramps across the patch taken out by
 * regression: at this size a ramp is more often the light's than the scene's. */
typedef struct level_sums {
    two of[SEEN][SEEN];
} level_sums;

/* The sums of the numbers from `first` on, without linear ramps. */
static inline void take_slopes_out(const sums_of_two s, int first, level_sums *l) {
    two xx = covariance(s, X, X), xy = covariance(s, X, Y), yy = covariance(s, Y, Y);
    two inverse = 1 / (xx * yy - xy * xy), across[SEEN], down[SEEN];
    for (int i = first; i < SEEN; i++) {
        across[i] = covariance(s, i, X);
        down[i] = covariance(s, i, Y);
    }
    for (int i = first; i < SEEN; i++)
        for (int k = i; k < SEEN; k++) {
            two mixed = across[i] * down[k] + down[i] * across[k];
            two slopes = (yy * across[i] * across[k] - xy * mixed + xx * down[i] * down[k]) * inverse;
            l->of[i][k] = covariance(s, i, k) - slopes;
        }
}

/* Whether patch k of the two can be measured. A variance of smoothed values below that of a quarter of a grey level is
 * none. Half of the pixels, which must count, never lie on one line. */
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

/* Under the true map C = gain R + offset + a ramp; a shift d of what C shows adds -gain (gx dx + gy dy) / 2. With R taken
 * out of everything by regression, two unknowns are left. */
typedef struct regression {
    two xx, xy, yy, determinant; /* sums of the gradients' products, times n */
    two p, q, gain;              /* regression coefficients of C: by the gradients along and down, by R */
    two left;                    /* n times the sum of squares of C that stays unexplained */
} regression;

static regression regress(const level_sums *l) {
    two rr = l->of[REFERENCE][REFERENCE], cc = l->of[CURRENT][CURRENT], rc = l->of[REFERENCE][CURRENT], part = 1 / rr;
    two xr = l->of[ALONG][REFERENCE], yr = l->of[DOWN][REFERENCE], xr_part = xr * part, yr_part = yr * part;
    regression g = {.xx = l->of[ALONG][ALONG] - xr * xr_part, .xy = l->of[ALONG][DOWN] - xr_part * yr,
                    .yy = l->of[DOWN][DOWN] - yr * yr_part};
    two xc = l->of[ALONG][CURRENT] - xr_part * rc, yc = l->of[DOWN][CURRENT] - yr_part * rc;
    g.determinant = g.xx * g.yy - g.xy * g.xy;
    two whole = 1 / g.determinant;
    g.p = (g.yy * xc - g.xy * yc) * whole;
    g.q = (g.xx * yc - g.xy * xc) * whole;
    g.gain = (rc - g.p * xr - g.q * yr) * part;
    g.left = cc - rc * part * rc - g.p * xc - g.q * yc;
    return g;
}

/* The shift and precision of patch k of the two; 0: it has none. */
static int conclude(const endo_patch_sums *s, int side, const level_sums *l, const regression *g, int k, endo_patch *patch) {
    double rr = l->of[REFERENCE][REFERENCE][k], cc = l->of[CURRENT][CURRENT][k], rc = l->of[REFERENCE][CURRENT][k];
    double gain = g->gain[k], left = g->left[k];
    if (!has_texture(s, side, l, k)) return 0;
    if (!(g->determinant[k] > 1e-6 * g->xx[k] * g->yy[k]) || !(gain > 0.1)) return 0;
    double n = s->n, noise = (left > 0 ? left : 0) / (n * (n - 6)) + 1;
    double f = gain * gain / (4 * n * noise), back = -2 / gain;
    patch->dx = back * g->p[k];
    patch->dy = back * g->q[k];
    patch->xx = f * g->xx[k];
    patch->xy = f * g->xy[k];
    patch->yy = f * g->yy[k];
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

/* Order of the sums. */
enum { BY_ONE, BY_X, BY_Y, BY_XX, BY_XY, BY_YY };

/* The lower half of the normal equations: products of the derivatives by the parameters, in the metric of the precisions. */
static void set_normal(const robust_sums *s, double m[ENDO_MOTION][ENDO_MOTION]) {
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

static void take_sums(const robust_sums *s, endo_patch_motion *m) {
    const double *a = s->along, *d = s->down;
    const double right[ENDO_MOTION] = {a[BY_ONE],           d[BY_ONE],           d[BY_X] - a[BY_Y],
                                       a[BY_X] + d[BY_Y], a[BY_X] - d[BY_Y], a[BY_Y] + d[BY_X]};
    set_normal(s, m->normal);
    memcpy(m->right, right, sizeof right);
    m->squares = s->squares;
    m->weights = s->weights;
    m->share = s->share;
    m->whole = s->whole;
}

/* -------------------------------------------------------------- robust fit */

static void fill_columns(const endo_patch *patches, robust_fit *f) {
    for (size_t i = 0; i < f->n; i++) {
        const endo_patch *p = &patches[i];
        f->of[ROBUST_X][i] = p->x;
        f->of[ROBUST_Y][i] = p->y;
        f->of[ROBUST_DX][i] = p->dx;
        f->of[ROBUST_DY][i] = p->dy;
        f->of[ROBUST_XX][i] = p->xx;
        f->of[ROBUST_XY][i] = p->xy;
        f->of[ROBUST_YY][i] = p->yy;
        f->of[ROBUST_NOISE][i] = p->noise;
    }
}

/* The affine parameters of a motion, which moves (x, y) by: shift, turn (-y, x), growth (x, y), shears (x, -y) and (y, x). */
static void set_numbers(const double m[ENDO_MOTION], double numbers[ROBUST_MOST]) {
    numbers[0] = m[0];
    numbers[1] = m[3] + m[4];
    numbers[2] = m[5] - m[2];
    numbers[3] = m[1];
    numbers[4] = m[5] + m[2];
    numbers[5] = m[3] - m[4];
}

int endo_patch_fit(endo_cpu cpu, endo_patch *patches, size_t n, endo_transform_class kind, double *workspace,
                   endo_patch_motion *out) {
    int numbers = endo_motion_numbers(kind);
    endo_patch_motion m = {.scale = 1};
    robust_fit f;
    if (n < 3) return 0;
    robust_fit_begin(&f, cpu, n, 0, workspace);
    fill_columns(patches, &f);
    for (int round = 0; round < ENDO_STEP_ROUNDS; round++) {
        double lower[ENDO_MOTION][ENDO_MOTION];
        if (round == ENDO_STEP_RELIEF_ROUND) robust_fit_measure(&f); /* relief is in the last residuals */
        robust_fit_round(&f, round);
        take_sums(&f.sums, &m);
        if (!endo_cholesky(*m.normal, ENDO_MOTION, numbers, *lower)) return 0;
        endo_cholesky_solve(*lower, ENDO_MOTION, numbers, m.right, m.motion);
        set_numbers(m.motion, f.parameters);
    }
    robust_fit_weigh(&f, patches);
    m.scale = f.scale;
    m.relief = f.relief;
    m.share = robust_fit_share(&f.sums);
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

/* Residual sum of squares of a class, from its start; the quadratic form gives it without measuring again. */
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

/* Penalty of a parameter, as a multiple of BIC's. */
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
        least = cost;
        best = (endo_transform_class)kind;
        memcpy(motion, step, sizeof step);
    }
    return best;
}

/* --------------------------------------------------------------- deviation */

double endo_patch_variance(const endo_patch_motion *m, endo_transform_class kind, int width, int height, double half) {
    double lower[ENDO_MOTION][ENDO_MOTION], inverse[ENDO_MOTION][ENDO_MOTION] = {{0}};
    int n = endo_motion_numbers(kind);
    if (!endo_cholesky(*m->normal, ENDO_MOTION, n, *lower)) return NAN;
    endo_cholesky_invert(*lower, ENDO_MOTION, n, *inverse);
    /* Means of x^2 and y^2 over the frame; those of odd powers are 0. */
    double xx = width / half * (width / half) / 12, yy = height / half * (height / half) / 12;
    double sum = inverse[0][0] + inverse[1][1] + (xx + yy) * (inverse[2][2] + inverse[3][3] + inverse[4][4] + inverse[5][5]);
    sum += 2 * (xx - yy) * (inverse[2][5] + inverse[3][4]);
    return sum / 2;
}
