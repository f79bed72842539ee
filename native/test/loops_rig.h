/* Loops of a panorama: a run over frames of the demo, whose true poses are known, and edges between them. */
#ifndef ENDO_TEST_LOOPS_RIG_H
#define ENDO_TEST_LOOPS_RIG_H

#include "systems/mosaic/loop_stage.h"
#include "systems/mosaic/reregistration.h"
#include "demo_rig.h"
#include "memory_allocator.h"
#include "poses_rig.h"

enum { SMALL_W = 200, SMALL_H = 160, SMALL_FRAMES = 40 };

static const mosaic_size small_size = {SMALL_W, SMALL_H};
static demo_frames small_demo;
static endo_demo *small_truth;
static endo_mosaic_options options;
static mosaic_events events;
static mosaic_workspace *workspace;
static poses_rig rig;
static int unreadable_frame = -1; /* -1: all can be read */
static int is_cancelling;         /* 1: the run is asked to end */
static double progress_told;      /* share of the run */

static inline endo_demo_options demo_options(int width, int height, double step, uint64_t seed) {
    endo_demo_options o = endo_demo_options_default();
    o.width = width;
    o.height = height;
    o.step = step;
    o.seed = seed;
    return o;
}

static inline const void *lend(void *user, int32_t frame, char *reason) {
    if (frame != unreadable_frame) return demo_lend(user, frame, reason);
    snprintf(reason, ENDO_REASON_SIZE, "gone");
    return NULL;
}

static inline void keep_progress(void *user, double share) {
    (void)user;
    CHECK(share >= progress_told && share <= 1);
    progress_told = share;
}

static inline int is_cancelled(void *user) {
    (void)user;
    return is_cancelling;
}

/* How many lines of the log contain a text. */
static inline int lines_with(const char *text) {
    int n = 0;
    for (int i = 0; i < events.n_lines; i++) n += strstr(events.lines[i], text) != NULL;
    return n;
}

static inline void set_options(void) {
    options = endo_mosaic_options_default();
    options.lens = 0; /* rigs open the workspace themselves */
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 2;
    options.painting = ENDO_MOSAIC_UNION;
    options.light = 0;
    options.picture = 0;
}

/* Opens a workspace over the frames of `from`; nothing is painted. */
static inline void open_workspace(demo_frames *from) {
    endo_mosaic_hooks hooks = {.progress = keep_progress, .cancelled = is_cancelled};
    workspace_setup setup = {.options = &options, .events = &events, .source = &from->source, .matches = 1};
    from->source.lend = lend;
    progress_told = 0;
    events_init(&events, &hooks);
    CHECK(workspace_open(&setup, &workspace) == ENDO_OK);
}

static inline void close_workspace(void) {
    workspace_close(&workspace);
    events_free(&events);
}

/* The relative transform of two frames of the small demo: current -> reference. */
static inline endo_transform true_step(int reference, int current) {
    endo_transform poses[2];
    const int frames[] = {reference, current};
    for (int i = 0; i < 2; i++) CHECK(endo_demo_truth(small_truth, frames[i], &poses[i]) == ENDO_OK);
    return pose_between(&poses[0], &poses[1]);
}

/* How far the transform of an edge of the small demo is off, px at the corners. */
static inline double edge_error(const endo_mosaic_edge *edge) {
    endo_transform at = true_step(edge->reference, edge->current);
    return frame_corner_distance(small_size, &edge->transform, &at);
}

/* A transform that is off by `away` px to the right. */
static inline endo_transform shifted(double away, endo_transform t) { return rig_times(pose_translation(away, 0), t); }

static inline void add_edge(mosaic_edges *edges, int reference, int current, endo_transform_class kind, double away) {
    endo_transform step = shifted(away, true_step(reference, current));
    const endo_mosaic_edge edge = {
        .transform = rig_of_kind(kind, &step),
        .deviation = 0.1,
        .reference = reference,
        .current = current,
    };
    CHECK(edges_add(edges, &edge) == ENDO_OK);
}

static inline int same_edges(const mosaic_edges *a, const mosaic_edges *b) {
    return a->n == b->n && (a->n == 0 || !memcmp(a->items, b->items, (size_t)a->n * sizeof *a->items));
}

/* A store of few frames in the place of the one that there is. */
static inline void shrink_store(int frames) {
    endo_frames_options few = field_of_view_options(&workspace->field, sequence_type(workspace->sequence), frames);
    frame_store_setup setup = {
        .context = workspace->computing.context,
        .sequence = workspace->sequence,
        .options = &few,
        .used = frames,
    };
    frame_store_destroy(&workspace->store);
    few.flow = 1;
    few.highlights = ENDO_HIGHLIGHTS_REFINING;
    CHECK(frame_store_create(&setup, &workspace->store) == ENDO_OK);
}

/* Fills the rig with a chain of frames of the small demo whose edges of neighbours say too little. */
static inline void make_chain(int frames) {
    rig_clear(&rig);
    for (int i = 0; i < frames; i++) {
        endo_transform pose = true_step(0, i);
        int frame = rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose);
        rig.frames[frame].component = 1;
        endo_transform step = true_step(i > 0 ? i - 1 : 0, i);
        if (i > 0) rig_edge(&rig, i - 1, i, &step, 0.2);
    }
}

static inline void open_small_demo(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_context *context;
    endo_demo_options o = demo_options(SMALL_W, SMALL_H, 4, 5);
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    CHECK(endo_demo_create(context, &o, &small_truth) == ENDO_OK);
    demo_make(&small_demo, &o, SMALL_FRAMES, DEMO_RGB);
    endo_context_destroy(&context);
}

/* Frees the small demo, its truth and the edges; nothing else may be left in memory. */
static inline void close_small_demo(void) {
    endo_demo_destroy(&small_truth);
    demo_free(&small_demo);
    edges_free(&rig.edges);
    CHECK(memory_alive == 0);
}

#endif
