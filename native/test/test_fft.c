/* The reference's transform against the definition, and the CPU's against the reference's. */
#include "check.h"
#include "scene.h"

#include "cpu/fft.h"
#include "backend/objects.h"
#include "ref/ref_fourier.h"

#include <stdlib.h>

static void test_definition(int n, int sign, test_random *r) {
    ref_complex *x = malloc(4 * (size_t)n * sizeof *x), *made = x + n, *scratch = x + 2 * n, *roots = x + 3 * n;
    double worst = 0;
    for (int i = 0; i < n; i++) x[i].re = test_unit(r) - 0.5, x[i].im = test_unit(r) - 0.5, made[i] = x[i];
    ref_roots(roots, n, sign);
    ref_fft(made, n, roots, 1, scratch);
    for (int k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            double angle = sign * 2 * 3.14159265358979323846 * ((int64_t)i * k % n) / n, c = cos(angle), s = sin(angle);
            re += x[i].re * c - x[i].im * s, im += x[i].re * s + x[i].im * c;
        }
        worst = fmax(worst, fmax(fabs(re - made[k].re), fabs(im - made[k].im)));
    }
    CHECK_NEAR(worst, 0, 1e-13 * n);
    free(x);
}

/* FFTW's planes, both ways: 12 stages of 2^-24 on values whose spectrum is sqrt(n) times as large. */
static void test_plane(endo_context *context, int columns, int rows, int threads, test_random *r) {
    const cpu_fft *f = NULL;
    size_t n = (size_t)columns * rows;
    if (cpu_fft_get(context->backend, columns, rows, &f) == ENDO_ERR_UNSUPPORTED) return;
    float *plane = endo_alloc_zeroed(cpu_fft_size(f), sizeof *plane);
    ref_complex *x = calloc(n, sizeof *x);
    double worst = 0;
    int filled = rows - rows / 3;
    for (int y = 0; y < filled; y++)
        for (int c = 0; c < columns; c++) x[y * columns + c].re = plane[y * f->stride + c] = (float)(test_unit(r) - 0.5);
    CHECK(ref_fft_plane(x, columns, rows, -1) == ENDO_OK);
    cpu_fft_forward(f, plane, filled, threads);
    for (int y = 0; y < rows; y++)
        for (int c = 0; c <= columns / 2; c++) {
            const float *got = plane + y * f->stride + 2 * c;
            worst = fmax(worst, fmax(fabs(got[0] - x[y * columns + c].re), fabs(got[1] - x[y * columns + c].im)));
        }
    CHECK_NEAR(worst, 0, 1e-6 * sqrt((double)n));
    cpu_fft_back(f, plane, threads);
    CHECK(ref_fft_plane(x, columns, rows, 1) == ENDO_OK);
    worst = 0;
    for (int y = 0; y < rows; y++)
        for (int c = 0; c < columns; c++) worst = fmax(worst, fabs(plane[y * f->stride + c] - x[y * columns + c].re) / (double)n);
    CHECK_NEAR(worst, 0, 1e-6);
    endo_free(plane);
    free(x);
}

int main(void) {
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 16, 20, 30, 45, 60, 64, 90, 125, 144, 150, 256, 360};
    test_random r = {11};
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int sign = -1; sign <= 1; sign += 2) test_definition(sizes[i], sign, &r);
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    for (int threads = 1; threads <= 2; threads++) {
        test_plane(context, 64, 64, threads, &r);
        test_plane(context, 90, 48, threads, &r);
        test_plane(context, 150, 250, threads, &r);
    }
    endo_context_destroy(&context);
    return check_summary("test_fft");
}
