/* Chains over whole sequences, from a source to rows: chunks, unreadable frames, another image, failures, cancels. */
#include "include/endorama.h"
#include "systems/chains/frame_session.h"
#include "check.h"
#include "exposure_scene.h"
#include "refuses.h"

#include <stdlib.h>
#include <string.h>

/* As native/api/testing.h has it. */
void endo_chain_fail_after(endo_chain *chain, int calls);

#define SIDE 96
#define MOST 700
#define LINES 64

/* ------------------------------------------------------------------------------ scope */

/* A scope that moves over a scene, in three exposures. */
typedef struct scope {
    endo_mosaic_source source;
    uint8_t *frames[MOST];
    int broken[MOST];
    int lent;
    int reads;
    char lines[LINES][300];
    int n_lines;
    int breaks_when_replaced; /* a frame that cannot be read any more after a failure; -1: none */
    double share, stop_at;
} scope;

static scope it;

/* To and fro, in ten steps; exposures take turns in three. */
#define PLACES 10
#define EXPOSURES 3

static int step_at(int frame) { return frame % PLACES <= PLACES / 2 ? frame % PLACES : PLACES - frame % PLACES; }
static int x_at(int frame) { return 3 * step_at(frame); }
static int y_at(int frame) { return 20 - 2 * step_at(frame); }

static const void *lend(void *user, int32_t frame, char *reason) {
    scope *s = user;
    s->reads++;
    if (s->broken[frame]) {
        snprintf(reason, ENDO_REASON_SIZE, "torn");
        return NULL;
    }
    s->lent++;
    return s->frames[frame];
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    scope *s = user;
    CHECK(pixels == s->frames[frame]);
    s->lent--;
}

static const char *name(void *user, int32_t frame) {
    (void)user;
    return frame == 3 ? "d.png" : NULL;
}

static void on_event(void *user, const endo_event *event) {
    scope *s = user;
    if (s->n_lines < LINES) snprintf(s->lines[s->n_lines++], sizeof s->lines[0], "%s", event->text);
    if (strstr(event->text, "the CPU goes on") && s->breaks_when_replaced >= 0) s->broken[s->breaks_when_replaced] = 1;
}

static void on_progress(void *user, double share) {
    scope *s = user;
    CHECK(share >= s->share && share <= 1);
    s->share = share;
}

static int on_cancelled(void *user) { return ((scope *)user)->share >= ((scope *)user)->stop_at; }

static const endo_mosaic_hooks hooks = {.event = on_event, .progress = on_progress, .cancelled = on_cancelled, .user = &it};

static int said(const char *text) {
    int n = 0;
    for (int i = 0; i < it.n_lines; i++) n += strstr(it.lines[i], text) != NULL;
    return n;
}

static uint8_t *view(uint64_t seed, int x, int y, double gain) {
    static float light[SIDE * SIDE];
    exposure_scene scene;
    test_random r = {seed};
    exposure_setting setting = {.gain = gain, .gamma = 1};
    uint8_t *made = malloc(SIDE * SIDE);
    exposure_scene_init(&scene, seed);
    exposure_scene_render(&scene, x, y, SIDE, SIDE, light);
    exposure_expose(light, SIDE * SIDE, &setting, &r, made);
    return made;
}

static void open_scope(int frames) {
    static const double gains[EXPOSURES] = {0.35, 0.5, 0.7};
    static uint8_t *kept[PLACES][EXPOSURES];
    memset(&it, 0, sizeof it);
    for (int i = 0; i < frames; i++) {
        uint8_t **at = &kept[i % PLACES][i % EXPOSURES];
        if (!*at) *at = view(2, x_at(i), y_at(i), gains[i % EXPOSURES]);
        it.frames[i] = *at;
    }
    it.breaks_when_replaced = -1;
    it.stop_at = 2;
    it.source = (endo_mosaic_source){
        .frames = frames,
        .width = SIDE,
        .height = SIDE,
        .type = ENDO_GREY8,
        .lend = lend,
        .give_back = give_back,
        .name = name,
        .user = &it,
    };
}

/* ------------------------------------------------------------------------------- runs */

