/* Small copies of frames in a store: means of squares of pixels of the grey images that matching uses. What is rough in two
 * frames, as where tissue has moved against itself, or noise, is small there, and searches are fast. */
#ifndef ENDO_MOSAIC_REDUCED_FRAMES_H
#define ENDO_MOSAIC_REDUCED_FRAMES_H

#include "include/endorama/frames.h"
#include "field_of_view.h"

typedef struct reduced_frames reduced_frames;

/* How many pixels of a frame become one; 1: frames are small as they are. */
int reduced_frames_factor(mosaic_size size);

/* slots: as many as the store that the frames come from has. */
endo_status reduced_frames_create(endo_context *context, const field_of_view *field, int slots, reduced_frames **out);
void reduced_frames_destroy(reduced_frames **reduced);

/* Copies a frame from its slot, if the copy there is of another one. */
endo_status reduced_frames_take(reduced_frames *r, const endo_frames *from, int frame, int slot);

endo_frames *reduced_frames_store(const reduced_frames *r); /* the copies, in the slots of their frames */
mosaic_size reduced_frames_size(const reduced_frames *r);
const uint8_t *reduced_frames_mask(const reduced_frames *r); /* 0: outside the field; NULL: all is inside */

/* What a transform between two copies is between their frames. */
endo_transform reduced_frames_up(const reduced_frames *r, const endo_transform *small);

#endif
