/* The lens distortion that all edges of a sequence show together. */
#ifndef ENDO_MOSAIC_LENS_ESTIMATE_H
#define ENDO_MOSAIC_LENS_ESTIMATE_H

#include "edges.h"

typedef struct lens_estimate {
    double lambda;    /* lambda of the division model (endo_pair_result.lens); NaN: unknown */
    double deviation; /* standard deviation of lambda */
} lens_estimate;

/* Fails with MEMORY alone. */
endo_status lens_estimate_of(const mosaic_edges *edges, lens_estimate *out);

int lens_is_seen(const lens_estimate *lens); /* whether it is significant */

/* Returns whether deviations of poses are to grow by the lens. taken: distortion removed from the frames before, percent. */
int lens_widens(const lens_estimate *lens, double taken);

/* Writes a warning for people; "" where no lens is seen. */
void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size);

#endif
