/* A plane that a scope passes at an angle that stays. What lies nearer moves further from frame to frame: frames are sheared in
 * proportion to their motion, each edge the same way, long before any edge shows perspective. With t an edge's motion and g,
 * 1/px, how much nearer the plane is along x and y, the shear is t g^T, of which nothing but its part without a turn and growth
 * is used (scopes turn and withdraw by themselves): two numbers of each edge, and two unknown ones. */
#ifndef ENDO_MOSAIC_PASSED_PLANE_H
#define ENDO_MOSAIC_PASSED_PLANE_H

#include "edges.h"
#include "geometry.h"

typedef struct passed_plane {
    double centre_x, centre_y; /* of a frame, px */
    double spread;             /* root mean square over a frame of one coordinate, px */
    double x, y;               /* g */
    double deviation;          /* standard deviation of one of the two, 1/px; NaN: nothing is said */
} passed_plane;

/* Perspective of an edge: a point c + q of the current frame (c: its middle) lies where the transform takes
 * c + q / (1 + g . q). */
typedef struct edge_perspective {
    double g[2];      /* 1/px */
    double deviation; /* standard deviation of one of the two, 1/px */
} edge_perspective;

/* Of all edges of a sequence. MEMORY alone. */
endo_status passed_plane_of(const mosaic_edges *edges, mosaic_size size, passed_plane *out);

/* In deviations; 0 where nothing is said. And beyond doubt. */
double passed_plane_evidence(const passed_plane *plane);
int passed_plane_is_sure(const passed_plane *plane);

/* The perspective of two views of the plane that an edge ties. */
edge_perspective passed_plane_perspective(const passed_plane *plane, const endo_transform *step);

#endif
