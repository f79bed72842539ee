/* The fit of patch_fit.c (weights, scale and relief are its own) in the current frame, with two or three numbers more. */
#include "bend_fit.h"

#include "base/math/cholesky.h"
#include "base/math/median.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Four patches at a time, as in patch_fit.c: the same bits on every processor. */
#define LANES 4
typedef double four __attribute__((vector_size(32)));
typedef double four_numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long four_masks __attribute__((vector_size(32)));

/* Columns. The first ones lie as rules/patch_step.h has them, for the rules of relief, with what the fit leaves in the
 * place of DX and DY. */
enum {
    PLACE_X = ENDO_STEP_X, PLACE_Y = ENDO_STEP_Y, LEFT_X = ENDO_STEP_DX, LEFT_Y = ENDO_STEP_DY, XX = ENDO_STEP_XX,
    XY = ENDO_STEP_XY, YY = ENDO_STEP_YY, NOISE = ENDO_STEP_NOISE, WEIGHT = ENDO_STEP_WEIGHT, SQUARES, DX, DY,
    MORE, COLUMNS = MORE + 6 /* x and y of each further number */
};
_Static_assert((int)COLUMNS + 2 <= 20, "ENDO_BEND_ROOM");

/* Noise in the reference's gradients makes a patch say that it has to go by less than it has, by this share at least; as far
 * as that is made up for. Noise is more where the light falls off, and there lies what bends. */
#define LEAST_SHARE 0.3

typedef struct columns {
    double *of[COLUMNS], *rest; /* 2 n numbers beyond them */
    size_t n, filled;
} columns;

/* Sums over patches: as in patch_fit.c, and of each further number's column, in the metric of the precisions, along and
 * down times 1, x and y; times the columns of itself and of those before; times the shifts. */
typedef struct moments {
    double xx[6], xy[6], yy[6];
    double along[3], down[3];
    double weights, share, whole;
    double more_along[3][3], more_down[3][3], products[6], pulls[3];
} moments;
#define MOMENTS (sizeof(moments) / sizeof(double))

#define READ(c, which, i) (*(const four_numbers *)((c)->of[which] + (i)))
#define WRITE(c, which, i) (*(four_numbers *)((c)->of[which] + (i)))

/* What m leaves, and its square by the precisions. */
ENDO_SIMD_INLINE void measure_misfits(const columns *c, int more, const double m[ENDO_BEND_NUMBERS]) {
    for (size_t i = 0; i < c->filled; i += LANES) {
        four x = READ(c, PLACE_X, i), y = READ(c, PLACE_Y, i);
        four dx = READ(c, DX, i) - (m[0] + m[1] * x + m[2] * y), dy = READ(c, DY, i) - (m[3] + m[4] * x + m[5] * y);
        for (int k = 0; k < more; k++) {
            dx -= m[ENDO_BEND_AFFINE + k] * READ(c, MORE + 2 * k, i);
            dy -= m[ENDO_BEND_AFFINE + k] * READ(c, MORE + 2 * k + 1, i);
        }
        WRITE(c, LEFT_X, i) = dx, WRITE(c, LEFT_Y, i) = dy;
        WRITE(c, SQUARES, i) = READ(c, XX, i) * dx * dx + 2 * READ(c, XY, i) * dx * dy + READ(c, YY, i) * dy * dy;
    }
}

/* The weights by the squares, of which `reach` is the last that counts. */
ENDO_SIMD_INLINE void weigh(const columns *c, size_t i, double reach) {
    four far = READ(c, SQUARES, i) / reach, less = 1 - far;
    four_masks counts = far < 1;
    four w = (four)((four_masks)(less * less) & counts);
    for (size_t k = c->n; k < i + LANES; k++) w[k - i] = 0;
    WRITE(c, WEIGHT, i) = w;
}

