/* When the chains are done, every pair with two motions gets the one that its whole stretch says is the scene's
 * (scene_layers.h). */
#include "scene_layers_inside.h"

/* steps[i]: index of the edge by which frame i joined its chain; -1: there is none. */
static void find_steps(const frame_records *records, const mosaic_edges *edges, int *steps) {
    for (int i = 0; i < records->n; i++) steps[i] = -1;
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        if (records->items[edge->current].reference == edge->reference) steps[edge->current] = i;
    }
}

/* Frames after one another, each from the one that it was registered against. */
static void chain_again(frame_records *records, const mosaic_edges *edges, const int *steps) {
    for (int i = 0; i < records->n; i++) {
        endo_mosaic_frame *frame = &records->items[i];
        int before = frame->reference;
        if (steps[i] < 0 || !frame->registered || before >= i || records->items[before].chain != frame->chain) continue;
        frame->pose = pose_times(&records->items[before].pose, &edges->items[steps[i]].transform);
    }
}

/* changes[i]: how many edges up to frame i follow another motion now. */
static void drop_across(const frame_records *records, const int *changes, mosaic_edges *edges) {
    int n = 0;
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        int is_step = records->items[edge->current].reference == edge->reference;
        int low = edge->reference < edge->current ? edge->reference : edge->current;
        int high = edge->reference + edge->current - low;
        if (is_step || changes[low] == changes[high]) edges->items[n++] = *edge;
    }
    edges->n = n;
}

/* Sets the status of a registered frame by whether the edge by which it joined its chain is doubtful. */
static void tell(endo_mosaic_frame *record, const endo_mosaic_edge *edge) {
    if (record->registered) record->status = edge->doubtful ? ENDO_FRAME_FEW_LANDMARKS : ENDO_FRAME_OK;
}

static void say(const scene_layers *s, mosaic_events *events) {
    char range[MOSAIC_RANGE];
    for (int i = 0, next; i < s->n_edges; i = next) {
        int stretch = s->edges[i].stretch;
        int scene = layer_evidence_scene(&s->stretches[stretch]);
        for (next = i; next < s->n_edges && s->edges[next].stretch == stretch;) next++;
        int first = s->edges[i].taken.reference;
        int last = s->edges[next - 1].taken.current;
        if (scene == LAYER_NONE)
            events_say(events, ENDO_EVENT_LOST, ENDO_EVENT_LAYERS, first, last,
                       "%s: two motions, of an instrument and the scene perhaps, and neither is clearly the scene's; doubtful",
                       mosaic_range(events->numbers, first, last, range));
        else if (layer_evidence_is_depth(&s->stretches[stretch]))
            events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_LAYERS, first, last,
                       "%s: near and far parts of the scene move apart; registered by the larger part",
                       mosaic_range(events->numbers, first, last, range));
        else
            events_say(events, ENDO_EVENT_LOG, ENDO_EVENT_LAYERS, first, last,
                       "%s: something moves before the scene; registered by the scene alone",
                       mosaic_range(events->numbers, first, last, range));
    }
}

/* Cells of a reference that go with a motion, by what the current frame shows where they land: its cells' own numbers. */
static void land(const scene_layers *s, const uint8_t *cells, int goes_with, const endo_transform *transform,
                 const frame_layers *current, double lands[LAYERS]) {
    endo_transform forward;
    for (int layer = LAYER_NONE; layer < LAYERS; layer++) lands[layer] = 0;
    if (current->stretch == FRAME_UNKNOWN || !scene_layers_invert(transform, &forward)) return;
    for (int c = 0; c < s->columns * s->rows; c++) {
        double x, y;
        if (cells[c] != goes_with) continue;
        scene_layers_middle(s, c, &x, &y);
        int at = scene_layers_cell(s, pose_x(&forward, x, y), pose_y(&forward, x, y));
        if (at >= 0) lands[current->cells[at]]++;
    }
}

/* Which of two is counted clearly more often; 0: neither is. */
static int clearly_more(double one, double other) {
    if (one >= FEW_CELLS && one >= KNOWN_AGAIN * other) return 1;
    if (other >= FEW_CELLS && other >= KNOWN_AGAIN * one) return 2;
    return 0;
}

/* Returns whether a motion of a pair is the scene's or the other layer's, by what the pair's current frame shows where the
 * cells of that motion land; MOTION_UNKNOWN where that does not tell. */
static int follows_of(const scene_layers *s, const uint8_t *cells, int goes_with, const endo_transform *transform,
                      const frame_layers *current) {
    double lands[LAYERS];
    land(s, cells, goes_with, transform, current, lands);
    if (current->stretch == FRAME_ALONE) return lands[1] >= FEW_CELLS ? current->follows : MOTION_UNKNOWN;
    if (current->stretch < 0) return MOTION_UNKNOWN;
    int scene = layer_evidence_scene(&s->stretches[current->stretch]);
    if (scene == LAYER_NONE) return MOTION_UNKNOWN;
    return clearly_more(lands[scene], lands[LAYERS - scene]); /* MOTION_SCENE, MOTION_OTHER */
}

/* The pair with two motions that ends at a frame; NULL: there is none. */
static const layered_edge *layered_at(const scene_layers *s, int current) {
    for (int i = 0; i < s->n_edges; i++)
        if (s->edges[i].taken.current == current) return &s->edges[i];
    return NULL;
}

