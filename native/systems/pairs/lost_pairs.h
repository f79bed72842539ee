/* Pairs that were not found: frames that share a small part only, as in surveys by big steps, or that are turned far or zoomed. */
#ifndef ENDO_SYSTEMS_LOST_PAIRS_H
#define ENDO_SYSTEMS_LOST_PAIRS_H

#include "backend/objects.h"

/* Refines each pair of n that is not certain, but has texture, from the starts of its overlap, and where none of them is
 * believed from that of its spectra, too. A result changes where it is certain then. kind: as for endo_pairs_refine. */
endo_status endo_pairs_find_lost(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind, int by_spectra,
                                 endo_pair_result *results);

/* Registers pairs of which it is known where they lie, current -> reference, once more where they share little and are not
 * certain, in windows there. */
endo_status endo_pairs_find_in_windows(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                       endo_transform_class kind, endo_pair_result *results);

#endif
