/* Which frames far apart are compared, which neighbours are bridged, and which pairs are held out, for made-up poses. */
#include "systems/mosaic/bridge_plan.h"
#include "systems/mosaic/held_out.h"
#include "systems/mosaic/loop_plan.h"
#include "systems/mosaic/pair_set.h"
#include "poses_rig.h"

static poses_rig rig;

/* ------------------------------------------------------------------------ loops */

enum { STRETCH = 10 };

/* Stretches of ten frames, a field of 100 x 80 px. */
static const mosaic_size size = {101, 81};
static key_frames keys = {.field = {0, 0, 101, 81}};
static double scale = 1;

static void clear(void) {
    rig_clear(&rig);
    keys.n = 0;
}

/* A stretch whose frames lie at x; returns the index of its key frame. */
static int stretch(double x, double deviation, int component) {
    int first = rig.n;
    int index = -1;
    endo_transform pose = rig_affine(scale, 0, x, 0, scale, 0);
    for (int i = 0; i < STRETCH; i++) {
        int frame = rig_frame(&rig, component, -1, &pose);
        rig.frames[frame].component = component;
        rig.frames[frame].deviation = deviation;
    }
    CHECK(key_frames_add(&keys, first, component, &pose, &index) == ENDO_OK);
    keys.items[index].end = first + STRETCH;
    return index;
}

static void stretches(int n, double deviation) {
    for (int i = 0; i < n; i++) stretch(0, deviation, 1);
}

static mosaic_poses *poses_now(void) {
    mosaic_poses *poses = NULL;
    CHECK(poses_of_solved(rig.frames, rig.n, size, &poses) == ENDO_OK);
    return poses;
}

static loop_plan *new_plan(void) {
    loop_plan *plan = NULL;
    CHECK(loop_plan_create(rig.n, size, &keys, &plan) == ENDO_OK);
    return plan;
}

static void plan_round(loop_plan *plan) {
    mosaic_poses *poses = poses_now();
    CHECK(loop_plan_loops(plan, poses) == ENDO_OK);
    poses_destroy(&poses);
}

/* After the first round, which has the neighbours. */
static loop_plan *begun(void) {
    loop_plan *plan = new_plan();
    keys.items[keys.n - 1].end--;
    plan_round(plan);
    return plan;
}

static int near_count(const loop_plan *plan) {
    return loop_plan_near(plan)->n;
}

static int far_count(const loop_plan *plan) {
    return loop_plan_far(plan)->n;
}

static void test_key_frames_are_first_compared_with_the_next_of_their_chain(void) {
    clear();
    stretches(4, 0.1);
    keys.items[1].end = STRETCH + 3;
    loop_plan *plan = begun();
    CHECK(near_count(plan) == 2);
    CHECK(loop_plan_near(plan)->items[0].frame == STRETCH && loop_plan_near(plan)->items[1].frame == 3 * STRETCH);
    loop_plan_destroy(&plan);
    CHECK(!plan);
}

/* From 0.4 of the field on; of a stretch the frame that shares most. */
static void test_enough_must_be_shared(void) {
    for (int shift = 59; shift <= 61; shift += 2) {
        clear();
        stretch(0, 0.1, 1);
        stretch(900, 0.1, 1);
        stretch(200, 0.1, 1);
        rig.frames[2 * STRETCH + 4].pose = pose_translation(80, 0);
        rig.frames[2 * STRETCH + 6].pose = pose_translation(shift, 0);
        loop_plan *plan = begun();
        plan_round(plan);
        CHECK(near_count(plan) == (shift < 60));
        if (near_count(plan) > 0) {
            CHECK(loop_plan_near(plan)->items[0].frame == 2 * STRETCH + 6);
            CHECK_NEAR(loop_plan_near(plan)->items[0].overlap, 0.41, 1e-9);
        }
        loop_plan_destroy(&plan);
    }
}

/* Tiles, each a key frame that the next one shares little with, are compared from a twentieth of the field on; and not with the
 * next one, which the chain has registered. */
