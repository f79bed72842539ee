/* Kourogi's flow ([S] section 2.2): a group of blocks takes a pair from the coarsest level to the finest; sums,
 * solution and iteration never leave the device.
 *
 * With many pairs a group is one block. With few, several blocks share the pixels of a pair; after each round they add up
 * their integer sums in device memory and every one of them solves the same system, so they stay in step. */
#include "flow_shift.cuh"

/* Four pixels around a place; those of another place where it is outside. */
typedef struct four_pixels {
    int v[4], inside;
} four_pixels;

__device__ static four_pixels read_four(const int16_t *image, const cuda_level *level, int32_t px, int32_t py) {
    int x = px >> 16, y = py >> 16, right = level->size.width - 2, bottom = level->size.height - 2;
    int near_x = min(max(x, 0), right), near_y = min(max(y, 0), bottom);
    const int16_t *p = image + near_y * level->stride + near_x, *q = p + level->stride;
    four_pixels f = {{p[0], p[1], q[0], q[1]}, x == near_x && y == near_y};
    return f;
}

/* ENDO_FLOW_INVALID is less than any value. */
__device__ static int all_valid(const four_pixels *f) {
    return f->inside && min(min(f->v[0], f->v[1]), min(f->v[2], f->v[3])) != ENDO_FLOW_INVALID;
}

__device__ static int between(const four_pixels *f, int32_t px, int32_t py) {
    return endo_bilinear(f->v[0], f->v[1], f->v[2], f->v[3], (px >> 8) & 255, (py >> 8) & 255);
}

/* Sums of a thread, then of its warp: both fit 32 bits (below). */
typedef struct thread_sums {
    int n, x, y, xx, xy, yy, d, xd, yd;
} thread_sums;

__device__ static void add_pixel(thread_sums *s, int x, int y, int d) {
    s->n += 1, s->x += x, s->y += y;
    s->xx += x * x, s->xy += x * y, s->yy += y * y;
    s->d += d, s->xd += x * d, s->yd += y * d;
}

/* The two pseudo motions of a reference pixel, as native/ref/flow.c. What may be needed is read at once, before it is
 * known whether it counts. */
__device__ static void pixel(const int16_t *reference, const int16_t *current, const cuda_level *level,
                             const endo_level_motion *m, int x, int y, thread_sums sums[2]) {
    const int16_t *r = reference + y * level->stride + x;
    int xc = x - level->size.width / 2, yc = y - level->size.height / 2;
    int32_t px = (x << 16) + m->a[0] + m->a[1] * xc + m->a[2] * yc;
    int32_t py = (y << 16) + m->a[3] + m->a[4] * xc + m->a[5] * yc;
    four_pixels here = read_four(current, level, px, py);
    int centre = r[0], left = r[-1], right = r[1], up = r[-level->stride], down = r[level->stride];
    if (min(min(min(left, right), min(up, down)), centre) == ENDO_FLOW_INVALID || !all_valid(&here)) return;
    int32_t slope[2] = {right - left, down - up}, difference = between(&here, px, py) - centre, d[2];
    int counts[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        d[i] = endo_pseudo_motion(difference, slope[i]);
        counts[i] = abs(slope[i]) >= ENDO_FLOW_SLOPE && abs(d[i]) <= ENDO_FLOW_REACH;
    }
    if (!counts[0] && !counts[1]) return;
    int32_t moved_x = px + (counts[0] ? d[0] * 256 : 0), moved_y = py + (counts[1] ? d[1] * 256 : 0);
    four_pixels across = read_four(current, level, moved_x, py), along = read_four(current, level, px, moved_y);
    counts[0] = counts[0] && all_valid(&across) && abs(between(&across, moved_x, py) - centre) < ENDO_FLOW_THRESHOLD;
    counts[1] = counts[1] && all_valid(&along) && abs(between(&along, px, moved_y) - centre) < ENDO_FLOW_THRESHOLD;
#pragma unroll
    for (int i = 0; i < 2; i++)
        if (counts[i]) add_pixel(&sums[i], xc, yc, d[i]);
}

