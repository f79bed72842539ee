/* Whether what a panorama says of its frames is true: of sequences whose truth is known, made hard in many ways, how many frames
 * that are called ok lie elsewhere, and how many that are called doubtful do not. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"
#include "include/endorama/mosaic.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 36, WIDTH = 320, HEIGHT = 256, AREA = WIDTH * HEIGHT, EVERY = 7 };

static const truth_frame_size frame_size = {WIDTH, HEIGHT};

/* A pose further than this from the truth is off, px. */
#define OFF 1.0
/* Deviations that a pose may be off. */
#define DEVIATIONS 3.0

typedef enum damage { WHOLE, BLACK, FOREIGN } damage;

typedef struct verdict_row {
    const char *name;
    double step, rotation, zoom, noise, flicker; /* as endo_demo_options */
    int highlights;
    double contrast; /* of the scene */
    int blur;        /* px either way, of a mean */
    damage damage;   /* of every seventh frame */
    int is_quick;
} verdict_row;

static const verdict_row rows[] = {
    {.name = "plain", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1, .is_quick = 1},
    {.name = "small steps", .step = 0.5, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1},
    {.name = "fast", .step = 32, .rotation = 20, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1},
    {.name = "turns", .step = 6, .rotation = 180, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1},
    {.name = "zooms", .step = 6, .rotation = 10, .zoom = 45, .noise = 2, .flicker = 3, .contrast = 1},
    {.name = "noise 12", .step = 6, .rotation = 10, .zoom = 8, .noise = 12, .flicker = 3, .contrast = 1},
    {.name = "noise 30", .step = 6, .rotation = 10, .zoom = 8, .noise = 30, .flicker = 3, .contrast = 1},
    {.name = "noise 40", .step = 6, .rotation = 10, .zoom = 8, .noise = 40, .flicker = 3, .contrast = 1, .is_quick = 1},
    {.name = "flicker", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 45, .contrast = 1},
    {.name = "highlights", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .highlights = 30, .contrast = 1},
    {.name = "many highlights", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .highlights = 50, .contrast = 1,
     .is_quick = 1},
    {.name = "blurred", .step = 6, .rotation = 10, .zoom = 8, .noise = 3, .flicker = 3, .contrast = 1, .blur = 7},
    {.name = "faint", .step = 6, .rotation = 10, .zoom = 8, .noise = 4, .flicker = 3, .contrast = 0.1},
    {.name = "fainter", .step = 6, .rotation = 10, .zoom = 8, .noise = 4, .flicker = 3, .contrast = 0.06},
    {.name = "faint and blurred", .step = 6, .rotation = 10, .zoom = 8, .noise = 6, .flicker = 3, .contrast = 0.15, .blur = 6,
     .is_quick = 1},
    {.name = "faint and fast", .step = 24, .rotation = 20, .zoom = 8, .noise = 4, .flicker = 3, .contrast = 0.08},
    {.name = "black frames", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1, .damage = BLACK},
    {.name = "foreign frames", .step = 6, .rotation = 10, .zoom = 8, .noise = 2, .flicker = 3, .contrast = 1, .damage = FOREIGN},
};

typedef struct verdict_run {
    uint32_t *frames[FRAMES];
    endo_transform truth[FRAMES];
} verdict_run;

static void run_free(verdict_run *r) {
    for (int i = 0; i < FRAMES; i++) endo_free(r->frames[i]);
}

/* --------------------------------------------------------------------- sequences */

static double green_at(const uint32_t *pixels, int x, int y) { return pixels[y * WIDTH + x] >> 8 & 255; }

/* The mean of the pixels around one. */
static double mean_around(const uint32_t *pixels, int x, int y, int reach) {
    double sum = 0;
    int count = 0;
    for (int v = y - reach; v <= y + reach; v++)
        for (int u = x - reach; u <= x + reach; u++) {
            if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT) continue;
            sum += green_at(pixels, u, v);
            count++;
        }
    return sum / count;
}

/* Blurs, takes contrast, and adds the noise of the sensor, in grey. */
static void spoil(const verdict_row *row, int frame, const uint32_t *pixels, uint32_t *out) {
    for (int i = 0; i < AREA; i++) {
        double grey = mean_around(pixels, i % WIDTH, i / WIDTH, row->blur);
        double of_noise = row->noise * truth_noise((uint64_t)frame * AREA + (uint64_t)i + 1);
        int is_black = row->damage == BLACK && frame % EVERY == EVERY - 1;
        out[i] = truth_grey(is_black ? 4 + of_noise : 128 * (1 - row->contrast) + row->contrast * grey + of_noise);
    }
}

static endo_status create_demo(endo_context *context, const verdict_row *row, int32_t seed, endo_demo **demo) {
    const endo_demo_options options = {
        .width = WIDTH,
        .height = HEIGHT,
        .frames = FRAMES,
        .path = ENDO_DEMO_SWEEP,
        .step = row->step,
        .rotation = row->rotation,
        .zoom = row->zoom,
        .noise = 0,
        .flicker = row->flicker,
        .highlights = row->highlights,
        .seed = seed,
    };
    return endo_demo_create(context, &options, demo);
}

