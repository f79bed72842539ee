/* Two motions in one pair: frames of one scene before another, each moved by a map of its own, of which the samples are exact.
 * Both motions are found, and where each is seen; one motion is not taken for two. The same on every back end. */
#include "systems/pairs/pair_layers.h"

#include "backends.h"
#include "refuses.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 240, HEIGHT = 180, AREA = WIDTH * HEIGHT };

static uint8_t first[AREA], second[AREA];

/* ----------------------------------------------------------------------- pairs */

typedef enum region_shape { SIDE, DISC, BAND } region_shape;

/* A region of one scene, before another one. */
typedef struct two_scenes {
    region_shape shape;
    double share;       /* of the reference that is in the region */
    double behind[6];   /* how the scene behind moves, current -> reference, px */
    double before[6];   /* how the region and what is seen in it move */
    int seed;
} two_scenes;

/* How deep a position of the reference lies in the region, px; less than 0: outside. */
static double depth_in(const two_scenes *s, double x, double y) {
    double radius = sqrt(s->share * AREA / 3.14159265358979323846);
    if (s->shape == SIDE) return s->share * WIDTH - (x + 0.5);
    if (s->shape == BAND) return s->share * HEIGHT / 2 - fabs(y - (HEIGHT - 1) / 2.0);
    return radius - hypot(x - (WIDTH - 1) / 2.0, y - (HEIGHT - 1) / 2.0);
}

static void draw(const two_scenes *s) {
    static uint8_t behind[2][AREA], before[2][AREA];
    test_scene back, front;
    test_scene_init(&back, (uint64_t)s->seed);
    test_scene_init(&front, (uint64_t)s->seed + 1000);
    test_scene_render(&back, endo_transform_still.matrix, WIDTH, HEIGHT, behind[0]);
    test_scene_render(&back, s->behind, WIDTH, HEIGHT, behind[1]);
    test_scene_render(&front, endo_transform_still.matrix, WIDTH, HEIGHT, before[0]);
    test_scene_render(&front, s->before, WIDTH, HEIGHT, before[1]);
    for (int i = 0; i < AREA; i++) {
        double x, y;
        endo_affine_apply(s->before, i % WIDTH, i / WIDTH, &x, &y);
        first[i] = depth_in(s, i % WIDTH, i / WIDTH) > 0 ? before[0][i] : behind[0][i];
        second[i] = depth_in(s, x, y) > 0 ? before[1][i] : behind[1][i];
    }
}

static endo_frames *frames_of(endo_context *context) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH;
    o.height = HEIGHT;
    o.capacity = 2;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

static endo_pairs_options best(endo_transform_class kind) {
    endo_pairs_options o = endo_pairs_options_default();
    o.method = ENDO_METHOD_BEST;
    o.transform = kind;
    return o;
}

static void put(endo_frames *frames) {
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
}

/* A pair, and what was found in it. */
typedef struct answer {
    endo_pair_result result;
    endo_pair_layers layers;
} answer;

/* is_back: the second frame is the reference. */
static answer separate(endo_frames *frames, int is_back, endo_transform_class kind) {
    endo_pairs_options o = best(kind);
    endo_pair pair = {is_back, !is_back};
    answer a;
    memset(&a, 0, sizeof a);
    put(frames);
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &a.result) == ENDO_OK);
    CHECK(endo_pairs_separate(frames, &pair, 1, &o, &a.result, &a.layers) == ENDO_OK);
    return a;
}

/* ------------------------------------------------------------------------ truth */

/* Root mean square over the corners, px. */
static double distance(const double a[6], const double b[6]) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = i % 2 * (WIDTH - 1);
        double y = i / 2 * (HEIGHT - 1);
        double u, v, p, q;
        endo_affine_apply(a, x, y, &u, &v);
        endo_affine_apply(b, x, y, &p, &q);
        sum += (u - p) * (u - p) + (v - q) * (v - q);
    }
    return sqrt(sum / 4);
}

