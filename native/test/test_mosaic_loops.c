/* The second stage: which pairs are registered again, as what, across which chains and in which rounds; and that nothing is
 * lost by a step that fails and is asked again. On frames of the demo, whose truth is known, and on views of planes. */
#include "systems/mosaic/bridges.h"
#include "systems/mosaic/loop_queue.h"
#include "systems/mosaic/loop_stage.h"
#include "systems/mosaic/reregistration.h"
#include "demo_rig.h"
#include "memory_allocator.h"
#include "poses_rig.h"

/* ------------------------------------------------------------------------ queue */

/* Key frames 0 and 50; the other frames of pairs from 100 on. */
static key_frame key_items[] = {{.frame = 0}, {.frame = 50}};
static const key_frames two_keys = {.items = key_items, .n = 2};
static const loop_candidates no_pairs = {.n = 0};

enum { MOST_PAIRS = 8 };

typedef struct queued {
    loop_candidate items[MOST_PAIRS];
    loop_candidates list;
} queued;

/* Adds n pairs with a key frame. */
static const loop_candidates *queue_up(queued *q, int key, int n) {
    for (int i = 0; i < n; i++) q->items[q->list.n + i] = (loop_candidate){.key = key, .frame = 100 + i, .overlap = 1};
    q->list.items = q->items;
    q->list.n += n;
    return &q->list;
}

static void go_round(loop_queue *q, queued *one, int found) {
    loop_queue_next_round(q, &one->list, &no_pairs);
    CHECK(!loop_queue_is_last_round(q));
    loop_queue_done(q, 1, found);
}

static void test_five_rounds_though_all_of_them_find_pairs(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    CHECK_NEAR(loop_queue_share(&q), 1 / 7.0, 1e-12);
    for (int i = 1; i <= 5; i++) {
        CHECK(!loop_queue_is_last_round(&q));
        go_round(&q, &one, 1);
    }
    CHECK(loop_queue_is_last_round(&q));
    CHECK_NEAR(loop_queue_share(&q), 6 / 7.0, 1e-12);
}

/* The first round has poses that the pairs which tie components gave; the second those of the loops that it closed. */
static void test_a_round_that_finds_nothing_is_the_last_unless_it_is_the_first(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    go_round(&q, &one, 0);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 1);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 0);
    CHECK(loop_queue_is_last_round(&q));
}

static void test_a_round_without_pairs_is_the_last(void) {
    loop_queue q;
    queued one = {.list = {.n = 0}};
    queue_up(&one, 0, 1);
    loop_queue_init(&q, &two_keys, &no_pairs, &no_pairs);
    loop_queue_next_round(&q, &no_pairs, &no_pairs);
    CHECK(!loop_queue_is_last_round(&q));
    go_round(&q, &one, 1);
    loop_queue_next_round(&q, &no_pairs, &no_pairs);
    CHECK(loop_queue_is_last_round(&q) && q.found == 0);
}

static void test_near_pairs_come_first_as_many_as_the_store_holds(void) {
    loop_queue q;
    queued near = {.list = {.n = 0}};
    queued far = {.list = {.n = 0}};
    loop_queue_init(&q, &two_keys, queue_up(&near, 0, 6), queue_up(&far, 0, 1));
    CHECK(loop_queue_next_near(&q, 16, 7) == 6 && loop_queue_first(&q) == near.items);
    CHECK(loop_queue_next_near(&q, 16, 6) == 5);
    CHECK(loop_queue_next_near(&q, 4, 7) == 4 && loop_queue_next_near(&q, 6, 7) == 6);
    CHECK_NEAR(loop_queue_share(&q), 0, 1e-12);
    loop_queue_done(&q, 6, 2);
    CHECK_NEAR(loop_queue_share(&q), (1 - 1 / 7.0) / 7, 1e-12);
    CHECK(!loop_queue_has_near(&q) && !loop_queue_is_empty(&q) && q.found == 2 && loop_queue_first(&q) == far.items);
    loop_queue_also_found(&q, 3);
    CHECK(q.found == 5);
}

/* A frame that is in several pairs takes one slot, as the key frame or as the other. */
static void test_frames_are_counted_once(void) {
    loop_queue q;
    queued near = {.list = {.n = 0}};
    queue_up(&near, 0, 2);
    queue_up(&near, 1, 2);
    near.items[1].frame = 50;
    loop_queue_init(&q, &two_keys, &near.list, &no_pairs);
    CHECK(loop_queue_next_near(&q, 16, 4) == 4 && loop_queue_next_near(&q, 16, 3) == 3 && loop_queue_next_near(&q, 16, 2) == 1);
    near.items[0].frame = 0;
    CHECK(loop_queue_next_near(&q, 16, 3) == 3 && loop_queue_next_near(&q, 16, 1) == 1);
}

/* After a failure they are asked for again. */
static void test_far_pairs_come_four_at_a_time_against_one_key_frame(void) {
    loop_queue q;
    queued far = {.list = {.n = 0}};
    queue_up(&far, 0, 6);
    queue_up(&far, 1, 2);
    loop_queue_init(&q, &two_keys, &no_pairs, &far.list);
    for (int i = 0; i < 2; i++) CHECK(loop_queue_next_far(&q) == 4 && loop_queue_first(&q) == far.items);
    loop_queue_done(&q, 4, 0);
    CHECK(loop_queue_next_far(&q) == 2 && loop_queue_first(&q) == far.items + 4);
    loop_queue_done(&q, 2, 0);
    CHECK(loop_queue_next_far(&q) == 2 && loop_queue_first(&q) == far.items + 6 && loop_queue_first(&q)->key == 1);
    loop_queue_done(&q, 2, 0);
    CHECK(loop_queue_is_empty(&q));
}

/* -------------------------------------------------------------------- workspace */

enum { W = 200, H = 160, FRAMES = 40 };

static const mosaic_size size = {W, H};
static demo_frames demo;
static endo_demo *true_demo;
static endo_mosaic_options options;
static mosaic_events events;
static mosaic_workspace *w;
static int broken = -1; /* a frame that cannot be read */
static double told;     /* share of the run */
static int cancels;

