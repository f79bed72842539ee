/* Fourier registration of the pairs of a call. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FOURIER_H
#define ENDO_SYSTEMS_FOURIER_H

#include "backend/objects.h"

extern const endo_fourier_options endo_fourier_defaults;

/* Registers n >= 1 pairs; every size is that of the image in its slot. */
endo_status endo_fourier_run(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                             const endo_fourier_options *options, endo_fourier_result *results);

/* The taper of the field of view: made when first needed, and kept with the frames. NULL where the field is all of it. */
endo_status endo_fourier_tapers_make(endo_frames *frames, const endo_fourier_taper **tapers);

endo_status endo_fourier_run_images(endo_context *context, const endo_fourier_image *reference,
                                    const endo_fourier_image *current, const endo_fourier_options *options,
                                    endo_fourier_result *result);

#endif