/* How a motion goes from the current frame of a pair to its reference. */
static void motion_of(const double m[6], int is_back, double out[6]) {
    memcpy(out, m, 6 * sizeof *out);
    if (is_back) CHECK(endo_affine_invert(m, out));
}

/* How deep a position of the reference lies in the region. */
static double depth_at(const two_scenes *s, int is_back, double x, double y) {
    if (is_back) endo_affine_apply(s->before, x, y, &x, &y);
    return depth_in(s, x, y);
}

static int is_in_frame(double x, double y) { return x >= 0 && x <= WIDTH - 1 && y >= 0 && y <= HEIGHT - 1; }

/* Share of the cells that say rightly which motion is seen there; those are left out that lie next to the border, and what only
 * one of the frames shows. first_is_before: cells 1 are those of the region. */
static double right_cells(const two_scenes *s, int is_back, const endo_pair_layers *layers, int first_is_before) {
    const double margin = 1.2 * WIDTH / layers->columns;
    double maps[2][6];
    double right = 0;
    double all = 0;
    motion_of(s->behind, !is_back, maps[0]);
    motion_of(s->before, !is_back, maps[1]);
    for (int c = 0; c < layers->columns * layers->rows; c++) {
        double x = (c % layers->columns + 0.5) * WIDTH / layers->columns - 0.5;
        double y = (c / layers->columns + 0.5) * HEIGHT / layers->rows - 0.5;
        double depth = depth_at(s, is_back, x, y);
        double u, v;
        endo_affine_apply(maps[depth > 0], x, y, &u, &v);
        int is_hidden = depth <= 0 && depth_at(s, !is_back, u, v) > -margin;
        if (fabs(depth) < margin || is_hidden || !is_in_frame(u, v)) continue;
        all++;
        right += layers->cells[c] == ((depth > 0) == first_is_before ? 1 : 2);
    }
    CHECK(all >= 15);
    return right / all;
}

/* Both motions are found, whichever of them was registered. */
static void check_two(const two_scenes *s, int is_back, const answer *a) {
    const double *found = a->result.transform.matrix;
    const double *other = a->layers.second.transform.matrix;
    double behind[6], before[6];
    motion_of(s->behind, is_back, behind);
    motion_of(s->before, is_back, before);
    int first_is_before = distance(found, before) < distance(found, behind);
    int before_failures = check_failures;
    CHECK(a->layers.count == 2 && a->layers.columns == ENDO_LAYER_ACROSS && a->layers.rows == 10);
    if (a->layers.count == 2) {
        CHECK_NEAR(distance(found, first_is_before ? before : behind), 0, 0.05);
        CHECK_NEAR(distance(other, first_is_before ? behind : before), 0, 0.05);
        CHECK(a->result.status == ENDO_PAIR_OK && a->layers.second.status == ENDO_PAIR_OK);
        CHECK(a->result.deviation < 0.1 && a->layers.second.deviation < 0.1);
        CHECK(right_cells(s, is_back, &a->layers, first_is_before) >= 0.9);
    }
    if (check_failures > before_failures) printf("     seed %d, %s\n", s->seed, is_back ? "back" : "forth");
}

/* One motion, and cells that go with it or say nothing: so many of them go. */
static void check_one(const answer *a, const double motion[6], double least) {
    int going = 0;
    int others = 0;
    int cells = a->layers.columns * a->layers.rows;
    for (int c = 0; c < cells; c++) {
        going += a->layers.cells[c] == 1;
        others += a->layers.cells[c] > 1;
    }
    CHECK(a->layers.count == 1 && others == 0 && going >= least * cells);
    CHECK_NEAR(distance(a->result.transform.matrix, motion), 0, 0.05);
}

/* ------------------------------------------------------------------- two motions */

#define STILL {1, 0, 0, 0, 1, 0}
#define BY(x, y) {1, 0, x, 0, 1, y}

