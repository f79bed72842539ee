/* Alignment of exposures on a device ([G] section 2, native/rules/exposures.h): levels, bitmaps with their counts,
 * coefficients of all shifts, and the questions of the search, in one kernel. A block works on a pair, or for a single
 * pair a cluster (Hopper), whose blocks count shares of the rows and then each decide for themselves, by the same rules.
 * Levels and bitmaps of large images for the first observation are made by all of the device before. */
#include "derived.h"
#include "exposures_observations.cuh"

/* ----------------------------------------------------------------- kernels */

/* Parts of a block's dynamic shared memory. */
typedef struct shared_parts {
    double *coefficients;
    int32_t *found;
    uint32_t *counts[2], *held_columns[2], *held_rows[2]; /* NULL: not there */
} shared_parts;

/* The bitmaps come first (held_plane()). rows: that a block counts. Returns the bytes; memory may be NULL. */
__host__ __device__ static inline size_t share_out(const exposure_job *j, int rows, uint8_t *memory, shared_parts *p) {
    size_t at = j->holds_planes ? 2 * exposure_plane(j) : 0, shifts = 2 * (2 * (size_t)j->options.search + 1);
    p->coefficients = (double *)(memory + at), at += shifts * sizeof(double);
    p->found = (int32_t *)(memory + at), at += shifts * sizeof(int32_t);
    for (int i = 0; i < 2; i++) {
        p->counts[i] = p->held_columns[i] = p->held_rows[i] = NULL;
        if (!j->holds_counts) continue;
        p->counts[i] = (uint32_t *)(memory + at) + i * exposure_counts(j);
        p->held_columns[i] = (uint32_t *)(memory + at) + 2 * exposure_counts(j) + i * 32 * j->words;
        p->held_rows[i] = (uint32_t *)(memory + at) + 2 * (exposure_counts(j) + 32 * j->words) + i * ROW_SLOTS * rows;
    }
    if (j->holds_counts) at += 2 * ((size_t)exposure_counts(j) + 32 * j->words + ROW_SLOTS * rows) * sizeof(uint32_t);
    return at;
}

/* Rows of an image that a block of a group counts, at most. */
__host__ __device__ static inline int rows_of_block(const exposure_job *j, int size) {
    return (j->height + size - 1) / size;
}

/* kept: bitmaps are compared in shared memory; those of a block that is alone are nowhere else. */
__device__ static void join_group(const exposure_job &j, int number, int rank, int size, int rows, int kept) {
    if (threadIdx.x == 0) {
        shared_parts p;
        share_out(&j, rows, (uint8_t *)shared_memory, &p);
        mine.size = size, mine.rank = rank, mine.turn = 0;
        exposure_lay_out(&j, j.memory + number * j.group_bytes, &mine.scratch);
        mine.coefficients = p.coefficients, mine.found = p.found;
        for (int i = 0; i < 2; i++) {
            uint32_t *plane = kept && j.holds_planes ? held_plane(j, i) : NULL;
            mine.above[i] = plane && size == 1 ? plane : mine.scratch.above[i];
            mine.kept[i] = size == 1 ? NULL : plane;
            mine.counts[i] = j.holds_counts ? p.counts[i] : mine.scratch.counts[i];
            mine.held_columns[i] = (int)(p.held_columns[i] - (uint32_t *)shared_memory);
            mine.held_rows[i] = (int)(p.held_rows[i] - (uint32_t *)shared_memory);
        }
    }
    __syncthreads();
}

/* Group number blockIdx.x / size takes every so many pairs. */
template <group_kind KIND>
__global__ static void __launch_bounds__(EXPOSURE_THREADS, KIND == GROUP_BLOCK ? 2 : 1)
    align_kernel(const __grid_constant__ exposure_job j) {
    int size = KIND == GROUP_BLOCK ? 1 : j.group_size, number = blockIdx.x / size, groups = gridDim.x / size;
    join_group(j, number, blockIdx.x % size, size, rows_of_block(&j, size), 1);
    for (int i = number; i < j.n; i += groups) {
        align<KIND>(j, j.pairs[i], &j.results[i]);
        meet<KIND>(); /* the memory is the next pair's */
    }
}

