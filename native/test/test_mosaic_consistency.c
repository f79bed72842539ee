/* What all edges of a sequence say together of the lens, of a tilted plane and of the class of transform, and what poses must
 * not do. */
#include "systems/mosaic/consistency.h"
#include "systems/mosaic/lens_drift.h"
#include "systems/mosaic/lens_estimate.h"
#include "systems/mosaic/perspective_check.h"
#include "systems/mosaic/sequence_class.h"
#include "poses_rig.h"

static poses_rig rig;

static double square(double v) {
    return v * v;
}

/* -------------------------------------------------------------------- estimates */

static void lens_edge(int frame, double lambda, double deviation) {
    endo_mosaic_edge *edge = rig_edge(&rig, frame, frame + 1, &pose_identity, 0.1);
    edge->lens = lambda;
    edge->lens_deviation = deviation;
}

/* Edges whose errors are normal, of deviations between 0.01 and 0.04; of every eighth of the sequence some in common. */
static void lens_edges(int n, double lambda, double common, uint64_t seed) {
    test_random r = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    double alike = 0;
    rig_clear(&rig);
    for (int i = 0; i < n; i++) {
        if (i % (n / 8) == 0) alike = common * rig_normal(&r);
        double deviation = 0.01 * (1 + i % 4);
        lens_edge(i, lambda + deviation * rig_normal(&r) + alike, deviation);
    }
}

static lens_estimate estimate(void) {
    lens_estimate lens;
    CHECK(lens_estimate_of(&rig.edges, &lens) == ENDO_OK);
    return lens;
}

static int sees_a_lens(void) {
    lens_estimate lens = estimate();
    return lens_is_seen(&lens);
}

/* One over the root of the sum of 1 / s^2, 200 edges: 0.0012. */
static void test_many_edges_say_what_one_cannot(void) {
    double squares = 0;
    double deviations = 0;
    for (int seed = 0; seed < 40; seed++) {
        lens_edges(200, -0.05, 0, (uint64_t)seed);
        lens_estimate lens = estimate();
        CHECK(lens_is_seen(&lens));
        squares += square(lens.lambda + 0.05) / 40;
        deviations += sqrt(square(lens.deviation) - 0.01 * square(lens.lambda)) / 40;
    }
    CHECK_NEAR(sqrt(squares), 0.0012, 0.0004);
    CHECK_NEAR(deviations, 0.0014, 0.0003);
}

/* Each pulls by 1.5 of its deviations: all of them by 0.005. */
static void test_few_that_are_far_off_have_little_say(void) {
    lens_edges(200, -0.05, 0, 1);
    for (int i = 0; i < 20; i++) {
        rig.edges.items[10 * i].lens = 0.6;
        rig.edges.items[10 * i].lens_deviation = 0.01;
    }
    CHECK_NEAR(estimate().lambda, -0.045, 0.003);
    CHECK(sees_a_lens());
}

/* Ten that say 0, and one that says 1, of deviations of 0.01: it pulls as if it were 1.5 of them away. */
static void test_what_is_far_off_pulls_by_one_and_a_half_deviations(void) {
    rig_clear(&rig);
    for (int i = 0; i < 11; i++) lens_edge(i, i == 5, 0.01);
    CHECK_NEAR(estimate().lambda, 1.5 * 0.01 / 10, 1e-12);
}

/* By themselves they would be sure: 0.03 in 0.0012. */
static void test_edges_that_err_alike_are_no_proof(void) {
    int seen = 0;
    for (int seed = 0; seed < 20; seed++) {
        lens_edges(200, 0.03, 0.08, (uint64_t)seed);
        seen += sees_a_lens();
    }
    CHECK(seen <= 5);
}

static void test_lenses_are_named_from_one_percent_on(void) {
    lens_edges(4000, -0.0095, 0, 1);
    CHECK(!sees_a_lens());
    lens_edges(4000, -0.0108, 0, 1);
    CHECK(sees_a_lens());
    lens_edges(48, 0.008, 0, 1);
    CHECK(!sees_a_lens());
}

/* And from three deviations on. */
static void test_chance_is_no_lens(void) {
    int seen = 0;
    for (int seed = 0; seed < 100; seed++) {
        lens_edges(40, 0.005, 0, (uint64_t)seed);
        seen += sees_a_lens();
    }
    CHECK(seen <= 2);
    lens_edges(40, 0.02, 0, 1);
    CHECK(sees_a_lens());
}

static void test_three_deviations_are_sure(void) {
    lens_estimate lens = {.lambda = -0.0299, .deviation = 0.01};
    CHECK(!lens_is_seen(&lens));
    lens.lambda = -0.0301;
    CHECK(lens_is_seen(&lens));
}

