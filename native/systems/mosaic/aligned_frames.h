/* Frames of a sequence in their poses, each warped when it is asked for. */
#ifndef ENDO_MOSAIC_ALIGNED_FRAMES_H
#define ENDO_MOSAIC_ALIGNED_FRAMES_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

typedef struct aligned_frames aligned_frames;

/* Implements endo_mosaic_align; arguments were checked. The mosaic is borrowed. */
endo_status aligned_create(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                           int component, endo_aligned_extent extent, aligned_frames **out);
void aligned_destroy(aligned_frames **aligned);

mosaic_rect aligned_rect(const aligned_frames *a); /* px of the first frame's plane */

/* Implements endo_mosaic_read_aligned. */
endo_status aligned_read(aligned_frames *a, int frame, void *pixels, int *is_readable);

#endif
