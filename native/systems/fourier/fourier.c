/* Fourier registration, round by round: every round is one call of each batch slot for all pairs that need it.
 *
 * Rotation and scale (turns), the shift of each candidate and of its twin (shifts), a first alignment of the likeliest
 * trials at a small size (align), whose correlation decides. The highest log-polar peak goes first; pairs that it does not
 * settle go on with the others, and then with parts of one image against the whole other one. Last, the best trial of each
 * pair is aligned up to the full size. */
#include "fourier.h"

#include "fourier_candidates.h"
#include "backend/pieces.h"

#include "rules/fourier_levels.h"

#include <math.h>
#include <string.h>

const endo_fourier_options endo_fourier_defaults = {
    .model = ENDO_TRANSFORM_SIMILARITY,
    .max_scale = 4,
    .max_angle = 180,
    .window = ENDO_WINDOW_TUKEY,
    .gradient = ENDO_GRADIENT_SOBEL,
    .refine = 1,
    .candidates = 5,
    .paper = 0,
};

/* Scales beyond this are searched by parts of images, too. */
#define LARGE_SCALE 1.5
#define ITERATIONS 8
/* Requests of a pair for parts of its images. */
#define LAYERS (2 * ENDO_FOURIER_MAX_LAYER)
/* Most candidates of a pair by parts, as a multiple of the option. */
#define OF_PARTS 3
#define MOST_CANDIDATES (OF_PARTS * ENDO_FOURIER_MAX_CANDIDATES)
/* Trials of a pair in a round: so many for every candidate, of six that its two twins have; and at least LEAST_TRIALS, so that
 * there are wrong ones to compare with. */
#define TRIALS_EACH 2
#define LEAST_TRIALS 6
#define MOST_TRIALS (TRIALS_EACH * MOST_CANDIDATES)

typedef struct fourier_run {
    endo_frames *frames;
    fourier_plan plan;
    size_t n;
    fourier_pair_state *states;
    size_t *asked_for; /* pair of each request for turns */
    endo_turns_request *turns_asked;
    endo_turns_result *turns;
    fourier_candidate *candidates; /* candidates of one round, pair by pair */
    endo_shifts_request *shifts_asked;
    endo_shifts_result *shifts;
    fourier_trial *trials;
    endo_align_request *align_asked;
    endo_align_result *aligned;
} fourier_run;

static const endo_batch_kernels *kernels(const fourier_run *r) { return r->frames->context->kernels->batches; }

static void run_free(fourier_run *r) {
    endo_free(r->states);
    endo_free(r->asked_for);
    endo_free(r->turns_asked);
    endo_free(r->turns);
    endo_free(r->candidates);
    endo_free(r->shifts_asked);
    endo_free(r->shifts);
    endo_free(r->trials);
    endo_free(r->align_asked);
    endo_free(r->aligned);
}

static endo_status run_take(fourier_run *r, size_t n, const endo_fourier_options *options) {
    size_t candidates = n * OF_PARTS * (size_t)options->candidates, trials = candidates * TRIALS_EACH + n * LEAST_TRIALS;
    r->states = endo_alloc_zeroed(n, sizeof *r->states);
    r->asked_for = endo_alloc(n * LAYERS, sizeof *r->asked_for);
    r->turns_asked = endo_alloc(n * LAYERS, sizeof *r->turns_asked);
    r->turns = endo_alloc(n * LAYERS, sizeof *r->turns);
    r->candidates = endo_alloc(candidates, sizeof *r->candidates);
    r->shifts_asked = endo_alloc(candidates, sizeof *r->shifts_asked);
    r->shifts = endo_alloc(candidates, sizeof *r->shifts);
    r->trials = endo_alloc(trials, sizeof *r->trials);
    r->align_asked = endo_alloc(trials, sizeof *r->align_asked);
    r->aligned = endo_alloc(trials, sizeof *r->aligned);
    if (r->states && r->asked_for && r->turns_asked && r->turns && r->candidates && r->shifts_asked && r->shifts &&
        r->trials && r->align_asked && r->aligned)
        return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
}

