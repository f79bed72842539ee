/* Frames that share a small part only: where their overlap is found, what takes no part in it, and what is made of several
 * starts that are believed. */
#include "systems/pairs/lost_pairs.h"
#include "systems/pairs/pair_windows.h"
#include "systems/pairs/patch_grid.h"
#include "systems/pairs/start_search.h"
#include "systems/pairs/plane_fft.h"
#include "backends.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 180, AREA = WIDTH * HEIGHT, SHRINK = 2, SIDE = ENDO_PLANE_SIDE };

static uint8_t first[AREA], second[AREA];
static endo_complex plane[SIDE * SIDE], kept[SIDE * SIDE];

/* ---------------------------------------------------------------------- planes */

/* A wave becomes one number, at its own frequency, transposed; and back again. */
static void test_plane_of_a_wave(void) {
    const int u = 3;
    const int v = 250;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double angle = 2 * acos(-1) * (u * (i % SIDE) + v * (i / SIDE)) / SIDE;
        plane[i] = kept[i] = (endo_complex){(float)cos(angle), (float)sin(angle)};
    }
    endo_plane_fft(plane, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int is_wave = i / SIDE == u && i % SIDE == v;
        if (hypot(plane[i].re - (is_wave ? SIDE * SIDE : 0), plane[i].im) > 0.1) CHECK(!"a frequency of the wave");
    }
    endo_plane_fft(plane, 1);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (hypot(plane[i].re / (SIDE * SIDE) - kept[i].re, plane[i].im / (SIDE * SIDE) - kept[i].im) > 1e-4)
            CHECK(!"there and back");
}

/* --------------------------------------------------------------------- overlaps */

static endo_frames *frames_of(endo_context *context, const uint8_t *field, int highlights) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field, o.highlights = highlights;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* A frame turned by so many degrees about its middle, which lies (x, y) px away. */
static endo_transform turned_by(double degrees, double x, double y) {
    double c = cos(degrees * acos(-1) / 180), s = sin(degrees * acos(-1) / 180);
    double u = (WIDTH - 1) / 2.0, v = (HEIGHT - 1) / 2.0;
    const double m[6] = {c, -s, u + x - c * u + s * v, s, c, v + y - s * u - c * v};
    return endo_transform_make(ENDO_TRANSFORM_RIGID, m);
}

/* Evenly in 0..1, of a place and a seed. */
static double hash(int x, int y, uint64_t seed) {
    test_random r = {seed * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)x * 0xc2b2ae3d27d4eb4fu + (uint64_t)(uint32_t)y * 0x165667b19e3779f9u};
    return test_unit(&r);
}

/* Random greys at the corners of cells, and between them. Unlike sums of waves it never resembles itself elsewhere. */
static double cells_at(double x, double y, double side, uint64_t seed) {
    int i = (int)floor(x / side), j = (int)floor(y / side);
    double u = x / side - i, v = y / side - j;
    double upper = (1 - u) * hash(i, j, seed) + u * hash(i + 1, j, seed);
    double lower = (1 - u) * hash(i, j + 1, seed) + u * hash(i + 1, j + 1, seed);
    return (1 - v) * upper + v * lower;
}

static double scene_at(double x, double y, uint64_t seed) {
    return 255 * (0.5 * cells_at(x, y, 9, seed) + 0.25 * cells_at(x, y, 4, seed + 1) + 0.25 * cells_at(x, y, 40, seed + 2));
}

/* Two views of a scene, the second under another light: gain, offset, and a fall-off from its middle in both. */
static void draw(uint64_t seed, const endo_transform *to, double gain, double offset, double falls) {
    for (int i = 0; i < AREA; i++) {
        double x = i % WIDTH, y = i / WIDTH, u, v;
        double far = hypot(x - WIDTH / 2.0, y - HEIGHT / 2.0) / (WIDTH / 2.0);
        double light = 1 / (1 + falls * far * far);
        endo_affine_apply(to->matrix, x, y, &u, &v);
        first[i] = (uint8_t)(scene_at(x, y, seed) * light * 0.8 + 0.5);
        second[i] = (uint8_t)(scene_at(u, v, seed) * light * gain + offset + 0.5);
    }
}

