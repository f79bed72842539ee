/* Parts of images with their weights, in planes to be transformed: sums for the means, then the values. */
#include "chunks.h"
#include "fourier.cuh"

#include <string.h>

#define TILE_X 64
#define THREADS 256
#define ROWS_EACH 4
#define FILL_ROWS (THREADS / TILE_X * ROWS_EACH) /* of a tile that is filled */
#define SUM_ROWS 16                              /* of a tile that is summed */

/* ------------------------------------------------------------------- tapers */

static endo_status send_tapers(cuda_store *s, const endo_fourier_taper *tapers) {
    cuda_fourier *f = s->fourier;
    cuda_backend *b = s->backend;
    int levels = endo_fourier_levels(s->options.width, s->options.height);
    size_t bytes = 0;
    for (int l = 0; l < levels; l++) {
        f->taper_offset[l] = bytes;
        bytes += (size_t)tapers[l].width * tapers[l].height;
    }
    ENDO_TRY(cuda_reserve(b, &f->tapers, bytes));
    for (int l = 0; l < levels; l++)
        ENDO_CUDA(b, cudaMemcpyAsync((uint8_t *)f->tapers.memory + f->taper_offset[l], tapers[l].weight,
                                     (size_t)tapers[l].width * tapers[l].height, cudaMemcpyHostToDevice, b->stream));
    ENDO_CUDA(b, cudaStreamSynchronize(b->stream));
    f->has_tapers = 1;
    return ENDO_OK;
}

endo_status cuda_fourier_tapers(cuda_store *s, const endo_fourier_spectrum *spectrum) {
    return !spectrum->tapers || s->fourier->has_tapers ? ENDO_OK : send_tapers(s, spectrum->tapers);
}

cuda_fourier_source cuda_fourier_source_of(const cuda_store *s, int slot, const endo_fourier_part *part,
                                           const endo_fourier_spectrum *spectrum, float *out, int out_width, int out_height) {
    const cuda_fourier *f = s->fourier;
    const cuda_fourier_frame *frame = &f->frames[slot];
    int tapered = spectrum->tapers && spectrum->window != ENDO_WINDOW_NONE;
    cuda_fourier_source made;
    memset(&made, 0, sizeof made);
    made.values = cuda_fourier_level(s, slot, part->level,
                                     spectrum->gradient == ENDO_GRADIENT_HIGHPASS ? ENDO_FOURIER_HALF : 0);
    made.taper = tapered ? (const uint8_t *)f->tapers.memory + f->taper_offset[part->level] : NULL;
    made.out = out;
    made.part = *part;
    made.stride = f->layout.stride[part->level];
    made.taper_stride = s->options.width >> part->level;
    made.width = frame->width >> part->level, made.height = frame->height >> part->level;
    made.out_width = out_width, made.out_height = out_height;
    return made;
}

/* ------------------------------------------------------------------ values */

__device__ static int sobel_at(const cuda_fourier_source *s, int x, int y) {
    int32_t g[9];
    int valid = x >= 1 && y >= 1 && x + 1 < s->width && y + 1 < s->height;
    if (!valid) return ENDO_FOURIER_INVALID;
    for (int i = 0; i < 9; i++) {
        g[i] = s->values[(size_t)(y + i / 3 - 1) * s->stride + x + i % 3 - 1];
        valid &= g[i] != ENDO_FOURIER_INVALID;
    }
    return valid ? endo_fourier_sobel(g) : ENDO_FOURIER_INVALID;
}

/* x, y: within the part. */
__device__ static int value_at(const cuda_fourier_source *s, int sobel, int x, int y) {
    x += s->part.left, y += s->part.top;
    return sobel ? sobel_at(s, x, y) : s->values[(size_t)y * s->stride + x];
}

#define FEW 8

typedef struct fill_job {
    cuda_list<cuda_fourier_source, FEW> sources;
    long long *sums; /* of each: the sum of its valid values, and how many there are */
    endo_fourier_window window;
    int sobel;
} fill_job;

