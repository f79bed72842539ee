#include "robust_fit.h"

#include "base/math/median.h"
#include "base/simd.h"

#include <stddef.h>
#include <string.h>

/* Patches by columns, four of a column at a time; the padding of the last four has no precision, and weight 0. Every
 * processor adds in the same order, however wide its vectors are, and so gets the same bits. */
#define LANES 4
typedef double four __attribute__((vector_size(32)));
typedef double four_numbers __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long four_masks __attribute__((vector_size(32)));

#define SUMS (sizeof(robust_sums) / sizeof(double))

#define READ(f, which, i) (*(const four_numbers *)((f)->of[which] + (i)))
#define WRITE(f, which, i) (*(four_numbers *)((f)->of[which] + (i)))

/* `more` is a constant where this is inlined. */
ENDO_SIMD_INLINE void measure_misfits(const robust_fit *f, int more) {
    const double *m = f->parameters;
    for (size_t i = 0; i < f->filled; i += LANES) {
        four x = READ(f, ROBUST_X, i), y = READ(f, ROBUST_Y, i);
        four dx = READ(f, ROBUST_DX, i) - (m[0] + m[1] * x + m[2] * y);
        four dy = READ(f, ROBUST_DY, i) - (m[3] + m[4] * x + m[5] * y);
        for (int k = 0; k < more; k++) {
            dx -= m[ROBUST_AFFINE + k] * READ(f, ROBUST_MORE + 2 * k, i);
            dy -= m[ROBUST_AFFINE + k] * READ(f, ROBUST_MORE + 2 * k + 1, i);
        }
        WRITE(f, ROBUST_LEFT_X, i) = dx;
        WRITE(f, ROBUST_LEFT_Y, i) = dy;
        WRITE(f, ROBUST_SQUARES, i) =
            READ(f, ROBUST_XX, i) * dx * dx + 2 * READ(f, ROBUST_XY, i) * dx * dy + READ(f, ROBUST_YY, i) * dy * dy;
    }
}

/* Sets Tukey's weights by the squared residuals, 0 from `reach` on. */
ENDO_SIMD_INLINE void weigh(const robust_fit *f, size_t i, double reach) {
    four far = READ(f, ROBUST_SQUARES, i) / reach, less = 1 - far;
    four_masks counts = far < 1;
    four w = (four)((four_masks)(less * less) & counts);
    for (size_t k = f->n; k < i + LANES; k++) w[k - i] = 0;
    WRITE(f, ROBUST_WEIGHT, i) = w;
}

/* Adds to the sums of the further parameters. p: the weighted precisions. */
ENDO_SIMD_INLINE void add_more(const robust_fit *f, int more, size_t i, const four p[3], four *along, four *down,
                               four *products, four *pulls) {
    four x = READ(f, ROBUST_X, i), y = READ(f, ROBUST_Y, i), xx = p[0], xy = p[1], yy = p[2];
    for (int k = 0; k < more; k++) {
        four u = READ(f, ROBUST_MORE + 2 * k, i), v = READ(f, ROBUST_MORE + 2 * k + 1, i);
        four a = xx * u + xy * v, d = xy * u + yy * v;
        along[3 * k] += a;
        along[3 * k + 1] += a * x;
        along[3 * k + 2] += a * y;
        down[3 * k] += d;
        down[3 * k + 1] += d * x;
        down[3 * k + 2] += d * y;
        pulls[k] += a * READ(f, ROBUST_DX, i) + d * READ(f, ROBUST_DY, i);
        for (int j = 0; j <= k; j++)
            products[k * (k + 1) / 2 + j] +=
                a * READ(f, ROBUST_MORE + 2 * j, i) + d * READ(f, ROBUST_MORE + 2 * j + 1, i);
    }
}

/* Index of a sum, in numbers. */
#define INDEX_OF(field) (offsetof(robust_sums, field) / sizeof(double))

