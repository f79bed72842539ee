/* Fourier registration on a device: not there yet. */
#include "cuda.h"

extern "C" endo_status cuda_turns(void *store, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup,
                               endo_turns_result *results) {
    (void)store, (void)requests, (void)n, (void)setup, (void)results;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on a CUDA device: not in this build");
}
