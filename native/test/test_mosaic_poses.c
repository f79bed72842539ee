/* Components of a panorama, and what edges say of the poses in them. */
#include "systems/mosaic/chained_poses.h"
#include "systems/mosaic/edge_paths.h"
#include "systems/mosaic/stretch_edges.h"
#include "poses_rig.h"

static poses_rig rig;
static const mosaic_size one = {1, 1};
static const mosaic_size size = {100, 80};

static void frames_at(const int *chains, const double *x, int n) {
    rig_clear(&rig);
    for (int i = 0; i < n; i++) rig_frame_at(&rig, chains[i], x[i]);
}

/* ------------------------------------------------------------------ components */

static void test_components_are_numbered_by_their_size_and_begin_at_their_first_frame(void) {
    const int chains[5] = {0, 1, 1, 0, 1};
    const double x[5] = {5, 7, 17, 9, 27};
    frames_at(chains, x, 5);
    rig.frames[3].registered = 0;
    mosaic_poses *poses = rig_poses(&rig, one);
    CHECK(poses_components(poses) == 2);
    CHECK(poses_frames(poses, 1) == 3 && poses_frames(poses, 2) == 1 && poses_frames(poses, 0) == 1);
    CHECK(poses_next(poses, 1, 0) == 1 && poses_next(poses, 1, 2) == 2 && poses_next(poses, 1, 3) == 4);
    CHECK(poses_next(poses, 1, 5) == -1 && poses_next(poses, 2, 0) == 0 && poses_next(poses, 2, 1) == -1);
    CHECK(poses_component(poses, 3) == 0);
    CHECK(poses_canvas(poses, 1) == 1 && poses_canvas(poses, 2) == 0);
    CHECK(rig_x(poses, 1) == 0 && rig_x(poses, 2) == 10 && rig_x(poses, 4) == 20);
    poses_destroy(&poses);
    CHECK(!poses);
}

/* Components of one size come in the order of their chains. */
static void test_as_large_components_keep_their_order(void) {
    const int chains[4] = {2, 0, 0, 2};
    const double x[4] = {0, 0, 0, 0};
    frames_at(chains, x, 4);
    mosaic_poses *poses = rig_poses(&rig, one);
    CHECK(poses_canvas(poses, 1) == 0 && poses_canvas(poses, 2) == 2);
    poses_destroy(&poses);
}

/* The first of chain 1 lies at 100 in the last of chain 0. */
static void test_an_edge_ties_two_chains(void) {
    const int chains[4] = {0, 0, 1, 1};
    const double x[4] = {0, 10, 3, 8};
    frames_at(chains, x, 4);
    rig_shift(&rig, 1, 2, 100, 0.1);
    mosaic_poses *poses = rig_poses(&rig, one);
    CHECK(poses_components(poses) == 1);
    CHECK_NEAR(rig_x(poses, 2), 110, 1e-9);
    CHECK_NEAR(rig_x(poses, 3), 115, 1e-9);
    poses_destroy(&poses);
}

/* The last frame of three reaches the horizon of the first one. */
static void test_frames_across_the_horizon_are_left_out_and_said(void) {
    const int chains[3] = {0, 0, 0};
    const double x[3] = {0, 10, 20};
    frames_at(chains, x, 3);
    rig.frames[2].pose = rig_perspective(-0.021, 0, 50, 40);
    mosaic_poses *poses = rig_poses(&rig, (mosaic_size){101, 81});
    CHECK(poses_frames(poses, 1) == 2 && poses_component(poses, 2) == 0);
    poses_put(poses);
    CHECK(!rig.frames[2].registered && rig.frames[2].status == ENDO_FRAME_OBLIQUE && rig.frames[2].component == 0);
    CHECK(rig.frames[1].registered && rig.frames[1].status == ENDO_FRAME_OK && rig.frames[1].component == 1);
    CHECK(rig.frames[0].solved && rig.frames[1].chained.matrix[2] == 10);
    poses_destroy(&poses);
}