static endo_demo_options demo_options(int width, int height, double step, uint64_t seed) {
    endo_demo_options o = endo_demo_options_default();
    o.width = width;
    o.height = height;
    o.step = step;
    o.seed = seed;
    return o;
}

static const void *lend(void *user, int32_t frame, char *reason) {
    if (frame != broken) return demo_lend(user, frame, reason);
    snprintf(reason, ENDO_REASON_SIZE, "gone");
    return NULL;
}

static void keep_progress(void *user, double share) {
    (void)user;
    CHECK(share >= told && share <= 1);
    told = share;
}

static int is_cancelled(void *user) {
    (void)user;
    return cancels;
}

static int lines_with(const char *text) {
    int n = 0;
    for (int i = 0; i < events.n_lines; i++) n += strstr(events.lines[i], text) != NULL;
    return n;
}

static void set_options(void) {
    options = endo_mosaic_options_default();
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 2;
    options.painting = ENDO_MOSAIC_UNION;
    options.light = 0;
    options.picture = 0;
}

/* Of the frames of `from`; nothing is painted. */
static void open_with(demo_frames *from) {
    endo_mosaic_hooks hooks = {.progress = keep_progress, .cancelled = is_cancelled};
    workspace_setup setup = {.options = &options, .events = &events, .source = &from->source, .matches = 1};
    from->source.lend = lend;
    told = 0;
    events_init(&events, &hooks);
    CHECK(workspace_open(&setup, &w) == ENDO_OK);
}

static void close_all(void) {
    workspace_close(&w);
    events_free(&events);
}

static endo_transform truth(int reference, int current) {
    endo_transform poses[2];
    const int frames[] = {reference, current};
    for (int i = 0; i < 2; i++) CHECK(endo_demo_truth(true_demo, frames[i], &poses[i]) == ENDO_OK);
    return pose_between(&poses[0], &poses[1]);
}

/* How far a transform of two frames of the demo is off, px at the corners. */
static double off(const endo_mosaic_edge *edge) {
    endo_transform at = truth(edge->reference, edge->current);
    return frame_corner_distance(size, &edge->transform, &at);
}

static endo_transform beside(double away, endo_transform t) { return rig_times(pose_translation(away, 0), t); }

static void add_edge(mosaic_edges *edges, int reference, int current, endo_transform_class kind, double away) {
    endo_transform step = beside(away, truth(reference, current));
    const endo_mosaic_edge edge = {
        .transform = rig_of_kind(kind, &step),
        .deviation = 0.1,
        .reference = reference,
        .current = current,
    };
    CHECK(edges_add(edges, &edge) == ENDO_OK);
}

static int same_edges(const mosaic_edges *a, const mosaic_edges *b) {
    return a->n == b->n && (a->n == 0 || !memcmp(a->items, b->items, (size_t)a->n * sizeof *a->items));
}

/* A store of few frames in the place of the one that there is. */
static void shrink_store(int frames) {
    endo_frames_options few = field_of_view_options(&w->field, sequence_type(w->sequence), frames);
    frame_store_setup setup = {.context = w->computing.context, .sequence = w->sequence, .options = &few, .used = frames};
    frame_store_destroy(&w->store);
    few.flow = 1;
    few.highlights = ENDO_HIGHLIGHTS_REFINING;
    CHECK(frame_store_create(&setup, &w->store) == ENDO_OK);
}

/* ------------------------------------------------------------------ registered again */

static int go_through(reregistration *r) {
    int steps = 0;
    endo_status status = ENDO_OK;
    for (; status == ENDO_OK && !reregistration_done(r); steps++) status = reregistration_step(r);
    CHECK(status == ENDO_OK);
    return steps;
}

/* A simple pair and six similarities. */
static void make_simple(mosaic_edges *edges, double away) {
    add_edge(edges, 0, 2, ENDO_TRANSFORM_TRANSLATION, away);
    for (int i = 3; i < 9; i++) add_edge(edges, 0, i, ENDO_TRANSFORM_SIMILARITY, 0);
}

static endo_mosaic_edge simple_again(double away) {
    mosaic_edges edges = {.items = NULL};
    mosaic_edges before = {.items = NULL};
    reregistration *r;
    make_simple(&edges, away);
    CHECK(edges_replace(&before, &edges) == ENDO_OK);
    CHECK(reregistration_create(w, &options.pairs, &edges, &r) == ENDO_OK);
    CHECK(go_through(r) == 1 && edges.n == 7 && !memcmp(&edges.items[1], &before.items[1], 6 * sizeof *edges.items));
    endo_mosaic_edge again = edges.items[0];
    reregistration_destroy(&r);
    edges_free(&edges);
    edges_free(&before);
    return again;
}

/* It takes the class of the others, unless that puts it half a pixel from where it was. */
static void test_simple_pairs_are_registered_again(void) {
    for (int k = 0; k < 2; k++) {
        endo_mosaic_edge again = simple_again(k * 0.4);
        CHECK(again.transform.kind == ENDO_TRANSFORM_SIMILARITY && again.deviation != 0.1);
        CHECK_NEAR(off(&again), 0, 0.1);
    }
    CHECK(simple_again(0.6).transform.kind == ENDO_TRANSFORM_TRANSLATION);
}

static endo_mosaic_edge tilted_again(double away) {
    mosaic_edges edges = {.items = NULL};
    reregistration *r;
    add_edge(&edges, 0, 2, ENDO_TRANSFORM_SIMILARITY, away);
    CHECK(reregistration_create_tilted(w, &options.pairs, &edges, &r) == ENDO_OK && go_through(r) == 1);
    endo_mosaic_edge again = edges.items[0];
    reregistration_destroy(&r);
    edges_free(&edges);
    return again;
}

