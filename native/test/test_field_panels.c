/* Panels that stand still beside a scene that moves: what becomes of them, and what is none. */
#include "include/endorama.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 320, AREA = WIDTH * HEIGHT, FRAMES = 12 };

static uint8_t image[AREA], mask[AREA];
static endo_field_info info;
static endo_context *context;

/* What a frame shows at a pixel. */
typedef int (*scene)(int x, int y, int frame);

static int wave(int at, int length) { return abs(at % length - length / 2) * 2 * 255 / length; }

/* Tissue of 60 to 200, which moves by some pixels from frame to frame. */
static int tissue(int x, int y, int frame) { return 60 + (wave(x + 7 * frame, 42) + wave(y + 5 * frame, 34)) * 140 / 510; }

static int noise(int x, int y, int frame) {
    return (int)((uint32_t)(x * 7919 + y * 104729 + frame * 1299709) * 2654435761u >> 20);
}

static void find_in(scene shown, int frames) {
    endo_field_finder *finder = NULL;
    CHECK(endo_field_finder_create(context, ENDO_GREY8, WIDTH, HEIGHT, 0, 255, &finder) == ENDO_OK);
    for (int i = 0; i < frames; i++) {
        for (int k = 0; k < AREA; k++) image[k] = (uint8_t)shown(k % WIDTH, k / WIDTH, i);
        CHECK(endo_field_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    CHECK(endo_field_finder_find(finder, mask, &info) == ENDO_OK);
    endo_field_finder_destroy(&finder);
}

static int inside(int x, int y) { return mask[y * WIDTH + x] != 0; }

/* Pixels of the mask in a rectangle, right and bottom exclusive. */
static int count(int left, int top, int right, int bottom) {
    int n = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) n += inside(x, y);
    return n;
}

static int is_whole(void) { return info.shape == ENDO_FIELD_WHOLE && count(0, 0, WIDTH, HEIGHT) == AREA; }

/* ---------------------------------------------------------------------------- panels */

/* A panel in the upper right corner: what reaches from side to side is a bar, and found in every frame. */
enum { EDGE = 290, FOOT = 240 };

static int is_beside(int x, int y) { return x >= EDGE && y < FOOT; }

/* Dark and bright letters, two strokes each. */
static int letter(int x, int y) {
    if (y % 40 < 12 || y % 40 > 24 || x < EDGE + 20 || x > WIDTH - 20 || x % 9 > 2) return 0;
    return y % 80 < 40 ? 5 : 250;
}

static int panel_spread = 7; /* greys that a panel's pixel takes */

static int beside(int x, int y, int frame) {
    if (!is_beside(x, y)) return tissue(x, y, frame);
    if (x >= 330 && x < 370 && y >= 100 && y < 116) return wave(x + 5 * frame + 3 * y, 12); /* a clock */
    return letter(x, y) ? letter(x, y) : 130 + noise(x, y, frame) % panel_spread;
}

static void test_a_panel_is_left_out(void) {
    panel_spread = 7;
    find_in(beside, FRAMES);
    CHECK(info.shape == ENDO_FIELD_OTHER && count(EDGE - 3, 0, WIDTH, FOOT + 3) == 0);
    CHECK(inside(EDGE - 5, 100) && count(0, 0, EDGE - 12, HEIGHT) == (EDGE - 12) * HEIGHT);
    find_in(beside, FRAMES - 1);
    CHECK(is_whole());
    panel_spread = 12;
    find_in(beside, FRAMES);
    CHECK(is_whole());
}

/* The window of a viewer, with a clock in its bar. */
static int in_window(int x, int y, int frame) {
    int in_clock = x >= 300 && x < 340 && y >= 8 && y < 24;
    if (x >= 30 && x < 385 && y >= 36 + x / 20 && y < 300) return tissue(x, y, frame);
    return in_clock ? wave(x + 5 * frame + 3 * y, 12) : 244;
}

static void test_a_window_is_left_out(void) {
    find_in(in_window, FRAMES);
    CHECK(count(0, 0, 30, HEIGHT) + count(385, 0, WIDTH, HEIGHT) + count(0, 0, WIDTH, 36) + count(0, 300, WIDTH, HEIGHT) == 0);
    CHECK(count(42, 66, 373, 288) == (373 - 42) * (288 - 66));
}

/* A frozen picture in the corner. */
static int frozen(int x, int y, int frame) { return x >= 270 && y >= 220 ? tissue(x, y, 0) : tissue(x, y, frame); }

static void test_a_frozen_picture_is_left_out(void) {
    find_in(frozen, FRAMES);
    CHECK(count(270, 220, WIDTH, HEIGHT) == 0 && count(0, 0, 258, HEIGHT) == 258 * HEIGHT && inside(350, 200));
}

static int panel_side;

/* A square, grey, in the middle of one side. */
static int square(int x, int y, int frame) {
    int is_out = x >= WIDTH - panel_side && abs(y - 160) * 2 < panel_side;
    return is_out ? 120 : tissue(x, y, frame);
}

static void test_a_panel_has_a_size(void) {
    panel_side = 25; /* a two-hundredth of the image */
    find_in(square, FRAMES);
    CHECK(!inside(WIDTH - 10, 160));
    panel_side = 14;
    find_in(square, FRAMES);
    CHECK(is_whole());
}

/* A round picture in the dark, which a panel touches. */
static int round_beside(int x, int y, int frame) {
    if (x >= 296 && y < 280) return letter(x, y) ? letter(x, y) : 150;
    return (x - 165) * (x - 165) + (y - 160) * (y - 160) <= 140 * 140 ? tissue(x, y, frame) : 3;
}

static void test_a_circle_is_found_beside_a_panel(void) {
    find_in(round_beside, FRAMES);
    CHECK(info.shape == ENDO_FIELD_CIRCLE && count(296, 0, WIDTH, HEIGHT) == 0 && !inside(5, 5));
    CHECK_NEAR(info.radius, 139, 1.5);
}

/* A video's coding blurs six columns beside the panel. */
static int coded(int x, int y, int frame) {
    if (is_beside(x, y)) return 130;
    return is_beside(x + 6, y - 6) ? 120 + noise(x, y, frame) % 14 : tissue(x, y, frame);
}

static void test_what_coding_blurs_is_left_out(void) {
    find_in(coded, FRAMES);
    CHECK(info.shape == ENDO_FIELD_OTHER && count(EDGE - 6, 0, WIDTH, FOOT) == 0 && inside(EDGE - 12, 100));
}

/* -------------------------------------------------------------------- what is no panel */

/* The dark end of a lumen, behind a fold that moves a little. */
static int lumen(int x, int y, int frame) {
    int moved = 4 * (frame % 3);
    return x > 300 + moved && y < 90 - moved ? 34 + noise(x, y, frame) % 4 : tissue(x, y, frame);
}

/* A near wall, overexposed: how far varies. */
static int white_level;
static int overexposed(int x, int y, int frame) {
    return y > 200 + x / 5 + 6 * (frame % 3) ? white_level : tissue(x, y, frame);
}

/* White, and beside it the scene stays below by 12 levels and a little more. */
static int white_panel(int x, int y, int frame) { return y > 200 + x / 5 ? 252 : 200 + noise(x / 4, y / 4, frame) % 41; }

/* A smooth wall: what changes grows from pixel to pixel. */
static int smooth(int x, int y, int frame) {
    int far = 300 - x;
    int share = far < 0 ? 0 : far > 100 ? 100 : far;
    return 120 + (tissue(x, y, frame) - 120) * share / 100;
}

/* A still scope before a still scene, and an instrument that passes over most of it, to and fro. */
static int instrument(int x, int y, int frame) { return abs(x - 60 - 45 * (frame % 4)) < 40 ? 220 : tissue(x, y, 0); }

/* The scene changes by 26 levels, or by 20. */
static int faint_levels;
static int faint(int x, int y, int frame) {
    return is_beside(x, y) ? 130 : 80 + noise(x / 4, y / 4, frame) % (faint_levels + 1);
}

static void test_other_still_things_are_no_panels(void) {
    static const scene none[] = {lumen, smooth, instrument};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        find_in(none[i], FRAMES + 4);
        CHECK(is_whole());
    }
    for (white_level = 235; white_level <= 252; white_level += 17) {
        find_in(overexposed, FRAMES);
        CHECK(is_whole());
    }
    find_in(white_panel, FRAMES + 4);
    CHECK(info.shape == ENDO_FIELD_OTHER && count(0, 282, WIDTH, HEIGHT) == 0 && !inside(100, 230) && inside(100, 200));
    faint_levels = 26;
    find_in(faint, FRAMES + 4);
    CHECK(!inside(350, 160) && inside(200, 160));
    faint_levels = 18;
    find_in(faint, FRAMES + 4);
    CHECK(is_whole());
}

int main(void) {
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    test_a_panel_is_left_out();
    test_a_window_is_left_out();
    test_a_frozen_picture_is_left_out();
    test_a_panel_has_a_size();
    test_a_circle_is_found_beside_a_panel();
    test_what_coding_blurs_is_left_out();
    test_other_still_things_are_no_panels();
    endo_context_destroy(&context);
    return check_summary("test_field_panels");
}