/* Chain 1 would lie across the horizon of chain 0. */
static void test_components_are_not_tied_across_the_horizon(void) {
    const int chains[3] = {0, 1, 1};
    const double x[3] = {0, 0, 1};
    const endo_transform steps[2] = {rig_perspective(-0.019, 0, 50, 40), rig_perspective(-0.005, 0, 50, 40)};
    frames_at(chains, x, 3);
    rig_edge(&rig, 0, 1, &steps[0], 0.1);
    mosaic_poses *poses = rig_poses(&rig, (mosaic_size){101, 81});
    CHECK(poses_components(poses) == 2);
    poses_destroy(&poses);
    rig_edge(&rig, 0, 1, &steps[1], 0.1);
    poses = rig_poses(&rig, (mosaic_size){101, 81});
    CHECK(poses_components(poses) == 1);
    CHECK_NEAR(rig_x(poses, 2), rig_times(steps[1], pose_translation(1, 0)).matrix[2], 1e-9);
    CHECK(poses_scale(poses, 1) > 1.01);
    poses_destroy(&poses);
}

/* An edge is sure if its deviation is 1 px at most; without any edge nothing is doubtful. */
static void test_frames_of_poor_edges_are_doubtful(void) {
    const int chains[5] = {0};
    const double x[5] = {0, 10, 20, 30, 40};
    frames_at(chains, x, 5);
    rig_shift(&rig, 0, 1, 10, 0.99);
    rig_shift(&rig, 1, 2, 10, 1.01);
    rig_shift(&rig, 1, 3, 20, 0.01)->doubtful = 1;
    mosaic_poses *poses = rig_poses(&rig, one);
    CHECK(!poses_is_doubtful(poses, 0) && !poses_is_doubtful(poses, 1) && !poses_is_doubtful(poses, 4));
    CHECK(poses_is_doubtful(poses, 2) && poses_is_doubtful(poses, 3));
    CHECK(poses_doubtful(poses) == 2 && poses_has_doubts(poses, 1));
    rig.frames[1].status = ENDO_FRAME_FEW_LANDMARKS;
    poses_put(poses);
    CHECK(rig.frames[2].doubtful && rig.frames[3].doubtful && !rig.frames[1].doubtful);
    CHECK(rig.frames[2].status == ENDO_FRAME_DOUBTFUL && rig.frames[1].status == ENDO_FRAME_OK);
    poses_destroy(&poses);
}

/* Frames that sure edges tie to each other, and only a doubtful one to the others: the fewer are doubtful, first or last. */
static void test_what_hangs_on_a_doubtful_edge_is_doubtful(void) {
    const int chains[5] = {0};
    const double x[5] = {0, 10, 20, 30, 40};
    for (int cut = 1; cut < 5; cut++) {
        frames_at(chains, x, 5);
        for (int i = 1; i < 5; i++) rig_shift(&rig, i - 1, i, 10, 0.1)->doubtful = i == cut;
        mosaic_poses *poses = rig_poses(&rig, one);
        for (int i = 0; i < 5; i++) CHECK(poses_is_doubtful(poses, i) == (2 * cut > 5 ? i >= cut : i < cut));
        poses_destroy(&poses);
        rig_shift(&rig, cut > 1 ? cut - 2 : 0, cut > 1 ? cut : 2, 20, 0.1);
        poses = rig_poses(&rig, one);
        CHECK(poses_doubtful(poses) == 0);
        poses_destroy(&poses);
    }
}

static void test_poses_that_were_solved_for_before(void) {
    const int chains[3] = {0};
    const double x[3] = {0, 10, 20};
    frames_at(chains, x, 3);
    for (int i = 0; i < 3; i++) {
        rig.frames[i].component = i < 2 ? 2 : 1;
        rig.frames[i].deviation = i;
        rig.frames[i].doubtful = i == 1;
    }
    rig.frames[1].chained = pose_translation(11, 0);
    rig.frames[1].solved = 1;
    mosaic_poses *poses = NULL;
    CHECK(poses_of_solved(rig.frames, 3, size, &poses) == ENDO_OK);
    CHECK(poses_components(poses) == 2 && poses_canvas(poses, 2) == 2 && poses_component(poses, 1) == 2);
    CHECK(poses_is_doubtful(poses, 1) && !poses_is_doubtful(poses, 0) && poses_deviation(poses, 2) == 2);
    CHECK(!poses_sees_tilt(poses) && rig_x(poses, 1) == 10);
    poses_keep_chained(poses, 2);
    CHECK(rig_x(poses, 0) == 0 && rig_x(poses, 1) == 11 && rig_x(poses, 2) == 20);
    poses_destroy(&poses);
}

