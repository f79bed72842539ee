/* The frames of a chain that failed since its last good one, the stretches of failed frames, and the reports of both. */
#ifndef ENDO_MOSAIC_CHAIN_FAILURES_H
#define ENDO_MOSAIC_CHAIN_FAILURES_H

#include "events.h"
#include "frame_records.h"

/* Failed frames after the first that are still tried against the last good frame. */
#define CHAIN_REACH 8
/* Limit in place of CHAIN_REACH where several chains in a row found no other frame. */
#define CHAIN_REACH_NEAR 1

typedef struct chain_failures {
    mosaic_events *events;
    const frame_records *records; /* records of the chain: why a frame failed may be known later */
    frame_stretches gaps;         /* stretches that failed between good frames, or at the end */
    int first;                    /* first failed frame since the last good one; -1: none */
    int count;
} chain_failures;

void chain_failures_init(chain_failures *f, mosaic_events *events, const frame_records *records);
void chain_failures_free(chain_failures *f);

static inline int chain_failures_any(const chain_failures *f) { return f->first >= 0; }

void chain_failures_add(chain_failures *f, int frame);
void chain_failures_clear(chain_failures *f); /* a frame is good */

/* A good frame follows the failed ones, in the chain that begins with `from`. Fails with MEMORY alone. */
endo_status chain_failures_close(chain_failures *f, int from, int frame);

/* No frame follows `end`; the chain holds the frames from..last. Fails with MEMORY alone. */
endo_status chain_failures_close_last(chain_failures *f, int end, int from, int last);

/* Too many frames failed; the chain holds the frames from..last. */
void chain_failures_say_end(const chain_failures *f, int from, int last);

#endif
