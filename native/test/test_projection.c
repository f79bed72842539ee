/* Homographies on canvases against their definition in floating point: places of pixels, which of them lie in the frame,
 * rows, and what is refused. */
#include "base/projection.h"
#include "rules/sampling.h"
#include "check.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 200, HEIGHT = 150, SIDE = 420, ORIGIN_X = 110, ORIGIN_Y = 130 };

static endo_transform homography(double a, double b, double x, double c, double d, double y, double g, double h) {
    endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {a, b, x, c, d, y, g, h, 1}};
    return t;
}

/* Somewhere on the canvas; the frame's least denominator is about 0.1. */
static endo_transform random_homography(test_random *r, int i) {
    double wild = i % 3 ? 0.4 : 0.05, bent = i % 4 ? 0.4 : 0.9, m[6];
    for (int k = 0; k < 4; k++) m[k] = wild * (test_unit(r) - 0.5);
    m[4] = 50 * (test_unit(r) - 0.5), m[5] = 50 * (test_unit(r) - 0.5);
    return homography(1 + m[0], m[1], m[4], m[2], 1 + m[3], m[5], bent * (test_unit(r) - 0.5) / WIDTH,
                      bent * (test_unit(r) - 0.5) / HEIGHT);
}

static endo_canvas_map map_of(const endo_transform *t) {
    endo_canvas_map map = {.projection = {.bits = 0}};
    CHECK(endo_projection_make(t, WIDTH, HEIGHT, ORIGIN_X, ORIGIN_Y, ORIGIN_X, &map.projection));
    return map;
}

/* Where the pixel (x, y) of the canvas lies in the frame; 0: behind the horizon. */
static int exact(const endo_transform *t, int x, int y, double place[2]) {
    endo_transform back;
    double w;
    CHECK(endo_transform_inverse(t, &back));
    if (!endo_transform_point(&back, x - ORIGIN_X, y - ORIGIN_Y, &place[0], &place[1])) return 0;
    w = t->matrix[6] * place[0] + t->matrix[7] * place[1] + 1;
    return w > 0;
}

static int is_inside(const endo_canvas_map *map, int x, int y, double place[2]) {
    endo_fixed_affine local;
    if (!endo_canvas_map_at(map, x, y, 0, &local)) return 0;
    int64_t px = local.m[0] * x + local.m[1] * y + local.m[2], py = local.m[3] * x + local.m[4] * y + local.m[5];
    place[0] = (double)px / 4294967296.0, place[1] = (double)py / 4294967296.0;
    px = endo_position8(px), py = endo_position8(py);
    return px >= 0 && py >= 0 && px <= (WIDTH - 1) * 256 && py <= (HEIGHT - 1) * 256;
}

/* How far outside the frame a place is; below 0: inside. */
static double outside(const double place[2]) {
    return fmax(fmax(-place[0], place[0] - WIDTH + 1), fmax(-place[1], place[1] - HEIGHT + 1));
}

/* The largest error of a place in the frame, px. */
static double largest_error(const endo_transform *t, const endo_canvas_map *map, int *reached) {
    double most = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double place[2] = {0, 0}, found[2] = {0, 0};
            int there = exact(t, x, y, place) && outside(place) < 0, taken = is_inside(map, x, y, found);
            if (!there && !taken) continue;
            ++*reached;
            double error = hypot(found[0] - place[0], found[1] - place[1]);
            if (there != taken) CHECK(fabs(outside(place)) <= 0.125 + 1.0 / 256);
            else most = fmax(most, error);
            if ((x - ORIGIN_X) % (1 << map->projection.bits) == 0 && taken) CHECK_NEAR(error, 0, 1e-6);
        }
    return most;
}

/* An eighth of a pixel along either axis. */
static void test_places(void) {
    test_random r = {3};
    for (int i = 0; i < 40; i++) {
        endo_transform t = random_homography(&r, i);
        endo_canvas_map map = map_of(&t);
        int reached = 0;
        CHECK(map.projection.bits > 2);
        CHECK(largest_error(&t, &map, &reached) <= 0.125 * 1.415);
        CHECK(reached > 5000);
    }
}

/* x / (1 + g x): the second derivative of the way back is 2 g (1 + g x)^3, times an eighth of a run's length squared is what
 * its middle errs by. 8 px beyond the frame, that is 1/8 px at most, and 3/2 px with the shortest. */
static void test_lengths(void) {
    static const struct {
        double g;
        int bits;
    } cases[] = {{1e-6, 6},    {1.12e-4, 6}, {1.16e-4, 5}, {3.8e-4, 5}, {4e-4, 4},   {1.05e-3, 4},
                 {1.1e-3, 3}, {2.3e-3, 3},  {2.4e-3, 2},  {1.08e-2, 2}, {1.11e-2, 0}};
    for (int i = 0; i < 11; i++) {
        endo_transform t = homography(1, 0, 0, 0, 1, 0, cases[i].g, 0), turned = homography(0, 1, 0, 1, 0, 0, 0, cases[i].g);
        endo_projection p = {.bits = 0};
        CHECK(endo_projection_make(&t, WIDTH, 10, 0, 0, 0, &p) == (cases[i].bits > 0) && p.bits == cases[i].bits);
        CHECK(endo_projection_make(&turned, 10, WIDTH, 0, 0, 0, &p) == (cases[i].bits > 0) && p.bits == cases[i].bits);
    }
}

