/* Small copies of frames for the preview: means of squares of pixels. */
#ifndef ENDO_LIVE_REDUCE_H
#define ENDO_LIVE_REDUCE_H

#include "base/status.h"
#include "include/endorama/frames.h"
#include "systems/mosaic/geometry.h"

typedef struct live_reducer {
    endo_pixel type;
    mosaic_size full;
    mosaic_size small;
    int factor;     /* pixels along a side of a square; 1: copies are the frames themselves */
    uint32_t *sums; /* of columns of squares, two lists of the frame's width */
} live_reducer;

/* longest: px of the longer side of a copy at most. Fails with MEMORY alone. */
endo_status live_reducer_init(live_reducer *r, endo_pixel type, mosaic_size full, int longest);
void live_reducer_free(live_reducer *r);

/* Copies a frame; to: a dense image of the small size and the frame's type. */
void live_reduce(const live_reducer *r, const void *pixels, ptrdiff_t stride, void *to);

/* Copies a mask: a pixel is in where its whole square is. */
void live_reduce_mask(const live_reducer *r, const uint8_t *mask, uint8_t *to);

/* What a transform between copies is between frames. */
endo_transform live_enlarged(const live_reducer *r, const endo_transform *small);

#endif
