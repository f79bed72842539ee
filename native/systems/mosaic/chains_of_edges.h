/* Chains as a given list of edges leaves them, where a person has left edges out or set some by hand. */
#ifndef ENDO_MOSAIC_CHAINS_OF_EDGES_H
#define ENDO_MOSAIC_CHAINS_OF_EDGES_H

#include "edges.h"

/* Changes the records: a frame whose edge to its reference is missing begins a chain of its own, with those that follow it; one
 * that was not registered and has an edge by hand, too. Frames without any edge are NOT_PLACED. Records that fit their edges
 * stay as they are. *not_placed: number of frames that became so. Fails with MEMORY alone, before it changes anything. */
endo_status chains_of_edges(endo_mosaic_frame *frames, int n, const mosaic_edges *edges, int *not_placed);

#endif
