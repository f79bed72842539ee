/* How right panoramas are while an instrument hides a part of the scene: demo sequences whose truth is known, with a shape of its
 * own texture before each frame, which stands still or goes its own way, from end to end by endo_mosaic. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"
#include "include/endorama/mosaic.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 30, WIDTH = 480, HEIGHT = 384, AREA = WIDTH * HEIGHT };

static const truth_frame_size frame_size = {WIDTH, HEIGHT};

/* A pose further than this from the truth is wrong, px. */
#define WRONG 3.0
/* Sides of the cells of the instrument's texture, px, and noise of the sensor on it, grey levels. */
#define TEXTURE_CELL 3.0
#define SENSOR_NOISE 2.0

typedef enum instrument_shape { NONE, ROD, SIDE, DISC, TWO_RODS } instrument_shape;

typedef struct instrument_row {
    instrument_shape shape;
    int cover;   /* of the field of view, per cent */
    int texture; /* standard deviation, grey levels */
    int moves;   /* 1: on a path of its own, with a rotation */
    int scene;
    int is_quick;
} instrument_row;

/* width, height, frames, path, step, rotation, zoom, noise, flicker, highlights, seed. */
static const endo_demo_options scenes[] = {
    {WIDTH, HEIGHT, FRAMES, ENDO_DEMO_LOOP, 6, 10, 8, 2, 3, 12, 41},
    {WIDTH, HEIGHT, FRAMES, ENDO_DEMO_SWEEP, 4, 4, 4, 2, 3, 12, 42},
    {WIDTH, HEIGHT, FRAMES, ENDO_DEMO_SPIRAL, 8, 10, 8, 2, 3, 12, 43},
};

static const char *const scene_names[] = {"loop", "sweep", "spiral"};
static const char *const shape_names[] = {"none", "rod", "side", "disc", "two rods"};

static const instrument_row rows[] = {
    {NONE, 0, 0, 0, 0, 1},
    {NONE, 0, 0, 0, 1, 0},
    {NONE, 0, 0, 0, 2, 0},
    {ROD, 30, 10, 0, 0, 1},
    {ROD, 38, 10, 1, 1, 0},
    {ROD, 45, 25, 1, 2, 0},
    {ROD, 55, 10, 1, 0, 0},
    {SIDE, 30, 4, 0, 1, 0},
    {SIDE, 45, 10, 1, 0, 1},
    {SIDE, 55, 25, 0, 2, 0},
    {DISC, 30, 25, 1, 1, 0},
    {DISC, 45, 10, 1, 2, 0},
    {TWO_RODS, 38, 4, 1, 0, 0},
    {TWO_RODS, 45, 10, 0, 1, 0},
    {TWO_RODS, 55, 25, 1, 2, 0},
};

typedef struct instrument_run {
    const instrument_row *row;
    endo_transform truth[FRAMES];
    uint32_t *frames[FRAMES];
    uint8_t *field;
    double size;  /* of the shape, px */
    double cover; /* that was drawn, mean of all frames, 0..1 */
} instrument_run;

static void run_free(instrument_run *r) {
    for (int i = 0; i < FRAMES; i++) endo_free(r->frames[i]);
    endo_free(r->field);
}

/* ------------------------------------------------------------------ instruments */

/* Where a point of a frame lies on the instrument, px from its middle. */
static void instrument_point(const instrument_row *row, int frame, double x, double y, double *u, double *v) {
    double phase = row->moves ? 2 * 3.14159265358979 * frame / FRAMES : 0;
    double angle = 0.12 * sin(1.3 * phase);
    double dx = x - (WIDTH - 1) / 2.0 - 24 * sin(phase);
    double dy = y - (HEIGHT - 1) / 2.0 - 18 * sin(1.7 * phase);
    *u = cos(angle) * dx + sin(angle) * dy;
    *v = cos(angle) * dy - sin(angle) * dx;
}

