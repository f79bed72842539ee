/* Two numbers of a volume before it is registered: its range of grey values and its centre of brightness. */
#include "include/endorama/mutual.h"
#include "systems/mutual/mutual_samples.h"
#include "check.h"

#include <stdlib.h>

enum { WIDTH = 50, HEIGHT = 40, DEPTH = 10, AREA = WIDTH * HEIGHT, VOXELS = AREA * DEPTH };

static uint16_t voxels[VOXELS];

static endo_volume volume_of(const void *pixels, endo_pixel type, int width, int height, int depth) {
    endo_volume v = endo_volume_default();
    v.pixels = pixels;
    v.type = type;
    v.width = width;
    v.height = height;
    v.depth = depth;
    v.stride = width;
    v.slice = (ptrdiff_t)width * height;
    return v;
}

/* 1000..1999 in turn, 20 voxels of each; some of them others. */
static void fill(int dark, int bright) {
    for (int i = 0; i < VOXELS; i++) voxels[i] = (uint16_t)(1000 + i % 1000);
    for (int i = 0; i < dark; i++) voxels[1000 * (i % 20) + 500 + i / 20] = 7;
    for (int i = 0; i < bright; i++) voxels[1000 * (i % 20) + 400 - i / 20] = 60000;
}

static endo_grey_range range(void) {
    endo_volume v = volume_of(voxels, ENDO_GREY16, WIDTH, HEIGHT, DEPTH);
    endo_grey_range r = {-1, -1};
    CHECK(endo_volume_range(&v, &r) == ENDO_OK);
    return r;
}

/* Of 20,000 voxels 20 may lie beyond either end. */
static void test_range(void) {
    static const int cases[][4] = {/* dark, bright, low, high */
                                   {0, 0, 1001, 1998}, {19, 0, 1000, 1998}, {20, 0, 1000, 1998}, {21, 0, 7, 1998},
                                   {0, 20, 1001, 1999}, {0, 21, 1001, 60000}, {25, 25, 7, 60000}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        fill(cases[c][0], cases[c][1]);
        endo_grey_range r = range();
        CHECK(r.low == cases[c][2] && r.high == cases[c][3]);
    }
}

/* Where all but a thousandth have one value, the range is whatever there is; of one value alone it is empty. */
static void test_few_values(void) {
    for (int i = 0; i < VOXELS; i++) voxels[i] = 5;
    endo_grey_range r = range();
    CHECK(r.low == 5 && r.high == 5);
    voxels[77] = 9;
    r = range();
    CHECK(r.low == 5 && r.high == 9);
}

/* Weights: what a voxel is brighter than the low end, at most the range. */
static void test_centre(void) {
    for (int i = 0; i < VOXELS; i++) voxels[i] = 50;
    voxels[3 * AREA + 8 * WIDTH + 40] = 150;
    voxels[7 * AREA + 30 * WIDTH + 10] = 60000;
    voxels[0] = 90;
    const endo_volume v = volume_of(voxels, ENDO_GREY16, WIDTH, HEIGHT, DEPTH);
    const endo_grey_range range = {100, 200}, above = {60000, 60001};
    double centre[3];
    endo_volume_centre(&v, range, centre);
    CHECK_NEAR(centre[0], (50 * 40 + 100 * 10) / 150.0, 1e-12);
    CHECK_NEAR(centre[1], (50 * 8 + 100 * 30) / 150.0, 1e-12);
    CHECK_NEAR(centre[2], (50 * 3 + 100 * 7) / 150.0, 1e-12);
    endo_volume_centre(&v, above, centre);
    CHECK(centre[0] == (WIDTH - 1) / 2.0 && centre[1] == (HEIGHT - 1) / 2.0 && centre[2] == (DEPTH - 1) / 2.0);
}

/* A picture of more than a million pixels: every third one of each third row, from the second on. */
static void test_spread(void) {
    const int side = 2500;
    uint8_t *pixels = calloc((size_t)side * side, 1);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) pixels[(size_t)y * side + x] = x % 3 == 1 && y % 3 == 1 ? 80 : 200;
    endo_volume v = volume_of(pixels, ENDO_GREY8, side, side, 1);
    endo_grey_range r;
    CHECK(endo_volume_range(&v, &r) == ENDO_OK);
    CHECK(r.low == 80 && r.high == 80);
    free(pixels);
}

static void test_colour(void) {
    static const uint32_t colours[2] = {0xff000000u, 0x00ff8040u};
    endo_volume v = volume_of(colours, ENDO_RGB32, 2, 1, 1);
    CHECK(endo_volume_grey(&v, 0, 0, 0) == 0);
    CHECK(endo_volume_grey(&v, 1, 0, 0) == (77 * 255 + 150 * 128 + 29 * 64 + 128) >> 8);
}

int main(void) {
    test_range();
    test_few_values();
    test_centre();
    test_spread();
    test_colour();
    return check_summary("test_mutual_samples");
}
