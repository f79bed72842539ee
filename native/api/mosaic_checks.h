/* Checks of what every run of a mosaic is given. */
#ifndef ENDO_API_MOSAIC_CHECKS_H
#define ENDO_API_MOSAIC_CHECKS_H

#include "base/status.h"
#include "include/endorama/mosaic.h"

/* least: how many frames it must have. */
endo_status mosaic_check_source(const endo_mosaic_source *source, int least);

#endif
