/* `endo_bench truth`, scenes in depth: how far frames in their poses disagree, and how much panoramas show of their details,
 * with and without displacements. Frames are lit by a scope's lamp (look_lamp.h). */
#include "bench_truth.h"
#include "look_lamp.h"

#include "base/memory.h"
#include "base/status.h"
#include "systems/mosaic/numbers.h"
#include "systems/mosaic/relief.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 256, AREA = WIDTH * HEIGHT, FRAMES = 24, TILE = 32, REACH = 3, AROUND = 4 };

static const mosaic_size frame_size = {WIDTH, HEIGHT};

typedef struct relief_row {
    const char *name;
    lamp_scene scene;
    double step; /* px a frame */
    int forward;
    int is_quick;
} relief_row;

static const relief_row rows[] = {
    {"plane", LAMP_PLANE, 5, 0, 1},
    {"bowl", LAMP_BOWL, 5, 0, 0},
    {"hill", LAMP_HILL, 5, 0, 1},
    {"tube", LAMP_TUBE, 5, 1, 0},
};

/* Frames apart of pairs from which displacements are found, and of others by which they are judged. */
static const int taught[] = {1, 3, 6, 12};
static const int judged[] = {2, 5, 9};

typedef struct relief_run {
    lamp_frames lit;
    uint32_t *frames[FRAMES]; /* the lit ones, black outside of the field */
    uint32_t *displaced[FRAMES];
    endo_transform poses[FRAMES];
    endo_patch_place *places;
} relief_run;

static void run_free(relief_run *r) {
    for (int i = 0; i < FRAMES; i++) endo_free(r->displaced[i]);
    endo_free(r->places);
    lamp_frames_free(&r->lit);
}

static endo_status run_make(const relief_row *row, relief_run *r) {
    const lamp_options options = {
        .scene = row->scene,
        .width = WIDTH,
        .height = HEIGHT,
        .frames = FRAMES,
        .step = row->step,
        .forward = row->forward,
        .fall = 0.4,
        .view = lamp_usual_view(row->scene),
    };
    memset(r, 0, sizeof *r);
    ENDO_TRY(lamp_frames_make(&options, &r->lit));
    r->places = endo_alloc(ENDO_PATCH_PLACES, sizeof *r->places);
    int is_made = r->places != NULL;
    for (int i = 0; i < FRAMES; i++) {
        r->frames[i] = r->lit.images[i];
        for (int k = 0; k < AREA; k++)
            if (!r->lit.field[k]) r->frames[i][k] = 0xff000000u;
        r->displaced[i] = endo_alloc(AREA, sizeof *r->displaced[i]);
        is_made &= r->displaced[i] != NULL;
    }
    return is_made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a scene in depth");
}

/* ------------------------------------------------------------------------- places */

static endo_status store_frames(endo_context *context, const relief_run *r, uint32_t *const *frames, endo_frames **out) {
    endo_frames_options o = endo_frames_options_default();
    o.type = ENDO_RGB32;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.capacity = FRAMES;
    o.field = r->lit.field;
    o.keep_pixels = 0;
    ENDO_TRY(endo_frames_create(context, &o, out));
    for (int i = 0; i < FRAMES; i++) ENDO_TRY(endo_frames_put(*out, i, frames[i], WIDTH));
    return ENDO_OK;
}

static endo_status add_pair(const relief_run *r, endo_frames *store, const endo_pair *pair, int number, relief_points *points) {
    const endo_transform *one = &r->poses[pair->reference];
    const endo_transform *other = &r->poses[pair->current];
    endo_transform step = pose_between(one, other);
    int32_t n = 0;
    ENDO_TRY(endo_pairs_locate(store, pair, &step, 1, r->places, &n));
    for (int i = 0; i < n; i++) {
        const endo_patch_place *p = &r->places[i];
        const relief_point point = {
            .frames = {pair->reference, pair->current},
            .at = {{p->x, p->y}, {p->current_x, p->current_y}},
            .apart = {(float)(pose_x(other, p->current_x, p->current_y) - pose_x(one, p->x, p->y)),
                      (float)(pose_y(other, p->current_x, p->current_y) - pose_y(one, p->x, p->y))},
            .pair = number,
        };
        ENDO_TRY(relief_points_add(points, &point));
    }
    return ENDO_OK;
}

static endo_status find_points(endo_context *context, const relief_run *r, uint32_t *const *frames, const int *distances, int n,
                               relief_points *points) {
    endo_frames *store = NULL;
    int number = 0;
    endo_status status = store_frames(context, r, frames, &store);
    for (int d = 0; d < n; d++)
        for (int i = 0; i + distances[d] < FRAMES && status == ENDO_OK; i++)
            status = add_pair(r, store, &(endo_pair){i, i + distances[d]}, number++, points);
    endo_frames_destroy(&store);
    return status;
}

