/* Measures how well poses fit a sequence: frames are compared with earlier frames, as their poses place them. */
#ifndef ENDO_MOSAIC_POSE_QUALITY_H
#define ENDO_MOSAIC_POSE_QUALITY_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

/* Implements endo_mosaic_quality; arguments were checked. */
endo_status pose_quality_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                             int distance, endo_pose_quality *qualities, int32_t *n_qualities);

/* Pairs of a chunk, by the number of frames that a store holds. If twice the distance fits into the store each frame is read
 * once, else twice. */
int pose_quality_chunk(int capacity, int distance);

#endif