/* Every pixel of a row that lies in the frame, each once; in a band no column beside what the rows have. */
static void test_rows(void) {
    test_random r = {9};
    for (int i = 0; i < 30; i++) {
        endo_transform t = random_homography(&r, i);
        endo_canvas_map map = map_of(&t);
        int wrong = 0, spare = 0, all = 0, band_from = SIDE, band_to = 0, top = test_between(&r, 0, 200), bottom = top + 40;
        for (int y = 0; y < SIDE; y++) {
            int from = 3, to = SIDE - 1;
            endo_canvas_span(&map, y, y + 1, WIDTH, HEIGHT, &from, &to);
            endo_run_walk walk = {&map.projection, y, 0, WIDTH, HEIGHT, from, to};
            uint8_t seen[SIDE] = {0};
            for (endo_projected_run run; endo_run_next(&walk, &run);)
                for (int x = run.from; x < run.to; x++) seen[x]++;
            for (int x = 3; x < SIDE - 1; x++) {
                double place[2];
                int is = is_inside(&map, x, y, place);
                wrong += seen[x] != is;
                all += is;
                if (is && y >= top && y < bottom) band_from = x < band_from ? x : band_from, band_to = x >= band_to ? x + 1 : band_to;
            }
            spare += to > from ? to - from : 0;
        }
        int from = 0, to = SIDE;
        endo_canvas_span(&map, top, bottom, WIDTH, HEIGHT, &from, &to);
        CHECK(band_from >= band_to || (from <= band_from && to >= band_to));
        CHECK(wrong == 0 && spare < 1.25 * all + 200);
    }
}

/* Steps along y, for the middles of cells. */
static void test_falls(void) {
    endo_transform t = homography(1, 0.1, 5, -0.1, 0.9, 7, 0.0004, -0.0006);
    endo_canvas_map map = map_of(&t);
    endo_fixed_affine local;
    for (int k = 0; k < 50; k++) {
        int x = ORIGIN_X + 30 + 2 * k, y = ORIGIN_Y + 40 + k / 2;
        double here[2], below[2];
        CHECK(endo_canvas_map_at(&map, x, y, 1, &local));
        CHECK(exact(&t, x, y, here) && exact(&t, x, y + 1, below));
        for (int i = 0; i < 2; i++) {
            const int64_t *m = local.m + 3 * i;
            CHECK_NEAR((double)(m[0] * x + m[1] * y + m[2]) / 4294967296.0, here[i], 0.125);
            CHECK_NEAR((double)m[1] / 4294967296.0, below[i] - here[i], 0.03);
        }
    }
}

/* Runs of a small frame with much perspective, across the horizon: u / (1 - g u) jumps there from one side of the frame to
 * the other. */
static void test_horizon(void) {
    for (int k = 0; k < 160; k++) {
        double g = -0.03 - 0.0001 * (k / 4);
        endo_transform t = homography(1, 0, 0, 0, 1, 0, g, 0);
        endo_canvas_map map = {.projection = {.bits = 0}};
        CHECK(endo_projection_make(&t, 18, 10, 0, 0, k % 4, &map.projection) && map.projection.bits == 2);
        for (int u = -100; u < -18; u++) {
            endo_fixed_affine local;
            if (!endo_canvas_map_at(&map, u, 0, 0, &local)) continue;
            int64_t place = endo_position8(local.m[0] * u + local.m[2]);
            CHECK(place < 0 || place > 17 * 256);
        }
    }
}

/* A projection gives the same runs wherever the canvas lies. */
static void test_origins(void) {
    endo_transform t = homography(1, 0.1, 5, -0.1, 0.9, 7, 0.001, -0.0006);
    endo_projection near, far;
    endo_projected_run a, b;
    CHECK(endo_projection_make(&t, WIDTH, HEIGHT, 0, 0, 0, &near));
    CHECK(endo_projection_make(&t, WIDTH, HEIGHT, -1000003, 2000001, -1000003, &far));
    for (int x = -20; x < 150; x += 7) {
        int y = x / 2, u = x - 1000003, v = y + 2000001, known = endo_projection_run(&near, x, y, 1, &a);
        CHECK(endo_projection_run(&far, u, v, 1, &b) == known && b.from == a.from - 1000003 && b.to == a.to - 1000003);
        for (int k = 0; k < 6 && known; k += 3) {
            const int64_t *m = a.map.m + k, *n = b.map.m + k;
            CHECK(m[0] == n[0] && m[1] == n[1] && m[0] * x + m[1] * y + m[2] == n[0] * u + n[1] * v + n[2]);
        }
    }
}

/* Homographies that are refused. The sign of a matrix does not matter: it maps the same points. */
static void test_refusals(void) {
    endo_projection p = {.bits = 77};
    endo_transform flat = homography(1, 2, 0, 2, 4, 0, 0.001, 0), steep = homography(0.016, 0, 0, 0, 0.016, 0, 1e-6, 0);
    endo_transform bent = homography(1, 0, 0, 0, 1, 0, 0.02, 0), tilted = homography(1, 0, 0, 0, 1, 0, 0, 0.1);
    endo_transform small = homography(0.02, 0, 0, 0, 0.02, 0, 1e-6, 0);
    CHECK(!endo_projection_make(&flat, WIDTH, HEIGHT, 0, 0, 0, &p));
    CHECK(!endo_projection_make(&steep, WIDTH, HEIGHT, 0, 0, 0, &p));
    CHECK(!endo_projection_make(&bent, WIDTH, HEIGHT, 0, 0, 0, &p));
    CHECK(!endo_projection_make(&tilted, WIDTH, HEIGHT, 0, 0, 0, &p));
    CHECK(p.bits == 77);
    CHECK(endo_projection_make(&small, WIDTH, HEIGHT, 0, 0, 0, &p) && p.bits > 2);
    CHECK_NEAR(p.steepest, 50, 0.1);
}

int main(void) {
    test_places();
    test_lengths();
    test_rows();
    test_falls();
    test_horizon();
    test_origins();
    test_refusals();
    return check_summary("test_projection");
}
