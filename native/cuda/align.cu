/* Alignment on the intensities on a device (rules/fourier_align.h): the whole search of a request in one launch.
 *
 * With many requests a group is one block. With few, several blocks share the pixels of a request; after each step they
 * exchange their integer sums and every one of them takes the same step, so they stay together. */
#include "chunks.h"
#include "fourier.cuh"

#include "rules/fourier_align.h"

#define THREADS 256
#define WARPS (THREADS / 32)
/* Blocks that share a request at most, and the pixels of the largest level for each. */
#define MAX_GROUP 512
#define PIXELS_A_BLOCK 2048
/* Rows of a warp's tile, and tiles whose products fit 31 bits: |numbers| < 2^13, up to 32 rows. */
#define TILE_ROWS 8
#define TILES_A_SUM 4
#define SUMS (1 + ENDO_ALIGN_NUMBERS + ENDO_ALIGN_PRODUCTS)

static_assert(sizeof(endo_align_sums) == SUMS * sizeof(int64_t), "sums are taken as a row of numbers");

/* Memory of the device through which the blocks of a group exchange sums; the counts are zero between launches. Two steps
 * take turns. */
typedef struct align_group {
    unsigned arrived, finished;
    int64_t partial[2][MAX_GROUP][SUMS];
} align_group;

/* A request, and where the high-passed levels of its images lie. */
typedef struct align_item {
    endo_align_request request;
    const int16_t *reference, *current;
} align_item;

#define FEW 8

typedef struct align_job {
    cuda_fourier_layout layout;
    cuda_list<align_item, FEW> items;
    endo_transform_class model;
    int group; /* blocks a request */
    align_group *groups;
    endo_align_result *results;
} align_job;

/* High-passed values of one level. */
typedef struct align_image {
    const int16_t *values;
    int width, height, stride;
} align_image;

/* The state of a search, in the shared memory of a block. */
typedef struct align_state {
    endo_align_search search;
    endo_fixed_affine map;
    int asks;
    int64_t partial[WARPS][SUMS];
    endo_align_sums sums;
    endo_align_moments moments;
} align_state;

__device__ static align_image image_of(const align_job *job, const int16_t *levels, int width, int height, int level) {
    align_image m = {levels + job->layout.offset[level], width >> level, height >> level,
                     job->layout.stride[level]};
    return m;
}

/* ENDO_FOURIER_INVALID where one of the four pixels around is missing, whatever its weight. px, py: 32 fractional bits.
 * The image has 2 x 2 pixels; the nearest are read in any case, so that reads need not wait for what they depend on. */
__device__ static int sample(const align_image *m, int64_t px, int64_t py) {
    /* endo_align_map() allows 64 px a pixel and 10^6 px: 256ths of that fit 31 bits. */
    int x8 = (int)endo_position8(px), y8 = (int)endo_position8(py), x = x8 >> 8, y = y8 >> 8;
    int near_x = min(max(x, 0), m->width - 2), near_y = min(max(y, 0), m->height - 2);
    const int16_t *top = m->values + (size_t)near_y * m->stride + near_x, *bottom = top + m->stride;
    int a = top[0], b = top[1], c = bottom[0], d = bottom[1];
    int inside = x == near_x && y == near_y && min(min(a, b), min(c, d)) != ENDO_FOURIER_INVALID;
    return inside ? endo_bilinear(a, b, c, d, x8 & 255, y8 & 255) : ENDO_FOURIER_INVALID;
}

/* A thread's sums: of the last tiles in 32 bits, and of all before. */
typedef struct thread_sums {
    int recent[SUMS];
    int64_t all[SUMS];
} thread_sums;

__device__ static void add(thread_sums *s, const int32_t numbers[ENDO_ALIGN_NUMBERS]) {
    s->recent[0]++;
#pragma unroll
    for (int i = 0; i < ENDO_ALIGN_NUMBERS; i++) {
        s->recent[1 + i] += numbers[i];
#pragma unroll
        for (int k = i; k < ENDO_ALIGN_NUMBERS; k++)
            s->recent[1 + ENDO_ALIGN_NUMBERS + endo_align_index(i, k)] += numbers[i] * numbers[k];
    }
}

