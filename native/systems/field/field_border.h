/* From a region of bright pixels to the mask of a field of view. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FIELD_BORDER_H
#define ENDO_SYSTEMS_FIELD_BORDER_H

#include "include/endorama.h"

/* The grid on which shapes are found: pixels spread evenly over the frame, borders included, so that a dark line along one of
 * them is seen; all pixels of frames up to ENDO_FIELD_SIDE. */
#define ENDO_FIELD_SIDE 640

typedef struct endo_field_grid {
    int width, height; /* size of the frame, px */
    int columns, rows; /* size of the grid, at most as many */
} endo_field_grid;

endo_field_grid endo_field_grid_of(int width, int height);

/* The frame's pixel for pixel i of n of the grid, where the frame has `side` pixels. */
static inline int endo_field_pixel_of(int i, int n, int side) {
    return n > 1 ? (int)(((int64_t)i * (side - 1) + (n - 1) / 2) / (n - 1)) : 0;
}

/* Distance between pixels of the grid, px of the frame. */
static inline double endo_field_pace(int n, int side) { return n > 1 ? (double)(side - 1) / (n - 1) : 1.0; }

/* Draws the mask, width x height: 255 where 17/20 of the surroundings are in the region (columns x rows, 0 or 255). Its
 * border is smooth, about two pixels of the grid inside that of the region, more in its corners, and without notches. The
 * region is continued beyond the frame's borders. threads: that draw it at most. Errors: MEMORY; the mask is then as before. */
ENDO_NODISCARD endo_status endo_field_draw(const endo_field_grid *grid, const uint8_t *region, int threads, uint8_t *mask);

#endif
