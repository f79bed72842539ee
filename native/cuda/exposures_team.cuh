/* Alignment of exposures on a device: a team of blocks, how it meets and adds up, and what each block knows. */
#ifndef ENDO_CUDA_EXPOSURES_TEAM_CUH
#define ENDO_CUDA_EXPOSURES_TEAM_CUH

#include "exposures.cuh"

#include <cooperative_groups.h>

#define LANE_ALL 0xffffffffu

enum team_kind { TEAM_BLOCK, TEAM_CLUSTER, TEAM_GRID };

/* One block's view of its team. */
typedef struct team {
    exposure_scratch scratch;
    int rank, size;
    unsigned round;
    int turn; /* of the numbers that are added up next: 0, 1, 2 */
} team;

/* What a block knows of the pair it works on. */
typedef struct pair_state {
    endo_exposure_levels levels[2], overlap; /* of the images; of the current one where they overlap */
    endo_exposure_looks looks;
    endo_exposure_result seen;               /* by the look that is being taken */
    endo_exposure_choice threshold;
    endo_exposure_search search;
    endo_exposure_overlap answers[ENDO_EXPOSURE_ASKED];
    int32_t counts[2 * ENDO_EXPOSURE_ASKED]; /* of a question, this block's */
    int64_t totals[2][2];                    /* counts of an image, black and white */
    int32_t peaks[2][ENDO_EXPOSURE_PEAKS], n_peaks[2];
    double at_best[2];
    int64_t best_value[EXPOSURE_WARPS];
    int best_choice[EXPOSURE_WARPS];
    endo_exposure_evidence evidence;
    endo_exposure_threshold current; /* of the current bitmap: it is matched to the reference's */
    int changed;
} pair_state;

/* What other blocks may have written is not looked for in the first cache; a block that is alone finds its own there. */
template <team_kind KIND> __device__ static inline uint32_t fetch(const uint32_t *from) {
    return KIND == TEAM_BLOCK ? *from : __ldcg(from);
}

template <team_kind KIND> __device__ static void meet(team *t) {
    if (KIND == TEAM_BLOCK) {
        __syncthreads();
    } else if (KIND == TEAM_CLUSTER) {
#if __CUDA_ARCH__ >= 900
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
    } else {
        __threadfence();
        __syncthreads();
        t->round++;
        if (threadIdx.x == 0) {
            volatile unsigned *arrived = t->scratch.arrived;
            atomicAdd(t->scratch.arrived, 1);
            while (*arrived < t->round * t->size) {}
            __threadfence();
        }
        __syncthreads();
    }
}

/* Every block reads what each of the others has in its own shared memory. Two turns: whoever writes one again has met the
 * others since they read it. */
__device__ static void add_up_cluster(team *t, int32_t *numbers, int n) {
#if __CUDA_ARCH__ >= 900
    __shared__ int32_t told[2][EXPOSURE_PART];
    int32_t *own = told[t->turn & 1];
    for (int i = threadIdx.x; i < n; i += blockDim.x) own[i] = numbers[i];
    meet<TEAM_CLUSTER>(t);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int32_t sum = 0;
#pragma unroll 8
        for (int b = 0; b < t->size; b++) sum += *cooperative_groups::this_cluster().map_shared_rank(&own[i], b);
        numbers[i] = sum;
    }
#endif
}

/* Every block adds to the same numbers in device memory. They are 0: of three turns, the one that comes next is cleared
 * while nobody reads it any more and nobody adds to it yet. */
__device__ static void add_up_grid(team *t, int32_t *numbers, int n) {
    int32_t *sums = t->scratch.sums + t->turn * EXPOSURE_PART, *next = t->scratch.sums + (t->turn + 1) % 3 * EXPOSURE_PART;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (numbers[i]) atomicAdd(&sums[i], numbers[i]);
    for (int i = threadIdx.x; t->rank == 0 && i < EXPOSURE_PART; i += blockDim.x) __stcg(&next[i], 0);
    meet<TEAM_GRID>(t);
    for (int i = threadIdx.x; i < n; i += blockDim.x) numbers[i] = __ldcg(&sums[i]);
}

/* Adds the n numbers of all blocks of the team, from shared memory to shared memory. */
template <team_kind KIND> __device__ static void add_up(team *t, int32_t *numbers, int n) {
    __syncthreads();
    if (KIND == TEAM_BLOCK) return;
    if (KIND == TEAM_CLUSTER) add_up_cluster(t, numbers, n);
    if (KIND == TEAM_GRID) add_up_grid(t, numbers, n);
    t->turn = (t->turn + 1) % (KIND == TEAM_GRID ? 3 : 2);
    __syncthreads();
}

__device__ static inline int32_t warp_sum(int32_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
}

__device__ static inline int32_t sum_over_lanes(int32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(LANE_ALL, v);
#else
    return warp_sum(v);
#endif
}

__device__ static inline int64_t warp_sum64(int64_t v) {
    for (int i = 16; i; i >>= 1) v += __shfl_xor_sync(LANE_ALL, v, i);
    return v;
}

/* The first of `rows` rows that is this block's, or (rank + 1) the one after its last. Rows times blocks fit 31 bits. */
__device__ static inline int first_row(const team &t, int rows, int rank) { return rows * rank / t.size; }

#endif
