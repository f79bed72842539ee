/* Alignment of exposures against scenes whose shift is known, and of what has none. test_exposures [PAIRS]: so many pairs of
 * each kind (default 120). */
#include "check.h"
#include "refuses.h"
#include "exposure_scene.h"

#include "backend/objects.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 480
#define AREA (WIDTH * HEIGHT)
#define FAR 48

static float brightness[AREA];
static uint8_t images[2][AREA];

typedef struct rig {
    endo_context *context;
    endo_frames *frames;
    endo_exposure_options options;
} rig;

static endo_frames *make_frames(endo_context *context, int width, int height, int capacity) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = width, o.height = height, o.capacity = capacity, o.flow = 0, o.keep_pixels = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

static endo_exposure_result align_slots(rig *r, int reference, int current) {
    endo_pair pair = {reference, current};
    endo_exposure_result result;
    memset(&result, 0x5a, sizeof result);
    CHECK(endo_exposures_register(r->frames, &pair, 1, &r->options, &result) == ENDO_OK);
    return result;
}

static endo_exposure_result align(rig *r) {
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(r->frames, i, images[i], WIDTH) == ENDO_OK);
    return align_slots(r, 0, 1);
}

/* --------------------------------------------------------------- accuracy */

/* The second image shows the scene from (dx, dy) on: what enters and leaves at the borders is real. */
static void make_pair(uint64_t seed, double dx, double dy, test_random *random) {
    exposure_scene scene;
    exposure_setting settings[2];
    exposure_scene_init(&scene, seed);
    for (int i = 0; i < 2; i++) {
        exposure_scene_render(&scene, i ? dx : 0, i ? dy : 0, WIDTH, HEIGHT, brightness);
        if (i == 0) exposure_settings_draw(random, brightness, AREA, settings);
        exposure_expose(brightness, AREA, &settings[i], random, images[i]);
    }
}

typedef struct score {
    int pairs, exact, certain, wrong_certain;
    double squares; /* of errors of the pairs that are off by less than a pixel, both axes */
    int near;
    double worst; /* error of a certain one, either axis */
} score;

static void count(score *s, const endo_exposure_result *r, double dx, double dy) {
    double x = r->dx - dx, y = r->dy - dy;
    int is_near = fabs(x) < 1 && fabs(y) < 1, certain = r->status == ENDO_EXPOSURE_OK;
    s->pairs++;
    s->exact += x == 0 && y == 0;
    s->certain += certain;
    s->wrong_certain += certain && !is_near;
    if (certain) s->worst = fmax(s->worst, fmax(fabs(x), fabs(y)));
    s->near += is_near;
    if (is_near) s->squares += x * x + y * y;
}

/* A certain shift is right, or once in 250 pairs (of clouds, seen 8 times darker) a pixel off. */
static void check_certain(const score *s) {
    CHECK(s->wrong_certain <= s->pairs / 250);
    CHECK(s->worst <= 1);
}

static void test_whole_pixels(rig *r, int pairs, endo_percentile percentile) {
    test_random random = {11};
    score s = {0, 0, 0, 0, 0, 0, 0};
    r->options.subpixel = 0;
    r->options.percentile = percentile;
    for (int i = 0; i < pairs; i++) {
        int dx = test_between(&random, -FAR, FAR), dy = test_between(&random, -FAR, FAR);
        make_pair(1000 + i, dx, dy, &random);
        endo_exposure_result result = align(r);
        count(&s, &result, dx, dy);
    }
    printf("whole pixels, %s: %d of %d exact, %d certain, %d of them wrong, by %g px at most\n",
           percentile == ENDO_PERCENTILE_MEDIAN ? "median" : "adaptive", s.exact, s.pairs, s.certain, s.wrong_certain,
           s.worst);
    check_certain(&s);
    CHECK(percentile == ENDO_PERCENTILE_MEDIAN ? s.exact >= 0.95 * s.pairs : s.exact >= 0.99 * s.pairs);
}

