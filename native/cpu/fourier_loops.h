/* Inner loops of Fourier registration. */
#ifndef ENDO_CPU_FOURIER_LOOPS_H
#define ENDO_CPU_FOURIER_LOOPS_H

#include "rules/fourier_levels.h"

#include <stddef.h>
#include <stdint.h>

/* A row of the log-polar plane: radii along one direction. */
typedef struct cpu_polar_row {
    const float *magnitudes; /* side rows, of which those above side / 2 are the negative ones */
    ptrdiff_t stride;
    int side;
    const float *radius;
    float cosine, sine;
    int n;
} cpu_polar_row;

/* Places from .. to - 1 of a row in an image whose rows lie close: place i at x + i step_x, y + i step_y. Each has its four
 * neighbours. */
typedef struct cpu_turn_row {
    const float *values;
    int width;
    double x, y, step_x, step_y;
    int from, to;
} cpu_turn_row;

typedef struct cpu_fourier_loops {
    /* Adds (sign 1) or takes off (-1) a row of the image, and of its valid pixels; valid may be NULL, and then counts. */
    void (*add_row)(const uint8_t *grey, const uint8_t *valid, int sign, int n, int32_t *values, int32_t *counts);
    /* endo_fourier_highpass() of pixels whose rectangle reaches from x - half to x + half, and is of so many pixels; sums of
     * all columns left of x. INVALID without a mean, not where only the pixel itself is not valid. */
    void (*highpass)(const uint8_t *grey, const int32_t *values_before, const int32_t *counts_before, int half, int area,
                     int from, int to, int16_t *out);
    /* Sums of `length` values from each on, n of them. work: as many numbers as there are values, n + length - 1. */
    void (*window_sums)(const int32_t *values, int length, int n, int32_t *work, int32_t *sums);
    /* endo_fourier_highpass() of n pixels whose rectangles are of `area` valid pixels. */
    void (*highpass_whole)(const uint8_t *grey, const int32_t *sums, int area, int n, int16_t *out);
    void (*sobel)(const uint8_t *above, const uint8_t *grey, const uint8_t *below, int n, int16_t *out);
    /* (value - mean) * across * down; 0 where there is no value. */
    void (*weigh)(const int16_t *values, const float *across, float down, float mean, int n, float *out);
    /* sqrt(re^2 + im^2) of n complex numbers; out begins where they do, or at least n before them. */
    void (*magnitudes)(const float *spectrum, int n, float *out);
    void (*polar)(const cpu_polar_row *row, float *out);
    void (*turn)(const cpu_turn_row *row, float *out);
    void (*logarithms)(float *values, float least, int n);
    /* Complex numbers times 1 / (magnitude + least), or times across * down / sqrt(magnitude + least). */
    void (*whiten)(float *row, float least, int n);
    void (*half_whiten)(float *row, const float *across, float down, float least, int n);
    void (*scale)(float *row, float by, int n);
    /* a * b or, with sign -1, a times the conjugate of b. */
    void (*multiply)(const float *a, const float *b, float sign, int n, float *out);
    float (*largest)(const float *row, int n);
} cpu_fourier_loops;

extern const cpu_fourier_loops cpu_fourier_c;
#ifdef ENDO_X86
extern const cpu_fourier_loops cpu_fourier_avx2;
extern const cpu_fourier_loops cpu_fourier_avx512;
#endif

#endif