/* A warp sees at most ENDO_FLOW_SIDE x ENDO_FLOW_SIDE / 2 / WARPS pixels, from the middle no farther than half a side,
 * with pseudo motions up to ENDO_FLOW_REACH: its largest sums, of position times pseudo motion, fit 32 bits. */
static_assert((long long)ENDO_FLOW_SIDE * ENDO_FLOW_SIDE / 2 / WARPS * (ENDO_FLOW_SIDE / 2) * ENDO_FLOW_REACH < 1ll << 31,
              "the sums of a warp");
static_assert(sizeof(thread_sums) == COMPONENT_SUMS * sizeof(int), "sums are taken as a row of numbers");

__device__ static void add_lanes(const thread_sums sums[2], flow_state *state) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        int total = warp_sum_32(((const int *)&sums[k / COMPONENT_SUMS])[k % COMPONENT_SUMS]);
        if (lane == 0) state->partial[warp][k] = total;
    }
}

/* One warp, a lane a sum: those of the block, and of all blocks of the group. */
__device__ static void add_warps(flow_state *state, unsigned round) {
    int k = threadIdx.x;
    if (k < SUMS) {
        long long total = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) total += state->partial[w][k];
        if (state->shared) total = add_to_group(&state->shared->sums[round][k].value, total, state->blocks);
        ((long long *)&state->total[k / COMPONENT_SUMS])[k % COMPONENT_SUMS] = total;
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

/* One warp: level l or the first one after it that the motion does not leave is the next; -1: none is. */
__device__ static int enter_from(const flow_job *job, int l, flow_state *state) {
    while (l >= job->last && !enter_level(&job->levels.level[l], state)) l--;
    if (l < job->last) l = -1;
    if (threadIdx.x == 0) state->level = l;
    return l;
}

/* Where a thread begins among the pixels of a level, at equal distances among those of the group. */
typedef struct thread_walk {
    int level, x, y, across, down, columns, rows, step;
} thread_walk;

__device__ static thread_walk walk_of(const flow_job *job, int l, const flow_state *state) {
    const endo_flow_level *size = &job->levels.level[l].size;
    int step = endo_flow_row_step(size->width, size->height), columns = size->width - 2;
    int first = state->block * THREADS + threadIdx.x, stride = state->blocks * THREADS;
    thread_walk w = {l, first % columns, first / columns, stride % columns, stride / columns, columns,
                     (size->height - 2 + step - 1) / step, step};
    return w;
}

/* The sums of this thread's pixels. */
__device__ static void sum_pixels(const cuda_level *level, const int16_t *reference, const int16_t *current,
                                  const thread_walk *w, const flow_state *state, thread_sums sums[2]) {
    endo_level_motion m = state->level_motion;
    int x = w->x, y = w->y;
    while (y < w->rows) {
        pixel(reference, current, level, &m, 1 + x, 1 + y * w->step, sums);
        x += w->across, y += w->down;
        if (x >= w->columns) x -= w->columns, y++;
    }
}

/* Rounds of all levels. The first warp solves, and says which level the next round is of. */
__device__ static void refine(const flow_job *job, const int16_t *reference, const int16_t *current, flow_state *state) {
    int first_warp = threadIdx.x < 32, coarsest = job->levels.n - 1, iteration = 0, l;
    thread_walk walk = {-1, 0, 0, 0, 0, 0, 0, 0};
    if (first_warp) enter_from(job, coarsest, state);
    __syncthreads();
    for (unsigned round = 0; (l = state->level) >= 0; round++) {
        const cuda_level *level = &job->levels.level[l];
        thread_sums sums[2] = {};
        if (walk.level != l) walk = walk_of(job, l, state);
        sum_pixels(level, reference + level->offset, current + level->offset, &walk, state, sums);
        add_lanes(sums, state);
        __syncthreads();
        if (first_warp) {
            add_warps(state, round);
            int again = update(level, job->kind, l == coarsest, iteration, state) && iteration + 1 < ENDO_FLOW_ITERATIONS;
            iteration = enter_from(job, again ? l : l - 1, state) == l ? iteration + 1 : 0;
        }
        __syncthreads();
    }
}

/* The group's last block, which nobody waits for any more, leaves zeros behind. */
__device__ static void leave(flow_state *state) {
    __shared__ int is_last;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(&state->shared->finished, 1) + 1 == (unsigned)state->blocks;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    for (int i = threadIdx.x; i < MAX_ROUNDS * SUMS; i += THREADS) state->shared->sums[i / SUMS][i % SUMS].value = 0;
    for (int i = threadIdx.x; i < MAX_SHIFTS; i += THREADS) state->shared->shifts[i] = 0;
    if (threadIdx.x == 0) state->shared->finished = 0;
}

__global__ static void __launch_bounds__(THREADS) flow_kernel(const __grid_constant__ flow_job job) {
    __shared__ flow_state state;
    __shared__ int pixels;
    const endo_pair pair = job.pairs ? job.pairs[blockIdx.x / job.group] : job.only;
    const int16_t *reference = job.pyramids + pair.reference * job.levels.elements;
    const int16_t *current = job.pyramids + pair.current * job.levels.elements;
    if (threadIdx.x < 6) state.motion.a[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        state.passed = 0;
        state.blocks = job.group, state.block = blockIdx.x % job.group;
        state.shared = job.group > 1 ? &job.groups[blockIdx.x / job.group] : NULL;
    }
    __syncthreads();
    if (job.levels.n > 0) {
        const cuda_level *coarsest = &job.levels.level[job.levels.n - 1];
        first_shift(coarsest, reference + coarsest->offset, current + coarsest->offset, &state, &pixels);
    }
    refine(&job, reference, current, &state);
    if (threadIdx.x == 0 && state.block == 0)
        endo_flow_to_result(&state.motion, job.kind, state.passed, &job.results[blockIdx.x / job.group]);
    if (state.shared) leave(&state);
}

/* Zeros for n groups; kept, as each launch leaves zeros behind. */
static endo_status groups_of(cuda_backend *b, size_t n, flow_group **groups) {
    ENDO_TRY(cuda_reserve_zeros(b, &b->flow_groups, n * sizeof(flow_group)));
    *groups = (flow_group *)b->flow_groups.memory;
    return ENDO_OK;
}

/* Launches as many blocks a pair as are resident at once, one a multiprocessor. */
static endo_status launch(cuda_backend *b, flow_job *job, size_t n) {
    int group = (int)(b->multiprocessors / n);
    job->group = group > MAX_GROUP ? MAX_GROUP : group < 1 ? 1 : group;
    void *arguments[] = {job};
    if (job->group > 1) ENDO_TRY(groups_of(b, n, &job->groups));
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

endo_status cuda_flow(void *store, const endo_pair *pairs, size_t n, const endo_flow_setup *setup,
                      endo_flow_result *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    const void *on_device = NULL;
    void *made;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_PYRAMID, pairs, n, sizeof *pairs));
    ENDO_TRY(cuda_results(b, n * sizeof *results, &made));
    if (n > 1) ENDO_TRY(cuda_arguments(b, pairs, n * sizeof *pairs, &on_device));
    flow_job job = {1, NULL, s->levels, s->pyramids, (const endo_pair *)on_device, *pairs, setup->kind,
                    endo_flow_last_level(s->options.width, s->options.height, setup->rough), (endo_flow_result *)made};
    ENDO_TRY(launch(b, &job, n));
    return cuda_collect(b, made, results, n * sizeof *results);
}
