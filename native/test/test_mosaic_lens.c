/* A lens: its model, the table of where it shows pixels, and frames without its distortion. */
#include "systems/mosaic/lens.h"

#include "systems/mosaic/sequence.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define W 150
#define H 110
#define AREA (W * H)

static mosaic_size size_of(int width, int height) { return (mosaic_size){.width = width, .height = height}; }

static double shown(double percent, int width, int height, double distance) {
    return lens_shown(percent, size_of(width, height), distance * distance);
}

/* At half of the longer side a lens of -20 % shows 20 % nearer to the middle what lies at 1 / 0.8 of it. */
static void test_percent_is_the_distortion_at_half_of_the_longer_side(void) {
    CHECK_NEAR(shown(-20, 800, 600, 400 / 0.8), 0.8, 1e-12);
    CHECK_NEAR(shown(-20, 600, 800, 400 / 0.8), 0.8, 1e-12);
    CHECK_NEAR(shown(20, 800, 600, 400 / 1.2), 1.2, 1e-12);
    CHECK(shown(-20, 800, 600, 0) == 1);
    CHECK(isnan(shown(25, 800, 600, 400.01)));
    CHECK_NEAR(shown(25, 800, 600, 400), 2, 1e-12);
}

/* ------------------------------------------------------------------------- table */

/* By more than a 16th of a pixel inside: no. */
static int is_outside(double percent, int x, int y, int width, int height) {
    double dx = x - (width - 1) / 2.0;
    double dy = y - (height - 1) / 2.0;
    double factor = lens_shown(percent, size_of(width, height), dx * dx + dy * dy);
    return isnan(factor) || width / 2.0 - fabs(dx * factor) < 1.0 / 16 || height / 2.0 - fabs(dy * factor) < 1.0 / 16;
}

/* By how much the model stretches an error at a place at most. */
static double stretch(double lambda, double r2) {
    double along = (1 - lambda * r2) / ((1 + lambda * r2) * (1 + lambda * r2));
    double across = 1 / (1 + lambda * r2);
    double most = along > across ? along : across;
    return most > 1 ? most : 1;
}

/* Each place bent back by the formula of the model is the pixel again, to the rounding of a 32nd of a pixel. */
static int check_row(double percent, int width, int height, int y, const int32_t *columns, const int32_t *rows) {
    double half = (width > height ? width : height) / 2.0;
    int n = 0;
    for (int x = 0; x < width; x++) {
        if (columns[x] == LENS_NOWHERE) {
            CHECK(is_outside(percent, x, y, width, height));
            continue;
        }
        n++;
        double dx = columns[x] / 32.0 - (width - 1) / 2.0;
        double dy = rows[x] / 32.0 - (height - 1) / 2.0;
        double r2 = (dx * dx + dy * dy) / (half * half);
        double factor = 1 / (1 + percent / 100 * r2);
        double slack = 0.5 / 32 * 1.01 * stretch(percent / 100, r2) * sqrt(2);
        CHECK_NEAR(dx * factor, x - (width - 1) / 2.0, slack);
        CHECK_NEAR(dy * factor, y - (height - 1) / 2.0, slack);
        CHECK(columns[x] >= -16 && columns[x] < 32 * width - 16 && rows[x] >= -16 && rows[x] < 32 * height - 16);
    }
    return n;
}

static void check_places(double percent, int width, int height) {
    lens_table *table;
    int32_t *columns = malloc(2 * (size_t)width * sizeof *columns);
    int n = 0;
    CHECK(lens_table_create(percent, size_of(width, height), &table) == ENDO_OK);
    for (int y = 0; y < height; y++) {
        lens_table_row(table, y, columns, columns + width);
        n += check_row(percent, width, height, y, columns, columns + width);
    }
    CHECK(percent < 0 ? n == width * height : n < width * height);
    lens_table_destroy(&table);
    free(columns);
}

