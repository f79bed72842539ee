/* The motion of the scope along a chain, and predicted poses of frames that no pair places. */
#ifndef ENDO_MOSAIC_CHAIN_MOTION_H
#define ENDO_MOSAIC_CHAIN_MOTION_H

#include "edges.h"
#include "stage.h"

typedef struct chain_motion {
    mosaic_size size;
    endo_transform last; /* current -> reference, of the latest good pair of neighbours */
} chain_motion;

void chain_motion_init(chain_motion *m, mosaic_size size);

/* Records how far the frame's centre has moved. */
void chain_motion_describe(const chain_motion *m, const endo_transform *step, endo_mosaic_frame *record);

/* Repeats the last motion from the last good frame on, but not further than a chain reaches; returns the pose of the last good
 * frame where nothing could be painted there. */
endo_transform chain_motion_predicted(const chain_motion *m, const placed_frame *from, int frame);

#endif