/* p: the weighted precisions. */
ENDO_SIMD_INLINE void add_more(const columns *c, int more, size_t i, const four p[3], four *along, four *down, four *products,
                     four *pulls) {
    four x = READ(c, PLACE_X, i), y = READ(c, PLACE_Y, i), xx = p[0], xy = p[1], yy = p[2];
    for (int k = 0; k < more; k++) {
        four u = READ(c, MORE + 2 * k, i), v = READ(c, MORE + 2 * k + 1, i), a = xx * u + xy * v, d = xy * u + yy * v;
        along[3 * k] += a, along[3 * k + 1] += a * x, along[3 * k + 2] += a * y;
        down[3 * k] += d, down[3 * k + 1] += d * x, down[3 * k + 2] += d * y;
        pulls[k] += a * READ(c, DX, i) + d * READ(c, DY, i);
        for (int j = 0; j <= k; j++)
            products[k * (k + 1) / 2 + j] += a * READ(c, MORE + 2 * j, i) + d * READ(c, MORE + 2 * j + 1, i);
    }
}

ENDO_SIMD_INLINE void add_up(const columns *c, int more, double reach, moments *out) {
    four s[MOMENTS] = {{0}};
    for (size_t i = 0; i < c->filled; i += LANES) {
        four x = READ(c, PLACE_X, i), y = READ(c, PLACE_Y, i), dx = READ(c, DX, i), dy = READ(c, DY, i);
        weigh(c, i, reach);
        four w = READ(c, WEIGHT, i), of[6] = {{0}, x, y, x * x, x * y, y * y}, both = READ(c, XX, i) + READ(c, YY, i);
        const four p[3] = {w * READ(c, XX, i), w * READ(c, XY, i), w * READ(c, YY, i)}, xx = p[0], xy = p[1], yy = p[2];
        four along = xx * dx + xy * dy, down = xy * dx + yy * dy;
        s[0] += xx, s[6] += xy, s[12] += yy, s[18] += along, s[21] += down;
        for (int k = 1; k < 6; k++) s[k] += xx * of[k], s[6 + k] += xy * of[k], s[12 + k] += yy * of[k];
        for (int k = 1; k < 3; k++) s[18 + k] += along * of[k], s[21 + k] += down * of[k];
        s[24] += w, s[25] += w * (both - READ(c, NOISE, i)), s[26] += w * both;
        add_more(c, more, i, p, s + 27, s + 36, s + 45, s + 51);
    }
    for (size_t k = 0; k < MOMENTS; k++) ((double *)out)[k] = (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]);
}

ENDO_SIMD_LOOP(misfits_2, measure_misfits, (const columns *c, const double *m), (c, 2, m))
ENDO_SIMD_LOOP(misfits_3, measure_misfits, (const columns *c, const double *m), (c, 3, m))
ENDO_SIMD_LOOP(sums_2, add_up, (const columns *c, double reach, moments *out), (c, 2, reach, out))
ENDO_SIMD_LOOP(sums_3, add_up, (const columns *c, double reach, moments *out), (c, 3, reach, out))

/* --------------------------------------------------------------- equations */

/* The lower half of the normal equations, and their right side. */
static void set_equations(const moments *s, int more, double m[][ENDO_BEND_NUMBERS], double *right) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; /* among the products of 1, x and y */
    for (int i = 0; i < 3; i++) {
        right[i] = s->along[i], right[3 + i] = s->down[i];
        for (int k = 0; k < 3; k++)
            m[i][k] = s->xx[at[i][k]], m[3 + i][k] = s->xy[at[i][k]], m[3 + i][3 + k] = s->yy[at[i][k]];
    }
    for (int k = 0; k < more; k++) {
        double *row = m[ENDO_BEND_AFFINE + k];
        for (int i = 0; i < 3; i++) row[i] = s->more_along[k][i], row[3 + i] = s->more_down[k][i];
        right[ENDO_BEND_AFFINE + k] = s->pulls[k];
        for (int i = 0; i <= k; i++) row[ENDO_BEND_AFFINE + i] = s->products[k * (k + 1) / 2 + i];
    }
}

/* ----------------------------------------------------------------- patches */

/* A map that flattens a patch by more leaves nothing of what it says. */
#define FLAT 1e-6

