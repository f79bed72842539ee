#include "pair_starts.h"

#include "systems/exposures/exposures.h"
#include "systems/fourier/fourier.h"

int endo_start_moves(const endo_transform *t) {
    return t->kind != ENDO_TRANSFORM_TRANSLATION || t->matrix[2] != 0 || t->matrix[5] != 0;
}

endo_flow_result endo_start_still(void) {
    endo_flow_result still = {endo_transform_still, 0};
    return still;
}

/* The shift of each pair by the alignment of exposures; no motion where it is not certain. */
static endo_status shift_by_exposures(endo_frames *frames, const endo_pair *pairs, size_t n, endo_flow_result *starts) {
    endo_exposure_options p = endo_exposure_defaults;
    int width = frames->options.width, height = frames->options.height;
    int eighth = (width > height ? width : height) / 8;
    endo_exposure_result *shifts = endo_alloc(n, sizeof *shifts);
    if (!shifts) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    if (eighth > p.search) p.search = eighth < ENDO_EXPOSURE_MAX_SEARCH ? eighth : ENDO_EXPOSURE_MAX_SEARCH;
    endo_status status = endo_exposures_align(frames, pairs, n, &p, shifts);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        starts[i] = endo_start_still();
        if (shifts[i].status != ENDO_EXPOSURE_OK) continue;
        starts[i].transform.matrix[2] = shifts[i].dx;
        starts[i].transform.matrix[5] = shifts[i].dy;
    }
    endo_free(shifts);
    return status;
}

endo_status endo_starts_by_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class fitted,
                                   double max_scale, endo_flow_result *starts) {
    endo_fourier_options p = endo_fourier_defaults;
    endo_fourier_pair *asked = endo_alloc_zeroed(n, sizeof *asked);
    endo_fourier_result *found = endo_alloc(n, sizeof *found);
    endo_status status = ENDO_OK;
    if (!asked || !found) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    if (fitted < p.model) p.model = fitted;
    p.max_scale = max_scale;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        int32_t width = frames->options.width, height = frames->options.height;
        asked[i] = (endo_fourier_pair){
            .reference = pairs[i].reference,
            .current = pairs[i].current,
            .reference_width = width,
            .reference_height = height,
            .current_width = width,
            .current_height = height,
        };
    }
    if (status == ENDO_OK) status = endo_fourier_run(frames, asked, n, &p, found);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        starts[i] = endo_start_still();
        if (found[i].status == ENDO_FOURIER_OK) starts[i].transform = found[i].transform;
    }
    endo_free(asked);
    endo_free(found);
    return status;
}

endo_status endo_starts_find(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                             endo_flow_result *starts) {
    int shift = options->transform == ENDO_TRANSFORM_TRANSLATION;
    /* The flow finds shifts and affine maps; where intensities refine it, a rough one will do. */
    const endo_flow_setup setup = {shift ? ENDO_TRANSFORM_TRANSLATION : ENDO_TRANSFORM_AFFINE,
                                   options->method == ENDO_METHOD_BEST};
    if (options->initial == ENDO_INITIAL_FLOW)
        return frames->context->kernels->batches->flow(frames->store, pairs, n, &setup, starts);
    if (options->initial == ENDO_INITIAL_EXPOSURES) return shift_by_exposures(frames, pairs, n, starts);
    if (options->initial == ENDO_INITIAL_FOURIER)
        return endo_starts_by_spectra(frames, pairs, n, options->transform, endo_fourier_defaults.max_scale, starts);
    for (size_t i = 0; i < n; i++) starts[i] = endo_start_still();
    return ENDO_OK;
}
