/* A robust fit (robust_fit.h) in the current frame, with two or three parameters beside the affine ones. */
#include "distortion_fit.h"

#include "base/math/cholesky.h"
#include "robust_fit.h"

#include <math.h>
#include <string.h>

_Static_assert(ROBUST_WORKSPACE(0, 3) == ENDO_DISTORTION_WORKSPACE(0), "workspace with three further parameters");

/* Noise in the reference's gradients shortens the shift of a patch, to this share of it at least as far as it is corrected.
 * Noise grows where the light falls off, which is where perspective and lenses show most. */
#define LEAST_SHARE 0.3

/* --------------------------------------------------------------- equations */

/* The lower half of the normal equations, and their right side. */
static void set_equations(const robust_sums *s, int more, double m[][ENDO_DISTORTION_MOST], double *right) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; /* among the products of 1, x and y */
    for (int i = 0; i < 3; i++) {
        right[i] = s->along[i];
        right[3 + i] = s->down[i];
        for (int k = 0; k < 3; k++) {
            m[i][k] = s->xx[at[i][k]];
            m[3 + i][k] = s->xy[at[i][k]];
            m[3 + i][3 + k] = s->yy[at[i][k]];
        }
    }
    for (int k = 0; k < more; k++) {
        double *row = m[ENDO_DISTORTION_AFFINE + k];
        for (int i = 0; i < 3; i++) {
            row[i] = s->more_along[k][i];
            row[3 + i] = s->more_down[k][i];
        }
        right[ENDO_DISTORTION_AFFINE + k] = s->pulls[k];
        for (int i = 0; i <= k; i++) row[ENDO_DISTORTION_AFFINE + i] = s->products[k * (k + 1) / 2 + i];
    }
}

/* ----------------------------------------------------------------- patches */

/* Determinant of the derivative at or below which a patch is flattened and says nothing. */
#define FLAT 1e-6

/* The patch's shift and precision in the current frame, corrected for the bias by noise. l: the derivative of the map. */
static void move_patch(const endo_patch *p, const double l[4], double column[ROBUST_COLUMNS]) {
    double determinant = l[0] * l[3] - l[1] * l[2], whole = p->xx + p->yy;
    double part = fabs(determinant) > FLAT ? 1 / (determinant * determinant) : 0;
    double a = l[3] * p->xx - l[2] * p->xy, b = l[3] * p->xy - l[2] * p->yy; /* by the inverse's columns */
    double c = l[0] * p->xy - l[1] * p->xx, d = l[0] * p->yy - l[1] * p->xy;
    column[ROBUST_XX] = (a * l[3] - b * l[2]) * part;
    column[ROBUST_XY] = (b * l[0] - a * l[1]) * part;
    column[ROBUST_YY] = (d * l[0] - c * l[1]) * part;
    double share = whole > 0 ? 1 - p->noise / whole : 1;
    share = share > LEAST_SHARE ? share : LEAST_SHARE;
    for (int k = ROBUST_XX; k <= ROBUST_YY; k++) column[k] *= share * share;
    column[ROBUST_NOISE] = (1 - share) * (column[ROBUST_XX] + column[ROBUST_YY]);
    column[ROBUST_DX] = (l[0] * p->dx + l[1] * p->dy) / share;
    column[ROBUST_DY] = (l[2] * p->dx + l[3] * p->dy) / share;
}

/* The columns of the parameters. p: the patch in the reference; q: where the map takes it; l: the derivative there. */
static void distort_patch(const endo_patch *p, const double q[2], const double l[4], double column[ROBUST_COLUMNS]) {
    double far = p->x * p->x + p->y * p->y, to = q[0] * q[0] + q[1] * q[1], x = far * p->x, y = far * p->y;
    column[ROBUST_X] = q[0];
    column[ROBUST_Y] = q[1];
    for (int k = 0; k < 4; k++) column[ROBUST_MORE + k] = q[k / 2] * q[k % 2];
    column[ROBUST_MORE + 4] = to * q[0] - (l[0] * x + l[1] * y);
    column[ROBUST_MORE + 5] = to * q[1] - (l[2] * x + l[3] * y);
}

