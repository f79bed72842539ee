/* The search for the shift of two bitmaps in the alignment of exposures. */
#ifndef ENDO_RULES_EXPOSURE_SEARCH_H
#define ENDO_RULES_EXPOSURE_SEARCH_H

#include "exposure_coefficients.h"
#include "exposure_thresholds.h"

/* The bitmaps (above the level or not) under one shift: pixels of the field of both, and how many differ. */
typedef struct endo_exposure_overlap {
    int64_t total, differ;
} endo_exposure_overlap;

ENDO_HD int endo_exposure_is_better(const endo_exposure_overlap *a, const endo_exposure_overlap *b) {
    if (a->total == 0 || b->total == 0) return a->total != 0;
    return a->differ * b->total < b->differ * a->total;
}

ENDO_HD double endo_exposure_share(const endo_exposure_overlap *o) {
    return o->total ? (double)o->differ / (double)o->total : 1;
}

typedef enum endo_exposure_phase {
    ENDO_EXPOSURE_CANDIDATES, /* every pair of peaks, on some rows */
    ENDO_EXPOSURE_ROUGH,      /* from the best candidate to better neighbours, on some rows */
    ENDO_EXPOSURE_MATCH,      /* nothing is asked: the current image gets a new threshold; endo_exposure_matched */
    ENDO_EXPOSURE_EXACT,      /* to better neighbours on more rows */
    ENDO_EXPOSURE_WIDE,       /* two pixels each way, for the fit */
    ENDO_EXPOSURE_FINAL       /* the shift found, without the ignored pixels */
} endo_exposure_phase;

/* Most shifts that are asked for at once. */
#define ENDO_EXPOSURE_ASKED (ENDO_EXPOSURE_PEAKS * ENDO_EXPOSURE_PEAKS)
/* Most moves of a search to better neighbours. */
#define ENDO_EXPOSURE_MOVES 64
/* Candidates within this distance of the shift found, px along each axis, are the same peak. */
#define ENDO_EXPOSURE_APART 4

/* The state of a search, which asks for shifts until the best is known: the back end answers `asked` of them, counted on the
 * rows 0, row_step, .. of the current image, in the pixels of the field or (endo_exposure_is_banded) in those of both bitmaps
 * outside their bands. */
typedef struct endo_exposure_search {
    endo_exposure_phase phase;
    int32_t reach_x, reach_y, height, subpixel;
    int32_t dark;   /* 1: a fixed pattern may add to shift 0 (exposure_result.h) */
    int32_t sliced; /* 1: only levels of a slice count */
    int32_t row_step, asked, moves;
    int32_t dx[ENDO_EXPOSURE_ASKED], dy[ENDO_EXPOSURE_ASKED];
    int32_t candidates, candidate_dx[ENDO_EXPOSURE_ASKED], candidate_dy[ENDO_EXPOSURE_ASKED];
    endo_exposure_overlap candidate[ENDO_EXPOSURE_ASKED];
    int32_t best_dx, best_dy;
    endo_exposure_overlap near[9]; /* around the best, row by row */
    int32_t missing[9];            /* 1: being asked for */
    endo_exposure_overlap wide[4]; /* left, right, up, down */
    endo_exposure_overlap usable;
} endo_exposure_search;

/* Whether pixels within the bands of the thresholds are ignored for the shifts that are asked for. */
ENDO_HD int endo_exposure_is_banded(const endo_exposure_search *s) {
    return s->phase == ENDO_EXPOSURE_FINAL || s->sliced;
}

ENDO_HD void endo_exposure_ask(endo_exposure_search *s, int dx, int dy) {
    s->dx[s->asked] = s->best_dx + dx;
    s->dy[s->asked] = s->best_dy + dy;
    s->asked++;
}

/* Distance of the rows that are counted. A fraction compares a shift up with one down: for equal images these count the same
 * pairs of rows only if no row is left out. */
ENDO_HD int32_t endo_exposure_rows_apart(const endo_exposure_search *s, endo_exposure_phase phase) {
    if (phase == ENDO_EXPOSURE_ROUGH) return endo_exposure_row_step(s->height, ENDO_EXPOSURE_ROUGH_ROWS);
    return s->subpixel ? 1 : endo_exposure_row_step(s->height, ENDO_EXPOSURE_EXACT_ROWS);
}

