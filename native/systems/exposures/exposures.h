/* Alignment of exposures for the pairs of a call. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_EXPOSURES_H
#define ENDO_SYSTEMS_EXPOSURES_H

#include "backend/objects.h"

extern const endo_exposure_options endo_exposure_defaults;

/* Aligns n >= 1 pairs. */
endo_status endo_exposures_align(endo_frames *frames, const endo_pair *pairs, size_t n,
                                 const endo_exposure_options *options, endo_exposure_result *results);

/* Sets whether both images of a pair are near black. grey: memory for an image. */
endo_status endo_exposures_are_dark(endo_frames *frames, const endo_pair *pair, uint8_t *grey, int *dark);

#endif
