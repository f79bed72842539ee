/* Several CUDA devices behind one context (multi/multi.h). */
#ifndef ENDO_CUDA_SEVERAL_H
#define ENDO_CUDA_SEVERAL_H

#include "backend/kernels.h"

extern const endo_kernels endo_kernels_multi;

#endif
