/* Rotation and scale on a device ([F] sections 2.2 to 2.4): all images of a call side by side, then all correlations. */
#include "chunks.h"
#include "log_polar.cuh"

#include <string.h>

typedef struct turner {
    cuda_store *store;
    const endo_turns_setup *setup;
    cuda_fft plane, polar;
    cuda_correlator correlator;
} turner;

/* An image, or a tile of one. */
typedef struct turn_part {
    int32_t slot;
    endo_fourier_part part;
} turn_part;

/* Scratch memory of a chunk. */
typedef struct turn_workspace {
    float2 *rows, *columns; /* cosine and sine of each row; radius and weight of each column */
    float *low_pass;        /* cuda_fourier_weights */
    int64_t *sums;
    double *squares;
    float *planes;
    float2 *spectra;
    float *polars;
    float2 *transforms; /* of the log-polar planes */
    void *correlations;
} turn_workspace;

static size_t lay_out(const turner *t, size_t parts, size_t correlations, void *memory, turn_workspace *out) {
    uint8_t *at = (uint8_t *)memory;
    out->rows = (float2 *)cuda_carve(&at, t->setup->angles * sizeof(float2));
    out->columns = (float2 *)cuda_carve(&at, t->setup->radii * sizeof(float2));
    out->low_pass = (float *)cuda_carve(&at, (t->setup->radii / 2 + 1 + t->setup->angles / 2 + 1) * sizeof(float));
    out->sums = (int64_t *)cuda_carve(&at, 2 * parts * sizeof(int64_t));
    out->squares = (double *)cuda_carve(&at, parts * cuda_fourier_squares(&t->polar) * sizeof(double));
    out->planes = (float *)cuda_carve(&at, parts * cuda_fft_plane(&t->plane) * sizeof(float));
    out->spectra = (float2 *)cuda_carve(&at, parts * cuda_fft_spectrum(&t->plane) * sizeof(float2));
    out->polars = (float *)cuda_carve(&at, parts * cuda_fft_plane(&t->polar) * sizeof(float));
    out->transforms = (float2 *)cuda_carve(&at, parts * cuda_fft_spectrum(&t->polar) * sizeof(float2));
    out->correlations = cuda_carve(&at, correlations * cuda_correlator_bytes(&t->correlator));
    return (size_t)(at - (uint8_t *)memory);
}

static endo_status reserve(const turner *t, size_t parts, size_t correlations, turn_workspace *out) {
    cuda_backend *b = t->store->backend;
    ENDO_TRY(cuda_reserve(b, &b->scratch, lay_out(t, parts, correlations, NULL, out)));
    lay_out(t, parts, correlations, b->scratch.memory, out);
    return ENDO_OK;
}

/* -------------------------------------------------------------- transforms */

/* The transforms of the log-polar planes of n parts, weighted. to: as cuda_fourier_weigh() says. */
static endo_status make_transforms(const turner *t, const cuda_fourier_source *sources, const cuda_fourier_source *on_device,
                                   size_t n, const turn_workspace *memory, float2 *const *to) {
    cuda_backend *b = t->store->backend;
    const endo_turns_setup *s = t->setup;
    int places = s->angles > s->radii ? s->angles : s->radii;
    polar_job job = {memory->rows, memory->columns, memory->spectra, memory->polars, s->spectrum.side, s->angles, s->radii,
                     s->paper,
                     (float)endo_spectrum_floor(s->spectrum.side)};
    double least = 0.01 * sqrt((double)s->angles * s->radii); /* of endo_turn_weight() */
    cuda_fourier_weights weights = {(float)least, s->paper ? NULL : memory->low_pass};
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_fourier_fill(b, sources, on_device, n, &s->spectrum, memory->sums));
    ENDO_TRY(cuda_fft_forward(b, &t->plane, n, memory->planes, memory->spectra));
    places_kernel<<<(places + 127) / 128, 128, 0, b->stream>>>(*s, sqrt(1 + least), memory->rows, memory->columns,
                                                               memory->low_pass);
    polar_kernel<<<dim3((s->radii + COLUMNS - 1) / COLUMNS, (unsigned)n), COLUMNS * LANES, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_fft_forward(b, &t->polar, n, memory->polars, memory->transforms));
    return cuda_fourier_weigh(b, &t->polar, &weights, memory->transforms, n, memory->squares, to);
}