static endo_exposure_chain_options exposures(endo_backend backend) {
    endo_exposure_chain_options o = endo_exposure_chain_options_default();
    o.context.backend = backend;
    o.context.threads = 1;
    o.pairs.search = 40;
    return o;
}

static endo_fourier_chain_options spectra(void) {
    endo_fourier_chain_options o = endo_fourier_chain_options_default();
    o.context.backend = ENDO_BACKEND_CPU;
    o.context.threads = 1;
    o.pairs.model = ENDO_TRANSFORM_TRANSLATION;
    return o;
}

static endo_chain *align(const endo_exposure_chain_options *o, int fail_after, endo_status wanted) {
    endo_chain *chain = NULL;
    CHECK(endo_exposure_chain_create(o, &hooks, &chain) == ENDO_OK);
    endo_chain_fail_after(chain, fail_after);
    endo_status status = endo_chain_run(chain, &it.source);
    if (status != wanted) printf("     status %d: %s\n", (int)status, endo_last_error());
    CHECK(status == wanted && it.lent == 0);
    return chain;
}

static endo_chain *compare(const endo_fourier_chain_options *o, endo_status wanted) {
    endo_chain *chain = NULL;
    CHECK(endo_fourier_chain_create(o, &hooks, &chain) == ENDO_OK);
    endo_status status = endo_chain_run(chain, &it.source);
    if (status != wanted) printf("     status %d: %s\n", (int)status, endo_last_error());
    CHECK(status == wanted && it.lent == 0);
    return chain;
}

static int count(const endo_chain *chain) {
    int32_t n;
    endo_chain_frames(chain, &n);
    return n;
}

/* Registered where the scope was, against frame `origin`, within some pixels. */
static int is_near(const endo_chain_frame *f, int frame, int origin, double tolerance) {
    return f->registered && fabs(f->pose.matrix[2] - (x_at(frame) - x_at(origin))) <= tolerance &&
           fabs(f->pose.matrix[5] - (y_at(frame) - y_at(origin))) <= tolerance;
}

static int is_placed(const endo_chain_frame *f, int frame, int origin) { return is_near(f, frame, origin, 0); }

static void test_every_frame_is_placed(void) {
    for (int reference = ENDO_CHAIN_PREVIOUS; reference < 6; reference += 6) {
        open_scope(12);
        endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
        o.reference = reference;
        endo_chain *chain = align(&o, 0, ENDO_OK);
        const endo_chain_frame *f = endo_chain_frames(chain, NULL);
        CHECK(count(chain) == 12 && it.share == 1);
        for (int i = 0; i < 12; i++) CHECK(is_near(&f[i], i, reference < 0 ? 0 : reference, reference < 0 ? 0 : 2));
        CHECK(f[4].reference == (reference < 0 ? 3 : reference) && f[4].backend == ENDO_BACKEND_CPU);
        CHECK(!strncmp(endo_chain_backend(chain), "cpu (", 5) && !strcmp(endo_chain_field_description(chain), "whole frame"));
        CHECK(!endo_chain_field_mask(chain) && f[1].scores.certainty > 0 && f[1].scores.peak > 0 && f[1].scores.usable > 0);
        REFUSES(endo_chain_run(chain, &it.source), "this chain has run");
        endo_chain_destroy(&chain);
        CHECK(!chain);
    }
}

/* Several chunks; frames are read once, but for those that the field is looked for in. */
static void test_long_sequences_are_read_once(void) {
    open_scope(600);
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    endo_chain *chain = align(&o, 0, ENDO_OK);
    const endo_chain_frame *f = endo_chain_frames(chain, NULL);
    CHECK(count(chain) == 600 && is_placed(&f[599], 599, 0) && is_placed(&f[300], 300, 0));
    CHECK(it.reads <= 600 + 2 * 16);
    endo_chain_destroy(&chain);
}

