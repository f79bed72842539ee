/* The images that a chain compares: a part of every frame, and behind the last frame the image that all are registered onto, if
 * it is another one. All are of one type and lie in the top left corner of frames of one size, which are 0 elsewhere. 16 bit is
 * spread over 8, each image by itself: an exposure with an eighth of the light keeps its 256 grey levels, of which a range
 * common to all exposures would leave 32. Bitmaps of exposures rank pixels, so that this does not change them. */
#ifndef ENDO_CHAINS_COMPARED_FRAMES_H
#define ENDO_CHAINS_COMPARED_FRAMES_H

#include "base/status.h"
#include "include/endorama/mosaic.h"
#include "systems/mosaic/geometry.h"

typedef struct compared_setup {
    const endo_mosaic_source *frames; /* borrowed */
    const endo_mosaic_source *onto;   /* borrowed; its first frame is the image; NULL: none */
    mosaic_rect part;                 /* of a frame; all 0: the whole of it */
    mosaic_rect onto_part;
} compared_setup;

typedef struct compared_frames compared_frames;

endo_status compared_frames_create(const compared_setup *setup, compared_frames **out);
void compared_frames_destroy(compared_frames **compared);

/* The sequence of compared frames, valid as long as this object. */
const endo_mosaic_source *compared_frames_source(const compared_frames *c);

/* The compared part of a frame, px of the whole frame. */
mosaic_rect compared_frames_part(const compared_frames *c, int frame);

/* Returns whether every image is compared as a whole, and all have one size. */
int compared_frames_are_whole(const compared_frames *c);

#endif
