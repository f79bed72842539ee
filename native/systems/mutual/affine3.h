/* Affine maps of space: 16 numbers, row by row, the last row 0 0 0 1 (endorama/mutual.h). */
#ifndef ENDO_SYSTEMS_AFFINE3_H
#define ENDO_SYSTEMS_AFFINE3_H

#include "rules/mutual.h"

void endo_affine3_identity(double out[16]);

/* The map `first`, then `second`. out may be either. */
void endo_affine3_product(const double first[16], const double second[16], double out[16]);

/* Returns 0 where the map cannot be inverted, or is not finite; out is then untouched. out may be m. */
int endo_affine3_invert(const double m[16], double out[16]);

void endo_affine3_apply(const double m[16], const double from[3], double to[3]);

/* Whether all numbers are finite, and the last row is 0 0 0 1. */
int endo_affine3_is_affine(const double m[16]);

/* Converts to fixed point, with a gain of 1. Returns 0 if a number is too large for 32 fractional bits (endo_mutual_map). */
int endo_affine3_to_fixed(const double m[16], endo_mutual_map *out);

#endif