/* Within 12 px. */
static void test_pairs_become_homographies_near_where_they_were(void) {
    for (int k = 0; k < 2; k++) {
        endo_mosaic_edge again = tilted_again(k * 11.5);
        CHECK(again.transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
        CHECK_NEAR(off(&again), 0, 0.3);
    }
    CHECK(tilted_again(12.5).transform.kind == ENDO_TRANSFORM_SIMILARITY);
}

static int steps_of(mosaic_edges *edges, const endo_pairs_options *by) {
    reregistration *r;
    CHECK(reregistration_create_tilted(w, by, edges, &r) == ENDO_OK);
    int steps = go_through(r);
    reregistration_destroy(&r);
    return steps;
}

/* Doubtful ones are not, nor is any where another class or method was asked for. */
static void test_which_pairs_are_registered_again(void) {
    mosaic_edges edges = {.items = NULL};
    endo_pairs_options other = options.pairs;
    add_edge(&edges, 0, 1, ENDO_TRANSFORM_SIMILARITY, 0);
    other.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(steps_of(&edges, &other) == 0);
    other = options.pairs;
    other.method = ENDO_METHOD_PAPER;
    CHECK(steps_of(&edges, &other) == 0);
    edges.items[0].doubtful = 1;
    CHECK(steps_of(&edges, &options.pairs) == 0 && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    edges.items[0].doubtful = 0;
    CHECK(steps_of(&edges, &options.pairs) == 1 && edges.items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(steps_of(&edges, &options.pairs) == 0);
    edges_free(&edges);
}

/* Two edges of the same frames become the same. */
static void test_edges_of_the_same_frames_become_the_same(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 2; i++) add_edge(&edges, 0, 1, ENDO_TRANSFORM_SIMILARITY, 0.2 * i);
    CHECK(steps_of(&edges, &options.pairs) == 1);
    CHECK(edges.items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(!memcmp(&edges.items[0], &edges.items[1], sizeof *edges.items));
    edges_free(&edges);
}

static void test_sixteen_are_registered_together_or_what_the_store_holds(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 17; i++) {
        CHECK(steps_of(&edges, &options.pairs) == (i > 0));
        edges_clear(&edges);
        for (int k = 0; k <= i; k++) add_edge(&edges, k, k + 1, ENDO_TRANSFORM_RIGID, 0);
    }
    CHECK(steps_of(&edges, &options.pairs) == 2);
    edges_clear(&edges);
    for (int i = 0; i < 3; i++) add_edge(&edges, 2 * i, 2 * i + 1, ENDO_TRANSFORM_RIGID, 0);
    shrink_store(4);
    CHECK(steps_of(&edges, &options.pairs) == 2);
    for (int i = 0; i < 3; i++) CHECK(edges.items[i].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    edges_free(&edges);
}

static void test_frames_that_cannot_be_read_are_told(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 3; i++) add_edge(&edges, i, i + 1, ENDO_TRANSFORM_SIMILARITY, 0);
    broken = 3;
    open_with(&demo);
    CHECK(steps_of(&edges, &options.pairs) == 1 && lines_with("frame 4: gone again") == 1);
    CHECK(edges.items[1].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(edges.items[2].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    edges_clear(&edges);
    add_edge(&edges, 3, 4, ENDO_TRANSFORM_SIMILARITY, 0);
    CHECK(steps_of(&edges, &options.pairs) == 1 && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    broken = -1;
    close_all();
    edges_free(&edges);
}

/* Whatever allocation fails: edges are as they were, and the next try does it. */
static void test_a_failure_changes_no_edge(void) {
    mosaic_edges edges = {.items = NULL};
    mosaic_edges before = {.items = NULL};
    reregistration *r;
    int tries = 0;
    make_simple(&edges, 0);
    CHECK(edges_replace(&before, &edges) == ENDO_OK);
    CHECK(reregistration_create(w, &options.pairs, &edges, &r) == ENDO_OK);
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!reregistration_done(r) && same_edges(&edges, &before));
        memory_arm(tries + 1, 0);
        status = reregistration_step(r);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 5 && reregistration_done(r) && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    reregistration_destroy(&r);
    edges_free(&edges);
    edges_free(&before);
}

/* ---------------------------------------------------------------------- bridges */

static poses_rig rig;

/* A chain of frames of the demo whose edges of neighbours say too little. */
static void make_chain(int frames) {
    rig_clear(&rig);
    for (int i = 0; i < frames; i++) {
        endo_transform pose = truth(0, i);
        int frame = rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose);
        rig.frames[frame].component = 1;
        endo_transform step = truth(i > 0 ? i - 1 : 0, i);
        if (i > 0) rig_edge(&rig, i - 1, i, &step, 0.2);
    }
}

static mosaic_poses *given_poses(void) {
    mosaic_poses *poses = NULL;
    CHECK(poses_of_solved(rig.frames, rig.n, size, &poses) == ENDO_OK);
    return poses;
}

/* How many steps it takes; all that is found is added. */
static int build_bridges(mosaic_edges *out) {
    mosaic_poses *poses = given_poses();
    bridges *b;
    int steps = 0;
    CHECK(bridges_create(w, &options.pairs, rig.frames, rig.n, &rig.edges, &b) == ENDO_OK);
    endo_status status = ENDO_OK;
    for (; status == ENDO_OK && !bridges_done(b); steps++) status = bridges_step(b, poses, out);
    CHECK(status == ENDO_OK);
    bridges_destroy(&b);
    poses_destroy(&poses);
    return steps;
}

static int count_of(const mosaic_edges *edges, int frame) {
    int n = 0;
    for (int i = 0; i < edges->n; i++) n += edges->items[i].reference == frame || edges->items[i].current == frame;
    return n;
}

/* Across one frame and across two, in the order of the sequence. */
static void test_bridges_lie_where_the_frames_do(void) {
    mosaic_edges found = {.items = NULL};
    make_chain(10);
    CHECK(build_bridges(&found) == 1 && found.n == 8 + 7);
    for (int i = 0; i < found.n; i++) {
        int apart = found.items[i].current - found.items[i].reference;
        CHECK(apart >= 2 && apart <= 3 && (i == 0 || found.items[i].current >= found.items[i - 1].current));
        CHECK_NEAR(off(&found.items[i]), 0, 0.2);
    }
    edges_clear(&found);
    make_chain(11);
    CHECK(build_bridges(&found) == 2 && found.n == 9 + 8);
    edges_clear(&found);
    for (int i = 0; i < 2; i++) rig.edges.items[i].deviation = 0.1;
    CHECK(build_bridges(&found) == 1 && found.n == 16);
    edges_free(&found);
}

/* From 8 px on; five pairs have the frame in the middle. */
static void test_bridges_far_from_the_chain_are_left_out(void) {
    mosaic_edges found = {.items = NULL};
    for (int k = 0; k < 2; k++) {
        make_chain(10);
        rig.frames[9].pose = rig_times(rig.frames[9].pose, pose_translation(k == 0 ? 7.5 : 8.5, 0));
        edges_clear(&found);
        build_bridges(&found);
        CHECK(count_of(&found, 9) == (k == 0 ? 2 : 0) && found.n == (k == 0 ? 15 : 13));
    }
    edges_free(&found);
}

static void test_bridges_begin_within_a_component_and_before_the_horizon(void) {
    mosaic_edges found = {.items = NULL};
    make_chain(10);
    rig.frames[5].component = 0;
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    rig.frames[5].component = 2;
    edges_clear(&found);
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    rig.frames[5].component = 1;
    rig.frames[5].pose = rig_times(rig.frames[5].pose, rig_perspective(0.02, 0, (W - 1) / 2.0, (H - 1) / 2.0));
    edges_clear(&found);
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    edges_free(&found);
}

static void test_bridges_that_fail_are_the_next_again(void) {
    mosaic_edges found = {.items = NULL};
    bridges *b;
    int tries = 0;
    make_chain(6);
    mosaic_poses *poses = given_poses();
    CHECK(bridges_create(w, &options.pairs, rig.frames, rig.n, &rig.edges, &b) == ENDO_OK);
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!bridges_done(b) && found.n == 0);
        memory_arm(1 + tries * 3, 0);
        status = bridges_step(b, poses, &found);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 3 && bridges_done(b) && found.n == 4 + 3);
    bridges_destroy(&b);
    poses_destroy(&poses);
    edges_free(&found);
}

/* ------------------------------------------------------------------------ trial */

/* What a trial solves for: of edges as they were, and then of homographies. */
typedef struct two_ways {
    poses_rig *straight;
    poses_rig *tilted; /* NULL: the same */
    const mosaic_edges *edges[2];
    int follow; /* poses follow from the edges, too */
    int calls;
    int fails; /* this call of them does */
} two_ways;

static poses_rig other_rig;
static const mosaic_edges no_edges = {.items = NULL};

static endo_status solve_ways(void *self, const mosaic_edges *edges, mosaic_poses **out) {
    two_ways *ways = self;
    int call = ways->calls++;
    if (call == ways->fails) return endo_fail(ENDO_ERR_MEMORY, "not now");
    int is_tilted = edges->items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY;
    poses_rig *of = is_tilted && ways->tilted ? ways->tilted : ways->straight;
    return poses_create(of->frames, of->n, ways->follow ? edges : &no_edges, size, out);
}

/* All edges agree on a tilted plane, or they say nothing of it and are affine maps; lens: what they see of one. */
static void make_claims(int agree, double lens) {
    make_chain(FRAMES);
    for (int i = 0; i < rig.edges.n; i++) {
        endo_mosaic_edge *edge = &rig.edges.items[i];
        edge->deviation = 0.1;
        edge->perspective[0] = agree ? 5e-5 : 0;
        edge->perspective_deviation = 5e-6;
        edge->lens = lens;
        edge->lens_deviation = 0.01;
        edge->transform.kind = agree ? edge->transform.kind : ENDO_TRANSFORM_AFFINE;
    }
}

static key_frames keys_of_field(void) { return (key_frames){.field = w->field.bounds}; }

static tilted_trial *new_trial(const endo_pairs_options *by, const key_frames *keys) {
    tilted_trial *trial = (tilted_trial *)&rig;
    mosaic_poses *poses = rig_poses(&rig, size);
    CHECK(tilted_trial_create(w, by, poses, &rig.edges, keys, &trial) == ENDO_OK);
    poses_destroy(&poses);
    return trial;
}

static void test_where_homographies_are_tried(void) {
    key_frames keys = keys_of_field();
    endo_pairs_options by = options.pairs;
    tilted_trial *trial;
    for (int agree = 0; agree < 2; agree++) {
        make_claims(agree, 0);
        trial = new_trial(&by, &keys);
        CHECK(trial && !tilted_trial_has_begun(trial) && !tilted_trial_done(trial) && !tilted_trial_outcome(trial));
        tilted_trial_destroy(&trial);
        make_claims(agree, 0.1);
        CHECK(!new_trial(&by, &keys));
    }
    make_claims(1, 0);
    by.transform = ENDO_TRANSFORM_AFFINE;
    CHECK(!new_trial(&by, &keys));
    make_claims(0, 0);
    for (int i = 0; i < rig.edges.n; i++) rig.edges.items[i].transform.kind = ENDO_TRANSFORM_SIMILARITY;
    CHECK(!new_trial(&options.pairs, &keys));
}

/* To its end; returns the steps. */
static int go_through_trial(tilted_trial *trial, two_ways *ways) {
    int steps = 0;
    CHECK(tilted_trial_begin(trial, &rig.edges) == ENDO_OK && tilted_trial_has_begun(trial));
    for (; !tilted_trial_done(trial) && steps < 100; steps++) CHECK(tilted_trial_step(trial, solve_ways, ways) == ENDO_OK);
    return steps;
}

static void check_homographies(const tilted_trial *trial) {
    const mosaic_edges *edges = tilted_trial_edges(trial);
    int n = 0;
    CHECK(edges->n == rig.edges.n);
    for (int i = 0; i < edges->n; i++) {
        n += pose_is_homography(&edges->items[i].transform);
        CHECK(!pose_is_homography(&rig.edges.items[i].transform));
    }
    CHECK(n == edges->n);
}

/* Of a chain no edge contradicts another: nothing has to be held out. */
static void test_a_plane_that_all_see_tilted_is_taken(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .follow = 1, .fails = -1};
    make_claims(1, 0);
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 && ways.calls == 2 && tilted_trial_is_taken(trial));
    check_homographies(trial);
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(outcome && rig_begins(outcome, "a tilted plane is seen (") && !strstr(outcome, "held out"));
    CHECK(outcome && strstr(outcome, "deviations): all pairs were registered again as homographies (warp=Affine"));
    mosaic_poses *poses = tilted_trial_take_poses(trial);
    CHECK(poses && pose_is_homography(poses_pose(poses, FRAMES - 1)) && poses_components(poses) == 1);
    poses_destroy(&poses);
    tilted_trial_destroy(&trial);
    CHECK(!trial);
}

