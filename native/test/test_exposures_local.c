/* Local bitmaps, which judge between shifts of a pair in doubt, and the search of all shifts by them: against their definitions,
 * pixel by pixel, and pairs whose shift the bitmaps of one threshold do not tell. */
#include "check.h"
#include "exposure_scene.h"

#include "systems/exposures/exposures.h"
#include "systems/exposures/exposures_local.h"
#include "systems/exposures/exposures_search.h"
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
static void make_pair(uint64_t seed, double dx, double dy, double shade, test_random *r) {
    exposure_scene scene;
    exposure_setting bright = {0.5, 0.8, 0, 1}, dim = {0.2, 0.8, 0, 1};
    exposure_scene_init(&scene, seed);
    for (int i = 0; i < 2; i++) {
        exposure_scene_render(&scene, i ? dx : 0, i ? dy : 0, WIDTH, HEIGHT, brightness);
        for (int k = 0; k < AREA && i; k++) brightness[k] *= (float)exp(log(shade) * (k % WIDTH) / WIDTH);
        exposure_expose(brightness, AREA, i ? &dim : &bright, r, images[i]);
    }
}

static exposures_judgement judge(endo_frames *frames, int search, int dx, int dy) {
    endo_bitmap_request start = {0, 1, dx, dy};
    exposures_judgement j;
    memset(&j, 0, sizeof j);
    CHECK(exposures_local_judge(frames, search, &start, 1, &j) == ENDO_OK);
    return j;
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
    for (int i = 0; i < 3; i++) {
        int dx = shifts[i][0], dy = shifts[i][1];
        test_random r = {5};
        endo_frames *frames = make_frames(context, inside);
        make_pair(30 + (uint64_t)i, dx, dy, 2, &r);
        put(frames);
        for (int k = 0; k < 2; k++) bits_of(images[k], inside, bits[k]);
        exposures_judgement j = judge(frames, 64, dx, dy);
        CHECK(j.dx == dx && j.dy == dy);
        CHECK(fabs(j.coefficient - coefficient(bits[0], bits[1], dx, dy)) < 1e-12);
        check_shares(&j, bits[0], bits[1]);
        double rival = -1;
        double found = 0;
        endo_bitmap_request shift = {0, 1, dx, dy};
        for (int k = 0; k < 9; k++)
            if (k != 4) rival = fmax(rival, coefficient(bits[0], bits[1], dx + 8 * (k % 3 - 1), dy + 8 * (k / 3 - 1)));
        CHECK(exposures_local_rival(frames, &shift, &found) == ENDO_OK && fabs(found - rival) < 1e-12);
        endo_frames_destroy(&frames);
    }
}

/* -------------------------------------------------------------------- search */

#define SMALL_WIDTH (WIDTH / 4)
#define SMALL_HEIGHT (HEIGHT / 4)
#define SMALL_AREA (SMALL_WIDTH * SMALL_HEIGHT)

/* Means of 4 x 4 pixels, rounded, and whether all of these are in the field. */
static void shrink(const uint8_t *image, const uint8_t *inside, int *small, int *small_inside) {
    for (int i = 0; i < SMALL_AREA; i++) {
        int sum = 8;
        small_inside[i] = 1;
        for (int k = 0; k < 16; k++) {
            int at = (i / SMALL_WIDTH * 4 + k / 4) * WIDTH + i % SMALL_WIDTH * 4 + k % 4;
            sum += image[at];
            if (inside && !inside[at]) small_inside[i] = 0;
        }
        small[i] = sum / 16;
    }
}

/* Against the rounded mean of 8 x 8 shrunken pixels, 4 of them before the pixel. */
static void small_bits(const uint8_t *image, const uint8_t *inside, int *bits) {
    static int small[SMALL_AREA], small_inside[SMALL_AREA];
    shrink(image, inside, small, small_inside);
    for (int i = 0; i < SMALL_AREA; i++) {
        int x = i % SMALL_WIDTH, y = i / SMALL_WIDTH, sum = 32, all = 1;
        bits[i] = 0;
        if (x < 4 || y < 4 || x + 4 > SMALL_WIDTH || y + 4 > SMALL_HEIGHT) continue;
        for (int k = 0; k < 64; k++) {
            int at = (y - 4 + k / 8) * SMALL_WIDTH + x - 4 + k % 8;
            sum += small[at];
            all = all && small_inside[at];
        }
        if (all) bits[i] = (small[i] > sum / 64) - (small[i] < sum / 64);
    }
}

