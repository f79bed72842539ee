/* The layers of a chain (scene_layers.h). */
#include "scene_layers_inside.h"

#include <string.h>

/* A layer whose cells move like the pair in this share goes with it; in less than the other share it does not. */
#define GOES 0.5
#define STAYS 0.25
/* One motion lies between two where so few cells go with it, over those that showed the two before. */
#define MIXED 0.3
/* Cells in which a layer is searched for, at least; and what is known of its motion then, px. */
#define LEAST_SEARCHED 8
#define MOST_DEVIATION 1
/* Motions that lie no further apart than this, px, are one. */
#define TOGETHER 1
/* Borders are compared where the layers have moved against each other by this share of a cell. */
#define MOVED 0.7
/* A view so many pairs ago tells whether the layers hardly move against each other. */
#define OLD 6

endo_status scene_layers_create(mosaic_size size, scene_layers **out) {
    scene_layers *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for the motions of a sequence");
    s->size = size;
    scene_layers_begin(s);
    *out = s;
    return ENDO_OK;
}

void scene_layers_destroy(scene_layers **layers) {
    scene_layers *s = *layers;
    *layers = NULL;
    if (!s) return;
    endo_free(s->stretches);
    endo_free(s->edges);
    endo_free(s->frames);
    endo_free(s);
}

void scene_layers_begin(scene_layers *s) {
    s->now = -1;
    s->active = 0;
    s->n_views = 0;
    s->pending = -1;
    s->told_frame = -1;
}

/* ---------------------------------------------------------------------------- cells */

void scene_layers_middle(const scene_layers *s, int cell, double *x, double *y) {
    *x = (cell % s->columns + 0.5) * s->size.width / s->columns - 0.5;
    *y = (cell / s->columns + 0.5) * s->size.height / s->rows - 0.5;
}

int scene_layers_cell(const scene_layers *s, double x, double y) {
    double column = (x + 0.5) * s->columns / s->size.width;
    double row = (y + 0.5) * s->rows / s->size.height;
    if (!(column >= 0 && column < s->columns && row >= 0 && row < s->rows)) return -1;
    return (int)row * s->columns + (int)column;
}

/* The layer at a position, px; none outside of the frame. */
static int layer_at(const scene_layers *s, const layer_view *view, double x, double y) {
    int cell = scene_layers_cell(s, x, y);
    return cell < 0 ? LAYER_NONE : view->cells[cell];
}

int scene_layers_invert(const endo_transform *t, endo_transform *out) {
    *out = pose_inverse(t);
    return pose_is_invertible(t);
}

/* The layer of a view that lies at a position of the latest frame, if it moved as `moved` did. */
static int layer_before(const scene_layers *s, const layer_view *view, const endo_transform back[LAYERS], int moved, double x,
                        double y) {
    return layer_at(s, view, pose_x(&back[moved], x, y), pose_y(&back[moved], x, y));
}

/* Where each layer was; 0: that is not known of both. */
static int ways_back(const layer_view *view, endo_transform back[LAYERS]) {
    for (int layer = LAYER_ONE; layer < LAYERS; layer++)
        if (!view->is_known[layer] || !scene_layers_invert(&view->to_now[layer], &back[layer])) return 0;
    return 1;
}

/* ---------------------------------------------------------------------- recognition */

/* What the view before lets expect of each cell. */
static void expect(const scene_layers *s, uint8_t expected[ENDO_LAYER_CELLS]) {
    const layer_view *view = &s->views[s->n_views - 1];
    endo_transform back[LAYERS];
    int known[LAYERS] = {0};
    for (int layer = LAYER_ONE; layer < LAYERS; layer++)
        known[layer] = view->is_known[layer] && scene_layers_invert(&view->to_now[layer], &back[layer]);
    for (int c = 0; c < s->columns * s->rows; c++) {
        double x, y;
        int found = LAYER_NONE;
        scene_layers_middle(s, c, &x, &y);
        for (int layer = LAYER_ONE; layer < LAYERS; layer++) {
            if (!known[layer] || layer_before(s, view, back, layer, x, y) != layer) continue;
            found = found == LAYER_NONE ? layer : LAYERS;
        }
        expected[c] = found == LAYERS ? LAYER_NONE : (uint8_t)found;
    }
}

