/* What options of the registration are worth: pairs of neighbours are registered with each combination of them. */
#ifndef ENDO_MOSAIC_OPTION_SWEEP_H
#define ENDO_MOSAIC_OPTION_SWEEP_H

#include "include/endorama/mosaic_tools.h"
#include "session.h"

/* endo_mosaic_sweep, whose arguments were checked. */
endo_status option_sweep_run(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pairs_options *combinations,
                             int n, endo_sweep_result *results);

#endif
