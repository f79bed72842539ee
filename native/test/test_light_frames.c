/* Light from frames that say little or something else: still, few, useless, disturbed, small, of other types. */
#include "light_rig.h"
#include "systems/light/light.h"

/* Where no frame moves, the scene cannot be told from the light: that is said, and nothing is made up. Gains are known all
 * the same. */
static void test_frozen(void) {
    lit l = ORDINARY;
    l.turn = 0;
    for (int k = 0; k < 2; k++) {
        l.step = k * 0.1;
        endo_light *light = put_all(&l, FRAMES);
        solve(&light, FRAMES);
        CHECK(report.found == 0 && report.frames == FRAMES && report.deviation > 0.1);
        CHECK(uncorrected() && report.rim == 1 && report.curve[32] == 1);
        CHECK_NEAR(gain_error(&l, 1, FRAMES), 0, 0.01);
    }
}

static void test_few_frames(void) {
    endo_light *light = put_all(&ORDINARY, 1);
    solve(&light, 1);
    CHECK(report.found == 0 && report.frames == 1 && report.flicker == 0 && uncorrected());
    CHECK(gains[0] == ENDO_LIGHT_ONE && gains[1] == ENDO_LIGHT_ONE && gains[2] == ENDO_LIGHT_ONE);
    light = make(ENDO_RGB32, NULL);
    solve(&light, 0);
    CHECK(report.found == 0 && report.frames == 0 && uncorrected());
    light = make(ENDO_RGB32, NULL); /* frames that were never put */
    solve(&light, 3);
    CHECK(report.found == 0 && report.frames == 0 && uncorrected() && gains[3] == ENDO_LIGHT_ONE);
}

/* White and black frames, and those of which much is cut off, say nothing, and change nothing. */
static void test_useless_frames(void) {
    endo_light *light = put_all(&ORDINARY, FRAMES);
    memset(image, 255, sizeof image);
    CHECK(endo_light_put(light, 7, image, WIDTH) == ENDO_OK);
    memset(image, 0, sizeof image);
    CHECK(endo_light_put(light, 20, image, WIDTH) == ENDO_OK);
    for (int k = 0; k < AREA; k += 2) image[k] = 0xff4040, image[k + 1] = 0x804040; /* half of it clipped, in red */
    CHECK(endo_light_put(light, 30, image, WIDTH) == ENDO_OK);
    solve(&light, FRAMES);
    CHECK(report.found == 1 && report.frames == FRAMES - 3);
    CHECK(gains[21] == ENDO_LIGHT_ONE && gains[60] == ENDO_LIGHT_ONE && gains[90] == ENDO_LIGHT_ONE);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
}

/* A bright thing that stands still on the sensor in a third of the frames is voted out. */
static void hold_instrument(int frame) {
    for (int k = 0; k < AREA; k++)
        if (frame % 3 == 0 && k % WIDTH > 120 && k / WIDTH > 70) image[k] = 0xc8c8c8;
}

static void test_instrument(void) {
    endo_light *light = put_changed(NULL, hold_instrument);
    solve(&light, FRAMES);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
    CHECK_NEAR(gain_error(&ORDINARY, 1, FRAMES), 0, 0.002);
}

/* Highlights, some in every cell, are left out. */
static void add_highlights(int frame) {
    for (int k = 0; k < AREA; k++)
        if ((k % WIDTH + frame) % 10 < 3 && k / WIDTH % 10 < 3) image[k] = 0xffffff;
}

static void test_highlights(void) {
    endo_light *light = put_changed(NULL, add_highlights);
    solve(&light, FRAMES);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
    CHECK_NEAR(gain_error(&ORDINARY, 1, FRAMES), 0, 0.002);
}

/* Every other frame is too bright, and cut off in places: what is left of those is not the mean. */
static double overexposed(int frame, int channel) { return gain(&ORDINARY, frame, channel) * (frame % 2 ? 1 : 1.9); }

static void overexpose(int frame) {
    for (int k = 0; k < AREA; k++) {
        uint32_t rgb = image[k], more = 0;
        for (int c = 0; frame % 2 == 0 && c < 3; c++) more = more << 8 | level(1.9 * ((rgb >> (16 - 8 * c)) & 255));
        if (frame % 2 == 0) image[k] = more;
    }
}

static void test_overexposed(void) {
    endo_light *light = put_changed(NULL, overexpose);
    solve(&light, FRAMES);
    double most = 0;
    for (int i = 0; i < FRAMES; i++) {
        double v = log(gains[3 * i] * overexposed(i, 0) / (gains[3] * overexposed(1, 0)));
        most = fabs(v) > most ? fabs(v) : most;
    }
    CHECK_NEAR(most, 0, 0.004);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
}

