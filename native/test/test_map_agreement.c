/* How far apart maps are, by points of the frame, and what two levels may differ by. */
#include "systems/pairs/map_agreement.h"

#include "check.h"

static const endo_frame_size size = {320, 200};

static endo_transform shift_by(double x, double y) {
    double m[6] = {1, 0, x, 0, 1, y};
    return endo_transform_make(ENDO_TRANSFORM_TRANSLATION, m);
}

static const endo_transform shift_by_one = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 1, 0, 1, 0, 0, 0, 1}};

/* About the middle of the frame. */
static endo_transform turned(double angle, double growth, double x, double y) {
    double c = growth * cos(angle), s = growth * sin(angle), u = (size.width - 1) / 2.0, v = (size.height - 1) / 2.0;
    double m[6] = {c, -s, u + x - c * u + s * v, s, c, v + y - s * u - c * v};
    return endo_transform_make(ENDO_TRANSFORM_SIMILARITY, m);
}

/* The distance of two maps by its definition, at the middle of every pixel of a fine grid. */
static double distance_by_points(const endo_transform *a, const endo_transform *b) {
    enum { N = 200 };
    double sum = 0;
    for (int i = 0; i < N * N; i++) {
        double x = (i % N + 0.5) * size.width / N - 0.5, y = (i / N + 0.5) * size.height / N - 0.5, u, v, p, q;
        CHECK(endo_transform_point(a, x, y, &u, &v) && endo_transform_point(b, x, y, &p, &q));
        sum += (u - p) * (u - p) + (v - q) * (v - q);
    }
    return sqrt(sum / (N * N));
}

static void test_distance(void) {
    endo_transform a = turned(0.1, 1.02, 3, -5), b = turned(0.07, 0.99, 4, 2), c = shift_by(1, 2);
    CHECK_NEAR(endo_map_distance(size, &a, &b), distance_by_points(&a, &b), 1e-3);
    CHECK_NEAR(endo_map_distance(size, &a, &c), distance_by_points(&a, &c), 1e-3);
    CHECK_NEAR(endo_map_distance(size, &a, &a), 0, 1e-12);
}

/* On the way to no motion as far as is allowed, and only there. */
static void test_behind(void) {
    endo_transform fine = shift_by(10, 0), behind = shift_by(9, 0), far_behind = shift_by(7, 0), ahead = shift_by(11, 0);
    endo_transform beside = shift_by(9, 0.5);
    CHECK_NEAR(endo_map_distance_behind(size, &behind, &fine, 0.2), 0, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &far_behind, &fine, 0.2), 1, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &ahead, &fine, 0.2), 1, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &beside, &fine, 0.2), 0.5, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &behind, &fine, 0), 1, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &fine, &fine, 0.2), 0, 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &fine, &endo_transform_still, 0.2), 10, 1e-9);
}

/* Pixels of 4: within 0.15 of them, of what the further level says of itself as much again at most, and 0.15 of the way
 * from no motion behind. */
static void test_agreement(void) {
    endo_transform fine = shift_by(0, 10), near_by = shift_by(0.58, 10), off = shift_by(0.62, 10), far_off = shift_by(1.25, 10);
    endo_transform behind = shift_by(0, 10 - 1.5 - 0.58), far_behind = shift_by(0, 10 - 1.5 - 0.62), ahead = shift_by(0, 10.62);
    CHECK(endo_maps_agree(size, &near_by, 0, 4, &fine));
    CHECK(!endo_maps_agree(size, &off, 0, 4, &fine));
    CHECK(endo_maps_agree(size, &off, 0.03, 4, &fine));
    CHECK(!endo_maps_agree(size, &far_off, 100, 4, &fine));
    CHECK(endo_maps_agree(size, &behind, 0, 4, &fine));
    CHECK(!endo_maps_agree(size, &far_behind, 0, 4, &fine));
    CHECK(!endo_maps_agree(size, &ahead, 0, 4, &fine));
}

