/* The effect of a lens that is not corrected on the poses of frames. Edges of distorted frames have an error: the part of the
 * distortion that their class of transforms takes for motion; it adds up along the sequence. Poses are chained as registered
 * and without that error, over the edges whose frames lie nearest to each other. */
#ifndef ENDO_MOSAIC_LENS_DRIFT_H
#define ENDO_MOSAIC_LENS_DRIFT_H

#include "edges.h"
#include "geometry.h"

typedef struct lens_drift {
    double lambda;
    double middle_x; /* centre of a frame, px */
    double middle_y;
    double unit;  /* half of the longer side, px */
    double reach; /* half side of the square whose pixels have the field's root mean square distance from the centre, px */
} lens_drift;

/* spread: root mean square distance of the field's pixels from the frame's centre, px. */
lens_drift lens_drift_of(double lambda, mosaic_size size, double spread);

/* Removes the lens from a step that was registered in a class of transforms. */
endo_transform lens_drift_straight(const lens_drift *lens, const endo_transform *step, int64_t kind);

/* Displacement of each of n frames relative to the first one of its component, px of that, root mean square over the frame.
 * component: one a frame; 0: none. Fails with MEMORY alone. */
endo_status lens_drift_distances(const lens_drift *lens, const mosaic_edges *edges, const endo_transform *pose,
                                 const int *component, int n, double *off);

#endif