static void fill_columns(const endo_patch *patches, const endo_transform *map, const double middle[2], double half,
                         robust_fit *f) {
    for (size_t i = 0; i < f->n; i++) {
        double column[ROBUST_COLUMNS] = {0}, x = middle[0] + half * patches[i].x, y = middle[1] + half * patches[i].y;
        endo_transform near = endo_transform_still; /* fails at infinity only, where no patch is seen */
        (void)endo_transform_nearest(map, ENDO_TRANSFORM_AFFINE, x, y, &near);
        const double *m = near.matrix, l[4] = {m[0], m[1], m[3], m[4]};
        double q[2] = {(m[0] * x + m[1] * y + m[2] - middle[0]) / half, (m[3] * x + m[4] * y + m[5] - middle[1]) / half};
        move_patch(&patches[i], l, column);
        distort_patch(&patches[i], q, l, column);
        for (int k = 0; k < ROBUST_MORE + 2 * f->more; k++) f->of[k][i] = column[k];
    }
}

/* --------------------------------------------------------------------- fit */

/* Inverse variance of the lens's prior, px^-2, in the units of the normal equations. */
static double prior_of_lens(double half, double scale) {
    double deviation = half * ENDO_DISTORTION_PRIOR_LENS / ENDO_DISTORTION_ALIKE;
    return scale / (deviation * deviation);
}

int endo_distortion_fit(endo_cpu cpu, endo_patch *patches, size_t n, const endo_transform *map, const double middle[2],
                  double half, endo_distortion_kind kind, double *workspace, endo_distortion *out) {
    int more = kind == ENDO_DISTORTION_PERSPECTIVE ? 2 : 3, numbers = ENDO_DISTORTION_AFFINE + more;
    double normal[ENDO_DISTORTION_MOST][ENDO_DISTORTION_MOST], lower[ENDO_DISTORTION_MOST][ENDO_DISTORTION_MOST];
    double right[ENDO_DISTORTION_MOST];
    endo_distortion b = {.n = numbers};
    robust_fit f;
    if (2 * n <= (size_t)numbers) return 0;
    robust_fit_begin(&f, cpu, n, more, workspace);
    fill_columns(patches, map, middle, half, &f);
    for (int round = 0; round < ENDO_STEP_ROUNDS; round++) {
        robust_fit_round(&f, round);
        set_equations(&f.sums, more, normal, right);
        if (more == 3) normal[numbers - 1][numbers - 1] += b.prior = prior_of_lens(half, f.scale);
        if (!endo_cholesky(*normal, ENDO_DISTORTION_MOST, numbers, *lower)) return 0;
        endo_cholesky_solve(*lower, ENDO_DISTORTION_MOST, numbers, right, f.parameters);
    }
    memcpy(b.parameters, f.parameters, sizeof b.parameters);
    endo_cholesky_invert(*lower, ENDO_DISTORTION_MOST, numbers, *b.covariance);
    b.scale = f.scale;
    b.relief = f.relief;
    b.weights = f.sums.weights;
    b.share = robust_fit_share(&f.sums);
    robust_fit_weigh(&f, patches);
    *out = b;
    return 1;
}

/* --------------------------------------------------------------- deviation */

double endo_distortion_variance(const endo_distortion *b, int width, int height, double half) {
    const double(*c)[ENDO_DISTORTION_MOST] = b->covariance;
    double xx = width / half * (width / half) / 12, yy = height / half * (height / half) / 12; /* means of x^2, y^2 */
    double xxxx = 1.8 * xx * xx, yyyy = 1.8 * yy * yy, xxyy = xx * yy;
    double x = c[0][0] + xx * c[1][1] + yy * c[2][2] + xxxx * c[6][6] + xxyy * c[7][7] + 2 * xx * c[0][6];
    double y = c[3][3] + xx * c[4][4] + yy * c[5][5] + xxyy * c[6][6] + yyyy * c[7][7] + 2 * yy * c[3][7];
    return b->scale * (x + y) / 2;
}

/* Variance of affine parameter i with those of perspective known. */
static double affine_variance(const double c[][ENDO_DISTORTION_MOST], int i) {
    double u = c[i][6], v = c[i][7], uu = c[6][6], uv = c[6][7], vv = c[7][7];
    return c[i][i] - (u * u * vv - 2 * u * v * uv + v * v * uu) / (uu * vv - uv * uv);
}

double endo_distortion_affine_variance(const endo_distortion *b, int width, int height, double half) {
    const double(*c)[ENDO_DISTORTION_MOST] = b->covariance;
    double xx = width / half * (width / half) / 12, yy = height / half * (height / half) / 12, sum = 0;
    for (int i = 0; i < ENDO_DISTORTION_AFFINE; i += 3)
        sum += affine_variance(c, i) + xx * affine_variance(c, i + 1) + yy * affine_variance(c, i + 2);
    return b->scale * sum / 2;
}
