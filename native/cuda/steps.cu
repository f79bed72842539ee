/* Steps of the refinement of pairs without a way back to the host between them (rules/patch_step.h): a thread asks a
 * patch, blocks take their sums, and a block fits a pair.
 *
 * The order of all sums is the rule's: four lanes, each from patch to patch. A thread takes a lane of a moment. */
#include "chunks.h"
#include "derived.h"
#include "patches.cuh"

#include <string.h>

#define ASK_THREADS 128
#define THREADS 256
#define WARPS (THREADS / 32)
/* Moments of a warp: those of a kind. */
#define KIND 6
static_assert(KIND * ENDO_STEP_LANES <= 32 && ENDO_STEP_MOMENTS <= 5 * KIND && 5 <= WARPS, "a thread a lane of a moment");
static_assert(sizeof(endo_step_request) % 8 == 0, "places follow requests");

typedef struct step_job {
    endo_step_setup setup; /* places: on the device, as the next three */
    const endo_step_request *requests;
    endo_patch_request *asked;
    endo_patch_sums *sums;
    endo_step_result *results;
    size_t pairs;
} step_job;

__global__ static void ask_kernel(const __grid_constant__ step_job job) {
    size_t i = (size_t)blockIdx.x * ASK_THREADS + threadIdx.x, n = job.setup.n;
    if (i >= job.pairs * n) return;
    job.asked[i] = endo_step_ask(&job.setup, &job.requests[i / n], job.setup.positions + 2 * (i % n));
}

/* The state of a pair, in the shared memory of a block. */
typedef struct step_state {
    int found[WARPS];
    int n; /* patches that say something */
    int fitted;
    unsigned long long median; /* its bits: of numbers >= 0 they have the order of the numbers */
    double lanes[ENDO_STEP_MOMENTS][ENDO_STEP_LANES], moments[ENDO_STEP_MOMENTS];
    endo_step_result result;
} step_state;

__device__ static void keep_patch(double *columns, int pitch, int i, const endo_patch *p) {
    columns[ENDO_STEP_X * pitch + i] = p->x, columns[ENDO_STEP_Y * pitch + i] = p->y;
    columns[ENDO_STEP_DX * pitch + i] = p->dx, columns[ENDO_STEP_DY * pitch + i] = p->dy;
    columns[ENDO_STEP_XX * pitch + i] = p->xx, columns[ENDO_STEP_XY * pitch + i] = p->xy;
    columns[ENDO_STEP_YY * pitch + i] = p->yy, columns[ENDO_STEP_NOISE * pitch + i] = p->noise;
    columns[ENDO_STEP_WEIGHT * pitch + i] = p->coefficient; /* until the score is taken */
}

/* Measures all patches and lists those that say something, in their order. */
__device__ static void measure_all(const step_job *job, double *columns, step_state *s) {
    int n = job->setup.n, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) s->n = 0;
    for (int first = 0; first < n; first += THREADS) {
        int i = first + threadIdx.x, says = 0;
        endo_patch patch;
        if (i < n) {
            endo_patch_sums sums = job->sums[(size_t)blockIdx.x * n + i];
            says = endo_step_patch(&job->setup, &sums, job->setup.positions + 2 * i, &patch);
        }
        unsigned those = __ballot_sync(0xffffffffu, says);
        if (lane == 0) s->found[warp] = __popc(those);
        __syncthreads();
        int at = s->n + __popc(those & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < WARPS; w++) {
            if (w < warp) at += s->found[w];
            all += s->found[w];
        }
        if (says) keep_patch(columns, n, at, &patch);
        __syncthreads();
        if (threadIdx.x == 0) s->n += all;
    }
    __syncthreads();
}

/* One thread: the product is taken in the patches' order. */
__device__ static void take_score(const step_job *job, const double *columns, step_state *s) {
    endo_score score = endo_score_begin();
    for (int i = 0; job->setup.is_scored && i < s->n; i++) endo_score_add(&score, columns[ENDO_STEP_WEIGHT * job->setup.n + i]);
    s->result.score = score;
}

__device__ static void measure_misfits(double *columns, int pitch, step_state *s) {
    for (int i = threadIdx.x; i < s->n; i += THREADS)
        columns[ENDO_STEP_WEIGHT * pitch + i] = endo_step_misfit(columns, pitch, i, s->result.motion.motion);
    __syncthreads();
}

__device__ static void measure_relief(double *columns, int pitch, step_state *s) {
    for (int i = threadIdx.x; i < s->n; i += THREADS)
        columns[ENDO_STEP_WEIGHT * pitch + i] = endo_step_relief(columns, pitch, i, s->result.motion.motion);
    __syncthreads();
}

/* The largest of those that no more than half of all are below; 0 where that is less. For all threads. */
__device__ static double find_median(const double *squares, step_state *s) {
    int n = s->n, wanted = n / 2;
    if (threadIdx.x == 0) s->median = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += THREADS) {
        double own = squares[i];
        int less = 0;
#pragma unroll 8
        for (int k = 0; k < n; k++) less += squares[k] < own;
        if (less <= wanted && own > 0) atomicMax(&s->median, (unsigned long long)__double_as_longlong(own));
    }
    __syncthreads();
    return __longlong_as_double((long long)s->median);
}

