/* Alignment of exposures on a device: what its files share. A team of blocks works on a pair: one block where there are
 * many pairs, several for a single one. */
#ifndef ENDO_CUDA_EXPOSURES_CUH
#define ENDO_CUDA_EXPOSURES_CUH

#include "cuda.h"

extern "C" {
#include "../rules/exposures.h"
}

#define EXPOSURE_THREADS 512
#define EXPOSURE_WARPS (EXPOSURE_THREADS / 32)
/* Blocks of a team: of a cluster, and with a barrier of our own. */
#define EXPOSURE_CLUSTER 16
#define EXPOSURE_TEAM 128

/* Numbers that a block contributes to a question: histograms of two images, or two counts a shift. */
#define EXPOSURE_PART 513

/* Working memory of a team, in device memory. */
typedef struct exposure_scratch {
    uint32_t *above[2], *used[2];   /* bitmaps, reference and current: height rows of words */
    int32_t *columns[2][2];         /* of an image, black and white */
    int32_t *rows[2][2];
    double *coefficients[2];        /* columns, rows: 2 * ENDO_EXPOSURE_MAX_SEARCH + 1 */
    unsigned *arrived;              /* of the barrier */
    int32_t *sums;                  /* [3][EXPOSURE_PART], 0 at first */
} exposure_scratch;

typedef struct exposure_job {
    const uint8_t *plain, *field; /* field: as the frames padded; NULL: every pixel */
    size_t area;
    int stride, width, height;
    int words; /* of a row of bits: whole groups of 256 columns */
    const uint32_t *field_bits;
    const int32_t *field_columns, *field_rows; /* pixels of the field in each */
    const int64_t *field_pixels;
    const endo_pair *pairs;
    int n;
    endo_exposure_options options;
    uint8_t *memory;   /* scratch of all teams */
    size_t team_bytes;
    size_t shared_counts; /* bytes of shared memory for the counts of both images; 0: they do not fit */
    endo_exposure_result *results;
} exposure_job;

/* The barrier, alone. */
#define EXPOSURE_BARRIER 256
/* Bytes at the beginning of a team's memory that are 0 at first. */
#define EXPOSURE_CLEARED (EXPOSURE_BARRIER + 3 * EXPOSURE_PART * sizeof(int32_t))

/* Where a team's parts lie in its memory; returns its bytes. memory may be NULL. */
__host__ __device__ static inline size_t exposure_lay_out(const exposure_job *j, uint8_t *memory, exposure_scratch *s) {
    size_t at = (EXPOSURE_CLEARED + 255) & ~(size_t)255;
    s->arrived = (unsigned *)memory;
    s->sums = (int32_t *)(memory + EXPOSURE_BARRIER);
    size_t plane = ((size_t)j->words * j->height * 4 + 255) & ~(size_t)255;
    for (int i = 0; i < 2; i++) {
        s->above[i] = (uint32_t *)(memory + at), at += plane;
        s->used[i] = (uint32_t *)(memory + at), at += plane;
        for (int c = 0; c < 2; c++) {
            s->columns[i][c] = (int32_t *)(memory + at), at += (size_t)32 * j->words * 4;
            s->rows[i][c] = (int32_t *)(memory + at), at += ((size_t)j->height * 4 + 127) & ~(size_t)127;
        }
        s->coefficients[i] = (double *)(memory + at), at += (2 * ENDO_EXPOSURE_MAX_SEARCH + 2) * sizeof(double);
    }
    return (at + 255) & ~(size_t)255;
}

#endif
