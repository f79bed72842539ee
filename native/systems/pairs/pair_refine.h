/* Pairs refined on their intensities: the method ENDO_METHOD_BEST (endorama/registration.h). */
#ifndef ENDO_SYSTEMS_PAIR_REFINE_H
#define ENDO_SYSTEMS_PAIR_REFINE_H

#include "patch_grid.h"

/* Refines n >= 1 pairs. results: the landmarks' results of a search from starts; transform, deviation and status change.
 * kind: a class, or ENDO_TRANSFORM_AUTO; where it is HOMOGRAPHY a start may be one, too, and is then the only one of its
 * pair. */
endo_status endo_pairs_refine(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                              endo_transform_class kind, endo_pair_result *results);

/* The same of motions that a part of each frame has, where maps, reference -> current and similarities at the most, say roughly
 * what they are: only the patches of a mask take part, one mask a pair. results: as above, NO_TEXTURE stays. */
endo_status endo_pairs_refine_layers(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                                     const endo_layer_mask *masks, size_t n, endo_transform_class kind,
                                     endo_pair_result *results);

#endif
