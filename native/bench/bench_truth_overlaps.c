/* `endo_bench truth`, overlaps: pairs of synthetic scenes that share a part of the frame only, turned, and under another light;
 * and tiles of a survey, row by row, each of which shares little with the ones beside it. */
#include "bench_truth.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"
#include "test/scene.h"

#include <math.h>
#include <string.h>

#define WIDTH 480
#define HEIGHT 360
#define AREA (WIDTH * HEIGHT)
#define A_ROW 24
/* A pair further than this from the truth is wrong, px, root mean square over the overlap. */
#define WRONG 3.0

/* Tiles, to and fro, and how far their places and turns scatter: a share of their size, degrees. */
#define COLUMNS 4
#define ROWS 4
#define TILES (COLUMNS * ROWS)
#define SCATTER 0.008
#define TURN 0.5
#define MOST_DEVIATIONS 5.0

static const truth_frame_size pair_size = {WIDTH, HEIGHT};
static const truth_frame_size tile_size = {640, 512};
static uint8_t images[2][AREA];

/* ----------------------------------------------------------------------- scenes */

/* Evenly in 0..1, of a corner of a cell. */
static double corner(int x, int y, uint64_t seed) {
    test_random r = {seed * 0x9e3779b97f4a7c15u ^ ((uint64_t)(uint32_t)x << 32 | (uint32_t)y)};
    return test_unit(&r);
}

static double cells_at(double x, double y, double side, uint64_t seed) {
    int i = (int)floor(x / side);
    int j = (int)floor(y / side);
    double u = x / side - i;
    double v = y / side - j;
    double upper = (1 - u) * corner(i, j, seed) + u * corner(i + 1, j, seed);
    double lower = (1 - u) * corner(i, j + 1, seed) + u * corner(i + 1, j + 1, seed);
    return (1 - v) * upper + v * lower;
}

/* Three scenes in turn: stony ground, lines as of vessels, and soft clouds. */
static double scene_at(double x, double y, uint64_t seed) {
    double slow = cells_at(x, y, 47, seed);
    double middle = cells_at(x, y, 13, seed + 1);
    double fast = cells_at(x, y, 5, seed + 2);
    switch (seed % 3) {
    case 0: return 60 + 110 * (0.3 * slow + 0.4 * middle + 0.3 * fast);
    case 1: return 150 - 70 * exp(-250 * pow(slow + 0.2 * middle - 0.6, 2)) + 12 * fast;
    default: return 60 + 90 * slow + 25 * middle;
    }
}

/* A view under its own light: gain, offset, a fall-off that stands still with the scope, and noise. */
static void draw(const truth_frame_size *size, const endo_transform *pose, uint64_t seed, test_random *r, uint8_t *out) {
    double gain = exp(test_unit(r) - 0.6);
    double offset = 20 * test_unit(r);
    double noise = 2 + 6 * test_unit(r);
    double middle = size->width / 2.0;
    for (int i = 0; i < size->width * size->height; i++) {
        double x = i % size->width;
        double y = i / size->width;
        double u, v;
        double far = (pow(x - middle, 2) + pow(y - size->height / 2.0, 2)) / pow(middle, 2);
        double sum = 0;
        endo_affine_apply(pose->matrix, x, y, &u, &v);
        for (int k = 0; k < 4; k++) sum += test_unit(r) - 0.5;
        double grey = offset + gain * scene_at(u, v, seed) / (1 + 0.5 * far) + noise * sum * sqrt(3) + 0.5;
        out[i] = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
    }
}

/* ----------------------------------------------------------------------- motions */

/* A motion that leaves a share of the frame, per cent, in a direction of its own, with a rotation up to 15 degrees. */
static endo_transform motion_of(int overlap, test_random *r) {
    double angle = 6.283185307179586 * test_unit(r);
    double turn = (test_unit(r) - 0.5) * 0.5235987755982988;
    double low = 0;
    double high = 1;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        double left = (1 - middle * fabs(cos(angle))) * (1 - middle * fabs(sin(angle)));
        if (100 * left > overlap)
            low = middle;
        else
            high = middle;
    }
    double c = cos(turn);
    double s = sin(turn);
    double x = (WIDTH - 1) / 2.0;
    double y = (HEIGHT - 1) / 2.0;
    const double m[6] = {c, -s, x - c * x + s * y + low * cos(angle) * WIDTH,
                         s, c,  y - s * x - c * y + low * sin(angle) * HEIGHT};
    return endo_transform_make(ENDO_TRANSFORM_RIGID, m);
}

