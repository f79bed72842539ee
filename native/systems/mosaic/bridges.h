/* Pairs across one or two frames of a chain (bridge_plan.h) are registered from where the chain puts them. */
#ifndef ENDO_MOSAIC_BRIDGES_H
#define ENDO_MOSAIC_BRIDGES_H

#include "edges.h"
#include "poses.h"
#include "workspace.h"

typedef struct bridges bridges;

/* frames (n of them), and edges that there are. */
endo_status bridges_create(mosaic_workspace *workspace, const endo_pairs_options *options, const endo_mosaic_frame *frames,
                           int n, const mosaic_edges *edges, bridges **out);
void bridges_destroy(bridges **b);
int bridges_done(const bridges *b);

/* The next few, as many as find room in the store, from the poses: edges that were found are added to `out`. On failure it is
 * as it was, and they are the next again. */
endo_status bridges_step(bridges *b, const mosaic_poses *poses, mosaic_edges *out);

#endif
