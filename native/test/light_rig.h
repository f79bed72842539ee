/* Frames that were lit by known fall-offs and gains, for the tests of light: one world a program. */
#ifndef ENDO_TEST_LIGHT_RIG_H
#define ENDO_TEST_LIGHT_RIG_H

#include "include/endorama.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 180, AREA = WIDTH * HEIGHT, FRAMES = 40 };

/* A case: what the light does, and how the scope moves. */
typedef struct lit {
    double fall;          /* 1 - fall * (distance / 150 px)^2 */
    double cx, cy;        /* of the fall-off */
    double step, turn;    /* px and radians a frame */
    double flicker, tint; /* of the gains; tint: red more, blue less in the second half */
    double wander, zoom;  /* of the light on the sensor, px; of the scope */
    double rim;           /* of the fall-off: - rim * (distance / 150 px)^6 */
} lit;

static const lit ORDINARY = {0.5, 119.5, 89.5, 9, 0.02, 0.15, 0, 0, 0, 0};

static endo_context *context;
static uint32_t image[AREA];
static uint16_t correction[AREA];
static int32_t gains[3 * FRAMES];
static endo_light_view views[FRAMES];
static endo_light_report report;

/* ------------------------------------------------------------------- scene */

static inline double scene(double x, double y, int channel) {
    double slow = 25 * sin(x / 61) * cos(y / 47) + 15 * sin((x + y) / 23), fast = 8 * sin(x / 5) * sin(y / 6.3);
    return 120 - 20 * channel + slow + fast;
}

static inline double fall_off(const lit *l, double x, double y) {
    double dx = (x - l->cx) / 150, dy = (y - l->cy) / 150;
    double square = dx * dx + dy * dy;
    return 1 - l->fall * square - l->rim * square * square * square;
}

static inline double gain(const lit *l, int frame, int channel) {
    double tint = 2 * frame >= FRAMES ? l->tint * (1 - channel) : 0;
    return (1 + l->flicker * sin(1.7 * frame)) * (1 + tint);
}

/* Perspective of the frames, 1/px: it leans one way and the other. */
static double tilt;

/* The middle of the frame stays, what is beside it moves nearer and farther. */
static inline endo_transform tilted(const double m[6], int frame) {
    double g = tilt * sin(0.7 * frame), h = tilt * cos(0.9 * frame), mx = 119.5, my = 89.5, k = 1 - g * mx - h * my;
    const endo_transform lean = {ENDO_TRANSFORM_HOMOGRAPHY,
                                 {1 + mx * g, mx * h, mx * k - mx, my * g, 1 + my * h, my * k - my, g, h, k}};
    const endo_transform move = endo_transform_of_affine(m);
    endo_transform both = move;
    CHECK(endo_transform_compose(&lean, &move, &both) == ENDO_OK);
    return both;
}

/* The pose of a frame: the scope goes to and fro, a row lower each time, turning as it goes. */
static inline endo_transform pose(const lit *l, int frame) {
    int row = frame / 10, column = row % 2 ? 9 - frame % 10 : frame % 10;
    double angle = l->turn * frame, zoom = 1 + l->zoom * sin(0.14 * frame), mx = 119.5, my = 89.5;
    double c = zoom * cos(angle), s = zoom * sin(angle);
    const double m[6] = {c, -s, mx + 2 * l->step * column - c * mx + s * my,
                         s, c,  my + 3 * l->step * row - s * mx - c * my};
    return tilt != 0 ? tilted(m, frame) : endo_transform_of_affine(m);
}

static inline uint32_t level(double v) { return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)(v + 0.5); }

static inline void draw_anew(const lit *l, int frame) {
    const endo_transform t = pose(l, frame);
    const double *m = t.matrix;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double w = m[6] * x + m[7] * y + m[8];
            double px = (m[0] * x + m[1] * y + m[2]) / w, py = (m[3] * x + m[4] * y + m[5]) / w;
            double f = fall_off(l, x - l->wander * sin(0.31 * frame), y - l->wander * cos(0.25 * frame));
            uint32_t rgb = 0;
            for (int c = 0; c < 3; c++) rgb = rgb << 8 | level(gain(l, frame, c) * f * scene(px, py, c));
            image[y * WIDTH + x] = rgb;
        }
}

/* The ordinary frames are kept. */
static inline void draw(const lit *l, int frame) {
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

static inline endo_light *make(endo_pixel type, const uint8_t *field) {
    endo_light *light = NULL;
    CHECK(endo_light_create(context, type, WIDTH, HEIGHT, 65535, field, &light) == ENDO_OK);
    return light;
}

static inline endo_light *put_all(const lit *l, int n) {
    endo_light *light = make(ENDO_RGB32, NULL);
    for (int i = 0; i < n; i++) {
        draw(l, i);
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, pose(l, i)};
    }
    return light;
}

static inline void solve(endo_light **light, int n) {
    CHECK(endo_light_solve(*light, views, (size_t)n, NULL, correction, gains, &report) == ENDO_OK);
    endo_light_destroy(light);
    CHECK(*light == NULL);
}

/* Puts the ordinary frames as they are changed by `change`. */
static inline endo_light *put_changed(const uint8_t *field, void (*change)(int frame)) {
    endo_light *light = make(ENDO_RGB32, field);
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        change(i);
        CHECK(endo_light_put(light, i, image, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){i, 0, pose(&ORDINARY, i)};
    }
    return light;
}

/* ------------------------------------------------------------------ measures */

/* Deviation of correction times fall-off from a constant: a root mean square, relative. */
static inline double vignetting_error(const lit *l) {
    double sum = 0, squares = 0;
    for (int i = 0; i < AREA; i++) {
        double v = correction[i] * fall_off(l, i % WIDTH, i / WIDTH);
        sum += v, squares += v * v;
    }
    double mean = sum / AREA;
    return sqrt(squares / AREA - mean * mean) / mean;
}

/* The error of gains, relative to the flicker that they undo, in one channel. */
static inline double gain_error(const lit *l, int channel, int n) {
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double v = gains[3 * i + channel] * gain(l, i, channel);
        sum += v, squares += v * v;
    }
    double mean = sum / n;
    return sqrt(fmax(squares / n - mean * mean, 0)) / mean;
}

static inline int uncorrected(void) {
    int n = 0;
    for (int i = 0; i < AREA; i++) n += correction[i] == ENDO_LIGHT_ONE;
    return n == AREA;
}

/* -------------------------------------------------------------------- world */

static inline void open_light_world(void) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU, o.threads = 3;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
}

#endif
