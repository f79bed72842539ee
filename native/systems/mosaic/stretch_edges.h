/* How far edges with a key frame contradict the chain from that key frame on, beyond what their deviations allow. In a scene
 * that moves against itself, a frame further away shows another mean motion than the chain of neighbours does, and shows it
 * precisely: deviations say nothing of it. */
#ifndef ENDO_MOSAIC_STRETCH_EDGES_H
#define ENDO_MOSAIC_STRETCH_EDGES_H

#include "edges.h"
#include "geometry.h"

typedef struct stretch_edges {
    const endo_mosaic_frame *frames;
    const endo_transform *chained; /* poses along the chains */
    const mosaic_edges *edges;     /* of one component */
    double centre_x, centre_y;     /* of a frame, px */
    double across, down;           /* root mean square distance from it along each axis, px */
    double *variance;              /* of the edge by which a frame joined its chain, px^2; NaN: there is none */
    double *contradictions;        /* of each edge within a stretch and the chain, in the deviations of both; NaN of others */
    double *numbers;               /* room for one an edge */
} stretch_edges;

/* All are borrowed. MEMORY alone. */
endo_status stretch_edges_create(const endo_mosaic_frame *frames, int n, const endo_transform *chained,
                                 const mosaic_edges *edges, mosaic_size size, stretch_edges *out);
void stretch_edges_free(stretch_edges *s);

/* From a key frame to one after it, up to the next key frame, but not an edge of the chain. */
int stretch_edges_is_within(const stretch_edges *s, const endo_mosaic_edge *edge);

/* Of an edge within a stretch the number of edges along the chain, as far as that leads; else 1. */
int stretch_edges_steps(const stretch_edges *s, const endo_mosaic_edge *edge);

/* By what the deviations of edges within a stretch are to be multiplied; 1 at least. */
double stretch_edges_factor(const stretch_edges *s);

/* The variance of what the errors of neighbours' edges have in common, as a share of theirs. Independent errors of n edges add
 * up to n times the variance of one, common ones to n squared times it: then the squares of contradictions, in deviations, are
 * 1 and n times this. 0 at least, and where nothing is said. */
double stretch_edges_common(const stretch_edges *s);

#endif
