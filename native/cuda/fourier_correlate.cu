/* Correlations of many pairs of weighted spectra, and their highest peaks.
 *
 * A block looks at a tile of a correlation, lists its local maxima and takes the highest of them, one after the other; the
 * last block of a list does the same with what all of them have found. A peak is one number for that: height, then
 * place from the end, so that the largest number is the peak that endo_fourier_is_before() all others. */
#include "chunks.h"
#include "fourier.cuh"

/* Many threads with little each: what a pair waits for is memory. */
#define THREADS 1024
#define TILE 64
#define POWER_THREADS 256
#define POWER_EACH 4 /* numbers of a thread */
/* Correlations that come with a launch. */
#define FEW 8
/* No two local maxima are neighbours: at most one in 2 x 2 places. */
#define MAXIMA (TILE / 2 * TILE / 2)

/* ---------------------------------------------------------------- products */

typedef cuda_list<cuda_correlation, FEW> correlation_list;

typedef struct power_job {
    correlation_list correlations;
    float2 *power;
    size_t elements; /* of a spectrum */
    int squares;     /* sums of a spectrum */
} power_job;

/* One over the root of the sum of the squares of both spectra each, for all threads of a block. */
__device__ static float normalisation(const cuda_correlation *c, int n) {
    __shared__ double of_warp[2][POWER_THREADS / 32];
    double a = 0, b = 0, sums[2] = {0, 0};
    for (int i = threadIdx.x; i < n; i += POWER_THREADS) a += c->reference.squares[i], b += c->current.squares[i];
    for (int offset = 16; offset; offset /= 2) {
        a += __shfl_down_sync(0xffffffffu, a, offset);
        b += __shfl_down_sync(0xffffffffu, b, offset);
    }
    if (threadIdx.x % 32 == 0) of_warp[0][threadIdx.x / 32] = a, of_warp[1][threadIdx.x / 32] = b;
    __syncthreads();
    for (int i = 0; i < POWER_THREADS / 32; i++) sums[0] += of_warp[0][i], sums[1] += of_warp[1][i];
    return sums[0] > 0 && sums[1] > 0 ? (float)(1 / sqrt(sums[0] * sums[1])) : 1;
}

__global__ static void __launch_bounds__(POWER_THREADS) power_kernel(const __grid_constant__ power_job job) {
    const cuda_correlation c = job.correlations[blockIdx.y];
    size_t first = (size_t)blockIdx.x * (POWER_THREADS * POWER_EACH) + threadIdx.x;
    float2 a[POWER_EACH], b[POWER_EACH];
#pragma unroll
    for (int k = 0; k < POWER_EACH; k++) {
        size_t i = min(first + k * POWER_THREADS, job.elements - 1);
        a[k] = c.reference.numbers[i], b[k] = c.current.numbers[i];
    }
    float by = normalisation(&c, job.squares);
#pragma unroll
    for (int k = 0; k < POWER_EACH; k++) {
        size_t i = first + k * POWER_THREADS;
        float real = b[k].x * by, imaginary = b[k].y * c.sign * by;
        float2 out = make_float2(a[k].x * real - a[k].y * imaginary, a[k].y * real + a[k].x * imaginary);
        if (i < job.elements) job.power[blockIdx.y * job.elements + i] = out;
    }
}

/* ------------------------------------------------------------------- peaks */

typedef unsigned long long rank;

/* 0 is none. place: the first of all is 0, below 2^32: of a whole image's correlation, or of 49 small ones. */
__device__ static rank rank_of(float height, uint32_t place) {
    uint32_t bits = __float_as_uint(height + 0.0f); /* one zero, not two */
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (rank)bits << 32 | (0xffffffffu - place);
}

