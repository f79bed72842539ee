/* Pairs that were not found (lost_pairs.h). Every start is refined and judged. Where two that differ are believed the scene
 * repeats itself: the pair stays as it was, and spectra, which would find one of its places, are not asked. */
#include "lost_pairs.h"

#include "map_agreement.h"
#include "pair_refine.h"
#include "pair_starts.h"
#include "pair_windows.h"
#include "start_search.h"

#include <math.h>

/* Results that lie no further apart than this, px, or than as many deviations of their distance, are one. */
#define SAME 2.0
#define SAME_DEVIATIONS 3.0

/* Largest change of scale, either way, that spectra are asked for. Beyond it hardly any pair is believed when it is refined, and
 * the search by parts of images takes three times as long. */
#define MOST_SCALE 2

/* Pairs that are lost, and their starts: all those of a pair one behind the other. */
typedef struct lost_pairs {
    endo_frames *frames;
    size_t n;              /* pairs */
    size_t *which;         /* index of each pair among all of them */
    endo_pair *pairs;
    endo_flow_result *spectra; /* the start of each pair by its spectra */
    size_t n_starts;
    size_t *start_of;      /* index of the pair of each start, in this list; this array and the next ones hold
                              ENDO_START_CANDIDATES a pair */
    endo_pair *start_pairs;
    endo_flow_result *starts;
    endo_pair_result *found;
} lost_pairs;

static void lost_free(lost_pairs *l) {
    endo_free(l->which);
    endo_free(l->pairs);
    endo_free(l->spectra);
    endo_free(l->start_of);
    endo_free(l->start_pairs);
    endo_free(l->starts);
    endo_free(l->found);
}

static endo_status lost_create(size_t n, lost_pairs *l) {
    size_t most = ENDO_START_CANDIDATES * n;
    l->which = endo_alloc(n, sizeof *l->which);
    l->pairs = endo_alloc(n, sizeof *l->pairs);
    l->spectra = endo_alloc(n, sizeof *l->spectra);
    l->start_of = endo_alloc(most, sizeof *l->start_of);
    l->start_pairs = endo_alloc(most, sizeof *l->start_pairs);
    l->starts = endo_alloc(most, sizeof *l->starts);
    l->found = endo_alloc(most, sizeof *l->found);
    if (l->which && l->pairs && l->spectra && l->start_of && l->start_pairs && l->starts && l->found) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
}

static int is_lost(const endo_pair_result *r) {
    return r->status == ENDO_PAIR_JUMP || r->status == ENDO_PAIR_FEW_LANDMARKS;
}

static void add_start(lost_pairs *l, size_t i, const endo_transform *start, const endo_pair_result *result) {
    l->start_of[l->n_starts] = i;
    l->start_pairs[l->n_starts] = l->pairs[i];
    l->starts[l->n_starts] = (endo_flow_result){*start, 0};
    l->found[l->n_starts] = *result;
    l->found[l->n_starts++].transform = *start;
}

/* Refines from all starts. */
static endo_status refine_starts(lost_pairs *l, endo_transform_class kind) {
    return l->n_starts ? endo_pairs_refine(l->frames, l->start_pairs, l->starts, l->n_starts, kind, l->found) : ENDO_OK;
}

static int is_same(endo_frame_size size, const endo_pair_result *a, const endo_pair_result *b) {
    double apart = endo_map_distance(size, &a->transform, &b->transform);
    return apart < SAME || apart < SAME_DEVIATIONS * hypot(a->deviation, b->deviation);
}

/* What is believed of a pair, whose starts are from .. to - 1. NULL: nothing, or, with *differ, two results that differ. */
static const endo_pair_result *believed(const lost_pairs *l, size_t from, size_t to, int *differ) {
    const endo_frame_size size = {l->frames->options.width, l->frames->options.height};
    const endo_pair_result *only = NULL;
    *differ = 0;
    for (size_t i = from; i < to; i++) {
        const endo_pair_result *r = &l->found[i];
        if (r->status != ENDO_PAIR_OK) continue;
        if (only && !is_same(size, only, r)) *differ = 1;
        if (!only) only = r;
    }
    return *differ ? NULL : only;
}

