/* The discrete Fourier transform by its definition's first step, repeated: a transform of n = r m numbers is r transforms
 * of m of them, and one of r numbers for each of the m results (Cooley and Tukey). r is 2, 3 or 5. */
#include "ref_fourier.h"

#include <math.h>

#define TWO_PI 6.28318530717958647692

static ref_complex times(ref_complex a, ref_complex b) {
    ref_complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return c;
}

void ref_roots(ref_complex *roots, int n, int sign) {
    for (int k = 0; k < n; k++) {
        double angle = sign * TWO_PI * k / n;
        roots[k].re = cos(angle), roots[k].im = sin(angle);
    }
}

static int smallest_factor(int n) { return n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n; }

void ref_fft(ref_complex *x, int n, const ref_complex *roots, int step, ref_complex *scratch) {
    if (n == 1) return;
    int r = smallest_factor(n), m = n / r;
    for (int j = 0; j < r; j++)
        for (int i = 0; i < m; i++) scratch[j * m + i] = x[i * r + j];
    for (int j = 0; j < r; j++) ref_fft(scratch + j * m, m, roots, r * step, x);
    for (int k = 0; k < n; k++) {
        ref_complex sum = {0, 0};
        for (int j = 0; j < r; j++) {
            ref_complex term = times(scratch[j * m + k % m], roots[(int64_t)j * k % n * step]);
            sum.re += term.re, sum.im += term.im;
        }
        x[k] = sum;
    }
}

endo_status ref_fft_plane(ref_complex *x, int columns, int rows, int sign) {
    int longer = columns > rows ? columns : rows;
    ref_complex *line = endo_alloc(3 * (size_t)longer, sizeof *line), *scratch = line + longer, *roots = scratch + longer;
    if (!line) return endo_fail(ENDO_ERR_MEMORY, "no memory for a transform of %d x %d", columns, rows);
    ref_roots(roots, columns, sign);
    for (int y = 0; y < rows; y++) ref_fft(x + (size_t)y * columns, columns, roots, 1, scratch);
    ref_roots(roots, rows, sign);
    for (int c = 0; c < columns; c++) {
        for (int y = 0; y < rows; y++) line[y] = x[(size_t)y * columns + c];
        ref_fft(line, rows, roots, 1, scratch);
        for (int y = 0; y < rows; y++) x[(size_t)y * columns + c] = line[y];
    }
    endo_free(line);
    return ENDO_OK;
}

void ref_normalise(ref_complex *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i].re * x[i].re + x[i].im * x[i].im;
    for (size_t i = 0; i < n && sum > 0; i++) x[i].re /= sqrt(sum), x[i].im /= sqrt(sum);
}

endo_status ref_correlate(const ref_complex *a, const ref_complex *b, int conjugate, int columns, int rows,
                          ref_complex *power, double *heights) {
    size_t n = (size_t)columns * rows;
    for (size_t i = 0; i < n; i++) {
        ref_complex other = {b[i].re, conjugate ? -b[i].im : b[i].im};
        power[i] = times(a[i], other);
    }
    endo_status status = ref_fft_plane(power, columns, rows, 1);
    for (size_t i = 0; i < n; i++) heights[i] = power[i].re;
    return status;
}
