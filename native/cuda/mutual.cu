/* Mutual information: not on the GPU in this version. */
#include "cuda.h"

static endo_status refuse(void) {
    return endo_fail(ENDO_ERR_UNSUPPORTED, "mutual information: this version computes it on the CPU only; use CPU");
}

static endo_status create(void *, const endo_mutual_setup *, void **) { return refuse(); }

static void destroy(void *) {}

static endo_status measure(void *, int, const endo_mutual_window *, const endo_mutual_map *, size_t, endo_mutual_sums *) {
    return refuse();
}

static endo_status histogram(void *, int, const endo_mutual_map *, uint32_t *) { return refuse(); }

static endo_status resample(void *, const endo_resample_job *) { return refuse(); }

extern "C" const endo_mutual_kernels cuda_mutual = {
    .create = create,
    .destroy = destroy,
    .measure = measure,
    .histogram = histogram,
    .resample = resample,
};
