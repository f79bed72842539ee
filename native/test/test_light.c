/* Light against frames that were lit by known fall-offs and gains; and what is no call. */
#include "light_rig.h"
#include "refuses.h"

static void test_known_light(void) {
    const lit cases[] = {ORDINARY, {0.3, 119.5, 89.5, 9, 0.02, 0, 0, 0, 0, 0},
                         {0.5, 135, 80, 9, 0.05, 0.1, 0, 0, 0, 0}, {0, 119.5, 89.5, 9, 0.02, 0.1, 0, 0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        endo_light *light = put_all(&cases[k], FRAMES);
        solve(&light, FRAMES);
        CHECK(report.found == 1 && report.frames == FRAMES && report.deviation < 0.1);
        CHECK_NEAR(vignetting_error(&cases[k]), 0, 0.02);
        for (int c = 0; c < 3; c++) CHECK_NEAR(gain_error(&cases[k], c, FRAMES), 0, 0.01);
        CHECK_NEAR(report.flicker, cases[k].flicker / sqrt(2), 0.02);
        CHECK_NEAR(report.colour, 0, 0.002);
    }
}

/* Gains about 1, and the report says what the correction does. */
static void test_report(void) {
    endo_light *light = put_all(&ORDINARY, FRAMES);
    solve(&light, FRAMES);
    double logs = 0;
    for (int i = 0; i < FRAMES; i++) logs += log(gains[3 * i] / (double)ENDO_LIGHT_ONE);
    CHECK_NEAR(logs / FRAMES, 0, 2e-4);
    CHECK_NEAR(report.x, ORDINARY.cx, 12);
    CHECK_NEAR(report.y, ORDINARY.cy, 12);
    CHECK(report.curve[0] > 0.98 && report.curve[0] <= 1);
    CHECK_NEAR(report.curve[16], 1 - 0.125, 0.03);
    CHECK_NEAR(report.curve[32], 0.5, 0.05);
    CHECK_NEAR(report.rim, 0.53, 0.05);
}

/* Darkens the middle of a frame, so that it is bright at the rim alone. */
static void darken_middle(int frame) {
    const endo_transform t = pose(&ORDINARY, frame);
    for (int k = 0; k < AREA; k++) {
        double x = t.matrix[0] * (k % WIDTH) + t.matrix[1] * (k / WIDTH) + t.matrix[2];
        if (x > 60 && x < 330) image[k] = (image[k] >> 1) & 0x7f7f7f;
    }
}

static void leave(int frame) { (void)frame; }

/* The mean of all pixels of all frames, but for the gains. */
static double brightness(void (*change)(int frame), int corrected) {
    double sum = 0;
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        change(i);
        for (int p = 0; p < AREA; p++)
            sum += (image[p] >> 8 & 255) / gain(&ORDINARY, i, 1) * (corrected ? correction[p] / 4096.0 : 1);
    }
    return sum / FRAMES / AREA;
}

/* The panorama is as bright as the frames, whether they are bright in the middle or at the rim; but for the half of a cell at
 * the frames' edges, which no node sees. */
static void test_reference(void) {
    void (*const changes[])(int) = {leave, darken_middle};
    for (int k = 0; k < 2; k++) {
        endo_light *light = put_changed(NULL, changes[k]);
        solve(&light, FRAMES);
        CHECK_NEAR(brightness(changes[k], 1) / brightness(changes[k], 0), 1, 0.025);
    }
}

static void test_limit(void) {
    endo_light *light = put_all(&ORDINARY, FRAMES);
    endo_light_options o = endo_light_options_default();
    o.limit = 1.05;
    CHECK(endo_light_solve(light, views, FRAMES, &o, correction, gains, NULL) == ENDO_OK);
    int most = 0, bright = 0, dark = 1 << 20;
    for (int i = 0; i < AREA; i++) most = correction[i] > most ? correction[i] : most;
    for (int i = 0; i < 3 * FRAMES; i++) {
        bright = gains[i] > bright ? gains[i] : bright;
        dark = gains[i] < dark ? gains[i] : dark;
    }
    CHECK_NEAR(most, 1.05 * ENDO_LIGHT_ONE, 1);
    CHECK_NEAR(bright, 1.05 * ENDO_LIGHT_ONE, 1);
    CHECK_NEAR(dark, ENDO_LIGHT_ONE / 1.05, 1);
    endo_light_destroy(&light);
}

