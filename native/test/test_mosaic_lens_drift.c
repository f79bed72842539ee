/* The drift of poses that a lens causes: what an edge loses to the distortion, how errors add up along a sequence, and how
 * deviations grow by it. */
#include "systems/mosaic/lens_drift.h"
#include "poses_rig.h"

static poses_rig rig;

static double square(double v) {
    return v * v;
}

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

/* Points of a square of that spread, and where a motion takes them through the lens. */
enum { POINTS = 20000 };
static struct {
    int n;
    point from[POINTS], to[POINTS];
} seen;

static void observe(const endo_transform *truth, int is_homography) {
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

/* The transform that registration finds between distorted frames: least squares over a square of that spread, of a class. */
static endo_transform registered(const endo_transform *truth, endo_transform_class kind) {
    double a[4];
    observe(truth, kind == ENDO_TRANSFORM_HOMOGRAPHY);
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

int main(void) {
    test_what_an_edge_loses_to_the_lens_is_given_back();
    test_stretched_frames_are_given_back();
    test_where_frames_share_nothing_a_quarter_between_them_counts();
    test_errors_add_up_along_the_sequence();
    test_the_nearest_edges_lead();
    test_deviations_grow_by_the_lens();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_lens_drift");
}
