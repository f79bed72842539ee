/* Tests whether the poses of a run contradict each other or the motion of a scope, though every edge by itself looks well. */
#ifndef ENDO_MOSAIC_CONSISTENCY_H
#define ENDO_MOSAIC_CONSISTENCY_H

#include "edges.h"
#include "geometry.h"

/* Returns whether the edges, each by itself, ask for perspective; if so, `reason` gets the cause in at most `size` bytes. */
int perspective_is_asked(const mosaic_edges *edges, char *reason, size_t size);

/* Warns of a chain of poses that shrinks, grows or shears beyond what a scope does; "" if all is well. */
void shape_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length);

/* Warns of a solution that put two frames far from where they were registered with each other; "" if all is well. */
void tear_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length);

/* Error of each of the two frames of a torn edge, px of the reference: half of the tear; 0 for small ones. */
double tear_half(const endo_transform *reference, const endo_transform *current, const endo_transform *chained_reference,
                 const endo_transform *chained, mosaic_size size);

#endif
