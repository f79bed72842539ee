/* A made-up world for the first stage: which scene each frame shows, and where. The library's store and the workspace are the
 * true ones, over small frames of one grey value each; what registers frames is a stand-in that knows the world, looks whether
 * it is given the slots in which the frames are, and can fail. So are canvases, light and sharpness. */
#ifndef ENDO_TEST_CHAIN_RIG_H
#define ENDO_TEST_CHAIN_RIG_H

#include "base/memory.h"
#include "systems/mosaic/chain_stage.h"
#include "systems/mosaic/frame_chain.h"
#include "systems/mosaic/guided_pairs.h"
#include "systems/mosaic/relocaliser.h"
#include "systems/mosaic/workspace_state.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define W 64
#define H 48
#define WORLD 200 /* frames at most */
#define BLANK (-1)

typedef struct world_frame {
    int scene;    /* frames of two scenes do not go together; BLANK: no texture */
    double x;     /* where in the scene, px */
    double slip;  /* px that its pairs with neighbours are wrong by */
    int is_turned; /* upside down */
    int damage;   /* kind of it: frames of two kinds differ; 0: none */
    double share; /* that a damaged frame differs by */
    double quality; /* of pairs with it, which then have few landmarks; 0: enough of them */
    int is_lost;  /* found by its spectrum alone */
    int is_oblique;
    int is_unreadable;
} world_frame;

typedef struct world_pair {
    int reference, current;
    double distance; /* that it may be away from where it was said to be, px */
} world_pair;

static struct {
    world_frame frames[WORLD];
    int n;
    uint8_t grey[WORLD][W * H];
    endo_mosaic_source source;
    int n_lent;
    int calls;         /* of the library, as far as stand-ins are it */
    int fails_at;      /* this call fails; -1: none */
    int n_fails;       /* so many calls fail from there on */
    endo_status fails; /* with this */
    int is_wrong;      /* a slot did not hold its frame */
    int batches[WORLD];
    int n_batches;
    world_pair searched[WORLD]; /* first frames of batches, and what they are searched for beside */
    int n_searched;
    int nearby[WORLD]; /* frames that were not searched for everywhere */
    int n_nearby;
    int repeats_at; /* a frame that is asked for its rivals, of which one 6 px away is better; 0: none */
    int delay; /* us that a frame of a batch takes */
    world_pair guided[WORLD];
    int n_guided;
} world;

/* ------------------------------------------------------------------------ the world */

static void world_clear(int n) {
    memset(&world, 0, sizeof world);
    world.n = n;
    world.fails_at = -1;
    for (int i = 0; i < n; i++) {
        world.frames[i].x = 3 * i;
        memset(world.grey[i], i, W * H);
    }
}

static void world_scene(int first, int last, int scene) {
    for (int i = first; i <= last; i++) world.frames[i].scene = scene;
}

static void world_damage(int first, int last, int kind, double share) {
    for (int i = first; i <= last; i++) {
        world.frames[i].damage = kind;
        world.frames[i].share = share;
    }
}

static void world_turn(int first, int last) {
    for (int i = first; i <= last; i++) world.frames[i].is_turned = 1;
}

static const void *world_lend(void *user, int32_t frame, char *reason) {
    (void)user;
    world.n_lent++;
    if (!world.frames[frame].is_unreadable) return world.grey[frame];
    snprintf(reason, ENDO_REASON_SIZE, "torn");
    return NULL;
}

/* Current -> reference. */
static endo_transform world_between(int reference, int current) {
    const world_frame *a = &world.frames[reference];
    const world_frame *b = &world.frames[current];
    const double turned[6] = {-1, 0, W - 1, 0, -1, H - 1};
    endo_transform turn = endo_transform_make(ENDO_TRANSFORM_RIGID, turned);
    endo_transform shift = pose_translation(b->x - a->x, 0);
    if (a->is_turned) shift = pose_times(&turn, &shift);
    return b->is_turned ? pose_times(&shift, &turn) : shift;
}

