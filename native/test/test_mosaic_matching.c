/* Which pairs are good enough to go on with, which are remembered, and what a list of pairs is asked for and believed. */
#include "systems/mosaic/frame_matcher.h"
#include "systems/mosaic/guided_pairs.h"
#include "systems/mosaic/plausibility.h"
#include "matching_rig.h"
#include "memory_allocator.h"

/* ----------------------------------------------------------------- plausibility */

static plausibility first_three(double one, double other, double third) {
    plausibility p = {.count = 0};
    plausibility_add_first(&p, one, other, third);
    return p;
}

static void test_alike_first_frames_say_what_is_usual(void) {
    plausibility nothing = {.count = 0};
    plausibility alike = first_three(0.5, 0.55, 0.599);
    plausibility unlike = first_three(0.602, 0.5, 0.45);
    CHECK(plausibility_is_suspicious(&nothing, 0.55));
    CHECK(!plausibility_is_suspicious(&alike, 0.9) && !plausibility_is_wild(&alike, 0.9));
    CHECK(plausibility_is_suspicious(&alike, 1.101) && plausibility_is_wild(&alike, 1.101));
    CHECK(plausibility_is_suspicious(&unlike, 0.9) && plausibility_is_wild(&unlike, 0.9));
    CHECK(alike.count == 3 && unlike.count == 0);
    CHECK(first_three(0.4, 0.35, 0.301).count == 3 && first_three(0.4, 0.35, 0.299).count == 0);
}

/* A pair of them may be measured on smoothed frames, the others not. */
static void test_first_frames_that_see_noise_need_not_be_alike(void) {
    plausibility noise = first_three(0.97, 0.501, 0.75);
    plausibility less = first_three(0.97, 0.499, 0.75);
    CHECK(!plausibility_is_suspicious(&noise, 0.9));
    CHECK(plausibility_is_suspicious(&less, 0.9));
}

static void test_first_frames_say_nothing_where_much_is_known(void) {
    plausibility known = {.count = 0};
    plausibility_add(&known, 0.02);
    plausibility_add_first(&known, 0.5, 0.55, 0.58);
    CHECK(known.count == 1);
    CHECK(plausibility_is_suspicious(&known, 0.5) && plausibility_is_wild(&known, 0.5));
}

/* The usual difference is the median of the last fifteen frames. */
static void test_suspicion_begins_at_a_tenth_or_twice_what_is_usual(void) {
    plausibility p = {.count = 0};
    CHECK(!plausibility_is_suspicious(&p, 0.1) && plausibility_is_suspicious(&p, 0.101));
    CHECK(!plausibility_is_wild(&p, 0.3) && plausibility_is_wild(&p, 0.301));
    for (int i = 0; i < 15; i++) plausibility_add(&p, 0.2);
    CHECK(!plausibility_is_suspicious(&p, 0.4) && plausibility_is_suspicious(&p, 0.401));
    CHECK(!plausibility_is_wild(&p, 0.4) && plausibility_is_wild(&p, 0.401));
    for (int i = 0; i < 7; i++) plausibility_add(&p, 0.01);
    CHECK(!plausibility_is_suspicious(&p, 0.4));
    plausibility_add(&p, 0.01);
    CHECK(plausibility_is_suspicious(&p, 0.15));
}

/* The median of an even number of frames is the larger of the two in the middle. */
static void test_few_frames_say_what_is_usual(void) {
    plausibility p = {.count = 0};
    plausibility_add(&p, 0.4);
    plausibility_add(&p, 0.01);
    CHECK(!plausibility_is_wild(&p, 0.79) && plausibility_is_wild(&p, 0.81));
}

static void test_the_odd_one_out_differs_from_both_others(void) {
    CHECK(is_odd_one_out(0.3, 0.29, 0.15, 0) && is_odd_one_out(0.29, 0.3, 0.15, 0));
    CHECK(is_odd_one_out(0.3, 0.2701, 0.15, 0) && !is_odd_one_out(0.3, 0.2699, 0.15, 0));
    CHECK(!is_odd_one_out(0.2699, 0.3, 0.15, 0) && !is_odd_one_out(0.3, 0.26, 0.15, 0.01));
    CHECK(!is_odd_one_out(0.0074, 0.0074, 0, 0) && is_odd_one_out(0.0076, 0.0076, 0, 0));
    CHECK(is_odd_one_out(0.01, 0.01, 0, 0.01));
}

/* Of 24 tiles four against two are chance, and five against two are not. */
static void test_a_tile_more_or_less_is_chance(void) {
    double tile = 1 / 24.0;
    CHECK(!is_odd_one_out(4 * tile, 6 * tile, 2 * tile, tile));
    CHECK(is_odd_one_out(5 * tile, 5 * tile, 2 * tile, tile));
}

static endo_transform turned(double degrees, double mirror) {
    double angle = degrees * 3.14159265358979323846 / 180;
    return (endo_transform){
        .kind = ENDO_TRANSFORM_AFFINE,
        .matrix = {cos(angle), -mirror * sin(angle), 9, sin(angle), mirror * cos(angle), -5, 0, 0, 1},
    };
}

static void test_a_leap_turns_by_more_than_a_right_angle_or_mirrors(void) {
    const double degrees[] = {0, 89, -89, 91, -91, 180};
    for (int i = 0; i < 6; i++) {
        endo_transform step = turned(degrees[i], 1);
        endo_transform mirrored = turned(degrees[i], -1);
        CHECK(is_leap(&step) == (fabs(degrees[i]) > 90));
        CHECK(is_leap(&mirrored));
    }
}

