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

/* Tables of polar coordinates on the device, which depend on the setup alone. */
typedef struct turn_places {
    float2 *rows, *columns; /* cosine and sine of each row; radius and weight of each column */
    float *low_pass;        /* cuda_fourier_weights */
} turn_places;

/* Scratch memory of a chunk. */
typedef struct turn_workspace {
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

/* The least weight for endo_turn_weight(). */
static double least_of(const endo_turns_setup *s) { return 0.01 * sqrt((double)s->angles * s->radii); }

/* Made when the setup changes. */
static endo_status get_places(const turner *t, turn_places *out) {
    cuda_backend *b = t->store->backend;
    cuda_fourier *f = t->store->fourier;
    const endo_turns_setup *s = t->setup;
    int most = s->angles > s->radii ? s->angles : s->radii;
    size_t numbers = s->angles + s->radii, weights = s->radii / 2 + 1 + s->angles / 2 + 1;
    int is_there = !memcmp(&f->places_of, s, sizeof *s);
    if (!is_there) {
        memset(&f->places_of, 0, sizeof f->places_of);
        ENDO_TRY(cuda_reserve(b, &f->places, numbers * sizeof(float2) + weights * sizeof(float)));
    }
    out->rows = (float2 *)f->places.memory;
    out->columns = out->rows + s->angles;
    out->low_pass = (float *)(out->rows + numbers);
    if (is_there) return ENDO_OK;
    places_kernel<<<(most + 127) / 128, 128, 0, b->stream>>>(*s, sqrt(1 + least_of(s)), out->rows, out->columns,
                                                             out->low_pass);
    ENDO_CUDA(b, cudaGetLastError());
    f->places_of = *s;
    return ENDO_OK;
}

/* The transforms of the log-polar planes of n parts, weighted. to: as cuda_fourier_weigh() says. */
static endo_status make_transforms(const turner *t, const cuda_fourier_source *sources, size_t n, const turn_workspace *memory,
                                   const cuda_fourier_weighted *to) {
    cuda_backend *b = t->store->backend;
    const endo_turns_setup *s = t->setup;
    turn_places places;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(get_places(t, &places));
    polar_job job = {places.rows, places.columns, memory->spectra, memory->polars, s->spectrum.side, s->angles, s->radii,
                     s->paper, (float)endo_spectrum_floor(s->spectrum.side)};
    cuda_fourier_weights weights = {(float)least_of(s), s->paper ? NULL : places.low_pass};
    ENDO_TRY(cuda_fourier_fill(b, sources, n, &s->spectrum, memory->sums));
    ENDO_TRY(cuda_fft_forward(b, &t->plane, n, memory->planes, memory->spectra));
    polar_kernel<<<dim3((s->radii + COLUMNS - 1) / COLUMNS, (unsigned)n), COLUMNS * LANES, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_fft_forward(b, &t->polar, n, memory->polars, memory->transforms));
    return cuda_fourier_weigh(b, &t->polar, &weights, memory->transforms, n, to);
}

static void source_of(const turner *t, const turn_part *p, const turn_workspace *memory, size_t i, cuda_fourier_source *out) {
    int side = t->setup->spectrum.side;
    *out = cuda_fourier_source_of(t->store, p->slot, &p->part, &t->setup->spectrum,
                                  memory->planes + i * cuda_fft_plane(&t->plane), side, side);
}

/* ------------------------------------------------------------ whole images */

/* Arguments of the kernels of a chunk. */
typedef struct turn_arguments {
    cuda_fourier_source *sources;
    cuda_fourier_weighted *to;
    cuda_correlation *correlations;
} turn_arguments;

static void arguments_free(turn_arguments *a) {
    endo_free(a->sources);
    endo_free(a->to);
    endo_free(a->correlations);
}

/* To be freed in any case. */
static endo_status arguments_create(size_t n, turn_arguments *a) {
    a->sources = (cuda_fourier_source *)endo_alloc(n, sizeof *a->sources);
    a->to = (cuda_fourier_weighted *)endo_alloc(n, sizeof *a->to);
    a->correlations = (cuda_correlation *)endo_alloc(n, sizeof *a->correlations);
    return a->sources && a->to && a->correlations
               ? ENDO_OK
               : endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu images", n);
}

static int is_whole(const endo_turns_request *q, int current) { return q->layer == 0 || (q->layer < 0) != current; }

static endo_fourier_part whole_of(const turner *t, int slot) {
    const cuda_fourier_frame *f = &t->store->fourier->frames[slot];
    return endo_fourier_tile(f->width, f->height, 0, 0, t->setup->spectrum.extent);
}

typedef struct whole_call {
    const turner *with;
    cuda_fourier_whole whole;
    turn_arguments arguments; /* of a chunk */
} whole_call;

static endo_status make_whole(void *job, size_t first, size_t n) {
    const whole_call *call = (const whole_call *)job;
    const turner *t = call->with;
    turn_workspace memory;
    ENDO_TRY(reserve(t, n, 0, &memory));
    for (size_t i = 0; i < n; i++) {
        int32_t slot = call->whole.slots[first + i];
        turn_part p = {slot, whole_of(t, slot)};
        source_of(t, &p, &memory, i, &call->arguments.sources[i]);
        call->arguments.to[i] = cuda_fourier_whole_of(&call->whole, slot);
    }
    return make_transforms(t, call->arguments.sources, n, &memory, call->arguments.to);
}

