/* The perspective that edges tell of together: when it is sure, how far it moves frames, and what is said of it. */
#include "systems/mosaic/perspective_check.h"
#include "tilted_views_rig.h"

static poses_rig rig;

static double square(double v) {
    return v * v;
}

/* A frame of a chain behind the last one, and what its edge says: g along x, 1/px, and its deviation; 0: nothing. */
static void step_on(const endo_transform *step, double g, double deviation) {
    int frame = rig_frame(&rig, 0, rig.n - 1, &pose_identity);
    endo_mosaic_edge *edge = rig_edge(&rig, frame - 1, frame, step, 0.1);
    edge->perspective[0] = g;
    edge->perspective_deviation = deviation;
}

static void first_frame(void) {
    rig_frame(&rig, 0, rig.n, &pose_identity);
}

/* Frames that move by 4 px, of whose edges each says so many deviations of perspective along x. */
static void frames_that_say(const double *deviations, int n) {
    endo_transform step = pose_translation(4, 0);
    rig_clear(&rig);
    first_frame();
    for (int i = 0; i < n; i++) step_on(&step, deviations[i] * 1e-6, 1e-6);
}

static const double *alike(int n, double value) {
    static double all[RIG_FRAMES];
    for (int i = 0; i < n; i++) all[i] = value;
    return all;
}

static perspective_check *check_now(void) {
    perspective_check *check = NULL;
    CHECK(perspective_check_create(rig.frames, rig.n, &rig.edges, size, &check) == ENDO_OK);
    CHECK(perspective_check_follow(check, 0) == ENDO_OK);
    return check;
}

static double distance_of(int frame) {
    perspective_check *check = check_now();
    double distance = perspective_check_distance(check, frame);
    perspective_check_destroy(&check);
    CHECK(!check);
    return distance;
}

static double evidence_now(void) {
    perspective_check *check = check_now();
    double evidence = perspective_check_evidence(check);
    perspective_check_destroy(&check);
    return evidence;
}

/* 1: there is a warning, which has these words. */
static int warns(const char *words) {
    char said[200];
    perspective_check *check = check_now();
    int is_told = perspective_check_warning(check, said, sizeof said);
    perspective_check_destroy(&check);
    CHECK(is_told == (said[0] != 0));
    if (is_told && !strstr(said, words)) printf("warning \"%s\" without \"%s\"\n", said, words);
    if (is_told) CHECK(strstr(said, words) != NULL);
    return is_told;
}

/* Edges that say the same, each with three before its neighbour: 19 of them make 48 / sqrt(140) deviations, 18 make
 * 45 / sqrt(131). */
static void test_four_deviations_are_sure(void) {
    endo_transform step = pose_translation(4, 0);
    frames_that_say(alike(18, 1), 18);
    CHECK(distance_of(18) == 0);
    step_on(&step, 1e-6, 1e-6);
    CHECK(distance_of(19) > 0);
    CHECK(distance_of(0) == 0);
}

/* Every third edge says much, so that it matters that three are looked at; some say a hundred, and count as three. */
static void test_no_edge_decides_alone(void) {
    double said[60];
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 60; i++) said[i] = i % 9 == 0 ? 100 : i % 3 == 0 ? 2 : 0.2;
    frames_that_say(said, 60);
    for (int i = 0; i < 60; i++) {
        double product = 0;
        for (int before = i > 4 ? i - 4 : 0; before < i - 1; before++) product += fmin(3, said[i]) * fmin(3, said[before]);
        sum += product;
        squares += product * product;
    }
    CHECK_NEAR(evidence_now(), sum / sqrt(squares), 1e-9);
}

/* An error that the next edge takes back does not hide perspective: the frame between the two is seen a little tilted, and
 * lies where it is. */
static void test_neighbours_that_take_each_other_back_do_not_hide_it(void) {
    double said[200];
    for (int i = 0; i < 200; i++) said[i] = 0.5 + (i % 2 == 0 ? 1 : -1);
    frames_that_say(said, 200);
    CHECK(distance_of(200) > 0);
}

static void test_independent_edges_say_nothing(void) {
    static double said[2000];
    test_random r = {7};
    for (int i = 0; i < 2000; i++) said[i] = 5 * test_normal(&r);
    frames_that_say(said, 2000);
    CHECK(distance_of(2000) == 0);
    CHECK(!warns(""));
}

static void test_edges_that_are_doubtful_or_say_nothing_do_not_count(void) {
    frames_that_say(alike(40, 1), 40);
    for (int i = 0; i < 40; i++) {
        rig.edges.items[i].doubtful = i % 2 == 0;
        if (i % 2 != 0) rig.edges.items[i].perspective_deviation = 0;
    }
    CHECK(distance_of(40) == 0);
}

/* Frames that move by 4 px and grow by a twentieth, each edge with so much perspective, in deviations of 1e-5; how far
 * perspective moves the surest frame, in what the errors of the edges before it would. */
