/* Field of view against synthetic scopes whose field is known. */
#include "check.h"

#include "base/openmp.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "endorama.h"

enum { WIDTH = 640, HEIGHT = 480, AREA = WIDTH * HEIGHT };

static uint8_t image[AREA], truth[AREA], mask[AREA];
static endo_context *context;

static uint32_t hash(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

static uint8_t tissue(int x, int y) {
    int wave = abs(x % 120 - 60) + abs(y % 90 - 45);
    return (uint8_t)(70 + wave + (int)(hash((uint32_t)(y * WIDTH + x)) % 9));
}

static uint8_t surround(int x, int y) { return (uint8_t)(hash((uint32_t)(y * WIDTH + x) ^ 0x5555u) % 9); }

/* A circle cut by a box of the sensor; truth[] gets the same. radius 0: the box alone. */
static void draw_scope(double cx, double cy, double radius, int left, int top, int right, int bottom) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double dx = x - cx, dy = y - cy;
            int in = x >= left && x <= right && y >= top && y <= bottom &&
                     (radius == 0 || dx * dx + dy * dy <= radius * radius);
            truth[y * WIDTH + x] = in ? 255 : 0;
            image[y * WIDTH + x] = in ? tissue(x, y) : surround(x, y);
        }
}

static void fill_box(int left, int top, int right, int bottom, uint8_t value) {
    for (int y = top; y <= bottom; y++) memset(image + y * WIDTH + left, value, (size_t)(right - left + 1));
}

static endo_field_info detect(void) {
    endo_field_info info = {0};
    CHECK(endo_field_detect(image, WIDTH, HEIGHT, mask, &info) == ENDO_OK);
    return info;
}

static double overlap(void) {
    double both = 0, either = 0;
    for (int i = 0; i < AREA; i++) {
        both += mask[i] && truth[i];
        either += mask[i] || truth[i];
    }
    return both / either;
}

/* The circle, and in its mask what truth[] has of it. */
static void expect_circle(double cx, double cy, double radius) {
    endo_field_info info = detect();
    CHECK(info.shape == ENDO_FIELD_CIRCLE);
    CHECK_NEAR(info.x, cx, 1.0);
    CHECK_NEAR(info.y, cy, 1.0);
    CHECK_NEAR(info.radius, radius - 1, 1.0);
    CHECK(overlap() > 0.975);
    int dark = 0;
    for (int i = 0; i < AREA; i++) dark += mask[i] && !truth[i];
    CHECK_NEAR(dark, 0, 0);
}

static void expect_whole(void) {
    endo_field_info info = detect();
    CHECK(info.shape == ENDO_FIELD_WHOLE);
    CHECK(info.radius == 0 && info.left == 0 && info.top == 0);
    CHECK(info.right == WIDTH - 1 && info.bottom == HEIGHT - 1);
    int inside = 0;
    for (int i = 0; i < AREA; i++) inside += mask[i] == 255;
    CHECK_NEAR(inside, AREA, 0);
}

static void test_circles(void) {
    draw_scope(320, 240, 220, 0, 0, WIDTH, HEIGHT);
    expect_circle(320, 240, 220);
    draw_scope(319.5, 239.5, 280, 0, 0, WIDTH, HEIGHT); /* cut by the image, top and bottom */
    expect_circle(319.5, 239.5, 280);
    draw_scope(320, 240, 380, 0, 0, WIDTH, HEIGHT); /* only the corners are dark */
    expect_circle(320, 240, 380);
    draw_scope(250.3, 262.8, 200, 0, 0, WIDTH, HEIGHT);
    expect_circle(250.3, 262.8, 200);
    draw_scope(120, 200, 300, 0, 0, WIDTH, HEIGHT); /* off centre, most corners lit or cut */
    expect_circle(120, 200, 300);
    draw_scope(300, 240, 230, 110, 40, 520, 440); /* cut by a sensor inside the image */
    expect_circle(300, 240, 230);
}

static void test_disturbances(void) {
    draw_scope(320, 240, 220, 0, 0, WIDTH, HEIGHT);
    fill_box(280, 200, 350, 300, 3); /* a dark lumen */
    expect_circle(320, 240, 220);
    fill_box(500, 200, 560, 270, 3); /* and at the rim something that is always dark: a notch */
    for (int y = 200; y <= 270; y++) memset(truth + y * WIDTH + 500, 0, 61);
    expect_circle(320, 240, 220);
    draw_scope(320, 240, 220, 0, 0, WIDTH, HEIGHT);
    fill_box(4, 4, 90, 16, 220); /* labels in the surround, */
    fill_box(4, 24, 60, 36, 220);
    fill_box(560, 450, 630, 470, 220);
    fill_box(4, 230, 104, 242, 200); /* one of which touches the field */
    expect_circle(320, 240, 220);
}

