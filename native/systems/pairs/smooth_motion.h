/* A motion that changes smoothly over the frame, as that of a tilted plane, of a lens or of depth: against two motions, which
 * meet in a step. */
#ifndef ENDO_SYSTEMS_SMOOTH_MOTION_H
#define ENDO_SYSTEMS_SMOOTH_MOTION_H

#include <stddef.h>

/* Fits a quadratic in x and y to each axis of n displacements, `from` -> `to` (x and y interleaved, px), by weighted least
 * squares. Returns the weighted root mean square of what it leaves, px. weights: sum 1. */
double endo_smooth_motion_rest(const double *from, const double *to, const double *weights, size_t n);

#endif