static endo_start_candidates search(endo_frames *frames) {
    const endo_pair pair = {0, 1};
    endo_start_candidates found;
    memset(&found, 0x5a, sizeof found);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_starts_search(frames, &pair, &found) == ENDO_OK);
    return found;
}

/* Distance of the frame's middle from where it belongs, px of the copy. */
static double off_by(const endo_transform *found, const endo_transform *truth) {
    double x = (WIDTH - 1) / 2.0, y = (HEIGHT - 1) / 2.0, u, v, p, q;
    endo_affine_apply(found->matrix, x, y, &u, &v);
    endo_affine_apply(truth->matrix, x, y, &p, &q);
    return hypot(u - p, v - q) / SHRINK;
}

static double degrees_of(const endo_transform *t) { return atan2(t->matrix[3], t->matrix[0]) * 180 / acos(-1); }

static int is_found(const endo_start_candidates *found, const endo_transform *truth) {
    return found->n > 0 && off_by(&found->items[0].transform, truth) < 4 &&
           fabs(degrees_of(&found->items[0].transform) - degrees_of(truth)) < 2.1;
}

/* Every direction, to an overlap of a sixth of the frame, and turns up to 16 degrees each way. */
static void test_overlaps(endo_context *context) {
    const struct {
        double degrees, x, y;
    } motions[] = {{0, 150, 10}, {16, -120, 30}, {-16, 20, 110}, {7, 90, -80}, {-9, -100, -60}, {0, 0, -140}, {0, -196, 0}};
    endo_frames *frames = frames_of(context, NULL, 0);
    for (int i = 0; i < 7; i++) {
        endo_transform truth = turned_by(motions[i].degrees, motions[i].x, motions[i].y);
        draw(300 + (uint64_t)i, &truth, 0.45, 30, 0.8);
        endo_start_candidates found = search(frames);
        CHECK(is_found(&found, &truth));
        CHECK(found.n <= ENDO_START_CANDIDATES);
        for (int k = 1; k < found.n; k++) {
            CHECK(found.items[k].score <= found.items[k - 1].score);
            CHECK(off_by(&found.items[k].transform, &found.items[0].transform) > 4 ||
                  fabs(degrees_of(&found.items[k].transform) - degrees_of(&found.items[0].transform)) > 4.1);
        }
    }
    endo_frames_destroy(&frames);
}

/* A start is where the frame lies: these shifts are whole pixels of the copy. */
static void test_position(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(0, 131, -25);
    draw(320, &truth, 0.8, 0, 0);
    endo_start_candidates found = search(frames);
    CHECK(found.n > 0);
    CHECK_NEAR(off_by(&found.items[0].transform, &truth), 0, 0.25);
    CHECK_NEAR(degrees_of(&found.items[0].transform), 0, 1e-9);
    endo_frames_destroy(&frames);
}

/* A slip of an overlap is no start, and a frame without texture has none. */
static void test_nothing(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(0, 232, 0);
    draw(330, &truth, 0.8, 0, 0);
    endo_start_candidates found = search(frames);
    for (int i = 0; i < found.n; i++) CHECK(off_by(&found.items[i].transform, &truth) > 4);
    memset(second, 90, AREA);
    CHECK(search(frames).n == 0);
    endo_frames_destroy(&frames);
}

