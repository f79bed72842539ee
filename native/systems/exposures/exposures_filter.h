/* The path of a camera through a bracketed video. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_EXPOSURES_FILTER_H
#define ENDO_SYSTEMS_EXPOSURES_FILTER_H

#include "backend/kernels.h"

void endo_exposures_start(endo_exposure_filter *filter, int64_t frame, double x, double y);

/* Adds a frame, at its reference plus shift (which may be NULL: none was measured), and sets its filtered position. */
void endo_exposures_step(endo_exposure_filter *filter, int64_t frame, double reference_x, double reference_y,
                         const endo_exposure_result *shift, endo_exposure_position *place);

#endif