static void test_few_or_doubtful_edges_say_nothing(void) {
    char said[200] = "before";
    lens_edges(16, -0.2, 0, 1);
    rig.edges.n = 4;
    lens_estimate lens = estimate();
    CHECK(isnan(lens.lambda) && isnan(lens.deviation) && !lens_is_seen(&lens));
    lens_warning(&lens, 0, said, sizeof said);
    CHECK(said[0] == 0);
    lens_edge(11, -0.2, 0.01);
    rig.edges.items[4].doubtful = 1;
    rig_shift(&rig, 12, 13, 0, 0.1);
    CHECK(isnan(estimate().lambda));
    lens_edge(13, -0.2, 0.01);
    CHECK(sees_a_lens());
}

/* Edges that all say the same: 0.1 over the root of their number, and five thirds of that below eight parts. */
static void test_few_edges_must_be_surer(void) {
    rig_clear(&rig);
    for (int i = 0; i < 32; i++) lens_edge(i, -0.05, 0.1);
    CHECK_NEAR(estimate().deviation, length_of(0.1 / sqrt(32), 0.005), 1e-9);
    rig.edges.n = 31;
    CHECK_NEAR(estimate().deviation, length_of(5 / 3.0 * 0.1 / sqrt(31), 0.005), 1e-9);
    rig.edges.n = 5;
    CHECK_NEAR(estimate().deviation, length_of(5 / 3.0 * 0.1 / sqrt(5), 0.005), 1e-9);
}

/* Whatever the order in which edges were found: the parts are those of the sequence. */
static void test_the_order_of_edges_is_that_of_the_sequence(void) {
    lens_edges(60, 0.02, 0.05, 3);
    lens_estimate lens = estimate();
    for (int i = 0; i < 30; i++) {
        endo_mosaic_edge other = rig.edges.items[i];
        rig.edges.items[i] = rig.edges.items[59 - i];
        rig.edges.items[59 - i] = other;
    }
    CHECK(estimate().lambda == lens.lambda && estimate().deviation == lens.deviation);
}

static void test_what_helps_is_named(void) {
    char said[200];
    rig_clear(&rig);
    for (int i = 0; i < 40; i++) lens_edge(i, -0.12, 0.01);
    lens_estimate lens = estimate();
    lens_warning(&lens, 0, said, sizeof said);
    CHECK(strcmp(said, "frames are distorted as by a lens of -12.0 % (+- 1.2): lens=-12.0 takes that out") == 0);
    lens_warning(&lens, 3, said, sizeof said);
    CHECK(strcmp(said, "frames are still distorted as by a lens of -12.0 % (+- 1.2): lens=-9.0 takes that out") == 0);
    lens_warning(&lens, -39, said, sizeof said);
    CHECK(strstr(said, "lens=-40.0 takes that out"));
}

/* Where a lens was taken out by some number, what is left of it counts, however little that is. */
static void test_what_is_left_of_a_lens_counts(void) {
    lens_edges(400, -0.005, 0, 1);
    lens_estimate little = estimate();
    CHECK(!lens_is_seen(&little) && !lens_widens(&little, 0) && lens_widens(&little, -5));
    lens_edges(400, -0.05, 0, 1);
    lens_estimate much = estimate();
    CHECK(lens_widens(&much, 0));
    rig_clear(&rig);
    lens_estimate none = estimate();
    CHECK(!lens_widens(&none, -5));
}

/* ------------------------------------------------------------ drift by the lens */

#define LAMBDA (-0.02)
#define SPREAD 180
static const mosaic_size wide = {640, 480};
static const double middle_x = 319.5;
static const double middle_y = 239.5;

typedef struct point {
    double x, y;
} point;

/* A point about the middle, distorted (or the distortion undone) exactly. */
static point distort(point p, int back) {
    double r2 = (p.x * p.x + p.y * p.y) / (320.0 * 320);
    double factor = back ? 1 / (1 + LAMBDA * r2) : 2 / (1 + sqrt(1 - 4 * LAMBDA * r2));
    return (point){p.x * factor, p.y * factor};
}

static point moved(const endo_transform *t, point p) {
    return (point){pose_x(t, middle_x + p.x, middle_y + p.y) - middle_x, pose_y(t, middle_x + p.x, middle_y + p.y) - middle_y};
}

/* Points of a square of that spread, and where they go. */
enum { POINTS = 20000 };
static struct {
    int n;
    point from[POINTS], to[POINTS];
} seen;

