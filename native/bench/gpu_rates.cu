#include "gpu_rates.h"

extern "C" {
#include "timing.h"
}

#include <cuda_runtime.h>

#define BYTES ((size_t)256 << 20)
#define REPEATS 12

/* Seconds of the least disturbed copy. */
static double least_seconds(void *to, const void *from, cudaMemcpyKind kind) {
    timing t = {};
    cudaEvent_t begin, end;
    if (cudaEventCreate(&begin) != cudaSuccess) return 0;
    if (cudaEventCreate(&end) == cudaSuccess) {
        for (int i = 0; i < REPEATS; i++) {
            float ms = 0;
            cudaEventRecord(begin);
            cudaError_t error = cudaMemcpyAsync(to, from, BYTES, kind);
            cudaEventRecord(end);
            if (error == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
                cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && i > 0)
                timing_add(&t, 1e-3 * ms);
        }
        cudaEventDestroy(end);
    }
    cudaEventDestroy(begin);
    return timing_quantile(&t, 0);
}

double gpu_rate_copy(void) {
    void *from = NULL, *to = NULL;
    double seconds = 0;
    if (cudaMalloc(&from, BYTES) == cudaSuccess && cudaMalloc(&to, BYTES) == cudaSuccess)
        seconds = least_seconds(to, from, cudaMemcpyDeviceToDevice);
    cudaFree(from);
    cudaFree(to);
    return seconds > 0 ? 2.0 * (double)BYTES / seconds : 0;
}

double gpu_rate_upload(void) {
    void *from = NULL, *to = NULL;
    double seconds = 0;
    if (cudaMallocHost(&from, BYTES) == cudaSuccess && cudaMalloc(&to, BYTES) == cudaSuccess)
        seconds = least_seconds(to, from, cudaMemcpyHostToDevice);
    cudaFreeHost(from);
    cudaFree(to);
    return seconds > 0 ? (double)BYTES / seconds : 0;
}
