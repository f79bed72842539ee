/* A lens: its model, where it shows pixels, and frames and masks without its distortion. */
#include "include/endorama.h"
#include "base/simd.h"
#include "systems/lens/lens.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#define W 150
#define H 110
#define AREA (W * H)

static double factor(double percent, int width, int height, double distance) {
    return endo_lens_factor(percent, width, height, distance * distance);
}

/* At half of the longer side a lens of -20 % shows 20 % nearer to the middle what lies at 1 / 0.8 of it. */
static void test_percent_is_the_distortion_at_half_of_the_longer_side(void) {
    CHECK_NEAR(factor(-20, 800, 600, 400 / 0.8), 0.8, 1e-12);
    CHECK_NEAR(factor(-20, 600, 800, 400 / 0.8), 0.8, 1e-12);
    CHECK_NEAR(factor(20, 800, 600, 400 / 1.2), 1.2, 1e-12);
    CHECK(factor(-20, 800, 600, 0) == 1);
    CHECK(isnan(factor(25, 800, 600, 400.01)));
    CHECK_NEAR(factor(25, 800, 600, 400), 2, 1e-12);
}

/* ------------------------------------------------------------------------- table */

static endo_lens_table table;

/* By more than a 16th of a pixel inside: no. */
static int is_outside(double percent, int x, int y, int width, int height) {
    double dx = x - (width - 1) / 2.0;
    double dy = y - (height - 1) / 2.0;
    double by = endo_lens_factor(percent, width, height, dx * dx + dy * dy);
    return isnan(by) || width / 2.0 - fabs(dx * by) < 1.0 / 16 || height / 2.0 - fabs(dy * by) < 1.0 / 16;
}

/* By how much the model stretches an error at a position at most. */
static double stretch(double lambda, double r2) {
    double along = (1 - lambda * r2) / ((1 + lambda * r2) * (1 + lambda * r2));
    double across = 1 / (1 + lambda * r2);
    double most = along > across ? along : across;
    return most > 1 ? most : 1;
}

/* A position distorted again by the formula of the model is the pixel again, to the rounding of a 32nd of a pixel. */
static void check_position(double percent, int x, int y, endo_lens_position p) {
    int width = table.width;
    int height = table.height;
    double half = (width > height ? width : height) / 2.0;
    double dx = p.x / 32.0 - (width - 1) / 2.0;
    double dy = p.y / 32.0 - (height - 1) / 2.0;
    double r2 = (dx * dx + dy * dy) / (half * half);
    double back = 1 / (1 + percent / 100 * r2);
    double slack = 0.5 / 32 * 1.01 * stretch(percent / 100, r2) * sqrt(2);
    CHECK_NEAR(dx * back, x - (width - 1) / 2.0, slack);
    CHECK_NEAR(dy * back, y - (height - 1) / 2.0, slack);
    CHECK(p.x >= -16 && p.x < 32 * width - 16 && p.y >= -16 && p.y < 32 * height - 16);
}

static void check_positions(double percent, int width, int height) {
    int n = 0;
    endo_lens_fill(percent, width, height, &table);
    for (int i = 0; i < width * height; i++) {
        endo_lens_position p;
        if (!endo_lens_find(&table, i % width, i / width, &p)) {
            CHECK(is_outside(percent, i % width, i / width, width, height));
            continue;
        }
        n++;
        check_position(percent, i % width, i / width, p);
    }
    CHECK(percent <= 0 ? n == width * height : n < width * height);
}

static void test_positions_are_those_of_the_model(void) {
    check_positions(-40, 90, 70);
    check_positions(-12.5, 711, 577);
    check_positions(0, 65, 44);
    check_positions(0.5, 64, 301);
    check_positions(7, 1920, 40);
    check_positions(40, 300, 300);
}

/* The corners of the largest frames: no product leaves its numbers. */
static void test_largest_frames(void) {
    static const int ends[] = {0, 1, 16383, 32765, 32766};
    for (int k = 0; k < 3; k++) {
        double percent = k == 0 ? -40 : k == 1 ? -3 : 0;
        endo_lens_fill(percent, 32767, 32767, &table);
        for (int i = 0; i < 25; i++) {
            endo_lens_position p = {0};
            CHECK(endo_lens_find(&table, ends[i % 5], ends[i / 5], &p));
            check_position(percent, ends[i % 5], ends[i / 5], p);
        }
    }
}

