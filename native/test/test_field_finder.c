/* The field of view of a sequence: what the votes of its frames must make of scopes whose field is known. */
#include "include/endorama.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 320, AREA = WIDTH * HEIGHT, LARGE_WIDTH = 1500, LARGE_HEIGHT = 1100 };

static uint8_t image[LARGE_WIDTH * LARGE_HEIGHT], mask[LARGE_WIDTH * LARGE_HEIGHT], wanted[LARGE_WIDTH * LARGE_HEIGHT];
static endo_field_info info;
static endo_context *context;

static uint8_t tissue(int x, int y) { return (uint8_t)(80 + abs(x % 90 - 45) + abs(y % 70 - 35)); }

static int in_circle(int x, int y, double cx, double cy, double radius) {
    return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius;
}

/* Dark but for a circle. */
static void draw_circle(double cx, double cy, double radius) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image[y * WIDTH + x] = in_circle(x, y, cx, cy, radius) ? tissue(x, y) : (uint8_t)((x * 7 + y * 3) % 6);
}

/* Dark but for some rows. */
static void draw_bars(int top, int bottom) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image[y * WIDTH + x] = y >= top && y <= bottom ? tissue(x, y) : (uint8_t)((x * 7 + y * 3) % 6);
}

static endo_field_finder *make(endo_pixel type, int width, int height) {
    endo_field_finder *finder = NULL;
    CHECK(endo_field_finder_create(context, type, width, height, 1000, 21000, &finder) == ENDO_OK);
    return finder;
}

static void add(endo_field_finder *finder) { CHECK(endo_field_finder_add(finder, image, WIDTH) == ENDO_OK); }

static void find(endo_field_finder **finder) {
    memset(mask, 0x33, sizeof mask);
    CHECK(endo_field_finder_find(*finder, mask, &info) == ENDO_OK);
    endo_field_finder_destroy(finder);
}

static double agreement(int area) {
    double both = 0, either = 0;
    for (int i = 0; i < area; i++) both += mask[i] && wanted[i], either += mask[i] || wanted[i];
    return both / either;
}

static int beyond(int area) {
    int n = 0;
    for (int i = 0; i < area; i++) n += mask[i] && !wanted[i];
    return n;
}

/* Boxed with bars of a grey at all four sides, with noise of +-2 and some white text; within: a circle in the dark if a
 * radius is given, else tissue everywhere. */
static void draw_boxed(int frame, int grey, double radius) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int out = y < 40 || y >= 290 || x < 24 || x >= 380, text = y > 10 && y < 18 && x < 20;
            int noise = (int)((uint32_t)(x * 7919 + y * 104729 + frame * 1299709) * 2654435761u >> 8) % 5 - 2;
            int in = radius > 0 && !in_circle(x, y, 200, 165, radius) ? 2 : tissue(x + 3 * frame, y);
            image[y * WIDTH + x] = (uint8_t)(text ? 255 : out ? grey + noise : in);
        }
}

/* The box of the answer is that of its mask, and a mask holds 0 and 255. */
static void expect_box(int width, int height) {
    int left = width, top = height, right = -1, bottom = -1, other = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            other += mask[y * width + x] != 0 && mask[y * width + x] != 255;
            if (!mask[y * width + x]) continue;
            left = x < left ? x : left, right = x > right ? x : right;
            top = y < top ? y : top, bottom = y;
        }
    CHECK(other == 0);
    CHECK(info.left == left && info.top == top && info.right == right && info.bottom == bottom);
}

/* Tissue that tapers by half a level a pixel has no edge, and that is no field of view; cut off at 120 px it is one. */
static void test_fading(int cut, endo_field_shape shape) {
    for (int i = 0; i < AREA; i++) {
        double distance = hypot(i % WIDTH - 200, i / WIDTH - 160), light = 100 - distance / 2;
        image[i] = light < 3 || (cut && distance > 120) ? 3 : (uint8_t)light;
    }
    CHECK(endo_field_detect(image, WIDTH, HEIGHT, mask, &info) == ENDO_OK);
    CHECK(info.shape == shape);
}

/* Tissue no brighter than the valley reaches in bright frames, part of it half as bright as the rest: all of it is inside. */
static void test_dark_circle(int share) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    draw_circle(200, 160, 140);
    for (int i = 0; i < AREA; i++) {
        wanted[i] = in_circle(i % WIDTH, i / WIDTH, 200, 160, 140);
        if (wanted[i]) image[i] = (uint8_t)(image[i] / 40 + (i / WIDTH * 100 < share * HEIGHT ? 28 : 14));
    }
    for (int i = 0; i < 3; i++) add(finder);
    find(&finder);
    CHECK(info.shape == ENDO_FIELD_CIRCLE && beyond(AREA) == 0 && agreement(AREA) > 0.95);
    CHECK_NEAR(info.radius, 139, 1.5);
}

