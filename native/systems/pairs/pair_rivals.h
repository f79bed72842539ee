/* Scenes that repeat themselves: a grid, a weave, rings of a tube. A pair that lies one period away looks as right as the true
 * one. Where a frame resembles itself shifted, the pair's rivals are refined, too, and compared patch by patch. */
#ifndef ENDO_SYSTEMS_PAIR_RIVALS_H
#define ENDO_SYSTEMS_PAIR_RIVALS_H

#include "include/endorama/registration.h"
#include "patch_grid.h"

/* endo_pairs_try_rivals of arguments that were checked. */
endo_status endo_rivals_try(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                            endo_pair_result *results, int32_t *repeats);

#endif
