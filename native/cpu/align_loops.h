/* Inner loops of the alignment on intensities (rules/fourier_align.h). */
#ifndef ENDO_CPU_ALIGN_LOOPS_H
#define ENDO_CPU_ALIGN_LOOPS_H

#include "rules/fourier_align.h"

#include <stddef.h>
#include <stdint.h>

/* Pixels from .. to - 1 of a row of the reference, each of which has its four neighbours, and lies between four pixels of
 * the current image. from >= to: none does. */
typedef struct cpu_align_row {
    int y, from, to;
    int32_t coordinate; /* endo_align_coordinate() of the row */
} cpu_align_row;

/* Rows of the reference, and where they lie in the current image. Values are high-passed, the first of each image. */
typedef struct cpu_align_rows {
    const int16_t *reference, *current;
    ptrdiff_t reference_stride, current_stride;
    const int16_t *columns; /* endo_align_coordinate() of every column */
    const int64_t *map;
    int is_whole; /* no value is INVALID */
    const cpu_align_row *rows;
    int n;
} cpu_align_rows;

typedef struct cpu_align_loops {
    void (*add_rows)(const cpu_align_rows *rows, endo_align_sums *sums);
} cpu_align_loops;

extern const cpu_align_loops cpu_align_c;
#ifdef ENDO_X86
extern const cpu_align_loops cpu_align_avx2;
extern const cpu_align_loops cpu_align_avx512;
#endif

#endif
