/* From the sums of patches (rules/patches.h) to the motion of a pair: each patch gives a shift, with the precision that its
 * intensities allow; a robust weighted fit of a class of transforms to all of them is one step of Gauss and Newton on the
 * intensities, with gain and offset free in every patch. */
#ifndef ENDO_SYSTEMS_PATCH_FIT_H
#define ENDO_SYSTEMS_PATCH_FIT_H

#include "include/endorama/context.h"
#include "rules/patch_step.h"

/* Sets all of a patch but x and y. Returns 0 where less than half of its pixels count, or they have no texture. */
int endo_patch_measure(const endo_patch_sums *sums, int side, endo_patch *patch);

/* Measures two patches in little more time than one takes; known: what endo_patch_measure returns for each. */
void endo_patch_measure_two(const endo_patch_sums *one, const endo_patch_sums *other, int side, endo_patch patches[2],
                            int known[2]);

/* Correlation coefficient of the intensities under the map, -1..1; NaN: too few pixels count, or a frame has (nearly) no
 * variance there. */
double endo_patch_coefficient(const endo_patch_sums *sums, int side);

/* Covariance of the smoothed values of both frames under the map; NaN where endo_patch_coefficient is. */
double endo_patch_common(const endo_patch_sums *sums, int side);

/* How many of the six parameters a class has. */
int endo_motion_numbers(endo_transform_class kind);

/* Numbers in the workspace of a fit of n patches. */
#define ENDO_PATCH_FIT_WORKSPACE(n) (14 * ((size_t)(n) + 3))

/* Returns 0 where the patches do not determine a motion of the class. Sets their weights. cpu: the limit of the
 * instruction sets. */
int endo_patch_fit(endo_cpu cpu, endo_patch *patches, size_t n, endo_transform_class kind, double *workspace,
                   endo_patch_motion *out);

/* Moves the origin: sums and squares become those of patches that are measured after the motion. */
void endo_patch_shift(endo_patch_motion *m);

/* Chooses a class by an information criterion: least chi^2 + penalty * parameters * ln(2 * weights), classes up to `most`.
 * start[k]: the motion from the map to the nearest map of class k. motion: the step from there. */
endo_transform_class endo_patch_choose(const endo_patch_motion *m, const double start[][ENDO_MOTION],
                                       endo_transform_class most, double motion[ENDO_MOTION]);

/* Variance of where a motion of the class takes a point, px^2: mean over a frame of width x height px and both axes.
 * half: px that 1 stands for in the coordinates of the patches. */
double endo_patch_variance(const endo_patch_motion *m, endo_transform_class kind, int width, int height, double half);

#endif
