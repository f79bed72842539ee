/* Poses along the chains, where edges were registered once more as homographies after the chains were made. */
#ifndef ENDO_MOSAIC_CHAINED_POSES_H
#define ENDO_MOSAIC_CHAINED_POSES_H

#include "edges.h"

/* out: n poses, in the coordinates of each frame's chain: as the frames have them, unless their edges say more by now. MEMORY
 * alone. */
endo_status chained_poses(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, endo_transform *out);

#endif
