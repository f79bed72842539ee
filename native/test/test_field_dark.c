/* The circle that dark frames show together: found where it is an edge, and only there. */
#include "systems/field/field_dark.h"
#include "check.h"

enum { WIDTH = 400, HEIGHT = 320, AREA = WIDTH * HEIGHT };

static uint8_t image[AREA], grey[AREA], region[AREA];
static endo_field_info info;

/* Evenly from -spread to spread. */
static int noise_at(int x, int y, int spread) {
    uint32_t hash = ((uint32_t)x * 374761393u) ^ ((uint32_t)y * 668265263u);
    hash = (hash ^ (hash >> 13)) * 1274126177u;
    return (int)((hash ^ (hash >> 16)) % (uint32_t)(2 * spread + 1)) - spread;
}

/* A surround of 8, and some levels more in a circle about (200, 160). Of each hundred degrees of its rim `sharp` are an edge; along
 * the rest it tapers over 20 px. */
static void draw(double radius, double light, int sharp, int noise) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double dx = x - 200, dy = y - 160, degrees = 180 + atan2(dy, dx) * 180 / 3.14159265358979;
            double within = (radius - hypot(dx, dy)) / (degrees * 100 < 360 * sharp ? 1 : 20);
            double value = 8 + light * (within < 0 ? 0 : within > 1 ? 1 : within) + noise_at(x, y, noise);
            image[y * WIDTH + x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
        }
}

static void find(void) {
    info = (endo_field_info){.shape = ENDO_FIELD_OTHER};
    CHECK(endo_field_dark_circle(image, WIDTH, HEIGHT, grey, region, &info) == ENDO_OK);
}

static void expect_whole(void) {
    int dark = 0;
    find();
    for (int i = 0; i < AREA; i++) dark += region[i] != 255;
    CHECK(info.shape == ENDO_FIELD_WHOLE && info.radius == 0 && dark == 0);
}

/* Nothing beyond the rim, and all but two pixels within it. */
static void expect_circle(double radius) {
    int beyond = 0, missing = 0;
    find();
    CHECK(info.shape == ENDO_FIELD_CIRCLE);
    CHECK_NEAR(info.x, 200, 1);
    CHECK_NEAR(info.y, 160, 1);
    CHECK_NEAR(info.radius, radius - 1, 1);
    for (int i = 0; i < AREA; i++) {
        double distance = hypot(i % WIDTH - 200, i / WIDTH - 160);
        beyond += distance > radius && region[i];
        missing += distance < radius - 4 && !region[i];
    }
    CHECK(beyond == 0 && missing == 0);
}

static void test_noise(void) {
    for (int noise = 0; noise <= 5; noise++) {
        draw(140, 20, 100, noise);
        expect_circle(140);
    }
    draw(140, 200, 100, 4);
    expect_circle(140);
    draw(140, 0, 100, 4);
    expect_whole();
    draw(140, 0, 100, 0); /* the same all over */
    expect_whole();
}

/* A third of the circle must be in the image. */
static void test_cut(void) {
    draw(190, 20, 100, 4);
    expect_circle(190);
    draw(200, 20, 100, 4); /* two fifths */
    expect_circle(200);
    draw(225, 20, 100, 4); /* a sixth: the corners may be dark by themselves */
    expect_whole();
    draw(400, 20, 100, 4);
    expect_whole();
}

/* Three fifths of the rim must be an edge. */
static void test_fading(void) {
    draw(140, 20, 64, 0);
    find();
    CHECK(info.shape == ENDO_FIELD_CIRCLE);
    draw(140, 20, 52, 0);
    expect_whole();
    draw(140, 20, 0, 0);
    expect_whole();
    draw(140, 200, 0, 0);
    expect_whole();
}

int main(void) {
    test_noise();
    test_cut();
    test_fading();
    return check_summary("test_field_dark");
}