/* By what it does in the frame's first pixel. */
static void test_a_homography_leaps_as_its_tangent_does(void) {
    endo_transform steep = {.kind = ENDO_TRANSFORM_HOMOGRAPHY, .matrix = {1, 0, 100, 0, 1, 0, 0.02, 0, 1}};
    endo_transform flat = {.kind = ENDO_TRANSFORM_HOMOGRAPHY, .matrix = {1, 0, 20, 0, 1, 0, 0.02, 0, 1}};
    CHECK(is_leap(&steep) && !is_leap(&flat));
}

/* ------------------------------------------------------------------------ a pair */

static pair_match match_with(int status, int found, double quality, double deviation) {
    endo_pair_result result = rig_result(status, found, quality, deviation);
    return pair_match_of(&result, 4, 0, 0, 0);
}

static int few_counts(int found, int after_failure, double quality) {
    pair_match match = match_with(ENDO_PAIR_FEW_LANDMARKS, found, quality, 0.1);
    return pair_match_counts(&match, after_failure);
}

/* A pair with few landmarks counts from a quality of 0.3 on; after a failure, or if next to none were found, of 0.6. */
static void test_few_landmarks_need_quality(void) {
    CHECK(!few_counts(3, 0, 0.29) && few_counts(3, 0, 0.31));
    CHECK(!few_counts(2, 0, 0.59) && few_counts(2, 0, 0.61));
    CHECK(!few_counts(3, 1, 0.59) && few_counts(3, 1, 0.61));
    CHECK(!few_counts(50, 1, NAN) && !few_counts(50, 0, NAN));
}

static void test_other_states_decide_alone(void) {
    pair_match ok = match_with(ENDO_PAIR_OK, 0, NAN, 0.1);
    pair_match flat = match_with(ENDO_PAIR_NO_TEXTURE, 50, 1, 0.1);
    pair_match jump = match_with(ENDO_PAIR_JUMP, 50, 1, 0.1);
    CHECK(pair_match_counts(&ok, 1) && pair_match_counts(&ok, 0));
    CHECK(!pair_match_counts(&flat, 0) && !pair_match_counts(&jump, 0));
}

/* A fiftieth of a pixel is common to all landmarks; what is not known is known to two pixels. */
static void test_edges_know_how_sure_they_are(void) {
    pair_match ok = match_with(ENDO_PAIR_OK, 9, 1, 0.015);
    pair_match few = match_with(ENDO_PAIR_FEW_LANDMARKS, 9, 1, NAN);
    endo_mosaic_edge edge = pair_match_edge(&ok, 7);
    CHECK_NEAR(edge.deviation, 0.025, 1e-12);
    CHECK(edge.reference == 4 && edge.current == 7 && !edge.doubtful && edge.by_hand == 0);
    CHECK(rig_same_transform(&edge.transform, &pose_identity));
    edge = pair_match_edge(&few, 7);
    CHECK(edge.deviation == 2 && edge.doubtful);
}

static double deviation_of_grown(double across, double down, endo_transform_class kind) {
    pair_match match = match_with(ENDO_PAIR_OK, 9, 1, 0.015);
    match.transform.kind = kind;
    match.transform.matrix[0] = across;
    match.transform.matrix[4] = down;
    return pair_match_edge(&match, 7).deviation;
}

/* A frame that shows four times the area of its reference has twice the deviation; one that shows less has the same. */
static void test_what_lies_beyond_the_reference_is_known_less(void) {
    CHECK_NEAR(deviation_of_grown(2, 2, ENDO_TRANSFORM_AFFINE), hypot(0.02, 0.03), 1e-12);
    CHECK_NEAR(deviation_of_grown(-4, 1, ENDO_TRANSFORM_AFFINE), hypot(0.02, 0.03), 1e-12);
    CHECK_NEAR(deviation_of_grown(0.5, 0.5, ENDO_TRANSFORM_AFFINE), 0.025, 1e-12);
    CHECK_NEAR(deviation_of_grown(2, 2, ENDO_TRANSFORM_HOMOGRAPHY), 0.025, 1e-12);
}

/* Where nothing was measured, or without end, nothing is said. */
static void test_edges_tell_of_perspective_and_lens(void) {
    const double none[] = {NAN, 0, -1, INFINITY};
    pair_match match = match_with(ENDO_PAIR_OK, 9, 1, 0.1);
    match.result.perspective[0] = 3e-5;
    match.result.perspective[1] = -2e-5;
    match.result.lens = -0.1;
    for (int i = 0; i < 4; i++) {
        match.result.perspective_deviation = none[i];
        match.result.lens_deviation = none[i];
        endo_mosaic_edge edge = pair_match_edge(&match, 7);
        CHECK(!edge_says_perspective(&edge) && edge.perspective_deviation == 0 && edge.perspective[0] == 0);
        CHECK(!edge_says_lens(&edge) && edge.lens_deviation == 0 && edge.lens == 0);
    }
    match.result.perspective_deviation = 1e-6;
    match.result.lens_deviation = 0.02;
    endo_mosaic_edge edge = pair_match_edge(&match, 7);
    CHECK(edge.perspective[0] == 3e-5 && edge.perspective[1] == -2e-5 && edge.perspective_deviation == 1e-6);
    CHECK(edge.lens == -0.1 && edge.lens_deviation == 0.02);
    match.result.lens = NAN;
    edge = pair_match_edge(&match, 7);
    CHECK(edge_says_perspective(&edge) && !edge_says_lens(&edge) && edge.lens == 0);
}

