/* Whole runs by the public calls: what they say of their time and light, frames that are at hand, frames that are painted in
 * poses that are given, panoramas of which parts are read, and records that cannot be solved. */
#include "demo_rig.h"
#include "refuses.h"

enum { W = 200, H = 160, FRAMES = 16 };

static demo_frames demo;
static endo_mosaic *mosaic;

static void open_demo(void) {
    endo_demo_options options = endo_demo_options_default();
    options.width = W;
    options.height = H;
    options.frames = FRAMES;
    options.step = 4;
    demo_make(&demo, &options, FRAMES, DEMO_RGB);
}

static endo_mosaic_options cpu_options(void) {
    endo_mosaic_options options = endo_mosaic_options_default();
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 2;
    return options;
}

static void make(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks) {
    CHECK(endo_mosaic_create(options, hooks, &mosaic) == ENDO_OK);
}

/* The first panorama, from malloc. */
static uint32_t *picture(endo_mosaic_panorama *p) {
    CHECK(endo_mosaic_describe(mosaic, 1, p) == ENDO_OK && p->width > 0);
    uint32_t *pixels = malloc((size_t)p->width * (size_t)p->height * sizeof *pixels);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p->width, p->height},
                           &(endo_panorama_planes){.pixels = pixels}) == ENDO_OK);
    return pixels;
}

/* ------------------------------------------------------------------- time and light */

static double sum_of(const endo_mosaic_times *t) {
    return t->start + t->field + t->read + t->put + t->pairs + t->loops + t->light + t->paint + t->panorama;
}

static void test_nothing_is_known_before_a_run(void) {
    endo_mosaic_times none = endo_mosaic_spent(NULL);
    make(NULL, NULL);
    endo_mosaic_times before = endo_mosaic_spent(mosaic);
    CHECK(sum_of(&none) == 0 && sum_of(&before) == 0);
    CHECK(!endo_mosaic_light(NULL) && !endo_mosaic_light(mosaic) && !endo_mosaic_light_description(mosaic)[0]);
    endo_mosaic_destroy(&mosaic);
}

static void test_a_run_tells_of_its_time_and_light(void) {
    endo_mosaic_options options = cpu_options();
    make(&options, NULL);
    CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_OK);
    endo_mosaic_times t = endo_mosaic_spent(mosaic);
    CHECK(t.start > 0 && t.field > 0 && t.read > 0 && t.put > 0 && t.pairs > 0 && t.loops > 0);
    CHECK(t.light > 0 && t.paint > 0 && t.panorama > 0 && sum_of(&t) < 300);
    const endo_light_report *light = endo_mosaic_light(mosaic);
    CHECK(light && light->frames > 0 && light->frames <= FRAMES && light->rim > 0 && light->rim <= 1);
    CHECK(endo_mosaic_light_description(mosaic)[0]);
    endo_mosaic_destroy(&mosaic);
}

static void test_what_was_not_done_took_no_time(void) {
    endo_mosaic_options options = cpu_options();
    make(&options, NULL);
    CHECK(endo_mosaic_register(mosaic, &demo.source) == ENDO_OK);
    endo_mosaic_times t = endo_mosaic_spent(mosaic);
    CHECK(t.pairs > 0 && t.paint == 0 && t.panorama == 0 && !endo_mosaic_light(mosaic));
    endo_mosaic_destroy(&mosaic);
    options.light = 0;
    make(&options, NULL);
    CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_OK && endo_mosaic_spent(mosaic).paint > 0);
    CHECK(!endo_mosaic_light(mosaic));
    endo_mosaic_destroy(&mosaic);
}

/* Ended before anything could be solved for. */
static int at_once(void *user) {
    (void)user;
    return 1;
}

static void test_no_light_is_told_that_was_not_found(void) {
    endo_mosaic_options options = cpu_options();
    endo_mosaic_hooks hooks = {.cancelled = at_once};
    make(&options, &hooks);
    CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_CANCELLED);
    CHECK(!endo_mosaic_light(mosaic) && !endo_mosaic_light_description(mosaic)[0]);
    endo_mosaic_destroy(&mosaic);
}

