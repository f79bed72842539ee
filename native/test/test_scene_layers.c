/* Which of two motions is the scene's: over made-up pairs of a layer in front, which carries its border along, and one behind;
 * and over rendered frames with an instrument before the scene. */
#include "systems/mosaic/scene_layers.h"

#include "memory_allocator.h"
#include "check.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 192, AREA = WIDTH * HEIGHT, COLUMNS = 14, ROWS = 11, CELLS = COLUMNS * ROWS, FRAMES = 24 };

static const mosaic_size size = {WIDTH, HEIGHT};

/* ----------------------------------------------------------------------- the world */

/* Where the layers lie in each frame, and what the one in front covers. */
typedef struct layered_world {
    double behind[FRAMES][2], before[FRAMES][2]; /* of the frame's first pixel in the layer, px */
    double border[FRAMES][2];                    /* of the same in the region */
    int (*is_before)(double x, double y);        /* in the region */
} layered_world;

/* A pair of frames with a layer each as the first motion. */
typedef enum first_motion { BEHIND_FIRST, BEFORE_FIRST, BY_TURNS, AT_RANDOM, ORDERS } first_motion;

static int left_side(double x, double y) {
    (void)y;
    return x < 96;
}

/* Everything but a window of so many columns and five rows of cells. */
static int is_window(double x, double y, int columns) {
    double column = (x + 0.5) * COLUMNS / WIDTH;
    double row = (y + 0.5) * ROWS / HEIGHT;
    return column >= 3 && column < 3 + columns && row >= 3 && row < 8;
}

static int around_small_window(double x, double y) { return !is_window(x, y, 5); }

static int around_large_window(double x, double y) { return !is_window(x, y, 6); }

/* The first of the cells, column by column. */
static int first_cells(double x, double y, int n) {
    int column = (int)floor((x + 0.5) * COLUMNS / WIDTH);
    int row = (int)floor((y + 0.5) * ROWS / HEIGHT);
    return column * ROWS + row < n;
}

static int first_41(double x, double y) { return first_cells(x, y, 41); }

static int first_44(double x, double y) { return first_cells(x, y, 44); }

static int first_7(double x, double y) { return first_cells(x, y, 7); }

static int first_8(double x, double y) { return first_cells(x, y, 8); }

/* Three rows of cells in the middle. */
static int band(double x, double y) {
    (void)x;
    int row = (int)floor((y + 0.5) * ROWS / HEIGHT);
    return row >= 4 && row < 7;
}

/* Both layers and the border go on by so much with every frame. */
static layered_world moving(int (*is_before)(double x, double y), double behind_x, double behind_y, double before_x,
                            double before_y) {
    layered_world w = {.is_before = is_before};
    for (int i = 0; i < FRAMES; i++) {
        w.behind[i][0] = behind_x * i;
        w.behind[i][1] = behind_y * i;
        w.border[i][0] = w.before[i][0] = before_x * i;
        w.border[i][1] = w.before[i][1] = before_y * i;
    }
    return w;
}

static endo_transform between(const double places[FRAMES][2], int reference, int current) {
    return pose_translation(places[current][0] - places[reference][0], places[current][1] - places[reference][1]);
}

static int is_motion(const endo_transform *t, const double places[FRAMES][2], int reference, int current) {
    endo_transform truth = between(places, reference, current);
    return frame_corner_distance(size, t, &truth) < 1e-9;
}

static int is_before(const layered_world *w, int frame, int cell) {
    double x = (cell % COLUMNS + 0.5) * WIDTH / COLUMNS - 0.5;
    double y = (cell / COLUMNS + 0.5) * HEIGHT / ROWS - 0.5;
    return w->is_before(x + w->border[frame][0], y + w->border[frame][1]);
}

static endo_pair_result result_of(endo_transform transform) {
    return (endo_pair_result){
        .transform = transform,
        .mean_coefficient = 0.9,
        .quality = 0.8,
        .deviation = 0.1,
        .perspective = {NAN, NAN},
        .perspective_deviation = NAN,
        .lens = NAN,
        .lens_deviation = NAN,
        .status = ENDO_PAIR_OK,
    };
}

/* A pair with both motions. before_first: the first one is that of the layer in front. */
static pair_match pair_of_two(const layered_world *w, int reference, int current, int before_first) {
    endo_transform behind = between(w->behind, reference, current);
    endo_transform before = between(w->before, reference, current);
    endo_pair_result result = result_of(before_first ? before : behind);
    pair_match m = pair_match_of(&result, reference, 100, 10, 1);
    m.layers.count = 2;
    m.layers.columns = COLUMNS;
    m.layers.rows = ROWS;
    m.layers.second = result_of(before_first ? behind : before);
    for (int c = 0; c < CELLS; c++) m.layers.cells[c] = is_before(w, reference, c) == before_first ? 1 : 2;
    return m;
}

/* A pair with the motion of one layer alone, with which the cells go that show a layer of `going`. */
static pair_match pair_of_one(const layered_world *w, int reference, int current, int of_before, const int going[2]) {
    endo_pair_result result = result_of(between(of_before ? w->before : w->behind, reference, current));
    pair_match m = pair_match_of(&result, reference, 100, 10, 1);
    m.layers.count = 1;
    m.layers.columns = COLUMNS;
    m.layers.rows = ROWS;
    for (int c = 0; c < CELLS; c++) m.layers.cells[c] = (uint8_t)going[is_before(w, reference, c)];
    return m;
}

