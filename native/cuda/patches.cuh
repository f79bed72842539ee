/* Sums of patches for other kernels. */
#ifndef ENDO_CUDA_PATCHES_CUH
#define ENDO_CUDA_PATCHES_CUH

#include "cuda.h"

/* Computes the sums of n >= 1 requests, both on the device, in the context's stream; the smoothed frames are there. */
endo_status cuda_patches_launch(cuda_store *s, const endo_patch_request *requests, size_t n, int side,
                                endo_patch_sums *sums);

#endif