__device__ static float height_of(rank r) {
    uint32_t bits = (uint32_t)(r >> 32);
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

__device__ static uint32_t place_of(rank r) { return 0xffffffffu - (uint32_t)r; }

/* The highest of n numbers, no two of which are equal, by a warp: their indices, the highest first. Returns how many there
 * are; 0 is none. */
__device__ static int choose_highest(const rank *list, int n, int most, int *chosen) {
    int count = 0;
    for (rank last = ~(rank)0; count < most; count++) {
        rank best = 0;
        int at = 0;
        for (int i = threadIdx.x % 32; i < n; i += 32)
            if (list[i] < last && list[i] > best) best = list[i], at = i;
        last = best;
        for (int offset = 16; offset; offset /= 2) {
            rank other = __shfl_xor_sync(0xffffffffu, last, offset);
            last = other > last ? other : last;
        }
        if (!last) break;
        if (last == best) chosen[count] = at;
    }
    return count;
}

typedef struct peaks_job {
    correlation_list correlations;
    const float *heights;
    int columns, rows;       /* of a plane */
    int tiles_across, tiles; /* of it */
    int most;                /* peaks of a correlation */
    int limited; /* places are allowed by `setup` */
    endo_turns_setup setup;
    endo_fourier_peak *found; /* by correlation of the call and tile */
    uint32_t first;           /* number of the first of these correlations in the call */
    endo_fourier_peak *peaks; /* by list */
    int32_t *counts;
    unsigned *arrived; /* blocks of each list; zeros between launches */
} peaks_job;

typedef struct tile_state {
    float height[TILE + 2][TILE + 2]; /* with its neighbours, round the edges of the plane */
    rank maxima[MAXIMA];
    int count;
    int chosen[ENDO_FOURIER_PEAKS], n_chosen; /* of the maxima */
    int places[MAXIMA];                       /* of what a list has found, which takes the place of maxima */
} tile_state;

__device__ static void read_tile(const peaks_job *job, const float *plane, int left, int top, tile_state *t) {
    for (int i = threadIdx.x; i < (TILE + 2) * (TILE + 2); i += THREADS) {
        int column = i % (TILE + 2), row = i / (TILE + 2), x = left + column - 1, y = top + row - 1;
        if (x > job->columns || y > job->rows) continue;
        x = x < 0 ? job->columns - 1 : x == job->columns ? 0 : x;
        y = y < 0 ? job->rows - 1 : y == job->rows ? 0 : y;
        t->height[row][column] = plane[(size_t)y * job->columns + x];
    }
}

__device__ static int is_highest(const tile_state *t, int column, int row) {
    float middle = t->height[row][column];
    for (int i = 0; i < 9; i++) {
        float other = t->height[row + i / 3 - 1][column + i % 3 - 1];
        if (i != 4 && !(i < 4 ? middle > other : middle >= other)) return 0;
    }
    return 1;
}

__device__ static void list_maxima(const peaks_job *job, const cuda_correlation *c, int left, int top, tile_state *t) {
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        int column = i % TILE, row = i / TILE, x = left + column, y = top + row;
        if (x >= job->columns || y >= job->rows || !is_highest(t, column + 1, row + 1)) continue;
        if (job->limited && !endo_turn_is_allowed(&job->setup, x, y, c->extra)) continue;
        t->maxima[atomicAdd(&t->count, 1)] =
            rank_of(t->height[row + 1][column + 1], (uint32_t)y * job->columns + x);
    }
}

__device__ static endo_fourier_peak peak_at(const peaks_job *job, const tile_state *t, int left, int top, int part, rank r) {
    int x = place_of(r) % job->columns, y = place_of(r) / job->columns, column = x - left + 1, row = y - top + 1;
    endo_fourier_peak p = {x, y, part, height_of(r),
                           {t->height[row][column - 1], t->height[row][column + 1], t->height[row - 1][column],
                            t->height[row + 1][column]}};
    return p;
}

__device__ static rank rank_found(const peaks_job *job, const endo_fourier_peak *p) {
    int x = __ldcg(&p->x), y = __ldcg(&p->y), part = __ldcg(&p->part);
    float height = __ldcg(&p->height);
    return x < 0 ? 0 : rank_of(height, ((uint32_t)part * job->rows + y) * job->columns + x);
}

/* The highest peaks of a list, by its last block, as many at a time as there is room for; what other blocks have found is not
 * in this one's cache. */
__device__ static void choose(const peaks_job *job, const cuda_correlation *c, tile_state *t) {
    const int words = sizeof(endo_fourier_peak) / 4, room = MAXIMA - ENDO_FOURIER_PEAKS;
    int finds = job->tiles * job->most, n = (int)c->of_list * finds, kept = 0;
    const endo_fourier_peak *found = job->found + (size_t)c->first_of_list * finds;
    for (int first = 0; first < n; first += room) {
        int count = min(n - first, room), place = 0;
        rank own = 0;
        for (int i = threadIdx.x; i < count; i += THREADS)
            t->maxima[kept + i] = rank_found(job, &found[first + i]), t->places[kept + i] = first + i;
        __syncthreads();
        if (threadIdx.x < 32) t->n_chosen = choose_highest(t->maxima, kept + count, job->most, t->chosen);
        __syncthreads();
        kept = t->n_chosen;
        if (threadIdx.x < kept) own = t->maxima[t->chosen[threadIdx.x]], place = t->places[t->chosen[threadIdx.x]];
        __syncthreads();
        if (threadIdx.x < kept) t->maxima[threadIdx.x] = own, t->places[threadIdx.x] = place;
        __syncthreads();
    }
    int32_t *out = (int32_t *)(job->peaks + (size_t)c->list * job->most);
    for (int i = threadIdx.x; i < kept * words; i += THREADS)
        out[i] = __ldcg((const int32_t *)&found[t->places[i / words]] + i % words);
    if (threadIdx.x == 0) job->counts[c->list] = kept, job->arrived[c->list] = 0;
}

/* Whether this is the last block of its list. */
__device__ static int is_last(const peaks_job *job, const cuda_correlation *c) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&job->arrived[c->list], 1) + 1 == c->of_list * (unsigned)job->tiles;
    __syncthreads();
    __threadfence();
    return last;
}

