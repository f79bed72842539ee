/* One step of the refinement of a pair: the positions of its patches under the map (systems/pairs/patch_grid.h), their
 * displacements from their sums (rules/patches.h), and the robust fit of a class of motions to these
 * (systems/pairs/patch_fit.h). Devices use these functions, which compute number by number in a fixed order of sums; the vector
 * code of the CPU gives the same bits. */
#ifndef ENDO_RULES_PATCH_STEP_H
#define ENDO_RULES_PATCH_STEP_H

#include "base/transform.h"
#include "patches.h"

/* Numbers of an affine motion: shift in x and y, rotation, growth, and two shears (x, -y) and (y, x), px at the distance
 * `half` from the middle of the frame. The motions of a simpler class have the first ones. */
#define ENDO_MOTION 6

/* The displacement of a patch. */
typedef struct endo_patch {
    double x, y;           /* its centre from the middle of the frame, over `half` */
    double dx, dy;         /* displacement of its content from where the map takes it, px of the reference */
    double xx, xy, yy;     /* the precision of dx and dy: the inverse of their covariance, px^-2 */
    double coefficient;    /* correlation of the intensities under the map, -1..1 */
    double noise;          /* the largest share of noise of the reference's gradients in xx + yy, px^-2, >= 0 */
    double weight;         /* in the last fit, 0..1 */
} endo_patch;

/* A fitted motion, with its normal equations. */
typedef struct endo_patch_motion {
    double motion[ENDO_MOTION];
    double normal[ENDO_MOTION][ENDO_MOTION]; /* lower half, of all six numbers, weighted */
    double right[ENDO_MOTION];               /* right side, weighted */
    double squares; /* sum of the weighted squared displacements, by the patches' precision */
    double weights; /* sum of the weights */
    double scale;   /* squared distances over those that the patches' precision predicts */
    double whole;   /* sum of the patches' precisions, weighted */
    double relief;  /* variance along each axis, px^2, by which tissue moves against itself; 0: none was found */
    double share;   /* share of the precision that is not noise of the reference's gradients; a step covers this share of
                       the remaining distance; LEAST_SHARE..1 */
} endo_patch_motion;

/* Patches of one level, the same for every pair of a call. */
typedef struct endo_step_setup {
    int32_t level, side;
    int32_t n;                /* number of patches */
    int32_t is_scored;        /* 0: scores are 1 */
    const int32_t *positions; /* first pixels, x and y interleaved: px of the level */
    double middle[2];         /* middle of the frame, px */
    double half;              /* half of its longer side, px */
} endo_step_setup;

/* A pair to be refined by one step. */
typedef struct endo_step_request {
    int32_t reference, current;
    int32_t kind; /* endo_transform_class of the motion that is fitted, no homography */
    int32_t unused;
    double map[6]; /* reference -> current, px of the whole frames */
} endo_step_request;

/* How improbable the intensities of all patches are under the map: the product of the shares of their variances that it does
 * not explain, mantissa * 2^(ENDO_SCORE_BITS * exponent). */
typedef struct endo_score {
    double mantissa;
    int64_t exponent; /* <= 0 */
} endo_score;

/* The result of a step; where nothing was fitted all of it is 0 but the score. */
typedef struct endo_step_result {
    int64_t is_fitted;
    endo_score score;
    endo_patch_motion motion;
} endo_step_result;

/* -------------------------------------------------------------------- asking */

/* Conversions between a coordinate of a level and px of the whole frame. */
ENDO_HD double endo_level_up(int level, double at) {
    double scale = (double)(1 << level);
    return scale * at + (scale - 1) / 2;
}

ENDO_HD double endo_level_down(int level, double at) {
    double scale = (double)(1 << level);
    return (at - (scale - 1) / 2) / scale;
}

