/* Which tiles of two frames agree: by counting, on tiles made to lie on both sides of every bound, and on frames that are
 * damaged in a part. */
#include "backends.h"
#include "correlation.h"
#include "scene.h"

#include <string.h>

/* Tiles at the right and at the bottom are cut. */
enum { WIDTH = 200, HEIGHT = 148, AREA = WIDTH * HEIGHT, SIDE = ENDO_AGREEMENT_TILE };

static uint8_t first[AREA], second[AREA], field[AREA];

static endo_agreement measure(endo_context *context, int dx, int dy) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_pair pair = {0, 1};
    endo_transform back = {ENDO_TRANSFORM_TRANSLATION, {1, 0, -dx, 0, 1, -dy, 0, 0, 1}}; /* current -> reference */
    endo_agreement a = {-1, -1};
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.field = field, o.flow = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, first, WIDTH) == ENDO_OK && endo_frames_put(frames, 1, second, WIDTH) == ENDO_OK);
    CHECK(endo_agreement_measure(frames, &pair, &back, 1, &a) == ENDO_OK);
    endo_frames_destroy(&frames);
    return a;
}

/* ------------------------------------------------------------- by counting */

static int shows(int x, int y) { return x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT && field[y * WIDTH + x]; }

/* The current frame at (x + dx, y + dy) needs its right and lower neighbours too, where there are any. */
static int both_show(int x, int y, int dx, int dy) {
    int u = x + dx, v = y + dy, right = u + 1 < WIDTH ? u + 1 : u, below = v + 1 < HEIGHT ? v + 1 : v;
    return shows(x, y) && shows(u, v) && shows(right, v) && shows(u, below) && shows(right, below);
}

typedef struct rows_of_tile {
    double n;
    double one; /* squared differences of rows from those one away */
    double two; /* and two away */
} rows_of_tile;

static rows_of_tile rows_in(const uint8_t *image, int left, int top) {
    rows_of_tile s = {0, 0, 0};
    for (int y = top; y < top + SIDE && y < HEIGHT - 2; y += 4)
        for (int x = left; x < left + SIDE && x < WIDTH; x++) {
            const uint8_t *p = image + y * WIDTH + x;
            if (y < 2 || !shows(x, y)) continue;
            double a = 2 * p[0] - p[-WIDTH] - p[WIDTH], b = 2 * p[0] - p[-2 * WIDTH] - p[2 * WIDTH];
            s.n++, s.one += a * a, s.two += b * b;
        }
    return s;
}

static int combed(const rows_of_tile *s) { return s->n >= 128 && s->one / s->n >= 64 && s->one > 1.5 * s->two; }

/* Variance of white noise, whole levels^2. */
static double noise_of(const rows_of_tile *s) {
    return s->n >= 128 && 2 * s->one > s->two ? floor((2 * s->one - s->two) / (6 * s->n)) : 0;
}

/* -1: the tile does not count. */
static int differs(int left, int top, int dx, int dy) {
    for (int y = top; y < top + SIDE && y < HEIGHT; y += 4)
        for (int x = left; x < left + SIDE && x < WIDTH; x++)
            if (both_show(x, y, dx, dy)) test_sample(first[y * WIDTH + x], second[(y + dy) * WIDTH + x + dx]);
    test_correlation c = test_correlate();
    if (c.n < 128) return -1;
    rows_of_tile one = rows_in(first, left, top), other = rows_in(second, left, top);
    double noise = fmin(noise_of(&one), noise_of(&other)), a = c.aa / c.n, b = c.bb / c.n;
    int has_contrast = a - noise >= 64 || b - noise >= 64, is_constant = a < 1e-9 || b < 1e-9;
    double x = fmax(a - noise, a / 4), y = fmax(b - noise, b / 4), unsure = noise > 0 ? 1.5 * sqrt((a * b - x * y) / c.n) : 0;
    int is_below = (noise == 0 && c.ab <= 0) || c.ab / c.n < 0.5 * sqrt(x * y) - unsure;
    if (has_contrast && (is_constant || is_below)) return 1;
    return combed(&one) != combed(&other);
}

static void expect_counted(endo_context *context, int dx, int dy) {
    int tiles = 0, differing = 0;
    for (int y = 0; y < HEIGHT; y += SIDE)
        for (int x = 0; x < WIDTH; x += SIDE) {
            int d = differs(x, y, dx, dy);
            tiles += d >= 0, differing += d > 0;
        }
    endo_agreement a = measure(context, dx, dy);
    CHECK(a.tiles == tiles && a.differing == differing);
}

static uint8_t clamp(double v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5); }

/* Each tile with a contrast, a likeness and a comb of its own. */
static void make_tiles(test_random *r, const test_scene *scene) {
    for (int top = 0; top < HEIGHT; top += SIDE)
        for (int left = 0; left < WIDTH; left += SIDE) {
            double gain = 0.25 * test_unit(r), noise = 30 * test_unit(r), other = 0.25 * test_unit(r);
            int comb[2] = {test_between(r, 0, 3) ? 0 : test_between(r, 0, 60), 0};
            comb[1] = test_between(r, 0, 1) ? comb[0] : 0;
            if (!test_between(r, 0, 2)) noise = 2 * test_unit(r);
            int both = test_between(r, 0, 1); /* have noise */
            for (int y = top; y < top + SIDE && y < HEIGHT; y++)
                for (int x = left; x < left + SIDE && x < WIDTH; x++) {
                    double s = test_scene_at(scene, x, y) - 128, t = (1 + both) * noise * (test_unit(r) - 0.5);
                    double own = both ? 2 * noise * (test_unit(r) - 0.5) : 0;
                    first[y * WIDTH + x] = clamp(128 + gain * s + own + comb[0] * (y & 1) * (x % 5 > 1));
                    second[y * WIDTH + x] = clamp(100 + other * s + t + comb[1] * (y & 1) * (x % 5 > 1));
                }
        }
}

