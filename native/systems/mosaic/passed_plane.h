/* A plane that a scope passes at a constant angle. What lies nearer moves further from frame to frame: frames are sheared in
 * proportion to their motion, each edge the same way, long before any edge shows perspective. With t an edge's motion and g,
 * 1/px, the relative change of depth along x and y, the shear is t g^T. Only its part without rotation and scale is used, for
 * scopes turn and withdraw by themselves: two equations an edge, and two unknowns. */
#ifndef ENDO_MOSAIC_PASSED_PLANE_H
#define ENDO_MOSAIC_PASSED_PLANE_H

#include "edges.h"
#include "geometry.h"

typedef struct passed_plane {
    double centre_x; /* centre of a frame, px */
    double centre_y;
    double spread; /* root mean square over a frame of one centred coordinate, px */
    double x;      /* g, 1/px */
    double y;
    double deviation; /* standard deviation of x and of y, 1/px; NaN: unknown */
} passed_plane;

/* Perspective of an edge: c + q of the current frame (c: its centre) lies where the transform takes c + q / (1 + g.q). */
typedef struct edge_perspective {
    double g[2];      /* 1/px */
    double deviation; /* standard deviation of one of the two, 1/px */
} edge_perspective;

/* Estimates the plane from all edges of a sequence. Fails with MEMORY alone. */
endo_status passed_plane_of(const mosaic_edges *edges, mosaic_size size, passed_plane *out);

/* Length of g in deviations, 0 where it is unknown; and whether the plane counts as seen. */
double passed_plane_evidence(const passed_plane *plane);
int passed_plane_is_sure(const passed_plane *plane);

/* The perspective between the two frames of an edge that both see the plane. */
edge_perspective passed_plane_perspective(const passed_plane *plane, const endo_transform *step);

#endif
