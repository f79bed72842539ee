/* Light against frames that were lit by known fall-offs and gains. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "endorama.h"

enum { WIDTH = 240, HEIGHT = 180, AREA = WIDTH * HEIGHT, FRAMES = 40 };

/* A case: what the light does, and how the scope moves. */
typedef struct lit {
    double fall;          /* 1 - fall * (distance / 150 px)^2 */
    double cx, cy;        /* of the fall-off */
    double step, turn;    /* px and radians a frame */
    double flicker, tint; /* of the gains; tint: red more, blue less in the second half */
    double wander, zoom;  /* of the light on the sensor, px; of the scope */
} lit;

static const lit ORDINARY = {0.5, 119.5, 89.5, 9, 0.02, 0.15, 0, 0, 0};

static endo_context *context;
static uint32_t image[AREA];
static uint16_t correction[AREA];
static int32_t gains[3 * FRAMES];
static endo_light_view views[FRAMES];
static endo_light_report report;

/* ------------------------------------------------------------------- scene */

static double scene(double x, double y, int channel) {
    double slow = 25 * sin(x / 61) * cos(y / 47) + 15 * sin((x + y) / 23), fast = 8 * sin(x / 5) * sin(y / 6.3);
    return 120 - 20 * channel + slow + fast;
}

static double fall_off(const lit *l, double x, double y) {
    double dx = (x - l->cx) / 150, dy = (y - l->cy) / 150;
    return 1 - l->fall * (dx * dx + dy * dy);
}

static double gain(const lit *l, int frame, int channel) {
    double tint = 2 * frame >= FRAMES ? l->tint * (1 - channel) : 0;
    return (1 + l->flicker * sin(1.7 * frame)) * (1 + tint);
}

/* To and fro, a row lower each time, turning as it goes. */
static endo_transform place(const lit *l, int frame) {
    int row = frame / 10, column = row % 2 ? 9 - frame % 10 : frame % 10;
    double angle = l->turn * frame, zoom = 1 + l->zoom * sin(0.14 * frame), mx = 119.5, my = 89.5;
    double c = zoom * cos(angle), s = zoom * sin(angle);
    const double m[6] = {c, -s, mx + 2 * l->step * column - c * mx + s * my,
                         s, c,  my + 3 * l->step * row - s * mx - c * my};
    return endo_transform_of_affine(m);
}

static uint32_t level(double v) { return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)(v + 0.5); }

static void draw_anew(const lit *l, int frame) {
    const endo_transform t = place(l, frame);
    const double *m = t.matrix;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
            double f = fall_off(l, x - l->wander * sin(0.31 * frame), y - l->wander * cos(0.25 * frame));
            uint32_t rgb = 0;
            for (int c = 0; c < 3; c++) rgb = rgb << 8 | level(gain(l, frame, c) * f * scene(px, py, c));
            image[y * WIDTH + x] = rgb;
        }
}

/* The ordinary frames are kept. */
static void draw(const lit *l, int frame) {
    static uint32_t kept[FRAMES][AREA];
    static int known[FRAMES];
    int ordinary = !memcmp(l, &ORDINARY, sizeof *l);
    if (ordinary && known[frame]) {
        memcpy(image, kept[frame], sizeof image);
        return;
    }
    draw_anew(l, frame);
    if (!ordinary) return;
    memcpy(kept[frame], image, sizeof image);
    known[frame] = 1;
}

static endo_light *make(endo_pixel type, const uint8_t *field) {
    endo_light *light = NULL;
    CHECK(endo_light_create(context, type, WIDTH, HEIGHT, 65535, field, &light) == ENDO_OK);
    return light;
}

static endo_light *put_all(const lit *l, int n) {
    endo_light *light = make(ENDO_RGB32, NULL);
    for (int i = 0; i < n; i++) {
        draw(l, i);
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, place(l, i)};
    }
    return light;
}

static void solve(endo_light **light, int n) {
    CHECK(endo_light_solve(*light, views, (size_t)n, NULL, correction, gains, &report) == ENDO_OK);
    endo_light_destroy(light);
    CHECK(*light == NULL);
}

