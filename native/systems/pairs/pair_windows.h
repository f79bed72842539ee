/* Pairs that share little: the part of each frame that the other one shows, as small frames of their own. */
#ifndef ENDO_SYSTEMS_PAIR_WINDOWS_H
#define ENDO_SYSTEMS_PAIR_WINDOWS_H

#include "backend/objects.h"

/* Registers a pair in the windows that a start, current -> reference, px, leaves of both frames. *result changes only where the
 * pair is certain then; it stays as it is where the windows would be a large part of the frames, or too small. kind: as for
 * endo_pairs_refine; the result is a similarity at the most. */
endo_status endo_pair_register_in_windows(endo_frames *frames, const endo_pair *pair, const endo_transform *start,
                                          endo_transform_class kind, endo_pair_result *result);

#endif
