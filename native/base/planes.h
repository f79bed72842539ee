/* Planes and volumes: the types of their elements, and how every back end pads their rows. */
#ifndef ENDO_BASE_PLANES_H
#define ENDO_BASE_PLANES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum endo_plane_type {
    ENDO_PLANE_U8,
    ENDO_PLANE_U16,
    ENDO_PLANE_S16,
    ENDO_PLANE_U32,    /* RGB, as ENDO_RGB32 */
    ENDO_PLANE_F32,
    ENDO_PLANE_COMPLEX /* real and imaginary part, two floats */
} endo_plane_type;

/* A plane is a volume of depth 1; each side is at least 1. */
typedef struct endo_plane_format {
    endo_plane_type type;
    int width, height, depth;
} endo_plane_format;

/* Bytes of an element; 0: no such type. */
size_t endo_plane_element(endo_plane_type type);

/* Rows begin at multiples of this many elements; as many may be read (not used) beyond the last row of a slice. */
#define ENDO_PLANE_ROW 64

/* Elements from row to row. edge: columns that are kept beyond the width, 0 or 1. */
static inline ptrdiff_t endo_plane_stride(int width, int edge) {
    return ((ptrdiff_t)width + edge + ENDO_PLANE_ROW - 1) / ENDO_PLANE_ROW * ENDO_PLANE_ROW;
}

#ifdef __cplusplus
}
#endif
#endif