static void look(const endo_transform *truth, int is_homography) {
    double s = SPREAD * sqrt(1.5);
    seen.n = 0;
    for (double x = -s; x <= s; x += 6)
        for (double y = -s; y <= s; y += 6) {
            point there = distort(moved(truth, distort((point){x, y}, 1)), 0);
            if (fabs(there.x) > s || fabs(there.y) > s) continue;
            seen.from[seen.n] = is_homography ? moved(truth, (point){x, y}) : (point){x, y};
            seen.to[seen.n++] = there;
        }
}

static point mean_of(const point *points) {
    point mean = {0, 0};
    for (int i = 0; i < seen.n; i++) {
        mean.x += points[i].x / seen.n;
        mean.y += points[i].y / seen.n;
    }
    return mean;
}

static void fit(endo_transform_class kind, point p, point q, double a[4]) {
    double pp[4] = {0};
    double qp[4] = {0};
    for (int i = 0; i < seen.n; i++) {
        double fx = seen.from[i].x - p.x, fy = seen.from[i].y - p.y, tx = seen.to[i].x - q.x, ty = seen.to[i].y - q.y;
        pp[0] += fx * fx, pp[1] += fx * fy, pp[2] += fx * fy, pp[3] += fy * fy;
        qp[0] += tx * fx, qp[1] += tx * fy, qp[2] += ty * fx, qp[3] += ty * fy;
    }
    double c = (qp[0] + qp[3]) / (pp[0] + pp[3]);
    double s = (qp[2] - qp[1]) / (pp[0] + pp[3]);
    double d = pp[0] * pp[3] - pp[1] * pp[2];
    double one = kind == ENDO_TRANSFORM_RIGID ? length_of(c, s) : 1;
    if (kind == ENDO_TRANSFORM_TRANSLATION) c = 1, s = 0;
    a[0] = a[3] = c / one, a[1] = -s / one, a[2] = s / one;
    if (kind < ENDO_TRANSFORM_AFFINE) return;
    a[0] = (qp[0] * pp[3] - qp[1] * pp[2]) / d, a[1] = (qp[1] * pp[0] - qp[0] * pp[1]) / d;
    a[2] = (qp[2] * pp[3] - qp[3] * pp[2]) / d, a[3] = (qp[3] * pp[0] - qp[2] * pp[1]) / d;
}

/* What registering distorted frames gives: least squares over a square of that spread, of a class, by the simplest means. */
static endo_transform registered(const endo_transform *truth, endo_transform_class kind) {
    double a[4];
    look(truth, kind == ENDO_TRANSFORM_HOMOGRAPHY);
    point p = mean_of(seen.from);
    point q = mean_of(seen.to);
    fit(kind, p, q, a);
    double x = middle_x + q.x - a[0] * (middle_x + p.x) - a[1] * (middle_y + p.y);
    double y = middle_y + q.y - a[2] * (middle_x + p.x) - a[3] * (middle_y + p.y);
    endo_transform fitted = rig_affine(a[0], a[1], x, a[2], a[3], y);
    fitted.kind = kind;
    return kind == ENDO_TRANSFORM_HOMOGRAPHY ? pose_times(&fitted, truth) : fitted;
}

/* The truth comes out again, to what is of second order in lambda. */
static void check_given_back(endo_transform truth, endo_transform_class kind, double share) {
    const lens_drift lens = lens_drift_of(LAMBDA, wide, SPREAD);
    endo_transform distorted = registered(&truth, kind);
    endo_transform straight = lens_drift_straight(&lens, &distorted, kind);
    double before = frame_corner_distance(wide, &truth, &distorted);
    double after = frame_corner_distance(wide, &truth, &straight);
    CHECK(before > 0.35);
    CHECK_NEAR(after, 0, share * before);
}

static endo_transform similarity(double scale, double degrees, double dx, double dy) {
    double c = scale * cos(degrees * acos(-1.0) / 180);
    double s = scale * sin(degrees * acos(-1.0) / 180);
    return rig_affine(c, -s, middle_x + dx - c * middle_x + s * middle_y, s, c, middle_y + dy - s * middle_x - c * middle_y);
}

static void test_what_an_edge_loses_to_the_lens_is_given_back(void) {
    const struct {
        endo_transform_class kind;
        double scale, degrees, dx, dy;
    } cases[7] = {
        {ENDO_TRANSFORM_TRANSLATION, 1, 0, 40, 15}, {ENDO_TRANSFORM_RIGID, 1, 12, -60, 30},
        {ENDO_TRANSFORM_SIMILARITY, 1.08, 5, 30, -70}, {ENDO_TRANSFORM_AFFINE, 1.05, -3, 50, 50},
        {ENDO_TRANSFORM_AFFINE, 1, 0, 0, 90}, {ENDO_TRANSFORM_SIMILARITY, 1.3, 20, 10, 0},
        {ENDO_TRANSFORM_AFFINE, 0.75, 0, 0, 10}};
    for (int i = 0; i < 7; i++)
        check_given_back(similarity(cases[i].scale, cases[i].degrees, cases[i].dx, cases[i].dy), cases[i].kind, 0.3);
}

