/* Pairs across one or two frames of a chain, where nothing but edges of neighbours ties its frames. */
#ifndef ENDO_MOSAIC_BRIDGE_PLAN_H
#define ENDO_MOSAIC_BRIDGE_PLAN_H

#include "edges.h"

typedef struct frame_pairs {
    int (*items)[2]; /* the reference first */
    int n;
    int capacity;
} frame_pairs;

/* In the order of the sequence. MEMORY alone. */
endo_status bridge_plan(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, frame_pairs *out);
void frame_pairs_free(frame_pairs *pairs);

#endif
