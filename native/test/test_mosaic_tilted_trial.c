/* The trial whether homographies hold a sequence together better, where its edges tell of a tilted plane. */
#include "loops_rig.h"

/* The poses that a trial is given: for edges as they were, and for homographies. */
typedef struct two_ways {
    poses_rig *straight;
    poses_rig *tilted; /* NULL: the same */
    const mosaic_edges *edges[2];
    int follow; /* poses follow from the edges, too */
    int calls;
    int fails; /* this call of them does */
} two_ways;

static poses_rig other_rig;
static const mosaic_edges no_edges = {.items = NULL};

static endo_status solve_ways(void *self, const mosaic_edges *edges, mosaic_poses **out) {
    two_ways *ways = self;
    int call = ways->calls++;
    if (call == ways->fails) return endo_fail(ENDO_ERR_MEMORY, "not now");
    int is_tilted = edges->items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY;
    poses_rig *of = is_tilted && ways->tilted ? ways->tilted : ways->straight;
    return poses_create(of->frames, of->n, ways->follow ? edges : &no_edges, small_size, out);
}

/* All edges agree on a tilted plane, or they say nothing of it and are affine maps; lens: what they see of one. */
static void make_claims(int agree, double lens) {
    make_chain(SMALL_FRAMES);
    for (int i = 0; i < rig.edges.n; i++) {
        endo_mosaic_edge *edge = &rig.edges.items[i];
        edge->deviation = 0.1;
        edge->perspective[0] = agree ? 5e-5 : 0;
        edge->perspective_deviation = 5e-6;
        edge->lens = lens;
        edge->lens_deviation = 0.01;
        edge->transform.kind = agree ? edge->transform.kind : ENDO_TRANSFORM_AFFINE;
    }
}

static key_frames keys_of_field(void) { return (key_frames){.field = workspace->field.bounds}; }

static tilted_trial *new_trial(const endo_pairs_options *by, const key_frames *keys) {
    tilted_trial *trial = (tilted_trial *)&rig;
    mosaic_poses *poses = rig_poses(&rig, small_size);
    CHECK(tilted_trial_create(workspace, by, poses, &rig.edges, keys, &trial) == ENDO_OK);
    poses_destroy(&poses);
    return trial;
}

static void test_where_homographies_are_tried(void) {
    key_frames keys = keys_of_field();
    endo_pairs_options by = options.pairs;
    tilted_trial *trial;
    for (int agree = 0; agree < 2; agree++) {
        make_claims(agree, 0);
        trial = new_trial(&by, &keys);
        CHECK(trial && !tilted_trial_has_begun(trial) && !tilted_trial_done(trial) && !tilted_trial_outcome(trial));
        tilted_trial_destroy(&trial);
        make_claims(agree, 0.1);
        CHECK(!new_trial(&by, &keys));
    }
    make_claims(1, 0);
    by.transform = ENDO_TRANSFORM_AFFINE;
    CHECK(!new_trial(&by, &keys));
    make_claims(0, 0);
    for (int i = 0; i < rig.edges.n; i++) rig.edges.items[i].transform.kind = ENDO_TRANSFORM_SIMILARITY;
    CHECK(!new_trial(&options.pairs, &keys));
}

/* Takes a trial to its end; returns the steps. */
static int go_through_trial(tilted_trial *trial, two_ways *ways) {
    int steps = 0;
    CHECK(tilted_trial_begin(trial, &rig.edges) == ENDO_OK && tilted_trial_has_begun(trial));
    for (; !tilted_trial_done(trial) && steps < 100; steps++) CHECK(tilted_trial_step(trial, solve_ways, ways) == ENDO_OK);
    return steps;
}

static void check_homographies(const tilted_trial *trial) {
    const mosaic_edges *edges = tilted_trial_edges(trial);
    int n = 0;
    CHECK(edges->n == rig.edges.n);
    for (int i = 0; i < edges->n; i++) {
        n += pose_is_homography(&edges->items[i].transform);
        CHECK(!pose_is_homography(&rig.edges.items[i].transform));
    }
    CHECK(n == edges->n);
}

/* No edge of a chain contradicts another: nothing has to be held out. */
static void test_a_plane_that_all_see_tilted_is_taken(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .follow = 1, .fails = -1};
    make_claims(1, 0);
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 && ways.calls == 2 && tilted_trial_is_taken(trial));
    check_homographies(trial);
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(outcome && rig_begins(outcome, "a tilted plane is seen (") && !strstr(outcome, "held out"));
    CHECK(outcome && strstr(outcome, "deviations): all pairs were registered again as homographies (warp=Affine"));
    mosaic_poses *poses = tilted_trial_take_poses(trial);
    CHECK(poses && pose_is_homography(poses_pose(poses, SMALL_FRAMES - 1)) && poses_components(poses) == 1);
    poses_destroy(&poses);
    tilted_trial_destroy(&trial);
    CHECK(!trial);
}

