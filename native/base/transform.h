/* Affine maps of the plane: {m00, m01, m02, m10, m11, m12}. */
#ifndef ENDO_BASE_TRANSFORM_H
#define ENDO_BASE_TRANSFORM_H

#include "../include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An affine map in fixed point, 32 fractional bits: exact to step along a row by adding. */
typedef struct endo_fixed_affine {
    int64_t m[6];
} endo_fixed_affine;

extern const double endo_affine_identity[6];

/* 0 if the map cannot be inverted (or is not finite); out untouched then. */
int endo_affine_invert(const double matrix[6], double out[6]);

void endo_affine_apply(const double matrix[6], double x, double y, double *out_x, double *out_y);

/* 0 if an entry does not fit 32 integer bits. */
int endo_affine_to_fixed(const double matrix[6], endo_fixed_affine *out);

/* Least squares over n points (x, y interleaved); weights are 1. 0: no unique solution. */
int endo_affine_solve(const double *from, const double *to, size_t n, endo_warp warp, double matrix[6]);

#ifdef __cplusplus
}
#endif
#endif