/* ------------------------------------------------------------------ measures */

/* Deviation of correction times fall-off from a constant: a root mean square, relative. */
static double fall_error(const lit *l) {
    double sum = 0, squares = 0;
    for (int i = 0; i < AREA; i++) {
        double v = correction[i] * fall_off(l, i % WIDTH, i / WIDTH);
        sum += v, squares += v * v;
    }
    double mean = sum / AREA;
    return sqrt(squares / AREA - mean * mean) / mean;
}

/* The same of gains and what they undo, in one channel. */
static double gain_error(const lit *l, int channel, int n) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double v = gains[3 * i + channel] * gain(l, i, channel);
        sum += v, squares += v * v;
    }
    double mean = sum / n;
    return sqrt(fmax(squares / n - mean * mean, 0)) / mean;
}

static int uncorrected(void) {
    int n = 0;
    for (int i = 0; i < AREA; i++) n += correction[i] == ENDO_LIGHT_ONE;
    return n == AREA;
}

/* ------------------------------------------------------------------- tests */

static void test_known_light(void) {
    const lit cases[] = {ORDINARY, {0.3, 119.5, 89.5, 9, 0.02, 0, 0, 0, 0},
                         {0.5, 135, 80, 9, 0.05, 0.1, 0, 0, 0}, {0, 119.5, 89.5, 9, 0.02, 0.1, 0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        endo_light *light = put_all(&cases[k], FRAMES);
        solve(&light, FRAMES);
        CHECK(report.found == 1 && report.frames == FRAMES && report.deviation < 0.1);
        CHECK_NEAR(fall_error(&cases[k]), 0, 0.02);
        for (int c = 0; c < 3; c++) CHECK_NEAR(gain_error(&cases[k], c, FRAMES), 0, 0.01);
        CHECK_NEAR(report.flicker, cases[k].flicker / sqrt(2), 0.02);
        CHECK_NEAR(report.colour, 0, 0.002);
    }
}

/* Puts the ordinary frames as they are changed by `change`. */
static endo_light *put_changed(const uint8_t *field, void (*change)(int frame)) {
    endo_light *light = make(ENDO_RGB32, field);
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        change(i);
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, place(&ORDINARY, i)};
    }
    return light;
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

/* Of frames that are bright in the middle, and of those that are bright at the rim alone. */
static void darken_middle(int frame) {
    const endo_transform t = place(&ORDINARY, frame);
    for (int k = 0; k < AREA; k++) {
        double x = t.matrix[0] * (k % WIDTH) + t.matrix[1] * (k / WIDTH) + t.matrix[2];
        if (x > 60 && x < 330) image[k] = (image[k] >> 1) & 0x7f7f7f;
    }
}

static void leave(int frame) { (void)frame; }

/* The brightest twentieth, of all pixels of all frames, but for the gains. */
static double brightest(void (*change)(int frame), int corrected) {
    static int counts[512];
    int n = 0, k = 511;
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        change(i);
        for (int p = 0; p < AREA; p++) {
            double v = (image[p] >> 8 & 255) / gain(&ORDINARY, i, 1) * (corrected ? correction[p] / 4096.0 : 1);
            counts[v < 511 ? (int)v : 511]++;
        }
    }
    while (n < FRAMES * AREA / 20) n += counts[k--];
    return k;
}

static void test_reference(void) {
    void (*const changes[])(int) = {leave, darken_middle};
    for (int k = 0; k < 2; k++) {
        endo_light *light = put_changed(NULL, changes[k]);
        solve(&light, FRAMES);
        CHECK_NEAR(brightest(changes[k], 1), brightest(changes[k], 0), 4);
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
    CHECK_NEAR(fall_error(&l), 0, 0.02);
}

/* What is lit cannot be told from the light: said, and nothing is made up. Gains are known all the same. */
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
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
}

/* A bright thing that stands still on the sensor in a third of the frames is voted out. */
static void hold_instrument(int frame) {
    for (int k = 0; k < AREA; k++)
        if (frame % 3 == 0 && k % WIDTH > 120 && k / WIDTH > 70) image[k] = 0xc8c8c8;
}