static void test_unreadable_frames_are_left_out(void) {
    open_scope(12);
    it.broken[0] = it.broken[3] = it.broken[4] = 1;
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    endo_chain *chain = align(&o, 0, ENDO_OK);
    const endo_chain_frame *f = endo_chain_frames(chain, NULL);
    CHECK(f[0].status == ENDO_CHAIN_SKIPPED && f[3].status == ENDO_CHAIN_SKIPPED && f[5].reference == 2);
    CHECK(is_near(&f[5], 5, 1, 1) && is_near(&f[11], 11, 1, 1));
    CHECK(said("frame 4 (d.png): torn; skipped") == 1 && said("frame 5: torn; skipped") == 1 && said("skipped") == 3);
    endo_chain_destroy(&chain);
    o.reference = 3;
    chain = align(&o, 0, ENDO_ERR_ARGUMENT);
    CHECK(!strcmp(endo_last_error(), "frame 4 (d.png): torn") && count(chain) == 0 && said("stopped") == 0);
    endo_chain_destroy(&chain);
    for (int i = 0; i < 12; i++) it.broken[i] = 1;
    chain = align(&o, 0, ENDO_ERR_ARGUMENT);
    CHECK(!strcmp(endo_last_error(), "no frame can be read; the last said: frame 12: torn"));
    CHECK(!strcmp(endo_chain_field_description(chain), ""));
    endo_chain_destroy(&chain);
}

static void test_a_cancel_keeps_what_is_done(void) {
    open_scope(600);
    it.stop_at = 0.001;
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    endo_chain *chain = align(&o, 0, ENDO_CANCELLED);
    int n = count(chain);
    CHECK(n > 0 && n < 600 && is_placed(&endo_chain_frames(chain, NULL)[n - 1], n - 1, 0) && said("stopped") == 0);
    endo_chain_destroy(&chain);
    open_scope(12);
    it.stop_at = 0;
    chain = align(&o, 0, ENDO_CANCELLED);
    CHECK(count(chain) == 0);
    endo_chain_destroy(&chain);
}

/* Motion is followed only where there is a period. */
static void test_kalman_needs_a_period(void) {
    open_scope(12);
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    o.kalman = 1;
    static uint8_t black[SIDE * SIDE];
    it.frames[9] = black;
    endo_chain *chain = align(&o, 0, ENDO_OK);
    CHECK(said("kalman: period is 0") == 1 && !endo_chain_frames(chain, NULL)[9].predicted);
    endo_chain_destroy(&chain);
    o.period = 3;
    it.share = 0;
    chain = align(&o, 0, ENDO_OK);
    const endo_chain_frame *f = endo_chain_frames(chain, NULL);
    CHECK(said("kalman") == 1 && f[9].predicted && f[9].pose.matrix[2] == rint(f[9].pose.matrix[2]));
    CHECK_NEAR(f[9].pose.matrix[2], x_at(9), 1);
    endo_chain_destroy(&chain);
    o.kalman = 0;
    it.share = 0;
    chain = align(&o, 0, ENDO_OK);
    CHECK(!endo_chain_frames(chain, NULL)[9].predicted);
    endo_chain_destroy(&chain);
}

/* -------------------------------------------------------------------------- failures */

static void test_the_cpu_goes_on_wherever_a_device_fails(void) {
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_AUTO);
    int failed = 1;
    int calls = 1;
    for (; failed && calls < 100; calls++) {
        open_scope(40);
        it.broken[7] = 1;
        endo_chain *chain = align(&o, calls, ENDO_OK);
        const endo_chain_frame *f = endo_chain_frames(chain, NULL);
        failed = said("the CPU goes on, nothing is lost");
        CHECK(failed <= 1 && count(chain) == 40 && said("frame 8: torn; skipped") == 1);
        CHECK(!failed || strstr(endo_chain_backend(chain), ", then cpu ("));
        for (int i = 0; i < 40; i++) CHECK(i == 7 || is_placed(&f[i], i, 0));
        endo_chain_destroy(&chain);
    }
    CHECK(calls > 4 && calls < 100);
}

static void test_a_chosen_back_end_stops(void) {
    open_scope(40);
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    endo_chain *chain = align(&o, 1, ENDO_ERR_DEVICE);
    CHECK(said("stopped at frame 1: device failed") == 1 && count(chain) == 0 && strstr(endo_last_error(), "device failed"));
    CHECK(!strcmp(endo_chain_field_description(chain), "whole frame"));
    endo_chain_destroy(&chain);
}

