/* Which frames have a pose that no panorama can show: a single one would leave no room for all behind it. */
#ifndef ENDO_MOSAIC_WILD_POSES_H
#define ENDO_MOSAIC_WILD_POSES_H

#include "geometry.h"
#include "include/endorama/mosaic_tools.h"

/* Longest side of a canvas, px. */
#define WILD_LONGEST_SIDE (1 << 20)

/* Of n frames (0..) of a size, by the limit of a panorama, px; wild: room for n. */
endo_status wild_poses_find(const endo_mosaic_frame *frames, int n, mosaic_size size, int64_t limit, endo_wild_pose *wild,
                            int32_t *n_wild);

#endif
