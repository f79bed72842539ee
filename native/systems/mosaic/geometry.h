/* Where frames lie: products of transforms, and what a transform makes of a whole frame or of a rectangle of pixels.
 * Transforms are values here; what cannot be inverted becomes NaN all over, and every comparison with it is false. */
#ifndef ENDO_MOSAIC_GEOMETRY_H
#define ENDO_MOSAIC_GEOMETRY_H

#include "base/transform.h"

/* Size of a frame, px. */
typedef struct mosaic_size {
    int width, height;
} mosaic_size;

/* The square root of x^2 + y^2, by that formula on every machine: the C library's own differs in its last bits. */
double length_of(double x, double y);

/* ------------------------------------------------------------------ transforms */

extern const endo_transform pose_identity; /* a translation */

endo_transform pose_translation(double dx, double dy);
endo_transform pose_scaling(double scale); /* so many pixels in place of one: corners of pixels stay on corners */

/* Leaves (x, y) where it is, and takes (x, y) + q to (x, y) + q / (1 + g . q); g in 1/px. */
endo_transform pose_perspective(const double g[2], double x, double y);

/* First `inner`, then `outer`; of the more general class of the two. */
endo_transform pose_times(const endo_transform *outer, const endo_transform *inner);

int pose_is_invertible(const endo_transform *t); /* its numbers are finite, and its determinant is not 0 */
endo_transform pose_inverse(const endo_transform *t);
endo_transform pose_between(const endo_transform *reference, const endo_transform *current); /* reference^-1 current */

int pose_is_homography(const endo_transform *t);
double pose_determinant(const endo_transform *t);
double pose_divisor(const endo_transform *t, double x, double y); /* what a homography divides by; 1 of other classes */
double pose_x(const endo_transform *t, double x, double y);
double pose_y(const endo_transform *t, double x, double y);

/* The affine map that does the same at a point and next to it; itself, where it is one. */
endo_transform pose_tangent(const endo_transform *t, double x, double y);

/* Of affine maps: the ratio of the singular values, 1 or more; and the larger of them. */
double pose_singular_ratio(const endo_transform *t);
double pose_longest(const endo_transform *t);

/* ----------------------------------------------------------------- over a frame */

/* All of a frame lies before the horizon of the plane that a homography tilts it into. */
int frame_is_before_horizon(mosaic_size frame, const endo_transform *pose);

/* The same, and no pixel at its corners becomes wider than 32 px: it can be painted. */
int frame_is_shown(mosaic_size frame, const endo_transform *pose);

/* Pixels that a frame's pixel is wide at its pose: root mean square over all directions and the frame. */
double frame_scale(mosaic_size frame, const endo_transform *pose);

/* The tangent in the frame's middle. */
endo_transform frame_middle(mosaic_size frame, const endo_transform *pose);

/* Root mean square distance of where two transforms take the centres of the corner pixels, px. */
double frame_corner_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b);

/* The same over all of the frame; infinite where one of them takes a point of it nowhere. */
double frame_distance(mosaic_size frame, const endo_transform *a, const endo_transform *b);

/* ------------------------------------------------------------------- rectangles */

/* Whole pixels; right and bottom are exclusive. */
typedef struct mosaic_rect {
    int left, top, right, bottom;
} mosaic_rect;

static inline int rect_width(mosaic_rect r) { return r.right - r.left; }
static inline int rect_height(mosaic_rect r) { return r.bottom - r.top; }
static inline int64_t rect_area(mosaic_rect r) { return (int64_t)rect_width(r) * rect_height(r); }

int rect_contains(mosaic_rect r, mosaic_rect inner);
mosaic_rect rect_union(mosaic_rect a, mosaic_rect b);

/* The smallest rectangle that holds what a transform makes of r; 0: it is beyond reach (2^29 px, or the horizon). */
int rect_transformed(mosaic_rect r, const endo_transform *t, mosaic_rect *out);

/* Share of r, 0..1, that lies in what a transform makes of it; 0 where that is endless. */
double rect_covered_by(mosaic_rect r, const endo_transform *t);

#endif
