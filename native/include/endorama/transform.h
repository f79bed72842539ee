/* Transforms of the plane, each with its class. All lead from the coordinates of a frame to those of its reference (of the
 * first frame, or of the panorama, for the poses of a sequence). */
#ifndef ENDORAMA_TRANSFORM_H
#define ENDORAMA_TRANSFORM_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Classes from the simplest to the most general: each includes those before it. */
typedef enum endo_transform_class {
    ENDO_TRANSFORM_TRANSLATION = 0, /* a shift */
    ENDO_TRANSFORM_RIGID = 1,       /* a rotation and a shift */
    ENDO_TRANSFORM_SIMILARITY = 2,  /* a rotation, a change of scale and a shift */
    ENDO_TRANSFORM_AFFINE = 3,      /* any linear map and a shift */
    ENDO_TRANSFORM_HOMOGRAPHY = 4   /* any projective map */
} endo_transform_class;

/* A transform takes (x, y) to (x', y'): with m = matrix and w = m[6]*x + m[7]*y + m[8],
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

/* OK if the class is valid, every number finite and the matrix of that class. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_transform_check(const endo_transform *transform);

/* The inverse, of the same class; a homography is scaled so that its last number is 1, where that is not 0.
 * inverse may be the transform itself. Errors: ARGUMENT (endo_transform_check; a matrix that cannot be inverted). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_invert(const endo_transform *transform, endo_transform *inverse);

/* Applies `first`, then `second`; the product has the more general class of the two; a homography is scaled as by
 * endo_transform_invert. product may be one of them. Errors: ARGUMENT (endo_transform_check; a product that is not finite). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_compose(const endo_transform *first, const endo_transform *second,
                                                           endo_transform *product);

/* Transforms n points (x, y interleaved, px). moved: 2*n numbers, may be the points themselves. Errors: ARGUMENT
 * (endo_transform_check; a point that is not finite or goes to infinity). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_apply(const endo_transform *transform, const double *points,
                                                         size_t n, double *moved);

/* The nearest transform of a class: it takes the point (x, y) to the same position, and its linear part differs least, in the
 * sum of squared differences, among those of the class. The linear part of a homography is its derivative at the point. A more
 * general class keeps the matrix. Errors: ARGUMENT (endo_transform_check; a class out of range; a point that is not finite or
 * goes to infinity; no nearest one: a mirror image has no nearest rotation). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_project(const endo_transform *transform, endo_transform_class kind,
                                                           double x, double y, endo_transform *nearest);

/* Fits the transform of a class that takes from[i] nearest to to[i] (x, y interleaved, n points): the sum over i of
 * weights[i] times the squared distance is least. weights: n numbers, 0 or more; NULL: 1 each. *solved = 1, or 0 and the
 * transform untouched where no single one is the best: a translation needs one point of a weight above 0, rigid and
 * similarity two that differ (in both lists), affine three that are not on a line.
 * Errors: ARGUMENT (NULL; a point or weight that is not finite; a negative weight; a class out of range), UNSUPPORTED
 * (HOMOGRAPHY). */
ENDO_API ENDO_NODISCARD endo_status endo_transform_fit(const double *from, const double *to, const double *weights,
                                                       size_t n, endo_transform_class kind, endo_transform *transform,
                                                       int *solved);

#ifdef __cplusplus
}
#endif
#endif