/* What is known up to there stays. */
static void test_a_reference_that_is_lost_ends_the_run(void) {
    int ended = 0;
    for (int calls = 250; calls < 600 && !ended; calls += 30) {
        open_scope(600);
        it.breaks_when_replaced = 0;
        endo_exposure_chain_options o = exposures(ENDO_BACKEND_AUTO);
        endo_chain *chain = NULL;
        o.reference = 0;
        CHECK(endo_exposure_chain_create(&o, &hooks, &chain) == ENDO_OK);
        endo_chain_fail_after(chain, calls);
        endo_status status = endo_chain_run(chain, &it.source);
        ended = status == ENDO_ERR_ARGUMENT && count(chain) > 0;
        if (ended) CHECK(!strcmp(endo_last_error(), "frame 1: torn") && said("stopped") == 0 && count(chain) < 600);
        CHECK(it.lent == 0);
        endo_chain_destroy(&chain);
    }
    CHECK(ended);
}

/* ------------------------------------------------------------------ the session alone */

static int most_slots; /* with which the work does not run out of memory */

static endo_status work(void *session) {
    frame_session *s = session;
    ENDO_TRY(frame_session_need_store(s));
    return frame_store_capacity(s->store) > most_slots ? endo_fail(ENDO_ERR_MEMORY, "full") : ENDO_OK;
}

static void test_stores_get_smaller_where_memory_ends(void) {
    mosaic_events events;
    mosaic_sequence *sequence = NULL;
    frame_session s;
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_frames_options options = endo_frames_options_default();
    back_end_job job = {.size = {.width = SIDE, .height = SIDE}, .frames = 12};
    options.width = options.height = SIDE;
    open_scope(12);
    events_init(&events, &hooks);
    CHECK(sequence_create(&it.source, 0, 0, NULL, &sequence) == ENDO_OK);
    CHECK(frame_session_start(&s, &cpu, &job, sequence, &events) == ENDO_OK);
    CHECK(frame_session_open(&s, &options, 20, 3) == ENDO_OK && frame_store_capacity(s.store) == 20);
    most_slots = 7;
    CHECK(frame_session_persist(&s, work, &s) == ENDO_OK && frame_store_capacity(s.store) == 5);
    CHECK(said("out of memory with 20 frames at once (full); going on with 10") == 1 && said("going on with 5") == 1);
    most_slots = 3;
    CHECK(frame_session_persist(&s, work, &s) == ENDO_OK && frame_store_capacity(s.store) == 3);
    most_slots = 0;
    REFUSES_WITH(frame_session_persist(&s, work, &s), ENDO_ERR_MEMORY, "full");
    CHECK(frame_store_capacity(s.store) == 3);
    frame_session_close(&s);
    sequence_destroy(&sequence);
    events_free(&events);
}

/* --------------------------------------------------------------------- other images */

static const void *lend_other(void *user, int32_t frame, char *reason) {
    (void)reason;
    CHECK(frame == 0);
    return user;
}

/* A larger image that shows the scene from (-8, 10), in which frames lie. */
static endo_mosaic_source larger(uint8_t *pixels, int width, int height) {
    exposure_scene scene;
    test_random r = {3};
    exposure_setting setting = {.gain = 0.5, .gamma = 1};
    float *light = malloc((size_t)width * (size_t)height * sizeof *light);
    exposure_scene_init(&scene, 2);
    exposure_scene_render(&scene, -8, -10, width, height, light);
    exposure_expose(light, width * height, &setting, &r, pixels);
    free(light);
    return (endo_mosaic_source){
        .frames = 1, .width = width, .height = height, .type = ENDO_GREY8, .lend = lend_other, .user = pixels};
}

static void check_onto(const endo_chain *chain, double tolerance) {
    const endo_chain_frame *f = endo_chain_frames(chain, NULL);
    for (int i = 0; i < count(chain); i++) {
        CHECK(f[i].registered && f[i].reference == -1);
        CHECK_NEAR(f[i].pose.matrix[2], x_at(i) + 8, tolerance);
        CHECK_NEAR(f[i].pose.matrix[5], y_at(i) + 10, tolerance);
        CHECK_NEAR(f[i].dx, x_at(i) + 8, tolerance);
    }
}

