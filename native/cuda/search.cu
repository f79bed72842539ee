/* The whole logarithmic search of a landmark ([S] section 2.4) by one warp, all landmarks of all pairs in
 * one launch.
 *
 * Up to side 63 the warp keeps the template in registers, a row or two a lane, and the part of the current
 * frame around the search in shared memory; the pitch of that patch is an odd number of words, so that 32
 * lanes read 32 rows without a conflict. A wider template, or one with highlights, is read from the frames. */
#include "correlate.cuh"

/* The patch reaches this far beyond the template on each side; a search that leaves it loads a new one. */
#define REACH 12

typedef struct search_job {
    correlation_frames frames;
    const endo_search_request *requests;
    endo_search_result *results;
    size_t n;
    endo_search_params params;
} search_job;

/* What a search has seen, in shared memory: its cache of coefficients. */
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

/* Correlates from the frames. */
struct frame_correlator {
    const search_job *job;
    endo_search_request q;

    __device__ int load() { /* 1: the template has variance */
        endo_sums s = correlate_sums(&job->frames, q.reference, q.reference, q.x, q.y, q.x, q.y, job->params.side);
        double self = coefficient_of(&s, job->params.side);
        return self == self;
    }
    __device__ void prepare(int, int, int) {}
    __device__ endo_sums sums(int cx, int cy) {
        return correlate_sums(&job->frames, q.reference, q.current, q.x, q.y, cx, cy, job->params.side);
    }
};

/* Correlates a template in registers (WORDS words of ROWS rows a lane) with a patch in shared memory. */
template <int WORDS, int ROWS> struct patch_correlator {
    const search_job *job;
    endo_search_request q;
    unsigned *patch;
    int patch_x, patch_y, patch_words, patch_rows, pitch, centre_x, centre_y, loaded;
    unsigned words[ROWS][WORDS], tail[4];
    unsigned sum, sum_of_squares;

    __device__ int load() {
        const correlation_frames *f = &job->frames;
        int side = job->params.side, half = side / 2, lane = threadIdx.x % 32;
        const uint8_t *p = f->grey + q.reference * f->area + (size_t)(q.y - half) * f->stride + q.x - half;
        unsigned s = 0, ss = 0;
        loaded = 0;
        for (int k = 0; k < 4; k++) tail[k] = first_bytes(side - 4 * (WORDS - 4 + k));
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                int row = lane + 32 * r;
                unsigned w = row < side && 4 * k < side ? load4(p + (size_t)row * f->stride + 4 * k) : 0;
                if (k >= WORDS - 4) w &= tail[k - (WORDS - 4)];
                words[r][k] = w;
                s = __dp4a(w, 0x01010101u, s);
                ss = __dp4a(w, w, ss);
            }
        sum = warp_add(s);
        sum_of_squares = warp_add(ss);
        return (int64_t)side * side * sum_of_squares > (int64_t)sum * sum;
    }

    /* Makes sure that every position within `offset` of (x, y) can be read from the patch, if it can at all. */
    __device__ void prepare(int x, int y, int offset) {
        int dx = abs(x - centre_x) + offset, dy = abs(y - centre_y) + offset;
        if (loaded && dx <= REACH && dy <= REACH) return;
        const correlation_frames *f = &job->frames;
        int side = job->params.side, half = side / 2, lane = threadIdx.x % 32;
        centre_x = x, centre_y = y, loaded = 1;
        patch_x = (x - half - REACH) & ~3; /* rounds down for negative numbers too */
        patch_y = y - half - REACH;
        patch_rows = side + 2 * REACH;
        patch_words = (side + 2 * REACH + 3) / 4 + 2;
        pitch = patch_words | 1;
        const unsigned *frame = (const unsigned *)(f->grey + q.current * f->area);
        int stride = f->stride / 4;
        __syncwarp();
        for (int i = lane; i < patch_rows * patch_words; i += 32) {
            int row = i / patch_words, word = i - row * patch_words;
            /* Beyond the image anything will do: no position there is asked for. */
            int v = min(max(patch_y + row, 0), f->height), u = min(max(patch_x / 4 + word, 0), stride - 1);
            patch[row * pitch + word] = __ldg(frame + (size_t)v * stride + u);
        }
        __syncwarp();
    }

    __device__ endo_sums sums(int cx, int cy) {
        int side = job->params.side, half = side / 2, lane = threadIdx.x % 32;
        if (abs(cx - centre_x) > REACH || abs(cy - centre_y) > REACH)
            return correlate_sums(&job->frames, q.reference, q.current, q.x, q.y, cx, cy, side);
        int x = cx - half - patch_x, y = cy - half - patch_y;
        unsigned shift = 8 * (x & 3), sy = 0, syy = 0, sxy = 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int row = lane + 32 * r;
            if (row >= side) continue;
            const unsigned *p = patch + (y + row) * pitch + x / 4;
            unsigned low = p[0];
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                unsigned high = p[k + 1], w = __funnelshift_r(low, high, shift);
                if (k >= WORDS - 4) w &= tail[k - (WORDS - 4)];
                low = high;
                sy = __dp4a(w, 0x01010101u, sy);
                syy = __dp4a(w, w, syy);
                sxy = __dp4a(w, words[r][k], sxy);
            }
        }
        endo_sums s = {(int64_t)side * side, sum, warp_add(sy), sum_of_squares, warp_add(syy), warp_add(sxy)};
        return s;
    }
};