/* A number within +-most with 16 fractional bits, rounded: cut towards zero, and one less where that was up. */
ENDO_HD int32_t endo_fixed16(double v, double most) {
    double wanted = (v > most ? most : v > -most ? v : -most) * 65536 + 0.5;
    int32_t whole = (int32_t)wanted;
    return whole - (wanted < whole);
}

/* The middle of a patch, px of the whole frame. */
ENDO_HD void endo_step_middle(const endo_step_setup *s, const int32_t position[2], double to[2]) {
    for (int k = 0; k < 2; k++) to[k] = endo_level_up(s->level, position[k] + (s->side - 1) / 2.0);
}

/* The request of a patch, exact in its middle, so that the rounding of the steps has no bias. */
ENDO_HD endo_patch_request endo_step_ask(const endo_step_setup *s, const endo_step_request *q, const int32_t position[2]) {
    const double *m = q->map;
    endo_patch_request r = {q->reference, q->current, s->level, position[0], position[1], {0, 0},
                            {endo_fixed16(m[0], 8), endo_fixed16(m[3], 8), endo_fixed16(m[1], 8), endo_fixed16(m[4], 8)}};
    double to[2], middle = (s->side - 1) / 2.0;
    endo_step_middle(s, position, to);
    endo_affine_apply(m, to[0], to[1], &to[0], &to[1]);
    for (int k = 0; k < 2; k++)
        r.at[k] = endo_fixed16(endo_level_down(s->level, to[k]) + 0 - middle * (r.step[k] + r.step[2 + k]) / 65536, 16000);
    return r;
}

/* ---------------------------------------------------------------- measuring */

/* Numbers of a pixel without its position. */
enum { ENDO_STEP_ALONG, ENDO_STEP_DOWN, ENDO_STEP_REFERENCE, ENDO_STEP_CURRENT, ENDO_STEP_SEEN };

/* n times the sum of the products of numbers i <= k about their means. */
ENDO_HD double endo_step_covariance(const endo_patch_sums *s, int i, int k) {
    int at = i * ENDO_PATCH_NUMBERS - i * (i - 1) / 2 + k - i;
    double product = s->product[at], n = s->n, one = s->sum[i], other = s->sum[k];
    return product * n - one * other;
}

/* Covariances of the numbers of a patch, after the regression on the position in the patch. */
ENDO_HD void endo_step_level(const endo_patch_sums *s, double of[ENDO_STEP_SEEN][ENDO_STEP_SEEN]) {
    const int x = ENDO_STEP_SEEN, y = ENDO_STEP_SEEN + 1;
    double xx = endo_step_covariance(s, x, x), xy = endo_step_covariance(s, x, y), yy = endo_step_covariance(s, y, y);
    double inverse = 1 / (xx * yy - xy * xy), across[ENDO_STEP_SEEN], down[ENDO_STEP_SEEN];
    for (int i = 0; i < ENDO_STEP_SEEN; i++) {
        across[i] = endo_step_covariance(s, i, x);
        down[i] = endo_step_covariance(s, i, y);
    }
    for (int i = 0; i < ENDO_STEP_SEEN; i++)
        for (int k = i; k < ENDO_STEP_SEEN; k++) {
            double mixed = across[i] * down[k] + down[i] * across[k];
            double slopes = (yy * across[i] * across[k] - xy * mixed + xx * down[i] * down[k]) * inverse;
            of[i][k] = endo_step_covariance(s, i, k) - slopes;
        }
}

/* Mean square of the difference of two pixels two apart over the variance, for white noise smoothed by (1 2 1) / 4. */
#define ENDO_GRADIENT_NOISE (5.0 / 3)

