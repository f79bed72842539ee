/* Where the searches of pairs start, [S] section 2.2: from the optical flow, threshold bitmaps, spectra, or no motion. A
 * start is a transform current -> reference, px. */
#ifndef ENDO_SYSTEMS_PAIR_STARTS_H
#define ENDO_SYSTEMS_PAIR_STARTS_H

#include "backend/objects.h"

/* The start without motion, by no pixels. */
endo_flow_result endo_start_still(void);

/* Whether a start differs from no motion. */
int endo_start_moves(const endo_transform *t);

/* Rotation, scale (up to max_scale either way) and shift of each pair by its spectra, of the class `fitted` at most; no motion
 * where they are not certain. ENDO_ERR_UNSUPPORTED where this library or machine has no Fourier transforms. */
endo_status endo_starts_by_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class fitted,
                                   double max_scale, endo_flow_result *starts);

/* Finds the start of every pair by the method options->initial. */
endo_status endo_starts_find(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                             endo_flow_result *starts);

#endif