/* ----------------------------------------------------------------------- chains */

enum { CHAIN = 8 };

static void chain_of_eight(const endo_transform *step) {
    rig_clear(&rig);
    for (int i = 0; i < CHAIN; i++) {
        rig_frame_at(&rig, 0, 4 * i);
        rig.frames[i].reference = i > 0 ? i - 1 : 0;
        if (i > 0) rig_edge(&rig, i - 1, i, step, 0.1);
    }
}

static void check_same(const endo_transform *a, endo_transform b) {
    for (int i = 0; i < 9; i++) CHECK_NEAR(a->matrix[i], b.matrix[i], 1e-9);
}

static void test_chains_follow_from_their_edges(void) {
    const endo_transform tilted = rig_times(pose_translation(4, 0), rig_perspective(1e-4, 0, 99.5, 79.5));
    const endo_transform straight = pose_translation(4, 0);
    endo_transform poses[CHAIN];
    chain_of_eight(&tilted);
    endo_transform third = rig_times(rig_times(tilted, tilted), tilted);
    CHECK(chained_poses(rig.frames, CHAIN, &rig.edges, poses) == ENDO_OK);
    check_same(&poses[0], pose_identity);
    check_same(&poses[1], tilted);
    check_same(&poses[3], third);
    /* A frame without an edge of its own stays where the frame before is said to have it. */
    rig_remove_edge(&rig, 3);
    CHECK(chained_poses(rig.frames, CHAIN, &rig.edges, poses) == ENDO_OK);
    check_same(&poses[4], rig_times(third, straight));
    check_same(&poses[5], rig_times(rig_times(third, straight), tilted));
    /* Frames of another chain, and those that were not registered, are where they were. */
    rig.frames[6].chain = 1;
    rig.frames[7].registered = 0;
    CHECK(chained_poses(rig.frames, CHAIN, &rig.edges, poses) == ENDO_OK);
    CHECK(poses[6].matrix[2] == 24 && poses[7].matrix[2] == 28);
    chain_of_eight(&straight);
    CHECK(chained_poses(rig.frames, CHAIN, &rig.edges, poses) == ENDO_OK);
    for (int i = 0; i < CHAIN; i++) CHECK(memcmp(&poses[i], &rig.frames[i].pose, sizeof *poses) == 0);
}

/* ------------------------------------------------------------------------ solve */

static mosaic_poses *solved(void) {
    return rig_solved(&rig, size);
}

static double square(double v) {
    return v * v;
}

/* An edge that contradicts two others hardly counts: by weights 1 / (1 + (c / 3)^2), c its contradiction in deviations, root
 * mean square of both axes. */
static void test_contradictions_hardly_count(void) {
    const int chains[2] = {0};
    const double x[2] = {0, 10};
    const double said[3] = {10, 10, 40};
    double pull = 0;
    frames_at(chains, x, 2);
    for (int i = 0; i < 3; i++) rig_shift(&rig, 0, 1, said[i], 1);
    mosaic_poses *poses = solved();
    double at = rig_x(poses, 1);
    for (int i = 0; i < 3; i++) pull += (said[i] - at) / (1 + square(said[i] - at) / 2 / 9);
    CHECK_NEAR(pull, 0, 1e-6);
    CHECK_NEAR(at, 10.3, 0.02); /* the mean would be 20 */
    poses_put(poses);
    CHECK(rig.frames[1].chained.matrix[2] == 10 && rig.frames[1].pose.matrix[2] == at);
    poses_keep_chained(poses, 1);
    CHECK(rig_x(poses, 1) == 10);
    poses_destroy(&poses);
}

/* Frames of 320 x 240 px that fly along a slanted plane, each edge the same homography. */
static mosaic_poses *flown(int frames) {
    const endo_transform step = rig_times(pose_translation(40, 0), rig_perspective(1.25e-4, 0, 159.5, 119.5));
    const endo_transform still = rig_of_kind(ENDO_TRANSFORM_HOMOGRAPHY, &pose_identity);
    rig_clear(&rig);
    for (int i = 0; i < frames; i++) {
        rig_frame(&rig, 0, -1, &still);
        if (i > 0) rig_edge(&rig, i - 1, i, &step, 0.05);
    }
    return rig_solved(&rig, (mosaic_size){320, 240});
}

