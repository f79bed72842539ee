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

/* Scratch memory of a chunk: planes and spectra of the references that lack, then of its requests. */
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
    out->sums = (int64_t *)cuda_carve(&at, 2 * (images + planes) * sizeof(int64_t));
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
static endo_status make_spectra(const shifter *t, size_t n, const shift_workspace *workspace, const cuda_fourier_weighted *to) {
    cuda_backend *b = t->store->backend;
    cuda_fourier_weights weights = {(float)endo_spectrum_floor(t->spectrum->side), NULL};
    ENDO_TRY(cuda_fft_forward(b, &t->fft, n, workspace->planes, workspace->spectra));
    return cuda_fourier_weigh(b, &t->fft, &weights, workspace->spectra, n, to);
}

/* -------------------------------------------------------------- references */

static endo_fourier_part whole_of(const shifter *t, int slot) {
    const cuda_fourier_frame *f = &t->store->fourier->frames[slot];
    return endo_fourier_tile(f->width, f->height, 0, 0, t->spectrum->extent);
}

static cuda_fourier_kept *kept_of(cuda_fourier_frame *frame) { return &frame->shifts; }

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

typedef struct turn_job {
    cuda_list<turned_image, 8> images;
    int side;
    float *planes;
} turn_job;

__global__ static void turn_kernel(const __grid_constant__ turn_job job) {
    const turned_image m = job.images[blockIdx.z];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, side = job.side;
    if (x >= side || y >= side) return;
    double u = x - (side - 1) / 2.0, v = y - (side - 1) / 2.0;
    double at_x = m.a * u - m.b * v + (m.width - 1) / 2.0, at_y = m.b * u + m.a * v + (m.height - 1) / 2.0;
    job.planes[((size_t)blockIdx.z * side + y) * side + x] = value_between(&m, at_x, at_y);
}

/* ------------------------------------------------------------ correlations */

/* Arguments of the kernels of a chunk. */
typedef struct shift_arguments {
    int32_t *images;              /* which of the images a request turns */
    cuda_fourier_source *sources; /* of references that lack, then of the images to turn */
    turned_image *turned;
    cuda_fourier_weighted *to; /* spectra of references that lack, then of requests */
    cuda_correlation *correlations;
} shift_arguments;

static void arguments_free(shift_arguments *a) {
    endo_free(a->images);
    endo_free(a->sources);
    endo_free(a->turned);
    endo_free(a->to);
    endo_free(a->correlations);
}

/* To be freed in any case. */
static endo_status arguments_create(size_t n, shift_arguments *a) {
    a->images = (int32_t *)endo_alloc(n, sizeof *a->images);
    a->sources = (cuda_fourier_source *)endo_alloc(2 * n, sizeof *a->sources);
    a->turned = (turned_image *)endo_alloc(n, sizeof *a->turned);
    a->to = (cuda_fourier_weighted *)endo_alloc(2 * n, sizeof *a->to);
    a->correlations = (cuda_correlation *)endo_alloc(2 * n, sizeof *a->correlations);
    return a->images && a->sources && a->turned && a->to && a->correlations
               ? ENDO_OK
               : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
}

