/* Rounds of the refinement of pairs as homographies (pair_rounds.h has those of the other classes): each patch is measured
 * under the map at its position, and eight parameters are fitted (distortion_fit.h), on the CPU for every back end. */
#ifndef ENDO_SYSTEMS_PAIR_HOMOGRAPHY_H
#define ENDO_SYSTEMS_PAIR_HOMOGRAPHY_H

#include "pair_rounds.h"

/* Refines those of n refinements, of `pairs`, that are not done, at every so-many-th patch of `across` at most along the
 * longer side. is_last: until they settle, or ENDO_MOST_ROUNDS rounds, with a deviation at the end; else one round, and a
 * pair whose patches do not determine a homography stays as it is. Maps become homographies. */
endo_status endo_homography_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, int every,
                                      int is_last, endo_refinement *all, size_t n);

#endif
