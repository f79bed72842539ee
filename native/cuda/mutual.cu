/* Mutual information on a device: a batch of maps is counted in one launch, and where there are many bins added up in
 * another ([B] sections 1 and 2.4); the sums lie in the host's memory when the stream has come there. All is integers, or the
 * fixed order of rules/mutual.h: the same bytes as anywhere. */
#include "mutual_sums.cuh"

#include <math.h>
#include <string.h>

#define SUM_WARPS 8
#define SUM_THREADS (32 * SUM_WARPS)

static_assert(SUM_THREADS == MUTUAL_MAX_BINS, "a column for each thread");

/* --------------------------------------------------------------------- sums */

typedef struct sum_job {
    int bins;
    uint32_t *counts; /* of the first map; cleared */
    size_t histogram;
    mutual_state *states;
    const int64_t *terms;
    endo_mutual_sums *sums; /* in the host's memory */
} sum_job;

/* Adds a block's sums to those of all blocks. Returns whether this block is the last. */
__device__ static inline int give(mutual_block_sums *s, mutual_state *state) {
    uint32_t column = s->columns[threadIdx.x];
    if (column) atomicAdd(&state->columns[threadIdx.x], column);
    if (threadIdx.x == 0 && s->n) {
        atomicAdd(&state->n, s->n);
        atomicAdd(&state->joint, s->joint);
        atomicAdd(&state->fixed, s->fixed);
    }
    __threadfence();
    __syncthreads();
    return __syncthreads_or(threadIdx.x == 0 && atomicAdd(&state->done, 1u) == gridDim.x - 1);
}

/* The last block sees what all gave, adds up the columns, and leaves the state as it was found. */
__device__ static inline void finish(const sum_job &j, mutual_state *state, mutual_block_sums *s, endo_mutual_sums *out) {
    __threadfence();
    mutual_sum_columns(j.terms, __ldcg(&state->columns[threadIdx.x]), s);
    state->columns[threadIdx.x] = 0;
    if (threadIdx.x != 0) return;
    out->n = (int64_t)__ldcg(&state->n), out->joint = (int64_t)__ldcg(&state->joint);
    out->fixed = (int64_t)__ldcg(&state->fixed), out->moving = (int64_t)s->moving;
    state->n = state->joint = state->fixed = 0;
    state->done = 0;
}

/* Block (x, y): SUM_WARPS rows of map y. */
__global__ static void __launch_bounds__(SUM_THREADS) sum_kernel(const __grid_constant__ sum_job j) {
    __shared__ mutual_block_sums s;
    int lane = threadIdx.x % 32, row = blockIdx.x * SUM_WARPS + threadIdx.x / 32;
    mutual_begin_sums(&s);
    mutual_wait_for_counts();
    if (row < j.bins)
        mutual_sum_row(j.terms, j.bins, j.counts + blockIdx.y * j.histogram + (size_t)row * j.bins, &s, lane);
    __syncthreads();
    if (give(&s, &j.states[blockIdx.y])) finish(j, &j.states[blockIdx.y], &s, &j.sums[blockIdx.y]);
}

/* Histograms of n maps, and their sums: of few bins by the last block that counts, of many by blocks of their own. */
static endo_status count_and_add(mutual_pair *p, int level, mutual_way way, const uint16_t *fixed,
                                 const endo_mutual_map *maps, int n, endo_mutual_sums *sums) {
    cuda_backend *b = p->backend;
    int bins = p->levels[level].bins, few = bins <= MUTUAL_FEW_BINS;
    ENDO_TRY(cuda_mutual_count(p, level, way, fixed, maps, n, few ? sums : NULL));
    if (few) return ENDO_OK;
    sum_job j = {bins, p->counts, p->histogram, p->states, p->terms, sums};
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute early = {};
    config.gridDim = dim3(mutual_blocks(bins, SUM_WARPS), n), config.blockDim = dim3(SUM_THREADS);
    config.stream = b->stream;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &early, config.numAttrs = b->compute_capability >= 90;
    ENDO_CUDA(b, cudaLaunchKernelEx(&config, sum_kernel, j));
    return ENDO_OK;
}

/* ------------------------------------------------------------------- window */

__global__ static void window_kernel(mutual_level l, endo_mutual_window w, uint16_t *to) {
    int64_t i = (int64_t)blockIdx.x * SUM_THREADS + threadIdx.x;
    if (i >= (int64_t)l.size[0] * l.size[1] * l.size[2]) return;
    int x = (int)(i % l.size[0]), y = (int)(i / l.size[0] % l.size[1]), z = (int)(i / l.size[0] / l.size[1]);
    bool inside = true;
    for (int k = 0; k < 3; k++)
        inside &= endo_mutual_is_within(mutual_position(w.map.m + 4 * k, x, y, z), l.moving_size[k], w.margin[k]);
    to[i] = inside ? l.fixed[i] : (uint16_t)l.bins;
}