static void source_of(const turner *t, const turn_part *p, const turn_workspace *memory, size_t i, cuda_fourier_source *out) {
    int side = t->setup->spectrum.side;
    *out = cuda_fourier_source_of(t->store, p->slot, &p->part, &t->setup->spectrum,
                                  memory->planes + i * cuda_fft_plane(&t->plane), side, side);
}

/* ------------------------------------------------------------ whole images */

static int is_whole(const endo_turns_request *q, int current) { return q->layer == 0 || (q->layer < 0) != current; }

static endo_fourier_part whole_of(const turner *t, int slot) {
    const cuda_fourier_frame *f = &t->store->fourier->frames[slot];
    return endo_fourier_tile(f->width, f->height, 0, 0, t->setup->spectrum.extent);
}

static endo_status make_whole(void *job, size_t first, size_t n) {
    const cuda_fourier_whole *w = (const cuda_fourier_whole *)job;
    const turner *t = (const turner *)w->with;
    const cuda_fourier_source *on_device;
    float2 *const *to;
    turn_workspace memory;
    ENDO_TRY(reserve(t, n, 0, &memory));
    for (size_t i = 0; i < n; i++) {
        turn_part p = {w->slots[first + i], whole_of(t, w->slots[first + i])};
        source_of(t, &p, &memory, i, &w->sources[i]);
    }
    ENDO_TRY(cuda_fourier_whole_send(w, first, n, &on_device, &to));
    return make_transforms(t, w->sources, on_device, n, &memory, to);
}

static cuda_fourier_kept *kept_of(cuda_fourier_frame *frame) { return &frame->turns; }

static endo_status make_missing(const turner *t, const endo_turns_request *requests, size_t n) {
    turn_workspace unused;
    cuda_fourier_whole w = {};
    w.store = t->store;
    w.kept = kept_of;
    w.setup = t->setup;
    w.numbers = cuda_fft_spectrum(&t->polar);
    w.bytes_each = lay_out(t, 1, 0, NULL, &unused);
    w.with = t;
    endo_status status = cuda_fourier_whole_begin(&w, 2 * n);
    for (size_t i = 0; i < 2 * n && status == ENDO_OK; i++) {
        const endo_fourier_images *m = &requests[i / 2].images;
        if (is_whole(&requests[i / 2], i % 2)) status = cuda_fourier_whole_want(&w, i % 2 ? m->current : m->reference);
    }
    if (status == ENDO_OK) status = cuda_in_chunks(w.count, w.bytes_each, make_whole, &w);
    cuda_fourier_whole_end(&w, status);
    return status;
}

/* ------------------------------------------------------------ correlations */

/* One correlation: tile i of a request. */
typedef struct turn_job {
    uint32_t request, tile;
} turn_job;

typedef struct correlate_call {
    const turner *with;
    const endo_turns_request *requests;
    const turn_job *jobs;
    cuda_fourier_source *sources; /* as many elements as a chunk takes, and for as many correlations after it */
} correlate_call;

/* The correlation of a job, whose tile (if it has one) is source i. */
static cuda_correlation correlation_of(const turner *t, const endo_turns_request *q, const turn_part *tiled, uint32_t tile,
                                       const float2 *transform) {
    const cuda_fourier_frame *frames = t->store->fourier->frames;
    int of_current = q->layer < 0, other = of_current ? q->images.reference : q->images.current;
    int level = whole_of(t, other).level;
    const float2 *one = q->layer ? transform : (const float2 *)frames[tiled->slot].turns.values.memory;
    const float2 *two = (const float2 *)frames[other].turns.values.memory;
    cuda_correlation c = {of_current ? two : one, of_current ? one : two,
                          of_current ? endo_turn_level_scale(level, tiled->part.level)
                                     : endo_turn_level_scale(tiled->part.level, level),
                          -1, (int32_t)tile};
    return c;
}

