/* Fourier registration against scenes that are turned, scaled and moved by known amounts, and against bad input. */
#include "check.h"
#include "refuses.h"
#include "fourier_scene.h"

#include "include/endorama.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 256
#define AREA (SIDE * SIDE)
static uint8_t reference[AREA], current[AREA];

/* A similarity about the middle: what lies at p of the current image lies at scale R(angle) (p - middle) + middle +
 * (dx, dy) in the reference. */
static void make_pair(uint64_t seed, double degrees, double scale, double dx, double dy) {
    test_scene scene;
    double angle = degrees * 3.14159265358979323846 / 180, a = scale * cos(angle), b = scale * sin(angle);
    double middle = (SIDE - 1) / 2.0;
    double map[6] = {a, -b, middle + dx - (a - b) * middle, b, a, middle + dy - (a + b) * middle};
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene_init(&scene, seed);
    test_scene_render(&scene, still, SIDE, SIDE, reference);
    test_scene_render(&scene, map, SIDE, SIDE, current);
}

static endo_fourier_image image_of(const uint8_t *pixels, int width, int height, int stride) {
    endo_fourier_image m = {pixels, ENDO_GREY8, width, height, stride, 0, 65535};
    return m;
}

static endo_fourier_result run_images(endo_context *context, const endo_fourier_image *r, const endo_fourier_image *c,
                                      const endo_fourier_options *o) {
    endo_fourier_result result;
    memset(&result, 0x5a, sizeof result);
    CHECK(endo_fourier_register_images(context, r, c, o, &result) == ENDO_OK);
    CHECK(endo_transform_check(&result.transform) == ENDO_OK);
    return result;
}

static endo_fourier_result run(endo_context *context, const endo_fourier_options *o) {
    endo_fourier_image r = image_of(reference, SIDE, SIDE, SIDE), c = image_of(current, SIDE, SIDE, SIDE);
    return run_images(context, &r, &c, o);
}

static double angle_between(double a, double b) {
    double off = fabs(a - b);
    return off > 180 ? 360 - off : off;
}

/* ------------------------------------------------------------------- known */

static const double known[][4] = {{0, 1, 0, 0},      {0, 1, 31.5, -20.25}, {10, 1, 13, 17},      {-75, 1, 5, 9},
                                  {180, 1, 12, -30}, {90, 1, 0, 0},        {33, 1.2, -10, 14.5}, {140, 0.8, 20, 3}};
#define KNOWN (sizeof known / sizeof *known)

static void check_near(const endo_fourier_result *r, const double *k, double angle, double scale, double shift) {
    CHECK(r->status == ENDO_FOURIER_OK);
    CHECK_NEAR(angle_between(r->angle, k[0]), 0, angle);
    CHECK_NEAR(r->scale, k[1], scale);
    CHECK_NEAR(r->dx, k[2], shift);
    CHECK_NEAR(r->dy, k[3], shift);
}

static void test_known(endo_context *context) {
    for (size_t i = 0; i < KNOWN; i++) {
        endo_fourier_options o = endo_fourier_options_default();
        make_pair(3 + i, known[i][0], known[i][1], known[i][2], known[i][3]);
        endo_fourier_result r = run(context, &o);
        check_near(&r, known[i], 0.01, 1e-4, 0.02);
        CHECK(r.overlap > 0.5 && r.overlap <= 1 && r.ncc > 0.9 && r.peak > 0 && r.ratio >= 0 && r.ratio <= 1);
        double m[2] = {r.transform.matrix[0], r.transform.matrix[3]};
        CHECK_NEAR(sqrt(m[0] * m[0] + m[1] * m[1]), r.scale, 1e-12);
        o.gradient = ENDO_GRADIENT_HIGHPASS;
        r = run(context, &o);
        check_near(&r, known[i], 0.01, 1e-4, 0.02);
        o.refine = 0; /* peaks between bins of 0.35 degrees and 0.7 %, at the size of the spectra */
        r = run(context, &o);
        check_near(&r, known[i], 0.2, 4e-3, 1);
    }
}

/* [F]: within a bin of 180 / 256 degrees and 256^(1/256), and the pixel that those leave uncertain. */
static void test_paper(endo_context *context) {
    for (size_t i = 0; i < KNOWN; i++) {
        endo_fourier_options o = endo_fourier_options_default();
        o.paper = 1;
        make_pair(3 + i, known[i][0], known[i][1], known[i][2], known[i][3]);
        endo_fourier_result r = run(context, &o);
        CHECK_NEAR(angle_between(r.angle, known[i][0]), 0, 180.0 / SIDE);
        CHECK_NEAR(log(r.scale / known[i][1]), 0, log(SIDE) / SIDE);
        CHECK_NEAR(r.dx, known[i][2], 2);
        CHECK_NEAR(r.dy, known[i][3], 2);
    }
}

