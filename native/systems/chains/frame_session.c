/* Another store, or another back end, after a failure (frame_session.h). */
#include "frame_session.h"

#include <string.h>

endo_status frame_session_start(frame_session *s, const endo_context_options *asked, const back_end_job *job,
                                mosaic_sequence *sequence, mosaic_events *events) {
    memset(s, 0, sizeof *s);
    s->sequence = sequence;
    s->events = events;
    return back_end_start(&s->computing, asked, job, events);
}

static void close_store(frame_session *s, const endo_outcome *why) {
    s->failure = *why;
    frame_store_destroy(&s->store);
}

void frame_session_close(frame_session *s) {
    frame_store_destroy(&s->store);
    endo_context_destroy(&s->computing.context);
}

endo_status frame_session_need_store(const frame_session *s) {
    return s->store ? ENDO_OK : endo_fail(s->failure.status, "%s", s->failure.message);
}

static endo_status make_store(frame_session *s) {
    s->options.capacity = s->slots;
    frame_store_setup setup = {
        .context = s->computing.context,
        .sequence = s->sequence,
        .options = &s->options,
        .used = s->slots,
    };
    return frame_store_create(&setup, &s->store);
}

/* Reduces the store; 0: it cannot be smaller. */
static int shrink(frame_session *s, const endo_outcome *why) {
    int fewer = s->slots / 2 > s->least ? s->slots / 2 : s->least;
    if (fewer >= s->slots) return 0;
    events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_MEMORY, -1, -1,
               "out of memory with %d frames at once (%s); going on with %d", s->slots, why->message, fewer);
    s->slots = fewer;
    return 1;
}

static endo_status replace(frame_session *s, const endo_outcome *why) {
    endo_context *before = NULL;
    int failed = s->computing.kind;
    ENDO_TRY(back_end_replace(&s->computing, &before));
    close_store(s, why);
    endo_context_destroy(&before);
    s->slots = s->wanted;
    events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_BACKEND, -1, -1,
               "backend %s failed: %s; the CPU goes on, nothing is lost", back_end_name(failed), why->message);
    return ENDO_OK;
}

/* Prepares for another store, and closes the present one. *helped = 0: nothing helps, and the store stays. */
static endo_status prepare(frame_session *s, const endo_outcome *why, int *helped) {
    *helped = 1;
    if (why->status == ENDO_ERR_MEMORY && s->is_open && shrink(s, why)) {
        close_store(s, why);
        return ENDO_OK;
    }
    if (back_end_replaces(&s->computing, why->status)) return replace(s, why);
    *helped = 0;
    return ENDO_OK;
}

/* Recovers from a failure; *helped = 0: the run cannot go on. */
static endo_status recover(frame_session *s, const endo_outcome *failure, int *helped) {
    endo_outcome why = *failure;
    for (;;) {
        ENDO_TRY(prepare(s, &why, helped));
        if (!*helped || !s->is_open) return ENDO_OK;
        endo_outcome_keep(&why, make_store(s));
        if (why.status == ENDO_OK) return ENDO_OK;
        s->failure = why;
    }
}

endo_status frame_session_persist(frame_session *s, endo_status (*work)(void *job), void *job) {
    for (;;) {
        int helped = 0;
        endo_outcome why;
        endo_outcome_keep(&why, work(job));
        if (why.status == ENDO_OK || why.status == ENDO_CANCELLED) return why.status;
        ENDO_TRY(recover(s, &why, &helped));
        if (!helped) return endo_fail(why.status, "%s", why.message);
    }
}

static endo_status make_first_store(void *session) {
    frame_session *s = session;
    return s->store ? ENDO_OK : make_store(s);
}

endo_status frame_session_open(frame_session *s, const endo_frames_options *options, int wanted, int least) {
    s->options = *options;
    s->wanted = wanted;
    s->least = least;
    s->slots = wanted;
    s->is_open = 1;
    return frame_session_persist(s, make_first_store, s);
}
