/* Detail of a frame, by which its weight in a blend is judged. */
#ifndef ENDO_SYSTEMS_BLEND_DETAILS_H
#define ENDO_SYSTEMS_BLEND_DETAILS_H

#include "include/endorama.h"

#include <stddef.h>
#include <stdint.h>

/* endo_blend_details (endorama/blend.h): second differences over the mean, in some of the rows. */
double endo_details_of(endo_pixel type, int width, int height, const void *pixels, ptrdiff_t stride);

#endif
