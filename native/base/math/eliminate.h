/* Gauss-Jordan elimination, without pivoting, for a few symmetric equations that may not determine every unknown. cholesky.h is
 * for equations that do. */
#ifndef ENDO_BASE_ELIMINATE_H
#define ENDO_BASE_ELIMINATE_H

#define ENDO_ELIMINATE_MOST 8
/* A pivot below this share of its number on the diagonal is rounding. */
#define ENDO_ELIMINATE_SINGULAR 1e-9

/* Solves n equations, 1 <= n <= ENDO_ELIMINATE_MOST. m: n rows of n numbers and the right side; overwritten. numbers: the n
 * unknowns, 0 where they are not determined. */
static inline void endo_eliminate(double *m, int n, double *numbers) {
    double least[ENDO_ELIMINATE_MOST];
    int row = n + 1;
    for (int i = 0; i < n; i++) least[i] = ENDO_ELIMINATE_SINGULAR * m[i * row + i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n && m[i * row + i] > least[i]; k++) {
            double factor = k == i ? 0 : m[k * row + i] / m[i * row + i];
            for (int j = i; j <= n; j++) m[k * row + j] -= factor * m[i * row + j];
        }
    for (int i = 0; i < n; i++) numbers[i] = m[i * row + i] > least[i] ? m[i * row + n] / m[i * row + i] : 0;
}

#endif