static void test_colour(void) {
    lit l = ORDINARY;
    l.tint = 0.1;
    endo_light *light = put_all(&l, FRAMES);
    endo_light_options o = endo_light_options_default();
    o.colour = 0;
    CHECK(endo_light_solve(light, views, FRAMES, &o, NULL, gains, &report) == ENDO_OK);
    int equal = 1;
    for (int i = 0; i < FRAMES; i++) equal &= gains[3 * i] == gains[3 * i + 1] && gains[3 * i] == gains[3 * i + 2];
    CHECK(equal && report.colour == 0);
    solve(&light, FRAMES);
    CHECK(report.found == 1);
    CHECK_NEAR(report.colour, 0.05 * sqrt(2.0 / 3), 0.01);
    for (int c = 0; c < 3; c++) CHECK_NEAR(gain_error(&l, c, FRAMES), 0, 0.006);
    CHECK_NEAR(vignetting_error(&l), 0, 0.02);
}

/* Light that ends at the rim: no surface of the 4th order bends so (off by 0.022). */
static void test_rim(void) {
    const lit l = {0.1, 119.5, 89.5, 9, 0.02, 0.1, 0, 0, 0, 0.5};
    endo_light *light = put_all(&l, FRAMES);
    solve(&light, FRAMES);
    CHECK(report.found == 1);
    CHECK_NEAR(vignetting_error(&l), 0, 0.01);
}

/* Light that wanders on the sensor, about as fast as the scope moves, does not bend what is found. */
static void test_wander(void) {
    const lit l = {0.5, 119.5, 89.5, 4, 0.005, 0.1, 0, 4, 0.08, 0};
    endo_light *light = put_all(&l, FRAMES);
    solve(&light, FRAMES);
    CHECK(report.found == 1);
    CHECK_NEAR(vignetting_error(&l), 0, 0.02);
}

/* Frames that see a plane from the side, and one that sees beyond its horizon: that one has no say. */
static void test_homographies(void) {
    lit l = ORDINARY;
    l.fall = 0.45, tilt = 0.002;
    endo_light *light = put_all(&l, FRAMES);
    views[7].transform.matrix[6] = -0.01 * views[7].transform.matrix[8];
    solve(&light, FRAMES);
    tilt = 0;
    CHECK(report.found == 1 && report.frames == FRAMES - 1 && gains[3 * 7] == ENDO_LIGHT_ONE);
    CHECK_NEAR(vignetting_error(&l), 0, 0.02);
    gains[3 * 7] = (int32_t)(gains[0] * gain(&l, 0, 0) / gain(&l, 7, 0));
    CHECK_NEAR(gain_error(&l, 0, FRAMES), 0, 0.012);
}

/* Only some of many views are sampled, here and there: the first of them see the same. */
static void test_many(void) {
    enum { MANY = 400, STILL = 64 };
    static endo_light_view many[MANY];
    endo_light *light = put_all(&ORDINARY, FRAMES);
    for (int i = 0; i < MANY; i++) many[i] = views[i < STILL ? 0 : (i - STILL) % FRAMES];
    CHECK(endo_light_solve(light, many, MANY, NULL, correction, NULL, &report) == ENDO_OK);
    CHECK(report.found == 1 && report.frames == MANY);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.02);
    endo_light_destroy(&light);
}

