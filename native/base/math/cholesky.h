/* The Cholesky decomposition A = L L' of normal equations of more than three unknowns (three: least_squares.h).
 *
 * A matrix has rows of `size` numbers, one after another, of which the first n rows and columns are used: 1 <= n <= size.
 * Every number is computed by single operations in the order of its columns: the same bits on every processor. Devices have
 * the same operations with loops of constant length (rules/patch_step.h). */
#ifndef ENDO_BASE_CHOLESKY_H
#define ENDO_BASE_CHOLESKY_H

#include <math.h>
#include <string.h>

/* A pivot below this share of its number on the diagonal is rounding: the equations do not determine the unknown. */
#define ENDO_CHOLESKY_SINGULAR 1e-9

/* Decomposes A, of which the lower half is read; only the lower half of `lower` is written. 0: the equations are not (well)
 * determined, or not numbers. */
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

/* Solves L L' x = right; x may be `right`; its numbers from n on become 0. */
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

/* The inverse of A = L L', n rows of `inverse`. */
static inline void endo_cholesky_invert(const double *lower, int size, int n, double *inverse) {
    for (int i = 0; i < n; i++) {
        double *row = inverse + i * size;
        memset(row, 0, (size_t)size * sizeof *row);
        row[i] = 1;
        endo_cholesky_solve(lower, size, n, row, row);
    }
}

#endif