/* ------------------------------------------------------------------------ a chain */

/* What became of the frames of a chain. */
typedef struct layered_chain {
    scene_layers *layers;
    pair_match chosen[FRAMES];
    endo_mosaic_frame frames[FRAMES];
    frame_records records;
    mosaic_edges edges;
    mosaic_events events;
    int told[4]; /* levels of what was said */
    int first, last; /* frames that it was about */
} layered_chain;

static layered_chain chain;

static void listen(void *user, const endo_event *event) {
    (void)user;
    CHECK(event->kind == ENDO_EVENT_LAYERS);
    chain.told[event->level]++;
    chain.first = event->first;
    chain.last = event->last;
}

static void begin(void) {
    endo_mosaic_hooks hooks = {.event = listen};
    memset(&chain, 0, sizeof chain);
    CHECK(scene_layers_create(size, &chain.layers) == ENDO_OK);
    events_init(&chain.events, &hooks);
    chain.records = (frame_records){.items = chain.frames, .n = 1, .capacity = FRAMES};
    chain.frames[0] = mosaic_unknown_frame();
    chain.frames[0].registered = 1;
    chain.frames[0].reference = 0;
}

static void end(void) {
    scene_layers_destroy(&chain.layers);
    edges_free(&chain.edges);
    events_free(&chain.events);
}

static endo_status keep(int frame) { return scene_layers_keep(chain.layers, frame); }

/* As a chain of frames does with a pair that it takes. */
static const pair_match *take(int frame, pair_match match) {
    endo_mosaic_frame *record = &chain.frames[frame];
    scene_layers_choose(chain.layers, frame, &match);
    CHECK(keep(frame) == ENDO_OK);
    endo_mosaic_edge edge = pair_match_edge(&match, frame);
    CHECK(edges_add(&chain.edges, &edge) == ENDO_OK);
    *record = mosaic_unknown_frame();
    pair_match_describe(&match, record);
    record->registered = 1;
    record->pose = pose_times(&chain.frames[match.reference].pose, &match.transform);
    if (chain.records.n <= frame) chain.records.n = frame + 1;
    chain.chosen[frame] = match;
    return &chain.chosen[frame];
}

static int before_comes_first(first_motion order, int frame) {
    if (order == BY_TURNS) return frame % 2;
    return order == AT_RANDOM ? (frame * 2654435761u >> 13) & 1 : order == BEFORE_FIRST;
}

static void follow(const layered_world *w, int first, int last, first_motion order) {
    for (int i = first; i <= last; i++) take(i, pair_of_two(w, i - 1, i, before_comes_first(order, i)));
}

static int is_doubtful(int frame) {
    const pair_match *m = &chain.chosen[frame];
    CHECK((m->status == ENDO_FRAME_FEW_LANDMARKS) == (m->result.status == ENDO_PAIR_FEW_LANDMARKS));
    return m->status != ENDO_FRAME_OK;
}

/* From this frame on all pairs have a motion for sure; 0: the last one has it not. */
static int sure_from(const double places[FRAMES][2], int last) {
    int from = last + 1;
    while (from > 1 && !is_doubtful(from - 1)) {
        if (!is_motion(&chain.chosen[from - 1].transform, places, from - 2, from - 1)) break;
        from--;
    }
    return from > last ? 0 : from;
}

static void settle(void) {
    CHECK(scene_layers_settle(chain.layers, &chain.records, &chain.edges, &chain.events) == ENDO_OK);
}

/* The edge between two frames; NULL: it is not there. */
static const endo_mosaic_edge *edge_of(int reference, int current) {
    for (int i = 0; i < chain.edges.n; i++) {
        const endo_mosaic_edge *edge = &chain.edges.items[i];
        if (edge->reference == reference && edge->current == current) return edge;
    }
    return NULL;
}

