/* Fourier registration of the pairs of a call. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_FOURIER_H
#define ENDO_SYSTEMS_FOURIER_H

#include "backend/objects.h"

extern const endo_fourier_options endo_fourier_defaults;

/* n >= 1; every size is that of the image in its slot. */
endo_status endo_fourier_run(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                             const endo_fourier_options *options, endo_fourier_result *results);

/* The field of view, faded: made when first needed, and kept with the frames. NULL where it is everything. */
endo_status endo_fourier_fades_make(endo_frames *frames, const endo_fourier_taper **tapers);

endo_status endo_fourier_run_images(endo_context *context, const endo_fourier_image *reference,
                                    const endo_fourier_image *current, const endo_fourier_options *options,
                                    endo_fourier_result *result);

#endif
