/* Chains that edges tie together. The first edge by hand between two chains, else the first edge, decides how they lie to each
 * other, unless it puts a frame across the horizon. */
#ifndef ENDO_MOSAIC_CHAIN_TIES_H
#define ENDO_MOSAIC_CHAIN_TIES_H

#include "edges.h"
#include "geometry.h"

typedef struct chain_ties {
    const endo_mosaic_frame *frames;
    int n;
    mosaic_size size;
    const endo_transform *along; /* one a frame: pose along its own chain */
    int chains;
    int *root;              /* one a chain: the chain it is tied to, at first itself */
    endo_transform *offset; /* one a chain: transform into the coordinates of its root */
} chain_ties;

/* frames and along are borrowed. Fails with MEMORY alone. */
endo_status chain_ties_find(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, const endo_transform *along,
                            mosaic_size size, chain_ties *out);
void chain_ties_free(chain_ties *ties);

/* Pose of a frame in the coordinates of its chain's root. */
endo_transform chain_ties_pose(const chain_ties *ties, int frame);

#endif
