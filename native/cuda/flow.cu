/* Kourogi's flow ([S] section 2.2): a group of blocks takes a pair from the coarsest level to the finest; sums,
 * solution and iteration never leave the device.
 *
 * With many pairs a group is one block. With few, several blocks share the pixels of a pair; after each round they tell
 * each other their integer sums and every one of them solves the same system, so they stay in step. */
#include "derived.h"

#define THREADS 512
#define WARPS (THREADS / 32)
/* Shifts of the coarsest level: its shorter side is below 2 * ENDO_FLOW_COARSEST. */
#define MAX_REACH (2 * ENDO_FLOW_COARSEST / 4)
#define MAX_SHIFTS ((2 * MAX_REACH + 1) * (2 * MAX_REACH + 1))

/* Blocks that share a pair at most: a lane each. */
#define MAX_GROUP 32
/* Sums of a round: those of both components. */
#define SUMS 18

/* Half of a number and the round that it is of, in one word: whoever reads it until it is of the round that is waited
 * for needs neither a barrier nor a fence. */
typedef unsigned long long told_half;

typedef struct told_number {
    volatile told_half low, high;
} told_number;

/* What the blocks of a group tell each other, in device memory; zeroed before the launch. Two rounds take turns: a block
 * that tells round r + 2 has heard all of round r + 1, and each block told that after it had heard all of round r. */
typedef struct flow_group {
    told_number sums[2][SUMS][MAX_GROUP];
    told_number shifts[MAX_SHIFTS]; /* difference and n: each fits 32 bits */
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
    endo_motion motion, before;
    endo_level_motion level_motion;
    int passed;
    endo_flow_sums partial[WARPS][2], total[2];
    endo_shift_sums shifts[MAX_SHIFTS];
    flow_group *shared; /* NULL: this block is alone */
    int blocks, block;  /* of the group */
} flow_state;

__device__ static told_half half_of(uint32_t value, unsigned round) { return (told_half)round << 32 | value; }

__device__ static void tell(told_number *number, uint32_t low, uint32_t high, unsigned round) {
    number->low = half_of(low, round);
    number->high = half_of(high, round);
}

/* Waits for a number of this round. All blocks of a group are resident: the launch is cooperative. */
__device__ static void hear(const told_number *number, unsigned round, uint32_t *low, uint32_t *high) {
    told_half l, h;
    do {
        l = number->low;
        h = number->high;
    } while ((unsigned)(l >> 32) != round || (unsigned)(h >> 32) != round);
    *low = (uint32_t)l;
    *high = (uint32_t)h;
}

__device__ static long long warp_sum(long long v) {
    for (int offset = 16; offset; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

/* Where the sum is known to fit; of every lane. */
__device__ static int warp_sum_32(int v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, v);
#else
    for (int offset = 16; offset; offset /= 2) v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
#endif
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

/* The two pseudo motions of a reference pixel, as native/ref/flow.c. */
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

/* A warp sees at most ENDO_FLOW_SIDE x ENDO_FLOW_SIDE / 2 / WARPS pixels, from the middle no farther than half a side,
 * with pseudo motions up to ENDO_FLOW_REACH: its largest sums, of position times pseudo motion, fit 32 bits. */
static_assert((long long)ENDO_FLOW_SIDE * ENDO_FLOW_SIDE / 2 / WARPS * (ENDO_FLOW_SIDE / 2) * ENDO_FLOW_REACH < 1ll << 31,
              "the sums of a warp");

/* The block's sums of each warp's, by the first SUMS threads; to the other blocks of the group, too. */
__device__ static void add_warps(flow_state *state, unsigned round) {
    int i = threadIdx.x / 9, k = threadIdx.x % 9;
    long long total = 0;
    for (int w = 0; w < WARPS; w++) total += ((long long *)&state->partial[w][i])[k];
    if (state->shared)
        tell(&state->shared->sums[round & 1][threadIdx.x][state->block], (uint32_t)total, (uint32_t)(total >> 32), round);
    else
        ((long long *)&state->total[i])[k] = total;
}

/* The group's sums: a warp a sum, a lane a block. */
__device__ static void add_blocks(flow_state *state, unsigned round) {
    int lane = threadIdx.x % 32;
    for (int k = threadIdx.x / 32; k < SUMS; k += WARPS) {
        uint32_t low = 0, high = 0;
        if (lane < state->blocks) hear(&state->shared->sums[round & 1][k][lane], round, &low, &high);
        __syncwarp();
        long long total = warp_sum((long long)((told_half)high << 32 | low));
        if (lane == 0) ((long long *)&state->total[k / 9])[k % 9] = total;
    }
}

/* The sums of all threads of all blocks, for thread 0's warp. */
__device__ static void reduce(endo_flow_sums sums[2], flow_state *state, unsigned round) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 2; i++) {
        long long *v = (long long *)&sums[i];
        for (int k = 0; k < 9; k++) {
            int total = warp_sum_32((int)v[k]);
            if (lane == 0) ((long long *)&state->partial[warp][i])[k] = total;
        }
    }
    __syncthreads();
    if (threadIdx.x < SUMS) add_warps(state, round);
    if (state->shared) {
        add_blocks(state, round);
        __syncthreads();
    }
    __syncwarp();
}

