/* Random numbers, sines and cosines of the demo: + - * / sqrt and integer hashes in a fixed order, without the
 * mathematics library, so that the same options give the same bytes on every machine. */
#ifndef ENDO_SYSTEMS_DEMO_NUMBERS_H
#define ENDO_SYSTEMS_DEMO_NUMBERS_H

#include <stdint.h>

/* A well mixed function of its argument (the finalizer of SplitMix64). */
static inline uint64_t demo_mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The next number of a sequence, uniform in [0, 1); 24 bits, so exact as a float. */
static inline float demo_random(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    return (float)(demo_mix(*state) >> 40) * (1.0f / 16777216.0f);
}

/* The sine of an angle in turns; the error of the polynomial is below 1e-11. */
static inline double demo_sin(double turns) {
    double u = turns - (double)(int64_t)turns;
    if (u > 0.5) u -= 1.0;
    if (u < -0.5) u += 1.0;
    if (u > 0.25) u = 0.5 - u;
    if (u < -0.25) u = -0.5 - u;
    double a = 6.283185307179586477 * u, q = a * a;
    double sum = -1.0 / 1307674368000.0;
    sum = sum * q + 1.0 / 6227020800.0;
    sum = sum * q - 1.0 / 39916800.0;
    sum = sum * q + 1.0 / 362880.0;
    sum = sum * q - 1.0 / 5040.0;
    sum = sum * q + 1.0 / 120.0;
    sum = sum * q - 1.0 / 6.0;
    return a + a * q * sum;
}

static inline double demo_cos(double turns) { return demo_sin(turns + 0.25); }

#endif
