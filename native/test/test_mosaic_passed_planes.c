/* A tilted plane that a scope passes, seen by the shear of affine edges along their motion: how sure it is, and the
 * perspective of each edge that follows from it. */
#include "systems/mosaic/perspective_check.h"
#include "tilted_views_rig.h"

static poses_rig rig;

static double square(double v) {
    return v * v;
}

static double spread(void) {
    return sqrt((201 * 201 + 161 * 161) / 24.0);
}

static endo_transform turned(double degrees, double scale, double dx, double dy) {
    double a = scale * cos(degrees * acos(-1.0) / 180);
    double b = scale * sin(degrees * acos(-1.0) / 180);
    return rig_affine(a, -b, 100 - a * 100 + b * 80 + dx, b, a, 80 - b * 100 - a * 80 + dy);
}

/* An edge that moves by (4, 3) after it turned and grew, sheared by the motion times (gx, gy). */
static void passing(int frame, double gx, double gy, double deviation) {
    endo_transform sheared = rig_affine(1 + 4 * gx, 4 * gy, 0, 3 * gx, 1 + 3 * gy, 0);
    endo_transform about = rig_times(rig_times(pose_translation(100, 80), sheared), pose_translation(-100, -80));
    endo_transform step = rig_times(rig_times(turned(2, 1.01, 0, 0), pose_translation(4, 3)), about);
    rig_edge(&rig, frame, frame + 1, &step, deviation);
}

static passed_plane plane_now(void) {
    passed_plane plane;
    CHECK(passed_plane_of(&rig.edges, size, &plane) == ENDO_OK);
    return plane;
}

static passed_plane passed(int n, double gx, double gy, double deviation) {
    rig_clear(&rig);
    for (int i = 0; i < n; i++) passing(i, gx, gy, deviation);
    return plane_now();
}

/* The evidence of n edges that move by 5 px: each knows g to twice its deviation over the spread and the motion. */
static double evidence_of(int n, double g, double deviation) {
    return g * 5 / 2 * spread() / deviation * sqrt(n);
}

static void test_what_is_certain_follows_from_the_edges(void) {
    passed_plane plane = passed(32, 1.8e-5, 2.4e-5, 0.1);
    CHECK_NEAR(passed_plane_evidence(&plane), evidence_of(32, 3e-5, 0.1), 0.01);
    plane = passed(31, 1.8e-5, 2.4e-5, 0.1);
    CHECK_NEAR(passed_plane_evidence(&plane), evidence_of(31, 3e-5, 0.1) * 3 / 5, 0.01);
    plane = passed(8, 3e-4, 0, 0.01);
    CHECK(passed_plane_is_sure(&plane));
    plane = passed(7, 3e-4, 0, 0.01);
    CHECK(passed_plane_evidence(&plane) == 0);
}

static void test_five_deviations_are_sure(void) {
    for (int k = 0; k < 2; k++) {
        double deviations = k == 0 ? 4.9 : 5.1;
        passed_plane plane = passed(40, deviations / evidence_of(40, 1, 0.1), 0, 0.1);
        CHECK_NEAR(passed_plane_evidence(&plane), deviations, 0.02);
        CHECK(passed_plane_is_sure(&plane) == k);
    }
}

/* Eight parts that say other things: the standard error of their mean. */
static void test_parts_that_differ_are_no_proof(void) {
    const double of[8] = {4e-4, -1e-4, 3e-4, 2e-4, -2e-4, 5e-4, 0.6e-4, 0.4e-4};
    test_random r = {3};
    double mean = 1.5e-4;
    double squares = 0;
    rig_clear(&rig);
    for (int i = 0; i < 8 * 5; i++) {
        passing(i, of[i / 5], 0, 0.001);
        squares += i % 5 == 0 ? square(of[i / 5] - mean) : 0;
    }
    /* The errors of both numbers count together, and one of them is the same in all parts. */
    passed_plane plane = plane_now();
    double evidence = passed_plane_evidence(&plane);
    CHECK_NEAR(evidence, mean / sqrt(squares / (7 * 8) / 2), 0.02);
    for (int i = 39; i > 0; i--) {
        int k = test_between(&r, 0, i);
        endo_mosaic_edge other = rig.edges.items[i];
        rig.edges.items[i] = rig.edges.items[k];
        rig.edges.items[k] = other;
    }
    plane = plane_now();
    CHECK_NEAR(passed_plane_evidence(&plane), evidence, 1e-9);
}

static void test_only_affine_edges_that_are_sure_say_something(void) {
    endo_transform step = turned(3, 1, 4, 3);
    passed(40, 3e-4, 0, 0.01);
    for (int i = 0; i < 40; i++) rig.edges.items[i].doubtful = 1;
    step.kind = ENDO_TRANSFORM_SIMILARITY;
    for (int i = 0; i < 40; i++) rig_edge(&rig, i, i + 1, &step, 0.01);
    passed_plane plane = plane_now();
    CHECK(passed_plane_evidence(&plane) == 0 && !passed_plane_is_sure(&plane));
}

/* Scopes turn and withdraw: a growth and a turn are no shear. */
static void test_turns_and_growth_are_no_shear(void) {
    test_random r = {4};
    rig_clear(&rig);
    for (int i = 0; i < 40; i++) {
        endo_transform step = turned(5 * test_normal(&r), 1 + 0.05 * test_normal(&r), 4, 3);
        rig_edge(&rig, i, i + 1, &step, 0.01);
    }
    passed_plane plane = plane_now();
    CHECK_NEAR(passed_plane_evidence(&plane), 0, 1e-6);
}

/* A scope that turns passes a plane tilted by 10 degrees in curves: the perspective of its edges follows from their shear. */
static void test_the_perspective_of_edges_follows(void) {
    endo_transform truth[40];
    rig_clear(&rig);
    for (int k = 0; k < 40; k++) {
        double angle = 0.01 * k * k / 40;
        endo_transform turn = rig_affine(cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0);
        truth[k] = rig_times(rig_times(pose_translation(8 * k, 30 * sin(0.3 * k)), turn), view_of(0, 0, acos(-1.0) / 18, 0));
        if (k == 0) continue;
        endo_transform step = affine_of(pose_between(&truth[k - 1], &truth[k]));
        rig_edge(&rig, k - 1, k, &step, 0.02);
    }
    passed_plane plane = plane_now();
    CHECK(passed_plane_is_sure(&plane));
    for (int k = 1; k < 40; k++) {
        endo_transform about = rig_times(pose_between(&truth[k - 1], &truth[k]), pose_translation(100, 80));
        edge_perspective said = passed_plane_perspective(&plane, &rig.edges.items[k - 1].transform);
        double x = about.matrix[6] / about.matrix[8];
        double y = about.matrix[7] / about.matrix[8];
        CHECK_NEAR(said.g[0], x, 0.05 * length_of(x, y) + 5e-8);
        CHECK_NEAR(said.g[1], y, 0.05 * length_of(x, y) + 5e-8);
    }
}

int main(void) {
    test_what_is_certain_follows_from_the_edges();
    test_five_deviations_are_sure();
    test_parts_that_differ_are_no_proof();
    test_only_affine_edges_that_are_sure_say_something();
    test_turns_and_growth_are_no_shear();
    test_the_perspective_of_edges_follows();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_passed_planes");
}
