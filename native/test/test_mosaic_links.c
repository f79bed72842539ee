/* Edges that a person leaves out or sets: chains that part, frames that are not placed, panoramas that an edge by hand joins.
 * And frames that were chosen from a longer sequence, which keep their numbers. */
#include "systems/mosaic/chains_of_edges.h"
#include "systems/mosaic/stretch_edges.h"
#include "demo_rig.h"
#include "poses_rig.h"
#include "refuses.h"

enum { N = 8, STEP = 10 };

static poses_rig rig;
static const mosaic_size size = {100, 80};
static char lost[600]; /* the last event of frames that are lost */

static void note(void *user, const endo_event *event) {
    (void)user;
    if (event->level == ENDO_EVENT_LOST) snprintf(lost, sizeof lost, "%s", event->text);
}

/* N frames of a chain, each STEP to the right of the one before, as register leaves them. */
static void make_chain(void) {
    rig_clear(&rig);
    for (int i = 0; i < N; i++) {
        endo_transform pose = pose_translation(STEP * i, 0);
        rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose);
        if (i > 0) rig_shift(&rig, i - 1, i, STEP, 0.1);
    }
}

static endo_status solve(void) {
    endo_mosaic_hooks hooks = {.event = note};
    endo_mosaic *mosaic = NULL;
    lost[0] = 0;
    CHECK(endo_mosaic_create(NULL, &hooks, &mosaic) == ENDO_OK);
    endo_status status = endo_mosaic_solve(mosaic, &(endo_mosaic_records){
        .width = size.width,
        .height = size.height,
        .field_spread = 40,
        .frames = rig.frames,
        .n_frames = rig.n,
        .edges = rig.edges.items,
        .n_edges = rig.edges.n,
    });
    endo_mosaic_destroy(&mosaic);
    return status;
}

static double x_of(int frame) { return rig.frames[frame].pose.matrix[2]; }

/* ------------------------------------------------------------------ edges left out */

static void test_records_that_fit_their_edges_stay(void) {
    static endo_mosaic_frame before[N];
    int off = -1;
    make_chain();
    rig_shift(&rig, 0, 5, 5 * STEP, 0.1);
    memcpy(before, rig.frames, sizeof before);
    CHECK(chains_of_edges(rig.frames, N, &rig.edges, &off) == ENDO_OK && off == 0);
    CHECK(!memcmp(before, rig.frames, sizeof before));
    CHECK(solve() == ENDO_OK && !lost[0]);
    for (int i = 0; i < N; i++) CHECK(rig.frames[i].component == 1 && fabs(x_of(i) - STEP * i) < 1e-9);
}

static void test_a_frame_without_edges_is_not_placed(void) {
    make_chain();
    rig_remove_edge(&rig, 3); /* 3 -> 4 */
    rig_remove_edge(&rig, 2); /* 2 -> 3 */
    rig_shift(&rig, 2, 4, 2 * STEP, 0.1);
    rig.frames[3].number = 53;
    rig.frames[3].order = 4;
    CHECK(solve() == ENDO_OK);
    const endo_mosaic_frame *off = &rig.frames[3];
    CHECK(!off->registered && off->status == ENDO_FRAME_NOT_PLACED && off->component == 0 && off->reference == -1);
    CHECK(off->order == 0);
    CHECK(isnan(off->deviation) && !off->doubtful);
    CHECK(!strcmp(lost, "not in the panorama: 1 of 8 frames: frame 53 (not placed)"));
    for (int i = 0; i < N; i++)
        if (i != 3) CHECK(rig.frames[i].component == 1 && fabs(x_of(i) - STEP * i) < 1e-9);
    CHECK(rig.frames[4].reference == 4 && rig.frames[5].reference == 4);
}

/* The only edge of a chain of one frame, which ties it to another chain. */
static void test_a_chain_of_one_frame_is_not_placed_without_its_edge(void) {
    make_chain();
    rig.frames[7].chain = 1;
    rig.frames[7].reference = 7;
    rig_remove_edge(&rig, 6);
    CHECK(solve() == ENDO_OK);
    CHECK(rig.frames[7].status == ENDO_FRAME_NOT_PLACED && rig.frames[6].component == 1);
    CHECK(!strcmp(lost, "not in the panorama: 1 of 8 frames: frame 8 (not placed)"));
}