static int is_on(instrument_shape shape, double size, double u, double v) {
    switch (shape) {
    case ROD: return u + 0.3 * v < 90 && fabs(v - 0.3 * u) < size; /* from the left, its tip beyond the middle */
    case SIDE: return u - 0.2 * v < size - WIDTH / 2.0;
    case DISC: return hypot(u, v) < size;
    case TWO_RODS: return (u < -20 && fabs(v + 0.4 * u + 30) < size) || (u > 20 && fabs(v - 0.3 * u - 10) < size);
    default: return 0;
    }
}

/* Share of the field that a shape hides in a frame. */
static double cover_of(const instrument_run *r, double size, int frame) {
    int inside = 0;
    int hidden = 0;
    for (int i = 0; i < AREA; i++) {
        double u, v;
        if (!r->field[i]) continue;
        inside++;
        instrument_point(r->row, frame, i % WIDTH, i / WIDTH, &u, &v);
        hidden += is_on(r->row->shape, size, u, v);
    }
    return (double)hidden / inside;
}

/* The size with which it hides what the row says, in the first frame. */
static double size_for(const instrument_run *r) {
    double low = 0;
    double high = WIDTH;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        if (cover_of(r, middle, 0) * 100 < r->row->cover)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Evenly in -1..1, of three numbers. */
static double hash(int a, int b, int c) {
    uint64_t h = (uint64_t)(uint32_t)a * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)b * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)(uint32_t)c * 0x165667B19E3779F9u;
    h ^= h >> 31, h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 29, h *= 0x94D049BB133111EBu;
    h ^= h >> 32;
    return (double)(h >> 11) / 4503599627370496.0 - 1;
}

/* Noise of deviation 1 that is fixed to the instrument, between the corners of its cells. */
static double texture_at(double u, double v) {
    double x = u / TEXTURE_CELL;
    double y = v / TEXTURE_CELL;
    int i = (int)floor(x);
    int j = (int)floor(y);
    double fx = x - i;
    double fy = y - j;
    double top = (1 - fx) * hash(i, j, 7) + fx * hash(i + 1, j, 7);
    double below = (1 - fx) * hash(i, j + 1, 7) + fx * hash(i + 1, j + 1, 7);
    return 1.5 * sqrt(3) * ((1 - fy) * top + fy * below);
}

static void draw(instrument_run *r, int frame) {
    for (int i = 0; i < AREA; i++) {
        double u, v;
        if (!r->field[i]) continue;
        instrument_point(r->row, frame, i % WIDTH, i / WIDTH, &u, &v);
        if (!is_on(r->row->shape, r->size, u, v)) continue;
        double noise = SENSOR_NOISE * (hash(i, frame, 1) + hash(i, frame, 2) + hash(i, frame, 3));
        r->frames[frame][i] = truth_grey(130 + 0.08 * u - 0.12 * v + r->row->texture * texture_at(u, v) + noise);
    }
}

static endo_status run_make(endo_context *context, const instrument_row *row, instrument_run *r) {
    endo_demo *demo = NULL;
    *r = (instrument_run){.row = row, .field = endo_alloc(AREA, 1)};
    int has_room = r->field != NULL;
    for (int i = 0; i < FRAMES; i++) {
        r->frames[i] = endo_alloc(AREA, sizeof *r->frames[i]);
        has_room &= r->frames[i] != NULL;
    }
    if (!has_room) return endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence");
    endo_status status = endo_demo_create(context, &scenes[row->scene], &demo);
    if (status == ENDO_OK) status = endo_demo_field(demo, r->field);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) {
        status = endo_demo_render(demo, i, r->frames[i]);
        if (status == ENDO_OK) status = endo_demo_truth(demo, i, &r->truth[i]);
    }
    endo_demo_destroy(&demo);
    if (status != ENDO_OK || row->shape == NONE) return status;
    r->size = size_for(r);
    for (int i = 0; i < FRAMES; i++) {
        draw(r, i);
        r->cover += cover_of(r, r->size, i) / FRAMES;
    }
    return ENDO_OK;
}

/* ----------------------------------------------------------------------- figures */

typedef struct score {
    int ok, wrong; /* of these */
    int right;     /* ok or not */
    double worst;  /* of those that are ok, px */
} score;

static int is_ok(const endo_mosaic_frame *f) { return f->registered && f->status == ENDO_FRAME_OK && !f->doubtful; }

