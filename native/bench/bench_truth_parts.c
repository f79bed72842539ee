/* Whether parts of a sequence that show the same come together: a scope that leaves and comes back, cuts between views, tissue
 * that has moved meanwhile, noise; and whether views that only look alike stay apart. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 360, AREA = WIDTH * HEIGHT, MOST_BLOCKS = 8, MOST_FRAMES = 40, DEMO_FRAMES = 24 };

static const truth_frame_size frame_size = {WIDTH, HEIGHT};

/* A pose further than this from the truth is misplaced, px. */
#define MISPLACED 12.0

typedef struct parts_row {
    const char *name;
    int views, blocks, frames; /* frames of a block; block k shows view k % views */
    double moved_by;               /* px that tissue has moved by, either way, otherwise in every block */
    double noise;
    int clips;                 /* each of other scenes */
    int is_quick;
} parts_row;

static const parts_row rows[] = {
    {.name = "leaves, comes back", .views = 2, .blocks = 3, .frames = 8, .noise = 2, .clips = 2, .is_quick = 1},
    {.name = "cuts, three views", .views = 3, .blocks = 6, .frames = 5, .noise = 2, .clips = 2},
    {.name = "tissue moves by 2", .views = 3, .blocks = 6, .frames = 5, .moved_by = 2, .noise = 2, .clips = 2},
    {.name = "tissue moves by 4", .views = 3, .blocks = 6, .frames = 5, .moved_by = 4, .noise = 2, .clips = 2},
    {.name = "noise 20", .views = 3, .blocks = 6, .frames = 5, .noise = 20, .clips = 2},
    {.name = "only alike", .views = 8, .blocks = 8, .frames = 3, .noise = 2, .clips = 8},
    {.name = "only alike, moves", .views = 8, .blocks = 8, .frames = 3, .moved_by = 4, .noise = 2, .clips = 2},
};

typedef struct parts_run {
    int n;
    uint32_t *frames[MOST_FRAMES];
    int views[MOST_FRAMES];
    endo_transform truth[MOST_FRAMES];
} parts_run;

static void run_free(parts_run *r) {
    for (int i = 0; i < r->n; i++) endo_free(r->frames[i]);
}

/* --------------------------------------------------------------------- sequences */

static double green_at(const uint32_t *pixels, int x, int y) {
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return pixels[y * WIDTH + x] >> 8 & 255;
}

static double between_pixels(const uint32_t *pixels, double x, double y) {
    int i = (int)floor(x);
    int j = (int)floor(y);
    double u = x - i;
    double v = y - j;
    double upper = (1 - u) * green_at(pixels, i, j) + u * green_at(pixels, i + 1, j);
    double lower = (1 - u) * green_at(pixels, i, j + 1) + u * green_at(pixels, i + 1, j + 1);
    return (1 - v) * upper + v * lower;
}

/* A frame of a block, whose tissue has moved in waves, with the noise of the sensor, in grey. */
static void bend(const parts_row *row, int block, int frame, const uint32_t *pixels, uint32_t *out) {
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH;
        int y = i / WIDTH;
        double dx = row->moved_by * sin(y / 19.0 + 2.1 * block);
        double dy = row->moved_by * sin(x / 23.0 + 1.3 * block);
        double grey = between_pixels(pixels, x + dx, y + dy) + row->noise * truth_noise((uint64_t)frame * AREA + (uint64_t)i + 1);
        out[i] = truth_grey(grey);
    }
}

static endo_status create_demo(endo_context *context, uint64_t seed, endo_demo **demo) {
    endo_demo_options options = endo_demo_options_default();
    options.width = WIDTH;
    options.height = HEIGHT;
    options.frames = DEMO_FRAMES;
    options.path = ENDO_DEMO_SWEEP;
    options.noise = 0;
    options.seed = seed;
    return endo_demo_create(context, &options, demo);
}

/* Adds the block's frames: those of its view that come next. */
static endo_status add_block(const parts_row *row, int block, endo_demo *demo, uint32_t *pixels, parts_run *r) {
    int first = block / row->views * row->frames;
    for (int i = 0; i < row->frames; i++) {
        uint32_t *frame = endo_alloc(AREA, sizeof *frame);
        if (!frame) return endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence");
        r->frames[r->n] = frame;
        r->views[r->n] = block % row->views;
        ENDO_TRY(endo_demo_truth(demo, first + i, &r->truth[r->n++]));
        ENDO_TRY(endo_demo_render(demo, first + i, pixels));
        bend(row, block, r->n, pixels, frame);
    }
    return ENDO_OK;
}

