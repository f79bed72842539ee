/* The static pattern of a sequence: found where there is one, to what the frames can tell, and nowhere else. */
#include "include/endorama.h"
#include "check.h"
#include "refuses.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 200, AREA = WIDTH * HEIGHT };

static int16_t truth[AREA], found[AREA];
static uint8_t image[AREA], field[AREA];
static endo_pattern_info info;
static endo_context *context;

/* ----------------------------------------------------------------- patterns */

/* Grain of single pixels, uniform in -amplitude..amplitude. */
static void draw_grain(int amplitude) {
    test_random r = {41};
    for (int i = 0; i < AREA; i++) truth[i] = (int16_t)test_between(&r, -amplitude, amplitude);
}

/* A bundle of fibres: cells of about `period` px, as three waves make them. */
static void draw_fibres(int amplitude, double period) {
    for (int i = 0; i < AREA; i++) {
        double x = i % WIDTH * 6.2832 / period, y = i / WIDTH * 6.2832 / period;
        double waves = cos(x) + cos(0.5 * x + 0.866 * y) + cos(0.5 * x - 0.866 * y);
        truth[i] = (int16_t)lrint(amplitude * waves / 1.5);
    }
}

/* Grain on the left only, and a speck of dust on it. */
enum { EDGE = 160 };
static void draw_half(void) {
    draw_grain(12);
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH - 60, y = i / WIDTH - 70;
        if (i % WIDTH >= EDGE) truth[i] = 0;
        else if (x * x + y * y <= 16) truth[i] = (int16_t)(truth[i] - 50);
    }
}

/* Whether the pattern has detail of single pixels, which light has not. */
static int has_detail(int i) {
    int x = i % WIDTH;
    return x > 0 && x < WIDTH - 1 && abs(2 * found[i] - found[i - 1] - found[i + 1]) > 1;
}

static double rms(const int16_t *a, const int16_t *b) {
    double sum = 0;
    for (int i = 0; i < AREA; i++) sum += (double)(a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(sum / AREA);
}

/* ------------------------------------------------------------------ frames */

enum { SCENE_WIDTH = WIDTH + 9 * 64, SCENE_HEIGHT = HEIGHT + 4 * 64 };
static uint8_t tissue[SCENE_WIDTH * SCENE_HEIGHT];

static void draw_tissue(void) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene scene;
    test_scene_init(&scene, 8);
    test_scene_render(&scene, still, SCENE_WIDTH, SCENE_HEIGHT, tissue);
}

/* Frame i of a scope over a scene of little contrast, with the noise of a sensor; moved by `step` a frame. */
static void draw_frame(int i, double step) {
    test_random noise = {1000 + (uint64_t)i};
    int dx = (int)(step * i), dy = (int)(0.4 * step * i);
    for (int k = 0; k < AREA; k++) {
        int scene = tissue[(k / WIDTH + dy) * SCENE_WIDTH + k % WIDTH + dx];
        int grey = 100 + (scene - 128) / 5 + test_between(&noise, -2, 2) + truth[k];
        image[k] = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
    }
}

static endo_pattern_finder *make(endo_pixel type, const uint8_t *mask) {
    endo_pattern_finder *finder = NULL;
    const endo_pattern_options options = {
        .width = WIDTH,
        .height = HEIGHT,
        .type = type,
        .low = 1000,
        .high = 21000,
        .field = mask,
    };
    CHECK(endo_pattern_finder_create(context, &options, &finder) == ENDO_OK);
    return finder;
}

static void find(endo_pattern_finder **finder) {
    memset(found, 0x55, sizeof found);
    CHECK(endo_pattern_finder_find(*finder, found, &info) == ENDO_OK);
    endo_pattern_finder_destroy(finder);
    CHECK(*finder == NULL);
}