__device__ static void settle(thread_sums *s) {
#pragma unroll
    for (int i = 0; i < SUMS; i++) s->all[i] += s->recent[i], s->recent[i] = 0;
}

/* A warp takes 32 x TILE_ROWS pixels: its threads go down a column each. */
__device__ static void add_tile(const align_image *r, const align_image *c, const endo_fixed_affine *map, int left, int top,
                                thread_sums *s) {
    int side = r->width > r->height ? r->width : r->height, rows = min(TILE_ROWS, r->height - 1 - top);
    int lane = threadIdx.x % 32, x = left + lane, inside = x < r->width - 1;
    int column = endo_align_coordinate(x, r->width, side), row_of_lane = endo_align_coordinate(top + lane, r->height, side);
    int64_t px = map->m[0] * x + map->m[1] * top + map->m[2], py = map->m[3] * x + map->m[4] * top + map->m[5];
    const int16_t *p = r->values + (size_t)top * r->stride + (inside ? x : 1);
    int up = p[-r->stride], middle = p[0];
#pragma unroll 4
    for (int i = 0; i < rows; i++, p += r->stride, px += map->m[1], py += map->m[4]) {
        int before = p[-1], after = p[1], down = p[r->stride], current = sample(c, px, py);
        int row = __shfl_sync(0xffffffffu, row_of_lane, i);
        int least = min(min(min(before, after), min(up, down)), min(middle, current)); /* of values: above -2^11 */
        int valid = inside && least != ENDO_FOURIER_INVALID;
        int32_t numbers[ENDO_ALIGN_NUMBERS];
        endo_align_numbers(after - before, down - up, column, row, middle, current, numbers);
        if (valid) add(s, numbers);
        up = middle, middle = down;
    }
}

/* Adds up the sums of the warps, into state->sums. */
__device__ static void add_warps(align_state *state) {
    if (threadIdx.x >= SUMS) return;
    int64_t v = 0;
    for (int i = 0; i < WARPS; i++) v += state->partial[i][threadIdx.x];
    ((int64_t *)&state->sums)[threadIdx.x] = v;
}

/* Threads pass on one half of their 2 * HALF sums, to the thread that keeps it. */
template <int HALF> __device__ static void pass_on(int64_t *v) {
    int upper = threadIdx.x & HALF;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        int64_t kept = upper ? v[i + HALF] : v[i], passed = upper ? v[i] : v[i + HALF];
        v[i] = kept + __shfl_xor_sync(0xffffffffu, passed, HALF);
    }
}

/* Adds up the sums of the block's threads, into state->sums. Thread i of a warp ends with sum i of its warp. */
__device__ static void gather(align_state *state, const thread_sums *s) {
    int lane = threadIdx.x % 32;
    int64_t v[32] = {};
#pragma unroll
    for (int i = 0; i < SUMS; i++) v[i] = s->all[i];
    pass_on<16>(v), pass_on<8>(v), pass_on<4>(v), pass_on<2>(v), pass_on<1>(v);
    if (lane < SUMS) state->partial[threadIdx.x / 32][lane] = v[0];
    __syncthreads();
    add_warps(state);
}

/* Waits for the group. All its blocks are resident: the launch is cooperative. */
__device__ static void group_barrier(align_group *g, unsigned wanted) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned *arrived = &g->arrived;
        atomicAdd(&g->arrived, 1);
        while (*arrived < wanted) {}
    }
    __syncthreads();
    __threadfence();
}

/* Adds up the sums of the group, into state->sums of each of its blocks. active: how many blocks have sums. */
__device__ static void exchange(align_group *g, int blocks, int active, int block, unsigned step, align_state *state) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int64_t (*partial)[SUMS] = g->partial[step & 1], v = 0;
    if (threadIdx.x < SUMS && block < active) partial[block][threadIdx.x] = ((const int64_t *)&state->sums)[threadIdx.x];
    group_barrier(g, (step + 1) * blocks);
    /* Other blocks' sums are not in this one's cache; many are on their way at once. */
#pragma unroll 16
    for (int i = warp; i < active; i += WARPS) v += __ldcg((const long long *)&partial[i][min(lane, SUMS - 1)]);
    if (lane < SUMS) state->partial[warp][lane] = v;
    __syncthreads();
    add_warps(state);
}