/* Scaled by 1.3 across, and tilted. */
static void test_stretched_frames_are_given_back(void) {
    double g = 1.5e-4;
    endo_transform stretched = rig_affine(1.3, 0.1, -0.3 * middle_x - 0.1 * middle_y, 0, 1, 0);
    double x = g * middle_x;
    double y = g * middle_y;
    const endo_transform tilt = {ENDO_TRANSFORM_HOMOGRAPHY, {1 + x, 0, -x * middle_x, y, 1, -y * middle_x, g, 0, 1}};
    check_given_back(stretched, ENDO_TRANSFORM_AFFINE, 0.2);
    check_given_back(pose_times(&stretched, &tilt), ENDO_TRANSFORM_HOMOGRAPHY, 0.2);
}

/* A shift by three times as far as half of the field reaches: of where nothing is shared, the middle, a quarter of the field
 * wide, of nine points along each side. A point p is put off by (p + t) |p + t|^2 - p |p|^2, over half of the longer side. */
static void test_where_frames_share_nothing_a_quarter_between_them_counts(void) {
    const lens_drift lens = lens_drift_of(LAMBDA, wide, SPREAD);
    double reach = SPREAD * sqrt(1.5);
    double t = 3 * reach;
    double mean = 0;
    endo_transform step = pose_translation(t, 0);
    for (int i = 0; i < 81; i++) {
        double x = reach * (-1.5 + 0.25 * ((2.0 * (i % 9) + 1) / 9 - 1));
        double y = reach * ((2.0 * (i / 9) + 1) / 9 - 1);
        mean += ((x + t) * (square(x + t) + y * y) - x * (x * x + y * y)) / (320.0 * 320) / 81;
    }
    endo_transform straight = lens_drift_straight(&lens, &step, ENDO_TRANSFORM_TRANSLATION);
    CHECK_NEAR(straight.matrix[2], t - LAMBDA * mean, 1e-9);
}

static void distances(const endo_transform *pose, const int *component, int n, double *off) {
    const lens_drift lens = lens_drift_of(LAMBDA, wide, SPREAD);
    CHECK(lens_drift_distances(&lens, &rig.edges, pose, component, n, off) == ENDO_OK);
}

/* Steps of 20 px to the right; a second component without edges; a frame that the first one reaches only backwards. */
static void test_errors_add_up_along_the_sequence(void) {
    endo_transform pose[14];
    int component[14] = {0};
    double off[14];
    rig_clear(&rig);
    for (int i = 0; i < 12; i++) {
        int back = i == 7;
        pose[i] = pose_translation(20 * i, 0);
        component[i] = 1;
        if (i > 0) rig_shift(&rig, back ? i : i - 1, back ? i - 1 : i, back ? -20 : 20, 0.1);
    }
    pose[12] = pose_identity;
    component[12] = 2;
    pose[13] = pose_translation(5, 5);
    distances(pose, component, 14, off);
    /* A square of that spread: means of 3x^2 + y^2 and of its own linear parts, over the half of the longer side. */
    double side = SPREAD * sqrt(1.5);
    double each = -LAMBDA * 20 * 4 * side * side / 3 / (320.0 * 320);
    CHECK(off[0] == 0 && off[12] == 0 && off[13] == 0);
    for (int i = 1; i < 12; i++) CHECK_NEAR(off[i], i * each, 0.12 * i * each);
}

/* A long edge is left aside where short ones lead to the same. */
static void test_the_nearest_edges_lead(void) {
    const endo_transform pose[3] = {pose_identity, pose_translation(100, 0), pose_translation(200, 0)};
    const int component[3] = {1, 1, 1};
    double by_short[3];
    double by_all[3];
    rig_clear(&rig);
    rig_shift(&rig, 0, 1, 100, 0.1);
    rig_shift(&rig, 1, 2, 100, 0.1);
    distances(pose, component, 3, by_short);
    rig_clear(&rig);
    rig_shift(&rig, 0, 2, 200, 0.1);
    rig_shift(&rig, 0, 1, 100, 0.1);
    rig_shift(&rig, 1, 2, 100, 0.1);
    distances(pose, component, 3, by_all);
    CHECK(by_all[2] == by_short[2]);
    rig.edges.n = 2;
    distances(pose, component, 3, by_all);
    CHECK(fabs(by_all[2] - by_short[2]) > 0.1);
}

