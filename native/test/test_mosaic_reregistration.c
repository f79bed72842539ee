/* Pairs that are registered again: as the class that the others have, and as homographies. */
#include "loops_rig.h"

static int go_through(reregistration *r) {
    int steps = 0;
    endo_status status = ENDO_OK;
    for (; status == ENDO_OK && !reregistration_done(r); steps++) status = reregistration_step(r);
    CHECK(status == ENDO_OK);
    return steps;
}

/* A simple pair and six similarities. */
static void make_simple(mosaic_edges *edges, double away) {
    add_edge(edges, 0, 2, ENDO_TRANSFORM_TRANSLATION, away);
    for (int i = 3; i < 9; i++) add_edge(edges, 0, i, ENDO_TRANSFORM_SIMILARITY, 0);
}

static endo_mosaic_edge simple_again(double away) {
    mosaic_edges edges = {.items = NULL};
    mosaic_edges before = {.items = NULL};
    reregistration *r;
    make_simple(&edges, away);
    CHECK(edges_replace(&before, &edges) == ENDO_OK);
    CHECK(reregistration_create(workspace, &options.pairs, &edges, &r) == ENDO_OK);
    CHECK(go_through(r) == 1 && edges.n == 7 && !memcmp(&edges.items[1], &before.items[1], 6 * sizeof *edges.items));
    endo_mosaic_edge again = edges.items[0];
    reregistration_destroy(&r);
    edges_free(&edges);
    edges_free(&before);
    return again;
}

/* A pair of a simpler class takes the class of the others, unless that moves it by more than half a pixel. */
static void test_simple_pairs_are_registered_again(void) {
    for (int k = 0; k < 2; k++) {
        endo_mosaic_edge again = simple_again(k * 0.4);
        CHECK(again.transform.kind == ENDO_TRANSFORM_SIMILARITY && again.deviation != 0.1);
        CHECK_NEAR(edge_error(&again), 0, 0.1);
    }
    CHECK(simple_again(0.6).transform.kind == ENDO_TRANSFORM_TRANSLATION);
}

static endo_mosaic_edge tilted_again(double away) {
    mosaic_edges edges = {.items = NULL};
    reregistration *r;
    add_edge(&edges, 0, 2, ENDO_TRANSFORM_SIMILARITY, away);
    CHECK(reregistration_create_tilted(workspace, &options.pairs, &edges, &r) == ENDO_OK && go_through(r) == 1);
    endo_mosaic_edge again = edges.items[0];
    reregistration_destroy(&r);
    edges_free(&edges);
    return again;
}

