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

/* Bytes a pixel that local bitmaps take, and the most that all threads' may take together. */
#define LOCAL_BYTES 5
#define MOST_LOCAL_BYTES ((size_t)1 << 28)

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

/* Methods that look for other shifts of a pair than its bitmaps found, and local bitmaps that judge all of them. */
typedef struct second_opinion {
    exposures_local local;
    exposures_search all; /* created when it is first asked */
    int has_all;
    const endo_exposure_options *options;
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

static int is_evidence(const exposures_judgement *j, double sharp) {
    return j->coefficient >= EVIDENCE && j->deviation_x <= sharp && j->deviation_y <= sharp;
}

static double apart(double dx, double dy, double other_dx, double other_dy) {
    return fmax(fabs(dx - other_dx), fabs(dy - other_dy));
}

static exposures_judgement judge(const second_opinion *o, double dx, double dy) {
    return exposures_local_judge(&o->local, o->options->search, (int)rint(dx), (int)rint(dy));
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

/* Judges the shifts that a search of all of them finds; *n grows by up to SEARCH_FOUND. */
static endo_status judge_all(second_opinion *o, const endo_pair *pair, exposures_judgement *j, int *n) {
    int found[SEARCH_FOUND][2];
    int count;
    if (!o->has_all) ENDO_TRY(exposures_search_create(o->local.frames, o->options->search, &o->all));
    o->has_all = 1;
    ENDO_TRY(exposures_search_find(&o->all, pair, found, &count));
    for (int i = 0; i < count; i++) j[(*n)++] = judge(o, found[i][0], found[i][1]);
    return ENDO_OK;
}

/* Looks for a shift where one threshold for the whole image shows nothing. What is found stays in doubt, without certainty. */
static endo_status look_closer(second_opinion *o, const endo_pair *pair, endo_exposure_result *r) {
    exposures_judgement j[SEARCH_FOUND];
    int n = 0;
    int dark;
    ENDO_TRY(exposures_local_take(&o->local, pair, &dark));
    ENDO_TRY(judge_all(o, pair, j, &n));
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
static endo_status look_elsewhere(second_opinion *o, const endo_pair *pair, endo_exposure_result *r) {
    exposures_judgement j[1 + SEARCH_FOUND];
    int n = 1;
    int dark;
    ENDO_TRY(exposures_local_take(&o->local, pair, &dark));
    if (dark) return ENDO_OK;
    j[0] = judge(o, r->dx, r->dy);
    ENDO_TRY(judge_all(o, pair, j, &n));
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
 * each other. Where bitmaps and spectra find the same, or the local bitmaps show a shift clearly, it is OK; not
 * where it may be that of what stands still. */
static endo_status weigh(second_opinion *o, const endo_pair *pair, int dark, const endo_fourier_result *other,
                         endo_exposure_result *r) {
    exposures_judgement j[2 + SEARCH_FOUND];
    int n = 1;
    int by_spectra = other->status != ENDO_FOURIER_NO_CONTENT;
    int same = other->status == ENDO_FOURIER_OK && apart(other->dx, other->dy, r->dx, r->dy) <= SAME_SHIFT;
    j[0] = judge(o, r->dx, r->dy);
    if (by_spectra && apart(other->dx, other->dy, 0, 0) <= o->options->search) j[n++] = judge(o, other->dx, other->dy);
    ENDO_TRY(judge_all(o, pair, j, &n));
    verdict v = choose(j, n);
    double far = apart(v.best.dx, v.best.dy, r->dx, r->dy);
    double rival = exposures_local_rival(&o->local, v.best.dx, v.best.dy);
    int clear = by_spectra && is_evidence(&v.best, SHARP) && fmax(v.second, rival) <= SECOND * v.best.coefficient;
    int is_pixel = far > 0 && far <= ENDO_EXPOSURE_PIXEL && !o->options->subpixel && is_evidence(&v.best, SHARP_PIXEL);
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
static endo_status look_again(second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
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
static endo_status decide_doubted(second_opinion *o, const endo_pair *pairs, size_t n, endo_exposure_result *made) {
    size_t doubted = 0;
    for (size_t i = 0; i < n; i++) doubted += (size_t)is_in_doubt(&made[i]);
    if (doubted == 0) return ENDO_OK;
    endo_fourier_result *found = endo_alloc_zeroed(doubted, sizeof *found);
    endo_status status = found ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", doubted);
    if (status == ENDO_OK) status = ask_spectra(o->local.frames, pairs, n, made, doubted, found);
    for (size_t i = 0, k = 0; i < n && status == ENDO_OK; i++) {
        int dark = 0;
        if (!is_in_doubt(&made[i])) continue;
        status = exposures_local_take(&o->local, &pairs[i], &dark);
        if (status == ENDO_OK) status = weigh(o, &pairs[i], dark, &found[k++], &made[i]);
    }
    endo_free(found);
    return status;
}

/* Threads that share the pairs between two pixels; so many of them have room. */
static size_t workers_for(const endo_frames *frames, size_t pairs) {
    size_t bytes = LOCAL_BYTES * (size_t)frames->options.width * (size_t)frames->options.height;
    size_t most = MOST_LOCAL_BYTES / bytes > 1 ? MOST_LOCAL_BYTES / bytes : 1;
    size_t threads = (size_t)frames->context->threads;
    if (threads > most) threads = most;
    return threads < pairs ? threads : pairs;
}

/* Fetches the next pairs between two pixels, one for each worker; *next: the pair after them. Returns their number in count. */
static endo_status fetch_between(second_opinion *workers, size_t n_workers, const endo_pair *pairs, size_t n,
                                 const endo_exposure_result *made, size_t *next, size_t *which, size_t *count) {
    *count = 0;
    for (; *next < n && *count < n_workers; ++*next) {
        if (!is_between(&made[*next])) continue;
        ENDO_TRY(exposures_local_fetch(&workers[*count].local, &pairs[*next]));
        which[(*count)++] = *next;
    }
    return ENDO_OK;
}

static void decide_between_one(second_opinion *o, endo_exposure_result *r) {
    exposures_local_make(&o->local, NULL);
    exposures_judgement j = judge(o, r->dx, r->dy);
    settle(o, &j, r);
}

/* Decides the pairs between two pixels: images are fetched one after the other, and judged side by side. */
static endo_status decide_between(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                                  endo_exposure_result *made) {
    size_t between = 0;
    for (size_t i = 0; i < n; i++) between += (size_t)is_between(&made[i]);
    if (between == 0) return ENDO_OK;
    size_t n_workers = workers_for(frames, between);
    second_opinion *workers = endo_alloc_zeroed(n_workers, sizeof *workers);
    size_t *which = endo_alloc(n_workers, sizeof *which);
    endo_status status = workers && which ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", between);
    for (size_t k = 0; k < n_workers && status == ENDO_OK; k++) {
        workers[k].options = options;
        status = exposures_local_create(frames, &workers[k].local);
    }
    for (size_t next = 0; next < n && status == ENDO_OK;) {
        size_t count;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK) status = fetch_between(workers, n_workers, pairs, n, made, &next, which, &count);
        if (status != ENDO_OK) break;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (count > 1)
        for (size_t k = 0; k < count; k++) decide_between_one(&workers[k], &made[which[k]]);
    }
    for (size_t k = 0; workers && k < n_workers; k++) exposures_local_destroy(&workers[k].local);
    endo_free(workers);
    endo_free(which);
    return status;
}

/* A second opinion on the pairs that show little. */
static endo_status ask_again(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                             endo_exposure_result *made) {
    size_t asked = 0;
    second_opinion o = {.options = options};
    for (size_t i = 0; i < n; i++) {
        const endo_exposure_result *r = &made[i];
        asked += (size_t)(shows_nothing(&pairs[i], r) || is_in_doubt(r) || is_weak(r));
    }
    if (asked == 0) return ENDO_OK;
    endo_status status = exposures_local_create(frames, &o.local);
    if (status == ENDO_OK) status = look_again(&o, pairs, n, made);
    if (status == ENDO_OK) status = decide_doubted(&o, pairs, n, made);
    exposures_search_destroy(&o.all);
    exposures_local_destroy(&o.local);
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
    if (status == ENDO_OK) status = decide_between(frames, pairs, n, options, made);
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
