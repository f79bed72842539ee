/* Whether a pair is believed by its evidence, at each of the bounds, and which patches have a say in it. */
#include "systems/pairs/pair_judge.h"

#include "backends.h"
#include "scene.h"

/* The evidence of a pair that is believed, just beyond every bound. */
static endo_evidence sure(void) {
    endo_evidence e = {.chance = 5.1, .still = 2.1, .coefficient = 0.9, .at_rest = 0, .common = 100, .coarse_common = 90};
    e.coarse_chance = 3.6, e.coarse_coefficient = e.coarse_middle = 0.9;
    return e;
}

static void test_bounds(void) {
    endo_evidence e = sure();
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.chance = 4.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.chance = 4.1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.chance = 3.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_NONE);
    e.chance = NAN;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_NONE);
    e = sure(), e.coarse_chance = 3.4;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = sure(), e.still = 1.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = sure(), e.coarse_coefficient = 0.74 * e.coefficient;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coarse_coefficient = 0.76 * e.coefficient;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
}

/* Where nothing moves: of what both have in common enough must be left in the further level, but in one picture. */
static void test_at_rest(void) {
    endo_evidence e = sure();
    e.still = NAN, e.coarse_common = 36;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coarse_common = 34;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coefficient = e.coarse_coefficient = 1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coefficient = 1 - 1e-8;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.coefficient = 1 - 1e-10;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
}

/* Highlights leave the coarse level without patches: single pixels alone must then be beyond every bound. */
static endo_evidence plain(void) {
    endo_evidence e = sure();
    e.coarse_chance = NAN;
    e.coefficient = 0.41;
    e.chance = 7.6;
    e.still = 6.1;
    return e;
}

static void test_without_a_coarse_level(void) {
    endo_evidence e = plain();
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coefficient = 0.39;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = plain();
    e.chance = 7.4;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = plain();
    e.still = 5.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.still = NAN;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = plain();
    e.coarse_chance = 3.4;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e = plain();
    e.is_part = 1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
}

/* A part of the frame that stands still explains what is little better than no motion, unless most patches see the same. */
static void test_part_that_stands_still(void) {
    endo_evidence e = sure();
    e.coarse_middle = 0.36;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.coarse_middle = 0.34;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.still = 5.9;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.still = 6.1;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
    e.still = NAN;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_DOUBT);
    e.still = 6.1, e.coarse_middle = NAN;
    CHECK(endo_evidence_belief(&e) == ENDO_BELIEF_SURE);
}

static void test_noisy(void) { CHECK(endo_is_noisy(0.79) && !endo_is_noisy(0.81)); }

/* 0.35 px, and relief up to as much again. */
static void test_sure_deviation(void) {
    CHECK_NEAR(endo_sure_deviation(0), 0.35, 1e-12);
    CHECK_NEAR(endo_sure_deviation(0.04), sqrt(0.35 * 0.35 + 0.04), 1e-12);
    CHECK_NEAR(endo_sure_deviation(100), sqrt(2) * 0.35, 1e-12);
}

/* ---------------------------------------------------------------- patches */

enum { WIDTH = 200, HEIGHT = 160 };

/* The evidence of one row of patches on a scene that moved to the right, px, in a field from x = 4 on. */
static endo_evidence seen(endo_context *context, int field_width, double right) {
    static uint8_t field[WIDTH * HEIGHT], first[WIDTH * HEIGHT], second[WIDTH * HEIGHT];
    const double moved[6] = {1, 0, -right, 0, 1, 0};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_evidence evidence = sure();
    endo_pair pair = {0, 1};
    endo_transform map = {ENDO_TRANSFORM_TRANSLATION, {1, 0, right, 0, 1, 0, 0, 0, 1}};
    test_scene scene;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) field[y * WIDTH + x] = y >= 57 && y < 88 && x >= 4 && x < 4 + field_width;
    test_scene_init(&scene, 3);
    test_scene_render(&scene, endo_transform_still.matrix, WIDTH, HEIGHT, first);
    test_scene_render(&scene, moved, WIDTH, HEIGHT, second);
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_pairs_weigh(frames, &pair, &map, NULL, 1, &evidence) == ENDO_OK);
    endo_frames_destroy(&frames);
    return evidence;
}

/* From one and a half pixels on a patch can tell motion from none. */
static void test_moving_patches(endo_context *context) {
    endo_evidence e = seen(context, 176, 1.4);
    CHECK(e.stirring == 0 && isnan(e.still) && e.at_rest == 0 && e.chance > 5);
    e = seen(context, 176, 1.6);
    CHECK(e.stirring == 11 && e.still > 2 && e.at_rest > 0.5 && e.chance > 5);
}

/* Patches lie 16.7 px apart: five of them tell nothing, six do. */
static void test_few_patches(endo_context *context) {
    endo_evidence e = seen(context, 84, 3);
    CHECK(e.stirring == 5 && isnan(e.still) && isnan(e.chance) && e.at_rest == 0);
    e = seen(context, 100, 3);
    CHECK(e.stirring == 6 && e.still > 2 && e.at_rest > 0.5);
}

int main(void) {
    endo_context *context = test_open(1);
    test_moving_patches(context);
    test_few_patches(context);
    endo_context_destroy(&context);
    test_bounds();
    test_noisy();
    test_sure_deviation();
    test_at_rest();
    test_without_a_coarse_level();
    test_part_that_stands_still();
    return check_summary("test_pair_judge");
}
