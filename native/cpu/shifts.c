/* The shift on the CPU ([F] sections 2.1 and 2.4): the reference's spectrum is kept, the current image is turned and
 * transformed for every request, both twins from one transform. */
#include "fourier.h"

#include "rules/fourier_spectra.h"

#include <string.h>

typedef struct shifter {
    cpu_store *store;
    const cpu_fourier_loops *loops;
    const endo_fourier_spectrum *spectrum;
    const cpu_fft *fft;
    size_t scratch;
} shifter;

/* One thread's memory. */
typedef struct workspace {
    float *turned, *power; /* planes */
    float *values;         /* of the current image's level: side * side */
    void *scratch;
} workspace;

static void workspace_free(workspace *w) {
    endo_free(w->turned);
    endo_free(w->power);
    endo_free(w->values);
    endo_free(w->scratch);
}

/* largest: pixels of the largest level that is turned. */
static int workspace_create(const shifter *t, size_t largest, workspace *w) {
    w->turned = endo_alloc(cpu_fft_size(t->fft), sizeof *w->turned);
    w->power = endo_alloc(cpu_fft_size(t->fft), sizeof *w->power);
    w->values = endo_alloc(largest, sizeof *w->values);
    w->scratch = endo_alloc(t->scratch, 1);
    return w->turned && w->power && w->values && w->scratch;
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

static void turn_row(const float *values, int width, int height, double x, double y, double step_x, double step_y, int n,
                     float *out) {
    for (int i = 0; i < n; i++) {
        float at_x = (float)(x + step_x * i), at_y = (float)(y + step_y * i);
        if (!(at_x >= 0 && at_y >= 0 && at_x < width - 1 && at_y < height - 1)) {
            int near = at_x > -1 && at_y > -1 && at_x < width && at_y < height;
            out[i] = near ? edge_value(values, width, height, at_x, at_y) : 0;
            continue;
        }
        int x0 = (int)at_x, y0 = (int)at_y;
        float fx = at_x - x0, fy = at_y - y0;
        const float *top = values + (size_t)y0 * width + x0, *bottom = top + width;
        float above = top[0] + fx * (top[1] - top[0]), below = bottom[0] + fx * (bottom[1] - bottom[0]);
        out[i] = above + fy * (below - above);
    }
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
        turn_row(w->values, l->width, l->height, a * u - b * v + (l->width - 1) / 2.0,
                 b * u + a * v + (l->height - 1) / 2.0, a, b, side, w->turned + y * t->fft->stride);
    }
    cpu_fft_forward(t->fft, w->turned, side, 1);
    weight(t, w->turned);
}

/* ------------------------------------------------------------- correlation */

static void correlate(const shifter *t, const endo_shifts_request *q, workspace *w, endo_shifts_result *out) {
    int side = t->spectrum->side;
    memset(out, 0, sizeof *out);
    turn(t, q, w);
    for (int twin = 0; twin < 2; twin++) {
        if (!(q->twins >> twin & 1)) continue;
        cpu_fft_correlate(t->fft, t->loops, t->store->fourier[q->images.reference].shifts.values, w->turned, !twin, w->power, 1);
        out->n[twin] = cpu_fourier_peaks(t->loops, w->power, t->fft->stride, side, side, NULL, 0, out->peaks[twin], 0,
                                         ENDO_FOURIER_SHIFTS);
        for (int i = 0; i < out->n[twin] && twin; i++) {
            out->peaks[twin][i].x = endo_twin_position(out->peaks[twin][i].x, side);
            out->peaks[twin][i].y = endo_twin_position(out->peaks[twin][i].y, side);
        }
    }
}

/* ---------------------------------------------------------------- requests */

static int is_kept(const cpu_fourier_kept *k, const endo_turns_setup *setup) {
    return k->values && !memcmp(&k->setup, setup, sizeof *setup);
}

/* References whose spectra lack, with memory for them; *failed: the last one has none. */
static int list_missing(const shifter *t, const endo_shifts_request *requests, size_t n, int32_t *slots, int *failed) {
    endo_turns_setup setup;
    int count = 0;
    memset(&setup, 0, sizeof setup);
    setup.spectrum = *t->spectrum;
    for (size_t i = 0; i < n; i++) {
        cpu_fourier_kept *k = &t->store->fourier[requests[i].images.reference].shifts;
        if (is_kept(k, &setup)) continue;
        k->setup = setup;
        endo_free(k->values);
        k->values = endo_alloc(cpu_fft_size(t->fft), sizeof *k->values);
        slots[count++] = requests[i].images.reference;
        if (!k->values) {
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

static endo_status run(const shifter *t, const endo_shifts_request *requests, size_t n, size_t largest,
                       endo_shifts_result *results) {
    int32_t *slots = endo_alloc(n, sizeof *slots);
    int failed = !slots, missing = slots ? list_missing(t, requests, n, slots, &failed) : 0, useless = failed;
#pragma omp parallel num_threads(cpu_threads(t->store->backend, n)) reduction(| : failed) if (!useless)
    {
        workspace w = {NULL, NULL, NULL, NULL};
        int ready = !useless && workspace_create(t, largest, &w);
        failed |= !ready;
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < missing; i++)
            if (ready) make_spectrum(t, slots[i], &w);
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < n; i++)
            if (ready) correlate(t, &requests[i], &w, &results[i]);
        workspace_free(&w);
    }
    for (int i = 0; i < missing && failed; i++) {
        endo_free(t->store->fourier[slots[i]].shifts.values);
        t->store->fourier[slots[i]].shifts.values = NULL;
    }
    endo_free(slots);
    return failed ? endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu pairs", n) : ENDO_OK;
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