/* Of a stretch that does not know its scene, by the pair that leads from its last frame to one that does. */
static void learn_from_later(scene_layers *s, int frame) {
    const layered_edge *pair = layered_at(s, frame);
    if (!pair || s->frames[frame].stretch == pair->stretch) return;
    if (layer_evidence_scene(&s->stretches[pair->stretch]) != LAYER_NONE) return;
    const frame_layers *reference = &s->frames[pair->taken.reference];
    int taken = follows_of(s, reference->cells, pair->layer, &pair->taken.transform, &s->frames[frame]);
    int other = follows_of(s, reference->cells, LAYERS - pair->layer, &pair->other.transform, &s->frames[frame]);
    if (taken == other) return;
    if (taken == MOTION_SCENE || other == MOTION_OTHER) s->stretches[pair->stretch].told = pair->layer;
    if (taken == MOTION_OTHER || other == MOTION_SCENE) s->stretches[pair->stretch].told = LAYERS - pair->layer;
}

/* Pairs before those that know their scene, backwards. */
static void learn_backwards(scene_layers *s, const mosaic_edges *edges, const int *steps) {
    for (int i = s->n_frames - 1; i > 0; i--) {
        const endo_mosaic_edge *edge = steps[i] < 0 ? NULL : &edges->items[steps[i]];
        if (!edge || edge->reference >= i) continue;
        frame_layers *reference = &s->frames[edge->reference];
        if (reference->stretch == FRAME_ALONE)
            reference->follows = follows_of(s, reference->cells, 1, &edge->transform, &s->frames[i]);
        else
            learn_from_later(s, i);
    }
}

/* Of a stretch that does not know its scene, by the pair that leads to its first frame. */
static void learn_from_earlier(scene_layers *s, int frame, const uint8_t *cells, int scene, const endo_transform *transform) {
    double lands[LAYERS];
    land(s, cells, scene, transform, &s->frames[frame], lands);
    int layer = clearly_more(lands[LAYER_ONE], lands[LAYER_OTHER]);
    if (layer == LAYER_NONE) return;
    s->stretches[s->frames[frame].stretch].told = layer;
}

/* Pairs after those that know their scene. */
static void learn_forwards(scene_layers *s) {
    for (int i = 1; i < s->n_frames; i++) {
        const layered_edge *pair = layered_at(s, i);
        if (!pair || s->frames[i].stretch < 0 || s->frames[i].stretch == pair->stretch) continue;
        int scene = layer_evidence_scene(&s->stretches[pair->stretch]);
        if (scene == LAYER_NONE || layer_evidence_scene(&s->stretches[s->frames[i].stretch]) != LAYER_NONE) continue;
        const endo_mosaic_edge *of_scene = scene == pair->layer ? &pair->taken : &pair->other;
        learn_from_earlier(s, i, s->frames[pair->taken.reference].cells, scene, &of_scene->transform);
    }
}

/* Pairs whose one motion followed what moves before the scene are torn. */
static void tear_others(const scene_layers *s, frame_records *records, mosaic_edges *edges, const int *steps, int *changes) {
    for (int i = 1; i < s->n_frames; i++) {
        endo_mosaic_edge *edge = steps[i] < 0 ? NULL : &edges->items[steps[i]];
        if (!edge || edge->reference >= i) continue;
        const frame_layers *reference = &s->frames[edge->reference];
        if (reference->stretch != FRAME_ALONE || reference->follows != MOTION_OTHER) continue;
        edge->doubtful = EDGE_TORN;
        changes[i]++;
        tell(&records->items[i], edge);
    }
}

endo_status scene_layers_settle(scene_layers *s, frame_records *records, mosaic_edges *edges, mosaic_events *events) {
    int *steps = endo_alloc((size_t)records->n + 1, sizeof *steps);
    int *changes = endo_alloc_zeroed((size_t)records->n + 1, sizeof *changes);
    int changed = 0;
    if (!steps || !changes) {
        endo_free(steps);
        endo_free(changes);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of %d frames", records->n);
    }
    find_steps(records, edges, steps);
    learn_backwards(s, edges, steps);
    learn_forwards(s);
    for (int i = 0; i < s->n_edges; i++) {
        const layered_edge *known = &s->edges[i];
        int scene = layer_evidence_scene(&s->stretches[known->stretch]);
        int at = steps[known->taken.current];
        int changes_now = scene != LAYER_NONE && scene != known->layer;
        if (at < 0 || edges->items[at].reference != known->taken.reference) continue;
        edges->items[at] = changes_now ? known->other : known->taken;
        int is_likely = layer_evidence_is_larger(&s->stretches[known->stretch], LAYER_LARGER);
        if (scene == LAYER_NONE) edges->items[at].doubtful = is_likely ? 1 : EDGE_TORN;
        tell(&records->items[known->taken.current], &edges->items[at]);
        changes[known->taken.current] += changes_now;
        changed |= changes_now;
    }
    tear_others(s, records, edges, steps, changes);
    for (int i = 1; i < records->n; i++) changes[i] += changes[i - 1];
    if (changed) chain_again(records, edges, steps);
    drop_across(records, changes, edges);
    say(s, events);
    scene_layers_mark(s, records);
    s->n_edges = 0;
    endo_free(steps);
    endo_free(changes);
    return ENDO_OK;
}