/* Colours that a quarter of a frame shows, and its other quarters do not, are the scene's and no gain of the camera. */
static void colour_quarter(int frame) {
    int left = frame % 2 * WIDTH / 2;
    int top = frame / 2 % 2 * HEIGHT / 2;
    for (int k = 0; k < AREA; k++) {
        int x = k % WIDTH - left;
        int y = k / WIDTH - top;
        if (x < 0 || y < 0 || x >= WIDTH / 2 || y >= HEIGHT / 2) continue;
        uint32_t rgb = image[k];
        uint32_t red = level((rgb >> 16 & 255) * (frame % 3 ? 1.15 : 0.85));
        image[k] = red << 16 | (rgb & 0xffff);
    }
}

/* A drift of the colours that all of the frame shows is one, if it is no larger. */
static void colour_frame(int frame) {
    for (int k = 0; k < AREA; k++) {
        uint32_t red = level((image[k] >> 16 & 255) * (frame % 3 ? 1.03 : 0.97));
        image[k] = red << 16 | (image[k] & 0xffff);
    }
}

static void test_held_out_colours(void) {
    endo_light *light = put_changed(NULL, colour_quarter);
    solve(&light, FRAMES);
    CHECK(report.colour < 0.001);
    int equal = 1;
    for (int i = 0; i < FRAMES; i++) equal &= abs(gains[3 * i] - gains[3 * i + 2]) < 8;
    CHECK(equal);
    light = put_changed(NULL, colour_frame);
    solve(&light, FRAMES);
    double ratio = (gains[0] / (double)gains[2]) / (gains[3] / (double)gains[5]);
    CHECK_NEAR(ratio, 1.03 / 0.97, 0.002);
}

/* Frames of one brightness, one quarter of which is brighter or darker. */
static void brighten_quarter(int frame) {
    int left = frame % 2 * WIDTH / 2;
    int top = frame / 2 % 2 * HEIGHT / 2;
    for (int k = 0; k < AREA; k++) {
        int x = k % WIDTH - left;
        int y = k / WIDTH - top;
        if (x < 0 || y < 0 || x >= WIDTH / 2 || y >= HEIGHT / 2) continue;
        uint32_t rgb = 0;
        for (int c = 16; c >= 0; c -= 8) rgb = rgb << 8 | level((image[k] >> c & 255) * (frame % 3 ? 1.06 : 0.9));
        image[k] = rgb;
    }
}

/* Frames of one brightness, which are brighter or darker around their middle. */
static void brighten_around(int frame) {
    for (int k = 0; k < AREA; k++) {
        uint32_t rgb = 0;
        if (hypot(k % WIDTH - 119.5, k / WIDTH - 89.5) < 70) continue;
        for (int c = 16; c >= 0; c -= 8) rgb = rgb << 8 | level((image[k] >> c & 255) * (frame % 3 ? 1.06 : 0.9));
        image[k] = rgb;
    }
}

/* Shades that turn with the view in a part of the frame are no gain of the camera; of gains of 7.7 % an eighth is left. */
static void test_held_out_gains(void) {
    static void (*const change[])(int) = {brighten_quarter, brighten_around};
    lit l = ORDINARY;
    l.flicker = 0;
    for (int k = 0; k < 2; k++) {
        endo_light *light = make(ENDO_RGB32, NULL);
        for (int i = 0; i < FRAMES; i++) {
            draw(&l, i);
            change[k](i);
            CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
            views[i] = (endo_light_view){i, 0, pose(&l, i)};
        }
        solve(&light, FRAMES);
        CHECK(report.flicker < (k ? 0.02 : 1e-9));
    }
}

/* Even light, and frames that differ at random from place to place: no fall-off predicts that, and none is taken out. */
static void test_even(void) {
    lit l = ORDINARY;
    l.fall = 0;
    endo_light *light = make(ENDO_RGB32, NULL);
    for (int i = 0; i < FRAMES; i++) {
        draw(&l, i);
        for (int k = 0; k < AREA; k++) {
            uint32_t place = (uint32_t)(i * 500 + k / WIDTH / 10 * 25 + k % WIDTH / 10);
            double factor = 0.95 + 0.1 * (place * 2654435761u >> 16 & 255) / 255;
            uint32_t rgb = 0;
            for (int c = 16; c >= 0; c -= 8) rgb = rgb << 8 | level((image[k] >> c & 255) * factor);
            image[k] = rgb;
        }
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, pose(&l, i)};
    }
    solve(&light, FRAMES);
    CHECK(report.found == 1 && report.rim == 1 && uncorrected());
}