static endo_status run_create(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                              const endo_fourier_options *options, fourier_run *r) {
    const endo_fourier_taper *tapers = NULL;
    endo_status status = endo_fourier_tapers_make(frames, &tapers);
    if (status == ENDO_OK) status = run_take(r, n, options);
    if (status != ENDO_OK) return status;
    r->frames = frames;
    r->n = n;
    fourier_plan_make(pairs, n, options, tapers, frames->field_share, &r->plan);
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_pair *p = &pairs[i];
        r->states[i].pair = *p;
        r->states[i].other = -1;
        r->states[i].has_content = fourier_is_large_enough(&r->plan, p->reference_width, p->reference_height) &&
                                   fourier_is_large_enough(&r->plan, p->current_width, p->current_height);
    }
    return ENDO_OK;
}

/* Requests from `at` on, `n` of them, of a list that goes to the back end piece by piece. */
typedef struct request_piece {
    size_t at, n;
} request_piece;

/* Goes on to the next piece of a list of `all` requests; 0: there is none, or *status has become a failure, or CANCELLED. */
static int next_piece(const fourier_run *r, size_t all, request_piece *piece, endo_status *status) {
    size_t most = endo_spectra_a_piece(r->frames, all);
    piece->at += piece->n;
    if (*status != ENDO_OK || piece->at >= all) return 0;
    piece->n = all - piece->at < most ? all - piece->at : most;
    *status = endo_context_go_on(r->frames->context);
    return *status == ENDO_OK;
}

/* ------------------------------------------------------------------- turns */

/* Lists a request for every pair: one whole image with the other. Returns how many. */
static size_t ask_whole(fourier_run *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->n; i++) {
        endo_turns_request q = {r->states[i].pair, 0};
        if (!r->states[i].has_content) continue;
        r->asked_for[count] = i;
        r->turns_asked[count++] = q;
    }
    return count;
}

/* Requests of a pair whose tiles are no smaller than the largest scale makes an image: layer k has sides of 2^(-k/2). */
static int layers_of(const endo_fourier_options *o) {
    int k = 1;
    while (k < ENDO_FOURIER_MAX_LAYER && pow(2, (k + 1) / 2.0) <= 1.01 * o->max_scale) k++;
    return 2 * k;
}

/* Lists requests for the pairs that have no answer yet: parts of one image with the other. Returns how many. */
static size_t ask_parts(fourier_run *r) {
    size_t count = 0;
    int layers = layers_of(r->plan.options);
    for (size_t i = 0; i < r->n; i++)
        for (int k = 0; k < layers && r->states[i].has_content && !r->states[i].verified; k++) {
            endo_turns_request q = {r->states[i].pair, k % 2 ? -1 - k / 2 : 1 + k / 2};
            r->asked_for[count] = i;
            r->turns_asked[count++] = q;
        }
    return count;
}

static endo_status find_turns(fourier_run *r, size_t asked, const endo_turns_setup *setup) {
    endo_status status = ENDO_OK;
    request_piece p = {0, 0};
    while (next_piece(r, asked, &p, &status))
        status = kernels(r)->turns(r->frames->store, r->turns_asked + p.at, p.n, setup, r->turns + p.at);
    for (size_t i = 0; i < asked && status == ENDO_OK; i++) {
        fourier_pair_state *s = &r->states[r->asked_for[i]];
        const endo_turns_result *t = &r->turns[i];
        if (r->turns_asked[i].layer) continue;
        s->peak = t->n > 0 ? t->peaks[0].height : 0;
        s->second = t->n > 1 ? t->peaks[1].height : 0;
        s->has_content = t->n > 0;
    }
    return status;
}

/* Candidates of the pairs without an answer from peaks `from` .. `to` - 1 of the answers, counted from the highest of all
 * answers of the pair. */