static int is_same(const endo_mutual_window *a, const endo_mutual_window *b) {
    return !memcmp(&a->map, &b->map, sizeof a->map) && !memcmp(a->margin, b->margin, sizeof a->margin);
}

/* The fixed volume in which what lies outside the window does not count: made once for a search. */
static endo_status see_through(mutual_pair *p, int level, const endo_mutual_window *w, const uint16_t **fixed) {
    const mutual_level *l = &p->levels[level];
    *fixed = l->fixed;
    if (!w) return ENDO_OK;
    *fixed = p->windowed;
    if (p->window_level == level && is_same(&p->window, w)) return ENDO_OK;
    p->window_level = -1;
    window_kernel<<<mutual_blocks((int64_t)l->size[0] * l->size[1] * l->size[2], SUM_THREADS), SUM_THREADS, 0,
                    p->backend->stream>>>(*l, *w, p->windowed);
    ENDO_CUDA(p->backend, cudaGetLastError());
    p->window = *w, p->window_level = level;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ measure */

/* Counts and states as every call finds them. */
static endo_status clear(mutual_pair *p) {
    cuda_backend *b = p->backend;
    ENDO_CUDA(b, cudaMemsetAsync(p->counts, 0, MUTUAL_MAPS * p->histogram * sizeof *p->counts, b->stream));
    ENDO_CUDA(b, cudaMemsetAsync(p->states, 0, MUTUAL_MAPS * sizeof *p->states, b->stream));
    p->dirty = 0;
    return ENDO_OK;
}

/* One map's counts, to the host; they are cleared on the device. */
static endo_status take_counts(mutual_pair *p, int level, mutual_way way, const uint16_t *fixed,
                               const endo_mutual_map *map, uint32_t *counts) {
    cuda_backend *b = p->backend;
    size_t bytes = (size_t)p->levels[level].bins * p->levels[level].bins * sizeof *counts;
    ENDO_TRY(cuda_mutual_count(p, level, way, fixed, map, 1, NULL));
    ENDO_TRY(cuda_receive(b, p->counts, counts, bytes));
    ENDO_CUDA(b, cudaMemsetAsync(p->counts, 0, bytes, b->stream));
    return ENDO_OK;
}

/* [B]: the first histogram is not optimized, the next ones are, by it. */
static endo_status configure(mutual_pair *p, int level, const uint16_t *fixed, const endo_mutual_map *map) {
    if (p->ways[level] != MUTUAL_LEVELS || p->cells[level].n) return ENDO_OK;
    size_t n = (size_t)p->levels[level].bins * p->levels[level].bins;
    uint32_t *counts = (uint32_t *)endo_alloc(n, sizeof *counts);
    if (!counts) return endo_fail(ENDO_ERR_MEMORY, "no memory for a histogram");
    endo_status status = take_counts(p, level, MUTUAL_GLOBAL, fixed, map, counts);
    if (status == ENDO_OK) status = cuda_mutual_configure(p, level, counts);
    endo_free(counts);
    return status;
}

static endo_status begin(mutual_pair *p) {
    ENDO_TRY(cuda_enter(p->backend));
    if (p->dirty) ENDO_TRY(clear(p));
    p->dirty = 1;
    return ENDO_OK;
}

/* -------------------------------------------------------------------- tune */

#define TUNING_ROUNDS 3 /* the first also loads code */

/* The shortest time of one way; the counts are left cleared. */
static endo_status time_way(mutual_pair *p, int level, mutual_way way, const uint16_t *fixed, const endo_mutual_map *maps,
                            int n, endo_mutual_sums *found, cudaEvent_t events[2], float *least) {
    cuda_backend *b = p->backend;
    *least = INFINITY;
    for (int i = 0; i < TUNING_ROUNDS; i++) {
        float ms;
        ENDO_CUDA(b, cudaEventRecord(events[0], b->stream));
        ENDO_TRY(count_and_add(p, level, way, fixed, maps, n, found));
        ENDO_CUDA(b, cudaEventRecord(events[1], b->stream));
        ENDO_CUDA(b, cudaEventSynchronize(events[1]));
        ENDO_CUDA(b, cudaEventElapsedTime(&ms, events[0], events[1]));
        if (ms < *least) *least = ms;
    }
    return ENDO_OK;
}

static endo_status find_fastest(mutual_pair *p, int level, const uint16_t *fixed, const endo_mutual_map *maps, int n,
                                endo_mutual_sums *found, cudaEvent_t events[2]) {
    float best = INFINITY, ms;
    for (int way = MUTUAL_WORDS; way <= MUTUAL_CLUSTERS; way++) {
        if (!cuda_mutual_fits(p, level, (mutual_way)way)) continue;
        ENDO_TRY(time_way(p, level, (mutual_way)way, fixed, maps, n, found, events, &ms));
        if (ms < best) best = ms, p->ways[level] = (mutual_way)way;
    }
    return ENDO_OK;
}

/* Which way is the fastest depends on the device and on how the images' values lie: the ways that need no configuration
 * are tried once on the pair itself, and what was found is kept for all pairs of this size and number of bins. All count
 * the same. */
static endo_status tune(mutual_pair *p, int level, const uint16_t *fixed, const endo_mutual_map *maps, int n,
                        endo_mutual_sums *found) {
    cuda_backend *b = p->backend;
    cudaEvent_t events[2] = {NULL, NULL};
    if (p->tuned[level]) return ENDO_OK;
    p->tuned[level] = 1;
    if (p->ways[level] == MUTUAL_LEVELS || cuda_mutual_recall(p, level, n)) return ENDO_OK;
    ENDO_CUDA(b, cudaEventCreate(&events[0]));
    cudaError_t error = cudaEventCreate(&events[1]);
    endo_status status = error == cudaSuccess ? find_fastest(p, level, fixed, maps, n, found, events)
                                              : cuda_fail(b, error, __FILE__, __LINE__);
    for (int i = 0; i < 2; i++)
        if (events[i]) cudaEventDestroy(events[i]);
    if (status == ENDO_OK) cuda_mutual_remember(p, level, n);
    return status;
}

/* -------------------------------------------------------------------- call */

static endo_status measure(void *pair, int level, const endo_mutual_window *window, const endo_mutual_map *maps, size_t n,
                           endo_mutual_sums *sums) {
    mutual_pair *p = (mutual_pair *)pair;
    cuda_backend *b = p->backend;
    const uint16_t *fixed;
    ENDO_TRY(begin(p));
    ENDO_TRY(cuda_reserve_pinned(b, &b->pinned, n * sizeof *sums));
    ENDO_TRY(see_through(p, level, window, &fixed));
    ENDO_TRY(configure(p, level, fixed, maps));
    endo_mutual_sums *found = (endo_mutual_sums *)b->pinned.memory;
    ENDO_TRY(tune(p, level, fixed, maps, n < MUTUAL_MAPS ? (int)n : MUTUAL_MAPS, found));
    cuda_time_begin(b);
    for (size_t i = 0; i < n; i += MUTUAL_MAPS) {
        int part = n - i < MUTUAL_MAPS ? (int)(n - i) : MUTUAL_MAPS;
        ENDO_TRY(count_and_add(p, level, p->ways[level], fixed, maps + i, part, found + i));
    }
    cuda_time_end(b);
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    memcpy(sums, found, n * sizeof *sums);
    p->dirty = 0;
    return ENDO_OK;
}

static endo_status histogram(void *pair, int level, const endo_mutual_map *map, uint32_t *counts) {
    mutual_pair *p = (mutual_pair *)pair;
    ENDO_TRY(begin(p));
    ENDO_TRY(configure(p, level, p->levels[level].fixed, map));
    ENDO_TRY(take_counts(p, level, p->ways[level], p->levels[level].fixed, map, counts));
    p->dirty = 0;
    return ENDO_OK;
}

/* ----------------------------------------------------------------- make, end */

static void destroy(void *pair) {
    mutual_pair *p = (mutual_pair *)pair;
    if (!p) return;
    cudaSetDevice(p->backend->device);
    cudaStreamSynchronize(p->backend->stream);
    cudaGetLastError(); /* of a stream that failed: the context knows */
    cuda_arena_free(&p->arena);
    cuda_arena_free(&p->cells_arena);
    endo_free(p);
}

static endo_status create(void *backend, const endo_mutual_setup *setup, void **pair) {
    cuda_backend *b = (cuda_backend *)backend;
    ENDO_TRY(cuda_enter(b));
    mutual_pair *p = (mutual_pair *)endo_alloc_zeroed(1, sizeof *p);
    if (!p) return endo_fail(ENDO_ERR_MEMORY, "no memory for volumes");
    p->backend = p->arena.backend = p->cells_arena.backend = b;
    endo_status status = cuda_mutual_fill(p, setup);
    if (status == ENDO_OK) status = cuda_mutual_choose_ways(p);
    if (status == ENDO_OK)
        *pair = p;
    else
        destroy(p);
    return status;
}

extern "C" const endo_mutual_kernels cuda_mutual = {
    .create = create,
    .destroy = destroy,
    .measure = measure,
    .histogram = histogram,
    .resample = cuda_mutual_resample,
};
