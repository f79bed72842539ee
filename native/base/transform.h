/* The transforms of endorama/transform.h. The first six numbers of every matrix that is no homography are an affine map
 * {m00, m01, m02, m10, m11, m12}; the endo_affine_ functions work on those. */
#ifndef ENDO_BASE_TRANSFORM_H
#define ENDO_BASE_TRANSFORM_H

#include "include/endorama/transform.h"
#include "host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An affine map in fixed point, 32 fractional bits: exact to step along a row by adding. */
typedef struct endo_fixed_affine {
    int64_t m[6];
} endo_fixed_affine;

ENDO_HD int endo_is_finite(double v) { return v - v == 0; }

/* Inverts a map; out may be the map itself. 0: the map cannot be inverted or is not finite, and out is untouched. Numbers are
 * negated by 0 - v, so that no shift becomes -0. */
ENDO_HD int endo_affine_invert(const double m[6], double out[6]) {
    double determinant = m[0] * m[4] - m[1] * m[3];
    if (!endo_is_finite(determinant) || !endo_is_finite(m[2]) || !endo_is_finite(m[5])) return 0;
    if (determinant < 1e-12 && determinant > -1e-12) return 0;
    double a = m[4] / determinant, b = (0 - m[1]) / determinant, x = m[2];
    double c = (0 - m[3]) / determinant, d = m[0] / determinant, y = m[5];
    out[0] = a;
    out[1] = b;
    out[2] = 0 - (a * x + b * y);
    out[3] = c;
    out[4] = d;
    out[5] = 0 - (c * x + d * y);
    return 1;
}

ENDO_HD void endo_affine_apply(const double m[6], double x, double y, double *out_x, double *out_y) {
    double px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
    *out_x = px;
    *out_y = py;
}

/* A transform from six numbers of a matrix of that class. */
ENDO_HD endo_transform endo_transform_make(endo_transform_class kind, const double m[6]) {
    endo_transform made = {kind, {m[0], m[1], m[2], m[3], m[4], m[5], 0, 0, 1}};
    return made;
}

/* The identity, as a translation. */
extern const endo_transform endo_transform_still;

/* Converts a map to fixed point; 0: an entry is too large. */
int endo_affine_to_fixed(const double matrix[6], endo_fixed_affine *out);

/* Inverts a transform (frame -> target) into a fixed-point map (target -> frame), for painting and the measure of quality,
 * which take the pixels of the target from the frame. 0: it cannot be inverted or does not fit; it must not be a homography. */
int endo_transform_map_back(const endo_transform *transform, endo_fixed_affine *map);

/* Whether the matrix has the form of the class, up to ENDO_TRANSFORM_TOLERANCE. */
int endo_transform_is_of_class(const double matrix[9], endo_transform_class kind);

/* endo_transform_invert, _compose, _apply (one point) and _project for transforms that were checked; 0: there is no result. */
int endo_transform_inverse(const endo_transform *transform, endo_transform *out);
int endo_transform_product(const endo_transform *first, const endo_transform *second, endo_transform *out);
int endo_transform_point(const endo_transform *transform, double x, double y, double *out_x, double *out_y);
int endo_transform_nearest(const endo_transform *transform, endo_transform_class kind, double x, double y,
                           endo_transform *out);

/* endo_transform_fit for arguments that were checked; 0: no unique solution. */
int endo_transform_solve(const double *from, const double *to, const double *weights, size_t n,
                         endo_transform_class kind, endo_transform *out);

#ifdef __cplusplus
}
#endif
#endif
