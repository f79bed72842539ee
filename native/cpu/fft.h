/* Transforms of planes of real numbers, by FFTW. */
#ifndef ENDO_CPU_FFT_H
#define ENDO_CPU_FFT_H

#include "cpu.h"

/* Plans for planes of one size, made once and kept with the context. They are chosen without timing anything, so that a
 * result does not depend on what else the machine did; each line is transformed by itself, so that it does not
 * depend on the number of threads. */
typedef struct cpu_fft {
    int columns, rows;
    ptrdiff_t stride; /* floats from row to row of a plane: `columns` numbers, or columns / 2 + 1 complex ones */
    void *forward_row, *back_row, *forward_columns, *back_columns;
    struct cpu_fft *next;
} cpu_fft;

/* columns: even. UNSUPPORTED in a build without FFTW; MEMORY. */
endo_status cpu_fft_get(cpu_backend *b, int columns, int rows, const cpu_fft **out);
void cpu_fft_free_all(cpu_fft *list);

/* Floats of a plane. */
static inline size_t cpu_fft_size(const cpu_fft *f) { return (size_t)f->stride * f->rows; }

/* Transforms a plane in place; its rows from `filled` on are 0. threads: that share this transform. */
void cpu_fft_forward(const cpu_fft *f, float *plane, int filled, int threads);
/* Transforms a spectrum back in place, not scaled: n times the plane that it was made of. */
void cpu_fft_back(const cpu_fft *f, float *plane, int threads);

/* Heights of the correlation of two normalised spectra: with the conjugate of the second, or with itself. power: a plane,
 * which becomes the heights. */
void cpu_fft_correlate(const cpu_fft *f, const cpu_fourier_loops *loops, const float *a, const float *b, int conjugate, float *power,
                       int threads);

/* Sum of the squares of a whole spectrum, of which a plane holds half. */
double cpu_fft_squares(const cpu_fft *f, const float *plane);
void cpu_fft_scale(const cpu_fft *f, const cpu_fourier_loops *loops, float *plane, float by);

#endif