/* From 2 to 40 px apart, a quarter to six tenths of the frame, one of them still or none. */
static const two_scenes some[] = {
    {SIDE, 0.25, BY(7, -3), STILL, 1},        {SIDE, 0.4, STILL, BY(-5, 6), 2},     {SIDE, 0.6, BY(4, 2), BY(-6, -4), 3},
    {DISC, 0.3, BY(-9, 2), STILL, 4},         {DISC, 0.4, BY(1.5, 1), BY(0, -0.5), 5}, {DISC, 0.55, STILL, BY(4.3, -6.4), 6},
    {BAND, 0.3, BY(16, 3), BY(-2, 0), 7},     {BAND, 0.45, BY(20, 1), BY(-20, 0), 8}, {BAND, 0.6, STILL, BY(2.4, 0.3), 9},
    {SIDE, 0.5, BY(-23, 0), STILL, 10},       {DISC, 0.25, STILL, BY(11, 13), 11},
};

/* Turns and zooms, the region, the scene behind it, or both. */
static const two_scenes turned[] = {
    {DISC, 0.4, STILL, {0.9962, -0.0872, 6, 0.0872, 0.9962, -9}, 12},
    {SIDE, 0.45, {1.0194, -0.0356, 3, 0.0356, 1.0194, -6}, STILL, 13},
    {BAND, 0.4, {0.9994, 0.0349, -7, -0.0349, 0.9994, 2}, {0.9890, -0.0345, 5, 0.0345, 0.9890, 0}, 14},
};

enum {
    SOME = sizeof some / sizeof *some,
    TURNED = sizeof turned / sizeof *turned,
    ANSWERS = 2 * SOME + 2 * TURNED
};

/* What the reference finds: every instruction set does, too. The best one is asked for all, the others for some. */
static void test_two_motions(endo_frames *frames, int backend) {
    static answer expected[ANSWERS];
    for (int i = 0; i < ANSWERS; i++) {
        const two_scenes *s = i < 2 * SOME ? &some[i / 2] : &turned[i / 2 - SOME];
        if (backend != 1 && i % 5 != 0) continue;
        draw(s);
        answer a = separate(frames, i % 2, ENDO_TRANSFORM_AUTO);
        check_two(s, i % 2, &a);
        if (backend == 0) expected[i] = a;
        if (i % 5 == 0) CHECK(!memcmp(&expected[i], &a, sizeof a));
    }
}

/* Each is of the class that is asked for. */
static void test_classes(endo_frames *frames) {
    static const endo_transform_class kinds[] = {ENDO_TRANSFORM_TRANSLATION, ENDO_TRANSFORM_RIGID, ENDO_TRANSFORM_SIMILARITY,
                                                 ENDO_TRANSFORM_AFFINE};
    for (int i = 0; i < 4; i++) {
        draw(&some[3]);
        answer a = separate(frames, 0, kinds[i]);
        check_two(&some[3], 0, &a);
        CHECK(a.result.transform.kind == kinds[i] && a.layers.second.transform.kind == kinds[i]);
    }
}

/* Homographies are left as they are. */
static void test_homographies(endo_frames *frames) {
    endo_pairs_options o = best(ENDO_TRANSFORM_HOMOGRAPHY);
    const endo_pair pair = {0, 1};
    endo_pair_layers layers;
    endo_pair_result result, before;
    draw(&some[2]);
    put(frames);
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &result) == ENDO_OK);
    result.transform.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    before = result;
    CHECK(endo_pairs_separate(frames, &pair, 1, &o, &result, &layers) == ENDO_OK);
    CHECK(layers.count == 1 && all_bytes(layers.cells, sizeof layers.cells, 0) && !memcmp(&before, &result, sizeof result));
}

/* --------------------------------------------------------------------- one motion */

static void test_one_motion(endo_frames *frames) {
    static const double motions[][6] = {STILL, BY(5.3, -3.6), {1.0194, -0.0356, 3, 0.0356, 1.0194, -6},
                                        {1.02, 0.01, -4, 0.015, 0.99, 3}};
    for (int i = 0; i < 4; i++) {
        test_scene scene;
        test_scene_init(&scene, (uint64_t)i + 40);
        test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, first);
        test_scene_render(&scene, motions[i], WIDTH, HEIGHT, second);
        answer a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
        check_one(&a, motions[i], 0.9);
        CHECK(a.layers.columns == 14 && a.layers.rows == 10 && a.result.status == ENDO_PAIR_OK);
        CHECK(all_bytes(&a.layers.second, sizeof a.layers.second, 0));
    }
}