static turn_part tile_of(const turner *t, const endo_turns_request *q, uint32_t tile) {
    int slot = q->layer < 0 ? q->images.current : q->images.reference;
    const cuda_fourier_frame *f = &t->store->fourier->frames[slot];
    turn_part p = {slot, endo_fourier_tile(f->width, f->height, q->layer, (int)tile, t->setup->spectrum.extent)};
    return p;
}

static endo_status correlate(void *job, size_t first, size_t n) {
    const correlate_call *call = (const correlate_call *)job;
    const turner *t = call->with;
    cuda_backend *b = t->store->backend;
    size_t tiles = 0, used = 0;
    turn_workspace memory;
    for (size_t i = 0; i < n; i++) tiles += call->requests[call->jobs[first + i].request].layer != 0;
    ENDO_TRY(reserve(t, tiles, n, &memory));
    cuda_correlation *correlations = (cuda_correlation *)(call->sources + tiles);
    for (size_t i = 0; i < n; i++) {
        const turn_job *j = &call->jobs[first + i];
        const endo_turns_request *q = &call->requests[j->request];
        turn_part p = tile_of(t, q, j->tile);
        correlations[i] = correlation_of(t, q, &p, j->tile, memory.transforms + used * cuda_fft_spectrum(&t->polar));
        if (q->layer) source_of(t, &p, &memory, used, &call->sources[used]), used++;
    }
    ENDO_TRY(cuda_send(b, call->sources, tiles * sizeof *call->sources + n * sizeof *correlations));
    const cuda_fourier_source *on_device = (const cuda_fourier_source *)b->device_in.memory;
    ENDO_TRY(make_transforms(t, call->sources, on_device, tiles, &memory, NULL));
    return cuda_correlate(&t->correlator, (const cuda_correlation *)(on_device + tiles), first, n, memory.correlations);
}

/* Host memory of a call. bounds: of the correlations of each request. */
typedef struct turn_lists {
    uint32_t *bounds;
    turn_job *jobs;
    cuda_fourier_source *sources;
    endo_fourier_peak *peaks; /* and the counts after them */
} turn_lists;

static void lists_free(turn_lists *l) {
    endo_free(l->bounds);
    endo_free(l->jobs);
    endo_free(l->sources);
    endo_free(l->peaks);
}

static size_t tiles_of(const endo_turns_request *q) {
    size_t across = (size_t)endo_fourier_tiles_across(q->layer);
    return across * across;
}

static endo_status lists_create(const turner *t, const endo_turns_request *requests, size_t n, size_t bytes_each,
                                turn_lists *l) {
    size_t total = 0, most = (size_t)t->setup->peaks;
    for (size_t i = 0; i < n; i++) total += tiles_of(&requests[i]);
    l->bounds = (uint32_t *)endo_alloc(n + 1, sizeof *l->bounds);
    l->jobs = (turn_job *)endo_alloc(total, sizeof *l->jobs);
    l->sources = (cuda_fourier_source *)endo_alloc(cuda_chunk_of(total, bytes_each),
                                                   sizeof *l->sources + sizeof(cuda_correlation));
    l->peaks = (endo_fourier_peak *)endo_alloc(n, most * sizeof *l->peaks + sizeof(int32_t));
    if (!l->bounds || !l->jobs || !l->sources || !l->peaks)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu pairs", n);
    l->bounds[0] = 0;
    for (size_t i = 0; i < n; i++) {
        l->bounds[i + 1] = l->bounds[i] + (uint32_t)tiles_of(&requests[i]);
        for (uint32_t k = l->bounds[i]; k < l->bounds[i + 1]; k++) {
            turn_job j = {(uint32_t)i, k - l->bounds[i]};
            l->jobs[k] = j;
        }
    }
    return ENDO_OK;
}

static void take_results(const turner *t, const turn_lists *l, size_t n, endo_turns_result *results) {
    size_t most = (size_t)t->setup->peaks;
    const int32_t *counts = (const int32_t *)(l->peaks + n * most);
    for (size_t i = 0; i < n; i++) {
        memset(&results[i], 0, sizeof results[i]);
        results[i].n = counts[i];
        memcpy(results[i].peaks, l->peaks + i * most, (size_t)counts[i] * sizeof *l->peaks);
    }
}

