/* Registers one pair of frames from a transform that somebody gave, and says whether the result can be trusted. */
#ifndef ENDO_MOSAIC_PAIR_REFINE_H
#define ENDO_MOSAIC_PAIR_REFINE_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

/* Implements endo_mosaic_refine; arguments were checked. */
endo_status pair_refine_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pair *pair,
                            const endo_transform *start, endo_refined_pair *refined);

#endif