/* Fewer than eight tiles tell no share. */
static void test_few_tiles_tell_nothing(void) {
    endo_pair_result result = rig_result(ENDO_PAIR_OK, 9, 1, 0.1);
    pair_match seven = pair_match_of(&result, 0, 7, 6, 0);
    pair_match eight = pair_match_of(&result, 0, 8, 6, 0);
    CHECK(seven.differing == 0 && seven.tile == 0);
    CHECK(eight.differing == 0.75 && eight.tile == 0.125);
}

static void test_a_frame_is_described_but_for_its_pose(void) {
    endo_mosaic_frame frame = mosaic_unknown_frame();
    endo_pair_result result = rig_result(ENDO_PAIR_FEW_LANDMARKS, 5, 0.7, 0.1);
    result.transform = pose_translation(3, 4);
    result.mean_coefficient = 0.9;
    result.landmarks = 6;
    result.used = 4;
    result.computed = 100;
    result.reused = 50;
    pair_match match = pair_match_of(&result, 12, 0, 0, 2.5);
    frame.component = 3;
    pair_match_describe(&match, &frame);
    CHECK(frame.reference == 12 && frame.status == ENDO_FRAME_FEW_LANDMARKS);
    CHECK(frame.landmarks == 6 && frame.found == 5 && frame.used == 4);
    CHECK(frame.computed == 100 && frame.reused == 50 && frame.milliseconds == 2.5);
    CHECK(frame.coefficient == 0.9 && frame.quality == 0.7);
    CHECK(rig_same_transform(&frame.pose, &pose_identity) && frame.component == 3 && !frame.registered);
}

/* -------------------------------------------------------------- remembered pairs */

static pair_match against(int reference, double quality) {
    endo_pair_result result = rig_result(ENDO_PAIR_OK, 9, quality, 0.1);
    return pair_match_of(&result, reference, 0, 0, 0);
}

static void remember(pair_cache *pairs, int reference, int frame, double quality) {
    pair_match match = against(reference, quality);
    pair_cache_add(pairs, frame, &match);
}

/* The quality of a remembered pair; NaN: it is not remembered. */
static double known_quality(const pair_cache *pairs, int reference, int frame) {
    const pair_match *match = pair_cache_get(pairs, reference, frame);
    return match ? match->result.quality : NAN;
}

static void test_only_the_latest_pairs_are_kept(void) {
    pair_cache *pairs = NULL;
    CHECK(pair_cache_create(&pairs) == ENDO_OK);
    for (int frame = 10; frame < 522; frame++) remember(pairs, 0, frame, 0.5);
    CHECK(known_quality(pairs, 0, 10) == 0.5 && known_quality(pairs, 0, 521) == 0.5);
    CHECK(isnan(known_quality(pairs, 1, 10)) && isnan(known_quality(pairs, 10, 0)));
    remember(pairs, 0, 522, 0.5);
    CHECK(isnan(known_quality(pairs, 0, 10)) && known_quality(pairs, 0, 11) == 0.5 && known_quality(pairs, 0, 522) == 0.5);
    pair_cache_destroy(&pairs);
    CHECK(pairs == NULL);
}

/* A pair that is added again is the new one, and as old as it was. */
static void test_pairs_stay_where_they_are(void) {
    pair_cache *pairs = NULL;
    CHECK(pair_cache_create(&pairs) == ENDO_OK);
    for (int frame = 0; frame < 511; frame++) remember(pairs, 3, frame, 0.5);
    remember(pairs, 3, 0, 0.75);
    CHECK(known_quality(pairs, 3, 0) == 0.75);
    remember(pairs, 3, 600, 0.5);
    CHECK(known_quality(pairs, 3, 0) == 0.75 && known_quality(pairs, 3, 1) == 0.5);
    remember(pairs, 3, 0, 0.875);
    remember(pairs, 3, 601, 0.5);
    CHECK(isnan(known_quality(pairs, 3, 0)) && known_quality(pairs, 3, 1) == 0.5);
    remember(pairs, 3, 602, 0.5);
    CHECK(isnan(known_quality(pairs, 3, 1)) && known_quality(pairs, 3, 2) == 0.5 && known_quality(pairs, 3, 600) == 0.5);
    pair_cache_destroy(&pairs);
}

/* ----------------------------------------------------------------- frame matcher */

#define W 120
#define H 100
#define FRAMES 5

static endo_context *context;
static endo_frames *store; /* frames 0..FRAMES-1 in slots of their number; a black one behind them */
static demo_frames demo;
static endo_demo_options demo_options;

static void open_store(void) {
    endo_context_options cpu = {.backend = ENDO_BACKEND_CPU, .threads = 1};
    endo_frames_options options = endo_frames_options_default();
    uint32_t *black = calloc(W * H, sizeof *black);
    static uint8_t field[W * H];
    endo_demo *scene = NULL;
    demo_options = rig_demo_options(W, H, FRAMES, 5);
    demo_make(&demo, &demo_options, FRAMES, DEMO_RGB);
    options.width = W;
    options.height = H;
    options.type = ENDO_RGB32;
    options.capacity = FRAMES + 1;
    CHECK(endo_context_create(&cpu, &context) == ENDO_OK);
    CHECK(endo_demo_create(context, &demo_options, &scene) == ENDO_OK && endo_demo_field(scene, field) == ENDO_OK);
    endo_demo_destroy(&scene);
    options.field = field; /* what stands still around it would be followed, too */
    CHECK(endo_frames_create(context, &options, &store) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) CHECK(endo_frames_put(store, i, demo.pixels + (size_t)i * demo.bytes, W) == ENDO_OK);
    CHECK(endo_frames_put(store, FRAMES, black, W) == ENDO_OK);
    free(black);
}