static void test_other_shapes(void) {
    draw_scope(320, 240, 220, 0, 0, WIDTH, HEIGHT); /* three quarters of a circle */
    for (int y = 240; y < HEIGHT; y++) memset(image + y * WIDTH + 320, 3, 320), memset(truth + y * WIDTH + 320, 0, 320);
    CHECK(detect().shape == ENDO_FIELD_OTHER);
    CHECK(overlap() > 0.97);
    draw_scope(0, 0, 0, 0, 60, WIDTH - 1, 419); /* letterbox */
    endo_field_info info = detect();
    CHECK(info.shape == ENDO_FIELD_OTHER);
    CHECK(overlap() > 0.975);
    CHECK(info.left == 0 && info.right == WIDTH - 1);
    CHECK_NEAR(info.top, 61, 1);
    CHECK_NEAR(info.bottom, 418, 1);
    draw_scope(0, 0, 0, 0, 60, WIDTH - 1, HEIGHT - 1); /* a bar at the top only */
    CHECK(detect().shape == ENDO_FIELD_OTHER);
    CHECK(overlap() > 0.975);
    draw_scope(0, 0, 0, 0, 0, WIDTH - 1, HEIGHT - 3); /* two dark rows */
    CHECK(detect().shape == ENDO_FIELD_OTHER);
    CHECK(overlap() > 0.98);
    draw_scope(0, 0, 0, 80, 40, 559, 439); /* window */
    CHECK(detect().shape == ENDO_FIELD_OTHER);
    CHECK(overlap() > 0.975);
}

static void test_no_surround(void) {
    draw_scope(0, 0, 0, 0, 0, WIDTH, HEIGHT);
    expect_whole();
    fill_box(300, 100, 639, 200, 4); /* a shadow that runs out of the image */
    expect_whole();
    for (int y = 0; y < 200; y++) memset(image + y * WIDTH + 300 + y, 4, (size_t)(340 - y)); /* at a corner */
    expect_whole();
    memset(image, 0, AREA);
    expect_whole();
    memset(image, 30, AREA);
    expect_whole();
    memset(image, 255, AREA);
    expect_whole();
    draw_scope(320, 240, 40, 0, 0, WIDTH, HEIGHT); /* too small to be a field */
    expect_whole();
    uint8_t one = 9, one_mask = 0;
    endo_field_info info;
    CHECK(endo_field_detect(&one, 1, 1, &one_mask, &info) == ENDO_OK);
    CHECK(info.shape == ENDO_FIELD_WHOLE && one_mask == 255);
}

static void test_accumulate(void) {
    const uint32_t rgb[6] = {0xFF102030u, 0x00FFFFFFu, 0xFF000000u, 0xFF00FF00u, 1, 2};
    const uint8_t expected_rgb[4] = {(77 * 16 + 150 * 32 + 29 * 48 + 128) >> 8, 255, 77, 149};
    uint8_t brightest[4] = {0, 0, 77, 0};
    CHECK(endo_field_accumulate(context, &(endo_image){rgb, ENDO_RGB32, 4, 1, 6}, 0, 0, brightest) == ENDO_OK);
    CHECK(memcmp(brightest, expected_rgb, 4) == 0);
    const uint16_t deep[6] = {99, 100, 200, 300, 65535, 150}; /* two rows of two, one pixel apart */
    const uint8_t expected_deep[4] = {0, 0, 255, 255};
    memset(brightest, 0, 4);
    CHECK(endo_field_accumulate(context, &(endo_image){deep, ENDO_GREY16, 2, 2, 3}, 100, 300, brightest) == ENDO_OK);
    CHECK(memcmp(brightest, expected_deep, 4) == 0);
    CHECK(endo_field_accumulate(context, &(endo_image){deep + 5, ENDO_GREY16, 1, 1, 1}, 100, 300, brightest) == ENDO_OK);
    CHECK_NEAR(brightest[0], 64, 0); /* floor(63.75 + 0.5) */
    const uint8_t grey[2] = {10, 250};
    CHECK(endo_field_accumulate(context, &(endo_image){grey, ENDO_GREY8, 2, 1, 2}, 0, 0, brightest) == ENDO_OK);
    CHECK(brightest[0] == 64 && brightest[1] == 250);
}

/* Most frames decide; circles that move a little are intersected; a corner that is dark in every frame of a
 * sequence without a surround is no surround. */
static void test_finder(void) {
    endo_field_finder *finder = NULL;
    endo_field_info info;
    static uint8_t found[AREA];
    CHECK(endo_field_finder_create(context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, &finder) == ENDO_OK);
    CHECK(endo_field_finder_find(finder, found, &info) == ENDO_OK && info.shape == ENDO_FIELD_WHOLE);
    for (int i = 0; i < 5; i++) {
        memset(image, 4, AREA);
        draw_scope(320 + 3 * i, 240 - 2 * i, 200, 0, 0, WIDTH, HEIGHT);
        CHECK(endo_field_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    CHECK(endo_field_finder_find(finder, found, &info) == ENDO_OK && info.shape == ENDO_FIELD_CIRCLE);
    int outside = 0;
    for (int i = 0; i < AREA; i++) {
        double dx = i % WIDTH - 320, dy = i / WIDTH - 240; /* the first circle, and so for each */
        outside += found[i] && dx * dx + dy * dy > 200 * 200;
    }
    CHECK(outside == 0);
    CHECK(info.right - info.left > 370 && info.right - info.left < 400);
    endo_field_finder_destroy(&finder);
    CHECK(finder == NULL);
    CHECK(endo_field_finder_create(context, ENDO_GREY8, 0, 5, 0, 0, &finder) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_finder_create(context, (endo_pixel)77, 5, 5, 0, 0, &finder) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "pixel type 77") != NULL);
    CHECK(endo_field_finder_create(context, ENDO_GREY16, 5, 5, 9, 9, &finder) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "grey range 9..9") != NULL);
    CHECK(endo_field_finder_create(NULL, ENDO_GREY8, 5, 5, 0, 0, &finder) == ENDO_ERR_ARGUMENT);
    CHECK(finder == NULL);
}

