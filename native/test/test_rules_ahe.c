/* Adaptive equalization against its definition (docs/algorithms/equalization.md, [P] sections 1.1 and 1.2): the rules by
 * reflections, exact quotients and real numbers, and whole images by counting the window of every pixel. */
#include "rules/ahe.h"
#include "backends.h"
#include "scene.h"

#include <string.h>

/* ------------------------------------------------------------------- rules */

/* A walk to and fro over 0..n-1 that stands still for a step at either end. */
static void test_mirror(void) {
    int wrong = 0;
    for (int n = 1; n <= 9; n++) {
        int at = 0, step = 1;
        for (int i = 0; i < 50; i++) {
            wrong += endo_ahe_mirror(i, n) != at || endo_ahe_mirror(-1 - i, n) != at;
            if (at + step < 0 || at + step >= n)
                step = -step;
            else
                at += step;
        }
    }
    CHECK(wrong == 0);
    CHECK(endo_ahe_mirror(-1, 5) == 0 && endo_ahe_mirror(5, 5) == 4 && endo_ahe_mirror(-7, 5) == 3);
}

/* The quotient q of rank * top and n: q n <= rank top < (q + 1) n. */
static void test_plain(void) {
    test_random r = {1};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t n = (uint64_t)test_between(&r, 1, 1023 * 1023), top = i % 2 ? 65535 : 255;
        uint64_t rank = (uint64_t)test_between(&r, 0, (int)n), q = endo_ahe_plain((uint32_t)rank, (uint32_t)n, (uint32_t)top);
        wrong += q * n > rank * top || (q + 1) * n <= rank * top;
    }
    CHECK(wrong == 0);
    CHECK(endo_ahe_plain(9, 9, 255) == 255 && endo_ahe_plain(1, 256, 255) == 0);
}

/* Groups follow one another, a group has at most three shares unless one level has more, and such a level is alone. */
static void test_groups(void) {
    test_random r = {2};
    int wrong = 0;
    for (int run = 0; run < 200; run++) {
        uint64_t counts[300], all = 0, below = 0, members[256] = {0};
        int levels[256] = {0};
        uint32_t last = 0, group[300];
        for (int i = 0; i < 300; i++) {
            counts[i] = (uint64_t)test_between(&r, 1, run % 4 ? 50 : 2) * (test_between(&r, 0, 20) ? 1 : 1000);
            all += counts[i];
        }
        for (int i = 0; i < 300; i++) {
            group[i] = endo_ahe_group(below, counts[i], all, 256);
            wrong += group[i] < last || group[i] > 255;
            last = group[i] & 255;
            below += counts[i];
            members[last] += counts[i];
            levels[last]++;
        }
        for (int i = 0; i < 300; i++) {
            int g = (int)group[i] & 255;
            wrong += 256 * counts[i] >= 2 * all && levels[g] > 1;
            wrong += levels[g] > 1 && 256 * members[g] > 3 * all;
        }
    }
    CHECK(wrong == 0);
}

/* max(1, round(limit n / 256)), and never more than there is. */
static void test_clip(void) {
    CHECK(endo_ahe_clip(0, 961) == 0);
    CHECK(endo_ahe_clip(2, 63 * 63) == 31); /* 31.008 */
    CHECK(endo_ahe_clip(2.5, 256) == 3);    /* 2.5 goes up */
    CHECK(endo_ahe_clip(1.01, 9) == 1);     /* 0.04 */
    CHECK(endo_ahe_clip(1000, 961) == 961);
    CHECK(endo_ahe_clip(3, 1e6) == 11719); /* 11718.75 */
}

/* out is floor(x), where x may err by the rounding of doubles. */
static int is_floor(double out, double x) { return out <= x + 1e-7 && out > x - 1 + 1e-7; }

/* The clipped counts as real numbers: each bin holds its own and a 256th of what was cut off, spread over its levels. */
static double limited_by_definition(const endo_ahe_bin *b, double n, double top) {
    double share = b->cut / 256.0, levels = (double)b->part / b->width;
    return top * (b->below + share * b->bin + levels * (b->count + share)) / n;
}

static void test_limited(void) {
    test_random r = {2};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        int n = test_between(&r, 9, 1023 * 1023), cut = test_between(&r, 0, n), below = test_between(&r, 0, n - cut);
        endo_ahe_bin b = {.below = (uint64_t)below, .count = (uint64_t)test_between(&r, 0, n - cut - below),
                          .cut = (uint64_t)cut, .bin = (uint32_t)test_between(&r, 0, 255),
                          .width = (uint32_t)(i % 3 ? test_between(&r, 1, 256) : 1)};
        b.part = (uint32_t)test_between(&r, 1, (int)b.width);
        uint32_t top = i % 2 ? 65535 : 255;
        wrong += !is_floor(endo_ahe_limited(&b, (uint64_t)n, top), limited_by_definition(&b, n, top));
    }
    CHECK(wrong == 0);
    /* By hand: 4 below, 1 in bin 128, 4 cut off, of 9: 4 + 4 * 129 / 256 + 1 = 7.0156, times 255 / 9 = 198.8. */
    endo_ahe_bin b = {.below = 4, .count = 1, .cut = 4, .bin = 128, .part = 1, .width = 1};
    CHECK(endo_ahe_limited(&b, 9, 255) == 198);
}

