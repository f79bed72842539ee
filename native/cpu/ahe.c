/* Adaptive equalization of 8-bit (or binned) images: drives the loops of ahe_rows.h over bands and strips.
 *
 * A band of rows belongs to one thread. It is worked on in strips of columns whose counters fit the first cache; the
 * window's counters at the end of a strip are kept for every row, and the next strip starts from them. */
#include "ahe_plane.h"

#include "../ahe_math.h"

#include <string.h>

/* What a thread needs for a band. */
typedef struct workspace {
    uint16_t *differences;
    uint32_t *histogram; /* of the window left of the first pixel of a row */
    void *states;        /* CPU_AHE_COUNTERS a row, 16 bits each or, if wide, 32 */
    int wide;
} workspace;

static void *state_of(const workspace *w, int row) {
    return (uint8_t *)w->states + (size_t)row * CPU_AHE_COUNTERS * (w->wide ? 4 : 2);
}

static void set_counter(const workspace *w, void *state, int i, uint32_t value) {
    if (w->wide)
        ((uint32_t *)state)[i] = value;
    else
        ((uint16_t *)state)[i] = (uint16_t)value;
}

/* The cumulative form of ahe_rows.h. */
static void store_cumulative(const workspace *w, void *state) {
    uint32_t below = 0;
    for (int group = 0; group < 16; group++) {
        uint32_t sum = 0;
        set_counter(w, state, 256 + group, below);
        for (int i = 16 * group; i < 16 * group + 16; i++) set_counter(w, state, i, sum += w->histogram[i]);
        below += sum;
    }
}

static void count_row(uint32_t *histogram, const uint8_t *row, int n, uint8_t invert, uint32_t change) {
    for (int k = 0; k < n; k++) histogram[row[k] ^ invert] += change;
}

/* The window left of each row's first pixel: it slides down by 2 * window pixels a row. */
static void start_states(const cpu_ahe_band *band, const workspace *w, int cumulative) {
    const cpu_ahe_plane *p = band->plane;
    int window = p->job->window;
    uint8_t invert = cumulative ? CPU_AHE_INVERT : 0;
    memset(w->histogram, 0, ENDO_AHE_BINS * sizeof *w->histogram);
    for (int i = 1; i < window; i++) count_row(w->histogram, cpu_ahe_row8(p, band->from + i), window, invert, 1);
    for (int y = band->from; y < band->to; y++) {
        count_row(w->histogram, cpu_ahe_row8(p, y + window), window, invert, 1);
        if (y > band->from) count_row(w->histogram, cpu_ahe_row8(p, y), window, invert, (uint32_t)-1);
        void *state = state_of(w, y - band->from);
        if (cumulative)
            store_cumulative(w, state);
        else
            for (int i = 0; i < ENDO_AHE_BINS; i++) set_counter(w, state, i, w->histogram[i]);
    }
}

static uint8_t *out_of(const endo_ahe_job *j, int x, int y) {
    return (uint8_t *)j->out + ((size_t)y * j->out_stride + x) * endo_pixel_size(j->type);
}

static void plain_strip(const cpu_ahe_band *band, const workspace *w, int x, int n) {
    const cpu_ahe_plane *p = band->plane;
    const cpu_ahe_loops *loops = band->loops;
    int window = p->job->window;
    uint32_t ranks[CPU_AHE_STRIP];
    memset(w->differences, 0, CPU_AHE_STRIP * CPU_AHE_COUNTERS * sizeof *w->differences);
    for (int i = 1; i < window; i++)
        loops->add_row(w->differences, cpu_ahe_row8(p, band->from + i) + x, window, CPU_AHE_STRIP);
    for (int y = band->from; y < band->to; y++) {
        const uint8_t *enter = cpu_ahe_row8(p, y + window) + x, *leave = cpu_ahe_row8(p, y) + x;
        const uint8_t *centres = cpu_ahe_row8(p, y + window / 2 + 1) + x + window / 2 + 1;
        if (y > band->from)
            loops->slide_down(w->differences, enter, leave, window, CPU_AHE_STRIP);
        else
            loops->add_row(w->differences, enter, window, CPU_AHE_STRIP);
        if (w->wide)
            loops->slide_right_wide(state_of(w, y - band->from), w->differences, centres, CPU_AHE_STRIP, ranks);
        else
            loops->slide_right(state_of(w, y - band->from), w->differences, centres, CPU_AHE_STRIP, ranks);
        loops->map8(ranks, n, (uint32_t)(window * window), out_of(p->job, x, y));
    }
}

static void limited_row(const cpu_ahe_plane *p, const cpu_ahe_counts *counts, int x, int y, int n) {
    const endo_ahe_job *j = p->job;
    int r = j->window / 2 + 1, sixteen = j->type == ENDO_GREY16;
    const uint8_t *bins = cpu_ahe_row8(p, y + r) + x + r, *parts = sixteen ? cpu_ahe_parts(p, y + r) + x + r : NULL;
    uint64_t pixels = (uint64_t)j->window * j->window;
    uint8_t *out = out_of(j, x, y);
    for (int i = 0; i < n; i++) {
        endo_ahe_bin b = {counts[i].below, counts[i].own, pixels - counts[i].kept, bins[i],
                          sixteen ? parts[i] + 1u : 1u, (uint32_t)j->bin_width};
        uint32_t value = endo_ahe_limited(&b, pixels, sixteen ? 65535 : 255);
        if (sixteen)
            ((uint16_t *)out)[i] = (uint16_t)value;
        else
            out[i] = (uint8_t)value;
    }
}

