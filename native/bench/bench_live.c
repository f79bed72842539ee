/* Live panoramas: how long a frame takes from the call to the painted preview, how many frames a caller would drop that gets
 * 50 of them a second, and how far a corner of a frame lies from where the truth has it (None: were nothing moved). A demo's
 * scope of 1920 x 1080 px goes round its closed path, from memory; one thread puts frames, another one solves for poses.
 *
 * Time is counted by the processor time of the thread that puts frames, so that other programs on the machine do not count:
 * that is the time on a processor of its own. A second row has the clock on the wall. At its time the caller takes the
 * newest frame that has come, and the ones between are dropped; latency is counted from when the frame came. */
#include "bench.h"

#include "base/memory.h"
#include "base/status.h"
#include "systems/mosaic/geometry.h"
#include "systems/mosaic/numbers.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH 1920
#define HEIGHT 1080
#define RATE 50.0 /* frames a second */
#define LAPS 3

typedef struct live_bench {
    endo_live *live;
    uint32_t *frames; /* n of them */
    endo_transform *truth;
    uint32_t *elsewhere; /* a frame mirrored: it shows what no frame does */
    int n;
} live_bench;

/* One clock: how long frames took, and when the next one can be taken. */
typedef struct live_clock {
    double *latencies;
    double now;
    double spent;
    double longest;
    double error; /* largest of the frames that were found, px */
    double none;
    int lost;
    int n;
} live_clock;

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int render(live_bench *l) {
    endo_demo_options o = endo_demo_options_default();
    endo_context *context = NULL;
    endo_demo *demo = NULL;
    size_t area = (size_t)WIDTH * HEIGHT;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.frames = l->n;
    o.step = 18;
    l->frames = endo_alloc((size_t)l->n, area * sizeof *l->frames);
    l->elsewhere = endo_alloc(area, sizeof *l->elsewhere);
    l->truth = endo_alloc((size_t)l->n, sizeof *l->truth);
    endo_status status = l->frames && l->elsewhere && l->truth ? endo_context_create(NULL, &context) : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) status = endo_demo_create(context, &o, &demo);
    for (int i = 0; i < l->n && status == ENDO_OK; i++) {
        status = endo_demo_render(demo, i, l->frames + (size_t)i * area);
        if (status == ENDO_OK) status = endo_demo_truth(demo, i, &l->truth[i]);
    }
    endo_demo_destroy(&demo);
    endo_context_destroy(&context);
    for (size_t i = 0; i < area && status == ENDO_OK; i++)
        l->elsewhere[i] = l->frames[i / WIDTH * WIDTH + (WIDTH - 1 - i % WIDTH)];
    return status == ENDO_OK;
}

static void count(live_clock *c, double came, double took) {
    c->now = (c->now > came ? c->now : came) + took;
    c->latencies[c->n++] = c->now - came;
    c->spent += took;
    if (took > c->longest) c->longest = took;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const live_clock *c, double share) {
    int rank = (int)(share * c->n);
    qsort(c->latencies, (size_t)c->n, sizeof *c->latencies, ascending);
    return c->latencies[rank < c->n ? rank : c->n - 1];
}

/* Largest distance between the corners of a frame at two poses, px. */
static double apart(const endo_transform *a, const endo_transform *b) {
    const mosaic_size size = {.width = WIDTH, .height = HEIGHT};
    double most = 0;
    for (int k = 0; k < 4; k++) {
        double x = k % 2 ? size.width - 1 : 0;
        double y = k / 2 ? size.height - 1 : 0;
        most = greater_of(most, length_of(pose_x(a, x, y) - pose_x(b, x, y), pose_y(a, x, y) - pose_y(b, x, y)));
    }
    return most;
}

