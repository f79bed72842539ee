/* Alignment of exposures on a device: a group of blocks that works on a pair, how it meets and adds up, and the state of
 * each block. */
#ifndef ENDO_CUDA_EXPOSURES_GROUP_CUH
#define ENDO_CUDA_EXPOSURES_GROUP_CUH

#include "exposures.cuh"

#include <cooperative_groups.h>

#define LANE_ALL 0xffffffffu

enum group_kind { GROUP_BLOCK, GROUP_CLUSTER };

/* Shifts that are counted beside those of a question, in the hope that the next question asks for them: wider ones, and the
 * last question's. */
#define EXPOSURE_EXTRAS 5
#define EXPOSURE_SHIFTS (ENDO_EXPOSURE_ASKED + EXPOSURE_EXTRAS)

/* The state of the pair that a block works on. */
typedef struct pair_state {
    endo_exposure_levels levels[2], overlap; /* of the images; of the current one where they overlap */
    endo_exposure_observations observations;
    endo_exposure_result seen;               /* by the observation that is being made */
    endo_exposure_choice threshold;
    endo_exposure_search search;
    int extras, extra_dx[EXPOSURE_EXTRAS], extra_dy[EXPOSURE_EXTRAS]; /* after a question for exact shifts */
    __align__(16) int32_t counts[2 * EXPOSURE_SHIFTS + 2]; /* of a question: pixels compared (if masked), that differ */
    int64_t totals[2][2];                    /* counts of an image, black and white */
    int32_t peaks[2][ENDO_EXPOSURE_PEAKS], n_peaks[2];
    int64_t best_value[EXPOSURE_WARPS];
    int best_choice[EXPOSURE_WARPS];
    endo_exposure_evidence evidence;
    endo_exposure_threshold current; /* of the current bitmap: it is matched to the reference's */
    int changed;
} pair_state;

/* One block's view of its group. */
typedef struct block_view {
    exposure_scratch scratch;
    int rank, size;
    int turn;                /* of the numbers that are added up next: 0, 1 */
    uint32_t *above[2];      /* bitmaps that are made: in shared memory, or those of the scratch */
    uint32_t *kept[2];       /* where the bitmaps go as well, or NULL */
    uint32_t *counts[2];     /* of all rows and columns: in shared memory, or those of the scratch */
    int held_columns[2], held_rows[2]; /* what this block counts: words of its dynamic shared memory from here on */
    double *coefficients;    /* of all shifts, columns and rows */
    int32_t *found;          /* which of them are peaks */
} block_view;

/* In shared memory, where every function finds them without an address. */
static __shared__ pair_state known;
static __shared__ block_view mine;
static __shared__ __align__(16) int32_t numbers[EXPOSURE_PART]; /* that are added up */
extern __shared__ uint4 shared_memory[];

template <group_kind KIND> __device__ static inline void meet() {
    if (KIND == GROUP_BLOCK) {
        __syncthreads();
    } else {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
    }
}

/* Where block `rank` of the cluster has what this one has at `here`. */
template <typename T> __device__ static inline T *of_block(T *here, int rank) {
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(here, rank);
#else
    return here;
#endif
}

__device__ static inline void add_four(int4 *sum, const int4 &v) {
    sum->x += v.x, sum->y += v.y, sum->z += v.z, sum->w += v.w;
}

/* Adds the n numbers of all blocks of the group, from shared memory to shared memory (whole fours, which begin at multiples
 * of 16 bytes). Threads share the blocks, too, whose memory every block reads. Two turns: whoever writes one again has met
 * the others since they read it. */
template <group_kind KIND> __device__ static void add_up(int32_t *all, int n) {
    __syncthreads();
    if (KIND == GROUP_BLOCK) return;
    __shared__ int4 told[KIND == GROUP_BLOCK ? 1 : 2 * EXPOSURE_PART / 4];
    int fours = (n + 3) / 4, four = threadIdx.x % fours, group = threadIdx.x / fours, groups = blockDim.x / fours;
    int4 *turn = told + mine.turn * (EXPOSURE_PART / 4), sum = {0, 0, 0, 0};
    for (int i = threadIdx.x; i < fours; i += blockDim.x) turn[i] = ((int4 *)all)[i], ((int4 *)all)[i] = sum;
    meet<KIND>();
#pragma unroll 4
    for (int b = group < groups ? group : mine.size; b < mine.size; b += groups) add_four(&sum, *of_block(&turn[four], b));
    if (sum.x) atomicAdd(&all[4 * four], sum.x);
    if (sum.y) atomicAdd(&all[4 * four + 1], sum.y);
    if (sum.z) atomicAdd(&all[4 * four + 2], sum.z);
    if (sum.w) atomicAdd(&all[4 * four + 3], sum.w);
    if (threadIdx.x == 0) mine.turn ^= 1;
    __syncthreads();
}

/* Words that a thread copies at a time: all are read before the first is written. */
#define COPIED_TOGETHER 5

/* n words by the block. */
template <typename WORD> __device__ static inline void copy_words(WORD *to, const WORD *from, int n) {
#pragma unroll 1
    for (int first = threadIdx.x; first < n; first += COPIED_TOGETHER * blockDim.x) {
        WORD words[COPIED_TOGETHER];
#pragma unroll
        for (int i = 0; i < COPIED_TOGETHER; i++) words[i] = from[min(first + i * (int)blockDim.x, n - 1)];
#pragma unroll
        for (int i = 0; i < COPIED_TOGETHER; i++)
            if (first + i * (int)blockDim.x < n) to[first + i * (int)blockDim.x] = words[i];
    }
}

__device__ static inline int32_t sum_over_lanes(int32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(LANE_ALL, v);
#else
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
#endif
}

__device__ static inline int64_t wide_sum_over_lanes(int64_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
}

/* The first row of a block, of rows that the blocks of a group share; for rank + 1: the row after its last. */
__device__ static inline int first_row(int rows, int rank) { return rows * rank / mine.size; }

#endif
