/* The workspace of a run, and what becomes of it where a device or memory fails. Canvases and the readers of frames are
 * stand-ins here, which remember what they were given. */
#include "systems/mosaic/workspace_state.h"

#include "systems/mosaic/store_sizes.h"
#include "demo_rig.h"

#define W 180
#define H 144
#define FRAMES 40

/* ------------------------------------------------------------------ stand-ins */

struct mosaic_canvases {
    endo_context *const *context;
    endo_context *made_in; /* whatever was painted */
    int painted[160 * FRAMES];
    int n;
    int largest; /* number of frames that were painted together */
    int is_wrong; /* a slot did not show its frame */
    int is_blending, drops, stops, uses;
    const char *full;
};

struct light_of_scope {
    int seen[FRAMES];
};

struct sharpness {
    int seen[FRAMES];
};

struct spectra {
    int quality; /* -1: frames themselves are not asked */
};

static demo_frames demo;
static int n_spectra;
static uint8_t grey_of_frame[FRAMES][W * H];

endo_status canvases_create(endo_context *const *context, const endo_mosaic_options *options, mosaic_sequence *sequence,
                            const field_of_view *field, mosaic_canvases **out) {
    (void)options, (void)sequence, (void)field;
    *out = calloc(1, sizeof **out);
    (*out)->context = context;
    (*out)->uses = ENDO_USE_ANY;
    return ENDO_OK;
}

void canvases_destroy(mosaic_canvases **canvases) {
    free(*canvases);
    *canvases = NULL;
}

void canvases_set_band_rows(mosaic_canvases *c, int rows) { (void)c, (void)rows; }

const char *canvases_full(const mosaic_canvases *c) { return c->full; }

int canvases_uses(const mosaic_canvases *c) { return c->uses; }

static int shows(endo_frames *frames, const placed_frame *item) {
    static uint8_t grey[W * H];
    return endo_frames_get_grey(frames, item->slot, grey) == ENDO_OK && !memcmp(grey, grey_of_frame[item->frame], W * H);
}

/* Fails where putting a frame would, once. */
static int paint_fails_after = -1;

endo_status canvases_paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n) {
    if (paint_fails_after >= 0 && paint_fails_after-- == 0) return endo_fail(ENDO_ERR_DEVICE, "no power");
    for (int i = 0; i < n; i++) {
        c->is_wrong |= !shows(frames, &items[i]);
        c->painted[c->n++] = items[i].frame;
    }
    if (n > c->largest) c->largest = n;
    c->made_in = *c->context;
    return ENDO_OK;
}

endo_status canvases_snapshot(mosaic_canvases *c, int canvas, panorama_store **out) {
    (void)c, (void)canvas;
    *out = NULL;
    return ENDO_OK;
}

int canvases_is_blending(const mosaic_canvases *c) { return c->is_blending; }

void canvases_drop_band(mosaic_canvases *c) { c->drops++; }

int canvases_stop_where_memory_ends(mosaic_canvases *c) { return c->stops++ == 0; }

int canvases_leave(mosaic_canvases *c) { return c->n == 0 || c->made_in == *c->context; }

int canvases_enter(mosaic_canvases *c) {
    c->made_in = *c->context;
    return 1;
}

void canvases_clear(mosaic_canvases *c) { c->n = 0; }

static int is_new(void *seen, int frame) { return !((int *)seen)[frame]; }

static endo_status see(void *seen, int frame, const void *pixels) {
    ((int *)seen)[frame] += 1 + 100 * (memcmp(pixels, demo.pixels + (size_t)frame * demo.bytes, demo.bytes) != 0);
    return ENDO_OK;
}

endo_status light_of_scope_create(const field_of_view *field, endo_pixel type, int frames, int threads, light_of_scope **out) {
    *out = calloc(1, sizeof **out);
    return field->size.width == W && type == ENDO_RGB32 && frames <= FRAMES && threads == 2 ? ENDO_OK : ENDO_ERR_INTERNAL;
}

void light_of_scope_destroy(light_of_scope **light) {
    free(*light);
    *light = NULL;
}

mosaic_observer light_of_scope_observer(light_of_scope *light) { return (mosaic_observer){is_new, see, light->seen}; }

endo_status sharpness_create(const mosaic_sequence *sequence, sharpness **out) {
    (void)sequence;
    *out = calloc(1, sizeof **out);
    return ENDO_OK;
}

