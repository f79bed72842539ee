/* A convex outline around what may be painted of a frame: rows of a panorama leave out at once what lies outside. */
#ifndef ENDO_CPU_OUTLINE_H
#define ENDO_CPU_OUTLINE_H

#include "base/projection.h"

#include <stddef.h>

enum { CPU_OUTLINE_SIDES = 16 };

/* Half-planes, whose normals go round in equal steps: how far along each of them what may be painted reaches, px. */
typedef struct cpu_outline {
    double reach[CPU_OUTLINE_SIDES];
} cpu_outline;

/* An outline in the panorama: along each side x = at + step * y. */
typedef struct cpu_outline_lines {
    double at[CPU_OUTLINE_SIDES], step[CPU_OUTLINE_SIDES];
    int from_left; /* bits: what lies left of this line is outside, else what lies right of it */
} cpu_outline_lines;

/* The outline of a mask of width x height. A mark: positions from it to the next pixel, along rows and columns, may be
 * painted. */
cpu_outline cpu_outline_find(const uint8_t *marks, ptrdiff_t stride, int width, int height);

/* map: panorama -> frame. */
cpu_outline_lines cpu_outline_place(const cpu_outline *outline, const endo_canvas_map *map);

/* Leaves out pixels of a row's from .. to - 1 that lie outside, but for a few; *to is *from where nothing is left. */
void cpu_outline_clip(const cpu_outline_lines *lines, int y, int *from, int *to);

#endif
