/* Whether what surrounds the field of view stands still while the scene moves, as a dark panel with text beside the picture does,
 * or is dark because the scene ends there, as around a head, and moves with it. Some frames are registered with the ones after
 * them, or further ones until something has moved, by their spectra, once in the field alone and once as a whole. What stands still draws whole frames to no motion, or makes
 * them fit badly; where the dark moves with the scene both find the same. */
#ifndef ENDO_CHAINS_STILL_SURROUND_H
#define ENDO_CHAINS_STILL_SURROUND_H

#include "include/endorama/fourier.h"
#include "systems/mosaic/events.h"
#include "systems/mosaic/sequence.h"

typedef struct surround_trial {
    endo_context *context;
    mosaic_sequence *sequence;
    mosaic_events *events;
    const endo_fourier_options *pairs;
    endo_frames_options field; /* of a store whose frames show the field alone */
    endo_frames_options whole; /* of one that shows whole frames */
} surround_trial;

/* *stands_still: 1: the field alone explains more of the pairs. Frames that cannot be read have no say. Errors: MEMORY, DEVICE,
 * CANCELLED. */
endo_status still_surround_find(const surround_trial *trial, int *stands_still);

/* Which of two results of a pair of frames, in the field alone and as a whole, is the better one: 1 that of the field, -1 that of
 * the whole frames, 0: they say the same, or neither can be relied on. */
int still_surround_vote(mosaic_size frame, const endo_fourier_result *field, const endo_fourier_result *whole);

#endif