void sharpness_destroy(sharpness **s) {
    free(*s);
    *s = NULL;
}

mosaic_observer sharpness_observer(sharpness *s) { return (mosaic_observer){is_new, see, s->seen}; }

endo_status spectra_create(endo_context *context, mosaic_sequence *sequence, const field_of_view *field,
                           const endo_pairs_options *asked, mosaic_events *events, spectra **out) {
    (void)context, (void)sequence, (void)field, (void)events;
    *out = calloc(1, sizeof **out);
    (*out)->quality = asked ? asked->quality : -1;
    n_spectra++;
    return ENDO_OK;
}

void spectra_destroy(spectra **s) {
    if (*s) n_spectra--;
    free(*s);
    *s = NULL;
}

/* ------------------------------------------------------------------------ runs */

static endo_mosaic_options options;
static mosaic_events events;
static mosaic_workspace *w;
static int cancels; /* the hook says so */
static double told;

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
    options = (endo_mosaic_options){
        .context = endo_context_options_default(),
        .pairs = endo_pairs_options_default(),
        .field = ENDO_MOSAIC_FIELD_WHOLE,
        .iir = 4,
        .solve = 1,
        .painting = ENDO_MOSAIC_UNION,
        .picture = 1,
        .light = 1,
        .rim = 8,
        .memory = (int64_t)1 << 30,
    };
    options.context.threads = 2;
    options.pairs.method = ENDO_METHOD_BEST;
}

static endo_status open_with(mosaic_faults faults, int defers) {
    endo_mosaic_hooks hooks = {.progress = keep_progress, .cancelled = is_cancelled};
    workspace_setup setup = {
        .options = &options,
        .events = &events,
        .source = &demo.source,
        .matches = 1,
        .pictures = 1,
        .defers = defers,
        .faults = faults,
    };
    told = 0;
    events_init(&events, &hooks);
    return workspace_open(&setup, &w);
}

static void close_all(void) {
    workspace_close(&w);
    events_free(&events);
    CHECK(!w && n_spectra == 0);
}

/* A stage that reads all frames, a few at a time, and paints them. */
typedef struct reader {
    int next;
    int few;
    int moves;     /* to another store */
    int stays_lit; /* what it holds was where it was said to be */
    int most_slots; /* it fails with a store of more; 0: never */
    int gives_up;   /* a call of the library is cancelled */
} reader;

static int done(void *stage) { return ((reader *)stage)->next >= FRAMES; }

static double share(void *stage) { return (double)((reader *)stage)->next / FRAMES; }

static void where(void *stage, char *out, size_t size) { snprintf(out, size, "frame %d", ((reader *)stage)->next + 1); }

static int held(void *stage, int frames[STAGE_HELD]) {
    frames[0] = ((reader *)stage)->next - 1;
    frames[1] = -1;
    return 2;
}

static endo_status painted(void *stage, placed_frames *out) {
    for (int i = 0; i < ((reader *)stage)->next; i++) ENDO_TRY(placed_add(out, &(placed_frame){.frame = i, .slot = -1}));
    return ENDO_OK;
}

static void move_to(void *stage, endo_frames *frames, const int *slots, int backend) {
    reader *r = stage;
    placed_frame last = {.frame = r->next - 1, .slot = slots[0]};
    r->moves++;
    r->stays_lit &= backend == ENDO_BACKEND_CPU && slots[1] == -1 && (r->next == 0 || shows(frames, &last));
}

static endo_status read_some(reader *r) {
    endo_frames *frames;
    int slots[FRAMES];
    int end = r->next + r->few < FRAMES ? r->next + r->few : FRAMES;
    for (int i = r->next; i < end; i++) ENDO_TRY(frame_store_ask(w->store, i, &slots[i]));
    ENDO_TRY(frame_store_frames(w->store, &frames));
    if (r->most_slots && frame_store_capacity(w->store) > r->most_slots) return endo_fail(ENDO_ERR_MEMORY, "full");
    for (int i = r->next; i < end; i++) {
        placed_frame item = {.frame = i, .slot = slots[i]};
        ENDO_TRY(placed_add(&w->waiting, &item));
    }
    r->next = end;
    return ENDO_OK;
}

