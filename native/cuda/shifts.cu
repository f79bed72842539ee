/* Fourier registration on a device: not there yet. */
#include "cuda.h"

extern "C" endo_status cuda_shifts(void *store, const endo_shifts_request *requests, size_t n, const endo_shifts_setup *setup,
                               endo_shifts_result *results) {
    (void)store, (void)requests, (void)n, (void)setup, (void)results;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on a CUDA device: not in this build");
}
