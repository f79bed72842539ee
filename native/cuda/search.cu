/* The whole logarithmic search of a landmark ([S] section 2.4) by one warp, all landmarks of all pairs in
 * one launch. Where there are few landmarks, nine warps take the nine points of a pattern.
 *
 * Up to side 63 the correlator of patch.cuh works from registers and shared memory; a wider template, or one
 * with highlights, is read from the frames. */
#include "derived.h"
#include "patch.cuh"

#include <string.h>

/* The most requests that are arguments of the launch itself: those of one pair, as a rule. */
#define FEW_REQUESTS 128

typedef struct search_job {
    correlation_frames frames;
    const endo_search_request *requests; /* NULL: they are few */
    endo_search_result *results;
    size_t n;
    endo_search_options options;
    endo_search_request few[FEW_REQUESTS];
} search_job;

/* The coefficients that a search has computed, in shared memory: its cache. */
typedef struct visited {
    double coefficient[ENDO_SEARCH_LIMIT];
    int32_t place[ENDO_SEARCH_LIMIT]; /* x and y, 16 bits each */
} visited;

__device__ static inline int32_t place_of(int x, int y) { return (int32_t)((unsigned)x << 16 | (unsigned)(y & 0xffff)); }

/* Index of a place in the cache, or -1. */
__device__ static int find(const visited *v, int computed, int32_t place) {
    int lane = threadIdx.x % 32;
    for (int base = 0; base < computed; base += 32) {
        unsigned hit = __ballot_sync(0xffffffffu, base + lane < computed && v->place[base + lane] == place);
        if (hit) return base + __ffs(hit) - 1;
    }
    return -1;
}

/* Evaluates the nine points: lane i < 9 ends with the coefficient of point i. Returns 0 at the limit. */
template <class correlator>
__device__ static int evaluate(correlator *c, const search_job *job, visited *seen, int x, int y, int offset,
                               endo_search_result *r, double *value) {
    const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int lane = threadIdx.x % 32, px = x, py = y;
    int known = -1, added = 0, mine = -1, settled = 1;
    endo_sums sums = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
#pragma unroll
    for (int i = 0; i < 9; i++)
        if (lane == i) px += offset * pattern_x[i], py += offset * pattern_y[i];
    /* All nine at once: their masks are not near. */
    unsigned fitting = __ballot_sync(0xffffffffu, lane < 9 && fits(&job->frames, px, py));
    c->prepare(x, y, offset);
    for (int i = 0; i < 9; i++) {
        int at_x = __shfl_sync(0xffffffffu, px, i), at_y = __shfl_sync(0xffffffffu, py, i);
        int at = find(seen, r->computed, place_of(at_x, at_y));
        if (at >= 0) {
            r->reused++;
            if (lane == i) known = at;
            continue;
        }
        if (r->computed + added == ENDO_SEARCH_LIMIT) {
            settled = 0;
            break;
        }
        if (fitting >> i & 1) {
            endo_sums s = c->sums(at_x, at_y);
            if (lane == i) sums = s;
        }
        if (lane == i) mine = r->computed + added;
        added++;
    }
    *value = known >= 0 ? seen->coefficient[known] : NAN;
    if (mine >= 0) {
        *value = sums.n > 1 ? coefficient_of(&sums, job->options.template_side) : NAN;
        seen->coefficient[mine] = *value;
        seen->place[mine] = place_of(px, py);
    }
    r->computed += added;
    __syncwarp();
    return settled;
}

/* Nine warps of a block that search together, one for each point of the pattern; in shared memory: what each has found. */
#define GROUP 9
typedef struct group_points {
    endo_sums sums[GROUP];
    int known[GROUP]; /* index in the cache, or -1 */
} group_points;

template <int WORDS, int ROWS> struct group_correlator : patch_correlator<WORDS, ROWS> {
    group_points *points;
};