/* To half of the last bit. */
static void test_factors_are_rounded(void) {
    endo_lens_fill(-23, 640, 480, &table);
    CHECK(table.known > 1000);
    for (int i = 0; i < table.known; i++) {
        double square = (double)((int64_t)i << table.shift) / 4;
        CHECK_NEAR(table.factors[i], endo_lens_factor(-23, 640, 480, square) * 16777216, 0.5 + 1e-6);
    }
}

static void test_weights_add_up_to_one(void) {
    endo_lens_fill(3, 9, 9, &table);
    for (int step = 0; step < ENDO_LENS_STEPS * ENDO_LENS_STEPS; step++) {
        int sum = 0;
        for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) sum += table.weights[step * ENDO_LENS_TAPS + tap];
        CHECK(sum == 2048);
    }
    CHECK(table.weights[5] == 2048);
}

/* ------------------------------------------------------------------------- masks */

static endo_context *context_of(endo_cpu cpu, int threads) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.cpu = cpu;
    options.threads = threads;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    return context;
}

static endo_lens *lens_of(endo_context *context, double percent, int width, int height) {
    endo_lens *lens = NULL;
    CHECK(endo_lens_create(context, width, height, percent, &lens) == ENDO_OK);
    return lens;
}

static void mask_of(double percent, int width, int height, const uint8_t *shown, uint8_t *mask) {
    endo_context *context = context_of(ENDO_CPU_BEST, 1);
    endo_lens *lens = lens_of(context, percent, width, height);
    CHECK(endo_lens_mask(lens, shown, mask) == ENDO_OK);
    endo_lens_destroy(&lens);
    endo_context_destroy(&context);
}

/* With a cushion of 25 % the middle of the left side lies at 1 / 1.25 of half of the width: 320 / 1.25 = 256 px from the
 * middle. */
static void test_what_a_cushion_leaves_over_is_not_shown(void) {
    static uint8_t mask[640 * 480];
    int first = 0;
    mask_of(25, 640, 480, NULL, mask);
    while (mask[240 * 640 + first] == 0) first++;
    CHECK_NEAR(first, 320 - 256, 1);
    CHECK(mask[0] == 0 && mask[240 * 640 + 320] == 255);
}

static double distance(int i) { return hypot(i % 640 - 319.5, i / 640 - 239.5); }

static void test_masks_lose_their_distortion_too(void) {
    static uint8_t shown[640 * 480];
    static uint8_t mask[640 * 480];
    double radius = 160 / (1 - 0.2 * 0.25);
    int wrong = 0;
    for (int i = 0; i < 640 * 480; i++) shown[i] = distance(i) < 160 ? 7 : 0;
    mask_of(-20, 640, 480, shown, mask);
    for (int i = 0; i < 640 * 480; i++)
        if (fabs(distance(i) - radius) > 1) wrong += mask[i] != (distance(i) < radius ? 7 : 0);
    CHECK(wrong == 0);
}

/* ------------------------------------------------------------------------ pixels */

typedef union image {
    uint8_t grey8[AREA];
    uint16_t grey16[AREA];
    uint32_t rgb[AREA];
} image;

static const endo_pixel types[] = {ENDO_GREY8, ENDO_GREY16, ENDO_RGB32};

