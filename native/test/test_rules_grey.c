/* Grey values and highlights against their definitions: weights and limits as endorama/frames.h and
 * docs/algorithms/frames-and-field.md state them, ITU-R BT.601 for the weights themselves, and coefficients with highlights by
 * counting pixels. */
#include "rules/grey.h"
#include "backends.h"
#include "correlation.h"
#include "scene.h"

#include <string.h>

/* ------------------------------------------------------------------ colour */

/* The luma of ITU-R BT.601, of which 77/256, 150/256 and 29/256 are within 0.0018, 0.0011 and 0.0008: together at most
 * 0.46 of a level, since what two are too great the third is too small. */
static void test_luma(void) {
    int far = 0, wrong = 0;
    for (uint32_t r = 0; r < 256; r += 5)
        for (uint32_t g = 0; g < 256; g += 5)
            for (uint32_t b = 0; b < 256; b += 5) {
                int grey = endo_grey_of_channels(r, g, b);
                far += fabs(grey - (0.299 * r + 0.587 * g + 0.114 * b)) > 0.5 + 0.46;
                wrong += grey != (int)floor((77.0 * r + 150.0 * g + 29.0 * b) / 256 + 0.5);
            }
    CHECK(far == 0);
    CHECK(wrong == 0);
}

/* By hand: 255 * 77 / 256 = 76.7, 255 * 150 / 256 = 149.4, 255 * 29 / 256 = 28.9. */
static void test_channels(void) {
    CHECK(endo_grey_of_rgb(0x00ff0000) == 77);
    CHECK(endo_grey_of_rgb(0x0000ff00) == 149);
    CHECK(endo_grey_of_rgb(0x000000ff) == 29);
    CHECK(endo_grey_of_rgb(0xff000000) == 0); /* alpha takes no part */
    for (uint32_t v = 0; v < 256; v++) CHECK(endo_grey_of_rgb(v << 16 | v << 8 | v) == v);
}

/* ----------------------------------------------------------------- 16 bits */

/* grey is the nearest integer to 255 (v - low) / (high - low), the upper one of two: as inequalities of integers. */
static int is_nearest(int64_t grey, int64_t v, int64_t low, int64_t high) {
    int64_t range = high - low, above = v - low;
    if (above <= 0) return grey == 0;
    if (above >= range) return grey == 255;
    return (2 * grey - 1) * range <= 510 * above && 510 * above < (2 * grey + 1) * range;
}

static void test_sixteen(void) {
    static const int ranges[][2] = {{0, 65535}, {0, 255}, {0, 1}, {100, 300}, {65534, 65535}, {12345, 54321}, {7, 517}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        for (uint32_t v = 0; v < 65536; v++)
            wrong += !is_nearest(endo_grey_of_16(v, ranges[i][0], ranges[i][1]), v, ranges[i][0], ranges[i][1]);
    CHECK(wrong == 0);
    CHECK(endo_grey_of_16(257, 0, 65535) == 1 && endo_grey_of_16(128, 0, 65535) == 0);
    CHECK(endo_grey_of_16(1, 0, 510) == 1); /* a half goes up */
}

/* -------------------------------------------------------------- highlights */

static void test_limit(void) {
    CHECK(endo_is_specular_rgb(0x00cdcdce) && endo_is_specular_rgb(0x00cecdcd) && endo_is_specular_rgb(0x00cdcecd)); /* 205 */
    CHECK(endo_is_specular_rgb(0x00ffffff) && endo_is_specular_rgb(0x00f0f0f0) && !endo_is_specular_rgb(0xffefefef)); /* 240 */
    CHECK(!endo_is_specular_rgb(0x00ccffff) && !endo_is_specular_rgb(0x00ffccff) && !endo_is_specular_rgb(0x00ffffcc));
    CHECK(!endo_is_specular_rgb(0xff000000));
}

enum { WIDTH = 60, HEIGHT = 50, AREA = WIDTH * HEIGHT, SIDE = 15, HALF = 7 };

static uint8_t grey[2][AREA], bright[2][AREA]; /* bright: the pixel is a highlight */

/* Noise below any limit, with some pixels at the limit and as many one level under it. */
static void make_frames(test_random *r, int limit) {
    memset(bright, 0, sizeof bright);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < AREA; i++) grey[k][i] = (uint8_t)test_between(r, 20, 180);
        for (int i = 0; i < 38; i++) {
            int at = test_between(r, 0, AREA - 1);
            grey[k][at] = (uint8_t)limit;
            bright[k][at] = 1;
            at = test_between(r, 0, AREA - 1);
            grey[k][at] = (uint8_t)(limit - 1);
            bright[k][at] = 0;
        }
    }
}