/* The displacement of a patch in px of its level, without x, y and weight; 0: the sums do not determine it. */
ENDO_HD int endo_step_measure(const endo_patch_sums *s, int side, endo_patch *patch) {
    double l[ENDO_STEP_SEEN][ENDO_STEP_SEEN], n = s->n, least = n * n;
    endo_step_level(s, l);
    double rr = l[ENDO_STEP_REFERENCE][ENDO_STEP_REFERENCE], cc = l[ENDO_STEP_CURRENT][ENDO_STEP_CURRENT];
    double rc = l[ENDO_STEP_REFERENCE][ENDO_STEP_CURRENT], inverse = 1 / rr;
    double xr = l[ENDO_STEP_ALONG][ENDO_STEP_REFERENCE], yr = l[ENDO_STEP_DOWN][ENDO_STEP_REFERENCE];
    double xr_scaled = xr * inverse, yr_scaled = yr * inverse;
    double xx = l[ENDO_STEP_ALONG][ENDO_STEP_ALONG] - xr * xr_scaled, xy = l[ENDO_STEP_ALONG][ENDO_STEP_DOWN] - xr_scaled * yr;
    double yy = l[ENDO_STEP_DOWN][ENDO_STEP_DOWN] - yr * yr_scaled;
    double xc = l[ENDO_STEP_ALONG][ENDO_STEP_CURRENT] - xr_scaled * rc;
    double yc = l[ENDO_STEP_DOWN][ENDO_STEP_CURRENT] - yr_scaled * rc;
    double determinant = xx * yy - xy * xy, whole = 1 / determinant;
    double p = (yy * xc - xy * yc) * whole, q = (xx * yc - xy * xc) * whole;
    double gain = (rc - p * xr - q * yr) * inverse, left = cc - rc * inverse * rc - p * xc - q * yc;
    if (!(2 * s->n >= side * side && rr >= least && cc >= least)) return 0;
    if (!(determinant > 1e-6 * xx * yy) || !(gain > 0.1)) return 0;
    double noise = (left > 0 ? left : 0) / (n * (n - 6)) + 1, f = gain * gain / (4 * n * noise), back = -2 / gain;
    patch->dx = back * p;
    patch->dy = back * q;
    patch->xx = f * xx;
    patch->xy = f * xy;
    patch->yy = f * yy;
    patch->coefficient = rc / sqrt(rr * cc);
    patch->noise = f * 2 * ENDO_GRADIENT_NOISE * rr * (1 - patch->coefficient);
    return 1;
}

/* The displacement of a patch in px of the whole frame, with its position; 0: the sums do not determine it. */
ENDO_HD int endo_step_patch(const endo_step_setup *s, const endo_patch_sums *sums, const int32_t position[2], endo_patch *p) {
    double scale = (double)(1 << s->level), precision = 1 / (scale * scale), at[2];
    if (!endo_step_measure(sums, s->side, p)) return 0;
    endo_step_middle(s, position, at);
    p->x = (at[0] - s->middle[0]) / s->half;
    p->y = (at[1] - s->middle[1]) / s->half;
    p->dx *= scale;
    p->dy *= scale;
    p->xx *= precision;
    p->xy *= precision;
    p->yy *= precision;
    p->noise *= precision;
    return 1;
}

#define ENDO_SCORE_BITS 512

ENDO_HD endo_score endo_score_begin(void) {
    endo_score s = {1, 0};
    return s;
}

/* Multiplies a score by the unexplained share of a patch; patches without correlation do not count. */
ENDO_HD void endo_score_add(endo_score *s, double coefficient) {
    if (!(coefficient > 0)) return;
    s->mantissa *= 1 - 0.999 * coefficient * coefficient;
    if (s->mantissa > 0x1p-512) return;
    s->mantissa *= 0x1p512;
    s->exponent--;
}

/* ------------------------------------------------------------------- fitting */

/* Columns of the patches' numbers; the columns of squared distances and weights follow. */
enum {
    ENDO_STEP_X, ENDO_STEP_Y, ENDO_STEP_DX, ENDO_STEP_DY, ENDO_STEP_XX, ENDO_STEP_XY, ENDO_STEP_YY, ENDO_STEP_NOISE,
    ENDO_STEP_WEIGHT, ENDO_STEP_COLUMNS
};