/* All of the pairs first..last have a motion for sure, and poses follow. */
static int is_settled(const double places[FRAMES][2], int first, int last) {
    for (int i = first; i <= last; i++) {
        const endo_mosaic_edge *edge = edge_of(i - 1, i);
        if (!edge || edge->doubtful || !is_motion(&edge->transform, places, i - 1, i)) return 0;
        if (!is_motion(&chain.frames[i].pose, places, 0, i)) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------- borders */

/* Whichever moves, and whichever is first in the pairs: the layer behind is the scene's, as soon as borders say so. */
static void test_the_layer_behind_is_the_scene(void) {
    static const double motions[][4] = {{9, -4, 0, 0}, {0, 0, 9, 2}, {-6, 3, 5, -3}};
    for (int i = 0; i < 3; i++) {
        layered_world w = moving(left_side, motions[i][0], motions[i][1], motions[i][2], motions[i][3]);
        for (int k = 1; k < FRAMES && i == 1; k++) w.border[k][0] = w.before[k][0] = 9 * (k % 8 < 4 ? k % 4 : 4 - k % 4);
        for (int k = 1; k < FRAMES && i == 2; k++) w.border[k][0] = w.before[k][0] = 3 * (k % 2);
        for (int order = 0; order < ORDERS; order++) {
            begin();
            follow(&w, 1, 23, (first_motion)order);
            int from = sure_from(w.behind, 23);
            CHECK(from > 2 && from <= 7);
            for (int k = 1; k < from; k++) CHECK(is_doubtful(k));
            settle();
            CHECK(is_settled(w.behind, 1, 23));
            CHECK(chain.told[ENDO_EVENT_LOG] == 1 && chain.told[ENDO_EVENT_LOST] == 0);
            CHECK(chain.first == 0 && chain.last == 23 && chain.layers->n_stretches == 1);
            end();
        }
    }
}

/* One that is seen on more than five times as many cells is the scene, though it carries its border along. */
static void test_a_far_larger_layer_is_the_scene(void) {
    layered_world w = moving(around_small_window, 9, 0, 0, 0);
    begin();
    follow(&w, 1, 12, BY_TURNS);
    CHECK(sure_from(w.before, 12) == 1);
    end();
    w = moving(around_large_window, 9, 0, 0, 0);
    begin();
    follow(&w, 1, 12, BY_TURNS);
    int from = sure_from(w.behind, 12);
    CHECK(from > 2 && from <= 7);
    end();
}

/* A border that goes with neither says nothing, whichever is larger; one pair alone is taken for chance. */
static void test_a_border_that_goes_with_neither(void) {
    for (int speed = 1; speed < 6; speed++) {
        layered_world w = moving(band, 0, speed, 0, -speed);
        memset(w.border, 0, sizeof w.border);
        begin();
        follow(&w, 1, 23, BY_TURNS);
        for (int k = 2; k < FRAMES; k++) CHECK(is_doubtful(k));
        settle();
        for (int k = 1; k < FRAMES; k++) {
            CHECK(edge_of(k - 1, k)->doubtful);
            CHECK(chain.frames[k].status == ENDO_FRAME_FEW_LANDMARKS);
        }
        CHECK(chain.told[ENDO_EVENT_LOST] == 1 && chain.told[ENDO_EVENT_LOG] == 0 && chain.first == 0 && chain.last == 23);
        end();
    }
}

/* Layers that sway against each other by a pixel. */
static layered_world swaying(int (*is_before)(double x, double y)) {
    layered_world w = moving(is_before, 0, 0, 0, 0);
    for (int i = 0; i < FRAMES; i++) w.before[i][1] = 1.5 * (i % 2);
    return w;
}

/* Parts of a scene that lie near and far: the larger is taken, where it is larger by more than two and a half, and once views
 * long ago tell that they stay together. */
static void test_near_and_far_parts_of_a_scene(void) {
    layered_world w = swaying(first_41);
    begin();
    follow(&w, 1, 23, AT_RANDOM);
    CHECK(!is_doubtful(1) && is_doubtful(2) && sure_from(w.behind, 23) == 9);
    settle();
    CHECK(is_settled(w.behind, 1, 23));
    end();
    w = swaying(first_44);
    begin();
    follow(&w, 1, 23, AT_RANDOM);
    for (int k = 1; k < FRAMES; k++) CHECK(is_doubtful(k));
    end();
}

/* Those that go apart later are none. */
static void test_parts_that_go_apart(void) {
    layered_world w = swaying(band);
    for (int i = 12; i < FRAMES; i++) {
        w.behind[i][1] = 5 * (i - 11);
        w.before[i][1] = -5 * (i - 11);
    }
    begin();
    follow(&w, 1, 11, BY_TURNS);
    CHECK(sure_from(w.behind, 11) == 9);
    follow(&w, 12, 20, BY_TURNS);
    CHECK(is_doubtful(18) && is_doubtful(19) && is_doubtful(20));
    end();
}

/* ---------------------------------------------------------------------- recognition */

static void swap_some(pair_match *match, int n) {
    for (int c = 0; c < n; c++) match->layers.cells[c] = (uint8_t)(3 - match->layers.cells[c]);
}

/* A layer is known again by two thirds of the cells, if they are four; else a stretch begins. */
static void test_layers_are_known_again(void) {
    static const int swapped[] = {0, 50, 53, 77, 101, 104, 154};
    static const int is_known[] = {1, 1, 0, 0, 0, 1, 1};
    layered_world w = swaying(left_side);
    for (int i = 0; i < 7; i++) {
        pair_match match = pair_of_two(&w, 6, 7, 0);
        begin();
        follow(&w, 1, 6, BY_TURNS);
        swap_some(&match, swapped[i]);
        take(7, match);
        CHECK(chain.layers->n_stretches == (is_known[i] ? 1 : 2));
        end();
    }
    for (int few = 3; few < 5; few++) {
        pair_match match = pair_of_two(&w, 6, 7, 0);
        begin();
        follow(&w, 1, 6, BY_TURNS);
        for (int c = few; c < CELLS; c++) match.layers.cells[c] = 0;
        take(7, match);
        CHECK(chain.layers->n_stretches == (few < 4 ? 2 : 1));
        end();
    }
}

/* A pair with another reference than the latest frame, or in another chain, begins a stretch; a frame that is left out does
 * not. */
static void test_gaps(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int kind = 0; kind < 3; kind++) {
        begin();
        follow(&w, 1, 8, BY_TURNS);
        CHECK(!is_doubtful(8));
        if (kind == 2) scene_layers_begin(chain.layers);
        int reference = kind == 0 ? 8 : kind == 1 ? 6 : 8;
        take(10, pair_of_two(&w, reference, 10, 1));
        CHECK(is_doubtful(10) == (kind > 0) && chain.layers->n_stretches == 1 + (kind > 0));
        CHECK(chain.layers->n_views == (kind > 0 ? 1 : 9));
        follow(&w, 11, 18, BY_TURNS);
        CHECK(!is_doubtful(18) && is_motion(&chain.chosen[18].transform, w.behind, 17, 18));
        end();
    }
}

/* Of the latest pairs alone, and from each of their frames to the latest one. */
static void test_views_follow(void) {
    layered_world w = moving(left_side, 9, -4, 2, 1);
    begin();
    follow(&w, 1, 20, BEHIND_FIRST);
    CHECK(chain.layers->n_views == LAYER_VIEWS);
    for (int i = 0; i < LAYER_VIEWS; i++) {
        const layer_view *view = &chain.layers->views[i];
        CHECK(is_motion(&view->to_now[LAYER_ONE], w.behind, 20, 20 - LAYER_VIEWS + i));
        CHECK(is_motion(&view->to_now[LAYER_OTHER], w.before, 20, 20 - LAYER_VIEWS + i));
    }
    end();
}

/* A pair that was chosen from and not kept leaves nothing. */
static void test_pairs_that_are_not_kept(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    for (int i = 1; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            pair_match match = pair_of_two(&w, i - 1, i, k % 2);
            scene_layers_choose(chain.layers, i, &match);
        }
        take(i, pair_of_two(&w, i - 1, i, 0));
        CHECK(chain.layers->stretches[0].pairs == i && chain.layers->n_edges == i && chain.layers->n_stretches == 1);
    }
    CHECK(sure_from(w.behind, 11) == 4);
    end();
}

