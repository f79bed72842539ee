/* The stages that look at frames, paint them again and blend them: in which order, on which canvases, and what becomes of them
 * where something fails. Workspace, canvases, light and weights are stand-ins here, which remember what they were asked. */
#include "systems/mosaic/paint_stages.h"

#include "systems/mosaic/relief_search.h"
#include "systems/mosaic/workspace_state.h"
#include "poses_rig.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- stand-ins */

/* The calls that were made, in order: a word each, and numbers. */
static char asked[4000];

static void note(const char *what) {
    if (strlen(asked) + strlen(what) + 2 < sizeof asked) strcat(asked, what);
}

static void note_number(const char *what, int number) {
    char text[40];
    snprintf(text, sizeof text, "%s%d ", what, number);
    note(text);
}

/* Whether exactly these calls were noted since the last time that this was asked. */
static int was_asked(const char *wanted) {
    int same = !strcmp(asked, wanted);
    if (!same) printf("asked \"%s\", not \"%s\"\n", asked, wanted);
    asked[0] = 0;
    return same;
}

struct frame_store {
    int unreadable; /* a frame; -1: none */
    endo_status fails;
};

struct mosaic_canvases {
    int is_blending, bands, has_band, next, passes;
    placed_frame items[40];
    int n;
    const placed_frames *given;
    const frame_weights *weights;
    int halves;               /* rows of a band that is halved */
    endo_status begin_fails;  /* once */
    endo_status start_fails;  /* once */
    const char *full;
};

struct light_of_scope {
    int is_solved;
    endo_status fails; /* once */
};

static struct frame_store store;
static struct mosaic_canvases canvases;
static struct light_of_scope light;
static mosaic_events events;
static int eyes; /* for what judges sharpness */
static mosaic_workspace work;
static endo_mosaic_options options;
static poses_rig rig;
static endo_status paint_fails; /* once */
static int left_over;           /* frames that still wait after the painting: it was cancelled */
static int keeps_frames;
static char lines[4][200];
static int n_lines;
static endo_event_kind last_kind;

static endo_status once(endo_status *status) {
    endo_status now = *status;
    *status = ENDO_OK;
    return now == ENDO_OK ? ENDO_OK : endo_fail(now, "full");
}

endo_status workspace_need_store(const mosaic_workspace *w) {
    return w->store ? ENDO_OK : endo_fail(ENDO_ERR_DEVICE, "there is no store");
}

endo_status workspace_await_observers(mosaic_workspace *w) {
    (void)w;
    note("await ");
    return ENDO_OK;
}

endo_status workspace_paint_deferred(mosaic_workspace *w) {
    (void)w;
    note("deferred ");
    return ENDO_OK;
}

endo_status workspace_paint_waiting(mosaic_workspace *w, const int *held, int n) {
    (void)held;
    CHECK(n == 0);
    ENDO_TRY(once(&paint_fails));
    note("paint ");
    for (int i = 0; i < w->waiting.n - left_over; i++) note_number("", w->waiting.items[i].frame);
    w->waiting.n = left_over;
    return ENDO_OK;
}

int workspace_keeps_frames(const mosaic_workspace *w) {
    (void)w;
    return keeps_frames;
}

endo_status frame_store_read(frame_store *s, int frame, int *slot) {
    ENDO_TRY(once(&s->fails));
    note_number("read ", frame);
    *slot = frame == s->unreadable ? -1 : 3;
    return ENDO_OK;
}

void frame_store_keep_only(frame_store *s, const int *frames, int n) {
    (void)s, (void)frames;
    note_number("keep ", n);
}

const char *sequence_reason(const mosaic_sequence *s) {
    (void)s;
    return "frame 3: torn";
}

mosaic_size sequence_size(const mosaic_sequence *s) {
    (void)s;
    return (mosaic_size){.width = 101, .height = 81};
}

endo_status canvases_start_over(mosaic_canvases *c, const int *kept, int n) {
    ENDO_TRY(once(&c->start_fails));
    note("over ");
    for (int i = 0; i < n; i++) note_number("kept ", kept[i]);
    return ENDO_OK;
}

void canvases_keep_new(mosaic_canvases *c) {
    (void)c;
    note("new ");
}

