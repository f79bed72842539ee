/* Alignment of exposures, piece by piece, with phase correlation of the pairs that their bitmaps leave in doubt. */
#include "exposures.h"

#include "rules/exposure_result.h"

#include "systems/fourier/fourier.h"
#include "backend/pieces.h"

#include <math.h>
#include <string.h>

const endo_exposure_options endo_exposure_defaults = {
    .search = 64,
    .tolerance = 4,
    .bins = 64,
    .percentile = ENDO_PERCENTILE_ADAPTIVE,
    .subpixel = 0,
};

/* Largest difference, px, of shifts by spectra and by bitmaps that agree: spectra are right to a tenth of a pixel, bitmaps are
 * in whole pixels. */
#define SAME_SHIFT 0.6
#define STILL 1.5

/* Whether a pair in doubt is checked: not without motion, where both methods agree on what stands still on the sensor. */
static int is_to_check(const endo_exposure_result *r) {
    return r->status == ENDO_EXPOSURE_LOW_CERTAINTY && (fabs(r->dx) > STILL || fabs(r->dy) > STILL);
}

static void weigh(const endo_fourier_result *other, endo_exposure_result *r) {
    double apart = fmax(fabs(other->dx - r->dx), fabs(other->dy - r->dy));
    if (other->status != ENDO_FOURIER_OK || apart > SAME_SHIFT) return;
    r->status = ENDO_EXPOSURE_OK;
    r->certainty = ENDO_EXPOSURE_CERTAIN;
}

/* Phase correlation of the pairs in doubt, which are accepted where it finds the same shift: its errors are independent of
 * those of bitmaps, so both are hardly ever wrong by the same. */
static endo_status check_by_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    size_t doubted = 0;
    for (size_t i = 0; i < n; i++) doubted += (size_t)is_to_check(&made[i]);
    if (doubted == 0) return ENDO_OK;
    endo_fourier_options p = endo_fourier_defaults;
    endo_fourier_pair *asked = endo_alloc(doubted, sizeof *asked);
    endo_fourier_result *found = endo_alloc(doubted, sizeof *found);
    endo_status status = asked && found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    int32_t width = frames->options.width, height = frames->options.height;
    p.model = ENDO_TRANSFORM_TRANSLATION;
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++) {
        endo_fourier_pair whole = {pairs[i].reference, pairs[i].current, width, height, width, height};
        if (is_to_check(&made[i])) asked[k++] = whole;
    }
    if (status == ENDO_OK) status = endo_fourier_run(frames, asked, doubted, &p, found);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++)
        if (is_to_check(&made[i])) weigh(&found[k++], &made[i]);
    endo_free(asked);
    endo_free(found);
    return status == ENDO_ERR_UNSUPPORTED ? ENDO_OK : status; /* no Fourier transforms: pairs stay in doubt */
}

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
        if (status == ENDO_OK) status = check_by_spectra(frames, pairs + at, count, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