/* The pattern of n frames. */
static void run(int n, double step, const uint8_t *mask) {
    endo_pattern_finder *finder = make(ENDO_GREY8, mask);
    for (int i = 0; i < n; i++) {
        draw_frame(i, step);
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    find(&finder);
}

static int is_zero(void) { return rms(found, NULL) == 0 && !info.found && info.rms == 0; }

/* -------------------------------------------------------------------- tests */

/* Checks a pattern that was found: it may differ from the true one by what chance leaves of a scene of 8 levels in so many
 * frames, and by the rounding, root mean square below `most` grey levels. */
static void expect_found(double amplitude_rms, double most) {
    CHECK(info.found == 1);
    CHECK(info.share > ENDO_PATTERN_LEAST_SHARE && info.share < 1);
    CHECK_NEAR(info.rms, amplitude_rms, 0.12 * amplitude_rms);
    double left = rms(found, truth);
    if (left >= most) printf("     %.2f of %.2f levels are left, share %.3f\n", left, amplitude_rms, info.share);
    CHECK(left < most);
}

static void test_found(void) {
    draw_grain(10);
    run(30, 9, NULL);
    expect_found(rms(truth, NULL), 1.8);
    CHECK(info.frames == 30 && info.independent > 12 && info.independent <= 30);
    draw_fibres(6, 5);
    run(30, 9, NULL);
    expect_found(rms(truth, NULL), 1.8);
    draw_fibres(6, 10);
    run(30, 9, NULL);
    expect_found(rms(truth, NULL), 1.8);
}

/* Nine frames tell too little, however far apart they are; ten do. */
static void test_few(void) {
    draw_grain(10);
    run(9, 31, NULL);
    CHECK(is_zero() && info.independent >= ENDO_PATTERN_LEAST_FRAMES);
    run(10, 31, NULL);
    CHECK(info.found == 1);
}

/* A grain that is coarse, too, and drowns the scene. */
static void test_strong(void) {
    draw_grain(60);
    run(30, 9, NULL);
    expect_found(rms(truth, NULL), 2.2);
}

/* More frames tell more. */
static void test_frames(void) {
    draw_grain(10);
    run(8, 9, NULL);
    double few = rms(found, truth);
    run(60, 9, NULL);
    CHECK(rms(found, truth) < 0.6 * few);
}

/* A moving scope that is clean; one that stands still, with a pattern and without, frozen or with noise; a slow one. */
static void test_nothing(void) {
    memset(truth, 0, sizeof truth);
    run(30, 9, NULL);
    CHECK(is_zero() && info.frames == 30 && info.share < 0.005 && info.share > -0.05);
    run(30, 0.2, NULL);
    CHECK(is_zero() && info.independent < ENDO_PATTERN_LEAST_FRAMES);
    draw_grain(10);
    run(30, 0, NULL);
    CHECK(is_zero() && info.frames == 30 && info.independent == 0);
    run(0, 0, NULL);
    CHECK(is_zero() && info.frames == 0 && info.independent == 0 && info.share == 0);
    run(4, 30, NULL);
    CHECK(is_zero() && info.frames == 4);
}

/* The scene of a scope that stands still is no pattern, though an instrument moves in front of it. */
static void test_instrument(void) {
    endo_pattern_finder *finder = make(ENDO_GREY8, NULL);
    draw_grain(10);
    for (int i = 0; i < 20; i++) {
        draw_frame(i, 0);
        for (int k = 0; k < AREA; k++) {
            int x = k % WIDTH - 67 * i % (WIDTH - 48), y = k / WIDTH - 41 * i % (HEIGHT - 48);
            if (x >= 0 && x < 48 && y >= 0 && y < 48) image[k] = (uint8_t)(100 + 60 * (x / 12 % 2) + 40 * (y / 12 % 2));
        }
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    find(&finder);
    CHECK(is_zero() && info.frames == 20);
}

/* Only where it is, and only in the field. */
static void test_half(void) {
    memset(field, 0, sizeof field);
    for (int y = 20; y < 190; y++) memset(field + y * WIDTH + 10, 1, WIDTH - 15);
    draw_half();
    run(30, 9, field);
    int far = 0, outside = 0;
    for (int i = 0; i < AREA; i++) {
        far += has_detail(i) && i % WIDTH > EDGE + 24 && i % WIDTH < WIDTH - 8;
        outside += found[i] != 0 && !field[i];
    }
    CHECK(info.found && far == 0 && outside == 0);
    CHECK(found[70 * WIDTH + 60] < -25 && found[70 * WIDTH + 60] > -65);
}

/* Frames that are black, white, or the same again change nothing. */
static void test_useless_frames(void) {
    static int16_t before[AREA];
    draw_grain(8);
    run(12, 9, NULL);
    memcpy(before, found, sizeof found);
    endo_pattern_finder *finder = make(ENDO_GREY8, NULL);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 3; k++) {
            draw_frame(i, 9);
            if (k == 0) memset(image, i % 2 ? 0 : 255, AREA);
            CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
        }
    find(&finder);
    CHECK(info.frames == 12 && !memcmp(before, found, sizeof found));
}

/* Where it is dark a pattern is cut off at black: what is left of it says nothing. */
static void test_dark(void) {
    endo_pattern_finder *finder = make(ENDO_GREY8, NULL);
    draw_grain(10);
    for (int i = 0; i < 20; i++) {
        draw_frame(i, 9);
        for (int k = 0; k < AREA; k++) { /* light that falls off to the left */
            int light = k % WIDTH < 80 ? 0 : k % WIDTH - 80, grey = (image[k] - truth[k]) * light / 160 + truth[k];
            image[k] = (uint8_t)(grey < 0 ? 0 : grey);
        }
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    find(&finder);
    int dark = 0;
    for (int i = 0; i < AREA; i++) dark += has_detail(i) && i % WIDTH < 70;
    CHECK(info.found && dark == 0);
}

/* The vignetting in the pattern of n frames whose light falls off to the rim by 60 levels in 120 px: grey levels from the
 * middle to a side, 100 px away. */
static double vignetting_in(int n, double step) {
    endo_pattern_finder *finder = make(ENDO_GREY8, NULL);
    double middle = 0, side = 0;
    for (int i = 0; i < n; i++) {
        draw_frame(i, step);
        for (int k = 0; k < AREA; k++) {
            double x = (k % WIDTH - WIDTH / 2) / 120.0, y = (k / WIDTH - HEIGHT / 2) / 120.0;
            image[k] = (uint8_t)lrint(image[k] + 40 - 60 * (x * x + y * y));
        }
        CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    find(&finder);
    CHECK(info.found);
    for (int i = 0; i < 400; i++) {
        middle += found[(HEIGHT / 2 - 10 + i / 20) * WIDTH + WIDTH / 2 - 10 + i % 20] / 400.0;
        side += found[(HEIGHT / 2 - 10 + i / 20) * WIDTH + 10 + i % 20] / 400.0;
    }
    return middle - side;
}

/* Vignetting that the scope's light has everywhere is taken out, too, but not the level of the middle. */
static void test_light(void) {
    draw_grain(10);
    CHECK_NEAR(vignetting_in(30, 9), 60 * 10000 / 14400.0, 5);
    CHECK_NEAR(info.rms, rms(truth, NULL), 0.12 * rms(truth, NULL));
}

/* From eight independent frames on; fewer show much of the same scene at the same places. */
static void test_light_of_few(void) {
    double below = 0, above = 100;
    draw_grain(10);
    for (int step = 4; step <= 8; step++) {
        double vignetting = vignetting_in(16, step);
        CHECK((vignetting > 30) == (info.independent >= 8));
        if (info.independent < 8 && info.independent > below) below = info.independent;
        if (info.independent >= 8 && info.independent < above) above = info.independent;
    }
    CHECK(below > 7 && above < 9);
}

/* Highlights that stand still are no pattern, nor do they take part in one, nor what blooms around them: four pixels. */
static int is_highlight(int i) { return i % WIDTH % 80 < 5 && i / WIDTH % 80 < 5; }

/* Up to so many pixels from one. */
static int is_beside(int i, int reach) {
    int x = (i % WIDTH + reach) % 80, y = (i / WIDTH + reach) % 80;
    return x < 5 + 2 * reach && y < 5 + 2 * reach && i % WIDTH < WIDTH - reach && !is_highlight(i);
}

static void test_highlights(void) {
    int bright = 0, blooming = 0, lost = 0;
    draw_grain(10);
    for (int i = 0; i < AREA; i++)
        if (is_highlight(i)) truth[i] = 255;
    run(30, 9, NULL);
    for (int i = 0; i < AREA; i++) {
        bright += is_highlight(i) && abs(found[i]) > 12;
        blooming += is_beside(i, 4) && is_beside(i - 1, 4) && is_beside(i + 1, 4) && has_detail(i);
        lost += is_beside(i, 7) && !is_beside(i, 4) && abs(found[i] - truth[i]) > 4;
    }
    CHECK(info.found && bright == 0 && blooming == 0 && lost == 0);
}

/* Frames give the same pattern in every type of pixel, with any number of threads and any stride. */
static void test_types(void) {
    static int16_t grey[AREA];
    static uint16_t deep[AREA];
    static uint32_t colour[(WIDTH + 5) * HEIGHT];
    draw_grain(9);
    run(12, 9, NULL);
    memcpy(grey, found, sizeof found);
    for (int type = ENDO_GREY16; type <= ENDO_RGB32; type++) {
        endo_pattern_finder *finder = make((endo_pixel)type, NULL);
        int stride = type == ENDO_RGB32 ? WIDTH + 5 : WIDTH;
        for (int i = 0; i < 12; i++) {
            draw_frame(i, 9);
            for (int k = 0; k < AREA; k++) deep[k] = (uint16_t)(1000 + 20000 * image[k] / 255);
            for (int k = 0; k < AREA; k++) colour[k / WIDTH * (WIDTH + 5) + k % WIDTH] = 0x010101u * image[k];
            const void *pixels = type == ENDO_RGB32 ? (const void *)colour : deep;
            CHECK(endo_pattern_finder_add(finder, pixels, stride) == ENDO_OK);
        }
        find(&finder);
        CHECK(info.found && !memcmp(grey, found, sizeof grey));
    }
}

static void test_threads(void) {
    static int16_t one[AREA];
    endo_context *before = context;
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 1;
    draw_fibres(5, 7);
    run(12, 9, NULL);
    memcpy(one, found, sizeof found);
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    run(12, 9, NULL);
    CHECK(info.found && !memcmp(one, found, sizeof one));
    endo_context_destroy(&context);
    context = before;
}

static void refuses(const endo_pattern_options *options, const char *text) {
    endo_pattern_finder *finder = NULL;
    REFUSES(endo_pattern_finder_create(context, options, &finder), text);
    CHECK(finder == NULL);
}

static void test_arguments(void) {
    endo_pattern_finder *finder = NULL;
    refuses(&(endo_pattern_options){.height = 5}, "frames of 0 x 5");
    refuses(&(endo_pattern_options){.width = 5, .height = 40000}, "frames of 5 x 40000");
    refuses(&(endo_pattern_options){.width = 5, .height = 5, .type = (endo_pixel)3}, "pixel type 3");
    refuses(&(endo_pattern_options){.width = 5, .height = 5, .type = ENDO_GREY16, .low = 9, .high = 9}, "grey range 9..9");
    refuses(NULL, "pattern: an argument is NULL");
    endo_pattern_options options = endo_pattern_options_default();
    CHECK(options.type == ENDO_GREY8 && options.low == 0 && options.high == 65535 && options.field == NULL);
    refuses(&options, "frames of 0 x 0");
    options.width = options.height = 5;
    REFUSES(endo_pattern_finder_create(NULL, &options, &finder), "NULL");
    REFUSES(endo_pattern_finder_create(context, &options, NULL), "NULL");
    CHECK(finder == NULL);
    finder = make(ENDO_GREY8, NULL);
    REFUSES(endo_pattern_finder_add(finder, image, WIDTH - 1), "stride 239");
    REFUSES(endo_pattern_finder_add(finder, NULL, WIDTH), "NULL");
    REFUSES(endo_pattern_finder_find(finder, NULL, &info), "NULL");
    endo_pattern_finder_destroy(&finder);
}

/* Sides smaller than what details and cells reach. */
static void test_small(void) {
    static const int sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {7, 9}, {33, 31}};
    for (int k = 0; k < 5; k++) {
        endo_pattern_finder *finder = NULL;
        CHECK(endo_pattern_finder_create(context, &(endo_pattern_options){.width = sizes[k][0], .height = sizes[k][1]},
                                         &finder) == ENDO_OK);
        for (int i = 0; i < 8; i++) {
            draw_frame(i, 9);
            CHECK(endo_pattern_finder_add(finder, image, WIDTH) == ENDO_OK);
        }
        CHECK(endo_pattern_finder_find(finder, found, &info) == ENDO_OK);
        endo_pattern_finder_destroy(&finder);
    }
}

int main(void) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 3;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    draw_tissue();
    test_found();
    test_strong();
    test_few();
    test_frames();
    test_nothing();
    test_instrument();
    test_half();
    test_useless_frames();
    test_dark();
    test_light();
    test_light_of_few();
    test_highlights();
    test_types();
    test_threads();
    test_arguments();
    test_small();
    endo_context_destroy(&context);
    return check_summary("test_pattern");
}