/* One warp, a lane a component and then a lane a component of a corner: the fit; returns whether another round follows. */
__device__ static int update(const cuda_level *level, endo_transform_class kind, int coarsest, int iteration,
                             flow_state *state) {
    int lane = threadIdx.x, affine = endo_flow_fits_affine(kind, coarsest, iteration), fitted = 1, moving = 0;
    double after[3];
    if (lane < 2) {
        for (int i = 0; i < 3; i++) after[i] = state->before.a[3 * lane + i] = state->motion.a[3 * lane + i];
        fitted = endo_motion_update(&state->total[lane], &level->size, affine, after);
    }
    if (lane == 0) state->passed = 0;
    if (!__all_sync(0xffffffffu, fitted)) return 0;
    if (lane < 2)
        for (int i = 0; i < 3; i++) state->motion.a[3 * lane + i] = after[i];
    if (lane == 0) state->passed = (int)(state->total[0].n + state->total[1].n);
    __syncwarp();
    if (lane < 8) {
        const double *from = state->before.a + lane / 4 * 3, *to = state->motion.a + lane / 4 * 3;
        moving = endo_corner_change(from, to, &level->size, lane % 4) >= ENDO_FLOW_SETTLED;
    }
    return __any_sync(0xffffffffu, moving);
}

/* One warp: the motion at a level, for all; 0 if it leaves the level. */
__device__ static int enter_level(const cuda_level *level, flow_state *state) {
    int lane = threadIdx.x, inside = 1;
    if (lane < 2) inside = endo_component_at_level(state->motion.a + 3 * lane, &level->size, state->level_motion.a + 3 * lane);
    inside = __all_sync(0xffffffffu, inside);
    if (lane == 0 && !inside) state->passed = 0;
    return inside;
}

/* The sums of this thread's pixels, at equal distances among those of the group. */
__device__ static void sum_pixels(const cuda_level *level, const int16_t *reference, const int16_t *current,
                                  const flow_state *state, endo_flow_sums sums[2]) {
    int width = level->size.width, height = level->size.height, step = endo_flow_row_step(width, height);
    int columns = width - 2, rows = (height - 2 + step - 1) / step;
    int first = state->block * THREADS + threadIdx.x, stride = state->blocks * THREADS;
    int x = first % columns, y = first / columns, across = stride % columns, down = stride / columns;
    endo_level_motion m = state->level_motion;
    while (y < rows) {
        pixel(reference, current, level, &m, 1 + x, 1 + y * step, sums);
        x += across, y += down;
        if (x >= columns) x -= columns, y++;
    }
}

/* round: of the last exchange. */
__device__ static void refine(const flow_job *job, int l, const int16_t *reference, const int16_t *current,
                              flow_state *state, unsigned *round) {
    const cuda_level *level = &job->levels.level[l];
    int first_warp = threadIdx.x < 32;
    for (int iteration = 0, go = 1; iteration < ENDO_FLOW_ITERATIONS && go; iteration++) {
        endo_flow_sums sums[2] = {};
        if (first_warp) go = enter_level(level, state);
        /* The barrier itself carries the first warp's decision: nobody can read it too late. */
        if (!__syncthreads_and(go)) return;
        sum_pixels(level, reference + level->offset, current + level->offset, state, sums);
        reduce(sums, state, ++*round);
        if (first_warp) go = update(level, job->kind, l == job->levels.n - 1, iteration, state);
        go = __syncthreads_and(go);
    }
}

