/* Quality and agreement under homographies that no affine map comes near enough to: from the sums of patches
 * (rules/patches.h), each under the map at its position, the same on every back end. */
#ifndef ENDO_SYSTEMS_OVERLAP_HOMOGRAPHY_H
#define ENDO_SYSTEMS_OVERLAP_HOMOGRAPHY_H

#include "backend/objects.h"

/* The affine map, current -> reference, that takes the points of the reference to within half a pixel of where the homography
 * does. 0: there is none. */
int endo_overlap_affine(const endo_frames *frames, const endo_transform *transform, endo_transform *affine);

/* n pairs; transforms: current -> reference, homographies; results: as endorama/registration.h defines them. */
endo_status endo_overlap_homography_quality(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                      size_t n, double *quality);
endo_status endo_overlap_homography_agreement(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                        size_t n, endo_agreement *agreement);

#endif
