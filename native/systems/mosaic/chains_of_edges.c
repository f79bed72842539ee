/* Chains that edges do not hold together are parted (chains_of_edges.h). */
#include "chains_of_edges.h"

#include "base/memory.h"
#include "geometry.h"

typedef struct edge_chains {
    endo_mosaic_frame *frames;
    int n;
    uint8_t *has_edge; /* one a frame */
    uint8_t *has_step; /* one a frame: the edge by which it joined its chain is there */
    uint8_t *begins;   /* one a frame: it becomes the first one of a chain */
    int *chain;        /* one a frame: its chain, as the edges leave it */
    int *number;       /* one a chain: its number among those with frames; -1: it has none */
    int chains;
} edge_chains;

static void edge_chains_free(edge_chains *c) {
    endo_free(c->has_edge);
    endo_free(c->has_step);
    endo_free(c->begins);
    endo_free(c->chain);
    endo_free(c->number);
}

/* Chains are as many as there were, and one a frame more at most. */
static endo_status edge_chains_make(endo_mosaic_frame *frames, int n, edge_chains *c) {
    int chains = 0;
    for (int i = 0; i < n; i++)
        if (frames[i].chain >= chains) chains = frames[i].chain + 1;
    *c = (edge_chains){
        .frames = frames,
        .n = n,
        .has_edge = endo_alloc_zeroed((size_t)n, sizeof *c->has_edge),
        .has_step = endo_alloc_zeroed((size_t)n, sizeof *c->has_step),
        .begins = endo_alloc_zeroed((size_t)n, sizeof *c->begins),
        .chain = endo_alloc((size_t)n, sizeof *c->chain),
        .number = endo_alloc((size_t)chains + (size_t)n, sizeof *c->number),
        .chains = chains,
    };
    if (c->has_edge && c->has_step && c->begins && c->chain && c->number) return ENDO_OK;
    edge_chains_free(c);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the chains of %d frames", n);
}

static void look_at_edges(edge_chains *c, const mosaic_edges *edges) {
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        c->has_edge[edge->reference] = 1;
        c->has_edge[edge->current] = 1;
        if (!edge->by_hand && c->frames[edge->current].reference == edge->reference) c->has_step[edge->current] = 1;
    }
}

/* Returns whether the frame joined its chain by an edge to an earlier one of it. */
static int has_joined(const edge_chains *c, int i) {
    const endo_mosaic_frame *frame = &c->frames[i];
    int before = frame->reference;
    return frame->registered && before >= 0 && before < i && c->frames[before].registered &&
           c->frames[before].chain == frame->chain;
}

/* Finds the chain of each frame. Returns whether the records differ from what the edges say. */
static int part(edge_chains *c) {
    int differs = 0;
    for (int i = 0; i < c->n; i++) {
        const endo_mosaic_frame *frame = &c->frames[i];
        int follows = has_joined(c, i) && c->has_step[i];
        c->begins[i] = frame->registered ? has_joined(c, i) && !follows : c->has_edge[i];
        c->chain[i] = c->begins[i] ? c->chains++ : follows ? c->chain[frame->reference] : frame->chain;
        differs |= c->begins[i] || (frame->registered && !c->has_edge[i]);
    }
    return differs;
}

/* Numbers the chains that have frames, in their order. */
static void number_chains(edge_chains *c) {
    int numbers = 0;
    for (int k = 0; k < c->chains; k++) c->number[k] = -1;
    for (int i = 0; i < c->n; i++)
        if (c->has_edge[i]) c->number[c->chain[i]] = 0;
    for (int k = 0; k < c->chains; k++)
        if (c->number[k] == 0) c->number[k] = numbers++;
}

/* Makes the frame the first one of its chain. */
static void begin_chain(endo_mosaic_frame *frame, int i) {
    mosaic_forget_pair(frame);
    frame->reference = i;
    if (frame->registered) return;
    frame->registered = 1;
    frame->status = ENDO_FRAME_OK;
    frame->order = i + 1;
    frame->pose = pose_identity;
}

static void take_off(endo_mosaic_frame *frame) {
    mosaic_forget_pair(frame);
    frame->registered = 0;
    frame->status = ENDO_FRAME_NOT_PLACED;
    frame->order = 0;
    frame->chain = 0;
}

/* Returns the number of frames that are taken off. */
static int change(edge_chains *c) {
    int off = 0;
    number_chains(c);
    for (int i = 0; i < c->n; i++) {
        endo_mosaic_frame *frame = &c->frames[i];
        if (c->has_edge[i]) {
            if (c->begins[i]) begin_chain(frame, i);
            frame->chain = c->number[c->chain[i]];
        } else if (frame->registered) {
            take_off(frame);
            off++;
        }
    }
    return off;
}

endo_status chains_of_edges(endo_mosaic_frame *frames, int n, const mosaic_edges *edges, int *not_placed) {
    edge_chains c;
    ENDO_TRY(edge_chains_make(frames, n, &c));
    look_at_edges(&c, edges);
    *not_placed = part(&c) ? change(&c) : 0;
    edge_chains_free(&c);
    return ENDO_OK;
}