static void limited_strip(const cpu_ahe_band *band, const workspace *w, int x, int n) {
    const cpu_ahe_plane *p = band->plane;
    const cpu_ahe_loops *loops = band->loops;
    int window = p->job->window;
    uint32_t clip = (uint32_t)p->job->clip;
    cpu_ahe_counts counts[CPU_AHE_STRIP];
    memset(w->differences, 0, CPU_AHE_STRIP * CPU_AHE_COUNTERS * sizeof *w->differences);
    for (int i = 1; i < window; i++)
        loops->add_row_counts(w->differences, cpu_ahe_row8(p, band->from + i) + x, window, CPU_AHE_STRIP);
    for (int y = band->from; y < band->to; y++) {
        const uint8_t *enter = cpu_ahe_row8(p, y + window) + x, *leave = cpu_ahe_row8(p, y) + x;
        const uint8_t *centres = cpu_ahe_row8(p, y + window / 2 + 1) + x + window / 2 + 1;
        if (y > band->from)
            loops->slide_down_counts(w->differences, enter, leave, window, CPU_AHE_STRIP);
        else
            loops->add_row_counts(w->differences, enter, window, CPU_AHE_STRIP);
        if (w->wide)
            loops->slide_right_limited_wide(state_of(w, y - band->from), w->differences, centres, CPU_AHE_STRIP, clip,
                                            counts);
        else
            loops->slide_right_limited(state_of(w, y - band->from), w->differences, centres, CPU_AHE_STRIP,
                                       (uint16_t)clip, counts);
        limited_row(p, counts, x, y, n);
    }
}

static endo_status count_band(const cpu_ahe_band *band) {
    const endo_ahe_job *j = band->plane->job;
    workspace w = {.wide = j->window > 255};
    w.differences = endo_alloc(CPU_AHE_STRIP * CPU_AHE_COUNTERS, sizeof *w.differences);
    w.histogram = endo_alloc(ENDO_AHE_BINS, sizeof *w.histogram);
    w.states = endo_alloc((size_t)(band->to - band->from) * CPU_AHE_COUNTERS, w.wide ? 4 : 2);
    int ready = w.differences && w.histogram && w.states;
    if (ready) start_states(band, &w, !j->clip);
    for (int x = 0; ready && x < j->region.width; x += CPU_AHE_STRIP) {
        int left = j->region.width - x, n = left < CPU_AHE_STRIP ? left : CPU_AHE_STRIP;
        (j->clip ? limited_strip : plain_strip)(band, &w, x, n);
    }
    endo_free(w.differences);
    endo_free(w.histogram);
    endo_free(w.states);
    return ready ? ENDO_OK : ENDO_ERR_MEMORY;
}

static endo_status compare_band(const cpu_ahe_band *band) {
    const cpu_ahe_plane *p = band->plane;
    const endo_ahe_job *j = p->job;
    const uint8_t *rows[ENDO_AHE_MAX_WINDOW];
    uint32_t ranks[CPU_AHE_STRIP];
    for (int y = band->from; y < band->to; y++)
        for (int x = 0; x < j->region.width; x += CPU_AHE_STRIP) {
            int left = j->region.width - x, n = left < CPU_AHE_STRIP ? left : CPU_AHE_STRIP;
            for (int v = 0; v < j->window; v++) rows[v] = cpu_ahe_row8(p, y + 1 + v) + x + 1;
            band->loops->compare8(rows, j->window, CPU_AHE_STRIP, ranks);
            band->loops->map8(ranks, n, (uint32_t)(j->window * j->window), out_of(j, x, y));
        }
    return ENDO_OK;
}

typedef endo_status (*band_function)(const cpu_ahe_band *band);

static endo_status run_bands(const cpu_ahe_plane *plane, const cpu_ahe_loops *loops, int threads, band_function run) {
    int bands = cpu_ahe_bands(plane->job, threads), height = plane->job->region.height, failed = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(| : failed)
    for (int i = 0; i < bands; i++) {
        cpu_ahe_band band = {plane, loops, (int)((int64_t)height * i / bands), (int)((int64_t)height * (i + 1) / bands)};
        failed |= run(&band) != ENDO_OK;
    }
    if (failed) return endo_fail(ENDO_ERR_MEMORY, "no memory to equalize %d rows", height);
    return ENDO_OK;
}

endo_status cpu_ahe(void *backend, const endo_ahe_job *job) {
    const cpu_backend *b = backend;
    const cpu_ahe_loops *loops = b->variant->ahe;
    int plain = !job->clip, sixteen = plain && job->type == ENDO_GREY16;
    int compared = plain && job->window <= loops->largest_compared;
    int threads = cpu_threads(b, (size_t)job->region.width * job->region.height >> 13);
    cpu_ahe_plane plane;
    endo_status status = cpu_ahe_plane_create(job, plain && !compared && !sixteen ? CPU_AHE_INVERT : 0, sixteen, threads,
                                              &plane);
    if (status != ENDO_OK) return status;
    status = run_bands(&plane, loops, threads, sixteen ? cpu_ahe_sixteen : compared ? compare_band : count_band);
    cpu_ahe_plane_destroy(&plane);
    return status;
}
