/* Spans: the pixels of a target row that an affine map takes into the source image, exactly those whose position,
 * rounded to 8 fractional bits, lies within the pixel centres 0..width-1 and 0..height-1. */
#ifndef ENDO_BASE_SPAN_H
#define ENDO_BASE_SPAN_H

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Narrows x = *from .. *to - 1 to the span of row y. Empty: *from >= *to. */
void endo_row_span(const endo_fixed_affine *map, int y, int width, int height, int *from, int *to);

/* Narrows x = *from .. *to - 1 to the spans of the rows top .. bottom - 1 together, and possibly some more, because the two
 * coordinates are tested one by one. Exact for a single row. */
void endo_rows_span(const endo_fixed_affine *map, int top, int bottom, int width, int height, int *from, int *to);

#ifdef __cplusplus
}
#endif
#endif
