/* Live panoramas: where frames are found, what is kept, what the preview shows, and that the panorama at the end is the usual
 * one of the kept frames. */
#include "api/testing.h"
#include "base/memory.h"
#include "demo_rig.h"
#include "refuses.h"
#include "systems/live/live_session.h"

#include <pthread.h>
#include <stdatomic.h>

enum { W = 320, H = 256, FRAMES = 60, PREVIEW = 160 };

static demo_frames demo;  /* a closed path */
static demo_frames other; /* another scene */
static endo_transform truth[FRAMES];
static uint32_t black[W * H];

/* ----------------------------------------------------------------------- helpers */

static void open_scenes(void) {
    endo_demo_options options = endo_demo_options_default();
    endo_context *context;
    endo_demo *made;
    options.width = W;
    options.height = H;
    options.frames = FRAMES;
    options.step = 5;
    demo_make(&demo, &options, FRAMES, DEMO_RGB);
    CHECK(endo_context_create(NULL, &context) == ENDO_OK && endo_demo_create(context, &options, &made) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) CHECK(endo_demo_truth(made, i, &truth[i]) == ENDO_OK);
    endo_demo_destroy(&made);
    endo_context_destroy(&context);
    options.seed = 77;
    demo_make(&other, &options, FRAMES, DEMO_RGB);
}

static const uint32_t *frame_of(const demo_frames *d, int i) { return (const uint32_t *)(d->pixels + (size_t)i * d->bytes); }

static endo_live_options cpu_options(void) {
    endo_live_options options = endo_live_options_default();
    options.mosaic.context.backend = ENDO_BACKEND_CPU;
    options.mosaic.context.threads = 2;
    options.preview = PREVIEW;
    options.loops = 0;
    return options;
}

static endo_live *make(const endo_live_options *options) {
    endo_live *live = NULL;
    CHECK(endo_live_create(options, NULL, &live) == ENDO_OK);
    return live;
}

static endo_live_frame put(endo_live *live, const uint32_t *pixels) {
    endo_live_frame frame = {.number = -1};
    endo_status status = endo_live_put(live, pixels, ENDO_RGB32, W, H, W, &frame);
    CHECK(status == ENDO_OK);
    if (status != ENDO_OK) printf("     %s\n", endo_last_error());
    return frame;
}

static endo_live_counts counts_of(endo_live *live) {
    endo_live_counts counts = {.put = -1};
    CHECK(endo_live_describe(live, NULL, &counts) == ENDO_OK);
    return counts;
}

static endo_live_view view_of(endo_live *live) {
    endo_live_view view = {.width = -1};
    CHECK(endo_live_describe(live, &view, NULL) == ENDO_OK);
    return view;
}

/* Largest distance of a corner from where the truth has it, px. */
static double error_of(const endo_transform *pose, const endo_transform *true_pose) {
    double most = 0;
    for (int k = 0; k < 4; k++) {
        double x = k % 2 ? W - 1 : 0;
        double y = k / 2 ? H - 1 : 0;
        double away = length_of(pose_x(pose, x, y) - pose_x(true_pose, x, y), pose_y(pose, x, y) - pose_y(true_pose, x, y));
        if (away > most) most = away;
    }
    return most;
}

/* ------------------------------------------------------------------ a moving scope */

static uint32_t *read_preview(endo_live *live, endo_live_view *view) {
    endo_live_view before = view_of(live);
    size_t area = (size_t)before.width * (size_t)before.height;
    uint32_t *pixels = malloc((area ? area : 1) * sizeof *pixels);
    CHECK(endo_live_read(live, pixels, area, view) == ENDO_OK);
    CHECK(view->width == before.width && view->height == before.height && view->changes == before.changes);
    return pixels;
}

static int level(uint32_t pixel, int shift) { return (int)(pixel >> shift & 255); }

/* Mean difference of green between the preview and a frame at its pose, grey levels; *n: pixels compared, of the frame's
 * middle, which is in the field. */
static double preview_differs(const uint32_t *preview, const endo_live_view *v, const uint32_t *frame,
                              const endo_transform *pose, int *n) {
    double sum = 0;
    *n = 0;
    for (int y = H / 4; y < 3 * H / 4; y += 2)
        for (int x = W / 4; x < 3 * W / 4; x += 2) {
            int to_x = (int)floor(v->origin_x + v->scale * pose_x(pose, x + 0.5, y + 0.5) + 0.5);
            int to_y = (int)floor(v->origin_y + v->scale * pose_y(pose, x + 0.5, y + 0.5) + 0.5);
            if (to_x < 0 || to_y < 0 || to_x >= v->width || to_y >= v->height) continue;
            int mean = level(frame[y * W + x], 8) + level(frame[y * W + x + 1], 8) + level(frame[(y + 1) * W + x], 8) +
                       level(frame[(y + 1) * W + x + 1], 8);
            sum += fabs(level(preview[to_y * v->width + to_x], 8) - mean / 4.0);
            ++*n;
        }
    return *n ? sum / *n : 255;
}