/* How far places are apart in frames of pairs that displacements were not found from: what four of five do not exceed, px. */
static endo_status measure_apart(endo_context *context, const relief_run *r, uint32_t *const *frames, double *out) {
    relief_points points = {0};
    endo_status status = find_points(context, r, frames, judged, 3, &points);
    double *apart = endo_alloc((size_t)points.n + 1, sizeof *apart);
    if (!apart) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %d places", points.n);
    for (int i = 0; i < points.n && apart; i++) apart[i] = length_of(points.items[i].apart[0], points.items[i].apart[1]);
    *out = status == ENDO_OK && points.n ? number_at_rank(apart, (size_t)points.n, (size_t)points.n * 4 / 5) : NAN;
    endo_free(apart);
    relief_points_free(&points);
    return status;
}

/* Displaces all frames. *displacements: 1: some are. */
static endo_status displace_frames(endo_context *context, const relief_run *r, int *is_displaced) {
    relief_points points = {0};
    relief_evidence evidence;
    frame_displacements displacements = {0};
    const relief_frames frames = {r->poses, FRAMES, frame_size, r->lit.field, 4};
    endo_status status = find_points(context, r, r->frames, taught, 4, &points);
    if (status == ENDO_OK) status = relief_solve(&points, &frames, &displacements, &evidence);
    *is_displaced = displacements.moves != NULL;
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) {
        if (frame_displacements_has(&displacements, i))
            frame_displacements_apply(&displacements, i, r->frames[i], ENDO_RGB32, 1, r->displaced[i]);
        else
            memcpy(r->displaced[i], r->frames[i], AREA * sizeof *r->displaced[i]);
    }
    frame_displacements_free(&displacements);
    relief_points_free(&points);
    return status;
}

/* ------------------------------------------------------------------------ pictures */

typedef struct panorama {
    endo_mosaic_panorama is;
    float *details;
} panorama;

/* Green, less the mean of four pixels AROUND away: the light is the same there. */
static float *details_of(const uint32_t *pixels, int width, int height) {
    float *out = endo_alloc_zeroed((size_t)width * (size_t)height, sizeof *out);
    for (int y = AROUND; y < height - AROUND && out; y++)
        for (int x = AROUND; x < width - AROUND; x++) {
            const uint32_t *at = pixels + (size_t)y * (size_t)width + x;
            const uint32_t around[4] = {at[-AROUND], at[AROUND], at[-AROUND * width], at[AROUND * width]};
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += (float)(around[k] >> 8 & 255);
            out[(size_t)y * (size_t)width + (size_t)x] = (float)(at[0] >> 8 & 255) - sum / 4;
        }
    return out;
}

/* Details of a panorama at a place of the first frame; 0 beyond its rectangle. */
static double seen_at(const panorama *p, double x, double y) {
    double u = x + p->is.origin_x;
    double v = y + p->is.origin_y;
    if (!(u >= 0 && v >= 0 && u < p->is.width - 1 && v < p->is.height - 1)) return 0;
    const float *at = p->details + (size_t)v * (size_t)p->is.width + (size_t)u;
    double across = u - floor(u);
    double down = v - floor(v);
    const float *next = at + p->is.width;
    return (1 - down) * ((1 - across) * at[0] + across * at[1]) + down * ((1 - across) * next[0] + across * next[1]);
}

/* Correlation of the details of a tile of a frame with those of the panorama (dx, dy) px away. */
static double coefficient_of(const panorama *p, const endo_transform *pose, const float *frame, const int tile[2], int dx,
                             int dy) {
    double s[5] = {0};
    for (int i = 0; i < TILE * TILE; i++) {
        int x = tile[0] + i % TILE;
        int y = tile[1] + i / TILE;
        double a = frame[y * WIDTH + x];
        double b = seen_at(p, pose_x(pose, x + dx, y + dy), pose_y(pose, x + dx, y + dy));
        const double terms[5] = {a, b, a * a, a * b, b * b};
        for (int k = 0; k < 5; k++) s[k] += terms[k] / (TILE * TILE);
    }
    return (s[3] - s[0] * s[1]) / sqrt((s[2] - s[0] * s[0]) * (s[4] - s[1] * s[1]));
}

/* The greatest one. */
static double best_of(const panorama *p, const endo_transform *pose, const float *frame, const int tile[2]) {
    double best = -1;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) best = fmax(best, coefficient_of(p, pose, frame, tile, dx, dy));
    return best;
}

static int is_in_field(const relief_run *r, const int tile[2]) {
    const int far = TILE + REACH + AROUND;
    const int near = -REACH - AROUND;
    for (int k = 0; k < 4; k++)
        if (!lamp_in_field(&r->lit.options, tile[0] + (k & 1 ? far : near), tile[1] + (k & 2 ? far : near))) return 0;
    return 1;
}