/* A block a tile: its highest peaks; x is -1 where there are no more. */
__global__ static void __launch_bounds__(THREADS) tile_peaks_kernel(const __grid_constant__ peaks_job job) {
    __shared__ tile_state t;
    const cuda_correlation c = job.correlations[blockIdx.y];
    const float *plane = job.heights + (size_t)blockIdx.y * job.rows * job.columns;
    int left = blockIdx.x % job.tiles_across * TILE, top = blockIdx.x / job.tiles_across * TILE;
    endo_fourier_peak *found = job.found + ((size_t)(job.first + blockIdx.y) * job.tiles + blockIdx.x) * job.most;
    if (threadIdx.x == 0) t.count = 0;
    read_tile(&job, plane, left, top, &t);
    __syncthreads();
    list_maxima(&job, &c, left, top, &t);
    __syncthreads();
    if (threadIdx.x < 32) t.n_chosen = choose_highest(t.maxima, t.count, job.most, t.chosen);
    __syncthreads();
    if (threadIdx.x < t.n_chosen)
        found[threadIdx.x] = peak_at(&job, &t, left, top, c.part, t.maxima[t.chosen[threadIdx.x]]);
    else if (threadIdx.x < job.most)
        found[threadIdx.x].x = -1;
    if (is_last(&job, &c)) choose(&job, &c, &t);
}

/* ------------------------------------------------------------------- calls */

static int tiles_of(int length) { return (length + TILE - 1) / TILE; }

/* Bytes of the spectra of n correlations, rounded up so that what follows them is aligned. */
static size_t power_bytes(const cuda_correlator *c, size_t n) {
    return (n * cuda_fft_spectrum(&c->fft) * sizeof(float2) + 255) & ~(size_t)255;
}

size_t cuda_correlator_bytes(const cuda_correlator *c) {
    return power_bytes(c, 1) + cuda_fft_plane(&c->fft) * sizeof(float) + 256;
}

static size_t results_of(const cuda_correlator *c, size_t lists) {
    return lists * ((size_t)c->most * sizeof(endo_fourier_peak) + sizeof(int32_t));
}

endo_status cuda_correlator_begin(cuda_correlator *c, size_t n, size_t lists) {
    cuda_backend *b = c->backend;
    size_t finds = (size_t)tiles_of(c->fft.columns) * tiles_of(c->fft.rows) * c->most;
    size_t bytes = (results_of(c, lists) + 15) & ~(size_t)15;
    void *results;
    ENDO_TRY(cuda_reserve(b, &b->device_out, bytes + n * finds * sizeof *c->found));
    ENDO_TRY(cuda_reserve_zeros(b, &b->lists_arrived, lists * sizeof *c->arrived));
    ENDO_TRY(cuda_results(b, bytes, &results));
    c->found = (endo_fourier_peak *)((uint8_t *)b->device_out.memory + bytes);
    c->arrived = (unsigned *)b->lists_arrived.memory;
    c->peaks = (endo_fourier_peak *)results;
    c->counts = (int32_t *)(c->peaks + lists * c->most);
    return ENDO_OK;
}

static endo_status find_peaks(const cuda_correlator *c, const correlation_list *correlations, size_t first, size_t n,
                              const float *heights) {
    cuda_backend *b = c->backend;
    int across = tiles_of(c->fft.columns), tiles = across * tiles_of(c->fft.rows);
    peaks_job job = {*correlations, heights, c->fft.columns, c->fft.rows, across, tiles, c->most,
                     c->turns != NULL, {}, c->found, (uint32_t)first, c->peaks, c->counts, c->arrived};
    if (c->turns) job.setup = *c->turns;
    tile_peaks_kernel<<<dim3((unsigned)tiles, (unsigned)n), THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_correlate(const cuda_correlator *c, const cuda_correlation *correlations, size_t first, size_t n,
                           void *scratch) {
    cuda_backend *b = c->backend;
    float2 *power = (float2 *)scratch;
    float *heights = (float *)((uint8_t *)scratch + power_bytes(c, n));
    power_job job = {{}, power, cuda_fft_spectrum(&c->fft), (int)cuda_fourier_squares(&c->fft)};
    size_t of_block = POWER_THREADS * POWER_EACH;
    dim3 grid((unsigned)((job.elements + of_block - 1) / of_block), (unsigned)n);
    ENDO_TRY(cuda_send_list(b, correlations, n, &job.correlations));
    power_kernel<<<grid, POWER_THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_fft_back(b, &c->fft, n, power, heights));
    return find_peaks(c, &job.correlations, first, n, heights);
}

endo_status cuda_correlator_end(const cuda_correlator *c, size_t lists, endo_fourier_peak *peaks) {
    cuda_time_end(c->backend);
    return cuda_collect(c->backend, c->peaks, peaks, results_of(c, lists));
}

void cuda_correlator_drop(const cuda_correlator *c) { c->backend->lists_arrived.size = 0; }
