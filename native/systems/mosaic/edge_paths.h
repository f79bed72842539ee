/* How many edges of neighbours lie between a frame and all others, the shortest way. */
#ifndef ENDO_MOSAIC_EDGE_PATHS_H
#define ENDO_MOSAIC_EDGE_PATHS_H

#include "edges.h"

/* steps: of each edge, as far apart as so many edges of neighbours its frames are, 0 or more. away: one number a frame, of so
 * many frames; infinite where no way leads. MEMORY alone. */
endo_status edge_paths_from(const mosaic_edges *edges, const int *steps, int from, int frames, double *away);

#endif
