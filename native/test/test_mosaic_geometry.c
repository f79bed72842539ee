/* Products of transforms, what a transform makes of a frame of 101 x 81 px or of a rectangle, key frames, and the lists and
 * orders that everything else of the panorama is made with. */
#include "base/memory.h"
#include "systems/mosaic/adjacency.h"
#include "systems/mosaic/key_frames.h"
#include "systems/mosaic/numbers.h"
#include "systems/mosaic/pair_set.h"
#include "poses_rig.h"

static const mosaic_size frame = {101, 81};

/* About the frame's middle; w is 1 - 50 g at the right rim. */
static endo_transform tilted(double g) {
    return rig_perspective(-g, 0, 50, 40);
}

/* ------------------------------------------------------------------ transforms */

static endo_transform steep(void) {
    return (endo_transform){ENDO_TRANSFORM_HOMOGRAPHY, {1.1, -0.2, 5, 0.3, 0.9, -7, 0.01, -0.02, 2}};
}

static void test_products(void) {
    const endo_transform firsts[2] = {rig_affine(1.1, -0.2, 5, 0.3, 0.9, -7), steep()};
    const endo_transform thens[2] = {rig_affine(0.8, 0.1, -2, -0.4, 1.2, 3), steep()};
    for (int k = 0; k < 4; k++) {
        const endo_transform *first = &firsts[k / 2];
        const endo_transform *then = &thens[k % 2];
        endo_transform both = pose_times(then, first);
        double x = pose_x(first, 3, 4);
        double y = pose_y(first, 3, 4);
        CHECK_NEAR(pose_x(then, x, y), pose_x(&both, 3, 4), 1e-12);
        CHECK_NEAR(pose_y(then, x, y), pose_y(&both, 3, 4), 1e-12);
        CHECK(both.kind == (k == 0 ? ENDO_TRANSFORM_AFFINE : ENDO_TRANSFORM_HOMOGRAPHY));
        CHECK(both.matrix[8] == 1);
    }
    CHECK(rig_times(pose_translation(1, 2), pose_translation(3, 4)).kind == ENDO_TRANSFORM_TRANSLATION);
    CHECK(rig_times(pose_identity, rig_affine(1, 0, 0, 0, 1, 0)).kind == ENDO_TRANSFORM_AFFINE);
}

static void test_inverses(void) {
    const endo_transform all[3] = {rig_affine(1.1, -0.2, 5, 0.3, 0.9, -7), pose_translation(3, -2), steep()};
    for (int k = 0; k < 3; k++) {
        endo_transform back = pose_inverse(&all[k]);
        endo_transform forth = pose_times(&all[k], &back);
        endo_transform between = pose_between(&all[k], &all[k]);
        CHECK(back.kind == all[k].kind);
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(forth.matrix[i], pose_identity.matrix[i], 1e-12);
            CHECK_NEAR(between.matrix[i], pose_identity.matrix[i], 1e-12);
        }
    }
}

/* The inverse of a transform that has none is NaN, which compares with nothing. */
static void test_singular(void) {
    const endo_transform all[5] = {
        rig_affine(1, 2, 0, 2, 4, 0), rig_affine(1, 0, NAN, 0, 1, 0), rig_affine(1, 0, 0, 0, INFINITY, 0),
        rig_affine(1e-6, 0, 0, 0, 0.9e-6, 0), {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 0, 0, 1, 0, 1, 0, 0}}};
    for (int k = 0; k < 5; k++) {
        endo_transform back = pose_inverse(&all[k]);
        CHECK(!pose_is_invertible(&all[k]));
        CHECK(back.kind == all[k].kind);
        for (int i = 0; i < 9; i++) CHECK(isnan(back.matrix[i]));
        CHECK(!(pose_x(&back, 0, 0) < 1) && !(pose_x(&back, 0, 0) >= 1));
    }
    endo_transform small = rig_affine(1e-6, 0, 0, 0, 1.1e-6, 0);
    CHECK(pose_is_invertible(&small));
}

