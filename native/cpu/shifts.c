/* The shift on the CPU ([F] sections 2.1 and 2.4): the reference's spectrum is kept, the current image is turned and
 * transformed for every request, both twins from one transform. */
#include "fourier.h"

#include "base/openmp.h"

#include "rules/fourier_spectra.h"

#include <string.h>

typedef struct shifter {
    cpu_store *store;
    const cpu_fourier_loops *loops;
    const endo_fourier_spectrum *spectrum;
    const cpu_fft *fft;
    size_t scratch;
} shifter;

/* Memory of a thread, and of a request whose spectrum waits for its correlations. */
typedef struct workspace {
    float *turned; /* of the request */
    float *power;  /* of the thread, as the next two */
    float *values; /* of the current image's level, as many as the largest has */
    void *scratch;
} workspace;

/* largest: pixels of the largest level that is turned. */
static size_t lay_out(const shifter *t, size_t largest, uint8_t *memory, workspace *w) {
    size_t plane = cpu_fft_size(t->fft) * sizeof(float), values = (largest * sizeof(float) + 63) / 64 * 64;
    if (w) {
        w->turned = (float *)memory;
        w->power = (float *)(memory + plane);
        w->values = (float *)(memory + 2 * plane);
        w->scratch = memory + 2 * plane + values;
    }
    return 2 * plane + values + (t->scratch + 63) / 64 * 64;
}

/* ------------------------------------------------------------------- turned */

static float value_at(const float *values, int width, int height, int x, int y) {
    return x >= 0 && y >= 0 && x < width && y < height ? values[(size_t)y * width + x] : 0;
}

/* Between pixels; what lies outside is 0. */
static float edge_value(const float *values, int width, int height, float x, float y) {
    int x0 = (int)floorf(x), y0 = (int)floorf(y);
    float fx = x - x0, fy = y - y0;
    float top = (1 - fx) * value_at(values, width, height, x0, y0) + fx * value_at(values, width, height, x0 + 1, y0);
    float bottom =
        (1 - fx) * value_at(values, width, height, x0, y0 + 1) + fx * value_at(values, width, height, x0 + 1, y0 + 1);
    return (1 - fy) * top + fy * bottom;
}

/* Whether a place of a row has four neighbours in the image. */
static int is_inside(const cpu_turn_row *r, int height, int i) {
    float x = (float)(r->x + r->step_x * i), y = (float)(r->y + r->step_y * i);
    return x >= 0 && y >= 0 && x < r->width - 1 && y < height - 1;
}

static float rim_value(const cpu_turn_row *r, int height, int i) {
    float x = (float)(r->x + r->step_x * i), y = (float)(r->y + r->step_y * i);
    int near = x > -1 && y > -1 && x < r->width && y < height;
    return near ? edge_value(r->values, r->width, height, x, y) : 0;
}

/* A row of n places. Those that have four neighbours follow each other. */
static void turn_row(const shifter *t, cpu_turn_row *r, int height, int n, float *out) {
    int from = 0, to = n;
    while (from < n && !is_inside(r, height, from)) from++;
    while (to > from && !is_inside(r, height, to - 1)) to--;
    for (int i = 0; i < from; i++) out[i] = rim_value(r, height, i);
    for (int i = to; i < n; i++) out[i] = rim_value(r, height, i);
    r->from = from, r->to = to;
    t->loops->turn(r, out);
}

/* endo_shift_weight() */
static void weight(const shifter *t, float *plane) {
    float least = (float)endo_spectrum_floor(t->fft->columns);
    for (int y = 0; y < t->fft->rows; y++) t->loops->whiten(plane + y * t->fft->stride, least, t->fft->columns / 2 + 1);
    double squares = cpu_fft_squares(t->fft, plane);
    if (squares > 0) cpu_fft_scale(t->fft, t->loops, plane, (float)(1 / sqrt(squares)));
}

