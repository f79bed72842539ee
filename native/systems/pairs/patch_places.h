/* Where the patches of a reference lie in the current frame, each by itself. */
#ifndef ENDO_SYSTEMS_PATCH_PLACES_H
#define ENDO_SYSTEMS_PATCH_PLACES_H

#include "backend/objects.h"
#include "include/endorama/registration.h"

/* endo_pairs_locate of arguments that were checked. */
endo_status endo_patches_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                endo_patch_place *places, int32_t *counts);

#endif
