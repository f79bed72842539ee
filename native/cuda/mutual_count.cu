/* Joint histograms of two volumes under many maps: a block counts some runs of the fixed volume under one map, in shared
 * memory where the way allows, and adds what it found to the map's histogram.
 *
 * A warp takes a run of 64 voxels at a time; its lanes find out where 32 runs begin, together. Blocks take turns, some
 * rows each: air is counted sooner than what is in it, and a block that had all of one part would be waited for. The probably
 * fullest place of the histogram is counted in registers: half of a head's voxels are background, and would wait for each
 * other.
 */
#include "mutual_sums.cuh"

#include <cooperative_groups.h>

#define THREADS 1024
#define WARPS (THREADS / 32)
/* Times that a block gives each warp a run of 64 voxels: 16 bits count no more. */
#define MOST_CHUNKS (65535 / (ENDO_MUTUAL_RUN * WARPS))
#define CLUSTER 4

/* Everything travels by value. */
typedef struct count_job {
    mutual_level level;
    const uint16_t *fixed;
    mutual_cells cells;
    uint32_t *counts;
    size_t histogram;
    int words;         /* of shared memory that count */
    int parts;         /* blocks of each map that have something to do */
    int32_t half, fraction_mask;
    const int64_t *terms;
    mutual_state *states;
    endo_mutual_sums *sums; /* NULL: not made here */
    endo_mutual_map maps[MUTUAL_MAPS];
} count_job;

static_assert(sizeof(count_job) <= 4096, "arguments of a kernel");

/* Where the runs of a warp begin: of lane i the i-th. */
typedef struct run_starts {
    int32_t position[3], gain;
    int at, n; /* first voxel, how many */
} run_starts;

__device__ static inline run_starts place_run(const mutual_level &l, const endo_mutual_map &map, int run) {
    run_starts s;
    int row = run / l.runs_a_row, x = (run - row * l.runs_a_row) * ENDO_MUTUAL_RUN;
    int z = row / l.size[1], y = row - z * l.size[1], left = l.size[0] - x;
    for (int i = 0; i < 3; i++) s.position[i] = endo_mutual_run_start(map.m + 4 * i, x, y, z);
    s.gain = endo_mutual_run_start(map.gain, x, y, z);
    s.at = row * l.size[0] + x;
    s.n = left < ENDO_MUTUAL_RUN ? left : ENDO_MUTUAL_RUN;
    return s;
}

/* Weights 128 - f and f in the two lowest bytes. */
__device__ static inline uint32_t weights(uint32_t f) { return 128u + f * 255u; }

/* endo_mutual_interpolate() of two elements: byte products along y, and what follows in the same order. */
__device__ static inline uint32_t interpolate(uint32_t left, uint32_t right, uint32_t fx, uint32_t fy, uint32_t fz) {
    uint32_t w = weights(fy), near_left = __dp4a(left, w, 0u), near_right = __dp4a(right, w, 0u);
    uint32_t far_left = __dp4a(left, w << 16, 0u), far_right = __dp4a(right, w << 16, 0u);
    uint32_t near = ((128u - fx) * near_left + fx * near_right) >> 7;
    uint32_t far = ((128u - fx) * far_left + fx * far_right) >> 7;
    return (128u - fz) * near + fz * far;
}

#define NOT_COUNTED 0xffffffffu

/* The place of a voxel in the histogram. */
__device__ static inline uint32_t place_of(const count_job &j, const mutual_level &l, int at, const int32_t p[3],
                                           int32_t gain) {
    bool inside = true;
    int32_t r[3];
    for (int i = 0; i < 3; i++) {
        inside &= (uint32_t)(p[i] + (1 << 15)) < (uint32_t)l.moving_size[i] << 16; /* endo_mutual_is_inside() */
        r[i] = p[i] + j.half;
    }
    if (!inside) return NOT_COUNTED;
    uint32_t bins = (uint32_t)l.bins, row = j.fixed[at];
    if (row == bins) return NOT_COUNTED;
    const uint32_t *element = l.moving + ((r[2] >> 16) * l.slice + (r[1] >> 16) * l.stride + (r[0] >> 16));
    uint32_t fx = r[0] >> 9 & j.fraction_mask, fy = r[1] >> 9 & j.fraction_mask, fz = r[2] >> 9 & j.fraction_mask;
    uint32_t value = interpolate(__ldg(element), __ldg(element + 1), fx, fy, fz);
    return row * bins + endo_mutual_moving_bin(value, gain, bins);
}