/* Deviations of poses and what the lens does to them, as the sides of a right triangle. */
static void test_deviations_grow_by_the_lens(void) {
    double off[4];
    int component[4] = {1, 1, 1, 1};
    endo_transform pose[4];
    rig_clear(&rig);
    for (int i = 0; i < 4; i++) {
        rig_frame_at(&rig, 0, 20 * i);
        pose[i] = rig.frames[i].pose;
        if (i > 0) rig_shift(&rig, i - 1, i, 20, 0.1);
    }
    distances(pose, component, 4, off);
    mosaic_poses *poses = rig_solved(&rig, wide);
    double before = poses_deviation(poses, 3);
    CHECK(poses_widen(poses, LAMBDA, SPREAD) == ENDO_OK);
    CHECK(before > 0 && off[3] > 0.5);
    CHECK_NEAR(poses_deviation(poses, 3), length_of(before, off[3]), 1e-6);
    poses_destroy(&poses);
}

/* ----------------------------------------------------------------- passed planes */

static const mosaic_size size = {201, 161};

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

/* Of n edges that move by 5 px: each knows g to twice its deviation over the spread and the motion. */
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
    /* Of both numbers together, of which one is the same in all parts. */
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
        endo_transform step = turned(5 * rig_normal(&r), 1 + 0.05 * rig_normal(&r), 4, 3);
        rig_edge(&rig, i, i + 1, &step, 0.01);
    }
    passed_plane plane = plane_now();
    CHECK_NEAR(passed_plane_evidence(&plane), 0, 1e-6);
}

/* ------------------------------------------------------------------------ views */

/* Frame -> plane of a camera that looks down from 300 px, turned about x (or y) by so many radians, over (x, y). */
static endo_transform view_of(double x, double y, double angle, int about_y) {
    double s = sin(angle);
    double c = cos(angle);
    double f = 300;
    /* The ray (u, v, f) about x: v' = c v - s f, z' = s v + c f; it meets the plane at f (u, v') / z'. */
    double mx = 100;
    double my = 80;
    const double by_y[9] = {f * c, 0, -f * (c * mx + s * f), 0, f, -f * my, s, 0, c * f - s * mx};
    const double by_x[9] = {f, 0, -f * mx, 0, f * c, -f * (c * my + s * f), 0, s, c * f - s * my};
    const double *m = about_y ? by_y : by_x;
    endo_transform view = {.kind = ENDO_TRANSFORM_HOMOGRAPHY};
    for (int i = 0; i < 9; i++) view.matrix[i] = m[i] / m[8];
    return rig_times(pose_translation(x, y), view);
}

/* What fits a homography best over a frame, of the affine maps. */
static endo_transform affine_of(endo_transform h) {
    double m[6] = {0};
    double squares[2] = {0};
    int n = 0;
    for (double y = -79; y <= 79; y += 2)
        for (double x = -99; x <= 99; x += 2) {
            double u = pose_x(&h, 100 + x, 80 + y);
            double v = pose_y(&h, 100 + x, 80 + y);
            const double more[6] = {u * x, u * y, u, v * x, v * y, v};
            for (int i = 0; i < 6; i++) m[i] += more[i];
            squares[0] += x * x;
            squares[1] += y * y;
            n++;
        }
    double a = m[0] / squares[0], b = m[1] / squares[1], d = m[3] / squares[0], e = m[4] / squares[1];
    return rig_affine(a, b, m[2] / n - a * 100 - b * 80, d, e, m[5] / n - d * 100 - e * 80);
}

/* Root mean square of how far two transforms take points that lie all over the frame apart. */
static double apart(const endo_transform *a, const endo_transform *b) {
    double sum = 0;
    for (int i = 0; i < 80 * 80; i++) {
        double x = (i % 80 + 0.5) * 201 / 80 - 0.5;
        double y = (i / 80 + 0.5) * 161 / 80 - 0.5;
        sum += square(pose_x(a, x, y) - pose_x(b, x, y)) + square(pose_y(a, x, y) - pose_y(b, x, y));
    }
    return sqrt(sum / (80 * 80));
}

/* Of a plane at 10 degrees that is passed in curves by a scope that turns: the perspective of its edges. */
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

/* ------------------------------------------------------------------ perspective */

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

/* Of n edges that say the same, each with three before its neighbour: 48 / sqrt(140) deviations of 19, 45 / sqrt(131) of 18. */
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