static void test_frames_beyond_the_horizon_are_told(void) {
    char said[300];
    char few[12];
    mosaic_poses *poses = flown(40);
    poses_warning(poses, "", said, sizeof said);
    CHECK(strstr(said, " stopped before the horizon of the first one, where pairs put them beyond it") && said[0] >= '1');
    poses_warning(poses, "", few, sizeof few);
    CHECK(strlen(few) == sizeof few - 1 && strncmp(few, said, sizeof few - 1) == 0);
    poses_destroy(&poses);
    poses = flown(5);
    poses_warning(poses, "", said, sizeof said);
    CHECK(said[0] == 0);
    poses_destroy(&poses);
}

/* A step of 0.1 px of a frame that is three times as large as the next one, and of that 0.1 px more. */
static void test_deviations_are_in_pixels_of_the_first_frame(void) {
    const int chains[3] = {0};
    const double x[3] = {0, 10, 10};
    const endo_transform steps[2] = {rig_affine(3, 0, 10, 0, 3, 0), rig_affine(1, 0, 10, 0, 1, 0)};
    frames_at(chains, x, 3);
    rig_edge(&rig, 0, 1, &steps[0], 0.1);
    rig_edge(&rig, 1, 2, &steps[1], 0.1);
    rig.frames[1].pose = steps[0];
    rig.frames[2].pose = rig_times(steps[0], steps[1]);
    mosaic_poses *poses = solved();
    CHECK_NEAR(poses_deviation(poses, 1), 0.1, 1e-3);
    /* The centre of the last frame lies beside that of the one before: its turns count a little more. */
    CHECK_NEAR(poses_deviation(poses, 2), length_of(0.1, 0.3), 0.01);
    CHECK_NEAR(poses_scale(poses, 2), 3, 1e-6);
    poses_destroy(&poses);
}

/* The root of the weighted squares of all contradictions over the edges beyond the one that it takes. */
static void test_contradictions_widen_deviations(void) {
    const int chains[2] = {0};
    const double x[2] = {0, 10};
    const double said[3] = {10, 11, 40};
    double squares = 0;
    double weights = 0;
    frames_at(chains, x, 2);
    rig_shift(&rig, 0, 1, said[0], 1);
    mosaic_poses *poses = solved();
    CHECK_NEAR(poses_deviation(poses, 1), 1, 1e-9);
    poses_destroy(&poses);
    rig_shift(&rig, 0, 1, said[1], 1);
    poses = solved();
    CHECK_NEAR(poses_deviation(poses, 1), sqrt(0.5), 0.01);
    poses_destroy(&poses);
    rig_shift(&rig, 0, 1, said[2], 1);
    poses = solved();
    for (int i = 0; i < 3; i++) {
        double contradiction = square(said[i] - rig_x(poses, 1)) / 2;
        double weight = 1 / (1 + contradiction / 9);
        squares += weight * contradiction;
        weights += weight;
    }
    CHECK(squares > 2 * 2);
    CHECK_NEAR(poses_deviation(poses, 1), sqrt(squares / 2 / weights), 1e-6);
    poses_destroy(&poses);
}

static void test_a_refused_graph_leaves_poses_as_they_were(void) {
    const int chains[2] = {0};
    const double x[2] = {0, 10};
    frames_at(chains, x, 2);
    rig_shift(&rig, 0, 1, 10, NAN);
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    mosaic_poses *poses = rig_poses(&rig, size);
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    CHECK(poses_solve(poses, context) == ENDO_ERR_ARGUMENT);
    CHECK(rig_x(poses, 1) == 10 && isnan(poses_deviation(poses, 1)));
    endo_context_destroy(&context);
    poses_destroy(&poses);
}

/* ------------------------------------------------------------------------ tears */