static void test_models(endo_context *context) {
    endo_fourier_options o = endo_fourier_options_default();
    o.model = ENDO_TRANSFORM_TRANSLATION;
    make_pair(3, 0, 1, 25.25, -40.5);
    endo_fourier_result r = run(context, &o);
    CHECK(r.status == ENDO_FOURIER_OK && r.transform.kind == ENDO_TRANSFORM_TRANSLATION && r.angle == 0 && r.scale == 1);
    CHECK_NEAR(r.dx, 25.25, 0.02);
    CHECK_NEAR(r.dy, -40.5, 0.02);
    CHECK_NEAR(r.transform.matrix[2], r.dx, 1e-12);
    o.model = ENDO_TRANSFORM_RIGID;
    make_pair(4, 77, 1, -11, 6);
    r = run(context, &o);
    CHECK(r.status == ENDO_FOURIER_OK && r.transform.kind == ENDO_TRANSFORM_RIGID);
    CHECK_NEAR(r.scale, 1, 1e-12);
    CHECK_NEAR(r.angle, 77, 0.02);
    o.max_angle = 30; /* what is not allowed is not answered */
    r = run(context, &o);
    CHECK(r.status != ENDO_FOURIER_OK && fabs(r.angle) < 33);
}

/* Parts, zooms, and other types: the scale is that of pixels. */
static void test_sizes_and_types(endo_context *context) {
    static uint16_t grey16[AREA];
    static uint32_t colours[AREA];
    endo_fourier_options o = endo_fourier_options_default();
    make_pair(8, 20, 1, 3, -4);
    for (int i = 0; i < AREA; i++) grey16[i] = (uint16_t)(1000 + 40 * reference[i]), colours[i] = 0x010101u * current[i];
    endo_fourier_image r = {grey16, ENDO_GREY16, SIDE, SIDE, SIDE, 1000, 1000 + 40 * 255};
    endo_fourier_image c = {colours + 20 * SIDE + 30, ENDO_RGB32, 200, 170, SIDE, 0, 65535};
    endo_fourier_result part = run_images(context, &r, &c, &o);
    CHECK(part.status == ENDO_FOURIER_OK);
    CHECK_NEAR(part.angle, 20, 0.02);
    CHECK_NEAR(part.scale, 1, 3e-4);
    double x, y, middle = (SIDE - 1) / 2.0, cosine = cos(20 / 57.29577951308232), sine = sin(20 / 57.29577951308232);
    double u = 99.5 + 30 - middle, v = 84.5 + 20 - middle; /* of the part's middle */
    x = cosine * u - sine * v + middle + 3 - 99.5, y = sine * u + cosine * v + middle - 4 - 84.5;
    CHECK_NEAR(part.dx, x, 0.05);
    CHECK_NEAR(part.dy, y, 0.05);
}

/* -------------------------------------------------------------- bad input */

static void fill_noise(uint8_t *out, uint64_t seed) {
    test_random r = {seed};
    for (int i = 0; i < AREA; i++) out[i] = (uint8_t)test_next(&r);
}

static void test_nothing(endo_context *context) {
    endo_fourier_options o = endo_fourier_options_default();
    for (int paper = 0; paper < 2; paper++) {
        o.paper = paper;
        make_pair(3, 0, 1, 0, 0);
        memset(current, 0, AREA);
        CHECK(run(context, &o).status == ENDO_FOURIER_NO_CONTENT);
        memset(reference, 130, AREA);
        endo_fourier_result r = run(context, &o);
        CHECK(r.status == ENDO_FOURIER_NO_CONTENT && r.dx == 0 && r.angle == 0 && r.scale == 1);
        o.model = ENDO_TRANSFORM_TRANSLATION;
        CHECK(run(context, &o).status == ENDO_FOURIER_NO_CONTENT);
        o.model = ENDO_TRANSFORM_SIMILARITY;
        make_pair(3, 0, 1, 0, 0);
        fill_noise(current, 5);
        CHECK(run(context, &o).status != ENDO_FOURIER_OK);
        fill_noise(reference, 6);
        CHECK(run(context, &o).status != ENDO_FOURIER_OK);
    }
}

static void test_shapes(endo_context *context) {
    static const int sizes[][2] = {{1, 1}, {3, 5000}, {15, 16}, {16, 15}, {40, 24}, {2, 2}};
    uint8_t *noise = malloc(AREA);
    endo_fourier_options o = endo_fourier_options_default();
    fill_noise(noise, 7);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int paper = 0; paper < 2; paper++) {
            int width = sizes[i][0], height = sizes[i][1];
            endo_fourier_image r = image_of(noise, width, height, width), c = image_of(noise + 99, height, width, height);
            o.paper = paper && height < 1000;
            CHECK(run_images(context, &r, &c, &o).status != ENDO_FOURIER_OK);
        }
    free(noise);
}