/* What an edge errs by the next one takes back: the frame between them is seen a little tilted, and lies where it is. */
static void test_neighbours_that_take_each_other_back_do_not_hide_it(void) {
    double said[200];
    for (int i = 0; i < 200; i++) said[i] = 0.5 + (i % 2 == 0 ? 1 : -1);
    frames_that_say(said, 200);
    CHECK(distance_of(200) > 0);
}

static void test_independent_edges_say_nothing(void) {
    static double said[2000];
    test_random r = {7};
    for (int i = 0; i < 2000; i++) said[i] = 5 * rig_normal(&r);
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

/* Its own error counts as a third of what it says. */
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

/* By the variance of a frame's columns and rows, in which the middle of a tilted plane lies nearer. */
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

/* So many px of the last of 41 frames, found by halving. */
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

/* ------------------------------------------------------------------------ asked */

static void say(const endo_transform *step, double x, double y) {
    endo_mosaic_edge *edge = rig_edge(&rig, rig.edges.n, rig.edges.n + 1, step, 0.1);
    edge->perspective[0] = x * 1e-6;
    edge->perspective[1] = y * 1e-6;
    edge->perspective_deviation = 1e-6;
}

/* So many edges that say so many deviations of it, in turn along x and y. */
static void say_often(int n, double deviations) {
    endo_transform step = pose_translation(4, 0);
    for (int i = 0; i < n; i++) {
        double away = (i % 4 < 2 ? 1 : -1) * deviations;
        say(&step, i % 2 == 0 ? away : 0, i % 2 == 0 ? 0 : away);
    }
}

/* "": perspective is not asked for. */
static const char *asked(void) {
    static char reason[100];
    int is_asked = perspective_is_asked(&rig.edges, reason, sizeof reason);
    CHECK(is_asked == (reason[0] != 0));
    return reason;
}

static void test_edges_that_say_more_than_errors_do_ask(void) {
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.6));
    CHECK(strcmp(asked(), "pairs show perspective (1.6 times as much as errors would)") == 0);
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.51));
    CHECK(asked()[0] != 0);
    rig_clear(&rig);
    say_often(8, sqrt(2 * 1.49));
    CHECK(asked()[0] == 0);
}

static void test_few_edges_do_not_ask(void) {
    endo_transform step = pose_translation(4, 0);
    rig_clear(&rig);
    CHECK(asked()[0] == 0);
    say_often(7, 3);
    CHECK(asked()[0] == 0);
    say(&step, 3, 0);
    rig.edges.items[7].perspective_deviation = 0;
    say(&step, 3, 0);
    rig.edges.items[8].doubtful = 1;
    CHECK(asked()[0] == 0);
    rig.edges.items[8].doubtful = 0;
    CHECK(asked()[0] != 0);
}

/* An edge that says a hundred counts as three: with 15 that say 1.4 that is 1.2, and with 15 that say 1.66 1.57. */
static void test_no_edge_asks_alone(void) {
    endo_transform step = pose_translation(4, 0);
    rig_clear(&rig);
    say(&step, 100, 0);
    say_often(15, 1.4);
    CHECK(asked()[0] == 0);
    rig_clear(&rig);
    say(&step, 100, 0);
    say_often(15, 1.66);
    CHECK(strcmp(asked(), "pairs show perspective (1.6 times as much as errors would)") == 0);
}

/* Half of them take all six numbers, without saying more of perspective than errors do. */
static void test_where_most_edges_are_affine_maps_they_may_ask_for_more(void) {
    endo_transform sheared = rig_affine(1, 0.01, 4, 0, 1, 0);
    rig_clear(&rig);
    say_often(5, 0.5);
    for (int i = 0; i < 5; i++) say(&sheared, 0.5, 0);
    rig.edges.items[9].doubtful = 1;
    CHECK(asked()[0] == 0);
    rig.edges.items[9].doubtful = 0;
    CHECK(strcmp(asked(), "50 % of the pairs are affine maps") == 0);
}

/* ----------------------------------------------------------------------- shapes */

static const mosaic_size tall = {300, 400};

static endo_transform stretched(double x, double y) {
    return rig_affine(x, 0, 7, 0, y, -3);
}

/* Of a sequence whose fifth frame lies so. */
static const char *shape(endo_transform pose, double deviation) {
    static char said[300];
    rig_clear(&rig);
    for (int i = 0; i < 5; i++) rig_frame_at(&rig, 0, i);
    rig.frames[2].pose = stretched(0.1, 3);
    rig.frames[2].registered = 0;
    rig.frames[4].pose = pose;
    rig.frames[4].deviation = deviation;
    shape_warning(rig.frames, 5, tall, said, sizeof said);
    return said;
}

static const char *shape_of(double area, double ratio) {
    double y = sqrt(area / fabs(ratio));
    return shape(stretched(ratio * y, y), NAN);
}