/* Root mean square over what both frames show, px. */
static double error_of(const endo_transform *found, const endo_transform *truth) {
    double sum = 0;
    int n = 0;
    for (int y = 0; y < HEIGHT; y += 12)
        for (int x = 0; x < WIDTH; x += 12) {
            double u, v, p, q;
            endo_affine_apply(truth->matrix, x, y, &p, &q);
            if (p < 0 || q < 0 || p > WIDTH - 1 || q > HEIGHT - 1) continue;
            endo_affine_apply(found->matrix, x, y, &u, &v);
            sum += (u - p) * (u - p) + (v - q) * (v - q);
            n++;
        }
    return n ? sqrt(sum / n) : INFINITY;
}

typedef struct tally {
    int found, wrong, doubt;
} tally;

/* overlap: per cent; 0: two scenes. */
static endo_status measure(endo_frames *frames, int overlap, int n, tally *t) {
    test_random r = {900 + (uint64_t)overlap};
    endo_pairs_options p = endo_pairs_options_default();
    const endo_pair pair = {0, 1};
    endo_status status = ENDO_OK;
    p.method = ENDO_METHOD_BEST, p.transform = ENDO_TRANSFORM_AUTO, p.quality = 0;
    for (int i = 0; i < n && status == ENDO_OK; i++) {
        endo_transform truth = motion_of(overlap ? overlap : 50, &r);
        endo_pair_result result;
        uint64_t seed = 30 + 3000 * (uint64_t)overlap + (uint64_t)i;
        draw(&pair_size, &endo_transform_still, seed, &r, images[0]);
        draw(&pair_size, &truth, overlap ? seed : seed + 600, &r, images[1]);
        for (int k = 0; k < 2 && status == ENDO_OK; k++) status = endo_frames_put(frames, k, images[k], WIDTH);
        if (status == ENDO_OK) status = endo_pairs_register(frames, &pair, 1, &p, &result);
        if (status != ENDO_OK) break;
        int is_right = overlap && error_of(&result.transform, &truth) <= WRONG;
        t->found += is_right && result.status == ENDO_PAIR_OK;
        t->wrong += !is_right && result.status == ENDO_PAIR_OK;
        t->doubt += result.status != ENDO_PAIR_OK;
    }
    return status;
}

static endo_status print_pairs(endo_frames *frames, int quick) {
    static const int overlaps[] = {8, 12, 16, 20, 30, 40, 50, 60, 70, 80, 0};
    const int rows = sizeof overlaps / sizeof *overlaps;
    int n = quick ? A_ROW / 4 : A_ROW;
    endo_status status = ENDO_OK;
    printf("\nOverlaps: pairs at %dx%d, turned by up to 15 degrees, under another light, by the share that both show. Wrong: ok,\n"
           "but off by more than %.0f px.\n%-28s %6s %6s %6s %6s\n", WIDTH, HEIGHT, WRONG, "overlap", "pairs", "found", "wrong",
           "doubt");
    for (int i = 0; i < rows && status == ENDO_OK; i++) {
        int pairs = overlaps[i] ? n : 4 * n;
        char name[32] = "two scenes";
        tally t = {.found = 0};
        if (overlaps[i]) snprintf(name, sizeof name, "%d %%", overlaps[i]);
        status = measure(frames, overlaps[i], pairs, &t);
        if (status == ENDO_OK) printf("%-28s %6d %6d %6d %6d\n", name, pairs, t.found, t.wrong, t.doubt);
    }
    return status;
}

/* ------------------------------------------------------------------------- tiles */

typedef struct tiles {
    uint32_t *pixels[TILES];
    endo_transform truth[TILES];
    uint8_t *grey;
} tiles;

static void tiles_free(tiles *t) {
    for (int i = 0; i < TILES; i++) endo_free(t->pixels[i]);
    endo_free(t->grey);
}

/* Where tile i lies: rows one below the other, every other one from right to left. */
static endo_transform place_of(int i, int overlap, test_random *r) {
    int row = i / COLUMNS;
    int column = row % 2 ? COLUMNS - 1 - i % COLUMNS : i % COLUMNS;
    double step = 1 - overlap / 100.0;
    double angle = (2 * test_unit(r) - 1) * TURN * acos(-1) / 180;
    double x = tile_size.width * (column * step + (2 * test_unit(r) - 1) * SCATTER);
    double y = tile_size.height * (row * step + (2 * test_unit(r) - 1) * SCATTER);
    const double m[6] = {cos(angle), -sin(angle), x, sin(angle), cos(angle), y};
    return endo_transform_make(ENDO_TRANSFORM_RIGID, m);
}