static void test_frames_are_found_where_they_are(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame last = {.number = 0};
    double worst = 0;
    int kept = 0;
    CHECK(view_of(live).width == 0 && counts_of(live).put == 0);
    for (int i = 0; i < 40; i++) {
        endo_live_frame f = put(live, frame_of(&demo, i));
        CHECK(f.number == i + 1 && f.found_again == 0 && f.milliseconds > 0);
        CHECK(f.state == (i == 0 ? ENDO_LIVE_STARTING : ENDO_LIVE_FOUND) && f.component == (i > 0));
        CHECK(i == 0 ? isnan(f.quality) : f.quality > 0.6 && f.quality <= 1);
        worst = fmax(worst, error_of(&f.pose, &truth[i]));
        if (f.kept) {
            CHECK(f.kept == (kept ? kept + 1 : 2));
            kept = f.kept;
            last = f;
        }
    }
    CHECK_NEAR(worst, 0, 1.0);
    endo_live_counts counts = counts_of(live);
    CHECK(counts.put == 40 && counts.kept == kept && counts.lost == 0 && counts.components == 1 && counts.loops == 0);
    CHECK(kept >= 8 && kept <= 28);
    CHECK(counts.bytes == (int64_t)kept * (W * H + W * H / 4) * 4);
    endo_live_view view;
    uint32_t *preview = read_preview(live, &view);
    CHECK(view.scale == 0.5 && view.component == 1 && view.type == ENDO_RGB32 && view.width > W / 2 && view.height > H / 2);
    int n;
    double differs = preview_differs(preview, &view, frame_of(&demo, (int)last.number - 1), &last.pose, &n);
    CHECK(n > W * H / 20);
    CHECK_NEAR(differs, 0, 8.0);
    endo_transform off = pose_translation(6, 0);
    off = pose_times(&last.pose, &off);
    CHECK(preview_differs(preview, &view, frame_of(&demo, (int)last.number - 1), &off, &n) > 1.3 * differs);
    free(preview);
    endo_live_destroy(&live);
    CHECK(!live);
}

/* A frame is kept where it has moved by the step, by shares of it among the first ones, and not before. */
static void test_the_step_decides_what_is_kept(void) {
    endo_live_options options = cpu_options();
    options.step = 12;
    endo_live *live = make(&options);
    endo_transform at = pose_identity;
    for (int i = 0; i < 40; i++) {
        double least = 0.12 * W * fmin(1, counts_of(live).kept / 16.0);
        endo_live_frame f = put(live, frame_of(&demo, i));
        endo_transform step = pose_between(&at, &f.pose);
        double moved = live_moved((mosaic_size){.width = W, .height = H}, &step);
        CHECK(i < 2 || (f.kept ? moved > least - 1.6 : moved < least + 1.6));
        if (f.kept) at = f.pose;
    }
    CHECK(counts_of(live).kept > 9);
    endo_live_destroy(&live);
}

/* ------------------------------------------------------------------- lost and found */

static void test_a_lost_scope_is_found_again(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame f = {.number = 0};
    for (int i = 0; i < 20; i++) f = put(live, frame_of(&demo, i));
    endo_transform pose = f.pose;
    for (int i = 0; i < 15; i++) {
        f = put(live, black);
        CHECK(f.state == ENDO_LIVE_LOST && f.kept == 0 && f.component == 0 && isnan(f.quality));
        CHECK(!memcmp(&f.pose, &pose, sizeof pose));
    }
    CHECK(counts_of(live).lost == 15 && view_of(live).component == 1);
    for (int i = 23; i < 30; i++) {
        f = put(live, frame_of(&demo, i));
        CHECK(f.state == ENDO_LIVE_FOUND && f.found_again == (i == 23) && f.component == 1);
        CHECK_NEAR(error_of(&f.pose, &truth[i]), 0, 1.0);
    }
    CHECK(counts_of(live).components == 1);
    endo_live_destroy(&live);
}

/* Frames of another scene are lost, then a component of their own, which black ones before them do not hasten; and the first
 * scene is found again. */
static void test_two_scenes_are_two_components(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame f;
    int lost = 0;
    int first = 0;
    for (int i = 0; i < 20; i++) f = put(live, frame_of(&demo, i));
    endo_live_view before = view_of(live);
    for (int i = 0; i < 12; i++) put(live, black);
    for (int i = 0; i < 30; i++) {
        f = put(live, frame_of(&other, i));
        CHECK(f.component != 1 && f.found_again == 0);
        lost += f.state == ENDO_LIVE_LOST;
        if (f.component == 2 && !first) first = i;
        CHECK(!first || f.component == 2);
    }
    CHECK(lost >= 8 && lost <= 12 && first == lost);
    endo_live_view view = view_of(live);
    CHECK(counts_of(live).components == 2 && view.component == 2 && view.changes > before.changes);
    CHECK(view.width != before.width || view.height != before.height);
    for (int i = 10; i < 20; i++) f = put(live, frame_of(&demo, i));
    CHECK(f.component == 1 && f.state == ENDO_LIVE_FOUND && view_of(live).component == 1 && counts_of(live).components == 2);
    CHECK_NEAR(error_of(&f.pose, &truth[19]), 0, 1.0);
    endo_live_destroy(&live);
}

/* -------------------------------------------------------------------------- memory */

static long resident(void) {
    long pages = 0;
    long all;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    fclose(file);
    return pages * 4;
}

