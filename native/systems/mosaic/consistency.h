/* Whether the poses of a run contradict what a scope does, or each other, though every edge by itself looks well. */
#ifndef ENDO_MOSAIC_CONSISTENCY_H
#define ENDO_MOSAIC_CONSISTENCY_H

#include "edges.h"
#include "geometry.h"

/* The edges of a sequence, each by itself, may ask for perspective; 1, and why in words of at most `size` bytes. */
int perspective_is_asked(const mosaic_edges *edges, char *reason, size_t size);

/* The chain of poses shrinks, grows or shears beyond what a scope does; "" if all is well. */
void shape_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t room);

/* The solution has put two frames far from where they were registered with each other; "" if all is well. */
void tear_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t room);

/* By how much each of two frames may be wrong whose edge is torn, px of the first of them: half of the tear; 0 where there is
 * hardly any. */
double tear_half(const endo_transform *reference, const endo_transform *current, const endo_transform *chained_reference,
                 const endo_transform *chained, mosaic_size size);

#endif