static void test_tiles_share_less(void) {
    for (int shift = 94; shift <= 96; shift += 2) {
        clear();
        for (int i = 0; i < 3; i++) {
            endo_transform pose = pose_translation(i == 1 ? 900 : i == 2 ? shift : 0, 0);
            int index;
            int frame = rig_frame(&rig, 1, -1, &pose);
            rig.frames[frame].component = 1;
            rig.frames[frame].deviation = 0.1;
            CHECK(key_frames_add(&keys, frame, 1, &pose, &index) == ENDO_OK);
            keys.items[index].end = i < 2 ? frame + 1 : frame;
        }
        loop_plan *plan = new_plan();
        plan_round(plan);
        CHECK(near_count(plan) == 0 && far_count(plan) == 0);
        plan_round(plan);
        CHECK(near_count(plan) == (shift < 95));
        loop_plan_destroy(&plan);
    }
}

/* Two diagonals of a frame from the key frame on a stretch is not looked through. */
static void test_what_begins_far_away_is_not_looked_through(void) {
    double diagonal = length_of(101, 81);
    for (int k = 0; k < 2; k++) {
        clear();
        stretch(0, 0.1, 1);
        stretch(900, 0.1, 1);
        stretch((k == 0 ? 1.99 : 2.01) * diagonal, 0.1, 1);
        rig.frames[2 * STRETCH + 4].pose = pose_translation(20, 0);
        loop_plan *plan = begun();
        plan_round(plan);
        CHECK(near_count(plan) == (k == 0));
        loop_plan_destroy(&plan);
    }
}

/* Frames that are half as large as the first one have half the uncertainty in their own pixels. */
static void test_uncertainty_counts_in_pixels_of_the_key_frame(void) {
    clear();
    scale = 2;
    stretches(3, 7.98);
    scale = 1;
    loop_plan *plan = begun();
    plan_round(plan);
    CHECK(near_count(plan) == 1 && far_count(plan) == 0);
    loop_plan_destroy(&plan);
}

/* Three deviations of a pose are 12 px at most, or spectra have to find it. */
static void test_uncertain_poses_are_left_to_spectra(void) {
    const double deviations[3] = {3.99, 4.01, NAN};
    for (int k = 0; k < 3; k++) {
        clear();
        stretches(3, deviations[k]);
        loop_plan *plan = begun();
        CHECK(near_count(plan) == (k == 0 ? 2 : 0));
        plan_round(plan);
        CHECK(near_count(plan) == (k == 0) && far_count(plan) == (k != 0));
        loop_plan_destroy(&plan);
    }
}

/* A pair that was searched for from its pose in vain is left to spectra, once. */
static void test_what_was_not_found_is_left_to_spectra_once(void) {
    clear();
    stretches(3, 0.1);
    loop_plan *plan = begun();
    plan_round(plan);
    CHECK(near_count(plan) == 1 && far_count(plan) == 0);
    plan_round(plan);
    CHECK(near_count(plan) == 0 && far_count(plan) == 1);
    plan_round(plan);
    CHECK(near_count(plan) == 0 && far_count(plan) == 0);
    loop_plan_destroy(&plan);
}

/* Four in a round, and one more for each hundred frames. */
static void test_spectra_are_few(void) {
    clear();
    stretches(9, 100);
    loop_plan *plan = begun();
    plan_round(plan);
    CHECK(far_count(plan) == 4);
    loop_plan_destroy(&plan);
    clear();
    stretches(30, 100);
    keys.items[29].end--;
    for (int frames = 299; frames <= 300; frames++) {
        CHECK(loop_plan_create(frames, size, &keys, &plan) == ENDO_OK);
        plan_round(plan);
        plan_round(plan);
        CHECK(far_count(plan) == (frames < 300 ? 6 : 7));
        for (int i = 1; i < far_count(plan); i++) {
            const loop_candidate *c = loop_plan_far(plan)->items;
            CHECK(keys.items[c[i - 1].key].frame <= keys.items[c[i].key].frame);
        }
        loop_plan_destroy(&plan);
    }
}