/* The right side of it is next to the horizon. */
static endo_transform world_oblique(void) {
    const double g[2] = {-0.99 / (W - 1), 0};
    return pose_perspective(g, 0, 0);
}

static int world_differ(int a, int b) {
    const world_frame *one = &world.frames[a];
    const world_frame *other = &world.frames[b];
    return one->damage != other->damage;
}

static double world_share(int a, int b) {
    const world_frame *one = &world.frames[a];
    const world_frame *other = &world.frames[b];
    if (!world_differ(a, b)) return 0.02;
    return one->share > other->share ? one->share : other->share;
}

static pair_match world_match(int reference, int current) {
    const world_frame *a = &world.frames[reference];
    const world_frame *b = &world.frames[current];
    pair_match m = {
        .transform = world_between(reference, current),
        .result = {.quality = 0.9, .mean_coefficient = 0.8, .deviation = 0.1, .landmarks = 60, .found = 50, .used = 40},
        .reference = reference,
        .status = ENDO_FRAME_OK,
        .differing = world_share(reference, current),
        .tile = 0.01,
        .milliseconds = 1,
    };
    double few = a->quality > 0 ? a->quality : b->quality;
    m.transform.matrix[2] += b->slip - a->slip;
    if (b->is_oblique) m.transform = world_oblique();
    if (few > 0) {
        m.status = ENDO_FRAME_FEW_LANDMARKS;
        m.result.quality = few;
    }
    if (a->scene != b->scene || a->is_lost || b->is_lost) {
        m.status = ENDO_FRAME_JUMP;
        m.transform = pose_identity;
        m.differing = 0;
    }
    m.result.transform = m.transform;
    return m;
}

/* A call of the library, which may fail. */
static endo_status world_call(void) {
    int call = world.calls++;
    if (world.fails_at < 0 || call < world.fails_at || call >= world.fails_at + world.n_fails) return ENDO_OK;
    return endo_fail(world.fails, "as asked for at call %d", call);
}

/* The frame that a slot holds. */
static int world_frame_in(endo_frames *frames, int slot) {
    static uint8_t grey[W * H];
    return endo_frames_get_grey(frames, slot, grey) == ENDO_OK ? grey[0] : -1;
}

static void world_expect_in(endo_frames *frames, int slot, int frame) {
    world.is_wrong |= world_frame_in(frames, slot) != frame;
}

/* ------------------------------------------------------------- what registers frames */

struct pair_cache {
    int nothing;
};

struct pair_batch {
    int n;
};

endo_status pair_cache_create(pair_cache **out) {
    *out = calloc(1, sizeof **out);
    return ENDO_OK;
}

void pair_cache_destroy(pair_cache **pairs) {
    free(*pairs);
    *pairs = NULL;
}

endo_status pair_batch_create(frame_matcher *m, const placed_frame *before, int from, const int *slots, int n,
                              pair_batch **out) {
    ENDO_TRY(world_call());
    if (before) world_expect_in(m->frames, before->slot, before->frame);
    for (int i = 0; i < n; i++)
        if (slots[i] >= 0) world_expect_in(m->frames, slots[i], from + i);
    for (int i = 0; i < n; i++) world.is_wrong |= (slots[i] < 0) != world.frames[from + i].is_unreadable;
    if (before && world.n_searched < WORLD) world.searched[world.n_searched++] = (world_pair){before->frame, from, 0};
    if (world.n_batches < WORLD) world.batches[world.n_batches++] = n;
    if (world.delay) usleep((useconds_t)(n * world.delay));
    *out = calloc(1, sizeof **out);
    return ENDO_OK;
}

void pair_batch_destroy(pair_batch **batch) {
    free(*batch);
    *batch = NULL;
}

