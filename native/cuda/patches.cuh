/* Sums of patches for other kernels. */
#ifndef ENDO_CUDA_PATCHES_CUH
#define ENDO_CUDA_PATCHES_CUH

#include "cuda.h"

/* From requests to their sums, both on the device, in the context's stream; what it is made from is there. n >= 1. */
endo_status cuda_patches_launch(cuda_store *s, const endo_patch_request *requests, size_t n, int side,
                                endo_patch_sums *sums);

#endif