/* The current image about the middle of the plane. */
static void turn(const shifter *t, const endo_shifts_request *q, workspace *w) {
    const cpu_fourier_frame *f = &t->store->fourier[q->images.current];
    const cpu_fourier_level *l = &f->levels[q->current_level];
    endo_fourier_part all = {q->current_level, 0, 0, l->width, l->height};
    int side = t->spectrum->side;
    double middle = (side - 1) / 2.0, a = q->linear[0], b = q->linear[1];
    cpu_fourier_part(t->loops, f, &all, t->spectrum, w->scratch, w->values, l->width);
    for (int y = 0; y < side; y++) {
        double u = 0 - middle, v = y - middle;
        cpu_turn_row row = {w->values, l->width, a * u - b * v + (l->width - 1) / 2.0, b * u + a * v + (l->height - 1) / 2.0,
                            a, b, 0, 0};
        turn_row(t, &row, l->height, side, w->turned + y * t->fft->stride);
    }
    cpu_fft_forward(t->fft, w->turned, side, 1);
    weight(t, w->turned);
}

/* ------------------------------------------------------------- correlation */

static void correlate(const shifter *t, const endo_shifts_request *q, int twin, const float *turned, float *power,
                      endo_shifts_result *out) {
    int side = t->spectrum->side;
    if (!(q->twins >> twin & 1)) return;
    cpu_fft_correlate(t->fft, t->loops, t->store->fourier[q->images.reference].shifts.values, turned, !twin, power, 1);
    out->n[twin] = cpu_fourier_peaks(t->loops, power, t->fft->stride, side, side, NULL, 0, out->peaks[twin], 0,
                                     ENDO_FOURIER_SHIFTS);
    for (int i = 0; i < out->n[twin] && twin; i++) {
        out->peaks[twin][i].x = endo_twin_position(out->peaks[twin][i].x, side);
        out->peaks[twin][i].y = endo_twin_position(out->peaks[twin][i].y, side);
    }
}

/* ---------------------------------------------------------------- requests */

/* References whose spectra lack, with memory for them; *failed: the last one has none. */
static int list_missing(const shifter *t, const endo_shifts_request *requests, size_t n, int32_t *slots, int *failed) {
    endo_turns_setup setup;
    int count = 0;
    memset(&setup, 0, sizeof setup);
    setup.spectrum = *t->spectrum;
    for (size_t i = 0; i < n; i++) {
        cpu_fourier_kept *k = &t->store->fourier[requests[i].images.reference].shifts;
        if (cpu_fourier_is_kept(k, &setup)) continue;
        slots[count++] = requests[i].images.reference;
        if (!cpu_fourier_keep(k, &setup, cpu_fft_size(t->fft))) {
            *failed = 1;
            return count;
        }
    }
    return count;
}

static void make_spectrum(const shifter *t, int slot, workspace *w) {
    cpu_fourier_frame *f = &t->store->fourier[slot];
    endo_fourier_part all = endo_fourier_tile(f->width, f->height, 0, 0, t->spectrum->extent);
    memset(f->shifts.values, 0, cpu_fft_size(t->fft) * sizeof *f->shifts.values);
    cpu_fourier_part(t->loops, f, &all, t->spectrum, w->scratch, f->shifts.values, t->fft->stride);
    cpu_fft_forward(t->fft, f->shifts.values, all.height, 1);
    weight(t, f->shifts.values);
}

/* Levels of local means, and the pixels of the largest level. */
static endo_status prepare(cpu_store *s, const endo_shifts_request *requests, size_t n, const endo_fourier_spectrum *spectrum,
                           size_t *largest) {
    endo_status status = cpu_fourier_prepare(s, requests, n, sizeof *requests);
    if (status != ENDO_OK) return status;
    cpu_fourier_wanted *wanted = endo_alloc(2 * n, sizeof *wanted);
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    *largest = 0;
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = &requests[i].images;
        int level = endo_fourier_tile(m->reference_width, m->reference_height, 0, 0, spectrum->extent).level;
        cpu_fourier_wanted both[2] = {{m->reference, level, ENDO_FOURIER_HALF},
                                      {m->current, requests[i].current_level, ENDO_FOURIER_HALF}};
        for (int k = 0; k < 2; k++) {
            const cpu_fourier_level *l = &s->fourier[both[k].slot].levels[both[k].level];
            wanted[2 * i + k] = both[k];
            size_t area = (size_t)l->width * l->height;
            if (area > *largest) *largest = area;
        }
    }
    if (spectrum->gradient == ENDO_GRADIENT_HIGHPASS) status = cpu_fourier_highpass(s, wanted, 2 * n);
    endo_free(wanted);
    return status;
}