/* Which layer the first motion of a pair is: by where it is seen; LAYER_NONE: nobody knows. */
static int recognize_two(const scene_layers *s, const endo_pair_layers *layers) {
    uint8_t expected[ENDO_LAYER_CELLS];
    double same = 0, swapped = 0;
    expect(s, expected);
    for (int c = 0; c < s->columns * s->rows; c++) {
        if (!expected[c] || !layers->cells[c]) continue;
        if (expected[c] == layers->cells[c])
            same++;
        else
            swapped++;
    }
    if (same >= KNOWN_AGAIN * swapped && same >= FEW_CELLS) return LAYER_ONE;
    if (swapped >= KNOWN_AGAIN * same && swapped >= FEW_CELLS) return LAYER_OTHER;
    return LAYER_NONE;
}

/* Which layers go with the one motion of a pair. */
static void recognize_one(const scene_layers *s, const endo_pair_layers *layers, int goes[LAYERS], int stays[LAYERS]) {
    uint8_t expected[ENDO_LAYER_CELLS];
    double cells[LAYERS] = {0}, with[LAYERS] = {0};
    expect(s, expected);
    for (int c = 0; c < s->columns * s->rows; c++) {
        cells[expected[c]]++;
        with[expected[c]] += layers->cells[c] == 1;
    }
    for (int layer = LAYER_ONE; layer < LAYERS; layer++) {
        goes[layer] = cells[layer] >= FEW_CELLS && with[layer] >= GOES * cells[layer];
        stays[layer] = cells[layer] < FEW_CELLS || with[layer] <= STAYS * cells[layer];
    }
}

int scene_layers_goes_on(const scene_layers *s, const pair_match *match) { return s->active && match->reference == s->now; }

int scene_layers_misses(const scene_layers *s, const pair_match *match, endo_pair_layers *expected, endo_transform *start) {
    int goes[LAYERS], stays[LAYERS];
    if (!scene_layers_goes_on(s, match) || match->layers.count != 1) return 0;
    recognize_one(s, &match->layers, goes, stays);
    if (goes[LAYER_ONE] == goes[LAYER_OTHER]) return 0;
    int missing = goes[LAYER_ONE] ? LAYER_OTHER : LAYER_ONE;
    const layer_view *view = &s->views[s->n_views - 1];
    int cells = 0;
    if (!view->is_known[missing] || !scene_layers_invert(&view->to_now[missing], start)) return 0;
    *expected = match->layers;
    expect(s, expected->cells);
    for (int c = 0; c < s->columns * s->rows; c++) {
        int layer = expected->cells[c];
        expected->cells[c] = layer == LAYER_NONE ? 0 : layer == missing ? 2 : 1;
        cells += layer == missing;
    }
    return cells >= LEAST_SEARCHED;
}

void scene_layers_complete(const scene_layers *s, const endo_pair_layers *expected, const endo_pair_result *found,
                           pair_match *match) {
    if (found->status == ENDO_PAIR_JUMP || !(found->deviation <= MOST_DEVIATION)) return;
    if (frame_corner_distance(s->size, &found->transform, &match->transform) < TOGETHER) {
        for (int c = 0; c < s->columns * s->rows; c++) match->layers.cells[c] = expected->cells[c] != 0;
        return;
    }
    match->layers = *expected;
    match->layers.count = 2;
    match->layers.second = *found;
}

/* ------------------------------------------------------------------------- evidence */

/* How far the layers have moved against each other since a view, px: root mean square over the frame. */
static double moved_apart(const scene_layers *s, const layer_view *view) {
    return frame_distance(s->size, &view->to_now[LAYER_ONE], &view->to_now[LAYER_OTHER]);
}

/* A border goes with the layer in front: of each earlier view, cells at which the two layers would be seen differently. */
static void compare_borders(const scene_layers *s, const layer_view *now, layer_evidence *evidence) {
    double cell = (double)s->size.width / s->columns;
    for (int i = 0; i < s->n_views; i++) {
        const layer_view *view = &s->views[i];
        endo_transform back[LAYERS];
        if (!ways_back(view, back)) continue;
        int is_together = moved_apart(s, view) < MOVED * cell;
        evidence->together += is_together && i + OLD <= s->n_views;
        evidence->apart += !is_together;
        for (int c = 0; c < s->columns * s->rows; c++) {
            double x, y;
            scene_layers_middle(s, c, &x, &y);
            double u = pose_x(&back[LAYER_ONE], x, y);
            double v = pose_y(&back[LAYER_ONE], x, y);
            double p = pose_x(&back[LAYER_OTHER], x, y);
            double q = pose_y(&back[LAYER_OTHER], x, y);
            if (!now->cells[c] || !(length_of(u - p, v - q) >= MOVED * cell)) continue;
            int one = layer_at(s, view, u, v);
            int other = layer_at(s, view, p, q);
            if (!one || !other || one == other) continue;
            evidence->in_front[now->cells[c] == one ? LAYER_ONE : LAYER_OTHER]++;
        }
    }
}

