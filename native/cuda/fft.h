/* Transforms of planes of real numbers on a device, by cuFFT, which is opened when it is first needed. */
#ifndef ENDO_CUDA_FFT_H
#define ENDO_CUDA_FFT_H

#include "cuda.h"

/* Planes of one size. Rows and planes lie close: `columns` numbers, or columns / 2 + 1 complex ones, a row. */
typedef struct cuda_fft {
    int columns, rows;
} cuda_fft;

/* Numbers of a plane, and of its spectrum. */
static inline size_t cuda_fft_plane(const cuda_fft *f) { return (size_t)f->rows * f->columns; }
static inline size_t cuda_fft_spectrum(const cuda_fft *f) { return (size_t)f->rows * (f->columns / 2 + 1); }

/* UNSUPPORTED where there is no cuFFT: the message names the files that were looked for. */
endo_status cuda_fft_open(cuda_backend *b);
void cuda_fft_close(cuda_backend *b);

/* n planes one after the other, in the context's stream; not scaled. Back spoils the spectra. */
endo_status cuda_fft_forward(cuda_backend *b, const cuda_fft *f, size_t n, float *planes, float2 *spectra);
endo_status cuda_fft_back(cuda_backend *b, const cuda_fft *f, size_t n, float2 *spectra, float *planes);

#endif
