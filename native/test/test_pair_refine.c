/* The method ENDO_METHOD_BEST by pairs whose truth is known: how precise it is, which class it takes, what it says of
 * its own precision, and what it does not believe. */
#include "pair_rig.h"

static void add_noise(uint8_t *image, double amplitude, test_random *r) {
    for (int i = 0; i < AREA; i++) {
        double v = image[i] + amplitude * (test_unit(r) + test_unit(r) - 1) + 0.5;
        image[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

/* Root mean square over the frame's corners, px. */
static double error_of(const endo_pair_result *r, const double m[6]) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? WIDTH - 1 : 0, y = i & 2 ? HEIGHT - 1 : 0, u, v, p, q;
        endo_affine_apply(r->transform.matrix, x, y, &u, &v);
        endo_affine_apply(m, x, y, &p, &q);
        sum += ((u - p) * (u - p) + (v - q) * (v - q)) / 4;
    }
    return sqrt(sum);
}

static void render(int scene_seed, const double from[6], const double to[6]) {
    test_scene scene;
    test_scene_init(&scene, (uint64_t)scene_seed);
    test_scene_render(&scene, from, WIDTH, HEIGHT, first);
    test_scene_render(&scene, to, WIDTH, HEIGHT, second);
}

static const double still[6] = {1, 0, 0, 0, 1, 0};

/* A map of every class; AUTO takes that class, and every class that holds it arrives, too. */
static void test_classes(endo_context *context) {
    static const double maps[4][6] = {{1, 0, 5.37, 0, 1, -3.81},
                                      {0.99980001, -0.01999867, 6.2, 0.01999867, 0.99980001, -2.6},
                                      {1.03, -0.024, 1.7, 0.024, 1.03, -6.1},
                                      {1.02, -0.03, 5, 0.01, 0.985, -4}};
    endo_frames *frames = frames_of(context);
    test_random r = {77};
    for (int kind = 0; kind < 4; kind++) {
        render(40 + kind, still, maps[kind]);
        add_noise(first, 3, &r);
        add_noise(second, 3, &r);
        endo_pair_result any = register_from(frames, ENDO_TRANSFORM_AUTO, NULL);
        CHECK(any.status == ENDO_PAIR_OK && any.transform.kind == kind);
        CHECK_NEAR(error_of(&any, maps[kind]), 0, 0.03);
        CHECK(any.deviation > 0.003 && any.deviation < 0.05);
        for (int asked = 0; asked < 4; asked++) {
            endo_pair_result one = register_from(frames, (endo_transform_class)asked, NULL);
            CHECK(one.transform.kind == asked && endo_transform_check(&one.transform) == ENDO_OK);
            if (asked >= kind) CHECK_NEAR(error_of(&one, maps[kind]), 0, 0.04);
        }
    }
    endo_frames_destroy(&frames);
}

/* The peak between pixels is pulled nowhere: the error of a shift by every tenth of a pixel. */
static void test_fractions(endo_context *context) {
    endo_frames *frames = frames_of(context);
    for (int tenth = 0; tenth < 10; tenth++) {
        double moved[6] = {1, 0, 3 + tenth / 10.0, 0, 1, -2 - tenth / 10.0};
        render(50, still, moved);
        endo_pair_result r = register_from(frames, ENDO_TRANSFORM_TRANSLATION, NULL);
        CHECK(r.status == ENDO_PAIR_OK);
        CHECK_NEAR(r.transform.matrix[2], moved[2], 0.004);
        CHECK_NEAR(r.transform.matrix[5], moved[5], 0.004);
    }
    endo_frames_destroy(&frames);
}

/* The light of a scope: 1 in the middle, 0.46 in the corners. */
static void add_vignetting(uint8_t *image) {
    for (int i = 0; i < AREA; i++) {
        double x = i % WIDTH - (WIDTH - 1) / 2.0, y = i / WIDTH - (HEIGHT - 1) / 2.0;
        image[i] = (uint8_t)(image[i] * (1 - 0.54 * (x * x + y * y) / (WIDTH * WIDTH / 4 + HEIGHT * HEIGHT / 4)) + 0.5);
    }
}

static double growth_of(const endo_pair_result *r) {
    const double *m = r->transform.matrix;
    return log(m[0] * m[4] - m[1] * m[3]) / 2;
}

/* Registered there and back, a pair grows and shrinks by the same: the mean of both is what the method adds by itself. It
 * is none in the mean, where light falls off too: 1e-5 a pair would be two hundredths after 2,000 frames. */
static void test_growth(endo_context *context) {
    enum { PAIRS = 20 };
    endo_frames *frames = frames_of(context);
    test_random r = {31};
    double sum = 0;
    for (int i = 0; i < PAIRS; i++) {
        static uint8_t kept[AREA];
        double moved[6] = {1, 0, 8 * test_unit(&r) - 4, 0, 1, 8 * test_unit(&r) - 4}, growth;
        render(200 + i, still, moved);
        add_vignetting(first);
        add_vignetting(second);
        endo_pair_result there = register_from(frames, ENDO_TRANSFORM_SIMILARITY, NULL), back;
        memcpy(kept, first, AREA);
        memcpy(first, second, AREA);
        memcpy(second, kept, AREA);
        back = register_from(frames, ENDO_TRANSFORM_SIMILARITY, NULL);
        CHECK(there.status == ENDO_PAIR_OK && back.status == ENDO_PAIR_OK);
        growth = (growth_of(&there) + growth_of(&back)) / 2;
        CHECK_NEAR(growth, 0, 2e-5);
        sum += growth;
    }
    CHECK_NEAR(sum / PAIRS, 0, 4e-6);
    endo_frames_destroy(&frames);
}

/* A fixed pattern could hide in what noise leaves unexplained: the further the motion, the more it could pull. */
static void test_pull(endo_context *context) {
    static const int16_t none[AREA];
    static const double amplitudes[] = {3, 90, 250};
    endo_frames_options o = endo_frames_options_default();
    endo_frames *plain = frames_of(context), *cleaned = NULL;
    double moved[6] = {1, 0, 5.3, 0, 1, -3.6}, deviations[3];
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.pattern = none;
    CHECK(endo_frames_create(context, &o, &cleaned) == ENDO_OK);
    for (int i = 0; i < 3; i++) {
        test_random r = {9};
        render(80, still, moved);
        add_noise(first, amplitudes[i], &r);
        add_noise(second, amplitudes[i], &r);
        endo_pair_result pair = register_from(plain, ENDO_TRANSFORM_AUTO, NULL);
        CHECK(pair.status == ENDO_PAIR_OK && error_of(&pair, moved) < 3 * pair.deviation);
        deviations[i] = pair.deviation;
        if (i == 0) CHECK(register_from(cleaned, ENDO_TRANSFORM_AUTO, NULL).deviation > pair.deviation + 0.1);
    }
    CHECK(deviations[1] > 12 * deviations[0]);
    endo_frames_destroy(&plain);
    endo_frames_destroy(&cleaned);
}

/* Another scene, noise, white: not ok, and no transform. The same picture: ok, without motion. */
static void test_honesty(endo_context *context) {
    endo_frames *frames = frames_of(context);
    test_random r = {5};
    test_scene other;
    for (int i = 0; i < 6; i++) {
        render(60 + i, still, still);
        test_scene_init(&other, (uint64_t)(160 + i));
        if (i < 4) test_scene_render(&other, still, WIDTH, HEIGHT, second);
        if (i == 4) memset(second, 128, AREA);
        if (i == 5) memset(second, 250, AREA);
        add_noise(second, i == 4 ? 60 : 4, &r);
        endo_pair_result no = register_from(frames, ENDO_TRANSFORM_AUTO, NULL);
        CHECK(no.status == ENDO_PAIR_JUMP);
    }
    render(70, still, still);
    endo_pair_result same = register_from(frames, ENDO_TRANSFORM_AUTO, NULL);
    CHECK(same.status == ENDO_PAIR_OK && same.transform.kind == ENDO_TRANSFORM_TRANSLATION);
    CHECK_NEAR(error_of(&same, still), 0, 1e-3);
    endo_frames_destroy(&frames);
}

/* A pattern of the sensor over a scene that moves: what stands still is not taken for the scene. */
static void test_pattern(endo_context *context) {
    static uint8_t pattern[AREA];
    endo_frames *frames = frames_of(context);
    test_random r = {9};
    test_scene other;
    for (int i = 0; i < AREA; i++) pattern[i] = (uint8_t)(40 * test_unit(&r));
    render(80, still, still);
    test_scene_init(&other, 180);
    test_scene_render(&other, still, WIDTH, HEIGHT, second);
    for (int i = 0; i < AREA; i++) {
        first[i] = (uint8_t)(first[i] / 2 + pattern[i]);
        second[i] = (uint8_t)(second[i] / 2 + pattern[i]);
    }
    endo_pair_result no = register_from(frames, ENDO_TRANSFORM_AUTO, NULL);
    CHECK(no.status != ENDO_PAIR_OK);
    endo_frames_destroy(&frames);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_classes(context);
        test_fractions(context);
        test_growth(context);
        test_pull(context);
        test_honesty(context);
        test_pattern(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_pair_refine");
}
