/* From the sums of patches (rules/patches.h) to the motion of a pair: every patch says where it would have to go, with
 * the precision of its own intensities; a robust weighted fit of a class of transforms to all of them is one step of
 * Gauss and Newton on the intensities, with gain and offset free in every patch. */
#ifndef ENDO_SYSTEMS_PATCH_FIT_H
#define ENDO_SYSTEMS_PATCH_FIT_H

#include "include/endorama/context.h"
#include "rules/patch_step.h"

/* 0: too few pixels count (half of a patch), or they say nothing. x and y are the caller's. */
int endo_patch_measure(const endo_patch_sums *sums, int side, endo_patch *patch);

/* Two at a time, in little more time than one takes; known: what endo_patch_measure would return of each. */
void endo_patch_measure_two(const endo_patch_sums *one, const endo_patch_sums *other, int side, endo_patch patches[2],
                            int known[2]);

/* Correlation coefficient of the intensities under the map, -1..1; NaN: too few pixels count, or a side has (nearly) no
 * variance. */
double endo_patch_coefficient(const endo_patch_sums *sums, int side);

/* Covariance of the smoothed values of both sides under the map; NaN where endo_patch_coefficient is. */
double endo_patch_common(const endo_patch_sums *sums, int side);

/* How many of the six numbers a class has. */
int endo_motion_numbers(endo_transform_class kind);

/* Numbers that a fit of n patches needs room for. */
#define ENDO_PATCH_FIT_ROOM(n) (14 * ((size_t)(n) + 3))

/* 0: the patches do not determine a motion of the class. Sets their weights. cpu: the
 * limit of the instruction sets. */
int endo_patch_fit(endo_cpu cpu, endo_patch *patches, size_t n, endo_transform_class kind, double *room,
                   endo_patch_motion *out);

/* Moves the origin: sums and squares become those of patches that are measured after the motion. */
void endo_patch_shift(endo_patch_motion *m);

/* The simplest class whose misfit, over the scale, is not made up for by a richer one's: least chi^2 + penalty * numbers
 * * ln(2 * weights). start[k]: of each class, the motion that leads from the map to the nearest map of that class.
 * motion: the step from there. Classes up to `most`. */
endo_transform_class endo_patch_choose(const endo_patch_motion *m, const double start[][ENDO_MOTION],
                                       endo_transform_class most, double motion[ENDO_MOTION]);

/* Mean over a frame of width x height px and both axes of the variance of where a motion of the class takes a point,
 * px^2; side as above. */
double endo_patch_variance(const endo_patch_motion *m, endo_transform_class kind, int width, int height, double side);

#endif