static void test_hard(endo_context *context) {
    endo_fourier_options o = endo_fourier_options_default();
    make_pair(21, 0, 1, 0, 0); /* with itself: exactly */
    endo_fourier_result r = run(context, &o);
    CHECK(r.status == ENDO_FOURIER_OK && fabs(r.angle) < 1e-9 && fabs(r.dx) < 1e-9 && fabs(r.dy) < 1e-9);
    CHECK_NEAR(r.scale, 1, 1e-12);
    for (int i = 0; i < AREA; i++) current[AREA - 1 - i] = reference[i];
    r = run(context, &o);
    CHECK(r.status == ENDO_FOURIER_OK && angle_between(r.angle, 180) < 1e-6 && fabs(r.dx) + fabs(r.dy) < 1e-6);
    for (int i = 0; i < AREA; i++) current[i % SIDE * SIDE + SIDE - 1 - i / SIDE] = reference[i];
    r = run(context, &o);
    CHECK(r.status == ENDO_FOURIER_OK && angle_between(r.angle, -90) < 1e-6 && fabs(r.dx) + fabs(r.dy) < 1e-6);
    make_pair(22, 5, 1, 225, 10); /* an overlap of 10 %: found, or not believed */
    r = run(context, &o);
    CHECK(r.status != ENDO_FOURIER_OK || (fabs(r.dx - 225) < 1 && fabs(r.dy - 10) < 1));
    make_pair(23, 5, 10, 0, 0);
    CHECK(run(context, &o).status != ENDO_FOURIER_OK);
}

/* Parallel lines look alike wherever they are moved along themselves: a shift is found, and not believed. */
static void test_lines(endo_context *context) {
    endo_fourier_options o = endo_fourier_options_default();
    test_random r = {77};
    uint8_t line[2 * SIDE];
    o.model = ENDO_TRANSFORM_TRANSLATION;
    for (int i = 0; i < 2 * SIDE; i++) line[i] = (uint8_t)test_between(&r, 20, 235);
    for (int i = 0; i < AREA; i++) reference[i] = line[i % SIDE + 9], current[i] = line[i % SIDE + 16];
    endo_fourier_result result = run(context, &o);
    CHECK(result.status == ENDO_FOURIER_LOW_CERTAINTY && fabs(result.dx - 7) < 0.5);
}

/* Pairs of scenes that have nothing in common. */
static void test_unrelated(endo_context *context) {
    static uint8_t other[AREA];
    endo_fourier_options o = endo_fourier_options_default();
    for (int i = 0; i < 6; i++) {
        make_pair(100 + i, 0, 1, 0, 0);
        memcpy(other, reference, AREA);
        make_pair(200 + i, 40, 1, 0, 0);
        memcpy(reference, other, AREA);
        CHECK(run(context, &o).status != ENDO_FOURIER_OK);
    }
}

/* ------------------------------------------------------------------ stores */

/* One frame against several in one call is what each is alone, on any number of threads, and after other calls. */
static void test_batch(void) {
    endo_fourier_pair pairs[4] = {{0, 1, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0}, {2, 1, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0}};
    endo_fourier_result results[2][4], one;
    for (int threads = 1; threads <= 2; threads++) {
        endo_context_options co = endo_context_options_default();
        endo_frames_options fo = endo_frames_options_default();
        endo_fourier_options o = endo_fourier_options_default();
        endo_context *context = NULL;
        endo_frames *frames = NULL;
        co.backend = ENDO_BACKEND_CPU, co.threads = threads;
        fo.width = fo.height = SIDE, fo.capacity = 3, fo.flow = 0;
        CHECK(endo_context_create(&co, &context) == ENDO_OK && endo_frames_create(context, &fo, &frames) == ENDO_OK);
        for (int i = 0; i < 3; i++) {
            make_pair(31, 15.0 * i, 1 + 0.1 * i, 4 * i, -7 * i);
            CHECK(endo_frames_put(frames, i, current, SIDE) == ENDO_OK);
        }
        CHECK(endo_fourier_register(frames, pairs, 4, &o, results[threads - 1]) == ENDO_OK);
        for (int i = 0; i < 4; i++) {
            CHECK(results[threads - 1][i].status == ENDO_FOURIER_OK);
            CHECK(endo_fourier_register(frames, &pairs[i], 1, &o, &one) == ENDO_OK);
            CHECK(!memcmp(&one, &results[threads - 1][i], sizeof one));
        }
        /* A slot with the frame of another one, in memory that the frame before it has left. */
        CHECK(endo_frames_put(frames, 1, current, SIDE) == ENDO_OK);
        CHECK(endo_fourier_register(frames, &pairs[0], 1, &o, &one) == ENDO_OK);
        CHECK(!memcmp(&one, &results[threads - 1][1], sizeof one));
        pairs[1].current_width = 300;
        REFUSES(endo_fourier_register(frames, pairs, 4, &o, results[0]), "image of 300 x 0 in slot 2");
        pairs[1].current_width = 200, pairs[1].current_height = 90;
        REFUSES(endo_fourier_register(frames, pairs, 4, &o, results[0]), "slot 2: must have one size");
        pairs[1].current_width = pairs[1].current_height = 0;
        endo_frames_destroy(&frames);
        endo_context_destroy(&context);
    }
    CHECK(!memcmp(results[0], results[1], sizeof results[0]));
}

