/* Rotation and scale on the CPU ([F] sections 2.2 to 2.4): images side by side, then pairs. */
#include "fourier.h"

#include "base/openmp.h"

#include "rules/fourier_spectra.h"

#include <string.h>

/* Constants of a call, which all threads read. */
typedef struct turner {
    cpu_store *store;
    const cpu_fourier_loops *loops;
    const endo_turns_setup *setup;
    const cpu_fft *plane, *polar;
    float *places; /* x and y of every place of the log-polar plane */
    float *taper;   /* by column */
    float *low_pass; /* by column, then by row, of the plane's transform */
    size_t scratch;
} turner;

static void turner_free(turner *t) {
    endo_free(t->places);
    endo_free(t->taper);
    endo_free(t->low_pass);
}

static endo_status turner_create(cpu_store *s, const endo_turns_setup *setup, turner *t) {
    endo_status status = cpu_fft_get(s->backend, setup->spectrum.side, setup->spectrum.side, &t->plane);
    if (status == ENDO_OK) status = cpu_fft_get(s->backend, setup->radii, setup->angles, &t->polar);
    if (status != ENDO_OK) return status;
    t->store = s;
    t->loops = s->backend->variant->fourier;
    t->setup = setup;
    t->scratch = cpu_fourier_scratch(setup->spectrum.side, setup->spectrum.side);
    t->places = endo_alloc((size_t)setup->angles + setup->angles + setup->radii, sizeof *t->places);
    t->taper = endo_alloc((size_t)setup->radii, sizeof *t->taper);
    int columns = setup->radii / 2 + 1, rows = setup->angles / 2 + 1;
    t->low_pass = endo_alloc((size_t)columns + rows, sizeof *t->low_pass);
    if (!t->places || !t->taper || !t->low_pass) {
        turner_free(t);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a log-polar plane");
    }
    double least = 0.01 * sqrt((double)setup->angles * setup->radii), one = sqrt(1 + least); /* of magnitude 1 */
    for (int x = 0; x < columns; x++) t->low_pass[x] = (float)(endo_turn_weight(setup, 1, x, 0) * one);
    for (int y = 0; y < rows; y++) t->low_pass[columns + y] = (float)(endo_turn_weight(setup, 1, 0, y) * one);
    float *radius = t->places + 2 * setup->angles;
    for (int row = 0; row < setup->angles; row++) {
        double angle = endo_log_polar_angle(setup, row);
        t->places[2 * row] = (float)cos(angle), t->places[2 * row + 1] = (float)sin(angle);
    }
    for (int c = 0; c < setup->radii; c++) {
        radius[c] = (float)endo_log_polar_radius(setup, c);
        t->taper[c] = (float)endo_log_polar_weight(setup, c);
    }
    return ENDO_OK;
}

/* ---------------------------------------------------------------- log-polar */

static void polar_row(const turner *t, const float *magnitudes, int row, float *out) {
    const endo_turns_setup *s = t->setup;
    const float *radius = t->places + 2 * s->angles;
    cpu_polar_row r = {magnitudes, t->plane->stride / 2, s->spectrum.side, radius, t->places[2 * row], t->places[2 * row + 1],
                       s->radii};
    t->loops->polar(&r, out);
    if (!s->paper) t->loops->logarithms(out, (float)endo_spectrum_floor(s->spectrum.side), s->radii);
}

static void take_means_off(const turner *t, float *polar, float *mean) {
    int radii = t->setup->radii, angles = t->setup->angles;
    memset(mean, 0, (size_t)radii * sizeof *mean);
    for (int row = 0; row < angles; row++)
        for (int c = 0; c < radii; c++) mean[c] += polar[row * t->polar->stride + c];
    for (int c = 0; c < radii; c++) mean[c] /= angles;
    for (int row = 0; row < angles; row++)
        for (int c = 0; c < radii; c++) {
            float *value = &polar[row * t->polar->stride + c];
            *value = (*value - mean[c]) * t->taper[c];
        }
}

/* endo_turn_weight(), whose Gaussian is a product of two. */
static void weight(const turner *t, float *polar, int threads) {
    int n = t->setup->radii / 2 + 1, angles = t->setup->angles, paper = t->setup->paper;
    float least = (float)(0.01 * sqrt((double)angles * t->setup->radii));
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int y = 0; y < angles; y++) {
        float *row = polar + y * t->polar->stride, down = t->low_pass[n + (y > angles / 2 ? angles - y : y)];
        if (paper)
            t->loops->whiten(row, least, n);
        else
            t->loops->half_whiten(row, t->low_pass, down, least, n);
    }
    double squares = cpu_fft_squares(t->polar, polar);
    if (squares > 0) cpu_fft_scale(t->polar, t->loops, polar, (float)(1 / sqrt(squares)));
}