static void test_perspective(void) {
    endo_transform t = rig_perspective(3e-4, -2e-4, 100, 50);
    double w = 1 + 3e-4 * 30 + -2e-4 * -20;
    CHECK(pose_is_homography(&t) && t.matrix[8] == 1);
    CHECK_NEAR(pose_x(&t, 100, 50), 100, 1e-12);
    CHECK_NEAR(pose_y(&t, 100, 50), 50, 1e-12);
    CHECK_NEAR(pose_x(&t, 130, 30), 100 + 30 / w, 1e-12);
    CHECK_NEAR(pose_y(&t, 130, 30), 50 - 20 / w, 1e-12);
    CHECK_NEAR(pose_divisor(&t, 130, 30) / pose_divisor(&t, 100, 50), w, 1e-12);
}

static void test_scaling(void) {
    endo_transform t = pose_scaling(3);
    CHECK(t.kind == ENDO_TRANSFORM_SIMILARITY);
    CHECK_NEAR(pose_x(&t, -0.5, 0), -0.5, 1e-12);
    CHECK_NEAR(pose_y(&t, 0, 0.5), 2.5, 1e-12);
    CHECK(pose_scaling(1).kind == ENDO_TRANSFORM_TRANSLATION);
}

static void test_tangents(void) {
    double d = 1e-5;
    endo_transform t = steep();
    endo_transform at = pose_tangent(&t, 3, 4);
    CHECK(at.kind == ENDO_TRANSFORM_AFFINE);
    CHECK_NEAR(pose_x(&at, 3, 4), pose_x(&t, 3, 4), 1e-12);
    CHECK_NEAR(pose_y(&at, 3, 4), pose_y(&t, 3, 4), 1e-12);
    CHECK_NEAR(at.matrix[0], (pose_x(&t, 3 + d, 4) - pose_x(&t, 3 - d, 4)) / (2 * d), 1e-9);
    CHECK_NEAR(at.matrix[1], (pose_x(&t, 3, 4 + d) - pose_x(&t, 3, 4 - d)) / (2 * d), 1e-9);
    CHECK_NEAR(at.matrix[3], (pose_y(&t, 3 + d, 4) - pose_y(&t, 3 - d, 4)) / (2 * d), 1e-9);
    CHECK_NEAR(at.matrix[4], (pose_y(&t, 3, 4 + d) - pose_y(&t, 3, 4 - d)) / (2 * d), 1e-9);
}

static void test_singular_values(void) {
    endo_transform one = rig_affine(0, -3, 0, 2, 0, 0);
    endo_transform other = rig_affine(0, -2, 0, -3, 0, 0);
    CHECK_NEAR(pose_longest(&one), 3, 1e-12);
    CHECK_NEAR(pose_longest(&other), 3, 1e-12);
    CHECK_NEAR(pose_singular_ratio(&one), 1.5, 1e-12);
    CHECK_NEAR(pose_determinant(&one), 6, 1e-12);
}

/* ---------------------------------------------------------------- over a frame */

static int is_shown(mosaic_size size, endo_transform t) {
    return frame_is_shown(size, &t);
}

static int is_before(endo_transform t) {
    return frame_is_before_horizon(frame, &t);
}

static void test_all_but_homographies_are_shown(void) {
    CHECK(is_shown(frame, rig_affine(100, 0, 0, 0, -100, 0)));
    CHECK(is_shown(frame, tilted(0)));
    CHECK(is_shown(frame, tilted(0.01)));
}