/* The sums are zero before. A thread's fit 32 bits. */
__global__ static void sum_kernel(const __grid_constant__ fill_job job) {
    const cuda_fourier_source s = job.sources[blockIdx.z];
    unsigned long long *sums = (unsigned long long *)job.sums;
    int x = blockIdx.x * TILE_X + threadIdx.x % TILE_X, top = blockIdx.y * SUM_ROWS, sum = 0, count = 0;
    for (int y = top + threadIdx.x / TILE_X; y < top + SUM_ROWS && y < s.part.height; y += THREADS / TILE_X) {
        int value = x < s.part.width ? value_at(&s, job.sobel, x, y) : ENDO_FOURIER_INVALID;
        if (value != ENDO_FOURIER_INVALID) sum += value, count++;
    }
    for (int offset = 16; offset; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
        count += __shfl_down_sync(0xffffffffu, count, offset);
    }
    if (threadIdx.x % 32 || !count) return;
    atomicAdd(&sums[2 * blockIdx.z], (unsigned long long)(long long)sum);
    atomicAdd(&sums[2 * blockIdx.z + 1], (unsigned long long)count);
}

__device__ static float weighted(const fill_job *job, const cuda_fourier_source *s, float mean, float weight, int x, int y) {
    int value = value_at(s, job->sobel, x, y);
    if (value == ENDO_FOURIER_INVALID) return 0;
    float made = ((float)value - mean) * weight;
    if (!s->taper) return made;
    return made * ((float)s->taper[(size_t)(y + s->part.top) * s->taper_stride + x + s->part.left] * (1 / 255.0f));
}

__global__ static void fill_kernel(const __grid_constant__ fill_job job) {
    __shared__ float across[TILE_X], down[FILL_ROWS];
    const cuda_fourier_source s = job.sources[blockIdx.z];
    int left = blockIdx.x * TILE_X, top = blockIdx.y * FILL_ROWS, i = threadIdx.x;
    if (left >= s.out_width || top >= s.out_height) return;
    if (i < TILE_X && left + i < s.part.width)
        across[i] = (float)endo_fourier_window_at(job.window, left + i, s.part.width);
    if (i >= TILE_X && i < TILE_X + FILL_ROWS && top + i - TILE_X < s.part.height)
        down[i - TILE_X] = (float)endo_fourier_window_at(job.window, top + i - TILE_X, s.part.height);
    __syncthreads();
    long long sum = job.sums[2 * blockIdx.z], count = job.sums[2 * blockIdx.z + 1];
    float mean = count ? (float)((double)sum / (double)count) : 0;
    int x = left + i % TILE_X;
    for (int row = i / TILE_X; row < FILL_ROWS; row += THREADS / TILE_X) {
        int y = top + row;
        if (x >= s.out_width || y >= s.out_height) continue;
        int inside = x < s.part.width && y < s.part.height;
        s.out[(size_t)y * s.out_width + x] = inside ? weighted(&job, &s, mean, across[i % TILE_X] * down[row], x, y) : 0;
    }
}

endo_status cuda_fourier_fill(cuda_backend *b, const cuda_fourier_source *sources, size_t n,
                              const endo_fourier_spectrum *spectrum, int64_t *sums) {
    int width = 1, height = 1; /* the largest part, and the largest plane */
    int out_width = 1, out_height = 1;
    for (size_t i = 0; i < n; i++) {
        const cuda_fourier_source *s = &sources[i];
        width = s->part.width > width ? s->part.width : width;
        height = s->part.height > height ? s->part.height : height;
        out_width = s->out_width > out_width ? s->out_width : out_width;
        out_height = s->out_height > out_height ? s->out_height : out_height;
    }
    fill_job job = {{}, (long long *)sums, spectrum->window, spectrum->gradient == ENDO_GRADIENT_SOBEL};
    ENDO_TRY(cuda_send_list(b, sources, n, &job.sources));
    dim3 summed((width + TILE_X - 1) / TILE_X, (height + SUM_ROWS - 1) / SUM_ROWS, (unsigned)n);
    dim3 filled((out_width + TILE_X - 1) / TILE_X, (out_height + FILL_ROWS - 1) / FILL_ROWS, (unsigned)n);
    ENDO_CUDA(b, cudaMemsetAsync(sums, 0, 2 * n * sizeof *sums, b->stream));
    sum_kernel<<<summed, THREADS, 0, b->stream>>>(job);
    fill_kernel<<<filled, THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}