/* -------------------------------------------------------------------------- choosing */

/* Another motion may be the scene's. */
static void make_torn(pair_match *match) {
    match->is_torn = 1;
    if (match->status == ENDO_FRAME_OK) match->status = ENDO_FRAME_FEW_LANDMARKS;
    if (match->result.status == ENDO_PAIR_OK) match->result.status = ENDO_PAIR_FEW_LANDMARKS;
}

static void make_doubtful(pair_match *match) {
    if (match->status == ENDO_FRAME_OK) match->status = ENDO_FRAME_FEW_LANDMARKS;
    if (match->result.status == ENDO_PAIR_OK) match->result.status = ENDO_PAIR_FEW_LANDMARKS;
}

/* The second motion in the place of the first. */
static void take_second(pair_match *match) {
    const endo_pair_result *second = &match->layers.second;
    match->transform = second->transform;
    match->status = second->status;
    match->result.transform = second->transform;
    match->result.deviation = second->deviation;
    match->result.status = second->status;
    match->result.perspective_deviation = second->perspective_deviation;
    match->result.lens_deviation = second->lens_deviation;
    memcpy(match->result.perspective, second->perspective, sizeof second->perspective);
    match->result.lens = second->lens;
    match->moving = 1;
}

/* What the displacements of both motions, in the middle of the frame, have in common. */
static void compare_displacements(const scene_layers *s, const endo_transform *one, const endo_transform *other,
                                  layer_evidence *e) {
    double x = (s->size.width - 1) / 2.0;
    double y = (s->size.height - 1) / 2.0;
    double u = pose_x(one, x, y) - x;
    double v = pose_y(one, x, y) - y;
    double p = pose_x(other, x, y) - x;
    double q = pose_y(other, x, y) - y;
    e->product = u * p + v * q;
    e->squares[LAYER_ONE] = u * u + v * v;
    e->squares[LAYER_OTHER] = p * p + q * q;
}

static void choose_of_two(scene_layers *s, int frame, pair_match *match) {
    const layer_evidence none = {.seen = {0}, .in_front = {0}, .pairs = 0, .together = 0, .apart = 0, .told = 0};
    int first = s->pending_anew ? LAYER_ONE : recognize_two(s, &match->layers);
    if (first == LAYER_NONE) {
        s->pending_anew = 1;
        first = LAYER_ONE;
    }
    int other = LAYERS - first;
    s->pending_evidence.pairs = 1;
    pair_match second = *match;
    for (int c = 0; c < s->columns * s->rows; c++) {
        int label = match->layers.cells[c];
        int layer = label == 1 ? first : label == 2 ? other : LAYER_NONE;
        s->pending_view.cells[c] = (uint8_t)layer;
        s->pending_evidence.seen[layer]++;
    }
    if (!s->pending_anew) compare_borders(s, &s->pending_view, &s->pending_evidence);
    compare_displacements(s, first == LAYER_ONE ? &match->transform : &match->layers.second.transform,
                          first == LAYER_ONE ? &match->layers.second.transform : &match->transform, &s->pending_evidence);
    layer_evidence all = layer_evidence_sum(s->pending_anew ? &none : &s->stretches[s->n_stretches - 1], &s->pending_evidence);
    take_second(&second);
    for (int layer = LAYER_ONE; layer < LAYERS; layer++) {
        const endo_transform *moves = layer == first ? &match->transform : &second.transform;
        s->pending_view.is_known[layer] = scene_layers_invert(moves, &s->pending_view.to_now[layer]);
    }
    int scene = layer_evidence_scene(&all);
    pair_match chosen = scene == other ? second : *match;
    pair_match left = scene == other ? *match : second;
    s->pending_layer = scene == other ? other : first;
    s->pending_has_other = 1;
    s->pending_edge.taken = pair_match_edge(&chosen, frame);
    s->pending_edge.other = pair_match_edge(&left, frame);
    if (scene == LAYER_NONE) make_doubtful(&chosen);
    chosen.is_torn |= scene == LAYER_NONE && !layer_evidence_is_larger(&all, LAYER_LARGER);
    *match = chosen;
}

/* Hardly anything goes with the one motion of a pair where the frame before showed two: it lies between them. */
static int is_mixed(const scene_layers *s, const endo_pair_layers *layers) {
    const layer_view *view = &s->views[s->n_views - 1];
    double with = 0;
    double known = 0;
    for (int c = 0; c < s->columns * s->rows; c++) {
        with += layers->cells[c] == 1;
        known += view->cells[c] != LAYER_NONE;
    }
    return with < MIXED * known;
}