static void close_store(void) {
    endo_frames_destroy(&store);
    endo_context_destroy(&context);
    demo_free(&demo);
}

static frame_matcher matcher_of(pair_cache *known) {
    return (frame_matcher){.frames = store, .options = endo_pairs_options_default(), .known = known};
}

static int asked_pair(int i, int reference, int current) {
    return rig_registered.pairs[i].reference == reference && rig_registered.pairs[i].current == current;
}

/* The match of two slots, straight from the library. */
static pair_match directly(int reference, int current) {
    const endo_pair pair = {.reference = reference, .current = current};
    endo_pairs_options options = endo_pairs_options_default();
    endo_pair_result result;
    endo_agreement agreement;
    CHECK(__real_endo_pairs_register(store, &pair, 1, &options, &result) == ENDO_OK);
    CHECK(__real_endo_agreement_measure(store, &pair, &result.transform, 1, &agreement) == ENDO_OK);
    return pair_match_of(&result, reference, agreement.tiles, agreement.differing, 0);
}

static int same_match(const pair_match *a, const pair_match *b) {
    return rig_same_transform(&a->transform, &b->transform) && a->reference == b->reference && a->status == b->status &&
           a->differing == b->differing && a->tile == b->tile && a->result.quality == b->result.quality &&
           a->result.deviation == b->result.deviation && a->result.found == b->result.found;
}

/* Chains that follow each other do not register the same pairs again. */
static void test_what_one_chain_asked_for_another_one_knows(void) {
    const int slots[] = {1, 2, 3};
    const placed_frame before = {.frame = 0, .slot = 0, .pose = pose_identity};
    pair_cache *known = NULL;
    pair_batch *batch = NULL;
    pair_match neighbour, single, again;
    CHECK(pair_cache_create(&known) == ENDO_OK);
    frame_matcher one = matcher_of(known);
    rig_forget();
    CHECK(pair_batch_create(&one, &before, 1, slots, 3, &batch) == ENDO_OK);
    CHECK(rig_registered.n == 3 && asked_pair(0, 0, 1) && asked_pair(1, 1, 2) && asked_pair(2, 2, 3));
    CHECK(pair_batch_reference(batch, 1) == 0 && pair_batch_reference(batch, 3) == 2);
    CHECK(pair_batch_reference(batch, 0) == -1 && pair_batch_reference(batch, 4) == -1);
    CHECK(frame_matcher_match(&one, &before, 1, 1, batch, &neighbour) == ENDO_OK && rig_registered.calls == 1);
    CHECK(frame_matcher_match(&one, &before, 3, 3, batch, &single) == ENDO_OK && rig_registered.calls == 2);
    CHECK(rig_registered.n == 1 && asked_pair(0, 0, 3) && !rig_registered.from);
    CHECK(neighbour.milliseconds > 0 && single.milliseconds > 0);
    pair_match told = directly(0, 1);
    CHECK(same_match(&neighbour, &told) && told.tile > 0);
    told = directly(0, 3);
    CHECK(same_match(&single, &told));
    pair_batch_destroy(&batch);

    frame_matcher other = matcher_of(known);
    CHECK(pair_batch_create(&other, &before, 1, slots, 3, &batch) == ENDO_OK && rig_registered.calls == 2);
    CHECK(pair_batch_reference(batch, 1) == -1 && pair_batch_reference(batch, 2) == -1); /* nobody has asked for the second one */
    CHECK(frame_matcher_match(&other, &before, 1, 1, batch, &again) == ENDO_OK && same_match(&again, &neighbour));
    CHECK(frame_matcher_match(&other, &before, 3, 3, NULL, &again) == ENDO_OK && same_match(&again, &single));
    CHECK(again.milliseconds == single.milliseconds && rig_registered.calls == 2);
    pair_batch_destroy(&batch);
    pair_cache_destroy(&known);
}

/* Where the flow leads to the right place nothing else is searched for, and the pair is not known afterwards. */
static void test_nearby_frames_are_found_by_the_flow(void) {
    const endo_pair pair = {.reference = 0, .current = 2};
    const placed_frame reference = {.frame = 0, .slot = 0};
    endo_flow_result flow;
    pair_cache *known = NULL;
    pair_match found;
    pair_match told = directly(0, 2);
    CHECK(pair_cache_create(&known) == ENDO_OK);
    frame_matcher m = matcher_of(known);
    m.options.method = ENDO_METHOD_BEST;
    rig_forget();
    CHECK(endo_flow_estimate(store, &pair, 1, ENDO_TRANSFORM_AFFINE, &flow) == ENDO_OK);
    CHECK(frame_matcher_match_nearby(&m, &reference, 2, 2, &found) == ENDO_OK && found.status == ENDO_FRAME_OK);
    CHECK(rig_registered.calls == 1 && rig_registered.from && asked_pair(0, 0, 2));
    CHECK(rig_same_transform(&rig_registered.transforms[0], &flow.transform) && !pair_cache_get(known, 0, 2));
    m.options.method = ENDO_METHOD_PAPER; /* which never searches */
    CHECK(frame_matcher_match_nearby(&m, &reference, 2, 2, &found) == ENDO_OK && same_match(&found, &told));
    CHECK(rig_registered.calls == 2 && !rig_registered.from && pair_cache_get(known, 0, 2));
    CHECK(frame_matcher_match_nearby(&m, &reference, 2, 2, &found) == ENDO_OK && rig_registered.calls == 2);
    pair_cache_destroy(&known);
}