/* Correlations in chunks, whose peaks stay on the device until all are there. */
static endo_status find(turner *t, const endo_turns_request *requests, size_t n, size_t bytes_each, const turn_lists *l,
                        endo_turns_result *results) {
    cuda_backend *b = t->store->backend;
    size_t total = l->bounds[n], finds = cuda_correlator_finds(&t->correlator), peaks = n * (size_t)t->setup->peaks;
    correlate_call call = {t, requests, l->jobs, l->sources};
    ENDO_TRY(cuda_reserve(b, &b->device_out, (total * finds + peaks) * sizeof(endo_fourier_peak) + n * sizeof(int32_t)));
    endo_fourier_peak *chosen = (endo_fourier_peak *)b->device_out.memory;
    int32_t *counts = (int32_t *)(chosen + peaks);
    /* The finds behind the results, at a multiple of 4 bytes as their numbers need. */
    t->correlator.found = (endo_fourier_peak *)(counts + n);
    ENDO_TRY(cuda_in_chunks(total, bytes_each, correlate, &call));
    ENDO_TRY(cuda_send(b, l->bounds, (n + 1) * sizeof *l->bounds));
    ENDO_TRY(cuda_correlator_choose(&t->correlator, (const uint32_t *)b->device_in.memory, n, chosen, counts));
    cuda_time_end(b);
    ENDO_TRY(cuda_receive(b, chosen, l->peaks, peaks * sizeof *chosen + n * sizeof *counts));
    take_results(t, l, n, results);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- calls */

/* Levels of local means that the parts are made of. */
static endo_status prepare(cuda_store *s, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup) {
    ENDO_TRY(cuda_fourier_prepare(s, requests, n, sizeof *requests));
    ENDO_TRY(cuda_fourier_tapers(s, &setup->spectrum));
    if (setup->spectrum.gradient != ENDO_GRADIENT_HIGHPASS) return ENDO_OK;
    cuda_fourier_wanted *wanted = (cuda_fourier_wanted *)endo_alloc(2 * n, sizeof *wanted);
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = &requests[i].images;
        int of_reference = is_whole(&requests[i], 0) ? 0 : requests[i].layer;
        int of_current = is_whole(&requests[i], 1) ? 0 : requests[i].layer, extent = setup->spectrum.extent;
        int first = endo_fourier_tile(m->reference_width, m->reference_height, of_reference, 0, extent).level;
        int second = endo_fourier_tile(m->current_width, m->current_height, of_current, 0, extent).level;
        wanted[2 * i] = {m->reference, first, ENDO_FOURIER_HALF};
        wanted[2 * i + 1] = {m->current, second, ENDO_FOURIER_HALF};
    }
    endo_status status = cuda_fourier_highpass(s, wanted, 2 * n);
    endo_free(wanted);
    return status;
}

static turner turner_of(cuda_store *s, const endo_turns_setup *setup) {
    turner t = {s, setup, {setup->spectrum.side, setup->spectrum.side}, {setup->radii, setup->angles}, {}};
    t.correlator.backend = s->backend;
    t.correlator.fft = t.polar;
    t.correlator.most = setup->peaks;
    t.correlator.turns = setup;
    return t;
}

extern "C" endo_status cuda_turns(void *store, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup,
                                  endo_turns_result *results) {
    cuda_store *s = (cuda_store *)store;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    ENDO_TRY(cuda_fft_open(s->backend));
    turner t = turner_of(s, setup);
    turn_workspace unused;
    turn_lists lists = {};
    size_t bytes_each = lay_out(&t, 1, 1, NULL, &unused);
    cuda_time_begin(s->backend);
    ENDO_TRY(prepare(s, requests, n, setup));
    ENDO_TRY(make_missing(&t, requests, n));
    endo_status status = lists_create(&t, requests, n, bytes_each, &lists);
    if (status == ENDO_OK) status = find(&t, requests, n, bytes_each, &lists, results);
    lists_free(&lists);
    return status;
}
