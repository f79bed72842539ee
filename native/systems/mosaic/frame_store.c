/* Slots, and how frames get into them (frame_store.h). Frames that were read wait to be copied, several at once; they are given
 * back when they were copied and observers have seen them. The slot of a frame out of use is idle or free. */
#include "frame_store.h"

#include "base/memory.h"
#include "base/outcome.h"
#include "prefetch_queue.h"
#include "events.h"

#include <string.h>

/* Frames, and their pixels, that may wait to be copied, except those of the last one; for each of several devices DEALT frames
 * at least: that many in turns go to each. */
#define MOST_PUT PREFETCH_GROUP
#define MOST_PIXELS 4000000
#define DEALT 4

typedef enum slot_state { SLOT_FREE, SLOT_USED, SLOT_IDLE } slot_state;

typedef struct slot_info {
    int frame; /* number of the frame in the slot or about to be copied there; undefined if free */
    slot_state state;
    int uses; /* endo_use that the frame was stored for */
} slot_info;

/* Frames that were read and wait to be copied. */
typedef struct frame_puts {
    int most;
    int n;
    int frames[MOST_PUT];
    int32_t slots[MOST_PUT];
    const void *pixels[MOST_PUT];
    int is_put; /* copied, or failed; frames are given back from here on */
    int shown;  /* frames that were given back */
} frame_puts;

struct frame_store {
    endo_frames *frames;
    mosaic_sequence *sequence;
    mosaic_observers *observers;
    const frame_displacements *displacements;
    int threads;
    double *reading;
    double *putting;
    mosaic_size size;
    int capacity; /* frames in use at once */
    int keeps;
    int use; /* endo_use that frames are stored for */
    int n_slots;
    slot_info *slots;
    int32_t *slot_of; /* one a frame of the sequence: 1 + slot; 0: neither in use nor idle */
    int *free;        /* a stack: the slot freed last, whose memory is cached, is taken first */
    int n_free;
    int n_used;
    int n_idle;
    frame_puts puts;
    prefetch_queue *prefetch; /* NULL until frames are expected */
};

static void add_since(double start, double *sum) {
    if (sum) *sum += mosaic_seconds() - start;
}

/* -------------------------------------------------------------- create, destroy */

static endo_status allocate(frame_store *s) {
    size_t frames = (size_t)sequence_count(s->sequence);
    s->slots = endo_alloc_zeroed((size_t)s->n_slots, sizeof *s->slots);
    s->free = endo_alloc((size_t)s->n_slots, sizeof *s->free);
    s->slot_of = endo_alloc_zeroed(frames, sizeof *s->slot_of);
    if (s->slots && s->free && s->slot_of) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d slots and %zu frames", s->n_slots, frames);
}

static int put_together(mosaic_size size, int devices) {
    int64_t most = MOST_PIXELS / ((int64_t)size.width * size.height);
    int64_t least = devices > 1 ? DEALT * devices : 1;
    if (most < least) most = least;
    return most > MOST_PUT ? MOST_PUT : (int)most;
}

endo_status frame_store_create(const frame_store_setup *setup, frame_store **out) {
    frame_store *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a store of frames");
    s->sequence = setup->sequence;
    s->observers = setup->observers;
    s->displacements = setup->displacements;
    s->threads = setup->threads;
    s->reading = setup->reading;
    s->putting = setup->putting;
    s->size = sequence_size(setup->sequence);
    s->capacity = setup->used;
    s->keeps = setup->keeps;
    s->use = ENDO_USE_ANY;
    s->n_slots = setup->options->capacity;
    s->puts.most = put_together(s->size, setup->devices);
    endo_status status = allocate(s);
    if (status == ENDO_OK) status = endo_frames_create(setup->context, setup->options, &s->frames);
    if (status != ENDO_OK) {
        frame_store_destroy(&s);
        return status;
    }
    for (int slot = s->n_slots; slot-- > 0;) s->free[s->n_free++] = slot;
    *out = s;
    return ENDO_OK;
}

void frame_store_destroy(frame_store **store) {
    frame_store *s = *store;
    *store = NULL;
    if (!s) return;
    prefetch_destroy(&s->prefetch);
    for (int i = s->puts.shown; i < s->puts.n; i++)
        sequence_give_back(s->sequence, s->puts.frames[i], s->puts.pixels[i], 0);
    endo_frames_destroy(&s->frames);
    endo_free(s->slots);
    endo_free(s->free);
    endo_free(s->slot_of);
    endo_free(s);
}

/* ------------------------------------------------------------------------ slots */

