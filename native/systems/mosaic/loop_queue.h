/* The pairs that are to be registered to close loops, round by round: before the first round those that tie components, then in
 * each round those that the poses of the last one let us look for. Rounds go on while they find pairs. */
#ifndef ENDO_MOSAIC_LOOP_QUEUE_H
#define ENDO_MOSAIC_LOOP_QUEUE_H

#include "loop_plan.h"

/* Pairs that a step registers by spectra against one key frame: few, so that a cancel is answered soon. */
#define LOOP_QUEUE_FAR 4

typedef struct loop_queue {
    const key_frames *keys;
    const loop_candidates *near; /* searched for from their poses */
    const loop_candidates *far;  /* left to their spectra */
    int near_done, far_done;     /* so many of each were registered */
    int planned;
    int round;
    int found; /* pairs that this round has found */
} loop_queue;

/* Lists are borrowed until the next ones. */
void loop_queue_init(loop_queue *q, const key_frames *keys, const loop_candidates *near, const loop_candidates *far);
void loop_queue_next_round(loop_queue *q, const loop_candidates *near, const loop_candidates *far);

/* No round follows this one: there were enough, or it is not the first and has nothing to look for or, when all was looked for,
 * found nothing. */
int loop_queue_is_last_round(const loop_queue *q);

int loop_queue_is_empty(const loop_queue *q);
int loop_queue_has_near(const loop_queue *q);
double loop_queue_share(const loop_queue *q); /* of all rounds that there may be, 0..1 */

/* How many come next: near ones, so many at most, as find room in a store together; or far ones, against one key frame. */
int loop_queue_next_near(const loop_queue *q, int most, int capacity);
int loop_queue_next_far(const loop_queue *q);

/* They begin here: near ones before far ones. There is one. */
const loop_candidate *loop_queue_first(const loop_queue *q);

/* They were registered, and so many of them were found; until then, as after a failure, they are the next. */
void loop_queue_done(loop_queue *q, int pairs, int found);

/* So many pairs of frames that did not wait here. */
void loop_queue_also_found(loop_queue *q, int pairs);

#endif