static double small_coefficient(const int *r, const int *c, int dx, int dy) {
    double product = 0, in_r = 0, in_c = 0;
    for (int i = 0; i < SMALL_AREA; i++) {
        int x = i % SMALL_WIDTH + dx, y = i / SMALL_WIDTH + dy;
        if (x < 0 || x >= SMALL_WIDTH || y < 0 || y >= SMALL_HEIGHT) continue;
        int a = r[y * SMALL_WIDTH + x];
        product += a * c[i], in_r += a != 0, in_c += c[i] != 0;
    }
    return in_r > 0 && in_c > 0 ? product / sqrt(in_r * in_c) : 0;
}

/* What is found is the greatest of all, then the greatest more than two shrunken pixels away from it, and so on. */
static void check_found(const double *coefficients, int reach, const endo_bitmap_request found[SEARCH_FOUND]) {
    int columns = 2 * reach + 1;
    for (int k = 0; k < SEARCH_FOUND; k++) {
        int x = found[k].dx / 4, y = found[k].dy / 4;
        double at = coefficients[(y + reach) * columns + x + reach];
        CHECK(found[k].dx % 4 == 0 && found[k].dy % 4 == 0);
        for (int i = 0; i < columns * columns; i++) {
            int near = 0;
            for (int m = 0; m < k; m++)
                near |= abs(i % columns - reach - found[m].dx / 4) <= 2 && abs(i / columns - reach - found[m].dy / 4) <= 2;
            if (!near && coefficients[i] > at + 1e-12) CHECK(!"a greater coefficient was left out");
        }
    }
}

/* Coefficients of shrunken frames, of 33 x 33 shifts row by row, are those of their definition. */
static void check_coefficients(endo_frames *frames, const double *wanted) {
    static endo_bitmap_request requests[33 * 33];
    static endo_bitmap_overlap overlaps[33 * 33];
    double most = 0;
    for (int k = 0; k < 33 * 33; k++) requests[k] = (endo_bitmap_request){0, 1, k % 33 - 16, k / 33 - 16};
    CHECK(exposures_local_compare(frames, ENDO_BITMAP_SMALL, requests, 33 * 33, overlaps) == ENDO_OK);
    for (int k = 0; k < 33 * 33; k++) most = fmax(most, fabs(exposures_local_coefficient(&overlaps[k]) - wanted[k]));
    CHECK(most < 1e-12);
}

static void test_search(endo_context *context, const uint8_t *inside) {
    static int bits[2][SMALL_AREA];
    static double coefficients[33 * 33];
    static const endo_pair pair = {0, 1};
    static const int shifts[][2] = {{33, -47}, {-61, 22}};
    for (int i = 0; i < 2; i++) {
        test_random r = {15};
        endo_bitmap_request found[SEARCH_FOUND];
        int n;
        endo_frames *frames = make_frames(context, inside);
        make_pair(130 + (uint64_t)i, shifts[i][0], shifts[i][1], 2, &r);
        put(frames);
        CHECK(exposures_search_find(frames, 62, &pair, found, &n) == ENDO_OK && n == SEARCH_FOUND);
        for (int k = 0; k < 2; k++) small_bits(images[k], inside, bits[k]);
        for (int k = 0; k < 33 * 33; k++) coefficients[k] = small_coefficient(bits[0], bits[1], k % 33 - 16, k / 33 - 16);
        check_coefficients(frames, coefficients);
        CHECK(abs(found[0].dx - shifts[i][0]) <= 4 && abs(found[0].dy - shifts[i][1]) <= 4);
        check_found(coefficients, 16, found);
        endo_frames_destroy(&frames);
    }
}

/* A search of 4 px finds shifts of one shrunken pixel at most, one of 40 px that of 40 px. */
static void test_reach(endo_context *context) {
    static const endo_pair pair = {0, 1};
    endo_bitmap_request found[SEARCH_FOUND];
    int n;
    test_random r = {25};
    endo_frames *frames = make_frames(context, NULL);
    make_pair(230, 40, 0, 1, &r);
    put(frames);
    CHECK(exposures_search_find(frames, 4, &pair, found, &n) == ENDO_OK);
    for (int k = 0; k < n; k++) CHECK(abs(found[k].dx) <= 4 && abs(found[k].dy) <= 4);
    CHECK(exposures_search_find(frames, 40, &pair, found, &n) == ENDO_OK && abs(found[0].dx - 40) <= 2);
    endo_frames_destroy(&frames);
}

