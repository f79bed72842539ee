/* Painting against its definition ([S] Table A.1): every pixel of a canvas is carried back into the frame in floating
 * point, and must hold the mean of the four pixels there, or what was painted before. */
#include "base/transform.h"
#include "backends.h"
#include "posed.h"
#include "scene.h"

#include <string.h>

enum { WIDTH = 64, HEIGHT = 52, AREA = WIDTH * HEIGHT, SIDE = 120, CANVAS = SIDE * SIDE };

static uint8_t grey[2][AREA], field[AREA];
static uint16_t deep[2][AREA];
static uint32_t colour[2][AREA];

static void fill(uint64_t seed) {
    test_random r = {seed};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < AREA; i++) {
            grey[k][i] = (uint8_t)test_next(&r);
            deep[k][i] = (uint16_t)test_next(&r);
            colour[k][i] = test_next(&r);
        }
    for (int i = 0; i < AREA; i++) { /* a corner is missing, and a part of the middle */
        int x = i % WIDTH, y = i / WIDTH;
        field[i] = !(x <= 8 && y <= 20) && !(x > 30 && x < 44 && y > 24 && y < 35);
    }
}

static endo_frames *make_frames(endo_context *context, endo_pixel type) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 2, o.type = type, o.flow = 0, o.rim = 0, o.field = field;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int k = 0; k < 2; k++) {
        const void *pixels = type == ENDO_GREY8 ? (void *)grey[k] : type == ENDO_GREY16 ? (void *)deep[k] : (void *)colour[k];
        CHECK(endo_frames_put(frames, k, pixels, WIDTH) == ENDO_OK);
    }
    return frames;
}

/* A channel of a frame's pixel. */
static double value_at(endo_pixel type, int slot, int i, int channel) {
    if (type == ENDO_GREY8) return grey[slot][i];
    return type == ENDO_GREY16 ? deep[slot][i] : colour[slot][i] >> 8 * channel & 255;
}

/* ----------------------------------------------------------------- a pixel */

typedef struct place {
    double x, y;
    int certain; /* no rounding decides whether it is inside */
    int inside;  /* the four pixels around it are in the field */
} place;

/* Positions are rounded to 1/256 px: from a border that is nearer than that nothing is asked. */
static place place_of(const double frame_to_canvas[6], double x, double y) {
    double inverse[6] = {0};
    place p = {0, 0, 1, 0};
    CHECK(endo_affine_invert(frame_to_canvas, inverse));
    endo_affine_apply(inverse, x, y, &p.x, &p.y);
    double step = 1.5 / 256, u = p.x - floor(p.x), v = p.y - floor(p.y);
    p.certain = u > step && u < 1 - step && v > step && v < 1 - step;
    int i = (int)floor(p.x), k = (int)floor(p.y);
    if (i < 0 || k < 0 || i + 1 >= WIDTH || k + 1 >= HEIGHT) return p;
    const uint8_t *f = field + k * WIDTH + i;
    p.inside = f[0] && f[1] && f[WIDTH] && f[WIDTH + 1];
    return p;
}

/* The mean at a place, and by how much half of 1/256 px each way and rounding may change it. */
static int is_mean(endo_pixel type, int slot, const place *p, int channel, double value) {
    int i = (int)p->x, k = (int)p->y;
    double u = p->x - i, v = p->y - k, c[4], range = 0;
    for (int n = 0; n < 4; n++) c[n] = value_at(type, slot, (k + n / 2) * WIDTH + i + n % 2, channel);
    for (int n = 0; n < 4; n++) range = fmax(range, fmax(fabs(c[n] - c[0]), fabs(c[n] - c[3])));
    double mean = (1 - v) * ((1 - u) * c[0] + u * c[1]) + v * ((1 - u) * c[2] + u * c[3]);
    return fabs(mean - value) <= 0.5 + 2 * range * (0.5 / 256 + 1e-6);
}

typedef struct painted {
    uint32_t pixels[CANVAS];
    uint8_t marks[CANVAS];
} painted;