/* ------------------------------------------------------------------ frames at hand */

/* They are asked for again in place of being kept; the panorama is the same. */
static void test_frames_at_hand_are_asked_for_again(void) {
    endo_mosaic_options options = cpu_options();
    endo_mosaic_panorama p[2];
    uint32_t *pixels[2];
    int lent[2];
    for (int at_hand = 0; at_hand < 2; at_hand++) {
        demo.source.at_hand = at_hand;
        demo.n_lent = 0;
        make(&options, NULL);
        CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_OK);
        pixels[at_hand] = picture(&p[at_hand]);
        lent[at_hand] = demo.n_lent;
        endo_mosaic_destroy(&mosaic);
    }
    demo.source.at_hand = 0;
    CHECK(lent[0] == FRAMES && lent[1] > 2 * FRAMES);
    CHECK(p[0].width == p[1].width && p[0].height == p[1].height);
    CHECK(!memcmp(pixels[0], pixels[1], (size_t)p[0].width * (size_t)p[0].height * sizeof *pixels[0]));
    free(pixels[0]);
    free(pixels[1]);
}

/* --------------------------------------------------------------- poses that are given */

static void give_pose(endo_mosaic_frame *f, int i, double x, double y) {
    *f = (endo_mosaic_frame){
        .pose = endo_transform_identity(),
        .chained = endo_transform_identity(),
        .reference = i - 1,
        .registered = 1,
        .component = 1,
        .order = i + 1,
        .solved = 1,
    };
    f->pose.matrix[2] = x;
    f->pose.matrix[5] = y;
    f->chained = f->pose;
}

/* Too small for any landmark: a run says so, and painting asks for none. */
static void test_one_frame_is_painted_without_matching(void) {
    enum { SIDE = 24 };
    static uint32_t flat[SIDE * SIDE];
    demo_frames one = {.pixels = (uint8_t *)flat, .bytes = sizeof flat};
    endo_mosaic_options options = cpu_options();
    endo_mosaic_frame frame;
    endo_mosaic_panorama p;
    for (int i = 0; i < SIDE * SIDE; i++) flat[i] = 0xff203000u + (uint32_t)i % 200;
    one.source = demo.source;
    one.source.frames = 1;
    one.source.width = SIDE;
    one.source.height = SIDE;
    one.source.user = &one;
    options.field = ENDO_MOSAIC_FIELD_WHOLE;
    options.painting = ENDO_MOSAIC_UNION;
    options.rim = 0;
    give_pose(&frame, 0, 0, 0);
    make(&options, NULL);
    CHECK(endo_mosaic_run(mosaic, &one.source) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "1 frames: must be 2"));
    CHECK(endo_mosaic_paint(mosaic, &one.source, &frame, 1) == ENDO_OK);
    uint32_t *pixels = picture(&p);
    CHECK(p.frames == 1 && p.width == SIDE && p.height == SIDE && p.origin_x == 0 && p.origin_y == 0);
    CHECK(!memcmp(pixels, flat, sizeof flat));
    CHECK(endo_mosaic_paint(mosaic, &one.source, &frame, 1) == ENDO_ERR_ARGUMENT && strstr(endo_last_error(), "has run"));
    free(pixels);
    endo_mosaic_destroy(&mosaic);
}

/* What cannot be read is not matched either: it is skipped, and told as lost. */
static int n_skipped;

static void count_skipped(void *user, const endo_event *event) {
    (void)user;
    n_skipped += event->kind == ENDO_EVENT_UNREADABLE && event->level == ENDO_EVENT_LOST && strstr(event->text, "; skipped");
}

static const void *lend_but_two(void *user, int32_t frame, char *reason) {
    return frame == 2 ? NULL : demo_lend(user, frame, reason);
}

