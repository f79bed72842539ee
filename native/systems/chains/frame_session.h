/* What a run over frames stands on: the back end, and the store of as many frames as there is memory for. Where memory ends the
 * store gets smaller; where a device fails that AUTO had chosen, the CPU goes on. */
#ifndef ENDO_CHAINS_FRAME_SESSION_H
#define ENDO_CHAINS_FRAME_SESSION_H

#include "base/outcome.h"
#include "systems/mosaic/back_end.h"
#include "systems/mosaic/frame_store.h"

typedef struct frame_session {
    back_end computing;
    mosaic_sequence *sequence; /* borrowed, as events */
    mosaic_events *events;
    frame_store *store;          /* another one after a failure; NULL where nothing helped */
    endo_frames_options options; /* of a store; its mask is borrowed */
    int wanted;                  /* slots that a store should have */
    int least;                   /* that the work needs */
    int slots;                   /* of the store, or of the one that there was no memory for */
    int is_open;                 /* there is, or was, a store */
    endo_outcome failure;        /* why there is none */
} frame_session;

endo_status frame_session_start(frame_session *s, const endo_context_options *asked, const back_end_job *job,
                                mosaic_sequence *sequence, mosaic_events *events);
void frame_session_close(frame_session *s);

/* Makes a store of `wanted` slots, or of fewer, at least `least`. */
endo_status frame_session_open(frame_session *s, const endo_frames_options *options, int wanted, int least);

/* ENDO_OK, or why there is no store. */
endo_status frame_session_need_store(const frame_session *s);

/* Does some work, which knows where it is, again and again where a failure can be helped. */
endo_status frame_session_persist(frame_session *s, endo_status (*work)(void *job), void *job);

#endif
