/* The kept frames of a live panorama, each registered beside an earlier one, so that poses of the later ones follow when those
 * of the earlier ones are solved for. Frames are counted from 0, components from 1; transforms are between small copies, px. */
#ifndef ENDO_LIVE_KEPT_H
#define ENDO_LIVE_KEPT_H

#include "systems/mosaic/edges.h"
#include "systems/mosaic/geometry.h"

typedef struct live_kept_frame {
    int64_t number;      /* of the frame put, from 1 */
    int beside;          /* an earlier kept frame; -1: the first one of a component */
    endo_transform step; /* frame -> the one that it is beside */
    endo_transform pose; /* frame -> first frame of its component */
    int component;
} live_kept_frame;

typedef struct live_kept {
    live_kept_frame *items;
    int n;
    int capacity;
    int components;
} live_kept;

/* Adds a frame, whose pose and component follow. Fails with MEMORY alone, and then changes nothing. */
endo_status live_kept_add(live_kept *kept, int64_t number, int beside, const endo_transform *step);
void live_kept_free(live_kept *kept);

/* Largest distance by which a transform moves the middle and the corners of a frame, px. */
double live_moved(mosaic_size size, const endo_transform *step);

/* Counts the other kept frames in the component of frame `beside` that lie nearer than `most` px to a pose; *nearest: the
 * nearest of them, -1: none. */
int live_kept_near(const live_kept *kept, mosaic_size size, int beside, const endo_transform *pose, double most, int *nearest);

/* Takes over solved poses of the first n frames (n records), and lets the others follow. Components are numbered in the
 * order of their first frames. */
void live_kept_solve(live_kept *kept, const endo_mosaic_frame *solved, int n);

#endif