/* Pairs that were not asked for layers leave everything as it was, and the next with two motions begins a stretch. */
static void test_pairs_that_were_not_asked(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 8, BY_TURNS);
    pair_match match = pair_of_two(&w, 8, 9, 1);
    match.layers.count = 0;
    take(9, match);
    CHECK(!memcmp(&chain.chosen[9], &match, sizeof match) && !chain.layers->active);
    take(10, pair_of_two(&w, 9, 10, 1));
    CHECK(is_doubtful(10) && chain.layers->n_stretches == 2);
    end();
}

/* The second motion brings what is known of it. */
static void test_what_is_known_of_the_second_motion(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    pair_match match = pair_of_two(&w, 8, 9, 1);
    endo_pair_result *second = &match.layers.second;
    second->deviation = 0.2;
    second->status = ENDO_PAIR_FEW_LANDMARKS;
    second->perspective[0] = 1e-5;
    second->perspective[1] = 2e-5;
    second->perspective_deviation = 1e-6;
    second->lens = -0.1;
    second->lens_deviation = 0.01;
    match.result.quality = 0.77;
    begin();
    follow(&w, 1, 8, BY_TURNS);
    const pair_match *m = take(9, match);
    CHECK(is_motion(&m->transform, w.behind, 8, 9) && is_motion(&m->result.transform, w.behind, 8, 9));
    CHECK(m->status == ENDO_FRAME_FEW_LANDMARKS && m->result.status == ENDO_PAIR_FEW_LANDMARKS && m->result.deviation == 0.2);
    CHECK(m->result.perspective[0] == 1e-5 && m->result.perspective[1] == 2e-5 && m->result.perspective_deviation == 1e-6);
    CHECK(m->result.lens == -0.1 && m->result.lens_deviation == 0.01 && m->moving == 1 && m->result.quality == 0.77);
    end();
}

/* ------------------------------------------------------------- pairs of one motion */

static const int no_cells[] = {0, 0};
static const int behind_goes[] = {1, 0};
static const int before_goes[] = {0, 1};
static const int both_go[] = {1, 1};

/* One pair with two motions is no evidence of layers: what follows is as sure as without it. */
static void test_one_pair_says_nothing(void) {
    static const int *const going[] = {no_cells, behind_goes, before_goes, both_go};
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int i = 0; i < 4; i++) {
        begin();
        follow(&w, 1, 1, BEHIND_FIRST);
        CHECK(is_doubtful(1));
        for (int k = 2; k < 6; k++) take(k, pair_of_one(&w, k - 1, k, going[i] == before_goes, going[i]));
        for (int k = 2; k < 6; k++) CHECK(!is_doubtful(k));
        CHECK(chain.layers->active == (i > 0));
        end();
    }
}

/* After two of them, of which nobody knows the scene: a pair of one motion is sure where both layers go with it. */
static void test_one_motion_before_the_scene_is_known(void) {
    static const int *const going[] = {no_cells, behind_goes, before_goes, both_go};
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int i = 0; i < 4; i++) {
        begin();
        follow(&w, 1, 2, BEHIND_FIRST);
        take(3, pair_of_one(&w, 2, 3, going[i] == before_goes, going[i]));
        CHECK(is_doubtful(3) == (i < 3) && chain.layers->active == (i > 0));
        end();
    }
}