endo_status frame_matcher_match(frame_matcher *m, const placed_frame *reference, int frame, int slot, const pair_batch *batch,
                                pair_match *out) {
    (void)batch;
    ENDO_TRY(world_call());
    world_expect_in(m->frames, reference->slot, reference->frame);
    world_expect_in(m->frames, slot, frame);
    world.is_wrong |= reference->frame == frame;
    *out = world_match(reference->frame, frame);
    if (!world.repeats_at || frame != world.repeats_at) return ENDO_OK;
    out->knows_rivals = out->repeats = 1;
    out->best = out->result;
    out->best.transform.matrix[2] += 6;
    out->best.status = ENDO_PAIR_OK;
    return ENDO_OK;
}

endo_status frame_matcher_match_nearby(frame_matcher *m, const placed_frame *reference, int frame, int slot, pair_match *out) {
    if (world.n_nearby < WORLD) world.nearby[world.n_nearby++] = frame;
    return frame_matcher_match(m, reference, frame, slot, NULL, out);
}

int frame_matcher_asks_rivals(const frame_matcher *m, int frame) {
    (void)m;
    return world.repeats_at && frame == world.repeats_at;
}

endo_status frame_matcher_has_texture(frame_matcher *m, int slot, int *has) {
    ENDO_TRY(world_call());
    *has = world.frames[world_frame_in(m->frames, slot)].scene != BLANK;
    return ENDO_OK;
}

endo_status guided_pairs_add(guided_pairs *pairs, const guided_pair *pair) {
    guided_pair added = *pair;
    endo_status status = ARRAY_RESERVE(pairs->items, pairs->capacity, pairs->n + 1);
    if (status == ENDO_OK) pairs->items[pairs->n++] = added;
    return status;
}

void guided_pairs_free(guided_pairs *pairs) {
    endo_free(pairs->items);
    *pairs = (guided_pairs){0};
}

endo_status guided_pairs_near(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                              mosaic_size size, double distance, mosaic_edges *out) {
    (void)options;
    ENDO_TRY(world_call());
    for (int i = 0; i < pairs->n; i++) {
        const guided_pair *p = &pairs->items[i];
        endo_transform truth = world_between(p->reference, p->current);
        pair_match match = world_match(p->reference, p->current);
        world_expect_in(frames, p->reference_slot, p->reference);
        world_expect_in(frames, p->current_slot, p->current);
        world.guided[world.n_guided++] = (world_pair){p->reference, p->current, distance};
        match.transform = truth;
        endo_mosaic_edge edge = pair_match_edge(&match, p->current);
        if (frame_corner_distance(size, &truth, &p->start) <= distance) ENDO_TRY(edges_add(out, &edge));
    }
    return ENDO_OK;
}

endo_status guided_pairs_checked(const guided_pairs *pairs, endo_frames *frames, const endo_pairs_options *options,
                                 const plausibility *usual, pair_match *matches, int *accepted) {
    (void)pairs, (void)frames, (void)options, (void)usual, (void)matches, (void)accepted;
    return ENDO_ERR_INTERNAL;
}

struct spectra {
    int nothing;
};

endo_status spectra_create(endo_context *context, mosaic_sequence *sequence, const field_of_view *field,
                           const endo_pairs_options *asked, mosaic_events *events, spectra **out) {
    (void)context, (void)sequence, (void)field, (void)asked, (void)events;
    *out = calloc(1, sizeof **out);
    return ENDO_OK;
}

void spectra_destroy(spectra **s) {
    free(*s);
    *s = NULL;
}

endo_status spectra_register(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches) {
    (void)s, (void)one, (void)others, (void)n, (void)is_reference, (void)matches;
    return ENDO_ERR_INTERNAL;
}

