/* The rules of the alignment of exposures that every back end shares.
 *
 * A back end counts (pixels of a level, black and white pixels of a row or column, pixels that differ under a
 * shift); what the counts mean is decided here. Invariant: integers, or single IEEE operations in a fixed order. */
#ifndef ENDO_RULES_EXPOSURES_H
#define ENDO_RULES_EXPOSURES_H

#include "exposure_coefficients.h"
#include "exposure_observations.h"
#include "exposure_result.h"
#include "exposure_search.h"
#include "exposure_thresholds.h"

#endif
