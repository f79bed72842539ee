/* Pairs registered as homographies, by pairs whose truth is known, and what is measured under known homographies. */
#include "pair_rig.h"

#include "systems/pairs/map_agreement.h"

static const endo_frame_size size = {WIDTH, HEIGHT};

/* The scene where a pose takes the frame's pixels, with noise: pixel by pixel where rows become curves. */
static void render(int seed, const endo_transform *pose, double noise, test_random *r, uint8_t *out) {
    test_scene scene;
    test_scene_init(&scene, (uint64_t)seed);
    if (pose->matrix[6] == 0 && pose->matrix[7] == 0) test_scene_render(&scene, pose->matrix, WIDTH, HEIGHT, out);
    for (int i = 0; i < AREA; i++) {
        double x, y, v = out[i];
        if (pose->matrix[6] != 0 || pose->matrix[7] != 0) {
            if (!endo_transform_point(pose, i % WIDTH, i / WIDTH, &x, &y)) x = y = NAN;
            v = test_scene_at(&scene, x, y);
        }
        v += noise * (test_unit(r) + test_unit(r) - 1) + 0.5;
        out[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

/* A similarity about the middle, and perspective before that: current -> reference. */
static endo_transform homography(double turn, double growth, double x, double y, double gx, double gy) {
    double u = (WIDTH - 1) / 2.0, v = (HEIGHT - 1) / 2.0, c = growth * cos(turn), s = growth * sin(turn);
    endo_transform in = {ENDO_TRANSFORM_TRANSLATION, {1, 0, -u, 0, 1, -v, 0, 0, 1}}, out;
    endo_transform perspective = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 0, 0, 1, 0, gx, gy, 1}};
    endo_transform move = {ENDO_TRANSFORM_SIMILARITY, {c, -s, u + x, s, c, v + y, 0, 0, 1}};
    CHECK(endo_transform_product(&in, &perspective, &out) && endo_transform_product(&out, &move, &out));
    return out;
}

/* Per axis, as deviations are. */
static double error_of(const endo_pair_result *r, const endo_transform *truth) {
    return endo_map_distance(size, &r->transform, truth) / sqrt(2);
}

/* Far better than an affine map, which is told what it lacks. */
static void test_truth(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {3};
    for (int i = 1; i < 4; i++) {
        double gx = i % 2 ? 3e-4 : -2e-4, gy = i % 3 ? -2.5e-4 : 1e-4;
        endo_transform still = endo_transform_still;
    endo_transform truth = homography(0.02 * (i - 2), 1 + 0.01 * (i - 3), 4.3 - i, 2.6, gx, gy);
        render(300 + i, &still, 3, &r, first);
        render(300 + i, &truth, 3, &r, second);
        endo_pair_result affine = register_from(frames, ENDO_TRANSFORM_AFFINE, NULL);
        endo_pair_result found = register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, NULL);
        CHECK(found.status == ENDO_PAIR_OK && found.transform.kind == ENDO_TRANSFORM_HOMOGRAPHY);
        CHECK(found.transform.matrix[8] == 1 && found.quality > affine.quality);
        CHECK_NEAR(error_of(&found, &truth), 0, 0.02);
        CHECK(error_of(&found, &truth) < 2 * found.deviation && found.deviation < 0.04);
        CHECK(error_of(&affine, &truth) > 10 * error_of(&found, &truth));
        CHECK_NEAR(affine.perspective[0], gx, 0.15 * fabs(gx) + 3 * affine.perspective_deviation);
        CHECK_NEAR(affine.perspective[1], gy, 0.15 * fabs(gy) + 3 * affine.perspective_deviation);
        CHECK(hypot(affine.perspective[0], affine.perspective[1]) > 8 * affine.perspective_deviation);
        for (int k = 0; k < 2; k++) CHECK(fabs(found.perspective[k]) < 3 * found.perspective_deviation);
    }
    endo_frames_destroy(&frames);
}

/* Where there is no perspective none is seen, and what the two numbers cost is in the deviation. */
static void test_similarity(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {4};
    for (int i = 0; i < 3; i++) {
        endo_transform still = endo_transform_still;
    endo_transform truth = homography(0.03 * i, 1.01, 3.3, -4.2 + i, 0, 0);
        render(320 + i, &still, 12, &r, first);
        render(320 + i, &truth, 12, &r, second);
        endo_pair_result same = register_from(frames, ENDO_TRANSFORM_SIMILARITY, NULL);
        endo_pair_result found = register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, NULL);
        CHECK(found.status == ENDO_PAIR_OK && error_of(&found, &truth) < 2 * found.deviation);
        CHECK_NEAR(error_of(&found, &truth), 0, 0.05);
        CHECK(found.deviation > 0.8 * same.deviation && found.deviation < 3 * same.deviation);
        for (int k = 0; k < 2; k++) CHECK(fabs(same.perspective[k]) < 3 * same.perspective_deviation);
        CHECK(fabs(same.lens) < 3 * same.lens_deviation);
    }
    endo_frames_destroy(&frames);
}