/* Then it is sure where the scene goes with it. */
static void test_one_motion_when_the_scene_is_known(void) {
    static const int *const going[] = {no_cells, before_goes, behind_goes, both_go};
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int i = 0; i < 4; i++) {
        begin();
        follow(&w, 1, 8, BY_TURNS);
        pair_match match = pair_of_one(&w, 8, 9, going[i] == before_goes, going[i]);
        take(9, match);
        CHECK(is_doubtful(9) == (i < 2) && chain.layers->active == (i > 0));
        CHECK(is_motion(&chain.chosen[9].transform, i == 1 ? w.before : w.behind, 8, 9));
        end();
    }
}

/* After a pair of one motion layers are known again, where it brought both along. */
static void test_layers_are_followed_over_one_motion(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    memcpy(w.behind[9], w.behind[8], sizeof w.behind[8]);
    begin();
    follow(&w, 1, 8, BY_TURNS);
    take(9, pair_of_one(&w, 8, 9, 0, both_go));
    follow(&w, 10, 14, BY_TURNS);
    CHECK(chain.layers->n_stretches == 1 && sure_from(w.behind, 14) == 4 && chain.layers->n_edges == 13);
    settle();
    CHECK(is_settled(w.behind, 1, 14));
    end();
}

/* A layer goes with a motion by half of its cells, and stays behind by a quarter of them at most. */
static void test_how_many_cells_go(void) {
    static const int cells[][2] = {{57, 0}, {56, 0}, {113, 10}, {113, 11}, {113, 21}, {113, 20}};
    static const int is_sure[] = {1, 0, 1, 0, 1, 0};
    layered_world w = swaying(first_41);
    for (int i = 0; i < 6; i++) {
        pair_match match = pair_of_one(&w, 12, 13, 0, no_cells);
        int left[2] = {cells[i][0], cells[i][1]};
        for (int c = 0; c < CELLS; c++) match.layers.cells[c] = left[is_before(&w, 12, c)]-- > 0;
        begin();
        follow(&w, 1, 12, BY_TURNS);
        take(13, match);
        CHECK(is_doubtful(13) == !is_sure[i]);
        end();
    }
}

/* --------------------------------------------------------------- what is searched for */

static void test_a_layer_that_was_missed(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    w.before[6][0] = w.border[6][0] = 2;
    w.before[7][0] = w.border[7][0] = 4;
    for (int missed = 0; missed < 2; missed++) { /* 1: the one in front */
        endo_pair_layers expected;
        endo_transform start;
        int wrong = 0;
        int searched = 0;
        begin();
        follow(&w, 1, 6, BY_TURNS);
        pair_match match = pair_of_one(&w, 6, 7, !missed, missed ? behind_goes : before_goes);
        CHECK(scene_layers_misses(chain.layers, &match, &expected, &start) == 1);
        CHECK(is_motion(&start, missed ? w.before : w.behind, 5, 6));
        CHECK(expected.columns == COLUMNS && expected.rows == ROWS);
        for (int c = 0; c < CELLS; c++) {
            wrong += expected.cells[c] && expected.cells[c] != (is_before(&w, 6, c) == missed ? 2 : 1);
            searched += expected.cells[c] == 2;
        }
        CHECK(wrong == 0 && searched >= 50);
        end();
    }
}

static void test_nothing_is_missed(void) {
    static const int *const going[] = {no_cells, both_go};
    layered_world w = moving(left_side, 9, -4, 0, 0);
    endo_pair_layers expected;
    endo_transform start;
    begin();
    pair_match match = pair_of_one(&w, 6, 7, 0, behind_goes);
    CHECK(!scene_layers_misses(chain.layers, &match, &expected, &start));
    follow(&w, 1, 6, BY_TURNS);
    CHECK(scene_layers_misses(chain.layers, &match, &expected, &start));
    match.reference = 5;
    CHECK(!scene_layers_misses(chain.layers, &match, &expected, &start));
    match = pair_of_two(&w, 6, 7, 0);
    CHECK(!scene_layers_misses(chain.layers, &match, &expected, &start));
    match.layers.count = 0;
    CHECK(!scene_layers_misses(chain.layers, &match, &expected, &start));
    for (int i = 0; i < 2; i++) {
        match = pair_of_one(&w, 6, 7, 0, going[i]);
        CHECK(!scene_layers_misses(chain.layers, &match, &expected, &start));
    }
    end();
}

/* A layer is searched for in eight cells at least. */
static void test_few_cells_are_not_searched(void) {
    for (int i = 0; i < 2; i++) {
        layered_world w = swaying(i ? first_8 : first_7);
        pair_match match = pair_of_one(&w, 6, 7, 0, behind_goes);
        endo_pair_layers expected;
        endo_transform start;
        begin();
        follow(&w, 1, 6, BY_TURNS);
        CHECK(scene_layers_misses(chain.layers, &match, &expected, &start) == i);
        end();
    }
}

