/* Batches of coefficients: one warp a request. */
#include "correlate.cuh"

#define THREADS 128

__global__ static void ncc_kernel(correlation_frames f, const endo_ncc_request *requests, size_t n, int side,
                                  double *out) {
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (i >= n) return;
    endo_ncc_request q = requests[i];
    double c = NAN;
    if (fits(&f, q.x, q.y) && fits(&f, q.cx, q.cy)) {
        endo_sums s = correlate_sums(&f, q.reference, q.current, q.x, q.y, q.cx, q.cy, side);
        c = coefficient_of(&s, side);
    }
    if (threadIdx.x % 32 == 0) out[i] = c;
}

endo_status cuda_ncc(void *store, const endo_ncc_request *requests, size_t n, int side, double *out) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_store_centres(s, side));
    ENDO_TRY(cuda_reserve(b, &b->device_out, n * sizeof *out));
    ENDO_TRY(cuda_send(b, requests, n * sizeof *requests));
    unsigned blocks = (unsigned)((n + THREADS / 32 - 1) / (THREADS / 32));
    ncc_kernel<<<blocks, THREADS, 0, b->stream>>>(correlation_frames_of(s),
                                                  (const endo_ncc_request *)b->device_in.memory, n, side,
                                                  (double *)b->device_out.memory);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_receive(b, b->device_out.memory, out, n * sizeof *out);
}