/* Perspective that no similarity is near enough to lead to, from a start that is a homography. */
static void test_start(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {5};
    endo_transform still = endo_transform_still;
    endo_transform truth = homography(0.1, 1, 9, -7, 2e-3, -1.5e-3);
    endo_transform near = homography(0.1, 1, 10.5, -8, 1.9e-3, -1.6e-3);
    render(330, &still, 3, &r, first);
    render(330, &truth, 3, &r, second);
    CHECK(register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, NULL).status != ENDO_PAIR_OK);
    endo_pair_result found = register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, &near);
    CHECK(found.status == ENDO_PAIR_OK && error_of(&found, &truth) < 0.015);
    endo_frames_destroy(&frames);
}

/* A start that leads astray is forgotten. */
static void test_wrong_start(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {8};
    endo_transform still = endo_transform_still;
    endo_transform truth = homography(0.01, 1, 2.4, -3.3, 2e-4, 0);
    endo_transform wrong = homography(0, 1, 30, 25, -2e-3, 2e-3);
    render(331, &still, 3, &r, first);
    render(331, &truth, 3, &r, second);
    endo_pair_result found = register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, &wrong);
    CHECK(found.status == ENDO_PAIR_OK && error_of(&found, &truth) < 0.02);
    endo_frames_destroy(&frames);
}

/* Another scene, noise; and a frame that would be torn, or enlarged here far more than there. */
static void test_honesty(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {6};
    endo_transform still = endo_transform_still;
    for (int i = 2; i < 4; i++) {
        render(340 + i, &still, 3, &r, first);
        render(350 + i, &still, i < 3 ? 3 : 250, &r, second);
        CHECK(register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, NULL).status == ENDO_PAIR_JUMP);
    }
    endo_frames_destroy(&frames);
}