void canvases_take_back(mosaic_canvases *c) {
    (void)c;
    note("back ");
}

const char *canvases_full(const mosaic_canvases *c) { return c->full; }

endo_status canvases_start_blending(mosaic_canvases *c, const placed_frames *items, const light_of_scope *with,
                                    const frame_weights *weights, const endo_mosaic_frame *frames) {
    ENDO_TRY(once(&c->start_fails));
    note("start ");
    CHECK(with == work.light && frames != NULL);
    c->is_blending = 1;
    c->weights = weights;
    c->n = items->n;
    memcpy(c->items, items->items, (size_t)items->n * sizeof *items->items);
    return ENDO_OK;
}

int canvases_is_blending(const mosaic_canvases *c) { return c->is_blending; }

int canvases_blend_is_done(const mosaic_canvases *c) {
    CHECK(c->is_blending);
    return c->bands == 2;
}

double canvases_blend_share(const mosaic_canvases *c) {
    CHECK(c->is_blending);
    return c->bands / 2.0;
}

int canvases_has_band(const mosaic_canvases *c) { return c->has_band; }

endo_status canvases_begin_band(mosaic_canvases *c) {
    ENDO_TRY(once(&c->begin_fails));
    note("band ");
    c->has_band = 1;
    c->passes = c->next = 0;
    return ENDO_OK;
}

int canvases_band_next(mosaic_canvases *c, int most, const placed_frame **items) {
    int rest = c->n - c->next;
    *items = c->items + c->next;
    return rest < most ? rest : most;
}

void canvases_band_passed(mosaic_canvases *c, int n) {
    note_number("passed ", n);
    c->next += n;
}

endo_status canvases_band_end_pass(mosaic_canvases *c) {
    note("end ");
    c->next = 0;
    if (++c->passes < 2) return ENDO_OK;
    c->bands++;
    c->has_band = 0;
    return ENDO_OK;
}

void canvases_drop_band(mosaic_canvases *c) {
    note("drop ");
    c->has_band = 0;
}

int canvases_halve_bands(mosaic_canvases *c) {
    note("halve ");
    return c->halves;
}

void canvases_drop_blending(mosaic_canvases *c) {
    note("forget ");
    c->is_blending = 0;
}

/* Depth is looked for in two steps. */
struct relief_search {
    int steps;
};

static struct relief_search relief;
static endo_status relief_fails; /* once */

endo_status relief_search_create(mosaic_workspace *w, const placed_frames *items, const endo_mosaic_frame *records, int n,
                                 const uint8_t *is_sure, relief_search **out) {
    CHECK(w == &work && items->n == 11 && records == rig.frames && n == rig.n);
    note("sure ");
    for (int i = 0; i < items->n; i++)
        if (is_sure[items->items[i].frame]) note_number("", items->items[i].frame);
    relief.steps = 0;
    *out = &relief;
    return ENDO_OK;
}

void relief_search_destroy(relief_search **search) { *search = NULL; }

int relief_search_is_done(const relief_search *s) { return s->steps == 2; }

endo_status relief_search_step(relief_search *s) {
    ENDO_TRY(once(&relief_fails));
    note("depth ");
    s->steps++;
    return ENDO_OK;
}

/* Weights: ten times the deviation, and one more for doubtful ones. */
endo_status frame_weights_create(int frames, frame_weights *out) {
    *out = (frame_weights){.n = frames, .weights = calloc((size_t)frames + 1, sizeof *out->weights)};
    return ENDO_OK;
}

void frame_weights_free(frame_weights *w) {
    free(w->weights);
    w->weights = NULL;
}

void frame_weights_set(frame_weights *w, int frame, double deviation, int doubtful) {
    w->weights[frame] = (int32_t)(10 * deviation) + doubtful;
}

static endo_status settle_fails;

endo_status frame_weights_settle(frame_weights *w, const int *frames, int n, const sharpness *sharp) {
    CHECK(sharp == work.sharp);
    if (w->weights[frames[0]] == 0) return endo_fail(ENDO_ERR_INTERNAL, "not set");
    ENDO_TRY(once(&settle_fails));
    note("settle ");
    for (int i = 0; i < n; i++) note_number("", frames[i]);
    return ENDO_OK;
}