/* How many of those that were planned are of a stretch, and these are tied, or not. */
static int of_stretch(loop_plan *plan, int wanted, int ties) {
    int n = 0;
    for (int i = 0; i < near_count(plan); i++) {
        const loop_candidate *c = &loop_plan_near(plan)->items[i];
        if (c->stretch != wanted) continue;
        n++;
        if (ties) CHECK(loop_plan_tie(plan, c) == ENDO_OK && loop_plan_tie(plan, c) == ENDO_OK);
    }
    return n;
}

/* Four older key frames a round, six in all. */
static void test_stretches_are_tied_to_few(void) {
    const int planned[3] = {4, 2, 0};
    clear();
    stretches(12, 0.1);
    loop_plan *plan = begun();
    for (int round = 0; round < 3; round++) {
        plan_round(plan);
        CHECK(of_stretch(plan, 11, 1) == planned[round]);
    }
    loop_plan_destroy(&plan);
}

static int has_key(const loop_candidates *list, int key, int stretched) {
    for (int i = 0; i < list->n; i++)
        if (list->items[i].key == key && list->items[i].stretch == stretched) return 1;
    return 0;
}

static void test_of_as_much_the_first_ones_are_planned(void) {
    clear();
    stretches(12, 0.1);
    loop_plan *plan = begun();
    plan_round(plan);
    for (int key = 0; key < 10; key++) CHECK(has_key(loop_plan_near(plan), key, 11) == (key < 4));
    loop_plan_destroy(&plan);
}

/* A key frame that shares seven tenths with one of the map, to which its stretch is tied, is not in the map again. */
static void test_repeated_key_frames_are_not_in_the_map(void) {
    for (int shift = 29; shift <= 31; shift += 2) {
        clear();
        stretch(0, 0.1, 1);
        stretch(900, 0.1, 1);
        int repeated = stretch(shift, 0.1, 1);
        stretch(1900, 0.1, 1);
        int last = stretch(shift, 0.1, 1);
        loop_plan *plan = begun();
        plan_round(plan);
        CHECK(has_key(loop_plan_near(plan), 0, last) && has_key(loop_plan_near(plan), repeated, last));
        CHECK(of_stretch(plan, last, 0) == 2 && of_stretch(plan, repeated, 1) == 1);
        CHECK(loop_plan_near(plan)->items[0].key == 0);
        plan_round(plan);
        CHECK(has_key(loop_plan_far(plan), repeated, last) == (shift > 30));
        loop_plan_destroy(&plan);
    }
}

static void test_other_components_and_neighbours_are_not_compared(void) {
    clear();
    stretch(0, 0.1, 1);
    stretch(0, 0.1, 1);
    stretch(0, 0.1, 2);
    loop_plan *plan = begun();
    plan_round(plan);
    CHECK(near_count(plan) == 0 && far_count(plan) == 0);
    loop_plan_destroy(&plan);
}

static void plan_ties(loop_plan *plan) {
    mosaic_poses *poses = poses_now();
    CHECK(loop_plan_ties(plan, poses) == ENDO_OK);
    poses_destroy(&poses);
}

/* Two frames of a component, its middle and its last, with up to eight key frames of every larger one; some 32 in all. */
static void test_components_are_tied_by_their_middle_and_their_end(void) {
    const int frames[8] = {0, 20, 50, 70, 100, 120, 150, 170};
    clear();
    for (int i = 0; i < 20; i++) stretch(500 * i, 0.1, 1);
    stretch(0, 0.1, 2);
    loop_plan *plan = begun();
    plan_ties(plan);
    CHECK(near_count(plan) == 0 && far_count(plan) == 16);
    for (int i = 0; i < far_count(plan); i++) {
        const loop_candidate *c = &loop_plan_far(plan)->items[i];
        CHECK(c->frame == (i % 2 == 0 ? 204 : 209) && keys.items[c->key].frame == frames[i / 2] && c->stretch == c->key);
        CHECK(loop_plan_tie(plan, c) == ENDO_OK);
    }
    loop_plan_destroy(&plan);
    stretch(0, 0.1, 3);
    stretch(0, 0.1, 4);
    plan = begun();
    plan_ties(plan);
    CHECK(far_count(plan) == 30); /* each of three has ten with the larger ones */
    loop_plan_destroy(&plan);
}