int frame_store_capacity(const frame_store *s) { return s->capacity; }

int frame_store_unused(const frame_store *s) { return s->n_free; }

/* The slot of a frame that is in use or idle; else -1. */
static int slot_of(const frame_store *s, int frame) { return frame < 0 ? -1 : s->slot_of[frame] - 1; }

int frame_store_holds(const frame_store *s, int frame) { return frame_store_slot(s, frame) >= 0; }

int frame_store_slot(const frame_store *s, int frame) {
    int slot = slot_of(s, frame);
    return slot >= 0 && s->slots[slot].state == SLOT_USED ? slot : -1;
}

int frame_store_can_hold(const frame_store *s, int one, int other) {
    return s->capacity - s->n_used >= !frame_store_holds(s, one) + !frame_store_holds(s, other);
}

int frame_store_has_room(const frame_store *s) { return s->n_used < s->capacity; }

static int serves(const frame_store *s, int slot) { return (s->slots[slot].uses & s->use) == s->use; }

/* Changes the state of a slot; its frame is set before. */
static void set_state(frame_store *s, int slot, slot_state state) {
    slot_info *info = &s->slots[slot];
    s->n_used += (state == SLOT_USED) - (info->state == SLOT_USED);
    s->n_idle += (state == SLOT_IDLE) - (info->state == SLOT_IDLE);
    info->state = state;
    s->slot_of[info->frame] = state == SLOT_FREE ? 0 : slot + 1;
}

static void set_free(frame_store *s, int slot) {
    set_state(s, slot, SLOT_FREE);
    s->free[s->n_free++] = slot;
}

static void take(frame_store *s, int slot, int frame, slot_state state) {
    s->slots[slot].frame = frame;
    set_state(s, slot, state);
}

/* The slot of the idle frame that comes last in the sequence; -1: none. */
static int last_idle(const frame_store *s) {
    int last = -1;
    for (int slot = 0; slot < s->n_slots; slot++)
        if (s->slots[slot].state == SLOT_IDLE && (last < 0 || s->slots[slot].frame > s->slots[last].frame)) last = slot;
    return last;
}

/* The slot for the next frame, unchanged until remove_empty; -1: every frame is in use. */
static int empty_slot(const frame_store *s) { return s->n_free ? s->free[s->n_free - 1] : last_idle(s); }

static void remove_empty(frame_store *s, int slot) {
    if (s->n_free)
        s->n_free--;
    else
        set_state(s, slot, SLOT_FREE);
}

/* Frames stored for blending only are freed: they are used once in each pass. */
static void release(frame_store *s, int slot) {
    if (s->keeps && s->slots[slot].uses & ENDO_USE_MATCHING)
        set_state(s, slot, SLOT_IDLE);
    else
        set_free(s, slot);
}

void frame_store_keep_from(frame_store *s, int first) {
    for (int slot = 0; slot < s->n_slots; slot++)
        if (s->slots[slot].state == SLOT_USED && s->slots[slot].frame < first) release(s, slot);
}

static int is_among(int frame, const int *frames, int n) {
    for (int i = 0; i < n; i++)
        if (frames[i] == frame) return 1;
    return 0;
}

void frame_store_keep_only(frame_store *s, const int *frames, int n) {
    for (int slot = 0; slot < s->n_slots; slot++)
        if (s->slots[slot].state == SLOT_USED && !is_among(s->slots[slot].frame, frames, n)) release(s, slot);
}

/* ---------------------------------------------------------------------- copying */

static endo_status show(frame_store *s, int frame, const void *pixels) {
    if (s->observers) return observers_see(s->observers, frame, pixels);
    sequence_give_back(s->sequence, frame, pixels, 0);
    return ENDO_OK;
}

/* Copies frames into slots, displaced where there are displacements. */
static endo_status put_pixels(frame_store *s, const int *frames, const int32_t *slots, const void **pixels, int n) {
    endo_pixel type = sequence_type(s->sequence);
    size_t bytes = (size_t)s->size.width * (size_t)s->size.height * endo_pixel_size(type);
    uint8_t *displaced = NULL;
    for (int i = 0; i < n; i++) {
        if (!frame_displacements_has(s->displacements, frames[i])) continue;
        if (!displaced) displaced = endo_alloc((size_t)n, bytes);
        if (!displaced) return endo_fail(ENDO_ERR_MEMORY, "no memory to displace %d frames", n);
        frame_displacements_apply(s->displacements, frames[i], pixels[i], type, s->threads, displaced + (size_t)i * bytes);
        pixels[i] = displaced + (size_t)i * bytes;
    }
    endo_status status = endo_frames_put_list(s->frames, slots, (size_t)n, pixels, s->size.width);
    endo_free(displaced);
    return status;
}