/* A frame of one row: along it a pixel becomes 1 / w^2 wide, 32 where w is 0.1768. */
static void test_pixels_may_become_thirty_two_wide(void) {
    const mosaic_size row = {101, 1};
    const mosaic_size column = {1, 101};
    double most = (1 - 1 / sqrt(32.0)) / 50;
    for (int sign = -1; sign <= 1; sign += 2) {
        CHECK(is_shown(row, rig_perspective(sign * 0.999 * most, 0, 50, 0)));
        CHECK(!is_shown(row, rig_perspective(sign * 1.001 * most, 0, 50, 0)));
    }
    CHECK(is_shown(column, rig_perspective(0, 0.999 * most, 0, 50)));
    CHECK(!is_shown(column, rig_perspective(0, 1.001 * most, 0, 50)));
    CHECK(!is_shown(column, rig_perspective(0, -1.001 * most, 0, 50)));
}

static void test_the_horizon(void) {
    endo_transform across = tilted(0.021);
    const mosaic_rect all = {0, 0, 101, 81};
    const mosaic_rect part = {0, 0, 90, 81};
    mosaic_rect out = {1, 2, 3, 4};
    CHECK(!is_shown(frame, across) && !is_before(across) && !is_before(tilted(-0.021)));
    CHECK(is_before(tilted(0.0199)) && is_before(tilted(-0.0199)));
    CHECK(!rect_transformed(all, &across, &out) && out.left == 1 && out.bottom == 4);
    CHECK(rect_transformed(part, &across, &out));
    CHECK(rect_covered_by(all, &across) == 0);
    CHECK(rect_covered_by(part, &across) > 0);
}

/* Of 1 / w^2 wide and 1 / w high, and sheared, the mean of four points, and of others what the linear part says. */
static void test_scales_are_means_over_the_frame(void) {
    endo_transform plain = rig_affine(3, 0, 7, 0, 1, 8);
    endo_transform t = tilted(0.005);
    endo_transform middle = frame_middle(frame, &t);
    double squares = 0;
    CHECK_NEAR(frame_scale(frame, &plain), sqrt((9 + 1) / 2.0), 1e-12);
    for (int sign = -1; sign <= 1; sign += 2) {
        double q = sign * 101 / sqrt(12);
        double w = 1 - 0.005 * q;
        double shear = 0.005 * (81 / sqrt(12)) / (w * w);
        squares += (1 / pow(w, 4) + 1 / (w * w) + shear * shear) / 2 / 2;
    }
    CHECK_NEAR(frame_scale(frame, &t), sqrt(squares), 1e-9);
    CHECK_NEAR(pose_determinant(&middle), 1, 1e-12);
}

static void test_distances(void) {
    const mosaic_size size = {200, 160};
    endo_transform beyond = rig_perspective(-0.02, 0, 99.5, 79.5);
    endo_transform shift = pose_translation(3, 4);
    endo_transform wider = rig_affine(1.01, 0, -0.995, 0, 1, 0);
    CHECK(isinf(frame_distance(size, &beyond, &pose_identity)) && isinf(frame_distance(size, &pose_identity, &beyond)));
    CHECK_NEAR(frame_distance(size, &shift, &pose_identity), 5, 1e-12);
    CHECK_NEAR(frame_corner_distance(size, &shift, &pose_identity), 5, 1e-12);
    /* Root mean square of 0.01 x over the frame, x from the middle; and at its corners' pixels. */
    CHECK_NEAR(frame_distance(size, &wider, &pose_identity), 0.01 * 200 / sqrt(12), 1e-9);
    CHECK_NEAR(frame_corner_distance(size, &wider, &pose_identity), 0.01 * 99.5, 1e-9);
}

/* ------------------------------------------------------------------- rectangles */

