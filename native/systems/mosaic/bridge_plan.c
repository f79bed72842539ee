/* Over tissue that moves against itself frames may not agree with their key frame, and the error of one edge of neighbours
 * would stay in all frames after it. Frames that agree with key frames get no more edges; nor do precise neighbours, to which
 * frames further away, seen from elsewhere, would add the tissue's own motion (bridge_plan.h). */
#include "bridge_plan.h"

#include "base/memory.h"

/* Least length of a run of edges of neighbours that no other edge spans; one frame in four is registered with its key frame. */
#define LEAST 4
/* Least deviation of an edge of neighbours that is bridged, px: half of what a sure edge may have. */
#define WEAK 0.175
/* Edges of neighbours that a bridge spans, at least and at most. */
#define SHORTEST 2
#define LONGEST 3

typedef struct bridges {
    const endo_mosaic_frame *frames;
    int n;
    uint8_t *spanned; /* one a frame: a longer edge spans the step from its reference to it */
    uint8_t *weak;    /* one a frame: the edge to its reference says too little of its pose */
    uint8_t *is_long; /* one a frame: its step is in a long run */
    int *run;         /* one a frame: length of the run of steps up to it that nothing spans; 0 in runs that are too short */
} bridges;

/* The reference of a frame in its chain; -1: none. */
static int before(const bridges *b, int frame) {
    const endo_mosaic_frame *f = &b->frames[frame];
    return f->registered && f->reference >= 0 && f->reference < frame ? f->reference : -1;
}

/* Marks all steps between the frames of the edge, if the chain connects them. */
static void span(bridges *b, const endo_mosaic_edge *edge) {
    int end = edge->current;
    while (end > edge->reference) end = before(b, end);
    for (int frame = edge->current; end == edge->reference && frame > end; frame = before(b, frame)) b->spanned[frame] = 1;
}

static void look_at(bridges *b, const mosaic_edges *edges) {
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        if (before(b, edge->current) == edge->reference)
            b->weak[edge->current] = edge->doubtful || edge->deviation >= WEAK;
        else
            span(b, edge);
    }
}

static void find_runs(bridges *b) {
    for (int frame = 0; frame < b->n; frame++) {
        int reference = before(b, frame);
        b->run[frame] = reference < 0 || b->spanned[frame] ? 0 : b->run[reference] + 1;
        if (b->run[frame] < LEAST) continue;
        for (int at = frame; b->run[at] > 0 && !b->is_long[at]; at = before(b, at)) b->is_long[at] = 1;
    }
    for (int frame = 0; frame < b->n; frame++)
        if (!b->is_long[frame]) b->run[frame] = 0;
}

static endo_status add_pair(frame_pairs *pairs, int reference, int current) {
    ENDO_TRY(ARRAY_RESERVE(pairs->items, pairs->capacity, pairs->n + 1));
    pairs->items[pairs->n][0] = reference;
    pairs->items[pairs->n][1] = current;
    pairs->n++;
    return ENDO_OK;
}

static endo_status add_bridges(const bridges *b, int frame, frame_pairs *pairs) {
    int reference = frame;
    int is_weak = 0;
    for (int steps = 1; steps <= b->run[frame] && steps <= LONGEST; steps++) {
        is_weak |= b->weak[reference];
        reference = before(b, reference);
        if (is_weak && steps >= SHORTEST) ENDO_TRY(add_pair(pairs, reference, frame));
    }
    return ENDO_OK;
}

static endo_status plan(bridges *b, const mosaic_edges *edges, frame_pairs *pairs) {
    if (!b->spanned || !b->weak || !b->is_long || !b->run)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the bridges of %d frames", b->n);
    look_at(b, edges);
    find_runs(b);
    for (int frame = 0; frame < b->n; frame++) ENDO_TRY(add_bridges(b, frame, pairs));
    return ENDO_OK;
}

endo_status bridge_plan(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, frame_pairs *out) {
    size_t count = (size_t)n;
    frame_pairs pairs = {.items = NULL};
    bridges b = {
        .frames = frames,
        .n = n,
        .spanned = endo_alloc_zeroed(count, sizeof *b.spanned),
        .weak = endo_alloc_zeroed(count, sizeof *b.weak),
        .is_long = endo_alloc_zeroed(count, sizeof *b.is_long),
        .run = endo_alloc_zeroed(count, sizeof *b.run),
    };
    endo_status status = plan(&b, edges, &pairs);
    endo_free(b.spanned);
    endo_free(b.weak);
    endo_free(b.is_long);
    endo_free(b.run);
    if (status == ENDO_OK)
        *out = pairs;
    else
        frame_pairs_free(&pairs);
    return status;
}

void frame_pairs_free(frame_pairs *pairs) {
    endo_free(pairs->items);
    *pairs = (frame_pairs){.items = NULL};
}
