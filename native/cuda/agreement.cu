/* Whether two frames show the same, tile by tile (rules/agreement.h), for many pairs: a warp takes a tile, and a lane a
 * column of it. */
#include "chunks.h"
#include "correlate.cuh"
#include "derived.h"
#include "warp.cuh"

#include "rules/agreement.h"

#define WARPS 8 /* of a block */

typedef struct agreement_job {
    warp_frames frames;
    const endo_mapped_pair *requests;
    endo_agreement *agreement;
    int columns, rows; /* of tiles */
} agreement_job;

__device__ static int add_lanes(int v) { return (int)warp_add((unsigned)v); }

/* Sums of a tile: each lane takes its column x, rows top .. bottom - 1, and gets the sums of all columns. */
__device__ static endo_tile_sums sums_of(const warp_frames *f, const endo_mapped_pair *q, int x, int top, int bottom) {
    const uint8_t *reference = f->grey + q->pair.reference * f->area, *current = f->grey + q->pair.current * f->area;
    endo_tile_sums s = {0, 0, 0, 0, 0, 0};
    for (int y = top; x < f->width && y < bottom; y += ENDO_AGREEMENT_STEP) {
        int a = reference[(size_t)y * f->stride + x], b;
        if (!warp_pixel(f, current, q->map.m, x, y, &b)) continue;
        s.n += 1, s.x += a, s.y += b, s.xx += a * a, s.yy += b * b, s.xy += a * b;
    }
    s.n = add_lanes(s.n), s.x = add_lanes(s.x), s.y = add_lanes(s.y);
    s.xx = add_lanes(s.xx), s.yy = add_lanes(s.yy), s.xy = add_lanes(s.xy);
    return s;
}

/* How much the rows of a frame differ in a tile of its pixels; lanes as in sums_of(). */
__device__ static endo_comb_sums combs_of(const warp_frames *f, int slot, int x, int top, int bottom) {
    endo_comb_sums s = {0, 0, 0};
    for (int y = top; x < f->width && y < bottom && y < f->height - 2; y += ENDO_AGREEMENT_STEP) {
        const uint8_t *p = f->grey + slot * f->area + (size_t)y * f->stride + x;
        if (y < 2 || !f->field[(size_t)y * f->stride + x]) continue;
        int one = endo_comb_step(*p, *(p - f->stride), p[f->stride]);
        int two = endo_comb_step(*p, *(p - 2 * f->stride), p[2 * f->stride]);
        s.n += 1, s.one += one * one, s.two += two * two;
    }
    s.n = add_lanes(s.n), s.one = add_lanes(s.one), s.two = add_lanes(s.two);
    return s;
}

/* A warp never parts: all its lanes have the same tile. */
__global__ static void agreement_kernel(const agreement_job job) {
    const warp_frames *f = &job.frames;
    const endo_mapped_pair *q = &job.requests[blockIdx.y];
    int number = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (number >= job.columns * job.rows) return;
    int x = number % job.columns * ENDO_AGREEMENT_TILE + lane, top = number / job.columns * ENDO_AGREEMENT_TILE;
    int bottom = top + ENDO_AGREEMENT_TILE < f->height ? top + ENDO_AGREEMENT_TILE : f->height;
    endo_tile_sums s = sums_of(f, q, x, top, bottom);
    if (s.n < ENDO_AGREEMENT_LEAST) return;
    endo_comb_sums reference = combs_of(f, q->pair.reference, x, top, bottom);
    endo_comb_sums current = combs_of(f, q->pair.current, x, top, bottom);
    if (lane) return;
    int combed = endo_is_combed(&reference) != endo_is_combed(&current);
    atomicAdd(&job.agreement[blockIdx.y].tiles, 1);
    if (combed || endo_tile_differs(&s, endo_common_noise(&reference, &current)))
        atomicAdd(&job.agreement[blockIdx.y].differing, 1);
}

typedef struct agreement_call {
    cuda_store *store;
    const endo_mapped_pair *requests;
    endo_agreement *agreement;
} agreement_call;

static endo_status compare_chunk(void *job, size_t first, size_t n) {
    const agreement_call *call = (const agreement_call *)job;
    const cuda_store *s = call->store;
    cuda_backend *b = s->backend;
    size_t out_bytes = n * sizeof *call->agreement;
    int columns = (s->options.width + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    int rows = (s->options.height + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    ENDO_TRY(cuda_send(b, call->requests + first, n * sizeof *call->requests));
    ENDO_TRY(cuda_reserve(b, &b->device_out, out_bytes));
    agreement_job made = {warp_frames_of(s), (const endo_mapped_pair *)b->device_in.memory,
                          (endo_agreement *)b->device_out.memory, columns, rows};
    ENDO_CUDA(b, cudaMemsetAsync(b->device_out.memory, 0, out_bytes, b->stream));
    cuda_time_begin(b);
    agreement_kernel<<<dim3((columns * rows + WARPS - 1) / WARPS, (unsigned)n), 32 * WARPS, 0, b->stream>>>(made);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_receive(b, b->device_out.memory, call->agreement + first, out_bytes);
}

endo_status cuda_agreement(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                           endo_agreement *agreement) {
    (void)nothing;
    cuda_store *s = (cuda_store *)store;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    ENDO_TRY(cuda_derive(s, CUDA_ARRIVED, requests, n, sizeof *requests));
    agreement_call call = {s, requests, agreement};
    return cuda_in_chunks(n, 0, compare_chunk, &call);
}
