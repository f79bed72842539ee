/* Global equalization, [P] Algorithm 1. Arguments are checked by api/. */
#ifndef ENDO_SYSTEMS_AHE_GLOBAL_H
#define ENDO_SYSTEMS_AHE_GLOBAL_H

#include "backend/kernels.h"

/* Equalizes a grey image by one histogram of the whole region. */
endo_status endo_ahe_global(const endo_ahe_job *job, double limit);

#endif