/* Stripes do not say where they lie along themselves: they vouch for no motion. */
static void test_stripes_do_not_vouch(endo_frames *frames) {
    const double moved[6] = BY(3, 2);
    test_scene scene;
    test_scene_init(&scene, 45);
    test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, first);
    test_scene_render(&scene, moved, WIDTH, HEIGHT, second);
    for (int i = 0; i < AREA; i++) {
        if (i % WIDTH < 140) continue;
        first[i] = (uint8_t)(128.5 + 90 * sin(0.4 * (i % WIDTH)));
        second[i] = (uint8_t)(128.5 + 90 * sin(0.4 * (i % WIDTH + 3)));
    }
    answer a = separate(frames, 0, ENDO_TRANSFORM_TRANSLATION);
    check_one(&a, moved, 0.4);
    for (int c = 0; c < a.layers.columns * a.layers.rows; c++)
        if (c % a.layers.columns > 9) CHECK(a.layers.cells[c] == 0);
}

/* Motions that lie less than a pixel apart are one, and those two and a half apart are two. */
static void test_close_motions(endo_frames *frames) {
    for (int i = 0; i < 4; i++) {
        two_scenes s = {DISC, 0.4, BY(2, -3), {1, 0, 2.8, 0, 1, -3}, 50 + i};
        draw(&s);
        answer a = separate(frames, 0, ENDO_TRANSFORM_TRANSLATION);
        int n = a.layers.columns * a.layers.rows;
        CHECK(a.layers.count == 1);
        for (int c = 0; c < n; c++) CHECK(a.layers.cells[c] <= 1);
        s.before[2] = 4.6;
        draw(&s);
        a = separate(frames, 0, ENDO_TRANSFORM_TRANSLATION);
        check_two(&s, 0, &a);
    }
}

/* A small part of the frame is no layer, and nor is one that does not go with any motion. */
static void test_parts_that_are_no_layer(endo_frames *frames) {
    test_random r = {99};
    two_scenes s = {DISC, 0.07, BY(4, 1), BY(-3, 2), 60};
    draw(&s);
    answer a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
    check_one(&a, s.behind, 0.7);
    s.share = 0.3;
    draw(&s);
    for (int i = 0; i < AREA; i++) {
        if (depth_in(&s, i % WIDTH, i / WIDTH) > 0) first[i] = (uint8_t)test_between(&r, 0, 255);
        if (depth_in(&s, i % WIDTH, i / WIDTH) > 0) second[i] = (uint8_t)test_between(&r, 0, 255);
    }
    a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
    check_one(&a, s.behind, 0.4);
    CHECK(a.layers.cells[5 * 14 + 7] == 0 && a.layers.cells[5 * 14 + 6] == 0);
}

/* Where nothing was registered, nothing is told apart. */
static void test_what_is_lost(endo_frames *frames) {
    test_scene scene;
    test_scene_init(&scene, 70);
    test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, first);
    test_scene_init(&scene, 71);
    test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, second);
    answer a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
    CHECK(a.result.status == ENDO_PAIR_JUMP && a.layers.count == 1);
    memset(first, 90, AREA);
    memset(second, 90, AREA);
    a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
    CHECK(a.result.status == ENDO_PAIR_NO_TEXTURE && a.layers.count == 1 && all_bytes(a.layers.cells, ENDO_LAYER_CELLS, 0));
}

