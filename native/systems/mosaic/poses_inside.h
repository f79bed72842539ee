/* What poses.c and poses_solve.c know of poses. */
#ifndef ENDO_MOSAIC_POSES_INSIDE_H
#define ENDO_MOSAIC_POSES_INSIDE_H

#include "perspective_check.h"
#include "poses.h"

struct mosaic_poses {
    endo_mosaic_frame *frames;
    int n;
    mosaic_size size;
    mosaic_edges edges;
    int *component;          /* of each frame; 0: none */
    endo_transform *pose;
    endo_transform *chained; /* the poses before they were solved for */
    double *deviation;       /* px; NaN: it was not solved for */
    double *support;         /* least deviation of the frame's edges, px; 0: it has none, and is not wrong */
    uint8_t *oblique;        /* it is tilted too far to be painted, and in no component */
    perspective_check *perspective; /* NULL of poses that were solved for before */
    int components;
    int *canvas; /* of each component, from 1 */
    int cut;     /* frames that were stopped before they went to infinity */
};

endo_status poses_no_memory(int frames);

/* A frame whose pose cannot be painted is in no component any more. */
void poses_leave_out_oblique(mosaic_poses *p, int frame);

#endif
