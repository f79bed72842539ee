/* Kourogi's flow ([S] section 2.2): a group of blocks takes a pair from the coarsest level to the finest; sums,
 * solution and iteration never leave the device.
 *
 * With many pairs a group is one block. With few, several blocks share the pixels of a pair; after each round
 * they exchange their integer sums and every one of them solves the same system, so they stay in step. */
#include "derived.h"

#define THREADS 512
#define WARPS (THREADS / 32)
/* Shifts of the coarsest level: its shorter side is below 2 * ENDO_FLOW_COARSEST. */
#define MAX_REACH (2 * ENDO_FLOW_COARSEST / 4)
#define MAX_SHIFTS ((2 * MAX_REACH + 1) * (2 * MAX_REACH + 1))

/* Blocks that share a pair at most. */
#define MAX_GROUP 16

/* What the blocks of a group exchange, in device memory; zeroed before the launch. */
typedef struct flow_group {
    unsigned arrived;
    long long partial[2][MAX_GROUP][18]; /* two rounds take turns */
    endo_shift_sums shifts[MAX_SHIFTS];
} flow_group;

typedef struct flow_job {
    int group; /* blocks a pair */
    flow_group *groups;
    cuda_levels levels;
    const int16_t *pyramids;
    const endo_pair *pairs;
    endo_transform_class kind;
    endo_flow_result *results;
} flow_job;

/* What the threads of a block share about their pair. */
typedef struct flow_state {
    endo_motion motion;
    endo_level_motion level_motion;
    int passed;
    endo_flow_sums partial[WARPS][2];
    endo_shift_sums shifts[MAX_SHIFTS];
    flow_group *shared; /* NULL: this block is alone */
    int blocks, block;  /* of the group */
    unsigned round;     /* barriers passed */
} flow_state;

/* Waits for the group. All its blocks are resident: the launch is cooperative. */
__device__ static void group_barrier(flow_state *state) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned wanted = ++state->round * state->blocks;
        volatile unsigned *arrived = &state->shared->arrived;
        atomicAdd(&state->shared->arrived, 1);
        while (*arrived < wanted) {}
    }
    __syncthreads();
    __threadfence();
}

__device__ static long long warp_sum(long long v) {
    for (int offset = 16; offset; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__device__ static int sample(const int16_t *image, const cuda_level *level, int32_t px, int32_t py, int32_t *out) {
    int x = px >> 16, y = py >> 16;
    if (x < 0 || y < 0 || x + 1 >= level->size.width || y + 1 >= level->size.height) return 0;
    const int16_t *p = image + y * level->stride + x, *q = p + level->stride;
    int p00 = p[0], p01 = p[1], p10 = q[0], p11 = q[1];
    if (p00 == ENDO_FLOW_INVALID || p01 == ENDO_FLOW_INVALID || p10 == ENDO_FLOW_INVALID || p11 == ENDO_FLOW_INVALID)
        return 0;
    *out = endo_bilinear(p00, p01, p10, p11, (px >> 8) & 255, (py >> 8) & 255);
    return 1;
}

/* The two pseudo motions of a reference pixel, as native/ref/flow.c. One thread's sums fit 32 bits only
 * for a few rows, so they are kept in 64. */
__device__ static void pixel(const int16_t *reference, const int16_t *current, const cuda_level *level,
                             const endo_level_motion *m, int x, int y, endo_flow_sums sums[2]) {
    const int16_t *r = reference + y * level->stride + x;
    int centre = r[0], left = r[-1], right = r[1], up = r[-level->stride], down = r[level->stride];
    if (centre == ENDO_FLOW_INVALID || left == ENDO_FLOW_INVALID || right == ENDO_FLOW_INVALID ||
        up == ENDO_FLOW_INVALID || down == ENDO_FLOW_INVALID)
        return;
    int xc = x - level->size.width / 2, yc = y - level->size.height / 2;
    int32_t px = (x << 16) + m->a[0] + m->a[1] * xc + m->a[2] * yc;
    int32_t py = (y << 16) + m->a[3] + m->a[4] * xc + m->a[5] * yc;
    int32_t compensated, moved, slope[2] = {right - left, down - up};
    if (!sample(current, level, px, py, &compensated)) return;
    for (int i = 0; i < 2; i++) {
        if (abs(slope[i]) < ENDO_FLOW_SLOPE) continue;
        int32_t d = endo_pseudo_motion(compensated - centre, slope[i]);
        if (abs(d) > ENDO_FLOW_REACH) continue;
        if (!sample(current, level, px + (i ? 0 : d * 256), py + (i ? d * 256 : 0), &moved)) continue;
        if (abs(moved - centre) < ENDO_FLOW_THRESHOLD) endo_flow_accumulate(&sums[i], xc, yc, d);
    }
}

/* The sums of all blocks of the group. */
__device__ static void exchange(flow_state *state) {
    unsigned turn = state->round & 1;
    group_barrier(state);
    if (threadIdx.x < 18) {
        volatile long long(*partial)[18] = state->shared->partial[turn];
        long long total = 0;
        for (int b = 0; b < state->blocks; b++) total += partial[b][threadIdx.x];
        ((long long *)&state->partial[0][threadIdx.x / 9])[threadIdx.x % 9] = total;
    }
}

__device__ static void reduce(endo_flow_sums sums[2], flow_state *state) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 2; i++) {
        long long *v = (long long *)&sums[i];
        for (int k = 0; k < 9; k++) {
            long long total = warp_sum(v[k]);
            if (lane == 0) ((long long *)&state->partial[warp][i])[k] = total;
        }
    }
    __syncthreads();
    if (threadIdx.x < 18) {
        int i = threadIdx.x / 9, k = threadIdx.x % 9;
        long long total = 0;
        for (int w = 0; w < WARPS; w++) total += ((long long *)&state->partial[w][i])[k];
        ((long long *)&state->partial[0][i])[k] = total;
        if (state->shared) state->shared->partial[state->round & 1][state->block][threadIdx.x] = total;
    }
    if (state->shared) exchange(state);
    __syncthreads();
}

