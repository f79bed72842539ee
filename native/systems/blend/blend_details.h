/* How much detail a frame shows: what its weight in a blend is judged by. */
#ifndef ENDO_SYSTEMS_BLEND_DETAILS_H
#define ENDO_SYSTEMS_BLEND_DETAILS_H

#include "include/endorama.h"

#include <stddef.h>
#include <stdint.h>

/* endo_blend_details (endorama/blend.h): second differences over the mean, of some of the rows. */
double endo_details_of(endo_pixel type, int width, int height, const void *pixels, ptrdiff_t stride);

#endif
