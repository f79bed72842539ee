/* Registration of pairs by what must come out of it ([S] sections 2.5 and 3.3.1): where landmarks lie, what the second
 * attempt is for, what starts the searches, and the quality by counting. */
#include "systems/pairs/pair_starts.h"
#include "backends.h"
#include "correlation.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 240, HEIGHT = 192, AREA = WIDTH * HEIGHT };

static uint8_t first[AREA], second[AREA];

static endo_frames *frames_of(endo_context *context, int iir, int flow) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.iir = iir, o.flow = flow;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

static void put(endo_frames *frames) {
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
}

static endo_pair_result register_with(endo_frames *frames, const endo_pairs_options *options) {
    endo_pair pair = {0, 1};
    endo_pair_result r;
    memset(&r, 0x5a, sizeof r);
    CHECK(endo_pairs_register(frames, &pair, 1, options, &r) == ENDO_OK);
    return r;
}

/* --------------------------------------------------------------- landmarks */

static void test_template_side(void) {
    CHECK(endo_pairs_template_side(1) == 15 && endo_pairs_template_side(400) == 15);
    CHECK(endo_pairs_template_side(401) == 31 && endo_pairs_template_side(800) == 31);
    CHECK(endo_pairs_template_side(801) == 45 && endo_pairs_template_side(32767) == 45);
}

/* A single bright pixel is texture to those templates alone that hold it: so the places of the landmarks can be read
 * off. n x n of them, each in the middle of its cell of the box where a template of 31 fits. */
static void test_places(endo_context *context) {
    endo_frames *frames = frames_of(context, 4, 0);
    endo_pairs_options o = endo_pairs_options_default();
    o.initial = ENDO_INITIAL_NONE, o.landmarks = 3, o.template_side = 31, o.quality = 0;
    double left = 15, top = 15, cell_x = (WIDTH - 1 - 15 - left) / 3, cell_y = (HEIGHT - 1 - 15 - top) / 3;
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y += 3)
        for (int x = 0; x < WIDTH; x += 7) {
            int expected = 0;
            for (int i = 0; i < 9; i++) {
                int u = (int)(left + (i % 3 + 0.5) * cell_x), v = (int)(top + (i / 3 + 0.5) * cell_y);
                expected += x >= u - 15 && x <= u + 15 && y >= v - 15 && y <= v + 15;
            }
            memset(first, 50, AREA);
            memset(second, 50, AREA);
            first[y * WIDTH + x] = 200;
            put(frames);
            wrong += register_with(frames, &o).landmarks != expected;
        }
    CHECK(wrong == 0);
    endo_frames_destroy(&frames);
}

/* ----------------------------------------------------------- second attempt */

static uint8_t level(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5); }

/* A fine texture that has moved by (2, -1), on a slope of brightness that has risen by 40 levels: to the flow, which
 * has no smoothing to help it, as if the slope had moved by 60 px; to coefficients no difference. */
static void draw_risen_slope(void) {
    test_random r = {3};
    static double noise[AREA];
    for (int i = 0; i < AREA; i++) noise[i] = 40 * (test_unit(&r) - 0.5);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double texture[2];
            for (int k = 0; k < 2; k++) {
                int u = x - 2 * k, v = y + k;
                texture[k] = 0;
                for (int i = 0; i < 9; i++) {
                    int a = (u + i % 3 - 1 + WIDTH) % WIDTH, b = (v + i / 3 - 1 + HEIGHT) % HEIGHT;
                    texture[k] += noise[b * WIDTH + a] / 4;
                }
            }
            first[y * WIDTH + x] = level(30 + 0.65 * x + texture[0]);
            second[y * WIDTH + x] = level(70 + 0.65 * x + texture[1]);
        }
}

