/* The queue of pairs to be registered to close loops, round by round: before the first round those that tie components, then in
 * each round those that can be searched for from the latest poses. Rounds go on while they find pairs. */
#ifndef ENDO_MOSAIC_LOOP_QUEUE_H
#define ENDO_MOSAIC_LOOP_QUEUE_H

#include "loop_plan.h"

/* Pairs that a step registers by spectra against one key frame; few, so that a cancel is answered soon. */
#define LOOP_QUEUE_FAR 4

typedef struct loop_queue {
    const key_frames *keys;
    const loop_candidates *near; /* to be searched for from their poses */
    const loop_candidates *far;  /* to be registered by their spectra */
    int near_done;               /* near pairs registered */
    int far_done;                /* far pairs registered */
    int planned;
    int round;
    int found; /* pairs found in this round */
} loop_queue;

/* Begins a round with new lists, borrowed until the next ones. */
void loop_queue_init(loop_queue *q, const key_frames *keys, const loop_candidates *near, const loop_candidates *far);
void loop_queue_next_round(loop_queue *q, const loop_candidates *near, const loop_candidates *far);

/* Returns whether the rounds are over: there were enough, or a round after the first has no pairs, or has registered all and
 * found none. */
int loop_queue_is_last_round(const loop_queue *q);

int loop_queue_is_empty(const loop_queue *q);
int loop_queue_has_near(const loop_queue *q);
double loop_queue_share(const loop_queue *q); /* share of all possible rounds that is done, 0..1 */

/* Number of pairs that come next: near ones whose frames fit into a store together, or far ones of one key frame. */
int loop_queue_next_near(const loop_queue *q, int most, int capacity);
int loop_queue_next_far(const loop_queue *q);

/* The first of the pairs that come next: near ones before far ones. The queue is not empty. */
const loop_candidate *loop_queue_first(const loop_queue *q);

/* Removes pairs that were registered, of which `found` were found. Without this call, as after a failure, they come again. */
void loop_queue_done(loop_queue *q, int pairs, int found);

/* Counts pairs that were found outside the queue. */
void loop_queue_also_found(loop_queue *q, int pairs);

#endif
