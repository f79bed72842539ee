/* Log-polar planes of spectra on a device ([F] section 2.2), what turns.cu compares. */
#ifndef ENDO_CUDA_LOG_POLAR_CUH
#define ENDO_CUDA_LOG_POLAR_CUH

#include "fourier.cuh"

#include "rules/fourier_spectra.h"

/* The low pass is a product of two: what endo_turn_weight() is on both axes, for a magnitude of 1, times its root. */
__global__ static void places_kernel(endo_turns_setup setup, double root, float2 *rows, float2 *columns, float *low_pass) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = setup.radii / 2 + 1;
    if (i < n) low_pass[i] = (float)(endo_turn_weight(&setup, 1, i, 0) * root);
    if (i < setup.angles / 2 + 1) low_pass[n + i] = (float)(endo_turn_weight(&setup, 1, 0, i) * root);
    if (i < setup.angles) {
        double angle = endo_log_polar_angle(&setup, i);
        rows[i] = make_float2((float)cos(angle), (float)sin(angle));
    }
    if (i < setup.radii)
        columns[i] = make_float2((float)endo_log_polar_radius(&setup, i), (float)endo_log_polar_weight(&setup, i));
}

typedef struct polar_job {
    const float2 *rows, *columns, *spectra;
    float *polars;
    int side, angles, radii, paper;
    float floor;
} polar_job;

__device__ static float magnitude(const float2 *spectrum, int side, int x, int y) {
    float2 c = spectrum[(size_t)(y < 0 ? y + side : y) * (side / 2 + 1) + x];
    return sqrtf(c.x * c.x + c.y * c.y);
}

/* The value of the log-polar plane at a position (x >= 0) of the spectrum. */
__device__ static float polar_value(const polar_job *job, const float2 *spectrum, float x, float y) {
    float last = (float)(job->side / 2 - 1), value = 0;
    if (x <= last && y <= last && y >= -last) {
        float down = floorf(y), fx = x - floorf(x), fy = y - down;
        int x0 = (int)x, y0 = (int)down;
        float a = magnitude(spectrum, job->side, x0, y0), b = magnitude(spectrum, job->side, x0 + 1, y0);
        float c = magnitude(spectrum, job->side, x0, y0 + 1), d = magnitude(spectrum, job->side, x0 + 1, y0 + 1);
        float above = a + fx * (b - a), below = c + fx * (d - c);
        value = above + fy * (below - above);
    }
    return job->paper ? value : logf(job->floor + value);
}

#define COLUMNS 8 /* of a block: all their rows */
#define LANES 128 /* rows at a time */

/* The mean of a column, less its first value: exactly 0 where the image was flat. */
__device__ static float mean_of_column(float sum, int angles) {
    __shared__ float of_warp[COLUMNS * LANES / 32][COLUMNS];
    for (int offset = 16; offset >= COLUMNS; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 < COLUMNS) of_warp[threadIdx.x / 32][threadIdx.x % 32] = sum;
    __syncthreads();
    float all = 0;
    for (int i = 0; i < COLUMNS * LANES / 32; i++) all += of_warp[i][threadIdx.x % COLUMNS];
    return all / angles;
}

/* Magnitudes, gathered from the spectrum, and, but for the paper's mode, less the mean of their column and tapered. A thread
 * comes back to what it has written itself, and to the first row. */
__global__ static void __launch_bounds__(COLUMNS * LANES) polar_kernel(polar_job job) {
    int column = blockIdx.x * COLUMNS + threadIdx.x % COLUMNS, lane = threadIdx.x / COLUMNS, used = column < job.radii;
    const float2 *spectrum = job.spectra + (size_t)blockIdx.y * job.side * (job.side / 2 + 1);
    float *polar = job.polars + (size_t)blockIdx.y * job.angles * job.radii + column, sum = 0;
    float2 place = used ? job.columns[column] : make_float2(0, 0);
    for (int row = lane; row < job.angles && used; row += LANES)
        polar[(size_t)row * job.radii] = polar_value(&job, spectrum, place.x * job.rows[row].x, place.x * job.rows[row].y);
    if (job.paper) return;
    __syncthreads();
    float first = used ? polar[0] : 0;
    for (int row = lane; row < job.angles && used; row += LANES) sum += polar[(size_t)row * job.radii] - first;
    float mean = mean_of_column(sum, job.angles); /* all have read the first row when it is over */
    for (int row = lane; row < job.angles && used; row += LANES) {
        float *value = &polar[(size_t)row * job.radii];
        *value = (*value - first - mean) * place.y;
    }
}

#endif
