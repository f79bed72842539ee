/* Affine maps of space: 16 numbers, row by row, the last row 0 0 0 1 (endorama/mutual.h). */
#ifndef ENDO_SYSTEMS_AFFINE3_H
#define ENDO_SYSTEMS_AFFINE3_H

#include "rules/mutual.h"

void endo_affine3_identity(double out[16]);

/* First `first`, then `second`. out may be either. */
void endo_affine3_product(const double first[16], const double second[16], double out[16]);

/* 0: it cannot be inverted (or is not finite); out untouched. May be the map itself. */
int endo_affine3_invert(const double m[16], double out[16]);

void endo_affine3_apply(const double m[16], const double from[3], double to[3]);

/* Finite, and the last row is 0 0 0 1. */
int endo_affine3_is_affine(const double m[16]);

/* 0 if a number is too large for 32 fractional bits (endo_mutual_map). The gain is 1. */
int endo_affine3_to_fixed(const double m[16], endo_mutual_map *out);

#endif