static void test_subpixel(rig *r, int pairs) {
    test_random random = {12};
    score s = {0, 0, 0, 0, 0, 0, 0};
    r->options.subpixel = 1;
    r->options.percentile = ENDO_PERCENTILE_ADAPTIVE;
    for (int i = 0; i < pairs; i++) {
        double dx = FAR * (2 * test_unit(&random) - 1), dy = FAR * (2 * test_unit(&random) - 1);
        make_pair(5000 + i, dx, dy, &random);
        endo_exposure_result result = align(r);
        count(&s, &result, dx, dy);
    }
    double rms = sqrt(s.squares / (2 * (s.near ? s.near : 1)));
    printf("fractions: %d of %d within a pixel, %.4f px RMS, %d certain, %d of them wrong\n", s.near, s.pairs, rms,
           s.certain, s.wrong_certain);
    check_certain(&s);
    CHECK(s.near >= 0.99 * s.pairs);
    CHECK(rms <= 0.1);
}

/* ------------------------------------------------- pairs without an answer */

static void fill_stripes(test_random *random, uint8_t *out, int offset) {
    static uint8_t line[WIDTH + 2 * FAR];
    if (offset == 0)
        for (int x = 0; x < WIDTH + 2 * FAR; x++) line[x] = (uint8_t)test_between(random, 0, 255);
    for (int i = 0; i < AREA; i++) out[i] = line[i % WIDTH + offset];
}

static void fill_slope(test_random *random, uint8_t *out, int gain) {
    for (int i = 0; i < AREA; i++)
        out[i] = (uint8_t)(20 + gain * (i % WIDTH + i / WIDTH) / 8 % 230 + test_between(random, 0, 3));
}

static void make_hopeless(int kind, uint64_t seed, test_random *random) {
    static uint8_t other[AREA];
    switch (kind) {
    case 0: /* two scenes */
        make_pair(seed, 0, 0, random);
        memcpy(other, images[1], AREA);
        make_pair(seed + 1, 0, 0, random);
        memcpy(images[1], other, AREA);
        return;
    case 1: /* noise */
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < AREA; i++) images[k][i] = (uint8_t)(100 + test_between(random, -9, 9));
        return;
    case 2: /* a slope and noise: shifts along it, and with the exposure across it, show nothing */
        fill_slope(random, images[0], 1);
        fill_slope(random, images[1], 1 + (int)(seed % 2));
        return;
    case 3: /* lines that tell nothing of the shift along them */
        fill_stripes(random, images[0], 0);
        fill_stripes(random, images[1], 7);
        return;
    default: /* a shift beyond the search */
        make_pair(seed, 90, -75, random);
    }
}

static void test_hopeless(rig *r, int pairs) {
    test_random random = {13};
    int certain = 0;
    r->options.subpixel = 0;
    for (int i = 0; i < pairs; i++) {
        make_hopeless(i % 5, 9000 + 2 * (uint64_t)i, &random);
        endo_exposure_result result = align(r);
        certain += result.status == ENDO_EXPOSURE_OK;
    }
    printf("without an answer: %d of %d certain\n", certain, pairs);
    CHECK(certain == 0);
}

static void test_no_content(rig *r) {
    static const uint8_t fills[][2] = {{0, 0}, {255, 255}, {0, 255}, {90, 90}};
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++)
        for (int percentile = 0; percentile < 2; percentile++) {
            memset(images[0], fills[i][0], AREA);
            memset(images[1], fills[i][1], AREA);
            r->options.percentile = (endo_percentile)percentile;
            endo_exposure_result result = align(r);
            CHECK(result.status == ENDO_EXPOSURE_NO_CONTENT);
            CHECK(result.dx == 0 && result.dy == 0 && result.certainty == 0 && result.usable == 0);
            CHECK(isnan(result.peak) && isnan(result.deviation_x) && isnan(result.mismatch));
        }
    test_random random = {14};
    make_pair(77, 3, 4, &random);
    memset(images[1], 0, AREA);
    CHECK(align(r).status == ENDO_EXPOSURE_NO_CONTENT);
}

static void test_identical(rig *r) {
    test_random random = {15};
    for (int subpixel = 0; subpixel < 2; subpixel++) {
        make_pair(60 + subpixel, 0, 0, &random);
        memcpy(images[1], images[0], AREA);
        r->options.subpixel = subpixel;
        for (int pass = 0; pass < 2; pass++) {
            endo_exposure_result result = pass ? align_slots(r, 0, 0) : align(r);
            CHECK(result.status == ENDO_EXPOSURE_OK && result.dx == 0 && result.dy == 0);
            CHECK(result.mismatch == 0 && result.peak == 1);
            CHECK(result.threshold_reference == result.threshold_current);
        }
    }
}

