/* Inner loops of the alignment of exposures. */
#ifndef ENDO_CPU_EXPOSURES_LOOPS_H
#define ENDO_CPU_EXPOSURES_LOOPS_H

#include "rules/exposures.h"

#include <stddef.h>
#include <stdint.h>

/* Some rows of an image and what becomes of them: bits (pixel x is bit x % 64 of word x / 64), counts by column.
 * Images and counts go on to a whole number of words. */
typedef struct cpu_exposure_rows {
    const uint8_t *grey, *field;
    ptrdiff_t stride, field_stride;
    int words, rows;                  /* rows: at most 255 */
    int level, black_end, white_from; /* above: > level; black: < black_end; white: > white_from */
    uint64_t *above, *used;           /* used: black or white */
    ptrdiff_t pitch;                  /* of them, words */
    uint8_t *black, *white;           /* columns: so many more */
} cpu_exposure_rows;

/* Bitmaps under a shift: word i of a reference row begins at bit `bits` of its word i. */
typedef struct cpu_exposure_overlap {
    const uint64_t *reference, *current;
    const uint64_t *reference_mask, *current_mask; /* as the bitmaps; without reference_mask: one row for all */
    ptrdiff_t pitch;                               /* from row to row, words */
    int words, rows, bits;
} cpu_exposure_overlap;

typedef struct cpu_exposures_loops {
    void (*rows)(const cpu_exposure_rows *r);
    /* Bits set in both, and in `used` alone. */
    void (*count)(const uint64_t *above, const uint64_t *used, int words, int counts[2]);
    /* How many of n pixels lie in the field and are at most `level`. */
    int32_t (*not_above)(const uint8_t *grey, const uint8_t *field, int level, int n);
    /* Products of counts; the sum of them must stay below 2^31. */
    int32_t (*dot)(const int16_t *a, const int16_t *b, int n);
    int64_t (*differ)(const cpu_exposure_overlap *o);
    endo_exposure_overlap (*masked)(const cpu_exposure_overlap *o);
} cpu_exposures_loops;

extern const cpu_exposures_loops cpu_exposures_c;
#ifdef ENDO_X86
extern const cpu_exposures_loops cpu_exposures_avx2;
extern const cpu_exposures_loops cpu_exposures_avx512;
#endif

#endif