/* An edge of the chain that three others contradict by so many px is given up. */
static void tear(double px) {
    rig_clear(&rig);
    for (int i = 0; i < 4; i++) {
        rig_frame_at(&rig, 0, i < 2 ? 10 * i : 10 * i - px);
        rig.frames[i].reference = i > 0 ? i - 1 : 0;
    }
    rig_shift(&rig, 0, 1, 10, 0.01);
    rig_shift(&rig, 1, 2, 10 - px, 0.5);
    rig_shift(&rig, 2, 3, 10, 0.01);
    rig_shift(&rig, 0, 2, 20, 0.01);
    rig_shift(&rig, 0, 3, 30, 0.01);
    rig_shift(&rig, 1, 3, 20, 0.01);
}

static void test_frames_beside_a_tear_deviate_by_half_of_it(void) {
    tear(8.1);
    mosaic_poses *poses = solved();
    CHECK_NEAR(rig_x(poses, 2), 20, 1e-2);
    CHECK_NEAR(poses_deviation(poses, 1), 8.1 / 2, 1e-2);
    CHECK_NEAR(poses_deviation(poses, 2), 8.1 / 2, 1e-2);
    CHECK(poses_deviation(poses, 3) < 0.1);
    poses_destroy(&poses);
    tear(1.1);
    poses = solved();
    CHECK_NEAR(poses_deviation(poses, 1), 1.1 / 2, 1e-2);
    poses_destroy(&poses);
    tear(0.9);
    poses = solved();
    CHECK(poses_deviation(poses, 1) < 0.1 && poses_deviation(poses, 2) < 0.1);
    poses_destroy(&poses);
}

/* After a first frame that is half as large, 10 px of the others are 20 px of it. */
static void test_tears_count_in_pixels_of_the_first_frame(void) {
    tear(0);
    for (int i = 1; i < 4; i++) rig.frames[i].pose = rig_affine(2, 0, i == 1 ? 0 : 20 * i - 40, 0, 2, 0);
    for (int i = 0; i < rig.edges.n; i++) {
        endo_mosaic_edge *edge = &rig.edges.items[i];
        if (edge->reference == 0) edge->transform = rig_affine(2, 0, 20 * edge->current - 20, 0, 2, 0);
    }
    mosaic_poses *poses = solved();
    CHECK_NEAR(rig_x(poses, 2), 20, 0.1);
    CHECK_NEAR(poses_deviation(poses, 1), 10, 0.1);
    CHECK_NEAR(poses_deviation(poses, 2), 10, 0.1);
    poses_destroy(&poses);
}

/* The first frame lies where it is said to. */
static void test_only_the_second_frame_deviates_beside_a_tear_at_the_first(void) {
    tear(0);
    for (int i = 1; i < 4; i++) rig.frames[i].pose = pose_translation(10 * i + 20, 0);
    rig.edges.items[0].transform = pose_translation(30, 0);
    rig.edges.items[0].deviation = 0.5;
    mosaic_poses *poses = solved();
    CHECK(poses_deviation(poses, 0) == 0);
    CHECK_NEAR(poses_deviation(poses, 1), 10, 1e-2);
    CHECK(poses_deviation(poses, 2) < 0.1);
    poses_destroy(&poses);
}

static void test_doubtful_frames_are_not_torn(void) {
    tear(30);
    for (int i = rig.edges.n - 1; i >= 0; i--)
        if (rig.edges.items[i].current == 2 || rig.edges.items[i].reference == 2) rig_remove_edge(&rig, i);
    rig_shift(&rig, 1, 2, 20, 1.01);
    rig_shift(&rig, 0, 2, 20, 1.01);
    mosaic_poses *poses = solved();
    CHECK(poses_deviation(poses, 1) < 0.1);
    poses_destroy(&poses);
}

/* -------------------------------------------------------------------- stretches */

/* A chain of five with steps of 10 px; edges of its first frame with those after the next say so much more. */
static void stretch(double more) {
    rig_clear(&rig);
    for (int i = 0; i < 5; i++) {
        rig_frame_at(&rig, 0, 10 * i);
        rig.frames[i].reference = i > 0 ? i - 1 : 0;
        rig.frames[i].key_frame = i == 0;
    }
    for (int i = 1; i < 5; i++) rig_shift(&rig, i - 1, i, 10, 1);
    for (int i = 2; i < 5; i++) rig_shift(&rig, 0, i, 10 * i + more, 1);
}

