/* Outlines of what may be painted against brute force: no pixel of it is left out, and of a disc few others are kept. */
#include "cpu/outline.h"
#include "rules/sampling.h"
#include "check.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 170, HEIGHT = 140, STRIDE = 176, SIDE = 260 };

static uint8_t marks[HEIGHT][STRIDE];

/* A disc; cut: without its right part. */
static int fill_disc(double x, double y, double radius, int cut) {
    int n = 0;
    memset(marks, 0, sizeof marks);
    for (int v = 0; v < HEIGHT; v++)
        for (int u = 0; u < WIDTH; u++) {
            int inside = (u - x) * (u - x) + (v - y) * (v - y) <= radius * radius && u < cut;
            marks[v][u] = inside ? 1 : 0, n += inside;
        }
    return n;
}

static int is_marked(const endo_canvas_map *map, int x, int y) {
    endo_fixed_affine local;
    if (!endo_canvas_map_at(map, x, y, 0, &local)) return 0;
    int64_t px = endo_position8(local.m[0] * x + local.m[1] * y + local.m[2]);
    int64_t py = endo_position8(local.m[3] * x + local.m[4] * y + local.m[5]);
    return px >= 0 && py >= 0 && px <= (WIDTH - 1) * 256 && py <= (HEIGHT - 1) * 256 && marks[py >> 8][px >> 8];
}

/* Marked pixels that are left out; *kept: those that are not. */
static int count_lost(const endo_canvas_map *map, int *kept) {
    cpu_outline outline = cpu_outline_find(marks[0], STRIDE, WIDTH, HEIGHT);
    cpu_outline_lines lines = cpu_outline_place(&outline, map);
    int lost = 0;
    for (int y = 0; y < SIDE; y++) {
        int from = 7, to = SIDE - 5;
        cpu_outline_clip(&lines, y, &from, &to);
        CHECK(from <= to && from >= 7 && to <= SIDE - 5);
        *kept += to - from;
        for (int x = 7; x < SIDE - 5; x++) lost += is_marked(map, x, y) && (x < from || x >= to);
    }
    return lost;
}

static endo_canvas_map map_of(double a, double b, double c, double d, double e, double f) {
    const double matrix[6] = {a, b, c, d, e, f};
    endo_canvas_map map = {.projection = {.bits = 0}};
    CHECK(endo_affine_to_fixed(matrix, &map.affine));
    return map;
}

static void test_nothing_is_lost(void) {
    test_random r = {31};
    for (int i = 0; i < 60; i++) {
        double size = i % 3 ? 1 : 0.02, m[4];
        int kept = 0;
        fill_disc(test_between(&r, 20, 150), test_between(&r, 20, 120), test_between(&r, 1, 70), test_between(&r, 60, 200));
        for (int k = 0; k < 4; k++) m[k] = size * test_between(&r, -150, 150) / 100.0;
        endo_canvas_map map = map_of(m[0], m[1], 80 - 110 * (m[0] + m[1]), m[2], m[3], 70 - 130 * (m[2] + m[3]));
        CHECK(count_lost(&map, &kept) == 0);
    }
}

/* Frame -> panorama, turned round; the horizon is not far. */
static void test_homographies(void) {
    test_random r = {37};
    for (int i = 0; i < 40; i++) {
        double m[4], perspective = i % 4 ? 0.5 : 0.95;
        int kept = 0, n = fill_disc(test_between(&r, 40, 120), test_between(&r, 40, 90), test_between(&r, 20, 70), WIDTH);
        for (int k = 0; k < 4; k++) m[k] = 0.4 * (test_unit(&r) - 0.5);
        endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY,
                            {0.8 + m[0], m[1], 20, m[2], 0.8 + m[3], 20, perspective * (test_unit(&r) - 0.5) / WIDTH,
                             perspective * (test_unit(&r) - 0.5) / HEIGHT, 1}};
        endo_canvas_map map = {.projection = {.bits = 0}};
        CHECK(endo_projection_make(&t, WIDTH, HEIGHT, 50, 30, 50, &map.projection));
        CHECK(count_lost(&map, &kept) == 0 && n > 0 && kept > 0 && kept < SIDE * SIDE / 2);
    }
}

/* Around a disc of radius 60 the polygon is 1.3 % larger, and with the margin of 2 px and the pixels' own size another
 * tenth. */
static void test_little_is_kept(void) {
    int n = fill_disc(80, 66, 60, WIDTH), kept = 0;
    endo_canvas_map shift = map_of(1, 0, -50, 0, 1, -40), turn = map_of(0.9, 0.436, -60, -0.436, 0.9, 30);
    CHECK(count_lost(&shift, &kept) == 0 && kept < 1.15 * n && kept > n);
    kept = 0;
    CHECK(count_lost(&turn, &kept) == 0 && kept < 1.15 * n && kept > n);
}

static void test_nothing_there(void) {
    int kept = 0;
    endo_canvas_map still = map_of(1, 0, 0, 0, 1, 0), flat = map_of(0.001, 0, 20, 0, 0.001, 20);
    fill_disc(0, 0, -1, 0);
    CHECK(count_lost(&still, &kept) == 0 && kept == 0);
    fill_disc(120, 100, 20, WIDTH);
    CHECK(count_lost(&flat, &kept) == 0 && kept == 0);
}

int main(void) {
    test_nothing_is_lost();
    test_homographies();
    test_little_is_kept();
    test_nothing_there();
    return check_summary("test_outline");
}