/* Copies n lent frames into slots; n: PREFETCH_GROUP at most. */
static endo_status copy_lent(frame_store *s, const int *frames, const int32_t *slots, const void *const *lent, int n) {
    const void *put[PREFETCH_GROUP];
    const void *pixels[PREFETCH_GROUP];
    int held = 0;
    while (held < n && (pixels[held] = sequence_hold(s->sequence, lent[held], 0))) held++;
    for (int i = 0; i < held; i++) put[i] = pixels[i];
    endo_status status = held < n ? ENDO_ERR_MEMORY : put_pixels(s, frames, slots, put, n);
    for (int i = 0; i < held; i++) sequence_let_go(s->sequence, lent[i], pixels[i], 0);
    return status;
}

/* After a failure the frames are in no slot, whatever was copied. */
static void forget_puts(frame_store *s) {
    for (int i = 0; i < s->puts.n; i++) {
        int slot = slot_of(s, s->puts.frames[i]);
        if (slot >= 0) set_free(s, slot);
    }
}

static endo_status put(frame_store *s) {
    frame_puts *p = &s->puts;
    double start = mosaic_seconds();
    endo_status status = copy_lent(s, p->frames, p->slots, p->pixels, p->n);
    if (status != ENDO_OK) forget_puts(s);
    p->is_put = 1;
    add_since(start, s->putting);
    return status;
}

/* Shows copied frames to observers; after a failure it goes on with the frame that failed. */
static endo_status show_puts(frame_store *s) {
    frame_puts *p = &s->puts;
    for (; p->shown < p->n; p->shown++) ENDO_TRY(show(s, p->frames[p->shown], p->pixels[p->shown]));
    p->n = 0;
    p->shown = 0;
    p->is_put = 0;
    return ENDO_OK;
}

endo_status frame_store_flush(frame_store *s) {
    endo_outcome outcomes[2];
    if (!s->puts.n) return ENDO_OK;
    endo_outcome_keep(&outcomes[0], s->puts.is_put ? ENDO_OK : put(s));
    endo_outcome_keep(&outcomes[1], show_puts(s));
    return endo_outcome_first(outcomes, 2);
}

/* Queues a frame to be copied; the queue is not full. */
static void add_put(frame_store *s, int frame, int slot, const void *pixels) {
    frame_puts *p = &s->puts;
    p->frames[p->n] = frame;
    p->slots[p->n] = slot;
    p->pixels[p->n] = pixels;
    p->n++;
    s->slots[slot].uses = s->use;
}

/* Copies the queued frames if the queue is full or has one for this slot. */
static endo_status flush_for(frame_store *s, int slot) {
    frame_puts *p = &s->puts;
    int waits = p->is_put || p->n >= p->most;
    for (int i = 0; i < p->n; i++) waits |= p->slots[i] == slot;
    return waits ? frame_store_flush(s) : ENDO_OK;
}

/* ---------------------------------------------------------------------- reading */

/* Reads a frame; NULL: it cannot be read. */
static const void *lend(frame_store *s, int frame) {
    frame_store_settle(s);
    double start = mosaic_seconds();
    const void *pixels = sequence_lend(s->sequence, frame, 0);
    add_since(start, s->reading);
    return pixels;
}

/* Reads a frame into its slot, or into an empty one; *slot = -1: it cannot be read. */
static endo_status load(frame_store *s, int frame, int *slot) {
    int there = *slot;
    *slot = -1;
    const void *pixels = lend(s, frame);
    if (!pixels) return ENDO_OK;
    int into = there >= 0 ? there : empty_slot(s);
    endo_status status = into < 0 ? endo_fail(ENDO_ERR_INTERNAL, "a store of %d frames, all of them in use", s->n_slots)
                                  : flush_for(s, into);
    if (status != ENDO_OK) {
        sequence_give_back(s->sequence, frame, pixels, 0);
        return status;
    }
    if (there < 0) remove_empty(s, into);
    add_put(s, frame, into, pixels);
    *slot = into;
    return ENDO_OK;
}

/* Waits for a frame that was expected and returns its slot; -1: it has to be loaded. */
static int await(frame_store *s, int frame) {
    if (!s->prefetch || !prefetch_has(s->prefetch, frame)) return -1;
    int there;
    double start = mosaic_seconds();
    int slot = prefetch_take(s->prefetch, frame, &there);
    add_since(start, s->putting);
    if (there) return slot;
    s->free[s->n_free++] = slot;
    return -1;
}

