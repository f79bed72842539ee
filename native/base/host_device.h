/* Functions for host and device: every rule (and least_squares.h) exists once.
 *
 * Invariant of all rules: integers, or single IEEE operations in a fixed order. Built without contraction
 * (-ffp-contract=off, nvcc --fmad=false), CPU and GPU give the same bytes. */
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