/* Evaluates the nine points: lane i < 9 ends with the coefficient of point i. Returns 0 at the limit. */
template <class correlator>
__device__ static int evaluate(correlator *c, const search_job *job, visited *seen, int x, int y, int offset,
                               endo_search_result *r, double *value) {
    const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int lane = threadIdx.x % 32, known = -1, added = 0, mine = -1, settled = 1;
    endo_sums sums = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    c->prepare(x, y, offset);
    for (int i = 0; i < 9; i++) {
        int px = x + offset * pattern_x[i], py = y + offset * pattern_y[i];
        int at = find(seen, r->computed, place_of(px, py));
        if (at >= 0) {
            r->reused++;
            if (lane == i) known = at;
            continue;
        }
        if (r->computed + added == ENDO_SEARCH_LIMIT) {
            settled = 0;
            break;
        }
        if (fits(&job->frames, px, py)) {
            endo_sums s = c->sums(px, py);
            if (lane == i) sums = s;
        }
        if (lane == i) mine = r->computed + added;
        added++;
    }
    *value = known >= 0 ? seen->coefficient[known] : NAN;
    if (mine >= 0) {
        *value = sums.n > 1 ? coefficient_of(&sums, job->params.side) : NAN;
        seen->coefficient[mine] = *value;
        int px = x, py = y;
        for (int i = 0; i < 9; i++)
            if (lane == i) px += offset * pattern_x[i], py += offset * pattern_y[i];
        seen->place[mine] = place_of(px, py);
    }
    r->computed += added;
    __syncwarp();
    return settled;
}

template <class correlator>
__device__ static void run(correlator *c, const search_job *job, visited *seen, endo_search_result *r) {
    const int pattern_x[9] = ENDO_PATTERN_X, pattern_y[9] = ENDO_PATTERN_Y;
    int x = c->q.start_x, y = c->q.start_y, offset = job->params.cross;
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
    if (job->params.subpixel) endo_subpixel_peak(grid, &dx, &dy);
    r->x = x + dx, r->y = y + dy;
    r->coefficient = grid[4];
    r->state = ENDO_LANDMARK_FOUND;
}

template <class correlator>
__device__ static void search_one(correlator *c, const search_job *job, visited *seen, size_t index) {
    endo_search_request q = job->requests[index];
    endo_search_result r = {(double)q.start_x, (double)q.start_y, NAN, ENDO_LANDMARK_OUTSIDE, 0, 0, 0};
    c->job = job;
    c->q = q;
    if (fits(&job->frames, q.x, q.y)) {
        if (c->load())
            run(c, job, seen, &r);
        else
            r.state = ENDO_LANDMARK_NO_TEXTURE;
    }
    if (threadIdx.x % 32 == 0) job->results[index] = r;
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

static void launch(const search_job *job, cudaStream_t stream) {
    int side = job->params.side, words = (side + 2 * REACH + 3) / 4 + 2;
    size_t shared = (size_t)(words | 1) * (side + 2 * REACH) * 4 + 64;
    unsigned blocks = (unsigned)job->n;
    if (job->frames.specular || side > 63)
        search_frames_kernel<<<blocks, 32, 0, stream>>>(*job);
    else if (side <= 15)
        search_patch_kernel<4, 1><<<blocks, 32, shared, stream>>>(*job);
    else if (side <= 31)
        search_patch_kernel<8, 1><<<blocks, 32, shared, stream>>>(*job);
    else if (side <= 47)
        search_patch_kernel<12, 2><<<blocks, 32, shared, stream>>>(*job);
    else
        search_patch_kernel<16, 2><<<blocks, 32, shared, stream>>>(*job);
}

endo_status cuda_search(void *store, const endo_search_request *requests, size_t n, const endo_search_params *params,
                        endo_search_result *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_store_centres(s, params->side));
    ENDO_TRY(cuda_reserve(b, &b->device_out, n * sizeof *results));
    ENDO_TRY(cuda_send(b, requests, n * sizeof *requests));
    search_job job = {correlation_frames_of(s), (const endo_search_request *)b->device_in.memory,
                      (endo_search_result *)b->device_out.memory, n, *params};
    launch(&job, b->stream);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_receive(b, b->device_out.memory, results, n * sizeof *results);
}