static void test_second_attempt(endo_context *context) {
    endo_frames *frames = frames_of(context, 0, 1);
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pair = {0, 1};
    endo_flow_result flow;
    draw_risen_slope();
    put(frames);
    CHECK(endo_flow_estimate(frames, &pair, 1, ENDO_TRANSFORM_AFFINE, &flow) == ENDO_OK);
    CHECK(flow.pixels > 0 && fabs(flow.transform.matrix[2]) > 25); /* it is misled: else this says nothing */
    o.initial = ENDO_INITIAL_NONE;
    endo_pair_result still = register_with(frames, &o);
    o.initial = ENDO_INITIAL_FLOW;
    endo_pair_result r = register_with(frames, &o);
    CHECK(still.status == ENDO_PAIR_OK && r.status == ENDO_PAIR_OK);
    CHECK_NEAR(r.transform.matrix[2], -2, 0.3);
    CHECK_NEAR(r.transform.matrix[5], 1, 0.3);
    CHECK(!memcmp(&r.transform, &still.transform, sizeof r.transform) && r.used == still.used && r.found == still.found);
    CHECK(r.computed > still.computed && r.reused > still.reused); /* what the first one took is counted, too */
    CHECK(r.flow_pixels == (int32_t)flow.pixels && still.flow_pixels == 0); /* the flow was computed, whoever won */
    CHECK(r.quality == still.quality);
    endo_frames_destroy(&frames);
}