static void test_usual_is_up_to_six_tenths_of_the_area_and_a_quarter_of_the_shape(void) {
    const double usual[5][2] = {{0.61, 1}, {1.66, 1}, {0.62, 1.249}, {1.64, 1.249}, {0.61, -1}};
    for (int i = 0; i < 5; i++) CHECK(shape_of(usual[i][0], usual[i][1])[0] == 0);
    CHECK(rig_begins(shape_of(0.59, 1), "frame 5: against the first frame the sequence has shrunk ("));
    CHECK(rig_begins(shape_of(1.68, 1), "frame 5: against the first frame the sequence has grown ("));
    CHECK(rig_begins(shape_of(1, 1.251), "frame 5: against the first frame the sequence has been sheared ("));
    CHECK(rig_begins(shape_of(1, 0.799), "frame 5: against the first frame the sequence has been sheared ("));
    CHECK(strstr(shape_of(0.25, 1), "area scale 0.250, usual are 0.60 to 1.67"));
    CHECK(strstr(shape_of(1, 1.3), "ratio of singular values 1.300, usual are 1.00 to 1.25"));
}

/* The first one that is beyond. */
static void test_shapes_are_said_once(void) {
    char said[300];
    shape_of(0.25, 1);
    rig.frames[1].pose = stretched(1.5, 1.5);
    shape_warning(rig.frames, 5, tall, said, sizeof said);
    CHECK(rig_begins(said, "frame 2: against the first frame the sequence has grown"));
}

/* Of frames whose diagonal is 500 px: those that are known to 5 px are what the tilt makes of them. At its middle the second
 * one is as large as the first frame, and at its first pixel twice as large. */
static void test_homographies_may_be_of_any_shape_where_their_poses_are_known(void) {
    endo_transform tilted = rig_times(stretched(0.7, 0.7), rig_perspective(1e-4, 0, 149.5, 199.5));
    endo_transform flat = rig_perspective(4e-4, 8e-4, 149.5, 199.5);
    endo_transform corner = pose_tangent(&flat, 0, 0);
    CHECK(shape(tilted, NAN)[0] == 0);
    CHECK(shape(tilted, 4.9)[0] == 0);
    CHECK(shape(tilted, 5.1)[0] != 0);
    CHECK(fabs(pose_determinant(&corner)) > 1.67);
    CHECK(shape(flat, 100)[0] == 0);
}

/* ------------------------------------------------------------------------ tears */

/* Three frames 10 px apart, of which the last lies further than it was registered. */
static void torn(double further) {
    rig_clear(&rig);
    for (int i = 0; i < 3; i++) {
        endo_transform pose = pose_translation(10 * i + (i == 2 ? further : 0), 3);
        rig_frame(&rig, 0, i > 0 ? i - 1 : 0, &pose);
        rig.frames[i].component = 1;
        rig.frames[i].chained = pose_translation(10 * i, 0);
        rig.frames[i].solved = 1;
    }
}

static const char *tear(void) {
    static char said[300];
    tear_warning(rig.frames, rig.n, (mosaic_size){320, 240}, said, sizeof said);
    return said;
}

static void test_tears_are_told_where_and_how_wide(void) {
    torn(7.9);
    CHECK(tear()[0] == 0);
    torn(-7.9);
    CHECK(tear()[0] == 0);
    torn(8.1);
    CHECK(strcmp(tear(), "frame 3: lies 8 px from where it was registered with frame 2, since other frames contradict that: the"
                         " panorama is torn between the two; register it in parts (option frames)") == 0);
    torn(20);
    rig.frames[1].pose = pose_translation(10 + 9, 3);
    CHECK(rig_begins(tear(), "frame 3: lies 11 px"));
}

static double half(double further) {
    torn(further);
    return tear_half(&rig.frames[1].pose, &rig.frames[2].pose, &rig.frames[1].chained, &rig.frames[2].chained,
                     (mosaic_size){320, 240});
}

/* Narrow ones are not told, but known of. */
static void test_half_of_a_tear_may_be_wrong(void) {
    endo_transform flat = rig_affine(1, 1, 0, 1, 1, 0);
    CHECK(half(0.9) == 0);
    CHECK_NEAR(half(-1.1), 0.55, 1e-9);
    CHECK_NEAR(half(9), 4.5, 1e-9);
    CHECK(tear_half(&flat, &rig.frames[2].pose, &rig.frames[1].chained, &rig.frames[2].chained, tall) == 0);
    CHECK(tear_half(&rig.frames[1].pose, &rig.frames[2].pose, &flat, &rig.frames[2].chained, tall) == 0);
}

