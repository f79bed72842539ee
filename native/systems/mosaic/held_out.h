/* Pairs that were not used to compute poses. They decide whether affine maps or homographies describe a sequence better. */
#ifndef ENDO_MOSAIC_HELD_OUT_H
#define ENDO_MOSAIC_HELD_OUT_H

#include "key_frames.h"
#include "poses.h"

/* Chooses pairs spread evenly over a sequence of this many frames; known: pairs that the poses follow from. The pairs'
 * transforms are those of the poses. */
endo_status held_out_choose(int frames, const mosaic_poses *poses, const mosaic_edges *known, const key_frames *keys,
                            mosaic_edges *out);

/* *speaks = 1: the pairs lie clearly nearer to the homographies' poses (`tilted`). Pairs that are no homographies could not be
 * registered, and do not count. Fails with MEMORY alone. */
endo_status held_out_favour(const mosaic_edges *pairs, const mosaic_poses *tilted, const mosaic_poses *straight,
                            mosaic_size size, int *favours);

/* Returns whether no more frames are lost or doubtful with the homographies than without. */
int tilted_loses_nothing(const mosaic_poses *straight, const mosaic_poses *tilted);

/* *better = 1: the homographies lose no frame, most edges are homographies, and they contradict each other no more. */
endo_status tilted_is_better(const mosaic_poses *straight, const mosaic_edges *before, const mosaic_poses *tilted,
                             const mosaic_edges *after, mosaic_size size, int *better);

#endif