static void test_frames_are_registered_onto_another_image(void) {
    enum { WIDTH = 150, HEIGHT = 140 };
    static uint8_t pixels[WIDTH * HEIGHT];
    endo_mosaic_source onto = larger(pixels, WIDTH, HEIGHT);
    endo_fourier_chain_options o = spectra();
    o.onto = &onto;
    open_scope(5);
    endo_chain *chain = compare(&o, ENDO_OK);
    CHECK(count(chain) == 5 && !strcmp(endo_chain_field_description(chain), "whole frame"));
    check_onto(chain, 0.4);
    endo_chain_destroy(&chain);
    o.part = (endo_chain_part){.left = 10, .top = 20, .right = 90, .bottom = 96};
    o.onto_part = (endo_chain_part){.left = 5, .top = 12, .right = 140, .bottom = 130};
    open_scope(1);
    chain = compare(&o, ENDO_OK);
    CHECK(count(chain) == 1);
    check_onto(chain, 0.5);
    endo_chain_destroy(&chain);
}

/* What is outside of it is another scene, which would win. */
static void test_a_mask_is_all_that_is_compared(void) {
    enum { LEFT = 8, TOP = 8, PART = 80 };
    static uint8_t mask[PART * PART];
    static uint8_t masked[3][SIDE * SIDE];
    endo_fourier_chain_options o = spectra();
    uint8_t *other = view(9, 0, 0, 0.5);
    open_scope(3);
    for (int y = 0; y < PART; y++)
        for (int x = 0; x < PART; x++) mask[y * PART + x] = hypot(x - 39.5, y - 39.5) < 39 ? 255 : 0;
    for (int i = 0; i < 3; i++) {
        memcpy(masked[i], other, sizeof masked[i]);
        for (int k = 0; k < PART * PART; k++) {
            int at = (TOP + k / PART) * SIDE + LEFT + k % PART;
            if (mask[k]) masked[i][at] = it.frames[i][at];
        }
        it.frames[i] = masked[i];
    }
    o.part = (endo_chain_part){.left = LEFT, .top = TOP, .right = LEFT + PART, .bottom = TOP + PART};
    o.mask = mask;
    endo_chain *chain = compare(&o, ENDO_OK);
    const endo_chain_frame *f = endo_chain_frames(chain, NULL);
    CHECK(!strcmp(endo_chain_field_description(chain), "selection") && endo_chain_field_mask(chain)[0] == 0);
    for (int i = 1; i < 3; i++) {
        CHECK(f[i].registered && f[i].status == ENDO_CHAIN_OK && f[i].reference == i - 1);
        CHECK_NEAR(f[i].pose.matrix[2], x_at(i), 0.5);
        CHECK_NEAR(f[i].pose.matrix[5], y_at(i) - y_at(0), 0.5);
    }
    endo_chain_destroy(&chain);
    free(other);
}

/* Bars above and below, or left and right, do not move with the scene. */
static void test_what_bars_leave_takes_part_alone(void) {
    static uint8_t framed[4][SIDE * SIDE];
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        open_scope(4);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < SIDE * SIDE; k++) {
                int at = is_wide ? k / SIDE : k % SIDE;
                framed[i][k] = at >= 14 && at < SIDE - 14 ? it.frames[i][k] : 0;
            }
            it.frames[i] = framed[i];
        }
        endo_chain *chain = align(&o, 0, ENDO_OK);
        CHECK(!strncmp(endo_chain_field_description(chain), "bright region, columns", 22));
        CHECK(endo_chain_field_mask(chain) != NULL);
        CHECK(is_placed(&endo_chain_frames(chain, NULL)[3], 3, 0));
        endo_chain_destroy(&chain);
    }
}

/* A source whose frames are lent as handles, as Java's are. */
static const void *lend_handle(void *user, int32_t frame, char *reason) {
    (void)reason;
    return &((scope *)user)->frames[frame];
}

static void take_handle(void *user, int32_t frame, const void *lent) { CHECK(lent == &((scope *)user)->frames[frame]); }

static const void *hold(void *user, const void *lent) {
    (void)user;
    return *(uint8_t *const *)lent;
}

static void let_go(void *user, const void *lent, const void *pixels) {
    (void)user;
    CHECK(pixels == *(uint8_t *const *)lent);
}