/* Levels of pair blockIdx.y. */
__global__ static void __launch_bounds__(EXPOSURE_THREADS) levels_kernel(const __grid_constant__ exposure_job j) {
    __shared__ int32_t histograms[EXPOSURE_PART];
    const endo_pair pair = j.pairs[blockIdx.y];
    const int slots[2] = {pair.reference, pair.current};
    exposure_scratch scratch;
    exposure_lay_out(&j, j.memory + blockIdx.y * j.group_bytes, &scratch);
    for (int i = threadIdx.x; i < EXPOSURE_PART; i += blockDim.x) histograms[i] = 0;
    __syncthreads();
    count_levels(j, blockIdx.x, gridDim.x, histograms, slots);
    __syncthreads();
    for (int i = threadIdx.x; i < EXPOSURE_PART; i += blockDim.x)
        if (histograms[i]) atomicAdd(&scratch.histograms[i], histograms[i]);
}

/* Bitmaps and counts for the first observation of pair blockIdx.y: each block makes some rows. */
__global__ static void __launch_bounds__(EXPOSURE_THREADS, 2) bitmaps_kernel(const __grid_constant__ exposure_job j) {
    const endo_pair pair = j.pairs[blockIdx.y];
    const int slots[2] = {pair.reference, pair.current};
    join_group(j, blockIdx.y, blockIdx.x, gridDim.x, rows_of_block(&j, gridDim.x), 0);
    int from = first_row(j.height, mine.rank), end = first_row(j.height, mine.rank + 1);
    begin(j, mine.scratch.histograms, pair);
    take_thresholds();
    if (!endo_exposure_shows(&known.threshold)) return;
    clear_held_counts(j, end - from);
    __syncthreads();
    make_bitmaps(j, slots, 0, 1, 1);
    __syncthreads();
    give_counts(j, mine.scratch.counts, from, end, 0);
}

/* ------------------------------------------------------------------- field */

/* Bits of the field, and how many pixels of it each column has: a warp a column of words. */
__global__ static void field_kernel(exposure_job j, uint32_t *bits, int32_t *columns) {
    int x = 32 * blockIdx.x + threadIdx.x, count = 0;
    for (int y = 0; y < j.height; y++) {
        int inside = x < j.width && j.field[(size_t)y * j.stride + x];
        uint32_t word = __ballot_sync(LANE_ALL, inside);
        if (threadIdx.x == 0) bits[(size_t)y * j.words + blockIdx.x] = word;
        count += inside;
    }
    columns[x] = count;
}

__global__ static void field_rows_kernel(exposure_job j, const uint32_t *bits, int32_t *rows, int64_t *total) {
    int y = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (y >= j.height) return;
    for (int i = 0; i < j.words; i++) count += __popc(bits[(size_t)y * j.words + i]);
    rows[y] = count;
    atomicAdd((unsigned long long *)total, (unsigned long long)count);
}