__device__ static void allow_relief(double *columns, int pitch, step_state *s) {
    measure_relief(columns, pitch, s);
    double relief = find_median(columns + ENDO_STEP_WEIGHT * pitch, s);
    for (int i = threadIdx.x; i < s->n && relief > 0; i += THREADS)
        endo_step_trust_less(columns, pitch, i, ENDO_STEP_RELIEF_SHARE * relief);
    if (threadIdx.x == 0) s->result.motion.relief = relief;
    __syncthreads();
}

/* A lane of a moment of the kind: 0 to 2 spreads, 3 pulls, 4 the others. */
__device__ static double sum_lane(const double *c, int pitch, int n, int kind, int k, int lane) {
    int first = k % KIND < 3 ? k % KIND : k % KIND < 5 ? 1 : 2, second = k % KIND < 3 ? 0 : k % KIND == 3 ? 1 : 2;
    double sum = 0;
    if (kind < 3) {
#pragma unroll 4
        for (int i = lane; i < n; i += ENDO_STEP_LANES)
            sum += endo_step_spread(c, pitch, i, ENDO_STEP_XX + kind, endo_step_factor_of(c, pitch, i, first),
                                    endo_step_factor_of(c, pitch, i, second));
    } else if (kind == 3) {
        int column = k % KIND < 3 ? ENDO_STEP_XX : ENDO_STEP_XY;
#pragma unroll 4
        for (int i = lane; i < n; i += ENDO_STEP_LANES)
            sum += endo_step_pull(c, pitch, i, column, column + 1, endo_step_factor_of(c, pitch, i, k % 3));
    } else {
#pragma unroll 2
        for (int i = lane; i < n; i += ENDO_STEP_LANES) sum += endo_step_term(c, pitch, i, k);
    }
    return sum;
}

__device__ static void weigh_and_add(double *columns, int pitch, step_state *s) {
    double *weights = columns + ENDO_STEP_WEIGHT * pitch, reach = ENDO_STEP_REACH * s->result.motion.scale;
    int kind = threadIdx.x / 32, of_kind = threadIdx.x % 32 / ENDO_STEP_LANES, k = kind * KIND + of_kind;
    for (int i = threadIdx.x; i < s->n; i += THREADS) weights[i] = endo_step_weight(weights[i], reach);
    __syncthreads();
    if (of_kind < KIND && k < ENDO_STEP_MOMENTS)
        s->lanes[k][threadIdx.x % ENDO_STEP_LANES] = sum_lane(columns, pitch, s->n, kind, k, threadIdx.x % ENDO_STEP_LANES);
    __syncthreads();
    if (threadIdx.x < ENDO_STEP_MOMENTS) {
        const double *l = s->lanes[threadIdx.x];
        s->moments[threadIdx.x] = (l[0] + l[1]) + (l[2] + l[3]);
    }
    __syncthreads();
}

/* One thread. */
__device__ static void solve(int kind, step_state *s) {
    int numbers = endo_step_numbers(kind);
    double lower[ENDO_MOTION][ENDO_MOTION], motion[ENDO_MOTION];
    endo_step_take(s->moments, &s->result.motion);
    s->fitted = endo_step_factor(s->result.motion.normal, numbers, lower);
    if (!s->fitted) return;
    endo_step_solve(lower, numbers, s->result.motion.right, motion);
    for (int i = 0; i < ENDO_MOTION; i++) s->result.motion.motion[i] = motion[i];
}

/* Rounds as systems/pairs/robust_fit.c has them; s->fitted says whether there is a motion. */
__device__ static void fit(double *columns, int pitch, int kind, step_state *s) {
    if (threadIdx.x == 0) s->fitted = s->n >= 3, s->result.motion.scale = 1;
    for (int i = threadIdx.x; i < s->n; i += THREADS) columns[ENDO_STEP_WEIGHT * pitch + i] = 0;
    __syncthreads();
    for (int round = 0; round < ENDO_STEP_ROUNDS && s->fitted; round++) {
        if (round == ENDO_STEP_RELIEF_ROUND && s->result.motion.scale > ENDO_STEP_RELIEF_FROM)
            allow_relief(columns, pitch, s);
        if (round > 0) {
            measure_misfits(columns, pitch, s);
            double median = find_median(columns + ENDO_STEP_WEIGHT * pitch, s);
            if (threadIdx.x == 0) s->result.motion.scale = endo_step_scale(median);
            __syncthreads();
        }
        weigh_and_add(columns, pitch, s);
        if (threadIdx.x == 0) solve(kind, s);
        __syncthreads();
    }
}

