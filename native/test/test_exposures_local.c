/* Local bitmaps, which judge between shifts of a pair in doubt: against their definition, pixel by pixel, and pairs whose shift
 * the bitmaps of one threshold do not tell. */
#include "check.h"
#include "exposure_scene.h"

#include "systems/exposures/exposures_local.h"
#include "rules/exposure_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 240
#define AREA (WIDTH * HEIGHT)

static uint8_t images[2][AREA], field[AREA];
static float brightness[AREA];

static endo_frames *make_frames(endo_context *context, const uint8_t *inside) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.flow = 0, o.keep_pixels = 0, o.field = inside;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

static void put(endo_frames *frames) {
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(frames, i, images[i], WIDTH) == ENDO_OK);
}

/* Two exposures of a scene. shade: light that changes across the second image, as a factor from its left to its right. */
static void make_pair(uint64_t seed, int dx, int dy, double shade, test_random *r) {
    exposure_scene scene;
    exposure_setting bright = {0.5, 0.8, 0, 1}, dim = {0.2, 0.8, 0, 1};
    exposure_scene_init(&scene, seed);
    for (int i = 0; i < 2; i++) {
        exposure_scene_render(&scene, i ? dx : 0, i ? dy : 0, WIDTH, HEIGHT, brightness);
        for (int k = 0; k < AREA && i; k++) brightness[k] *= (float)exp(log(shade) * (k % WIDTH) / WIDTH);
        exposure_expose(brightness, AREA, i ? &dim : &bright, r, images[i]);
    }
}

/* ----------------------------------------------------------------- definition */

/* 1 white, -1 black, 0 neither: against the mean of 16 x 16 pixels, rounded, 8 of them before the pixel. */
static int bit(const uint8_t *image, const uint8_t *inside, int x, int y) {
    int sum = 0;
    if (x < 8 || y < 8 || x + 8 > WIDTH || y + 8 > HEIGHT) return 0;
    for (int v = y - 8; v < y + 8; v++)
        for (int u = x - 8; u < x + 8; u++) {
            if (inside && !inside[v * WIDTH + u]) return 0;
            sum += image[v * WIDTH + u];
        }
    int mean = (sum + 128) / 256;
    return (image[y * WIDTH + x] > mean) - (image[y * WIDTH + x] < mean);
}

static void bits_of(const uint8_t *image, const uint8_t *inside, int8_t *bits) {
    for (int i = 0; i < AREA; i++) bits[i] = (int8_t)bit(image, inside, i % WIDTH, i / WIDTH);
}

static double coefficient(const int8_t *r, const int8_t *c, int dx, int dy) {
    double product = 0, in_r = 0, in_c = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            if (x + dx < 0 || x + dx >= WIDTH || y + dy < 0 || y + dy >= HEIGHT) continue;
            int a = r[(y + dy) * WIDTH + x + dx], b = c[y * WIDTH + x];
            product += a * b, in_r += a != 0, in_c += b != 0;
        }
    return product / sqrt(in_r * in_c);
}

/* What of both bitmaps is black or white, and how much of it differs. */
static void check_shares(const exposures_judgement *j, const int8_t *r, const int8_t *c) {
    double pixels = 0, both = 0, unlike = 0;
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH + j->dx, y = i / WIDTH + j->dy;
        if (x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT) continue;
        int product = c[i] * r[y * WIDTH + x];
        pixels++, both += product != 0, unlike += product < 0;
    }
    CHECK(fabs(j->usable - both / pixels) < 1e-12 && fabs(j->mismatch - unlike / both) < 1e-12);
    CHECK(j->deviation_x > 0 && j->deviation_x < 0.5 && j->deviation_y > 0 && j->deviation_y < 0.5);
}

static void test_definition(endo_context *context, const uint8_t *inside) {
    static int8_t bits[2][AREA];
    static const int shifts[][2] = {{7, -4}, {-12, 9}, {0, 0}};
    const endo_pair pair = {0, 1};
    for (int i = 0; i < 3; i++) {
        int dx = shifts[i][0], dy = shifts[i][1];
        test_random r = {5};
        exposures_local local;
        endo_frames *frames = make_frames(context, inside);
        make_pair(30 + (uint64_t)i, dx, dy, 2, &r);
        put(frames);
        CHECK(exposures_local_create(frames, &local) == ENDO_OK);
        CHECK(exposures_local_take(&local, &pair, NULL) == ENDO_OK);
        for (int k = 0; k < 2; k++) bits_of(images[k], inside, bits[k]);
        exposures_judgement j = exposures_local_judge(&local, 64, dx, dy);
        CHECK(j.dx == dx && j.dy == dy);
        CHECK(fabs(j.coefficient - coefficient(bits[0], bits[1], dx, dy)) < 1e-12);
        check_shares(&j, bits[0], bits[1]);
        double rival = -1;
        for (int k = 0; k < 9; k++)
            if (k != 4) rival = fmax(rival, coefficient(bits[0], bits[1], dx + 8 * (k % 3 - 1), dy + 8 * (k / 3 - 1)));
        CHECK(fabs(exposures_local_rival(&local, dx, dy) - rival) < 1e-12);
        exposures_local_destroy(&local);
        endo_frames_destroy(&frames);
    }
}

/* -------------------------------------------------------------------- walks */

