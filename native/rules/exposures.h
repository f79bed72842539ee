/* The rules of the alignment of exposures that every back end shares.
 *
 * A back end counts pixels (of a level, black and white in a row or column, different under a shift); these rules decide by
 * the counts. Invariant: integers, or single IEEE operations in a fixed order. */
#ifndef ENDO_RULES_EXPOSURES_H
#define ENDO_RULES_EXPOSURES_H

#include "exposure_coefficients.h"
#include "exposure_observations.h"
#include "exposure_result.h"
#include "exposure_search.h"
#include "exposure_thresholds.h"

#endif
