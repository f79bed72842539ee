/* Fields of view of many shapes: what is found of them in sequences whose scene moves, and in what they leave to be seen. */
#include "systems/field/field_overlay.h"
#include "include/endorama.h"
#include "systems/field/field_shape.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 480, HEIGHT = 400, AREA = WIDTH * HEIGHT, FRAMES = 16 };

static uint8_t image[AREA], mask[AREA], wanted[AREA];
static endo_field_info info;
static endo_context *context;

static uint32_t hash(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* Patches of 60 to 187 with steep edges, 9 px wide, as frame k sees them. */
static int tissue(int x, int y, int k) {
    uint32_t patch = (uint32_t)((x + 1000 + 7 * k) / 9) * 4096u + (uint32_t)((y + 1000 + 4 * k) / 9);
    return 60 + (int)(hash(patch) % 128);
}

/* How far a pixel lies inside a shape, px; negative: outside. */
typedef double shape(int x, int y);

static double smaller(double a, double b) { return a < b ? a : b; }

static double circle(int x, int y) { return 185 - hypot(x - 240, y - 200); }

static double bowed(int x, int y) {
    double u = (x - 239.5) / 240, v = (y - 199.5) / 200;
    return smaller(222 - 16 * v * v - fabs(x - 239.5), 190 - 20 * u * u - fabs(y - 199.5));
}

static double octagon(int x, int y) {
    double dx = fabs(x - 250.0), dy = fabs(y - 200.0);
    return smaller(smaller(200 - dx, 180 - dy), (300 - dx - dy) * 0.7);
}

/* A circle that is cut by a rectangle from above. */
static double notched(int x, int y) {
    double dx = fabs(x - 240.0) - 25, dy = y - 50.0, notch = dx > dy ? dx : dy;
    return smaller(circle(x, y), notch);
}

/* A circle with a tongue to the right. */
static double tongued(int x, int y) {
    double inside = circle(x, y), tongue = smaller(smaller(465 - x, x - 240), 40 - fabs(y - 200.0));
    return inside > tongue ? inside : tongue;
}

static double letterbox(int x, int y) { return smaller(y - 40, 360 - y) + 0 * x; }
static double whole(int x, int y) { return 100 + 0 * x + 0 * y; }

/* The recipe of a sequence. */
typedef struct clip {
    shape *inside;
    int swing;    /* of the shape, px to either side */
    int haze;     /* of the surround at the rim, grey levels; it tapers within some 30 px */
    int noise;    /* of the surround */
    int lumen;    /* radius of something dark that wanders along the rim */
    int text, dot; /* drawn over it */
    int frozen;    /* columns from the left that show the first frame's scene */
    int fibres;    /* columns from the left on which the gaps between fibres are of one grey */
    int bundle;    /* columns from the left that are seen through fibres */
    int frames;    /* 0: FRAMES */
} clip;

static int in_text(int x, int y) {
    return y >= 200 && y < 216 && x >= 150 && x < 290 && (x / 3 % 3 == 0 || y % 16 < 2);
}

static int is_drawn(const clip *c, int x, int y) {
    return (c->text && in_text(x, y)) || (c->dot && abs(x - 300) < 2 && abs(y - 300) < 2);
}

static int sway(const clip *c, int k) { return k % 4 == 1 ? c->swing : k % 4 == 3 ? -c->swing : 0; }

static uint8_t pixel_of(const clip *c, int x, int y, int k) {
    double depth = c->inside(x - sway(c, k), y), share = depth >= 1 ? 1 : depth <= -1 ? 0 : (depth + 1) / 2;
    double dx = x - 240 - 180 * cos(k * 0.7), dy = y - 200 - 180 * sin(k * 0.7);
    double light = hypot(dx, dy) < c->lumen ? 3 : tissue(x, y, x < c->frozen ? 0 : k);
    if (x < c->bundle) light = x % 5 && y % 5 ? light + 60 : x < c->fibres ? 50 + light / 12 : 45 + light / 5;
    double dark = hash((uint32_t)(x + 31 * y * WIDTH + 77 * k)) % (uint32_t)(c->noise + 1);
    if (depth < 1) dark += c->haze * exp(depth / 15);
    if (is_drawn(c, x, y)) return 250;
    return (uint8_t)(share * light + (1 - share) * dark);
}

static void find(const clip *c) {
    endo_field_finder *finder = NULL;
    CHECK(endo_field_finder_create(context, ENDO_GREY8, WIDTH, HEIGHT, 0, 0, &finder) == ENDO_OK);
    for (int k = 0; k < (c->frames ? c->frames : FRAMES); k++) {
        for (int i = 0; i < AREA; i++) image[i] = pixel_of(c, i % WIDTH, i / WIDTH, k);
        CHECK(endo_field_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    CHECK(endo_field_finder_find(finder, mask, &info) == ENDO_OK);
    endo_field_finder_destroy(&finder);
    for (int i = 0; i < AREA; i++) {
        double least = 1e9;
        for (int k = 0; k < 4; k++) least = smaller(least, c->inside(i % WIDTH - sway(c, k), i / WIDTH));
        wanted[i] = least > 0;
    }
}

static int beyond(void) {
    int n = 0;
    for (int i = 0; i < AREA; i++) n += mask[i] && !wanted[i];
    return n;
}

static double agreement(void) {
    double both = 0, either = 0;
    for (int i = 0; i < AREA; i++) both += mask[i] && wanted[i], either += mask[i] || wanted[i];
    return both / either;
}

/* Turns of the mask's border from row to row that go back on what the row before did: teeth. */
static int teeth(void) {
    int n = 0;
    for (int side = 0; side < 2; side++) {
        int before = -1, way = 0;
        for (int y = 0; y < HEIGHT; y++) {
            int x = 0;
            while (x < WIDTH && !mask[y * WIDTH + (side ? WIDTH - 1 - x : x)]) x++;
            if (x == WIDTH) continue;
            int turn = before < 0 ? 0 : x - before;
            if (turn && way && (turn > 0) != (way > 0)) n++;
            if (turn) way = turn;
            before = x;
        }
    }
    return n;
}

static void expect(clip c, endo_field_shape form, double least) {
    find(&c);
    CHECK(info.shape == form);
    CHECK(beyond() == 0);
    CHECK(agreement() > least);
}

/* Whatever the shape: nothing dark within, little lost, and a border that does not go to and fro. */
static void test_shapes(void) {
    const clip plain = {.noise = 8};
    shape *shapes[] = {circle, bowed, octagon, letterbox};
    /* Eight sides are near enough to a circle. */
    const endo_field_shape forms[] = {ENDO_FIELD_CIRCLE, ENDO_FIELD_OTHER, ENDO_FIELD_CIRCLE, ENDO_FIELD_OTHER};
    for (int i = 0; i < 4; i++) {
        clip c = plain;
        c.inside = shapes[i];
        expect(c, forms[i], 0.97);
        CHECK(teeth() <= 4); /* a convex field turns once a side */
        c.haze = 24;
        expect(c, forms[i], 0.96);
        CHECK(teeth() <= 4);
        c.lumen = 60; /* dark at the rim, but not always */
        expect(c, forms[i], 0.96);
    }
    expect((clip){.inside = tongued, .noise = 8}, ENDO_FIELD_OTHER, 0.97);
    expect((clip){.inside = notched, .noise = 8}, ENDO_FIELD_CIRCLE, 0.97);
    expect((clip){.inside = notched, .noise = 8, .haze = 24, .lumen = 60}, ENDO_FIELD_CIRCLE, 0.96);
    find(&(clip){.inside = whole, .lumen = 60});
    CHECK(info.shape == ENDO_FIELD_WHOLE && agreement() == 1);
}

/* A circle that moves, and what is dark in it at times: what lies in all of its places. */
static void test_moving(void) {
    expect((clip){.inside = circle, .swing = 9, .noise = 6}, ENDO_FIELD_CIRCLE, 0.96);
    expect((clip){.inside = circle, .swing = 9, .noise = 6, .haze = 15, .lumen = 110}, ENDO_FIELD_CIRCLE, 0.95);
}

static int is_near_text(int x, int y, int reach) {
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++)
            if (in_text(x + dx, y + dy)) return 1;
    return 0;
}

/* Text that stands still is not of the scene, nor are two pixels around it. */
static void test_text(void) {
    clip c = {.inside = bowed, .noise = 8, .text = 1};
    for (int k = 0; k < 2; k++, c.inside = whole) {
        find(&c);
        CHECK(info.shape == ENDO_FIELD_OTHER);
        int painted = 0, lost = 0;
        for (int i = 0; i < AREA; i++) {
            int x = i % WIDTH, y = i / WIDTH;
            painted += mask[i] && is_near_text(x, y, 2);
            lost += !mask[i] && !is_near_text(x, y, 12) && c.inside(x, y) > 6;
        }
        CHECK(painted == 0 && lost == 0);
    }
}

/* Where everything stands still nothing is known; nor from few frames; nor is part of a scene text, or a speck, or what lies
 * between fibres. */
static void test_no_text(void) {
    const clip clips[] = {{.inside = whole, .bundle = 120, .fibres = 20},
                          {.inside = whole, .text = 1, .frozen = WIDTH},
                          {.inside = whole, .text = 1, .frames = 11},
                          {.inside = whole, .dot = 1}};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        find(&clips[i]);
        CHECK(info.shape == ENDO_FIELD_WHOLE && agreement() == 1);
    }
}

/* A stroke whose middle alone is always of one grey, and whose blurred sides have the scene in them: its edges, up to two
 * pixels from there, are a stroke's, and three pixels around them go with it. */
static void test_blurred_stroke(void) {
    enum { SIDE = 64, MIDDLE = 32, TOP = 20, BOTTOM = 44, TAKEN = 16 };
    uint8_t frame[SIDE * SIDE], region[SIDE * SIDE];
    endo_field_overlay overlay;
    int carved = 0;
    CHECK(endo_overlay_make(SIDE, SIDE, &overlay) == ENDO_OK);
    for (int k = 0; k < TAKEN; k++) {
        uint64_t edges = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE, y = i / SIDE, from = x - MIDDLE;
            int scene = 40 + (int)(hash((uint32_t)(i + k * SIDE * SIDE)) % 110);
            frame[i] = (uint8_t)scene;
            if (y < TOP || y >= BOTTOM || from < -1 || from > 1) continue;
            frame[i] = (uint8_t)(from ? 185 + scene / 4 : 250);
        }
        for (int y = 0; y < SIDE; y++) edges += endo_overlay_take_row(&overlay, frame, y, ENDO_CPU_BEST);
        endo_overlay_count(&overlay, 1, edges);
    }
    memset(region, 255, sizeof region);
    CHECK(endo_overlay_carve(&overlay, region, &carved) == ENDO_OK && carved);
    for (int from = -8; from <= 8; from++)
        CHECK(region[(TOP + BOTTOM) / 2 * SIDE + MIDDLE + from] == (from >= -5 && from <= 5 ? 0 : 255));
    endo_overlay_free(&overlay);
}

