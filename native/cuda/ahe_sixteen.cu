/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels. A block walks its window along a stretch of a row
 * and back along the next, as native/cpu/ahe_sixteen.c does; its threads share the 2 * window updates of a step. The
 * histogram has two levels: 65,536 counters in the device's second cache, 256 groups of them in shared memory. Small
 * windows are compared: quadratic, but without any waiting. */
#include "ahe.cuh"

#define THREADS 128
#define LEVELS 65536
#define GROUP 256
#define STRETCH 256 /* columns of a block's part of the image */
/* Windows up to this are compared: measured on an H200, the walk is faster only beyond. */
#define LARGEST_COMPARED 255

__device__ static const uint16_t *row_at(const ahe_plane &p, int i) { return p.sixteen + (size_t)p.row_of[i] * p.pitch; }

__device__ static void put(const ahe_plane &p, int x, int y, uint32_t rank) {
    ((uint16_t *)p.out)[(size_t)y * p.out_stride + x] =
        (uint16_t)endo_ahe_plain(rank, (uint32_t)(p.window * p.window), 65535);
}

__global__ static void compare_kernel(ahe_plane p) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, r = p.window / 2 + 1;
    if (x >= p.width || y >= p.height) return;
    int centre = row_at(p, y + r)[x + r];
    uint32_t rank = 0;
    for (int v = 1; v <= p.window; v++) {
        const uint16_t *row = row_at(p, y + v) + x + 1;
        for (int u = 0; u < p.window; u++) rank += row[u] <= centre;
    }
    put(p, x, y, rank);
}

__device__ static inline void change(uint32_t *fine, uint32_t *coarse, int value, uint32_t by) {
    atomicAdd(&fine[value], by);
    atomicAdd(&coarse[value / GROUP], by);
}

/* Counters up to `value`, by all threads; the sum lands in *total, which is 0 before. */
__device__ static void add_up(const uint32_t *fine, const uint32_t *coarse, int value, uint32_t *total) {
    uint32_t sum = 0;
    int group = value / GROUP;
    for (int i = threadIdx.x; i < group; i += THREADS) sum += coarse[i];
    /* Past the first cache, which does not see what atomics change. */
    for (int i = group * GROUP + threadIdx.x; i <= value; i += THREADS) sum += __ldcg(&fine[i]);
    for (int i = 16; i; i >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, i);
    if (threadIdx.x % 32 == 0 && sum) atomicAdd(total, sum);
}

/* One step to the side: columns `leave` and `enter` of the window on row y. */
__device__ static void step_aside(const ahe_plane &p, uint32_t *fine, uint32_t *coarse, int y, int leave, int enter) {
    for (int v = 1 + threadIdx.x; v <= p.window; v += THREADS) {
        const uint16_t *row = row_at(p, y + v);
        int out = row[leave], in = row[enter];
        if (in == out) continue;
        change(fine, coarse, out, (uint32_t)-1);
        change(fine, coarse, in, 1);
    }
}

__device__ static void step_down(const ahe_plane &p, uint32_t *fine, uint32_t *coarse, int y, int x) {
    const uint16_t *leave = row_at(p, y) + x + 1, *enter = row_at(p, y + p.window) + x + 1;
    for (int k = threadIdx.x; k < p.window; k += THREADS) {
        if (enter[k] == leave[k]) continue;
        change(fine, coarse, leave[k], (uint32_t)-1);
        change(fine, coarse, enter[k], 1);
    }
}

/* histograms: LEVELS counters a block, all zero. */
__global__ static void __launch_bounds__(THREADS) walk_kernel(ahe_plane p, uint32_t *histograms, int band_rows) {
    __shared__ uint32_t coarse[GROUP], totals[2];
    uint32_t *fine = histograms + (size_t)(blockIdx.y * gridDim.x + blockIdx.x) * LEVELS;
    int left = blockIdx.x * STRETCH, right = min(left + STRETCH, p.width) - 1, x = left, step = 1, turn = 0;
    int y0 = blockIdx.y * band_rows, y1 = min(y0 + band_rows, p.height), r = p.window / 2 + 1;
    for (int i = threadIdx.x; i < GROUP; i += THREADS) coarse[i] = 0;
    if (threadIdx.x < 2) totals[threadIdx.x] = 0;
    __syncthreads();
    for (int v = 1; v <= p.window; v++)
        for (int k = threadIdx.x; k < p.window; k += THREADS) change(fine, coarse, row_at(p, y0 + v)[x + 1 + k], 1);
    for (int y = y0; y < y1; y++, step = -step) {
        if (y > y0) step_down(p, fine, coarse, y, x);
        for (;;) {
            __threadfence_block();
            __syncthreads();
            add_up(fine, coarse, row_at(p, y + r)[x + r], &totals[turn]);
            __syncthreads();
            if (threadIdx.x == 0) {
                put(p, x, y, totals[turn]);
                totals[turn] = 0;
            }
            turn ^= 1;
            if (x + step < left || x + step > right) break;
            step_aside(p, fine, coarse, y, step > 0 ? x + 1 : x + p.window, step > 0 ? x + 1 + p.window : x);
            x += step;
        }
    }
}

endo_status cuda_ahe_sixteen(cuda_backend *b, const ahe_plane *p) {
    if (p->window <= LARGEST_COMPARED) {
        dim3 grid((p->width + 31) / 32, (p->height + 7) / 8);
        compare_kernel<<<grid, dim3(32, 8), 0, b->stream>>>(*p);
        ENDO_CUDA(b, cudaGetLastError());
        return ENDO_OK;
    }
    int strips = (p->width + STRETCH - 1) / STRETCH, bands = 4 * b->multiprocessors / strips;
    if (bands > p->height) bands = p->height;
    if (bands < 1) bands = 1;
    int band_rows = (p->height + bands - 1) / bands;
    bands = (p->height + band_rows - 1) / band_rows;
    size_t bytes = (size_t)strips * bands * LEVELS * sizeof(uint32_t);
    ENDO_TRY(cuda_reserve(b, &b->histograms, bytes));
    ENDO_CUDA(b, cudaMemsetAsync(b->histograms.memory, 0, bytes, b->stream));
    walk_kernel<<<dim3(strips, bands), THREADS, 0, b->stream>>>(*p, (uint32_t *)b->histograms.memory, band_rows);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}