/* Once for a store. */
static endo_status prepare_field(cuda_store *s, exposure_job *j) {
    cuda_backend *b = s->backend;
    size_t plane = ((size_t)j->words * j->height * 4 + 255) & ~(size_t)255, columns = (size_t)32 * j->words * 4;
    size_t rows = ((size_t)j->height * 4 + 255) & ~(size_t)255;
    if (!s->exposure_field)
        ENDO_TRY(cuda_arena_add(&s->arena, plane + columns + rows + 256, 1, (void **)&s->exposure_field));
    uint8_t *at = s->exposure_field;
    j->field_bits = (const uint32_t *)at;
    j->field_columns = (const int32_t *)(at + plane);
    j->field_rows = (const int32_t *)(at + plane + columns);
    j->field_pixels = (const int64_t *)(at + plane + columns + rows);
    j->field = s->field;
    if (!s->exposure_field_made) {
        int64_t pixels = 0;
        ENDO_CUDA(b, cudaMemsetAsync((void *)j->field_pixels, 0, sizeof(int64_t), b->stream));
        field_kernel<<<j->words, 32, 0, b->stream>>>(*j, (uint32_t *)j->field_bits, (int32_t *)j->field_columns);
        field_rows_kernel<<<(j->height + 127) / 128, 128, 0, b->stream>>>(*j, j->field_bits, (int32_t *)j->field_rows,
                                                                          (int64_t *)j->field_pixels);
        ENDO_CUDA(b, cudaGetLastError());
        ENDO_TRY(cuda_receive(b, j->field_pixels, &pixels, sizeof pixels));
        s->exposure_field_whole = pixels == (int64_t)j->width * j->height;
        s->exposure_field_made = 1;
    }
    if (s->exposure_field_whole) j->field_bits = NULL;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ launch */

/* attribute is the caller's and must outlive the configuration. */
static cudaLaunchConfig_t cluster_config(const cuda_backend *b, int clusters, int size, size_t shared,
                                         cudaLaunchAttribute *attribute) {
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = size, attribute->val.clusterDim.y = 1, attribute->val.clusterDim.z = 1;
    config.gridDim = dim3(clusters * size), config.blockDim = dim3(EXPOSURE_THREADS), config.stream = b->stream;
    config.dynamicSmemBytes = shared;
    config.attrs = attribute, config.numAttrs = 1;
    return config;
}

/* The largest cluster that this device, as it is partitioned now, can hold; 1: none. */
static int largest_cluster(const cuda_backend *b, size_t shared) {
    int size = EXPOSURE_CLUSTER;
    cudaFuncSetAttribute(align_kernel<GROUP_CLUSTER>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (; size > 1; size /= 2) {
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = cluster_config(b, 1, size, shared, &attribute);
        int clusters = 0;
        if (cudaOccupancyMaxActiveClusters(&clusters, align_kernel<GROUP_CLUSTER>, &config) == cudaSuccess && clusters > 0)
            break;
    }
    cudaGetLastError();
    return size;
}

/* All that a block may take: the setting is the device's, and shared by every context on it. */
static endo_status allow_shared_memory(cuda_backend *b, const void *kernel, size_t *most) {
    cudaFuncAttributes attributes;
    ENDO_CUDA(b, cudaFuncGetAttributes(&attributes, kernel));
    *most = b->shared_memory_of_block - attributes.sharedSizeBytes;
    ENDO_CUDA(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)*most));
    return ENDO_OK;
}

/* Asked once: a pair takes less time than the questions. */
static endo_status ask_device(cuda_backend *b) {
    cuda_exposure_limits *l = &b->exposure_limits;
    if (l->known) return ENDO_OK;
    ENDO_TRY(allow_shared_memory(b, (const void *)align_kernel<GROUP_BLOCK>, &l->shared[0]));
    ENDO_TRY(allow_shared_memory(b, (const void *)bitmaps_kernel, &l->shared[2]));
    l->cluster = 1;
    if (b->compute_capability >= 90) {
        ENDO_TRY(allow_shared_memory(b, (const void *)align_kernel<GROUP_CLUSTER>, &l->shared[1]));
        l->cluster = largest_cluster(b, l->shared[1]);
    }
    l->known = 1;
    return ENDO_OK;
}

/* How the pairs of a call are shared out. */
typedef struct group_plan {
    group_kind kind;
    int size, groups;
    size_t shared; /* bytes of dynamic shared memory */
} group_plan;

/* Bytes that a block takes with what the job says it holds. */
static size_t shared_of(const exposure_job *j, int size) {
    shared_parts unused;
    return share_out(j, rows_of_block(j, size), NULL, &unused);
}

/* Holds what fits: the counts into `most` bytes, then the bitmaps, if all of it fits into `shared`: half of a
 * multiprocessor, where a second block finds room beside. */
static size_t hold(exposure_job *j, int size, size_t most, size_t shared) {
    j->holds_planes = 0, j->holds_counts = 1;
    j->holds_counts = shared_of(j, size) <= most;
    j->holds_planes = 1;
    j->holds_planes = j->holds_counts && shared_of(j, size) <= shared;
    return shared_of(j, size);
}

/* Pixels from which on all of the device prepares a pair for a cluster, or for a block that is alone. */
#define MANY_FOR_CLUSTER ((int64_t)4 << 20)
#define MANY_FOR_BLOCK ((int64_t)64 << 10)
/* Pairs that it does so for. */
#define FEW_PAIRS 8

/* Blocks that work on a pair: enough that few pairs fill the device, none without some rows of its own. */
static int choose_group_size(const cuda_backend *b, const exposure_job *j) {
    int64_t pixels = (int64_t)j->width * j->height;
    int size = b->multiprocessors / j->n, worth = (int)(pixels >> 14), most = b->exposure_limits.cluster;
    if (size > worth) size = worth;
    if (size > j->height) size = j->height;
    if (size > most) size = most;
    while (size & (size - 1)) size--;
    return size < 2 ? 1 : size;
}

