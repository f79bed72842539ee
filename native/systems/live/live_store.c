/* Slots for the present frame and for kept ones (live_store.h). */
#include "live_store.h"

#include <math.h>

/* Side of the windows in which frames are equalized for matching, px of a frame, and their limit, as in the panorama. */
#define ENHANCE_WINDOW 127
#define ENHANCE_LEAST 31
#define ENHANCE_LIMIT 2

endo_frames_options live_store_options(const endo_mosaic_options *o, const live_field *field, int factor, int slots) {
    endo_frames_options options = endo_frames_options_default();
    options.width = field->size.width;
    options.height = field->size.height;
    options.type = field->type;
    options.capacity = slots;
    options.field = field->mask;
    options.low = field->low;
    options.high = field->high;
    options.iir = o->iir;
    options.rim = o->rim / factor;
    options.highlights = o->highlights ? 1 : o->pairs.method == ENDO_METHOD_BEST ? ENDO_HIGHLIGHTS_REFINING : 0;
    if (o->enhance) {
        int side = ENHANCE_WINDOW / factor | 1;
        options.enhance = side < ENHANCE_LEAST ? ENHANCE_LEAST : side;
        options.enhance_limit = ENHANCE_LIMIT;
    }
    return options;
}

static endo_status load(live_store *s, int slot, int kept) {
    const void *small = s->copies.lend(s->copies.user, kept);
    if (!small) return ENDO_ERR_MEMORY;
    endo_status status = endo_frames_put(s->frames, slot, small, s->field->size.width);
    s->copies.give_back(s->copies.user, kept, small);
    return status;
}

endo_status live_store_open(live_store *s) {
    endo_frames_options options = live_store_options(s->options, s->field, s->factor, LIVE_SLOTS);
    endo_frames *frames = NULL;
    int held[LIVE_SLOTS];
    int is_first = s->frames == NULL;
    ENDO_TRY(endo_frames_create(s->computing.context, &options, &frames));
    endo_frames_destroy(&s->frames);
    s->frames = frames;
    for (int i = 0; i < LIVE_SLOTS; i++) {
        held[i] = is_first ? LIVE_EMPTY : s->holds[i];
        s->holds[i] = LIVE_EMPTY;
    }
    for (int i = 0; i < LIVE_SLOTS; i++) {
        if (held[i] < 0) continue;
        ENDO_TRY(load(s, i, held[i]));
        s->holds[i] = held[i];
    }
    return ENDO_OK;
}

void live_store_close(live_store *s) {
    endo_frames_destroy(&s->frames);
    endo_context_destroy(&s->computing.context);
}

int live_store_find(const live_store *s, int held) {
    for (int i = 0; i < LIVE_SLOTS; i++)
        if (s->holds[i] == held) return i;
    return -1;
}

/* Distance of the kept frame in a slot from the nearest other one, px. */
static double distance_from_others(const live_store *s, int slot) {
    const live_kept_frame *f = &s->kept->items[s->holds[slot]];
    double least = INFINITY;
    for (int i = 0; i < LIVE_SLOTS; i++) {
        if (i == slot || s->holds[i] < 0) continue;
        const live_kept_frame *other = &s->kept->items[s->holds[i]];
        if (other->component != f->component) continue;
        endo_transform step = pose_between(&other->pose, &f->pose);
        double moved = live_moved(s->field->size, &step);
        if (moved < least) least = moved;
    }
    return least;
}

/* The slot of the kept frame that is missed least: the first one where no frame has neighbours. */
static int least_needed(const live_store *s, int reference) {
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < LIVE_SLOTS; i++) {
        if (s->holds[i] < 0 || s->holds[i] == reference) continue;
        double distance = distance_from_others(s, i);
        if (best >= 0 && !(distance < least)) continue;
        least = distance;
        best = i;
    }
    return best;
}

endo_status live_store_put(live_store *s, int held, int reference, const void *small) {
    int slot = live_store_find(s, held);
    if (slot < 0) slot = live_store_find(s, LIVE_EMPTY);
    if (slot < 0) slot = least_needed(s, reference);
    s->holds[slot] = LIVE_EMPTY;
    ENDO_TRY(endo_frames_put(s->frames, slot, small, s->field->size.width));
    s->holds[slot] = held;
    return ENDO_OK;
}

endo_status live_store_need(live_store *s, int kept, int reference, int *slot) {
    *slot = live_store_find(s, kept);
    if (*slot >= 0) return ENDO_OK;
    const void *small = s->copies.lend(s->copies.user, kept);
    if (!small) return ENDO_ERR_MEMORY;
    endo_status status = live_store_put(s, kept, reference, small);
    s->copies.give_back(s->copies.user, kept, small);
    *slot = live_store_find(s, kept);
    return status;
}
