/* The path of a camera through a bracketed video. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_EXPOSURES_FILTER_H
#define ENDO_SYSTEMS_EXPOSURES_FILTER_H

#include "backend/kernels.h"

void endo_exposures_start(endo_exposure_filter *filter, int64_t frame, double x, double y);

/* shift may be NULL. */
void endo_exposures_step(endo_exposure_filter *filter, int64_t frame, double reference_x, double reference_y,
                         const endo_exposure_result *shift, endo_exposure_position *place);

#endif