static endo_status step(void *stage) {
    reader *r = stage;
    int last = r->next - 1;
    ENDO_TRY(workspace_paint_waiting(w, &last, 1));
    if (done(stage)) return ENDO_OK;
    if (r->gives_up) return endo_fail(ENDO_CANCELLED, "cancelled");
    if (r->few > workspace_largest_chunk(w)) r->few = workspace_largest_chunk(w);
    ENDO_TRY(workspace_expect(w, r->next + r->few, FRAMES));
    ENDO_TRY(read_some(r));
    last = r->next - 1;
    return workspace_paint_waiting(w, &last, 1);
}

static const mosaic_stage_calls reading = {done, step, share, where, painted, held, move_to};

static endo_status run(reader *r) {
    mosaic_stage stage = {&reading, r};
    stage_runner runner = {.workspace = w, .stages = 1};
    return stage_runner_run(&runner, &stage);
}

static int all_are_painted(void) {
    if (w->canvases->n != FRAMES || w->canvases->is_wrong) return 0;
    for (int i = 0; i < FRAMES; i++)
        if (w->canvases->painted[i] != i) return 0;
    return 1;
}

static reader some(int few) { return (reader){.few = few, .stays_lit = 1}; }

/* ----------------------------------------------------------------------- sizes */

static void test_sizes(void) {
    store_sizes s = {.size = {.width = 720, .height = 576},
                     .type = ENDO_RGB32,
                     .frames = 1000,
                     .processors = 2,
                     .device_memory = 1 << 29};
    CHECK(store_sizes_slots(&s) == 4 + 16000000 / (720 * 576) && store_sizes_first_chunk(&s) == 4);
    CHECK(store_sizes_chunk(42) == 38 && store_sizes_pairs(0, 1) == 8 && store_sizes_pairs(0, 2) == 16 &&
          store_sizes_pairs(1, 1) == 256);
    CHECK(store_sizes_kept(&s, 0, 1) == 0 && store_sizes_kept(&s, 1, 1) == 42);
    s.processors = 12;
    CHECK(store_sizes_slots(&s) == 4 + 48000000 / (720 * 576));
    s.processors = 64;
    CHECK(store_sizes_slots(&s) == 4 + 64000000 / (720 * 576));
    s.on_device = 1;
    CHECK(store_sizes_slots(&s) == 158 && store_sizes_first_chunk(&s) == 38);
    CHECK(store_sizes_kept(&s, 1, 0) == 158);
    CHECK(store_sizes_kept(&s, 1, 1) == 158); /* there is room for 71 of 9 bytes a pixel */
    s.device_memory = (int64_t)400 * 2 * 720 * 576 * 9;
    CHECK(store_sizes_kept(&s, 1, 1) == 400 - 158 && store_sizes_kept(&s, 0, 1) == 400 - 158);
    s.device_memory = (int64_t)1 << 33;
    CHECK(store_sizes_kept(&s, 1, 1) == 1000 - 158);
    s.devices = 2;
    CHECK(store_sizes_slots(&s) == 4 + 256);
    s = (store_sizes){.size = {.width = 3840, .height = 2160}, .type = ENDO_RGB32, .frames = 1000, .on_device = 1, .devices = 1};
    CHECK(store_sizes_slots(&s) == 4 + 7);
    s.device_memory = 24000000000; /* a half of it is kept, 9 bytes a pixel */
    CHECK(store_sizes_kept(&s, 0, 1) == 160 - 11);
    s.device_memory = 80000000000; /* what leaves 16 GB */
    CHECK(store_sizes_kept(&s, 0, 1) == 857 - 11);
    s = (store_sizes){.size = {.width = 32, .height = 32}, .frames = 9, .processors = 2};
    CHECK(store_sizes_slots(&s) == 13 && store_sizes_first_chunk(&s) == 256 && store_sizes_kept(&s, 1, 1) == 0);
    s = (store_sizes){.size = {.width = 30000, .height = 30000}, .frames = 9, .processors = 2};
    CHECK(store_sizes_slots(&s) == STORE_LEAST_SLOTS && store_sizes_first_chunk(&s) == 1);
}

/* ------------------------------------------------------------------------ open */