/* What it says in the current frame, with what noise takes from it put back. */
static void move_patch(const endo_patch *p, const double l[4], double column[COLUMNS]) {
    double determinant = l[0] * l[3] - l[1] * l[2], whole = p->xx + p->yy;
    double part = fabs(determinant) > FLAT ? 1 / (determinant * determinant) : 0;
    double a = l[3] * p->xx - l[2] * p->xy, b = l[3] * p->xy - l[2] * p->yy; /* by the inverse's columns */
    double c = l[0] * p->xy - l[1] * p->xx, d = l[0] * p->yy - l[1] * p->xy;
    column[XX] = (a * l[3] - b * l[2]) * part;
    column[XY] = (b * l[0] - a * l[1]) * part;
    column[YY] = (d * l[0] - c * l[1]) * part;
    double share = whole > 0 ? 1 - p->noise / whole : 1;
    share = share > LEAST_SHARE ? share : LEAST_SHARE;
    for (int k = XX; k <= YY; k++) column[k] *= share * share;
    column[NOISE] = (1 - share) * (column[XX] + column[YY]);
    column[DX] = column[LEFT_X] = (l[0] * p->dx + l[1] * p->dy) / share;
    column[DY] = column[LEFT_Y] = (l[2] * p->dx + l[3] * p->dy) / share;
}

/* p: in the reference; q and l: where it goes, and the derivative there. */
static void bend_patch(const endo_patch *p, const double q[2], const double l[4],
                       double column[COLUMNS]) {
    double far = p->x * p->x + p->y * p->y, to = q[0] * q[0] + q[1] * q[1], x = far * p->x, y = far * p->y;
    column[PLACE_X] = q[0], column[PLACE_Y] = q[1];
    for (int k = 0; k < 4; k++) column[MORE + k] = q[k / 2] * q[k % 2];
    column[MORE + 4] = to * q[0] - (l[0] * x + l[1] * y);
    column[MORE + 5] = to * q[1] - (l[2] * x + l[3] * y);
}

static void fill_columns(const endo_patch *patches, size_t n, const endo_transform *map, const double middle[2], double half,
                         double *room, columns *c) {
    c->n = n, c->filled = (n + LANES - 1) / LANES * LANES;
    for (int k = 0; k < COLUMNS; k++) {
        c->of[k] = room + (size_t)k * c->filled;
        for (size_t i = n; i < c->filled; i++) c->of[k][i] = 0;
    }
    c->rest = room + COLUMNS * c->filled;
    for (size_t i = 0; i < n; i++) {
        double column[COLUMNS] = {0}, x = middle[0] + half * patches[i].x, y = middle[1] + half * patches[i].y;
        endo_transform near = endo_transform_still; /* a patch that was seen does not lie at infinity */
        (void)endo_transform_nearest(map, ENDO_TRANSFORM_AFFINE, x, y, &near);
        const double *m = near.matrix, l[4] = {m[0], m[1], m[3], m[4]};
        double q[2] = {(m[0] * x + m[1] * y + m[2] - middle[0]) / half, (m[3] * x + m[4] * y + m[5] - middle[1]) / half};
        move_patch(&patches[i], l, column);
        bend_patch(&patches[i], q, l, column);
        for (int k = 0; k < COLUMNS; k++) c->of[k][i] = column[k];
    }
}

/* --------------------------------------------------------------------- fit */

/* Half of the squared distances are within the median. room: 2 n numbers, as below. */
static double scale_of(const columns *c, double *room) {
    memcpy(room, c->of[SQUARES], c->n * sizeof *room);
    return endo_step_scale(endo_median(room, room + c->n, c->n));
}

/* As in patch_fit.c; the fit's rest is in the place of the shifts. */
static double allow_relief(const columns *c, double *room) {
    static const double none[ENDO_MOTION] = {0};
    int pitch = (int)c->filled;
    for (size_t i = 0; i < c->n; i++) room[i] = endo_step_relief(c->of[0], pitch, (int)i, none);
    double relief = endo_median(room, room + c->n, c->n);
    for (size_t i = 0; i < c->n && relief > 0; i++)
        endo_step_trust_less(c->of[0], pitch, (int)i, ENDO_STEP_RELIEF_PART * relief);
    return relief > 0 ? relief : 0;
}

