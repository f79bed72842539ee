/* Acceptance of the pairs of a chain, and outlier candidates: frames in a row that agree with one another and not with the last
 * good one. The next frames decide whether they are outliers or the scene has changed. */
#ifndef ENDO_MOSAIC_OUTLIER_CANDIDATES_H
#define ENDO_MOSAIC_OUTLIER_CANDIDATES_H

#include "chain_failures.h"
#include "pair_match.h"
#include "plausibility.h"
#include "stage.h"

/* -------------------------------------------------------------- pairs of a chain */

typedef struct pair_judge {
    mosaic_size size;
    plausibility *usual;            /* learns from three first frames that are alike */
    const chain_failures *failures; /* after a failure more is asked of a pair */
} pair_judge;

/* Returns whether a pair is good enough, and its frame can be painted where the pair puts it from the last good frame. */
int pair_is_accepted(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* Share of a pair that differs, without what its second motion explains; 1 for a pair that is not accepted, or that turns by
 * more than a right angle. */
double pair_difference(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* Share of a pair that differs, that which its second motion explains included; 1 for a pair that is not accepted, or that
 * turns by more than a right angle. */
double pair_whole_difference(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* Returns whether others must be asked before the pair's frame is accepted. */
int pair_is_suspicious(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* ------------------------------------------------------------------- candidates */

/* Number of candidates that agree with one another from which on they are the scene. */
#define OUTLIER_PATIENCE 3

/* A frame that differs from the last good one, or could not be registered with a first frame that stands alone. */
typedef struct outlier_candidate {
    int frame;
    int slot;
    pair_match match; /* with the last good frame, or with the candidate before this one */
    double differing; /* share that differs from the last good frame, with what a second motion explains */
} outlier_candidate;

typedef struct outlier_candidates {
    const pair_judge *judge;
    outlier_candidate items[OUTLIER_PATIENCE];
    int n;
} outlier_candidates;

/* Decision about the candidates by a new frame. */
typedef enum outlier_decision {
    DECISION_OUTLIERS, /* the candidates are outliers */
    DECISION_JOINED,   /* the candidates agree with the new frame, and the last good frame does not */
    DECISION_ACCEPTED
} outlier_decision;

static inline int outlier_candidates_any(const outlier_candidates *c) { return c->n > 0; }
static inline outlier_candidate *outlier_candidates_newest(outlier_candidates *c) { return &c->items[c->n - 1]; }
static inline int outlier_candidates_are_scene(const outlier_candidates *c) { return c->n >= OUTLIER_PATIENCE; }

/* There are fewer than OUTLIER_PATIENCE candidates. */
void outlier_candidates_add(outlier_candidates *c, const outlier_candidate *one);

/* The newest candidate, as a reference for other frames. */
placed_frame outlier_candidates_frame(const outlier_candidates *c);

/* Removes all candidates, copies them to `out` and returns their number. */
int outlier_candidates_release(outlier_candidates *c, outlier_candidate out[OUTLIER_PATIENCE]);

/* Decides by a new frame's pairs with the last good frame and with the newest candidate. */
outlier_decision outlier_candidates_decide(const outlier_candidates *c, const placed_frame *last, const pair_match *to_last,
                                           const pair_match *to_newest);

/* Decides when no frame follows. alone: the last good frame is the first one, and none has agreed with it. */
outlier_decision outlier_candidates_decide_last(const outlier_candidates *c, const placed_frame *last, int alone);

#endif
