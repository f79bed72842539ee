/* How the scope moves along a chain, and where a frame is taken to lie that no pair puts into its pose. */
#ifndef ENDO_MOSAIC_CHAIN_MOTION_H
#define ENDO_MOSAIC_CHAIN_MOTION_H

#include "edges.h"
#include "stage.h"

typedef struct chain_motion {
    mosaic_size size;
    endo_transform last; /* from a frame to the one before it, of the latest two neighbours that are good */
} chain_motion;

void chain_motion_init(chain_motion *m, mosaic_size size);

/* Says in a frame's record how far its middle has moved. */
void chain_motion_describe(const chain_motion *m, const endo_transform *step, endo_mosaic_frame *record);

/* The last motion repeated from the last good frame on, but not further than a chain reaches; the pose of that frame where
 * nothing could be painted there. */
endo_transform chain_motion_predicted(const chain_motion *m, const placed_frame *from, int frame);

#endif
