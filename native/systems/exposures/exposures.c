/* Alignment of exposures, piece by piece, with a second opinion on the pairs whose bitmaps show nothing or leave a doubt: phase
 * correlation and a search of all shifts by local bitmaps find others, and local bitmaps decide. */
#include "exposures.h"

#include "exposures_local.h"
#include "exposures_search.h"

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
/* Certainty from which on nobody looks for another shift. Of real brackets, bitmaps alone were wrong at up to 0.12. */
#define PLAIN 0.15
/* Largest deviation of local bitmaps, px, where they are evidence at all, and where they are evidence of a pixel. */
#define SHARP 0.5
#define SHARP_PIXEL 0.35
/* Standard deviation of a shift by spectra, px, where their second peak is at most this part of the first. */
#define SPECTRA 0.2
#define SPECTRA_SECOND 0.6
/* Coefficient of local bitmaps up to which noise may have blunted their peak. */
#define BLUNT 0.9

/* Whether a shift may be that of what stands still on the sensor, on which all methods agree; near black also that of an edge,
 * near 0 on one axis. */
static int stands_still(const endo_exposure_result *r, int dark) {
    return (fabs(r->dx) <= STILL && fabs(r->dy) <= STILL) || (dark && endo_exposure_stands(r));
}

static int is_in_doubt(const endo_exposure_result *r) { return r->status == ENDO_EXPOSURE_LOW_CERTAINTY; }

static int is_between(const endo_exposure_result *r) { return r->status == ENDO_EXPOSURE_BETWEEN; }

static int shows_nothing(const endo_pair *pair, const endo_exposure_result *r) {
    return r->status == ENDO_EXPOSURE_NO_CONTENT && pair->reference != pair->current;
}

static int is_weak(const endo_exposure_result *r) {
    return (r->status == ENDO_EXPOSURE_OK || is_between(r)) && r->certainty < PLAIN;
}

/* The frames of a call, and what is asked of them. */
typedef struct second_opinion {
    endo_frames *frames;
    const endo_exposure_options *options;
    uint8_t *grey; /* memory for an image */
} second_opinion;

/* Moves a result to the shift that local bitmaps found, with what they say of it. */
static void move(const second_opinion *o, const exposures_judgement *j, endo_exposure_result *r) {
    r->dx = o->options->subpixel ? j->x : j->dx;
    r->dy = o->options->subpixel ? j->y : j->dy;
    r->peak = j->coefficient;
    r->deviation_x = j->deviation_x;
    r->deviation_y = j->deviation_y;
    r->mismatch = j->mismatch;
    r->usable = j->usable;
}

/* endo_exposure_is_dark, of all rows. */
static int is_dark(const endo_frames *f, const uint8_t *grey) {
    size_t area = (size_t)f->options.width * (size_t)f->options.height;
    int64_t below = 0;
    int64_t all = 0;
    for (size_t i = 0; i < area; i++) {
        int in = f->field[i] & 1;
        all += in;
        below += in & (grey[i] < ENDO_EXPOSURE_DARK);
    }
    return 4 * below >= ENDO_EXPOSURE_DARK_QUARTERS * all;
}

endo_status endo_exposures_are_dark(endo_frames *frames, const endo_pair *pair, uint8_t *grey, int *dark) {
    const endo_frames_kernels *kernels = frames->context->kernels->frames;
    ENDO_TRY(kernels->get_grey(frames->store, pair->reference, grey));
    *dark = is_dark(frames, grey);
    if (!*dark) return ENDO_OK;
    ENDO_TRY(kernels->get_grey(frames->store, pair->current, grey));
    *dark = is_dark(frames, grey);
    return ENDO_OK;
}

static int is_evidence(const exposures_judgement *j, double sharp) {
    return j->coefficient >= EVIDENCE && j->deviation_x <= sharp && j->deviation_y <= sharp;
}

static double apart(double dx, double dy, double other_dx, double other_dy) {
    return fmax(fabs(dx - other_dx), fabs(dy - other_dy));
}

/* The mean of the shifts by spectra and by local bitmaps along an axis, each weighted by its deviation, px. */
static double mean_of_both(double by_spectra, double by_bitmaps, double deviation) {
    double spectra = SPECTRA * SPECTRA;
    double bitmaps = deviation * deviation;
    return (bitmaps * by_spectra + spectra * by_bitmaps) / (bitmaps + spectra);
}

/* Whether spectra show one shift clearly, and local bitmaps the same peak less sharply than they do without noise. */
static int is_same_peak(const endo_fourier_result *other, const exposures_judgement *j) {
    return j->coefficient <= BLUNT && other->status != ENDO_FOURIER_NO_CONTENT && other->ratio <= SPECTRA_SECOND &&
           apart(other->dx, other->dy, j->x, j->y) <= ENDO_EXPOSURE_PIXEL;
}

