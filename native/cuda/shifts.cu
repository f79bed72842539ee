/* The shift on a device ([F] sections 2.1 and 2.4): spectra of references are kept, current images are turned and
 * transformed for every request, both twins from one transform. */
#include "chunks.h"
#include "fourier.cuh"

#include "rules/fourier_spectra.h"

#include <string.h>

#define THREADS 256
/* A chunk's correlations, two a request, must fit a grid: no request takes less scratch memory than this. */
#define LEAST_BYTES (CUDA_CHUNK_BYTES / (CUDA_GRID_LIMIT / 4))
/* Candidates of one pair come one after the other, with few levels: so many of the last images are looked at again. */
#define RECENT 8

typedef struct shifter {
    cuda_store *store;
    const endo_fourier_spectrum *spectrum;
    cuda_fft fft;
    size_t largest; /* pixels of the largest level that is turned */
    cuda_correlator correlator;
} shifter;

/* Scratch memory of a chunk. */
typedef struct shift_workspace {
    int64_t *sums;
    double *squares;
    float *values; /* weighted values of current images, `largest` each */
    float *planes;
    float2 *spectra;
    void *correlations;
} shift_workspace;

static size_t lay_out(const shifter *t, size_t images, size_t planes, size_t correlations, void *memory, shift_workspace *out) {
    uint8_t *at = (uint8_t *)memory;
    size_t parts = images > planes ? images : planes;
    out->sums = (int64_t *)cuda_carve(&at, 2 * parts * sizeof(int64_t));
    out->squares = (double *)cuda_carve(&at, planes * cuda_fourier_squares(&t->fft) * sizeof(double));
    out->values = (float *)cuda_carve(&at, images * t->largest * sizeof(float));
    out->planes = (float *)cuda_carve(&at, planes * cuda_fft_plane(&t->fft) * sizeof(float));
    out->spectra = (float2 *)cuda_carve(&at, planes * cuda_fft_spectrum(&t->fft) * sizeof(float2));
    out->correlations = cuda_carve(&at, correlations * cuda_correlator_bytes(&t->correlator));
    return (size_t)(at - (uint8_t *)memory);
}

static endo_status reserve(const shifter *t, size_t images, size_t planes, size_t correlations, shift_workspace *out) {
    cuda_backend *b = t->store->backend;
    ENDO_TRY(cuda_reserve(b, &b->scratch, lay_out(t, images, planes, correlations, NULL, out)));
    lay_out(t, images, planes, correlations, b->scratch.memory, out);
    return ENDO_OK;
}

/* The spectra of n planes, weighted. to: as cuda_fourier_weigh() says. */
static endo_status make_spectra(const shifter *t, size_t n, const shift_workspace *workspace, float2 *const *to) {
    cuda_backend *b = t->store->backend;
    cuda_fourier_weights weights = {(float)endo_spectrum_floor(t->spectrum->side), NULL};
    ENDO_TRY(cuda_fft_forward(b, &t->fft, n, workspace->planes, workspace->spectra));
    return cuda_fourier_weigh(b, &t->fft, &weights, workspace->spectra, n, workspace->squares, to);
}

/* -------------------------------------------------------------- references */

static endo_fourier_part whole_of(const shifter *t, int slot) {
    const cuda_fourier_frame *f = &t->store->fourier->frames[slot];
    return endo_fourier_tile(f->width, f->height, 0, 0, t->spectrum->extent);
}

static endo_status make_whole(void *job, size_t first, size_t n) {
    const cuda_fourier_whole *w = (const cuda_fourier_whole *)job;
    const shifter *t = (const shifter *)w->with;
    const cuda_fourier_source *on_device;
    float2 *const *to;
    int side = t->spectrum->side;
    shift_workspace workspace;
    ENDO_TRY(reserve(t, 0, n, 0, &workspace));
    for (size_t i = 0; i < n; i++) {
        int slot = w->slots[first + i];
        endo_fourier_part part = whole_of(t, slot);
        w->sources[i] = cuda_fourier_source_of(t->store, slot, &part, t->spectrum,
                                               workspace.planes + i * cuda_fft_plane(&t->fft), side, side);
    }
    ENDO_TRY(cuda_fourier_whole_send(w, first, n, &on_device, &to));
    ENDO_TRY(cuda_fourier_fill(t->store->backend, w->sources, on_device, n, t->spectrum, workspace.sums));
    return make_spectra(t, n, &workspace, to);
}