template <mutual_way WAY>
__device__ static inline void count(const count_job &j, uint32_t *cells, uint32_t *counts, uint32_t place, int lane) {
    if (WAY == MUTUAL_GLOBAL) {
        atomicAdd(&counts[place], 1u);
    } else if (WAY == MUTUAL_WORDS) {
        atomicAdd(&cells[place], 1u);
    } else if (WAY == MUTUAL_LEVELS) {
        uint32_t cached = __ldg(&j.cells.places[place]);
        if (cached == MUTUAL_NOT_CACHED) {
            atomicAdd(&counts[place], 1u);
        } else {
            uint32_t cell = (cached & ((1u << MUTUAL_COPIES_BIT) - 1)) + (lane & (cached >> MUTUAL_COPIES_BIT));
            atomicAdd(&cells[cell >> 1], 1u << 16 * (cell & 1));
        }
    } else {
        atomicAdd(&cells[place >> 1], 1u << 16 * (place & 1));
    }
}

/* A run: each lane has two of its voxels, whose loads are on their way together. */
template <mutual_way WAY>
__device__ static inline void count_run(const count_job &j, const int32_t step[4], uint32_t *cells, uint32_t *counts,
                                        const run_starts &run, int lane, uint32_t *hot) {
    uint32_t place[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        int k = lane + 32 * h;
        int32_t p[3];
        for (int i = 0; i < 3; i++) p[i] = run.position[i] + k * step[i];
        place[h] = k < run.n ? place_of(j, j.level, run.at + k, p, run.gain + k * step[3]) : NOT_COUNTED;
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        if (place[h] == NOT_COUNTED) continue;
        if (WAY != MUTUAL_GLOBAL && place[h] == j.level.hot) (*hot)++;
        else count<WAY>(j, cells, counts, place[h], lane);
    }
}

/* The block's share: WARPS runs in a row, one to a warp, then those that as many blocks further on come next. */
template <mutual_way WAY>
__device__ static void count_runs(const count_job &j, const endo_mutual_map &map, uint32_t *cells, uint32_t *counts) {
    int lane = threadIdx.x % 32, turn = j.parts * WARPS, last = j.level.runs;
    int32_t step[4]; /* the last: of the gain */
    uint32_t hot = 0;
    for (int i = 0; i < 3; i++) step[i] = endo_mutual_step(map.m[4 * i]);
    step[3] = endo_mutual_step(map.gain[0]);
    for (int begun = blockIdx.x * WARPS + threadIdx.x / 32; begun < last; begun += 32 * turn) {
        int own = begun + turn * lane, here = (last - begun + turn - 1) / turn;
        run_starts s = {};
        if (own < last) s = place_run(j.level, map, own);
        if (here > 32) here = 32;
        for (int i = 0; i < here; i++) {
            run_starts run;
            for (int k = 0; k < 3; k++) run.position[k] = __shfl_sync(MUTUAL_LANES, s.position[k], i);
            run.gain = __shfl_sync(MUTUAL_LANES, s.gain, i);
            run.at = __shfl_sync(MUTUAL_LANES, s.at, i), run.n = __shfl_sync(MUTUAL_LANES, s.n, i);
            count_run<WAY>(j, step, cells, counts, run, lane, &hot);
        }
    }
    for (int i = 16; i; i >>= 1) hot += __shfl_xor_sync(MUTUAL_LANES, hot, i);
    if (lane == 0 && hot) atomicAdd(&counts[j.level.hot], hot);
}

/* ---------------------------------------------------------------- adding up */

/* Two counts at once: neither grows beyond 32 bits, for volumes have at most 2^30 voxels. */
__device__ static inline void add_two(uint32_t *counts, uint32_t low, uint32_t high) {
    if (low | high) atomicAdd((unsigned long long *)counts, (unsigned long long)high << 32 | low);
}

/* Blocks begin at different places, or they would all wait for the same ones. */
__device__ static inline int turned(int i, int n) {
    int at = i + (int)((int64_t)n * blockIdx.x / gridDim.x);
    return at < n ? at : at - n;
}

template <mutual_way WAY>
__device__ static inline void add_block(const count_job &j, const uint32_t *cells, uint32_t *counts) {
    for (int i = threadIdx.x; i < j.words; i += THREADS) {
        int at = turned(i, j.words);
        uint32_t word = cells[at];
        if (!word) continue;
        if (WAY == MUTUAL_WORDS) {
            atomicAdd(&counts[at], word);
        } else if (WAY == MUTUAL_LEVELS) {
            const uint16_t *row = j.cells.bins[0] + 2 * at, *column = j.cells.bins[1] + 2 * at;
            for (int k = 0; k < 2; k++) {
                uint32_t n = word >> 16 * k & 0xffff;
                if (n) atomicAdd(&counts[row[k] * (uint32_t)j.level.bins + column[k]], n);
            }
        } else {
            add_two(counts + 2 * (size_t)at, word & 0xffff, word >> 16);
        }
    }
}