static void test_a_chain_parts_where_no_edge_holds_it(void) {
    make_chain();
    rig_remove_edge(&rig, 2); /* 2 -> 3 */
    CHECK(solve() == ENDO_OK && !lost[0]);
    for (int i = 0; i < N; i++) CHECK(rig.frames[i].component == (i < 3 ? 2 : 1) && rig.frames[i].chain == (i >= 3));
    CHECK(x_of(0) == 0 && x_of(3) == 0 && fabs(x_of(7) - 4 * STEP) < 1e-9);
}

static void test_without_any_edge_nothing_is_placed(void) {
    make_chain();
    edges_clear(&rig.edges);
    CHECK(solve() == ENDO_OK);
    for (int i = 0; i < N; i++) CHECK(rig.frames[i].status == ENDO_FRAME_NOT_PLACED && !rig.frames[i].component);
    CHECK(!strcmp(lost, "not in the panorama: 8 of 8 frames: frames 1-8 (not placed)"));
}

/* Frame 3 joined the chain 60 px off, and another edge knows better: while the wrong one counts it tears the chain. */
static void test_a_wrong_edge_that_is_left_out_gives_the_poses_back(void) {
    for (int without = 0; without < 2; without++) {
        make_chain();
        for (int i = 3; i < N; i++) rig.frames[i].pose = pose_translation(STEP * i + 60, 0);
        rig.edges.items[2].transform = pose_translation(STEP + 60, 0);
        rig_shift(&rig, 1, 4, 3 * STEP, 0.1);
        if (without) rig_remove_edge(&rig, 2);
        CHECK(solve() == ENDO_OK && !lost[0]);
        double off = 0;
        for (int i = 0; i < N; i++) off = fmax(off, fabs(x_of(i) - STEP * i));
        CHECK(without ? off < 1e-6 : off > 5);
    }
}

/* --------------------------------------------------------------------- edges by hand */

/* Two chains of four frames; by hand they lie 30 px below each other. */
static endo_mosaic_edge *two_chains(double deviation) {
    make_chain();
    rig_remove_edge(&rig, 3);
    for (int i = 4; i < N; i++) rig.frames[i].chain = 1;
    rig.frames[4].reference = 4;
    endo_transform below = pose_translation(0, 30);
    return rig_edge(&rig, 1, 5, &below, deviation);
}

static void test_an_edge_by_hand_joins_panoramas_and_is_sure(void) {
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        two_chains(3)->by_hand = by_hand;
        CHECK(solve() == ENDO_OK);
        for (int i = 0; i < N; i++) CHECK(rig.frames[i].component == 1);
        CHECK(fabs(x_of(5) - STEP) < 1e-6 && fabs(rig.frames[5].pose.matrix[5] - 30) < 1e-6);
        CHECK(rig.frames[6].status == (by_hand ? ENDO_FRAME_OK : ENDO_FRAME_DOUBTFUL));
        CHECK(rig.frames[6].deviation > 2.9 && rig.frames[6].deviation < 3.2);
    }
}

/* What a person says decides where frames lie at first, before edges that were found. */
static void test_edges_by_hand_come_first(void) {
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        two_chains(0.1);
        endo_transform above = pose_translation(0, -30);
        rig_edge(&rig, 2, 6, &above, 0.1)->by_hand = by_hand;
        CHECK(solve() == ENDO_OK);
        CHECK(fabs(rig.frames[6].chained.matrix[5] - (by_hand ? -30 : 30)) < 1e-9);
    }
}

/* The edge by which a frame joined, mended: it takes the place of the old one, and the pose along the chain is its own. */
static void test_an_edge_by_hand_replaces_that_of_the_chain(void) {
    make_chain();
    rig.edges.items[2].transform = pose_translation(2 * STEP, 0);
    rig.edges.items[2].by_hand = 1;
    CHECK(solve() == ENDO_OK && !lost[0]);
    CHECK(fabs(rig.frames[3].chained.matrix[2] - 4 * STEP) < 1e-9 && fabs(x_of(7) - 8 * STEP) < 1e-6);
}