/* The pair of a batch is that of its own place in the list. */
static void test_matches_of_a_batch_are_those_of_their_frames(void) {
    const int slots[] = {1, 2, 3, 4};
    const placed_frame before = {.frame = 0, .slot = 0, .pose = pose_identity};
    pair_cache *known = NULL;
    pair_batch *batch = NULL;
    CHECK(pair_cache_create(&known) == ENDO_OK);
    frame_matcher m = matcher_of(known);
    CHECK(pair_batch_create(&m, &before, 1, slots, 4, &batch) == ENDO_OK);
    for (int frame = 4; frame > 1; frame--) {
        const placed_frame reference = {.frame = frame - 1, .slot = frame - 1};
        pair_match match;
        pair_match told = directly(frame - 1, frame);
        CHECK(frame_matcher_match(&m, &reference, frame, frame, batch, &match) == ENDO_OK && same_match(&match, &told));
    }
    pair_batch_destroy(&batch);
    pair_cache_destroy(&known);
}

/* A batch asks one frame in twelve, the second of these, whether it repeats itself, and every frame where some did before; a pair
 * by itself is not asked. */
static void test_a_batch_asks_for_rivals(void) {
    const int slots[] = {1, 2, 3};
    const placed_frame before = {.frame = 11, .slot = 0};
    for (int seen = 0; seen < 2; seen++) {
        pair_cache *known = NULL;
        pair_batch *batch = NULL;
        pair_match match;
        CHECK(pair_cache_create(&known) == ENDO_OK);
        frame_matcher m = matcher_of(known);
        m.options.method = ENDO_METHOD_BEST;
        m.repeats_from = &seen;
        CHECK(pair_batch_create(&m, &before, 12, slots, 3, &batch) == ENDO_OK);
        for (int frame = 12; frame < 15; frame++) {
            const placed_frame reference = {.frame = frame - 1, .slot = frame - 12};
            int is_asked = frame == 13 || seen;
            CHECK(frame_matcher_asks_rivals(&m, frame) == is_asked);
            CHECK(frame_matcher_match(&m, &reference, frame, frame - 11, batch, &match) == ENDO_OK);
            CHECK(match.knows_rivals == is_asked && (!is_asked || (!match.repeats && rig_same_transform(&match.best.transform, &match.transform))));
        }
        CHECK(frame_matcher_match(&m, &before, 13, 2, NULL, &match) == ENDO_OK && !match.knows_rivals);
        m.options.method = ENDO_METHOD_PAPER;
        CHECK(!frame_matcher_asks_rivals(&m, 13));
        pair_batch_destroy(&batch);
        pair_cache_destroy(&known);
    }
}

static void test_unreadable_frames_are_passed_over(void) {
    const int slots[] = {-1, 1, -1, -1, 2};
    const int none[] = {-1, 3, -1};
    const placed_frame before = {.frame = 6, .slot = 4};
    pair_cache *known = NULL;
    pair_batch *batch = NULL;
    CHECK(pair_cache_create(&known) == ENDO_OK);
    frame_matcher m = matcher_of(known);
    rig_forget();
    CHECK(pair_batch_create(&m, &before, 7, slots, 5, &batch) == ENDO_OK);
    CHECK(rig_registered.n == 2 && asked_pair(0, 4, 1) && asked_pair(1, 1, 2));
    CHECK(pair_batch_reference(batch, 7) == -1 && pair_batch_reference(batch, 8) == 6);
    CHECK(pair_batch_reference(batch, 10) == -1 && pair_batch_reference(batch, 11) == 8);
    pair_batch_destroy(&batch);
    pair_cache_destroy(&known);
    CHECK(pair_cache_create(&known) == ENDO_OK);
    m = matcher_of(known);
    CHECK(pair_batch_create(&m, NULL, 7, slots, 5, &batch) == ENDO_OK);
    CHECK(rig_registered.n == 1 && asked_pair(0, 1, 2) && pair_batch_reference(batch, 8) == -1);
    pair_batch_destroy(&batch);
    rig_forget();
    CHECK(pair_batch_create(&m, NULL, 7, none, 3, &batch) == ENDO_OK && rig_registered.calls == 0 && rig_agreed.calls == 0);
    pair_batch_destroy(&batch);
    CHECK(batch == NULL);
    pair_cache_destroy(&known);
}

/* Nothing is remembered of a call that failed, and it can be asked again. */
static void test_a_failure_of_the_library_is_the_matchers(void) {
    const int slots[] = {1, 2};
    const placed_frame before = {.frame = 0, .slot = 0};
    pair_cache *known = NULL;
    pair_batch *batch = NULL;
    pair_match match;
    CHECK(pair_cache_create(&known) == ENDO_OK);
    frame_matcher m = matcher_of(known);
    for (int agrees = 0; agrees < 2; agrees++) {
        rig_forget();
        *(agrees ? &rig_agreed.fails : &rig_registered.fails) = ENDO_ERR_DEVICE;
        CHECK(pair_batch_create(&m, &before, 1, slots, 2, &batch) == ENDO_ERR_DEVICE && batch == NULL);
        CHECK(frame_matcher_match(&m, &before, 1, 1, NULL, &match) == ENDO_ERR_DEVICE);
        CHECK(pair_cache_get(known, 0, 1) == NULL);
    }
    rig_forget();
    CHECK(frame_matcher_match(&m, &before, 1, 1, NULL, &match) == ENDO_OK && pair_cache_get(known, 0, 1) != NULL);
    pair_cache_destroy(&known);
}