ENDO_SIMD_INLINE void add_up(const robust_fit *f, int more, double reach, robust_sums *out) {
    four s[SUMS] = {{0}};
    four *xx_sums = s + INDEX_OF(xx), *xy_sums = s + INDEX_OF(xy), *yy_sums = s + INDEX_OF(yy);
    four *along_sums = s + INDEX_OF(along), *down_sums = s + INDEX_OF(down);
    for (size_t i = 0; i < f->filled; i += LANES) {
        four x = READ(f, ROBUST_X, i), y = READ(f, ROBUST_Y, i), dx = READ(f, ROBUST_DX, i), dy = READ(f, ROBUST_DY, i);
        weigh(f, i, reach);
        four w = READ(f, ROBUST_WEIGHT, i), of[6] = {{0}, x, y, x * x, x * y, y * y};
        four both_ways = READ(f, ROBUST_XX, i) + READ(f, ROBUST_YY, i);
        const four p[3] = {w * READ(f, ROBUST_XX, i), w * READ(f, ROBUST_XY, i), w * READ(f, ROBUST_YY, i)};
        four along = p[0] * dx + p[1] * dy, down = p[1] * dx + p[2] * dy;
        xx_sums[0] += p[0];
        xy_sums[0] += p[1];
        yy_sums[0] += p[2];
        along_sums[0] += along;
        down_sums[0] += down;
        for (int k = 1; k < 6; k++) {
            xx_sums[k] += p[0] * of[k];
            xy_sums[k] += p[1] * of[k];
            yy_sums[k] += p[2] * of[k];
        }
        for (int k = 1; k < 3; k++) {
            along_sums[k] += along * of[k];
            down_sums[k] += down * of[k];
        }
        s[INDEX_OF(squares)] += along * dx + down * dy;
        s[INDEX_OF(weights)] += w;
        s[INDEX_OF(share)] += w * (both_ways - READ(f, ROBUST_NOISE, i));
        s[INDEX_OF(whole)] += w * both_ways;
        add_more(f, more, i, p, s + INDEX_OF(more_along), s + INDEX_OF(more_down), s + INDEX_OF(products), s + INDEX_OF(pulls));
    }
    for (size_t k = 0; k < SUMS; k++) ((double *)out)[k] = (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]);
}

ENDO_SIMD_INLINE void measure_any(const robust_fit *f) {
    if (f->more == 0) measure_misfits(f, 0);
    else if (f->more == 2) measure_misfits(f, 2);
    else measure_misfits(f, 3);
}

ENDO_SIMD_INLINE void add_any(const robust_fit *f, double reach, robust_sums *out) {
    if (f->more == 0) add_up(f, 0, reach, out);
    else if (f->more == 2) add_up(f, 2, reach, out);
    else add_up(f, 3, reach, out);
}

ENDO_SIMD_LOOP(misfits, measure_any, (const robust_fit *f), (f))
ENDO_SIMD_LOOP(sums_of, add_any, (const robust_fit *f, double reach, robust_sums *out), (f, reach, out))

/* ------------------------------------------------------------------ rounds */

void robust_fit_begin(robust_fit *f, endo_cpu cpu, size_t n, int more, double *workspace) {
    *f = (robust_fit){.cpu = cpu, .more = more, .n = n, .filled = (n + LANES - 1) / LANES * LANES, .scale = 1};
    int columns = ROBUST_MORE + 2 * more;
    for (int k = 0; k < columns; k++) {
        f->of[k] = workspace + (size_t)k * f->filled;
        for (size_t i = n; i < f->filled; i++) f->of[k][i] = 0;
    }
    for (size_t i = 0; i < n; i++) f->of[ROBUST_SQUARES][i] = 0; /* no outliers before the first round */
    f->rest = workspace + (size_t)columns * f->filled;
}

void robust_fit_measure(robust_fit *f) { misfits[endo_simd_best(f->cpu)](f); }

/* Scale by the median of the squared residuals, which outliers hardly change. */
static double scale_of(const robust_fit *f) {
    memcpy(f->rest, f->of[ROBUST_SQUARES], f->n * sizeof *f->rest);
    return endo_step_scale(endo_median(f->rest, f->rest + f->n, f->n));
}

/* Adds the relief, by which tissue moves against itself, to the variance of all patches; returns it, px^2. */
static double allow_relief(const robust_fit *f) {
    static const double none[ENDO_MOTION] = {0}; /* the residuals are where the shifts are expected */
    double *columns = f->of[0];
    int pitch = (int)f->filled;
    for (size_t i = 0; i < f->n; i++) f->rest[i] = endo_step_relief(columns, pitch, (int)i, none);
    double relief = endo_median(f->rest, f->rest + f->n, f->n);
    for (size_t i = 0; i < f->n && relief > 0; i++)
        endo_step_trust_less(columns, pitch, (int)i, ENDO_STEP_RELIEF_SHARE * relief);
    return relief > 0 ? relief : 0;
}

void robust_fit_round(robust_fit *f, int round) {
    if (round == ENDO_STEP_RELIEF_ROUND && f->scale > ENDO_STEP_RELIEF_FROM) f->relief = allow_relief(f);
    if (round > 0) {
        robust_fit_measure(f);
        f->scale = scale_of(f);
    }
    sums_of[endo_simd_best(f->cpu)](f, ENDO_STEP_REACH * f->scale, &f->sums);
}

double robust_fit_share(const robust_sums *s) {
    return s->share > ENDO_STEP_LEAST_SHARE * s->whole ? s->share / s->whole : ENDO_STEP_LEAST_SHARE;
}

void robust_fit_weigh(const robust_fit *f, endo_patch *patches) {
    for (size_t i = 0; i < f->n; i++) patches[i].weight = f->of[ROBUST_WEIGHT][i];
}