/* Where both images are. The sum of a level fits 32 bits: one of its sides is below 2 * ENDO_FLOW_COARSEST. */
static_assert(2ll * ENDO_FLOW_COARSEST * ENDO_FLOW_SIDE * 2 * ENDO_FLOW_FULL < 1ll << 31, "the difference of a level");
__device__ static endo_shift_sums compare_shifted(const int16_t *reference, const int16_t *current,
                                                  const cuda_level *level, int dx, int dy) {
    int width = level->size.width - abs(dx), height = level->size.height - abs(dy), stride = level->stride;
    const int16_t *r = reference + (dy < 0 ? -dy * stride : 0) + (dx < 0 ? -dx : 0), *c = current;
    c += (dy > 0 ? dy * stride : 0) + (dx > 0 ? dx : 0);
    int difference = 0, n = 0, x = threadIdx.x % 32, y = 0;
    for (;; x += 32) {
        while (x >= width) x -= width, y++;
        if (y >= height) break;
        int one = r[y * stride + x], other = c[y * stride + x];
        int both = one != ENDO_FLOW_INVALID && other != ENDO_FLOW_INVALID;
        difference += both ? abs(other - one) : 0;
        n += both;
    }
    endo_shift_sums s;
    s.difference = warp_sum_32(difference);
    s.n = warp_sum_32(n);
    return s;
}

__device__ static int count_valid(const int16_t *image, const cuda_level *level) {
    int n = 0;
    for (int y = threadIdx.x / 32; y < level->size.height; y += WARPS)
        for (int x = threadIdx.x % 32; x < level->size.width; x += 32)
            n += image[y * level->stride + x] != ENDO_FLOW_INVALID;
    return warp_sum_32(n);
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

/* The shifts that the blocks of the group have compared. */
__device__ static void hear_shifts(flow_state *state, int n, unsigned round) {
    for (int i = threadIdx.x; i < n; i += THREADS) {
        uint32_t difference, pixels;
        hear(&state->shared->shifts[i], round, &difference, &pixels);
        state->shifts[i].difference = difference;
        state->shifts[i].n = (int32_t)pixels;
    }
}

/* A warp a shift; then one warp picks. */
__device__ static void first_shift(const cuda_level *level, const int16_t *reference, const int16_t *current,
                                   flow_state *state, int *pixels, unsigned round) {
    int reach = endo_shift_reach(&level->size), side = 2 * reach + 1, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) *pixels = 0;
    __syncthreads();
    int valid = count_valid(reference, level);
    if (lane == 0) atomicAdd(pixels, valid);
    for (int i = state->block * WARPS + threadIdx.x / 32; i < side * side; i += state->blocks * WARPS) {
        endo_shift_sums s = compare_shifted(reference, current, level, i % side - reach, i / side - reach);
        if (lane) continue;
        if (state->shared) tell(&state->shared->shifts[i], (uint32_t)s.difference, (uint32_t)s.n, round);
        else state->shifts[i] = s;
    }
    if (state->shared) hear_shifts(state, side * side, round);
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
    unsigned round = 1; /* of the first exchange */
    if (threadIdx.x == 0) {
        state.passed = 0;
        state.blocks = job.group, state.block = blockIdx.x % job.group;
        state.shared = job.group > 1 ? &job.groups[blockIdx.x / job.group] : NULL;
    }
    __syncthreads();
    if (job.levels.n > 0) {
        const cuda_level *coarsest = &job.levels.level[job.levels.n - 1];
        first_shift(coarsest, reference + coarsest->offset, current + coarsest->offset, &state, &pixels, round);
    }
    for (int l = job.levels.n - 1; l >= 0; l--) refine(&job, l, reference, current, &state, &round);
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