static void test_texture_is_asked_of_the_frame_alone(void) {
    frame_matcher m = matcher_of(NULL);
    int has = -1;
    m.options.method = ENDO_METHOD_BEST;
    m.options.transform = ENDO_TRANSFORM_AUTO;
    m.options.cross = 8;
    rig_forget();
    CHECK(frame_matcher_has_texture(&m, 2, &has) == ENDO_OK && has == 1);
    CHECK(rig_registered.n == 1 && asked_pair(0, 2, 2) && rig_agreed.calls == 0);
    CHECK(rig_registered.options.initial == ENDO_INITIAL_NONE && !rig_registered.options.quality);
    CHECK(rig_registered.options.method == ENDO_METHOD_PAPER && rig_registered.options.cross == 8);
    CHECK(rig_registered.options.transform == ENDO_TRANSFORM_TRANSLATION);
    CHECK(m.options.method == ENDO_METHOD_BEST);
    CHECK(frame_matcher_has_texture(&m, FRAMES, &has) == ENDO_OK && has == 0);
    CHECK(frame_matcher_has_texture(&m, FRAMES + 1, &has) == ENDO_ERR_ARGUMENT);
}

/* ------------------------------------------------------------------ guided pairs */

static const mosaic_size frame_size = {W, H};

/* The options that find the poses of a demo best. */
static endo_pairs_options best_options(void) {
    endo_pairs_options options = endo_pairs_options_default();
    options.method = ENDO_METHOD_BEST;
    options.transform = ENDO_TRANSFORM_AUTO;
    return options;
}

static void add_guided(guided_pairs *pairs, int reference, int current, endo_transform start) {
    const guided_pair pair = {
        .reference = reference,
        .current = current,
        .reference_slot = reference % FRAMES,
        .current_slot = current % FRAMES,
        .start = start,
    };
    CHECK(guided_pairs_add(pairs, &pair) == ENDO_OK);
}

static void test_near_pairs_become_edges(void) {
    guided_pairs pairs = {.items = NULL};
    mosaic_edges edges = {.items = NULL};
    endo_pairs_options options = best_options();
    add_guided(&pairs, 0, 3, rig_truth(&demo_options, 0, 3));
    add_guided(&pairs, 1, 4, rig_truth(&demo_options, 1, 4));
    rig_forget();
    CHECK(guided_pairs_near(&pairs, store, &options, frame_size, 3, &edges) == ENDO_OK);
    CHECK(rig_registered.from && rig_registered.n == 2 && asked_pair(0, 0, 3) && asked_pair(1, 1, 4));
    CHECK(rig_same_transform(&rig_registered.transforms[1], &pairs.items[1].start) && rig_agreed.calls == 0);
    CHECK(edges.n == 2 && edges.items[0].reference == 0 && edges.items[0].current == 3);
    CHECK(edges.items[1].reference == 1 && edges.items[1].current == 4);
    for (int i = 0; i < edges.n; i++)
        CHECK_NEAR(frame_corner_distance(frame_size, &edges.items[i].transform, &pairs.items[i].start), 0, 0.2);
    guided_pairs_free(&pairs);
    edges_free(&edges);
}

/* Six pairs around what is allowed: in order, those that are left. */
static void test_near_pairs_are_ok_and_within_the_distance(void) {
    const double away[] = {7.99, 8.01, -7.99, -8.01, 0, NAN};
    guided_pairs pairs = {.items = NULL};
    mosaic_edges edges = {.items = NULL};
    endo_pairs_options options = endo_pairs_options_default();
    endo_pair_result results[6];
    for (int i = 0; i < 6; i++) {
        results[i] = rig_result(i == 4 ? ENDO_PAIR_FEW_LANDMARKS : ENDO_PAIR_OK, 9, NAN, 0.1);
        results[i].transform = pose_translation(30 + away[i], 40);
        add_guided(&pairs, 10 + i, 20 + i, pose_translation(30, 40));
    }
    rig_forget();
    rig_results = results;
    CHECK(guided_pairs_near(&pairs, store, &options, frame_size, 8, &edges) == ENDO_OK && edges.n == 2);
    CHECK(edges.items[0].reference == 10 && edges.items[0].current == 20 && edges.items[1].current == 22);
    CHECK(rig_same_transform(&edges.items[1].transform, &results[2].transform));
    CHECK_NEAR(edges.items[0].deviation, hypot(0.02, 0.1), 1e-12);
    rig_registered.fails = ENDO_ERR_MEMORY;
    CHECK(guided_pairs_near(&pairs, store, &options, frame_size, 8, &edges) == ENDO_ERR_MEMORY && edges.n == 2);
    guided_pairs_free(&pairs);
    edges_free(&edges);
}

