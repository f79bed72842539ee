/* Back end and frame store of a run, the store with as many frames as there is memory for. Where memory ends the store gets
 * smaller; where a device fails that AUTO had chosen, the CPU goes on. */
#ifndef ENDO_CHAINS_FRAME_SESSION_H
#define ENDO_CHAINS_FRAME_SESSION_H

#include "base/outcome.h"
#include "systems/mosaic/back_end.h"
#include "systems/mosaic/frame_store.h"

typedef struct frame_session {
    back_end computing;
    mosaic_sequence *sequence; /* borrowed, as `events` */
    mosaic_events *events;
    frame_store *store;          /* replaced after a failure; NULL where nothing helped */
    endo_frames_options options; /* of a store; its mask is borrowed */
    int wanted;                  /* slots that a store should have */
    int least;                   /* slots that the work needs */
    int slots;                   /* slots of the store, or of the one that memory did not suffice for */
    int is_open;                 /* a store was made before */
    endo_outcome failure;        /* why there is no store */
} frame_session;

endo_status frame_session_start(frame_session *s, const endo_context_options *asked, const back_end_job *job,
                                mosaic_sequence *sequence, mosaic_events *events);
void frame_session_close(frame_session *s);

/* Makes a store of `wanted` slots, or of fewer, at least `least`. */
endo_status frame_session_open(frame_session *s, const endo_frames_options *options, int wanted, int least);

/* ENDO_OK, or why there is no store. */
endo_status frame_session_need_store(const frame_session *s);

/* Calls `work`, which keeps track of its progress, again after each failure that can be recovered from. */
endo_status frame_session_persist(frame_session *s, endo_status (*work)(void *job), void *job);

#endif