static endo_status run_make(endo_context *context, const parts_row *row, int clip, parts_run *r) {
    uint32_t *pixels = endo_alloc(AREA, sizeof *pixels);
    endo_status status = pixels ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a frame");
    memset(r, 0, sizeof *r);
    for (int block = 0; block < row->blocks && status == ENDO_OK; block++) {
        endo_demo *demo = NULL;
        status = create_demo(context, (uint64_t)(200 + clip * MOST_BLOCKS + block % row->views), &demo);
        if (status == ENDO_OK) status = add_block(row, block, demo, pixels, r);
        endo_demo_destroy(&demo);
    }
    endo_free(pixels);
    return status;
}

/* ----------------------------------------------------------------------- figures */

typedef struct parts_tally {
    int frames, views, blocks, panoramas;
    int registered;
    int foreign;   /* in a panorama that begins with another view */
    int misplaced; /* of the others, against the first frame of the panorama */
    int ok, doubtful;
    int pairs;     /* of views that have nothing in common */
} parts_tally;

static void count(const parts_row *row, const parts_run *r, const endo_mosaic_frame *frames, int components, parts_tally *t) {
    t->frames += r->n;
    t->views += row->views;
    t->blocks += row->blocks;
    t->panoramas += components;
    t->pairs += row->views * (row->views - 1) / 2;
    for (int i = 0; i < r->n; i++) {
        int first = 0;
        if (!frames[i].registered) continue;
        while (!frames[first].registered || frames[first].component != frames[i].component) first++;
        int is_foreign = r->views[first] != r->views[i];
        double error = truth_pose_error(&frame_size, &frames[i].pose, &frames[first].pose, &r->truth[i], &r->truth[first]);
        t->registered++;
        t->foreign += is_foreign;
        t->misplaced += !is_foreign && !(error <= MISPLACED);
        t->ok += !frames[i].doubtful;
        t->doubtful += frames[i].doubtful;
    }
}

static endo_status run_row(endo_context *context, const parts_row *row, int clips, parts_tally *t) {
    endo_status status = ENDO_OK;
    for (int clip = 0; clip < clips && status == ENDO_OK; clip++) {
        parts_run r;
        endo_mosaic *mosaic = NULL;
        const endo_mosaic_frame *frames = NULL;
        status = run_make(context, row, clip, &r);
        if (status == ENDO_OK) status = truth_mosaic(r.frames, r.n, &frame_size, &mosaic, &frames);
        if (status == ENDO_OK) count(row, &r, frames, endo_mosaic_components(mosaic), t);
        endo_mosaic_destroy(&mosaic);
        run_free(&r);
    }
    return status;
}

int bench_truth_parts(endo_context *context, int quick) {
    printf("\nParts, sequences of %dx%d with cuts, panoramas with the default options: clips; frames; views, which is how many\n"
           "panoramas there should be; cuts and 1, which is how many there were if nothing came together; panoramas; frames that\n"
           "are registered; in a panorama of another view; misplaced, more than %.0f px off; ok; doubtful; pairs of views that have\n"
           "nothing in common.\n%-18s %5s %6s %5s %5s %9s %10s %7s %9s %4s %8s %5s\n",
           WIDTH, HEIGHT, MISPLACED, "kind", "clips", "frames", "views", "cuts", "panoramas", "registered", "foreign", "misplaced",
           "ok", "doubtful", "pairs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const parts_row *row = &rows[i];
        parts_tally t = {.frames = 0};
        int clips = quick ? 1 : row->clips;
        if (quick && !row->is_quick) continue;
        if (run_row(context, row, clips, &t) != ENDO_OK) return bench_failed("truth");
        printf("%-18s %5d %6d %5d %5d %9d %10d %7d %9d %4d %8d %5d\n", row->name, clips, t.frames, t.views, t.blocks, t.panoramas,
               t.registered, t.foreign, t.misplaced, t.ok, t.doubtful, t.pairs);
        fflush(stdout);
    }
    return 0;
}