static void test_what_is_opened(void) {
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    CHECK(w->computing.kind == ENDO_BACKEND_CPU && !strncmp(w->computing.description, "cpu (", 5) && lines_with("backend CPU") == 1);
    CHECK(!strcmp(w->field.description, "whole frame") && w->light && w->sharp && !workspace_on_device(w));
    CHECK(frame_store_capacity(w->store) == 44 && workspace_largest_chunk(w) == 40 && workspace_first_chunk(w) == 40);
    CHECK(workspace_keeps_all(w) && !workspace_keeps_frames(w) && workspace_pairs_a_step(w) == store_sizes_pairs(0, endo_context_threads(w->computing.context)));
    close_all();
    options.light = 0;
    CHECK(open_with((mosaic_faults){.ahead = 1}, 0) == ENDO_OK && !w->light && w->sharp && workspace_keeps_all(w));
    close_all();
    options.picture = 0;
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK && !w->light && !w->sharp);
    close_all();
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK && !w->light && !w->sharp);
    close_all();
}

static void test_options_of_the_store(void) {
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    options.iir = 7;
    options.rim = 3;
    endo_frames_options o = workspace_store_options(w, 9);
    CHECK(o.capacity == 9 && o.iir == 7 && o.rim == 3 && o.flow == 1 && o.highlights == ENDO_HIGHLIGHTS_REFINING && !o.enhance);
    options.highlights = 1;
    options.enhance = 1;
    o = workspace_store_options(w, 9);
    CHECK(o.highlights == 1 && o.enhance == 127 && o.enhance_limit == 2);
    options.highlights = 0;
    options.pairs.initial = ENDO_INITIAL_FOURIER;
    options.pairs.method = ENDO_METHOD_PAPER;
    o = workspace_store_options(w, 9);
    CHECK(o.highlights == 1 && o.flow == 0);
    options.pairs.initial = ENDO_INITIAL_NONE;
    CHECK(workspace_store_options(w, 9).highlights == 0);
    close_all();
}

static void test_what_does_not_open(void) {
    set_options();
    options.field = ENDO_MOSAIC_FIELD_AUTO;
    demo.unreadable = 1;
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_ERR_ARGUMENT && !w);
    CHECK(!strcmp(endo_last_error(), "no frame can be read; the last said: frame 40: gone"));
    demo.unreadable = 0;
    close_all();
    options.pairs.template_side = 145;
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "template 145: larger"));
    close_all();
    set_options();
    options.context.backend = ENDO_BACKEND_CUDA;
    options.context.device = 99;
    CHECK(open_with((mosaic_faults){0}, 0) != ENDO_OK && !lines_with("the CPU"));
    close_all();
}

/* --------------------------------------------------------------------- a device */

/* Wherever it fails: what was done stays, and the rest follows. */
static void test_auto_goes_on_with_the_cpu(void) {
    for (int lost = 0; lost < 2; lost++)
        for (int calls = 1; calls < FRAMES + 20; calls += 3) {
            set_options();
            CHECK(open_with((mosaic_faults){.fail_after = calls, .canvas_lost = lost}, 0) == ENDO_OK);
            reader r = some(7);
            CHECK(run(&r) == ENDO_OK && all_are_painted() && told == 1 && r.stays_lit);
            int failed = lines_with("device failed (as asked for after");
            CHECK(failed == (r.moves == 1) && failed == lines_with("; the CPU goes on, nothing is lost"));
            CHECK(failed == (calls < FRAMES));
            CHECK(lines_with("; what was painted is painted again") == (failed && lost));
            CHECK(!failed || (strstr(w->computing.description, ", then cpu (") && lines_with("backend cpu failed at frame ") == 1));
            CHECK(w->canvases->drops == failed);
            close_all();
        }
}

static void test_a_chosen_back_end_stops(void) {
    set_options();
    options.context.backend = ENDO_BACKEND_CPU;
    CHECK(open_with((mosaic_faults){.fail_after = 20}, 0) == ENDO_OK && lines_with("backend") == 0);
    reader r = some(7);
    CHECK(run(&r) == ENDO_ERR_DEVICE && strstr(endo_last_error(), "after 20 calls") && r.next == 14 && r.moves == 0);
    CHECK(w->canvases->n == 14);
    close_all();
}

static void test_painting_that_fails_is_done_again(void) {
    for (int lost = 0; lost < 2; lost++) {
        set_options();
        CHECK(open_with((mosaic_faults){.fail_after = 1000, .canvas_lost = lost}, 0) == ENDO_OK);
        paint_fails_after = 3;
        reader r = some(7);
        CHECK(run(&r) == ENDO_OK && all_are_painted() && r.moves == 1 && lines_with("no power; the CPU goes on") == 1);
        close_all();
    }
}