/* The mean over tiles of every fourth frame, each where it fits best: what a panorama shows of frames, wherever it has it. */
static endo_status take_likeness(const relief_run *r, const panorama *p, double *out) {
    double sum = 0;
    int n = 0;
    for (int frame = 0; frame < FRAMES; frame += 4) {
        float *details = details_of(r->frames[frame], WIDTH, HEIGHT);
        if (!details) return endo_fail(ENDO_ERR_MEMORY, "no memory for the details of a frame");
        for (int i = 0; i < (WIDTH / TILE) * (HEIGHT / TILE); i++) {
            const int tile[2] = {i % (WIDTH / TILE) * TILE, i / (WIDTH / TILE) * TILE};
            if (!is_in_field(r, tile)) continue;
            sum += best_of(p, &r->poses[frame], details, tile);
            n++;
        }
        endo_free(details);
    }
    *out = sum / n;
    return ENDO_OK;
}

static endo_status read_panorama(const endo_mosaic *mosaic, panorama *p) {
    ENDO_TRY(endo_mosaic_describe(mosaic, 1, &p->is));
    uint32_t *pixels = endo_alloc((size_t)p->is.width * (size_t)p->is.height, sizeof *pixels);
    const endo_panorama_planes planes = {.pixels = pixels};
    if (!pixels) return endo_fail(ENDO_ERR_MEMORY, "no memory for a panorama");
    endo_status status = endo_mosaic_read(mosaic, 1, &(endo_rectangle){0, 0, p->is.width, p->is.height}, &planes);
    if (status == ENDO_OK) p->details = details_of(pixels, p->is.width, p->is.height);
    endo_free(pixels);
    if (status == ENDO_OK && !p->details) return endo_fail(ENDO_ERR_MEMORY, "no memory for the details of a panorama");
    return status;
}

static const void *lend(void *user, int32_t frame, char *reason) {
    (void)reason;
    return ((uint32_t **)user)[frame];
}

/* Runs a mosaic; keeps its poses. */
static endo_status paint(relief_run *r, endo_mosaic_relief relief, double *like) {
    endo_mosaic_options options = endo_mosaic_options_default();
    const endo_mosaic_source source = {
        .frames = FRAMES, .width = WIDTH, .height = HEIGHT, .type = ENDO_RGB32, .lend = lend, .user = r->frames};
    endo_mosaic *mosaic = NULL;
    panorama p = {.details = NULL};
    options.relief = relief;
    options.light = 0;
    options.field = ENDO_MOSAIC_FIELD_MASK;
    options.mask = r->lit.field;
    endo_status status = endo_mosaic_create(&options, NULL, &mosaic);
    if (status == ENDO_OK) status = endo_mosaic_run(mosaic, &source);
    if (status == ENDO_OK) status = read_panorama(mosaic, &p);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) r->poses[i] = endo_mosaic_frames(mosaic, NULL)[i].pose;
    if (status == ENDO_OK) status = take_likeness(r, &p, like);
    endo_free(p.details);
    endo_mosaic_destroy(&mosaic);
    return status;
}

/* -------------------------------------------------------------------------- report */

static endo_status run_one(endo_context *context, const relief_row *row, relief_run *r) {
    double like[2];
    double apart[2];
    int is_displaced;
    ENDO_TRY(run_make(row, r));
    ENDO_TRY(paint(r, ENDO_MOSAIC_RELIEF_AUTO, &like[1]));
    ENDO_TRY(paint(r, ENDO_MOSAIC_RELIEF_NONE, &like[0]));
    ENDO_TRY(measure_apart(context, r, r->frames, &apart[0]));
    ENDO_TRY(displace_frames(context, r, &is_displaced));
    ENDO_TRY(measure_apart(context, r, r->displaced, &apart[1]));
    printf("%-10s %5s %8.2f %8.2f %12.3f %8.3f\n", row->name, is_displaced ? "yes" : "no", apart[0], apart[1], like[0], like[1]);
    fflush(stdout);
    return ENDO_OK;
}

int bench_truth_relief(endo_context *context, int quick) {
    printf("\nScenes in depth, %d frames of %dx%d, lit by a lamp: whether frames are displaced; how far places of\n"
           "pairs that took no part are apart, which four of five do not exceed, px, with relief None and Auto; how like the\n"
           "frames the panoramas are with None and Auto: mean coefficient of the details of tiles of %d px, each where it\n"
           "fits best within %d px.\n%-10s %5s %8s %8s %12s %8s\n", FRAMES, WIDTH, HEIGHT, TILE, REACH, "scene", "displaced", "None", "Auto",
           "like: None", "Auto");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        relief_run r;
        if (quick && !rows[i].is_quick) continue;
        endo_status status = run_one(context, &rows[i], &r);
        run_free(&r);
        if (status != ENDO_OK) return bench_failed("truth");
    }
    return 0;
}