int light_of_scope_is_solved(const light_of_scope *l) { return l->is_solved; }

endo_status light_of_scope_solve(light_of_scope *l, const placed_frames *items, mosaic_events *said) {
    CHECK(said == &events);
    ENDO_TRY(once(&l->fails));
    note_number("light ", items->n);
    l->is_solved = 1;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ scene */

static void take_event(void *user, const endo_event *event) {
    (void)user;
    last_kind = event->kind;
    if (n_lines < 4) snprintf(lines[n_lines], sizeof lines[n_lines], "%s", event->text);
    n_lines++;
}

static void begin_test(void) {
    static const endo_mosaic_hooks hooks = {.event = take_event};
    asked[0] = 0;
    n_lines = 0;
    left_over = 0;
    keeps_frames = 0;
    store = (struct frame_store){.unreadable = -1};
    canvases = (struct mosaic_canvases){0};
    light = (struct light_of_scope){0};
    options = (endo_mosaic_options){.solve = 1, .painting = ENDO_MOSAIC_RING, .relief = ENDO_MOSAIC_RELIEF_NONE};
    events_free(&events);
    events_init(&events, &hooks);
    placed_free(&work.waiting);
    work = (mosaic_workspace){
        .options = &options,
        .events = &events,
        .store = &store,
        .canvases = &canvases,
    };
    rig_clear(&rig);
}

/* A frame of a component that was solved for, where the chain put it: on the canvas of that number. */
static int solved_frame(int component, int doubtful) {
    endo_transform pose = pose_translation(rig.n, 0);
    int frame = rig_frame(&rig, component, -1, &pose);
    rig.frames[frame].component = component;
    rig.frames[frame].deviation = 1 + frame;
    rig.frames[frame].doubtful = doubtful;
    rig.frames[frame].chained = pose;
    rig.frames[frame].solved = 1;
    return frame;
}

static mosaic_poses *solved_poses(void) {
    mosaic_poses *poses = NULL;
    CHECK(poses_of_solved(rig.frames, rig.n, sequence_size(NULL), &poses) == ENDO_OK);
    return poses;
}

/* Moves the pose that the chain gave a frame, px. */
static void move(int frame, double x) { rig.frames[frame].pose.matrix[2] += x; }

static endo_status step(mosaic_stage stage) { return stage.calls->step(stage.self); }

static int is_done(mosaic_stage stage) { return stage.calls->done(stage.self); }

static double share_of(mosaic_stage stage) { return stage.calls->share(stage.self); }

static const char *where_is(mosaic_stage stage) {
    static char text[100];
    stage.calls->where(stage.self, text, sizeof text);
    return text;
}

/* The frames that are painted, and their canvases. */
static const char *painted_of(mosaic_stage stage) {
    static char text[400];
    placed_frames list = {0};
    text[0] = 0;
    /* A stage without this call paints nothing. */
    if (stage.calls->painted) CHECK(stage.calls->painted(stage.self, &list) == ENDO_OK);
    for (int i = 0; i < list.n; i++) {
        const placed_frame *item = &list.items[i];
        CHECK(item->slot == -1);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d@%d ", item->frame, item->canvas);
    }
    placed_free(&list);
    return text;
}

/* ----------------------------------------------------------------------- looking */

static observe_stage *open_look(int n) {
    static const int all[] = {4, 2, 7, 8};
    observe_stage *looking = NULL;
    CHECK(observe_stage_create(&work, all, n, &looking) == ENDO_OK);
    return looking;
}

static void test_frames_are_looked_at_one_by_one(void) {
    begin_test();
    work.light = &light;
    store.unreadable = 2;
    observe_stage *looking = open_look(4);
    mosaic_stage stage = observe_stage_calls(looking);
    CHECK(!is_done(stage) && !strcmp(where_is(stage), "frame 5") && share_of(stage) == 0);
    CHECK(step(stage) == ENDO_OK && was_asked("read 4 keep 0 "));
    CHECK(share_of(stage) == 0.25 && !strcmp(where_is(stage), "frame 3"));
    store.fails = ENDO_ERR_DEVICE;
    CHECK(step(stage) == ENDO_ERR_DEVICE && was_asked("") && n_lines == 0);
    CHECK(step(stage) == ENDO_OK && was_asked("read 2 keep 0 "));
    CHECK(n_lines == 1 && !strcmp(lines[0], "frame 3: torn; skipped") && last_kind == ENDO_EVENT_UNREADABLE);
    CHECK_NEAR(share_of(stage), 1 / 3.0, 1e-15);
    CHECK(step(stage) == ENDO_OK && was_asked("read 7 keep 0 ") && !is_done(stage));
    CHECK(step(stage) == ENDO_OK && was_asked("read 8 keep 0 ") && is_done(stage));
    CHECK(share_of(stage) == 1 && !strcmp(where_is(stage), "reading") && !strcmp(painted_of(stage), ""));
    observe_stage_destroy(&looking);
    CHECK(!looking && n_lines == 1);

    looking = open_look(2);
    CHECK(step(observe_stage_calls(looking)) == ENDO_OK && step(observe_stage_calls(looking)) == ENDO_OK && n_lines == 1);
    observe_stage_destroy(&looking);
}

static void test_nobody_looks(void) {
    begin_test();
    observe_stage *looking = open_look(3);
    CHECK(is_done(observe_stage_calls(looking)) && share_of(observe_stage_calls(looking)) == 1);
    work.sharp = (sharpness *)&eyes;
    CHECK(!is_done(observe_stage_calls(looking)));
    work.store = NULL;
    CHECK(step(observe_stage_calls(looking)) == ENDO_ERR_DEVICE);
    observe_stage_destroy(&looking);
    looking = open_look(0);
    CHECK(is_done(observe_stage_calls(looking)));
    observe_stage_destroy(&looking);
}

/* ------------------------------------------------------------ the order of painting */

/* The frames that are painted again, in order; -1 for those that keep the order of the chain. */
static int orders_are(mosaic_poses *poses, const int *wanted) {
    int same = 1;
    for (int i = 0; i < rig.n; i++) rig.frames[i].order = -1;
    CHECK(paint_stage_put_order(rig.frames, rig.n, poses, &options, sequence_size(NULL)) == ENDO_OK);
    for (int i = 0; i < rig.n; i++) {
        same &= rig.frames[i].order == wanted[i];
        if (rig.frames[i].order != wanted[i]) printf("frame %d: order %d\n", i, rig.frames[i].order);
    }
    return same;
}

/* Poses that moved by less than a twentieth of a pixel are not worth it: they are again those of the chain. */
static void test_only_what_has_moved_is_painted_again(void) {
    begin_test();
    for (int i = 0; i < 3; i++) solved_frame(1, 0);
    for (int i = 0; i < 3; i++) solved_frame(2, 0);
    rig.frames[1].chained = pose_translation(1.03, 0);
    rig.frames[4].chained = pose_translation(4.03, 0);
    mosaic_poses *poses = solved_poses();
    move(1, 0.0499);
    move(4, 0.0501);
    CHECK(orders_are(poses, (const int[]){-1, -1, -1, 1, 2, 3}));
    CHECK(rig_x(poses, 1) == 1.03 && rig_x(poses, 4) == 4);
    poses_destroy(&poses);
}

/* How far a frame moved is the root mean square over its corners; a pose of NaN has not moved. */
static void test_how_far_a_frame_moved(void) {
    begin_test();
    solved_frame(1, 0);
    solved_frame(2, 0);
    solved_frame(3, 0);
    mosaic_poses *poses = solved_poses();
    rig.frames[0].pose.matrix[0] += 0.0007; /* 0.07 px at two of the corners */
    rig.frames[1].pose.matrix[0] += 0.00072;
    rig.frames[2].pose.matrix[0] = NAN;
    CHECK(orders_are(poses, (const int[]){-1, 1, -1}));
    poses_destroy(&poses);
}

/* A frame that came onto the canvas of another chain. */
static void test_another_canvas_is_painted_again(void) {
    begin_test();
    solved_frame(1, 0);
    solved_frame(1, 0);
    solved_frame(2, 0);
    mosaic_poses *poses = solved_poses();
    rig.frames[1].chain = 2;
    CHECK(orders_are(poses, (const int[]){1, 2, -1}));
    poses_destroy(&poses);
}

/* Doubtful frames lie under the others: last where nothing is painted over, first where everything is. */
static void test_doubtful_frames_lie_below(void) {
    begin_test();
    solved_frame(1, 0);
    solved_frame(1, 1);
    solved_frame(1, 0);
    solved_frame(2, 0);
    solved_frame(0, 1);
    mosaic_poses *poses = solved_poses();
    CHECK(orders_are(poses, (const int[]){1, 3, 2, -1, -1}));
    options.painting = ENDO_MOSAIC_UNION;
    CHECK(orders_are(poses, (const int[]){2, 1, 3, -1, -1}));
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(orders_are(poses, (const int[]){1, 3, 2, -1, -1}));
    options.solve = 0; /* along the chain alone nobody knows of doubts */
    CHECK(orders_are(poses, (const int[]){-1, -1, -1, -1, -1}));
    poses_destroy(&poses);
}

/* ---------------------------------------------------------------------- painting */

/* Twelve frames of one component, all of which have moved, and one of another that has not. */
static paint_stage *open_paint(mosaic_poses **poses) {
    paint_stage *painting = NULL;
    begin_test();
    for (int i = 0; i < 12; i++) solved_frame(1, 0);
    solved_frame(2, 0);
    *poses = solved_poses();
    move(3, 1);
    CHECK(paint_stage_create(&work, rig.frames, rig.n, *poses, &painting) == ENDO_OK);
    return painting;
}

static void test_frames_are_painted_in_batches(void) {
    mosaic_poses *poses;
    paint_stage *painting = open_paint(&poses);
    mosaic_stage stage = paint_stage_calls(painting);
    CHECK(!is_done(stage) && share_of(stage) == 0 && !strcmp(where_is(stage), "painting"));
    CHECK(!strcmp(painted_of(stage), ""));
    CHECK(step(stage) == ENDO_OK && was_asked("deferred over kept 2 paint 0 1 2 3 4 5 6 7 "));
    CHECK_NEAR(share_of(stage), 8 / 12.0, 1e-15);
    CHECK(!strcmp(painted_of(stage), "0@1 1@1 2@1 3@1 4@1 5@1 6@1 7@1 "));
    CHECK(step(stage) == ENDO_OK && was_asked("paint 8 9 10 11 ") && is_done(stage) && share_of(stage) == 1);
    CHECK(paint_stage_finish(painting) == 1 && was_asked("new "));
    CHECK(paint_stage_finish(painting) == 1 && was_asked(""));
    paint_stage_destroy(&painting);
    poses_destroy(&poses);
    CHECK(!painting);
}

/* A step that fails can be asked again; canvases are set aside once. */
static void test_a_failed_batch_is_painted_again(void) {
    mosaic_poses *poses;
    paint_stage *painting = open_paint(&poses);
    mosaic_stage stage = paint_stage_calls(painting);
    canvases.start_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_ERR_MEMORY && was_asked("deferred "));
    paint_fails = ENDO_ERR_DEVICE;
    CHECK(step(stage) == ENDO_ERR_DEVICE && was_asked("deferred over kept 2 ") && !strcmp(painted_of(stage), ""));
    CHECK(step(stage) == ENDO_OK && was_asked("paint 0 1 2 3 4 5 6 7 "));
    CHECK(paint_stage_finish(painting) == 0 && was_asked("back ") && work.waiting.n == 0);
    paint_stage_destroy(&painting);
    poses_destroy(&poses);
}