static cuda_fourier_kept *kept_of(cuda_fourier_frame *frame) { return &frame->shifts; }

static endo_status make_missing(const shifter *t, const endo_shifts_request *requests, size_t n) {
    shift_workspace unused;
    endo_turns_setup setup;
    memset(&setup, 0, sizeof setup);
    setup.spectrum = *t->spectrum;
    cuda_fourier_whole w = {};
    w.store = t->store;
    w.kept = kept_of;
    w.setup = &setup;
    w.numbers = cuda_fft_spectrum(&t->fft);
    w.bytes_each = lay_out(t, 0, 1, 0, NULL, &unused);
    w.with = t;
    endo_status status = cuda_fourier_whole_begin(&w, n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        status = cuda_fourier_whole_want(&w, requests[i].images.reference);
    if (status == ENDO_OK) status = cuda_in_chunks(w.count, w.bytes_each, make_whole, &w);
    cuda_fourier_whole_end(&w, status);
    return status;
}

/* ------------------------------------------------------------------- turned */

/* A current image to be turned about the middle of a plane. */
typedef struct turned_image {
    const float *values; /* dense */
    int width, height;
    double a, b;
} turned_image;

__device__ static float value_at(const turned_image *m, int x, int y) {
    return x >= 0 && y >= 0 && x < m->width && y < m->height ? m->values[(size_t)y * m->width + x] : 0;
}

/* Between pixels; what lies outside is 0. */
__device__ static float value_between(const turned_image *m, double x, double y) {
    if (!(x > -1 && y > -1 && x < m->width && y < m->height)) return 0;
    double left = floor(x), top = floor(y);
    int x0 = (int)left, y0 = (int)top;
    float fx = (float)(x - left), fy = (float)(y - top);
    float above = (1 - fx) * value_at(m, x0, y0) + fx * value_at(m, x0 + 1, y0);
    float below = (1 - fx) * value_at(m, x0, y0 + 1) + fx * value_at(m, x0 + 1, y0 + 1);
    return (1 - fy) * above + fy * below;
}

#define TILE_X 32
#define TILE_Y 8

__global__ static void turn_kernel(const turned_image *images, int side, float *planes) {
    const turned_image m = images[blockIdx.z];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (x >= side || y >= side) return;
    double u = x - (side - 1) / 2.0, v = y - (side - 1) / 2.0;
    double at_x = m.a * u - m.b * v + (m.width - 1) / 2.0, at_y = m.b * u + m.a * v + (m.height - 1) / 2.0;
    planes[((size_t)blockIdx.z * side + y) * side + x] = value_between(&m, at_x, at_y);
}

/* ------------------------------------------------------------ correlations */

/* Arguments of the kernels of a chunk: cut from one piece of memory, on the host and on the device. */
typedef struct shift_tasks {
    cuda_fourier_source *sources; /* of the images to turn */
    turned_image *turned;
    cuda_correlation *correlations;
} shift_tasks;

static size_t lay_out_tasks(size_t n, void *memory, shift_tasks *out) {
    uint8_t *at = (uint8_t *)memory;
    out->sources = (cuda_fourier_source *)cuda_carve(&at, n * sizeof *out->sources);
    out->turned = (turned_image *)cuda_carve(&at, n * sizeof *out->turned);
    out->correlations = (cuda_correlation *)cuda_carve(&at, 2 * n * sizeof *out->correlations);
    return (size_t)(at - (uint8_t *)memory);
}

typedef struct correlate_call {
    const shifter *with;
    const endo_shifts_request *requests;
    const uint32_t *bounds; /* of the correlations of each request and twin */
    int32_t *images;        /* which of the images of a chunk a request turns: as many elements as a chunk takes */
    void *tasks;            /* for a chunk, zeroed */
} correlate_call;

/* Images to turn in a chunk; each once, if its requests are near each other. */
static size_t list_images(const endo_shifts_request *requests, size_t n, int32_t *images) {
    size_t count = 0;
    int32_t recent[RECENT]; /* the request that each of the last images comes from */
    for (size_t i = 0; i < n; i++) {
        size_t k = count > RECENT ? count - RECENT : 0;
        for (; k < count; k++) {
            const endo_shifts_request *q = &requests[recent[k % RECENT]];
            if (q->images.current == requests[i].images.current && q->current_level == requests[i].current_level) break;
        }
        images[i] = (int32_t)k;
        if (k == count) recent[count++ % RECENT] = (int32_t)i;
    }
    return count;
}

static void list_request(const shifter *t, const endo_shifts_request *q, size_t i, int image, const shift_workspace *workspace,
                         shift_tasks *tasks, size_t *correlations) {
    const cuda_fourier_frame *frames = t->store->fourier->frames;
    int level = q->current_level, width = q->images.current_width >> level, height = q->images.current_height >> level;
    endo_fourier_part all = {level, 0, 0, width, height};
    float *values = workspace->values + (size_t)image * t->largest;
    turned_image turned = {values, width, height, q->linear[0], q->linear[1]};
    tasks->sources[image] = cuda_fourier_source_of(t->store, q->images.current, &all, t->spectrum, values, width, height);
    tasks->turned[i] = turned;
    for (int twin = 0; twin < 2; twin++) {
        if (!(q->twins >> twin & 1)) continue;
        cuda_correlation c = {(const float2 *)frames[q->images.reference].shifts.values.memory,
                              workspace->spectra + i * cuda_fft_spectrum(&t->fft), 0, twin ? 1.0f : -1.0f, 0};
        tasks->correlations[(*correlations)++] = c;
    }
}

static endo_status correlate(void *job, size_t first, size_t n) {
    const correlate_call *call = (const correlate_call *)job;
    const shifter *t = call->with;
    cuda_backend *b = t->store->backend;
    const endo_shifts_request *requests = call->requests + first;
    size_t images = list_images(requests, n, call->images), begin = call->bounds[2 * first], listed = 0;
    size_t correlations = call->bounds[2 * (first + n)] - begin;
    int side = t->spectrum->side;
    shift_workspace workspace;
    shift_tasks tasks, on_device;
    ENDO_TRY(reserve(t, images, n, correlations, &workspace));
    size_t bytes = lay_out_tasks(n, call->tasks, &tasks);
    for (size_t i = 0; i < n; i++) list_request(t, &requests[i], i, call->images[i], &workspace, &tasks, &listed);
    ENDO_TRY(cuda_send(b, call->tasks, bytes));
    lay_out_tasks(n, b->device_in.memory, &on_device);
    ENDO_TRY(cuda_fourier_fill(b, tasks.sources, on_device.sources, images, t->spectrum, workspace.sums));
    dim3 grid((side + TILE_X - 1) / TILE_X, (side + TILE_Y - 1) / TILE_Y, (unsigned)n);
    turn_kernel<<<grid, dim3(TILE_X, TILE_Y), 0, b->stream>>>(on_device.turned, side, workspace.planes);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(make_spectra(t, n, &workspace, NULL));
    if (correlations == 0) return ENDO_OK;
    return cuda_correlate(&t->correlator, on_device.correlations, begin, correlations, workspace.correlations);
}

/* Host memory of a call. */
typedef struct shift_lists {
    uint32_t *bounds;
    int32_t *images;
    void *tasks;
    endo_fourier_peak *peaks; /* and the counts after them */
} shift_lists;

static void lists_free(shift_lists *l) {
    endo_free(l->bounds);
    endo_free(l->images);
    endo_free(l->tasks);
    endo_free(l->peaks);
}

static endo_status lists_create(const endo_shifts_request *requests, size_t n, size_t chunk, shift_lists *l) {
    shift_tasks unused;
    l->bounds = (uint32_t *)endo_alloc(2 * n + 1, sizeof *l->bounds);
    l->images = (int32_t *)endo_alloc(chunk, sizeof *l->images);
    l->tasks = endo_alloc_zeroed(lay_out_tasks(chunk, NULL, &unused), 1);
    l->peaks = (endo_fourier_peak *)endo_alloc(2 * n, ENDO_FOURIER_SHIFTS * sizeof *l->peaks + sizeof(int32_t));
    if (!l->bounds || !l->images || !l->tasks || !l->peaks) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    l->bounds[0] = 0;
    for (size_t i = 0; i < 2 * n; i++) l->bounds[i + 1] = l->bounds[i] + (uint32_t)(requests[i / 2].twins >> i % 2 & 1);
    return ENDO_OK;
}

static void take_results(const shifter *t, const shift_lists *l, size_t n, endo_shifts_result *results) {
    const int32_t *counts = (const int32_t *)(l->peaks + 2 * n * ENDO_FOURIER_SHIFTS);
    memset(results, 0, n * sizeof *results);
    for (size_t i = 0; i < 2 * n; i++) {
        int twin = i % 2;
        endo_shifts_result *r = &results[i / 2];
        r->n[twin] = counts[i];
        for (int k = 0; k < counts[i]; k++) {
            endo_fourier_peak p = l->peaks[i * ENDO_FOURIER_SHIFTS + k];
            if (twin) p.x = endo_twin_position(p.x, t->spectrum->side), p.y = endo_twin_position(p.y, t->spectrum->side);
            r->peaks[twin][k] = p;
        }
    }
}

static endo_status find(shifter *t, const endo_shifts_request *requests, size_t n, size_t bytes_each, const shift_lists *l,
                        endo_shifts_result *results) {
    cuda_backend *b = t->store->backend;
    size_t total = l->bounds[2 * n], peaks = 2 * n * ENDO_FOURIER_SHIFTS, finds = cuda_correlator_finds(&t->correlator);
    correlate_call call = {t, requests, l->bounds, l->images, l->tasks};
    ENDO_TRY(cuda_reserve(b, &b->device_out, (total * finds + peaks) * sizeof(endo_fourier_peak) + 2 * n * sizeof(int32_t)));
    endo_fourier_peak *chosen = (endo_fourier_peak *)b->device_out.memory;
    int32_t *counts = (int32_t *)(chosen + peaks);
    t->correlator.found = (endo_fourier_peak *)(counts + 2 * n);
    ENDO_TRY(cuda_in_chunks(n, bytes_each, correlate, &call));
    ENDO_TRY(cuda_send(b, l->bounds, (2 * n + 1) * sizeof *l->bounds));
    ENDO_TRY(cuda_correlator_choose(&t->correlator, (const uint32_t *)b->device_in.memory, 2 * n, chosen, counts));
    cuda_time_end(b);
    ENDO_TRY(cuda_receive(b, chosen, l->peaks, peaks * sizeof *chosen + 2 * n * sizeof *counts));
    take_results(t, l, n, results);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- calls */

/* Levels of local means, and the pixels of the largest level. */
static endo_status prepare(cuda_store *s, const endo_shifts_request *requests, size_t n, const endo_fourier_spectrum *spectrum,
                           size_t *largest) {
    ENDO_TRY(cuda_fourier_prepare(s, requests, n, sizeof *requests));
    ENDO_TRY(cuda_fourier_tapers(s, spectrum));
    cuda_fourier_wanted *wanted = (cuda_fourier_wanted *)endo_alloc(2 * n, sizeof *wanted);
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = &requests[i].images;
        int level = requests[i].current_level;
        size_t area = (size_t)(m->current_width >> level) * (size_t)(m->current_height >> level);
        int fixed = endo_fourier_tile(m->reference_width, m->reference_height, 0, 0, spectrum->extent).level;
        wanted[2 * i] = {m->reference, fixed, ENDO_FOURIER_HALF};
        wanted[2 * i + 1] = {m->current, level, ENDO_FOURIER_HALF};
        *largest = area > *largest ? area : *largest;
    }
    endo_status status = ENDO_OK;
    if (spectrum->gradient == ENDO_GRADIENT_HIGHPASS) status = cuda_fourier_highpass(s, wanted, 2 * n);
    endo_free(wanted);
    return status;
}

static shifter shifter_of(cuda_store *s, const endo_fourier_spectrum *spectrum) {
    shifter t = {s, spectrum, {spectrum->side, spectrum->side}, 0, {}};
    t.correlator.backend = s->backend;
    t.correlator.fft = t.fft;
    t.correlator.most = ENDO_FOURIER_SHIFTS;
    return t;
}

extern "C" endo_status cuda_shifts(void *store, const endo_shifts_request *requests, size_t n, const endo_shifts_setup *setup,
                                   endo_shifts_result *results) {
    cuda_store *s = (cuda_store *)store;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    ENDO_TRY(cuda_fft_open(s->backend));
    shifter t = shifter_of(s, &setup->spectrum);
    shift_workspace unused;
    shift_lists lists = {};
    cuda_time_begin(s->backend);
    ENDO_TRY(prepare(s, requests, n, &setup->spectrum, &t.largest));
    ENDO_TRY(make_missing(&t, requests, n));
    size_t bytes_each = lay_out(&t, 1, 1, 2, NULL, &unused);
    bytes_each = bytes_each < LEAST_BYTES ? LEAST_BYTES : bytes_each;
    endo_status status = lists_create(requests, n, cuda_chunk_of(n, bytes_each), &lists);
    if (status == ENDO_OK) status = find(&t, requests, n, bytes_each, &lists, results);
    lists_free(&lists);
    return status;
}