/* Texture and light in a band across the middle alone, with noise all over: what corners do is hardly known. */
static void dim(double noise, test_random *r, uint8_t *out) {
    for (int i = 0; i < AREA; i++) {
        double far = fabs(i / WIDTH - (HEIGHT - 1) / 2.0) / 31, v = 128 + (out[i] - 128) * (far < 1 ? 1 - far * far : 0);
        v += noise * (test_unit(r) + test_unit(r) - 1) + 0.5;
        out[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

/* A pair is as sure as the affine map in it; its deviation has all eight numbers. */
static void test_sure(endo_context *context) {
    endo_frames *frames = frames_of(context);
    endo_transform still = endo_transform_still;
    endo_transform truth = homography(0.01, 1, 5.3, -0.6, 0, 0);
    for (int noise = 75; noise < 130; noise += 50) {
        test_random r = {3};
        render(395, &still, 0, &r, first), dim(noise, &r, first);
        render(395, &truth, 0, &r, second), dim(noise, &r, second);
        endo_pair_result affine = register_from(frames, ENDO_TRANSFORM_AFFINE, NULL);
        endo_pair_result found = register_from(frames, ENDO_TRANSFORM_HOMOGRAPHY, NULL);
        CHECK((affine.deviation < 0.33) == (noise < 100) && (found.status == ENDO_PAIR_OK) == (noise < 100));
        CHECK(noise > 100 || (found.deviation > 0.4 && error_of(&found, &truth) < found.deviation));
    }
    endo_frames_destroy(&frames);
}

/* Denominators of 1 and 4^(2/3) = 2.5198 along x are the last that are taken. */
static void test_shape(void) {
    endo_transform t = {ENDO_TRANSFORM_HOMOGRAPHY, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double most = (2.519842 - 1) / (WIDTH - 1);
    t.matrix[6] = most * 0.9999;
    CHECK(endo_map_shows_frame(size, &t));
    t.matrix[6] = most * 1.0001;
    CHECK(!endo_map_shows_frame(size, &t));
    t.matrix[6] = 0, t.matrix[7] = (1 / 2.519842 - 1) / (HEIGHT - 1) * 0.9999;
    CHECK(endo_map_shows_frame(size, &t));
    t.matrix[7] *= 1.0002;
    CHECK(!endo_map_shows_frame(size, &t));
    for (int i = 0; i < 9; i++) t.matrix[i] *= -1;
    CHECK(!endo_map_shows_frame(size, &t));
}

static double quality_of(endo_frames *frames, const endo_transform *t) {
    endo_pair pair = {0, 1};
    double quality = 7;
    CHECK(endo_quality_measure(frames, &pair, t, 1, &quality) == ENDO_OK);
    return quality;
}

static endo_agreement agreement_of(endo_frames *frames, const endo_transform *t) {
    endo_pair pair = {0, 1};
    endo_agreement a = {-1, -1};
    CHECK(endo_agreement_measure(frames, &pair, t, 1, &a) == ENDO_OK);
    return a;
}

/* An affine map called a homography, and one that differs from it by less than half a pixel, are measured as affine maps
 * are; beyond that the whole of the homography is. */
static void test_measures(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {7};
    endo_transform still = endo_transform_still, plain = homography(0.02, 1.01, 2.2, 1.4, 0, 0), same = plain, near;
    render(360, &still, 3, &r, first);
    for (int i = 0; i < 2; i++) {
        endo_transform truth = homography(0.02, 1.01, 2.2, 1.4, i ? 6e-4 : 3e-5, i ? -5e-4 : 0);
        render(360, &truth, 3, &r, second);
        CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
        same.kind = ENDO_TRANSFORM_HOMOGRAPHY;
        CHECK(quality_of(frames, &same) == quality_of(frames, &plain));
        CHECK(endo_map_nearest_over_frame(size, &truth, ENDO_TRANSFORM_AFFINE, &near));
        double here = quality_of(frames, &truth), affine = quality_of(frames, &near);
        endo_agreement all = agreement_of(frames, &truth), part = agreement_of(frames, &near);
        CHECK(here > 0.98 && (i ? affine < 0.9 : fabs(here - affine) < 2e-3));
        CHECK(all.differing == 0 && all.tiles >= 25 && (part.differing > 0) == i);
    }
    for (int i = 0; i < AREA / 2; i++) second[i] = (uint8_t)test_next(&r); /* the upper half is noise */
    endo_transform truth = homography(0.02, 1.01, 2.2, 1.4, 6e-4, -5e-4);
    CHECK(endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    endo_agreement torn = agreement_of(frames, &truth);
    CHECK(torn.differing > torn.tiles / 3 && torn.differing < 2 * torn.tiles / 3);
    CHECK(quality_of(frames, &truth) > 0.4 && quality_of(frames, &truth) < 0.65);
    truth.matrix[2] = 1e5; /* nothing in common */
    CHECK(isnan(quality_of(frames, &truth)) && agreement_of(frames, &truth).tiles == 0);
    endo_frames_destroy(&frames);
}

/* Differences below a standard deviation of eight grey levels are no disagreement: scenes of 3.5 and 22 levels that have
 * nothing in common. */
static void test_contrast(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {9};
    endo_transform still = endo_transform_still, far = homography(0, 1, 0, 0, 6e-4, -5e-4);
    for (int i = 0; i < 2; i++) {
        render(370, &still, 0, &r, first);
        render(371, &still, 0, &r, second);
        for (int k = 0; k < AREA; k++) {
            first[k] = (uint8_t)(128 + (first[k] - 128) * (i ? 0.5 : 0.08));
            second[k] = (uint8_t)(128 + (second[k] - 128) * (i ? 0.5 : 0.08));
        }
        CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
        endo_agreement a = agreement_of(frames, &far);
        CHECK(a.tiles >= 25 && (i ? a.differing > 0.8 * a.tiles : a.differing == 0));
    }
    endo_frames_destroy(&frames);
}

/* An affine map stands for a homography up to half a pixel: one that differs from it by a third of a pixel, and one by a
 * whole one. */
static void test_straight(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {11};
    endo_transform still = endo_transform_still, forward, near;
    render(390, &still, 3, &r, first);
    for (int i = 0; i < 2; i++) {
        endo_transform truth = homography(0, 1, 2, 1, i ? 1.2e-4 : 4e-5, 0);
        render(390, &truth, 3, &r, second);
        CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
        CHECK(endo_transform_inverse(&truth, &forward));
        CHECK(endo_map_nearest_over_frame(size, &forward, ENDO_TRANSFORM_AFFINE, &near) && endo_transform_inverse(&near, &near));
        CHECK((quality_of(frames, &truth) == quality_of(frames, &near)) == !i);
    }
    endo_frames_destroy(&frames);
}

/* A field of which the templates at the right have no more than a third, where nothing agrees: they do not count. */
static void test_cut_field(endo_context *context) {
    static uint8_t field[AREA];
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    test_random r = {10};
    endo_transform still = endo_transform_still;
    endo_transform truth = homography(0, 1, 0, 0, 6e-4, -5e-4);
    render(380, &still, 3, &r, first);
    render(380, &truth, 3, &r, second);
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        field[i] = x < 174 || y < 60 ? 255 : 0;
        if (x > 160 && y > 60) second[i] = (uint8_t)test_next(&r);
    }
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(quality_of(frames, &truth) > 0.95);
    endo_frames_destroy(&frames);
}

int main(void) {
    test_shape();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_truth(context);
        test_similarity(context);
        test_start(context);
        test_wrong_start(context);
        test_honesty(context);
        test_sure(context);
        test_measures(context);
        test_contrast(context);
        test_cut_field(context);
        test_straight(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_pair_homography");
}
