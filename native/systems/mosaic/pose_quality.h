/* How well poses fit a sequence: frames are compared with others some distance before them, as their poses put them. */
#ifndef ENDO_MOSAIC_POSE_QUALITY_H
#define ENDO_MOSAIC_POSE_QUALITY_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

/* endo_mosaic_quality, whose arguments were checked. */
endo_status pose_quality_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                             int distance, endo_pose_quality *qualities, int32_t *n_qualities);

/* Pairs of a chunk, by the frames that a store holds: as many as may be compared at once if each frame is read once, where
 * twice the distance has room in it; else each is read twice. */
int pose_quality_chunk(int capacity, int distance);

#endif
