/* Where the searches of pairs start, [S] section 2.2: from what the flow says, or bitmaps, or spectra, or no motion. A start
 * takes places of the current frame to those of the reference, px. */
#ifndef ENDO_SYSTEMS_PAIR_STARTS_H
#define ENDO_SYSTEMS_PAIR_STARTS_H

#include "backend/objects.h"

/* No motion, and nothing that says so. */
endo_flow_result endo_start_still(void);

/* Returns whether it is another place than that of no motion. */
int endo_start_moves(const endo_transform *t);

/* Rotation, scale and shift of each pair by its spectra, of the class `fitted` at most; no motion where that is not certain.
 * ENDO_ERR_UNSUPPORTED where this library or machine has no Fourier transforms. */
endo_status endo_starts_by_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class fitted,
                                   endo_flow_result *starts);

/* The start of every pair, by the method that options->initial names. */
endo_status endo_starts_find(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                             endo_flow_result *starts);

#endif
