/* Holes of a blend: cells where the frames that see them well show a highlight, and others are painted instead. */
#ifndef ENDO_SYSTEMS_BLEND_HOLES_H
#define ENDO_SYSTEMS_BLEND_HOLES_H

#include "backend/objects.h"
#include "base/block.h"

/* How many cells in each direction the lift of a cell depends on. */
#define ENDO_BLEND_HOLE_REACH 19

/* A rectangle of cells. light: three numbers for each, in 1/4096 of the range with `fine` fractional bits, which are added to
 * its narrow mean. */
typedef struct endo_blend_holes {
    const endo_blend_cell *cells;
    const int32_t *light;
    int columns, rows, fine;
    uint32_t *weights, *across, *down; /* the survey's, and the greatest in the FAR cells to the right, and below */
    int32_t *lifts;                    /* in the unit of light; 0 outside of holes */
    uint8_t *holes;                    /* ENDO_BLEND_IN_HOLE, ENDO_BLEND_BESIDE_HOLE or 0 */
} endo_blend_holes;

enum { ENDO_BLEND_BESIDE_HOLE = 1, ENDO_BLEND_IN_HOLE };

/* Takes the arrays of a rectangle out of a block, and clears those that are only partly written. */
void endo_blend_holes_take(endo_blend_holes *h, endo_block *block);
void endo_blend_holes_clear(endo_blend_holes *h);

/* Finds holes and lifts, once. */
void endo_blend_find_holes(const endo_blend_holes *h, int threads);

/* The lift of channel c at the pixel i, j of a cell, each 0..3; 0 but in a hole or beside it. */
int32_t endo_blend_lift_at(const endo_blend_holes *h, int column, int row, int i, int j, int c);

#endif
