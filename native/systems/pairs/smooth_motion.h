/* A motion that changes smoothly over the frame, as that of a tilted plane, of a lens or of depth: a quadratic in x and y for
 * each axis. Two motions meet in a step instead. */
#ifndef ENDO_SYSTEMS_SMOOTH_MOTION_H
#define ENDO_SYSTEMS_SMOOTH_MOTION_H

#include <stddef.h>

#define ENDO_SMOOTH_TERMS 6

typedef struct endo_smooth_motion {
    double x, y, scale;                   /* coordinates are taken from here, px, times this, 1/px */
    double numbers[2][ENDO_SMOOTH_TERMS]; /* of each axis, px */
} endo_smooth_motion;

/* What the motion leaves of a displacement at a point, px. */
void endo_smooth_motion_rest(const endo_smooth_motion *motion, const double point[2], const double displacement[2],
                             double rest[2]);

/* Fits n displacements, px, at n points, px (x and y interleaved), robustly: Tukey's weights about the median of what is left.
 * weights: overwritten; workspace: 3 n numbers. */
endo_smooth_motion endo_smooth_motion_fit_robustly(const double *points, const double *displacements, double *weights, size_t n,
                                                   double *workspace);

#endif
