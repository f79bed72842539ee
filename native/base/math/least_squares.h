/* The one solver of normal equations: a plane d = c0 + c1 x + c2 y through weighted points (x, y, d).
 *
 * The optical flow fits one plane to each component of its motion vectors, in exact integer sums; the fit of a transform
 * one to each coordinate. Cramer's rule with cofactors, in single operations in the order written here, gives
 * every back end the same bits. */
#ifndef ENDO_BASE_LEAST_SQUARES_H
#define ENDO_BASE_LEAST_SQUARES_H

#include "base/host_device.h"

/* A determinant below this share of the diagonal's product is rounding: the points lie on a line. */
#define ENDO_PLANE_SINGULAR 1e-10

/* Fits the plane. s: the sums of w, wx, wy, wxx, wxy, wyy; r: the sums of wd, wxd, wyd. 0, and c untouched, if there is no
 * unique solution or a sum is NaN. */
ENDO_HD int endo_plane_solve(const double s[6], const double r[3], double c[3]) {
    /* Cofactors of {{s0 s1 s2} {s1 s3 s4} {s2 s4 s5}}. */
    double c00 = s[3] * s[5] - s[4] * s[4], c01 = s[2] * s[4] - s[1] * s[5], c02 = s[1] * s[4] - s[2] * s[3];
    double c11 = s[0] * s[5] - s[2] * s[2], c12 = s[1] * s[2] - s[0] * s[4], c22 = s[0] * s[3] - s[1] * s[1];
    double determinant = s[0] * c00 + s[1] * c01 + s[2] * c02;
    if (!(determinant > ENDO_PLANE_SINGULAR * s[0] * s[3] * s[5])) return 0;
    c[0] = (c00 * r[0] + c01 * r[1] + c02 * r[2]) / determinant;
    c[1] = (c01 * r[0] + c11 * r[1] + c12 * r[2]) / determinant;
    c[2] = (c02 * r[0] + c12 * r[1] + c22 * r[2]) / determinant;
    return 1;
}

#endif
