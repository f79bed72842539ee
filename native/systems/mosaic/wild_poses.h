/* Finds frames with a pose that no panorama can show: a single one would leave no space for the frames after it. */
#ifndef ENDO_MOSAIC_WILD_POSES_H
#define ENDO_MOSAIC_WILD_POSES_H

#include "geometry.h"
#include "include/endorama/mosaic_tools.h"

/* Longest side of a canvas, px. */
#define WILD_LONGEST_SIDE (1 << 20)

/* frames: n records; limit: largest panorama, px; wild: array of n. */
endo_status wild_poses_find(const endo_mosaic_frame *frames, int n, mosaic_size size, int64_t limit, endo_wild_pose *wild,
                            int32_t *n_wild);

#endif