/* Spectra of the references that lack and of some requests, one a workspace, side by side; then the correlations of both
 * twins. */
static void run_some(const shifter *t, const int32_t *slots, int missing, const endo_shifts_request *requests, int n,
                     size_t largest, uint8_t *memory, endo_shifts_result *results) {
    size_t each = lay_out(t, largest, NULL, NULL);
    int workers = cpu_threads(t->store->backend, (size_t)missing + (size_t)n);
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (workers > 1)
    for (int i = 0; i < missing + n; i++) {
        workspace own, of_thread;
        lay_out(t, largest, memory + (size_t)omp_get_thread_num() * each, &of_thread);
        lay_out(t, largest, memory + (size_t)(i < missing ? 0 : i - missing) * each, &own);
        of_thread.turned = own.turned;
        if (i < missing) make_spectrum(t, slots[i], &of_thread);
        else turn(t, &requests[i - missing], &of_thread);
    }
    memset(results, 0, (size_t)n * sizeof *results);
    workers = cpu_threads(t->store->backend, 2 * (size_t)n);
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1) if (workers > 1)
    for (int i = 0; i < 2 * n; i++) {
        workspace own, of_thread;
        lay_out(t, largest, memory + (size_t)omp_get_thread_num() * each, &of_thread);
        lay_out(t, largest, memory + (size_t)(i / 2) * each, &own);
        correlate(t, &requests[i / 2], i % 2, own.turned, of_thread.power, &results[i / 2]);
    }
}

static endo_status run(const shifter *t, const endo_shifts_request *requests, size_t n, size_t largest,
                       endo_shifts_result *results) {
    cpu_backend *b = t->store->backend;
    int32_t *slots = endo_alloc(n, sizeof *slots);
    int failed = !slots, missing = slots ? list_missing(t, requests, n, slots, &failed) : 0;
    size_t together = n < (size_t)b->threads ? n : (size_t)b->threads;
    size_t workspaces = (size_t)cpu_threads(b, (size_t)missing + 2 * together); /* of as many threads, and as many requests */
    uint8_t *memory = failed ? NULL : cpu_frame_scratch(b, workspaces, lay_out(t, largest, NULL, NULL));
    for (size_t at = 0; at < n && memory; at += together)
        run_some(t, slots, at ? 0 : missing, requests + at, (int)(n - at < together ? n - at : together), largest, memory,
                 results + at);
    for (int i = 0; i < missing && !memory; i++) cpu_fourier_kept_free(&t->store->fourier[slots[i]].shifts);
    cpu_frame_scratch_end(b);
    endo_free(slots);
    return memory ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu pairs", n);
}

endo_status cpu_shifts(void *store, const endo_shifts_request *requests, size_t n, const endo_shifts_setup *setup,
                       endo_shifts_result *results) {
    size_t largest = 0;
    shifter t = {.store = store, .loops = ((cpu_store *)store)->backend->variant->fourier, .spectrum = &setup->spectrum};
    endo_status status = prepare(store, requests, n, &setup->spectrum, &largest);
    int side = setup->spectrum.side;
    if (status == ENDO_OK) status = cpu_fft_get(t.store->backend, side, side, &t.fft);
    if (status != ENDO_OK) return status;
    if (largest < (size_t)side * side) largest = (size_t)side * side;
    t.scratch = largest * sizeof(int16_t) + 65536 * sizeof(float);
    return run(&t, requests, n, largest, results);
}