/* Little motion: the correction grows with it, from nothing to all, and never jumps. */
static void test_little_motion(void) {
    lit l = ORDINARY;
    double before = 0;
    l.turn = 0;
    for (int k = 0; k < 24; k++) {
        l.step = 0.02 * pow(1.25, k);
        endo_light *light = put_all(&l, FRAMES);
        solve(&light, FRAMES);
        double taken = log(correction[0] / (double)correction[AREA / 2 + WIDTH / 2]) / log(1 / fall_off(&l, 0, 0));
        CHECK(taken > before - 0.01 && taken < before + 0.3);
        if (k == 0) CHECK_NEAR(taken, 0, 0.002);
        if (k == 23) CHECK_NEAR(taken, 1, 0.08);
        before = taken;
    }
}

/* Slope of the logarithm of the brightness that is found of frames, as a share of what it is: a scope along a line, even light,
 * gains that rise along it. */
static double slope_found(double slope) {
    endo_light *light = make(ENDO_RGB32, NULL);
    for (int i = 0; i < FRAMES; i++) {
        const double m[6] = {1, 0, 4 * i, 0, 1, 1.5 * i};
        for (int k = 0; k < AREA; k++) {
            uint32_t rgb = 0;
            double rise = exp(slope * hypot(m[2], m[5]) - slope * 90);
            for (int c = 0; c < 3; c++)
                rgb = rgb << 8 | level(0.8 * rise * scene(k % WIDTH + m[2], k / WIDTH + m[5], c));
            image[k] = rgb;
        }
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, endo_transform_of_affine(m)};
    }
    solve(&light, FRAMES);
    CHECK(uncorrected());
    return log(gains[1] / (double)gains[3 * FRAMES - 2]) / (slope * hypot(4, 1.5) * (FRAMES - 1));
}

/* Gains that follow the way of a scope may be a gradient of the light, whose deviation is 0.1 over the frame, 0.00144 a px: of
 * gains that are no steeper nothing is believed, of steeper ones all but the square of the quotient. */
static void test_straight_way(void) {
    CHECK_NEAR(slope_found(0.0013), 0, 0.02);
    CHECK_NEAR(slope_found(0.003), 1 - pow(0.00144 / 0.003, 2), 0.02);
    CHECK_NEAR(slope_found(0.006), 1 - pow(0.00144 / 0.006, 2), 0.02);
}

/* A scope on a circle; the scene moves faster or slower at the rim than in the middle. The light falls off; the scene falls off
 * around the circle, too (1), or makes up for it (-1), or for a part of it. */
static double nearer_of(double faster, const lit *l, double scene_falls) {
    endo_light *light = make(ENDO_RGB32, NULL);
    light_evidence evidence;
    light_surface surface;
    light_samples samples;
    double terms[LIGHT_TERMS];
    lit brighter = *l;
    brighter.fall *= 1.5;
    for (int i = 0; i < FRAMES; i++) {
        double right = 14 * sin(2 * M_PI * i / FRAMES);
        double down = 14 * cos(2 * M_PI * i / FRAMES);
        const double m[6] = {1, 0, right, 0, 1, down};
        for (int k = 0; k < AREA; k++) {
            double square = (pow(k % WIDTH - 119.5, 2) + pow(k / WIDTH - 89.5, 2)) / 22500;
            double motion = 1 + faster * (square - 0.33);
            double value = scene(k % WIDTH + right * motion, k / WIDTH + down * motion, 0);
            value *= fall_off(l, k % WIDTH, k / WIDTH);
            value *= 0.7 * pow(fall_off(&brighter, k % WIDTH + right, k / WIDTH + down), scene_falls);
            image[k] = level(value) * 0x010101;
        }
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, endo_transform_of_affine(m)};
    }
    light_surface_make(light, &surface);
    CHECK(light_samples_make(light, views, FRAMES, &samples) == ENDO_OK);
    CHECK(light_vignetting_find(light, &surface, views, &samples, 2, terms, &evidence) == ENDO_OK);
    light_samples_free(&samples);
    endo_light_destroy(&light);
    return evidence.nearer;
}

/* Walls that come nearer are seen, by their motion, and nothing else is taken for such: without them a part of the deviation is
 * left. Robust weights and interpolation take a quarter of what is found: residuals that are large count less. What is hardly
 * seen of walls is believed where frames do not show the fall-off that their overlaps tell of, and a third of it where they lack
 * an eighth of that. */