static int pairs_of(const loop_plan *plan, int from, int to) {
    int n = 0;
    for (int i = 0; i < far_count(plan); i++) {
        int frame = loop_plan_far(plan)->items[i].frame;
        n += frame >= from && frame < to;
    }
    return n;
}

/* Each of many components has eight pairs, with as many others; then eight that were not tried before. */
static void test_many_components_have_eight_pairs_each(void) {
    clear();
    for (int component = 1; component <= 12; component++) stretch(0, 0.1, component);
    loop_plan *plan = begun();
    pair_set all = {.n = 0};
    for (int round = 0; round < 2; round++) {
        plan_ties(plan);
        CHECK(round == 1 || far_count(plan) == 2 + 4 + 6 + 8 * 8);
        CHECK(pairs_of(plan, 110, 120) == 8 && pairs_of(plan, 0, 10) == 0);
        CHECK(pair_set_reserve(&all, far_count(plan)) == ENDO_OK);
        for (int i = 0; i < far_count(plan); i++) {
            const loop_candidate *c = &loop_plan_far(plan)->items[i];
            CHECK(pair_set_add(&all, keys.items[c->key].frame, c->frame));
        }
    }
    pair_set_free(&all);
    loop_plan_destroy(&plan);
}

/* ---------------------------------------------------------------------- bridges */

#define POOR 0.2
#define GOOD 0.15

/* A frame that was registered against that one; against itself: a chain begins. */
static void frame(int reference, double deviation, int doubtful) {
    int current = rig_frame(&rig, 0, reference, &pose_identity);
    if (reference < current) rig_shift(&rig, reference, current, 0, deviation)->doubtful = doubtful;
}

static void chain(int frames, double deviation) {
    frame(rig.n, NAN, 0);
    for (int i = 1; i < frames; i++) frame(rig.n - 1, deviation, 0);
}

static void check_bridges(const char *expected) {
    frame_pairs pairs;
    char text[300] = "";
    CHECK(bridge_plan(rig.frames, rig.n, &rig.edges, &pairs) == ENDO_OK);
    for (int i = 0; i < pairs.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d-%d", i > 0 ? " " : "", pairs.items[i][0],
                 pairs.items[i][1]);
    frame_pairs_free(&pairs);
    if (strcmp(text, expected) != 0) printf("bridges \"%s\", not \"%s\"\n", text, expected);
    CHECK(strcmp(text, expected) == 0);
}

static void test_frames_that_only_neighbours_tie_are_bridged(void) {
    rig_clear(&rig);
    chain(6, POOR);
    check_bridges("0-2 1-3 0-3 2-4 1-4 3-5 2-5");
}

static void test_four_steps_are_enough_and_three_are_not(void) {
    rig_clear(&rig);
    chain(4, POOR);
    check_bridges("");
    frame(3, POOR, 0);
    check_bridges("0-2 1-3 0-3 2-4 1-4");
}

/* Beyond an edge with a key frame the steps are counted anew. */
static void test_what_another_edge_spans_is_not_bridged(void) {
    rig_clear(&rig);
    chain(8, POOR);
    rig_shift(&rig, 0, 4, 0, GOOD);
    check_bridges("");
    frame(7, POOR, 0);
    check_bridges("4-6 5-7 4-7 6-8 5-8");
}

/* The step from 4 to 5 alone is weak: by its deviation, or because it is doubtful. */
static void test_only_pairs_across_a_weak_step_are_planned(void) {
    rig_clear(&rig);
    chain(6, GOOD);
    check_bridges("");
    rig_clear(&rig);
    chain(5, GOOD);
    frame(4, POOR, 0);
    frame(5, GOOD, 0);
    frame(6, GOOD, 0);
    check_bridges("3-5 2-5 4-6 3-6 4-7");
    rig_clear(&rig);
    chain(5, GOOD);
    frame(4, GOOD, 1);
    check_bridges("3-5 2-5");
    rig_clear(&rig);
    chain(5, 0.1749);
    check_bridges("");
    frame(4, 0.175, 0);
    check_bridges("3-5 2-5");
}