static endo_bitmap_request shift_of(const endo_pair *pair, double dx, double dy) {
    return (endo_bitmap_request){
        .reference = pair->reference,
        .current = pair->current,
        .dx = (int)rint(dx),
        .dy = (int)rint(dy),
    };
}

/* The best of several shifts, and the greatest coefficient of those that are not near to it. */
typedef struct verdict {
    exposures_judgement best;
    double second;
} verdict;

/* Chooses the shift of the greatest coefficient among n >= 1 judgements, of equal ones the first. */
static verdict choose(const exposures_judgement *j, int n) {
    verdict v = {.best = j[0]};
    for (int i = 1; i < n; i++)
        if (j[i].coefficient > v.best.coefficient) v.best = j[i];
    for (int i = 0; i < n; i++)
        if (apart(j[i].dx, j[i].dy, v.best.dx, v.best.dy) > ENDO_EXPOSURE_APART) v.second = fmax(v.second, j[i].coefficient);
    return v;
}

/* Judges n shifts, of which there is memory for SEARCH_FOUND more, and those that a search of all of them finds. Returns their
 * number in n. */
static endo_status judge_all(const second_opinion *o, const endo_pair *pair, endo_bitmap_request *shifts, int *n,
                             exposures_judgement *j) {
    int found;
    ENDO_TRY(exposures_search_find(o->frames, o->options->search, pair, shifts + *n, &found));
    *n += found;
    return exposures_local_judge(o->frames, o->options->search, shifts, (size_t)*n, j);
}

/* Looks for a shift where one threshold for the whole image shows nothing. What is found stays in doubt, without certainty. */
static endo_status look_closer(const second_opinion *o, const endo_pair *pair, endo_exposure_result *r) {
    endo_bitmap_request shifts[SEARCH_FOUND];
    exposures_judgement j[SEARCH_FOUND];
    int n = 0;
    int dark;
    ENDO_TRY(endo_exposures_are_dark(o->frames, pair, o->grey, &dark));
    ENDO_TRY(judge_all(o, pair, shifts, &n, j));
    verdict v = choose(j, n);
    if (!is_evidence(&v.best, SHARP)) return ENDO_OK;
    if (dark && apart(v.best.dx, v.best.dy, 0, 0) <= ENDO_EXPOSURE_APART) return ENDO_OK;
    move(o, &v.best, r);
    r->status = ENDO_EXPOSURE_LOW_CERTAINTY;
    return ENDO_OK;
}

/* Takes the pixel that local bitmaps choose instead of one near to it. */
static void settle(const second_opinion *o, const exposures_judgement *j, endo_exposure_result *r) {
    r->status = ENDO_EXPOSURE_OK;
    if (o->options->subpixel || !is_evidence(j, SHARP_PIXEL)) return;
    if (apart(j->dx, j->dy, r->dx, r->dy) > 0) move(o, j, r);
}

/* Looks for a better shift of a pair of little certainty, which is not near black, where witnesses were heard. Where there is
 * one, the pair is in doubt, and without certainty. */
static endo_status look_elsewhere(const second_opinion *o, const endo_pair *pair, endo_exposure_result *r) {
    endo_bitmap_request shifts[1 + SEARCH_FOUND] = {shift_of(pair, r->dx, r->dy)};
    exposures_judgement j[1 + SEARCH_FOUND];
    int n = 1;
    int dark;
    ENDO_TRY(endo_exposures_are_dark(o->frames, pair, o->grey, &dark));
    if (dark) return ENDO_OK;
    ENDO_TRY(judge_all(o, pair, shifts, &n, j));
    verdict v = choose(j, n);
    if (!is_evidence(&v.best, SHARP) || apart(v.best.dx, v.best.dy, r->dx, r->dy) <= ENDO_EXPOSURE_APART) {
        settle(o, &j[0], r);
        return ENDO_OK;
    }
    move(o, &v.best, r);
    r->certainty = 0;
    r->status = ENDO_EXPOSURE_LOW_CERTAINTY;
    return ENDO_OK;
}

/* Decides between the shifts of the bitmaps, of the spectra and of the search of all shifts, whose errors are independent of
 * each other; between two pixels, spectra and local bitmaps together. Where bitmaps and spectra find the same, or the local
 * bitmaps show a shift clearly, it is OK; not where it may be that of what stands still. */
