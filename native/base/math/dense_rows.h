/* The loops over dense matrices, for every instruction set. The file that includes this one defines DENSE_LANES, doubles of a
 * vector, and DENSE_VECTORS and DENSE_COLUMNS, the size of a tile, whose sums stay in registers.
 *
 * Products are computed tile by tile from copies in the order in which a tile reads them (Goto and van de Geijn 2008). */
#ifndef ENDO_BASE_DENSE_ROWS_H
#define ENDO_BASE_DENSE_ROWS_H

#include "dense.h"

#include <math.h>
#include <string.h>

typedef double dense_vector __attribute__((vector_size(DENSE_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define DENSE_ROWS (DENSE_LANES * DENSE_VECTORS)
/* Rows and columns whose copies are in the caches at a time: whole tiles of every instruction set. */
#define DENSE_BLOCK 120
/* Columns that are decomposed one by one. */
#define DENSE_NARROW 32

static inline int64_t dense_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Copies n lines of a view, `together` of them at a time, term by term; zeros after the last line. */
static inline void dense_copy(dense_view v, int64_t n, int64_t depth, int together, double *out) {
    for (int64_t i = 0; i < n; i += together) {
        int64_t there = dense_least(together, n - i);
        for (int64_t k = 0; k < depth; k++, out += together) {
            const double *from = v.numbers + i * v.row + k * v.column;
            for (int64_t c = 0; c < there; c++) out[c] = from[c * v.row];
            for (int64_t c = there; c < together; c++) out[c] = 0;
        }
    }
}

/* Computes DENSE_ROWS x DENSE_COLUMNS sums of products. */
static inline void dense_tile(const double *a, const double *b, int64_t depth, double *out) {
    dense_vector sums[DENSE_COLUMNS][DENSE_VECTORS];
    memset(sums, 0, sizeof sums);
    for (int64_t k = 0; k < depth; k++, a += DENSE_ROWS, b += DENSE_COLUMNS) {
        const dense_vector *rows = (const dense_vector *)a;
#pragma GCC unroll 8
        for (int c = 0; c < DENSE_COLUMNS; c++)
#pragma GCC unroll 8
            for (int v = 0; v < DENSE_VECTORS; v++) sums[c][v] += rows[v] * b[c];
    }
    memcpy(out, sums, sizeof sums);
}

/* Adds a tile to the rows and columns of the result that begin at (i, c). */
static inline void dense_add_tile(const dense_product *p, int64_t i, int64_t c, const double *tile) {
    int64_t rows = dense_least(DENSE_ROWS, p->rows - i), columns = dense_least(DENSE_COLUMNS, p->columns - c);
    for (int64_t k = 0; k < columns; k++, tile += DENSE_ROWS) {
        double *out = p->out + (c + k) * p->stride + i;
        for (int64_t r = 0; r < rows; r++) out[r] += p->sign * tile[r];
    }
}

typedef struct dense_block {
    int64_t row, column;  /* where it begins */
    int64_t first, depth; /* its terms */
    const double *a, *b;
} dense_block;

static inline void dense_add_block(const dense_product *p, const dense_block *block) {
    double tile[DENSE_ROWS * DENSE_COLUMNS];
    int64_t to_row = dense_least(block->row + DENSE_BLOCK, p->rows);
    int64_t to_column = dense_least(block->column + DENSE_BLOCK, p->columns);
    for (int64_t c = block->column; c < to_column; c += DENSE_COLUMNS)
        for (int64_t i = block->row; i < to_row; i += DENSE_ROWS) {
            if (p->lower && i + DENSE_ROWS <= c) continue;
            dense_tile(block->a + (i - block->row) * block->depth, block->b + (c - block->column) * block->depth,
                       block->depth, tile);
            dense_add_tile(p, i, c, tile);
        }
}

static inline dense_view dense_from(dense_view v, int64_t i, int64_t k) {
    v.numbers += i * v.row + k * v.column;
    return v;
}

static void dense_add_product(const dense_product *p, double *work) {
    double *a = work, *b = work + DENSE_BLOCK * DENSE_DEPTH;
    for (int64_t c = 0; c < p->columns; c += DENSE_BLOCK)
        for (int64_t k = 0; k < p->depth; k += DENSE_DEPTH) {
            dense_block block = {0, c, k, dense_least(DENSE_DEPTH, p->depth - k), a, b};
            dense_copy(dense_from(p->b, c, k), dense_least(DENSE_BLOCK, p->columns - c), block.depth, DENSE_COLUMNS, b);
            int64_t first = p->lower ? c : 0;
            for (block.row = first; block.row < p->rows; block.row += DENSE_BLOCK) {
                dense_copy(dense_from(p->a, block.row, k), dense_least(DENSE_BLOCK, p->rows - block.row), block.depth,
                           DENSE_ROWS, a);
                dense_add_block(p, &block);
            }
        }
}

/* Divides four vectors of rows, or `rows` rows if these are fewer, column by column. */
static inline void dense_divide_rows(int64_t rows, int64_t columns, const double *l, int64_t l_stride, double *x,
                                     int64_t stride) {
    enum { VECTORS = 4, ROWS = VECTORS * DENSE_LANES };
    double solved[DENSE_NARROW][ROWS];
    for (int64_t c = 0; c < columns; c++) {
        dense_vector *value = (dense_vector *)solved[c];
        memset(solved[c], 0, sizeof solved[c]);
        memcpy(solved[c], x + c * stride, (size_t)rows * sizeof(double));
        dense_vector sum[VECTORS];
        memcpy(sum, value, sizeof sum);
        for (int64_t k = 0; k < c; k++)
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) sum[v] -= ((const dense_vector *)solved[k])[v] * l[k * l_stride + c];
        for (int v = 0; v < VECTORS; v++) value[v] = sum[v] / l[c * l_stride + c];
        memcpy(x + c * stride, solved[c], (size_t)rows * sizeof(double));
    }
}

/* Divides by at most DENSE_NARROW columns. */
static inline void dense_divide_narrow(int64_t rows, int64_t columns, const double *l, int64_t l_stride, double *x,
                                       int64_t stride) {
    const int64_t together = 4 * DENSE_LANES;
    for (int64_t i = 0; i < rows; i += together)
        dense_divide_rows(dense_least(together, rows - i), columns, l, l_stride, x + i, stride);
}

static inline int dense_decompose_narrow(int64_t n, double *a, int64_t stride) {
    for (int64_t c = 0; c < n; c++) {
        double *column = a + c * stride;
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = c; i < n; i++) column[i] -= a[k * stride + i] * a[k * stride + c];
        if (!(column[c] > 0)) return 0;
        double root = sqrt(column[c]);
        for (int64_t i = c; i < n; i++) column[i] /= root;
    }
    return 1;
}

static int dense_decompose(int64_t rows, int64_t columns, double *values, int64_t stride, double *work) {
    for (int64_t c = 0; c < columns; c += DENSE_NARROW) {
        int64_t wide = dense_least(DENSE_NARROW, columns - c);
        double *panel = values + c * stride + c;
        dense_view before = {values + c, 1, stride};
        dense_product p = {rows - c, wide, c, before, before, 1, -1, panel, stride};
        dense_add_product(&p, work);
        if (!dense_decompose_narrow(wide, panel, stride)) return 0;
        dense_divide_narrow(rows - c - wide, wide, panel, stride, panel + wide, stride);
    }
    return 1;
}

static void dense_divide(int64_t rows, int64_t columns, const double *l, int64_t l_stride, double *x, int64_t stride,
                         double *work) {
    for (int64_t c = 0; c < columns; c += DENSE_NARROW) {
        int64_t wide = dense_least(DENSE_NARROW, columns - c);
        dense_view before = {x, 1, stride}, side = {l + c, 1, l_stride};
        dense_product p = {rows, wide, c, before, side, 0, -1, x + c * stride, stride};
        dense_add_product(&p, work);
        dense_divide_narrow(rows, wide, l + c * l_stride + c, l_stride, x + c * stride, stride);
    }
}

#endif
