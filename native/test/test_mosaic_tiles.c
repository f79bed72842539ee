/* Tiles of a survey, which share little with each other: all of them come into one panorama, rows are tied to each other, and a
 * tile that its neighbours in the sequence do not show is found beside others. */
#include "check.h"
#include "include/endorama/mosaic.h"
#include "scene.h"

#include "base/transform.h"

#include <math.h>

enum { WIDTH = 240, HEIGHT = 180, COLUMNS = 3, ROWS = 3, TILES = COLUMNS * ROWS };

/* Share of a tile that the next one shows, too. */
static const double shared = 0.2;
static uint32_t pixels[TILES][WIDTH * HEIGHT];
static endo_transform truth[TILES];

/* Random greys at the corners of cells, and between them: a scene that never resembles itself elsewhere. */
static double corner(int x, int y, uint64_t seed) {
    test_random r = {seed * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)x * 0xc2b2ae3d27d4eb4fu +
                     (uint64_t)(uint32_t)y * 0x165667b19e3779f9u};
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

/* Draws tile i of the sequence: at a column and row, under a light of its own. */
static void draw(int i, int column, int row, uint64_t seed) {
    test_random r = {1000 + (uint64_t)i};
    double gain = 0.6 + 0.4 * test_unit(&r);
    const double m[6] = {1, 0, column * WIDTH * (1 - shared) + 3 * test_unit(&r), 0, 1,
                         row * HEIGHT * (1 - shared) + 3 * test_unit(&r)};
    truth[i] = endo_transform_make(ENDO_TRANSFORM_TRANSLATION, m);
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        double x = k % WIDTH + m[2] + 500;
        double y = k / WIDTH + m[5] + 500;
        double scene = 0.5 * cells_at(x, y, 9, seed) + 0.25 * cells_at(x, y, 4, seed + 1) + 0.25 * cells_at(x, y, 40, seed + 2);
        pixels[i][k] = (uint32_t)(20 + 220 * gain * scene + 4 * test_unit(&r)) * 0x10101u;
    }
}

/* places: column + 3 * row of each tile of the sequence. */
static void draw_all(const int places[TILES], uint64_t seed) {
    for (int i = 0; i < TILES; i++) draw(i, places[i] % COLUMNS, places[i] / COLUMNS, seed);
}

static endo_mosaic *run(void) {
    endo_mosaic_options options = endo_mosaic_options_default();
    endo_mosaic *mosaic = NULL;
    options.picture = 0;
    options.context.backend = ENDO_BACKEND_CPU;
    CHECK(endo_mosaic_create(&options, NULL, &mosaic) == ENDO_OK);
    for (int i = 0; i < TILES; i++)
        CHECK(endo_mosaic_put(mosaic, pixels[i], ENDO_RGB32, WIDTH, HEIGHT, WIDTH) == ENDO_OK);
    CHECK(endo_mosaic_finish(mosaic) == ENDO_OK);
    return mosaic;
}

/* Whether all tiles are in one panorama, within a pixel of where they belong. */
static void check_poses(endo_mosaic *mosaic) {
    int32_t n = 0;
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    CHECK(n == TILES && endo_mosaic_components(mosaic) == 1);
    for (int i = 0; i < TILES; i++) {
        double x, y;
        CHECK(frames[i].registered && frames[i].component == 1);
        CHECK(endo_transform_point(&frames[i].pose, WIDTH / 2.0, HEIGHT / 2.0, &x, &y));
        CHECK_NEAR(x - WIDTH / 2.0, truth[i].matrix[2] - truth[0].matrix[2], 1);
        CHECK_NEAR(y - HEIGHT / 2.0, truth[i].matrix[5] - truth[0].matrix[5], 1);
    }
}

/* Each tile of a row but the turn has one above it, three tiles away at least. */
static void test_rows_are_tied(void) {
    static const int to_and_fro[TILES] = {0, 1, 2, 5, 4, 3, 6, 7, 8};
    draw_all(to_and_fro, 50);
    endo_mosaic *mosaic = run();
    int32_t n = 0;
    int across = 0;
    check_poses(mosaic);
    const endo_mosaic_edge *edges = endo_mosaic_edges(mosaic, &n);
    for (int i = 0; i < n; i++) across += edges[i].current - edges[i].reference > 1;
    CHECK(across == 4);
    CHECK(n == TILES - 1 + across);
    endo_mosaic_destroy(&mosaic);
}

/* The last tile comes first, and the next one shows nothing of it. */
static void test_a_tile_elsewhere_is_found(void) {
    static const int last_first[TILES] = {8, 0, 1, 2, 5, 4, 3, 6, 7};
    draw_all(last_first, 60);
    endo_mosaic *mosaic = run();
    check_poses(mosaic);
    endo_mosaic_destroy(&mosaic);
}

/* The lowest row comes after the uppermost one, of which it shows nothing; the row between them shows both. */
static void test_parts_are_tied(void) {
    static const int middle_last[TILES] = {0, 1, 2, 6, 7, 8, 5, 4, 3};
    draw_all(middle_last, 70);
    endo_mosaic *mosaic = run();
    check_poses(mosaic);
    endo_mosaic_destroy(&mosaic);
}

int main(void) {
    test_rows_are_tied();
    test_a_tile_elsewhere_is_found();
    test_parts_are_tied();
    return check_summary("test_mosaic_tiles");
}
