/* Flow on a device: what the blocks of a group share and tell each other (flow.cu). */
#ifndef ENDO_CUDA_FLOW_CUH
#define ENDO_CUDA_FLOW_CUH

#include "correlate.cuh"
#include "derived.h"

#define THREADS 512
#define WARPS (THREADS / 32)
/* Shifts of the coarsest level: its shorter side is below 2 * ENDO_FLOW_COARSEST. */
#define MAX_REACH (2 * ENDO_FLOW_COARSEST / 4)
#define MAX_SHIFTS ((2 * MAX_REACH + 1) * (2 * MAX_REACH + 1))

/* Blocks that share a pair at most: with more, adding up takes longer than their pixels. */
#define MAX_GROUP 64
/* Sums of a round: those of both components. */
#define COMPONENT_SUMS 9
#define SUMS (2 * COMPONENT_SUMS)
#define MAX_ROUNDS (ENDO_FLOW_MAX_LEVELS * ENDO_FLOW_ITERATIONS)

/* A sum and how many blocks have added to it, in one word: whoever reads it until all have needs neither a barrier nor a
 * fence. Each block adds ONE_BLOCK, and its own sum, which is kept above 0. */
typedef unsigned long long told_sum;
#define ONE_BLOCK (1ull << 48)
#define SUM_OFFSET (1ull << 40)
static_assert(MAX_GROUP * SUM_OFFSET < ONE_BLOCK, "the count lies above the sum");
static_assert((long long)ENDO_FLOW_SIDE * ENDO_FLOW_SIDE * ENDO_FLOW_SIDE * ENDO_FLOW_REACH < (long long)SUM_OFFSET,
              "the sums of a level");

/* So far apart, bytes, that they are in different parts of the second cache. */
#define APART 32
typedef struct flow_sum {
    told_sum value;
    char rest[APART - sizeof(told_sum)];
} flow_sum;

/* A shift's pixels and their difference, in one word, which is 0 until they are known. */
#define TOLD (1ull << 63)

/* Memory of the device through which the blocks of a group exchange sums; zeros before and after. */
typedef struct flow_group {
    flow_sum sums[MAX_ROUNDS][SUMS];
    unsigned long long shifts[MAX_SHIFTS];
    unsigned finished; /* blocks */
} flow_group;

typedef struct flow_job {
    int group; /* blocks a pair */
    flow_group *groups;
    cuda_levels levels;
    const int16_t *pyramids;
    const endo_pair *pairs; /* NULL: only one */
    endo_pair only;
    endo_transform_class kind;
    int last; /* level */
    endo_flow_result *results;
} flow_job;

/* The state of a pair, in the shared memory of a block. */
typedef struct flow_state {
    endo_motion motion, before;
    endo_level_motion level_motion;
    int level; /* -1: done */
    int passed;
    int partial[WARPS][SUMS];
    endo_flow_sums total[2];
    endo_shift_sums shifts[MAX_SHIFTS];
    flow_group *shared; /* NULL: this block is alone */
    int blocks, block;  /* of the group */
} flow_state;

static_assert(sizeof(endo_flow_sums) == COMPONENT_SUMS * sizeof(long long), "sums are taken as a row of numbers");

/* Adds a block's sum to the group's, and returns that when all blocks have added theirs. All blocks are resident: the launch
 * is cooperative. */
__device__ static long long add_to_group(told_sum *sum, long long block_sum, int blocks) {
    atomicAdd(sum, ONE_BLOCK + SUM_OFFSET + (told_sum)block_sum);
    told_sum all;
    do all = *(volatile told_sum *)sum;
    while (all / ONE_BLOCK != (told_sum)blocks);
    return (long long)(all % ONE_BLOCK) - blocks * (long long)SUM_OFFSET;
}

__device__ static void tell_shift(unsigned long long *told, const endo_shift_sums *s) {
    *(volatile unsigned long long *)told = TOLD | (unsigned long long)s->n << 32 | (unsigned)s->difference;
}

__device__ static endo_shift_sums hear_shift(const unsigned long long *told) {
    unsigned long long word;
    do word = *(const volatile unsigned long long *)told;
    while (!(word & TOLD));
    endo_shift_sums s = {(int64_t)(uint32_t)word, (int32_t)(word >> 32 & 0x7fffffff)};
    return s;
}

/* Where the sum is known to fit; of every lane. */
__device__ static int warp_sum_32(int v) { return (int)warp_add((unsigned)v); }

#endif