static void test_an_edge_by_hand_places_a_frame_that_was_not_registered(void) {
    make_chain();
    rig_remove_edge(&rig, 6);
    rig.frames[7] = mosaic_unknown_frame();
    rig.frames[7].status = ENDO_FRAME_JUMP;
    rig.frames[7].pose = pose_translation(1000, 0);
    endo_mosaic_edge *edge = rig_shift(&rig, 2, 7, 25, 0.5);
    REFUSES(solve(), "edge 6: frames 2 and 7: both must be registered, or the edge by hand");
    edge->by_hand = 1;
    CHECK(solve() == ENDO_OK);
    CHECK(rig.frames[7].registered && rig.frames[7].status == ENDO_FRAME_OK && rig.frames[7].component == 1);
    CHECK(fabs(x_of(7) - 45) < 1e-6);
}

/* An edge within a stretch is widened where such edges contradict the chain; one by hand is taken as it is. */
static void test_edges_by_hand_are_not_widened(void) {
    stretch_edges stretch;
    endo_transform chained[N];
    make_chain();
    rig.frames[0].key_frame = 1;
    for (int i = 0; i < N; i++) chained[i] = rig.frames[i].pose;
    endo_mosaic_edge *edge = rig_shift(&rig, 0, 5, 7 * STEP, 0.1);
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        edge->by_hand = by_hand;
        CHECK(stretch_edges_create(rig.frames, N, chained, &rig.edges, size, &stretch) == ENDO_OK);
        CHECK(stretch_edges_is_within(&stretch, edge) == !by_hand);
        stretch_edges_free(&stretch);
    }
}

/* ------------------------------------------------------------------- frames by number */

static demo_frames demo;
static int32_t first_number; /* of the source */
static int32_t number_step;

static int32_t number(void *user, int32_t frame) {
    (void)user;
    return first_number + number_step * frame;
}

static const void *lend_all_but_one(void *user, int32_t frame, char *reason) {
    return frame == 5 ? NULL : demo_lend(user, frame, reason);
}

static void test_messages_and_records_have_the_numbers_of_the_source(void) {
    endo_demo_options options = endo_demo_options_default();
    endo_mosaic_hooks hooks = {.event = note};
    endo_mosaic *mosaic = NULL;
    int32_t n = 0;
    options.width = 200;
    options.height = 160;
    options.frames = 10;
    options.step = 4;
    demo_make(&demo, &options, 10, DEMO_GREY8);
    endo_mosaic_source source = demo.source;
    source.lend = lend_all_but_one;
    source.number = number;
    first_number = 100, number_step = 3;
    CHECK(endo_mosaic_create(NULL, &hooks, &mosaic) == ENDO_OK);
    CHECK(endo_mosaic_run(mosaic, &source) == ENDO_OK);
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    for (int i = 0; i < n; i++) CHECK(frames[i].number == 100 + 3 * i);
    CHECK(n == 10 && !strcmp(lost, "not in the panorama: 1 of 10 frames: frame 115 (skipped)"));
    endo_mosaic_destroy(&mosaic);
    first_number = 5, number_step = 0;
    CHECK(endo_mosaic_create(NULL, NULL, &mosaic) == ENDO_OK);
    REFUSES(endo_mosaic_run(mosaic, &source), "frame 1 of the source: number 5: must be 6..");
    endo_mosaic_destroy(&mosaic);
    demo_free(&demo);
}

int main(void) {
    test_records_that_fit_their_edges_stay();
    test_a_frame_without_edges_is_not_placed();
    test_a_chain_of_one_frame_is_not_placed_without_its_edge();
    test_a_chain_parts_where_no_edge_holds_it();
    test_without_any_edge_nothing_is_placed();
    test_a_wrong_edge_that_is_left_out_gives_the_poses_back();
    test_an_edge_by_hand_joins_panoramas_and_is_sure();
    test_edges_by_hand_come_first();
    test_an_edge_by_hand_replaces_that_of_the_chain();
    test_an_edge_by_hand_places_a_frame_that_was_not_registered();
    test_edges_by_hand_are_not_widened();
    test_messages_and_records_have_the_numbers_of_the_source();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_links");
}
