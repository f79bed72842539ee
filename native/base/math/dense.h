/* Dense matrices of doubles for the panels of sparse decompositions, column by column; columns lie `stride` apart.
 *
 * Every instruction set gives the same numbers: sums go upwards in DENSE_DEPTH terms at a time, and no product is fused with
 * its sum. */
#ifndef ENDO_BASE_DENSE_H
#define ENDO_BASE_DENSE_H

#include "include/endorama/context.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Terms that are summed up before the sum is added to a number. */
#define DENSE_DEPTH 256
/* Doubles of the workspace of a call; each thread needs a separate one. */
#define DENSE_WORK (2 * 120 * DENSE_DEPTH)

/* Number (i, k) of a matrix is at numbers[i * row + k * column]. */
typedef struct dense_view {
    const double *numbers;
    int64_t row, column;
} dense_view;

typedef struct dense_product {
    int64_t rows, columns, depth;
    dense_view a, b; /* rows x depth, columns x depth */
    int lower;       /* 1: numbers above the diagonal are not needed, and undefined afterwards */
    double sign;     /* 1 or -1 */
    double *out;
    int64_t stride;
} dense_product;

typedef struct dense_loops {
    /* out += sign a b' */
    void (*add_product)(const dense_product *p, double work[DENSE_WORK]);
    /* In a matrix of `rows` rows and `columns` <= rows columns the upper square A becomes L with L L' = A, and the rows
     * below it, B, become B L'^-1. Numbers above the diagonal are not read. 0: A is not positive definite. */
    int (*decompose)(int64_t rows, int64_t columns, double *values, int64_t stride, double work[DENSE_WORK]);
    /* x, of `rows` rows, becomes x L'^-1; l: L, columns x columns. */
    void (*divide)(int64_t rows, int64_t columns, const double *l, int64_t l_stride, double *x, int64_t stride,
                   double work[DENSE_WORK]);
} dense_loops;

extern const dense_loops dense_c, dense_avx2, dense_avx512;

/* The fastest loops that this machine runs and the limit allows. */
const dense_loops *dense_choose(endo_cpu limit);

#ifdef __cplusplus
}
#endif
#endif
