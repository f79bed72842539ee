/* The decomposition of normal equations of more than three unknowns (three: least_squares.h): A = L L'.
 *
 * A matrix has rows of `size` numbers, one after another, of which the first n rows and columns are meant: 1 <= n <= size.
 * Single operations, each number's in the order of its columns: the same bits on every processor. Devices have the same
 * operations with loops of constant length (rules/patch_step.h). */
#ifndef ENDO_BASE_CHOLESKY_H
#define ENDO_BASE_CHOLESKY_H

#include <math.h>
#include <string.h>

/* What is left of a number of the diagonal, below this part of it, is rounding: the equations do not determine it. */
#define ENDO_CHOLESKY_SINGULAR 1e-9

/* L, of A, of which the lower half is read; nothing else of `lower` is written. 0: they are not (well) determined, or no
 * numbers. */
static inline int endo_cholesky(const double *a, int size, int n, double *lower) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double v = a[i * size + k];
            for (int j = 0; j < k; j++) v -= lower[i * size + j] * lower[k * size + j];
            if (k == i && !(v > ENDO_CHOLESKY_SINGULAR * a[i * size + i])) return 0;
            lower[i * size + k] = k == i ? sqrt(v) : v / lower[k * size + k];
        }
    return 1;
}

/* The solution of L L' x = right, which x may be; its numbers from n on are 0. */
static inline void endo_cholesky_solve(const double *lower, int size, int n, const double *right, double *x) {
    for (int i = 0; i < n; i++) {
        double v = right[i];
        for (int k = 0; k < i; k++) v -= lower[i * size + k] * x[k];
        x[i] = v / lower[i * size + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= lower[k * size + i] * x[k];
        x[i] /= lower[i * size + i];
    }
    for (int i = n; i < size; i++) x[i] = 0;
}

/* The inverse of A; of `inverse` n rows are written. */
static inline void endo_cholesky_invert(const double *lower, int size, int n, double *inverse) {
    for (int i = 0; i < n; i++) {
        double *row = inverse + i * size;
        memset(row, 0, (size_t)size * sizeof *row);
        row[i] = 1;
        endo_cholesky_solve(lower, size, n, row, row);
    }
}

#endif
