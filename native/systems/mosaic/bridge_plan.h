/* Bridges: pairs across one or two frames of a chain whose frames only edges of neighbours tie. */
#ifndef ENDO_MOSAIC_BRIDGE_PLAN_H
#define ENDO_MOSAIC_BRIDGE_PLAN_H

#include "edges.h"

typedef struct frame_pairs {
    int (*items)[2]; /* reference, current */
    int n;
    int capacity;
} frame_pairs;

/* Plans bridges, in the order of the sequence. Fails with MEMORY alone. */
endo_status bridge_plan(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, frame_pairs *out);
void frame_pairs_free(frame_pairs *pairs);

#endif