static double surest_of_growing(const double *deviations, int n) {
    endo_transform step = rig_affine(1.05, 0, 4, 0, 1.05, 0);
    endo_transform straight[40] = {pose_identity};
    endo_transform tilted = pose_identity;
    double surest = 0;
    rig_clear(&rig);
    first_frame();
    for (int i = 0; i < n; i++) step_on(&step, deviations[i] * 1e-5, 1e-5);
    for (int k = 1; k <= n; k++) {
        const endo_mosaic_edge *edge = &rig.edges.items[k - 1];
        double variance = 0;
        straight[k] = pose_times(&straight[k - 1], &step);
        tilted = rig_times(tilted, perspective_homography(&step, edge->perspective, size));
        for (int j = 1; j <= k; j++) {
            double deviation = fmax(1, deviations[j - 1] / 3) * 1e-5;
            double dx = pose_x(&straight[k], 100, 80) - pose_x(&straight[j], 100, 80);
            double dy = pose_y(&straight[k], 100, 80) - pose_y(&straight[j], 100, 80);
            double squares = dx * dx + dy * dy + pow(1.05, 2 * k) * (201 * 201 + 161 * 161) / 12.0;
            variance += square(deviation * squares / pow(1.05, j));
        }
        surest = fmax(surest, apart(&straight[k], &tilted) / sqrt(variance));
    }
    return surest;
}

/* How far perspective moves a frame, over what the errors of the edges before it would. */
static void test_few_edges_are_sure_by_what_they_move(void) {
    double seven = surest_of_growing(alike(7, 2.5), 7);
    CHECK_NEAR(evidence_now(), seven, 0.01 * seven);
    CHECK(seven > 4 && distance_of(7) > 0);
    double little = surest_of_growing(alike(7, 1.5), 7);
    CHECK_NEAR(evidence_now(), little, 0.01 * little);
    CHECK(little < 4 && distance_of(7) == 0);
}

/* Where edges are few, an error counts as a third at least of what its edge says. */
static void test_none_of_few_edges_decides_alone(void) {
    const double wild[7] = {0, 0, 0, 100, 0, 0, 0};
    double surest = surest_of_growing(wild, 7);
    CHECK_NEAR(evidence_now(), surest, 0.02 * surest);
    CHECK(evidence_now() < 4);
}

/* From 31 on their products decide: of so many that say the same 87 - 3 over the root of 9 * 27 + 4 + 1. */
static void test_thirty_edges_are_few(void) {
    endo_transform step = pose_translation(4, 0);
    double products = 84 / sqrt(9 * 27 + 4 + 1);
    frames_that_say(alike(30, 1.3), 30);
    double thirty = evidence_now();
    step_on(&step, 1.3e-6, 1e-6);
    CHECK_NEAR(evidence_now(), products, 1e-9);
    CHECK(thirty > 1.05 * products);
}

/* Shear that follows the motion is enough, and as much as perspective does it moves frames. */
static void test_a_plane_that_is_passed_is_seen_by_its_shear(void) {
    endo_transform truth[61];
    endo_transform chained[61] = {pose_identity};
    rig_clear(&rig);
    first_frame();
    for (int k = 0; k <= 60; k++) {
        truth[k] = view_of(5 * k, 3 * sin(0.3 * k), acos(-1.0) / 9, 1);
        if (k == 0) continue;
        endo_transform step = affine_of(pose_between(&truth[k - 1], &truth[k]));
        step_on(&step, 0, 0);
        chained[k] = pose_times(&chained[k - 1], &step);
    }
    perspective_check *check = check_now();
    for (int k = 1; k <= 60; k++) {
        endo_transform is = pose_between(&truth[0], &truth[k]);
        double error = apart(&chained[k], &is);
        CHECK_NEAR(perspective_check_distance(check, k), error, 0.15 * error + 0.02);
    }
    perspective_check_destroy(&check);
    CHECK(warns("a tilted plane is seen ("));
}

/* A plane at 20 degrees that is passed, or one over which the scope tilts: the distances are the chain's errors. */
static void check_distances(int tilts, int about_y) {
    endo_transform truth[61];
    endo_transform chained[61] = {pose_identity};
    char words[60];
    rig_clear(&rig);
    first_frame();
    for (int k = 0; k <= 60; k++) {
        truth[k] = view_of(4 * k, 3 * k, tilts ? 0.3 * sin(k / 15.0) : acos(-1.0) / 9, about_y);
        if (k == 0) continue;
        endo_transform step = pose_between(&truth[k - 1], &truth[k]);
        endo_transform about = rig_times(step, pose_translation(100, 80));
        endo_transform affine = affine_of(step);
        step_on(&affine, about.matrix[6] / about.matrix[8], 1e-6);
        rig.edges.items[k - 1].perspective[1] = about.matrix[7] / about.matrix[8];
        chained[k] = pose_times(&chained[k - 1], &affine);
    }
    perspective_check *check = check_now();
    for (int k = 1; k <= 60; k++) {
        endo_transform is = pose_between(&truth[0], &truth[k]);
        double error = apart(&chained[k], &is);
        CHECK_NEAR(perspective_check_distance(check, k), error, (tilts ? 0.08 : 0.06) * error + 0.02);
    }
    double last = perspective_check_distance(check, 60);
    CHECK(last > 3);
    perspective_check_destroy(&check);
    snprintf(words, sizeof words, "frame 61 lies about %.0f px off", last);
    CHECK(warns(words));
}

