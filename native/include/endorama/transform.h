/* Transforms of the plane, each with its class. One direction everywhere: from the coordinates of a frame to those
 * of its reference (of the first frame, or of the panorama, for the transforms of a whole sequence). */
#ifndef ENDORAMA_TRANSFORM_H
#define ENDORAMA_TRANSFORM_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each class holds those before it. */
typedef enum endo_transform_class {
    ENDO_TRANSFORM_TRANSLATION = 0, /* a shift */
    ENDO_TRANSFORM_RIGID = 1,       /* and a turn */
    ENDO_TRANSFORM_SIMILARITY = 2,  /* and a change of scale */
    ENDO_TRANSFORM_AFFINE = 3,      /* any linear map and a shift */
    ENDO_TRANSFORM_HOMOGRAPHY = 4   /* any projective map */
} endo_transform_class;

/* With m = matrix and w = m[6]*x + m[7]*y + m[8]:
 *     x' = (m[0]*x + m[1]*y + m[2]) / w,   y' = (m[3]*x + m[4]*y + m[5]) / w.
 * Plain data without padding. */
typedef struct endo_transform {
    int64_t kind;     /* endo_transform_class */
    double matrix[9]; /* row by row, px; the last row is 0 0 1 in every class but HOMOGRAPHY */
} endo_transform;

/* A matrix may differ by this much from the form of its class, relative to its largest number that is no shift. */
#define ENDO_TRANSFORM_TOLERANCE 1e-9

/* The identity, as a translation. */
ENDO_API endo_transform endo_transform_identity(void);

/* Six numbers {m00, m01, m02, m10, m11, m12} as an affine transform. Not checked. */
ENDO_API endo_transform endo_transform_of_affine(const double numbers[6]);

/* OK if the class is one of the above, every number finite and the matrix of that class. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_transform_check(const endo_transform *transform);

/* What undoes it: of the same class; a homography is scaled so that its last number is 1, where that is not 0.
 * inverse may be the transform itself. Errors: ARGUMENT (endo_transform_check; a matrix that cannot be inverted). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_invert(const endo_transform *transform, endo_transform *inverse);

/* First `first`, then `second`, of the more general class of the two; a homography is scaled as above. product may be
 * one of them. Errors: ARGUMENT (endo_transform_check; a product that is not finite). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_compose(const endo_transform *first, const endo_transform *second,
                                                           endo_transform *product);

/* Where n points (x, y interleaved, px) go. moved: 2*n numbers, may be the points themselves. Errors: ARGUMENT
 * (endo_transform_check; a point that is not finite or goes to infinity). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_apply(const endo_transform *transform, const double *points,
                                                         size_t n, double *moved);

/* The nearest transform of a class: the point (x, y) goes to the same place, and around it the numbers of the linear
 * part are those of the class with the least sum of squared differences. Of a homography the linear part is its
 * derivative at the point. To a more general class: the same matrix. Errors: ARGUMENT (endo_transform_check; a class
 * out of range; a point that is not finite or goes to infinity; no nearest one: a mirror image has no nearest turn). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_project(const endo_transform *transform, endo_transform_class kind,
                                                           double x, double y, endo_transform *nearest);

/* The transform of a class that takes from[i] nearest to to[i] (x, y interleaved, n points): the sum over i of
 * weights[i] times the squared distance is least. weights: n numbers, 0 or more; NULL: 1 each. *solved = 1 and the
 * transform, or *solved = 0 and the transform untouched where no single one is the best: a translation takes one point
 * of a weight above 0, rigid and similarity two that differ (in both lists), affine three that are not on a line.
 * Errors: ARGUMENT (NULL; a point or weight that is not finite; a negative weight; a class out of range), UNSUPPORTED
 * (HOMOGRAPHY). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_fit(const double *from, const double *to, const double *weights,
                                                       size_t n, endo_transform_class kind, endo_transform *transform,
                                                       int *solved);

#ifdef __cplusplus
}
#endif
#endif
