/* Which pixels of a target row an affine map takes into the source image: exactly those whose position,
 * rounded to 8 fractional bits, lies within the pixel centres 0..width-1 and 0..height-1. */
#ifndef ENDO_BASE_SPAN_H
#define ENDO_BASE_SPAN_H

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part [*from, *to) of x = *from .. *to - 1 in row y. Empty: *from >= *to. */
void endo_row_span(const endo_fixed_affine *map, int y, int width, int height, int *from, int *to);

/* The same for the rows top .. bottom - 1 together: every x that one of them has, and possibly others, which no row
 * has because the two coordinates are looked at one by one. Of a single row it is exact. */
void endo_rows_span(const endo_fixed_affine *map, int top, int bottom, int width, int height, int *from, int *to);

#ifdef __cplusplus
}
#endif
#endif
