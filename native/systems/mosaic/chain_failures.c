/* Reports of frames that a chain, named by its first frame, leaves out; another may take them in (chain_failures.h). */
#include "chain_failures.h"

#include <stdio.h>

/* Longest reason why frames failed, bytes. */
#define REASON 120

void chain_failures_init(chain_failures *f, mosaic_events *events, const frame_records *records) {
    *f = (chain_failures){.events = events, .records = records, .first = -1};
}

void chain_failures_free(chain_failures *f) {
    frame_stretches_free(&f->gaps);
}

void chain_failures_add(chain_failures *f, int frame) {
    f->count++;
    if (f->first < 0) f->first = frame;
}

void chain_failures_clear(chain_failures *f) {
    f->count = 0;
    f->first = -1;
}

/* ------------------------------------------------------------------------ words */

static const char *reason_of_first(const chain_failures *f) {
    switch (frame_record(f->records, f->first)->status) {
    case ENDO_FRAME_NO_TEXTURE:
        return "no texture";
    case ENDO_FRAME_FEW_LANDMARKS:
        return "too few landmarks fit";
    case ENDO_FRAME_OUTLIER:
        return "a part of it does not show what the frames around it show";
    case ENDO_FRAME_OBLIQUE:
        return "tilted too far to be painted";
    default:
        return "another scene, or moved too far";
    }
}

static int number_of(const chain_failures *f, int frame) { return frame_number(f->events->numbers, frame); }

/* Why the frames up to `end` failed; not all of them need to have failed by then. */
static const char *reason(const chain_failures *f, int end, char out[REASON]) {
    if (end == f->first)
        snprintf(out, REASON, "%s", reason_of_first(f));
    else
        snprintf(out, REASON, "frame %d: %s", number_of(f, f->first), reason_of_first(f));
    return out;
}

endo_status chain_failures_close(chain_failures *f, int from, int frame) {
    char range[MOSAIC_RANGE];
    char why[REASON];
    if (!chain_failures_any(f)) return ENDO_OK;
    const frame_stretch gap = {.first = f->first, .last = frame - 1};
    ENDO_TRY(frame_stretches_add(&f->gaps, gap));
    events_say(f->events, ENDO_EVENT_LOG, ENDO_EVENT_LEFT_OUT, gap.first, gap.last,
               "%s left out (%s); tracking from frame %d goes on with frame %d",
               mosaic_range(f->events->numbers, gap.first, gap.last, range), reason(f, gap.last, why), number_of(f, from), number_of(f, frame));
    return ENDO_OK;
}

endo_status chain_failures_close_last(chain_failures *f, int end, int from, int last) {
    char range[MOSAIC_RANGE];
    char why[REASON];
    const frame_stretch gap = {.first = f->first, .last = end};
    ENDO_TRY(frame_stretches_add(&f->gaps, gap));
    reason(f, end, why);
    if (from == last)
        events_say(f->events, ENDO_EVENT_LOG, ENDO_EVENT_LEFT_OUT, gap.first, gap.last,
                   "frame %d matches no frame after it, up to frame %d (%s)", number_of(f, from), number_of(f, end), why);
    else
        events_say(f->events, ENDO_EVENT_LOG, ENDO_EVENT_LEFT_OUT, gap.first, gap.last,
                   "tracking from frame %d ends with frame %d; %s left out (%s)", number_of(f, from), number_of(f, last),
                   mosaic_range(f->events->numbers, gap.first, gap.last, range), why);
    f->first = -1;
    return ENDO_OK;
}

void chain_failures_say_end(const chain_failures *f, int from, int last) {
    events_say(f->events, ENDO_EVENT_LOG, ENDO_EVENT_CHAIN_END, last, last,
               "tracking from frame %d lost at frame %d (%s); another panorama starts there, unless later frames show this one"
               " again", number_of(f, from), number_of(f, f->first), reason_of_first(f));
}