static int landmarks_asked(endo_pairs_method method, int landmarks, int is_checked) {
    guided_pairs pairs = {.items = NULL};
    mosaic_edges edges = {.items = NULL};
    const plausibility usual = {.count = 0};
    endo_pairs_options options = endo_pairs_options_default();
    endo_pair_result result = rig_result(ENDO_PAIR_JUMP, 0, 1, 0.1);
    const endo_agreement agreement = {.tiles = 20};
    pair_match match;
    int accepted;
    options.method = method;
    options.landmarks = landmarks;
    options.quality = !is_checked;
    add_guided(&pairs, 0, 1, pose_identity);
    rig_forget();
    rig_results = &result;
    rig_agreements = &agreement;
    if (is_checked)
        CHECK(guided_pairs_checked(&pairs, store, &options, &usual, &match, &accepted) == ENDO_OK && !accepted);
    else
        CHECK(guided_pairs_near(&pairs, store, &options, frame_size, 8, &edges) == ENDO_OK && edges.n == 0);
    CHECK(rig_registered.options.quality == is_checked && rig_registered.options.method == method);
    guided_pairs_free(&pairs);
    edges_free(&edges);
    return rig_registered.options.landmarks;
}

/* Refinement on the intensities does not depend on the number of landmarks; the paper's method does. */
static void test_the_papers_pairs_have_sixteen_landmarks_a_side(void) {
    for (int is_checked = 0; is_checked < 2; is_checked++) {
        CHECK(landmarks_asked(ENDO_METHOD_PAPER, 8, is_checked) == 16);
        CHECK(landmarks_asked(ENDO_METHOD_PAPER, 17, is_checked) == 17);
        CHECK(landmarks_asked(ENDO_METHOD_BEST, 8, is_checked) == 8);
    }
}

/* Whether a pair is believed of which all is well but what is said here. */
static int believes(int status, double quality, int differing, endo_transform transform, const plausibility *usual) {
    guided_pairs pairs = {.items = NULL};
    endo_pairs_options options = endo_pairs_options_default();
    endo_pair_result result = rig_result(status, 9, quality, 0.1);
    const endo_agreement agreement = {.tiles = 100, .differing = differing};
    pair_match match = {.reference = -1};
    int accepted = -1;
    result.transform = transform;
    add_guided(&pairs, 7, 3, pose_translation(1, 2));
    rig_forget();
    rig_results = &result;
    rig_agreements = &agreement;
    CHECK(guided_pairs_checked(&pairs, store, &options, usual, &match, &accepted) == ENDO_OK);
    CHECK(match.reference == 7 && match.differing == differing / 100.0 && match.tile == 0.01 && match.milliseconds == 0);
    CHECK(rig_same_transform(&rig_agreed.transforms[0], &transform));
    guided_pairs_free(&pairs);
    return accepted;
}

static void test_pairs_are_believed(void) {
    plausibility usual = {.count = 0};
    endo_transform there = pose_translation(3, 4);
    endo_transform thin = {.kind = ENDO_TRANSFORM_AFFINE, .matrix = {1, 0, 0, 0, 1e-13, 0, 0, 0, 1}};
    CHECK(believes(ENDO_PAIR_OK, 0.6, 30, there, &usual));
    CHECK(!believes(ENDO_PAIR_OK, 0.599, 30, there, &usual) && !believes(ENDO_PAIR_OK, NAN, 30, there, &usual));
    CHECK(!believes(ENDO_PAIR_OK, 0.6, 31, there, &usual));
    CHECK(believes(ENDO_PAIR_OK, 0.3, 25, there, &usual) && !believes(ENDO_PAIR_OK, 0.3, 26, there, &usual));
    CHECK(!believes(ENDO_PAIR_OK, 0, 25, there, &usual) && !believes(ENDO_PAIR_OK, NAN, 25, there, &usual));
    CHECK(!believes(ENDO_PAIR_FEW_LANDMARKS, 0.9, 0, there, &usual) && !believes(ENDO_PAIR_JUMP, 0.9, 0, there, &usual));
    CHECK(!believes(ENDO_PAIR_OK, 0.9, 0, thin, &usual));
    plausibility_add(&usual, 0.2);
    CHECK(believes(ENDO_PAIR_OK, 0.6, 40, there, &usual) && !believes(ENDO_PAIR_OK, 0.6, 41, there, &usual));
}

/* One a pair, of the library's own. */
static void test_pairs_are_checked_where_they_start(void) {
    guided_pairs pairs = {.items = NULL};
    plausibility usual = {.count = 0};
    endo_pairs_options options = best_options();
    pair_match matches[3];
    int accepted[3];
    add_guided(&pairs, 0, 3, rig_truth(&demo_options, 0, 3));
    add_guided(&pairs, 1, 2, rig_truth(&demo_options, 1, 2));
    add_guided(&pairs, 2, 4, rig_truth(&demo_options, 2, 4));
    plausibility_add(&usual, 0.2); /* of nine tiles, noise takes one or two */
    rig_forget();
    CHECK(guided_pairs_checked(&pairs, store, &options, &usual, matches, accepted) == ENDO_OK);
    CHECK(rig_agreed.n == 3 && rig_agreed.pairs[2].reference == 2 && rig_agreed.pairs[2].current == 4);
    for (int i = 0; i < 3; i++) {
        CHECK(accepted[i] && matches[i].reference == pairs.items[i].reference && matches[i].tile > 0);
        CHECK_NEAR(frame_corner_distance(frame_size, &matches[i].transform, &pairs.items[i].start), 0, 0.2);
    }
    rig_agreed.fails = ENDO_ERR_DEVICE;
    CHECK(guided_pairs_checked(&pairs, store, &options, &usual, matches, accepted) == ENDO_ERR_DEVICE);
    guided_pairs_free(&pairs);
}

