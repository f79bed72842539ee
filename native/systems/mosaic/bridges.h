/* Bridges (bridge_plan.h) are registered from the transforms that the chain predicts. */
#ifndef ENDO_MOSAIC_BRIDGES_H
#define ENDO_MOSAIC_BRIDGES_H

#include "edges.h"
#include "poses.h"
#include "workspace.h"

typedef struct bridges bridges;

/* frames: n records; edges: those accepted so far. */
endo_status bridges_create(mosaic_workspace *workspace, const endo_pairs_options *options, const endo_mosaic_frame *frames,
                           int n, const mosaic_edges *edges, bridges **out);
void bridges_destroy(bridges **b);
int bridges_done(const bridges *b);

/* Registers the next pairs, as many as the store can hold, starting from the poses, and appends the edges found to `out`. On
 * failure nothing has changed, and the next call tries the same pairs. */
endo_status bridges_step(bridges *b, const mosaic_poses *poses, mosaic_edges *out);

#endif
