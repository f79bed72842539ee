/* The order in which a run tells of errors of its panoramas: first what makes the others. What finds the errors is a stand-in,
 * which finds those that a test asks for. */
#include "systems/mosaic/lens_estimate.h"
#include "systems/mosaic/poses.h"
#include "demo_rig.h"

enum { W = 120, H = 96, FRAMES = 3 };

/* Errors. */
enum { LENS = 1, TILT = 2, SHAPE = 4, TEAR = 8 };

static demo_frames demo;
static int found; /* errors, as a sum */

static void say(int error, const char *name, char *out, size_t size) { snprintf(out, size, "%s", found & error ? name : ""); }

void __wrap_lens_warning(const lens_estimate *lens, double taken, char *out, size_t size) {
    (void)lens, (void)taken;
    say(LENS, "lens", out, size);
}

void __wrap_poses_warning(const mosaic_poses *p, const char *remedy, char *out, size_t size) {
    (void)p, (void)remedy;
    say(TILT, "tilt", out, size);
}

void __wrap_shape_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length) {
    (void)frames, (void)n, (void)size;
    say(SHAPE, "shape", out, length);
}

void __wrap_tear_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length) {
    (void)frames, (void)n, (void)size;
    say(TEAR, "tear", out, length);
}

/* ------------------------------------------------------------------------ runs */

/* Warnings as they came, with their kinds. */
typedef struct listener {
    char text[500];
    endo_event_kind kinds[8];
    int n;
} listener;

static listener heard;

static void hear(void *user, const endo_event *event) {
    listener *l = user;
    size_t used = strlen(l->text);
    if (event->level != ENDO_EVENT_WARNING || l->n >= 8) return;
    snprintf(l->text + used, sizeof l->text - used, "%s|", event->text);
    l->kinds[l->n++] = event->kind;
}

static endo_mosaic *new_mosaic(void) {
    const endo_mosaic_hooks hooks = {.event = hear, .user = &heard};
    endo_mosaic_options options = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 2;
    CHECK(endo_mosaic_create(&options, &hooks, &mosaic) == ENDO_OK);
    memset(&heard, 0, sizeof heard);
    return mosaic;
}

/* The warnings of a run in which these errors are found. */
static const char *warnings_of_run(int errors) {
    endo_mosaic *mosaic = new_mosaic();
    found = errors;
    CHECK(endo_mosaic_run(mosaic, &demo.source) == ENDO_OK);
    endo_mosaic_destroy(&mosaic);
    return heard.text;
}

/* The warnings where poses alone are solved for. */
static const char *warnings_of_solving(int errors) {
    endo_mosaic *first = new_mosaic();
    endo_mosaic *second = new_mosaic();
    endo_mosaic_frame frames[FRAMES];
    int32_t n;
    int32_t n_edges;
    found = 0;
    CHECK(endo_mosaic_register(first, &demo.source) == ENDO_OK);
    memcpy(frames, endo_mosaic_frames(first, &n), sizeof frames);
    const endo_mosaic_edge *edges = endo_mosaic_edges(first, &n_edges);
    found = errors;
    const endo_mosaic_records records = {
        .width = W,
        .height = H,
        .field_spread = endo_mosaic_field_spread(first),
        .frames = frames,
        .n_frames = n,
        .edges = edges,
        .n_edges = n_edges,
    };
    CHECK(n == FRAMES && endo_mosaic_solve(second, &records) == ENDO_OK);
    endo_mosaic_destroy(&second);
    endo_mosaic_destroy(&first);
    return heard.text;
}

static void test_what_is_right_is_not_warned_of(void) {
    CHECK(!strcmp(warnings_of_run(0), ""));
    CHECK(!strcmp(warnings_of_solving(0), ""));
}

static void test_causes_come_first(void) {
    static const endo_event_kind kinds[] = {ENDO_EVENT_LENS, ENDO_EVENT_PERSPECTIVE, ENDO_EVENT_SHAPE, ENDO_EVENT_SHAPE};
    CHECK(!strcmp(warnings_of_run(LENS | TILT | SHAPE | TEAR),
                  "lens; try that first, what else is wrong may come of it|tilt|shape|tear|"));
    CHECK(heard.n == 4 && !memcmp(heard.kinds, kinds, sizeof kinds));
    CHECK(!strcmp(warnings_of_run(TILT | SHAPE | TEAR), "tilt|shape|tear|"));
    CHECK(!strcmp(warnings_of_solving(LENS | TILT), "lens|tilt|"));
    CHECK(heard.n == 2 && heard.kinds[0] == ENDO_EVENT_LENS && heard.kinds[1] == ENDO_EVENT_PERSPECTIVE);
}

/* A lens is to be tried first where any of the others may come of it. */
static void test_what_to_try_first(void) {
    static const int others[] = {TILT, SHAPE, TEAR};
    static const char *const names[] = {"tilt", "shape", "tear"};
    CHECK(!strcmp(warnings_of_run(LENS), "lens|"));
    for (int i = 0; i < 3; i++) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, "lens; try that first, what else is wrong may come of it|%s|", names[i]);
        CHECK(!strcmp(warnings_of_run(LENS | others[i]), wanted));
    }
}

int main(void) {
    endo_demo_options scene = endo_demo_options_default();
    scene.width = W;
    scene.height = H;
    scene.frames = FRAMES;
    scene.step = 4;
    demo_make(&demo, &scene, FRAMES, DEMO_RGB);
    test_what_is_right_is_not_warned_of();
    test_causes_come_first();
    test_what_to_try_first();
    demo_free(&demo);
    return check_summary("test_mosaic_warnings");
}