/* ----------------------------------------------------------------------- memory */

static void test_stores_get_smaller(void) {
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    reader r = some(7);
    r.most_slots = 6;
    CHECK(run(&r) == ENDO_OK && all_are_painted() && r.moves == 3 && frame_store_capacity(w->store) == 5);
    CHECK(lines_with("out of memory with 44 frames at once (full); going on with 22") == 1);
    CHECK(lines_with("out of memory with 11 frames at once (full); going on with 5") == 1);
    CHECK(lines_with("out of memory") == 3 && w->canvases->stops == 0);
    close_all();
}

/* Frames that are only kept go first, and no line tells of it. */
static void test_kept_frames_go_first(void) {
    set_options();
    CHECK(open_with((mosaic_faults){.ahead = 1}, 0) == ENDO_OK);
    w->state->kept = 3;
    reader r = some(7);
    r.most_slots = 30; /* so that kept ones go, and then half of the slots */
    CHECK(run(&r) == ENDO_OK && r.moves == 2 && w->state->kept == 0 && lines_with("out of memory") == 1);
    close_all();
}

static void test_the_smallest_store_is_the_last(void) {
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    reader r = some(7);
    r.most_slots = 1;
    CHECK(run(&r) == ENDO_ERR_MEMORY && !strcmp(endo_last_error(), "full") && w->canvases->stops == 2);
    CHECK(w->store && frame_store_capacity(w->store) == 5);
    close_all();
}

/* -------------------------------------------------------------------- deferring */

static void test_painting_waits_until_somebody_looks(void) {
    panorama_store *picture;
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    reader r = some(7);
    CHECK(run(&r) == ENDO_OK && w->canvases->n == 0 && w->waiting.n == 0);
    CHECK(workspace_snapshot(w, 0, &picture) == ENDO_OK && all_are_painted());
    close_all();
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    r = some(7);
    CHECK(run(&r) == ENDO_OK && workspace_paint_deferred(w) == ENDO_OK && all_are_painted());
    close_all();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    r = some(7);
    CHECK(run(&r) == ENDO_OK && all_are_painted());
    close_all();
}

/* After somebody has looked it goes on as it comes. */
static void test_painting_waits_no_more(void) {
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    reader r = some(7);
    CHECK(step(&r) == ENDO_OK && step(&r) == ENDO_OK && w->canvases->n == 0);
    CHECK(workspace_paint_deferred(w) == ENDO_OK && w->canvases->n == 14);
    CHECK(step(&r) == ENDO_OK && w->canvases->n == 21);
    CHECK(run(&r) == ENDO_OK && all_are_painted());
    close_all();
}

/* Where frames would have to be read again that take their time, or nobody blends in the end, it does not. */
static void test_painting_waits_for_what_is_at_hand(void) {
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    for (int few = 0; few < 2; few++) {
        options.memory = few ? 4 * 10 * W * H * 4 : (int64_t)1 << 30; /* a quarter of it keeps ten frames */
        CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
        w->state->slots = 20; /* as if there were more frames than slots */
        reader r = some(7);
        CHECK(run(&r) == ENDO_OK && w->canvases->n == (few ? FRAMES : 0));
        close_all();
    }
    set_options();
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    reader r = some(7);
    CHECK(run(&r) == ENDO_OK && all_are_painted());
    close_all();
}

/* Up to 40,000,000 pixels for each thread wait, a twentieth of a second of painting; one frame more, and all are painted. */
static void test_no_more_waits_than_is_quickly_painted(void) {
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    const int most = (int)(40000000 * (int64_t)endo_context_threads(w->computing.context) / (W * H));
    int n = 0;
    while (n <= most && w->state->deferred.n == n) {
        placed_frame item = {.frame = n++ % FRAMES, .slot = -1};
        CHECK(placed_add(&w->waiting, &item) == ENDO_OK && workspace_paint_waiting(w, NULL, 0) == ENDO_OK);
    }
    CHECK(n == most + 1 && w->state->deferred.n == 0 && w->waiting.n == 0);
    CHECK(w->canvases->n == n && !w->canvases->is_wrong);
    close_all();
}

