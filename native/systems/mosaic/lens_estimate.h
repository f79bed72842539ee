/* What all edges of a sequence together say of the lens. */
#ifndef ENDO_MOSAIC_LENS_ESTIMATE_H
#define ENDO_MOSAIC_LENS_ESTIMATE_H

#include "edges.h"

typedef struct lens_estimate {
    double lambda;    /* of the division model (endo_pair_result.lens); NaN: nothing is said */
    double deviation; /* its standard deviation */
} lens_estimate;

/* MEMORY alone. */
endo_status lens_estimate_of(const mosaic_edges *edges, lens_estimate *out);

int lens_is_seen(const lens_estimate *lens); /* beyond doubt */

/* Deviations of poses are to grow by what is seen. taken: percent that were taken out of the frames before. */
int lens_widens(const lens_estimate *lens, double taken);

/* For people; "" where no lens is seen. */
void lens_warning(const lens_estimate *lens, double taken, char *out, size_t size);

#endif