/* Parts do not see each other's scenes: the second half's lies elsewhere, and is twice as bright. */
static void test_parts(void) {
    endo_light *light = put_all(&ORDINARY, FRAMES);
    for (int i = FRAMES / 2; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        for (int k = 0; k < AREA; k++) image[k] = (image[k] >> 1) & 0x7f7f7f;
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i].component = 1;
    }
    solve(&light, FRAMES);
    double logs[2] = {0, 0};
    for (int i = 0; i < FRAMES; i++) logs[2 * i >= FRAMES] += log(gains[3 * i] / (double)ENDO_LIGHT_ONE);
    CHECK(report.found == 1);
    CHECK_NEAR(logs[0], 0, 2e-3);
    CHECK_NEAR(logs[1], 0, 2e-3);
    CHECK_NEAR(vignetting_error(&ORDINARY), 0, 0.004);
}

/* ------------------------------------------------------------------- errors */

static void test_arguments(void) {
    endo_light *light = NULL;
    REFUSES(endo_light_create(context, ENDO_GREY8, 0, 5, 0, NULL, &light), "frames of 0 x 5");
    REFUSES(endo_light_create(context, (endo_pixel)3, 5, 5, 0, NULL, &light), "pixel type 3");
    REFUSES(endo_light_create(context, ENDO_GREY16, 5, 5, 0, NULL, &light), "high 0");
    REFUSES(endo_light_create(NULL, ENDO_GREY8, 5, 5, 0, NULL, &light), "NULL");
    CHECK(light == NULL);
    light = put_all(&ORDINARY, 3);
    REFUSES(endo_light_put(light, -1, image, WIDTH), "frame -1");
    REFUSES(endo_light_put(light, 10000000, image, WIDTH), "frame 10000000");
    REFUSES(endo_light_put(light, 0, image, WIDTH - 1), "stride 239");
    REFUSES(endo_light_put(light, 0, NULL, WIDTH), "NULL");
    endo_light_options o = endo_light_options_default();
    o.limit = 0.5;
    REFUSES(endo_light_solve(light, views, 3, &o, NULL, NULL, &report), "limit 0.5");
    o = endo_light_options_default(), o.robust = 0;
    REFUSES(endo_light_solve(light, views, 3, &o, NULL, NULL, &report), "robust 0");
    o = endo_light_options_default(), o.colour = 2;
    REFUSES(endo_light_solve(light, views, 3, &o, NULL, NULL, &report), "colour 2");
    REFUSES(endo_light_solve(light, NULL, 3, NULL, NULL, NULL, &report), "NULL");
    views[1].component = 3;
    REFUSES(endo_light_solve(light, views, 3, NULL, NULL, NULL, &report), "component 3");
    views[1].component = 0, views[1].frame = -1;
    REFUSES(endo_light_solve(light, views, 3, NULL, NULL, NULL, &report), "frame -1");
    views[1].frame = 1, memset(views[1].transform.matrix, 0, sizeof views[1].transform.matrix);
    views[1].transform.matrix[8] = 1;
    REFUSES(endo_light_solve(light, views, 3, NULL, NULL, NULL, &report), "cannot be inverted");
    endo_light_destroy(&light);
    endo_light_destroy(&light);
}

static int stop(void *user) { return ++*(int *)user > 20; }

/* Whenever it is asked to stop it does, and outputs are as they were. */
static void test_cancel(void) {
    int asked = 0;
    endo_light *light = put_all(&ORDINARY, FRAMES);
    memset(correction, 7, sizeof correction);
    endo_context_set_cancel(context, stop, &asked);
    CHECK(endo_light_solve(light, views, FRAMES, NULL, correction, gains, &report) == ENDO_CANCELLED);
    endo_context_set_cancel(context, NULL, NULL);
    CHECK(asked == 21 && correction[5] == 0x0707);
    endo_light_destroy(&light);
}

int main(void) {
    open_light_world();
    test_known_light();
    test_report();
    test_reference();
    test_limit();
    test_colour();
    test_rim();
    test_wander();
    test_homographies();
    test_many();
    test_parts();
    test_arguments();
    test_cancel();
    endo_context_destroy(&context);
    return check_summary("test_light");
}