/* Keeps the pairs of which nothing is believed in the list; the others get their results. */
static void settle(lost_pairs *l, endo_pair_result *results) {
    size_t kept = 0;
    size_t at = 0;
    for (size_t i = 0; i < l->n; i++) {
        size_t from = at;
        int differ;
        while (at < l->n_starts && l->start_of[at] == i) at++;
        const endo_pair_result *r = believed(l, from, at, &differ);
        if (r) results[l->which[i]] = *r;
        if (r || differ) continue;
        l->which[kept] = l->which[i];
        l->pairs[kept++] = l->pairs[i];
    }
    l->n = kept;
    l->n_starts = 0;
}

endo_status endo_pairs_find_in_windows(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                       endo_transform_class kind, endo_pair_result *results) {
    for (size_t i = 0; i < n; i++) {
        if (!is_lost(&results[i])) continue;
        ENDO_TRY(endo_context_go_on(frames->context));
        ENDO_TRY(endo_pair_register_in_windows(frames, &pairs[i], &starts[i], kind, &results[i]));
    }
    return ENDO_OK;
}

/* Registers starts that are not certain in windows, if they share little. */
static endo_status try_windows(lost_pairs *l, endo_transform_class kind) {
    for (size_t i = 0; i < l->n_starts; i++)
        ENDO_TRY(endo_pairs_find_in_windows(l->frames, &l->start_pairs[i], &l->starts[i].transform, 1, kind, &l->found[i]));
    return ENDO_OK;
}

static endo_status find_by_overlap(lost_pairs *l, endo_transform_class kind, endo_pair_result *results) {
    for (size_t i = 0; i < l->n; i++) {
        endo_start_candidates c;
        ENDO_TRY(endo_context_go_on(l->frames->context));
        ENDO_TRY(endo_starts_search(l->frames, &l->pairs[i], &c));
        for (int k = 0; k < c.n; k++) add_start(l, i, &c.items[k].transform, &results[l->which[i]]);
    }
    ENDO_TRY(refine_starts(l, kind));
    ENDO_TRY(try_windows(l, kind));
    settle(l, results);
    return ENDO_OK;
}

static endo_status find_by_spectra(lost_pairs *l, endo_transform_class kind, endo_pair_result *results) {
    if (l->n == 0) return ENDO_OK;
    endo_status status = endo_starts_by_spectra(l->frames, l->pairs, l->n, ENDO_TRANSFORM_SIMILARITY, MOST_SCALE, l->spectra);
    if (status == ENDO_ERR_UNSUPPORTED) return ENDO_OK; /* no Fourier transforms: the pairs stay doubtful */
    if (status != ENDO_OK) return status;
    for (size_t i = 0; i < l->n; i++) /* no motion is not certain, or already tried */
        if (endo_start_moves(&l->spectra[i].transform)) add_start(l, i, &l->spectra[i].transform, &results[l->which[i]]);
    ENDO_TRY(refine_starts(l, kind));
    settle(l, results);
    return ENDO_OK;
}

endo_status endo_pairs_find_lost(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind, int by_spectra,
                                 endo_pair_result *results) {
    lost_pairs l = {.frames = frames};
    size_t lost = 0;
    for (size_t i = 0; i < n; i++) lost += (size_t)is_lost(&results[i]);
    if (lost == 0) return ENDO_OK;
    endo_status status = lost_create(lost, &l);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (is_lost(&results[i])) {
            l.which[l.n] = i;
            l.pairs[l.n++] = pairs[i];
        }
    if (status == ENDO_OK) status = find_by_overlap(&l, kind, results);
    if (status == ENDO_OK && by_spectra) status = find_by_spectra(&l, kind, results);
    lost_free(&l);
    return status;
}