static stretch_edges stretches(void) {
    static endo_transform chained[RIG_FRAMES];
    stretch_edges made;
    for (int i = 0; i < rig.n; i++) chained[i] = rig.frames[i].pose;
    CHECK(stretch_edges_create(rig.frames, rig.n, chained, &rig.edges, size, &made) == ENDO_OK);
    return made;
}

static double factor(void) {
    stretch_edges s = stretches();
    double f = stretch_edges_factor(&s);
    stretch_edges_free(&s);
    return f;
}

static double common(void) {
    stretch_edges s = stretches();
    double c = stretch_edges_common(&s);
    stretch_edges_free(&s);
    return c;
}

static int steps(int edge) {
    stretch_edges s = stretches();
    int n = stretch_edges_steps(&s, &rig.edges.items[edge]);
    stretch_edges_free(&s);
    return n;
}

/* Records whose frames were registered against each other in a circle: the chain does not connect them, and the walk ends. */
static void test_circles_end(void) {
    stretch(0);
    rig.frames[3].reference = 4;
    rig_shift(&rig, 4, 3, -10, 1);
    stretch_edges s = stretches();
    CHECK(s.edges->n == 8 && isnan(s.contradictions[6]) && !isnan(s.contradictions[4]));
    CHECK(stretch_edges_steps(&s, &rig.edges.items[6]) == 1);
    stretch_edges_free(&s);
}

/* Three edges over 2, 3 and 4 steps, with variances of 3, 4 and 5 px^2: the greatest share counts, 24 / 3 - 1. */
static void test_errors_that_edges_have_in_common_are_found(void) {
    stretch(sqrt(48));
    CHECK_NEAR(common(), (24 / 3.0 - 1) / 2, 1e-9);
    rig_shift(&rig, 0, 4, 40 + sqrt(48), 1);
    rig_shift(&rig, 0, 4, 40 + sqrt(48), 1);
    CHECK_NEAR(common(), (24 / 4.0 - 1) / 3, 1e-9);
    rig.edges.n = 6;
    CHECK(common() == 0);
    CHECK(steps(1) == 1 && steps(5) == 3);
    stretch(2);
    CHECK(common() == 0);
}

static void test_steps_of_the_chain_are_counted(void) {
    rig_clear(&rig);
    for (int i = 0; i < 4; i++) rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose_identity);
    rig.frames[0].key_frame = 1;
    rig_shift(&rig, 0, 3, 0, 0.1);
    CHECK(steps(0) == 3);
    /* The second chain begins with a frame that is its own reference. */
    rig.frames[1].reference = 1;
    rig.n = 3;
    rig.edges.items[0].current = 2;
    CHECK(steps(0) == 1);
}

/* Variances of 3, 4 and 5 px^2; a shift along one axis is by the root of two less in both. */
static void test_edges_that_contradict_the_chain_deviate_more(void) {
    stretch(12);
    CHECK_NEAR(factor(), 12 / sqrt(2) / sqrt(4) / 2, 1e-9);
    rig.edges.n--;
    CHECK(factor() == 1);
    stretch(5.6); /* by two deviations at most */
    CHECK(factor() == 1);
}

/* Not those beyond the next key frame, to a frame before, or from one that is none. */
static void test_only_edges_within_a_stretch_are_weighed(void) {
    stretch(12);
    rig.frames[3].key_frame = 1;
    CHECK(factor() == 1);
    rig.frames[3].key_frame = 0;
    rig.frames[0].key_frame = 0;
    CHECK(factor() == 1);
}

static double factor_of_contradictions(const mosaic_poses *poses) {
    double sum = 0;
    for (int i = 0; i < rig.edges.n; i++) {
        const endo_mosaic_edge *edge = &rig.edges.items[i];
        double is = rig_x(poses, edge->current) - rig_x(poses, edge->reference);
        double contradiction = square((is - edge->transform.matrix[2]) / edge->deviation) / 2;
        sum += contradiction / (1 + contradiction / 9);
    }
    return fmax(1, sqrt(sum / (rig.edges.n - (rig.n - 1))));
}