/* Homographies of their own that contradict the poses, which both ways have: nobody speaks for them. */
static void test_a_tilt_that_does_not_hold_is_told(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .fails = -1};
    make_claims(1, 0);
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 + 3 + 1 && ways.calls == 2 && !tilted_trial_is_taken(trial));
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(outcome && strstr(outcome, "), but homographies hold the sequence together no better: pairs stay as they are"));
    mosaic_poses *poses = tilted_trial_take_poses(trial);
    CHECK(poses && !pose_is_homography(poses_pose(poses, SMALL_FRAMES - 1)));
    poses_destroy(&poses);
    tilted_trial_destroy(&trial);
}

/* Where homographies lose a frame nothing is held out. */
static void test_a_lost_frame_ends_the_trial(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &rig, .tilted = &other_rig, .fails = -1};
    make_claims(1, 0);
    other_rig = rig;
    other_rig.frames[SMALL_FRAMES - 1].registered = 0;
    tilted_trial *trial = new_trial(&options.pairs, &keys);
    CHECK(go_through_trial(trial, &ways) == 3 + 1 && !tilted_trial_is_taken(trial) && tilted_trial_outcome(trial));
    tilted_trial_destroy(&trial);
}

/* Poses along the affine maps that are off by this much more from frame to frame, px. */
static tilted_trial *vote(two_ways *ways, const key_frames *keys, double growing, int *steps) {
    make_claims(0, 0);
    other_rig = rig;
    for (int i = 0; i < SMALL_FRAMES; i++) other_rig.frames[i].pose = shifted(growing * i, rig.frames[i].pose);
    tilted_trial *trial = new_trial(&options.pairs, keys);
    *steps = go_through_trial(trial, ways);
    return trial;
}

static void test_pairs_that_are_held_out_decide_where_edges_do_not_agree(void) {
    key_frames keys = keys_of_field();
    two_ways ways = {.straight = &other_rig, .tilted = &rig, .fails = -1};
    int steps;
    tilted_trial *trial = vote(&ways, &keys, 0.5, &steps);
    const char *outcome = tilted_trial_outcome(trial);
    CHECK(steps == 3 + 1 + 3 + 1 && tilted_trial_is_taken(trial));
    CHECK(outcome && !strcmp(outcome,
                             "100 % of the pairs are affine maps, and homographies fit pairs that were held out better: "
                             "all pairs were registered again as homographies (warp=Affine prevents that)"));
    tilted_trial_destroy(&trial);
    ways = (two_ways){.straight = &rig, .tilted = &other_rig, .fails = -1};
    trial = vote(&ways, &keys, 0.5, &steps);
    CHECK(steps == 3 + 1 + 3 + 1 && !tilted_trial_is_taken(trial) && !tilted_trial_outcome(trial));
    tilted_trial_destroy(&trial);
}

static void test_a_trial_goes_on_after_a_failure(void) {
    key_frames keys = keys_of_field();
    for (int fails = 0; fails < 2; fails++) {
        two_ways ways = {.straight = &rig, .follow = 1, .fails = fails};
        int failures = 0;
        make_claims(1, 0);
        tilted_trial *trial = new_trial(&options.pairs, &keys);
        CHECK(tilted_trial_begin(trial, &rig.edges) == ENDO_OK);
        for (int i = 0; !tilted_trial_done(trial) && i < 9; i++)
            failures += tilted_trial_step(trial, solve_ways, &ways) == ENDO_ERR_MEMORY;
        CHECK(failures == 1 && ways.calls == fails + 3 && tilted_trial_is_taken(trial));
        tilted_trial_destroy(&trial);
    }
}

int main(void) {
    open_small_demo();
    set_options();
    open_workspace(&small_demo);
    test_where_homographies_are_tried();
    test_a_plane_that_all_see_tilted_is_taken();
    test_a_tilt_that_does_not_hold_is_told();
    test_a_lost_frame_ends_the_trial();
    test_pairs_that_are_held_out_decide_where_edges_do_not_agree();
    test_a_trial_goes_on_after_a_failure();
    close_workspace();
    close_small_demo();
    return check_summary("test_mosaic_tilted_trial");
}
