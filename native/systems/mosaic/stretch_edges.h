/* Contradictions of edges with a key frame to the chain from that key frame on, beyond what their deviations allow. In a scene
 * that moves against itself, a frame further away shows another mean motion than the chain of neighbours does, and shows it
 * precisely: deviations do not include it. */
#ifndef ENDO_MOSAIC_STRETCH_EDGES_H
#define ENDO_MOSAIC_STRETCH_EDGES_H

#include "edges.h"
#include "geometry.h"

typedef struct stretch_edges {
    const endo_mosaic_frame *frames;
    const endo_transform *chained; /* poses along the chains */
    const mosaic_edges *edges;     /* edges of one component */
    double centre_x;               /* centre of a frame, px */
    double centre_y;
    double across;          /* root mean square distance from the centre along x, px */
    double down;            /* along y, px */
    double *variance;       /* one a frame: of the edge by which it joined its chain, px^2; NaN: none */
    double *contradictions; /* one an edge within a stretch, relative to the chain, in deviations of both; NaN: others */
    double *numbers;        /* scratch memory, one an edge */
} stretch_edges;

/* All pointers are borrowed. Fails with MEMORY alone. */
endo_status stretch_edges_create(const endo_mosaic_frame *frames, int n, const endo_transform *chained,
                                 const mosaic_edges *edges, mosaic_size size, stretch_edges *out);
void stretch_edges_free(stretch_edges *s);

/* Returns whether the edge leads from a key frame to a frame after it, up to the next key frame, and is not an edge of the
 * chain, nor by hand. */
int stretch_edges_is_within(const stretch_edges *s, const endo_mosaic_edge *edge);

/* Number of edges along the chain between the frames of an edge within a stretch, as far as the chain leads; else 1. */
int stretch_edges_steps(const stretch_edges *s, const endo_mosaic_edge *edge);

/* Factor for the deviations of edges within a stretch; 1 at least. */
double stretch_edges_factor(const stretch_edges *s);

/* Variance of the common error of neighbours' edges, as a share of their variance. Independent errors of n edges add up to n
 * times the variance of one, common errors to n^2 times it: then squared contradictions, in deviations, are 1 + n times this
 * share. 0 at least, and where it is unknown. */
double stretch_edges_common(const stretch_edges *s);

#endif
