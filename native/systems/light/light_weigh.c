/* Weights of robust least squares, by the residuals. */
#include "light.h"

#include "base/math/median.h"

#include <math.h>

/* Least scale of the robust function, a logarithm: by quantisation and noise alone. */
#define LEAST_SCALE 0.003

double light_weigh(const float *residuals, const float *share, size_t n, double robust, int threads, float *workspace,
                   float *weights) {
    if (n == 0) return 0;
    double rest = endo_select(residuals, n, n / 2, threads, workspace), scale = robust * fmax(rest * 1.48, LEAST_SCALE);
#pragma omp parallel for num_threads(threads) schedule(static) if (n > 10000)
    for (size_t i = 0; i < n; i++) {
        double off = residuals[i] / scale, half = 1 / (1 + off * off);
        weights[i] = (float)(share[i] * half * half);
    }
    return rest;
}