static void test_walls(void) {
    lit even = ORDINARY;
    lit falls = ORDINARY;
    even.fall = 0;
    falls.fall = 0.3;
    CHECK_NEAR(nearer_of(0.1, &even, 0), 0.0686, 0.001);
    CHECK_NEAR(nearer_of(0.2, &even, 0), 0.148, 0.002);
    CHECK_NEAR(nearer_of(0, &even, 0), 0.0003, 0.0001);
    CHECK_NEAR(nearer_of(-0.2, &even, 0), 0.00036, 0.0001);
    CHECK_NEAR(nearer_of(0.01, &falls, -1), 0.0027, 0.0003);
    CHECK_NEAR(nearer_of(0.015, &falls, 0.15), 0.0025, 0.0003);
    CHECK_NEAR(nearer_of(0, &falls, 1), 0.00022, 0.0001);
}

/* Outside the field anything may be. */
static uint8_t field[AREA];

static void light_surround(int frame) {
    for (int k = 0; k < AREA; k++)
        if (!field[k]) image[k] = frame % 2 ? 0xc0c0c0 : 0x202020;
}

static void test_field(void) {
    for (int i = 0; i < AREA; i++) field[i] = hypot(i % WIDTH - 119.5, i / WIDTH - 89.5) < 85;
    endo_light *light = put_changed(field, light_surround);
    solve(&light, FRAMES);
    double middle = correction[AREA / 2 + WIDTH / 2];
    for (int i = 0; i < AREA; i++)
        if (!field[i]) correction[i] = (uint16_t)(middle / fall_off(&ORDINARY, i % WIDTH, i / WIDTH));
    CHECK(report.found == 1);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
    CHECK_NEAR(report.rim, 1 - 0.5 * 85 * 85 / 22500.0, 0.02);
    CHECK_NEAR(gain_error(&ORDINARY, 1, FRAMES), 0, 0.002);
}

/* Frames give the same light in every type of pixel and with any stride. */
static void test_types(void) {
    static uint8_t grey[(WIDTH + 3) * HEIGHT];
    static uint16_t deep[AREA];
    endo_light *lights[2] = {make(ENDO_GREY8, NULL), make(ENDO_GREY16, NULL)};
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        for (int k = 0; k < AREA; k++) {
            grey[k / WIDTH * (WIDTH + 3) + k % WIDTH] = (image[k] >> 8) & 255;
            deep[k] = (uint16_t)(256 * ((image[k] >> 8) & 255));
        }
        CHECK(endo_light_put(lights[0], i, grey, WIDTH + 3) == ENDO_OK);
        CHECK(endo_light_put(lights[1], i, deep, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, pose(&ORDINARY, i)};
    }
    for (int k = 0; k < 2; k++) {
        solve(&lights[k], FRAMES);
        CHECK(report.found == 1 && report.colour == 0 && gains[4] == gains[3] && gains[5] == gains[3]);
        CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
        CHECK_NEAR(gain_error(&ORDINARY, 0, FRAMES), 0, 0.002);
    }
}

static void test_threads(void) {
    static uint16_t before[AREA];
    int32_t gains_before[3 * FRAMES];
    endo_context *many = context;
    endo_context_options o = endo_context_options_default();
    endo_light *light = put_all(&ORDINARY, FRAMES);
    solve(&light, FRAMES);
    memcpy(before, correction, sizeof before);
    memcpy(gains_before, gains, sizeof gains);
    o.backend = ENDO_BACKEND_CPU, o.threads = 1;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    light = put_all(&ORDINARY, FRAMES);
    solve(&light, FRAMES);
    CHECK(!memcmp(before, correction, sizeof before) && !memcmp(gains_before, gains, sizeof gains));
    endo_context_destroy(&context);
    context = many;
}

static void test_small(void) {
    static const int sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {23, 9}, {25, 31}};
    for (int k = 0; k < 5; k++) {
        endo_light *light = NULL;
        CHECK(endo_light_create(context, ENDO_RGB32, sizes[k][0], sizes[k][1], 0, NULL, &light) == ENDO_OK);
        for (int i = 0; i < 5; i++) {
            draw(&ORDINARY, i);
            CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
            views[i] = (endo_light_view){i, 0, pose(&ORDINARY, i)};
        }
        CHECK(endo_light_solve(light, views, 5, NULL, correction, gains, &report) == ENDO_OK);
        CHECK(report.rim > 0 && report.rim <= 1 && report.curve[32] > 0);
        endo_light_destroy(&light);
    }
}

int main(void) {
    open_light_world();
    test_frozen();
    test_few_frames();
    test_useless_frames();
    test_instrument();
    test_highlights();
    test_overexposed();
    test_held_out_colours();
    test_held_out_gains();
    test_even();
    test_little_motion();
    test_straight_way();
    test_walls();
    test_field();
    test_types();
    test_threads();
    test_small();
    endo_context_destroy(&context);
    return check_summary("test_light_frames");
}