/* A pair that was called lost is left so, whatever is seen. */
static void test_pairs_that_are_called_lost(endo_frames *frames) {
    static const int lost[] = {ENDO_PAIR_JUMP, ENDO_PAIR_NO_TEXTURE};
    endo_pairs_options o = best(ENDO_TRANSFORM_AUTO);
    const endo_pair pair = {0, 1};
    draw(&some[1]);
    for (int i = 0; i < 2; i++) {
        answer a = separate(frames, 0, ENDO_TRANSFORM_AUTO);
        a.result.status = lost[i];
        endo_pair_result before = a.result;
        CHECK(endo_pairs_separate(frames, &pair, 1, &o, &a.result, &a.layers) == ENDO_OK);
        CHECK(a.layers.count == 1 && !memcmp(&before, &a.result, sizeof before));
    }
}

/* ---------------------------------------------------------------------- many pairs */

/* More than are looked at with one call, of one motion and of two by turns: each as it is alone. */
static void test_many_pairs(endo_frames *frames) {
    enum { MANY = 131 };
    static endo_pair pairs[MANY];
    static endo_transform maps[MANY];
    static endo_layers layers[MANY];
    endo_layers alone[2];
    draw(&some[4]);
    put(frames);
    for (int i = 0; i < MANY; i++) {
        pairs[i] = (endo_pair){0, i % 3 == 0};
        maps[i] = endo_transform_still;
        if (i % 3 == 0) maps[i] = endo_transform_make(ENDO_TRANSFORM_TRANSLATION, (const double[6])BY(-1.5, -1));
    }
    memset(alone, 0, sizeof alone);
    memset(layers, 0, sizeof layers);
    for (int i = 0; i < 2; i++) CHECK(endo_layers_find(frames, &pairs[i], &maps[i], 1, &alone[i]) == ENDO_OK);
    CHECK(alone[0].count == 2 && alone[1].count == 1);
    CHECK(endo_layers_find(frames, pairs, maps, MANY, layers) == ENDO_OK);
    for (int i = 0; i < MANY; i++) CHECK(!memcmp(&layers[i], &alone[i % 3 > 0], sizeof *layers));
}

/* ------------------------------------------------------------------ a motion alone */

/* Cells 2 where the region is, but for the border. */
static endo_pair_layers cells_of(const two_scenes *s) {
    endo_pair_layers layers;
    memset(&layers, 0, sizeof layers);
    layers.count = 1;
    layers.columns = 14;
    layers.rows = 10;
    for (int c = 0; c < layers.columns * layers.rows; c++) {
        double x = (c % layers.columns + 0.5) * WIDTH / layers.columns - 0.5;
        double y = (c / layers.columns + 0.5) * HEIGHT / layers.rows - 0.5;
        layers.cells[c] = depth_in(s, x, y) > 8 ? 2 : 1;
    }
    return layers;
}

static endo_pair_result register_layer(endo_frames *frames, const endo_transform *start, const endo_pair_layers *layers) {
    const endo_pair pair = {0, 1};
    endo_pairs_options o = best(ENDO_TRANSFORM_AUTO);
    endo_pair_result r;
    memset(&r, 0, sizeof r);
    r.landmarks = 77;
    r.found = 66;
    put(frames);
    CHECK(endo_pairs_register_layer(frames, &pair, start, layers, 1, &o, &r) == ENDO_OK);
    CHECK(r.landmarks == 77 && r.found == 66);
    return r;
}

static const int asked[] = {1, 3, 5, 6, 10};

static void test_a_motion_is_found_from_nearby(endo_frames *frames) {
    for (int i = 0; i < 5; i++) {
        const two_scenes *s = &some[asked[i]];
        endo_pair_layers layers = cells_of(s);
        endo_transform start = endo_transform_make(ENDO_TRANSFORM_TRANSLATION, s->before);
        start.matrix[2] += i % 2 ? 3 : -2;
        start.matrix[5] += i % 2 ? 0 : 2;
        draw(s);
        endo_pair_result r = register_layer(frames, &start, &layers);
        CHECK(r.status == ENDO_PAIR_OK && r.deviation < 0.1);
        CHECK_NEAR(distance(r.transform.matrix, s->before), 0, 0.05);
    }
}

