/* Inner loops of local bitmaps. */
#ifndef ENDO_CPU_BITMAPS_LOOPS_H
#define ENDO_CPU_BITMAPS_LOOPS_H

#include "rules/local_bitmaps.h"

#include <stddef.h>
#include <stdint.h>

/* The bits of a frame's rows, pixel x of a row in bit x % 64 of word x / 64: `seen` is black or white, `white` is white (and
 * anything where nothing is seen). */
typedef struct cpu_bitmap_rows {
    uint64_t *seen;
    uint64_t *white;
} cpu_bitmap_rows;

/* The words of a row of the current frame that a shift leaves, and where their pixels lie in the reference. */
typedef struct cpu_bitmap_columns {
    int first, last;      /* words */
    uint64_t left, right; /* bits of the first and of the last word that take part */
    int word, bit;        /* of the reference, where the first word's first pixel lies; word: -1 at least */
} cpu_bitmap_columns;

typedef struct cpu_bitmaps_loops {
    /* Adds a row to the sums of the columns, and takes another one away unless it is NULL. */
    void (*add)(const uint8_t *enters, const uint8_t *leaves, int n, uint16_t *columns);
    /* Sums of `side` neighbours each, n of them. */
    void (*sum)(const uint16_t *columns, int n, int side, uint16_t *squares);
    /* Bits of 64 * words pixels from the sums of the squares around them. */
    void (*flag)(const uint8_t *grey, const uint16_t *squares, int words, int area_bits, uint64_t *seen, uint64_t *white);
    /* Compares rows that are `step` words apart: of the reference, of the current frame. */
    void (*compare)(cpu_bitmap_rows reference, cpu_bitmap_rows current, ptrdiff_t step, int rows, const cpu_bitmap_columns *c,
                    endo_bitmap_overlap *o);
} cpu_bitmaps_loops;

extern const cpu_bitmaps_loops cpu_bitmaps_c;
#ifdef ENDO_X86
extern const cpu_bitmaps_loops cpu_bitmaps_avx2;
#endif

#endif