/* A sanitizer keeps what is freed for a while, and is slow. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define STILL_FRAMES 2500
#define IS_MEASURED 0
#else
#define STILL_FRAMES 20000
#define IS_MEASURED 1
#endif

/* Seven minutes of 50 frames a second, each with noise of its own. */
static void test_a_still_scope_needs_no_memory(void) {
    enum { SIDE = 96, PUTS = STILL_FRAMES, SETTLED = 2000 };
    static uint8_t still[SIDE * SIDE];
    static uint8_t noisy[SIDE * SIDE];
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame f;
    uint32_t state = 5;
    long settled = 0;
    const uint32_t *scene = frame_of(&demo, 0);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) still[y * SIDE + x] = (uint8_t)(level(scene[(y + 80) * W + x + 110], 8) / 2 + 60);
    for (int i = 0; i < PUTS; i++) {
        for (int k = 0; k < SIDE * SIDE; k++) noisy[k] = (uint8_t)(still[k] + demo_random(&state) % 5);
        CHECK(endo_live_put(live, noisy, ENDO_GREY8, SIDE, SIDE, SIDE, &f) == ENDO_OK);
        if (i == SETTLED) settled = resident();
    }
    endo_live_counts counts = counts_of(live);
    CHECK(counts.kept == 2 && counts.lost == 0 && f.state == ENDO_LIVE_FOUND);
    CHECK(counts.bytes == 2 * SIDE * SIDE); /* frames are small: there are no copies */
    long grown = resident() - settled;
    printf("still scope: %d frames, %ld kB more than after %d\n", PUTS, grown, SETTLED);
    CHECK(!IS_MEASURED || grown <= 256);
    endo_live_destroy(&live);
}

/* What was seen three times is not kept again. */
static void test_a_path_is_kept_three_times(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    int64_t after[5];
    for (int lap = 0; lap < 5; lap++) {
        for (int i = 0; i < FRAMES; i++) {
            endo_live_frame f = put(live, frame_of(&demo, i));
            CHECK(lap + i == 0 || f.state == ENDO_LIVE_FOUND);
            CHECK_NEAR(error_of(&f.pose, &truth[i]), 0, 1.0);
        }
        after[lap] = counts_of(live).kept;
    }
    printf("kept in laps: %d %d %d %d %d\n", (int)after[0], (int)after[1], (int)after[2], (int)after[3], (int)after[4]);
    CHECK(after[1] > after[0] && after[4] == after[3] && after[4] <= 4 * after[0]);
    endo_live_destroy(&live);
}

/* Where memory ends, what was kept is finished. */
static void test_memory_is_a_limit(void) {
    endo_live_options options = cpu_options();
    options.mosaic.memory = 1 << 20; /* three frames */
    endo_live *live = make(&options);
    endo_live_frame f = {.number = -5};
    endo_mosaic *mosaic = NULL;
    int refused = 0;
    for (int i = 0; i < 30; i++) {
        f.number = -5;
        endo_status status = endo_live_put(live, frame_of(&demo, i), ENDO_RGB32, W, H, W, &f);
        CHECK(status == ENDO_OK || (status == ENDO_ERR_MEMORY && f.number == -5));
        if (status != ENDO_OK) CHECK(strstr(endo_last_error(), "option memory holds 3 frames") != NULL);
        refused += status != ENDO_OK;
    }
    CHECK(refused > 5 && counts_of(live).kept == 3 && counts_of(live).put == 30);
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && mosaic);
    int32_t n;
    endo_mosaic_frames(mosaic, &n);
    CHECK(n == 3 && endo_mosaic_components(mosaic) == 1);
    endo_live_destroy(&live);
    options.mosaic.scratch = ".";
    live = make(&options);
    for (int i = 0; i < 30; i++) put(live, frame_of(&demo, i));
    CHECK(counts_of(live).kept > 6);
    endo_live_destroy(&live);
}

/* ------------------------------------------------------------------------- the end */

typedef struct chosen_frames {
    int32_t number[FRAMES];
    int n;
} chosen_frames;

static const void *lend_chosen(void *user, int32_t frame, char *reason) {
    const chosen_frames *c = user;
    (void)reason;
    return frame_of(&demo, c->number[frame] - 1);
}

static int32_t number_of_chosen(void *user, int32_t frame) { return ((chosen_frames *)user)->number[frame]; }

static uint32_t *panorama_of(const endo_mosaic *mosaic, endo_mosaic_panorama *p) {
    CHECK(endo_mosaic_describe(mosaic, 1, p) == ENDO_OK && p->width > 0);
    uint32_t *pixels = calloc((size_t)p->width * (size_t)p->height, sizeof *pixels);
    CHECK(endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p->width, p->height},
                           &(endo_panorama_planes){.pixels = pixels}) == ENDO_OK);
    return pixels;
}

static void compare_runs(const endo_mosaic *a, const endo_mosaic *b) {
    endo_mosaic_panorama pa;
    endo_mosaic_panorama pb;
    int32_t na;
    int32_t nb;
    const endo_mosaic_frame *fa = endo_mosaic_frames(a, &na);
    const endo_mosaic_frame *fb = endo_mosaic_frames(b, &nb);
    CHECK(na == nb);
    for (int i = 0; i < na && i < nb; i++)
        CHECK(fa[i].number == fb[i].number && !memcmp(&fa[i].pose, &fb[i].pose, sizeof fa[i].pose));
    uint32_t *x = panorama_of(a, &pa);
    uint32_t *y = panorama_of(b, &pb);
    CHECK(pa.width == pb.width && pa.height == pb.height);
    CHECK(pa.width == pb.width && pa.height == pb.height &&
          !memcmp(x, y, (size_t)pa.width * (size_t)pa.height * sizeof *x));
    free(x);
    free(y);
}

