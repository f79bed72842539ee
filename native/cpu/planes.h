/* Planes and volumes in host memory. */
#ifndef ENDO_CPU_PLANES_H
#define ENDO_CPU_PLANES_H

#include "base/planes.h"
#include "arena.h"

/* A plane or volume of pixels in host memory: rows and slices as base/planes.h pads them, so that every row begins at a
 * multiple of 64 bytes. With an edge every slice has a column and a row more than its format says: its owner repeats the last
 * ones there, and bilinear sampling needs no edge case. */
typedef struct cpu_plane {
    endo_plane_format format;
    int edge;                /* 0 or 1 */
    ptrdiff_t stride, slice; /* elements from row to row, from slice to slice */
    uint8_t *samples;        /* of any type; NULL while the arena has only counted them */
} cpu_plane;

cpu_plane cpu_plane_take(cpu_arena *a, const endo_plane_format *format, int edge);

/* The first sample of slice z. */
static inline void *cpu_plane_slice(const cpu_plane *p, int z) {
    return p->samples ? p->samples + (size_t)z * (size_t)p->slice * endo_plane_element(p->format.type) : NULL;
}

/* The row below the last becomes its copy; for planes with an edge. */
void cpu_plane_repeat_row(const cpu_plane *p, int z);

#endif