typedef struct correlate_call {
    const shifter *with;
    const endo_shifts_request *requests;
    const uint32_t *bounds; /* of the correlations of each request and twin */
    cuda_fourier_whole *whole; /* references; the list is one chunk's */
    shift_arguments arguments; /* of a chunk */
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

/* References that lack, to be made with the spectra of a chunk. */
static void list_references(const correlate_call *call, const shift_workspace *workspace) {
    const shifter *t = call->with;
    const cuda_fourier_whole *w = call->whole;
    int side = t->spectrum->side;
    for (size_t i = 0; i < w->count; i++) {
        endo_fourier_part part = whole_of(t, w->slots[i]);
        call->arguments.sources[i] = cuda_fourier_source_of(t->store, w->slots[i], &part, t->spectrum,
                                                            workspace->planes + i * cuda_fft_plane(&t->fft), side, side);
        call->arguments.to[i] = cuda_fourier_whole_of(w, w->slots[i]);
    }
}

/* A request of the call, which is request i of its chunk. */
static void list_request(const correlate_call *call, size_t request, size_t i, const shift_workspace *workspace,
                         size_t *correlations) {
    const shifter *t = call->with;
    const endo_shifts_request *q = &call->requests[request];
    const shift_arguments *a = &call->arguments;
    size_t before = call->whole->count, plane = before + i;
    int level = q->current_level, width = q->images.current_width >> level, height = q->images.current_height >> level;
    endo_fourier_part all = {level, 0, 0, width, height};
    float *values = workspace->values + (size_t)a->images[i] * t->largest;
    turned_image turned = {values, width, height, q->linear[0], q->linear[1]};
    cuda_fourier_weighted own = {workspace->spectra + plane * cuda_fft_spectrum(&t->fft),
                                 workspace->squares + plane * cuda_fourier_squares(&t->fft)};
    a->sources[before + a->images[i]] =
        cuda_fourier_source_of(t->store, q->images.current, &all, t->spectrum, values, width, height);
    a->turned[i] = turned;
    a->to[plane] = own;
    for (int twin = 0; twin < 2; twin++) {
        if (!(q->twins >> twin & 1)) continue;
        cuda_correlation c = {cuda_fourier_whole_of(call->whole, q->images.reference), own, 0, twin ? 1.0f : -1.0f, 0,
                              (uint32_t)(2 * request + twin), call->bounds[2 * request + twin], 1};
        a->correlations[(*correlations)++] = c;
    }
}

static endo_status turn(const shifter *t, const turned_image *images, size_t n, float *planes) {
    cuda_backend *b = t->store->backend;
    int side = t->spectrum->side;
    turn_job job = {{}, side, planes};
    ENDO_TRY(cuda_send_list(b, images, n, &job.images));
    dim3 grid((side + TILE_X - 1) / TILE_X, (side + TILE_Y - 1) / TILE_Y, (unsigned)n);
    turn_kernel<<<grid, dim3(TILE_X, TILE_Y), 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

/* Transforms of the references that lack are made with those of the requests: every launch takes time. */
static endo_status correlate_listed(const correlate_call *call, size_t first, size_t n) {
    const shifter *t = call->with;
    const shift_arguments *a = &call->arguments;
    const endo_shifts_request *requests = call->requests + first;
    size_t images = list_images(requests, n, a->images), begin = call->bounds[2 * first], listed = 0;
    size_t correlations = call->bounds[2 * (first + n)] - begin, references = call->whole->count;
    shift_workspace workspace;
    ENDO_TRY(reserve(t, images, references + n, correlations, &workspace));
    list_references(call, &workspace);
    for (size_t i = 0; i < n; i++) list_request(call, first + i, i, &workspace, &listed);
    ENDO_TRY(cuda_fourier_fill(t->store->backend, a->sources, references + images, t->spectrum, workspace.sums));
    ENDO_TRY(turn(t, a->turned, n, workspace.planes + references * cuda_fft_plane(&t->fft)));
    ENDO_TRY(make_spectra(t, references + n, &workspace, a->to));
    if (correlations == 0) return ENDO_OK;
    return cuda_correlate(&t->correlator, a->correlations, begin, correlations, workspace.correlations);
}

static endo_status correlate(void *job, size_t first, size_t n) {
    const correlate_call *call = (const correlate_call *)job;
    cuda_fourier_whole *w = call->whole;
    endo_status status = cuda_fourier_whole_begin(w, n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        status = cuda_fourier_whole_want(w, call->requests[first + i].images.reference);
    if (status == ENDO_OK) status = correlate_listed(call, first, n);
    cuda_fourier_whole_end(w, status);
    return status;
}

/* Host memory of a call. */
typedef struct shift_lists {
    uint32_t *bounds;
    shift_arguments arguments;
    endo_fourier_peak *peaks; /* and the counts after them */
} shift_lists;

static void lists_free(shift_lists *l) {
    endo_free(l->bounds);
    arguments_free(&l->arguments);
    endo_free(l->peaks);
}

static endo_status lists_create(const endo_shifts_request *requests, size_t n, size_t chunk, shift_lists *l) {
    l->bounds = (uint32_t *)endo_alloc(2 * n + 1, sizeof *l->bounds);
    l->peaks = (endo_fourier_peak *)endo_alloc(2 * n, ENDO_FOURIER_SHIFTS * sizeof *l->peaks + sizeof(int32_t));
    if (!l->bounds || !l->peaks) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    ENDO_TRY(arguments_create(chunk, &l->arguments));
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
        r->n[twin] = l->bounds[i + 1] > l->bounds[i] ? counts[i] : 0;
        for (int k = 0; k < r->n[twin]; k++) {
            endo_fourier_peak p = l->peaks[i * ENDO_FOURIER_SHIFTS + k];
            if (twin) p.x = endo_twin_position(p.x, t->spectrum->side), p.y = endo_twin_position(p.y, t->spectrum->side);
            r->peaks[twin][k] = p;
        }
    }
}

static endo_status find(shifter *t, const endo_shifts_request *requests, size_t n, size_t bytes_each, const shift_lists *l,
                        endo_shifts_result *results) {
    endo_turns_setup setup;
    memset(&setup, 0, sizeof setup);
    setup.spectrum = *t->spectrum;
    cuda_fourier_whole references = {t->store, kept_of, &setup, &t->fft, 0, NULL};
    correlate_call call = {t, requests, l->bounds, &references, l->arguments};
    ENDO_TRY(cuda_correlator_begin(&t->correlator, l->bounds[2 * n], 2 * n));
    endo_status status = cuda_in_chunks(n, bytes_each, correlate, &call);
    if (status == ENDO_OK) status = cuda_correlator_end(&t->correlator, 2 * n, l->peaks);
    if (status == ENDO_OK)
        take_results(t, l, n, results);
    else
        cuda_correlator_drop(&t->correlator);
    return status;
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
    if (spectrum->gradient == ENDO_GRADIENT_HIGHPASS) status = cuda_fourier_highpass(s, wanted, 2 * n, s->backend->stream);
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
    size_t bytes_each = lay_out(&t, 1, 2, 2, NULL, &unused);
    bytes_each = bytes_each < LEAST_BYTES ? LEAST_BYTES : bytes_each;
    endo_status status = lists_create(requests, n, cuda_chunk_of(n, bytes_each), &lists);
    if (status == ENDO_OK) status = find(&t, requests, n, bytes_each, &lists, results);
    lists_free(&lists);
    return status;
}
