/* Fourier registration on a device: not there yet. */
#include "cuda.h"

extern "C" endo_status cuda_align(void *store, const endo_align_request *requests, size_t n, const endo_align_setup *setup,
                               endo_align_result *results) {
    (void)store, (void)requests, (void)n, (void)setup, (void)results;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on a CUDA device: not in this build");
}
