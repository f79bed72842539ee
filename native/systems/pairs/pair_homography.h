/* Rounds of the refinement of pairs as homographies (pair_rounds.h has those of the other classes): patches asked each by
 * the map at its own place, and a fit of eight numbers to what they say (distortion_fit.h). Here on every back end, from the
 * sums of its patches. */
#ifndef ENDO_SYSTEMS_PAIR_HOMOGRAPHY_H
#define ENDO_SYSTEMS_PAIR_HOMOGRAPHY_H

#include "pair_rounds.h"

/* Of n refinements, of `pairs`, those that are not done; at one patch of so many, of `across` at most along the longer
 * side. is_last: until no step is left to go, or ENDO_MOST_ROUNDS of them, with a deviation at the end; else one round, and
 * a pair whose patches do not determine a homography stays as it is. Maps become homographies. */
endo_status endo_homography_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, int every, int is_last,
                                endo_refinement *all, size_t n);

#endif
