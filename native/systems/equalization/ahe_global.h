/* Global equalization, [P] Algorithm 1. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_AHE_GLOBAL_H
#define ENDO_SYSTEMS_AHE_GLOBAL_H

#include "backend/kernels.h"

/* One histogram for the whole region. Grey images. */
endo_status endo_ahe_global(const endo_ahe_job *job, double limit);

#endif