/* Each moment by a thread of the first warp: their divisions take longer than all else of a step's decision. */
__device__ static void make_moments(align_state *state) {
    int i = 0, k = threadIdx.x;
    if (k >= ENDO_ALIGN_PRODUCTS) return;
    for (; k >= ENDO_ALIGN_NUMBERS - i; i++) k -= ENDO_ALIGN_NUMBERS - i;
    state->moments.n = state->sums.n;
    state->moments.of[threadIdx.x] = endo_align_covariance(&state->sums, i, i + k);
}

/* The group's last block, which nobody waits for any more, leaves zeros behind. One thread. */
__device__ static void leave(align_group *g, int blocks) {
    if (atomicAdd(&g->finished, 1) + 1 == (unsigned)blocks) g->arrived = g->finished = 0;
}

__global__ static void __launch_bounds__(THREADS, 2) align_kernel(const __grid_constant__ align_job job) {
    __shared__ align_state state;
    int request = blockIdx.x / job.group, block = blockIdx.x % job.group, first = threadIdx.x == 0;
    const int16_t *reference = job.items[request].reference, *current = job.items[request].current;
    if (first) endo_align_begin(&state.search, &job.items[request].request, job.model);
    for (unsigned step = 0;; step++) {
        if (first) state.asks = endo_align_asks(&state.search, &state.map);
        __syncthreads();
        if (!state.asks) break;
        const endo_fourier_images *m = &state.search.request.images;
        align_image r = image_of(&job, reference, m->reference_width, m->reference_height, state.search.reference_level);
        align_image c = image_of(&job, current, m->current_width, m->current_height, state.search.current_level);
        endo_fixed_affine map = state.map;
        thread_sums collected = {};
        int across = (r.width - 2 + 31) / 32, tiles = across * ((r.height - 2 + TILE_ROWS - 1) / TILE_ROWS);
        if (c.width < 2 || c.height < 2) tiles = 0;
        for (int i = block * WARPS + threadIdx.x / 32, n = 1; i < tiles; i += job.group * WARPS, n++) {
            add_tile(&r, &c, &map, 1 + i % across * 32, 1 + i / across * TILE_ROWS, &collected);
            if (n % TILES_A_SUM == 0) settle(&collected);
        }
        settle(&collected);
        gather(&state, &collected);
        __syncthreads();
        int active = min(job.group, (tiles + WARPS - 1) / WARPS);
        if (job.group > 1) exchange(&job.groups[request], job.group, active, block, step, &state);
        __syncthreads();
        make_moments(&state);
        __syncthreads();
        if (first) endo_align_take_moments(&state.search, &state.moments);
    }
    if (first && block == 0) job.results[request] = state.search.result;
    if (first && job.group > 1) leave(&job.groups[request], job.group);
}

/* ------------------------------------------------------------------- calls */

/* Levels that a request may visit. */
static int visits(const endo_align_request *q) {
    int below = q->reference_level < q->current_level ? q->reference_level : q->current_level;
    return q->levels - 1 < below ? q->levels : below + 1;
}

/* Makes the high-passed values of all levels that are aligned; *largest: pixels of the largest level. */
static endo_status prepare(cuda_store *s, const endo_align_request *requests, size_t n, size_t *largest) {
    ENDO_TRY(cuda_fourier_prepare(s, requests, n, sizeof *requests));
    cuda_fourier_wanted *wanted = (cuda_fourier_wanted *)endo_alloc(2 * n * ENDO_FOURIER_LEVELS, sizeof *wanted);
    size_t count = 0;
    if (!wanted) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        const endo_align_request *q = &requests[i];
        for (int k = 0; k < visits(q); k++) {
            wanted[count++] = {q->images.reference, q->reference_level - k, ENDO_FOURIER_HALF};
            wanted[count++] = {q->images.current, q->current_level - k, q->half};
        }
        int level = q->reference_level - visits(q) + 1;
        size_t area = (size_t)(q->images.reference_width >> level) * (size_t)(q->images.reference_height >> level);
        *largest = area > *largest ? area : *largest;
    }
    endo_status status = cuda_fourier_highpass(s, wanted, count, s->backend->stream);
    endo_free(wanted);
    return status;
}

