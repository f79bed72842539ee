/* Exposures: argument checks. */
#include "internal.h"

endo_exposure_params endo_exposure_params_default(void) {
    endo_exposure_params params = {64, 4, 64, ENDO_PERCENTILE_ADAPTIVE, 0};
    return params;
}

static endo_status check_params(const endo_exposure_params *p) {
    if (p->search < 1 || p->search > ENDO_EXPOSURE_MAX_SEARCH)
        return endo_fail(ENDO_ERR_ARGUMENT, "search %d: must be 1..%d", p->search, ENDO_EXPOSURE_MAX_SEARCH);
    if (p->tolerance < 0 || p->tolerance > 127)
        return endo_fail(ENDO_ERR_ARGUMENT, "tolerance %d: must be 0..127", p->tolerance);
    if (p->bins != 64 && p->bins != 256)
        return endo_fail(ENDO_ERR_ARGUMENT, "bins %d: must be 64 or 256", p->bins);
    if (p->percentile != ENDO_PERCENTILE_MEDIAN && p->percentile != ENDO_PERCENTILE_ADAPTIVE)
        return endo_fail(ENDO_ERR_ARGUMENT, "percentile %d: must be 0 (median) or 1 (adaptive)", (int)p->percentile);
    if (p->subpixel != 0 && p->subpixel != 1)
        return endo_fail(ENDO_ERR_ARGUMENT, "subpixel %d: must be 0 or 1", p->subpixel);
    return ENDO_OK;
}

endo_status endo_exposures_register(endo_frames *frames, const endo_pair *pairs, size_t n,
                                    const endo_exposure_params *params, endo_exposure_result *results) {
    if (!frames || !params || (n && (!pairs || !results)))
        return endo_fail(ENDO_ERR_ARGUMENT, "exposures: an argument is NULL");
    endo_status status = check_params(params);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        status = endo_check_slot(frames, pairs[i].reference, 1);
        if (status == ENDO_OK) status = endo_check_slot(frames, pairs[i].current, 1);
    }
    const endo_kernels *kernels = frames->context->kernels;
    if (status == ENDO_OK && !kernels->exposures)
        status = endo_fail(ENDO_ERR_UNSUPPORTED, "exposures: back end %s cannot align them", kernels->name);
    if (status == ENDO_OK) status = endo_context_step(frames->context);
    return status == ENDO_OK && n ? kernels->exposures(frames->store, pairs, n, params, results) : status;
}
