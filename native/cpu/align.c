/* Alignment on the intensities on the CPU (rules/fourier_align.h). */
#include "fourier.h"

#include "base/openmp.h"
#include "base/span.h"
#include "rules/fourier_align.h"
#include "rules/sampling.h"

#include <string.h>

/* Pixels that are worth a thread. */
#define PIXELS_A_THREAD 40000
/* Rows that go to the loops together. */
#define ROWS 16

/* A level of two frames and the map between them, reference -> current, under which the sums of rows are taken. */
typedef struct aligner {
    int half; /* of the current image's local means */
    const cpu_align_loops *loops;
    const cpu_fourier_level *reference, *current;
    endo_fixed_affine map;
    int side;
    int16_t *columns; /* endo_align_coordinate() of every column */
} aligner;

/* Whether the pixel (x, y) of the span lies between four pixels: the last column and row have none to the right or below. */
static int has_all_four(const aligner *a, int x, int y) {
    const int64_t *m = a->map.m;
    return endo_position8(m[0] * x + m[1] * y + m[2]) >> 8 < a->current->width - 1 &&
           endo_position8(m[3] * x + m[4] * y + m[5]) >> 8 < a->current->height - 1;
}

static cpu_align_row row_of(const aligner *a, int y) {
    const cpu_fourier_level *l = a->reference;
    cpu_align_row row = {y, 1, l->width - 1, endo_align_coordinate(y, l->height, a->side)};
    endo_row_span(&a->map, y, a->current->width, a->current->height, &row.from, &row.to);
    while (row.from < row.to && !has_all_four(a, row.from, y)) row.from++;
    while (row.from < row.to && !has_all_four(a, row.to - 1, y)) row.to--;
    return row;
}

/* Rows top .. bottom - 1, at most ROWS. */
static void add_rows(const aligner *a, int top, int bottom, endo_align_sums *s) {
    const cpu_fourier_level *l = a->reference;
    cpu_align_row rows[ROWS];
    cpu_align_rows r = {l->highpass[ENDO_FOURIER_HALF], a->current->highpass[a->half], l->stride, a->current->stride,
                        a->columns, a->map.m, !l->valid && !a->current->valid, rows, bottom - top};
    for (int y = top; y < bottom; y++) rows[y - top] = row_of(a, y);
    a->loops->add_rows(&r, s);
}

static void add_sums(const endo_align_sums *from, endo_align_sums *to) {
    to->n += from->n;
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) to->sum[i] += from->sum[i];
    for (int i = 0; i < ENDO_ALIGN_PRODUCTS; i++) to->product[i] += from->product[i];
}

static endo_align_sums add_up(const aligner *a, int threads) {
    endo_align_sums all = {0, {0}, {0}};
    int end = a->reference->height - 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        endo_align_sums local = {0, {0}, {0}};
#pragma omp for schedule(static) nowait
        for (int y = 1; y < end; y += ROWS) add_rows(a, y, y + ROWS < end ? y + ROWS : end, &local);
#pragma omp critical(endo_align_add_sums)
        add_sums(&local, &all);
    }
    return all;
}

static void align(const cpu_store *s, const endo_align_request *q, endo_transform_class model, int threads, int16_t *columns,
                  endo_align_result *out) {
    endo_align_search search;
    aligner a = {.half = q->half, .loops = s->backend->variant->align, .columns = columns};
    for (endo_align_begin(&search, q, model); endo_align_asks(&search, &a.map);) {
        const cpu_fourier_level *l = &s->fourier[q->images.reference].levels[search.reference_level];
        if (l != a.reference) {
            a.reference = l;
            a.current = &s->fourier[q->images.current].levels[search.current_level];
            a.side = l->width > l->height ? l->width : l->height;
            for (int x = 0; x < l->width; x++) columns[x] = (int16_t)endo_align_coordinate(x, l->width, a.side);
        }
        size_t pieces = (size_t)l->width * l->height / PIXELS_A_THREAD;
        int helpers = (int)pieces < threads ? (int)pieces : threads;
        endo_align_sums sums = add_up(&a, helpers > 1 ? helpers : 1);
        endo_align_take(&search, &sums);
    }
    *out = search.result;
}

/* The high-passed levels of all requests. */
static endo_status prepare(cpu_store *s, const endo_align_request *requests, size_t n) {
    endo_status status = cpu_fourier_prepare(s, requests, n, sizeof *requests);
    if (status != ENDO_OK) return status;
    cpu_fourier_wanted *wanted = endo_alloc(2 * n * ENDO_FOURIER_LEVELS, sizeof *wanted);
    size_t count = 0;
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const endo_align_request *q = &requests[i];
        for (int k = 0; k < q->levels && k <= q->reference_level && k <= q->current_level; k++) {
            cpu_fourier_wanted reference = {q->images.reference, q->reference_level - k, ENDO_FOURIER_HALF};
            cpu_fourier_wanted current = {q->images.current, q->current_level - k, q->half};
            wanted[count++] = reference, wanted[count++] = current;
        }
    }
    status = cpu_fourier_highpass(s, wanted, count);
    endo_free(wanted);
    return status;
}

endo_status cpu_align(void *store, const endo_align_request *requests, size_t n, const endo_align_setup *setup,
                      endo_align_result *results) {
    cpu_store *s = store;
    int workers = cpu_threads(s->backend, n), each = workers > 1 ? 1 : s->backend->threads;
    size_t width = (size_t)s->options.width;
    int16_t *columns = endo_alloc((size_t)workers * width, sizeof *columns);
    if (!columns) return endo_fail(ENDO_ERR_MEMORY, "no memory to align %zu pairs", n);
    endo_status status = prepare(s, requests, n);
    if (status == ENDO_OK) {
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (workers > 1)
        for (size_t i = 0; i < n; i++)
            align(s, &requests[i], setup->model, each, columns + (size_t)omp_get_thread_num() * width, &results[i]);
    }
    endo_free(columns);
    return status;
}