/* The transform of a part's log-polar plane, weighted. plane: room for a spectrum. */
static void polar_of(const turner *t, const cpu_fourier_frame *f, const endo_fourier_part *part, float *plane, void *scratch,
                     float *polar, int threads) {
    memset(plane, 0, cpu_fft_size(t->plane) * sizeof *plane);
    cpu_fourier_part(t->loops, f, part, &t->setup->spectrum, scratch, plane, t->plane->stride);
    cpu_fft_forward(t->plane, plane, part->height, threads);
    ptrdiff_t stride = t->plane->stride, half = stride / 2; /* magnitudes are half as many, and lie close */
    for (int y = 0; y < t->plane->rows; y++)
        t->loops->magnitudes(plane + y * stride, t->plane->columns / 2 + 1, plane + y * half);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int row = 0; row < t->setup->angles; row++) polar_row(t, plane, row, polar + row * t->polar->stride);
    if (!t->setup->paper) take_means_off(t, polar, scratch);
    cpu_fft_forward(t->polar, polar, t->setup->angles, threads);
    weight(t, polar, threads);
}

/* ------------------------------------------------------------- correlation */

/* Marks the places of a correlation that are no answer. */
static void forbid(const endo_turns_setup *setup, double extra, uint8_t *skip) {
    size_t n = (size_t)setup->radii;
    for (int x = 0; x < setup->radii; x++) skip[x] = !endo_turn_column_is_allowed(setup, x, extra);
    for (int y = setup->angles - 1; y >= 0; y--) /* the first row is a row's columns until it is its own */
        if (!endo_turn_row_is_allowed(setup, y)) memset(skip + y * n, 1, n);
        else if (y) memcpy(skip + y * n, skip, n);
}

/* --------------------------------------------------------------- requests */

/* One thread's memory. */
typedef struct workspace {
    float *plane, *polar, *power;
    void *scratch;
    uint8_t *skip;
} workspace;

/* Bytes of a thread's memory. w: NULL, or where its parts lie in the memory of a thread. */
static size_t lay_out(const turner *t, uint8_t *memory, workspace *w) {
    size_t plane = cpu_fft_size(t->plane) * sizeof(float), polar = cpu_fft_size(t->polar) * sizeof(float);
    size_t scratch = (t->scratch + 63) / 64 * 64, skip = (size_t)t->setup->angles * t->setup->radii;
    if (w) {
        w->plane = (float *)memory;
        w->polar = (float *)(memory + plane);
        w->power = (float *)(memory + plane + polar);
        w->scratch = memory + plane + 2 * polar;
        w->skip = memory + plane + 2 * polar + scratch;
    }
    return plane + 2 * polar + scratch + (skip + 63) / 64 * 64;
}

static int is_whole(const endo_turns_request *q, int current) { return q->layer == 0 || (q->layer < 0) != current; }

/* Gives them memory; *failed: the last one has none. */
static int list_missing(const turner *t, const endo_turns_request *requests, size_t n, int32_t *slots, int *failed) {
    int count = 0;
    for (size_t i = 0; i < n; i++)
        for (int current = 0; current < 2; current++) {
            int slot = current ? requests[i].images.current : requests[i].images.reference;
            cpu_fourier_kept *k = &t->store->fourier[slot].turns;
            if (!is_whole(&requests[i], current) || cpu_fourier_is_kept(k, t->setup)) continue;
            slots[count++] = slot;
            if (!cpu_fourier_keep(k, t->setup, cpu_fft_size(t->polar))) {
                *failed = 1;
                return count;
            }
        }
    return count;
}

static void correlate(const turner *t, const endo_turns_request *q, workspace *w, int threads, endo_turns_result *out) {
    const endo_fourier_images *m = &q->images;
    int extent = t->setup->spectrum.extent, across = endo_fourier_tiles_across(q->layer), tiled_current = q->layer < 0;
    cpu_fourier_frame *frames[2] = {&t->store->fourier[m->reference], &t->store->fourier[m->current]};
    cpu_fourier_frame *tiled = frames[tiled_current], *whole = frames[!tiled_current];
    endo_fourier_part all = endo_fourier_tile(whole->width, whole->height, 0, 0, extent);
    int n = 0;
    for (int i = 0; i < across * across; i++) {
        endo_fourier_part part = endo_fourier_tile(tiled->width, tiled->height, q->layer, i, extent);
        double extra = tiled_current ? endo_turn_level_scale(all.level, part.level)
                                     : endo_turn_level_scale(part.level, all.level);
        const float *one = tiled->turns.values, *other = whole->turns.values;
        if (q->layer) polar_of(t, tiled, &part, w->plane, w->scratch, w->polar, threads), one = w->polar;
        cpu_fft_correlate(t->polar, t->loops, tiled_current ? other : one, tiled_current ? one : other, 1, w->power, threads);
        if (i == 0) forbid(t->setup, extra, w->skip);
        n = cpu_fourier_peaks(t->loops, w->power, t->polar->stride, t->setup->radii, t->setup->angles, w->skip, i, out->peaks, n,
                              t->setup->peaks);
    }
    out->n = n;
}

