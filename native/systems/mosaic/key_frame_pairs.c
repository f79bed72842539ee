/* Key frames of a chain, and the pairs with them (key_frame_pairs.h). */
#include "key_frame_pairs.h"

#include "base/memory.h"
#include "guided_pairs.h"

/* One frame in this many is registered against its key frame; the others lie between two that are. */
#define STRIDE 4
/* Distance from the chain's prediction, px, from which on a pair is wrong. */
#define ASTRAY 8

void key_frame_pairs_init(key_frame_pairs *p, mosaic_workspace *workspace, const frame_chain *chain, key_frames *keys) {
    *p = (key_frame_pairs){
        .workspace = workspace,
        .chain = chain,
        .keys = keys,
        .registers = workspace->options->solve,
        .key = -1,
    };
}

void key_frame_pairs_free(key_frame_pairs *p) {
    endo_free(p->waiting);
    p->waiting = NULL;
    p->n_waiting = 0;
    p->capacity = 0;
}

int key_frame_pairs_key(const key_frame_pairs *p) { return p->key < 0 ? -1 : p->keys->items[p->key].frame; }

/* ------------------------------------------------------------------ new key frames */

/* Reserves memory for one edge: a pair and two key frames. */
static endo_status reserve(key_frame_pairs *p) {
    ENDO_TRY(ARRAY_RESERVE(p->waiting, p->capacity, p->n_waiting + 1));
    return ARRAY_RESERVE(p->keys->items, p->keys->capacity, p->keys->n + 2);
}

static endo_mosaic_frame *record_of(const key_frame_pairs *p, int frame) { return frame_record(p->chain->records, frame); }

static endo_status set_key(key_frame_pairs *p, int frame) {
    endo_mosaic_frame *record = record_of(p, frame);
    ENDO_TRY(key_frames_add(p->keys, frame, p->chain->number, &record->pose, &p->key));
    record->key_frame = 1;
    return ENDO_OK;
}

/* Adds a key frame or a pair for an edge; key frames are the chain's first frame, and each one too far from the last. */
static endo_status follow(key_frame_pairs *p, const endo_mosaic_edge *edge) {
    if (p->key < 0) ENDO_TRY(set_key(p, edge->current == p->chain->first ? edge->current : edge->reference));
    p->keys->items[p->key].end = edge->current;
    if (!key_frames_is_beyond(p->keys, p->key, &record_of(p, edge->current)->pose)) return ENDO_OK;
    return set_key(p, edge->current);
}

static int is_wanted(const key_frame_pairs *p, const endo_mosaic_edge *edge) {
    if (p->key < 0 || !p->registers) return 0;
    int key = key_frame_pairs_key(p);
    return edge->reference != key && (edge->current - key) % STRIDE == 0;
}

static void add_waiting(key_frame_pairs *p, int frame) {
    const key_frame *key = &p->keys->items[p->key];
    p->waiting[p->n_waiting++] = (key_frame_pair){
        .key = key->frame,
        .frame = frame,
        .key_pose = key->pose,
        .pose = record_of(p, frame)->pose,
    };
}

endo_status key_frame_pairs_update(key_frame_pairs *p) {
    for (; p->seen < p->chain->edges.n; p->seen++) {
        const endo_mosaic_edge *edge = &p->chain->edges.items[p->seen];
        if (frame_chain_is_late(p->chain, edge)) continue;
        ENDO_TRY(reserve(p));
        if (is_wanted(p, edge)) add_waiting(p, edge->current);
        ENDO_TRY(follow(p, edge));
    }
    return ENDO_OK;
}

/* --------------------------------------------------------------------- registering */

static void say_unreadable(const key_frame_pairs *p, int frame) {
    events_say(p->workspace->events, ENDO_EVENT_LOG, ENDO_EVENT_UNREADABLE, frame, frame, "%s again",
               sequence_reason(p->workspace->sequence));
}

/* *slot = -1: the frame cannot be read. */
static endo_status ask(const key_frame_pairs *p, int frame, int *slot) {
    ENDO_TRY(frame_store_ask(p->workspace->store, frame, slot));
    if (*slot < 0) say_unreadable(p, frame);
    return ENDO_OK;
}

/* Adds a pair if both frames can be read and the chain gives it an initial transform. */
static endo_status add(const key_frame_pairs *p, const key_frame_pair *pair, guided_pairs *guided) {
    guided_pair item = {
        .reference = pair->key,
        .current = pair->frame,
        .start = pose_between(&pair->key_pose, &pair->pose),
    };
    if (!frame_is_shown(sequence_size(p->workspace->sequence), &item.start)) return ENDO_OK;
    ENDO_TRY(ask(p, pair->key, &item.reference_slot));
    if (item.reference_slot < 0) return ENDO_OK;
    ENDO_TRY(ask(p, pair->frame, &item.current_slot));
    return item.current_slot < 0 ? ENDO_OK : guided_pairs_add(guided, &item);
}

/* Adds as many of the waiting pairs as the store holds at once; *n: their number. */
static endo_status add_first(const key_frame_pairs *p, guided_pairs *guided, int *n) {
    for (*n = 0; *n < p->n_waiting; ++*n) {
        const key_frame_pair *pair = &p->waiting[*n];
        if (*n > 0 && !frame_store_can_hold(p->workspace->store, pair->key, pair->frame)) break;
        ENDO_TRY(add(p, pair, guided));
    }
    return ENDO_OK;
}

static endo_status register_pairs(const key_frame_pairs *p, const guided_pairs *guided, mosaic_edges *edges) {
    mosaic_workspace *w = p->workspace;
    endo_frames *frames = NULL;
    ENDO_TRY(frame_store_frames(w->store, &frames));
    return guided_pairs_near(guided, frames, &w->options->pairs, sequence_size(w->sequence), ASTRAY, edges);
}

static void remove_first(key_frame_pairs *p, int n) {
    p->n_waiting -= n;
    for (int i = 0; i < p->n_waiting; i++) p->waiting[i] = p->waiting[i + n];
}

endo_status key_frame_pairs_register(key_frame_pairs *p, const int *held, int n_held, mosaic_edges *edges) {
    while (p->n_waiting > 0) {
        guided_pairs guided = {.repeats_from = p->workspace->repeats_from, .layers = p->workspace->layers};
        int n = 0;
        endo_status status = add_first(p, &guided, &n);
        if (status == ENDO_OK) status = register_pairs(p, &guided, edges);
        guided_pairs_free(&guided);
        if (status != ENDO_OK) return status;
        remove_first(p, n);
        if (p->n_waiting > 0) frame_store_keep_only(p->workspace->store, held, n_held);
    }
    return ENDO_OK;
}
