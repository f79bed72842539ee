/* Whether a pair of a chain counts, and frames in a row that agree with one another and not with the last good one of a chain:
 * the next frames decide whether they are outliers, or the scene has changed. */
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
    const chain_failures *failures; /* after one more is asked of a pair */
} pair_judge;

/* A frame was registered well enough, and where the pair puts it (by way of the last good frame) it can be painted. */
int pair_is_accepted(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* Share of a pair that differs; all of one that is not accepted, and of one for which the scope would have leapt. */
double pair_difference(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* Its frame should not be believed before others were asked. */
int pair_is_suspicious(const pair_judge *judge, const placed_frame *last, const pair_match *match);

/* ------------------------------------------------------------------- candidates */

/* Candidates that agree with one another are the scene from so many on. */
#define OUTLIER_PATIENCE 3

/* A frame that differs from the last good one, or could not be registered with a first one that stands alone. */
typedef struct outlier_candidate {
    int frame;
    int slot;
    pair_match match; /* with the last good frame, or with the candidate before this one */
    double differing; /* share that differs from the last good frame */
} outlier_candidate;

typedef struct outlier_candidates {
    const pair_judge *judge;
    outlier_candidate items[OUTLIER_PATIENCE];
    int n;
} outlier_candidates;

/* What a frame after them says of them. */
typedef enum outlier_decision {
    DECISION_OUTLIERS, /* they are the odd ones out */
    DECISION_JOINED,   /* they show what it shows, and the last good frame does not */
    DECISION_BELIEVED
} outlier_decision;

static inline int outlier_candidates_any(const outlier_candidates *c) { return c->n > 0; }
static inline outlier_candidate *outlier_candidates_newest(outlier_candidates *c) { return &c->items[c->n - 1]; }
static inline int outlier_candidates_are_scene(const outlier_candidates *c) { return c->n >= OUTLIER_PATIENCE; }

/* While they are not the scene. */
void outlier_candidates_add(outlier_candidates *c, const outlier_candidate *one);

/* The newest, for frames that are registered against it. */
placed_frame outlier_candidates_frame(const outlier_candidates *c);

/* All of them, which are none any more: how many. */
int outlier_candidates_release(outlier_candidates *c, outlier_candidate out[OUTLIER_PATIENCE]);

/* By a new frame's pairs with the last good one and with the newest of them. */
outlier_decision outlier_candidates_decide(const outlier_candidates *c, const placed_frame *last, const pair_match *to_last,
                                           const pair_match *to_newest);

/* No frame follows. alone: the last good frame is the first one, and none has agreed with it. */
outlier_decision outlier_candidates_decide_last(const outlier_candidates *c, const placed_frame *last, int alone);

#endif
