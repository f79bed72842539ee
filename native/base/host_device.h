/* What every rule (and the solver beside this) is: a function for host and device, so that it exists once.
 *
 * Invariant of all rules: integers, or single IEEE operations in an order that is fixed there. Build without
 * contraction (-ffp-contract=off, nvcc --fmad=false): then CPU and GPU give the same bytes. */
#ifndef ENDO_BASE_HOST_DEVICE_H
#define ENDO_BASE_HOST_DEVICE_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ENDO_HD __host__ __device__ static inline
#else
#define ENDO_HD static inline
#endif

#endif