/* Frame 3 was left out: frame 4 was registered with frame 2. */
static void test_frames_that_were_left_out_are_no_step(void) {
    rig_clear(&rig);
    chain(3, POOR);
    frame(2, POOR, 0);
    rig.frames[3].registered = 0;
    rig.edges.n--;
    frame(2, POOR, 0);
    frame(4, POOR, 0);
    check_bridges("0-2 1-4 0-4 2-5 1-5");
}

static void test_nothing_is_bridged_from_one_chain_to_another(void) {
    rig_clear(&rig);
    chain(4, POOR);
    chain(5, POOR);
    rig_shift(&rig, 0, 7, 0, GOOD);
    check_bridges("4-6 5-7 4-7 6-8 5-8");
}

/* --------------------------------------------------------------------- held out */

static const mosaic_size view = {200, 160};

/* Frames of one chain, so many px apart. */
static mosaic_poses *apart(int frames, double px) {
    static poses_rig other;
    rig_clear(&other);
    for (int i = 0; i < frames; i++) {
        rig_frame_at(&other, 0, px * i);
        other.frames[i].reference = i > 0 ? i - 1 : 0;
    }
    mosaic_poses *poses = rig_poses(&other, view);
    edges_free(&other.edges);
    return poses;
}

/* field: of so many px from left to right, which frames that move by 4 px a frame share less and less. */
static mosaic_edges chosen(int frames, const mosaic_edges *known, int field) {
    const key_frames with = {.field = {0, 0, field + 1, 101}};
    mosaic_edges out = {.items = NULL};
    mosaic_poses *poses = apart(frames, 4);
    CHECK(held_out_choose(frames, poses, known, &with, &out) == ENDO_OK);
    poses_destroy(&poses);
    return out;
}

static int count_chosen(int frames, const mosaic_edges *known, int field) {
    mosaic_edges pairs = chosen(frames, known, field);
    int n = pairs.n;
    edges_free(&pairs);
    return n;
}

/* Twelve of each distance, or as many as there are. */
static void test_pairs_of_four_distances_are_held_out(void) {
    const mosaic_edges none = {.items = NULL};
    mosaic_edges pairs = chosen(100, &none, 1000);
    int count[25] = {0};
    for (int i = 0; i < pairs.n; i++) {
        const endo_mosaic_edge *pair = &pairs.items[i];
        int distance = pair->current - pair->reference;
        count[distance]++;
        CHECK_NEAR(pair->transform.matrix[2], 4 * distance, 1e-9);
    }
    CHECK(count[2] == 12 && count[4] == 12 && count[8] == 12 && count[16] == 12 && pairs.n == 48);
    CHECK(pairs.items[11].reference == 98 * 11 / 12);
    edges_free(&pairs);
    CHECK(count_chosen(10, &none, 1000) == 8 + 6 + 2);
    CHECK(count_chosen(2, &none, 1000) == 0);
}

static void test_pairs_that_are_known_are_not_held_out(void) {
    rig_clear(&rig);
    for (int i = 0; i < 4; i++) {
        rig_shift(&rig, i, i + 4, 0, 0.1);
        rig_shift(&rig, i, i + 1, 0, 0.1);
    }
    CHECK(count_chosen(10, &rig.edges, 1000) == 8 + 2 + 2);
}

/* Frames eight apart share 1 - 32 / 54 of a field of 54 px, and 1 - 32 / 53 of one of 53 px. */
static void test_frames_that_share_too_little_are_not_held_out(void) {
    const mosaic_edges none = {.items = NULL};
    CHECK(count_chosen(10, &none, 54) == 16);
    CHECK(count_chosen(10, &none, 53) == 14);
}

/* Frames of different components, and those that are in none. */
static void test_frames_that_poses_do_not_have_are_not_held_out(void) {
    const key_frames with = {.field = {0, 0, 1001, 101}};
    mosaic_edges out = {.items = NULL};
    rig_clear(&rig);
    for (int i = 0; i < 10; i++) rig_frame_at(&rig, i > 7, 4 * i);
    mosaic_poses *poses = rig_poses(&rig, view);
    CHECK(held_out_choose(10, poses, &rig.edges, &with, &out) == ENDO_OK && out.n == 6 + 4);
    poses_destroy(&poses);
    edges_free(&out);
}

