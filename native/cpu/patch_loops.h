/* Inner loops of the comparison of patches (rules/patches.h). */
#ifndef ENDO_CPU_PATCH_LOOPS_H
#define ENDO_CPU_PATCH_LOOPS_H

#include "rules/patches.h"

#include <stddef.h>

/* A row of smoothed values from three rows of grey values and of masks. */
typedef struct cpu_smooth_row {
    const uint8_t *grey[3], *mask[3]; /* above, here and below, from column -1 of the first value on */
    int n;
} cpu_smooth_row;

/* A row of a patch. */
typedef struct cpu_patch_row {
    const int16_t *reference, *current; /* smoothed: the row's first pixel; the frame's */
    ptrdiff_t stride;                   /* of both */
    int32_t at[2], step[2];             /* of its first pixel; from pixel to pixel */
    int32_t limit[2];                   /* of the whole pixel that a place lies in, for four to be in the frame */
    int side, upright;                  /* the rule's */
    int row;                            /* of the patch */
    const int16_t *next[2];             /* where that row of the next patch begins, in both frames: to be fetched */
} cpu_patch_row;

/* The numbers of all pixels of a patch, 0 where a pixel does not count: rows of `side`, one after the other, and elements
 * behind the last one that loops may write. */
typedef struct cpu_patch_numbers {
    int16_t of[ENDO_PATCH_NUMBERS][ENDO_PATCH_MOST_SIDE * ENDO_PATCH_MOST_SIDE + 32];
} cpu_patch_numbers;

typedef struct cpu_patch_loops {
    /* n pixels of a level's row from two rows of the level below. */
    void (*halve)(const uint8_t *above, const uint8_t *below, int n, uint8_t *out);
    /* n bytes of a level's mask from two rows of the mask below. */
    void (*halve_mask)(const uint8_t *above, const uint8_t *below, int n, uint8_t *out);
    /* A row's mask less its highlights. */
    void (*less)(const uint8_t *mask, const uint8_t *bright, int n, uint8_t *out);
    void (*smooth)(const cpu_smooth_row *row, int16_t *out);
    /* Numbers of n rows of a patch that follow one another, from element `to` on, and zeros in at most 31 elements behind
     * the last. Returns how many pixels count. */
    int (*rows)(const cpu_patch_row *rows, int n, cpu_patch_numbers *numbers, int to);
    /* Sums and products of the first `count` elements: all of *sums but n. */
    void (*add)(const cpu_patch_numbers *numbers, int count, endo_patch_sums *sums);
} cpu_patch_loops;

extern const cpu_patch_loops cpu_patch_c;
#ifdef ENDO_X86
extern const cpu_patch_loops cpu_patch_avx2, cpu_patch_avx512;
#endif

#endif
