/* From the sums of patches (rules/patches.h) to the motion of a pair: every patch says where it would have to go, with
 * the precision of its own intensities; a robust weighted fit of a class of transforms to all of them is one step of
 * Gauss and Newton on the intensities, with gain and offset free in every patch. */
#ifndef ENDO_SYSTEMS_PATCH_FIT_H
#define ENDO_SYSTEMS_PATCH_FIT_H

#include "../base/transform.h"
#include "../rules/patches.h"

/* Numbers of the motions of a class are the first ones of an affine motion's: shift in x and y, turn, growth, and two
 * shears (x, -y) and (y, x); px at the distance `side` from the middle of the frame. */
#define ENDO_MOTION 6

/* What a patch says. */
typedef struct endo_patch {
    double x, y;           /* its centre from the middle of the frame, over `side` */
    double dx, dy;         /* how far its content lies from where the map takes it, px of the reference */
    double xx, xy, yy;     /* the inverse of the covariance of dx and dy, px^-2 */
    double coefficient;    /* of the intensities under the map, -1..1 */
    double noise;          /* of xx + yy, what noise of the reference's gradients can make up, >= 0 */
    double weight;         /* in the last fit, 0..1 */
} endo_patch;

/* A step, and what it is made from. */
typedef struct endo_patch_motion {
    double motion[ENDO_MOTION];
    double normal[ENDO_MOTION][ENDO_MOTION], right[ENDO_MOTION]; /* of all six, weighted */
    double squares; /* sum of weighted squared distances from no motion at all, by the patches' precision */
    double weights; /* their sum */
    double scale;   /* what the squared distances are of what the patches' precision says */
    double whole;   /* sum of the patches' precisions, weighted */
    double share;   /* of the patches' precision that is the scene's, and not noise of the reference's gradients: of the
                       way that is left, a step is so much; LEAST_SHARE..1 */
} endo_patch_motion;

/* 0: too few pixels count (half of a patch), or they say nothing. x and y are the caller's. */
int endo_patch_measure(const endo_patch_sums *sums, int side, endo_patch *patch);

/* Two at a time, in little more time than one takes; known: what endo_patch_measure would return of each. */
void endo_patch_measure_two(const endo_patch_sums *one, const endo_patch_sums *other, int side, endo_patch patches[2],
                            int known[2]);

/* Of the intensities under the map, -1..1; NaN: too few pixels count, or a side has (nearly) no variance. */
double endo_patch_coefficient(const endo_patch_sums *sums, int side);

/* Covariance of both under the map, of smoothed values; NaN as there. */
double endo_patch_common(const endo_patch_sums *sums, int side);

/* How many of the six numbers a class has. */
int endo_motion_numbers(endo_transform_class kind);

/* Numbers that a fit of n patches needs room for. */
#define ENDO_PATCH_FIT_ROOM(n) (12 * ((size_t)(n) + 3))

/* 0: the patches do not determine a motion of the class. Sets their weights. */
int endo_patch_fit(endo_patch *patches, size_t n, endo_transform_class kind, double *room, endo_patch_motion *out);

/* As if the patches had been measured after the motion. */
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