/* Frames that still wait after a cancel are not painted: the picture is not whole. */
static void test_a_cancelled_batch_is_not_whole(void) {
    mosaic_poses *poses;
    paint_stage *painting = open_paint(&poses);
    mosaic_stage stage = paint_stage_calls(painting);
    CHECK(step(stage) == ENDO_OK);
    left_over = 1;
    CHECK(step(stage) == ENDO_OK && !is_done(stage));
    CHECK(paint_stage_finish(painting) == 0 && work.waiting.n == 0);
    CHECK(strstr(asked, "paint 8 9 10 back ") != NULL);
    paint_stage_destroy(&painting);
    poses_destroy(&poses);
}

static void test_nothing_to_paint(void) {
    paint_stage *painting = NULL;
    begin_test();
    solved_frame(1, 0);
    mosaic_poses *poses = solved_poses();
    CHECK(paint_stage_create(&work, rig.frames, rig.n, poses, &painting) == ENDO_OK);
    CHECK(is_done(paint_stage_calls(painting)) && share_of(paint_stage_calls(painting)) == 1);
    CHECK(paint_stage_finish(painting) == 1 && was_asked(""));
    paint_stage_destroy(&painting);
    poses_destroy(&poses);
}

/* By the order of the records, and by their number where that says nothing; whether they moved or not. */
static void test_painting_in_a_given_order(void) {
    static const int orders[] = {5, 2, 0, 9, 2, 1};
    paint_stage *painting = NULL;
    begin_test();
    for (int i = 0; i < 6; i++) rig.frames[solved_frame(i == 3 ? 0 : 1 + i % 2, 0)].order = orders[i];
    mosaic_poses *poses = solved_poses();
    CHECK(paint_stage_create_in_order(&work, rig.frames, rig.n, poses, &painting) == ENDO_OK);
    CHECK(step(paint_stage_calls(painting)) == ENDO_OK && was_asked("deferred over paint 2 5 1 4 0 "));
    CHECK(!strcmp(painted_of(paint_stage_calls(painting)), "2@1 5@2 1@2 4@1 0@1 "));
    CHECK(paint_stage_finish(painting) == 1);
    paint_stage_destroy(&painting);
    poses_destroy(&poses);
}