static void test_places_are_those_of_the_model(void) {
    check_places(-40, 90, 70);
    check_places(-12.5, 711, 577);
    check_places(0.5, 64, 301);
    check_places(7, 1920, 40);
    check_places(40, 300, 300);
}

static uint8_t *mask_of(double percent, const uint8_t *bent) {
    lens_table *table;
    uint8_t *mask = malloc(640 * 480);
    CHECK(lens_table_create(percent, size_of(640, 480), &table) == ENDO_OK);
    CHECK(lens_table_mask(table, bent, mask) == ENDO_OK);
    lens_table_destroy(&table);
    return mask;
}

/* Of a cushion the middle of the left side lies at 1 / 1.25 of half of the width: 320 / 1.25 = 256 px from the middle. */
static void test_what_a_cushion_leaves_over_is_not_shown(void) {
    uint8_t *mask = mask_of(25, NULL);
    int first = 0;
    while (mask[240 * 640 + first] == 0) first++;
    CHECK_NEAR(first, 320 - 256, 1);
    CHECK(mask[0] == 0 && mask[240 * 640 + 320] == 255);
    free(mask);
}

static double distance(int i) { return hypot(i % 640 - 319.5, i / 640 - 239.5); }

static void test_masks_are_bent_back_too(void) {
    uint8_t *bent = malloc(640 * 480);
    for (int i = 0; i < 640 * 480; i++) bent[i] = distance(i) < 160 ? 7 : 0;
    uint8_t *mask = mask_of(-20, bent);
    double radius = 160 / (1 - 0.2 * 0.25);
    int wrong = 0;
    for (int i = 0; i < 640 * 480; i++)
        if (fabs(distance(i) - radius) > 1) wrong += mask[i] != (distance(i) < radius ? 7 : 0);
    CHECK(wrong == 0);
    free(bent);
    free(mask);
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

static void resample(double percent, endo_pixel type, int threads, int64_t most_kept, const image *bent, image *straight) {
    lens_table *table;
    straight_pixels *pixels;
    CHECK(lens_table_create(percent, size_of(W, H), &table) == ENDO_OK);
    CHECK(straight_pixels_create(table, type, size_of(W, H), threads, most_kept, &pixels) == ENDO_OK);
    straight_pixels_resample(pixels, bent, straight);
    straight_pixels_destroy(&pixels);
    lens_table_destroy(&table);
}

/* Against the cubic in floating point, on noise, whose values leap from pixel to pixel. */
static void check_cubic(endo_pixel type, double percent, const image *bent, const image *straight) {
    int32_t columns[W];
    int32_t rows[W];
    lens_table *table;
    int most = type == ENDO_GREY16 ? 65535 : 255;
    int black = 0;
    int n = 0;
    double off = 0;
    CHECK(lens_table_create(percent, size_of(W, H), &table) == ENDO_OK);
    for (int y = 0; y < H; y++) {
        lens_table_row(table, y, columns, rows);
        for (int x = 0; x < W; x++)
            for (int bits = 0; bits < (type == ENDO_RGB32 ? 24 : 8); bits += 8) {
                int nowhere = columns[x] == LENS_NOWHERE;
                double wanted = nowhere ? 0 : interpolated(bent, type, columns[x] / 32.0, rows[x] / 32.0, bits);
                int is = value(straight, type, x, y, bits);
                int clipped = nowhere || wanted < 0 || wanted > most;
                CHECK_NEAR(is, wanted < 0 ? 0 : wanted > most ? most : wanted, 0.5 + most * 0.003);
                black += nowhere;
                n += !clipped;
                off += clipped ? 0 : is - wanted;
            }
    }
    CHECK((percent > 0) == (black > 0));
    CHECK_NEAR(off / n, 0, 0.05 + most * 0.0001);
    lens_table_destroy(&table);
}

static void test_pixels_are_those_of_the_cubic(void) {
    static image bent;
    static image straight;
    for (int t = 0; t < 3; t++) {
        make_noise(&bent, types[t], 5);
        for (int k = 0; k < 2; k++) {
            double percent = k ? 9 : -14;
            resample(percent, types[t], 2, AREA, &bent, &straight);
            check_cubic(types[t], percent, &bent, &straight);
        }
    }
}

/* What is all of one brightness stays so to the bit, brightest and darkest included. */
static void test_even_frames_stay_even(void) {
    static const uint32_t values[] = {0xffffffff, 0xff0000ff, 0xff00ff00, 0xffff0000, 0xff000000, 0xff808080, 0xff010203};
    static image even;
    static image straight;
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 7; k++) {
            for (int i = 0; i < AREA; i++) set(&even, types[t], i, values[k]);
            resample(-14, types[t], 1, AREA, &even, &straight);
            CHECK(!memcmp(&even, &straight, AREA * endo_pixel_size(types[t])));
        }
}