/* Patches reach beyond their cells, those of the furthest level by up to 60 px. Further away a frame may show anything. */
static void test_nothing_else_counts(endo_frames *frames) {
    const two_scenes s = {SIDE, 0.7, BY(9, 4), BY(-4, 3), 80};
    endo_pair_layers layers = cells_of(&s);
    endo_transform start = endo_transform_make(ENDO_TRANSFORM_TRANSLATION, (const double[6])BY(-5, 1));
    endo_pair_result seen[3];
    test_random r = {5};
    for (int c = 0; c < layers.columns * layers.rows; c++) layers.cells[c] = c % layers.columns < 4 ? 2 : c % 2;
    for (int kind = 0; kind < 3; kind++) {
        draw(&s);
        for (int i = 0; i < AREA && kind > 0; i++) {
            if (i % WIDTH < 140) continue;
            first[i] = (uint8_t)(kind == 1 ? test_between(&r, 0, 255) : 255 * (i % 7 > 3));
            second[i] = (uint8_t)(kind == 1 ? test_between(&r, 0, 255) : 255 * (i % 5 > 1));
        }
        seen[kind] = register_layer(frames, &start, &layers);
    }
    CHECK_NEAR(distance(seen[0].transform.matrix, s.before), 0, 0.05);
    CHECK(seen[0].status == ENDO_PAIR_OK);
    CHECK(!memcmp(&seen[0], &seen[1], sizeof *seen) && !memcmp(&seen[0], &seen[2], sizeof *seen));
}

/* Another scene in the cells, which at most is mistaken for a motion of which little is known; or no cells. */
static void test_a_motion_that_is_not_there(endo_frames *frames) {
    endo_pair_layers layers;
    int lost = 0;
    for (int i = 0; i < 2 * SOME; i++) {
        test_scene scene;
        layers = cells_of(&some[i % SOME]);
        draw(&some[i % SOME]);
        test_scene_init(&scene, (uint64_t)i + 90);
        test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, second);
        endo_pair_result r = register_layer(frames, &endo_transform_still, &layers);
        CHECK(r.status == ENDO_PAIR_JUMP ? isnan(r.deviation) : r.status == ENDO_PAIR_FEW_LANDMARKS && r.deviation > 1);
        lost += r.status == ENDO_PAIR_JUMP;
    }
    CHECK(lost >= 2 * SOME - 2);
    draw(&some[3]);
    memset(layers.cells, 1, sizeof layers.cells);
    endo_pair_result r = register_layer(frames, &endo_transform_still, &layers);
    CHECK(r.status == ENDO_PAIR_JUMP && isnan(r.deviation));
}

/* ------------------------------------------------------------------------ refusals */

static void test_refusals(endo_frames *frames) {
    const endo_pair pair = {0, 1};
    const endo_pair beyond = {0, 2};
    const int wrong[][2] = {{0, 5}, {5, 0}, {-1, 4}, {17, 16}, {257, 1}, {65536, 65536}};
    endo_pairs_options o = best(ENDO_TRANSFORM_AUTO);
    endo_pairs_options paper = o;
    endo_transform start = endo_transform_still;
    endo_transform oblique = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 0, 0, 1, 0, 1e-4, 0, 1}};
    endo_pair_layers layers = cells_of(&some[0]);
    endo_pair_layers bad = layers;
    endo_pair_result r;
    paper.method = ENDO_METHOD_PAPER;
    paper.transform = ENDO_TRANSFORM_AFFINE;
    memset(&r, 0x5a, sizeof r);
    REFUSES_WITH(endo_pairs_separate(frames, &pair, 1, &paper, &r, &layers), ENDO_ERR_UNSUPPORTED, "BEST");
    REFUSES_WITH(endo_pairs_register_layer(frames, &pair, &start, &layers, 1, &paper, &r), ENDO_ERR_UNSUPPORTED, "BEST");
    REFUSES(endo_pairs_separate(NULL, &pair, 1, &o, &r, &layers), "NULL");
    REFUSES(endo_pairs_separate(frames, NULL, 1, &o, &r, &layers), "NULL");
    REFUSES(endo_pairs_separate(frames, &pair, 1, NULL, &r, &layers), "options is NULL");
    REFUSES(endo_pairs_separate(frames, &pair, 1, &o, NULL, &layers), "NULL");
    REFUSES(endo_pairs_separate(frames, &pair, 1, &o, &r, NULL), "layers is NULL");
    REFUSES(endo_pairs_separate(frames, &beyond, 1, &o, &r, &layers), "2");
    REFUSES(endo_pairs_register_layer(frames, &pair, NULL, &layers, 1, &o, &r), "starts is NULL");
    REFUSES(endo_pairs_register_layer(frames, &pair, &start, NULL, 1, &o, &r), "layers is NULL");
    REFUSES(endo_pairs_register_layer(frames, &pair, &start, &layers, 1, NULL, &r), "options is NULL");
    CHECK(endo_pairs_register_layer(frames, &pair, &oblique, &layers, 1, &o, &r) != ENDO_OK);
    for (int i = 0; i < 6; i++) {
        bad.columns = wrong[i][0];
        bad.rows = wrong[i][1];
        REFUSES(endo_pairs_register_layer(frames, &pair, &start, &bad, 1, &o, &r), "cells");
    }
    CHECK(all_bytes(&r, sizeof r, 0x5a));
    CHECK(endo_pairs_separate(frames, NULL, 0, &o, NULL, NULL) == ENDO_OK);
    CHECK(endo_pairs_register_layer(frames, NULL, NULL, NULL, 0, &o, NULL) == ENDO_OK);
}

