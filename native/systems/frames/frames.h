/* Frame stores with the planes derived from their field of view. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FRAMES_H
#define ENDO_SYSTEMS_FRAMES_H

#include "backend/objects.h"

extern const endo_frames_options endo_frames_defaults;

/* Makes a store; out is untouched on failure. */
ENDO_NODISCARD endo_status endo_frames_make(endo_context *context, const endo_frames_options *options, endo_frames **out);
void endo_frames_free(endo_frames *frames);

/* Puts a frame into a slot; stride: elements from row to row. */
ENDO_NODISCARD endo_status endo_frames_take(endo_frames *frames, int slot, const void *pixels, ptrdiff_t stride);

/* A frame was put into the slot: nothing of it is hidden. */
void endo_frames_was_put(endo_frames *frames, int slot);

#endif