static void set(image *to, endo_pixel type, int i, uint32_t v) {
    if (type == ENDO_GREY8)
        to->grey8[i] = (uint8_t)v;
    else if (type == ENDO_GREY16)
        to->grey16[i] = (uint16_t)v;
    else
        to->rgb[i] = v;
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

static void make_noise(image *to, endo_pixel type, uint32_t seed) {
    for (int i = 0; i < AREA; i++) set(to, type, i, next_random(&seed));
}

/* One colour (by its bits) of a pixel, beyond the border that of the nearest pixel. */
static int value(const image *from, endo_pixel type, int x, int y, int bits) {
    int i = (y < 0 ? 0 : y < H ? y : H - 1) * W + (x < 0 ? 0 : x < W ? x : W - 1);
    if (type == ENDO_GREY8) return from->grey8[i];
    return type == ENDO_GREY16 ? from->grey16[i] : (int)(from->rgb[i] >> bits & 0xff);
}

static double cubic(double t) {
    double a = fabs(t);
    return a < 1 ? 1.5 * a * a * a - 2.5 * a * a + 1 : a < 2 ? -0.5 * a * a * a + 2.5 * a * a - 4 * a + 2 : 0;
}

static double interpolated(const image *from, endo_pixel type, double x, double y, int bits) {
    double sum = 0;
    for (int j = (int)floor(y) - 1; j <= (int)floor(y) + 2; j++)
        for (int i = (int)floor(x) - 1; i <= (int)floor(x) + 2; i++)
            sum += value(from, type, i, j, bits) * cubic(x - i) * cubic(y - j);
    return sum;
}

static void undistort_with(endo_cpu cpu, double percent, endo_pixel type, const image *shown, image *made) {
    endo_context *context = context_of(cpu, 2);
    endo_lens *lens = lens_of(context, percent, W, H);
    CHECK(endo_lens_undistort(lens, shown, type, W, made, W) == ENDO_OK);
    endo_lens_destroy(&lens);
    endo_context_destroy(&context);
}

static void undistort(double percent, endo_pixel type, const image *shown, image *made) {
    undistort_with(ENDO_CPU_BEST, percent, type, shown, made);
}

/* Against the cubic in floating point, on noise, whose values leap from pixel to pixel. */
static void check_cubic(endo_pixel type, double percent, const image *shown, const image *made) {
    int most = type == ENDO_GREY16 ? 65535 : 255;
    int black = 0;
    int n = 0;
    double off = 0;
    endo_lens_fill(percent, W, H, &table);
    for (int i = 0; i < AREA; i++)
        for (int bits = 0; bits < (type == ENDO_RGB32 ? 24 : 8); bits += 8) {
            endo_lens_position p;
            int nowhere = !endo_lens_find(&table, i % W, i / W, &p);
            double wanted = nowhere ? 0 : interpolated(shown, type, p.x / 32.0, p.y / 32.0, bits);
            int is = value(made, type, i % W, i / W, bits);
            int clipped = nowhere || wanted < 0 || wanted > most;
            CHECK_NEAR(is, wanted < 0 ? 0 : wanted > most ? most : wanted, 0.5 + most * 0.003);
            black += nowhere;
            n += !clipped;
            off += clipped ? 0 : is - wanted;
        }
    CHECK((percent > 0) == (black > 0));
    CHECK_NEAR(off / n, 0, 0.05 + most * 0.0001);
}

static void test_pixels_are_those_of_the_cubic(void) {
    static image shown;
    static image made;
    for (int t = 0; t < 3; t++) {
        make_noise(&shown, types[t], 5);
        for (int k = 0; k < 2; k++) {
            double percent = k ? 9 : -14;
            undistort(percent, types[t], &shown, &made);
            check_cubic(types[t], percent, &shown, &made);
        }
    }
}

/* A frame of one brightness stays so to the bit, the brightest and the darkest included. */
static void test_even_frames_stay_even(void) {
    static const uint32_t values[] = {0xffffffff, 0xff0000ff, 0xff00ff00, 0xffff0000, 0xff000000, 0xff808080, 0xff010203};
    static image even;
    static image made;
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 7; k++) {
            for (int i = 0; i < AREA; i++) set(&even, types[t], i, values[k]);
            undistort(-14, types[t], &even, &made);
            CHECK(!memcmp(&even, &made, AREA * endo_pixel_size(types[t])));
        }
}

/* But for alpha, which is always 255. */
static void test_no_distortion_changes_nothing(void) {
    static image shown;
    static image made;
    for (int t = 0; t < 3; t++) {
        make_noise(&shown, types[t], 6);
        undistort(0, types[t], &shown, &made);
        for (int i = 0; types[t] == ENDO_RGB32 && i < AREA; i++) shown.rgb[i] |= 0xff000000;
        CHECK(!memcmp(&shown, &made, AREA * endo_pixel_size(types[t])));
    }
}

/* FNV-1a, a pixel at a time. */
static uint64_t hash(const image *of, endo_pixel type) {
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < AREA; i++) {
        uint32_t v = type == ENDO_GREY8 ? of->grey8[i] : type == ENDO_GREY16 ? of->grey16[i] : of->rgb[i];
        h = (h ^ v) * 0x100000001b3u;
    }
    return h;
}