/* A frame that is only predicted or doubtful, the first one, one of another component or without a chain says nothing. */
static void test_only_what_was_registered_is_torn(void) {
    torn(100);
    rig.frames[2].registered = 0;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[1].doubtful = 1;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].component = 2;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].solved = 0;
    CHECK(tear()[0] == 0);
    torn(100);
    rig.frames[2].reference = -1;
    CHECK(tear()[0] == 0);
    rig.frames[2].reference = 3;
    CHECK(tear()[0] == 0);
    rig.frames[2].reference = 1;
    CHECK(tear()[0] != 0);
}

/* ---------------------------------------------------------------------- classes */

static void add_class(int n, int distance, int64_t kind, int doubtful) {
    endo_transform step = pose_translation(3, -2);
    step.kind = kind;
    for (int i = 0; i < n; i++) rig_edge(&rig, i, i + distance, &step, 0.1)->doubtful = doubtful;
}

/* Edges of neighbours, and of frames two apart, by their class. */
static endo_transform_class class_of(const int neighbours[4], const int two_apart[4]) {
    rig_clear(&rig);
    for (int kind = 0; kind < 4; kind++) {
        add_class(neighbours[kind], 1, kind, 0);
        add_class(two_apart[kind], 2, kind, 0);
    }
    add_class(50, 2, ENDO_TRANSFORM_TRANSLATION, 1);
    return sequence_class(&rig.edges);
}

#define COUNTS(a, b, c, d) ((const int[4]){a, b, c, d})

static void test_classes(void) {
    CHECK(class_of(COUNTS(90, 9, 0, 0), COUNTS(8, 1, 1, 0)) == ENDO_TRANSFORM_SIMILARITY);
    CHECK(class_of(COUNTS(0, 0, 99, 0), COUNTS(9, 2, 1, 0)) == ENDO_TRANSFORM_RIGID);
    CHECK(class_of(COUNTS(0, 0, 99, 0), COUNTS(10, 0, 1, 0)) == ENDO_TRANSFORM_TRANSLATION);
    /* Neighbours decide where there is nothing else. */
    CHECK(class_of(COUNTS(0, 20, 0, 0), COUNTS(4, 0, 0, 0)) == ENDO_TRANSFORM_RIGID);
    CHECK(class_of(COUNTS(0, 0, 0, 0), COUNTS(0, 0, 0, 0)) == ENDO_TRANSFORM_TRANSLATION);
    CHECK(class_of(COUNTS(0, 20, 0, 0), COUNTS(5, 0, 0, 0)) == ENDO_TRANSFORM_TRANSLATION);
    /* Shear is never asked for. */
    CHECK(class_of(COUNTS(0, 0, 0, 0), COUNTS(0, 0, 2, 9)) == ENDO_TRANSFORM_SIMILARITY);
}

int main(void) {
    test_many_edges_say_what_one_cannot();
    test_few_that_are_far_off_have_little_say();
    test_what_is_far_off_pulls_by_one_and_a_half_deviations();
    test_edges_that_err_alike_are_no_proof();
    test_lenses_are_named_from_one_percent_on();
    test_chance_is_no_lens();
    test_three_deviations_are_sure();
    test_few_or_doubtful_edges_say_nothing();
    test_few_edges_must_be_surer();
    test_the_order_of_edges_is_that_of_the_sequence();
    test_what_helps_is_named();
    test_what_is_left_of_a_lens_counts();
    test_what_an_edge_loses_to_the_lens_is_given_back();
    test_stretched_frames_are_given_back();
    test_where_frames_share_nothing_a_quarter_between_them_counts();
    test_errors_add_up_along_the_sequence();
    test_the_nearest_edges_lead();
    test_deviations_grow_by_the_lens();
    test_what_is_certain_follows_from_the_edges();
    test_five_deviations_are_sure();
    test_parts_that_differ_are_no_proof();
    test_only_affine_edges_that_are_sure_say_something();
    test_turns_and_growth_are_no_shear();
    test_the_perspective_of_edges_follows();
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
    test_edges_that_say_more_than_errors_do_ask();
    test_few_edges_do_not_ask();
    test_no_edge_asks_alone();
    test_where_most_edges_are_affine_maps_they_may_ask_for_more();
    test_usual_is_up_to_six_tenths_of_the_area_and_a_quarter_of_the_shape();
    test_shapes_are_said_once();
    test_homographies_may_be_of_any_shape_where_their_poses_are_known();
    test_tears_are_told_where_and_how_wide();
    test_half_of_a_tear_may_be_wrong();
    test_only_what_was_registered_is_torn();
    test_classes();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_consistency");
}