static endo_status weigh(const second_opinion *o, const endo_pair *pair, const endo_fourier_result *other,
                         endo_exposure_result *r) {
    endo_bitmap_request shifts[2 + SEARCH_FOUND] = {shift_of(pair, r->dx, r->dy)};
    exposures_judgement j[2 + SEARCH_FOUND];
    double rival;
    int dark;
    int n = 1;
    int by_spectra = other->status != ENDO_FOURIER_NO_CONTENT;
    int same = other->status == ENDO_FOURIER_OK && apart(other->dx, other->dy, r->dx, r->dy) <= SAME_SHIFT;
    ENDO_TRY(endo_exposures_are_dark(o->frames, pair, o->grey, &dark));
    if (by_spectra && apart(other->dx, other->dy, 0, 0) <= o->options->search)
        shifts[n++] = shift_of(pair, other->dx, other->dy);
    ENDO_TRY(judge_all(o, pair, shifts, &n, j));
    verdict v = choose(j, n);
    int together = is_same_peak(other, &v.best);
    if (together)
        ENDO_TRY(exposures_local_move(o->frames, o->options->search, pair,
                                      mean_of_both(other->dx, v.best.x, v.best.deviation_x),
                                      mean_of_both(other->dy, v.best.y, v.best.deviation_y), &v.best));
    double far = apart(v.best.dx, v.best.dy, r->dx, r->dy);
    endo_bitmap_request best = shift_of(pair, v.best.dx, v.best.dy);
    ENDO_TRY(exposures_local_rival(o->frames, &best, &rival));
    int clear = by_spectra && is_evidence(&v.best, SHARP) && fmax(v.second, rival) <= SECOND * v.best.coefficient;
    int is_pixel = far > 0 && far <= ENDO_EXPOSURE_PIXEL && !o->options->subpixel &&
                   (together || is_evidence(&v.best, SHARP_PIXEL));
    if (is_pixel || (far > ENDO_EXPOSURE_PIXEL && !same)) move(o, &v.best, r);
    if (stands_still(r, dark) || !(clear || same)) return ENDO_OK;
    r->status = ENDO_EXPOSURE_OK;
    r->certainty = fmax(r->certainty, ENDO_EXPOSURE_CERTAIN);
    return ENDO_OK;
}

/* Spectra of the pairs in doubt, `doubted` of them; found: one for each, NO_CONTENT where there are no Fourier transforms. */
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

/* Looks again at the pairs that show nothing or little. */
static endo_status look_again(const second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        if (shows_nothing(&pairs[i], &made[i]))
            status = look_closer(o, &pairs[i], &made[i]);
        else if (is_weak(&made[i]))
            status = look_elsewhere(o, &pairs[i], &made[i]);
    }
    return status;
}

/* Decides the pairs in doubt, with the help of spectra. */
static endo_status decide_doubted(const second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    size_t doubted = 0;
    for (size_t i = 0; i < n; i++) doubted += (size_t)is_in_doubt(&made[i]);
    if (doubted == 0) return ENDO_OK;
    endo_fourier_result *found = endo_alloc_zeroed(doubted, sizeof *found);
    endo_status status = found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    if (status == ENDO_OK) status = ask_spectra(o->frames, pairs, n, made, doubted, found);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++) {
        if (is_in_doubt(&made[i])) status = weigh(o, &pairs[i], &found[k++], &made[i]);
    }
    endo_free(found);
    return status;
}

/* Decides the pairs between two pixels. */
static endo_status decide_between(const second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    size_t between = 0;
    for (size_t i = 0; i < n; i++) between += (size_t)is_between(&made[i]);
    if (between == 0) return ENDO_OK;
    endo_bitmap_request *shifts = endo_alloc(between, sizeof *shifts);
    exposures_judgement *j = endo_alloc(between, sizeof *j);
    endo_status status = shifts && j ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", between);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++)
        if (is_between(&made[i])) shifts[k++] = shift_of(&pairs[i], made[i].dx, made[i].dy);
    if (status == ENDO_OK) status = exposures_local_judge(o->frames, o->options->search, shifts, between, j);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++)
        if (is_between(&made[i])) settle(o, &j[k++], &made[i]);
    endo_free(shifts);
    endo_free(j);
    return status;
}

/* A second opinion on the pairs that show little. */
static endo_status ask_again(const second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    ENDO_TRY(look_again(o, pairs, n, made));
    ENDO_TRY(decide_doubted(o, pairs, n, made));
    return decide_between(o, pairs, n, made);
}

endo_status endo_exposures_align(endo_frames *frames, const endo_pair *pairs, size_t n,
                                 const endo_exposure_options *options, endo_exposure_result *results) {
    size_t piece = endo_pairs_a_piece(frames, n);
    endo_exposure_result *made = endo_alloc(n, sizeof *made);
    second_opinion o = {
        .frames = frames,
        .options = options,
        .grey = endo_alloc((size_t)frames->options.width * (size_t)frames->options.height, 1),
    };
    endo_status status = made && o.grey ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t at = 0; at < n && status == ENDO_OK; at += piece) {
        size_t count = n - at < piece ? n - at : piece;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK)
            status = frames->context->kernels->batches->exposures(frames->store, pairs + at, count, options, made + at);
        if (status == ENDO_OK) status = ask_again(&o, pairs + at, count, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    endo_free(o.grey);
    return status;
}
