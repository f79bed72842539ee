/* Scenes in depth: no plane explains how near and far parts of them move, so frames in their poses disagree by a few pixels,
 * here in one direction and there in another. Each frame gets a coarse grid of displacements, which change smoothly over it, so
 * that all frames that show a place agree on where it lies. Poses stay as they are. */
#ifndef ENDO_MOSAIC_RELIEF_H
#define ENDO_MOSAIC_RELIEF_H

#include "base/status.h"
#include "frame_displacements.h"

/* What two frames show of one place. */
typedef struct relief_point {
    int32_t frames[2];
    float at[2][2];     /* where each of them shows it, px of the frame */
    float apart[2];     /* where the second one's pose puts it, less where the first one's does, px of the first frame */
    int32_t pair;       /* number of the pair of frames that it comes from, in order */
} relief_point;

typedef struct relief_points {
    relief_point *items;
    int n, capacity;
} relief_points;

endo_status relief_points_add(relief_points *points, const relief_point *point);
void relief_points_free(relief_points *points);

/* How well displacements predict pairs of frames that they were not found from. */
typedef struct relief_evidence {
    int pairs;          /* that were held out */
    int nearer;         /* of these, pairs whose places agree better with displacements, by their median */
    double without;     /* distance of a place in two frames that four of five do not exceed, px of the first frame; NaN:
                           nothing was held out */
    double with;        /* the same with displacements */
    int is_clear;       /* frames are to be displaced */
} relief_evidence;

/* Frames in their poses. */
typedef struct relief_frames {
    const endo_transform *poses; /* one a frame */
    int n;
    mosaic_size size;
    const uint8_t *field; /* width*height bytes, 0: outside; NULL: all of it */
    double reach;         /* px that frames may be displaced at the edge of the field */
} relief_frames;

/* Whether poses leave so much that it may be depth: a cheap question, before that of relief_solve. Fails with MEMORY alone. */
endo_status relief_is_seen(const relief_points *points, int *is_seen);

/* Finds out whether displacements explain what poses leave, and makes `displacements`, with the grids of the frames if so. Fails
 * with MEMORY alone. */
endo_status relief_solve(const relief_points *points, const relief_frames *frames, frame_displacements *displacements,
                         relief_evidence *evidence);

#endif