/* Images of any size can be searched: of a pixel, of a row, and smaller than a square. */
static void test_small_images(endo_context *context) {
    static const int sizes[][2] = {{1, 1}, {640, 1}, {3, 500}, {40, 7}};
    static const endo_pair pair = {0, 0};
    for (int i = 0; i < 4; i++) {
        endo_frames_options o = endo_frames_options_default();
        endo_frames *frames = NULL;
        endo_bitmap_request found[SEARCH_FOUND];
        int n = 0;
        o.width = sizes[i][0], o.height = sizes[i][1], o.capacity = 1, o.flow = 0, o.keep_pixels = 0;
        CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
        CHECK(endo_frames_put(frames, 0, images[0], sizes[i][0]) == ENDO_OK);
        CHECK(exposures_search_find(frames, 64, &pair, found, &n) == ENDO_OK && n >= 1);
        CHECK(2 * abs(found[0].dx) <= sizes[i][0] && 2 * abs(found[0].dy) <= sizes[i][1]);
        endo_frames_destroy(&frames);
    }
}

/* ------------------------------------------------------------------ fractions */

/* The top of the surface through the coefficients is within a fifth of a pixel of the shift, and the pixel is the nearest one. */
static void test_fractions(endo_context *context) {
    double sum = 0;
    endo_frames *frames = make_frames(context, NULL);
    test_random r = {16};
    for (int i = 0; i < 20; i++) {
        double dx = 12 * test_unit(&r) - 6, dy = 12 * test_unit(&r) - 6;
        make_pair(160 + (uint64_t)i, dx, dy, 1, &r);
        put(frames);
        exposures_judgement j = judge(frames, 64, (int)rint(dx), (int)rint(dy));
        CHECK(fabs(j.x - dx) < 0.2 && fabs(j.y - dy) < 0.2);
        CHECK(j.dx == (int)rint(j.x) && j.dy == (int)rint(j.y));
        sum += (j.x - dx) * (j.x - dx) + (j.y - dy) * (j.y - dy);
    }
    printf("fractions by local bitmaps: %.3f px root mean square\n", sqrt(sum / 40));
    CHECK(sqrt(sum / 40) < 0.1);
    endo_frames_destroy(&frames);
}

/* -------------------------------------------------------------------- walks */

/* A shift some pixels off leads to the right one, a shift out of the range into it, and farther than four steps nothing. */
static void test_walk(endo_context *context) {
    test_random r = {6};
    endo_frames *frames = make_frames(context, NULL);
    make_pair(41, 9, -3, 1, &r);
    put(frames);
    exposures_judgement near = judge(frames, 64, 12, -1), tied = judge(frames, 8, 40, -3);
    exposures_judgement five = judge(frames, 64, 14, -3);
    CHECK(near.dx == 9 && near.dy == -3);
    CHECK(tied.dx == 8 && tied.dy == -3);
    CHECK(five.dx == 10 && five.dy == -3);
    static const endo_pair pair = {0, 1};
    exposures_judgement moved = five;
    CHECK(exposures_local_move(frames, 64, &pair, 9.2, -3.4, &moved) == ENDO_OK);
    CHECK(moved.dx == 9 && moved.dy == -3 && moved.x == 9.2 && moved.y == -3.4);
    CHECK(moved.coefficient == near.coefficient && moved.mismatch == near.mismatch && moved.deviation_x == five.deviation_x);
    CHECK(exposures_local_move(frames, 8, &pair, 9.2, -9, &moved) == ENDO_OK && moved.dx == 8 && moved.y == -8);
    endo_frames_destroy(&frames);
}

static int are_dark(endo_frames *frames) {
    static const endo_pair pair = {0, 1};
    static uint8_t grey[AREA];
    int dark = 0;
    put(frames);
    CHECK(endo_exposures_are_dark(frames, &pair, grey, &dark) == ENDO_OK);
    return dark;
}