/* The last of five lies four steps away, and edges within the stretch are no shorter way. */
static void test_common_errors_add_up(void) {
    stretch(sqrt(48));
    mosaic_poses *poses = solved();
    double near = poses_deviation(poses, 1);
    double far = poses_deviation(poses, 4);
    double shared = common();
    poses_destroy(&poses);
    /* Nothing is within a stretch: the same edges but for their factor, which is by 24 / 4 of the median. */
    rig.frames[0].key_frame = 0;
    for (int i = 4; i < rig.edges.n; i++) rig.edges.items[i].deviation *= fmax(1, sqrt(24 / 4.0) / 2);
    poses = solved();
    double least = factor_of_contradictions(poses);
    CHECK_NEAR(near, poses_deviation(poses, 1) / least * fmax(least, sqrt(1 + shared)), 1e-9);
    CHECK_NEAR(far, poses_deviation(poses, 4) / least * sqrt(1 + 4 * shared), 1e-9);
    CHECK(sqrt(1 + shared) > least);
    poses_destroy(&poses);
}

/* The pull of an edge that contradicts a pose by so much along one axis, px, by its weight. */
static double pull(double contradiction, double deviation) {
    double of = contradiction / deviation;
    return of / deviation / (1 + of * of / 2 / 9);
}

/* With deviations of 2.12 px in place of 1 px the edges of the first frame move the last one less. */
static void test_poses_follow_the_chain_where_edges_contradict_it(void) {
    stretch(12);
    mosaic_poses *poses = solved();
    double deviation = 12 / sqrt(2) / 2 / 2;
    CHECK_NEAR(pull(rig_x(poses, 4) - rig_x(poses, 3) - 10, 1) + pull(rig_x(poses, 4) - 52, deviation), 0, 1e-4);
    poses_destroy(&poses);
}

/* A ring of five of which one way is longer, one more frame at its end, and one that nothing connects. */
static void test_the_shortest_way_counts(void) {
    const int frames[6][2] = {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {0, 4}, {1, 5}};
    const int lengths[6] = {7, 1, 1, 1, 1, 2};
    const double from_first[7] = {0, 4, 3, 2, 1, 6, INFINITY};
    const double from_last[7] = {6, 2, 3, 4, 5, 0, INFINITY};
    double away[7];
    rig_clear(&rig);
    for (int i = 0; i < 6; i++) rig_shift(&rig, frames[i][0], frames[i][1], 0, 1);
    CHECK(edge_paths_from(&rig.edges, lengths, 0, 7, away) == ENDO_OK);
    for (int i = 0; i < 7; i++) CHECK(away[i] == from_first[i]);
    CHECK(edge_paths_from(&rig.edges, lengths, 5, 7, away) == ENDO_OK);
    for (int i = 0; i < 7; i++) CHECK(away[i] == from_last[i]);
}

int main(void) {
    test_components_are_numbered_by_their_size_and_begin_at_their_first_frame();
    test_as_large_components_keep_their_order();
    test_an_edge_ties_two_chains();
    test_frames_across_the_horizon_are_left_out_and_said();
    test_components_are_not_tied_across_the_horizon();
    test_frames_of_poor_edges_are_doubtful();
    test_what_hangs_on_a_doubtful_edge_is_doubtful();
    test_poses_that_were_solved_for_before();
    test_chains_follow_from_their_edges();
    test_contradictions_hardly_count();
    test_frames_beyond_the_horizon_are_told();
    test_deviations_are_in_pixels_of_the_first_frame();
    test_contradictions_widen_deviations();
    test_a_refused_graph_leaves_poses_as_they_were();
    test_frames_beside_a_tear_deviate_by_half_of_it();
    test_tears_count_in_pixels_of_the_first_frame();
    test_only_the_second_frame_deviates_beside_a_tear_at_the_first();
    test_doubtful_frames_are_not_torn();
    test_errors_that_edges_have_in_common_are_found();
    test_circles_end();
    test_steps_of_the_chain_are_counted();
    test_edges_that_contradict_the_chain_deviate_more();
    test_only_edges_within_a_stretch_are_weighed();
    test_common_errors_add_up();
    test_poses_follow_the_chain_where_edges_contradict_it();
    test_the_shortest_way_counts();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_poses");
}