static void read_canvas(endo_canvas *canvas, endo_pixel type, painted *out) {
    static uint8_t raw[4 * CANVAS];
    CHECK(endo_canvas_read(canvas, 0, 0, SIDE, SIDE, raw, out->marks) == ENDO_OK);
    for (int i = 0; i < CANVAS; i++)
        out->pixels[i] = type == ENDO_GREY8 ? raw[i] : type == ENDO_GREY16 ? ((uint16_t *)raw)[i] : ((uint32_t *)raw)[i];
}

/* Pixels that are not as they must be after slot was painted over `before`. */
static int count_wrong(endo_pixel type, int slot, const double map[6], const int origin[2], endo_painting painting,
                       const painted *before, const painted *after, int *reached) {
    int wrong = 0;
    for (int i = 0; i < CANVAS; i++) {
        place p = place_of(map, i % SIDE - origin[0], i / SIDE - origin[1]);
        if (!p.certain) continue;
        if (!p.inside || (painting == ENDO_PAINT_RING && before->marks[i])) {
            wrong += after->pixels[i] != before->pixels[i] || after->marks[i] != before->marks[i];
            continue;
        }
        ++*reached;
        wrong += after->marks[i] != 255 || (type == ENDO_RGB32 && after->pixels[i] >> 24 != 255);
        for (int channel = 0; channel < (type == ENDO_RGB32 ? 3 : 1); channel++) {
            uint32_t value = type == ENDO_RGB32 ? after->pixels[i] >> 8 * channel & 255 : after->pixels[i];
            wrong += !is_mean(type, slot, &p, channel, value);
        }
    }
    return wrong;
}

static endo_transform random_map(test_random *r) {
    double turn = 0.8 * (test_unit(r) - 0.5), scale = 0.7 + 0.7 * test_unit(r), m[6];
    m[0] = scale * cos(turn), m[1] = -scale * sin(turn) + 0.05 * test_unit(r), m[2] = 30 * test_unit(r);
    m[3] = scale * sin(turn), m[4] = scale * cos(turn), m[5] = 30 * test_unit(r);
    return endo_transform_of_affine(m);
}

static void test_maps(endo_context *context, endo_pixel type) {
    static painted before, after;
    test_random r = {60 + (uint64_t)type};
    int reached = 0;
    fill(7 + (uint64_t)type);
    endo_frames *frames = make_frames(context, type);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, type, SIDE, SIDE, &canvas) == ENDO_OK);
    read_canvas(canvas, type, &before);
    for (int i = 0; i < CANVAS; i++) CHECK(before.pixels[i] == 0 && before.marks[i] == 0);
    for (int i = 0; i < 8; i++) {
        endo_transform map = random_map(&r);
        int origin[2] = {test_between(&r, -25, 60), test_between(&r, -25, 60)};
        int32_t slot = i % 2;
        endo_painting painting = i % 3 == 1 ? ENDO_PAINT_RING : ENDO_PAINT_UNION;
        CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &map, .n = 1, .origin_x = origin[0], .origin_y = origin[1]),
                                painting) == ENDO_OK);
        read_canvas(canvas, type, &after);
        CHECK(count_wrong(type, slot, map.matrix, origin, painting, &before, &after, &reached) == 0);
        before = after;
    }
    CHECK(reached > 5000);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* ------------------------------------------------------------- homographies */

/* Frame -> canvas, with denominators of 0.7 to 1.4 in the frame. */
static endo_transform random_homography(test_random *r) {
    endo_transform t = random_map(r);
    t.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    t.matrix[6] = 0.4 * (test_unit(r) - 0.4) / WIDTH, t.matrix[7] = 0.4 * (test_unit(r) - 0.4) / HEIGHT;
    return t;
}

/* A frame that is a + b x + c y shows everywhere what that is where the pixel lies, but for 1/8 px of its slope and the
 * rounding. */