/* Bins of `width` levels from low; part: how many levels of its bin are not above the value. */
static void test_bins(void) {
    int wrong = 0;
    for (int width = 1; width <= 256; width += 51) {
        int low = 1000, high = low + 256 * width - 1;
        for (int v = 0; v < 65536; v += 7) {
            uint32_t bin = 0, part = 0;
            endo_ahe_bin_of_16(v, low, high, width, &bin, &part);
            int value = v < low ? low : v > high ? high : v, first = low + (int)bin * width;
            wrong += bin > 255 || first > value || value >= first + width || (int)part != value - first + 1;
        }
    }
    CHECK(wrong == 0);
}

/* ------------------------------------------------------------------ images */

enum { WIDTH = 41, HEIGHT = 30, AREA = WIDTH * HEIGHT };

static uint8_t in8[AREA];
static uint16_t in16[AREA];
static uint32_t rgb[AREA];

typedef struct image {
    int levels;      /* 256 or 65536 */
    int low, high;   /* of 16-bit bins */
    const int *values;
} image;

static int reflected(int i, int n) {
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

static int value_at(const image *m, int x, int y) { return m->values[reflected(y, HEIGHT) * WIDTH + reflected(x, WIDTH)]; }

static int bin_width(const image *m) { return m->levels == 256 ? 1 : (m->high - m->low + 256) / 256; }

static int clamped(const image *m, int v) {
    if (m->levels == 256) return v;
    return v < m->low ? 0 : (v > m->high ? m->high : v) - m->low;
}

/* The level to which the window around (x, y) maps its centre. */
static double without_limit(const image *m, int x, int y, int window) {
    double rank = 0, r = window / 2;
    for (int v = y - (int)r; v <= y + r; v++)
        for (int u = x - (int)r; u <= x + r; u++) rank += value_at(m, u, v) <= value_at(m, x, y);
    return (m->levels - 1) * rank / ((double)window * window);
}

static double with_limit(const image *m, int x, int y, int window, double limit) {
    double histogram[256] = {0}, n = (double)window * window, most = floor(limit * n / 256 + 0.5), cut = 0, sum = 0;
    int r = window / 2, width = bin_width(m), centre = clamped(m, value_at(m, x, y));
    if (most < 1) most = 1;
    for (int v = y - r; v <= y + r; v++)
        for (int u = x - r; u <= x + r; u++) histogram[clamped(m, value_at(m, u, v)) / width]++;
    for (int i = 0; i < 256; i++)
        if (histogram[i] > most) cut += histogram[i] - most, histogram[i] = most;
    for (int i = 0; i < centre / width; i++) sum += histogram[i] + cut / 256;
    sum += (histogram[centre / width] + cut / 256) * (centre % width + 1) / width;
    return (m->levels - 1) * sum / n;
}

/* Values with dark, bright and flat parts. */
static void fill(uint64_t seed, int most) {
    test_random r = {seed};
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        double v = x < 12 ? 0.3 : y < 9 ? 0.05 * test_unit(&r) : x > 30 ? 1 - 0.1 * test_unit(&r) : test_unit(&r);
        in8[i] = (uint8_t)(255 * v);
        in16[i] = (uint16_t)(500 + most * v);
        rgb[i] = test_next(&r) % 3 ? test_next(&r) : 0x41c8e0d0;
    }
}

static int wrong_pixels(const image *m, const int *out, int window, double limit) {
    int wrong = 0;
    for (int i = 0; i < AREA; i++) {
        int x = i % WIDTH, y = i / WIDTH;
        wrong += !is_floor(out[i], limit > 0 ? with_limit(m, x, y, window, limit) : without_limit(m, x, y, window));
    }
    return wrong;
}

static void test_eight(endo_context *context, int window, double limit) {
    static uint8_t out[AREA];
    static int values[AREA], made[AREA];
    endo_ahe_options p = {ENDO_AHE_WINDOW, window, limit, 0, 0};
    image m = {256, 0, 255, values};
    CHECK(endo_ahe_apply(context, &(endo_image){in8, ENDO_GREY8, WIDTH, HEIGHT, WIDTH}, NULL, &p, out, WIDTH) == ENDO_OK);
    for (int i = 0; i < AREA; i++) values[i] = in8[i], made[i] = out[i];
    CHECK(wrong_pixels(&m, made, window, limit) == 0);
}

