/* Weights by what contradicts: for least squares that some of it must not spoil. */
#include "light.h"

#include <math.h>
#include <string.h>

/* The robust function's scale is at least this: of quantisation and noise alone. */
#define LEAST_SCALE 0.003

/* Hoare's selection. */
float light_select(float *a, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = a[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i >= j) break;
            float swap = a[i];
            a[i++] = a[j], a[j--] = swap;
        }
        size_t end = a[j] > pivot ? j - 1 : j;
        if (k <= end) high = end;
        else low = end + 1;
    }
    return a[k];
}

double light_weigh(const float *residuals, const float *share, size_t n, double robust, float *sorted, float *weights) {
    if (n == 0) return 0;
    memcpy(sorted, residuals, n * sizeof *sorted);
    double rest = light_select(sorted, n, n / 2), scale = robust * fmax(rest * 1.48, LEAST_SCALE);
    for (size_t i = 0; i < n; i++) {
        double off = residuals[i] / scale, half = 1 / (1 + off * off);
        weights[i] = (float)(share[i] * half * half);
    }
    return rest;
}
