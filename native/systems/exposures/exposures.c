/* Alignment of exposures, piece by piece, with a second opinion on the pairs that their bitmaps leave in doubt: phase
 * correlation finds another shift, and local bitmaps decide. */
#include "exposures.h"

#include "exposures_local.h"

#include "rules/exposure_observations.h"

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
/* Least coefficient of local bitmaps that is evidence, and the largest part of it that the other shift, or one eight
 * pixels away, may have. Wrong shifts of real pairs in doubt have up to 0.03. */
#define EVIDENCE 0.1
#define SECOND 0.75
/* Largest ratio of the second peak of the spectra to the first: in a pattern that repeats itself they are alike. */
#define PEAK 0.8
/* Largest deviation of local bitmaps, px, where they are evidence at all, and where they are evidence of a pixel. */
#define SHARP 0.5
#define SHARP_PIXEL 0.35

/* Whether a shift is that of what stands still on the sensor, on which all methods agree. */
static int stands_still(const endo_exposure_result *r) { return fabs(r->dx) <= STILL && fabs(r->dy) <= STILL; }

static int is_in_doubt(const endo_exposure_result *r) { return r->status == ENDO_EXPOSURE_LOW_CERTAINTY; }

/* Moves a result to the shift that local bitmaps found, with what they say of it. */
static void move(const exposures_judgement *j, double dx, double dy, endo_exposure_result *r) {
    r->dx = dx;
    r->dy = dy;
    r->peak = j->coefficient;
    r->deviation_x = j->deviation_x;
    r->deviation_y = j->deviation_y;
    r->mismatch = j->mismatch;
    r->usable = j->usable;
}

static int is_evidence(const exposures_judgement *j, double sharp) {
    return j->coefficient >= EVIDENCE && j->deviation_x <= sharp && j->deviation_y <= sharp;
}

static double apart(double dx, double dy, double other_dx, double other_dy) {
    return fmax(fabs(dx - other_dx), fabs(dy - other_dy));
}

/* Decides between two pixels that are nearly as good. */
static void settle(const exposures_local *local, int search, endo_exposure_result *r) {
    exposures_judgement j = exposures_local_judge(local, search, (int)r->dx, (int)r->dy);
    r->status = ENDO_EXPOSURE_OK;
    if (is_evidence(&j, SHARP_PIXEL) && apart(j.dx, j.dy, r->dx, r->dy) > 0) move(&j, j.dx, j.dy, r);
}

/* Decides between the shift of the bitmaps and that of the spectra, whose errors are independent of each other. Where they are
 * the same shift, or the local bitmaps show it clearly, it is OK; not at rest or near black, where what stands still on the
 * sensor is seen by all of them. */
static void weigh(const exposures_local *local, int dark, const endo_exposure_options *options,
                  const endo_fourier_result *other, endo_exposure_result *r) {
    int same = other->status == ENDO_FOURIER_OK && apart(other->dx, other->dy, r->dx, r->dy) <= SAME_SHIFT, by_spectra = 0;
    exposures_judgement best = exposures_local_judge(local, options->search, (int)rint(r->dx), (int)rint(r->dy));
    double second = 0;
    if (other->status != ENDO_FOURIER_NO_CONTENT && apart(other->dx, other->dy, 0, 0) <= options->search) {
        exposures_judgement j = exposures_local_judge(local, options->search, (int)rint(other->dx), (int)rint(other->dy));
        by_spectra = j.coefficient > best.coefficient;
        if (apart(j.dx, j.dy, best.dx, best.dy) > ENDO_EXPOSURE_APART) second = fmin(j.coefficient, best.coefficient);
        if (by_spectra) best = j;
    }
    double far = apart(best.dx, best.dy, r->dx, r->dy);
    int finer = options->subpixel && by_spectra && apart(other->dx, other->dy, best.dx, best.dy) <= 1;
    int clear = !dark && is_evidence(&best, SHARP) && second <= SECOND * best.coefficient &&
                other->status != ENDO_FOURIER_NO_CONTENT && other->ratio <= PEAK &&
                exposures_local_rival(local, best.dx, best.dy) <= SECOND * best.coefficient;
    int is_pixel = far > 0 && far <= ENDO_EXPOSURE_PIXEL && !options->subpixel && is_evidence(&best, SHARP_PIXEL);
    if (is_pixel || (far > ENDO_EXPOSURE_PIXEL && !same))
        move(&best, finer ? other->dx : best.dx, finer ? other->dy : best.dy, r);
    if (stands_still(r) || !(clear || same)) return;
    r->status = ENDO_EXPOSURE_OK;
    r->certainty = fmax(r->certainty, ENDO_EXPOSURE_CERTAIN);
}

/* Spectra of the pairs in doubt; found: one for each of them, NO_CONTENT where there are no Fourier transforms. */
static endo_status ask_spectra(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_exposure_result *made,
                               size_t doubted, endo_fourier_result *found) {
    endo_fourier_options p = endo_fourier_defaults;
    endo_fourier_pair *asked = endo_alloc(doubted, sizeof *asked);
    int32_t width = frames->options.width, height = frames->options.height;
    if (!asked) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    p.model = ENDO_TRANSFORM_TRANSLATION;
    for (size_t i = 0, k = 0; i < n; i++) {
        endo_fourier_pair whole = {pairs[i].reference, pairs[i].current, width, height, width, height};
        if (is_in_doubt(&made[i])) asked[k++] = whole;
    }
    endo_status status = endo_fourier_run(frames, asked, doubted, &p, found);
    endo_free(asked);
    for (size_t k = 0; k < doubted && status == ENDO_ERR_UNSUPPORTED; k++) found[k].status = ENDO_FOURIER_NO_CONTENT;
    return status == ENDO_ERR_UNSUPPORTED ? ENDO_OK : status;
}

/* A second opinion on the pairs in doubt, by spectra, and on those between two pixels, both judged by local bitmaps. */
static endo_status ask_again(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                             endo_exposure_result *made) {
    size_t doubted = 0, between = 0;
    for (size_t i = 0; i < n; i++) {
        doubted += (size_t)is_in_doubt(&made[i]);
        between += made[i].status == ENDO_EXPOSURE_BETWEEN;
    }
    if (doubted + between == 0) return ENDO_OK;
    exposures_local local;
    endo_fourier_result *found = endo_alloc_zeroed(doubted + 1, sizeof *found);
    endo_status status = exposures_local_create(frames, &local);
    if (status == ENDO_OK && !found) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    if (status == ENDO_OK && doubted) status = ask_spectra(frames, pairs, n, made, doubted, found);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++) {
        if (!is_in_doubt(&made[i]) && made[i].status != ENDO_EXPOSURE_BETWEEN) continue;
        int dark = 0, doubt = is_in_doubt(&made[i]);
        status = exposures_local_take(&local, &pairs[i], doubt ? &dark : NULL);
        if (status == ENDO_OK && doubt) weigh(&local, dark, options, &found[k++], &made[i]);
        if (status == ENDO_OK && !doubt) settle(&local, options->search, &made[i]);
    }
    exposures_local_destroy(&local);
    endo_free(found);
    return status;
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
        if (status == ENDO_OK) status = ask_again(frames, pairs + at, count, options, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