static void test_the_end_is_the_usual_panorama(int loops) {
    endo_live_options options = cpu_options();
    options.loops = loops;
    endo_live *live = make(&options);
    chosen_frames chosen = {.n = 1, .number = {1}};
    endo_mosaic *mosaic = NULL;
    endo_mosaic *usual = NULL;
    for (int i = 0; i < FRAMES; i++)
        if (put(live, frame_of(&demo, i)).kept) chosen.number[chosen.n++] = i + 1;
    endo_live_view before = view_of(live);
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && mosaic);
    endo_mosaic_source source = demo.source;
    source.frames = chosen.n;
    source.lend = lend_chosen;
    source.number = number_of_chosen;
    source.user = &chosen;
    CHECK(endo_mosaic_create(&options.mosaic, NULL, &usual) == ENDO_OK && endo_mosaic_run(usual, &source) == ENDO_OK);
    compare_runs(mosaic, usual);
    endo_mosaic_destroy(&usual);
    endo_live_view view;
    free(read_preview(live, &view)); /* the preview stays */
    CHECK(view.width == before.width && view.width > 0);
    endo_live_frame f = {.number = -1};
    REFUSES(endo_live_put(live, black, ENDO_RGB32, W, H, W, &f), "has ended");
    REFUSES(endo_live_finish(live, &mosaic), "has ended");
    CHECK(f.number == -1);
    endo_live_destroy(&live);
}

static void test_too_little_makes_no_panorama(void) {
    endo_mosaic *mosaic = (endo_mosaic *)&demo;
    endo_live *live = make(NULL);
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && !mosaic);
    endo_live_destroy(&live);
    endo_live_options options = cpu_options();
    live = make(&options);
    for (int i = 0; i < 5; i++) put(live, i == 2 ? frame_of(&demo, 0) : black);
    mosaic = (endo_mosaic *)&demo;
    CHECK(counts_of(live).kept == 0 && endo_live_finish(live, &mosaic) == ENDO_OK && !mosaic);
    endo_live_destroy(&live);
}

/* How often the preview has said a text. */
static int lines_with(const endo_live *live, const char *text) {
    int n = 0;
    for (int i = 0; i < live->events.n_lines; i++) n += strstr(live->events.lines[i], text) != NULL;
    return n;
}

/* A scope that stands still, or goes to and fro within the step, has a panorama, and is told of what it lacks. */
static void test_a_scope_that_hardly_moves(void) {
    for (int moves = 0; moves < 2; moves++) {
        endo_live_options options = cpu_options();
        options.step = 15;
        endo_live *live = make(&options);
        endo_mosaic *mosaic = NULL;
        endo_mosaic_panorama p;
        for (int i = 0; i < 20; i++) put(live, frame_of(&demo, moves ? i % 6 : 0));
        int64_t kept = counts_of(live).kept;
        CHECK(moves ? kept >= 4 && kept <= 8 : kept == 2);
        CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && mosaic && endo_mosaic_components(mosaic) == 1);
        CHECK(endo_mosaic_describe(mosaic, 1, &p) == ENDO_OK);
        CHECK(moves ? p.width > 296 && p.height > 266 : p.width < 296 && p.height < 266);
        CHECK(lines_with(live, "the scope moved by") == 1 && lines_with(live, "moved by 0.0 px") == !moves);
        endo_live_destroy(&live);
    }
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_mosaic *mosaic = NULL;
    for (int i = 0; i < 6; i++) put(live, frame_of(&demo, i));
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && mosaic && lines_with(live, "the scope moved") == 0);
    endo_live_destroy(&live);
}

/* -------------------------------------------------------------------------- loops */

static atomic_int reading;
static atomic_int reads;
static atomic_int wrong_reads;

/* Reads the preview all the time while frames are put. */
static void *read_often(void *live) {
    static uint32_t room[4 * W * H];
    int64_t changes = 0;
    while (atomic_load(&reading)) {
        endo_live_view view = {.changes = -1};
        endo_live_counts counts;
        int is_read = endo_live_describe(live, &view, &counts) == ENDO_OK &&
                      endo_live_read(live, room, 4 * W * H, &view) == ENDO_OK;
        atomic_fetch_add(&reads, 1);
        if (!is_read || view.changes < changes) atomic_fetch_add(&wrong_reads, 1);
        changes = view.changes;
    }
    return NULL;
}

/* The poses are solved for while frames are put, and stay those of the truth; the preview can be read meanwhile. */
static void test_loops_are_closed_beside(void) {
    endo_live_options options = cpu_options();
    pthread_t reader;
    options.loops = 1;
    endo_live *live = make(&options);
    atomic_store(&reading, 1);
    CHECK(pthread_create(&reader, NULL, read_often, live) == 0);
    int after = 0;
    for (int lap = 0; lap < 200 && after < 2 * FRAMES; lap++)
        for (int i = 0; i < FRAMES; i++) {
            endo_live_frame f = put(live, frame_of(&demo, i));
            CHECK_NEAR(error_of(&f.pose, &truth[i]), 0, 1.0);
            after += counts_of(live).loops > 0;
        }
    atomic_store(&reading, 0);
    pthread_join(reader, NULL);
    CHECK(after >= 2 * FRAMES && atomic_load(&reads) > 0 && atomic_load(&wrong_reads) == 0);
    endo_live_view view;
    uint32_t *preview = read_preview(live, &view);
    endo_transform first = pose_identity;
    int n;
    double differs = preview_differs(preview, &view, frame_of(&demo, 0), &first, &n);
    CHECK(n > W * H / 20);
    CHECK_NEAR(differs, 0, 8.0);
    endo_transform off = pose_translation(6, 0);
    CHECK(preview_differs(preview, &view, frame_of(&demo, 0), &off, &n) > 1.2 * differs);
    free(preview);
    endo_live_destroy(&live);
}

