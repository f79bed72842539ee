/* Shortest paths from a frame to all others, in edges of neighbours. */
#ifndef ENDO_MOSAIC_EDGE_PATHS_H
#define ENDO_MOSAIC_EDGE_PATHS_H

#include "edges.h"

/* steps: length of each edge, 0 or more; away: gets a distance a frame, infinite: no path. Fails with MEMORY alone. */
endo_status edge_paths_from(const mosaic_edges *edges, const int *steps, int from, int frames, double *away);

#endif