/* Within 12 px. */
static void test_pairs_become_homographies_near_where_they_were(void) {
    for (int k = 0; k < 2; k++) {
        endo_mosaic_edge again = tilted_again(k * 11.5);
        CHECK(again.transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
        CHECK_NEAR(edge_error(&again), 0, 0.3);
    }
    CHECK(tilted_again(12.5).transform.kind == ENDO_TRANSFORM_SIMILARITY);
}

static int steps_of(mosaic_edges *edges, const endo_pairs_options *by) {
    reregistration *r;
    CHECK(reregistration_create_tilted(workspace, by, edges, &r) == ENDO_OK);
    int steps = go_through(r);
    reregistration_destroy(&r);
    return steps;
}

/* Doubtful ones are not, nor is any where another class or method was asked for. */
static void test_which_pairs_are_registered_again(void) {
    mosaic_edges edges = {.items = NULL};
    endo_pairs_options other = options.pairs;
    add_edge(&edges, 0, 1, ENDO_TRANSFORM_SIMILARITY, 0);
    other.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    CHECK(steps_of(&edges, &other) == 0);
    other = options.pairs;
    other.method = ENDO_METHOD_PAPER;
    CHECK(steps_of(&edges, &other) == 0);
    edges.items[0].doubtful = 1;
    CHECK(steps_of(&edges, &options.pairs) == 0 && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    edges.items[0].doubtful = 0;
    CHECK(steps_of(&edges, &options.pairs) == 1 && edges.items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(steps_of(&edges, &options.pairs) == 0);
    edges_free(&edges);
}

static void test_edges_of_the_same_frames_become_the_same(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 2; i++) add_edge(&edges, 0, 1, ENDO_TRANSFORM_SIMILARITY, 0.2 * i);
    CHECK(steps_of(&edges, &options.pairs) == 1);
    CHECK(edges.items[0].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(!memcmp(&edges.items[0], &edges.items[1], sizeof *edges.items));
    edges_free(&edges);
}

static void test_sixteen_are_registered_together_or_what_the_store_holds(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 17; i++) {
        CHECK(steps_of(&edges, &options.pairs) == (i > 0));
        edges_clear(&edges);
        for (int k = 0; k <= i; k++) add_edge(&edges, k, k + 1, ENDO_TRANSFORM_RIGID, 0);
    }
    CHECK(steps_of(&edges, &options.pairs) == 2);
    edges_clear(&edges);
    for (int i = 0; i < 3; i++) add_edge(&edges, 2 * i, 2 * i + 1, ENDO_TRANSFORM_RIGID, 0);
    shrink_store(4);
    CHECK(steps_of(&edges, &options.pairs) == 2);
    for (int i = 0; i < 3; i++) CHECK(edges.items[i].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    edges_free(&edges);
}

static void test_frames_that_cannot_be_read_are_told(void) {
    mosaic_edges edges = {.items = NULL};
    for (int i = 0; i < 3; i++) add_edge(&edges, i, i + 1, ENDO_TRANSFORM_SIMILARITY, 0);
    unreadable_frame = 3;
    open_workspace(&small_demo);
    CHECK(steps_of(&edges, &options.pairs) == 1 && lines_with("frame 4: gone again") == 1);
    CHECK(edges.items[1].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
    CHECK(edges.items[2].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    edges_clear(&edges);
    add_edge(&edges, 3, 4, ENDO_TRANSFORM_SIMILARITY, 0);
    CHECK(steps_of(&edges, &options.pairs) == 1 && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    unreadable_frame = -1;
    close_workspace();
    edges_free(&edges);
}

/* Whatever allocation fails: edges are as they were, and the next try does it. */
static void test_a_failure_changes_no_edge(void) {
    mosaic_edges edges = {.items = NULL};
    mosaic_edges before = {.items = NULL};
    reregistration *r;
    int tries = 0;
    make_simple(&edges, 0);
    CHECK(edges_replace(&before, &edges) == ENDO_OK);
    CHECK(reregistration_create(workspace, &options.pairs, &edges, &r) == ENDO_OK);
    for (endo_status status = ENDO_ERR_MEMORY; status != ENDO_OK; tries++) {
        CHECK(!reregistration_done(r) && same_edges(&edges, &before));
        memory_arm(tries + 1, 0);
        status = reregistration_step(r);
        CHECK(status == ENDO_ERR_MEMORY || (status == ENDO_OK && memory_failures == 0));
    }
    memory_arm(0, 0);
    CHECK(tries > 5 && reregistration_done(r) && edges.items[0].transform.kind == ENDO_TRANSFORM_SIMILARITY);
    reregistration_destroy(&r);
    edges_free(&edges);
    edges_free(&before);
}

int main(void) {
    open_small_demo();
    set_options();
    open_workspace(&small_demo);
    test_simple_pairs_are_registered_again();
    test_pairs_become_homographies_near_where_they_were();
    test_which_pairs_are_registered_again();
    test_edges_of_the_same_frames_become_the_same();
    test_a_failure_changes_no_edge();
    test_sixteen_are_registered_together_or_what_the_store_holds();
    close_workspace();
    test_frames_that_cannot_be_read_are_told();
    close_small_demo();
    return check_summary("test_mosaic_reregistration");
}
