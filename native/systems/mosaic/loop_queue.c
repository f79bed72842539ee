/* The order of pairs, and the end of the rounds (loop_queue.h). */
#include "loop_queue.h"

/* Most rounds. Over 250 frames that sweep to and fro with a drift of 15 px, five rounds leave 1.5 px, and all nine 1.3. */
#define ROUNDS 5

static int near_left(const loop_queue *q) { return q->near->n - q->near_done; }

static int far_left(const loop_queue *q) { return q->far->n - q->far_done; }

static void take(loop_queue *q, const loop_candidates *near, const loop_candidates *far) {
    q->near = near;
    q->far = far;
    q->near_done = 0;
    q->far_done = 0;
    q->planned = near->n + far->n;
}

void loop_queue_init(loop_queue *q, const key_frames *keys, const loop_candidates *near, const loop_candidates *far) {
    *q = (loop_queue){.keys = keys};
    take(q, near, far);
}

void loop_queue_next_round(loop_queue *q, const loop_candidates *near, const loop_candidates *far) {
    q->round++;
    q->found = 0;
    take(q, near, far);
}

int loop_queue_is_last_round(const loop_queue *q) {
    return loop_queue_is_empty(q) && (q->round >= ROUNDS || (q->round > 1 && q->found == 0));
}

int loop_queue_is_empty(const loop_queue *q) { return near_left(q) == 0 && far_left(q) == 0; }

int loop_queue_has_near(const loop_queue *q) { return near_left(q) > 0; }

double loop_queue_share(const loop_queue *q) {
    double left = (double)(near_left(q) + far_left(q)) / (q->planned > 1 ? q->planned : 1);
    return (q->round + 1 - left) / (ROUNDS + 2);
}

const loop_candidate *loop_queue_first(const loop_queue *q) {
    return loop_queue_has_near(q) ? q->near->items + q->near_done : q->far->items + q->far_done;
}

static int is_in(const loop_queue *q, const loop_candidate *pairs, int n, int frame) {
    for (int i = 0; i < n; i++)
        if (pairs[i].frame == frame || q->keys->items[pairs[i].key].frame == frame) return 1;
    return 0;
}

int loop_queue_next_near(const loop_queue *q, int most, int capacity) {
    const loop_candidate *pairs = loop_queue_first(q);
    int frames = 0;
    for (int i = 0; i < near_left(q); i++) {
        int key = q->keys->items[pairs[i].key].frame;
        frames += !is_in(q, pairs, i, key);
        frames += pairs[i].frame != key && !is_in(q, pairs, i, pairs[i].frame);
        if (i == most || frames > capacity) return i;
    }
    return near_left(q);
}

int loop_queue_next_far(const loop_queue *q) {
    const loop_candidate *pairs = q->far->items + q->far_done;
    int n = 0;
    while (n < far_left(q) && n < LOOP_QUEUE_FAR && pairs[n].key == pairs[0].key) n++;
    return n;
}

void loop_queue_done(loop_queue *q, int pairs, int found) {
    if (loop_queue_has_near(q))
        q->near_done += pairs;
    else
        q->far_done += pairs;
    q->found += found;
}

void loop_queue_also_found(loop_queue *q, int pairs) { q->found += pairs; }
