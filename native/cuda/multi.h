/* Several devices behind one context. */
#ifndef ENDO_MULTI_H
#define ENDO_MULTI_H

#include "../kernels.h"

extern const endo_kernels endo_kernels_multi;

#endif
