/* Alignment of exposures on a device: what its files share. A group of blocks works on a pair: one block where there are
 * many pairs, a cluster (Hopper) for a single one. */
#ifndef ENDO_CUDA_EXPOSURES_CUH
#define ENDO_CUDA_EXPOSURES_CUH

#include "cuda.h"

extern "C" {
#include "rules/exposures.h"
}

#define EXPOSURE_THREADS 512
#define EXPOSURE_WARPS (EXPOSURE_THREADS / 32)
/* Blocks of a cluster. */
#define EXPOSURE_CLUSTER 16

/* The most numbers that the blocks of a group add up: histograms of two images. */
#define EXPOSURE_PART 512

/* Working memory of a group, in device memory. Counts of an image: of its columns (whole words of 32), then of its rows;
 * each number holds black pixels below and white ones above its 16 bits. */
typedef struct exposure_scratch {
    int32_t *histograms;          /* of both images; these and the counts are 0 at first */
    uint32_t *counts[2];
    uint32_t *above[2], *used[2]; /* bitmaps, reference and current: height rows of words */
} exposure_scratch;

typedef struct exposure_job {
    const uint8_t *plain;
    size_t area;
    int stride, width, height;
    int words;                 /* of a row of bits */
    const uint8_t *field;      /* as the frames padded; read only to make the following */
    const uint32_t *field_bits; /* NULL: every pixel */
    const int32_t *field_columns, *field_rows; /* pixels of the field in each */
    const int64_t *field_pixels;
    const endo_pair *pairs;
    int n;
    endo_exposure_options options;
    uint8_t *memory; /* scratch of all groups */
    size_t group_bytes;
    int group_size;          /* blocks of a group */
    int prepared;      /* levels and bitmaps of the first observation are made by kernels of their own */
    int holds_planes;  /* blocks keep the bitmaps that are compared in shared memory, */
    int holds_counts;  /* and the counts */
    endo_exposure_result *results;
} exposure_job;

/* Counts of an image. */
__host__ __device__ static inline int exposure_counts(const exposure_job *j) { return 32 * j->words + j->height; }

/* Bytes of a bitmap; whole pieces of 16. */
__host__ __device__ static inline size_t exposure_plane(const exposure_job *j) {
    return ((size_t)j->words * j->height * 4 + 15) & ~(size_t)15;
}

/* Bytes at the beginning of a group's memory that are 0 at first. */
__host__ __device__ static inline size_t exposure_cleared(const exposure_job *j) {
    return (EXPOSURE_PART + 2 * (size_t)exposure_counts(j)) * 4;
}

/* Where a group's parts lie in its memory; returns its bytes. memory may be NULL. */
__host__ __device__ static inline size_t exposure_lay_out(const exposure_job *j, uint8_t *memory, exposure_scratch *s) {
    size_t at = (exposure_cleared(j) + 255) & ~(size_t)255;
    s->histograms = (int32_t *)memory;
    for (int i = 0; i < 2; i++) {
        s->counts[i] = (uint32_t *)memory + EXPOSURE_PART + i * exposure_counts(j);
        s->above[i] = (uint32_t *)(memory + at), at += exposure_plane(j);
        s->used[i] = (uint32_t *)(memory + at), at += exposure_plane(j);
    }
    return (at + 255) & ~(size_t)255;
}

#endif
