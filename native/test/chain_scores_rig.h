/* Scores of pairs that a test writes by hand, for the rules of chains: what is not written is a pair of low certainty, and
 * every frame is good with itself. It remembers which pairs are asked for. */
#ifndef ENDO_TEST_CHAIN_SCORES_RIG_H
#define ENDO_TEST_CHAIN_SCORES_RIG_H

#include "systems/chains/chain_rows.h"
#include "systems/mosaic/geometry.h"
#include "check.h"

#include <string.h>

#define HAND_FRAMES 24

typedef struct hand_scores {
    chain_pair pairs[HAND_FRAMES + 1][HAND_FRAMES + 1]; /* reference, frame */
    int asked[HAND_FRAMES + 1][HAND_FRAMES + 1];
    int n_asked;
    int fails_at; /* the call, from 1, that fails; 0: none does */
} hand_scores;

static hand_scores hand;

static inline endo_status hand_get(void *self, int reference, int frame, chain_pair *pair) {
    (void)self;
    hand.asked[reference][frame]++;
    if (++hand.n_asked == hand.fails_at) return endo_fail(ENDO_ERR_DEVICE, "as asked for");
    *pair = hand.pairs[reference][frame];
    return ENDO_OK;
}

static inline chain_pairs hand_pairs(void) { return (chain_pairs){.get = hand_get}; }

static inline void hand_set(int reference, int frame, int status, double dx, double dy) {
    hand.pairs[reference][frame] = (chain_pair){
        .transform = pose_translation(dx, dy),
        .dx = dx,
        .dy = dy,
        .deviation = {0.1, 0.1},
        .scores = {.peak = 100 * reference + frame, .certainty = 0.3},
        .status = status,
    };
}

static inline void hand_good(int reference, int frame, double dx, double dy) {
    hand_set(reference, frame, ENDO_CHAIN_OK, dx, dy);
}

static inline void hand_reset(void) {
    memset(&hand, 0, sizeof hand);
    for (int reference = 0; reference <= HAND_FRAMES; reference++)
        for (int frame = 0; frame <= HAND_FRAMES; frame++)
            hand_set(reference, frame, reference == frame ? ENDO_CHAIN_OK : ENDO_CHAIN_LOW_CERTAINTY, 0, 0);
}

/* It is black. */
static inline void hand_black(int frame) {
    for (int other = 0; other <= HAND_FRAMES; other++) {
        hand_set(other, frame, ENDO_CHAIN_NO_CONTENT, 0, 0);
        hand_set(frame, other, ENDO_CHAIN_NO_CONTENT, 0, 0);
    }
}

/* n frames more, on the CPU. */
static inline void hand_add(chain_rows *c, int n) {
    chain_pairs pairs = hand_pairs();
    for (int i = 0; i < n; i++) CHECK(chain_rows_add(c, &pairs, ENDO_BACKEND_CPU) == ENDO_OK);
}

/* The scores of a row are those of this pair. */
static inline int hand_describes(const endo_chain_frame *row, int reference, int frame) {
    return row->scores.peak == 100 * reference + frame;
}

static inline int hand_lies_at(const endo_chain_frame *row, double x, double y) {
    return row->pose.matrix[2] == x && row->pose.matrix[5] == y;
}

static inline int hand_is(const endo_chain_frame *row, int status, int registered, int reference) {
    return row->status == status && row->registered == registered && row->reference == reference;
}

/* Whichever pair cannot be had, nothing changes, and what is asked again gives what it would have given. make: an empty chain;
 * count: its frames. */
static inline void hand_check_failures(chain_rows *(*make)(void), int count) {
    static endo_chain_frame wanted[HAND_FRAMES];
    chain_rows *c = make();
    chain_pairs pairs = hand_pairs();
    hand_add(c, count);
    memcpy(wanted, c->rows, (size_t)count * sizeof *wanted);
    int calls = hand.n_asked;
    chain_rows_free(c);
    for (int call = 1; call <= calls; call++) {
        c = make();
        hand.n_asked = 0;
        hand.fails_at = call;
        int failures = 0;
        while (c->n < count) {
            int n = c->n;
            if (chain_rows_add(c, &pairs, ENDO_BACKEND_CPU) == ENDO_OK) continue;
            failures++;
            CHECK(c->n == n && failures == 1);
            if (failures > 1) break;
        }
        CHECK(failures == 1 && !memcmp(wanted, c->rows, (size_t)count * sizeof *wanted));
        chain_rows_free(c);
    }
    hand.fails_at = 0;
}

#endif