static void test_threads_and_what_is_kept_change_nothing(void) {
    static image bent;
    static image one;
    static image other;
    for (int t = 0; t < 3; t++) {
        size_t bytes = AREA * endo_pixel_size(types[t]);
        make_noise(&bent, types[t], 1);
        resample(9, types[t], 1, AREA, &bent, &one);
        for (int threads = 2; threads <= 8; threads += 3) {
            memset(&other, 1, sizeof other);
            resample(9, types[t], threads, AREA, &bent, &other);
            CHECK(!memcmp(&one, &other, bytes));
            memset(&other, 1, sizeof other);
            resample(9, types[t], threads, AREA - 1, &bent, &other);
            CHECK(!memcmp(&one, &other, bytes));
        }
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

/* The numbers that an implementation of its own gave, in Java: no machine and no compiler changes a bit. */
static void test_every_bit(void) {
    static const double percents[] = {-14, 9, -37.3, 0.01, 33};
    static const uint64_t wanted[3][5] = {
        {0x3311bb7f80f157bb, 0x6315dc812ab0a693, 0xdadd61857dbc43b1, 0x5f4834c2d34dc047, 0x45dcc14ce12f108c},
        {0xbd0edf0f1e62910c, 0xc6e0706a9f4c3de0, 0xeb096554899a710f, 0x183120a25e047447, 0x951252c77adb4f5a},
        {0x6c5788b467c26bbb, 0x5fe8afebed02a293, 0x0e689d647b69bbb1, 0xbbaf0a95e0517447, 0xb4b9822fc34c2b8c},
    };
    static const uint64_t masks[] = {0x136257b249f23aa1, 0xa3efd70c83fd7a3f, 0x136257b249f23aa1, 0x136257b249f23aa1,
                                     0xe75345198eec2adf};
    static image bent;
    static image straight;
    for (int t = 0; t < 3; t++) {
        make_noise(&bent, types[t], 5);
        for (int k = 0; k < 5; k++) {
            resample(percents[k], types[t], 2, AREA, &bent, &straight);
            CHECK(hash(&straight, types[t]) == wanted[t][k]);
        }
    }
    for (int k = 0; k < 5; k++) {
        lens_table *table;
        CHECK(lens_table_create(percents[k], size_of(W, H), &table) == ENDO_OK);
        CHECK(lens_table_mask(table, NULL, straight.grey8) == ENDO_OK && hash(&straight, ENDO_GREY8) == masks[k]);
        lens_table_destroy(&table);
    }
}

/* The smallest frames, narrower than the cubic. */
static void test_small_frames(void) {
    lens_table *table;
    straight_pixels *pixels;
    for (int w = 1; w < 6; w++) {
        uint8_t bent[6] = {9, 9, 9, 9, 9, 9};
        uint8_t straight[6] = {0};
        CHECK(lens_table_create(-10, size_of(w, 1), &table) == ENDO_OK);
        CHECK(straight_pixels_create(table, ENDO_GREY8, size_of(w, 1), 4, AREA, &pixels) == ENDO_OK);
        straight_pixels_resample(pixels, bent, straight);
        for (int i = 0; i < w; i++) CHECK(straight[i] == 9);
        CHECK(straight[w] == 0);
        straight_pixels_destroy(&pixels);
        lens_table_destroy(&table);
    }
}

/* ----------------------------------------------------------------------- sequence */

static image two[2];
static int n_lent;

static const void *lend_one(void *user, int32_t frame, char *reason) {
    (void)user;
    if (frame == 2) {
        snprintf(reason, ENDO_REASON_SIZE, "spoilt");
        return NULL;
    }
    n_lent++;
    return &two[frame];
}

static void give_one_back(void *user, int32_t frame, const void *pixels) {
    (void)user;
    CHECK(pixels == &two[frame]);
    n_lent--;
}

static const endo_mosaic_source source = {
    .frames = 3, .width = W, .height = H, .type = ENDO_RGB32, .lend = lend_one, .give_back = give_one_back};

static void test_memory_is_used_again(void) {
    static image straight;
    mosaic_sequence *frames;
    make_noise(&two[0], ENDO_RGB32, 1);
    make_noise(&two[1], ENDO_RGB32, 2);
    resample(-20, ENDO_RGB32, 1, AREA, &two[0], &straight);
    CHECK(sequence_create(&source, -20, 0, 2, &frames) == ENDO_OK);
    const void *one = sequence_lend(frames, 0, 0);
    CHECK(one != &two[0] && !memcmp(one, &straight, sizeof straight) && n_lent == 0);
    const void *other = sequence_lend(frames, 1, 0);
    CHECK(other != one && !memcmp(one, &straight, sizeof straight) && memcmp(other, one, sizeof straight));
    sequence_give_back(frames, 0, one, 0);
    CHECK(sequence_lend(frames, 0, 0) == one && !memcmp(one, &straight, sizeof straight));
    CHECK(!sequence_lend(frames, 2, 0) && !strcmp(sequence_reason(frames), "frame 3: spoilt"));
    CHECK(!sequence_is_at_hand(frames, 0));
    sequence_give_back(frames, 0, one, 0);
    sequence_give_back(frames, 1, other, 0);
    sequence_destroy(&frames);
}

static void test_frames_as_the_scope_shows_them(void) {
    mosaic_sequence *frames;
    CHECK(sequence_create(&source, -20, sizeof(image), 2, &frames) == ENDO_OK);
    CHECK(sequence_lend(frames, 0, 1) == &two[0] && n_lent == 1 && !sequence_is_at_hand(frames, 0));
    sequence_give_back(frames, 0, &two[0], 1);
    CHECK(n_lent == 0);
    const void *straight = sequence_lend(frames, 0, 0);
    sequence_give_back(frames, 0, straight, 0);
    CHECK(sequence_is_at_hand(frames, 0) && sequence_lend(frames, 0, 0) == straight && n_lent == 0);
    sequence_destroy(&frames);
    CHECK(sequence_create(&source, 0, 0, 2, &frames) == ENDO_OK);
    CHECK(sequence_lend(frames, 1, 0) == &two[1]);
    sequence_give_back(frames, 1, &two[1], 0);
    sequence_destroy(&frames);
    CHECK(n_lent == 0);
}

int main(void) {
    test_percent_is_the_distortion_at_half_of_the_longer_side();
    test_places_are_those_of_the_model();
    test_what_a_cushion_leaves_over_is_not_shown();
    test_masks_are_bent_back_too();
    test_pixels_are_those_of_the_cubic();
    test_even_frames_stay_even();
    test_threads_and_what_is_kept_change_nothing();
    test_every_bit();
    test_small_frames();
    test_memory_is_used_again();
    test_frames_as_the_scope_shows_them();
    return check_summary("test_mosaic_lens");
}