/* A bright region with a sloping border is no picture between bars, though it reaches from side to side: 0.8 of its rectangle. */
static void test_a_sloping_border_is_no_bar(void) {
    static uint8_t framed[4][SIDE * SIDE];
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    open_scope(4);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < SIDE * SIDE; k++) {
            int is_inside = k / SIDE >= 14 + k % SIDE / 4 && k / SIDE < SIDE - 14;
            framed[i][k] = is_inside ? it.frames[i][k] : 0;
        }
        it.frames[i] = framed[i];
    }
    endo_chain *chain = align(&o, 0, ENDO_OK);
    CHECK(!strcmp(endo_chain_field_description(chain), "whole frame"));
    endo_chain_destroy(&chain);
}

/* Reflections move with the scope, in colour frames of which little is white; in grey ones, or where more is white, that may be
 * the scene. */
static void test_highlights_of_colour_take_no_part(void) {
    enum { LITTLE, MUCH, GREY, KINDS };
    static uint32_t coloured[4][SIDE * SIDE];
    endo_fourier_chain_options o = spectra();
    for (int kind = 0; kind < KINDS; kind++) {
        open_scope(4);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < SIDE * SIDE; k++) {
                uint32_t v = it.frames[i][k] / 2, x = (uint32_t)(k % SIDE), y = (uint32_t)(k / SIDE);
                uint32_t tissue = kind == GREY ? v << 16 | v << 8 | v : (v + 20) << 16 | v << 8 | v / 2;
                int is_white = x % 16 < (kind == MUCH ? 7 : 4) && (x / 16 + y / 16) % 2 && y % 16 < 8;
                coloured[i][k] = is_white ? 0xffffff : tissue;
            }
            it.frames[i] = (uint8_t *)coloured[i];
        }
        it.source.type = ENDO_RGB32;
        it.source.lend = lend_handle;
        it.source.give_back = take_handle;
        it.source.hold = hold;
        it.source.let_go = let_go;
        endo_chain *chain = compare(&o, ENDO_OK);
        const endo_chain_frame *f = endo_chain_frames(chain, NULL);
        CHECK(kind == LITTLE ? is_near(&f[3], 3, 0, 0.5) : !is_near(&f[3], 3, 0, 3));
        endo_chain_destroy(&chain);
    }
}

/* It does not turn or move with the scene; a bright region that is no circle may be the scene. */
static void test_a_circle_takes_part_alone(void) {
    static uint8_t framed[4][SIDE * SIDE];
    endo_exposure_chain_options o = exposures(ENDO_BACKEND_CPU);
    for (int is_round = 1; is_round >= 0; is_round--) {
        open_scope(4);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < SIDE * SIDE; k++) {
                int x = k % SIDE;
                int y = k / SIDE;
                int inside = is_round ? hypot(x - 47.5, y - 47.5) < 44 : x > 20 && x < 90 && y > 10 && y < 60;
                framed[i][k] = inside ? it.frames[i][k] : 0;
            }
            it.frames[i] = framed[i];
        }
        endo_chain *chain = align(&o, 0, ENDO_OK);
        const char *field = endo_chain_field_description(chain);
        CHECK(is_round ? !strncmp(field, "circle of radius", 16) : !strcmp(field, "whole frame"));
        CHECK((endo_chain_field_mask(chain) != NULL) == is_round);
        if (is_round) CHECK(is_placed(&endo_chain_frames(chain, NULL)[3], 3, 0));
        endo_chain_destroy(&chain);
    }
}

/* ------------------------------------------------------------------------- arguments */