/* What stands still outside of the field, or shines, takes no part. */
static void test_what_counts(endo_context *context) {
    static uint8_t field[AREA];
    endo_transform truth = turned_by(0, 110, 40);
    test_random r = {5};
    memset(field, 255, AREA);
    for (int k = 0; k < 70; k++) {
        int x = test_between(&r, 0, WIDTH - 14), y = test_between(&r, 0, HEIGHT - 14);
        for (int i = 0; i < 196; i++) field[(y + i / 14) * WIDTH + x + i % 14] = 0;
    }
    endo_frames *frames = frames_of(context, field, 0);
    draw(340, &truth, 0.8, 0, 0);
    for (int i = 0; i < AREA; i++)
        if (!field[i]) first[i] = second[i] = (uint8_t)(i / WIDTH % 2 ? 255 : 200);
    endo_start_candidates found = search(frames);
    CHECK(is_found(&found, &truth));
    endo_frames_destroy(&frames);
    draw(340, &truth, 0.8, 0, 0);
    for (int k = 0; k < 90; k++) {
        int x = test_between(&r, 0, WIDTH / 10 - 1) * 10, y = test_between(&r, 0, HEIGHT / 10 - 1) * 10;
        for (int i = 0; i < 36; i++) first[(y + i / 6) * WIDTH + x + i % 6] = second[(y + i / 6) * WIDTH + x + i % 6] = 250;
    }
    frames = frames_of(context, NULL, 1);
    found = search(frames);
    CHECK(is_found(&found, &truth));
    endo_frames_destroy(&frames);
}

/* -------------------------------------------------------------------------- pairs */

static endo_pair_result register_pair(endo_frames *frames, endo_pairs_method method, const endo_transform *from) {
    const endo_pair pair = {0, 1};
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair_result r;
    memset(&r, 0x5a, sizeof r);
    o.method = method, o.transform = method == ENDO_METHOD_BEST ? ENDO_TRANSFORM_AUTO : ENDO_TRANSFORM_AFFINE;
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    endo_status status = from ? endo_pairs_register_from(frames, &pair, from, 1, &o, &r)
                              : endo_pairs_register(frames, &pair, 1, &o, &r);
    CHECK(status == ENDO_OK);
    return r;
}

/* A quarter of the frame is enough for a pair; two scenes are none. A start that was given is not left. */
static void test_pairs(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    for (int i = 0; i < 3; i++) {
        endo_transform truth = turned_by(4 * i - 4, i == 1 ? -20 : 160, i == 1 ? 120 : 20 * i);
        draw(350 + (uint64_t)i, &truth, 0.6, 10, 0.5);
        endo_pair_result r = register_pair(frames, ENDO_METHOD_BEST, NULL);
        CHECK(r.status == ENDO_PAIR_OK);
        CHECK_NEAR(off_by(&r.transform, &truth), 0, 0.5);
        CHECK(register_pair(frames, ENDO_METHOD_BEST, &endo_transform_still).status != ENDO_PAIR_OK);
        CHECK(register_pair(frames, ENDO_METHOD_PAPER, NULL).status != ENDO_PAIR_OK);
        for (int k = 0; k < AREA; k++) second[k] = (uint8_t)scene_at(k % WIDTH, k / WIDTH, 900 + (uint64_t)i);
        CHECK(register_pair(frames, ENDO_METHOD_BEST, NULL).status != ENDO_PAIR_OK);
    }
    endo_frames_destroy(&frames);
}

static endo_pair_result find_lost(endo_frames *frames, int by_spectra, endo_pair_status status) {
    const endo_pair pair = {0, 1};
    endo_pair_result r = {.transform = endo_transform_still, .status = status};
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_find_lost(frames, &pair, 1, ENDO_TRANSFORM_AUTO, by_spectra, &r) == ENDO_OK);
    return r;
}

/* Lost pairs and doubtful ones are searched for, others are not. */
static void test_which(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(0, 140, 20);
    draw(360, &truth, 0.6, 10, 0.5);
    CHECK(find_lost(frames, 0, ENDO_PAIR_JUMP).status == ENDO_PAIR_OK);
    CHECK(find_lost(frames, 0, ENDO_PAIR_FEW_LANDMARKS).status == ENDO_PAIR_OK);
    CHECK(find_lost(frames, 0, ENDO_PAIR_NO_TEXTURE).status == ENDO_PAIR_NO_TEXTURE);
    endo_pair_result r = find_lost(frames, 0, ENDO_PAIR_OK);
    CHECK(r.status == ENDO_PAIR_OK && r.transform.matrix[2] == 0 && r.transform.matrix[5] == 0);
    endo_frames_destroy(&frames);
}