/* Asks for the nine shifts around the best; after a step of (x, y), for those that are not known yet. */
ENDO_HD void endo_exposure_ask_around(endo_exposure_search *s, endo_exposure_phase phase, int x, int y) {
    endo_exposure_overlap before[9];
    int again = s->phase != phase;
    s->phase = phase;
    s->row_step = endo_exposure_rows_apart(s, phase);
    s->asked = 0;
    for (int i = 0; i < 9; i++) before[i] = s->near[i];
    for (int i = 0; i < 9; i++) {
        int u = i % 3 - 1 + x, v = i / 3 - 1 + y; /* from the previous best */
        int known = !again && u >= -1 && u <= 1 && v >= -1 && v <= 1;
        s->missing[i] = !known;
        if (known)
            s->near[i] = before[4 + u + 3 * v];
        else
            endo_exposure_ask(s, i % 3 - 1, i / 3 - 1);
    }
}

ENDO_HD void endo_exposure_search_begin(endo_exposure_search *s, const int32_t *peaks_x, int n_x,
                                        const int32_t *peaks_y, int n_y) {
    s->phase = ENDO_EXPOSURE_CANDIDATES;
    s->row_step = endo_exposure_row_step(s->height, ENDO_EXPOSURE_ROUGH_ROWS);
    s->asked = s->moves = 0;
    s->best_dx = s->best_dy = 0;
    for (int i = 0; i < n_x; i++)
        for (int j = 0; j < n_y; j++) endo_exposure_ask(s, peaks_x[i], peaks_y[j]);
    s->candidates = s->asked;
}

ENDO_HD void endo_exposure_take_candidates(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    int best = 0;
    for (int i = 0; i < s->candidates; i++) {
        s->candidate_dx[i] = s->dx[i];
        s->candidate_dy[i] = s->dy[i];
        s->candidate[i] = answers[i];
        if (endo_exposure_is_better(&answers[i], &answers[best])) best = i;
    }
    s->best_dx = s->dx[best];
    s->best_dy = s->dy[best];
    endo_exposure_ask_around(s, ENDO_EXPOSURE_ROUGH, 0, 0);
}

/* Moves to the best neighbour within reach, the first one on a tie; 0: none is better. */
ENDO_HD int endo_exposure_move(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    int best = 4, answer = 0;
    for (int i = 0; i < 9; i++)
        if (s->missing[i]) s->near[i] = answers[answer++];
    for (int i = 0; i < 9; i++) {
        int x = s->best_dx + i % 3 - 1, y = s->best_dy + i / 3 - 1;
        int within = x >= -s->reach_x && x <= s->reach_x && y >= -s->reach_y && y <= s->reach_y;
        if (within && endo_exposure_is_better(&s->near[i], &s->near[best])) best = i;
    }
    if (best == 4 || s->moves == ENDO_EXPOSURE_MOVES) return 0;
    s->best_dx += best % 3 - 1;
    s->best_dy += best / 3 - 1;
    s->moves++;
    endo_exposure_ask_around(s, s->phase, best % 3 - 1, best / 3 - 1);
    return 1;
}

ENDO_HD void endo_exposure_ask_wide(endo_exposure_search *s) {
    s->phase = ENDO_EXPOSURE_WIDE;
    s->asked = 0;
    endo_exposure_ask(s, -2, 0);
    endo_exposure_ask(s, 2, 0);
    endo_exposure_ask(s, 0, -2);
    endo_exposure_ask(s, 0, 2);
}

ENDO_HD void endo_exposure_ask_final(endo_exposure_search *s) {
    s->phase = ENDO_EXPOSURE_FINAL;
    s->asked = 0;
    endo_exposure_ask(s, 0, 0);
}

/* Goes on after the current image got its new threshold. */
ENDO_HD void endo_exposure_matched(endo_exposure_search *s) { endo_exposure_ask_around(s, ENDO_EXPOSURE_EXACT, 0, 0); }

/* Takes the answers, in every phase but MATCH; asked = 0 afterwards: the search has ended. */
ENDO_HD void endo_exposure_answer(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    switch (s->phase) {
    case ENDO_EXPOSURE_CANDIDATES: endo_exposure_take_candidates(s, answers); return;
    case ENDO_EXPOSURE_ROUGH:
        if (!endo_exposure_move(s, answers)) s->phase = ENDO_EXPOSURE_MATCH;
        return;
    case ENDO_EXPOSURE_MATCH: return;
    case ENDO_EXPOSURE_EXACT:
        if (endo_exposure_move(s, answers)) return;
        if (s->subpixel || s->dark)
            endo_exposure_ask_wide(s);
        else
            endo_exposure_ask_final(s);
        return;
    case ENDO_EXPOSURE_WIDE:
        for (int i = 0; i < 4; i++) s->wide[i] = answers[i];
        endo_exposure_ask_final(s);
        return;
    case ENDO_EXPOSURE_FINAL: s->usable = answers[0]; s->asked = 0; return;
    }
}

#endif