/* Levels of local means that the parts are made of. */
static endo_status prepare(cpu_store *s, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup) {
    endo_status status = cpu_fourier_prepare(s, requests, n, sizeof *requests);
    if (status != ENDO_OK || setup->spectrum.gradient != ENDO_GRADIENT_HIGHPASS) return status;
    cpu_fourier_wanted *wanted = endo_alloc(2 * n, sizeof *wanted);
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = &requests[i].images;
        int of_reference = is_whole(&requests[i], 0) ? 0 : requests[i].layer;
        int of_current = is_whole(&requests[i], 1) ? 0 : requests[i].layer;
        int extent = setup->spectrum.extent;
        cpu_fourier_wanted reference = {
            m->reference, endo_fourier_tile(m->reference_width, m->reference_height, of_reference, 0, extent).level,
            ENDO_FOURIER_HALF};
        cpu_fourier_wanted current = {
            m->current, endo_fourier_tile(m->current_width, m->current_height, of_current, 0, extent).level,
            ENDO_FOURIER_HALF};
        wanted[2 * i] = reference, wanted[2 * i + 1] = current;
    }
    status = cpu_fourier_highpass(s, wanted, 2 * n);
    endo_free(wanted);
    return status;
}

/* memory: of as many threads as there may be. */
static void make_missing(const turner *t, const int32_t *slots, int missing, uint8_t *memory) {
    int workers = cpu_threads(t->store->backend, missing), each = workers > 1 ? 1 : t->store->backend->threads;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (workers > 1)
    for (int i = 0; i < missing; i++) {
        cpu_fourier_frame *f = &t->store->fourier[slots[i]];
        endo_fourier_part all = endo_fourier_tile(f->width, f->height, 0, 0, t->setup->spectrum.extent);
        workspace w;
        lay_out(t, memory + (size_t)omp_get_thread_num() * lay_out(t, NULL, NULL), &w);
        polar_of(t, f, &all, w.plane, w.scratch, f->turns.values, each);
    }
}

static void correlate_all(const turner *t, const endo_turns_request *requests, size_t n, uint8_t *memory,
                          endo_turns_result *results) {
    int workers = cpu_threads(t->store->backend, n), each = workers > 1 ? 1 : t->store->backend->threads;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (workers > 1)
    for (size_t i = 0; i < n; i++) {
        workspace w;
        lay_out(t, memory + (size_t)omp_get_thread_num() * lay_out(t, NULL, NULL), &w);
        memset(&results[i], 0, sizeof results[i]);
        correlate(t, &requests[i], &w, each, &results[i]);
    }
}

static endo_status run(const turner *t, const endo_turns_request *requests, size_t n, endo_turns_result *results) {
    cpu_backend *b = t->store->backend;
    int32_t *slots = endo_alloc(2 * n, sizeof *slots);
    int failed = !slots, missing = slots ? list_missing(t, requests, n, slots, &failed) : 0;
    int workers = cpu_threads(b, n > (size_t)missing ? n : (size_t)missing);
    uint8_t *memory = failed ? NULL : cpu_frame_scratch(b, (size_t)workers, lay_out(t, NULL, NULL));
    if (memory) {
        make_missing(t, slots, missing, memory);
        correlate_all(t, requests, n, memory, results);
    }
    for (int i = 0; i < missing && !memory; i++) cpu_fourier_kept_free(&t->store->fourier[slots[i]].turns);
    cpu_frame_scratch_end(b);
    endo_free(slots);
    return memory ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu pairs", n);
}

endo_status cpu_turns(void *store, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup,
                      endo_turns_result *results) {
    turner t = {.places = NULL, .taper = NULL, .low_pass = NULL};
    endo_status status = prepare(store, requests, n, setup);
    if (status == ENDO_OK) status = turner_create(store, setup, &t);
    if (status != ENDO_OK) return status;
    status = run(&t, requests, n, results);
    turner_free(&t);
    return status;
}