/* What the search found is taken where it is known to a pixel, and is another motion. */
static void test_what_the_search_found(void) {
    static const struct {
        int status;
        double deviation, away;
        int motions; /* 0: it is refused */
    } found[] = {
        {ENDO_PAIR_OK, 0.1, 9, 2},    {ENDO_PAIR_FEW_LANDMARKS, 0.99, 9, 2}, {ENDO_PAIR_JUMP, NAN, 9, 0},
        {ENDO_PAIR_OK, 1.01, 9, 0},   {ENDO_PAIR_FEW_LANDMARKS, NAN, 9, 0},  {ENDO_PAIR_JUMP, 0.1, 9, 0},
        {ENDO_PAIR_OK, 0.1, 0.99, 1}, {ENDO_PAIR_OK, 0.1, 1.01, 2},
    };
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int i = 0; i < 8; i++) {
        endo_pair_layers expected;
        endo_transform start;
        begin();
        follow(&w, 1, 8, BY_TURNS);
        pair_match match = pair_of_one(&w, 8, 9, 0, behind_goes);
        pair_match before = match;
        CHECK(scene_layers_misses(chain.layers, &match, &expected, &start));
        endo_pair_result second = result_of(match.transform);
        second.status = found[i].status;
        second.deviation = found[i].deviation;
        second.transform.matrix[2] += found[i].away;
        scene_layers_complete(chain.layers, &expected, &second, &match);
        if (found[i].motions == 0) CHECK(!memcmp(&match, &before, sizeof match));
        if (found[i].motions == 1) {
            CHECK(match.layers.count == 1);
            for (int c = 0; c < CELLS; c++) CHECK(match.layers.cells[c] == (expected.cells[c] != 0));
        }
        if (found[i].motions == 2) {
            CHECK(match.layers.count == 2 && !memcmp(&match.layers.second, &second, sizeof second));
            CHECK(!memcmp(match.layers.cells, expected.cells, sizeof expected.cells));
        }
        take(9, match);
        CHECK(!is_doubtful(9) && is_motion(&chain.chosen[9].transform, w.behind, 8, 9) && chain.layers->n_stretches == 1);
        end();
    }
}

/* ------------------------------------------------------------------------- settling */

static void add_edge(int reference, int current) {
    const endo_mosaic_edge edge = {.transform = pose_identity, .deviation = 0.1, .reference = reference, .current = current};
    CHECK(edges_add(&chain.edges, &edge) == ENDO_OK);
}

/* Pairs that followed the wrong motion at first get the other one; edges over them were found from wrong places. */
static void test_earlier_pairs_are_settled(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 12, BEFORE_FIRST);
    CHECK(is_motion(&chain.chosen[3].transform, w.before, 2, 3) && is_motion(&chain.chosen[4].transform, w.behind, 3, 4));
    add_edge(0, 4);
    add_edge(2, 6);
    add_edge(6, 1);
    add_edge(3, 7);
    add_edge(4, 8);
    add_edge(9, 5);
    settle();
    CHECK(is_settled(w.behind, 1, 12) && chain.edges.n == 15);
    CHECK(!edge_of(0, 4) && !edge_of(2, 6) && !edge_of(6, 1) && edge_of(3, 7) && edge_of(4, 8) && edge_of(9, 5));
    for (int k = 1; k < 13; k++) CHECK(chain.frames[k].status == ENDO_FRAME_OK);
    settle();
    CHECK(is_settled(w.behind, 1, 12) && chain.edges.n == 15 && chain.told[ENDO_EVENT_LOG] == 1);
    end();
}

/* Where the right motion was taken from the beginning, poses and edges stay. */
static void test_right_pairs_stay(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 12, BEHIND_FIRST);
    chain.frames[6].pose = pose_translation(1000, 0);
    add_edge(0, 6);
    settle();
    CHECK(chain.frames[6].pose.matrix[2] == 1000 && edge_of(0, 6) && chain.edges.n == 13);
    for (int k = 1; k < 13; k++) CHECK(!edge_of(k - 1, k)->doubtful);
    end();
}

/* Poses of frames that were not registered stay, and so do those that begin another chain. */
static void test_poses_follow_along_their_chain(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 12, BEFORE_FIRST);
    endo_transform predicted = pose_translation(50, 60);
    chain.frames[9].registered = 0;
    chain.frames[9].pose = predicted;
    for (int k = 10; k < 13; k++) chain.frames[k].chain = 1;
    endo_transform begun = chain.frames[10].pose;
    settle();
    CHECK(is_settled(w.behind, 1, 8));
    CHECK(frame_corner_distance(size, &chain.frames[9].pose, &predicted) == 0);
    CHECK(frame_corner_distance(size, &chain.frames[10].pose, &begun) == 0);
    endo_transform next = between(w.behind, 10, 11);
    next = pose_times(&begun, &next);
    CHECK(frame_corner_distance(size, &chain.frames[11].pose, &next) < 1e-9);
    end();
}

/* A pair whose edge is gone, or whose frame joined by another one, is left alone. */
static void test_edges_that_are_gone(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 12, BEFORE_FIRST);
    memmove(chain.edges.items + 1, chain.edges.items + 2, 10 * sizeof *chain.edges.items);
    chain.edges.n--;
    chain.frames[3].reference = 0;
    add_edge(0, 3);
    settle();
    CHECK(edge_of(0, 1) && is_motion(&edge_of(0, 1)->transform, w.behind, 0, 1) && !edge_of(1, 2));
    CHECK(!edge_of(2, 3) || is_motion(&edge_of(2, 3)->transform, w.before, 2, 3));
    CHECK(edge_of(0, 3) && frame_corner_distance(size, &edge_of(0, 3)->transform, &pose_identity) == 0);
    end();
}

