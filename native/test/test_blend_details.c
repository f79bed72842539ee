/* Details of frames: against their definition, in rows of any length and of every type; and what is refused. */
#include "include/endorama.h"

#include "check.h"
#include "refuses.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 9000, HEIGHT = 200, STRIDE = WIDTH + 3 };

static uint32_t pixels[STRIDE * HEIGHT];

static int value_at(endo_pixel type, int x, int y) {
    size_t i = (size_t)y * STRIDE + (size_t)x;
    return type == ENDO_GREY8    ? ((const uint8_t *)pixels)[i]
           : type == ENDO_GREY16 ? ((const uint16_t *)pixels)[i]
                                 : (int)(pixels[i] >> 8 & 255);
}

static int pair_at(endo_pixel type, int x, int y) { return value_at(type, x, y) + value_at(type, x + 1, y); }

/* Rows are height / 64 apart, one at least, from the middle of the first such stretch on. */
static double plain_details(endo_pixel type, int width, int height) {
    double differences = 0, sums = 1;
    int step = height / 64 > 1 ? height / 64 : 1;
    for (int y = step / 2; y < height; y += step)
        for (int x = 2; x + 3 < width; x++) {
            int here = pair_at(type, x, y);
            differences += abs(2 * here - pair_at(type, x - 2, y) - pair_at(type, x + 2, y));
            sums += here;
        }
    return differences / sums;
}

static void check_size(endo_pixel type, int width, int height) {
    double details = -1;
    CHECK(endo_blend_details(type, width, height, pixels, STRIDE, &details) == ENDO_OK);
    CHECK(details == plain_details(type, width, height));
}

static void test_sizes(void) {
    test_random r = {4};
    for (int i = 0; i < STRIDE * HEIGHT; i++) pixels[i] = test_next(&r);
    for (int type = 0; type < 3; type++) {
        for (int width = 1; width < 80; width++) check_size((endo_pixel)type, width, 3);
        for (int height = 1; height <= HEIGHT; height += 9) check_size((endo_pixel)type, 50, height);
        check_size((endo_pixel)type, 4096 + 5, 2);
        check_size((endo_pixel)type, 4096 + 6, 2);
        check_size((endo_pixel)type, WIDTH, HEIGHT);
    }
}

/* The strongest contrast in the longest pieces: no sum runs over. */
static void test_strongest(void) {
    uint16_t *row = (uint16_t *)pixels;
    for (int i = 0; i < STRIDE * HEIGHT; i++) row[i] = i % STRIDE / 2 % 2 ? 65535 : 0;
    check_size(ENDO_GREY16, WIDTH, HEIGHT);
    for (int i = 0; i < STRIDE * HEIGHT; i++) row[i] = 65535;
    check_size(ENDO_GREY16, WIDTH, HEIGHT);
    for (int i = 0; i < STRIDE * HEIGHT; i++) row[i] = 0;
    check_size(ENDO_GREY16, WIDTH, HEIGHT);
}

static void test_refused(void) {
    double details = 7;
    REFUSES(endo_blend_details(ENDO_RGB32, 10, 10, NULL, 10, &details), "NULL");
    REFUSES(endo_blend_details(ENDO_RGB32, 10, 10, pixels, 10, NULL), "NULL");
    REFUSES(endo_blend_details(ENDO_RGB32, 0, 10, pixels, 10, &details), "0 x 10");
    REFUSES(endo_blend_details(ENDO_RGB32, 10, 32768, pixels, 10, &details), "10 x 32768");
    REFUSES(endo_blend_details((endo_pixel)3, 10, 10, pixels, 10, &details), "type 3");
    REFUSES(endo_blend_details(ENDO_RGB32, 10, 10, pixels, 9, &details), "stride 9");
    CHECK(details == 7);
}

int main(void) {
    test_sizes();
    test_strongest();
    test_refused();
    return check_summary("test_blend_details");
}