/* Without the layer of the scene the motion may be far off. */
static void doubt_one(pair_match *match, int scene, const int goes[LAYERS]) {
    if (scene != LAYER_NONE && !goes[scene])
        make_torn(match);
    else
        make_doubtful(match);
}

/* Nothing is lost where both layers, or that of the scene, go with the one motion that there is. */
static void choose_of_one(scene_layers *s, pair_match *match) {
    int goes[LAYERS], stays[LAYERS];
    if (!s->active || s->pending_anew) return;
    if (layer_evidence_is_depth(&s->stretches[s->n_stretches - 1])) {
        s->pending = -1;
        return;
    }
    recognize_one(s, &match->layers, goes, stays);
    int scene = layer_evidence_scene(&s->stretches[s->n_stretches - 1]);
    s->pending_is_mixed = is_mixed(s, &match->layers);
    if (s->pending_is_mixed && s->stretches[s->n_stretches - 1].pairs >= LAYERS_ESTABLISHED) make_torn(match);
    int is_clear = (goes[LAYER_ONE] && (goes[LAYER_OTHER] || stays[LAYER_OTHER])) || (goes[LAYER_OTHER] && stays[LAYER_ONE]);
    if (s->stretches[s->n_stretches - 1].pairs < LAYERS_ESTABLISHED) {
        s->pending_anew = !is_clear;
        if (!is_clear) return;
    }
    if (!is_clear) {
        s->pending_anew = 1;
        doubt_one(match, scene, goes);
        return;
    }
    expect(s, s->pending_view.cells);
    for (int layer = LAYER_ONE; layer < LAYERS; layer++)
        s->pending_view.is_known[layer] = goes[layer] && scene_layers_invert(&match->transform, &s->pending_view.to_now[layer]);
    if (s->stretches[s->n_stretches - 1].pairs < LAYERS_ESTABLISHED) return;
    if (scene == LAYER_NONE ? !(goes[LAYER_ONE] && goes[LAYER_OTHER]) : !goes[scene]) doubt_one(match, scene, goes);
}

void scene_layers_choose(scene_layers *s, int frame, pair_match *match) {
    const endo_pair_layers *layers = &match->layers;
    s->pending = -1;
    s->told = *layers;
    s->told_reference = match->reference;
    s->told_frame = layers->count < 1 ? -1 : frame;
    if (layers->count < 1) return;
    s->columns = layers->columns;
    s->rows = layers->rows;
    if (layers->count == 1 && !s->active) return;
    s->pending = frame;
    s->pending_anew = !s->active || match->reference != s->now;
    s->pending_has_other = 0;
    s->pending_is_mixed = 0;
    s->pending_layer = LAYER_NONE;
    memset(&s->pending_view, 0, sizeof s->pending_view);
    memset(&s->pending_evidence, 0, sizeof s->pending_evidence);
    if (layers->count == 2)
        choose_of_two(s, frame, match);
    else
        choose_of_one(s, match);
}

/* --------------------------------------------------------------------------- keeping */

static endo_status reserve(scene_layers *s) {
    ENDO_TRY(ARRAY_RESERVE(s->stretches, s->stretches_capacity, s->n_stretches + 1));
    return ARRAY_RESERVE(s->edges, s->edges_capacity, s->n_edges + 1);
}

/* Earlier views are as far behind as the pair moves. */
static void move_views(scene_layers *s, const layer_view *step) {
    for (int i = 0; i < s->n_views; i++)
        for (int layer = LAYER_ONE; layer < LAYERS; layer++) {
            layer_view *view = &s->views[i];
            view->is_known[layer] = view->is_known[layer] && step->is_known[layer];
            if (view->is_known[layer]) view->to_now[layer] = pose_times(&step->to_now[layer], &view->to_now[layer]);
        }
}

static void add_view(scene_layers *s) {
    move_views(s, &s->pending_view);
    if (s->n_views == LAYER_VIEWS) memmove(s->views, s->views + 1, (size_t)--s->n_views * sizeof *s->views);
    s->views[s->n_views++] = s->pending_view;
}