/* After a failure that ends the run the CPU paints what waits, whatever was chosen. */
static void test_what_was_deferred_is_rescued(void) {
    set_options();
    options.context.backend = ENDO_BACKEND_CPU;
    options.painting = ENDO_MOSAIC_BLEND;
    CHECK(open_with((mosaic_faults){.fail_after = 30}, 1) == ENDO_OK);
    reader r = some(7);
    CHECK(run(&r) == ENDO_ERR_DEVICE && r.next == 28 && w->canvases->n == 0);
    CHECK(workspace_rescue_deferred(w) == ENDO_OK && w->canvases->n == 28 && !w->canvases->is_wrong);
    CHECK(workspace_rescue_deferred(w) == ENDO_OK && w->canvases->n == 28);
    close_all();
}

/* Deferred frames are painted 4,000,000 pixels for each thread at a time. After a failure the next call goes on with those that
 * are not painted; a rescue paints all of them anew. */
static void test_painting_of_what_was_deferred_fails(void) {
    for (int rescues = 0; rescues < 2; rescues++) {
        set_options();
        options.context.backend = ENDO_BACKEND_CPU;
        options.painting = ENDO_MOSAIC_BLEND;
        CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
        const int most = (int)(4000000 * (int64_t)endo_context_threads(w->computing.context) / (W * H));
        for (int i = 0; i < 3 * most; i++) {
            placed_frame item = {.frame = i % FRAMES, .slot = -1};
            CHECK(placed_add(&w->waiting, &item) == ENDO_OK && workspace_paint_waiting(w, NULL, 0) == ENDO_OK);
        }
        w->canvases->largest = 0;
        paint_fails_after = 1;
        CHECK(workspace_paint_deferred(w) == ENDO_ERR_DEVICE && w->canvases->n == most);
        paint_fails_after = -1;
        CHECK((rescues ? workspace_rescue_deferred(w) : workspace_paint_deferred(w)) == ENDO_OK);
        CHECK(w->canvases->n == 3 * most && !w->canvases->is_wrong && w->canvases->largest == most);
        for (int i = 0; i < 3 * most; i++) CHECK(w->canvases->painted[i] == i % FRAMES);
        close_all();
    }
}

static void test_nothing_is_painted_where_nobody_wants_it(void) {
    set_options();
    options.painting = ENDO_MOSAIC_BLEND;
    options.picture = 0;
    CHECK(open_with((mosaic_faults){0}, 1) == ENDO_OK);
    reader r = some(7);
    CHECK(run(&r) == ENDO_OK && w->canvases->n == 0 && w->waiting.n == 0 && w->state->deferred.n == 0);
    close_all();
}

static void test_a_full_canvas_is_told_once(void) {
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    w->canvases->full = "no room from frame 9 on";
    reader r = some(7);
    CHECK(run(&r) == ENDO_OK && lines_with("no room from frame 9 on") == 1);
    CHECK(!strcmp(workspace_full(w), "no room from frame 9 on"));
    close_all();
}

/* ------------------------------------------------------------------------ frames */

static void test_every_frame_is_seen_at_the_end_of_a_stage(void) {
    for (int ahead = 0; ahead < 2; ahead++) {
        set_options();
        options.painting = ENDO_MOSAIC_BLEND;
        CHECK(open_with((mosaic_faults){.ahead = ahead}, 1) == ENDO_OK);
        reader r = some(7);
        CHECK(run(&r) == ENDO_OK);
        int wrong = 0;
        for (int i = 0; i < FRAMES; i++) wrong += w->light->seen[i] != 1 || w->sharp->seen[i] != 1;
        CHECK(wrong == 0 && workspace_await_observers(w) == ENDO_OK);
        CHECK(workspace_paint_deferred(w) == ENDO_OK && all_are_painted());
        close_all();
    }
}

static void test_a_run_that_is_cancelled(void) {
    set_options();
    CHECK(open_with((mosaic_faults){0}, 0) == ENDO_OK);
    cancels = 1;
    reader r = some(7);
    CHECK(run(&r) == ENDO_OK && r.next == 0);
    cancels = 0;
    r.gives_up = 1;
    CHECK(run(&r) == ENDO_OK && r.next == 0 && r.moves == 0);
    r.gives_up = 0;
    CHECK(run(&r) == ENDO_OK && all_are_painted());
    close_all();
}