/* ---------------------------------------------------------------------- blending */

/* Ten frames of the first component and one of the second; another is in none. */
static blend_stage *open_blend_with(struct light_of_scope *with, mosaic_poses **poses) {
    blend_stage *blending = NULL;
    begin_test();
    options.painting = ENDO_MOSAIC_BLEND;
    work.light = with;
    work.sharp = (sharpness *)&eyes;
    for (int i = 0; i < 12; i++) solved_frame(i == 2 ? 2 : i == 5 ? 0 : 1, i == 7);
    rig.frames[5].registered = 0;
    rig.frames[1].solved = 0;
    rig.frames[1].chain = 8;
    rig.frames[6].chain = 9;
    *poses = solved_poses();
    CHECK(blend_stage_create(&work, rig.frames, rig.n, *poses, &blending) == ENDO_OK);
    return blending;
}

static blend_stage *open_blend(mosaic_poses **poses) {
    blend_stage *blending = open_blend_with(&light, poses);
    relief.steps = 2; /* nothing is left to look for */
    asked[0] = 0;
    return blending;
}

#define FIRST_EIGHT "0 1 3 4 6 7 8 9 "
#define REST "10 11 2 "

static void test_a_blend_from_light_to_rows(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_blend(&poses);
    mosaic_stage stage = blend_stage_calls(blending);
    canvases.full = "frame 9: it may have 1 megapixels";
    CHECK(!is_done(stage) && share_of(stage) == 0 && !strcmp(where_is(stage), "solving for the light"));
    CHECK(step(stage) == ENDO_OK && was_asked("await light 11 ") && work.times.light >= 0);
    CHECK(!strcmp(where_is(stage), "blending") && !is_done(stage) && n_lines == 0);
    placed_frame waiting = {.frame = 33};
    CHECK(placed_add(&work.waiting, &waiting) == ENDO_OK);
    CHECK(step(stage) == ENDO_OK);
    CHECK(was_asked("await paint 33 settle 0 1 3 4 6 7 8 9 10 11 settle 2 start band paint " FIRST_EIGHT "passed 8 "));
    CHECK(n_lines == 1 && !strcmp(lines[0], canvases.full) && last_kind == ENDO_EVENT_FULL);
    CHECK(canvases.weights->weights[4] == 50 && canvases.weights->weights[7] == 81 && canvases.weights->weights[5] == 0);
    CHECK(canvases.weights->n == 12 && canvases.items[0].canvas == 1 && canvases.items[10].canvas == 2);
    CHECK(step(stage) == ENDO_OK && was_asked("paint " REST "passed 3 "));
    CHECK(step(stage) == ENDO_OK && was_asked("end "));
    CHECK(step(stage) == ENDO_OK && was_asked("paint " FIRST_EIGHT "passed 8 "));
    CHECK(step(stage) == ENDO_OK && step(stage) == ENDO_OK && was_asked("paint " REST "passed 3 end "));
    CHECK(share_of(stage) == 0.5 && !is_done(stage));
    CHECK(step(stage) == ENDO_OK && was_asked("paint band paint " FIRST_EIGHT "passed 8 "));
    for (int i = 0; i < 5; i++) CHECK(!is_done(stage) && step(stage) == ENDO_OK);
    CHECK(is_done(stage) && share_of(stage) == 1);
    asked[0] = 0;
    CHECK(blend_stage_finish(blending) == 1 && was_asked("") && n_lines == 1);
    CHECK(!strcmp(painted_of(stage), "0@1 1@8 2@2 3@1 4@1 6@1 7@1 8@1 9@1 10@1 11@1 "));
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
    CHECK(!blending);
}