static void test_frames_that_cannot_be_painted_are_skipped(void) {
    endo_mosaic_options options = cpu_options();
    endo_mosaic_hooks hooks = {.event = count_skipped};
    endo_mosaic_source source = demo.source;
    endo_mosaic_frame frames[4];
    source.frames = 4;
    source.lend = lend_but_two;
    options.painting = ENDO_MOSAIC_UNION;
    for (int i = 0; i < 4; i++) give_pose(&frames[i], i, 20 * i, 0);
    n_skipped = 0;
    make(&options, &hooks);
    CHECK(endo_mosaic_paint(mosaic, &source, frames, 4) == ENDO_OK && n_skipped == 1);
    endo_mosaic_destroy(&mosaic);
}

/* ------------------------------------------------------------------------- cancel */

static double done;

static void note_progress(void *user, double share) {
    (void)user;
    done = share;
}

static int when_begun(void *user) {
    (void)user;
    return done > 0;
}

static int64_t count_painted_pixels(void) {
    endo_mosaic_panorama p;
    int64_t n = 0;
    CHECK(endo_mosaic_describe(mosaic, 1, &p) == ENDO_OK && p.width > 0);
    uint8_t *painted = malloc((size_t)p.width * (size_t)p.height);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.width, p.height},
                           &(endo_panorama_planes){.painted = painted}) == ENDO_OK);
    for (int i = 0; i < p.width * p.height; i++) n += painted[i] == 255;
    free(painted);
    return n;
}

/* One over the other, eight at a time: the first ones are there. */
static void test_what_was_painted_before_a_cancel_is_kept(void) {
    endo_mosaic_options options = cpu_options();
    endo_mosaic_frame frames[FRAMES];
    int64_t pixels[2];
    options.painting = ENDO_MOSAIC_UNION;
    for (int i = 0; i < FRAMES; i++) give_pose(&frames[i], i, 40 * i, 0);
    for (int whole = 0; whole < 2; whole++) {
        endo_mosaic_hooks hooks = {.progress = note_progress, .cancelled = whole ? NULL : when_begun};
        done = 0;
        make(&options, &hooks);
        CHECK(endo_mosaic_paint(mosaic, &demo.source, frames, FRAMES) == (whole ? ENDO_OK : ENDO_CANCELLED));
        pixels[whole] = count_painted_pixels();
        endo_mosaic_destroy(&mosaic);
    }
    CHECK(pixels[0] > 0 && pixels[0] < pixels[1] * 3 / 4);
}

/* ------------------------------------------------------------------------- reading */

static void test_what_is_not_asked_for_is_not_read(void) {
    endo_mosaic_options options = cpu_options();
    endo_mosaic_panorama p;
    options.extras = ENDO_MOSAIC_COVERAGE;
    make(&options, NULL);
    CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_OK);
    uint32_t *pixels = picture(&p);
    size_t area = (size_t)p.width * (size_t)p.height;
    uint8_t *painted = malloc(2 * area);
    uint16_t *coverage = malloc(area * sizeof *coverage);
    memset(painted, 7, 2 * area);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.width, p.height},
                           &(endo_panorama_planes){.painted = painted, .coverage = coverage}) == ENDO_OK);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p.width, p.height},
                           &(endo_panorama_planes){pixels, painted + area, NULL, NULL}) == ENDO_OK);
    CHECK(!memcmp(painted, painted + area, area));
    for (size_t i = 0; i < area; i++)
        if ((painted[i] == 255) != (pixels[i] >> 24 == 255) || (coverage[i] > 0) != (painted[i] == 255)) {
            CHECK(!"pixels, painted and coverage show the same places");
            break;
        }
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, 1, 1}, &(endo_panorama_planes){0}) == ENDO_OK);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, 1, 1},
                           &(endo_panorama_planes){.uncertainty = coverage}) == ENDO_ERR_ARGUMENT);
    REFUSES(endo_mosaic_read(mosaic, 1, &(endo_rectangle){p.width, 0, 1, 1}, &(endo_panorama_planes){0}), "must lie in");
    REFUSES(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, p.height, 1, 1}, &(endo_panorama_planes){0}), "must lie in");
    REFUSES(endo_mosaic_read(mosaic, 1, NULL, &(endo_panorama_planes){0}), "read: an argument is NULL");
    REFUSES(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, 1, 1}, NULL), "read: an argument is NULL");
    REFUSES(endo_mosaic_read(NULL, 1, NULL, NULL), "mosaic is NULL");
    free(coverage);
    free(painted);
    free(pixels);
    endo_mosaic_destroy(&mosaic);
}