static void test_homographies(endo_context *context) {
    static painted out;
    static const painted nothing;
    const double a = 3000, b = 400, c = -40;
    test_random r = {17};
    int32_t slot = 0;
    int reached = 0;
    memset(field, 1, AREA);
    for (int i = 0; i < AREA; i++) deep[0][i] = deep[1][i] = (uint16_t)(a + b * (i % WIDTH) + c * (i / WIDTH));
    endo_frames *frames = make_frames(context, ENDO_GREY16);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, ENDO_GREY16, SIDE, SIDE, &canvas) == ENDO_OK);
    for (int i = 0; i < 10; i++) {
        endo_transform map = random_homography(&r), back;
        int origin = test_between(&r, -5, 9), wrong = 0;
        CHECK(endo_canvas_clear(canvas) == ENDO_OK && endo_transform_inverse(&map, &back));
        CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &map, .n = 1, .origin_x = origin, .origin_y = 3),
                                ENDO_PAINT_UNION) == ENDO_OK);
        read_canvas(canvas, ENDO_GREY16, &out);
        for (int k = 0; k < CANVAS; k++) {
            double x, y;
            CHECK(endo_transform_point(&back, k % SIDE - origin, k / SIDE - 3, &x, &y));
            double beyond = fmax(fmax(-x, x - WIDTH + 1), fmax(-y, y - HEIGHT + 1));
            if (fabs(beyond) < 0.13) continue;
            wrong += out.marks[k] != (beyond < 0 ? 255 : 0);
            if (beyond < 0) wrong += fabs(out.pixels[k] - (a + b * x + c * y)) > (b - c) * (0.125 + 0.5 / 256) + 0.5;
            else wrong += out.pixels[k] != nothing.pixels[k];
            reached += beyond < 0;
        }
        CHECK(wrong == 0);
    }
    CHECK(reached > 15000);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* Wherever the canvas lies, and in whatever order: rings around what is there, unions over it; without perspective it is
 * the affine map. */