/* Homographies of their own that contradict the poses, which both ways have: nobody speaks for them. */
static void test_a_tilt_that_does_not_hold_is_told(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .fails = -1};
    make_claims(1, 0);
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 + 3 + 1 && ways.calls == 2 && !tilted_trial_is_taken(trial));
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(outcome && strstr(outcome, "), but homographies hold the sequence together no better: pairs stay as they are"));
    mosaic_poses *poses = tilted_trial_take_poses(trial);
    CHECK(poses && !pose_is_homography(poses_pose(poses, FRAMES - 1)));
    poses_destroy(&poses);
    tilted_trial_destroy(&trial);
}

/* Then nothing is held out. */
static void test_a_lost_frame_ends_the_trial(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .tilted = &other_rig, .fails = -1};
    make_claims(1, 0);
    other_rig = rig;
    other_rig.frames[FRAMES - 1].registered = 0;
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 && !tilted_trial_is_taken(trial) && tilted_trial_outcome(trial));
    tilted_trial_destroy(&trial);
}

/* Poses along the affine maps that are off by this much more from frame to frame, px. */
static tilted_trial *vote(two_ways *ways, const key_frames *keys, double growing, int *steps) {
    make_claims(0, 0);
    other_rig = rig;
    for (int i = 0; i < FRAMES; i++) other_rig.frames[i].pose = beside(growing * i, rig.frames[i].pose);
    tilted_trial *trial = new_trial(&options.pairs, keys);
    *steps = go_through_trial(trial, ways);
    return trial;
}

