/* Registers the pairs of neighbours of a sequence with several combinations of options, to compare them. */
#ifndef ENDO_MOSAIC_OPTION_SWEEP_H
#define ENDO_MOSAIC_OPTION_SWEEP_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

/* Implements endo_mosaic_sweep; arguments were checked. */
endo_status option_sweep_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pairs_options *combinations,
                             int n, endo_sweep_result *results);

#endif