static endo_status run_make(endo_context *context, const verdict_row *row, verdict_run *r) {
    endo_demo *demo = NULL;
    endo_demo *foreign = NULL;
    uint32_t *pixels = endo_alloc(AREA, sizeof *pixels);
    endo_status status = pixels ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a frame");
    memset(r, 0, sizeof *r);
    if (status == ENDO_OK) status = create_demo(context, row, 61, &demo);
    if (status == ENDO_OK) status = create_demo(context, row, 62, &foreign);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) {
        int is_foreign = row->damage == FOREIGN && i % EVERY == EVERY - 1;
        r->frames[i] = endo_alloc(AREA, sizeof *r->frames[i]);
        if (!r->frames[i]) status = endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence");
        if (status == ENDO_OK) status = endo_demo_render(is_foreign ? foreign : demo, i, pixels);
        if (status == ENDO_OK) status = endo_demo_truth(demo, i, &r->truth[i]);
        if (status == ENDO_OK) spoil(row, i, pixels, r->frames[i]);
    }
    endo_demo_destroy(&demo);
    endo_demo_destroy(&foreign);
    endo_free(pixels);
    return status;
}

/* ----------------------------------------------------------------------- figures */

typedef struct verdicts {
    int registered;
    int ok;
    int ok_off;        /* by more than OFF */
    int ok_beyond;     /* off by more than DEVIATIONS of its own */
    int doubtful;
    int doubtful_off;
    int right_at_rest; /* of the registered, if nothing had moved */
} verdicts;

static verdicts count_from(const verdict_run *r, const endo_mosaic_frame *frames, int anchor) {
    const endo_mosaic_frame *of = &frames[anchor];
    const endo_transform *still = &endo_transform_still;
    verdicts v = {.ok = 0};
    for (int i = 0; i < FRAMES; i++) {
        const endo_mosaic_frame *f = &frames[i];
        if (!f->registered || f->component != of->component) continue;
        double error = truth_pose_error(&frame_size, &f->pose, &of->pose, &r->truth[i], &r->truth[anchor]);
        v.registered++;
        v.right_at_rest += truth_pose_error(&frame_size, still, still, &r->truth[i], &r->truth[anchor]) <= OFF;
        v.ok += !f->doubtful;
        v.ok_off += !f->doubtful && error > OFF;
        v.ok_beyond += !f->doubtful && error > DEVIATIONS * hypot(f->deviation, of->deviation);
        v.doubtful += f->doubtful;
        v.doubtful_off += f->doubtful && error > OFF;
    }
    return v;
}

static void add(verdicts *sum, const verdicts *v) {
    sum->registered += v->registered;
    sum->ok += v->ok;
    sum->ok_off += v->ok_off;
    sum->ok_beyond += v->ok_beyond;
    sum->doubtful += v->doubtful;
    sum->doubtful_off += v->doubtful_off;
    sum->right_at_rest += v->right_at_rest;
}

/* Every component is aligned by the frame that is ok and makes fewest others wrong. */
static verdicts count_all(const verdict_run *r, const endo_mosaic_frame *frames, int components) {
    verdicts all = {.ok = 0};
    for (int component = 1; component <= components; component++) {
        verdicts best = {.ok_off = FRAMES + 1};
        for (int i = 0; i < FRAMES; i++) {
            if (!frames[i].registered || frames[i].component != component || frames[i].doubtful) continue;
            verdicts v = count_from(r, frames, i);
            int is_better = v.ok_off != best.ok_off ? v.ok_off < best.ok_off : v.ok_beyond < best.ok_beyond;
            if (is_better) best = v;
        }
        if (best.ok_off <= FRAMES) add(&all, &best);
    }
    return all;
}

static endo_status run_one(verdict_run *r, verdicts *v, int *parts) {
    endo_mosaic *mosaic = NULL;
    const endo_mosaic_frame *frames = NULL;
    endo_status status = truth_mosaic(r->frames, FRAMES, &frame_size, &mosaic, &frames);
    if (status == ENDO_OK) {
        *parts = endo_mosaic_components(mosaic);
        *v = count_all(r, frames, *parts);
    }
    endo_mosaic_destroy(&mosaic);
    return status;
}

static void print_verdicts(const char *name, int frames, const verdicts *v, int parts) {
    printf("%-18s %6d %10d %6d %6d %8d %9d %6d %8d", name, frames, v->registered, v->ok, v->ok_off, v->ok_beyond, v->doubtful,
           v->doubtful_off, v->right_at_rest);
    if (parts >= 0) printf(" %6d", parts);
    printf("\n");
    fflush(stdout);
}

int bench_truth_verdicts(endo_context *context, int quick) {
    verdicts sum = {.ok = 0};
    int frames = 0;
    printf("\nVerdicts, sequences of %d frames of %dx%d, panoramas with the default options: frames that are registered; that are\n"
           "ok; of these more than %.0f px off (root mean square of corners and middle, aligned by a frame that is ok), and more\n"
           "than %.0f of their own deviations; doubtful; of these more than %.0f px off; and how many were right if nothing had\n"
           "moved; panoramas.\n"
           "%-18s %6s %10s %6s %6s %8s %9s %6s %8s %6s\n", FRAMES, WIDTH, HEIGHT, OFF, DEVIATIONS, OFF, "kind", "frames",
           "registered", "ok", "off", "beyond", "doubtful", "off", "at rest", "parts");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verdict_run r;
        verdicts v = {.ok = 0};
        int parts = 0;
        if (quick && !rows[i].is_quick) continue;
        endo_status status = run_make(context, &rows[i], &r);
        if (status == ENDO_OK) status = run_one(&r, &v, &parts);
        run_free(&r);
        if (status != ENDO_OK) return bench_failed("truth");
        print_verdicts(rows[i].name, FRAMES, &v, parts);
        add(&sum, &v);
        frames += FRAMES;
    }
    print_verdicts("all", frames, &sum, -1);
    return 0;
}
