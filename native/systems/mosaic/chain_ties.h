/* Which chains edges tie together, the first edge between two of them deciding how these lie to each other: where it puts all
 * frames before the horizon. */
#ifndef ENDO_MOSAIC_CHAIN_TIES_H
#define ENDO_MOSAIC_CHAIN_TIES_H

#include "edges.h"
#include "geometry.h"

typedef struct chain_ties {
    const endo_mosaic_frame *frames;
    int n;
    mosaic_size size;
    const endo_transform *along; /* of each frame the pose along its own chain */
    int chains;
    int *root;              /* of each chain the one that it is tied to, itself at first; */
    endo_transform *offset; /* and its own coordinates in those of that */
} chain_ties;

/* frames and along are borrowed. MEMORY alone. */
endo_status chain_ties_find(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, const endo_transform *along,
                            mosaic_size size, chain_ties *out);
void chain_ties_free(chain_ties *ties);

/* Of a frame, in the coordinates of the chain that its own is tied to. */
endo_transform chain_ties_pose(const chain_ties *ties, int frame);

#endif