static void test_no_pairs_ask_for_nothing(void) {
    guided_pairs pairs = {.items = NULL};
    mosaic_edges edges = {.items = NULL};
    plausibility usual = {.count = 0};
    endo_pairs_options options = endo_pairs_options_default();
    rig_forget();
    rig_registered.fails = ENDO_ERR_DEVICE;
    CHECK(guided_pairs_near(&pairs, store, &options, frame_size, 8, &edges) == ENDO_OK && edges.n == 0);
    CHECK(guided_pairs_checked(&pairs, store, &options, &usual, NULL, NULL) == ENDO_OK);
    CHECK(rig_registered.calls == 0 && rig_agreed.calls == 0);
    guided_pairs_free(&pairs);
}

/* ------------------------------------------------------- memory that ends anywhere */

enum { MANY = 40 };
static endo_pair_result many_results[MANY];
static const endo_agreement many_agreements[MANY];

static endo_status sweep_batch(pair_cache *known) {
    int slots[MANY];
    pair_batch *batch = NULL;
    frame_matcher m = matcher_of(known);
    for (int i = 0; i < MANY; i++) slots[i] = i;
    endo_status status = pair_batch_create(&m, NULL, 0, slots, MANY, &batch);
    CHECK((batch != NULL) == (status == ENDO_OK));
    CHECK(status != ENDO_OK || (pair_batch_reference(batch, 0) == -1 && pair_batch_reference(batch, MANY - 1) == MANY - 2));
    pair_batch_destroy(&batch);
    return status;
}

static endo_status sweep_guided(pair_cache *known) {
    guided_pairs pairs = {.items = NULL};
    mosaic_edges edges = {.items = NULL};
    plausibility usual = {.count = 0};
    endo_pairs_options options = {.method = ENDO_METHOD_BEST};
    pair_match matches[MANY];
    int accepted[MANY];
    endo_status status = ENDO_OK;
    (void)known;
    for (int i = 0; i < MANY && status == ENDO_OK; i++) {
        const guided_pair pair = {.reference = i, .current = i + 1, .start = pose_identity};
        status = guided_pairs_add(&pairs, &pair);
        CHECK(pairs.n == i + (status == ENDO_OK));
    }
    if (status == ENDO_OK) status = guided_pairs_near(&pairs, store, &options, frame_size, 8, &edges);
    CHECK(edges.n == (status == ENDO_OK ? MANY : 0));
    if (status == ENDO_OK) status = guided_pairs_checked(&pairs, store, &options, &usual, matches, accepted);
    guided_pairs_free(&pairs);
    edges_free(&edges);
    return status;
}

static endo_status sweep_remembered(pair_cache *known) {
    pair_cache *made = NULL;
    (void)known;
    endo_status status = pair_cache_create(&made);
    CHECK((made != NULL) == (status == ENDO_OK));
    pair_cache_destroy(&made);
    return status;
}

/* The call fails as often as it takes memory, once each. */
static void sweep(endo_status (*call)(pair_cache *known), int least) {
    pair_cache *known = NULL;
    int at = 0;
    int fired = 1;
    CHECK(pair_cache_create(&known) == ENDO_OK);
    int before = memory_alive;
    while (fired) {
        memory_arm(++at, 0);
        endo_status status = call(known);
        fired = memory_failures;
        memory_arm(0, 0);
        CHECK(status == (fired ? ENDO_ERR_MEMORY : ENDO_OK) && memory_alive == before);
        if (fired) CHECK(strstr(endo_last_error(), "memory") != NULL);
    }
    CHECK(at > least);
    pair_cache_destroy(&known);
}

static void test_memory_ends_anywhere(void) {
    for (int i = 0; i < MANY; i++) many_results[i] = rig_result(ENDO_PAIR_OK, 9, 1, 0.1);
    rig_forget();
    rig_results = many_results;
    rig_agreements = many_agreements;
    sweep(sweep_remembered, 1);
    sweep(sweep_batch, 7);
    sweep(sweep_guided, 12);
}

int main(void) {
    test_alike_first_frames_say_what_is_usual();
    test_first_frames_that_see_noise_need_not_be_alike();
    test_first_frames_say_nothing_where_much_is_known();
    test_suspicion_begins_at_a_tenth_or_twice_what_is_usual();
    test_few_frames_say_what_is_usual();
    test_the_odd_one_out_differs_from_both_others();
    test_a_tile_more_or_less_is_chance();
    test_a_leap_turns_by_more_than_a_right_angle_or_mirrors();
    test_a_homography_leaps_as_its_tangent_does();
    test_few_landmarks_need_quality();
    test_other_states_decide_alone();
    test_edges_know_how_sure_they_are();
    test_what_lies_beyond_the_reference_is_known_less();
    test_edges_tell_of_perspective_and_lens();
    test_few_tiles_tell_nothing();
    test_a_frame_is_described_but_for_its_pose();
    test_only_the_latest_pairs_are_kept();
    test_pairs_stay_where_they_are();
    open_store();
    test_what_one_chain_asked_for_another_one_knows();
    test_nearby_frames_are_found_by_the_flow();
    test_matches_of_a_batch_are_those_of_their_frames();
    test_a_batch_asks_for_rivals();
    test_unreadable_frames_are_passed_over();
    test_a_failure_of_the_library_is_the_matchers();
    test_texture_is_asked_of_the_frame_alone();
    test_near_pairs_become_edges();
    test_near_pairs_are_ok_and_within_the_distance();
    test_the_papers_pairs_have_sixteen_landmarks_a_side();
    test_pairs_are_believed();
    test_pairs_are_checked_where_they_start();
    test_no_pairs_ask_for_nothing();
    test_memory_ends_anywhere();
    close_store();
    return check_summary("test_mosaic_matching");
}
