/* `endo_bench truth`, exposures: pairs of synthetic scenes whose shift is known, by what makes them hard. */
#include "bench_truth.h"

#include "test/exposure_scene.h"

#include <math.h>

#define WIDTH 320
#define HEIGHT 240
#define AREA (WIDTH * HEIGHT)
#define A_KIND 60
#define FAR 30

typedef enum kind { EXPOSED, SHADED, NOISY, BETWEEN, MOVING, UNRELATED, CURVED, WINDOW, DIM, KINDS } kind;

static const char *const kind_names[KINDS] = {
    "up to 3 stops, clipped",    "light falls off 16 times", "noise of 12",
    "fractions up to 0.45 px",   "discs that move otherwise", "two scenes",
    "4 stops, response of an S", "5 stops, room and window", "4 stops, one near black",
};

static float light[2][AREA];
static uint8_t images[2][AREA];

static void add_discs(test_random *r, float *out) {
    for (int k = 0; k < 4; k++) {
        int cx = test_between(r, 0, WIDTH), cy = test_between(r, 0, HEIGHT), radius = test_between(r, 20, 40);
        for (int i = 0; i < AREA; i++) {
            int x = i % WIDTH - cx, y = i / WIDTH - cy;
            if (x * x + y * y < radius * radius) out[i] = 0.3f * (float)(1 + k);
        }
    }
}

/* Light behind a window at the right: 32 times that of the room. left: place of the image's first column in the scene. */
static void add_window(double left, float *out) {
    for (int i = 0; i < AREA; i++)
        if (i % WIDTH + left > 0.6 * WIDTH) out[i] *= 32;
}

/* Exposures that are so many stops apart, in either order. level: grey level of brightness 1 in the brighter one. */
static void set_apart(test_random *r, double stops, double level, double gamma, exposure_setting settings[2]) {
    int first = test_between(r, 0, 1);
    for (int i = 0; i < 2; i++) {
        exposure_setting e = {.gain = pow(level / 255, 1 / gamma), .gamma = gamma, .noise = 1};
        if (i != first) e.gain /= pow(2, stops);
        settings[i] = e;
    }
}

/* A response that is flat at both ends. */
static void curve(uint8_t *image) {
    for (int i = 0; i < AREA; i++) {
        double t = image[i] / 255.0;
        image[i] = (uint8_t)(255 * t * t * (3 - 2 * t) + 0.5);
    }
}

static void make_pair(kind what, uint64_t seed, double dx, double dy, test_random *r) {
    exposure_setting settings[2];
    for (int i = 0; i < 2; i++) {
        exposure_scene scene;
        exposure_scene_init(&scene, what == UNRELATED ? 2 * seed + (uint64_t)i : 2 * seed);
        exposure_scene_render(&scene, i ? dx : 0, i ? dy : 0, WIDTH, HEIGHT, light[i]);
        for (int k = 0; k < AREA && what == SHADED && i; k++) light[i][k] *= (float)exp(log(1.0 / 16) * (k % WIDTH) / WIDTH);
        if (what == MOVING) add_discs(r, light[i]);
        if (what == WINDOW) add_window(i ? dx : 0, light[i]);
    }
    exposure_settings_draw(r, light[0], AREA, settings);
    if (what == CURVED) set_apart(r, 4, 200, 0.5, settings);
    if (what == WINDOW) set_apart(r, 5, 120, 0.6, settings);
    if (what == DIM) set_apart(r, 4, 60, 0.8, settings);
    for (int i = 0; i < 2; i++) {
        if (what == NOISY) settings[i].noise = 12;
        exposure_expose(light[i], AREA, &settings[i], r, images[i]);
        if (what == CURVED) curve(images[i]);
    }
}

typedef struct tally {
    int exact, near, wrong, doubt;
} tally;

static void count(const endo_exposure_result *e, kind what, double dx, double dy, tally *t) {
    double off = fmax(fabs(e->dx - rint(dx)), fabs(e->dy - rint(dy)));
    int is_related = what != UNRELATED, certain = e->status == ENDO_EXPOSURE_OK;
    t->exact += is_related && off == 0;
    t->near += is_related && off <= 1;
    t->wrong += certain && !(is_related && off <= 1);
    t->doubt += !certain;
}

static endo_status measure(endo_frames *frames, kind what, tally *t) {
    test_random r = {70 + (uint64_t)what};
    endo_exposure_options p = endo_exposure_options_default();
    endo_pair pair = {0, 1};
    endo_status status = ENDO_OK;
    for (int i = 0; i < A_KIND && status == ENDO_OK; i++) {
        double dx = test_between(&r, -FAR, FAR), dy = test_between(&r, -FAR, FAR);
        endo_exposure_result result;
        if (what == BETWEEN) dx += 0.9 * test_unit(&r) - 0.45, dy += 0.9 * test_unit(&r) - 0.45;
        make_pair(what, 4000 + 100 * (uint64_t)what + (uint64_t)i, dx, dy, &r);
        for (int k = 0; k < 2 && status == ENDO_OK; k++) status = endo_frames_put(frames, k, images[k], WIDTH);
        if (status == ENDO_OK) status = endo_exposures_register(frames, &pair, 1, &p, &result);
        if (status == ENDO_OK) count(&result, what, dx, dy, t);
    }
    return status;
}

int bench_truth_exposures(endo_context *context) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.flow = 0, o.keep_pixels = 0;
    endo_status status = endo_frames_create(context, &o, &frames);
    printf("\nExposures: %d pairs of each kind at %dx%d. Wrong: certain, but off by more than 1 px.\n"
           "%-28s %6s %6s %6s %6s\n", A_KIND, WIDTH, HEIGHT, "pairs", "exact", "1 px", "wrong", "doubt");
    for (int k = 0; k < KINDS && status == ENDO_OK; k++) {
        tally t = {.exact = 0};
        status = measure(frames, (kind)k, &t);
        printf("%-28s %6d %6d %6d %6d\n", kind_names[k], t.exact, t.near, t.wrong, t.doubt);
    }
    endo_frames_destroy(&frames);
    return status == ENDO_OK ? 0 : bench_failed("truth");
}