static size_t take_peaks(fourier_run *r, size_t asked, int from, int to) {
    size_t count = 0;
    for (size_t i = 0, next; i < asked; i = next) {
        const fourier_pair_state *s = &r->states[r->asked_for[i]];
        int at[LAYERS] = {0}, taken = 0;
        for (next = i; next < asked && r->asked_for[next] == r->asked_for[i];) next++;
        while (taken < to && !s->verified) {
            size_t best = next;
            for (size_t k = i; k < next; k++) {
                if (at[k - i] >= r->turns[k].n) continue;
                if (best == next || r->turns[k].peaks[at[k - i]].height > r->turns[best].peaks[at[best - i]].height) best = k;
            }
            if (best == next) break;
            const endo_fourier_peak *peak = &r->turns[best].peaks[at[best - i]++];
            if (taken++ < from) continue;
            count += (size_t)fourier_candidate_of_peak(&r->plan, s, r->asked_for[i], &r->turns_asked[best], peak,
                                                       &r->candidates[count]);
        }
    }
    return count;
}

/* ------------------------------------------------------------------ shifts */

/* The peak that a trial comes from. */
typedef struct fourier_origin {
    size_t candidate;
    int twin;
    const endo_fourier_peak *peak;
} fourier_origin;

/* The highest peaks of candidates from .. to - 1, which are of one pair. */
static size_t choose_origins(const fourier_run *r, size_t from, size_t to, size_t most, fourier_origin *origins) {
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        for (int twin = 0; twin < 2; twin++)
            for (int k = 0; k < r->shifts[i].n[twin]; k++) {
                fourier_origin made = {i, twin, &r->shifts[i].peaks[twin][k]};
                size_t at = n;
                while (at > 0 && made.peak->height > origins[at - 1].peak->height) at--;
                if (at >= most) continue;
                n += n < most;
                memmove(origins + at + 1, origins + at, (n - 1 - at) * sizeof *origins);
                origins[at] = made;
            }
    return n;
}

static void note_shift(const fourier_run *r, fourier_pair_state *s, const endo_shifts_result *found) {
    if (r->plan.options->model != ENDO_TRANSFORM_TRANSLATION) return;
    s->has_content = found->n[0] > 0;
    s->peak = found->n[0] > 0 ? found->peaks[0][0].height : 0;
    s->second = found->n[0] > 1 ? found->peaks[0][1].height : 0;
}

static endo_status find_shifts(fourier_run *r, size_t candidates, size_t *trials) {
    endo_status status = ENDO_OK;
    fourier_origin origins[MOST_TRIALS + 1];
    *trials = 0;
    request_piece p = {0, 0};
    for (size_t i = 0; i < candidates; i++) r->shifts_asked[i] = fourier_shifts_request(&r->plan, &r->candidates[i]);
    while (next_piece(r, candidates, &p, &status))
        status = kernels(r)->shifts(r->frames->store, r->shifts_asked + p.at, p.n, &r->plan.shifts, r->shifts + p.at);
    for (size_t i = 0, next; i < candidates && status == ENDO_OK; i = next) {
        for (next = i; next < candidates && r->candidates[next].pair == r->candidates[i].pair;) next++;
        note_shift(r, &r->states[r->candidates[i].pair], &r->shifts[i]);
        size_t most = TRIALS_EACH * (next - i), n;
        n = choose_origins(r, i, next, most < LEAST_TRIALS ? LEAST_TRIALS : most, origins);
        for (size_t k = 0; k < n; k++)
            r->trials[(*trials)++] = fourier_trial_of_peak(&r->plan, &r->candidates[origins[k].candidate], origins[k].twin,
                                                           origins[k].peak);
    }
    return status;
}

/* ------------------------------------------------------------------- align */

static endo_status align_trials(fourier_run *r, size_t n) {
    endo_status status = ENDO_OK;
    request_piece p = {0, 0};
    for (size_t i = 0; i < n; i++) r->align_asked[i] = r->trials[i].request;
    while (next_piece(r, n, &p, &status))
        status = kernels(r)->align(r->frames->store, r->align_asked + p.at, p.n, &r->plan.align, r->aligned + p.at);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) fourier_trial_take(&r->plan, &r->trials[i], &r->aligned[i]);
    return status;
}