/* Without a light that is looked for. */
static void test_the_light_stays_as_it_is(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_blend_with(NULL, &poses);
    CHECK(was_asked(""));
    CHECK(!strcmp(where_is(blend_stage_calls(blending)), "blending"));
    CHECK(step(blend_stage_calls(blending)) == ENDO_OK && canvases.is_blending && n_lines == 0);
    asked[0] = 0;
    CHECK(blend_stage_finish(blending) == 0 && was_asked("forget ") && !is_done(blend_stage_calls(blending)));
    CHECK(share_of(blend_stage_calls(blending)) == 0);
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

/* Depth is looked for before the light, which hears of walls: also where no frame is displaced, or no light is looked for. */
static void test_depth_is_looked_for(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_blend_with(&light, &poses);
    CHECK(options.relief == ENDO_MOSAIC_RELIEF_NONE);
    CHECK(was_asked("sure 0 1 3 4 6 8 9 10 11 2 ")); /* 7 may lie elsewhere */
    mosaic_stage stage = blend_stage_calls(blending);
    CHECK(!strcmp(where_is(stage), "looking for depth"));
    relief_fails = ENDO_ERR_DEVICE;
    CHECK(step(stage) == ENDO_ERR_DEVICE && was_asked("await "));
    CHECK(step(stage) == ENDO_OK && was_asked("await depth ") && share_of(stage) == 0);
    CHECK(step(stage) == ENDO_OK && was_asked("await depth ") && !strcmp(where_is(stage), "solving for the light"));
    CHECK(step(stage) == ENDO_OK && was_asked("await light 11 ") && !strcmp(where_is(stage), "blending"));
    CHECK(step(stage) == ENDO_OK && canvases.is_blending && !is_done(stage));
    blend_stage_destroy(&blending);
    work.light = NULL;
    options.relief = ENDO_MOSAIC_RELIEF_AUTO;
    asked[0] = 0;
    CHECK(blend_stage_create(&work, rig.frames, rig.n, poses, &blending) == ENDO_OK);
    CHECK(!strncmp(asked, "sure ", 5) && !strcmp(where_is(blend_stage_calls(blending)), "looking for depth"));
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

/* Whatever fails before the bands: what was done stays, and nothing is done twice. */
static void test_the_beginning_can_be_asked_again(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_blend(&poses);
    mosaic_stage stage = blend_stage_calls(blending);
    light.fails = ENDO_CANCELLED;
    CHECK(step(stage) == ENDO_CANCELLED && was_asked("await "));
    CHECK(step(stage) == ENDO_OK && was_asked("await light 11 "));
    paint_fails = ENDO_ERR_DEVICE;
    CHECK(step(stage) == ENDO_ERR_DEVICE && was_asked("await "));
    settle_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_ERR_MEMORY && was_asked("await paint "));
    canvases.start_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_ERR_MEMORY && was_asked("await paint settle 0 1 3 4 6 7 8 9 10 11 settle 2 "));
    CHECK(share_of(stage) == 0);
    CHECK(step(stage) == ENDO_OK && was_asked("await paint start band paint " FIRST_EIGHT "passed 8 "));
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

/* The stage at its first band. */
static blend_stage *open_band(mosaic_poses **poses) {
    blend_stage *blending = open_blend(poses);
    light.is_solved = 1;
    CHECK(step(blend_stage_calls(blending)) == ENDO_OK);
    asked[0] = 0;
    return blending;
}

/* Without memory bands get smaller, where there are no kept frames to give up. */
static void test_want_of_memory_halves_bands(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_band(&poses);
    mosaic_stage stage = blend_stage_calls(blending);
    canvases.halves = 64;
    paint_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_OK && was_asked("drop halve ") && work.waiting.n == 0);
    CHECK(n_lines == 1 && last_kind == ENDO_EVENT_MEMORY);
    CHECK(!strcmp(lines[0], "out of memory while blending (full); going on with 64 rows of the panorama at once"));
    CHECK(step(stage) == ENDO_OK && was_asked("paint band paint " FIRST_EIGHT "passed 8 "));
    keeps_frames = 1;
    paint_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_ERR_MEMORY && was_asked("drop ") && n_lines == 1);
    CHECK(!strcmp(endo_last_error(), "full"));
    keeps_frames = 0;
    canvases.halves = 0;
    canvases.begin_fails = ENDO_ERR_MEMORY;
    CHECK(step(stage) == ENDO_ERR_MEMORY && was_asked("paint drop halve ") && n_lines == 1);
    canvases.halves = 64;
    canvases.begin_fails = ENDO_ERR_DEVICE;
    CHECK(step(stage) == ENDO_ERR_DEVICE && was_asked("paint drop ") && n_lines == 1);
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