static double likely_lens(double half, double scale) {
    double deviation = half * ENDO_BEND_LIKELY_LENS / ENDO_BEND_ALIKE;
    return scale / (deviation * deviation);
}

int endo_bend_fit(endo_cpu cpu, endo_patch *patches, size_t n, const endo_transform *map, const double middle[2],
                  double half, endo_bend_kind kind, double *room, endo_bend *out) {
    int more = kind == ENDO_BEND_PERSPECTIVE ? 2 : 3, numbers = ENDO_BEND_AFFINE + more;
    double normal[ENDO_BEND_NUMBERS][ENDO_BEND_NUMBERS], lower[ENDO_BEND_NUMBERS][ENDO_BEND_NUMBERS], right[ENDO_BEND_NUMBERS];
    endo_bend b = {.n = numbers, .scale = 1};
    endo_cpu set = endo_simd_best(cpu);
    columns c;
    moments sums;
    if (2 * n <= (size_t)numbers) return 0;
    fill_columns(patches, n, map, middle, half, room, &c);
    for (int round = 0; round < ENDO_STEP_ROUNDS; round++) {
        if (round == ENDO_STEP_RELIEF_ROUND && b.scale > ENDO_STEP_RELIEF_FROM) b.relief = allow_relief(&c, c.rest);
        if (round > 0) (more == 2 ? misfits_2 : misfits_3)[set](&c, b.numbers), b.scale = scale_of(&c, c.rest);
        (more == 2 ? sums_2 : sums_3)[set](&c, ENDO_STEP_REACH * b.scale, &sums);
        set_equations(&sums, more, normal, right);
        if (more == 3) normal[numbers - 1][numbers - 1] += b.likely = likely_lens(half, b.scale);
        if (!endo_cholesky(*normal, ENDO_BEND_NUMBERS, numbers, *lower)) return 0;
        endo_cholesky_solve(*lower, ENDO_BEND_NUMBERS, numbers, right, b.numbers);
    }
    endo_cholesky_invert(*lower, ENDO_BEND_NUMBERS, numbers, *b.covariance);
    b.weights = sums.weights;
    b.share = sums.share > ENDO_STEP_LEAST_SHARE * sums.whole ? sums.share / sums.whole : ENDO_STEP_LEAST_SHARE;
    for (size_t i = 0; i < n; i++) patches[i].weight = c.of[WEIGHT][i];
    *out = b;
    return 1;
}

/* --------------------------------------------------------------- deviation */

double endo_bend_variance(const endo_bend *b, int width, int height, double half) {
    const double(*c)[ENDO_BEND_NUMBERS] = b->covariance;
    double xx = width / half * (width / half) / 12, yy = height / half * (height / half) / 12; /* means of x^2, y^2 */
    double xxxx = 1.8 * xx * xx, yyyy = 1.8 * yy * yy, xxyy = xx * yy;
    double x = c[0][0] + xx * c[1][1] + yy * c[2][2] + xxxx * c[6][6] + xxyy * c[7][7] + 2 * xx * c[0][6];
    double y = c[3][3] + xx * c[4][4] + yy * c[5][5] + xxyy * c[6][6] + yyyy * c[7][7] + 2 * yy * c[3][7];
    return b->scale * (x + y) / 2;
}

/* What is left of an affine number's variance. */
static double own_part(const double c[][ENDO_BEND_NUMBERS], int i) {
    double u = c[i][6], v = c[i][7], uu = c[6][6], uv = c[6][7], vv = c[7][7];
    return c[i][i] - (u * u * vv - 2 * u * v * uv + v * v * uu) / (uu * vv - uv * uv);
}

double endo_bend_affine_variance(const endo_bend *b, int width, int height, double half) {
    const double(*c)[ENDO_BEND_NUMBERS] = b->covariance;
    double xx = width / half * (width / half) / 12, yy = height / half * (height / half) / 12, sum = 0;
    for (int i = 0; i < ENDO_BEND_AFFINE; i += 3) sum += own_part(c, i) + xx * own_part(c, i + 1) + yy * own_part(c, i + 2);
    return b->scale * sum / 2;
}