/* Circles that move a little: what lies in all of them, some pixels inside. */
static void test_intersection(void) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int i = 0; i < 5; i++) {
        draw_circle(190 + 4 * i, 165 - 3 * i, 140);
        add(finder);
    }
    find(&finder);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int all = 1;
            for (int i = 0; i < 5; i++) all &= in_circle(x, y, 190 + 4 * i, 165 - 3 * i, 140);
            wanted[y * WIDTH + x] = (uint8_t)all;
        }
    CHECK(info.shape == ENDO_FIELD_CIRCLE && beyond(AREA) == 0 && agreement(AREA) > 0.95);
    CHECK_NEAR(info.radius, 139, 1.5);
    expect_box(WIDTH, HEIGHT);
}

/* Circles so far apart that less than a quarter of the picture is left of them: what all frames together show. */
static void test_fallback(void) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int i = 0; i < 4; i++) {
        draw_circle(i % 2 ? 130 : 270, 160, 120);
        add(finder);
    }
    find(&finder);
    for (int i = 0; i < AREA; i++)
        wanted[i] = in_circle(i % WIDTH, i / WIDTH, 130, 160, 120) || in_circle(i % WIDTH, i / WIDTH, 270, 160, 120);
    CHECK(info.shape == ENDO_FIELD_OTHER && beyond(AREA) == 0 && agreement(AREA) > 0.97);
    expect_box(WIDTH, HEIGHT);
    finder = make(ENDO_GREY8, WIDTH, HEIGHT); /* the same circles, nearer: more than a quarter */
    for (int i = 0; i < 4; i++) {
        draw_circle(i % 2 ? 170 : 230, 160, 130);
        add(finder);
    }
    find(&finder);
    for (int i = 0; i < AREA; i++)
        wanted[i] = in_circle(i % WIDTH, i / WIDTH, 170, 160, 130) && in_circle(i % WIDTH, i / WIDTH, 230, 160, 130);
    CHECK(info.shape == ENDO_FIELD_CIRCLE && beyond(AREA) == 0 && agreement(AREA) > 0.94);
}

/* Circles in at least half of the frames, whole pictures in more than half, bars in most: each decides. */
static void test_votes(int circles, int wholes, int bars, endo_field_shape shape) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int i = 0; i < circles + wholes + bars; i++) {
        if (i < circles)
            draw_circle(200, 160, 125);
        else if (i < circles + wholes)
            draw_bars(0, HEIGHT - 1);
        else
            draw_bars(30, 290);
        add(finder);
    }
    find(&finder);
    CHECK(info.shape == shape);
    expect_box(WIDTH, HEIGHT);
    if (shape == ENDO_FIELD_WHOLE) CHECK(info.left == 0 && info.right == WIDTH - 1 && info.bottom == HEIGHT - 1 && info.radius == 0);
    if (shape == ENDO_FIELD_CIRCLE) CHECK_NEAR(info.y - info.top, 122, 2);
    if (shape == ENDO_FIELD_OTHER) CHECK(info.left == 0 && abs(info.top - 31) < 2 && abs(info.bottom - 289) < 2);
}

/* Bars that open one after the other: the widest opening counts, the maximum of all frames. */
static void test_maximum(void) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int i = 0; i < 3; i++) {
        draw_bars(60 - 10 * i, 250 + 10 * i);
        add(finder);
    }
    find(&finder);
    CHECK(info.shape == ENDO_FIELD_OTHER && abs(info.top - 41) < 2 && abs(info.bottom - 269) < 2);
}

/* The field of n frames, `odd` of which, the last ones, show something else: without those. */
static void expect_outvoted(int n, int odd, void (*draw)(void), void (*draw_other)(void)) {
    static uint8_t without[AREA];
    for (int k = 0; k < 2; k++) {
        endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
        for (int i = 0; i < n; i++) {
            if (i < n - odd) draw();
            else draw_other();
            if (k == 1 || i < n - odd) add(finder);
        }
        find(&finder);
        if (k == 0) memcpy(without, mask, AREA);
    }
    int differ = 0; /* what two rims have in common may count as a rim of its own */
    for (int i = 0; i < AREA; i++) differ += without[i] != mask[i];
    CHECK(differ <= (odd > 2 ? 20 : 0));
    expect_box(WIDTH, HEIGHT);
}

static void a_circle(void) { draw_circle(200, 160, 140); }
static void bars(void) { draw_bars(30, 290); }
static void whole(void) { draw_bars(0, HEIGHT - 1); }
static void another_circle(void) { draw_circle(165, 160, 110); }
static void circle_to_the_right(void) { draw_circle(235, 160, 140); }

static void half_a_circle(void) {
    a_circle();
    memset(image + AREA / 2, 0, AREA / 2);
}