/* low = high: the bins reach from the least to the greatest value. */
static void test_sixteen(endo_context *context, int window, double limit, int low, int high) {
    static uint16_t out[AREA];
    static int values[AREA], made[AREA];
    endo_ahe_options p = {ENDO_AHE_WINDOW, window, limit, low, high};
    image m = {65536, low, high, values};
    CHECK(endo_ahe_apply(context, &(endo_image){in16, ENDO_GREY16, WIDTH, HEIGHT, WIDTH}, NULL, &p, out, WIDTH) == ENDO_OK);
    if (low == high) m.low = 65535, m.high = 0;
    for (int i = 0; i < AREA; i++) {
        values[i] = in16[i], made[i] = out[i];
        if (low == high && in16[i] < m.low) m.low = in16[i];
        if (low == high && in16[i] > m.high) m.high = in16[i];
    }
    CHECK(wrong_pixels(&m, made, window, limit) == 0);
}

static int within(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

/* The luma is equalized, and what it gains or loses each channel does, too. Alpha stays. */
static void test_colour(endo_context *context, int window, double limit) {
    static uint32_t out[AREA];
    static int luma[AREA];
    endo_ahe_options p = {ENDO_AHE_WINDOW, window, limit, 0, 0};
    image m = {256, 0, 255, luma};
    int wrong = 0;
    CHECK(endo_ahe_apply(context, &(endo_image){rgb, ENDO_RGB32, WIDTH, HEIGHT, WIDTH}, NULL, &p, out, WIDTH) == ENDO_OK);
    for (int i = 0; i < AREA; i++)
        luma[i] = (int)floor((77.0 * (rgb[i] >> 16 & 255) + 150.0 * (rgb[i] >> 8 & 255) + 29.0 * (rgb[i] & 255)) / 256 + 0.5);
    for (int i = 0; i < AREA; i++) {
        double x = limit > 0 ? with_limit(&m, i % WIDTH, i / WIDTH, window, limit)
                             : without_limit(&m, i % WIDTH, i / WIDTH, window);
        int change = (int)floor(x + 1e-7) - luma[i];
        uint32_t e = rgb[i] & 0xff000000u;
        for (int shift = 0; shift < 24; shift += 8) e |= (uint32_t)within((int)(rgb[i] >> shift & 255) + change) << shift;
        wrong += out[i] != e;
    }
    CHECK(wrong == 0);
}

/* Global: one histogram of the region; what lies around it takes no part. */
static void test_global(endo_context *context) {
    static uint8_t out[AREA];
    endo_ahe_options p = {ENDO_AHE_GLOBAL, 3, 0, 0, 0};
    endo_region region = {5, 3, 20, 17};
    int wrong = 0;
    memset(out, 0x33, AREA);
    CHECK(endo_ahe_apply(context, &(endo_image){in8, ENDO_GREY8, WIDTH, HEIGHT, WIDTH}, &region, &p, out, 22) == ENDO_OK);
    for (int i = 0; i < 340; i++) {
        int rank = 0, centre = in8[(3 + i / 20) * WIDTH + 5 + i % 20];
        for (int k = 0; k < 340; k++) rank += in8[(3 + k / 20) * WIDTH + 5 + k % 20] <= centre;
        wrong += out[i / 20 * 22 + i % 20] != 255 * rank / 340;
    }
    CHECK(wrong == 0);
    CHECK(out[20] == 0x33 && out[21] == 0x33 && out[16 * 22 + 20] == 0x33);
}

/* A region has the pixels of the whole: its windows see what lies around. */
static void test_region(endo_context *context, int window, double limit) {
    static uint8_t whole[AREA], part[18 * 12];
    endo_ahe_options p = {ENDO_AHE_WINDOW, window, limit, 0, 0};
    endo_region region = {7, 11, 18, 12};
    int wrong = 0;
    CHECK(endo_ahe_apply(context, &(endo_image){in8, ENDO_GREY8, WIDTH, HEIGHT, WIDTH}, NULL, &p, whole, WIDTH) == ENDO_OK);
    CHECK(endo_ahe_apply(context, &(endo_image){in8, ENDO_GREY8, WIDTH, HEIGHT, WIDTH}, &region, &p, part, 18) == ENDO_OK);
    for (int i = 0; i < 18 * 12; i++) wrong += part[i] != whole[(11 + i / 18) * WIDTH + 7 + i % 18];
    CHECK(wrong == 0);
}

static void test_images(endo_context *context) {
    static const int windows[] = {3, 7, 21, 67};
    static const double limits[] = {0, 1.5, 4};
    for (int i = 0; i < 12; i++) {
        int window = windows[i % 4];
        double limit = limits[i / 4];
        fill(10 + (uint64_t)i, i % 2 ? 60000 : 700);
        test_eight(context, window, limit);
        test_sixteen(context, window, limit, 0, 0);
        test_sixteen(context, window, limit, 700, 900);
        test_sixteen(context, window, limit, 700, 956); /* a level more than 256 */
        test_colour(context, window, limit);
        test_region(context, window, limit);
    }
    test_global(context);
}

int main(void) {
    test_mirror();
    test_plain();
    test_groups();
    test_clip();
    test_limited();
    test_bins();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (context) test_images(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_rules_ahe");
}
