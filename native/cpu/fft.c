/* FFTW behind fft.h: rows one by one, columns some at a time. */
#include "fft.h"

#ifdef ENDO_HAS_FFTW

#include <fftw3.h>

/* Complex numbers of a cache line: columns that are transformed together. */
#define COLUMNS 8

static void destroy(cpu_fft *f) {
    if (f->forward_row) fftwf_destroy_plan(f->forward_row);
    if (f->back_row) fftwf_destroy_plan(f->back_row);
    if (f->forward_columns) fftwf_destroy_plan(f->forward_columns);
    if (f->back_columns) fftwf_destroy_plan(f->back_columns);
    endo_free(f);
}

static void *plan_columns(const cpu_fft *f, fftwf_complex *plane, int sign) {
    int rows = f->rows, stride = (int)(f->stride / 2);
    return fftwf_plan_many_dft(1, &rows, COLUMNS, plane, NULL, stride, 1, plane, NULL, stride, 1, sign, FFTW_ESTIMATE);
}

/* FFTW's planner is one for the process. */
static int plan(cpu_fft *f, float *plane) {
    fftwf_complex *complex_plane = (fftwf_complex *)plane;
#pragma omp critical(endo_fftw_planner)
    {
        f->forward_row = fftwf_plan_dft_r2c_1d(f->columns, plane, complex_plane, FFTW_ESTIMATE);
        f->back_row = fftwf_plan_dft_c2r_1d(f->columns, complex_plane, plane, FFTW_ESTIMATE);
        f->forward_columns = plan_columns(f, complex_plane, FFTW_FORWARD);
        f->back_columns = plan_columns(f, complex_plane, FFTW_BACKWARD);
    }
    return f->forward_row && f->back_row && f->forward_columns && f->back_columns;
}

endo_status cpu_fft_get(cpu_backend *b, int columns, int rows, const cpu_fft **out) {
    cpu_fft **list = &b->ffts;
    for (const cpu_fft *f = *list; f; f = f->next)
        if (f->columns == columns && f->rows == rows) {
            *out = f;
            return ENDO_OK;
        }
    cpu_fft *f = endo_alloc_zeroed(1, sizeof *f);
    float *plane = NULL;
    if (f) {
        f->columns = columns, f->rows = rows;
        f->stride = ((columns / 2 + 1) + COLUMNS - 1) / COLUMNS * COLUMNS * 2;
        plane = endo_alloc(cpu_fft_size(f), sizeof *plane);
    }
    int planned = plane && plan(f, plane);
    endo_free(plane);
    if (!planned) {
        if (f) cpu_fft_free_all(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a transform of %d x %d", columns, rows);
    }
    f->next = *list;
    *list = f;
    *out = f;
    return ENDO_OK;
}

void cpu_fft_free_all(cpu_fft *list) {
#pragma omp critical(endo_fftw_planner)
    while (list) {
        cpu_fft *next = list->next;
        destroy(list);
        list = next;
    }
}

static void columns_of(const cpu_fft *f, void *plan, float *plane, int threads) {
    int chunks = (int)(f->stride / 2 / COLUMNS);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int i = 0; i < chunks; i++) {
        fftwf_complex *at = (fftwf_complex *)plane + i * COLUMNS;
        fftwf_execute_dft(plan, at, at);
    }
}

void cpu_fft_forward(const cpu_fft *f, float *plane, int filled, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int y = 0; y < filled; y++)
        fftwf_execute_dft_r2c(f->forward_row, plane + y * f->stride, (fftwf_complex *)(plane + y * f->stride));
    columns_of(f, f->forward_columns, plane, threads);
}

void cpu_fft_back(const cpu_fft *f, float *plane, int threads) {
    columns_of(f, f->back_columns, plane, threads);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int y = 0; y < f->rows; y++)
        fftwf_execute_dft_c2r(f->back_row, (fftwf_complex *)(plane + y * f->stride), plane + y * f->stride);
}

#else

endo_status cpu_fft_get(cpu_backend *b, int columns, int rows, const cpu_fft **out) {
    (void)b, (void)columns, (void)rows, (void)out;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on the CPU: this library was built without FFTW");
}

void cpu_fft_free_all(cpu_fft *list) { (void)list; }

void cpu_fft_forward(const cpu_fft *f, float *plane, int filled, int threads) {
    (void)f, (void)plane, (void)filled, (void)threads;
}

void cpu_fft_back(const cpu_fft *f, float *plane, int threads) { (void)f, (void)plane, (void)threads; }

#endif