/* A shift some pixels off leads to the right one, a shift out of the range into it, and farther than four steps nothing. */
static void test_walk(endo_context *context) {
    static const endo_pair pair = {0, 1};
    test_random r = {6};
    exposures_local local;
    endo_frames *frames = make_frames(context, NULL);
    make_pair(41, 9, -3, 1, &r);
    put(frames);
    CHECK(exposures_local_create(frames, &local) == ENDO_OK);
    CHECK(exposures_local_take(&local, &pair, NULL) == ENDO_OK);
    exposures_judgement near = exposures_local_judge(&local, 64, 12, -1), tied = exposures_local_judge(&local, 8, 40, -3);
    exposures_judgement five = exposures_local_judge(&local, 64, 14, -3);
    CHECK(near.dx == 9 && near.dy == -3);
    CHECK(tied.dx == 8 && tied.dy == -3);
    CHECK(five.dx == 10 && five.dy == -3);
    exposures_local_destroy(&local);
    endo_frames_destroy(&frames);
}

/* Images that are too small for a square, and empty ones. */
static void test_nothing(endo_context *context) {
    static const endo_pair pair = {0, 1};
    exposures_local local;
    endo_frames *frames = make_frames(context, NULL);
    int dark = 0;
    memset(images, 90, sizeof images);
    put(frames);
    CHECK(exposures_local_create(frames, &local) == ENDO_OK);
    CHECK(exposures_local_take(&local, &pair, &dark) == ENDO_OK);
    exposures_judgement j = exposures_local_judge(&local, 64, 3, 4);
    CHECK(!dark && j.dx == 3 && j.dy == 4 && j.coefficient == 0 && isnan(j.mismatch) && j.deviation_x == 64);
    memset(images, 31, sizeof images);
    for (int i = 0; i < AREA / 4; i++) images[1][i] = 32;
    put(frames);
    CHECK(exposures_local_take(&local, &pair, &dark) == ENDO_OK && dark);
    images[1][AREA - 1] = 32;
    put(frames);
    CHECK(exposures_local_take(&local, &pair, &dark) == ENDO_OK && !dark);
    exposures_local_destroy(&local);
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------------------ decisions */

static endo_exposure_result align(endo_context *context) {
    static const endo_pair pair = {0, 1};
    endo_exposure_options p = endo_exposure_options_default();
    endo_exposure_result result;
    endo_frames *frames = make_frames(context, NULL);
    put(frames);
    CHECK(endo_exposures_register(frames, &pair, 1, &p, &result) == ENDO_OK);
    endo_frames_destroy(&frames);
    return result;
}

/* Pairs that one threshold for the whole image leaves in doubt: light that falls off by a factor of 16 across one of them.
 * Shifts are known, and so are those of two scenes: none. */
static void test_shaded(endo_context *context) {
    int exact = 0, wrong = 0, certain = 0, invented = 0;
    static uint8_t other[AREA];
    for (int i = 0; i < 40; i++) {
        test_random r = {900 + (uint64_t)i};
        int dx = test_between(&r, -30, 30), dy = test_between(&r, -30, 30);
        make_pair(500 + (uint64_t)i, dx, dy, 1.0 / 16, &r);
        endo_exposure_result result = align(context);
        int is_right = result.dx == dx && result.dy == dy, is_certain = result.status == ENDO_EXPOSURE_OK;
        exact += is_right;
        certain += is_certain;
        wrong += is_certain && !is_right;
        memcpy(other, images[1], AREA);
        make_pair(700 + (uint64_t)i, 0, 0, 1, &r);
        memcpy(images[1], other, AREA);
        invented += align(context).status == ENDO_EXPOSURE_OK;
    }
    printf("light that falls off: %d of 40 exact, %d certain, %d of them wrong; two scenes: %d of 40 certain\n", exact, certain,
           wrong, invented);
    CHECK(exact >= 38 && certain >= 35 && wrong == 0 && invented == 0);
}

/* A pattern that repeats itself: shifts a period apart are as good as each other, and hardly any is certain. */
static void test_repetition(endo_context *context) {
    int certain = 0;
    for (int i = 0; i < 20; i++) {
        test_random r = {60 + (uint64_t)i};
        int period = test_between(&r, 24, 40), dx = test_between(&r, 3, 20), dy = test_between(&r, 3, 20);
        make_pair(800 + (uint64_t)i, 0, 0, 1, &r);
        for (int k = AREA - 1; k >= 0; k--) {
            int x = k % WIDTH, y = k / WIDTH, from = (y + dy) % period * WIDTH + (x + dx) % period;
            images[1][k] = (uint8_t)(images[0][from] * (WIDTH - x) / WIDTH + 40 + test_between(&r, 0, 3));
        }
        for (int k = AREA - 1; k >= 0; k--) images[0][k] = images[0][k / WIDTH % period * WIDTH + k % WIDTH % period];
        certain += align(context).status == ENDO_EXPOSURE_OK;
    }
    printf("a pattern that repeats itself: %d of 20 certain\n", certain);
    CHECK(certain <= 2);
}

static void test_between_pixels(void) {
    CHECK(!endo_exposure_is_between(0.3, 0.1, 0.3) && !endo_exposure_is_between(0.21, 0.1, 0.3));
    CHECK(endo_exposure_is_between(0.19, 0.1, 0.3) && endo_exposure_is_between(0.3, 0.1, 0.19));
    CHECK(!endo_exposure_is_between(0.1, 0.1, 0.1));
}

int main(void) {
    endo_context_options o = endo_context_options_default();
    endo_context *context = NULL;
    o.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH - WIDTH / 2, y = i / WIDTH - HEIGHT / 2;
        field[i] = x * x + y * y < 110 * 110;
    }
    test_definition(context, NULL);
    test_definition(context, field);
    test_walk(context);
    test_nothing(context);
    test_between_pixels();
    test_shaded(context);
    test_repetition(context);
    endo_context_destroy(&context);
    return check_summary("test_exposures_local");
}