/* Notes what the reference of the pair shows. MEMORY alone. */
static endo_status note_frame(scene_layers *s, int frame, const uint8_t *cells, int stretch) {
    ENDO_TRY(ARRAY_RESERVE(s->frames, s->frames_capacity, frame + 1));
    for (; s->n_frames <= frame; s->n_frames++) s->frames[s->n_frames] = (frame_layers){.stretch = FRAME_UNKNOWN};
    s->frames[frame].stretch = stretch;
    s->frames[frame].is_mixed = s->pending_is_mixed || (stretch >= 0 && s->pending_has_other);
    memcpy(s->frames[frame].cells, cells, sizeof s->frames[frame].cells);
    return ENDO_OK;
}

endo_status scene_layers_keep(scene_layers *s, int frame) {
    int is_told = s->told_frame == frame;
    if (s->pending != frame || (s->pending_anew && !s->pending_has_other)) {
        if (is_told) ENDO_TRY(note_frame(s, s->told_reference, s->told.cells, FRAME_ALONE));
        scene_layers_begin(s);
        s->now = frame;
        return ENDO_OK;
    }
    ENDO_TRY(reserve(s));
    if (s->pending_anew) {
        s->n_views = 0;
        s->stretches[s->n_stretches++] = (layer_evidence){.told = LAYER_NONE};
    }
    if (is_told) ENDO_TRY(note_frame(s, s->told_reference, s->pending_view.cells, s->n_stretches - 1));
    layer_evidence *stretch = &s->stretches[s->n_stretches - 1];
    *stretch = layer_evidence_sum(stretch, &s->pending_evidence);
    add_view(s);
    if (s->pending_has_other) {
        s->pending_edge.layer = s->pending_layer;
        s->pending_edge.stretch = s->n_stretches - 1;
        s->edges[s->n_edges++] = s->pending_edge;
    }
    s->active = 1;
    s->now = frame;
    s->pending = -1;
    return ENDO_OK;
}

/* -------------------------------------------------------------------- later pairs */

/* Whether a cell of a frame shows the scene: MOTION_SCENE; what moves before it: MOTION_OTHER; or MOTION_UNKNOWN. */
static int cell_of(const scene_layers *s, const frame_layers *f, int cell) {
    if (f->stretch == FRAME_UNKNOWN || !f->cells[cell]) return MOTION_UNKNOWN;
    if (f->stretch == FRAME_ALONE) return f->follows;
    int scene = layer_evidence_scene(&s->stretches[f->stretch]);
    if (scene == LAYER_NONE) return MOTION_UNKNOWN;
    return f->cells[cell] == scene ? MOTION_SCENE : MOTION_OTHER;
}

int scene_layers_any(const scene_layers *layers) { return layers && layers->n_stretches > 0; }

int scene_layers_hides(const scene_layers *layers, int frame) {
    if (!layers || frame >= layers->n_frames) return 0;
    const frame_layers *f = &layers->frames[frame];
    if (f->stretch < 0) return f->stretch == FRAME_ALONE && (f->is_mixed || f->follows == MOTION_OTHER);
    const layer_evidence *stretch = &layers->stretches[f->stretch];
    return !layer_evidence_is_depth(stretch) && (f->is_mixed || layer_evidence_scene(stretch) != LAYER_NONE);
}

int scene_layers_motion(const scene_layers *s, int reference, const endo_pair_layers *layers) {
    double seen[3] = {0};
    double with[3][3] = {{0}}; /* what the cell shows, and the motion that goes with it */
    if (layers->count < 1 || reference >= s->n_frames) return MOTION_UNKNOWN;
    for (int c = 0; c < s->columns * s->rows; c++) {
        int shows = cell_of(s, &s->frames[reference], c);
        seen[shows]++;
        with[shows][layers->cells[c]]++;
    }
    if (seen[MOTION_OTHER] < FEW_CELLS) return layers->count == 1 && seen[MOTION_SCENE] >= FEW_CELLS ? MOTION_SCENE : MOTION_UNKNOWN;
    if (layers->count == 1) {
        double scene = seen[MOTION_SCENE] < FEW_CELLS ? GOES : with[MOTION_SCENE][1] / seen[MOTION_SCENE];
        double other = with[MOTION_OTHER][1] / seen[MOTION_OTHER];
        return scene >= other ? MOTION_SCENE : MOTION_NONE;
    }
    double first = with[MOTION_SCENE][1] + with[MOTION_OTHER][2];
    double second = with[MOTION_SCENE][2] + with[MOTION_OTHER][1];
    if (first >= FEW_CELLS && first >= KNOWN_AGAIN * second) return MOTION_SCENE;
    if (second >= FEW_CELLS && second >= KNOWN_AGAIN * first) return MOTION_OTHER;
    return MOTION_NONE;
}
