/* Mutual information on a device: the sums of a histogram ([B] section 2.4). */
#ifndef ENDO_CUDA_MUTUAL_SUMS_CUH
#define ENDO_CUDA_MUTUAL_SUMS_CUH

#include "mutual.cuh"

__device__ static inline int64_t mutual_term(const int64_t *terms, uint32_t n) {
    return n < MUTUAL_TERMS ? __ldg(&terms[n]) : endo_mutual_term(n);
}

__device__ static inline int64_t mutual_lanes_sum(int64_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(MUTUAL_LANES, v, i);
    return v;
}

/* Sums of a block, in shared memory. */
typedef struct mutual_block_sums {
    unsigned long long n, joint, fixed, moving;
    uint32_t columns[MUTUAL_MAX_BINS];
} mutual_block_sums;

#define MUTUAL_ROW_PARTS (MUTUAL_MAX_BINS / 32)

/* All 0, by the block. */
__device__ static inline void mutual_begin_sums(mutual_block_sums *s) {
    if (threadIdx.x < MUTUAL_MAX_BINS) s->columns[threadIdx.x] = 0;
    if (threadIdx.x == 0) s->n = s->joint = s->fixed = s->moving = 0;
    __syncthreads();
}

/* One row of the histogram, by a warp; all its loads are on their way together. It is cleared. */
__device__ static inline void mutual_sum_row(const int64_t *terms, int bins, uint32_t *counts, mutual_block_sums *s, int lane) {
    uint32_t row = 0, n[MUTUAL_ROW_PARTS];
    int64_t joint = 0;
#pragma unroll
    for (int k = 0; k < MUTUAL_ROW_PARTS; k++) n[k] = lane + 32 * k < bins ? __ldcg(&counts[lane + 32 * k]) : 0;
#pragma unroll
    for (int k = 0; k < MUTUAL_ROW_PARTS; k++) {
        if (!n[k]) continue;
        counts[lane + 32 * k] = 0;
        row += n[k], joint += mutual_term(terms, n[k]);
        atomicAdd(&s->columns[lane + 32 * k], n[k]);
    }
    row = (uint32_t)mutual_lanes_sum(row), joint = mutual_lanes_sum(joint);
    if (lane != 0 || row == 0) return;
    atomicAdd(&s->n, (unsigned long long)row);
    atomicAdd(&s->joint, (unsigned long long)joint);
    atomicAdd(&s->fixed, (unsigned long long)mutual_term(terms, row));
}

/* The sum over columns, each of a thread of the block, of which there are enough. */
__device__ static inline void mutual_sum_columns(const int64_t *terms, uint32_t column, mutual_block_sums *s) {
    int64_t moving = threadIdx.x < MUTUAL_MAX_BINS ? mutual_lanes_sum(mutual_term(terms, column)) : 0;
    if (moving && threadIdx.x % 32 == 0) atomicAdd(&s->moving, (unsigned long long)moving);
    __syncthreads();
}

#endif
