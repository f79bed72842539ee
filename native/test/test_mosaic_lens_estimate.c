/* The distortion of the lens that all edges of a sequence tell of together: its value, its deviation, when it is sure, and
 * what is said of it. */
#include "systems/mosaic/lens_estimate.h"
#include "poses_rig.h"

static poses_rig rig;

static double square(double v) {
    return v * v;
}

static const mosaic_size size = {200, 160};

/* Half of the longer side, px. */
#define HALF 100.0

static void lens_edge(int frame, double lambda, double deviation) {
    endo_mosaic_edge *edge = rig_edge(&rig, frame, frame + 1, &pose_identity, 0.1);
    edge->lens = lambda;
    edge->lens_deviation = deviation;
}

/* A pair that moves by (x, y) px and tells of a hollow scene: half of the perspective along the motion, per motion. */
static void moving_edge(int frame, double x, double y, double lambda, double hollow) {
    lens_edge(frame, lambda, 0.02);
    endo_mosaic_edge *edge = &rig.edges.items[rig.edges.n - 1];
    edge->transform = pose_translation(x, y);
    edge->perspective[0] = 2 * hollow * x / (HALF * HALF);
    edge->perspective[1] = 2 * hollow * y / (HALF * HALF);
    edge->perspective_deviation = 1e-5;
}

/* Edges whose errors are normal, of deviations between 0.01 and 0.04; of every eighth of the sequence some in common. */
static void lens_edges(int n, double lambda, double common, uint64_t seed) {
    test_random r = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    double alike = 0;
    rig_clear(&rig);
    for (int i = 0; i < n; i++) {
        if (i % (n / 8) == 0) alike = common * test_normal(&r);
        double deviation = 0.01 * (1 + i % 4);
        lens_edge(i, lambda + deviation * test_normal(&r) + alike, deviation);
    }
}

static lens_estimate estimate(void) {
    lens_estimate lens;
    CHECK(lens_estimate_of(&rig.edges, size, &lens) == ENDO_OK);
    return lens;
}

static int sees_a_lens(void) {
    lens_estimate lens = estimate();
    return lens_is_seen(&lens);
}

/* The deviation of 200 edges together is one over the root of the sum of 1 / s^2: 0.0012. */
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

/* Each of 20 edges that are far off pulls by 1.5 of its deviations: all of them together by 0.005. */
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

/* Edges of one stretch err alike here; if they did not, 0.03 would be sure, with a deviation of 0.0012. */
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

/* Lenses are named from three deviations on. */
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

static lens_estimate of_moving(double lambda, double hollow) {
    rig_clear(&rig);
    for (int i = 0; i < 40; i++) moving_edge(i, 12 - i % 7, i % 5 - 9, lambda, hollow);
    return estimate();
}

static void test_a_hollow_scene_is_no_lens(void) {
    lens_estimate lens = of_moving(-0.12, 0);
    CHECK_NEAR(lens.hollow, 0, 1e-12);
    CHECK(lens_find(&lens) == LENS_SEEN);
    lens = of_moving(-0.12, -0.12);
    CHECK_NEAR(lens.hollow, -0.12, 1e-12);
    CHECK(lens_find(&lens) == LENS_HOLLOW);
    lens = of_moving(-0.12, 0.35); /* the scope turns */
    CHECK(lens_find(&lens) == LENS_TORN);
    lens = of_moving(-0.12, -0.055);
    CHECK(lens_find(&lens) == LENS_SEEN);
    lens = of_moving(-0.12, -0.065);
    CHECK(lens_find(&lens) == LENS_HOLLOW);
    lens = of_moving(-0.005, 0);
    CHECK(lens_find(&lens) == LENS_NONE);
}

/* Where perspective is not known so well that a hollow is three of its deviations away, it is no lens. */
static void test_unsure_perspective_proves_no_lens(void) {
    for (int hollow = 0; hollow < 2; hollow++) {
        of_moving(-0.12, hollow ? -0.12 : 0);
        for (int i = 0; i < 40; i++) rig.edges.items[i].perspective_deviation = 1e-3;
        lens_estimate lens = estimate();
        CHECK(lens_find(&lens) == (hollow ? LENS_HOLLOW : LENS_TORN));
    }
    of_moving(-0.12, 0);
    for (int i = 0; i < 36; i++) rig.edges.items[i].perspective_deviation = 0;
    lens_estimate lens = estimate();
    CHECK(isnan(lens.hollow) && lens_find(&lens) == LENS_TORN);
}

static void test_what_is_taken_out(void) {
    lens_estimate lens = of_moving(-0.1234, 0);
    CHECK_NEAR(lens_to_take(&lens, 0), -12.3, 1e-12);
    CHECK_NEAR(lens_to_take(&lens, -30), -10, 1e-12);
    lens = of_moving(-0.1234, -0.1234);
    CHECK(lens_to_take(&lens, 0) == 0);
    lens = (lens_estimate){.lambda = -0.049, .deviation = 0.01, .hollow = 0, .hollow_deviation = 0.001};
    CHECK(lens_find(&lens) == LENS_SEEN && lens_to_take(&lens, 0) == 0);
    lens.lambda = -0.051;
    CHECK_NEAR(lens_to_take(&lens, 0), -5.1, 1e-12);
}

static void test_what_helps_is_named(void) {
    char said[200];
    lens_estimate lens = of_moving(-0.12, 0);
    lens_warning(&lens, 0, said, sizeof said);
    CHECK(strcmp(said, "lens distortion of -12.0 % (+- 1.2): lens=-12.0 corrects it") == 0);
    lens_warning(&lens, 3, said, sizeof said);
    CHECK(strcmp(said, "lens distortion of -12.0 % (+- 1.2) is left: lens=-9.0 corrects it") == 0);
    lens_warning(&lens, -39, said, sizeof said);
    CHECK(strstr(said, "lens=-40.0 corrects it"));
    lens = of_moving(-0.12, -0.12);
    lens_warning(&lens, 0, said, sizeof said);
    CHECK(said[0] == 0);
    lens = of_moving(-0.12, 0.35);
    lens_warning(&lens, 0, said, sizeof said);
    CHECK(strstr(said, "lens=-12.0 corrects it; or the scene is not flat"));
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
    test_a_hollow_scene_is_no_lens();
    test_unsure_perspective_proves_no_lens();
    test_what_is_taken_out();
    test_what_helps_is_named();
    test_what_is_left_of_a_lens_counts();
    edges_free(&rig.edges);
    return check_summary("test_mosaic_lens_estimate");
}
