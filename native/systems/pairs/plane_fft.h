/* Fourier transforms of small square planes on the host: the same bytes whatever the back end, with or without a library. */
#ifndef ENDO_SYSTEMS_PLANE_FFT_H
#define ENDO_SYSTEMS_PLANE_FFT_H

#define ENDO_PLANE_BITS 8
#define ENDO_PLANE_SIDE (1 << ENDO_PLANE_BITS)

typedef struct endo_complex {
    float re, im;
} endo_complex;

/* The discrete transform of ENDO_PLANE_SIDE rows of as many numbers, in place. The result is transposed: frequencies of x lie
 * along the columns. is_inverse: back, from a transposed plane, times the number of its pixels. */
void endo_plane_fft(endo_complex *plane, int is_inverse);

#endif