/* A pair that no attempt can register keeps the better attempt and its numbers; a black one gets no second attempt. */
static void test_hopeless(endo_context *context) {
    endo_frames *frames = frames_of(context, 4, 1);
    endo_pairs_options o = endo_pairs_options_default();
    test_random r = {8};
    for (int i = 0; i < AREA; i++) first[i] = (uint8_t)test_next(&r), second[i] = (uint8_t)test_next(&r);
    put(frames);
    endo_pair_result noise = register_with(frames, &o);
    CHECK(noise.status != ENDO_PAIR_OK && noise.landmarks == 64);
    memset(first, 9, AREA);
    put(frames);
    endo_pair_result black = register_with(frames, &o);
    CHECK(black.status == ENDO_PAIR_NO_TEXTURE && black.landmarks == 0 && black.computed == 0 && isnan(black.mean_coefficient));
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------- landmarks that are kept */

enum { SIDE = 6, ROOM = SIDE * SIDE };

/* Five pairs of which two need a second attempt: the same results with and without, each with its own landmarks, which
 * are the used ones' fit; where no search ended there are none, and what is not filled is zero. */
static void test_kept_landmarks(endo_context *context) {
    static endo_landmark marks[5 * ROOM];
    endo_frames *frames = frames_of(context, 0, 1);
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pairs[5] = {{0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}};
    endo_pair_result plain[5], r[5];
    int32_t counts[5];
    const endo_landmark none = {0};
    draw_risen_slope();
    put(frames);
    o.landmarks = SIDE;
    memset(marks, 0x5a, sizeof marks);
    CHECK(endo_pairs_register(frames, pairs, 5, &o, plain) == ENDO_OK);
    CHECK(endo_pairs_register_landmarks(frames, pairs, 5, &o, r, marks, counts) == ENDO_OK);
    CHECK(!memcmp(plain, r, sizeof r));
    for (int i = 0; i < 5; i++) {
        int used = 0;
        CHECK(r[i].status == ENDO_PAIR_OK && counts[i] >= r[i].found && counts[i] <= ROOM);
        for (int k = 0; k < ROOM; k++) {
            const endo_landmark *mark = &marks[i * ROOM + k];
            double back[2], current[2] = {mark->current_x, mark->current_y};
            used += mark->used;
            if (k >= counts[i]) CHECK(!memcmp(mark, &none, sizeof none));
            if (!mark->used) continue;
            CHECK(endo_transform_apply(&r[i].transform, current, 1, back) == ENDO_OK);
            CHECK(hypot(back[0] - mark->reference_x, back[1] - mark->reference_y) < o.uthresh + 0.1);
        }
        CHECK(used == r[i].used);
    }
    CHECK(!memcmp(marks, marks + 4 * ROOM, ROOM * sizeof *marks));
    memset(first, 9, AREA);
    put(frames);
    CHECK(endo_pairs_register_landmarks(frames, pairs, 1, &o, r, marks, counts) == ENDO_OK && counts[0] == 0);
    CHECK(endo_pairs_register_landmarks(frames, pairs, 1, &o, r, NULL, counts) == ENDO_ERR_ARGUMENT);
    CHECK(endo_pairs_register_landmarks(frames, pairs, 1, &o, r, marks, NULL) == ENDO_ERR_ARGUMENT);
    CHECK(endo_pairs_register_landmarks(frames, NULL, 0, &o, NULL, NULL, NULL) == ENDO_OK);
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------------------- start */

/* 26 px to the side: further than these searches climb, but where flow, bitmaps or spectra see it at once. */
static void test_starts(endo_context *context) {
    endo_frames *frames = frames_of(context, 4, 1);
    endo_pairs_options o = endo_pairs_options_default();
    test_scene scene;
    double still[6] = {1, 0, 0, 0, 1, 0}, moved[6] = {1, 0, 26, 0, 1, -17};
    test_scene_init(&scene, 21);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    test_scene_render(&scene, moved, WIDTH, HEIGHT, second);
    put(frames);
    o.cross = 2;
    for (int initial = 0; initial < 4; initial++) {
        if (initial == ENDO_INITIAL_FOURIER && !test_has_transforms(context)) continue;
        o.initial = (endo_initial)initial;
        endo_pair_result r = register_with(frames, &o);
        CHECK((r.status == ENDO_PAIR_OK) == (initial != ENDO_INITIAL_NONE));
        if (initial == ENDO_INITIAL_NONE) continue;
        CHECK_NEAR(r.transform.matrix[2], 26, 0.2);
        CHECK_NEAR(r.transform.matrix[5], -17, 0.2);
        CHECK(r.found > 30 && (r.flow_pixels > 0) == (initial == ENDO_INITIAL_FLOW));
        if (initial == ENDO_INITIAL_FOURIER) continue;
        o.guarantee = 1; /* more than passes: so there is a second attempt, which is the worse one */
        endo_pair_result few = register_with(frames, &o);
        CHECK(few.status == ENDO_PAIR_FEW_LANDMARKS && few.found == r.found && few.computed > r.computed);
        CHECK_NEAR(few.transform.matrix[2], 26, 1);
        o.guarantee = 0.2;
    }
    endo_frames_destroy(&frames);
}

/* Bitmaps look as far as an eighth of the longer side, whichever that is: here 100 px, and no more than the 64 px that are
 * the least along the other side's. */
static void test_far_bitmaps(endo_context *context) {
    enum { LONG = 800, SHORT = 160, FAR = 85 };
    static uint8_t images[2][LONG * SHORT];
    for (int upright = 0; upright < 2; upright++) {
        endo_frames_options o = endo_frames_options_default();
        endo_pairs_options options = endo_pairs_options_default();
        endo_frames *frames = NULL;
        endo_flow_result start;
        endo_pair pair = {0, 1};
        test_scene scene;
        const double still[6] = {1, 0, 0, 0, 1, 0}, moved[6] = {1, 0, upright ? 3 : FAR, 0, 1, upright ? FAR : 3};
        o.width = upright ? SHORT : LONG;
        o.height = upright ? LONG : SHORT;
        o.capacity = 2;
        test_scene_init(&scene, 21);
        test_scene_render(&scene, still, o.width, o.height, images[0]);
        test_scene_render(&scene, moved, o.width, o.height, images[1]);
        CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
        for (int i = 0; i < 2; i++) CHECK(endo_frames_put(frames, i, images[i], o.width) == ENDO_OK);
        options.initial = ENDO_INITIAL_EXPOSURES;
        CHECK(endo_starts_find(frames, &pair, 1, &options, &start) == ENDO_OK);
        CHECK_NEAR(start.transform.matrix[2], upright ? 3 : FAR, 1);
        CHECK_NEAR(start.transform.matrix[5], upright ? FAR : 3, 1);
        endo_frames_destroy(&frames);
    }
}

static void test_given_starts(endo_context *context) {
    endo_frames *frames = frames_of(context, 4, 0);
    endo_pairs_options o = endo_pairs_options_default();
    test_scene scene;
    double still[6] = {1, 0, 0, 0, 1, 0}, moved[6] = {1, 0, 26, 0, 1, -17};
    double near_by[6] = {1, 0.001, 24.5, -0.001, 1, -16}, flat[6] = {1, 1, 26, 1, 1, -17};
    endo_pair pairs[4] = {{0, 1}, {1, 0}, {0, 1}, {0, 1}};
    endo_transform starts[4] = {endo_transform_of_affine(near_by), endo_transform_of_affine(near_by),
                                endo_transform_of_affine(flat), endo_transform_identity()};
    endo_pair_result r[4], still_found;
    test_scene_init(&scene, 21);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    test_scene_render(&scene, moved, WIDTH, HEIGHT, second);
    put(frames);
    o.cross = 2;
    memset(r, 0x5a, sizeof r);
    CHECK(endo_pairs_register_from(frames, pairs, starts, 4, &o, r) == ENDO_OK);
    CHECK(r[0].status == ENDO_PAIR_OK && r[0].found > 30 && r[0].flow_pixels == 0 && r[0].quality > 0.9);
    CHECK_NEAR(r[0].transform.matrix[2], 26, 0.2);
    CHECK_NEAR(r[0].transform.matrix[5], -17, 0.2);
    CHECK(r[0].deviation > 0 && r[0].deviation < 0.2);
    o.initial = ENDO_INITIAL_NONE;
    still_found = register_with(frames, &o);
    CHECK(r[1].status != ENDO_PAIR_OK && still_found.status != ENDO_PAIR_OK);
    CHECK(!memcmp(&r[2].transform, &still_found.transform, sizeof still_found.transform));
    CHECK(!memcmp(&r[3], &still_found, sizeof still_found)); /* from no motion there is no second attempt */
    CHECK(endo_pairs_register_from(frames, NULL, NULL, 0, &o, NULL) == ENDO_OK);
    endo_frames_destroy(&frames);
}

/* Turned by 40 degrees and magnified: what templates cannot follow is left to the spectra; another scene is not. */
static void test_turned(endo_context *context) {
    enum { ROOM = 64 };
    static endo_landmark marks[ROOM];
    static const endo_landmark none;
    endo_frames *frames = frames_of(context, 4, 1);
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair_result r, same;
    endo_pair pair = {0, 1};
    int32_t count = -1;
    test_scene scene, other;
    double still[6] = {1, 0, 0, 0, 1, 0}, turned[6] = {0.92, -0.77, 79, 0.77, 0.92, -93};
    test_scene_init(&scene, 22);
    test_scene_init(&other, 23);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    test_scene_render(&scene, turned, WIDTH, HEIGHT, second);
    put(frames);
    CHECK(register_with(frames, &o).status != ENDO_PAIR_OK);
    o.initial = ENDO_INITIAL_FOURIER;
    r = register_with(frames, &o);
    CHECK(r.status == ENDO_PAIR_FEW_LANDMARKS && r.found == 0 && r.used == 0 && r.rounds == 0);
    CHECK(r.transform.kind == ENDO_TRANSFORM_SIMILARITY);
    CHECK(r.mean_coefficient != r.mean_coefficient && r.quality > 0.9);
    for (int k = 0; k < 6; k++) CHECK_NEAR(r.transform.matrix[k], turned[k], k % 3 == 2 ? 0.1 : 1e-3);
    memset(marks, 9, sizeof marks);
    CHECK(endo_pairs_register_landmarks(frames, &pair, 1, &o, &same, marks, &count) == ENDO_OK && count == 0);
    for (int k = 0; k < ROOM; k++) CHECK(!memcmp(&marks[k], &none, sizeof none));
    o.transform = ENDO_TRANSFORM_TRANSLATION; /* of the class that is fitted */
    CHECK(register_with(frames, &o).transform.kind == ENDO_TRANSFORM_TRANSLATION);
    o.transform = ENDO_TRANSFORM_AFFINE;
    test_scene_render(&other, turned, WIDTH, HEIGHT, second);
    put(frames);
    r = register_with(frames, &o); /* of landmarks, as from no motion */
    CHECK(r.status != ENDO_PAIR_OK && r.used > 0);
    endo_frames_destroy(&frames);
}

/* ----------------------------------------------------------------- quality */

typedef struct rectangle {
    int left, top, right, bottom; /* right, bottom: beyond */
} rectangle;

/* A pixel is made of itself and its right and lower neighbours: all of them must be in the field. */
static int shows(const uint8_t *field, int u, int v) {
    if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT || !field[v * WIDTH + u]) return 0;
    int right = u + 1 < WIDTH ? u + 1 : u, below = v + 1 < HEIGHT ? v + 1 : v;
    return field[v * WIDTH + right] && field[below * WIDTH + u] && field[below * WIDTH + right];
}

static double tile(const uint8_t *field, int dx, int dy, rectangle t) {
    for (int y = t.top; y < t.bottom; y++)
        for (int x = t.left; x < t.right; x++)
            if (field[y * WIDTH + x] && shows(field, x + dx, y + dy))
                test_sample(first[y * WIDTH + x], second[(y + dy) * WIDTH + x + dx]);
    test_correlation c = test_correlate();
    int is_known = 2 * c.n >= (t.right - t.left) * (t.bottom - t.top) && c.aa >= 1e-6 && c.bb >= 1e-6;
    return is_known ? c.coefficient : NAN;
}

/* 5 x 5 templates over `box`, where reference pixel (x, y) shows the current one's (x + dx, y + dy). */
static double quality_by_definition(const uint8_t *field, int dx, int dy, rectangle box) {
    double sum = 0, count = 0;
    int width = box.right - box.left, height = box.bottom - box.top;
    for (int i = 0; i < 25; i++) {
        rectangle t = {box.left + width * (i % 5) / 5, box.top + height * (i / 5) / 5, box.left + width * (i % 5 + 1) / 5,
                       box.top + height * (i / 5 + 1) / 5};
        double c = tile(field, dx, dy, t);
        if (!isnan(c)) sum += c, count++;
    }
    return count > 0 ? sum / count : NAN;
}

static void expect_quality(endo_context *context, const uint8_t *field, int dx, int dy, rectangle box) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_pair pair = {0, 1};
    endo_transform back = {ENDO_TRANSFORM_TRANSLATION, {1, 0, -dx, 0, 1, -dy, 0, 0, 1}}; /* current -> reference */
    double q = 7;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field, o.flow = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    put(frames);
    CHECK(endo_quality_measure(frames, &pair, &back, 1, &q) == ENDO_OK);
    CHECK_NEAR(q, quality_by_definition(field, dx, dy, box), 1e-11);
    endo_frames_destroy(&frames);
}