/* evaluate() by a group of warps: all its threads end with the same results as those of a single warp. */
template <int WORDS, int ROWS>
__device__ static int evaluate(group_correlator<WORDS, ROWS> *c, const search_job *job, visited *seen, int x, int y,
                               int offset, endo_search_result *r, double *value) {
    const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int px = x, py = y, at_x = x, at_y = y;
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        if (lane == i) px += offset * pattern_x[i], py += offset * pattern_y[i];
        if (warp == i) at_x += offset * pattern_x[i], at_y += offset * pattern_y[i];
    }
    int is_near = c->is_near(x, y, offset);
    __syncthreads(); /* what the others read of the patch, the cache and the points is read */
    if (!is_near) {
        c->read_patch(x, y, warp, GROUP);
        __syncthreads();
    }
    int at = find(seen, r->computed, place_of(at_x, at_y));
    endo_sums sums = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    if (at < 0 && fits(&job->frames, at_x, at_y)) sums = c->sums(at_x, at_y);
    if (lane == 0) c->points->sums[warp] = sums, c->points->known[warp] = at;
    __syncthreads();
    int known = lane < GROUP ? c->points->known[lane] : 0, left = ENDO_SEARCH_LIMIT - r->computed;
    unsigned fresh = __ballot_sync(0xffffffffu, lane < GROUP && known < 0), before = (1u << lane) - 1;
    int rank = __popc(fresh & before), added = min(__popc(fresh), left);
    /* At the limit the pattern ends with the first point that the cache cannot take. */
    unsigned ends = __ballot_sync(0xffffffffu, lane < GROUP && known < 0 && rank == left);
    unsigned evaluated = ends ? (ends & -ends) - 1 : (1u << GROUP) - 1;
    int has = lane < GROUP && (evaluated >> lane & 1);
    r->reused += __popc(~fresh & evaluated);
    *value = NAN;
    if (has && known >= 0) *value = seen->coefficient[known];
    if (has && known < 0) {
        endo_sums measured = c->points->sums[lane];
        *value = measured.n > 1 ? coefficient_of(&measured, job->options.template_side) : NAN;
        if (warp == 0) seen->coefficient[r->computed + rank] = *value, seen->place[r->computed + rank] = place_of(px, py);
    }
    r->computed += added;
    __syncwarp();
    return !ends;
}

template <class correlator>
__device__ static void run(correlator *c, const search_job *job, visited *seen, int start_x, int start_y,
                           endo_search_result *r) {
    const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int x = start_x, y = start_y, offset = job->options.cross;
    double value, grid[9];
    for (;;) {
        if (!evaluate(c, job, seen, x, y, offset, r, &value)) {
            r->state = ENDO_LANDMARK_UNSETTLED;
            return;
        }
        int best = -1, step_x = 0, step_y = 0;
        double greatest = 0;
#pragma unroll
        for (int i = 0; i < 9; i++) {
            double v = __shfl_sync(0xffffffffu, value, i);
            grid[3 * (pattern_y[i] + 1) + pattern_x[i] + 1] = v;
            if (v == v && (best < 0 || v > greatest)) best = i, greatest = v, step_x = pattern_x[i], step_y = pattern_y[i];
        }
        if (best < 0) {
            r->state = ENDO_LANDMARK_OUTSIDE;
            return;
        }
        if (best == 0 && offset == 1) break;
        if (best == 0) offset /= 2;
        x += offset * step_x;
        y += offset * step_y;
    }
    double dx = 0, dy = 0;
    if (job->options.subpixel) endo_subpixel_peak(grid, &dx, &dy);
    r->x = x + dx, r->y = y + dy;
    r->coefficient = grid[4];
    r->state = ENDO_LANDMARK_FOUND;
}

