/* Weights by what contradicts: for least squares that some of it must not spoil. */
#include "light.h"

#include <math.h>
#include <string.h>

/* The robust function's scale is at least this: of quantisation and noise alone. */
#define LEAST_SCALE 0.003

/* ----------------------------------------------------------------- selection */

/* Floats have the order of these numbers, of which the highest bits are looked at first. */
#define KEYS 4096
#define KEY_SHIFT 20

static inline uint32_t key_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits >> 31 ? ~bits : bits | 0x80000000u) >> KEY_SHIFT;
}

/* Hoare's. */
static float select_few(float *a, size_t n, size_t k) {
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

/* Among those with the key of the one that is looked for. */
float light_select(const float *a, size_t n, size_t k, float *room) {
    uint32_t counts[KEYS] = {0}, key = 0;
    size_t before = 0, there = 0;
    for (size_t i = 0; i < n; i++) counts[key_of(a[i])]++;
    while (before + counts[key] <= k) before += counts[key++];
    for (size_t i = 0; i < n; i++) {
        room[there] = a[i];
        there += key_of(a[i]) == key;
    }
    return select_few(room, there, k - before);
}

/* ------------------------------------------------------------------ weights */

double light_weigh(const float *residuals, const float *share, size_t n, double robust, int threads, float *room,
                   float *weights) {
    if (n == 0) return 0;
    double rest = light_select(residuals, n, n / 2, room), scale = robust * fmax(rest * 1.48, LEAST_SCALE);
#pragma omp parallel for num_threads(threads) schedule(static) if (n > 10000)
    for (size_t i = 0; i < n; i++) {
        double off = residuals[i] / scale, half = 1 / (1 + off * off);
        weights[i] = (float)(share[i] * half * half);
    }
    return rest;
}