/* Why poses cannot be solved for is said, and frames go on to be found. */
static void test_a_failed_solution_is_said(void) {
    endo_live_options options = cpu_options();
    options.loops = 1;
    endo_live *live = make(&options);
    endo_mosaic *mosaic = NULL;
    live->options.mosaic.scale = -1; /* not of the panorama at the end, which has options of its own */
    for (int lap = 0; lap < 200 && !lines_with(live, "loops are not closed for now: scale -1"); lap++)
        for (int i = 0; i < FRAMES; i++) CHECK(put(live, frame_of(&demo, i)).state != ENDO_LIVE_LOST);
    CHECK(lines_with(live, "loops are not closed for now: scale -1") > 0 && counts_of(live).loops == 0);
    pthread_mutex_lock(&live->lock);
    live->loops.failure = (endo_outcome){.status = ENDO_ERR_MEMORY, .message = "the last one"}; /* after the last frame */
    pthread_mutex_unlock(&live->lock);
    CHECK(endo_live_finish(live, &mosaic) == ENDO_OK && mosaic && lines_with(live, "for now: the last one") == 1);
    endo_live_destroy(&live);
}

/* Two components that turn out to be one: poses, numbers and the preview are those of the solution from the next frame on. */
static void test_a_solution_is_taken_over(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame f;
    for (int i = 0; i < 15; i++) put(live, frame_of(&demo, i));
    for (int i = 0; i < 20; i++) f = put(live, frame_of(&other, i));
    endo_live_view before = view_of(live);
    CHECK(f.component == 2 && counts_of(live).components == 2 && before.component == 2);
    int n = live->kept.n;
    live_solution *solution = endo_alloc_zeroed(1, sizeof *solution);
    solution->frames = endo_alloc_zeroed((size_t)n, sizeof *solution->frames);
    solution->n = n;
    solution->pictures = (live_pictures){.type = ENDO_RGB32, .most = live->pictures.most};
    endo_transform aside = pose_translation(200, 0);
    for (int k = 0; k < n; k++) {
        const live_kept_frame *kept = &live->kept.items[k];
        solution->frames[k] = (endo_mosaic_frame){.registered = 1, .component = 1, .pose = kept->pose};
        if (kept->component == 2) solution->frames[k].pose = pose_times(&aside, &kept->pose);
    }
    live->loops.solution = solution;
    CHECK(put(live, black).state == ENDO_LIVE_LOST && view_of(live).component == 1 && view_of(live).width > 0);
    endo_live_frame again = put(live, frame_of(&other, 19));
    CHECK(!live->loops.solution && again.component == 1 && again.state == ENDO_LIVE_FOUND);
    CHECK_NEAR(again.pose.matrix[2] - f.pose.matrix[2], 400, 1.0); /* the preview is half as large */
    CHECK(counts_of(live).components == 1 && counts_of(live).loops == 1);
    endo_live_view view = view_of(live);
    CHECK(view.component == 1 && view.changes > before.changes && view.width > before.width + 100);
    endo_live_destroy(&live);
}

/* --------------------------------------------------------------------------- parts */

static void test_poses_follow_those_that_are_solved(void) {
    live_kept kept = {.items = NULL};
    endo_transform step = pose_translation(10, 0);
    endo_mosaic_frame solved[4];
    CHECK(live_kept_add(&kept, 1, -1, &pose_identity) == ENDO_OK);
    for (int k = 1; k < 6; k++) CHECK(live_kept_add(&kept, 10 * k, k - 1, &step) == ENDO_OK);
    CHECK(live_kept_add(&kept, 70, -1, &pose_identity) == ENDO_OK && live_kept_add(&kept, 71, 6, &step) == ENDO_OK);
    CHECK(kept.components == 2 && kept.items[5].pose.matrix[2] == 50 && kept.items[7].component == 2);
    memset(solved, 0, sizeof solved);
    for (int k = 0; k < 4; k++) {
        solved[k].pose = pose_translation(11 * k, k);
        solved[k].registered = k != 2;
        solved[k].component = 1;
    }
    live_kept_solve(&kept, solved, 4);
    CHECK(kept.components == 2);
    CHECK(kept.items[2].pose.matrix[2] == 21 && kept.items[2].pose.matrix[5] == 1); /* follows frame 1 */
    CHECK(kept.items[3].pose.matrix[2] == 33);
    CHECK(kept.items[5].pose.matrix[2] == 53 && kept.items[5].pose.matrix[5] == 3);
    CHECK(kept.items[7].component == 2 && kept.items[7].pose.matrix[2] == 10);
    for (int k = 0; k < 4; k++) solved[k].component = k < 3 ? 2 : 1; /* the largest is not the first */
    solved[2].registered = 1;
    live_kept_solve(&kept, solved, 4);
    CHECK(kept.items[0].component == 1 && kept.items[3].component == 2 && kept.items[5].component == 2);
    CHECK(kept.items[6].component == 3 && kept.components == 3);
    live_kept_free(&kept);
}

