/* Dense products and decompositions against sums in long double, and the instruction sets against each other. */
#include "base/math/dense.h"

#include "base/simd.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 320, STRIDE = MOST + 3, SETS = 3 };

static double work[DENSE_WORK];
static double a[STRIDE * MOST], b[STRIDE * MOST], out[SETS][STRIDE * MOST], before[STRIDE * MOST];

static int sets(const dense_loops *all[SETS]) {
    int n = 0;
    all[n++] = &dense_c;
#ifdef ENDO_X86
    if (endo_simd_runs(ENDO_CPU_AVX2)) all[n++] = &dense_avx2;
    if (endo_simd_runs(ENDO_CPU_AVX512)) all[n++] = &dense_avx512;
#endif
    return n;
}

static void fill(double *values, test_random *r) {
    for (int i = 0; i < STRIDE * MOST; i++) values[i] = 2 * test_unit(r) - 1;
}

/* Numbers of a view by rows (turned) or by columns. */
static dense_view view_of(const double *values, int turned) {
    dense_view v = {values, turned ? STRIDE : 1, turned ? 1 : STRIDE};
    return v;
}

static double number(dense_view v, int64_t i, int64_t k) { return v.numbers[i * v.row + k * v.column]; }

static void check_product(const dense_product *p) {
    for (int64_t c = 0; c < p->columns; c++)
        for (int64_t i = p->lower ? c : 0; i < p->rows; i++) {
            long double sum = before[c * STRIDE + i];
            for (int64_t k = 0; k < p->depth; k++) sum += p->sign * (long double)number(p->a, i, k) * number(p->b, c, k);
            CHECK_NEAR(out[0][c * STRIDE + i], (double)sum, 1e-13 * (double)(p->depth + 1));
        }
    for (int64_t c = p->columns; c < MOST; c++)
        CHECK(memcmp(&out[0][c * STRIDE], &before[c * STRIDE], STRIDE * sizeof(double)) == 0);
    for (int64_t c = 0; c < p->columns; c++) CHECK(out[0][c * STRIDE + p->rows] == before[c * STRIDE + p->rows]);
}

/* The numbers that are asked for are the same in every instruction set. */
static void check_same(int n, int64_t rows, int64_t columns, int lower) {
    for (int s = 1; s < n; s++)
        for (int64_t c = 0; c < columns; c++) {
            int64_t first = lower ? c : 0;
            CHECK(memcmp(&out[s][c * STRIDE + first], &out[0][c * STRIDE + first],
                         (size_t)(rows - first) * sizeof(double)) == 0);
        }
}

static void test_products(void) {
    static const int sizes[][3] = {{1, 1, 1},   {5, 3, 2},     {24, 8, 7},     {25, 9, 40},    {121, 120, 33},
                                   {7, 130, 5}, {60, 20, 256}, {130, 17, 257}, {300, 125, 31}, {40, 40, 310}};
    const dense_loops *loops[SETS];
    test_random r = {1};
    int n = sets(loops);
    for (int i = 0; i < 40; i++) {
        const int *size = sizes[i / 4];
        dense_product p = {.rows = size[0], .columns = size[1], .depth = size[2], .lower = i % 4 == 1, .stride = STRIDE};
        p.sign = i % 2 ? -1 : 1;
        fill(a, &r), fill(b, &r), fill(before, &r);
        p.a = view_of(a, i % 4 == 2), p.b = view_of(b, i % 4 == 3);
        if (p.lower && p.rows < p.columns) p.lower = 0;
        for (int s = 0; s < n; s++) {
            memcpy(out[s], before, sizeof before);
            p.out = out[s];
            loops[s]->add_product(&p, work);
        }
        check_product(&p);
        check_same(n, p.rows, p.columns, p.lower);
    }
}

/* A positive matrix, and rows below it; its upper half is none of anybody's business. */
static void make_positive(int64_t rows, int64_t columns, test_random *r) {
    fill(a, r), fill(before, r);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = c; i < columns; i++) {
            double sum = i == c ? 0.5 : 0;
            for (int64_t k = 0; k < columns; k++) sum += a[k * STRIDE + i] * a[k * STRIDE + c];
            before[c * STRIDE + i] = sum;
        }
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < c; i++) before[c * STRIDE + i] = NAN;
    CHECK(rows <= MOST);
}

/* L L' and B L' are what was there. */
static void check_decomposed(int64_t rows, int64_t columns) {
    const double *l = out[0];
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = c; i < rows; i++) {
            long double sum = 0;
            for (int64_t k = 0; k <= c; k++) sum += (long double)l[k * STRIDE + i] * l[k * STRIDE + c];
            CHECK_NEAR((double)sum, before[c * STRIDE + i], 1e-11 * (double)columns);
        }
}

static void test_decompositions(void) {
    static const int sizes[][2] = {{1, 1}, {3, 3}, {40, 6}, {33, 33}, {100, 64}, {310, 97}, {200, 200}};
    const dense_loops *loops[SETS];
    test_random r = {2};
    int n = sets(loops);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t rows = sizes[i][0], columns = sizes[i][1];
        make_positive(rows, columns, &r);
        for (int s = 0; s < n; s++) {
            memcpy(out[s], before, sizeof before);
            CHECK(loops[s]->decompose(rows, columns, out[s], STRIDE, work));
        }
        check_decomposed(rows, columns);
        check_same(n, rows, columns, 1);
    }
}

/* Divided at once as divided with the decomposition. */
static void test_divisions(void) {
    const dense_loops *loops[SETS];
    test_random r = {3};
    int n = sets(loops);
    make_positive(250, 75, &r);
    for (int s = 0; s < n; s++) {
        memcpy(out[s], before, sizeof before);
        CHECK(loops[s]->decompose(75, 75, out[s], STRIDE, work));
        loops[s]->divide(175, 75, out[s], STRIDE, out[s] + 75, STRIDE, work);
    }
    check_decomposed(250, 75);
    check_same(n, 250, 75, 1);
}

static void test_refused(void) {
    const dense_loops *loops[SETS];
    test_random r = {4};
    int n = sets(loops);
    for (int at = 0; at < 70; at += 23)
        for (int s = 0; s < n; s++) {
            make_positive(70, 70, &r);
            before[at * STRIDE + at] = at % 2 ? NAN : -before[at * STRIDE + at];
            CHECK(!loops[s]->decompose(70, 70, before, STRIDE, work));
        }
}

int main(void) {
    test_products();
    test_decompositions();
    test_divisions();
    test_refused();
    return check_summary("test_dense");
}