static void test_instrument(void) {
    endo_light *light = put_changed(NULL, hold_instrument);
    solve(&light, FRAMES);
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
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
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
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
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
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
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
    CHECK_NEAR(report.rim, 1 - 0.5 * 85 * 85 / 22500.0, 0.02);
    CHECK_NEAR(gain_error(&ORDINARY, 1, FRAMES), 0, 0.002);
}

/* Light that wanders on the sensor, about as fast as the scope moves, does not bend what is found. */
static void test_wander(void) {
    const lit l = {0.5, 119.5, 89.5, 4, 0.005, 0.1, 0, 4, 0.08};
    endo_light *light = put_all(&l, FRAMES);
    solve(&light, FRAMES);
    CHECK(report.found == 1);
    CHECK_NEAR(fall_error(&l), 0, 0.02);
}

/* Of many views some are looked at, here and there: the first of them see the same. */
static void test_many(void) {
    enum { MANY = 400, STILL = 64 };
    static endo_light_view many[MANY];
    endo_light *light = put_all(&ORDINARY, FRAMES);
    for (int i = 0; i < MANY; i++) many[i] = views[i < STILL ? 0 : (i - STILL) % FRAMES];
    CHECK(endo_light_solve(light, many, MANY, NULL, correction, NULL, &report) == ENDO_OK);
    CHECK(report.found == 1 && report.frames == MANY);
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.02);
    endo_light_destroy(&light);
}

/* Parts do not see each other's scenes: the second half's lies elsewhere, and is twice as bright. */
static void test_parts(void) {
    endo_light *light = put_all(&ORDINARY, FRAMES);
    for (int i = FRAMES / 2; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        for (int k = 0; k < AREA; k++) image[k] = (image[k] >> 1) & 0x7f7f7f;
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i].part = 1;
    }
    solve(&light, FRAMES);
    double logs[2] = {0, 0};
    for (int i = 0; i < FRAMES; i++) logs[2 * i >= FRAMES] += log(gains[3 * i] / (double)ENDO_LIGHT_ONE);
    CHECK(report.found == 1);
    CHECK_NEAR(logs[0], 0, 2e-3);
    CHECK_NEAR(logs[1], 0, 2e-3);
    CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
}

/* The same frames in other types and strides. */
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
        views[i] = (endo_light_view){i, 0, place(&ORDINARY, i)};
    }
    for (int k = 0; k < 2; k++) {
        solve(&lights[k], FRAMES);
        CHECK(report.found == 1 && report.colour == 0 && gains[4] == gains[3] && gains[5] == gains[3]);
        CHECK_NEAR(fall_error(&ORDINARY), 0, 0.004);
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
            views[i] = (endo_light_view){i, 0, place(&ORDINARY, i)};
        }
        CHECK(endo_light_solve(light, views, 5, NULL, correction, gains, &report) == ENDO_OK);
        CHECK(report.rim > 0 && report.rim <= 1 && report.curve[32] > 0);
        endo_light_destroy(&light);
    }
}

/* ------------------------------------------------------------------- errors */

#define REFUSES(call, text)                             \
    do {                                                \
        CHECK((call) == ENDO_ERR_ARGUMENT);             \
        CHECK(strstr(endo_last_error(), text) != NULL); \
    } while (0)

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
    views[1].part = 3;
    REFUSES(endo_light_solve(light, views, 3, NULL, NULL, NULL, &report), "part 3");
    views[1].part = 0, views[1].frame = -1;
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
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 3;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    test_known_light();
    test_report();
    test_reference();
    test_limit();
    test_colour();
    test_frozen();
    test_few_frames();
    test_useless_frames();
    test_instrument();
    test_highlights();
    test_overexposed();
    test_field();
    test_wander();
    test_many();
    test_parts();
    test_types();
    test_threads();
    test_small();
    test_arguments();
    test_cancel();
    endo_context_destroy(&context);
    return check_summary("test_light");
}