/* Frames that still wait after a cancel are not passed; nor are they painted on a canvas later. */
static void test_a_cancelled_band_is_dropped(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_band(&poses);
    mosaic_stage stage = blend_stage_calls(blending);
    left_over = 2;
    CHECK(step(stage) == ENDO_OK && was_asked("paint 10 passed 1 ") && work.waiting.n == 0);
    CHECK(!is_done(stage) && blend_stage_finish(blending) == 0 && was_asked("forget "));
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

/* Frames that reach nothing. */
static void test_a_blend_without_a_band(void) {
    mosaic_poses *poses;
    blend_stage *blending = open_blend(&poses);
    light.is_solved = 1;
    canvases.bands = 2;
    CHECK(step(blend_stage_calls(blending)) == ENDO_OK);
    CHECK(was_asked("await paint settle 0 1 3 4 6 7 8 9 10 11 settle 2 start "));
    CHECK(blend_stage_finish(blending) == 1);
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

static void test_nothing_to_blend(void) {
    blend_stage *blending = NULL;
    begin_test();
    rig_frame(&rig, 0, -1, &pose_identity);
    rig.frames[0].registered = 0;
    mosaic_poses *poses = solved_poses();
    CHECK(blend_stage_create(&work, rig.frames, rig.n, poses, &blending) == ENDO_OK);
    CHECK(is_done(blend_stage_calls(blending)));
    CHECK(blend_stage_finish(blending) == 1 && was_asked(""));
    blend_stage_destroy(&blending);
    poses_destroy(&poses);
}

int main(void) {
    test_frames_are_looked_at_one_by_one();
    test_nobody_looks();

    test_only_what_has_moved_is_painted_again();
    test_how_far_a_frame_moved();
    test_another_canvas_is_painted_again();
    test_doubtful_frames_lie_below();

    test_frames_are_painted_in_batches();
    test_a_failed_batch_is_painted_again();
    test_a_cancelled_batch_is_not_whole();
    test_nothing_to_paint();
    test_painting_in_a_given_order();

    test_a_blend_from_light_to_rows();
    test_the_light_stays_as_it_is();
    test_depth_is_looked_for();
    test_the_beginning_can_be_asked_again();
    test_want_of_memory_halves_bands();
    test_a_cancelled_band_is_dropped();
    test_a_blend_without_a_band();
    test_nothing_to_blend();

    begin_test();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_paint_stages");
}