/* One thread: the fit; returns whether another round follows. */
__device__ static int update(const cuda_level *level, endo_transform_class kind, int coarsest, int iteration,
                             flow_state *state) {
    endo_motion before = state->motion, after = before;
    int affine = endo_flow_fits_affine(kind, coarsest, iteration);
    int fitted = endo_motion_update(&state->partial[0][0], &level->size, affine, after.a) &
                 endo_motion_update(&state->partial[0][1], &level->size, affine, after.a + 3);
    state->passed = 0;
    if (!fitted) return 0;
    state->motion = after;
    state->passed = (int)(state->partial[0][0].n + state->partial[0][1].n);
    return endo_motion_change(&before, &after, &level->size) >= ENDO_FLOW_SETTLED;
}

__device__ static void refine(const flow_job *job, int l, const int16_t *reference, const int16_t *current,
                              flow_state *state) {
    const cuda_level *level = &job->levels.level[l];
    int width = level->size.width, height = level->size.height, step = endo_flow_row_step(width, height);
    int columns = width - 2, rows = (height - 2 + step - 1) / step;
    for (int iteration = 0, go = 1; iteration < ENDO_FLOW_ITERATIONS && go; iteration++) {
        endo_flow_sums sums[2] = {};
        if (threadIdx.x == 0) {
            go = endo_motion_at_level(&state->motion, &level->size, &state->level_motion);
            if (!go) state->passed = 0;
        }
        /* The barrier itself carries thread 0's decision: nobody can read it too late. */
        if (!__syncthreads_and(go)) return;
        endo_level_motion m = state->level_motion;
        for (int i = state->block * THREADS + threadIdx.x; i < columns * rows; i += state->blocks * THREADS)
            pixel(reference + level->offset, current + level->offset, level, &m, 1 + i % columns, 1 + i / columns * step,
                  sums);
        reduce(sums, state);
        if (threadIdx.x == 0) go = update(level, job->kind, l == job->levels.n - 1, iteration, state);
        go = __syncthreads_and(go);
    }
}

__device__ static endo_shift_sums compare_shifted(const int16_t *reference, const int16_t *current,
                                                  const cuda_level *level, int dx, int dy) {
    int width = level->size.width, height = level->size.height, lane = threadIdx.x % 32;
    long long difference = 0;
    int n = 0;
    for (int i = lane; i < width * height; i += 32) {
        int x = i % width, y = i / width;
        if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
        int r = reference[y * level->stride + x], c = current[(y + dy) * level->stride + x + dx];
        if (r == ENDO_FLOW_INVALID || c == ENDO_FLOW_INVALID) continue;
        difference += abs(c - r);
        n++;
    }
    endo_shift_sums s;
    s.difference = warp_sum(difference);
    s.n = (int)warp_sum(n);
    return s;
}

__device__ static int count_valid(const int16_t *image, const cuda_level *level) {
    int n = 0;
    for (int y = 0; y < level->size.height; y++)
        for (int x = threadIdx.x; x < level->size.width; x += THREADS)
            n += image[y * level->stride + x] != ENDO_FLOW_INVALID;
    return n;
}

/* A shift and its place in the reference's order: no shift first, then row by row. */
typedef struct ranked_shift {
    endo_shift_sums sums;
    int rank; /* -1: none */
} ranked_shift;

__device__ static int comes_before(const ranked_shift *a, const ranked_shift *b, int pixels) {
    endo_shift_sums none = {0, 0};
    if (a->rank < 0 || !endo_shift_is_better(&a->sums, &none, pixels)) return 0;
    if (b->rank < 0 || endo_shift_is_better(&a->sums, &b->sums, pixels)) return 1;
    return !endo_shift_is_better(&b->sums, &a->sums, pixels) && a->rank < b->rank; /* equally good */
}

