/* Measures of pairs whose transforms are known, over what both frames show. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_OVERLAP_H
#define ENDO_SYSTEMS_OVERLAP_H

#include "backend/objects.h"

/* transforms: current -> reference. */
endo_status endo_overlap_quality(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                 double *quality);
endo_status endo_overlap_agreement(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                   size_t n, endo_agreement *agreement);

#endif