static void test_pairs_that_are_held_out_decide_where_edges_do_not_agree(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &other_rig, .tilted = &rig, .fails = -1};
    int steps;
    tilted_trial *trial = vote(&ways, &keys, 0.5, &steps);
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(steps == 3 + 1 + 3 + 1 && tilted_trial_is_taken(trial));
    CHECK(outcome && !strcmp(outcome,
                             "100 % of the pairs are affine maps, and homographies fit pairs that were held out better: "
                             "all pairs were registered again as homographies (warp=Affine prevents that)"));
    tilted_trial_destroy(&trial);
    ways = (two_ways){.straight = &rig, .tilted = &other_rig, .fails = -1};
    trial = vote(&ways, &keys, 0.5, &steps);
    CHECK(steps == 3 + 1 + 3 + 1 && !tilted_trial_is_taken(trial) && !tilted_trial_outcome(trial));
    tilted_trial_destroy(&trial);
}

static void test_a_trial_goes_on_after_a_failure(void) {
    key_frames keys = keys_of_field();
    for (int fails = 0; fails < 2; fails++) {
        two_ways ways = {.straight = &rig, .follow = 1, .fails = fails};
        int failures = 0;
        make_claims(1, 0);
        tilted_trial *trial = new_trial(&options.pairs, &keys);
        CHECK(tilted_trial_begin(trial, &rig.edges) == ENDO_OK);
        for (int i = 0; !tilted_trial_done(trial) && i < 9; i++)
            failures += tilted_trial_step(trial, solve_ways, &ways) == ENDO_ERR_MEMORY;
        CHECK(failures == 1 && ways.calls == fails + 3 && tilted_trial_is_taken(trial));
        tilted_trial_destroy(&trial);
    }
}

/* ------------------------------------------------------------------------ stage */

static chain_stage *chains;
static loop_stage *loops;

static void run_stage(stage_runner *runner, mosaic_stage stage) { CHECK(stage_runner_run(runner, &stage) == ENDO_OK); }

static void set_method(endo_pairs_method method) {
    set_options();
    options.pairs.method = method;
    options.pairs.transform = method == ENDO_METHOD_BEST ? ENDO_TRANSFORM_AUTO : ENDO_TRANSFORM_AFFINE;
}

/* Chains of all frames; the loops are begun. */
static stage_runner begin(demo_frames *from) {
    stage_runner runner = {.stages = 2};
    open_with(from);
    runner.workspace = w;
    CHECK(chain_stage_create(w, &chains) == ENDO_OK);
    run_stage(&runner, chain_stage_calls(chains));
    CHECK(chain_stage_finish(chains) == ENDO_OK && chain_stage_frames(chains) == from->source.frames);
    CHECK(loop_stage_create(w, chains, &loops) == ENDO_OK);
    return runner;
}

static void end(void) {
    loop_stage_destroy(&loops);
    chain_stage_destroy(&chains);
    CHECK(!loops && !chains);
    close_all();
}

static void run(demo_frames *from) {
    stage_runner runner = begin(from);
    mosaic_stage stage = loop_stage_calls(loops);
    char where[40];
    CHECK(!stage.calls->done(stage.self) && stage.calls->share(stage.self) < 1);
    stage.calls->where(stage.self, where, sizeof where);
    CHECK(!strcmp(where, "closing loops") && !stage.calls->held && !stage.calls->move_to);
    run_stage(&runner, stage);
    CHECK(stage.calls->done(stage.self) && stage.calls->share(stage.self) == 1 && told == 1);
}

