/* Spectra, weighted and divided by the root of the sum of their squares, so that their products are correlations
 * (rules/fourier_spectra.h). Sums are of blocks, then of all blocks in their order: the same every time. */
#include "fourier.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define NUMBERS_A_BLOCK 2048
#define MOST_BLOCKS 1024

typedef struct weigh_job {
    float2 *spectra;
    float2 *const *to; /* NULL: in place */
    double *squares;   /* by spectrum and block */
    const float *low_pass;
    float least;
    int columns, rows; /* of a spectrum; columns: of its half */
} weigh_job;

__device__ static double block_sum(double mine) {
    __shared__ double of_warp[WARPS];
    for (int offset = 16; offset; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < WARPS; i++) sum += of_warp[i];
    return sum;
}

/* A half of a real image's spectrum stands for all of it: columns but the first and the last count twice. */
__global__ static void weigh_kernel(weigh_job job) {
    uint32_t n = (uint32_t)job.columns * job.rows;
    float2 *spectrum = job.spectra + (size_t)blockIdx.y * n;
    double squares = 0;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        int x = (int)(i % job.columns), y = (int)(i / job.columns);
        float2 c = spectrum[i];
        float magnitude = sqrtf(c.x * c.x + c.y * c.y) + job.least, weight = 1 / magnitude;
        if (job.low_pass) weight = job.low_pass[x] * job.low_pass[job.columns + min(y, job.rows - y)] / sqrtf(magnitude);
        c.x *= weight, c.y *= weight;
        spectrum[i] = c;
        squares += (double)(c.x * c.x + c.y * c.y) * (x == 0 || x == job.columns - 1 ? 1 : 2);
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) job.squares[blockIdx.y * gridDim.x + blockIdx.x] = squares;
}

__global__ static void normalise_kernel(weigh_job job) {
    uint32_t n = (uint32_t)job.columns * job.rows;
    const float2 *spectrum = job.spectra + (size_t)blockIdx.y * n;
    float2 *to = job.to ? job.to[blockIdx.y] : job.spectra + (size_t)blockIdx.y * n;
    double squares = 0;
    for (uint32_t i = threadIdx.x; i < gridDim.x; i += THREADS) squares += job.squares[blockIdx.y * gridDim.x + i];
    squares = block_sum(squares);
    float by = squares > 0 ? (float)(1 / sqrt(squares)) : 1;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        float2 c = spectrum[i];
        to[i] = make_float2(c.x * by, c.y * by);
    }
}

static size_t blocks_of(const cuda_fft *f) {
    size_t blocks = (cuda_fft_spectrum(f) + NUMBERS_A_BLOCK - 1) / NUMBERS_A_BLOCK;
    return blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

size_t cuda_fourier_squares(const cuda_fft *f) { return blocks_of(f); }

endo_status cuda_fourier_weigh(cuda_backend *b, const cuda_fft *f, const cuda_fourier_weights *w, float2 *spectra, size_t n,
                               double *squares, float2 *const *to) {
    weigh_job job = {spectra, to, squares, w->low_pass, w->least, f->columns / 2 + 1, f->rows};
    dim3 grid((unsigned)blocks_of(f), (unsigned)n);
    weigh_kernel<<<grid, THREADS, 0, b->stream>>>(job);
    normalise_kernel<<<grid, THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}
