/* Alignment of exposures, piece by piece, and a second opinion on the pairs that their bitmaps leave in doubt. */
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

/* Spectra are right to a tenth of a pixel where they are right at all; bitmaps are whole pixels. */
#define SAME_SHIFT 0.6
#define STILL 1.5

/* In doubt, with a motion: what stands still on the sensor is found at no motion by both ways, and proves nothing. */
static int wants_second_opinion(const endo_exposure_result *r) {
    return r->status == ENDO_EXPOSURE_LOW_CERTAINTY && (fabs(r->dx) > STILL || fabs(r->dy) > STILL);
}

static void weigh(const endo_fourier_result *other, endo_exposure_result *r) {
    double apart = fmax(fabs(other->dx - r->dx), fabs(other->dy - r->dy));
    if (other->status != ENDO_FOURIER_OK || apart > SAME_SHIFT) return;
    r->status = ENDO_EXPOSURE_OK;
    r->certainty = ENDO_EXPOSURE_CERTAIN;
}

/* Phase correlation of the pairs in doubt; where it finds the same shift, there is no doubt. Spectra know nothing of
 * thresholds, and bitmaps nothing of phases: that both are wrong by the same is not to be expected. */
static endo_status ask_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    size_t doubted = 0;
    for (size_t i = 0; i < n; i++) doubted += (size_t)wants_second_opinion(&made[i]);
    if (doubted == 0) return ENDO_OK;
    endo_fourier_options p = endo_fourier_defaults;
    endo_fourier_pair *asked = endo_alloc(doubted, sizeof *asked);
    endo_fourier_result *found = endo_alloc(doubted, sizeof *found);
    endo_status status = asked && found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    int32_t width = frames->options.width, height = frames->options.height;
    p.model = ENDO_TRANSFORM_TRANSLATION;
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++) {
        endo_fourier_pair whole = {pairs[i].reference, pairs[i].current, width, height, width, height};
        if (wants_second_opinion(&made[i])) asked[k++] = whole;
    }
    if (status == ENDO_OK) status = endo_fourier_run(frames, asked, doubted, &p, found);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++)
        if (wants_second_opinion(&made[i])) weigh(&found[k++], &made[i]);
    endo_free(asked);
    endo_free(found);
    return status == ENDO_ERR_UNSUPPORTED ? ENDO_OK : status; /* no transforms here: the doubt stays */
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
        if (status == ENDO_OK) status = ask_spectra(frames, pairs + at, count, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