static cuda_fourier_kept *kept_of(cuda_fourier_frame *frame) { return &frame->turns; }

static endo_status make_missing(const turner *t, const endo_turns_request *requests, size_t n) {
    turn_workspace unused;
    whole_call call = {t, {t->store, kept_of, t->setup, &t->polar, 0, NULL}, {}};
    cuda_fourier_whole *w = &call.whole;
    size_t bytes_each = lay_out(t, 1, 0, NULL, &unused);
    endo_status status = cuda_fourier_whole_begin(w, 2 * n);
    for (size_t i = 0; i < 2 * n && status == ENDO_OK; i++) {
        const endo_fourier_images *m = &requests[i / 2].images;
        if (is_whole(&requests[i / 2], i % 2)) status = cuda_fourier_whole_want(w, i % 2 ? m->current : m->reference);
    }
    if (status == ENDO_OK && w->count) status = arguments_create(cuda_chunk_of(w->count, bytes_each), &call.arguments);
    if (status == ENDO_OK) status = cuda_in_chunks(w->count, bytes_each, make_whole, &call);
    arguments_free(&call.arguments);
    cuda_fourier_whole_end(w, status);
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
    const uint32_t *bounds; /* of the correlations of each request */
    const turn_job *jobs;
    turn_arguments arguments; /* of a chunk */
} correlate_call;

/* The correlation of a job. transform: that of its tile, if it has one. */
static cuda_correlation correlation_of(const turner *t, const endo_turns_request *q, const turn_part *tiled, uint32_t tile,
                                       cuda_fourier_weighted transform) {
    const cuda_fourier_whole kept = {t->store, kept_of, t->setup, &t->polar, 0, NULL};
    int of_current = q->layer < 0, other = of_current ? q->images.reference : q->images.current;
    int level = whole_of(t, other).level;
    cuda_fourier_weighted one = q->layer ? transform : cuda_fourier_whole_of(&kept, tiled->slot);
    cuda_fourier_weighted two = cuda_fourier_whole_of(&kept, other);
    cuda_correlation c = {of_current ? two : one, of_current ? one : two,
                          of_current ? endo_turn_level_scale(level, tiled->part.level)
                                     : endo_turn_level_scale(tiled->part.level, level),
                          -1, (int32_t)tile, 0, 0, 1};
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
    const turn_arguments *a = &call->arguments;
    size_t tiles = 0, used = 0;
    turn_workspace memory;
    for (size_t i = 0; i < n; i++) tiles += call->requests[call->jobs[first + i].request].layer != 0;
    ENDO_TRY(reserve(t, tiles, n, &memory));
    for (size_t i = 0; i < n; i++) {
        const turn_job *j = &call->jobs[first + i];
        const endo_turns_request *q = &call->requests[j->request];
        turn_part p = tile_of(t, q, j->tile);
        cuda_fourier_weighted own = {memory.transforms + used * cuda_fft_spectrum(&t->polar),
                                     memory.squares + used * cuda_fourier_squares(&t->polar)};
        a->correlations[i] = correlation_of(t, q, &p, j->tile, own);
        a->correlations[i].list = j->request;
        a->correlations[i].first_of_list = call->bounds[j->request];
        a->correlations[i].of_list = call->bounds[j->request + 1] - call->bounds[j->request];
        if (q->layer == 0) continue;
        source_of(t, &p, &memory, used, &a->sources[used]);
        a->to[used++] = own;
    }
    ENDO_TRY(make_transforms(t, a->sources, tiles, &memory, a->to));
    return cuda_correlate(&t->correlator, a->correlations, first, n, memory.correlations);
}

/* Host memory of a call. bounds: of the correlations of each request. */
typedef struct turn_lists {
    uint32_t *bounds;
    turn_job *jobs;
    turn_arguments arguments;
    endo_fourier_peak *peaks; /* and the counts after them */
} turn_lists;

static void lists_free(turn_lists *l) {
    endo_free(l->bounds);
    endo_free(l->jobs);
    arguments_free(&l->arguments);
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
    l->peaks = (endo_fourier_peak *)endo_alloc(n, most * sizeof *l->peaks + sizeof(int32_t));
    if (!l->bounds || !l->jobs || !l->peaks)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu pairs", n);
    ENDO_TRY(arguments_create(cuda_chunk_of(total, bytes_each), &l->arguments));
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
    correlate_call call = {t, requests, l->bounds, l->jobs, l->arguments};
    ENDO_TRY(cuda_correlator_begin(&t->correlator, l->bounds[n], n));
    endo_status status = cuda_in_chunks(l->bounds[n], bytes_each, correlate, &call);
    if (status == ENDO_OK) status = cuda_correlator_end(&t->correlator, n, l->peaks);
    if (status == ENDO_OK)
        take_results(t, l, n, results);
    else
        cuda_correlator_drop(&t->correlator);
    return status;
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
    endo_status status = cuda_fourier_highpass(s, wanted, 2 * n, s->backend->stream);
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