static void test_counted(endo_context *context) {
    test_random r = {3};
    test_scene scene;
    for (int k = 0; k < 24; k++) {
        memset(field, 255, AREA);
        if (k % 2)
            for (int i = 0; i < AREA; i++) field[i] = i % WIDTH + i / WIDTH > 40 + 2 * k && (i % 71 || k % 4 == 1) ? 255 : 0;
        test_scene_init(&scene, 100 + k);
        make_tiles(&r, &scene);
        expect_counted(context, 0, 0);
        expect_counted(context, test_between(&r, -90, 90), 2 * test_between(&r, -40, 40));
        expect_counted(context, test_between(&r, -3, 3), test_between(&r, -3, 3));
    }
}

/* --------------------------------------------------------- damaged frames */

typedef enum damage { NONE, BRIGHTER, GREY, BLACK, NOISE, TORN, COMBED } damage;

/* Nearly normal noise of a standard deviation of `level`: a sum of four uniform ones. */
static void add_noise(uint8_t *image, double level, uint64_t seed) {
    test_random r = {seed};
    for (int i = 0; i < AREA; i++) {
        double sum = test_unit(&r) + test_unit(&r) + test_unit(&r) + test_unit(&r) - 2;
        image[i] = clamp(image[i] + sum * level * sqrt(3));
    }
}

/* Rows from `from` on; `from` is at the border of two tiles. */
static void spoil(damage what, int from) {
    test_random r = {7};
    for (int y = from; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint8_t *p = &second[y * WIDTH + x];
            uint8_t shifted = first[y * WIDTH + (x + (y & 1 ? 9 : 0)) % WIDTH];
            if (what == BRIGHTER) *p = clamp(0.8 * *p + 40);
            if (what == GREY) *p = 150;
            if (what == BLACK) *p = 0;
            if (what == NOISE) *p = (uint8_t)test_next(&r);
            if (what == TORN) *p = first[y * WIDTH + (x + 45) % WIDTH];
            if (what == COMBED) *p = shifted;
        }
}

/* Most tiles of the damaged part, and none beside it. */
static void expect_damage(endo_context *context, damage what, int from, int least, int most) {
    memcpy(second, first, AREA);
    spoil(what, from);
    endo_agreement a = measure(context, 0, 0);
    CHECK(a.tiles == 30 && a.differing >= least && a.differing <= most);
    uint8_t *other = second;
    memcpy(second, first, AREA); /* the other way round: the damage is in the reference */
    spoil(what, from);
    for (int i = 0; i < AREA; i++) {
        uint8_t keep = first[i];
        first[i] = other[i], other[i] = keep;
    }
    endo_agreement b = measure(context, 0, 0);
    CHECK(b.tiles == a.tiles && b.differing == a.differing);
    memcpy(first, second, AREA);
}

static void test_damage(endo_context *context) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    const int half = 2 * SIDE;
    test_scene scene;
    memset(field, 255, AREA);
    test_scene_init(&scene, 5);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    expect_damage(context, NONE, half, 0, 0);
    expect_damage(context, BRIGHTER, 0, 0, 0);
    expect_damage(context, GREY, half, 18, 18);
    expect_damage(context, BLACK, half, 18, 18);
    expect_damage(context, NOISE, half, 18, 18);
    expect_damage(context, TORN, half, 14, 18);
    expect_damage(context, COMBED, half, 18, 18);
}

/* Noise of both frames hides neither what they share nor what they do not. contrast: deviation of the scene, levels. */
static void expect_noisy(endo_context *context, double contrast, double level, damage what, int least, int most) {
    const double still[6] = {1, 0, 0, 0, 1, 0};
    test_scene scene;
    test_scene_init(&scene, 5);
    test_scene_render(&scene, still, WIDTH, HEIGHT, first);
    for (int i = 0; i < AREA; i++) first[i] = clamp(128 + contrast / 40 * (first[i] - 128));
    memcpy(second, first, AREA);
    spoil(what, 2 * SIDE);
    add_noise(first, level, 11);
    add_noise(second, level, 12);
    endo_agreement a = measure(context, 0, 0);
    CHECK(a.tiles == 30 && a.differing >= least && a.differing <= most);
}

static void test_noise(endo_context *context) {
    memset(field, 255, AREA);
    expect_noisy(context, 14, 8, NONE, 0, 0);
    expect_noisy(context, 14, 14, NONE, 0, 0);
    expect_noisy(context, 14, 14, GREY, 16, 18);
    expect_noisy(context, 14, 14, BLACK, 16, 18);
    expect_noisy(context, 14, 14, TORN, 12, 18);
    expect_noisy(context, 14, 14, NOISE, 18, 18);
    expect_noisy(context, 0, 14, NONE, 0, 2); /* nothing but noise, whose variance is known to a fifth */
}

/* ------------------------------------------------------------------- edges */

static void test_edges(endo_context *context) {
    memset(field, 255, AREA);
    endo_agreement nothing = measure(context, WIDTH, 0);
    CHECK(nothing.tiles == 0 && nothing.differing == 0);
    memset(field, 0, AREA);
    nothing = measure(context, 0, 0);
    CHECK(nothing.tiles == 0 && nothing.differing == 0);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_counted(context);
        test_damage(context);
        test_noise(context);
        test_edges(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_agreement");
}