template <class correlator>
__device__ static void search_one(correlator *c, const search_job *job, visited *seen, size_t index) {
    endo_search_request q = job->requests ? job->requests[index] : job->few[index];
    endo_search_result r = {(double)q.start_x, (double)q.start_y, NAN, ENDO_LANDMARK_OUTSIDE, 0, 0};
    correlation_template t = {q.reference, q.current, q.x, q.y};
    c->f = &job->frames, c->side = job->options.template_side, c->t = t;
    if (fits(&job->frames, q.x, q.y)) {
        if (c->load())
            run(c, job, seen, q.start_x, q.start_y, &r);
        else
            r.state = ENDO_LANDMARK_NO_TEXTURE;
    }
    if (threadIdx.x == 0) job->results[index] = r;
}

__global__ static void __launch_bounds__(32) search_frames_kernel(const __grid_constant__ search_job job) {
    __shared__ visited seen;
    frame_correlator c;
    search_one(&c, &job, &seen, blockIdx.x);
}

template <int WORDS, int ROWS>
__global__ static void __launch_bounds__(32) search_patch_kernel(const __grid_constant__ search_job job) {
    extern __shared__ unsigned patch[];
    __shared__ visited seen;
    patch_correlator<WORDS, ROWS> c;
    c.patch = patch;
    search_one(&c, &job, &seen, blockIdx.x);
}

template <int WORDS, int ROWS>
__global__ static void __launch_bounds__(32 * GROUP) search_group_kernel(const __grid_constant__ search_job job) {
    extern __shared__ unsigned patch[];
    __shared__ visited seen;
    __shared__ group_points points;
    group_correlator<WORDS, ROWS> c;
    c.patch = patch, c.points = &points;
    search_one(&c, &job, &seen, blockIdx.x);
}

/* Landmarks for each multiprocessor, up to which groups of warps are the faster way. */
#define FEW_LANDMARKS 2

static void launch(const search_job *job, int multiprocessors, cudaStream_t stream) {
    int side = job->options.template_side, few = job->n <= (size_t)FEW_LANDMARKS * multiprocessors;
    size_t shared = patch_bytes(side);
    unsigned blocks = (unsigned)job->n;
    if (job->frames.specular || side > PATCH_MAX_SIDE)
        search_frames_kernel<<<blocks, 32, 0, stream>>>(*job);
    else if (few && side <= 15)
        search_group_kernel<4, 1><<<blocks, 32 * GROUP, shared, stream>>>(*job);
    else if (few && side <= 31)
        search_group_kernel<8, 1><<<blocks, 32 * GROUP, shared, stream>>>(*job);
    else if (few && side <= 47)
        search_group_kernel<12, 2><<<blocks, 32 * GROUP, shared, stream>>>(*job);
    else if (side <= 15)
        search_patch_kernel<4, 1><<<blocks, 32, shared, stream>>>(*job);
    else if (side <= 31)
        search_patch_kernel<8, 1><<<blocks, 32, shared, stream>>>(*job);
    else if (side <= 47)
        search_patch_kernel<12, 2><<<blocks, 32, shared, stream>>>(*job);
    else
        search_patch_kernel<16, 2><<<blocks, 32, shared, stream>>>(*job);
}

endo_status cuda_search(void *store, const endo_search_request *requests, size_t n, const endo_search_setup *setup,
                        endo_search_result *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    const void *on_device = NULL;
    void *made;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_ENHANCED, requests, n, sizeof *requests));
    ENDO_TRY(cuda_store_centres(s, &setup->centres));
    ENDO_TRY(cuda_results(b, n * sizeof *results, &made));
    if (n > FEW_REQUESTS) ENDO_TRY(cuda_arguments(b, requests, n * sizeof *requests, &on_device));
    search_job job = {correlation_frames_of(s), (const endo_search_request *)on_device, (endo_search_result *)made, n,
                      setup->options, {}};
    if (!on_device) memcpy(job.few, requests, n * sizeof *requests);
    cuda_time_begin(b);
    launch(&job, b->multiprocessors, b->stream);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_collect(b, made, results, n * sizeof *results);
}