static void test_near_frames_are_counted(void) {
    const mosaic_size size = {.width = 101, .height = 51};
    live_kept kept = {.items = NULL};
    endo_transform at = pose_translation(34, 0);
    int nearest;
    CHECK(live_kept_add(&kept, 1, -1, &pose_identity) == ENDO_OK);
    for (int k = 1; k < 5; k++) {
        endo_transform step = pose_translation(10, 0);
        CHECK(live_kept_add(&kept, k, k - 1, &step) == ENDO_OK);
    }
    CHECK(live_kept_near(&kept, size, 4, &at, 10, &nearest) == 1 && nearest == 3);
    CHECK(live_kept_near(&kept, size, 0, &at, 10, &nearest) == 2 && nearest == 3);
    CHECK(live_kept_near(&kept, size, 0, &at, 4, &nearest) == 0 && nearest == -1);
    live_kept_free(&kept);
    endo_transform zoom = {.kind = ENDO_TRANSFORM_SIMILARITY, .matrix = {1.1, 0, -5, 0, 1.1, -2.5, 0, 0, 1}};
    CHECK_NEAR(live_moved(size, &zoom), length_of(5, 2.5), 1e-9); /* the middle stays, the corners do not */
}

/* A tile of 4 x 2 pixels of one value; the nearness of its columns is given. */
static live_tile tile_at(int left, int top, uint8_t value, const uint8_t nearness[4]) {
    static uint8_t pixels[2][8];
    static uint8_t marks[2][8];
    static int next;
    live_tile tile = {.rect = {left, top, left + 4, top + 2}, .pixels = pixels[next % 2], .nearness = marks[next % 2]};
    next++;
    for (int i = 0; i < 8; i++) {
        tile.pixels[i] = value;
        tile.nearness[i] = nearness[i % 4];
    }
    return tile;
}

static void test_the_nearest_frame_shows_a_place(void) {
    live_pictures pictures = {.type = ENDO_GREY8, .most = 1 << 20};
    uint8_t copy[64];
    live_tile tile = tile_at(10, 20, 7, (const uint8_t[]){0, 0, 0, 0});
    CHECK(live_pictures_add(&pictures, 1, &tile) == ENDO_OK && !live_pictures_get(&pictures, 1)); /* nothing is painted */
    tile = tile_at(10, 20, 1, (const uint8_t[]){0, 50, 100, 0});
    CHECK(live_pictures_add(&pictures, 2, &tile) == ENDO_OK && !live_pictures_get(&pictures, 1));
    const live_picture *p = live_pictures_get(&pictures, 2);
    CHECK(p && p->used.left == 11 && p->used.right == 13 && p->used.top == 20 && p->used.bottom == 22);
    tile = tile_at(11, 20, 2, (const uint8_t[]){50, 99, 9, 0}); /* equal: the latest; farther: not */
    CHECK(live_pictures_add(&pictures, 2, &tile) == ENDO_OK);
    p = live_pictures_get(&pictures, 2);
    live_picture_copy(p, ENDO_GREY8, copy);
    CHECK(p->used.right == 14 && copy[0] == 2 && copy[1] == 1 && copy[2] == 2);
    tile = tile_at(-300, -400, 3, (const uint8_t[]){1, 1, 1, 1});
    CHECK(live_pictures_add(&pictures, 2, &tile) == ENDO_OK);
    p = live_pictures_get(&pictures, 2);
    CHECK(p->used.left == -300 && p->used.right == 14 && p->used.top == -400 && p->used.bottom == 22);
    uint8_t *grown = malloc((size_t)rect_area(p->used));
    live_picture_copy(p, ENDO_GREY8, grown);
    CHECK(grown[0] == 3 && grown[4] == 0 && grown[420 * 314 + 311] == 2 && grown[421 * 314 + 312] == 1);
    free(grown);
    int64_t bytes = pictures.bytes;
    CHECK(bytes == rect_area(p->room) * 2 && !pictures.is_full);
    tile = tile_at(3000, 0, 4, (const uint8_t[]){1, 1, 1, 1});
    CHECK(live_pictures_add(&pictures, 2, &tile) == ENDO_OK && pictures.is_full && pictures.bytes == bytes);
    live_pictures_free(&pictures);
}

static void test_copies_are_means_of_squares(void) {
    const uint32_t colour[2 * 6] = {0xff102030, 0xff122030, 5, 0, 0, 9, 0xff102034, 0xff102030, 0, 0, 0, 9};
    const uint16_t deep[2 * 6] = {65535, 65535, 1, 2, 0, 9, 65535, 65535, 3, 4, 0, 9};
    uint32_t small[2];
    uint16_t small_deep[2];
    live_reducer r;
    CHECK(live_reducer_init(&r, ENDO_RGB32, (mosaic_size){.width = 5, .height = 2}, 3) == ENDO_OK);
    CHECK(r.factor == 2 && r.small.width == 2 && r.small.height == 1);
    live_reduce(&r, colour, 6, small);
    CHECK(small[0] == 0xff112031 && small[1] == 0xff000001);
    endo_transform step = live_enlarged(&r, &(endo_transform){.matrix = {1, 0, 3, 0, 1, -2, 0, 0, 1}});
    CHECK(step.kind == ENDO_TRANSFORM_TRANSLATION && step.matrix[2] == 6 && step.matrix[5] == -4);
    live_reducer_free(&r);
    CHECK(live_reducer_init(&r, ENDO_GREY16, (mosaic_size){.width = 5, .height = 2}, 3) == ENDO_OK);
    live_reduce(&r, deep, 6, small_deep);
    CHECK(small_deep[0] == 65535 && small_deep[1] == 3);
    const uint8_t mask[10] = {1, 1, 1, 1, 0, 1, 1, 1, 0, 0};
    uint8_t small_mask[2];
    live_reduce_mask(&r, mask, small_mask);
    CHECK(small_mask[0] == 255 && small_mask[1] == 0);
    live_reducer_free(&r);
    CHECK(live_reducer_init(&r, ENDO_GREY8, (mosaic_size){.width = 900, .height = 2}, 64) == ENDO_OK);
    CHECK(r.factor == 2 && r.small.height == 1); /* never less than a pixel */
    live_reducer_free(&r);
}