static void test_rectangles(void) {
    const mosaic_rect a = {-3, 2, 7, 9};
    const mosaic_rect b = {0, 3, 12, 5};
    mosaic_rect both = rect_union(a, b);
    endo_transform turn = rig_affine(0, -1, 0.25, 1, 0, 0);
    endo_transform far = pose_translation(536870912.0 - 6, 0); /* the last column at 2^29 */
    endo_transform nearly = pose_translation(536870912.0 - 6.5, 0);
    endo_transform none = pose_translation(NAN, 0);
    mosaic_rect out;
    CHECK(rect_width(a) == 10 && rect_height(a) == 7 && rect_area(a) == 70);
    CHECK(both.left == -3 && both.top == 2 && both.right == 12 && both.bottom == 9);
    CHECK(rect_contains(both, a) && rect_contains(both, b) && !rect_contains(a, b) && rect_contains(a, a));
    CHECK(rect_transformed(a, &turn, &out));
    CHECK(out.left == -8 && out.top == -3 && out.right == 0 && out.bottom == 7);
    CHECK(!rect_transformed(a, &far, &out) && rect_transformed(a, &nearly, &out) && !rect_transformed(a, &none, &out));
}

static double covered(mosaic_rect r, endo_transform t) {
    return rect_covered_by(r, &t);
}

static void test_overlap_is_the_common_area(void) {
    const mosaic_rect field = {10, 20, 111, 71};
    CHECK_NEAR(covered(field, pose_identity), 1, 1e-12);
    CHECK_NEAR(covered(field, pose_translation(50, -12.5)), 0.375, 1e-12);
    CHECK_NEAR(covered(field, pose_translation(101, 0)), 0, 1e-12);
    CHECK_NEAR(covered(field, rig_affine(0.5, 0, 20, 0, 0.5, 15)), 0.25, 1e-12);
    CHECK(covered(field, pose_translation(NAN, 0)) == 0);
}

/* ------------------------------------------------------------------- key frames */

/* The field is 100 x 80 px from middle to middle of its corners. */
static void test_key_frames_overlap(void) {
    const key_frames keys = {.field = {10, 20, 111, 101}};
    endo_transform here = pose_translation(300, -40);
    endo_transform beside = pose_translation(310, -60);
    endo_transform away = pose_translation(401, -40);
    endo_transform larger = rig_affine(2, 0, -60, 0, 2, -60); /* about the field's middle */
    CHECK_NEAR(key_frames_overlap(&keys, &here, &here), 1, 1e-9);
    CHECK_NEAR(key_frames_overlap(&keys, &here, &beside), 0.9 * 0.75, 1e-9);
    CHECK_NEAR(key_frames_overlap(&keys, &here, &away), 0, 1e-9);
    CHECK_NEAR(key_frames_overlap(&keys, &pose_identity, &larger), 1, 1e-9);
    CHECK_NEAR(key_frames_overlap(&keys, &larger, &pose_identity), 0.25, 1e-9);
}

static void test_less_than_six_tenths_is_beyond(void) {
    key_frames keys = {.field = {10, 20, 111, 101}};
    endo_transform key = pose_translation(5, 5);
    endo_transform within = pose_translation(44, 5);
    endo_transform beyond = pose_translation(46, 5);
    int index = -1;
    CHECK(key_frames_add(&keys, 7, 2, &key, &index) == ENDO_OK && index == 0);
    CHECK(!key_frames_is_beyond(&keys, 0, &within));
    CHECK(key_frames_is_beyond(&keys, 0, &beyond));
    CHECK(keys.n == 1 && keys.items[0].end == 7 && keys.items[0].chain == 2 && keys.items[0].frame == 7);
    for (int i = 1; i < 100; i++) CHECK(key_frames_add(&keys, i, 0, &keys.items[0].pose, &index) == ENDO_OK && index == i);
    CHECK(keys.items[99].pose.matrix[2] == 5 && keys.items[0].frame == 7);
    key_frames_free(&keys);
    CHECK(!keys.items && keys.n == 0 && keys.capacity == 0 && keys.field.left == 10);
}

/* ----------------------------------------------------------------- lists, orders */

