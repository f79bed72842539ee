/* Planes derived from the field of view, once for every back end. */
#ifndef ENDO_SYSTEMS_FIELD_PLANES_H
#define ENDO_SYSTEMS_FIELD_PLANES_H

#include "backend/kernels.h"

/* Makes them from options.field, which is not NULL. out is to be destroyed; untouched on failure. */
ENDO_NODISCARD endo_status endo_field_planes_create(const endo_frames_options *options, int threads, endo_field_planes *out);
void endo_field_planes_destroy(endo_field_planes *planes);

#endif
