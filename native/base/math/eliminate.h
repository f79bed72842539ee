/* A few symmetric equations of which some unknowns may be in none: elimination by Gauss and Jordan, without pivots. Equations
 * that determine all they ask for are cholesky.h's. */
#ifndef ENDO_BASE_ELIMINATE_H
#define ENDO_BASE_ELIMINATE_H

#define ENDO_ELIMINATE_MOST 8
/* What is left of a number of the diagonal, below this part of it, is rounding. */
#define ENDO_ELIMINATE_SINGULAR 1e-9

/* m: n rows, 1 <= n <= ENDO_ELIMINATE_MOST, of n numbers and the right side; is lost. numbers: n; what nothing tells is 0. */
static inline void endo_eliminate(double *m, int n, double *numbers) {
    double least[ENDO_ELIMINATE_MOST];
    int row = n + 1;
    for (int i = 0; i < n; i++) least[i] = ENDO_ELIMINATE_SINGULAR * m[i * row + i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n && m[i * row + i] > least[i]; k++) {
            double part = k == i ? 0 : m[k * row + i] / m[i * row + i];
            for (int j = i; j <= n; j++) m[k * row + j] -= part * m[i * row + j];
        }
    for (int i = 0; i < n; i++) numbers[i] = m[i * row + i] > least[i] ? m[i * row + n] / m[i * row + i] : 0;
}

#endif
