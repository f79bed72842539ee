/* The data of the alignment of exposures: levels, bitmaps and counts of two frames, and how they are prepared. */
#ifndef ENDO_CPU_EXPOSURES_H
#define ENDO_CPU_EXPOSURES_H

#include "cpu.h"

#include "base/openmp.h"

/* Pixels of a pair that are worth a thread: its steps are many and short, and each waits for all threads. */
#define CPU_EXPOSURE_PIXELS_A_THREAD 4000000

/* Words of the widest row. */
#define CPU_EXPOSURE_WORDS 512

/* The counts of one colour along an axis (less what the field makes of them: endo_exposure_excess); sums and
 * squares of the counts before i, up to i = n. */
typedef struct cpu_profile {
    int n;
    int32_t most; /* the greatest amount */
    int16_t *counts;
    int64_t *sums, *squares;
} cpu_profile;

typedef struct cpu_bitmap {
    endo_exposure_threshold threshold;
    uint64_t *above, *used;          /* first row, within the aligner's memory */
    cpu_profile columns[2], rows[2]; /* black, white */
} cpu_bitmap;

/* One worker with its memory. */
typedef struct cpu_aligner {
    const cpu_store *store;
    int threads; /* that share the rows of a pair */
    int words, pitch;
    cpu_bitmap reference, current;
    int16_t *columns; /* of two strips a thread: black and white, 64 * words each */
    uint8_t *bytes;   /* of each strip: as columns, and where the pixels of a block of rows are of the slice */
    int16_t *slice;   /* pixels of the slice by column or row */
    uint8_t *memory;
} cpu_aligner;

/* Rows at a time: their column counts stay in registers. */
#define CPU_EXPOSURE_BLOCK 8

/* Bytes of a strip in cpu_aligner.bytes. */
static inline size_t cpu_exposure_bytes(const cpu_aligner *a) {
    return (size_t)(2 + CPU_EXPOSURE_BLOCK) * 64 * a->words;
}

/* The levels of the frames that the pairs name and that have none yet, and the bits of the field. */
endo_status cpu_exposures_prepare(cpu_store *s, const endo_pair *pairs, size_t n);

endo_status cpu_aligner_create(cpu_aligner *a, const cpu_store *s, int threads);
void cpu_aligner_destroy(cpu_aligner *a);

/* The levels of the current frame where the frames overlap under a shift; returns how many pixels of the reference are
 * not above its threshold there (endo_exposure_match). */
int32_t cpu_exposure_overlap_levels(const cpu_aligner *a, const endo_pair *pair, int dx, int dy,
                                    endo_exposure_levels *levels);

/* Bits and counts of both frames. */
void cpu_bitmaps_make(cpu_aligner *a, const endo_pair *pair, const endo_exposure_choice *t);

#endif
