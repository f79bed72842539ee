/* Poses of frames: products of transforms, and what a transform does to a frame or to a rectangle of pixels. Transforms are
 * passed by value; what cannot be inverted becomes NaN in all numbers, and every comparison with it is false. */
#ifndef ENDO_MOSAIC_GEOMETRY_H
#define ENDO_MOSAIC_GEOMETRY_H

#include "base/transform.h"

/* Size of a frame, px. */
typedef struct mosaic_size {
    int width;
    int height;
} mosaic_size;

/* The square root of x^2 + y^2 by that formula, the same on every machine: hypot of C libraries differs in its last bits. */
double length_of(double x, double y);

/* ------------------------------------------------------------------ transforms */

extern const endo_transform pose_identity; /* a translation */

endo_transform pose_translation(double dx, double dy);
endo_transform pose_scaling(double scale); /* about a pixel's corner, so that corners of pixels stay on corners */

/* The homography that leaves (x, y) in place and takes (x, y) + q to (x, y) + q / (1 + g . q); g in 1/px. */
endo_transform pose_perspective(const double g[2], double x, double y);

/* The transform `inner` followed by `outer`, of the more general class of the two. */
endo_transform pose_times(const endo_transform *outer, const endo_transform *inner);

int pose_is_invertible(const endo_transform *t); /* finite, and the determinant is not 0 */
endo_transform pose_inverse(const endo_transform *t);
endo_transform pose_between(const endo_transform *reference, const endo_transform *current); /* reference^-1 current */

int pose_is_homography(const endo_transform *t);
double pose_determinant(const endo_transform *t);
double pose_divisor(const endo_transform *t, double x, double y); /* denominator of a homography; 1 of other classes */
double pose_x(const endo_transform *t, double x, double y);
double pose_y(const endo_transform *t, double x, double y);

/* The affine map with the same value and derivative at a point; of affine maps the transform itself. */
endo_transform pose_tangent(const endo_transform *t, double x, double y);

/* Ratio of the singular values of an affine map, 1 or more; and its larger singular value. */
double pose_singular_ratio(const endo_transform *t);
double pose_longest(const endo_transform *t);

/* ----------------------------------------------------------------- over a frame */

/* Returns whether all of a frame lies before the horizon of a homography. */
int frame_is_before_horizon(mosaic_size frame, const endo_transform *pose);

/* Returns whether a frame lies before the horizon with no pixel at its corners wider than 32 px, so that it can be painted. */
int frame_is_shown(mosaic_size frame, const endo_transform *pose);

/* Width of a frame's pixel at its pose, px: root mean square over all directions and the frame. */
double frame_scale(mosaic_size frame, const endo_transform *pose);

/* The tangent at the frame's centre. */
endo_transform frame_middle(mosaic_size frame, const endo_transform *pose);

/* Root mean square distance between the corner pixels' centres under two transforms, px. */
double frame_corner_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b);

/* Root mean square distance between two transforms over the frame, px; infinite where one of them takes a point to infinity. */
double frame_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b);

/* ------------------------------------------------------------------- rectangles */

/* Rectangle of whole pixels; right and bottom are exclusive. */
typedef struct mosaic_rect {
    int left;
    int top;
    int right;
    int bottom;
} mosaic_rect;

static inline int rect_width(mosaic_rect r) { return r.right - r.left; }
static inline int rect_height(mosaic_rect r) { return r.bottom - r.top; }
static inline int64_t rect_area(mosaic_rect r) { return (int64_t)rect_width(r) * rect_height(r); }

int rect_contains(mosaic_rect r, mosaic_rect inner);
mosaic_rect rect_union(mosaic_rect a, mosaic_rect b);

/* Bounds of the transformed rectangle; 0: it reaches beyond 2^29 px, or the horizon. */
int rect_transformed(mosaic_rect r, const endo_transform *t, mosaic_rect *out);

/* Share of r, 0..1, that the transformed r covers; 0 where that is infinite. */
double rect_covered_by(mosaic_rect r, const endo_transform *t);

#endif