#define ENDO_STEP_ROUNDS 6
/* The median of a squared distance in the plane, of deviation 1. */
#define ENDO_STEP_MEDIAN 1.3862943611198906
/* Tukey's limit, deviations squared, beyond which a patch does not count. In the plane 99 % lie within half of it. */
#define ENDO_STEP_REACH 18.0
/* Least value of endo_patch_motion.share. */
#define ENDO_STEP_LEAST_SHARE 0.05

/* Squared distance of patch i from the motion, by its precision; column k begins at c + k * pitch. */
ENDO_HD double endo_step_misfit(const double *c, int pitch, int i, const double m[ENDO_MOTION]) {
    double x = c[ENDO_STEP_X * pitch + i], y = c[ENDO_STEP_Y * pitch + i];
    double xx = m[3] + m[4], xy = m[5] - m[2], yx = m[5] + m[2], yy = m[3] - m[4];
    double dx = c[ENDO_STEP_DX * pitch + i] - (m[0] + xx * x + xy * y);
    double dy = c[ENDO_STEP_DY * pitch + i] - (m[1] + yx * x + yy * y);
    return c[ENDO_STEP_XX * pitch + i] * dx * dx + 2 * c[ENDO_STEP_XY * pitch + i] * dx * dy +
           c[ENDO_STEP_YY * pitch + i] * dy * dy;
}

/* The round of the fit in which relief is measured: tissue that moves against itself leaves larger distances than the errors
 * of the patches, whatever their texture. From then on a share of it is added to the variance of every patch. */
#define ENDO_STEP_RELIEF_ROUND 3
/* There is relief if the median of the squared distances is more than so many times the expected one. */
#define ENDO_STEP_RELIEF_FROM 4.0
#define ENDO_STEP_RELIEF_SHARE 0.1
/* Added to a sum that may be 0 and is divided by; too small to change any other. */
#define ENDO_STEP_NOTHING 1e-300

/* The variance along each axis that would reduce the distance of patch i to where relief begins; below zero where it is
 * smaller already. The distance is taken to decrease as that of a patch with equal errors on all axes. */
ENDO_HD double endo_step_relief(const double *c, int pitch, int i, const double m[ENDO_MOTION]) {
    double x = c[ENDO_STEP_X * pitch + i], y = c[ENDO_STEP_Y * pitch + i];
    double xx = m[3] + m[4], xy = m[5] - m[2], yx = m[5] + m[2], yy = m[3] - m[4];
    double dx = c[ENDO_STEP_DX * pitch + i] - (m[0] + xx * x + xy * y);
    double dy = c[ENDO_STEP_DY * pitch + i] - (m[1] + yx * x + yy * y);
    double along = c[ENDO_STEP_XX * pitch + i] * dx + c[ENDO_STEP_XY * pitch + i] * dy;
    double down = c[ENDO_STEP_XY * pitch + i] * dx + c[ENDO_STEP_YY * pitch + i] * dy;
    double square = along * dx + down * dy, slope = along * along + down * down + ENDO_STEP_NOTHING;
    return (square / (ENDO_STEP_MEDIAN * ENDO_STEP_RELIEF_FROM) - 1) * square / slope;
}

/* Adds a variance along each axis to patch i; noise stays the same share of the precision. */
ENDO_HD void endo_step_trust_less(double *c, int pitch, int i, double variance) {
    double p = c[ENDO_STEP_XX * pitch + i], q = c[ENDO_STEP_XY * pitch + i], r = c[ENDO_STEP_YY * pitch + i];
    double grown = variance * (p * r - q * q), sum = p + r, inverse = 1 / (1 + variance * (sum + grown));
    double xx = (p + grown) * inverse, yy = (r + grown) * inverse;
    c[ENDO_STEP_XX * pitch + i] = xx;
    c[ENDO_STEP_XY * pitch + i] = q * inverse;
    c[ENDO_STEP_YY * pitch + i] = yy;
    c[ENDO_STEP_NOISE * pitch + i] *= (xx + yy) / (sum + ENDO_STEP_NOTHING);
}