/* Root mean square of how far poses are from the demo's, px; chained: those along the chain. */
static double drift(endo_demo *of, const mosaic_poses *poses, mosaic_size frame) {
    double sum = 0;
    int n = chain_stage_frames(chains);
    for (int i = 0; i < n; i++) {
        endo_transform at;
        CHECK(endo_demo_truth(of, i, &at) == ENDO_OK);
        double away = frame_corner_distance(frame, poses ? poses_pose(poses, i) : &chain_stage_records(chains)[i].pose, &at);
        sum += away * away;
    }
    return sqrt(sum / n);
}

static int same_poses(const mosaic_poses *a, const mosaic_poses *b, int n) {
    int same = 1;
    for (int i = 0; i < n; i++) {
        double deviations[] = {poses_deviation(a, i), poses_deviation(b, i)};
        same &= poses_component(a, i) == poses_component(b, i);
        same &= !memcmp(poses_pose(a, i), poses_pose(b, i), sizeof(endo_transform));
        same &= !memcmp(&deviations[0], &deviations[1], sizeof deviations[0]);
    }
    return same;
}

static mosaic_poses *solve_all(mosaic_size frame) {
    mosaic_poses *poses = NULL;
    endo_mosaic_frame *frames = chain_stage_records(chains);
    CHECK(poses_create(frames, chain_stage_frames(chains), loop_stage_edges(loops), frame, &poses) == ENDO_OK);
    CHECK(poses_solve(poses, w->computing.context) == ENDO_OK);
    return poses;
}

enum { LOOP_W = 240, LOOP_H = 200, LOOP_FRAMES = 60 };

static const mosaic_size loop_size = {LOOP_W, LOOP_H};
static demo_frames circle; /* the last frame meets the first */
static endo_demo *true_circle;

/* Poses follow from all edges together, of which those with frames far away keep the chain from drifting. */
static void test_loops_are_closed(void) {
    set_method(ENDO_METHOD_PAPER);
    run(&circle);
    int n = chain_stage_frames(chains);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    mosaic_poses *together = solve_all(loop_size);
    CHECK(same_poses(poses, together, n) && poses_components(poses) == 1);
    CHECK(drift(true_circle, poses, loop_size) < 0.5 * drift(true_circle, NULL, loop_size));
    const mosaic_edges *chained = chain_stage_edges(chains);
    const mosaic_edges *edges = loop_stage_edges(loops);
    CHECK(edges->n > chained->n && !memcmp(edges->items, chained->items, (size_t)chained->n * sizeof *edges->items));
    int longest = 0;
    for (int i = chained->n; i < edges->n; i++) {
        int apart = edges->items[i].current - edges->items[i].reference;
        longest = apart > longest ? apart : longest;
    }
    CHECK(longest > 40);
    CHECK(!loop_stage_take_poses(loops));
    poses_destroy(&poses);
    poses_destroy(&together);
    end();
}

static void test_without_loops_poses_are_those_of_the_chain(void) {
    set_options();
    options.solve = 0;
    run(&circle);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    CHECK(same_edges(loop_stage_edges(loops), chain_stage_edges(chains)));
    for (int i = 0; i < LOOP_FRAMES; i++) {
        CHECK(isnan(poses_deviation(poses, i)));
        CHECK(!memcmp(poses_pose(poses, i), &chain_stage_records(chains)[i].pose, sizeof(endo_transform)));
    }
    poses_destroy(&poses);
    end();
}

static void test_what_the_chains_painted_stays_until_the_end(void) {
    placed_frames painted = {0};
    set_options();
    begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    chain_stage_records(chains)[7].registered = 0;
    CHECK(stage.calls->painted(stage.self, &painted) == ENDO_OK && painted.n == LOOP_FRAMES - 1);
    for (int i = 0; i < painted.n; i++) {
        const placed_frame *item = &painted.items[i];
        const endo_mosaic_frame *record = &chain_stage_records(chains)[item->frame];
        CHECK(item->frame == i + (i >= 7) && item->slot == -1 && item->canvas == record->chain);
        CHECK(!memcmp(&item->pose, &record->pose, sizeof item->pose));
    }
    placed_free(&painted);
    end();
}

/* Each step fails at up to three allocations before it is done: edges and poses are those of a run that never failed. */
static void test_steps_that_fail_are_asked_again(endo_pairs_method method) {
    mosaic_edges edges = {.items = NULL};
    int failures = 0;
    set_method(method);
    run(&circle);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    CHECK(edges_replace(&edges, loop_stage_edges(loops)) == ENDO_OK);
    end();
    begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    uint32_t state = 1;
    for (int i = 0; !stage.calls->done(stage.self) && i < 1000; i++) {
        endo_status status = ENDO_ERR_MEMORY;
        for (int k = 0; k < 4 && status == ENDO_ERR_MEMORY; k++) {
            memory_arm(k == 3 ? 0 : 1 + (int)(demo_random(&state) % (k == 0 ? 12 : 100)), 0);
            status = stage.calls->step(stage.self);
            failures += status != ENDO_OK;
        }
        memory_arm(0, 0);
        CHECK(status == ENDO_OK);
    }
    mosaic_poses *again = loop_stage_take_poses(loops);
    CHECK(failures > 5 && same_edges(loop_stage_edges(loops), &edges) && same_poses(poses, again, LOOP_FRAMES));
    poses_destroy(&poses);
    poses_destroy(&again);
    edges_free(&edges);
    end();
}

/* Whatever allocation fails: nothing is made, and nothing is left. */
static void test_a_stage_that_cannot_be_made(void) {
    int tries = 0;
    set_options();
    begin(&circle);
    loop_stage_destroy(&loops);
    int alive = memory_alive;
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!loops && memory_alive == alive);
        memory_arm(tries + 1, 0);
        status = loop_stage_create(w, chains, &loops);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 20);
    end();
}

static void test_a_cancel_keeps_what_there_is(void) {
    set_options();
    stage_runner runner = begin(&circle);
    mosaic_stage stage = loop_stage_calls(loops);
    cancels = 1;
    run_stage(&runner, stage);
    CHECK(!stage.calls->done(stage.self) && same_edges(loop_stage_edges(loops), chain_stage_edges(chains)));
    cancels = 0;
    end();
}