static void test_edges(void) {
    mosaic_edges list = {.items = NULL};
    mosaic_edges copy = {.items = NULL};
    for (int i = 0; i < 40; i++) CHECK(edges_add(&list, &(endo_mosaic_edge){.reference = i, .current = 100}) == ENDO_OK);
    CHECK(list.capacity >= 40 && list.n == 40 && list.items[39].reference == 39);
    CHECK(edges_add(&list, &list.items[3]) == ENDO_OK && list.items[40].reference == 3);
    CHECK(edges_replace(&copy, &list) == ENDO_OK && copy.n == 41 && copy.items[40].reference == 3);
    CHECK(edges_append(&copy, &list) == ENDO_OK && copy.n == 82 && copy.items[81].reference == 3);
    CHECK(edges_append(&copy, &copy) == ENDO_OK && copy.n == 164 && copy.items[163].reference == 3);
    edges_clear(&copy);
    CHECK(copy.n == 0 && copy.items && edges_replace(&copy, &copy) == ENDO_OK);
    edges_free(&copy);
    edges_free(&list);
    CHECK(!copy.items && copy.capacity == 0);
}

static int is_even(const endo_mosaic_edge *edge) {
    return edge->by_hand % 2 == 0;
}

/* Edges come in the order of their frames; those of the same frames stay in the order in which they were added. */
static void test_edges_in_the_order_of_the_sequence(void) {
    const int frames[6][2] = {{3, 4}, {0, 4}, {1, 2}, {3, 4}, {0, 1}, {3, 4}};
    mosaic_edges list = {.items = NULL};
    const endo_mosaic_edge **sorted = NULL;
    int n = 0;
    for (int i = 0; i < 6; i++) {
        endo_mosaic_edge edge = {.reference = frames[i][0], .current = frames[i][1], .by_hand = i == 3 ? 2 : i};
        CHECK(edges_add(&list, &edge) == ENDO_OK);
    }
    CHECK(edges_in_sequence(&list, is_even, &sorted, &n) == ENDO_OK && n == 4);
    CHECK(sorted[0] == &list.items[4] && sorted[1] == &list.items[2]);
    CHECK(sorted[2] == &list.items[0] && sorted[3] == &list.items[3]);
    endo_free(sorted);
    edges_free(&list);
}

typedef struct card {
    int value, number;
} card;

static int by_value(const void *a, const void *b) {
    return ((const card *)a)->value - ((const card *)b)->value;
}

static void test_orders_are_stable(void) {
    test_random r = {5};
    card cards[100];
    card rest[100];
    for (int n = 0; n <= 100; n++) {
        for (int i = 0; i < n; i++) cards[i] = (card){.value = test_between(&r, 0, 9), .number = i};
        sort_in_order(cards, rest, (size_t)n, sizeof *cards, by_value);
        for (int i = 1; i < n; i++)
            CHECK(cards[i - 1].value < cards[i].value ||
                  (cards[i - 1].value == cards[i].value && cards[i - 1].number < cards[i].number));
    }
}

static void test_numbers(void) {
    double numbers[5] = {3, NAN, -1, INFINITY, 2};
    CHECK(number_at_rank(numbers, 5, 1) == 2 && numbers[0] == -1 && isinf(numbers[3]) && isnan(numbers[4]));
    CHECK(isnan(lesser_of(1, NAN)) && isnan(lesser_of(NAN, 1)) && isnan(greater_of(1, NAN)) && isnan(greater_of(NAN, 1)));
    CHECK(lesser_of(1, 2) == 1 && lesser_of(2, 1) == 1 && greater_of(1, 2) == 2 && greater_of(2, 1) == 2);
    CHECK(length_of(3, -4) == 5);
}

