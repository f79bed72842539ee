/* Dense matrices of doubles, column by column: what the panels of sparse decompositions need. Columns lie `stride` apart.
 *
 * The same numbers in every instruction set: sums go upwards in DENSE_DEPTH terms at a time, and no product is fused with
 * its sum. */
#ifndef ENDO_BASE_DENSE_H
#define ENDO_BASE_DENSE_H

#include "include/endorama/context.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Terms of a sum that are added up before they meet the number they change. */
#define DENSE_DEPTH 256
/* Doubles that a call may write for itself; each thread has its own. */
#define DENSE_WORK (2 * 120 * DENSE_DEPTH)

/* Number (i, k) of a matrix is at numbers[i * row + k * column]. */
typedef struct dense_view {
    const double *numbers;
    int64_t row, column;
} dense_view;

typedef struct dense_product {
    int64_t rows, columns, depth;
    dense_view a, b; /* rows x depth, columns x depth */
    int lower;       /* what is above the diagonal may stay, or become anything */
    double sign;     /* 1 or -1 */
    double *out;
    int64_t stride;
} dense_product;

typedef struct dense_loops {
    /* out += sign a b' */
    void (*add_product)(const dense_product *p, double work[DENSE_WORK]);
    /* In a matrix of `rows` rows and `columns` <= rows columns the upper square A becomes L with L L' = A, and what is
     * below it, B, becomes B L'^-1. What is above the diagonal is not read. 0: A is not positive. */
    int (*decompose)(int64_t rows, int64_t columns, double *values, int64_t stride, double work[DENSE_WORK]);
    /* x, of `rows` rows, becomes x L'^-1; l: L, columns x columns. */
    void (*divide)(int64_t rows, int64_t columns, const double *l, int64_t l_stride, double *x, int64_t stride,
                   double work[DENSE_WORK]);
} dense_loops;

extern const dense_loops dense_c, dense_avx2, dense_avx512;

/* The fastest that this machine runs and the limit allows. */
const dense_loops *dense_choose(endo_cpu limit);

#ifdef __cplusplus
}
#endif
#endif