ENDO_HD double endo_step_scale(double median) {
    double scale = median / ENDO_STEP_MEDIAN;
    return scale > 1e-6 ? scale : 1e-6;
}

/* Tukey's weight of a squared distance; reach: the largest one that counts. */
ENDO_HD double endo_step_weight(double square, double reach) {
    double far = square / reach, less = 1 - far;
    return far < 1 ? less * less : 0;
}

/* Moments, sums over patches: of their precisions xx, xy and yy, each times 1, x, y, x x, x y and y y; of the products of
 * precision and displacement, along and down, times 1, x and y; of squares, weights, precisions without noise, and precisions.
 * Each is summed in four lanes, patch by patch, and these are added in pairs. */
#define ENDO_STEP_MOMENTS 28
#define ENDO_STEP_LANES 4

/* The term of patch i in a moment k < 18: a precision (column) times two of 1, x and y. */
ENDO_HD double endo_step_spread(const double *c, int pitch, int i, int column, double one, double other) {
    return c[ENDO_STEP_WEIGHT * pitch + i] * c[column * pitch + i] * (one * other);
}

/* The term of patch i in a moment 18 <= k < 24: the product of its precisions (columns) and displacement, times 1, x or y. */
ENDO_HD double endo_step_pull(const double *c, int pitch, int i, int column, int other, double factor) {
    double w = c[ENDO_STEP_WEIGHT * pitch + i], dx = c[ENDO_STEP_DX * pitch + i], dy = c[ENDO_STEP_DY * pitch + i];
    return (w * c[column * pitch + i] * dx + w * c[other * pitch + i] * dy) * factor;
}

/* The factor 1, x or y of patch i. */
ENDO_HD double endo_step_factor_of(const double *c, int pitch, int i, int which) {
    return which == 0 ? 1 : c[(which == 1 ? ENDO_STEP_X : ENDO_STEP_Y) * pitch + i];
}

/* The term of patch i in moment k. */
ENDO_HD double endo_step_term(const double *c, int pitch, int i, int k) {
    double w = c[ENDO_STEP_WEIGHT * pitch + i], whole = c[ENDO_STEP_XX * pitch + i] + c[ENDO_STEP_YY * pitch + i];
    if (k < 18) {
        int of = k % 6, first = of < 3 ? of : of < 5 ? 1 : 2, second = of < 3 ? 0 : of == 3 ? 1 : 2;
        return endo_step_spread(c, pitch, i, ENDO_STEP_XX + k / 6, endo_step_factor_of(c, pitch, i, first),
                                endo_step_factor_of(c, pitch, i, second));
    }
    if (k < 24) {
        int column = k < 21 ? ENDO_STEP_XX : ENDO_STEP_XY;
        return endo_step_pull(c, pitch, i, column, column + 1, endo_step_factor_of(c, pitch, i, k % 3));
    }
    if (k == 24)
        return endo_step_pull(c, pitch, i, ENDO_STEP_XX, ENDO_STEP_XY, c[ENDO_STEP_DX * pitch + i]) +
               endo_step_pull(c, pitch, i, ENDO_STEP_XY, ENDO_STEP_YY, c[ENDO_STEP_DY * pitch + i]);
    return k == 25 ? w : w * (k == 26 ? whole - c[ENDO_STEP_NOISE * pitch + i] : whole);
}

/* Indices of the moments of a precision. */
enum { ENDO_BY_ONE, ENDO_BY_X, ENDO_BY_Y, ENDO_BY_XX, ENDO_BY_XY, ENDO_BY_YY };