/* ------------------------------------------------------------------ other sequences */

static void test_types_and_fields(endo_pixel type, demo_kind kind, endo_mosaic_field field) {
    endo_demo_options demo_options = endo_demo_options_default();
    endo_live_options options = cpu_options();
    demo_frames frames;
    static uint8_t mask[W * H];
    demo_options.width = W;
    demo_options.height = H;
    demo_options.frames = FRAMES;
    demo_options.step = 5;
    demo_make(&frames, &demo_options, 12, kind);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) mask[y * W + x] = (x - W / 2) * (x - W / 2) + (y - H / 2) * (y - H / 2) < 110 * 110;
    options.mosaic.field = field;
    options.mosaic.mask = mask;
    endo_live *live = make(&options);
    endo_live_frame f;
    for (int i = 0; i < 12; i++) {
        CHECK(endo_live_put(live, frames.pixels + (size_t)i * frames.bytes, type, W, H, W, &f) == ENDO_OK);
        CHECK(i == 0 || f.state == ENDO_LIVE_FOUND);
        CHECK_NEAR(error_of(&f.pose, &truth[i]), 0, 1.0);
        if (i == 0) memset(mask, 0, sizeof mask); /* it was copied */
    }
    endo_mosaic *mosaic;
    CHECK(view_of(live).type == (int)type && endo_live_finish(live, &mosaic) == ENDO_OK && mosaic);
    endo_live_destroy(&live);
    demo_free(&frames);
}

/* Frames that are too small for anything are no error. */
static void test_tiny_frames(void) {
    static const int sizes[][2] = {{1, 1}, {7, 3}, {700, 1}, {33, 20}};
    static uint8_t grey[700];
    for (int i = 0; i < 700; i++) grey[i] = (uint8_t)(i * 37);
    for (int k = 0; k < 4; k++) {
        endo_live_options options = cpu_options();
        endo_live *live = make(&options);
        endo_live_frame f = {.state = -1};
        for (int i = 0; i < 4; i++)
            CHECK(endo_live_put(live, grey, ENDO_GREY8, sizes[k][0], sizes[k][1], sizes[k][0], &f) == ENDO_OK);
        CHECK(k == 3 || f.state == ENDO_LIVE_STARTING);
        endo_live_destroy(&live);
    }
}

static const void *lend_nothing(void *user, int kept) {
    (void)user;
    (void)kept;
    return NULL;
}

/* Another field asks for all copies again: where one cannot be read the frame fails, and the next one goes on. */
static void test_copies_that_cannot_be_read(void) {
    endo_live_options options = cpu_options();
    endo_live *live = make(&options);
    endo_live_frame f;
    for (int i = 0; i < 10; i++) put(live, frame_of(&demo, i));
    live_copies copies = live->store.copies;
    live->store.copies.lend = lend_nothing;
    live->has_changed = 1;
    CHECK(endo_live_put(live, frame_of(&demo, 10), ENDO_RGB32, W, H, W, &f) == ENDO_ERR_MEMORY);
    for (int i = 0; i < LIVE_SLOTS; i++) CHECK(live->store.holds[i] == LIVE_EMPTY);
    CHECK(live->has_changed);
    live->store.copies = copies;
    f = put(live, frame_of(&demo, 10));
    CHECK(f.state == ENDO_LIVE_FOUND && f.component == 1 && !live->has_changed);
    CHECK_NEAR(error_of(&f.pose, &truth[10]), 0, 1.0);
    endo_live_destroy(&live);
}

/* A device that AUTO had chosen fails: the CPU goes on. One that was asked for does not, and what is kept is finished. */
static void test_a_device_fails(void) {
    endo_live_options options = cpu_options();
    options.mosaic.context.backend = ENDO_BACKEND_AUTO;
    endo_live *live = make(&options);
    endo_live_frame f;
    endo_live_fail_after(live, 60);
    for (int i = 0; i < 30; i++) {
        f = put(live, frame_of(&demo, i));
        CHECK(i == 0 || f.state == ENDO_LIVE_FOUND);
        CHECK_NEAR(error_of(&f.pose, &truth[i]), 0, 1.0);
    }
    CHECK(!live->store.computing.is_replaceable && counts_of(live).put == 30);
    endo_live_destroy(&live);
    options.mosaic.context.backend = ENDO_BACKEND_CPU;
    live = make(&options);
    endo_live_fail_after(live, 60);
    endo_status status = ENDO_OK;
    for (int i = 0; i < 30 && status == ENDO_OK; i++)
        status = endo_live_put(live, frame_of(&demo, i), ENDO_RGB32, W, H, W, &f);
    endo_mosaic *mosaic;
    CHECK(status == ENDO_ERR_DEVICE && endo_live_finish(live, &mosaic) == ENDO_OK && mosaic);
    endo_live_destroy(&live);
}