/* A frame that is half black, foreign, or of another scope has no say; where a third of the circles differ, they have. */
static void test_outvoted(void) {
    expect_outvoted(16, 1, a_circle, half_a_circle);
    expect_outvoted(3, 1, a_circle, half_a_circle);
    expect_outvoted(16, 1, a_circle, whole);
    expect_outvoted(16, 5, a_circle, another_circle);
    expect_outvoted(16, 1, a_circle, circle_to_the_right);
    expect_outvoted(4, 1, bars, whole);
    expect_outvoted(16, 2, bars, whole);
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int i = 0; i < 16; i++) {
        draw_circle(i < 10 ? 200 : 165, 160, 120);
        add(finder);
    }
    find(&finder);
    for (int i = 0; i < AREA; i++)
        wanted[i] = in_circle(i % WIDTH, i / WIDTH, 200, 160, 120) && in_circle(i % WIDTH, i / WIDTH, 165, 160, 120);
    CHECK(info.shape == ENDO_FIELD_CIRCLE && beyond(AREA) == 0 && agreement(AREA) > 0.94);
}

/* Votes are taken on every third pixel here; the answer is in the frame's own. */
/* Bars of any grey are no field, whatever is within them: a circle's dark surround, too. */
static void test_boxed(void) {
    const int greys[] = {16, 60, 235};
    for (int k = 0; k < 6; k++) {
        endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
        for (int frame = 0; frame < 8; frame++) {
            draw_boxed(frame, greys[k / 2], k % 2 ? 120 : 0);
            add(finder);
        }
        find(&finder);
        for (int i = 0; i < AREA; i++) {
            int x = i % WIDTH, y = i / WIDTH;
            wanted[i] = k % 2 ? in_circle(x, y, 200, 165, 120) : y >= 40 && y < 290 && x >= 24 && x < 380;
        }
        CHECK(beyond(AREA) == 0 && agreement(AREA) > 0.95);
    }
}

/* A dark or plain side of the scene that tapers is no bar. */
static void test_faded_side(void) {
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    for (int frame = 0; frame < 8; frame++) {
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                int shade = y < 60 ? y : 60;
                image[y * WIDTH + x] = (uint8_t)(70 + (tissue(x + 3 * frame, y) - 70) * shade / 60);
            }
        add(finder);
    }
    find(&finder);
    CHECK(info.shape == ENDO_FIELD_WHOLE && info.top == 0);
}

static void test_large(void) {
    endo_field_finder *finder = make(ENDO_GREY8, LARGE_WIDTH, LARGE_HEIGHT);
    for (int i = 0; i < LARGE_WIDTH * LARGE_HEIGHT; i++) {
        int x = i % LARGE_WIDTH, y = i / LARGE_WIDTH, in = x >= 150 && x < 1350 && in_circle(x, y, 740, 560, 640);
        wanted[i] = (uint8_t)in;
        image[i] = in ? tissue(x, y) : 3;
    }
    CHECK(endo_field_finder_add(finder, image, LARGE_WIDTH) == ENDO_OK);
    find(&finder);
    CHECK(info.shape == ENDO_FIELD_CIRCLE && beyond(LARGE_WIDTH * LARGE_HEIGHT) == 0);
    CHECK(agreement(LARGE_WIDTH * LARGE_HEIGHT) > 0.97);
    CHECK_NEAR(info.x, 740, 3);
    CHECK_NEAR(info.y, 560, 3);
    CHECK(info.top == 0 && info.bottom == LARGE_HEIGHT - 1); /* cut by the picture: nothing dark is beyond */
    expect_box(LARGE_WIDTH, LARGE_HEIGHT);
}

/* A frame gives the same mask in every type of pixel. */
static void test_types(void) {
    static uint16_t deep[AREA];
    static uint32_t colour[AREA];
    static uint8_t grey[AREA];
    endo_field_finder *finder = make(ENDO_GREY8, WIDTH, HEIGHT);
    draw_circle(205, 158, 135);
    add(finder);
    find(&finder);
    memcpy(grey, mask, AREA);
    for (int type = ENDO_GREY16; type <= ENDO_RGB32; type++) {
        for (int i = 0; i < AREA; i++) deep[i] = (uint16_t)(1000 + 20000 * image[i] / 255), colour[i] = 0x010101u * image[i];
        finder = make((endo_pixel)type, WIDTH, HEIGHT);
        CHECK(endo_field_finder_add(finder, type == ENDO_RGB32 ? (void *)colour : (void *)deep, WIDTH) == ENDO_OK);
        find(&finder);
        CHECK(info.shape == ENDO_FIELD_CIRCLE && !memcmp(grey, mask, AREA));
    }
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU, options.threads = 2;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    test_fading(0, ENDO_FIELD_WHOLE);
    test_fading(1, ENDO_FIELD_CIRCLE);
    test_dark_circle(100);
    test_dark_circle(60);
    test_dark_circle(0);
    test_intersection();
    test_fallback();
    test_votes(2, 2, 0, ENDO_FIELD_CIRCLE);
    test_votes(2, 1, 1, ENDO_FIELD_CIRCLE);
    test_votes(1, 2, 0, ENDO_FIELD_WHOLE);
    test_votes(2, 3, 0, ENDO_FIELD_WHOLE);
    test_votes(1, 0, 3, ENDO_FIELD_OTHER);
    test_maximum();
    test_outvoted();
    test_boxed();
    test_faded_side();
    test_large();
    test_types();
    endo_context_destroy(&context);
    return check_summary("test_field_finder");
}