/* Where counts do not fit into shared memory one block works on a pair. */
static group_plan plan_groups(const cuda_backend *b, exposure_job *j) {
    const cuda_exposure_limits *l = &b->exposure_limits;
    int blocks = 2 * b->multiprocessors, size = choose_group_size(b, j);
    group_plan plan = {GROUP_CLUSTER, size, j->n, 0};
    if (size > 1) plan.shared = hold(j, size, l->shared[1], l->shared[1]);
    if (size == 1 || !j->holds_counts) {
        size_t fixed = b->shared_memory_of_block - l->shared[0], half = (b->shared_memory - 2048) / 2;
        plan.kind = GROUP_BLOCK, plan.size = 1, plan.groups = blocks < j->n ? blocks : j->n;
        plan.shared = hold(j, 1, l->shared[0], half > fixed ? half - fixed : 0);
    }
    int64_t pixels = (int64_t)j->width * j->height;
    j->prepared = j->n <= FEW_PAIRS && pixels >= (plan.kind == GROUP_CLUSTER ? MANY_FOR_CLUSTER : MANY_FOR_BLOCK);
    j->group_size = plan.size;
    return plan;
}

/* Levels and bitmaps by all of the device. */
static endo_status prepare(cuda_backend *b, const exposure_job *j) {
    exposure_job p = *j;
    int strips = (b->multiprocessors + j->n - 1) / j->n;
    if (strips > j->height) strips = j->height;
    p.holds_planes = 0, p.holds_counts = 1;
    p.holds_counts = shared_of(&p, strips) <= b->exposure_limits.shared[2];
    for (int i = 0; i < j->n; i++)
        ENDO_CUDA(b, cudaMemsetAsync(j->memory + i * j->group_bytes, 0, exposure_cleared(j), b->stream));
    levels_kernel<<<dim3(strips, j->n), EXPOSURE_THREADS, 0, b->stream>>>(p);
    bitmaps_kernel<<<dim3(strips, j->n), EXPOSURE_THREADS, shared_of(&p, strips), b->stream>>>(p);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

static endo_status start(cuda_backend *b, const exposure_job *j, const group_plan *plan) {
    cudaLaunchAttribute attribute = {};
    cuda_time_begin(b);
    if (j->prepared) ENDO_TRY(prepare(b, j));
    if (plan->kind == GROUP_BLOCK) {
        align_kernel<GROUP_BLOCK><<<plan->groups, EXPOSURE_THREADS, plan->shared, b->stream>>>(*j);
    } else {
        cudaLaunchConfig_t config = cluster_config(b, plan->groups, plan->size, plan->shared, &attribute);
        ENDO_CUDA(b, cudaLaunchKernelEx(&config, align_kernel<GROUP_CLUSTER>, *j));
    }
    ENDO_CUDA(b, cudaGetLastError());
    cuda_time_end(b);
    return ENDO_OK;
}

static endo_status launch(cuda_backend *b, exposure_job *j, const endo_pair *pairs, endo_exposure_result *results) {
    exposure_scratch unused;
    ENDO_TRY(ask_device(b));
    group_plan plan = plan_groups(b, j);
    j->group_bytes = exposure_lay_out(j, NULL, &unused);
    ENDO_TRY(cuda_reserve(b, &b->scratch, plan.groups * j->group_bytes));
    ENDO_TRY(cuda_send(b, pairs, j->n * sizeof *pairs));
    ENDO_TRY(cuda_reserve(b, &b->device_out, j->n * sizeof *results));
    j->memory = (uint8_t *)b->scratch.memory;
    j->pairs = (const endo_pair *)b->device_in.memory;
    j->results = (endo_exposure_result *)b->device_out.memory;
    ENDO_TRY(start(b, j, &plan));
    return cuda_receive(b, b->device_out.memory, results, j->n * sizeof *results);
}

endo_status cuda_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                           endo_exposure_result *results) {
    cuda_store *s = (cuda_store *)store;
    exposure_job j = {};
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    ENDO_TRY(cuda_derive(s, CUDA_ARRIVED, pairs, n, sizeof *pairs));
    j.plain = s->plain, j.area = s->area, j.stride = s->stride;
    j.width = s->options.width, j.height = s->options.height, j.words = (s->options.width + 31) / 32;
    j.n = (int)n, j.options = *options;
    ENDO_TRY(prepare_field(s, &j));
    return launch(s->backend, &j, pairs, results);
}
