/* As [P] section 3.2 describes it: blocks of 64 threads, each with a region of the image; the window's histogram
 * in shared memory, changed by atomic additions; the row that leaves is counted in a second one; a parallel scan
 * with a double buffer for the distribution in a third; the first thread writes the pixel. The window goes down
 * one column and up the next, so that it is counted in full only once a region. 32 registers a thread, so that 32
 * blocks are resident. The paper does not give the size of the regions: whoever measures tries several. */
#include "ahe_paper.h"

extern "C" {
#include "ahe_baselines.h"
}

#include <cuda_runtime.h>
#include <stdlib.h>

#define THREADS 64
/* Blocks that fill a multiprocessor: 32 on the paper's device, fewer where a multiprocessor holds fewer. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900
#define BLOCKS_RESIDENT 32
#elif __CUDA_ARCH__ == 890
#define BLOCKS_RESIDENT 24
#else
#define BLOCKS_RESIDENT 16
#endif
#define LEVELS 256
#define OWN (LEVELS / THREADS) /* levels a thread scans alone */

struct ahe_paper {
    int width, height, window;
    ptrdiff_t stride;
    uint8_t *padded, *out; /* device */
    cudaEvent_t begin, end;
};

typedef struct launch {
    const uint8_t *padded; /* the window of pixel (x, y) starts at (x, y) */
    uint8_t *out;
    int stride, width, height, window, region;
} launch;

typedef struct tables {
    uint32_t histogram[LEVELS], leaving[LEVELS], distribution[LEVELS];
    uint32_t partial[2][THREADS];
} tables;

/* Collaboratively: adds `by` for each of n pixels, step apart. */
__device__ static void count(uint32_t *histogram, const uint8_t *first, int n, int step, uint32_t by) {
    for (int i = threadIdx.x; i < n; i += THREADS) atomicAdd(&histogram[first[(size_t)i * step]], by);
}

/* Takes the leaving row out and accumulates; each thread has four neighbouring levels. */
__device__ static void scan(tables *t) {
    uint32_t own[OWN], sum = 0;
    int thread = threadIdx.x, from = 0;
    for (int k = 0; k < OWN; k++) {
        int level = thread * OWN + k;
        uint32_t h = t->histogram[level] - t->leaving[level];
        t->histogram[level] = h;
        t->leaving[level] = 0;
        own[k] = sum += h;
    }
    t->partial[0][thread] = sum;
    for (int reach = 1; reach < THREADS; reach *= 2) {
        __syncthreads();
        uint32_t before = thread >= reach ? t->partial[from][thread - reach] : 0;
        t->partial[1 - from][thread] = t->partial[from][thread] + before;
        from = 1 - from;
    }
    uint32_t below = t->partial[from][thread] - sum; /* its own sum was written by itself */
    for (int k = 0; k < OWN; k++) t->distribution[thread * OWN + k] = below + own[k];
    __syncthreads();
}

__device__ static void equalize(const launch *l, const tables *t, int x, int y) {
    if (threadIdx.x != 0) return;
    int half = l->window / 2, centre = l->padded[(size_t)(y + half) * l->stride + x + half];
    uint32_t n = (uint32_t)l->window * l->window;
    l->out[(size_t)y * l->width + x] = (uint8_t)(t->distribution[centre] * 255u / n);
}

__global__ static void __launch_bounds__(THREADS, BLOCKS_RESIDENT) algorithm3_kernel(launch l) {
    __shared__ tables t;
    int left = blockIdx.x * l.region, top = blockIdx.y * l.region, s = l.window;
    int right = min(left + l.region, l.width), rows = min(l.region, l.height - top), y = top, way = 1;
    for (int i = threadIdx.x; i < LEVELS; i += THREADS) t.histogram[i] = t.leaving[i] = 0;
    __syncthreads();
    for (int v = 0; v < s; v++) count(t.histogram, l.padded + (size_t)(top + v) * l.stride + left, s, 1, 1);
    for (int x = left; x < right; x++, way = -way) {
        const uint8_t *first = l.padded + x; /* column of the window, at row 0 */
        if (x > left) {
            count(t.histogram, first + (size_t)y * l.stride + s - 1, s, l.stride, 1);
            count(t.leaving, first + (size_t)y * l.stride - 1, s, l.stride, 1);
        }
        for (int j = 0; j < rows; j++) {
            if (j > 0) {
                y += way;
                count(t.histogram, first + (size_t)(way > 0 ? y + s - 1 : y) * l.stride, s, 1, 1);
                count(t.leaving, first + (size_t)(way > 0 ? y - 1 : y + s) * l.stride, s, 1, 1);
            }
            __syncthreads();
            scan(&t);
            equalize(&l, &t, x, y);
        }
    }
}

static int upload(ahe_paper *p, const ahe_strip *s) {
    size_t bytes = (size_t)s->stride * (s->height + s->window - 1);
    p->stride = s->stride;
    return cudaMalloc((void **)&p->padded, bytes) == cudaSuccess &&
           cudaMalloc((void **)&p->out, (size_t)p->width * p->height) == cudaSuccess &&
           cudaMemcpy(p->padded, s->pixels, bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
           cudaEventCreate(&p->begin) == cudaSuccess && cudaEventCreate(&p->end) == cudaSuccess;
}

ahe_paper *ahe_paper_create(const uint8_t *grey, int width, int height, ptrdiff_t stride, int window) {
    ahe_paper *p = (ahe_paper *)calloc(1, sizeof *p);
    ahe_strip padded = {};
    if (!p) return NULL;
    p->width = width, p->height = height, p->window = window;
    int ready = ahe_strip_create(&padded, grey, width, height, stride, 0, width, window) && upload(p, &padded);
    ahe_strip_destroy(&padded);
    if (ready) return p;
    ahe_paper_destroy(p);
    return NULL;
}

void ahe_paper_destroy(ahe_paper *p) {
    if (!p) return;
    cudaFree(p->padded);
    cudaFree(p->out);
    if (p->begin) cudaEventDestroy(p->begin);
    if (p->end) cudaEventDestroy(p->end);
    free(p);
}

int ahe_paper_run(ahe_paper *p, int region, float *milliseconds) {
    launch l = {p->padded, p->out, (int)p->stride, p->width, p->height, p->window, region};
    dim3 blocks((p->width + region - 1) / region, (p->height + region - 1) / region);
    cudaEventRecord(p->begin);
    algorithm3_kernel<<<blocks, THREADS>>>(l);
    cudaEventRecord(p->end);
    return cudaGetLastError() == cudaSuccess && cudaEventSynchronize(p->end) == cudaSuccess &&
           cudaEventElapsedTime(milliseconds, p->begin, p->end) == cudaSuccess;
}

int ahe_paper_read(const ahe_paper *p, uint8_t *out) {
    return cudaMemcpy(out, p->out, (size_t)p->width * p->height, cudaMemcpyDeviceToHost) == cudaSuccess;
}
