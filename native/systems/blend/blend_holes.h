/* What is painted where the frames that see a place well show a highlight there, and others paint in their stead. */
#ifndef ENDO_SYSTEMS_BLEND_HOLES_H
#define ENDO_SYSTEMS_BLEND_HOLES_H

#include "backend/objects.h"

/* Cells, those of a hole and those beyond its edge, on which the lift of one of them depends, each way. */
#define ENDO_BLEND_HOLE_REACH 19

/* A rectangle of cells. light: three numbers for each, in 1/4096 of the range with `fine` fractional bits, which are added to
 * its narrow mean. */
typedef struct endo_blend_holes {
    const endo_blend_cell *cells;
    const int32_t *light;
    int columns, rows, fine;
    uint32_t *weights, *across, *down; /* of the cells' surveys, and the most in the FAR cells behind, and below */
    int32_t *lifts;                    /* as light; 0 outside of holes */
    uint8_t *holes;                    /* ENDO_BLEND_IN_HOLE, ENDO_BLEND_BESIDE_HOLE or 0 */
} endo_blend_holes;

enum { ENDO_BLEND_BESIDE_HOLE = 1, ENDO_BLEND_IN_HOLE };

/* Takes memory for a rectangle, which endo_blend_holes_free gives back also after a failure: 0. */
int endo_blend_holes_make(endo_blend_holes *h);
void endo_blend_holes_free(endo_blend_holes *h);

/* Finds holes and lifts, once. */
void endo_blend_find_holes(const endo_blend_holes *h, int threads);

/* The lift of channel c at the pixel i, j of a cell, each 0..3; 0 but in a hole or beside it. */
int32_t endo_blend_lift_at(const endo_blend_holes *h, int column, int row, int i, int j, int c);

#endif