/* A frame larger than what is looked at: the border lies between its places, not on them. */
static void test_large(void) {
    enum { SIDE = 1900 };
    uint8_t *large = malloc(SIDE * SIDE), *drawn = malloc(SIDE * SIDE);
    CHECK(large && drawn);
    for (int i = 0; i < SIDE * SIDE && large; i++) {
        int x = i % SIDE, y = i / SIDE;
        large[i] = x + y / 40 >= 300 && y < SIDE - 2 ? (uint8_t)(90 + hash((uint32_t)i) % 60) : 3;
    }
    CHECK(endo_field_detect(large, SIDE, SIDE, drawn, &info) == ENDO_OK && info.shape == ENDO_FIELD_OTHER);
    int last = 0, steps = 0, most = 0, wrong = 0;
    for (int y = 20; y < SIDE - 20; y++) {
        int x = 0;
        while (x < SIDE && !drawn[(size_t)y * SIDE + (size_t)x]) x++;
        int inset = x - (300 - y / 40);
        wrong += inset < 0 || inset > 9;
        if (y > 20) steps += x != last, most = abs(x - last) > most ? abs(x - last) : most;
        last = x;
    }
    CHECK(wrong == 0 && most <= 1 && steps >= (SIDE - 40) / 40 - 2); /* a pixel every 40 rows */
    CHECK(info.bottom < SIDE - 2 && info.right == SIDE - 1 && info.top == 0);
    free(large);
    free(drawn);
}

/* Against the distance of every pixel; circles that reach over the frame, and lie beside it, among them. */
static void test_cut(void) {
    enum { W = 41, H = 33 };
    uint8_t region[W * H];
    for (int i = 0; i < 300; i++) {
        double x = i % 19 * 3.7 - 9, y = i % 23 * 2.3 - 8, radius = i % 29 * 1.25;
        int right = 1;
        memset(region, 255, sizeof region);
        endo_field_cut(region, W, H, x, y, radius);
        for (int k = 0; k < W * H; k++) {
            double dx = k % W - x, dy = k / W - y;
            right &= region[k] == (dx * dx + dy * dy > radius * radius ? 0 : 255);
        }
        CHECK(right);
    }
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU, options.threads = 2;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    test_cut();
    test_shapes();
    test_moving();
    test_text();
    test_no_text();
    test_blurred_stroke();
    test_large();
    endo_context_destroy(&context);
    return check_summary("test_field_shapes");
}