/* A turn that no start comes near is left to spectra. */
static void test_spectra(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(60, 6, -4);
    draw(370, &truth, 0.8, 0, 0);
    CHECK(find_lost(frames, 0, ENDO_PAIR_JUMP).status == ENDO_PAIR_JUMP);
    if (test_has_transforms(context)) {
        endo_pair_result r = find_lost(frames, 1, ENDO_PAIR_JUMP);
        CHECK(r.status == ENDO_PAIR_OK && off_by(&r.transform, &truth) < 0.5);
    }
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------------------------ windows */

static endo_pair_result in_windows(endo_frames *frames, const endo_transform *start, endo_transform_class kind) {
    const endo_pair pair = {0, 1};
    endo_pair_result r = {.transform = endo_transform_still, .status = ENDO_PAIR_JUMP};
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pair_register_in_windows(frames, &pair, start, kind, &r) == ENDO_OK);
    return r;
}

/* An eighth of the frame is enough in windows, whether it was searched for or is known roughly; two scenes are none. Classes
 * are similarities at the most, and what is not known of a part of a frame is not told. */
static void test_windows(endo_context *context) {
    const double places[4][2] = {{208, 4}, {-206, -3}, {5, 155}, {-2, -156}};
    endo_frames *frames = frames_of(context, NULL, 0);
    for (int i = 0; i < 4; i++) {
        endo_transform truth = turned_by(i - 1.5, places[i][0], places[i][1]);
        endo_transform near = turned_by(i - 1, places[i][0] - 2, places[i][1] + 2);
        draw(380 + (uint64_t)i, &truth, 0.6, 10, 0.5);
        for (int k = 0; k < 2; k++) {
            endo_pair_result r = register_pair(frames, ENDO_METHOD_BEST, k ? &near : NULL);
            CHECK(r.status == ENDO_PAIR_OK && r.transform.kind <= ENDO_TRANSFORM_SIMILARITY);
            CHECK(off_by(&r.transform, &truth) < 1 && r.deviation > 0);
        }
        endo_pair_result rigid = in_windows(frames, &near, ENDO_TRANSFORM_RIGID);
        CHECK(rigid.status == ENDO_PAIR_OK && rigid.transform.kind == ENDO_TRANSFORM_RIGID);
        CHECK(!(rigid.lens_deviation > 0) && !(rigid.perspective_deviation > 0));
        for (int k = 0; k < AREA; k++) second[k] = (uint8_t)scene_at(k % WIDTH, k / WIDTH, 940 + (uint64_t)i);
        CHECK(in_windows(frames, &near, ENDO_TRANSFORM_AUTO).status != ENDO_PAIR_OK);
    }
    endo_frames_destroy(&frames);
}

/* Windows are cut where two fifths of the frame are shared, or less, and 24 px are left. */
static void test_size_of_windows(endo_context *context) {
    const double shifts[4] = {138, 150, 216, 226};
    endo_frames *frames = frames_of(context, NULL, 0);
    for (int i = 0; i < 4; i++) {
        endo_transform truth = turned_by(0, shifts[i], 0);
        draw(390, &truth, 0.8, 0, 0);
        endo_pair_result r = in_windows(frames, &truth, ENDO_TRANSFORM_TRANSLATION);
        CHECK((r.status == ENDO_PAIR_OK) == (i == 1 || i == 2));
        CHECK(i == 1 || i == 2 ? off_by(&r.transform, &truth) < 0.2 : r.transform.matrix[2] == 0);
    }
    endo_frames_destroy(&frames);
}

/* A turn that is known in a narrow window is known worse over the frame; a shift is not. */
static void test_deviation_over_the_frame(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(0, 200, 0);
    draw(395, &truth, 0.6, 10, 0.5);
    endo_pair_result shifted = in_windows(frames, &truth, ENDO_TRANSFORM_TRANSLATION);
    endo_pair_result turned = in_windows(frames, &truth, ENDO_TRANSFORM_RIGID);
    CHECK(shifted.status == ENDO_PAIR_OK && turned.status == ENDO_PAIR_OK);
    CHECK(turned.deviation > 2 * shifted.deviation);
    endo_frames_destroy(&frames);
}