endo_status spectra_search(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches) {
    (void)s;
    ENDO_TRY(world_call());
    world.is_wrong |= is_reference;
    for (int i = 0; i < n; i++) {
        double away = fabs(world.frames[one].x - world.frames[others[i]].x);
        matches[i] = (spectra_match){
            .is_accepted = world.frames[one].scene == world.frames[others[i]].scene && world.frames[one].scene != BLANK,
            .reference = others[i],
            .current = one,
            .transform = world_between(others[i], one),
            .ncc = 0.9 - 0.001 * away,
            .overlap = 0.9,
            .deviation = 0.1,
        };
    }
    return ENDO_OK;
}

endo_mosaic_edge spectra_edge(const spectra_match *match) {
    return (endo_mosaic_edge){
        .transform = match->transform,
        .deviation = match->deviation,
        .reference = match->reference,
        .current = match->current,
    };
}

void spectra_describe(const spectra_match *match, endo_mosaic_frame *frame) {
    frame->reference = match->reference;
    frame->quality = match->ncc;
}

/* ----------------------------------------------------------------------- pictures */

struct mosaic_canvases {
    int painted[WORLD]; /* how often */
    int order[WORLD];   /* frames, as they were painted */
    int n;
    int is_lost; /* with a back end that fails */
};

struct light_of_scope {
    int nothing;
};

struct sharpness {
    int nothing;
};

endo_status canvases_create(endo_context *const *context, const endo_mosaic_options *options, mosaic_sequence *sequence,
                            const field_of_view *field, mosaic_canvases **out) {
    (void)context, (void)options, (void)sequence, (void)field;
    *out = calloc(1, sizeof **out);
    return ENDO_OK;
}

void canvases_destroy(mosaic_canvases **canvases) {
    free(*canvases);
    *canvases = NULL;
}

const char *canvases_full(const mosaic_canvases *c) {
    (void)c;
    return NULL;
}

int canvases_uses(const mosaic_canvases *c) {
    (void)c;
    return ENDO_USE_ANY;
}

endo_status canvases_paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n) {
    for (int i = 0; i < n; i++) {
        world_expect_in(frames, items[i].slot, items[i].frame);
        c->painted[items[i].frame]++;
        c->order[c->n++] = items[i].frame;
    }
    return ENDO_OK;
}

endo_status canvases_snapshot(mosaic_canvases *c, int canvas, panorama_store **out) {
    (void)c, (void)canvas;
    *out = NULL;
    return ENDO_OK;
}

int canvases_is_blending(const mosaic_canvases *c) {
    (void)c;
    return 0;
}

void canvases_drop_band(mosaic_canvases *c) { (void)c; }

void canvases_set_band_rows(mosaic_canvases *c, int rows) { (void)c, (void)rows; }

int canvases_stop_where_memory_ends(mosaic_canvases *c) {
    (void)c;
    return 0;
}

int canvases_leave(mosaic_canvases *c) { return !c->is_lost; }

int canvases_enter(mosaic_canvases *c) {
    (void)c;
    return 1;
}

void canvases_clear(mosaic_canvases *c) { memset(c, 0, sizeof *c); }

endo_status light_of_scope_create(const field_of_view *field, endo_pixel type, int frames, int threads, light_of_scope **out) {
    (void)field, (void)type, (void)frames, (void)threads, (void)out;
    return ENDO_ERR_INTERNAL;
}

void light_of_scope_destroy(light_of_scope **light) { (void)light; }

mosaic_observer light_of_scope_observer(light_of_scope *light) {
    (void)light;
    return (mosaic_observer){0};
}

endo_status sharpness_create(const mosaic_sequence *sequence, sharpness **out) {
    (void)sequence, (void)out;
    return ENDO_ERR_INTERNAL;
}

void sharpness_destroy(sharpness **s) { (void)s; }

mosaic_observer sharpness_observer(sharpness *s) {
    (void)s;
    return (mosaic_observer){0};
}

/* --------------------------------------------------------------------------- runs */

static endo_mosaic_options options;
static mosaic_events events;
static mosaic_workspace *w;
static chain_stage *stage;
static int cancels_after; /* frames that were read; 0: never */
static int canvases_told[WORLD];
static int n_told;