/* A stretch that does not know its scene learns it from the one before, and from the one after. */
static void test_stretches_learn_from_their_neighbours(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int is_later = 0; is_later < 2; is_later++) {
        int last_of_first = is_later ? 8 : 2;
        begin();
        follow(&w, 1, last_of_first, BEFORE_FIRST);
        take(last_of_first + 1, pair_of_two(&w, last_of_first, last_of_first + 1, 1));
        scene_layers_begin(chain.layers);
        follow(&w, last_of_first + 2, 11, BEFORE_FIRST);
        settle();
        CHECK(chain.layers->n_stretches == 2 && is_settled(w.behind, 1, 11));
        CHECK(chain.told[ENDO_EVENT_LOG] == 2 && chain.told[ENDO_EVENT_LOST] == 0);
        end();
    }
}

/* A pair from a frame of a chain, far away in time, is told by what that frame shows. */
static void test_motions_of_later_pairs(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    begin();
    follow(&w, 1, 12, BEFORE_FIRST);
    settle();
    pair_match before_first = pair_of_two(&w, 4, 9, 1);
    pair_match behind_first = pair_of_two(&w, 4, 9, 0);
    CHECK(scene_layers_motion(chain.layers, 4, &before_first.layers) == MOTION_OTHER);
    CHECK(scene_layers_motion(chain.layers, 4, &behind_first.layers) == MOTION_SCENE);
    CHECK(scene_layers_motion(chain.layers, 20, &behind_first.layers) == MOTION_UNKNOWN);
    for (int going = 0; going < 2; going++) {
        pair_match one = pair_of_two(&w, 4, 9, going);
        one.layers.count = 1;
        for (int c = 0; c < CELLS; c++) one.layers.cells[c] = one.layers.cells[c] == 1;
        CHECK(scene_layers_motion(chain.layers, 4, &one.layers) == (going ? MOTION_NONE : MOTION_SCENE));
    }
    for (int c = 0; c < CELLS; c++) behind_first.layers.cells[c] = (uint8_t)(1 + c % 2);
    CHECK(scene_layers_motion(chain.layers, 4, &behind_first.layers) == MOTION_NONE);
    CHECK(scene_layers_any(chain.layers) && !scene_layers_any(NULL));
    end();
}

/* A pair of one motion before two are seen is torn where it followed what moves before the scene, and sure where not. */
static void test_pairs_before_two_motions_are_seen(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    for (int follows_front = 0; follows_front < 2; follows_front++) {
        begin();
        pair_match one = pair_of_two(&w, 0, 1, follows_front);
        one.layers.count = 1;
        for (int c = 0; c < CELLS; c++) one.layers.cells[c] = one.layers.cells[c] == 1;
        take(1, one);
        follow(&w, 2, 12, BEFORE_FIRST);
        settle();
        CHECK(follows_front ? is_motion(&edge_of(3, 4)->transform, w.behind, 3, 4) : is_settled(w.behind, 1, 12));
        CHECK(edge_of(0, 1)->doubtful == (follows_front ? EDGE_TORN : 0));
        end();
    }
}

/* --------------------------------------------------------------------------- memory */

/* Whichever allocation fails, the layers are as they were, and the same call works afterwards. */
static void test_memory_ends_while_pairs_are_kept(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    int failed = 0;
    int before = memory_alive;
    begin();
    for (int i = 1; i < FRAMES; i++) {
        int at = 1;
        int fired = 1;
        while (fired) {
            pair_match match = pair_of_two(&w, i - 1, i, 1);
            if (i % 6 == 0) scene_layers_begin(chain.layers);
            scene_layers_choose(chain.layers, i, &match);
            scene_layers was = *chain.layers;
            memory_arm(at++, 0);
            endo_status status = keep(i);
            fired = memory_failures;
            memory_arm(0, 0);
            failed += fired;
            CHECK(status == (fired ? ENDO_ERR_MEMORY : ENDO_OK));
            if (!fired) break;
            CHECK(strstr(endo_last_error(), "memory") != NULL);
            CHECK(chain.layers->n_edges == was.n_edges && chain.layers->n_stretches == was.n_stretches);
            CHECK(chain.layers->n_views == was.n_views && chain.layers->now == was.now && chain.layers->active == was.active);
            CHECK(chain.layers->pending == i && !memcmp(chain.layers->views, was.views, sizeof was.views));
        }
    }
    CHECK(failed == 4 && chain.layers->n_edges == 23 && chain.layers->n_stretches == 4);
    end();
    CHECK(memory_alive == before);
}

static void test_memory_ends_while_pairs_are_settled(void) {
    layered_world w = moving(left_side, 9, -4, 0, 0);
    static endo_mosaic_frame frames[FRAMES];
    endo_mosaic_edge edges[12];
    int before = memory_alive;
    begin();
    follow(&w, 1, 12, BEFORE_FIRST);
    memcpy(frames, chain.frames, sizeof frames);
    memcpy(edges, chain.edges.items, sizeof edges);
    for (int at = 1; at < 3; at++) {
        memory_arm(at, 0);
        endo_status status = scene_layers_settle(chain.layers, &chain.records, &chain.edges, &chain.events);
        CHECK(status == ENDO_ERR_MEMORY && memory_failures == 1);
        memory_arm(0, 0);
        CHECK(!memcmp(frames, chain.frames, sizeof frames) && !memcmp(edges, chain.edges.items, sizeof edges));
        CHECK(chain.layers->n_edges == 12 && chain.told[ENDO_EVENT_LOG] == 0);
    }
    settle();
    CHECK(is_settled(w.behind, 1, 12) && chain.told[ENDO_EVENT_LOG] == 1);
    end();
    CHECK(memory_alive == before);
}