/* ------------------------------------------------------------------------- cancels */

static int asked_often, stops_at;

static int stop(void *user) {
    (void)user;
    return ++asked_often >= stops_at;
}

/* Whenever it comes, nothing has changed. */
static void test_cancels(endo_context *context, endo_frames *frames) {
    const endo_pair pair = {0, 1};
    endo_pairs_options o = best(ENDO_TRANSFORM_AUTO);
    endo_pair_layers layers = cells_of(&some[1]);
    endo_pair_layers found;
    endo_pair_result r, before;
    endo_status status = ENDO_CANCELLED;
    draw(&some[1]);
    put(frames);
    CHECK(endo_pairs_register(frames, &pair, 1, &o, &before) == ENDO_OK);
    endo_context_set_cancel(context, stop, NULL);
    for (stops_at = 1; status == ENDO_CANCELLED && stops_at < 1000; stops_at += stops_at < 3 ? 1 : 5) {
        r = before;
        asked_often = 0;
        status = endo_pairs_separate(frames, &pair, 1, &o, &r, &found);
        if (status == ENDO_CANCELLED) CHECK(!memcmp(&r, &before, sizeof r));
    }
    CHECK(status == ENDO_OK && found.count == 2 && stops_at > 5);
    stops_at = 1;
    asked_often = 0;
    r = before;
    const endo_pair itself = {0, 0};
    r.transform = endo_transform_still;
    CHECK(endo_pairs_separate(frames, &itself, 1, &o, &r, &found) == ENDO_CANCELLED);
    r = before;
    asked_often = 0;
    CHECK(endo_pairs_register_layer(frames, &pair, &endo_transform_still, &layers, 1, &o, &r) == ENDO_CANCELLED);
    CHECK(!memcmp(&r, &before, sizeof r));
    endo_context_set_cancel(context, NULL, NULL);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        endo_frames *frames = frames_of(context);
        test_two_motions(frames, i);
        test_a_motion_is_found_from_nearby(frames);
        if (i == 1) {
            test_classes(frames);
            test_homographies(frames);
            test_one_motion(frames);
            test_stripes_do_not_vouch(frames);
            test_close_motions(frames);
            test_parts_that_are_no_layer(frames);
            test_what_is_lost(frames);
            test_pairs_that_are_called_lost(frames);
            test_many_pairs(frames);
            test_nothing_else_counts(frames);
            test_a_motion_that_is_not_there(frames);
            test_refusals(frames);
            test_cancels(context, frames);
        }
        endo_frames_destroy(&frames);
        endo_context_destroy(&context);
    }
    return check_summary("test_pair_layers");
}