/* A shear, which a similarity cannot hold, is no disagreement: half of it is allowed. */
static void test_shear(void) {
    double m[6] = {1.02, 0, -3.19, 0, 0.98, 1.99};
    endo_transform fine = endo_transform_make(ENDO_TRANSFORM_AFFINE, m), same;
    CHECK(endo_transform_nearest(&fine, ENDO_TRANSFORM_SIMILARITY, (size.width - 1) / 2.0, (size.height - 1) / 2.0, &same));
    double shear = endo_map_distance(size, &same, &fine);
    endo_transform off = same;
    CHECK(shear > 1);
    off.matrix[2] += 0.15 + shear / 2 - 0.02;
    CHECK(endo_maps_agree(size, &off, 0, 1, &fine));
    off.matrix[2] += 0.3;
    CHECK(!endo_maps_agree(size, &off, 0, 1, &fine));
}

/* Homographies agree by the same definitions. */
static void test_homographies(void) {
    endo_transform a = {ENDO_TRANSFORM_HOMOGRAPHY, {1.01, 0.02, 3, -0.03, 0.98, -5, 4e-4, -6e-4, 1}}, b = a, still = endo_transform_still;
    endo_transform tilted = still, away = tilted, half_way, same;
    b.matrix[6] = -3e-4, b.matrix[2] = 1;
    CHECK_NEAR(endo_map_distance(size, &a, &b), distance_by_points(&a, &b), 1e-3);
    CHECK_NEAR(endo_map_distance(size, &a, &still), distance_by_points(&a, &still), 1e-3);
    a.matrix[6] = a.matrix[7] = 0; /* as an affine map, which it is */
    b = a, b.kind = ENDO_TRANSFORM_AFFINE;
    CHECK_NEAR(endo_map_distance(size, &a, &still), endo_map_distance(size, &b, &still), 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &still, &a, 0.2), endo_map_distance_behind(size, &still, &b, 0.2), 1e-9);
    CHECK_NEAR(endo_map_distance_behind(size, &shift_by_one, &a, 0.2), endo_map_distance_behind(size, &shift_by_one, &b, 0.2), 1e-6);
    CHECK_NEAR(endo_map_held_back(size, &a, 0.1, &shift_by_one), endo_map_held_back(size, &b, 0.1, &shift_by_one), 1e-9);
    /* Seen from afar as a similarity: the one nearest over the frame agrees, however tilted. */
    tilted.kind = ENDO_TRANSFORM_HOMOGRAPHY, tilted.matrix[6] = 8e-4;
    CHECK(endo_map_nearest_over_frame(size, &tilted, ENDO_TRANSFORM_SIMILARITY, &same));
    CHECK(endo_maps_agree(size, &same, 0, 1, &tilted));
    away = same, half_way = same;
    double beyond = endo_map_distance(size, &same, &tilted);
    half_way.matrix[5] -= beyond / 2, away.matrix[5] -= beyond / 2 + 0.3; /* not towards no motion */
    CHECK(beyond > 2 && endo_maps_agree(size, &half_way, 0, 1, &tilted) && !endo_maps_agree(size, &away, 0, 1, &tilted));
}

/* How much further a level moved than the one before, on the way from no motion, beyond one and a half of its deviations. */
static void test_held_back(void) {
    endo_transform coarse = shift_by(2, 0), behind = shift_by(0.5, 0), still = shift_by(0, 0), ahead = shift_by(3, 0);
    endo_transform beside = shift_by(1.5, 4);
    CHECK_NEAR(endo_map_held_back(size, &coarse, 0.1, &behind), 1.5, 1e-9);
    CHECK_NEAR(endo_map_held_back(size, &coarse, 0.99, &behind), 1.5, 1e-9);
    CHECK(endo_map_held_back(size, &coarse, 1.01, &behind) == 0);
    CHECK_NEAR(endo_map_held_back(size, &coarse, 0.1, &still), 2, 1e-9);
    CHECK_NEAR(endo_map_held_back(size, &coarse, 0.1, &beside), 0.5, 1e-9);
    CHECK(endo_map_held_back(size, &coarse, 0.1, &ahead) == 0 && endo_map_held_back(size, &still, 0, &behind) == 0);
}

int main(void) {
    test_distance();
    test_behind();
    test_agreement();
    test_shear();
    test_held_back();
    test_homographies();
    return check_summary("test_map_agreement");
}