/* Random pictures that are partly alike; a field with a corner missing, whose tiles do not count, and a flat tile. */
static void test_quality(endo_context *context) {
    static uint8_t field[AREA];
    test_random r = {12};
    memset(field, 1, AREA);
    for (int i = 0; i < AREA; i++) {
        first[i] = (uint8_t)test_next(&r);
        second[i] = (uint8_t)(test_between(&r, 0, 2) ? first[i] : test_next(&r));
        if (i % WIDTH < 60 && i / WIDTH >= 90 && i / WIDTH < 150) second[i] = 77;
    }
    expect_quality(context, field, 0, 0, (rectangle){0, 0, WIDTH, HEIGHT});
    expect_quality(context, field, 3, -2, (rectangle){0, 2, WIDTH - 3, HEIGHT});
    expect_quality(context, field, -101, 50, (rectangle){101, 0, WIDTH, HEIGHT - 50});
    for (int y = 0; y < 75; y++) memset(field + y * WIDTH, 0, (size_t)(130 - y));
    expect_quality(context, field, 0, 0, (rectangle){0, 0, WIDTH, HEIGHT});
    for (int y = 0; y < HEIGHT; y++) memset(field + y * WIDTH, y >= 20 && y < 180, WIDTH);
    expect_quality(context, field, 0, 0, (rectangle){0, 20, WIDTH, 179});
}

int main(void) {
    test_template_side();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        if (i == 1) test_places(context);
        test_second_attempt(context);
        test_hopeless(context);
        test_kept_landmarks(context);
        test_starts(context);
        test_far_bitmaps(context);
        test_given_starts(context);
        if (test_has_transforms(context)) test_turned(context);
        test_quality(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_pairs");
}
