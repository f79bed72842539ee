/* The fields of poses, for poses.c and poses_solve.c. */
#ifndef ENDO_MOSAIC_POSES_INSIDE_H
#define ENDO_MOSAIC_POSES_INSIDE_H

#include "perspective_check.h"
#include "poses.h"

struct mosaic_poses {
    endo_mosaic_frame *frames;
    int n;
    mosaic_size size;
    mosaic_edges edges;
    int *component;          /* one a frame; 0: none */
    endo_transform *pose;
    endo_transform *chained; /* poses before they were solved for */
    double *deviation;       /* px; NaN: not solved for */
    uint8_t *doubtful;       /* no sure edges tie it to most frames of its component */
    uint8_t *oblique;        /* tilted too far to be painted, and in no component */
    perspective_check *perspective; /* NULL of poses that were solved before */
    int components;
    int *canvas; /* one a component, from 1 */
    int cut;     /* frames kept from going to infinity */
};

endo_status poses_no_memory(int frames);

/* Removes a frame whose pose cannot be painted from its component. */
void poses_leave_out_oblique(mosaic_poses *p, int frame);

#endif
