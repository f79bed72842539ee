/* What is read of a blend that is larger than what is asked for: means of its pixels. */
#ifndef ENDO_SYSTEMS_BLEND_SHRINK_H
#define ENDO_SYSTEMS_BLEND_SHRINK_H

#include "blend.h"

#define ENDO_BLEND_MOST_SHRINK 8

/* view: in pixels that are read. A pixel is the mean of what is painted of those it is made of, and painted if that is half
 * of them at least; its coverage is the most of theirs. */
endo_status endo_blend_shrink(const endo_blend *blend, const endo_blend_view *view);

#endif
