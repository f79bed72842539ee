/* Inner loops of mutual information. */
#ifndef ENDO_CPU_MUTUAL_LOOPS_H
#define ENDO_CPU_MUTUAL_LOOPS_H

#include "rules/mutual.h"

#include <stddef.h>
#include <stdint.h>

/* Two volumes at one level.
 *
 * An element of the moving volume holds four levels, of a voxel and of those at y + 1, z + 1 and both, each less 128: 64
 * bits are then the eight voxels around a position. (Gathers of two or four elements took twice the time: processors
 * take them apart into loads of each.) Around the volume is a border of one voxel, in which the outermost go on;
 * `moving` is the first voxel behind it. */
typedef struct cpu_mutual_level {
    int bins;
    int size[3], moving_size[3];
    const uint16_t *fixed; /* bins; `bins` where a voxel does not count */
    const uint32_t *moving;
    ptrdiff_t fixed_stride, moving_stride, moving_slice; /* elements; rows of `fixed` lie one behind the other, also
                                                            from slice to slice */
    uint32_t hot; /* place in the histogram that is probably the fullest: counted apart */
} cpu_mutual_level;

/* A histogram has a row more than there are bins, for voxels that do not count. */
static inline size_t cpu_mutual_counts(int bins) { return (size_t)(bins + 1) * (size_t)bins; }

/* Rows first .. last - 1 of the fixed volume, numbered through all slices, to be counted. */
typedef struct cpu_mutual_rows {
    const cpu_mutual_level *level;
    const endo_mutual_map *map;
    const endo_mutual_window *window; /* may be NULL */
    int nearest;
    int first, last;
    uint32_t *counts; /* cpu_mutual_counts(): added to */
} cpu_mutual_rows;

typedef struct cpu_mutual_loops {
    void (*count)(const cpu_mutual_rows *rows);
} cpu_mutual_loops;

extern const cpu_mutual_loops cpu_mutual_c;
#ifdef ENDO_X86
extern const cpu_mutual_loops cpu_mutual_avx2;
#endif

#endif
