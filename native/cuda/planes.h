/* Planes and volumes in device memory. */
#ifndef ENDO_CUDA_PLANES_H
#define ENDO_CUDA_PLANES_H

#include "base/planes.h"
#include "arena.h"

/* Slices begin at multiples of this many elements. */
#define CUDA_PLANE_SLICE 256

/* A plane or volume of pixels in device memory: rows as base/planes.h pads them, slices at multiples of 256 elements. With
 * an edge every slice has a column and a row more than its format says: its owner repeats the last ones there, and bilinear
 * sampling needs no edge case. */
typedef struct cuda_plane {
    endo_plane_format format;
    int edge;                /* 0 or 1 */
    ptrdiff_t stride, slice; /* elements from row to row, from slice to slice */
    uint8_t *samples;        /* on the device, of any type; NULL while the arena has only counted them */
} cuda_plane;

cuda_plane cuda_plane_take(cuda_arena *a, const endo_plane_format *format, int edge);

/* The first sample of slice z. */
static inline void *cuda_plane_slice(const cuda_plane *p, int z) {
    return p->samples ? p->samples + (size_t)z * (size_t)p->slice * endo_plane_element(p->format.type) : NULL;
}

#endif