static int is_cancelled(void *user) {
    (void)user;
    return cancels_after && world.n_lent >= cancels_after;
}

static void keep_canvas(void *user, int32_t canvas) {
    (void)user;
    if (n_told < WORLD) canvases_told[n_told++] = canvas;
}

static void set_options(void) {
    options = (endo_mosaic_options){
        .context = endo_context_options_default(),
        .pairs = endo_pairs_options_default(),
        .field = ENDO_MOSAIC_FIELD_WHOLE,
        .solve = 1,
        .painting = ENDO_MOSAIC_UNION,
        .picture = 1,
        .rim = 1,
        .memory = (int64_t)1 << 30,
    };
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 1;
    options.pairs.initial = ENDO_INITIAL_NONE;
}

static void open_world(mosaic_faults faults) {
    endo_mosaic_hooks hooks = {.cancelled = is_cancelled, .painted = keep_canvas};
    workspace_setup setup = {
        .options = &options,
        .events = &events,
        .source = &world.source,
        .matches = 1,
        .pictures = 1,
        .faults = faults,
    };
    world.source = (endo_mosaic_source){
        .frames = world.n,
        .width = W,
        .height = H,
        .type = ENDO_GREY8,
        .lend = world_lend,
    };
    n_told = 0;
    events_init(&events, &hooks);
    endo_status status = workspace_open(&setup, &w);
    CHECK(status == ENDO_OK);
    if (status != ENDO_OK) {
        printf("%s\n", endo_last_error());
        exit(1);
    }
}

static void close_world(void) {
    chain_stage_destroy(&stage);
    workspace_close(&w);
    events_free(&events);
    CHECK(!world.is_wrong);
}

static endo_status finish(void *self) { return chain_stage_finish(self); }

/* The whole stage; it stays open. */
static endo_status run_chains(void) {
    stage_runner runner = {.stages = 3};
    CHECK(chain_stage_create(w, &stage) == ENDO_OK);
    mosaic_stage calls = chain_stage_calls(stage);
    runner.workspace = w;
    world.calls = 0;
    endo_status status = stage_runner_run(&runner, &calls);
    return status == ENDO_OK ? workspace_persist(w, &calls, finish, stage) : status;
}

static void run_world(void) {
    set_options();
    open_world((mosaic_faults){0});
    CHECK(run_chains() == ENDO_OK);
    CHECK(chain_stage_frames(stage) == world.n);
}

static const endo_mosaic_frame *record(int frame) { return &chain_stage_records(stage)[frame]; }

static int status_of(int frame) { return record(frame)->status; }

static int said(const char *line) {
    int n = 0;
    for (int i = 0; i < events.n_lines; i++) n += !strcmp(events.lines[i], line);
    return n;
}

static int lines_with(const char *text) {
    int n = 0;
    for (int i = 0; i < events.n_lines; i++) n += strstr(events.lines[i], text) != NULL;
    return n;
}

/* One of first..last is registered / all are, on a canvas, where the world has them against a frame. */
static int some_are_registered(int first, int last) {
    for (int i = first; i <= last; i++)
        if (record(i)->registered) return 1;
    return 0;
}

static int are_placed(int first, int last, int canvas, int against) {
    for (int i = first; i <= last; i++) {
        endo_transform truth = world_between(against, i);
        if (!record(i)->registered || record(i)->chain != canvas) return 0;
        if (frame_corner_distance((mosaic_size){W, H}, &truth, &record(i)->pose) > 1e-9) return 0;
    }
    return 1;
}

static int has_edge(int reference, int current) {
    const mosaic_edges *edges = chain_stage_edges(stage);
    int n = 0;
    for (int i = 0; i < edges->n; i++) n += edges->items[i].reference == reference && edges->items[i].current == current;
    return n;
}

#endif