/* One warp: the best shift becomes the motion. */
__device__ static void pick_shift(const cuda_level *level, int reach, int pixels, flow_state *state) {
    int side = 2 * reach + 1, centre = side * reach + reach, lane = threadIdx.x;
    ranked_shift best = {{0, 0}, -1};
    for (int i = lane; i < side * side; i += 32) {
        ranked_shift s = {state->shifts[i], i == centre ? 0 : i + 1};
        if (comes_before(&s, &best, pixels)) best = s;
    }
    for (int offset = 16; offset; offset /= 2) {
        ranked_shift other;
        other.sums.difference = __shfl_down_sync(0xffffffffu, (long long)best.sums.difference, offset);
        other.sums.n = __shfl_down_sync(0xffffffffu, best.sums.n, offset);
        other.rank = __shfl_down_sync(0xffffffffu, best.rank, offset);
        if (comes_before(&other, &best, pixels)) best = other;
    }
    if (lane) return;
    int index = best.rank > 0 ? best.rank - 1 : centre;
    state->motion.a[0] = (double)(index % side - reach) * level->size.scale;
    state->motion.a[3] = (double)(index / side - reach) * level->size.scale;
}

/* A warp a shift; then one warp picks. */
__device__ static void first_shift(const cuda_level *level, const int16_t *reference, const int16_t *current,
                                   flow_state *state, int *pixels) {
    int reach = endo_shift_reach(&level->size), side = 2 * reach + 1;
    if (threadIdx.x == 0) *pixels = 0;
    __syncthreads();
    atomicAdd(pixels, count_valid(reference, level));
    for (int i = state->block * WARPS + threadIdx.x / 32; i < side * side; i += state->blocks * WARPS) {
        endo_shift_sums s = compare_shifted(reference, current, level, i % side - reach, i / side - reach);
        if (threadIdx.x % 32) continue;
        if (state->shared) state->shared->shifts[i] = s;
        else state->shifts[i] = s;
    }
    if (state->shared) {
        group_barrier(state);
        for (int i = threadIdx.x; i < side * side; i += THREADS) {
            volatile endo_shift_sums *from = &state->shared->shifts[i];
            state->shifts[i].difference = from->difference, state->shifts[i].n = from->n;
        }
    }
    __syncthreads();
    if (threadIdx.x < 32) pick_shift(level, reach, *pixels, state);
    __syncthreads();
}

__global__ static void __launch_bounds__(THREADS) flow_kernel(const __grid_constant__ flow_job job) {
    __shared__ flow_state state;
    __shared__ int pixels;
    const endo_pair pair = job.pairs[blockIdx.x / job.group];
    const int16_t *reference = job.pyramids + pair.reference * job.levels.elements;
    const int16_t *current = job.pyramids + pair.current * job.levels.elements;
    if (threadIdx.x < 6) state.motion.a[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        state.passed = 0;
        state.round = 0;
        state.blocks = job.group, state.block = blockIdx.x % job.group;
        state.shared = job.group > 1 ? &job.groups[blockIdx.x / job.group] : NULL;
    }
    __syncthreads();
    if (job.levels.n > 0) {
        const cuda_level *coarsest = &job.levels.level[job.levels.n - 1];
        first_shift(coarsest, reference + coarsest->offset, current + coarsest->offset, &state, &pixels);
    }
    for (int l = job.levels.n - 1; l >= 0; l--) refine(&job, l, reference, current, &state);
    if (threadIdx.x == 0 && state.block == 0)
        endo_flow_to_result(&state.motion, job.kind, state.passed, &job.results[blockIdx.x / job.group]);
}

/* As many blocks a pair as keep every block resident at once, one a multiprocessor. */
static endo_status launch(cuda_backend *b, flow_job *job, size_t n) {
    int group = (int)(b->multiprocessors / n);
    job->group = group > MAX_GROUP ? MAX_GROUP : group < 1 ? 1 : group;
    void *arguments[] = {job};
    if (job->group > 1) {
        ENDO_TRY(cuda_reserve(b, &b->scratch, n * sizeof(flow_group)));
        job->groups = (flow_group *)b->scratch.memory;
        ENDO_CUDA(b, cudaMemsetAsync(job->groups, 0, n * sizeof(flow_group), b->stream));
    }
    cuda_time_begin(b);
    if (job->group > 1)
        ENDO_CUDA(b, cudaLaunchCooperativeKernel((const void *)flow_kernel, dim3((unsigned)n * job->group), dim3(THREADS),
                                                 arguments, 0, b->stream));
    else
        flow_kernel<<<(unsigned)n, THREADS, 0, b->stream>>>(*job);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_flow(void *store, const endo_pair *pairs, size_t n, const endo_transform_class *kind,
                      endo_flow_result *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_PYRAMID, pairs, n, sizeof *pairs));
    ENDO_TRY(cuda_reserve(b, &b->device_out, n * sizeof *results));
    ENDO_TRY(cuda_send(b, pairs, n * sizeof *pairs));
    flow_job job = {1, NULL, s->levels, s->pyramids, (const endo_pair *)b->device_in.memory, *kind,
                    (endo_flow_result *)b->device_out.memory};
    ENDO_TRY(launch(b, &job, n));
    return cuda_receive(b, b->device_out.memory, results, n * sizeof *results);
}