/* -------------------------------------------------------------------- whole sequences */

/* Frames of a scene that goes by behind an instrument. */
typedef struct instrument_film {
    uint8_t pixels[FRAMES][AREA];
    double behind[FRAMES][2], before[FRAMES][2];
} instrument_film;

static instrument_film film;

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)user, (void)reason;
    return film.pixels[frame];
}

static void render(int (*is_instrument)(double x, double y), int seed) {
    static uint8_t behind[AREA], before[AREA];
    test_scene back, front;
    test_scene_init(&back, (uint64_t)seed);
    test_scene_init(&front, (uint64_t)seed + 500);
    for (int i = 0; i < FRAMES; i++) {
        const double to_back[6] = {1, 0, film.behind[i][0], 0, 1, film.behind[i][1]};
        const double to_front[6] = {1, 0, film.before[i][0], 0, 1, film.before[i][1]};
        test_scene_render(&back, to_back, WIDTH, HEIGHT, behind);
        test_scene_render(&front, to_front, WIDTH, HEIGHT, before);
        for (int k = 0; k < AREA; k++) {
            if (is_instrument(k % WIDTH + film.before[i][0], k / WIDTH + film.before[i][1]))
                film.pixels[i][k] = before[k];
            else
                film.pixels[i][k] = behind[k];
        }
    }
}

/* Every frame whose place is not doubtful is right to a pixel, and most frames are. */
static void check_film(void) {
    endo_mosaic_options options = endo_mosaic_options_default();
    endo_mosaic_source source = {.frames = FRAMES, .width = WIDTH, .height = HEIGHT, .type = ENDO_GREY8, .lend = lend};
    endo_mosaic *mosaic = NULL;
    int32_t n = 0;
    int right = 0;
    options.context.backend = ENDO_BACKEND_CPU;
    options.picture = 0;
    CHECK(endo_mosaic_create(&options, NULL, &mosaic) == ENDO_OK);
    CHECK(endo_mosaic_run(mosaic, &source) == ENDO_OK);
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    CHECK(n == FRAMES);
    for (int i = 0; i < n; i++) {
        endo_transform truth = between(film.behind, 0, i);
        double far = frame_corner_distance(size, &frames[i].pose, &truth);
        int is_right = frames[i].registered && frames[i].component == 1 && far < 1;
        CHECK(is_right || frames[i].doubtful || !frames[i].registered);
        right += is_right && !frames[i].doubtful;
    }
    CHECK(right >= 20);
    endo_mosaic_destroy(&mosaic);
}

static int disc(double x, double y) { return hypot(x - (WIDTH - 1) / 2.0, y - (HEIGHT - 1) / 2.0) < 77; }

static void test_an_instrument_that_stands_still(void) {
    for (int i = 0; i < FRAMES; i++) {
        film.behind[i][0] = 9 * i;
        film.behind[i][1] = 12 * sin(0.3 * i);
        film.before[i][0] = film.before[i][1] = 0;
    }
    render(left_side, 28);
    check_film();
}

static void test_an_instrument_that_moves_otherwise(void) {
    for (int i = 0; i < FRAMES; i++) {
        film.behind[i][0] = -9.6 * i;
        film.behind[i][1] = 2.2 * i;
        film.before[i][0] = 9 * sin(0.5 * i);
        film.before[i][1] = 8 * sin(0.37 * i);
    }
    render(disc, 40);
    check_film();
}

int main(void) {
    test_the_layer_behind_is_the_scene();
    test_a_far_larger_layer_is_the_scene();
    test_a_border_that_goes_with_neither();
    test_near_and_far_parts_of_a_scene();
    test_parts_that_go_apart();
    test_layers_are_known_again();
    test_gaps();
    test_views_follow();
    test_pairs_that_are_not_kept();
    test_pairs_that_were_not_asked();
    test_what_is_known_of_the_second_motion();
    test_one_pair_says_nothing();
    test_one_motion_before_the_scene_is_known();
    test_one_motion_when_the_scene_is_known();
    test_layers_are_followed_over_one_motion();
    test_how_many_cells_go();
    test_a_layer_that_was_missed();
    test_nothing_is_missed();
    test_few_cells_are_not_searched();
    test_what_the_search_found();
    test_earlier_pairs_are_settled();
    test_right_pairs_stay();
    test_poses_follow_along_their_chain();
    test_edges_that_are_gone();
    test_stretches_learn_from_their_neighbours();
    test_motions_of_later_pairs();
    test_pairs_before_two_motions_are_seen();
    test_memory_ends_while_pairs_are_kept();
    test_memory_ends_while_pairs_are_settled();
    test_an_instrument_that_stands_still();
    test_an_instrument_that_moves_otherwise();
    return check_summary("test_scene_layers");
}