/* ---------------------------------------------------------------- whole sequences */

/* The upper part of the one above the lower part of the other. */
static void tear(demo_frames *lower, const demo_frames *upper, int rows) {
    for (int i = 0; i < lower->source.frames; i++)
        memcpy(lower->pixels + (size_t)i * lower->bytes, upper->pixels + (size_t)i * upper->bytes,
               (size_t)rows * (size_t)lower->source.width * 4);
}

static void make_sweep(demo_frames *frames, double rotation) {
    endo_demo_options o = demo_options(320, 256, 3, 1);
    o.path = ENDO_DEMO_SWEEP;
    o.rotation = rotation;
    demo_make(frames, &o, 14, DEMO_RGB);
}

/* Edges of frames that lie between these distances apart, both included. */
static int edges_apart(int from, int to) {
    const mosaic_edges *edges = loop_stage_edges(loops);
    int n = 0;
    for (int i = 0; i < edges->n; i++) {
        int apart = edges->items[i].current - edges->items[i].reference;
        n += apart >= from && apart <= to;
    }
    return n;
}

/* Two parts of a scene that turn against each other, and no frame goes with the key frame. */
static void test_chains_of_neighbours_alone_are_bridged(void) {
    demo_frames lower;
    demo_frames upper;
    make_sweep(&upper, 5);
    set_options();
    run(&upper);
    CHECK(edges_apart(4, 14) > 0 && edges_apart(2, 3) == 0);
    end();
    make_sweep(&lower, 25);
    tear(&lower, &upper, 256 / 2 + 1);
    run(&lower);
    CHECK(edges_apart(4, 14) == 0 && edges_apart(2, 3) > 0);
    end();
    options.solve = 0;
    run(&lower);
    CHECK(edges_apart(2, 14) == 0);
    end();
    demo_free(&lower);
    demo_free(&upper);
}

/* Where a change of scale turns round it is too slow to be seen in a pair of neighbours, and adds up all the same. */
static void test_slow_changes_of_scale_are_not_lost(void) {
    endo_demo_options o = demo_options(LOOP_W, LOOP_H, 4, 7);
    demo_frames slow;
    double chain = 0;
    double worst = 0;
    o.frames = 1000;
    demo_make(&slow, &o, 140, DEMO_RGB);
    set_options();
    run(&slow);
    endo_context *context;
    endo_demo *true_slow;
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK && endo_demo_create(context, &o, &true_slow) == ENDO_OK);
    mosaic_poses *poses = loop_stage_take_poses(loops);
    for (int i = 0; i < 140; i++) {
        endo_transform at;
        CHECK(endo_demo_truth(true_slow, i, &at) == ENDO_OK);
        double scale = pose_determinant(&at);
        chain = fmax(chain, fabs(log(pose_determinant(&chain_stage_records(chains)[i].pose) / scale)) / 2);
        worst = fmax(worst, fabs(log(pose_determinant(poses_pose(poses, i)) / scale)) / 2);
    }
    CHECK(chain > 4e-3 && worst < 2e-3);
    poses_destroy(&poses);
    endo_demo_destroy(&true_slow);
    endo_context_destroy(&context);
    end();
    demo_free(&slow);
}

/* ------------------------------------------------------------------------- views */

#define FOCAL 220

static endo_transform homography(const double m[9]) {
    endo_transform t = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    for (int i = 0; i < 9; i++) t.matrix[i] = m[i] / m[8];
    return t;
}

/* Frame -> plane, of a camera above (x, y) that is turned about its own axes across and down, degrees. */
static endo_transform view(double x, double y, double across, double down) {
    double a = across * acos(-1) / 180;
    double b = down * acos(-1) / 180;
    double cx = (LOOP_W - 1) / 2.0;
    double cy = (LOOP_H - 1) / 2.0;
    const double turned_across[] = {FOCAL, 0, 0, 0, FOCAL * cos(a), -FOCAL * FOCAL * sin(a), 0, sin(a), FOCAL * cos(a)};
    const double turned_down[] = {FOCAL * cos(b), 0, FOCAL * FOCAL * sin(b), 0, FOCAL, 0, -sin(b), 0, FOCAL * cos(b)};
    endo_transform rays = rig_times(homography(turned_across), pose_translation(-cx, -cy));
    return rig_times(pose_translation(x + cx, y + cy), rig_times(homography(turned_down), rays));
}

/* n frames of a plane from `poses`, which become those against the first frame. */
static void make_frames(demo_frames *frames, endo_transform *poses, int n) {
    test_scene scene;
    size_t area = (size_t)LOOP_W * LOOP_H;
    test_scene_init(&scene, 11);
    *frames = (demo_frames){.bytes = area, .pixels = malloc((size_t)n * area)};
    frames->source = (endo_mosaic_source){
        .frames = n,
        .width = LOOP_W,
        .height = LOOP_H,
        .type = ENDO_GREY8,
        .user = frames,
    };
    for (size_t p = 0; p < (size_t)n * area; p++) {
        const endo_transform *at = &poses[p / area];
        double x = (double)(p % area % LOOP_W);
        double y = (double)(p % area / LOOP_W);
        double grey = test_scene_at(&scene, pose_x(at, x, y), pose_y(at, x, y));
        frames->pixels[p] = (uint8_t)floor(fmax(0, fmin(grey, 255)) + 0.5);
    }
    for (int i = n; i-- > 0;) poses[i] = pose_between(&poses[0], &poses[i]);
}

/* A scope that moves and tilts over a plane, by so many degrees at most. */
static void make_views(demo_frames *frames, endo_transform *poses, int n, double across, double down, double turn,
                       double turn_down) {
    for (int i = 0; i < n; i++) poses[i] = view(3 * i, 2 * i, across * sin(i * turn), down * sin(i * turn_down));
    make_frames(frames, poses, n);
}

