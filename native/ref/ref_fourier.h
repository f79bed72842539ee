/* Fourier registration in the reference back end: its own transform in double, and images from scratch every time. */
#ifndef ENDO_REF_FOURIER_H
#define ENDO_REF_FOURIER_H

#include "ref.h"

#include "rules/fourier_levels.h"

typedef struct ref_complex {
    double re, im;
} ref_complex;

/* exp(sign 2 pi i k / n), k < n. */
void ref_roots(ref_complex *roots, int n, int sign);

/* In place, of n = 2^a 3^b 5^c numbers. roots: of step * n; of sign -1: forward, +1: back, neither scaled. scratch: n
 * numbers. */
void ref_fft(ref_complex *x, int n, const ref_complex *roots, int step, ref_complex *scratch);

/* The transform of a plane of rows x columns numbers along both axes, in place; sign as for ref_fft. MEMORY. */
endo_status ref_fft_plane(ref_complex *x, int columns, int rows, int sign);

/* A level of the image in a slot. */
typedef struct ref_level {
    int width, height;
    uint8_t *grey, *valid; /* valid: 0 or 1 */
} ref_level;

endo_status ref_level_make(const ref_store *s, int slot, int width, int height, int level, ref_level *out);
void ref_level_free(ref_level *l);

/* The values of a level that are compared, width * height numbers: its gradient (ENDO_GRADIENT_HIGHPASS: less local means of
 * 2 * half + 1 pixels), ENDO_FOURIER_INVALID where there is no value. */
void ref_level_source(const ref_level *l, endo_fourier_gradient gradient, int half, int32_t *out);

/* A part of an image as spectra are taken of it: value less the mean of the part's valid ones, times the weights of the
 * window and of the field; 0 where it is not valid. out: width * height numbers of the part. */
endo_status ref_part_make(const ref_store *s, int slot, int width, int height, const endo_fourier_part *part,
                          const endo_fourier_spectrum *spectrum, double *out);

/* The spectrum of a part: side * side numbers. */
endo_status ref_part_spectrum(const ref_store *s, int slot, int width, int height, const endo_fourier_part *part,
                              const endo_fourier_spectrum *spectrum, ref_complex *out);

/* Divides a plane by the root of the sum of its squares, unless that is 0. */
void ref_normalise(ref_complex *x, size_t n);

/* Heights of the correlation of two normalised spectra: with the conjugate of the second, or with itself. */
endo_status ref_correlate(const ref_complex *a, const ref_complex *b, int conjugate, int columns, int rows,
                          ref_complex *power, double *heights);

/* The `most` highest local maxima of n peaks so far and this correlation; allowed: NULL, or which places count. */
int ref_peaks(const double *heights, int columns, int rows, const uint8_t *allowed, int part, endo_fourier_peak *list,
              int n, int most);

#endif