/* Poses 4 px apart, or 5 as homographies say, and pairs of frames three apart, of this many px a frame. */
static int speak(const double *found, int n) {
    mosaic_poses *tilted = apart(20, 5);
    mosaic_poses *straight = apart(20, 4);
    int speaks = -1;
    rig_clear(&rig);
    for (int i = 0; i < n; i++) {
        endo_transform shift = pose_translation(3 * found[i], 0);
        endo_transform step = rig_of_kind(ENDO_TRANSFORM_HOMOGRAPHY, &shift);
        rig_edge(&rig, i, i + 3, &step, 0.1);
    }
    rig_shift(&rig, 0, 5, 20, 0); /* of one that could not be registered nothing is known */
    CHECK(held_out_favour(&rig.edges, tilted, straight, view, &speaks) == ENDO_OK);
    poses_destroy(&tilted);
    poses_destroy(&straight);
    return speaks;
}

static int speak_alike(int n, double found) {
    double all[20];
    for (int i = 0; i < n; i++) all[i] = found;
    return speak(all, n);
}

static void test_eight_pairs_decide(void) {
    CHECK(speak_alike(8, 4.9) == 1);
    CHECK(speak_alike(7, 4.9) == 0);
}

/* The distances are 5 - x and x - 4. */
static void test_clearly_is_by_a_fifth(void) {
    CHECK(speak_alike(8, 4 + 1 / 1.79) == 1);
    CHECK(speak_alike(8, 4 + 1 / 1.81) == 0);
}

static void test_most_pairs_must_speak_for_them(void) {
    double found[8] = {4.1, 4.1, 4.9, 4.9, 4.9, 4.9, 4.9, 4.9};
    CHECK(speak(found, 8) == 1);
    found[2] = 4.1;
    CHECK(speak(found, 8) == 0);
}

/* ----------------------------------------------------------------- homographies */

/* Eight frames of one chain, their edges as translations and as homographies. */
typedef struct two_ways {
    mosaic_edges straight, tilted;
} two_ways;

static endo_transform tilted_step(double g) {
    return rig_times(pose_translation(4, 0), rig_perspective(g, 0, 99.5, 79.5));
}

static two_ways eight_frames(double g) {
    two_ways ways = {.straight = {.items = NULL}};
    endo_transform step = tilted_step(g);
    rig_clear(&rig);
    for (int i = 0; i < 8; i++) {
        rig_frame_at(&rig, 0, 4 * i);
        rig.frames[i].reference = i > 0 ? i - 1 : 0;
        if (i > 0) rig_shift(&rig, i - 1, i, 4, 0.1);
    }
    CHECK(edges_replace(&ways.straight, &rig.edges) == ENDO_OK && edges_replace(&ways.tilted, &rig.edges) == ENDO_OK);
    for (int i = 0; i < 7; i++) ways.tilted.items[i].transform = step;
    return ways;
}

static mosaic_poses *poses_by(const mosaic_edges *edges) {
    CHECK(edges_replace(&rig.edges, edges) == ENDO_OK);
    return rig_poses(&rig, view);
}

static void ways_free(two_ways *ways) {
    edges_free(&ways->straight);
    edges_free(&ways->tilted);
}

static int is_taken(const two_ways *ways) {
    mosaic_poses *straight = poses_by(&ways->straight);
    mosaic_poses *tilted = poses_by(&ways->tilted);
    int better = -1;
    CHECK(tilted_is_better(straight, &ways->straight, tilted, &ways->tilted, view, &better) == ENDO_OK);
    poses_destroy(&straight);
    poses_destroy(&tilted);
    return better;
}

static int loses_nothing(const two_ways *ways) {
    mosaic_poses *straight = poses_by(&ways->straight);
    mosaic_poses *tilted = poses_by(&ways->tilted);
    int loses = tilted_loses_nothing(straight, tilted);
    poses_destroy(&straight);
    poses_destroy(&tilted);
    return loses;
}