/* ------------------------------------------------------------------- one stage */

static void refuses_to_solve(endo_mosaic_records records, const char *text) {
    REFUSES(endo_mosaic_solve(mosaic, &records), text);
}

static void test_records_that_are_wrong_are_refused(void) {
    endo_mosaic_frame frames[2] = {{.registered = 1}, {.registered = 1, .reference = 0}};
    endo_mosaic_edge edge = {.deviation = 1, .reference = 0, .current = 1};
    for (int i = 0; i < 2; i++) frames[i].pose = endo_transform_identity();
    edge.transform = endo_transform_identity();
    edge.transform.matrix[2] = 7;
    const endo_mosaic_records right = {
        .width = W,
        .height = H,
        .field_spread = 60,
        .frames = frames,
        .n_frames = 2,
        .edges = &edge,
        .n_edges = 1,
    };
    endo_mosaic_records r;
    make(NULL, NULL);
    REFUSES(endo_mosaic_solve(NULL, &right), "mosaic is NULL");
    REFUSES(endo_mosaic_solve(mosaic, NULL), "mosaic: an argument is NULL");
    r = right, r.frames = NULL;
    refuses_to_solve(r, "mosaic: an argument is NULL");
    r = right, r.edges = NULL;
    refuses_to_solve(r, "mosaic: an argument is NULL");
    r = right, r.n_edges = -1;
    refuses_to_solve(r, "mosaic: an argument is NULL");
    r = right, r.n_frames = 0;
    refuses_to_solve(r, "0 frames: must be 1..10000000");
    r = right, r.n_frames = 1;
    refuses_to_solve(r, "edge 0: frames 0 and 1");
    r = right, r.width = 0;
    refuses_to_solve(r, "width");
    r = right, r.height = 32768;
    refuses_to_solve(r, "height");
    r = right, r.field_spread = -0.5;
    refuses_to_solve(r, "field_spread");
    r = right, r.field_spread = 65535;
    refuses_to_solve(r, "field_spread");
    CHECK(frames[1].pose.matrix[2] == 0 && frames[1].component == 0);
    CHECK(endo_mosaic_frames(mosaic, NULL) == NULL);
    CHECK(endo_mosaic_solve(mosaic, &right) == ENDO_OK);
    CHECK(fabs(frames[1].pose.matrix[2] - 7) < 1e-9 && frames[0].component == 1 && frames[1].component == 1);
    int32_t n;
    endo_mosaic_verdict v;
    const endo_mosaic_frame *solved = endo_mosaic_frames(mosaic, &n);
    CHECK(n == 2 && !memcmp(solved, frames, sizeof frames) && endo_mosaic_judge(mosaic, 0, &v) == ENDO_OK);
    CHECK(v.grade == ENDO_MOSAIC_GOOD && !strcmp(v.why, "all 2 frames are in one panorama"));
    endo_mosaic_destroy(&mosaic);
}

int main(void) {
    open_demo();
    test_nothing_is_known_before_a_run();
    test_a_run_tells_of_its_time_and_light();
    test_what_was_not_done_took_no_time();
    test_no_light_is_told_that_was_not_found();
    test_frames_at_hand_are_asked_for_again();
    test_one_frame_is_painted_without_matching();
    test_frames_that_cannot_be_painted_are_skipped();
    test_what_was_painted_before_a_cancel_is_kept();
    test_what_is_not_asked_for_is_not_read();
    test_records_that_are_wrong_are_refused();
    demo_free(&demo);
    return check_summary("test_mosaic_runs");
}
