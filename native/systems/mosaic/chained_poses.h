/* Poses along the chains after some edges were registered again as homographies. */
#ifndef ENDO_MOSAIC_CHAINED_POSES_H
#define ENDO_MOSAIC_CHAINED_POSES_H

#include "edges.h"

/* out: n poses in the coordinates of each frame's chain. Fails with MEMORY alone. */
endo_status chained_poses(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, endo_transform *out);

#endif