/* One thread. */
__device__ static void conclude(step_state *s) {
    endo_patch_motion *m = &s->result.motion, none = {};
    s->result.is_fitted = s->fitted;
    m->share = m->share > ENDO_STEP_LEAST_SHARE * m->whole ? m->share / m->whole : ENDO_STEP_LEAST_SHARE;
    if (!s->fitted) *m = none;
}

__global__ static void __launch_bounds__(THREADS, 2) fit_kernel(const __grid_constant__ step_job job) {
    extern __shared__ double columns[];
    __shared__ step_state s;
    __shared__ int kind;
    for (int i = threadIdx.x; i < (int)(sizeof s.result / 8); i += THREADS) ((uint64_t *)&s.result)[i] = 0;
    if (threadIdx.x == 0) kind = job.requests[blockIdx.x].kind;
    measure_all(&job, columns, &s);
    if (threadIdx.x == 0) take_score(&job, columns, &s);
    __syncthreads();
    fit(columns, job.setup.n, kind, &s);
    if (threadIdx.x == 0) conclude(&s);
    __syncthreads();
    uint64_t *to = (uint64_t *)&job.results[blockIdx.x];
    for (int i = threadIdx.x; i < (int)(sizeof s.result / 8); i += THREADS) to[i] = ((const uint64_t *)&s.result)[i];
}

/* ----------------------------------------------------------------- the call */

static size_t columns_of(const endo_step_setup *setup) { return ENDO_STEP_COLUMNS * (size_t)setup->n * sizeof(double); }

typedef struct step_call {
    cuda_store *store;
    const endo_step_setup *setup;
    const endo_step_request *requests;
    endo_step_result *results;
    uint8_t *arguments; /* room for those of a chunk */
} step_call;

static size_t places_of(const endo_step_setup *setup) { return 2 * (size_t)setup->n * sizeof *setup->positions; }

/* Requests, then the places of all of them. */
static endo_status send(const step_call *c, size_t first, size_t n, step_job *job) {
    cuda_backend *b = c->store->backend;
    size_t bytes = n * sizeof *c->requests;
    memcpy(c->arguments, c->requests + first, bytes);
    if (c->setup->n) memcpy(c->arguments + bytes, c->setup->positions, places_of(c->setup));
    ENDO_TRY(cuda_send(b, c->arguments, bytes + places_of(c->setup)));
    job->requests = (const endo_step_request *)b->device_in.memory;
    job->setup.positions = (const int32_t *)((const uint8_t *)b->device_in.memory + bytes);
    return ENDO_OK;
}

static endo_status step_chunk(void *call, size_t first, size_t n) {
    const step_call *c = (const step_call *)call;
    cuda_backend *b = c->store->backend;
    size_t patches = n * c->setup->n;
    void *made;
    step_job job = {*c->setup, NULL, NULL, NULL, NULL, n};
    ENDO_TRY(cuda_reserve(b, &b->scratch, patches * (sizeof *job.sums + sizeof *job.asked)));
    job.sums = (endo_patch_sums *)b->scratch.memory, job.asked = (endo_patch_request *)(job.sums + patches);
    ENDO_TRY(send(c, first, n, &job));
    ENDO_TRY(cuda_results(b, n * sizeof *c->results, &made));
    job.results = (endo_step_result *)made;
    if (patches) {
        ask_kernel<<<(unsigned)((patches + ASK_THREADS - 1) / ASK_THREADS), ASK_THREADS, 0, b->stream>>>(job);
        ENDO_TRY(cuda_patches_launch(c->store, job.asked, patches, c->setup->side, job.sums));
    }
    fit_kernel<<<(unsigned)n, THREADS, columns_of(c->setup), b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_collect(b, made, c->results + first, n * sizeof *c->results);
}

/* Dynamic shared memory of a block, bytes, that every device grants without being asked. */
#define SHARED_MEMORY ((size_t)40 << 10)

extern "C" endo_status cuda_steps(void *store, const endo_step_request *requests, size_t n, const endo_step_setup *setup,
                                  endo_step_result *results) {
    cuda_store *s = (cuda_store *)store;
    size_t bytes_each = setup->n * (sizeof(endo_patch_sums) + sizeof(endo_patch_request));
    if (n == 0) return ENDO_OK;
    if (columns_of(setup) > SHARED_MEMORY) return endo_fail(ENDO_ERR_UNSUPPORTED, "%d patches: too many for a block", setup->n);
    ENDO_TRY(cuda_enter(s->backend));
    cuda_time_begin(s->backend);
    ENDO_TRY(cuda_derive(s, CUDA_SMOOTHED, requests, n, sizeof *requests));
    step_call call = {s, setup, requests, results, NULL};
    size_t chunk = cuda_chunk_of(n, bytes_each);
    call.arguments = (uint8_t *)endo_alloc(chunk * sizeof *requests + places_of(setup), 1);
    if (!call.arguments) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    endo_status status = cuda_in_chunks(n, bytes_each, step_chunk, &call);
    cuda_time_end(s->backend);
    endo_free(call.arguments);
    return status;
}