/* How far the worst frame is off, px. */
static double worst_of(const endo_transform *at, int n) {
    double worst = 0;
    mosaic_poses *poses = loop_stage_take_poses(loops);
    for (int i = 0; i < n; i++) worst = fmax(worst, frame_corner_distance(loop_size, poses_pose(poses, i), &at[i]));
    poses_destroy(&poses);
    return worst;
}

/* Nobody asked for homographies: the pairs do. */
static void test_perspective_is_taken_in_where_all_pairs_see_it(void) {
    static endo_transform at[36];
    demo_frames frames;
    make_views(&frames, at, 36, 20, 15, 0.12, 0.08);
    set_options();
    run(&frames);
    CHECK(lines_with("a tilted plane is seen (") == 1 && lines_with("registered again as homographies") == 1);
    CHECK(worst_of(at, 36) < 0.5);
    end();
    options.pairs.transform = ENDO_TRANSFORM_AFFINE;
    run(&frames);
    CHECK(lines_with("homographies") == 0 && worst_of(at, 36) > 5);
    end();
    demo_free(&frames);
}

/* The scope tilts too little for so few pairs to agree on anything; those that are held out say it. */
static void test_short_runs_are_decided_by_pairs_that_are_held_out(void) {
    static endo_transform at[14];
    demo_frames frames;
    make_views(&frames, at, 14, 4, 3, 0.3, 0.2);
    set_options();
    run(&frames);
    CHECK(lines_with("homographies fit pairs that were held out better") == 1);
    CHECK(worst_of(at, 14) < 0.5);
    end();
    demo_free(&frames);
}

/* A short chain, and after a jump a longer one that comes back to where the first one ended: it begins beside nothing that was
 * seen before, and its end is found by spectra. */
static void test_components_are_tied_by_their_spectra(void) {
    enum { FIRST = 9, ALL = 32 };
    static endo_transform at[ALL];
    demo_frames frames;
    for (int i = 0; i < ALL; i++) at[i] = pose_translation(i < FIRST ? 12 * i : 360 - 12 * (i - FIRST), 0);
    make_frames(&frames, at, ALL);
    for (int solve = 0; solve < 2; solve++) {
        set_options();
        options.solve = solve;
        run(&frames);
        mosaic_poses *chained = NULL;
        mosaic_poses *poses = loop_stage_take_poses(loops);
        CHECK(poses_create(chain_stage_records(chains), ALL, chain_stage_edges(chains), loop_size, &chained) == ENDO_OK);
        CHECK(poses_components(chained) == 2 && poses_components(poses) == 1 && poses_frames(poses, 1) == ALL);
        CHECK(loop_stage_edges(loops)->n > chain_stage_edges(chains)->n);
        for (int i = 0; i < ALL; i++) {
            endo_transform of_first = pose_between(poses_pose(poses, 0), poses_pose(poses, i));
            CHECK_NEAR(frame_corner_distance(loop_size, &of_first, &at[i]), 0, 0.5);
        }
        poses_destroy(&poses);
        poses_destroy(&chained);
        end();
    }
    demo_free(&frames);
}

/* ------------------------------------------------------------------------- main */

static void test_queue(void) {
    test_five_rounds_though_all_of_them_find_pairs();
    test_a_round_that_finds_nothing_is_the_last_unless_it_is_the_first();
    test_a_round_without_pairs_is_the_last();
    test_near_pairs_come_first_as_many_as_the_store_holds();
    test_frames_are_counted_once();
    test_far_pairs_come_four_at_a_time_against_one_key_frame();
}

static void test_pieces(void) {
    set_options();
    open_with(&demo);
    test_simple_pairs_are_registered_again();
    test_pairs_become_homographies_near_where_they_were();
    test_which_pairs_are_registered_again();
    test_edges_of_the_same_frames_become_the_same();
    test_a_failure_changes_no_edge();
    test_bridges_lie_where_the_frames_do();
    test_bridges_far_from_the_chain_are_left_out();
    test_bridges_begin_within_a_component_and_before_the_horizon();
    test_bridges_that_fail_are_the_next_again();
    test_where_homographies_are_tried();
    test_a_plane_that_all_see_tilted_is_taken();
    test_a_tilt_that_does_not_hold_is_told();
    test_a_lost_frame_ends_the_trial();
    test_pairs_that_are_held_out_decide_where_edges_do_not_agree();
    test_a_trial_goes_on_after_a_failure();
    test_sixteen_are_registered_together_or_what_the_store_holds();
    close_all();
    test_frames_that_cannot_be_read_are_told();
}

static void test_stage(void) {
    test_loops_are_closed();
    test_without_loops_poses_are_those_of_the_chain();
    test_what_the_chains_painted_stays_until_the_end();
    test_steps_that_fail_are_asked_again(ENDO_METHOD_PAPER);
    test_steps_that_fail_are_asked_again(ENDO_METHOD_BEST);
    test_a_stage_that_cannot_be_made();
    test_a_cancel_keeps_what_there_is();
    test_chains_of_neighbours_alone_are_bridged();
    test_slow_changes_of_scale_are_not_lost();
    test_perspective_is_taken_in_where_all_pairs_see_it();
    test_short_runs_are_decided_by_pairs_that_are_held_out();
    test_components_are_tied_by_their_spectra();
}

int main(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context;
    endo_demo_options o = demo_options(W, H, 4, 5);
    endo_demo_options large = demo_options(LOOP_W, LOOP_H, 4, 5);
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    CHECK(endo_demo_create(context, &o, &true_demo) == ENDO_OK);
    CHECK(endo_demo_create(context, &large, &true_circle) == ENDO_OK);
    demo_make(&demo, &o, FRAMES, DEMO_RGB);
    demo_make(&circle, &large, LOOP_FRAMES, DEMO_RGB);
    test_queue();
    test_pieces();
    test_stage();
    endo_demo_destroy(&true_demo);
    endo_demo_destroy(&true_circle);
    endo_context_destroy(&context);
    demo_free(&demo);
    demo_free(&circle);
    edges_free(&rig.edges);
    CHECK(memory_alive == 0);
    return check_summary("test_mosaic_loops");
}
