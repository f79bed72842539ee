/* The 5 x 5 measure of [S] section 3.3.1 for many pairs: warp all, find what both frames show, then one
 * block a template. The mean of a pair's 25 coefficients is the host's. */
#include "chunks.h"
#include "correlate.cuh"
#include "derived.h"
#include "warp.cuh"

#define TILES 5
/* Threads of a block that takes a tile: where there are few pairs or large frames, and else. */
#define TILE_THREADS 1024
#define TILE_THREADS_OF_MANY 256
#define MANY 16
#define LARGE_FRAME ((size_t)1 << 26)

typedef struct box {
    int left, top, right, bottom; /* inclusive */
} box;

typedef struct quality_job {
    warp_frames frames;
    const endo_mapped_pair *requests; /* NULL: only one */
    endo_mapped_pair only;
    uint8_t *warped, *valid; /* area bytes a pair */
    box *boxes;
    double *coefficients; /* TILES * TILES a pair */
} quality_job;

__device__ static const endo_mapped_pair *request_of(const quality_job *job, int i) {
    return job->requests ? &job->requests[i] : &job->only;
}

__global__ static void clear_boxes_kernel(const __grid_constant__ quality_job job, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    box empty = {job.frames.width, job.frames.height, -1, -1};
    job.boxes[i] = empty;
}

#define ROWS 8      /* of a block's threads */
#define ROWS_EACH 8 /* rows a thread looks at */

/* Keeps the pixel, and whether there is one. */
__device__ static int keep_pixel(const quality_job *job, const uint8_t *current, const int64_t *m, int x, int y) {
    size_t to = blockIdx.z * job->frames.area + (size_t)y * job->frames.stride + x;
    int warped, usable = warp_pixel(&job->frames, current, m, x, y, &warped);
    if (usable) job->warped[to] = (uint8_t)warped;
    job->valid[to] = usable ? 255 : 0;
    return usable;
}

/* A block covers 32 x 64 pixels of the reference; it touches the pair's box once. */
__global__ static void warp_kernel(const __grid_constant__ quality_job job) {
    __shared__ box bounds;
    int x = blockIdx.x * 32 + threadIdx.x, first = threadIdx.x == 0 && threadIdx.y == 0;
    box empty = {job.frames.width, job.frames.height, -1, -1};
    const endo_mapped_pair *request = request_of(&job, blockIdx.z);
    const uint8_t *current = job.frames.grey + request->pair.current * job.frames.area;
    const int64_t *m = request->map.m;
    if (first) bounds = empty;
    __syncthreads();
    for (int k = 0; k < ROWS_EACH; k++) {
        int y = (blockIdx.y * ROWS_EACH + k) * ROWS + threadIdx.y;
        int usable = x < job.frames.width && y < job.frames.height && keep_pixel(&job, current, m, x, y);
        unsigned lanes = __ballot_sync(0xffffffffu, usable); /* a warp is one row */
        if (!lanes || threadIdx.x) continue;
        atomicMin(&bounds.left, (int)(blockIdx.x * 32 + __ffs(lanes) - 1));
        atomicMax(&bounds.right, (int)(blockIdx.x * 32 + 31 - __clz(lanes)));
        atomicMin(&bounds.top, y);
        atomicMax(&bounds.bottom, y);
    }
    __syncthreads();
    if (!first || bounds.right < 0) return;
    box *all = &job.boxes[blockIdx.z];
    atomicMin(&all->left, bounds.left);
    atomicMax(&all->right, bounds.right);
    atomicMin(&all->top, bounds.top);
    atomicMax(&all->bottom, bounds.bottom);
}

/* Pixels of a row that a thread reads before it adds the first of them. */
#define AHEAD 4

/* A thread's sums of a tile: up to 2^16 pixels fit 32 bits. */
typedef struct pixel_sums {
    unsigned n, x, y, xx, yy, xy;
} pixel_sums;

__device__ static void add_pixels(const uint8_t *reference, const uint8_t *warped, const uint8_t *valid, size_t step, int n,
                                  pixel_sums *s) {
    unsigned p[AHEAD], q[AHEAD], keep[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        size_t at = (i < n ? i : 0) * step;
        p[i] = __ldg(reference + at), q[i] = __ldg(warped + at), keep[i] = i < n ? __ldg(valid + at) : 0;
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        if (!keep[i]) continue;
        s->n += 1, s->x += p[i], s->y += q[i], s->xx += p[i] * p[i], s->yy += q[i] * q[i], s->xy += p[i] * q[i];
    }
}

__device__ static endo_sums sums_of_warp(const pixel_sums *own) {
    endo_sums s = {own->n, own->x, own->y, own->xx, own->yy, own->xy};
    s.n = warp_add64(s.n), s.x = warp_add64(s.x), s.y = warp_add64(s.y);
    s.xx = warp_add64(s.xx), s.yy = warp_add64(s.yy), s.xy = warp_add64(s.xy);
    return s;
}