static endo_status try_candidates(fourier_run *r, size_t candidates) {
    size_t trials = 0;
    endo_status status = endo_context_go_on(r->frames->context);
    if (status == ENDO_OK) status = find_shifts(r, candidates, &trials);
    if (status == ENDO_OK) status = align_trials(r, trials);
    for (size_t i = 0, next; i < trials && status == ENDO_OK; i = next) {
        for (next = i; next < trials && r->trials[next].pair == r->trials[i].pair;) next++;
        fourier_choose(&r->plan, &r->states[r->trials[i].pair], &r->trials[i], next - i);
    }
    return status;
}

/* Aligns the best trials up to the full size, and measures them again at the size at which they were chosen. */
static endo_status refine(fourier_run *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->n; i++) {
        fourier_pair_state *s = &r->states[i];
        if (!s->tried) continue;
        fourier_trial *t = &r->trials[count++];
        *t = s->best;
        t->request.map = t->result.map;
        t->request.levels = ENDO_FOURIER_LEVELS;
        t->request.iterations = ITERATIONS;
        t->request.again = 1;
    }
    endo_status status = align_trials(r, count);
    for (size_t i = 0; i < count && status == ENDO_OK; i++)
        fourier_keep_refined(&r->plan, &r->states[r->trials[i].pair], &r->trials[i]);
    return status;
}

/* ------------------------------------------------------------------- rounds */

static endo_status try_turns(fourier_run *r) {
    const endo_fourier_options *o = r->plan.options;
    int by_parts = !o->paper && o->model == ENDO_TRANSFORM_SIMILARITY && o->max_scale > LARGE_SCALE;
    size_t asked = ask_whole(r);
    endo_status status = find_turns(r, asked, &r->plan.turns);
    if (status == ENDO_OK) status = try_candidates(r, take_peaks(r, asked, 0, 1));
    if (status == ENDO_OK && !o->paper) status = try_candidates(r, take_peaks(r, asked, 1, o->candidates));
    if (status != ENDO_OK || !by_parts) return status;
    asked = ask_parts(r);
    status = find_turns(r, asked, &r->plan.layers);
    return status == ENDO_OK ? try_candidates(r, take_peaks(r, asked, 0, OF_PARTS * o->candidates)) : status;
}

static endo_status try_still(fourier_run *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->states[i].has_content) r->candidates[count++] = fourier_candidate_still(&r->states[i], i);
    return try_candidates(r, count);
}

static endo_status run_piece(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                             const endo_fourier_options *options, endo_fourier_result *results) {
    fourier_run r;
    memset(&r, 0, sizeof r);
    endo_status status = run_create(frames, pairs, n, options, &r);
    if (status == ENDO_OK) status = options->model == ENDO_TRANSFORM_TRANSLATION ? try_still(&r) : try_turns(&r);
    if (status == ENDO_OK && !options->paper && options->refine) status = refine(&r);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) fourier_result_make(&r.plan, &r.states[i], &results[i]);
    run_free(&r);
    return status;
}

/* Pairs whose candidates are in memory at once. */
#define MOST_PAIRS 256

endo_status endo_fourier_run(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                             const endo_fourier_options *options, endo_fourier_result *results) {
    size_t piece = endo_pairs_a_piece(frames, n);
    endo_fourier_result *made = endo_alloc(n, sizeof *made);
    endo_status status = ENDO_OK;
    if (!made) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    piece = piece < MOST_PAIRS ? piece : MOST_PAIRS;
    for (size_t at = 0; at < n && status == ENDO_OK; at += piece) {
        size_t count = n - at < piece ? n - at : piece;
        status = endo_context_go_on(frames->context);
        if (status == ENDO_OK) status = run_piece(frames, pairs + at, count, options, made + at);
    }
    if (status == ENDO_OK) memcpy(results, made, n * sizeof *results);
    endo_free(made);
    return status;
}
