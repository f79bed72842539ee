/* Decides which of three frames is the outlier: the last good, the newest candidate, or a new one (outlier_candidates.h). */
#include "outlier_candidates.h"

#include "numbers.h"

#include <string.h>

/* -------------------------------------------------------------- pairs of a chain */

static int can_be_painted(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    endo_transform pose = pose_times(&last->pose, &match->transform);
    return pose_is_invertible(&pose) && frame_is_shown(judge->size, &pose);
}

int pair_is_accepted(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    return pair_match_counts(match, chain_failures_any(judge->failures)) && can_be_painted(judge, last, match);
}

/* Share that differs, regardless of the motion, with what a second motion explains. */
static double whole_difference_of_scenes(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    return pair_is_accepted(judge, last, match) ? match->differing : 1;
}

double pair_whole_difference(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    return pair_match_is_leap(match) ? 1 : whole_difference_of_scenes(judge, last, match);
}

double pair_difference(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    int is_judged = pair_is_accepted(judge, last, match) && !pair_match_is_leap(match);
    return is_judged ? pair_match_unexplained(match) : 1;
}

int pair_is_suspicious(const pair_judge *judge, const placed_frame *last, const pair_match *match) {
    return plausibility_is_suspicious(judge->usual, pair_difference(judge, last, match));
}

/* ------------------------------------------------------------------- candidates */

void outlier_candidates_add(outlier_candidates *c, const outlier_candidate *one) {
    c->items[c->n++] = *one;
}

static const outlier_candidate *newest_of(const outlier_candidates *c) { return &c->items[c->n - 1]; }

placed_frame outlier_candidates_frame(const outlier_candidates *c) {
    const outlier_candidate *newest = newest_of(c);
    return (placed_frame){.frame = newest->frame, .slot = newest->slot, .pose = pose_identity};
}

int outlier_candidates_release(outlier_candidates *c, outlier_candidate out[OUTLIER_PATIENCE]) {
    int n = c->n;
    memcpy(out, c->items, (size_t)n * sizeof *out);
    c->n = 0;
    return n;
}

/* --------------------------------------------------------------------- decisions */

/* None of the three is an outlier: the candidates are accepted unless a single one has no evidence for it. */
static outlier_decision settle(const outlier_candidates *c, const placed_frame *last, int is_alien) {
    if (c->n > 1) return DECISION_ACCEPTED;
    return pair_is_accepted(c->judge, last, &newest_of(c)->match) && !is_alien ? DECISION_ACCEPTED : DECISION_OUTLIERS;
}

/* Each of the three pairs shows two motions: something moves before the scene, in the candidate as in the frames around it. */
static int stays_in_motion(const pair_match *before, const pair_match *across, const pair_match *after) {
    return before->layers.count == 2 && across->layers.count == 2 && after->layers.count == 2;
}

outlier_decision outlier_candidates_decide(const outlier_candidates *c, const placed_frame *last, const pair_match *to_last,
                                           const pair_match *to_newest) {
    const pair_judge *judge = c->judge;
    const outlier_candidate *newest = newest_of(c);
    double before = newest->differing;
    if (stays_in_motion(&newest->match, to_last, to_newest)) return DECISION_ACCEPTED;
    double after = pair_whole_difference(judge, last, to_newest);
    double across = pair_whole_difference(judge, last, to_last);
    double tile = greater_of(newest->match.tile, greater_of(to_last->tile, to_newest->tile));
    if (is_odd_one_out(before, after, across, tile)) return DECISION_OUTLIERS;
    if (is_odd_one_out(before, across, after, tile)) return DECISION_JOINED;
    int is_contradicted = plausibility_is_wild(judge->usual, pair_difference(judge, last, to_newest));
    if (pair_is_accepted(judge, last, &newest->match) && pair_is_accepted(judge, last, to_newest) &&
        pair_is_accepted(judge, last, to_last) && !pair_match_is_leap(&newest->match))
        plausibility_add_first(judge->usual, before, after, across);
    int is_seen_again = to_newest->layers.count == 2; /* a second motion that is seen once explains nothing */
    double share = (is_seen_again ? pair_difference : pair_whole_difference)(judge, last, &newest->match);
    return settle(c, last, is_contradicted && plausibility_is_wild(judge->usual, share));
}

outlier_decision outlier_candidates_decide_last(const outlier_candidates *c, const placed_frame *last, int alone) {
    /* Two frames alone may be turned against each other: no third one tells how the scope moves. */
    const pair_match *match = &newest_of(c)->match;
    double share = alone ? whole_difference_of_scenes(c->judge, last, match) : pair_whole_difference(c->judge, last, match);
    return settle(c, last, plausibility_is_wild(c->judge->usual, share));
}