/* Each block of a cluster adds up a part of the histogram over all its blocks. */
__device__ static inline void add_cluster(const count_job &j, uint32_t *cells, uint32_t *counts) {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    int rank = (int)cluster.block_rank();
    int first = (int)((int64_t)j.words * rank / CLUSTER), last = (int)((int64_t)j.words * (rank + 1) / CLUSTER);
    const uint32_t *of[CLUSTER];
#pragma unroll
    for (int k = 0; k < CLUSTER; k++) of[k] = cluster.map_shared_rank(cells, k);
    cluster.sync();
    for (int i = threadIdx.x; i < last - first; i += THREADS) {
        int at = first + turned(i, last - first);
        uint32_t low = 0, high = 0, words[CLUSTER];
#pragma unroll
        for (int k = 0; k < CLUSTER; k++) words[k] = of[k][at]; /* on their way together */
#pragma unroll
        for (int k = 0; k < CLUSTER; k++) low += words[k] & 0xffff, high += words[k] >> 16;
        add_two(counts + 2 * (size_t)at, low, high);
    }
    cluster.sync(); /* the others may still read this block's */
#endif
}

/* The sums of map blockIdx.y, by the last of its blocks. memory: shared, which is free now. Out of line, lest it takes the
 * registers that the loop over voxels needs. */
__device__ __noinline__ static void sum_up(const count_job &j, uint32_t *counts, void *memory) {
    mutual_block_sums *s = (mutual_block_sums *)memory;
    uint32_t *done = &j.states[blockIdx.y].done;
    int lane = threadIdx.x % 32, bins = j.level.bins;
    __threadfence();
    __syncthreads();
    if (!__syncthreads_or(threadIdx.x == 0 && atomicAdd(done, 1u) == gridDim.x - 1)) return;
    __threadfence();
    mutual_begin_sums(s);
    for (int row = threadIdx.x / 32; row < bins; row += WARPS) mutual_sum_row(j.terms, bins, counts + row * bins, s, lane);
    __syncthreads();
    mutual_sum_columns(j.terms, threadIdx.x < MUTUAL_MAX_BINS ? s->columns[threadIdx.x] : 0, s);
    if (threadIdx.x) return;
    endo_mutual_sums found = {(int64_t)s->n, (int64_t)s->joint, (int64_t)s->fixed, (int64_t)s->moving};
    j.sums[blockIdx.y] = found;
    *done = 0;
}

template <mutual_way WAY> __global__ static void __launch_bounds__(THREADS, 1) count_kernel(const __grid_constant__ count_job j) {
    extern __shared__ uint4 memory[];
    uint32_t *cells = (uint32_t *)memory, *counts = j.counts + blockIdx.y * j.histogram;
    mutual_let_sums_come();
    if (WAY != MUTUAL_GLOBAL)
        for (int i = threadIdx.x; i < j.words; i += THREADS) cells[i] = 0;
    __syncthreads();
    if ((int)blockIdx.x < j.parts) count_runs<WAY>(j, j.maps[blockIdx.y], cells, counts);
    __syncthreads();
    if (WAY == MUTUAL_CLUSTERS) add_cluster(j, cells, counts);
    else if (WAY != MUTUAL_GLOBAL) add_block<WAY>(j, cells, counts);
    if (j.sums) sum_up(j, counts, cells);
}

/* ------------------------------------------------------------------- launch */

static const void *const kernels[MUTUAL_WAYS] = {
    (const void *)count_kernel<MUTUAL_GLOBAL>,   (const void *)count_kernel<MUTUAL_WORDS>,
    (const void *)count_kernel<MUTUAL_HALVES>,   (const void *)count_kernel<MUTUAL_CLUSTERS>,
    (const void *)count_kernel<MUTUAL_LEVELS>,
};

static int words_for(const mutual_pair *p, int level, mutual_way way) {
    int bins = p->levels[level].bins, all = bins * bins;
    switch (way) {
    case MUTUAL_GLOBAL: return 0;
    case MUTUAL_WORDS: return all;
    case MUTUAL_LEVELS: return p->cells[level].n / 2;
    default: return (all + 1) / 2;
    }
}

int cuda_mutual_fits(const mutual_pair *p, int level, mutual_way way) {
    const cuda_backend *b = p->backend;
    if (way == MUTUAL_CLUSTERS && p->clusters < 1) return 0;
    return (size_t)words_for(p, level, way) * 4 <= b->shared_memory_of_block;
}

/* attribute is the caller's and must outlive the configuration. */
static cudaLaunchConfig_t configuration(const mutual_pair *p, mutual_way way, dim3 grid, size_t shared,
                                        cudaLaunchAttribute *attribute) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid, config.blockDim = dim3(THREADS), config.stream = p->backend->stream;
    config.dynamicSmemBytes = shared;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = CLUSTER, attribute->val.clusterDim.y = 1, attribute->val.clusterDim.z = 1;
    config.attrs = attribute, config.numAttrs = way == MUTUAL_CLUSTERS;
    return config;
}