/* The least first; of equal ones always the same: which poses follow depends on it. */
static void test_queue(void) {
    test_random r = {3};
    edge_queue queue = {.items = NULL};
    double last = -1;
    static const int order[20] = {0, 4, 8, 12, 15, 7, 16, 3, 11, 19, 10, 6, 14, 2, 18, 17, 9, 5, 1, 13};
    for (int i = 0; i < 200; i++)
        CHECK(edge_queue_add(&queue, &(queued_edge){.cost = test_between(&r, 0, 40), .edge = i}) == ENDO_OK);
    for (int i = 0; i < 200; i++) {
        queued_edge way = edge_queue_take(&queue);
        CHECK(way.cost >= last);
        last = way.cost;
    }
    CHECK(queue.n == 0);
    for (int i = 0; i < 16; i++) CHECK(edge_queue_add(&queue, &(queued_edge){.cost = i * 7 % 4, .edge = i}) == ENDO_OK);
    for (int i = 0; i < 6; i++) CHECK(edge_queue_take(&queue).edge == order[i]);
    for (int i = 16; i < 20; i++) CHECK(edge_queue_add(&queue, &(queued_edge){.cost = i * 7 % 4, .edge = i}) == ENDO_OK);
    for (int i = 6; i < 20; i++) CHECK(edge_queue_take(&queue).edge == order[i]);
    edge_queue_free(&queue);
}

static void test_edges_of_frames(void) {
    const int frames[4][2] = {{0, 1}, {2, 1}, {1, 3}, {0, 3}};
    const int expected[5][3] = {{0, 3, -1}, {0, 1, 2}, {1, -1, -1}, {2, 3, -1}, {-1, -1, -1}};
    mosaic_edges list = {.items = NULL};
    adjacency of;
    for (int i = 0; i < 4; i++)
        CHECK(edges_add(&list, &(endo_mosaic_edge){.reference = frames[i][0], .current = frames[i][1]}) == ENDO_OK);
    CHECK(adjacency_of(&list, 5, &of) == ENDO_OK);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            int at = of.first[i] + k;
            CHECK((at < of.first[i + 1] ? of.items[at] : -1) == expected[i][k]);
        }
    CHECK(of.first[5] == 8);
    CHECK(edge_other(&list.items[1], 1) == 2 && edge_other(&list.items[1], 2) == 1);
    adjacency_free(&of);
    edges_free(&list);
}

static void test_pair_sets(void) {
    pair_set set = {.slots = NULL};
    CHECK(!pair_set_has(&set, 0, 0));
    for (int i = 0; i < 500; i++) {
        CHECK(pair_set_reserve(&set, 1) == ENDO_OK);
        CHECK(pair_set_add(&set, i % 50, i) && !pair_set_add(&set, i % 50, i));
    }
    for (int i = 0; i < 500; i++) CHECK(pair_set_has(&set, i % 50, i) && !pair_set_has(&set, i, i % 50 + 500));
    CHECK(set.n == 500 && set.capacity >= 1000);
    pair_set_free(&set);
}

static void test_frames_that_are_unknown(void) {
    endo_mosaic_frame f = mosaic_unknown_frame();
    CHECK(f.status == ENDO_FRAME_SKIPPED && f.reference == -1 && !f.registered && isnan(f.deviation));
    CHECK(f.pose.matrix[0] == 1 && f.chained.matrix[8] == 1 && f.component == 0 && f.order == 0);
    f.reference = 3, f.landmarks = 4, f.found = 5, f.used = 6, f.coefficient = 1, f.quality = 1, f.chain = 2;
    mosaic_forget_pair(&f);
    CHECK(f.reference == -1 && f.landmarks + f.found + f.used == 0 && isnan(f.coefficient) && isnan(f.quality) && f.chain == 2);
}

int main(void) {
    test_products();
    test_inverses();
    test_singular();
    test_perspective();
    test_scaling();
    test_tangents();
    test_singular_values();
    test_all_but_homographies_are_shown();
    test_pixels_may_become_thirty_two_wide();
    test_the_horizon();
    test_scales_are_means_over_the_frame();
    test_distances();
    test_rectangles();
    test_overlap_is_the_common_area();
    test_key_frames_overlap();
    test_less_than_six_tenths_is_beyond();
    test_edges();
    test_edges_in_the_order_of_the_sequence();
    test_orders_are_stable();
    test_numbers();
    test_queue();
    test_edges_of_frames();
    test_pair_sets();
    test_frames_that_are_unknown();
    return check_summary("test_mosaic_geometry");
}