static void test_homography_contract(endo_context *context) {
    static painted here, there;
    test_random r = {23};
    int32_t slots[2] = {0, 1};
    fill(8);
    endo_frames *frames = make_frames(context, ENDO_RGB32);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, ENDO_RGB32, SIDE, SIDE, &canvas) == ENDO_OK);
    for (int i = 0; i < 6; i++) {
        endo_painting painting = i % 2 ? ENDO_PAINT_RING : ENDO_PAINT_UNION;
        endo_transform maps[2] = {random_homography(&r), random_map(&r)}, plain;
        int x = test_between(&r, -3, 8), y = test_between(&r, -3, 8), wrong = 0;
        CHECK(endo_canvas_clear(canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(slots, maps, .n = 2, .origin_x = x, .origin_y = y), painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &here);
        CHECK(endo_canvas_clear(canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(slots, maps, .n = 2, .origin_x = x + 5, .origin_y = y + 3),
                                painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &there);
        for (int k = 0; k < CANVAS; k++) {
            int moved = k + 3 * SIDE + 5;
            if (k % SIDE < SIDE - 5 && k / SIDE < SIDE - 3)
                wrong += here.pixels[k] != there.pixels[moved] || here.marks[k] != there.marks[moved];
        }
        CHECK(wrong == 0);
        CHECK(endo_canvas_clear(canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(slots, maps + 1, .n = 1, .origin_x = x, .origin_y = y),
                                painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &here);
        plain = maps[1], plain.kind = ENDO_TRANSFORM_HOMOGRAPHY;
        for (int k = 0; k < 9; k++) plain.matrix[k] *= 2; /* the same transform */
        CHECK(endo_canvas_clear(canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(slots, &plain, .n = 1, .origin_x = x, .origin_y = y),
                                painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &there);
        CHECK(!memcmp(&here, &there, sizeof here));
    }
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* A shift by whole pixels moves pixels as they are; the outermost ones lie on the border of the picture and count. */
static void test_whole_shift(endo_context *context) {
    static painted out;
    const endo_transform shift = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 20, 0, 1, 31, 0, 0, 1}};
    int32_t slot = 1;
    int wrong = 0;
    fill(3);
    memset(field, 1, AREA);
    endo_frames *frames = make_frames(context, ENDO_GREY16);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, ENDO_GREY16, SIDE, SIDE, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &shift, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    read_canvas(canvas, ENDO_GREY16, &out);
    for (int i = 0; i < CANVAS; i++) {
        int x = i % SIDE - 20, y = i / SIDE - 31, inside = x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;
        wrong += out.marks[i] != (inside ? 255 : 0) || out.pixels[i] != (inside ? deep[1][y * WIDTH + x] : 0);
    }
    CHECK(wrong == 0);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* Frames of one call are painted in order, as by a call each. */
static void test_order(endo_context *context) {
    static painted together, apart;
    static const endo_transform maps[2] = {{ENDO_TRANSFORM_TRANSLATION, {1, 0, 10, 0, 1, 12, 0, 0, 1}},
                                           {ENDO_TRANSFORM_SIMILARITY, {0.9, 0.1, 14.3, -0.1, 0.9, 20.8, 0, 0, 1}}};
    static const int32_t slots[2] = {0, 1};
    for (int painting = ENDO_PAINT_RING; painting <= ENDO_PAINT_UNION; painting++) {
        fill(4);
        endo_frames *frames = make_frames(context, ENDO_RGB32);
        endo_canvas *canvas = NULL;
        CHECK(endo_canvas_create(context, ENDO_RGB32, SIDE, SIDE, &canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(slots, maps, .n = 2, .origin_x = 3, .origin_y = 4),
                                (endo_painting)painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &together);
        CHECK(endo_canvas_clear(canvas) == ENDO_OK);
        for (int i = 0; i < 2; i++)
            CHECK(endo_canvas_paint(canvas, frames, POSED(slots + i, maps + i, .n = 1, .origin_x = 3, .origin_y = 4),
                                    (endo_painting)painting) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &apart);
        CHECK(!memcmp(&together, &apart, sizeof apart));
        endo_canvas_destroy(&canvas);
        endo_frames_destroy(&frames);
    }
}

/* Resizing moves the pixel (x, y) to (x + dx, y + dy) and leaves the rest unpainted; a part reads as it lies in the whole. */
static void test_resize(endo_context *context) {
    static painted before;
    static uint32_t part[90 * 70];
    static uint8_t marks[90 * 70];
    static const int moves[][4] = {{90, 70, 0, 0}, {90, 70, -25, -31}, {70, 90, 13, -7}, {90, 70, 300, 0}, {90, 70, -12, 44}};
    const endo_transform map = {ENDO_TRANSFORM_AFFINE, {1.1, 0.2, 20, -0.1, 1.2, 25, 0, 0, 1}};
    int32_t slot = 0;
    fill(5);
    endo_frames *frames = make_frames(context, ENDO_RGB32);
    for (size_t m = 0; m < sizeof moves / sizeof moves[0]; m++) {
        int width = moves[m][0], height = moves[m][1], dx = moves[m][2], dy = moves[m][3], wrong = 0;
        endo_canvas *canvas = NULL;
        CHECK(endo_canvas_create(context, ENDO_RGB32, SIDE, SIDE, &canvas) == ENDO_OK);
        CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &map, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
        read_canvas(canvas, ENDO_RGB32, &before);
        CHECK(endo_canvas_resize(canvas, width, height, dx, dy) == ENDO_OK);
        CHECK(endo_canvas_read(canvas, 0, 0, width, height, part, marks) == ENDO_OK);
        for (int i = 0; i < width * height; i++) {
            int x = i % width - dx, y = i / width - dy, old = x >= 0 && y >= 0 && x < SIDE && y < SIDE;
            wrong += part[i] != (old ? before.pixels[y * SIDE + x] : 0) || marks[i] != (old ? before.marks[y * SIDE + x] : 0);
        }
        CHECK(wrong == 0);
        uint32_t few[6];
        CHECK(endo_canvas_read(canvas, 31, 29, 3, 2, few, NULL) == ENDO_OK);
        for (int i = 0; i < 6; i++) CHECK(few[i] == part[(29 + i / 3) * width + 31 + i % 3]);
        endo_canvas_destroy(&canvas);
    }
    endo_frames_destroy(&frames);
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        for (int type = ENDO_GREY8; type <= ENDO_RGB32; type++) test_maps(context, (endo_pixel)type);
        test_homographies(context);
        test_homography_contract(context);
        test_whole_shift(context);
        test_order(context);
        test_resize(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_painting");
}
