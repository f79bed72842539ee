/* Batches of coefficients. A run of requests is one warp's: where neighbours in the list share a template, as
 * they do when a search is spelled out, the template and the surroundings are loaded once. */
#include "derived.h"
#include "patch.cuh"

#define THREADS 128

__global__ static void ncc_kernel(correlation_frames f, const endo_ncc_request *requests, size_t n, int side,
                                  double *out) {
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (i >= n) return;
    endo_ncc_request q = requests[i];
    double c = NAN;
    if (fits(&f, q.x, q.y) && fits(&f, q.cx, q.cy)) {
        endo_sums s = correlate_sums<4>(&f, q.reference, q.current, q.x, q.y, q.cx, q.cy, side);
        c = coefficient_of(&s, side);
    }
    if (threadIdx.x % 32 == 0) out[i] = c;
}

/* Requests of one warp: several times as many as share a template, so that few templates are loaded twice. */
#define RUN 128

/* 32 requests: lane i ends with the sums of request i and makes its coefficient, 32 divisions at once. */
template <class correlator>
__device__ static void correlate_32(correlator *c, const endo_ncc_request *requests, int count, double *out) {
    int lane = threadIdx.x;
    endo_sums mine = {1, 0, 0, 0, 0, 0}; /* no variance: undefined */
    endo_ncc_request own = requests[min(lane, count - 1)];
    int possible = lane < count && fits(c->f, own.x, own.y) && fits(c->f, own.cx, own.cy);
    for (unsigned todo = __ballot_sync(0xffffffffu, possible); todo; todo &= todo - 1) {
        int i = __ffs(todo) - 1;
        correlation_template t = {__shfl_sync(0xffffffffu, own.reference, i), __shfl_sync(0xffffffffu, own.current, i),
                                  __shfl_sync(0xffffffffu, own.x, i), __shfl_sync(0xffffffffu, own.y, i)};
        int cx = __shfl_sync(0xffffffffu, own.cx, i), cy = __shfl_sync(0xffffffffu, own.cy, i);
        if (t.reference != c->t.reference || t.current != c->t.current || t.x != c->t.x || t.y != c->t.y) {
            c->t = t;
            c->load();
        }
        c->prepare(cx, cy, 0);
        endo_sums s = c->sums(cx, cy);
        if (lane == i) mine = s;
    }
    if (lane < count) out[lane] = possible ? coefficient_of(&mine, c->side) : NAN;
}

template <int WORDS, int ROWS>
__global__ static void __launch_bounds__(32) ncc_patch_kernel(const __grid_constant__ correlation_frames f,
                                                              const endo_ncc_request *requests, size_t n, int side,
                                                              double *out) {
    extern __shared__ unsigned patch[];
    size_t first = (size_t)blockIdx.x * RUN, last = min(first + RUN, n);
    patch_correlator<WORDS, ROWS> c;
    c.f = &f, c.side = side, c.patch = patch;
    c.t.reference = -1;
    for (size_t i = first; i < last; i += 32) correlate_32(&c, requests + i, (int)min(last - i, (size_t)32), out + i);
}

static void launch(const correlation_frames *f, const endo_ncc_request *requests, size_t n, int side, double *out,
                   cudaStream_t stream) {
    unsigned warps = (unsigned)((n + THREADS / 32 - 1) / (THREADS / 32)), runs = (unsigned)((n + RUN - 1) / RUN);
    size_t shared = patch_bytes(side);
    if (f->specular || side > PATCH_MAX_SIDE)
        ncc_kernel<<<warps, THREADS, 0, stream>>>(*f, requests, n, side, out);
    else if (side <= 15)
        ncc_patch_kernel<4, 1><<<runs, 32, shared, stream>>>(*f, requests, n, side, out);
    else if (side <= 31)
        ncc_patch_kernel<8, 1><<<runs, 32, shared, stream>>>(*f, requests, n, side, out);
    else if (side <= 47)
        ncc_patch_kernel<12, 2><<<runs, 32, shared, stream>>>(*f, requests, n, side, out);
    else
        ncc_patch_kernel<16, 2><<<runs, 32, shared, stream>>>(*f, requests, n, side, out);
}

endo_status cuda_ncc(void *store, const endo_ncc_request *requests, size_t n, const endo_centres *centres, double *out) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, CUDA_ENHANCED, requests, n, sizeof *requests));
    ENDO_TRY(cuda_store_centres(s, centres));
    ENDO_TRY(cuda_reserve(b, &b->device_out, n * sizeof *out));
    ENDO_TRY(cuda_send(b, requests, n * sizeof *requests));
    correlation_frames f = correlation_frames_of(s);
    cuda_time_begin(b);
    launch(&f, (const endo_ncc_request *)b->device_in.memory, n, centres->side,
           (double *)b->device_out.memory, b->stream);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_receive(b, b->device_out.memory, out, n * sizeof *out);
}
