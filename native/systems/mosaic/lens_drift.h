/* What a lens that is not taken out does to the poses of frames. An edge of distorted frames is registered wrong by what of the
 * distortion its class of transforms takes for motion; along the sequence that adds up. Poses are chained once as they are and
 * once without it, over the edges whose frames lie nearest to each other. */
#ifndef ENDO_MOSAIC_LENS_DRIFT_H
#define ENDO_MOSAIC_LENS_DRIFT_H

#include "edges.h"
#include "geometry.h"

typedef struct lens_drift {
    double lambda;
    double middle_x, middle_y; /* of a frame, px */
    double unit;               /* half of the longer side, px */
    double reach;              /* half of a square that reaches as far from the middle as the field does, px */
} lens_drift;

/* Of a lens; spread: root mean square distance of the field's pixels from the frame's middle, px. */
lens_drift lens_drift_of(double lambda, mosaic_size size, double spread);

/* A step as it would be without the lens; it was registered in a class of transforms. */
endo_transform lens_drift_straight(const lens_drift *lens, const endo_transform *step, int64_t kind);

/* How far each of n frames is put off against the first one of its component, px of that one, root mean square over the frame.
 * component: of each frame; 0: none. MEMORY alone. */
endo_status lens_drift_distances(const lens_drift *lens, const mosaic_edges *edges, const endo_transform *pose,
                                 const int *component, int n, double *off);

#endif