/* -------------------------------------------------------------------------- errors */

static void test_what_is_refused(void) {
    endo_live_options options = cpu_options();
    endo_live *live = NULL;
    endo_live_frame f = {.number = -1};
    endo_live_view view;
    endo_mosaic *mosaic = NULL;
    uint32_t pixel;
    REFUSES(endo_live_create_abi(&options, NULL, ENDO_ABI + 1, &live), "ABI");
    REFUSES(endo_live_create(&options, NULL, NULL), "out is NULL");
    options.step = 0;
    REFUSES(endo_live_create(&options, NULL, &live), "step 0 %: must be 0.1..50");
    options.step = NAN;
    REFUSES(endo_live_create(&options, NULL, &live), "must be 0.1..50");
    options = cpu_options();
    options.preview = 63;
    REFUSES(endo_live_create(&options, NULL, &live), "preview 63 px: must be 64..4096");
    options = cpu_options();
    options.loops = 2;
    REFUSES(endo_live_create(&options, NULL, &live), "loops 2");
    options = cpu_options();
    options.mosaic.rim = -1;
    REFUSES(endo_live_create(&options, NULL, &live), "rim -1");
    CHECK(!live);
    options = cpu_options();
    live = make(&options);
    REFUSES(endo_live_put(NULL, black, ENDO_RGB32, W, H, W, &f), "NULL");
    REFUSES(endo_live_put(live, NULL, ENDO_RGB32, W, H, W, &f), "NULL");
    REFUSES(endo_live_put(live, black, ENDO_RGB32, W, H, W, NULL), "NULL");
    REFUSES(endo_live_put(live, black, ENDO_RGB32, W, H, W - 1, &f), "stride 319");
    REFUSES(endo_live_put(live, black, ENDO_RGB32, 0, H, W, &f), "frames of 0 x 256 px");
    REFUSES(endo_live_put(live, black, (endo_pixel)7, W, H, W, &f), "pixel type 7");
    put(live, frame_of(&demo, 0));
    put(live, frame_of(&demo, 1));
    REFUSES(endo_live_put(live, black, ENDO_GREY8, W, H, W, &f), "must be like the first one, 320 x 256 px, type 2");
    REFUSES(endo_live_put(live, black, ENDO_RGB32, W, H - 1, W, &f), "a frame of 320 x 255 px");
    CHECK(f.number == -1 && counts_of(live).put == 2);
    REFUSES(endo_live_describe(NULL, &view, NULL), "NULL");
    REFUSES(endo_live_read(live, NULL, 1, &view), "NULL");
    REFUSES(endo_live_read(live, &pixel, 1, &view), "room for 1 pixels");
    REFUSES(endo_live_finish(live, NULL), "NULL");
    REFUSES(endo_live_finish(NULL, &mosaic), "NULL");
    CHECK(put(live, frame_of(&demo, 2)).state == ENDO_LIVE_FOUND);
    endo_live_destroy(&live);
    endo_live_destroy(&live);
    endo_live_destroy(NULL);
}

/* A first frame that fails, here for want of a device, leaves the mask copied: frames of another size have no mask. */
static void test_a_mask_is_of_one_size(void) {
    static uint8_t mask[W * H / 4];
    endo_live_options options = cpu_options();
    endo_live_frame f;
    memset(mask, 255, sizeof mask);
    options.mosaic.context.backend = ENDO_BACKEND_CUDA;
    options.mosaic.field = ENDO_MOSAIC_FIELD_MASK;
    options.mosaic.mask = mask;
    endo_live *live = make(&options);
    endo_status status = endo_live_put(live, black, ENDO_RGB32, W / 2, H / 2, W, &f);
    const char *why = status == ENDO_OK ? "must be like the first one" : "the mask was taken for frames of 160 x 128 px";
    REFUSES(endo_live_put(live, black, ENDO_RGB32, W, H, W, &f), why);
    endo_live_destroy(&live);
}

int main(void) {
    open_scenes();
    test_frames_are_found_where_they_are();
    test_the_step_decides_what_is_kept();
    test_a_lost_scope_is_found_again();
    test_two_scenes_are_two_components();
    test_a_still_scope_needs_no_memory();
    test_a_path_is_kept_three_times();
    test_memory_is_a_limit();
    test_the_end_is_the_usual_panorama(0);
    test_the_end_is_the_usual_panorama(1);
    test_too_little_makes_no_panorama();
    test_a_scope_that_hardly_moves();
    test_loops_are_closed_beside();
    test_a_failed_solution_is_said();
    test_a_solution_is_taken_over();
    test_poses_follow_those_that_are_solved();
    test_near_frames_are_counted();
    test_the_nearest_frame_shows_a_place();
    test_copies_are_means_of_squares();
    test_types_and_fields(ENDO_GREY16, DEMO_GREY16, ENDO_MOSAIC_FIELD_AUTO);
    test_types_and_fields(ENDO_GREY8, DEMO_GREY8, ENDO_MOSAIC_FIELD_MASK);
    test_types_and_fields(ENDO_RGB32, DEMO_RGB, ENDO_MOSAIC_FIELD_WHOLE);
    test_tiny_frames();
    test_copies_that_cannot_be_read();
    test_a_device_fails();
    test_what_is_refused();
    test_a_mask_is_of_one_size();
    demo_free(&demo);
    demo_free(&other);
    return check_summary("test_live");
}
