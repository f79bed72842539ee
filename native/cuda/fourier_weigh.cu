/* Spectra, weighted (rules/fourier_spectra.h), and the sums of their squares by block; whoever multiplies them adds those up in
 * one fixed order and divides by the root, so that products are correlations. */
#include "fourier.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define NUMBERS_A_BLOCK 512
#define MOST_BLOCKS 256
#define FEW 8

typedef struct weigh_job {
    const float2 *spectra;
    cuda_list<cuda_fourier_weighted, FEW> to;
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
__global__ static void weigh_kernel(const __grid_constant__ weigh_job job) {
    uint32_t n = (uint32_t)job.columns * job.rows;
    const float2 *spectrum = job.spectra + (size_t)blockIdx.y * n;
    const cuda_fourier_weighted to = job.to[blockIdx.y];
    double squares = 0;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        int x = (int)(i % job.columns), y = (int)(i / job.columns);
        float2 c = spectrum[i];
        float magnitude = sqrtf(c.x * c.x + c.y * c.y) + job.least, weight = 1 / magnitude;
        if (job.low_pass) weight = job.low_pass[x] * job.low_pass[job.columns + min(y, job.rows - y)] / sqrtf(magnitude);
        c.x *= weight, c.y *= weight;
        to.numbers[i] = c;
        squares += (double)(c.x * c.x + c.y * c.y) * (x == 0 || x == job.columns - 1 ? 1 : 2);
    }
    squares = block_sum(squares);
    if (threadIdx.x == 0) to.squares[blockIdx.x] = squares;
}

size_t cuda_fourier_squares(const cuda_fft *f) {
    size_t blocks = (cuda_fft_spectrum(f) + NUMBERS_A_BLOCK - 1) / NUMBERS_A_BLOCK;
    return blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

endo_status cuda_fourier_weigh(cuda_backend *b, const cuda_fft *f, const cuda_fourier_weights *w, const float2 *spectra,
                               size_t n, const cuda_fourier_weighted *to) {
    weigh_job job = {spectra, {}, w->low_pass, w->least, f->columns / 2 + 1, f->rows};
    ENDO_TRY(cuda_send_list(b, to, n, &job.to));
    weigh_kernel<<<dim3((unsigned)cuda_fourier_squares(f), (unsigned)n), THREADS, 0, b->stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}