/* No highlight within 2 px, each way. */
static int is_free(int frame, int x, int y) {
    for (int v = y - 2; v <= y + 2; v++)
        for (int u = x - 2; u <= x + 2; u++)
            if (u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT && bright[frame][v * WIDTH + u]) return 0;
    return 1;
}

/* Pearson's coefficient of the pixels that are free in both frames; NaN if these are fewer than half. */
static double expected(int x, int y, int cx, int cy) {
    for (int v = -HALF; v <= HALF; v++)
        for (int u = -HALF; u <= HALF; u++)
            if (is_free(0, x + u, y + v) && is_free(1, cx + u, cy + v))
                test_sample(grey[0][(y + v) * WIDTH + x + u], grey[1][(cy + v) * WIDTH + cx + u]);
    test_correlation c = test_correlate();
    return 2 * c.n < SIDE * SIDE ? NAN : c.coefficient;
}

/* Colours and 16-bit values whose grey is the same; blue: what the blue of colours is more, 0: they are grey. */
static endo_frames *put_frames(endo_context *context, endo_pixel type, uint32_t blue) {
    static uint16_t deep[AREA];
    static uint32_t colour[AREA];
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.type = type, o.highlights = 1, o.flow = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < AREA; i++) deep[i] = (uint16_t)(257 * grey[k][i]), colour[i] = 0x010101u * grey[k][i] + blue;
        const void *pixels = type == ENDO_GREY8 ? (void *)grey[k] : type == ENDO_GREY16 ? (void *)deep : (void *)colour;
        CHECK(endo_frames_put(frames, k, pixels, WIDTH) == ENDO_OK);
    }
    return frames;
}

#define REQUESTS 60

static void test_highlights(endo_context *context, endo_pixel type, uint32_t blue) {
    test_random r = {41};
    endo_ncc_request q[REQUESTS];
    double c[REQUESTS];
    int wrong = 0, undefined = 0;
    make_frames(&r, blue ? 205 : 240);
    endo_frames *frames = put_frames(context, type, blue);
    for (int i = 0; i < REQUESTS; i++) {
        q[i] = (endo_ncc_request){0, 1, test_between(&r, HALF, WIDTH - HALF - 1), test_between(&r, HALF, HEIGHT - HALF - 1),
                                  test_between(&r, HALF, WIDTH - HALF - 1), test_between(&r, HALF, HEIGHT - HALF - 1)};
    }
    CHECK(endo_ncc_compute(frames, q, REQUESTS, SIDE, c) == ENDO_OK);
    for (int i = 0; i < REQUESTS; i++) {
        double e = expected(q[i].x, q[i].y, q[i].cx, q[i].cy);
        wrong += isnan(e) ? !isnan(c[i]) : !(fabs(c[i] - e) < 1e-12);
        undefined += isnan(e) != 0;
    }
    CHECK(wrong == 0);
    CHECK(undefined > 5 && undefined < REQUESTS - 5);
    endo_frames_destroy(&frames);
}

int main(void) {
    test_luma();
    test_channels();
    test_sixteen();
    test_limit();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        for (int type = ENDO_GREY8; type <= ENDO_RGB32; type++) test_highlights(context, (endo_pixel)type, 0);
        test_highlights(context, ENDO_RGB32, 1);
        endo_context_destroy(&context);
    }
    return check_summary("test_rules_grey");
}
