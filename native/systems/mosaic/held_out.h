/* Pairs that no poses follow from: they say which of two ways to see a sequence, by affine maps or by homographies, has its
 * frames where they are. */
#ifndef ENDO_MOSAIC_HELD_OUT_H
#define ENDO_MOSAIC_HELD_OUT_H

#include "key_frames.h"
#include "poses.h"

/* Spread evenly over the sequence of so many frames, where the poses have them; known: those that poses follow from. Their
 * transforms are what the poses say. */
endo_status held_out_choose(int frames, const mosaic_poses *poses, const mosaic_edges *known, const key_frames *keys,
                            mosaic_edges *out);

/* They lie clearly nearer to where the homographies put them (`tilted`); those that are no homographies could not be
 * registered and have no say. MEMORY alone. */
endo_status held_out_speak_for(const mosaic_edges *pairs, const mosaic_poses *tilted, const mosaic_poses *straight,
                               mosaic_size size, int *speaks);

/* No frame is lost by the homographies, and no more are doubtful. */
int tilted_loses_nothing(const mosaic_poses *straight, const mosaic_poses *tilted);

/* No frame is lost by the homographies, most edges are such, and they do not contradict each other more than before. */
endo_status tilted_is_better(const mosaic_poses *straight, const mosaic_edges *before, const mosaic_poses *tilted,
                             const mosaic_edges *after, mosaic_size size, int *better);

#endif