static void test_arguments(endo_context *context) {
    endo_fourier_options good = endo_fourier_options_default(), o = good;
    endo_fourier_image m = image_of(reference, SIDE, SIDE, SIDE), bad = m;
    endo_fourier_result r;
    CHECK(good.model == ENDO_TRANSFORM_SIMILARITY && good.max_scale == 4 && good.max_angle == 180 && good.candidates == 5);
    CHECK(good.window == ENDO_WINDOW_TUKEY && good.gradient == ENDO_GRADIENT_SOBEL && good.refine == 1 && good.paper == 0);
#define WITH(field, value, text) \
    o = good, o.field = (value);  \
    REFUSES(endo_fourier_register_images(context, &m, &m, &o, &r), text)
    WITH(model, ENDO_TRANSFORM_AFFINE, "model 3");
    WITH(max_scale, 8.5, "max_scale 8.5: must be 1..8");
    WITH(max_scale, NAN, "max_scale");
    WITH(max_angle, -1, "max_angle -1: must be 0..180");
    WITH(window, 3, "window 3");
    WITH(gradient, -1, "gradient -1");
    WITH(candidates, 17, "candidates 17: must be 1..16");
    WITH(refine, 2, "refine 2");
    WITH(paper, -1, "paper -1");
    bad.stride = 100;
    REFUSES(endo_fourier_register_images(context, &m, &bad, &good, &r), "current image: stride 100");
    bad = m, bad.width = 0;
    REFUSES(endo_fourier_register_images(context, &bad, &m, &good, &r), "reference image of 0 x 256");
    bad = m, bad.type = (endo_pixel)7;
    REFUSES(endo_fourier_register_images(context, &bad, &m, &good, &r), "pixel type 7");
    REFUSES(endo_fourier_register_images(context, NULL, &m, &good, &r), "reference image is NULL");
    REFUSES(endo_fourier_register(NULL, NULL, 0, &good, &r), "NULL");
}

/* Seeded pairs of textures: half of the smaller footprint shows in both, noise, another brightness, any angle and scale. */
static void test_textures(endo_context *context) {
    fourier_limits limits = {4, 180, 0.5, 2, 0.2};
    fourier_texture texture;
    int found = 0;
    CHECK(fourier_texture_make(7, &texture));
    for (int i = 0; i < 12; i++) {
        test_random r = {1000 + i};
        fourier_truth t;
        endo_fourier_options o = endo_fourier_options_default();
        fourier_pair_make(&texture, &limits, SIDE, &r, reference, current, &t);
        endo_fourier_result got = run(context, &o);
        int right = angle_between(got.angle, t.angle) < 1 && fabs(got.scale / t.scale - 1) < 0.02;
        CHECK(right || got.status != ENDO_FOURIER_OK);
        found += right && got.status == ENDO_FOURIER_OK;
    }
    CHECK(found >= 10);
    fourier_texture_free(&texture);
}

/* Argument "cuda": on a device. */
int main(int argc, char **argv) {
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    o.backend = argc > 1 && !strcmp(argv[1], "cuda") ? ENDO_BACKEND_CUDA : ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    endo_fourier_options f = endo_fourier_options_default();
    endo_fourier_image m = image_of(reference, SIDE, SIDE, SIDE);
    endo_fourier_result r;
    int missing = endo_fourier_register_images(context, &m, &m, &f, &r) == ENDO_ERR_UNSUPPORTED;
    if (missing) {
        CHECK(strstr(endo_last_error(), "built without FFTW") != NULL);
    } else {
        test_known(context);
        test_paper(context);
        test_models(context);
        test_sizes_and_types(context);
        test_nothing(context);
        test_shapes(context);
        test_hard(context);
        test_lines(context);
        test_unrelated(context);
        test_batch();
        test_textures(context);
    }
    test_arguments(context);
    endo_context_destroy(&context);
    return check_summary("test_fourier");
}