/* Images that show nothing, and images that are near black: three quarters of both are darker than 32. */
static void test_nothing(endo_context *context) {
    endo_frames *frames = make_frames(context, NULL);
    memset(images, 90, sizeof images);
    CHECK(!are_dark(frames));
    exposures_judgement j = judge(frames, 64, 3, 4);
    CHECK(j.dx == 3 && j.dy == 4 && j.coefficient == 0 && isnan(j.mismatch) && j.deviation_x == 64);
    memset(images, 31, sizeof images);
    for (int i = 0; i < AREA / 4; i++) images[1][i] = 32;
    CHECK(are_dark(frames));
    images[1][AREA - 1] = 32;
    CHECK(!are_dark(frames));
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

/* Exposures five stops apart of a room with a window, which show hardly any grey level in common: one threshold finds the frame of
 * the window, if anything. */
static void test_window(endo_context *context) {
    int exact = 0, wrong = 0, lost = 0;
    for (int i = 0; i < 40; i++) {
        test_random r = {300 + (uint64_t)i};
        exposure_scene scene;
        int dx = test_between(&r, -30, 30), dy = test_between(&r, -30, 30);
        exposure_scene_init(&scene, 1000 + (uint64_t)i);
        for (int k = 0; k < 2; k++) {
            exposure_setting e = {k ? 0.285 / 32 : 0.285, 0.6, 0, 1};
            exposure_scene_render(&scene, k ? dx : 0, k ? dy : 0, WIDTH, HEIGHT, brightness);
            for (int m = 0; m < AREA; m++)
                if (m % WIDTH + (k ? dx : 0) > 0.6 * WIDTH) brightness[m] *= 32;
            exposure_expose(brightness, AREA, &e, &r, images[k]);
        }
        endo_exposure_result result = align(context);
        int is_right = result.dx == dx && result.dy == dy;
        exact += is_right;
        wrong += result.status == ENDO_EXPOSURE_OK && fmax(fabs(result.dx - dx), fabs(result.dy - dy)) > 1;
        lost += result.status == ENDO_EXPOSURE_NO_CONTENT;
    }
    printf("a room with a window: %d of 40 exact, %d certain but wrong, %d without content\n", exact, wrong, lost);
    CHECK(exact >= 30 && wrong == 0 && lost == 0);
}

/* Discs that cover a part of both images and do not move with the scene. */
static void test_discs(endo_context *context) {
    int exact = 0, wrong = 0;
    for (int i = 0; i < 60; i++) {
        test_random r = {4400 + (uint64_t)i};
        int dx = test_between(&r, -30, 30), dy = test_between(&r, -30, 30);
        make_pair(1300 + (uint64_t)i, dx, dy, 1, &r);
        for (int k = 0; k < 2; k++)
            for (int d = 0; d < 4; d++) {
                int cx = test_between(&r, 0, WIDTH), cy = test_between(&r, 0, HEIGHT), radius = test_between(&r, 20, 40);
                for (int m = 0; m < AREA; m++) {
                    int x = m % WIDTH - cx, y = m / WIDTH - cy;
                    if (x * x + y * y < radius * radius) images[k][m] = (uint8_t)(30 * (1 + d) + test_between(&r, 0, 3));
                }
            }
        endo_exposure_result result = align(context);
        exact += result.dx == dx && result.dy == dy;
        wrong += result.status == ENDO_EXPOSURE_OK && !(result.dx == dx && result.dy == dy);
    }
    printf("discs that move otherwise: %d of 60 exact, %d certain but not exact\n", exact, wrong);
    CHECK(exact >= 56 && wrong == 0);
}

/* Pairs in noise, which leaves the bitmaps of one threshold between pixels and blunts local bitmaps: spectra and local bitmaps
 * choose the pixel together. */
static void test_noise(endo_context *context) {
    int exact = 0, wrong = 0;
    for (int i = 0; i < 100; i++) {
        test_random r = {7700 + (uint64_t)i};
        exposure_scene scene;
        int dx = test_between(&r, -30, 30), dy = test_between(&r, -30, 30);
        exposure_scene_init(&scene, 1700 + (uint64_t)i);
        for (int k = 0; k < 2; k++) {
            exposure_setting e = {k ? 0.15 : 0.5, 0.8, 0, k ? 8 : 14};
            exposure_scene_render(&scene, k ? dx : 0, k ? dy : 0, WIDTH, HEIGHT, brightness);
            exposure_expose(brightness, AREA, &e, &r, images[k]);
        }
        endo_exposure_result result = align(context);
        exact += result.dx == dx && result.dy == dy;
        wrong += result.status == ENDO_EXPOSURE_OK && fmax(fabs(result.dx - dx), fabs(result.dy - dy)) > 1;
    }
    printf("noise: %d of 100 exact, %d certain but wrong\n", exact, wrong);
    CHECK(exact >= 78 && wrong == 0);
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
    test_search(context, NULL);
    test_search(context, field);
    test_reach(context);
    test_small_images(context);
    test_fractions(context);
    test_walk(context);
    test_nothing(context);
    test_between_pixels();
    test_shaded(context);
    test_window(context);
    test_discs(context);
    test_noise(context);
    test_repetition(context);
    endo_context_destroy(&context);
    return check_summary("test_exposures_local");
}
