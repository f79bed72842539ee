/* Mutual information on a device: two volumes at their levels, and the ways in which joint histograms are counted. */
#ifndef ENDO_CUDA_MUTUAL_CUH
#define ENDO_CUDA_MUTUAL_CUH

#include "rules/mutual.h"
#include "arena.h"
#include "cuda.h"

#define MUTUAL_LANES 0xffffffffu
/* Maps of one launch: they travel with its arguments, of which there are 4 KB. */
#define MUTUAL_MAPS 28
/* Histograms of so many bins a side are added up by the last block that counts. */
#define MUTUAL_FEW_BINS 64
/* Counts below this have their terms in a table. */
#define MUTUAL_TERMS 1024
#define MUTUAL_MAX_BINS 256

/* How a block counts. All give the same counts. */
typedef enum mutual_way {
    MUTUAL_GLOBAL,   /* every voxel in global memory: a textbook's way, the fullest place with all others */
    MUTUAL_WORDS,    /* a histogram of 32 bits in shared memory */
    MUTUAL_HALVES,   /* of 16 bits: a block has fewer voxels than that holds */
    MUTUAL_CLUSTERS, /* the same; a cluster's blocks add up theirs before anything goes to global memory */
    MUTUAL_LEVELS,   /* [B] section 2.3: shared memory for the bins that an earlier histogram says are worth it */
    MUTUAL_WAYS
} mutual_way;

/* Two volumes at one level. An element of the moving one holds the values of a voxel and of those at y + 1, at z + 1
 * and at both: two neighbouring elements are the eight voxels around a position. Around it is a border of one voxel, in
 * which the outermost go on; `moving` is the first voxel behind it. */
typedef struct mutual_level {
    int bins, size[3], moving_size[3];
    int runs, runs_a_row;     /* of ENDO_MUTUAL_RUN voxels of the fixed volume */
    int stride, slice;        /* of moving, elements */
    uint16_t *fixed;          /* bins, dense; `bins` where a voxel does not count */
    uint32_t *moving_memory;
    const uint32_t *moving;
    uint32_t hot;             /* place in the histogram that is probably the fullest: counted apart */
} mutual_level;

/* Where the bins of a level have their cells of 16 bits in shared memory ([B]: the histogram configuration). */
typedef struct mutual_cells {
    uint32_t *places;  /* of each bin: the first cell and, from bit 18, copies - 1; MUTUAL_NOT_CACHED: none */
    uint16_t *bins[2]; /* row and column of the bin that each cell belongs to */
    int n;             /* cells, an even number; 0: not found yet */
} mutual_cells;

#define MUTUAL_NOT_CACHED 0xffffffffu
#define MUTUAL_COPIES_BIT 18

/* Sums over a histogram; all 0 whenever no kernel is at work. */
typedef struct mutual_state {
    unsigned long long n, joint, fixed;
    uint32_t done; /* blocks */
    uint32_t columns[MUTUAL_MAX_BINS];
} mutual_state;

typedef struct mutual_pair {
    cuda_backend *backend;
    cuda_arena arena, cells_arena;
    int n_levels, nearest, most_bins;
    mutual_level levels[ENDO_MUTUAL_MAX_LEVELS];
    mutual_cells cells[ENDO_MUTUAL_MAX_LEVELS];
    mutual_way ways[ENDO_MUTUAL_MAX_LEVELS];
    int tuned[ENDO_MUTUAL_MAX_LEVELS]; /* ways[] is the fastest that is known */
    int clusters;         /* that the device holds at once, for MUTUAL_CLUSTERS; 0: none */
    size_t histogram;     /* elements from histogram to histogram */
    uint32_t *counts;     /* MUTUAL_MAPS histograms, 0 whenever no kernel is at work */
    mutual_state *states; /* as many */
    int64_t *terms;
    int dirty;            /* a call failed in the middle: counts and states must be cleared */

    /* The fixed volume with the window of the last search. */
    uint16_t *windowed;
    endo_mutual_window window;
    int window_level; /* -1: none */
} mutual_pair;

/* The levels of a pair that is all 0 but for its back end (mutual_volumes.cu). */
endo_status cuda_mutual_fill(mutual_pair *p, const endo_mutual_setup *setup);
/* fixed: of the level, or with a window. Histograms of n <= MUTUAL_MAPS maps into p->counts (mutual_count.cu); sums: NULL, or
 * theirs, in the host's memory: the histograms are cleared. */
endo_status cuda_mutual_count(mutual_pair *p, int level, mutual_way way, const uint16_t *fixed,
                              const endo_mutual_map *maps, int n, endo_mutual_sums *sums);
/* Asks the device how much shared memory each way may take; a way that fits for each level. */
endo_status cuda_mutual_choose_ways(mutual_pair *p);
/* Whether a level can be counted so. */
int cuda_mutual_fits(const mutual_pair *p, int level, mutual_way way);
/* The way that an earlier pair of this size was counted in, for as many maps; 0: there was none. */
int cuda_mutual_recall(mutual_pair *p, int level, int maps);
void cuda_mutual_remember(mutual_pair *p, int level, int maps);
/* The configuration of a level by a histogram of its counts, in host memory ([B] section 2.3; mutual_cells.cu). */
endo_status cuda_mutual_configure(mutual_pair *p, int level, const uint32_t *counts);
endo_status cuda_mutual_resample(void *backend, const endo_resample_job *job);

/* Blocks of sums may lie ready before the last block of counts has ended: they wait here. */
__device__ static inline void mutual_wait_for_counts(void) {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
__device__ static inline void mutual_let_sums_come(void) {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* One coordinate of a voxel, 16 fractional bits. */
__device__ static inline int32_t mutual_position(const int64_t *row, int x, int y, int z) {
    int start = x & ~(ENDO_MUTUAL_RUN - 1);
    return endo_mutual_run_start(row, start, y, z) + (x - start) * endo_mutual_step(row[0]);
}

__device__ static inline int mutual_within(int v, int side) { return v < 0 ? 0 : v >= side ? side - 1 : v; }

static inline int mutual_blocks(int64_t n, int threads) { return (int)((n + threads - 1) / threads); }

#endif
