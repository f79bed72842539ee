/* Correlations of many pairs of normalised spectra, and their highest peaks.
 *
 * A block looks at a tile of a correlation, lists its local maxima and takes the highest of them, one after the other; a
 * second kernel does the same with what the tiles of a list have found. A peak is one number for that: height, then
 * place from the end, so that the largest number is the peak that endo_fourier_is_before() all others. */
#include "chunks.h"
#include "fourier.cuh"

/* Many threads with little each: what a pair waits for is memory. */
#define THREADS 1024
#define WARPS (THREADS / 32)
#define TILE 64
#define POWER_THREADS 256
/* No two local maxima are neighbours: at most one in 2 x 2 places. */
#define MAXIMA (TILE / 2 * TILE / 2)

/* ---------------------------------------------------------------- products */

typedef struct power_job {
    const cuda_correlation *correlations;
    float2 *power;
    size_t elements; /* of a spectrum */
} power_job;

__global__ static void power_kernel(power_job job) {
    const cuda_correlation c = job.correlations[blockIdx.y];
    size_t i = (size_t)blockIdx.x * POWER_THREADS + threadIdx.x;
    if (i >= job.elements) return;
    float2 a = c.reference[i], b = c.current[i], out;
    b.y *= c.sign;
    out.x = a.x * b.x - a.y * b.y, out.y = a.y * b.x + a.x * b.y;
    job.power[blockIdx.y * job.elements + i] = out;
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

/* The largest of all threads' numbers, for all of them. */
__device__ static rank block_largest(rank mine) {
    __shared__ rank of_warp[WARPS];
    for (int offset = 16; offset; offset /= 2) {
        rank other = __shfl_xor_sync(0xffffffffu, mine, offset);
        mine = other > mine ? other : mine;
    }
    __syncthreads(); /* the last call's readers are done */
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = of_warp[threadIdx.x % WARPS];
    for (int offset = WARPS / 2; offset; offset /= 2) {
        rank other = __shfl_xor_sync(0xffffffffu, mine, offset);
        mine = other > mine ? other : mine;
    }
    return mine;
}

typedef struct peaks_job {
    const cuda_correlation *correlations;
    const float *heights;
    int columns, rows;       /* of a plane */
    int tiles_across, tiles; /* of it */
    int most;                /* peaks of a correlation */
    int limited; /* places are allowed by `setup` */
    endo_turns_setup setup;
    endo_fourier_peak *found; /* of the first of these correlations */
} peaks_job;

typedef struct tile_state {
    float height[TILE + 2][TILE + 2]; /* with its neighbours, round the edges of the plane */
    rank maxima[MAXIMA];
    int count;
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

/* A block a tile: its highest peaks; x is -1 where there are no more. */
__global__ static void __launch_bounds__(THREADS) tile_peaks_kernel(peaks_job job) {
    __shared__ tile_state t;
    const cuda_correlation c = job.correlations[blockIdx.y];
    const float *plane = job.heights + (size_t)blockIdx.y * job.rows * job.columns;
    int left = blockIdx.x % job.tiles_across * TILE, top = blockIdx.x / job.tiles_across * TILE;
    endo_fourier_peak *found = job.found + ((size_t)blockIdx.y * job.tiles + blockIdx.x) * job.most;
    if (threadIdx.x == 0) t.count = 0;
    read_tile(&job, plane, left, top, &t);
    __syncthreads();
    list_maxima(&job, &c, left, top, &t);
    __syncthreads();
    rank last = ~(rank)0;
    for (int k = 0; k < job.most; k++) {
        rank best = 0;
        for (int i = threadIdx.x; i < t.count; i += THREADS)
            if (t.maxima[i] < last && t.maxima[i] > best) best = t.maxima[i];
        last = last ? block_largest(best) : 0;
        if (threadIdx.x) continue;
        if (last) found[k] = peak_at(&job, &t, left, top, c.part, last);
        else found[k].x = -1;
    }
}

typedef struct choice_job {
    const endo_fourier_peak *found;
    const uint32_t *bounds;
    int columns, rows, finds, most;
    endo_fourier_peak *peaks;
    int32_t *counts;
} choice_job;

/* A block a list. */
__global__ static void __launch_bounds__(THREADS) choose_kernel(choice_job job) {
    const endo_fourier_peak *found = job.found + (size_t)job.bounds[blockIdx.x] * job.finds;
    size_t n = (size_t)(job.bounds[blockIdx.x + 1] - job.bounds[blockIdx.x]) * job.finds;
    endo_fourier_peak *out = job.peaks + (size_t)blockIdx.x * job.most;
    rank last = ~(rank)0;
    int count = 0;
    for (int k = 0; k < job.most && last; k++) {
        rank best = 0;
        size_t at = 0;
        for (size_t i = threadIdx.x; i < n; i += THREADS) {
            const endo_fourier_peak *p = &found[i];
            if (p->x < 0) continue;
            rank r = rank_of(p->height, ((uint32_t)p->part * job.rows + p->y) * job.columns + p->x);
            if (r < last && r > best) best = r, at = i;
        }
        last = block_largest(best);
        if (last && last == best) out[k] = found[at];
        count += last != 0;
    }
    if (threadIdx.x == 0) job.counts[blockIdx.x] = count;
}

/* ------------------------------------------------------------------- calls */

static int tiles_of(int length) { return (length + TILE - 1) / TILE; }

size_t cuda_correlator_finds(const cuda_correlator *c) {
    return (size_t)tiles_of(c->fft.columns) * tiles_of(c->fft.rows) * c->most;
}

/* Bytes of the spectra of n correlations, rounded up so that what follows them is aligned. */
static size_t power_bytes(const cuda_correlator *c, size_t n) {
    return (n * cuda_fft_spectrum(&c->fft) * sizeof(float2) + 255) & ~(size_t)255;
}

size_t cuda_correlator_bytes(const cuda_correlator *c) {
    return power_bytes(c, 1) + cuda_fft_plane(&c->fft) * sizeof(float) + 256;
}

static endo_status find_peaks(const cuda_correlator *c, const cuda_correlation *correlations, size_t first, size_t n,
                              const float *heights) {
    cuda_backend *b = c->backend;
    int across = tiles_of(c->fft.columns), tiles = across * tiles_of(c->fft.rows);
    peaks_job job = {correlations, heights, c->fft.columns, c->fft.rows, across, tiles, c->most,
                     c->turns != NULL, {}, c->found + first * cuda_correlator_finds(c)};
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
    power_job job = {correlations, power, cuda_fft_spectrum(&c->fft)};
    dim3 grid((unsigned)((job.elements + POWER_THREADS - 1) / POWER_THREADS), (unsigned)n);
    power_kernel<<<grid, POWER_THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_fft_back(b, &c->fft, n, power, heights));
    return find_peaks(c, correlations, first, n, heights);
}

endo_status cuda_correlator_choose(const cuda_correlator *c, const uint32_t *bounds, size_t n, endo_fourier_peak *peaks,
                                   int32_t *counts) {
    choice_job job = {c->found, bounds, c->fft.columns, c->fft.rows, (int)cuda_correlator_finds(c), c->most, peaks, counts};
    choose_kernel<<<(unsigned)n, THREADS, 0, c->backend->stream>>>(job);
    ENDO_CUDA(c->backend, cudaGetLastError());
    return ENDO_OK;
}