/* Across a long frame lie three rows of patches, if they fit. */
static void test_rows_across_long_frames(endo_context *context) {
    const int heights[3] = {47, 48, 200};
    const size_t rows[3] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        endo_frames_options o = endo_frames_options_default();
        endo_frames *frames = NULL;
        endo_patch_grid g;
        o.width = 400, o.height = heights[i], o.capacity = 1;
        CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
        CHECK(endo_patch_grid_make(frames, 0, 14, 1, &g) == ENDO_OK);
        CHECK(g.n == 14 * rows[i]);
        endo_patch_grid_free(&g);
        endo_frames_destroy(&frames);
    }
}

/* A start that is several px off is followed by windows where it led to. */
static void test_windows_are_cut_again(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    int found = 0;
    for (int i = 0; i < 8; i++) {
        endo_transform truth = turned_by(0, 205, 0);
        endo_transform near = turned_by(2, 205 + (i % 2 ? 6 : -6), i / 2 - 2);
        draw(400 + (uint64_t)i, &truth, 0.6, 10, 0.5);
        endo_pair_result r = in_windows(frames, &near, ENDO_TRANSFORM_SIMILARITY);
        found += r.status == ENDO_PAIR_OK && off_by(&r.transform, &truth) < 1;
    }
    CHECK(found >= 5);
    endo_frames_destroy(&frames);
}

/* Grey levels of a pattern of 20 px. */
static double pattern_at(double x, double y) {
    const double period = 2 * acos(-1) / 20;
    return 128 + 40 * sin(period * x) * sin(period * y) + 30 * sin(period * (2 * x + y)) + 15 * sin(period * (3 * y - x));
}

/* In windows a pattern is as right one period away. */
static void test_repetition_in_windows(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    endo_transform truth = turned_by(0, 170, 0);
    test_random r = {7};
    for (int i = 0; i < AREA; i++) {
        first[i] = (uint8_t)(pattern_at(i % WIDTH, i / WIDTH) + 8 * test_unit(&r));
        second[i] = (uint8_t)(pattern_at(i % WIDTH + 170, i / WIDTH) + 8 * test_unit(&r));
    }
    CHECK(in_windows(frames, &truth, ENDO_TRANSFORM_TRANSLATION).status != ENDO_PAIR_OK);
    endo_frames_destroy(&frames);
}

/* A scene that repeats itself fits in many places: none of them is believed, and spectra are not asked for one. */
static void test_repetition(endo_context *context) {
    endo_frames *frames = frames_of(context, NULL, 0);
    const double period = 2 * acos(-1) / 40;
    for (int i = 0; i < AREA; i++)
        for (int k = 0; k < 2; k++) {
            double x = period * (i % WIDTH + (k ? 150 : 0)), y = period * (i / WIDTH + (k ? 30 : 0));
            double grey = 128 + 30 * sin(x) * sin(y) + 20 * sin(2 * x + y) + 20 * sin(3 * y - x) + 15 * sin(4 * x + 3 * y);
            (k ? second : first)[i] = (uint8_t)(grey + 0.5);
        }
    endo_pair_result r = find_lost(frames, 1, ENDO_PAIR_JUMP);
    CHECK(r.status == ENDO_PAIR_JUMP && r.transform.matrix[2] == 0 && r.transform.matrix[5] == 0);
    endo_frames_destroy(&frames);
}

int main(void) {
    test_plane_of_a_wave();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_overlaps(context);
        test_position(context);
        test_nothing(context);
        test_what_counts(context);
        test_pairs(context);
        test_which(context);
        test_spectra(context);
        test_repetition(context);
        test_windows(context);
        test_size_of_windows(context);
        test_deviation_over_the_frame(context);
        test_rows_across_long_frames(context);
        test_windows_are_cut_again(context);
        test_repetition_in_windows(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_start_search");
}