endo_status frame_store_ask(frame_store *s, int frame, int *slot) {
    int there = slot_of(s, frame);
    if (there < 0) there = await(s, frame);
    int is_new = there < 0 || !serves(s, there);
    if (is_new) {
        if (there >= 0 && slot_of(s, frame) < 0) take(s, there, frame, SLOT_IDLE);
        ENDO_TRY(load(s, frame, &there));
        if (there < 0) {
            *slot = -1;
            return ENDO_OK;
        }
    }
    take(s, there, frame, SLOT_USED);
    *slot = there;
    return is_new && s->puts.n >= s->puts.most ? frame_store_flush(s) : ENDO_OK;
}

endo_status frame_store_read(frame_store *s, int frame, int *slot) {
    ENDO_TRY(frame_store_ask(s, frame, slot));
    return frame_store_flush(s);
}

endo_status frame_store_frames(frame_store *s, endo_frames **frames) {
    ENDO_TRY(frame_store_flush(s));
    *frames = s->frames;
    return ENDO_OK;
}

/* Frees idle frames that lack a use and would be read again. */
static void give_up_useless(frame_store *s) {
    for (int slot = 0; slot < s->n_slots; slot++)
        if (s->slots[slot].state == SLOT_IDLE && !serves(s, slot)) set_free(s, slot);
}

endo_status frame_store_ask_for(frame_store *s, int uses) {
    if (uses == s->use) return ENDO_OK;
    frame_store_settle(s);
    ENDO_TRY(frame_store_flush(s));
    ENDO_TRY(endo_frames_put_for(s->frames, uses));
    s->use = uses;
    give_up_useless(s);
    return ENDO_OK;
}

endo_status frame_store_forget(frame_store *s) {
    frame_store_settle(s);
    ENDO_TRY(frame_store_flush(s));
    for (int slot = 0; slot < s->n_slots; slot++)
        if (s->slots[slot].state != SLOT_FREE) set_free(s, slot);
    return ENDO_OK;
}

/* --------------------------------------------------------------- frames to come */

/* Loads frames, on another thread. */
static endo_status load_group(void *store, const int *frames, const int32_t *slots, int n) {
    frame_store *s = store;
    const void *pixels[PREFETCH_GROUP] = {NULL};
    int read = 0;
    while (read < n && (pixels[read] = sequence_lend(s->sequence, frames[read], 0))) read++;
    endo_status status = read < n ? ENDO_ERR_ARGUMENT : ENDO_OK; /* the error is told when the frame is read again */
    if (status == ENDO_OK) status = copy_lent(s, frames, slots, pixels, n);
    for (int i = 0; i < read; i++) {
        endo_status seen = show(s, frames[i], pixels[i]);
        if (seen == ENDO_OK) continue;
        sequence_give_back(s->sequence, frames[i], pixels[i], 0);
        if (status == ENDO_OK) status = seen;
    }
    return status;
}

static int empty_for_prefetch(frame_store *s) {
    int slot = empty_slot(s);
    remove_empty(s, slot);
    s->slots[slot].uses = s->use;
    return slot;
}

endo_status frame_store_expect(frame_store *s, int first, int end) {
    int frames[PREFETCH_GROUP];
    int32_t slots[PREFETCH_GROUP];
    int n = 0;
    frame_store_settle(s);
    ENDO_TRY(frame_store_flush(s));
    if (!s->prefetch) ENDO_TRY(prefetch_create((frame_loader){.load = load_group, .self = s}, s->n_slots, &s->prefetch));
    for (int frame = first; frame < end && (s->n_free || s->n_idle); frame++) {
        if (slot_of(s, frame) >= 0) continue;
        frames[n] = frame;
        slots[n++] = empty_for_prefetch(s);
        if (n < s->puts.most) continue;
        prefetch_begin(s->prefetch, frames, slots, n);
        n = 0;
    }
    if (n) prefetch_begin(s->prefetch, frames, slots, n);
    return ENDO_OK;
}

void frame_store_settle(frame_store *s) {
    if (!s->prefetch) return;
    prefetch_cancel(s->prefetch);
    for (int frame; (frame = prefetch_next(s->prefetch)) >= 0;) {
        int there;
        int slot = prefetch_take(s->prefetch, frame, &there);
        if (there)
            take(s, slot, frame, SLOT_IDLE);
        else
            s->free[s->n_free++] = slot;
    }
}