static void test_distances_are_the_errors_of_transforms_without_perspective(void) {
    for (int k = 0; k < 4; k++) check_distances(k / 2, k % 2);
}

/* A homography is shifted by its perspective times the variance of a frame's columns and rows, which the fit of a simpler
 * transform took in. */
static void test_homographies_are_shifted_by_what_transforms_took_in(void) {
    const double g[2] = {3e-4, -2e-4};
    endo_transform step = pose_translation(4, 0);
    endo_transform tilted = perspective_homography(&step, g, size);
    CHECK_NEAR(pose_x(&tilted, 100, 80), 104 + 3e-4 * 201 * 201 / 12, 1e-9);
    CHECK_NEAR(pose_y(&tilted, 100, 80), 80 - 2e-4 * 161 * 161 / 12, 1e-9);
    CHECK_NEAR(pose_x(&tilted, 130, 60), pose_x(&tilted, 100, 80) + 30 / (1 + 3e-4 * 30 + 2e-4 * 20), 1e-9);
}

/* An edge beside the chain does not lead, but where it alone ties a frame. */
static void test_other_edges_lead_where_the_chain_does_not(void) {
    frames_that_say(alike(40, 3), 40);
    double there = distance_of(40);
    rig_shift(&rig, 0, 40, 160, 0.1)->perspective_deviation = 1e-6;
    endo_mosaic_edge beside = rig.edges.items[40];
    memmove(rig.edges.items + 1, rig.edges.items, 40 * sizeof beside);
    rig.edges.items[0] = beside;
    CHECK(distance_of(40) == there);
    first_frame();
    CHECK(distance_of(41) == 0);
    rig_shift(&rig, 41, 40, -4, 0.1)->perspective_deviation = 1e-6;
    CHECK_NEAR(distance_of(41), there, 0.1 * there);
}

/* Edges whose perspective moves the last of 41 frames by so many px, found by halving. */
static void say_so_that_it_lies_off(double px) {
    double least = 1;
    double most = 1000;
    for (int i = 0; i < 60; i++) {
        double g = sqrt(least * most);
        frames_that_say(alike(40, g), 40);
        if (distance_of(40) < px)
            least = g;
        else
            most = g;
    }
    CHECK_NEAR(distance_of(40), px, 1e-6);
}

/* 2.9 px are kept in mind, 3.1 px are told. */
static void test_people_are_told_from_three_pixels_on(void) {
    say_so_that_it_lies_off(2.9);
    CHECK(!warns(""));
    say_so_that_it_lies_off(3.1);
    CHECK(warns("frame 41 lies about 3 px off, others less"));
}

/* The remedy is named, and frames deviate by what perspective moves them. */
static void test_poses_tell_of_a_tilted_plane(void) {
    char said[300];
    say_so_that_it_lies_off(3.1);
    double off = distance_of(40);
    for (int i = 0; i < rig.n; i++) rig.frames[i].pose = pose_translation(4 * i, 0);
    mosaic_poses *poses = rig_solved(&rig, size);
    CHECK(poses_sees_tilt(poses));
    poses_tilt(poses, said, sizeof said);
    CHECK(rig_begins(said, "a tilted plane is seen ("));
    poses_warning(poses, "look again", said, sizeof said);
    CHECK(rig_begins(said, "a tilted plane is seen (") && strstr(said, "others less; look again"));
    double deviation = poses_deviation(poses, 40);
    poses_destroy(&poses);
    for (int i = 0; i < rig.edges.n; i++) rig.edges.items[i].perspective_deviation = 0;
    poses = rig_solved(&rig, size);
    CHECK_NEAR(deviation, length_of(poses_deviation(poses, 40), off), 1e-9);
    CHECK(!poses_sees_tilt(poses));
    poses_destroy(&poses);
}

int main(void) {
    test_four_deviations_are_sure();
    test_no_edge_decides_alone();
    test_neighbours_that_take_each_other_back_do_not_hide_it();
    test_independent_edges_say_nothing();
    test_edges_that_are_doubtful_or_say_nothing_do_not_count();
    test_few_edges_are_sure_by_what_they_move();
    test_none_of_few_edges_decides_alone();
    test_thirty_edges_are_few();
    test_a_plane_that_is_passed_is_seen_by_its_shear();
    test_distances_are_the_errors_of_transforms_without_perspective();
    test_homographies_are_shifted_by_what_transforms_took_in();
    test_other_edges_lead_where_the_chain_does_not();
    test_people_are_told_from_three_pixels_on();
    test_poses_tell_of_a_tilted_plane();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_perspective");
}