static void test_arguments_are_checked(void) {
    endo_chain *chain = NULL;
    endo_exposure_chain_options e = exposures(ENDO_BACKEND_CPU);
    endo_fourier_chain_options f = spectra();
    endo_mosaic_source onto;
    open_scope(12);
    onto = it.source;
    REFUSES(endo_exposure_chain_create_abi(&e, NULL, ENDO_ABI + 1, &chain), "ABI");
    REFUSES(endo_fourier_chain_create_abi(&f, NULL, ENDO_ABI + 1, &chain), "ABI");
    REFUSES(endo_exposure_chain_create(&e, NULL, NULL), "out is NULL");
    REFUSES(endo_fourier_chain_create(&f, NULL, NULL), "out is NULL");
    e.pairs.search = 513;
    REFUSES(endo_exposure_chain_create(&e, NULL, &chain), "search 513");
    e = exposures(ENDO_BACKEND_CPU);
    e.period = 1001;
    REFUSES(endo_exposure_chain_create(&e, NULL, &chain), "period 1001: must be 0..1000");
    e = exposures(ENDO_BACKEND_CPU);
    e.kalman = 2;
    REFUSES(endo_exposure_chain_create(&e, NULL, &chain), "kalman 2");
    e = exposures(ENDO_BACKEND_CPU);
    e.reference = -2;
    REFUSES(endo_exposure_chain_create(&e, NULL, &chain), "reference -2");
    f.reference = -2;
    REFUSES(endo_fourier_chain_create(&f, NULL, &chain), "reference -2");
    f = spectra();
    f.pairs.candidates = 0;
    REFUSES(endo_fourier_chain_create(&f, NULL, &chain), "candidates 0");
    f = spectra();
    f.onto = &onto;
    f.mask = it.frames[0];
    REFUSES(endo_fourier_chain_create(&f, NULL, &chain), "mask: must be NULL");
    f.mask = NULL;
    f.onto_part = (endo_chain_part){.left = 4, .top = 4, .right = SIDE + 1, .bottom = 8};
    REFUSES(endo_fourier_chain_create(&f, NULL, &chain), "onto_part 4, 4 .. 97, 8: must lie in the image, 96 x 96 px");
    onto.frames = 0;
    REFUSES(endo_fourier_chain_create(&f, NULL, &chain), "a sequence of 0 frames");
    CHECK(!chain && count(NULL) == 0 && !strcmp(endo_chain_backend(NULL), "") && !endo_chain_field_mask(NULL));
    CHECK(!strcmp(endo_chain_field_description(NULL), ""));
    REFUSES(endo_chain_run(NULL, &it.source), "chain is NULL");
}

static void test_what_depends_on_the_sequence_is_checked(void) {
    endo_chain *chain = NULL;
    endo_exposure_chain_options e = exposures(ENDO_BACKEND_CPU);
    endo_fourier_chain_options f = spectra();
    open_scope(12);
    e.reference = 12;
    CHECK(endo_exposure_chain_create(&e, NULL, &chain) == ENDO_OK);
    REFUSES(endo_chain_run(chain, &it.source), "reference 12: there are 12 frames, 0..11");
    it.source.frames = 1;
    REFUSES(endo_chain_run(chain, &it.source), "a sequence of 1 frames: must be 2");
    CHECK(it.reads == 0);
    endo_chain_destroy(&chain);
    open_scope(12);
    f.part = (endo_chain_part){.left = -1, .top = 0, .right = 8, .bottom = 8};
    CHECK(endo_fourier_chain_create(&f, NULL, &chain) == ENDO_OK);
    REFUSES(endo_chain_run(chain, &it.source), "part -1, 0 .. 8, 8");
    endo_chain_destroy(&chain);
    f.part = (endo_chain_part){.left = 8, .top = 0, .right = 8, .bottom = 8};
    CHECK(endo_fourier_chain_create(&f, NULL, &chain) == ENDO_OK);
    REFUSES(endo_chain_run(chain, &it.source), "part 8, 0 .. 8, 8");
    endo_chain_destroy(&chain);
}

int main(void) {
    test_every_frame_is_placed();
    test_long_sequences_are_read_once();
    test_unreadable_frames_are_left_out();
    test_a_cancel_keeps_what_is_done();
    test_kalman_needs_a_period();
    test_the_cpu_goes_on_wherever_a_device_fails();
    test_a_chosen_back_end_stops();
    test_a_reference_that_is_lost_ends_the_run();
    test_stores_get_smaller_where_memory_ends();
    test_a_circle_takes_part_alone();
    test_what_bars_leave_takes_part_alone();
    test_a_sloping_border_is_no_bar();
    test_highlights_of_colour_take_no_part();
    test_frames_are_registered_onto_another_image();
    test_a_mask_is_all_that_is_compared();
    test_arguments_are_checked();
    test_what_depends_on_the_sequence_is_checked();
    return check_summary("test_chains");
}