/* Rows that are left out of one shift and counted in the one across it would make a fraction of nothing. */
static void test_identical_tall(rig *r) {
    static const int sizes[][2] = {{160, 959}, {96, 960}, {130, 1441}, {64, 3000}};
    exposure_scene scene;
    exposure_scene_init(&scene, 19);
    for (int i = 0; i < 4; i++) {
        int width = sizes[i][0], height = sizes[i][1];
        float *light = malloc((size_t)width * height * sizeof *light);
        uint8_t *grey = malloc((size_t)width * height);
        exposure_setting e = {0.9, 0.8, 0, 2};
        rig tall = {r->context, make_frames(r->context, width, height, 2), endo_exposure_options_default()};
        test_random random = {20};
        tall.options.subpixel = 1;
        exposure_scene_render(&scene, 0, 0, width, height, light);
        exposure_expose(light, width * height, &e, &random, grey);
        for (int k = 0; k < 2; k++) CHECK(endo_frames_put(tall.frames, k, grey, width) == ENDO_OK);
        endo_exposure_result result = align_slots(&tall, 0, 1);
        CHECK(result.status == ENDO_EXPOSURE_OK && result.dx == 0 && result.dy == 0);
        endo_frames_destroy(&tall.frames);
        free(light);
        free(grey);
    }
}

/* A search that is larger than the image is as one of half its sides. */
static void test_small(rig *r) {
    endo_exposure_result results[2];
    endo_pair pair = {0, 1};
    test_random random = {16};
    rig small = {r->context, make_frames(r->context, 50, 38, 2), r->options};
    make_pair(88, 5, -3, &random);
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(small.frames, i, images[i], WIDTH) == ENDO_OK);
    memset(results, 0, sizeof results);
    for (int i = 0; i < 2; i++) {
        small.options.search = i ? ENDO_EXPOSURE_MAX_SEARCH : 25;
        CHECK(endo_exposures_register(small.frames, &pair, 1, &small.options, &results[i]) == ENDO_OK);
    }
    CHECK(results[0].dx == results[1].dx && results[0].dy == results[1].dy && results[0].status == results[1].status);
    endo_frames_destroy(&small.frames);
}

/* -------------------------------------------------------------- arguments */

static void test_arguments(rig *r) {
    endo_exposure_options good = endo_exposure_options_default(), p;
    endo_exposure_result result;
    endo_pair pair = {0, 1}, outside = {0, 2};
#define WITH(field, value, text)                                                        \
    p = good, p.field = (value);                                                        \
    REFUSES(endo_exposures_register(r->frames, &pair, 1, &p, &result), text)
    WITH(search, 0, "search 0");
    WITH(search, 513, "search 513");
    WITH(tolerance, -1, "tolerance -1");
    WITH(tolerance, 128, "tolerance 128");
    WITH(bins, 65, "bins 65");
    WITH(percentile, (endo_percentile)2, "percentile 2");
    WITH(subpixel, 2, "subpixel 2");
    REFUSES(endo_exposures_register(r->frames, &outside, 1, &good, &result), "slot 2: must be 0..1");
    REFUSES(endo_exposures_register(r->frames, &pair, 1, NULL, &result), "NULL");
    CHECK(endo_exposures_register(r->frames, NULL, 0, &good, NULL) == ENDO_OK);
}

int main(int argc, char **argv) {
    int pairs = argc > 1 ? atoi(argv[1]) : 120;
    endo_context_options o = endo_context_options_default();
    rig r = {NULL, NULL, endo_exposure_options_default()};
    o.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &r.context) == ENDO_OK);
    r.frames = make_frames(r.context, WIDTH, HEIGHT, 2);
    test_whole_pixels(&r, pairs, ENDO_PERCENTILE_ADAPTIVE);
    test_whole_pixels(&r, pairs / 4, ENDO_PERCENTILE_MEDIAN);
    test_subpixel(&r, pairs / 2);
    test_hopeless(&r, pairs / 4);
    test_no_content(&r);
    test_identical(&r);
    test_identical_tall(&r);
    test_small(&r);
    test_arguments(&r);
    endo_frames_destroy(&r.frames);
    endo_context_destroy(&r.context);
    return check_summary("test_exposures");
}
