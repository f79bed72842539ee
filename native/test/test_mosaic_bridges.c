/* Bridges: edges between frames of a chain that nothing but neighbours holds. */
#include "systems/mosaic/bridges.h"
#include "loops_rig.h"

static mosaic_poses *given_poses(void) {
    mosaic_poses *poses = NULL;
    CHECK(poses_of_solved(rig.frames, rig.n, small_size, &poses) == ENDO_OK);
    return poses;
}

/* How many steps it takes; all that is found is added. */
static int build_bridges(mosaic_edges *out) {
    mosaic_poses *poses = given_poses();
    bridges *b;
    int steps = 0;
    CHECK(bridges_create(workspace, &options.pairs, rig.frames, rig.n, &rig.edges, &b) == ENDO_OK);
    endo_status status = ENDO_OK;
    for (; status == ENDO_OK && !bridges_done(b); steps++) status = bridges_step(b, poses, out);
    CHECK(status == ENDO_OK);
    bridges_destroy(&b);
    poses_destroy(&poses);
    return steps;
}

static int count_of(const mosaic_edges *edges, int frame) {
    int n = 0;
    for (int i = 0; i < edges->n; i++) n += edges->items[i].reference == frame || edges->items[i].current == frame;
    return n;
}

/* Across one frame and across two, in the order of the sequence. */
static void test_bridges_lie_where_the_frames_do(void) {
    mosaic_edges found = {.items = NULL};
    make_chain(10);
    CHECK(build_bridges(&found) == 1 && found.n == 8 + 7);
    for (int i = 0; i < found.n; i++) {
        int apart = found.items[i].current - found.items[i].reference;
        CHECK(apart >= 2 && apart <= 3 && (i == 0 || found.items[i].current >= found.items[i - 1].current));
        CHECK_NEAR(edge_error(&found.items[i]), 0, 0.2);
    }
    edges_clear(&found);
    make_chain(11);
    CHECK(build_bridges(&found) == 2 && found.n == 9 + 8);
    edges_clear(&found);
    for (int i = 0; i < 2; i++) rig.edges.items[i].deviation = 0.1;
    CHECK(build_bridges(&found) == 1 && found.n == 16);
    edges_free(&found);
}

/* From 8 px on; five pairs have the frame in the middle. */
static void test_bridges_far_from_the_chain_are_left_out(void) {
    mosaic_edges found = {.items = NULL};
    for (int k = 0; k < 2; k++) {
        make_chain(10);
        rig.frames[9].pose = rig_times(rig.frames[9].pose, pose_translation(k == 0 ? 7.5 : 8.5, 0));
        edges_clear(&found);
        build_bridges(&found);
        CHECK(count_of(&found, 9) == (k == 0 ? 2 : 0) && found.n == (k == 0 ? 15 : 13));
    }
    edges_free(&found);
}

static void test_bridges_begin_within_a_component_and_before_the_horizon(void) {
    mosaic_edges found = {.items = NULL};
    make_chain(10);
    rig.frames[5].component = 0;
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    rig.frames[5].component = 2;
    edges_clear(&found);
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    rig.frames[5].component = 1;
    rig.frames[5].pose = rig_times(rig.frames[5].pose, rig_perspective(0.02, 0, (SMALL_W - 1) / 2.0, (SMALL_H - 1) / 2.0));
    edges_clear(&found);
    build_bridges(&found);
    CHECK(count_of(&found, 5) == 0 && found.n == 15 - 4);
    edges_free(&found);
}

static void test_bridges_that_fail_are_the_next_again(void) {
    mosaic_edges found = {.items = NULL};
    bridges *b;
    int tries = 0;
    make_chain(6);
    mosaic_poses *poses = given_poses();
    CHECK(bridges_create(workspace, &options.pairs, rig.frames, rig.n, &rig.edges, &b) == ENDO_OK);
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!bridges_done(b) && found.n == 0);
        memory_arm(1 + tries * 3, 0);
        status = bridges_step(b, poses, &found);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 3 && bridges_done(b) && found.n == 4 + 3);
    bridges_destroy(&b);
    poses_destroy(&poses);
    edges_free(&found);
}

int main(void) {
    open_small_demo();
    set_options();
    open_workspace(&small_demo);
    test_bridges_lie_where_the_frames_do();
    test_bridges_far_from_the_chain_are_left_out();
    test_bridges_begin_within_a_component_and_before_the_horizon();
    test_bridges_that_fail_are_the_next_again();
    close_workspace();
    close_small_demo();
    return check_summary("test_mosaic_bridges");
}