/* How many clusters the device, as it is partitioned now, can hold with all the memory that their blocks may want. */
static int count_clusters(mutual_pair *p) {
    cudaLaunchAttribute attribute = {};
    int clusters = 0;
    if (p->backend->compute_capability < 90) return 0;
    cudaLaunchConfig_t config = configuration(p, MUTUAL_CLUSTERS, dim3(CLUSTER), p->backend->shared_memory_of_block, &attribute);
    if (cudaOccupancyMaxActiveClusters(&clusters, kernels[MUTUAL_CLUSTERS], &config) != cudaSuccess) clusters = 0;
    cudaGetLastError();
    return clusters;
}

endo_status cuda_mutual_choose_ways(mutual_pair *p) {
    cuda_backend *b = p->backend;
    for (int way = MUTUAL_WORDS; way < MUTUAL_WAYS; way++)
        if (way != MUTUAL_CLUSTERS || b->compute_capability >= 90)
            ENDO_CUDA(b, cudaFuncSetAttribute(kernels[way], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)b->shared_memory_of_block));
    p->clusters = count_clusters(p);
    for (int i = 0; i < p->n_levels; i++)
        p->ways[i] = cuda_mutual_fits(p, i, MUTUAL_HALVES) ? MUTUAL_HALVES : MUTUAL_LEVELS;
    return ENDO_OK;
}

/* The key of a choice: levels with the same key are counted the same way. */
static cuda_mutual_choice choice_for(const mutual_pair *p, int level, int maps) {
    cuda_mutual_choice c = {p->levels[level].bins, 0, maps > 1, p->ways[level]};
    while (p->levels[level].runs >> c.size) c.size++;
    return c;
}

int cuda_mutual_recall(mutual_pair *p, int level, int maps) {
    cuda_mutual_choice wanted = choice_for(p, level, maps);
    for (int i = 0; i < p->backend->n_mutual_choices; i++) {
        const cuda_mutual_choice *c = &p->backend->mutual_choices[i];
        if (c->bins != wanted.bins || c->size != wanted.size || c->several != wanted.several) continue;
        p->ways[level] = (mutual_way)c->way;
        return 1;
    }
    return 0;
}

/* Adds a choice to those that are kept; where all are taken, the oldest goes. */
void cuda_mutual_remember(mutual_pair *p, int level, int maps) {
    cuda_backend *b = p->backend;
    if (b->n_mutual_choices == CUDA_MUTUAL_CHOICES) {
        b->n_mutual_choices--;
        for (int i = 0; i < b->n_mutual_choices; i++) b->mutual_choices[i] = b->mutual_choices[i + 1];
    }
    b->mutual_choices[b->n_mutual_choices++] = choice_for(p, level, maps);
}

/* Blocks of each map: with all maps together as many as the device holds at once, where each has enough to do. Clusters take
 * fewer blocks than there are multiprocessors, and what does not fit would begin when all others have ended. */
static int parts_for(const mutual_pair *p, const mutual_level *l, mutual_way way, int n) {
    int chunks = (l->runs + WARPS - 1) / WARPS;
    int parts = (way == MUTUAL_CLUSTERS ? CLUSTER * p->clusters : p->backend->multiprocessors) / n;
    int least = (chunks + MOST_CHUNKS - 1) / MOST_CHUNKS;
    if (parts > chunks) parts = chunks;
    return parts > least ? parts : least;
}

endo_status cuda_mutual_count(mutual_pair *p, int level, mutual_way way, const uint16_t *fixed,
                              const endo_mutual_map *maps, int n, endo_mutual_sums *sums) {
    cuda_backend *b = p->backend;
    count_job j = {};
    cudaLaunchAttribute attribute = {};
    void *arguments[] = {&j};
    endo_mutual_rounding round = endo_mutual_round(p->nearest);
    j.level = p->levels[level], j.fixed = fixed, j.cells = p->cells[level];
    j.counts = p->counts, j.histogram = p->histogram;
    j.words = words_for(p, level, way), j.parts = parts_for(p, &j.level, way, n);
    j.half = round.half, j.fraction_mask = p->nearest ? 0 : 127;
    j.terms = p->terms, j.states = p->states, j.sums = sums;
    for (int i = 0; i < n; i++) j.maps[i] = maps[i];
    size_t cells = (size_t)j.words * 4, bytes = cells > sizeof(mutual_block_sums) ? cells : sizeof(mutual_block_sums);
    int blocks = way == MUTUAL_CLUSTERS ? (j.parts + CLUSTER - 1) / CLUSTER * CLUSTER : j.parts;
    cudaLaunchConfig_t config = configuration(p, way, dim3(blocks, n), bytes, &attribute);
    ENDO_CUDA(b, cudaLaunchKernelExC(&config, kernels[way], arguments));
    return ENDO_OK;
}