static void test_errors(void) {
    uint8_t b = 7, m = 7;
    endo_field_info info;
    CHECK(endo_field_detect(NULL, 1, 1, &m, &info) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_detect(&b, 0, 1, &m, &info) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "0 x 1") != NULL);
    CHECK(endo_field_detect(&b, 1, 32768, &m, &info) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_accumulate(context, &(endo_image){&m, ENDO_GREY8, 1, 1, 0}, 0, 0, &b) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_accumulate(context, &(endo_image){&m, (endo_pixel)3, 1, 1, 1}, 0, 0, &b) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_accumulate(context, &(endo_image){&m, ENDO_GREY16, 1, 1, 1}, 5, 5, &b) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_accumulate(context, &(endo_image){NULL, ENDO_GREY8, 1, 1, 1}, 0, 0, &b) == ENDO_ERR_ARGUMENT);
    CHECK(endo_field_accumulate(NULL, &(endo_image){&m, ENDO_GREY8, 1, 1, 1}, 0, 0, &b) == ENDO_ERR_ARGUMENT);
    CHECK(b == 7 && m == 7);
}

/* ----------------------------------------------------------------- threads */

enum { LARGE_WIDTH = 1300, LARGE_HEIGHT = 900, LARGE = LARGE_WIDTH * LARGE_HEIGHT };

/* Threads of this process; those of a parallel loop stay. 0 where the system does not tell. */
static int threads_alive(void) {
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    if (!tasks) return 0;
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) n += task->d_name[0] != '.';
    closedir(tasks);
    return n;
}

static endo_context *open_context(int threads) {
    endo_context_options options = endo_context_options_default();
    endo_context *made = NULL;
    options.backend = ENDO_BACKEND_CPU, options.threads = threads;
    CHECK(endo_context_create(&options, &made) == ENDO_OK);
    return made;
}

/* Images so large that threads are worth it: one that grows over two frames, and a field from a finder. */
static void work(endo_context *with, uint8_t *brightest, uint8_t *field) {
    static uint32_t large[LARGE];
    endo_field_finder *finder = NULL;
    endo_field_info info;
    CHECK(endo_field_finder_create(with, ENDO_RGB32, LARGE_WIDTH, LARGE_HEIGHT, 0, 0, &finder) == ENDO_OK);
    memset(brightest, 0, LARGE);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < LARGE; i++) {
            int x = i % LARGE_WIDTH - 640 - 9 * k, y = i / LARGE_WIDTH - 450;
            uint32_t noise = hash((uint32_t)(i + k * LARGE));
            large[i] = x * x + y * y < 400 * 400 ? 0x808080u + (noise & 0x3f3f3fu) : noise & 0x050505u;
        }
        CHECK(endo_field_accumulate(with, &(endo_image){large, ENDO_RGB32, LARGE_WIDTH, LARGE_HEIGHT, LARGE_WIDTH}, 0, 0,
                                    brightest) ==
              ENDO_OK);
        CHECK(endo_field_finder_add(finder, large, LARGE_WIDTH) == ENDO_OK);
    }
    CHECK(endo_field_finder_find(finder, field, &info) == ENDO_OK && info.shape == ENDO_FIELD_CIRCLE);
    endo_field_finder_destroy(&finder);
}

/* No more threads than the context has, whatever the machine and its settings say; the same bytes from any number of
 * them. Before anything else of this program is parallel. */
static void test_threads(void) {
    static uint8_t brightest[2][LARGE], field[2][LARGE];
    int before = threads_alive(), numbers[3] = {1, 3, 5};
    for (int k = 0; k < 3; k++) {
        endo_context *with = open_context(numbers[k]);
        work(with, brightest[k > 0], field[k > 0]);
        endo_context_destroy(&with);
        CHECK(threads_alive() <= before + numbers[k] - 1 || !before);
        if (k == 0) continue;
        CHECK(!memcmp(brightest[0], brightest[1], LARGE) && !memcmp(field[0], field[1], LARGE));
    }
}

int main(void) {
    test_threads();
    context = open_context(2);
    test_circles();
    test_disturbances();
    test_other_shapes();
    test_no_surround();
    test_accumulate();
    test_finder();
    test_errors();
    endo_context_destroy(&context);
    return check_summary("test_field");
}