typedef struct fault {
    endo_status status;
    int left;
} fault;

static endo_status fail_once(void *job) {
    fault *f = job;
    return f->left-- > 0 ? endo_fail(f->status, "gone") : ENDO_OK;
}

/* A device, its memory and what its build lacks are no matter of the CPU; an argument is. */
static void test_failures_that_the_cpu_helps_against(void) {
    static const endo_status statuses[] = {ENDO_ERR_DEVICE, ENDO_ERR_UNSUPPORTED, ENDO_ERR_ARGUMENT, ENDO_ERR_INTERNAL};
    set_options();
    for (int i = 0; i < 4; i++) {
        fault f = {.status = statuses[i], .left = 1};
        CHECK(open_with((mosaic_faults){.fail_after = 1000}, 0) == ENDO_OK);
        CHECK(workspace_persist(w, NULL, fail_once, &f) == (i < 2 ? ENDO_OK : statuses[i]));
        CHECK(lines_with("backend cpu failed: gone; the CPU goes on, nothing is lost") == (i < 2));
        close_all();
    }
}

static endo_status give_up(void *calls) {
    ++*(int *)calls;
    return endo_fail(ENDO_CANCELLED, "cancelled");
}

static void test_spectra_live_as_long_as_the_back_end(void) {
    spectra *first;
    spectra *again;
    int calls = 0;
    fault f = {.status = ENDO_ERR_DEVICE, .left = 1};
    set_options();
    options.pairs.quality = 0;
    CHECK(open_with((mosaic_faults){.fail_after = 1000}, 0) == ENDO_OK);
    CHECK(workspace_spectra(w, &first) == ENDO_OK && workspace_spectra(w, &again) == ENDO_OK);
    CHECK(first == again && n_spectra == 1 && first->quality == 1);
    CHECK(workspace_persist(w, NULL, give_up, &calls) == ENDO_CANCELLED && calls == 1 && n_spectra == 1);
    CHECK(workspace_persist(w, NULL, fail_once, &f) == ENDO_OK && n_spectra == 0);
    f.left = 1;
    CHECK(workspace_persist(w, NULL, fail_once, &f) == ENDO_ERR_DEVICE && !strcmp(endo_last_error(), "gone"));
    options.pairs.method = ENDO_METHOD_PAPER;
    CHECK(workspace_spectra(w, &first) == ENDO_OK && first->quality == -1);
    close_all();
}

static void remember_greys(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_frames_options one = endo_frames_options_default();
    endo_context *context;
    endo_frames *frames;
    one.width = W;
    one.height = H;
    one.type = ENDO_RGB32;
    one.capacity = 1;
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK && endo_frames_create(context, &one, &frames) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(endo_frames_put(frames, 0, demo.pixels + (size_t)i * demo.bytes, W) == ENDO_OK);
        CHECK(endo_frames_get_grey(frames, 0, grey_of_frame[i]) == ENDO_OK);
    }
    endo_frames_destroy(&frames);
    endo_context_destroy(&context);
}

int main(void) {
    endo_demo_options scene = endo_demo_options_default();
    scene.width = W;
    scene.height = H;
    scene.step = 4;
    demo_make(&demo, &scene, FRAMES, DEMO_RGB);
    remember_greys();
    test_sizes();
    test_what_is_opened();
    test_options_of_the_store();
    test_what_does_not_open();
    test_auto_goes_on_with_the_cpu();
    test_a_chosen_back_end_stops();
    test_painting_that_fails_is_done_again();
    test_stores_get_smaller();
    test_kept_frames_go_first();
    test_the_smallest_store_is_the_last();
    test_painting_waits_until_somebody_looks();
    test_painting_waits_no_more();
    test_painting_waits_for_what_is_at_hand();
    test_no_more_waits_than_is_quickly_painted();
    test_what_was_deferred_is_rescued();
    test_painting_of_what_was_deferred_fails();
    test_nothing_is_painted_where_nobody_wants_it();
    test_a_full_canvas_is_told_once();
    test_every_frame_is_seen_at_the_end_of_a_stage();
    test_a_run_that_is_cancelled();
    test_failures_that_the_cpu_helps_against();
    test_spectra_live_as_long_as_the_back_end();
    demo_free(&demo);
    return check_summary("test_mosaic_workspace");
}
