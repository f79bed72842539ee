/* Guided pairs with frames in the store (stored_pairs.h). */
#include "stored_pairs.h"

/* *slot = -1: the frame cannot be read. */
static endo_status ask(mosaic_workspace *w, int frame, int *slot) {
    ENDO_TRY(frame_store_ask(w->store, frame, slot));
    if (*slot < 0)
        events_say(w->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, frame, frame, "%s again", sequence_reason(w->sequence));
    return ENDO_OK;
}

endo_status stored_pairs_add(guided_pairs *pairs, mosaic_workspace *w, int reference, int current,
                             const endo_transform *start) {
    guided_pair pair = {.reference = reference, .current = current, .start = *start};
    pairs->repeats_from = w->repeats_from;
    pairs->layers = w->layers;
    ENDO_TRY(ask(w, reference, &pair.reference_slot));
    if (pair.reference_slot < 0) return ENDO_OK;
    ENDO_TRY(ask(w, current, &pair.current_slot));
    return pair.current_slot < 0 ? ENDO_OK : guided_pairs_add(pairs, &pair);
}

endo_status stored_pairs_near(const guided_pairs *pairs, mosaic_workspace *w, const endo_pairs_options *options,
                              double distance, mosaic_edges *out) {
    endo_frames *frames = NULL;
    if (pairs->n == 0) return ENDO_OK;
    ENDO_TRY(frame_store_frames(w->store, &frames));
    return guided_pairs_near(pairs, frames, options, sequence_size(w->sequence), distance, out);
}
