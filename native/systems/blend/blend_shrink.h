/* Views of a blend at a smaller size: means of its pixels. */
#ifndef ENDO_SYSTEMS_BLEND_SHRINK_H
#define ENDO_SYSTEMS_BLEND_SHRINK_H

#include "backend/objects.h"

#define ENDO_BLEND_MOST_SHRINK 8

/* view: in pixels of the smaller size. A pixel is the mean of the painted pixels in it, and painted if these are at least
 * half of all; its coverage is their largest. */
endo_status endo_blend_shrink(const endo_blend *blend, const endo_blend_view *view);

#endif