/* Three quarters of those that are sure. */
static void test_most_edges_must_be_homographies(void) {
    two_ways ways = eight_frames(1e-4);
    CHECK(is_taken(&ways) == 1);
    ways.tilted.items[6] = ways.straight.items[6];
    CHECK(is_taken(&ways) == 1);
    ways.tilted.items[5] = ways.straight.items[5];
    CHECK(is_taken(&ways) == 0);
    ways.tilted.items[5].doubtful = 1;
    CHECK(is_taken(&ways) == 1);
    ways_free(&ways);
}

/* Edges with the first frame, off by as much, of the one kind and of the other. */
static int is_taken_with(double before, double then) {
    two_ways ways = eight_frames(1e-4);
    mosaic_poses *tilted = poses_by(&ways.tilted);
    for (int i = 2; i < 8; i++) {
        endo_mosaic_edge edge = {.deviation = 0.1, .current = i};
        /* The chain has seven edges: the median is among the twelve that are added. */
        for (int k = 0; k < 2; k++) {
            edge.transform = rig_times(pose_translation(before, 0), rig.frames[i].pose);
            CHECK(edges_add(&ways.straight, &edge) == ENDO_OK);
            edge.transform = rig_times(pose_translation(then, 0), *poses_pose(tilted, i));
            CHECK(edges_add(&ways.tilted, &edge) == ENDO_OK);
        }
    }
    poses_destroy(&tilted);
    int taken = is_taken(&ways);
    ways_free(&ways);
    return taken;
}

static void test_no_more_contradiction_is_taken(void) {
    CHECK(is_taken_with(0.05, 0.06) == 0);
    CHECK(is_taken_with(0.05, 0.04) == 1);
    CHECK(is_taken_with(0, 0.009) == 1);
    CHECK(is_taken_with(0, 0.011) == 0);
}

static void test_no_more_frames_may_be_doubtful(void) {
    two_ways ways = eight_frames(1e-4);
    CHECK(loses_nothing(&ways) == 1);
    ways.tilted.items[6].deviation = 1.01;
    CHECK(loses_nothing(&ways) == 0);
    ways.straight.items[6].doubtful = 1;
    CHECK(loses_nothing(&ways) == 1);
    ways_free(&ways);
}

/* The last frames lie beyond the first one's horizon. */
static void test_no_frame_may_be_lost(void) {
    two_ways ways = eight_frames(4e-3);
    mosaic_poses *tilted = poses_by(&ways.tilted);
    CHECK(poses_frames(tilted, 0) > 0);
    poses_destroy(&tilted);
    CHECK(is_taken(&ways) == 0 && loses_nothing(&ways) == 0);
    ways_free(&ways);
}

int main(void) {
    test_key_frames_are_first_compared_with_the_next_of_their_chain();
    test_enough_must_be_shared();
    test_tiles_share_less();
    test_what_begins_far_away_is_not_looked_through();
    test_uncertainty_counts_in_pixels_of_the_key_frame();
    test_uncertain_poses_are_left_to_spectra();
    test_what_was_not_found_is_left_to_spectra_once();
    test_spectra_are_few();
    test_stretches_are_tied_to_few();
    test_of_as_much_the_first_ones_are_planned();
    test_repeated_key_frames_are_not_in_the_map();
    test_other_components_and_neighbours_are_not_compared();
    test_components_are_tied_by_their_middle_and_their_end();
    test_many_components_have_eight_pairs_each();
    key_frames_free(&keys);
    test_frames_that_only_neighbours_tie_are_bridged();
    test_four_steps_are_enough_and_three_are_not();
    test_what_another_edge_spans_is_not_bridged();
    test_only_pairs_across_a_weak_step_are_planned();
    test_frames_that_were_left_out_are_no_step();
    test_nothing_is_bridged_from_one_chain_to_another();
    test_pairs_of_four_distances_are_held_out();
    test_pairs_that_are_known_are_not_held_out();
    test_frames_that_share_too_little_are_not_held_out();
    test_frames_that_poses_do_not_have_are_not_held_out();
    test_eight_pairs_decide();
    test_clearly_is_by_a_fifth();
    test_most_pairs_must_speak_for_them();
    test_most_edges_must_be_homographies();
    test_no_more_contradiction_is_taken();
    test_no_more_frames_may_be_doubtful();
    test_no_frame_may_be_lost();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_plans");
}