/* A block a tile, a warp a row. */
__global__ static void tile_kernel(const __grid_constant__ quality_job job) {
    __shared__ endo_sums partial[TILE_THREADS / 32];
    int tile = blockIdx.x, i = tile % TILES, j = tile / TILES;
    int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    box b = job.boxes[blockIdx.y];
    int w = b.right - b.left + 1, h = b.bottom - b.top + 1;
    int x0 = b.left + w * i / TILES, x1 = b.left + w * (i + 1) / TILES;
    int y0 = b.top + h * j / TILES, y1 = b.top + h * (j + 1) / TILES;
    const uint8_t *reference = job.frames.grey + request_of(&job, blockIdx.y)->pair.reference * job.frames.area;
    size_t stride = job.frames.stride, step = warps * stride, first = blockIdx.y * job.frames.area;
    pixel_sums own = {0, 0, 0, 0, 0, 0};
    for (int x = x0 + lane; b.right >= b.left && x < x1; x += 32)
        for (int y = y0 + threadIdx.x / 32; y < y1; y += AHEAD * warps) {
            size_t at = y * stride + x;
            add_pixels(reference + at, job.warped + first + at, job.valid + first + at, step, (y1 - 1 - y) / warps + 1, &own);
        }
    endo_sums s = sums_of_warp(&own);
    if (lane == 0) partial[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x) return;
    for (int k = 1; k < warps; k++) {
        s.n += partial[k].n, s.x += partial[k].x, s.y += partial[k].y;
        s.xx += partial[k].xx, s.yy += partial[k].yy, s.xy += partial[k].xy;
    }
    double c = 2 * s.n < (int64_t)(x1 - x0) * (y1 - y0) ? NAN : endo_coefficient(&s);
    job.coefficients[(size_t)blockIdx.y * TILES * TILES + tile] = c;
}

static double mean_of(const double *coefficients) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < TILES * TILES; i++)
        if (coefficients[i] == coefficients[i]) sum += coefficients[i], count++;
    return count ? sum / count : NAN;
}

/* One call, in chunks whose warped images fit the scratch memory. */
typedef struct quality_call {
    cuda_store *store;
    const endo_mapped_pair *requests;
    double *coefficients; /* of a chunk */
    double *quality;
} quality_call;

static endo_status measure(const quality_call *call, size_t first, size_t n) {
    const cuda_store *s = call->store;
    cuda_backend *b = s->backend;
    size_t out_bytes = n * TILES * TILES * sizeof(double);
    const void *on_device = NULL;
    void *made;
    if (n > 1) {
        ENDO_TRY(cuda_send(b, call->requests + first, n * sizeof *call->requests));
        on_device = b->device_in.memory;
    }
    ENDO_TRY(cuda_reserve(b, &b->scratch, 2 * n * s->area + n * sizeof(box)));
    ENDO_TRY(cuda_results(b, out_bytes, &made));
    uint8_t *scratch = (uint8_t *)b->scratch.memory;
    quality_job job = {warp_frames_of(s), (const endo_mapped_pair *)on_device, call->requests[first], scratch,
                       scratch + n * s->area, (box *)(scratch + 2 * n * s->area), (double *)made};
    dim3 tiles((s->options.width + 31) / 32, (s->options.height + ROWS * ROWS_EACH - 1) / (ROWS * ROWS_EACH),
               (unsigned)n);
    cuda_time_begin(b);
    clear_boxes_kernel<<<(unsigned)(n + 127) / 128, 128, 0, b->stream>>>(job, (int)n);
    warp_kernel<<<tiles, dim3(32, ROWS), 0, b->stream>>>(job);
    int threads = n < MANY || s->area > LARGE_FRAME ? TILE_THREADS : TILE_THREADS_OF_MANY;
    tile_kernel<<<dim3(TILES * TILES, (unsigned)n), threads, 0, b->stream>>>(job);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_collect(b, made, call->coefficients, out_bytes);
}

static endo_status measure_chunk(void *job, size_t first, size_t n) {
    const quality_call *call = (const quality_call *)job;
    ENDO_TRY(measure(call, first, n));
    for (size_t i = 0; i < n; i++) call->quality[first + i] = mean_of(call->coefficients + i * TILES * TILES);
    return ENDO_OK;
}

endo_status cuda_quality(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                         double *quality) {
    (void)nothing;
    cuda_store *s = (cuda_store *)store;
    size_t bytes_each = 2 * s->area;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    ENDO_TRY(cuda_derive(s, CUDA_ARRIVED, requests, n, sizeof *requests));
    quality_call call = {s, requests, NULL, quality};
    call.coefficients = (double *)endo_alloc(cuda_chunk_of(n, bytes_each) * TILES * TILES, sizeof(double));
    if (!call.coefficients) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    endo_status status = cuda_in_chunks(n, bytes_each, measure_chunk, &call);
    endo_free(call.coefficients);
    return status;
}