/* Few searches at one level are those of one pair, which goes on down to the full size: meanwhile the levels below are made,
 * aside, since so small a search leaves most of the device idle. */
static endo_status make_below(cuda_store *s, const endo_align_request *q) {
    cuda_backend *b = s->backend;
    cuda_fourier_wanted wanted[2 * ENDO_FOURIER_LEVELS];
    static_assert(2 * ENDO_FOURIER_LEVELS <= CUDA_FOURIER_ASIDE, "they come with the launch");
    size_t count = 0;
    for (int k = 1; k <= q->reference_level && k <= q->current_level; k++) {
        wanted[count++] = {q->images.reference, q->reference_level - k, ENDO_FOURIER_HALF};
        wanted[count++] = {q->images.current, q->current_level - k, q->half};
    }
    ENDO_TRY(cuda_fourier_highpass(s, wanted, count, b->aside));
    ENDO_CUDA(b, cudaEventRecord(b->aside_done, b->aside));
    return ENDO_OK;
}

/* Chooses the blocks of a request: no more than the device holds at once, and than have enough to do. */
static endo_status choose_group(cuda_backend *b, size_t n, size_t largest, int *group) {
    int resident = 0;
    ENDO_CUDA(b, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, align_kernel, THREADS, 0));
    size_t most = (size_t)resident * (size_t)b->multiprocessors / n, useful = largest / PIXELS_A_BLOCK;
    most = most < useful ? most : useful;
    *group = most > MAX_GROUP ? MAX_GROUP : most < 1 ? 1 : (int)most;
    return ENDO_OK;
}

static endo_status launch(cuda_backend *b, align_job *job, size_t n) {
    void *arguments[] = {job};
    dim3 grid((unsigned)n * (unsigned)job->group);
    if (job->group == 1) {
        align_kernel<<<grid, THREADS, 0, b->stream>>>(*job);
        ENDO_CUDA(b, cudaGetLastError());
        return ENDO_OK;
    }
    ENDO_TRY(cuda_reserve_zeros(b, &b->align_groups, n * sizeof(align_group)));
    job->groups = (align_group *)b->align_groups.memory;
    ENDO_CUDA(b, cudaLaunchCooperativeKernel((const void *)align_kernel, grid, dim3(THREADS), arguments, 0, b->stream));
    return ENDO_OK;
}

static endo_status send_items(cuda_store *s, const endo_align_request *requests, size_t n, align_job *job) {
    align_item *items = (align_item *)endo_alloc(n, sizeof *items);
    if (!items) return endo_fail(ENDO_ERR_MEMORY, "no memory to align %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        items[i].request = requests[i];
        items[i].reference = cuda_fourier_level(s, requests[i].images.reference, 0, ENDO_FOURIER_HALF);
        items[i].current = cuda_fourier_level(s, requests[i].images.current, 0, requests[i].half);
    }
    endo_status status = cuda_send_list(s->backend, items, n, &job->items);
    endo_free(items);
    return status;
}

extern "C" endo_status cuda_align(void *store, const endo_align_request *requests, size_t n, const endo_align_setup *setup,
                                  endo_align_result *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    size_t largest = 0;
    int goes_down = n <= FEW && n > 0 && requests[0].levels == 1 && requests[0].iterations > 0;
    void *made;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    cuda_time_begin(b);
    ENDO_TRY(prepare(s, requests, n, &largest));
    ENDO_TRY(cuda_results(b, n * sizeof *results, &made));
    align_job job = {s->fourier->layout, {}, setup->model, 1, NULL, (endo_align_result *)made};
    ENDO_TRY(send_items(s, requests, n, &job));
    ENDO_TRY(choose_group(b, n, largest, &job.group));
    if (goes_down) ENDO_TRY(cuda_open_aside(b));
    ENDO_TRY(launch(b, &job, n));
    cuda_time_end(b);
    endo_status below = goes_down ? make_below(s, requests) : ENDO_OK;
    ENDO_TRY(cuda_collect(b, made, results, n * sizeof *results)); /* in any case: the kernel writes to pinned memory */
    ENDO_TRY(below);
    if (goes_down) ENDO_CUDA(b, cudaStreamWaitEvent(b->stream, b->aside_done, 0)); /* whatever follows does */
    return ENDO_OK;
}