/* other: number of tiles at the end that show another scene. */
static endo_status draw_tiles(int overlap, uint64_t seed, int other, tiles *t) {
    test_random r = {seed};
    size_t area = (size_t)tile_size.width * (size_t)tile_size.height;
    t->grey = endo_alloc(area, 1);
    if (!t->grey) return endo_fail(ENDO_ERR_MEMORY, "no memory for tiles");
    for (int i = 0; i < TILES; i++) {
        t->pixels[i] = endo_alloc(area, sizeof **t->pixels);
        if (!t->pixels[i]) return endo_fail(ENDO_ERR_MEMORY, "no memory for tiles");
        t->truth[i] = place_of(i, overlap, &r);
        draw(&tile_size, &t->truth[i], i < TILES - other ? seed : seed + 3, &r, t->grey);
        for (size_t k = 0; k < area; k++) t->pixels[i][k] = t->grey[k] * 0x10101u;
    }
    return ENDO_OK;
}

/* Prints how many tiles are in the largest panorama, and how far they lie from where they belong, seen from its first one. A
 * tile of the other scene there is wrong. */
static void print_tiles(const char *name, const endo_mosaic_frame *records, const tiles *t, int other) {
    int registered = 0;
    int parts = 0;
    int wrong = 0;
    int first = -1;
    double worst = 0;
    for (int i = 0; i < TILES; i++) {
        const endo_mosaic_frame *f = &records[i];
        if (f->component > parts) parts = f->component;
        if (f->component != 1) continue;
        if (first < 0) first = i;
        double off = truth_pose_error(&tile_size, &f->pose, &records[first].pose, &t->truth[i], &t->truth[first]);
        registered++;
        wrong += (first < TILES - other) != (i < TILES - other) || !(off <= WRONG || off <= MOST_DEVIATIONS * f->deviation);
        worst = fmax(worst, off);
    }
    printf("%-28s %6d %6d %6d %6d %6.2f\n", name, TILES, registered, parts, wrong, worst);
}

/* other: see draw_tiles. */
static endo_status measure_tiles(int overlap, uint64_t seed, int other, const char *name) {
    tiles t = {.grey = NULL};
    endo_mosaic *mosaic = NULL;
    const endo_mosaic_frame *records = NULL;
    endo_status status = draw_tiles(overlap, seed, other, &t);
    if (status == ENDO_OK) status = truth_mosaic(t.pixels, TILES, &tile_size, &mosaic, &records);
    if (status == ENDO_OK) print_tiles(name, records, &t, other);
    endo_mosaic_destroy(&mosaic);
    tiles_free(&t);
    return status;
}

static endo_status print_all_tiles(int quick) {
    static const int overlaps[] = {8, 10, 12, 16};
    static const char *const scenes[] = {"stony ground", "lines", "clouds"};
    endo_status status = ENDO_OK;
    printf("\nTiles: %d x %d of %dx%d, to and fro, each under a light of its own, by the share that neighbours show. Wrong: in\n"
           "the largest panorama, but more than %.0f px and %.0f of their deviations from where they belong; worst: px.\n",
           COLUMNS, ROWS, tile_size.width, tile_size.height, WRONG, MOST_DEVIATIONS);
    printf("%-28s %6s %6s %6s %6s %6s\n", "overlap", "tiles", "joined", "parts", "wrong", "worst");
    for (int i = quick ? 2 : 0; i < (quick ? 3 : 4) && status == ENDO_OK; i++)
        for (int k = 0; k < (quick ? 1 : 3) && status == ENDO_OK; k++) {
            char name[48];
            snprintf(name, sizeof name, "%d %%, %s", overlaps[i], scenes[k]);
            status = measure_tiles(overlaps[i], 60 + 3 * (uint64_t)i + (uint64_t)k, 0, name);
        }
    if (status == ENDO_OK && !quick) status = measure_tiles(12, 90, TILES / 2, "12 %, another scene below");
    return status;
}

int bench_truth_overlaps(endo_context *context, int quick) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.keep_pixels = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    if (status == ENDO_OK) status = print_pairs(frames, quick);
    endo_frames_destroy(&frames);
    if (status == ENDO_OK) status = print_all_tiles(quick);
    return status == ENDO_OK ? 0 : bench_failed("truth");
}
