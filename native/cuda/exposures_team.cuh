/* Alignment of exposures on a device: a team of blocks, how it meets and adds up, and what each block knows. */
#ifndef ENDO_CUDA_EXPOSURES_TEAM_CUH
#define ENDO_CUDA_EXPOSURES_TEAM_CUH

#include "exposures.cuh"

#define LANE_ALL 0xffffffffu

enum team_kind { TEAM_BLOCK, TEAM_CLUSTER, TEAM_GRID };

/* One block's view of its team. */
typedef struct team {
    exposure_scratch scratch;
    int rank, size;
    unsigned round;
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
        __threadfence();
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

/* Adds the n numbers of all blocks of the team, from shared memory to shared memory. */
template <team_kind KIND> __device__ static void add_up(team *t, int turn, int32_t *numbers, int n) {
    if (KIND == TEAM_BLOCK) {
        __syncthreads();
        return;
    }
    int32_t *parts = t->scratch.parts + (size_t)turn * t->size * EXPOSURE_PART;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) __stcg(&parts[t->rank * EXPOSURE_PART + i], numbers[i]);
    meet<KIND>(t);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int32_t sum = 0;
        for (int b = 0; b < t->size; b++) sum += __ldcg(&parts[b * EXPOSURE_PART + i]);
        numbers[i] = sum;
    }
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

__device__ static inline int first_row(const team &t, int height) { return (int)((int64_t)height * t.rank / t.size); }

#endif
