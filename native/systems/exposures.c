/* Alignment of exposures, piece by piece. */
#include "exposures.h"

#include "pieces.h"

#include <string.h>

endo_status endo_exposures_align(endo_frames *frames, const endo_pair *pairs, size_t n,
                                 const endo_exposure_options *options, endo_exposure_result *results) {
    size_t piece = endo_pairs_a_piece(frames, n);
    endo_exposure_result *made = endo_alloc(n, sizeof *made);
    endo_status status = ENDO_OK;
    if (!made) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t at = 0; at < n && status == ENDO_OK; at += piece) {
        size_t count = n - at < piece ? n - at : piece;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK)
            status = frames->context->kernels->batches->exposures(frames->store, pairs + at, count, options, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