/* Sets up the normal equations from the moments. */
ENDO_HD void endo_step_take(const double *s, endo_patch_motion *out) {
    const double *p = s, *q = s + 6, *r = s + 12, *a = s + 18, *d = s + 21;
    double(*m)[ENDO_MOTION] = out->normal;
    const int one = ENDO_BY_ONE, x = ENDO_BY_X, y = ENDO_BY_Y, xx = ENDO_BY_XX, xy = ENDO_BY_XY, yy = ENDO_BY_YY;
    m[0][0] = p[one];
    m[1][0] = q[one];
    m[1][1] = r[one];
    m[2][0] = q[x] - p[y];
    m[2][1] = r[x] - q[y];
    m[2][2] = p[yy] - 2 * q[xy] + r[xx];
    m[3][0] = p[x] + q[y];
    m[3][1] = q[x] + r[y];
    m[3][2] = q[xx] - q[yy] + r[xy] - p[xy];
    m[3][3] = p[xx] + 2 * q[xy] + r[yy];
    m[4][0] = p[x] - q[y];
    m[4][1] = q[x] - r[y];
    m[4][2] = q[xx] + q[yy] - r[xy] - p[xy];
    m[4][3] = p[xx] - r[yy];
    m[4][4] = p[xx] - 2 * q[xy] + r[yy];
    m[5][0] = p[y] + q[x];
    m[5][1] = q[y] + r[x];
    m[5][2] = r[xx] - p[yy];
    m[5][3] = q[xx] + q[yy] + p[xy] + r[xy];
    m[5][4] = q[xx] - q[yy] + p[xy] - r[xy];
    m[5][5] = p[yy] + 2 * q[xy] + r[xx];
    out->right[0] = a[one];
    out->right[1] = d[one];
    out->right[2] = d[x] - a[y];
    out->right[3] = a[x] + d[y];
    out->right[4] = a[x] - d[y];
    out->right[5] = a[y] + d[x];
    out->squares = s[24];
    out->weights = s[25];
    out->share = s[26];
    out->whole = s[27];
}

/* The decomposition of base/math/cholesky.h with loops of constant length, so that a device can keep all of it in
 * registers: the lower triangle of the first n rows, column by column, so that all divisions by one pivot are together.
 * 0: the equations are not (well) determined. */
ENDO_HD int endo_step_factor(double normal[ENDO_MOTION][ENDO_MOTION], int n, double lower[ENDO_MOTION][ENDO_MOTION]) {
    for (int k = 0; k < ENDO_MOTION; k++) {
        double pivot = normal[k][k];
        if (k >= n) continue;
        for (int j = 0; j < k; j++) pivot -= lower[k][j] * lower[k][j];
        if (!(pivot > 1e-9 * normal[k][k])) return 0;
        lower[k][k] = sqrt(pivot);
        for (int i = k + 1; i < ENDO_MOTION; i++) {
            double v = normal[i][k];
            for (int j = 0; j < k; j++) v -= lower[i][j] * lower[k][j];
            lower[i][k] = v / lower[k][k];
        }
    }
    return 1;
}

ENDO_HD void endo_step_solve(double lower[ENDO_MOTION][ENDO_MOTION], int n, const double right[ENDO_MOTION],
                             double out[ENDO_MOTION]) {
    for (int i = 0; i < ENDO_MOTION; i++) {
        double v = right[i];
        for (int k = 0; k < i; k++) v -= i < n ? lower[i][k] * out[k] : 0;
        out[i] = i < n ? v / lower[i][i] : 0;
    }
    for (int i = ENDO_MOTION - 1; i >= 0; i--) {
        for (int k = i + 1; k < ENDO_MOTION; k++) out[i] -= k < n ? lower[k][i] * out[k] : 0;
        if (i < n) out[i] /= lower[i][i];
    }
}

/* The number of the six numbers that a class has. */
ENDO_HD int endo_step_numbers(int kind) {
    if (kind == ENDO_TRANSFORM_TRANSLATION) return 2;
    return kind == ENDO_TRANSFORM_RIGID ? 3 : kind == ENDO_TRANSFORM_SIMILARITY ? 4 : 6;
}

#endif
