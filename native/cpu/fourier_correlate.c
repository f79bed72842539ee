/* Products of spectra (fft.h). */
#include "fft.h"

#include <string.h>

/* Rows whose sums are taken side by side: a sum of doubles waits for the one before. */
#define ROWS 8

/* Sums of the squares of rows, each in the order of its numbers. n: floats of a row. */
static void sum_rows(const float *rows, ptrdiff_t stride, int n, double sums[ROWS]) {
    double all[ROWS] = {0};
    for (int x = 0; x < n; x++)
        for (int k = 0; k < ROWS; k++) {
            float value = rows[k * stride + x];
            all[k] += (double)(value * value);
        }
    memcpy(sums, all, sizeof all);
}

double cpu_fft_squares(const cpu_fft *f, const float *plane) {
    int n = f->columns / 2 + 1;
    double sum = 0, sums[ROWS] = {0};
    for (int y = 0; y < f->rows; y++) {
        const float *row = plane + y * f->stride;
        float last = n > 1 ? row[2 * n - 2] * row[2 * n - 2] + row[2 * n - 1] * row[2 * n - 1] : 0;
        double all = 0;
        if (y % ROWS == 0 && y + ROWS <= f->rows) sum_rows(row, f->stride, 2 * n, sums);
        if (y < f->rows / ROWS * ROWS) all = sums[y % ROWS];
        else
            for (int x = 0; x < 2 * n; x++) all += (double)(row[x] * row[x]);
        sum += 2 * all - (double)(row[0] * row[0] + row[1] * row[1]) - (double)last;
    }
    return sum;
}

void cpu_fft_scale(const cpu_fft *f, const cpu_fourier_loops *loops, float *plane, float by) {
    for (int y = 0; y < f->rows; y++) loops->scale(plane + y * f->stride, by, 2 * (f->columns / 2 + 1));
}

void cpu_fft_correlate(const cpu_fft *f, const cpu_fourier_loops *loops, const float *a, const float *b, int conjugate,
                       float *power, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int y = 0; y < f->rows; y++)
        loops->multiply(a + y * f->stride, b + y * f->stride, conjugate ? -1 : 1, f->columns / 2 + 1, power + y * f->stride);
    cpu_fft_back(f, power, threads);
}