/* The numbers that an implementation of its own gave, in Java: no machine, no compiler and no instruction set changes a bit. */
static void test_every_bit(void) {
    static const double percents[] = {-14, 9, -37.3, 0.01, 33};
    static const uint64_t wanted[3][5] = {
        {0x3311bb7f80f157bb, 0x6315dc812ab0a693, 0xdadd61857dbc43b1, 0x5f4834c2d34dc047, 0x45dcc14ce12f108c},
        {0xbd0edf0f1e62910c, 0xc6e0706a9f4c3de0, 0xeb096554899a710f, 0x183120a25e047447, 0x951252c77adb4f5a},
        {0x6c5788b467c26bbb, 0x5fe8afebed02a293, 0x0e689d647b69bbb1, 0xbbaf0a95e0517447, 0xb4b9822fc34c2b8c},
    };
    static const uint64_t masks[] = {0x136257b249f23aa1, 0xa3efd70c83fd7a3f, 0x136257b249f23aa1, 0x136257b249f23aa1,
                                     0xe75345198eec2adf};
    static image shown;
    static image made;
    for (int cpu = ENDO_CPU_C; cpu <= ENDO_CPU_AVX512; cpu++) {
        if ((int)endo_simd_best((endo_cpu)cpu) != cpu) continue;
        for (int t = 0; t < 3; t++) {
            make_noise(&shown, types[t], 5);
            for (int k = 0; k < 5; k++) {
                undistort_with((endo_cpu)cpu, percents[k], types[t], &shown, &made);
                CHECK(hash(&made, types[t]) == wanted[t][k]);
            }
        }
    }
    for (int k = 0; k < 5; k++) {
        mask_of(percents[k], W, H, NULL, made.grey8);
        CHECK(hash(&made, ENDO_GREY8) == masks[k]);
    }
}

/* The smallest frames, narrower than the cubic. */
static void test_small_frames(void) {
    endo_context *context = context_of(ENDO_CPU_BEST, 4);
    for (int w = 1; w < 6; w++) {
        uint8_t shown[6] = {9, 9, 9, 9, 9, 9};
        uint8_t made[6] = {0};
        endo_lens *lens = lens_of(context, -10, w, 1);
        CHECK(endo_lens_undistort(lens, shown, ENDO_GREY8, w, made, w) == ENDO_OK);
        for (int i = 0; i < w; i++) CHECK(made[i] == 9);
        CHECK(made[w] == 0);
        endo_lens_destroy(&lens);
    }
    endo_context_destroy(&context);
}

/* Large enough for several threads. One lens for all types, after its context's own handle is gone. */
static void test_threads_change_nothing(void) {
    enum { WIDE = 1201, HIGH = 907, LARGE = WIDE * HIGH };
    uint32_t *shown = malloc(3 * (size_t)LARGE * sizeof *shown);
    uint32_t *one = shown + LARGE;
    uint32_t *other = one + LARGE;
    uint32_t state = 3;
    for (int i = 0; i < LARGE; i++) shown[i] = next_random(&state);
    for (int threads = 1; threads <= 7; threads += 3) {
        endo_context *context = context_of(ENDO_CPU_BEST, threads);
        endo_lens *lens = lens_of(context, 9, WIDE, HIGH);
        endo_context_destroy(&context);
        for (int t = 0; t < 3; t++) {
            size_t bytes = LARGE * endo_pixel_size(types[t]);
            endo_context *alone = context_of(ENDO_CPU_C, 1);
            endo_lens *plain = lens_of(alone, 9, WIDE, HIGH);
            memset(other, 1, bytes);
            CHECK(endo_lens_undistort(plain, shown, types[t], WIDE, one, WIDE) == ENDO_OK);
            CHECK(endo_lens_undistort(lens, shown, types[t], WIDE, other, WIDE) == ENDO_OK);
            CHECK(!memcmp(one, other, bytes));
            endo_lens_destroy(&plain);
            endo_context_destroy(&alone);
        }
        endo_lens_destroy(&lens);
    }
    free(shown);
}

int main(void) {
    test_percent_is_the_distortion_at_half_of_the_longer_side();
    test_positions_are_those_of_the_model();
    test_largest_frames();
    test_factors_are_rounded();
    test_weights_add_up_to_one();
    test_what_a_cushion_leaves_over_is_not_shown();
    test_masks_lose_their_distortion_too();
    test_pixels_are_those_of_the_cubic();
    test_even_frames_stay_even();
    test_no_distortion_changes_nothing();
    test_every_bit();
    test_small_frames();
    test_threads_change_nothing();
    return check_summary("test_lens");
}