static score score_from(const instrument_run *r, const endo_mosaic_frame *frames, int component, int anchor) {
    score s = {.ok = 0};
    for (int i = 0; i < FRAMES; i++) {
        if (!frames[i].registered || frames[i].component != component) continue;
        double error = truth_pose_error(&frame_size, &frames[i].pose, &frames[anchor].pose, &r->truth[i], &r->truth[anchor]);
        int is_right = error <= WRONG;
        s.right += is_right;
        if (!is_ok(&frames[i])) continue;
        s.ok++;
        s.wrong += !is_right;
        if (error > s.worst) s.worst = error;
    }
    return s;
}

static int is_better(const score *a, const score *b) {
    if (a->wrong != b->wrong) return a->wrong < b->wrong;
    if (a->right != b->right) return a->right > b->right;
    return a->worst < b->worst;
}

/* Every component is aligned by the frame of it that makes fewest wrong. */
static score score_of(const instrument_run *r, const endo_mosaic_frame *frames, int components) {
    score all = {.ok = 0};
    for (int component = 1; component <= components; component++) {
        score best = {.wrong = FRAMES + 1};
        for (int i = 0; i < FRAMES; i++) {
            if (!frames[i].registered || frames[i].component != component) continue;
            score s = score_from(r, frames, component, i);
            if (is_better(&s, &best)) best = s;
        }
        if (best.wrong > FRAMES) continue;
        all.ok += best.ok;
        all.wrong += best.wrong;
        all.right += best.right;
        if (best.worst > all.worst) all.worst = best.worst;
    }
    return all;
}

/* What it were if nothing had moved. */
static score score_still(const instrument_run *r) {
    endo_mosaic_frame frames[FRAMES];
    memset(frames, 0, sizeof frames);
    for (int i = 0; i < FRAMES; i++) {
        frames[i].pose = endo_transform_still;
        frames[i].registered = 1;
        frames[i].component = 1;
    }
    return score_of(r, frames, 1);
}

static void print_run(const instrument_run *r, const score *found, int parts) {
    score still = score_still(r);
    printf("%-9s %3.0f %% %4d  %-6s %-7s %6d %4d %6d %6d %9.2f %6d     %6d %6d %9.2f\n", shape_names[r->row->shape],
           100 * r->cover, r->row->texture, r->row->shape == NONE ? "" : r->row->moves ? "moves" : "still",
           scene_names[r->row->scene], FRAMES, found->ok, found->wrong, found->right, found->worst, parts, still.wrong,
           still.right, still.worst);
    fflush(stdout);
}

static endo_status run_one(instrument_run *r) {
    endo_mosaic *mosaic = NULL;
    const endo_mosaic_frame *frames = NULL;
    endo_status status = truth_mosaic(r->frames, FRAMES, &frame_size, &mosaic, &frames);
    if (status == ENDO_OK) {
        int parts = endo_mosaic_components(mosaic);
        score found = score_of(r, frames, parts);
        print_run(r, &found, parts);
    }
    endo_mosaic_destroy(&mosaic);
    return status;
}

int bench_truth_instruments(endo_context *context, int quick) {
    printf("\nInstruments before the scene, %dx%d, panoramas with the default options: how much of the field is hidden, the\n"
           "deviation of the instrument's texture, grey levels; frames that are ok, of these more than %.0f px wrong (root mean\n"
           "square of corners and middle, aligned by the frame that makes fewest wrong); right, ok or not; the worst that is ok,\n"
           "px; panoramas; and the same if all frames were taken to stand still.\n"
           "%-9s %5s %4s  %-6s %-7s %6s %4s %6s %6s %9s %6s     %6s %6s %9s\n", WIDTH, HEIGHT, WRONG, "shape", "cover", "tex",
           "", "scene", "frames", "ok", "wrong", "right", "worst", "parts", "wrong", "right", "worst");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        instrument_run r;
        if (quick && !rows[i].is_quick) continue;
        endo_status status = run_make(context, &rows[i], &r);
        if (status == ENDO_OK) status = run_one(&r);
        run_free(&r);
        if (status != ENDO_OK) return bench_failed("truth");
    }
    return 0;
}