static void compare(const live_bench *l, int i, const endo_live_frame *frame, live_clock *c) {
    int is_found = frame->state == ENDO_LIVE_FOUND || frame->state == ENDO_LIVE_DOUBTFUL;
    if (!is_found || frame->component != 1) return;
    c->error = greater_of(c->error, apart(&frame->pose, &l->truth[i]));
    c->none = greater_of(c->none, apart(&pose_identity, &l->truth[i]));
}

/* Puts the newest frame that has come when the caller is free, by one of the clocks. away: frames of a lap that show something
 * else. */
static endo_status run(live_bench *l, int total, int by_wall, int away, live_clock *c) {
    endo_live_frame frame;
    for (int i = 0; i < total;) {
        int is_away = i % l->n >= l->n / 2 && i % l->n < l->n / 2 + away;
        const uint32_t *pixels = is_away ? l->elsewhere : l->frames + (size_t)(i % l->n) * WIDTH * HEIGHT;
        double start = by_wall ? timing_now() : thread_seconds();
        ENDO_TRY(endo_live_put(l->live, pixels, ENDO_RGB32, WIDTH, HEIGHT, WIDTH, &frame));
        count(c, i / RATE, (by_wall ? timing_now() : thread_seconds()) - start);
        c->lost += frame.state == ENDO_LIVE_LOST;
        if (!is_away) compare(l, i % l->n, &frame, c);
        int newest = (int)(c->now * RATE);
        i = newest > i ? newest : i + 1;
    }
    return ENDO_OK;
}

static void report_run(bench *b, const char *what, live_clock *c, int total) {
    report_row row = {.kernel = what, .backend = "cpu", .threads = 1, .unit = "ms", .baseline = ""};
    snprintf(row.size, sizeof row.size, "%dx%d", WIDTH, HEIGHT);
    row.median = 1e3 * quantile(c, 0.5);
    row.p90 = 1e3 * quantile(c, 0.99);
    report_add(&b->report, &row);
    printf("  %d frames came, %d dropped, %d lost; %.1f frames/s sustained, the longest took %.1f ms; corners off by %.2f px "
           "at most, None %.0f\n",
           total, total - c->n, c->lost, c->n / c->spent, 1e3 * c->longest, c->error, c->none);
}

static int measure(bench *b, live_bench *l, const char *what, int by_wall, int loops, int away) {
    int total = LAPS * l->n;
    endo_live_options options = endo_live_options_default();
    endo_live_counts counts = {.put = 0};
    live_clock c = {.latencies = endo_alloc((size_t)total, sizeof *c.latencies)};
    options.mosaic.context = (endo_context_options){.backend = ENDO_BACKEND_CPU, .threads = 1};
    options.mosaic.memory = (int64_t)4 << 30;
    options.loops = loops;
    endo_status status = c.latencies ? endo_live_create(&options, NULL, &l->live) : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) status = run(l, total, by_wall, away, &c);
    if (status == ENDO_OK) status = endo_live_describe(l->live, NULL, &counts);
    if (status == ENDO_OK) {
        report_run(b, what, &c, total);
        printf("  %d frames kept, poses solved for %d times\n", (int)counts.kept, (int)counts.loops);
    }
    endo_live_destroy(&l->live);
    endo_free(c.latencies);
    return status == ENDO_OK ? 0 : bench_failed("live");
}

int bench_live(bench *b) {
    live_bench l = {.n = b->quick ? 30 : 100};
    int failed = 1;
    printf("\nLive panorama, %.0f frames a second; latency of a frame: median, and 99th percentile in the place of the 90th\n",
           RATE);
    report_heading("live");
    if (render(&l)) {
        failed = measure(b, &l, "put, processor time", 0, 1, 0);
        failed |= measure(b, &l, "put, no loops, processor time", 0, 0, 0);
        failed |= measure(b, &l, "put, wall", 1, 1, 0);
        failed |= measure(b, &l, "put, scope lost, processor time", 0, 1, 10);
    } else {
        bench_failed("live");
    }
    endo_free(l.frames);
    endo_free(l.elsewhere);
    endo_free(l.truth);
    return failed;
}
