/* Frame stores: what painting leaves out along the field's rim, and images that are put at once, on every back end of the
 * CPU. */
#include "backends.h"
#include "posed.h"

#include "rules/grey.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 61
#define HEIGHT 47

typedef struct rim_case {
    int rim, left_out; /* pixels on every side */
    double dx, dy;     /* where the frame lies on the canvas */
    endo_pixel type;
    endo_region field; /* a rectangle */
} rim_case;

/* Inside the closed interval from the first to the last pixel that is painted. */
static int in_reach(double pose, int from, int n, int left_out) {
    return pose >= from + left_out && pose <= from + n - 1 - left_out;
}

static int wrong_pixels(const rim_case *c, const uint8_t *painted) {
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int expected = in_reach(x - c->dx, c->field.x, c->field.width, c->left_out) &&
                           in_reach(y - c->dy, c->field.y, c->field.height, c->left_out);
            wrong += (painted[y * WIDTH + x] != 0) != expected;
        }
    return wrong;
}

static endo_frames *make_frames(endo_context *context, const rim_case *c) {
    static uint8_t mask[WIDTH * HEIGHT];
    static uint32_t pixels[WIDTH * HEIGHT];
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    memset(mask, 0, sizeof mask);
    for (int y = 0; y < c->field.height; y++) memset(mask + (c->field.y + y) * WIDTH + c->field.x, 1, c->field.width);
    memset(pixels, 77, sizeof pixels);
    o.width = WIDTH, o.height = HEIGHT, o.capacity = 1, o.type = c->type, o.field = mask, o.rim = c->rim;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    CHECK(endo_frames_put(frames, 0, pixels, WIDTH) == ENDO_OK);
    return frames;
}

static void paint_rim(endo_context *context, const rim_case *c) {
    static uint8_t painted[WIDTH * HEIGHT];
    static uint32_t pixels[WIDTH * HEIGHT];
    const endo_transform pose = {ENDO_TRANSFORM_TRANSLATION, {1, 0, c->dx, 0, 1, c->dy, 0, 0, 1}};
    const int32_t slot = 0;
    endo_frames *frames = make_frames(context, c);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, c->type, WIDTH, HEIGHT, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &pose, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(canvas, 0, 0, WIDTH, HEIGHT, pixels, painted) == ENDO_OK);
    int wrong = wrong_pixels(c, painted);
    if (wrong) printf("     rim %d at (%g, %g), type %d: %d pixels\n", c->rim, c->dx, c->dy, (int)c->type, wrong);
    CHECK(wrong == 0);
    endo_canvas_destroy(&canvas);
    endo_frames_destroy(&frames);
}

/* rim / 2 pixels, left, right, at the top and at the bottom, wherever the frame lies. */
static void test_rim(endo_context *context) {
    static const int rims[][2] = {{0, 0}, {1, 0}, {2, 1}, {7, 3}, {8, 4}, {9, 4}};
    static const double poses[][2] = {{0, 0}, {3, -2}, {0.5, 0}, {0, 0.5}, {-0.5, 0.25}, {1.0 / 256, -1.0 / 256}};
    static const endo_region fields[] = {{0, 0, WIDTH, HEIGHT}, {9, 11, 33, 25}};
    for (int i = 0; i < 6 * 6 * 2 * 3; i++) {
        const int *rim = rims[i % 6];
        const double *pose = poses[i / 6 % 6];
        rim_case c = {rim[0], rim[1], pose[0], pose[1], (endo_pixel)(i / 72), fields[i / 36 % 2]};
        paint_rim(context, &c);
    }
}

/* ------------------------------------------------------------ images at once */

enum { IMAGES = 3, SLOTS = 4, STRIDE = WIDTH + 5 };
static const int32_t targets[IMAGES] = {2, 0, 3};

static endo_frames *make_store(endo_context *context, endo_pixel type, int keep_pixels) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = SLOTS, o.type = type, o.keep_pixels = keep_pixels;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    return frames;
}

/* Painted half a pixel to the left, so that what repeats at the right counts. */
static void paint_slot(endo_context *context, const endo_frames *frames, endo_pixel type, int32_t slot, uint32_t *pixels) {
    const endo_transform pose = {ENDO_TRANSFORM_TRANSLATION, {1, 0, -0.5, 0, 1, -0.5, 0, 0, 1}};
    endo_canvas *canvas = NULL;
    memset(pixels, 0, WIDTH * HEIGHT * sizeof *pixels);
    CHECK(endo_canvas_create(context, type, WIDTH, HEIGHT, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, POSED(&slot, &pose, .n = 1), ENDO_PAINT_UNION) == ENDO_OK);
    CHECK(endo_canvas_read(canvas, 0, 0, WIDTH, HEIGHT, pixels, NULL) == ENDO_OK);
    endo_canvas_destroy(&canvas);
}

static void check_same(endo_context *context, const endo_frames *a, const endo_frames *b, endo_pixel type, int paints) {
    static uint8_t grey[2][WIDTH * HEIGHT];
    static uint32_t pixels[2][WIDTH * HEIGHT];
    for (int i = 0; i < IMAGES; i++) {
        CHECK(endo_frames_get_grey(a, targets[i], grey[0]) == ENDO_OK);
        CHECK(endo_frames_get_grey(b, targets[i], grey[1]) == ENDO_OK);
        CHECK(memcmp(grey[0], grey[1], sizeof grey[0]) == 0);
        if (!paints) continue;
        paint_slot(context, a, type, targets[i], pixels[0]);
        paint_slot(context, b, type, targets[i], pixels[1]);
        CHECK(memcmp(pixels[0], pixels[1], sizeof pixels[0]) == 0);
    }
}

/* Images that were put before are replaced, and forgotten. */
static void test_list(endo_context *context, endo_pixel type, int keep_pixels) {
    enum { AREA = STRIDE * HEIGHT };
    static uint32_t memory[IMAGES * AREA];
    const void *images[IMAGES] = {memory, memory + AREA, memory + 2 * AREA};
    const void *old[IMAGES] = {images[1], images[2], images[0]};
    for (size_t i = 0; i < (size_t)IMAGES * AREA; i++) memory[i] = (uint32_t)(i * 2654435761u);
    endo_frames *one = make_store(context, type, keep_pixels), *list = make_store(context, type, keep_pixels);
    for (int i = 0; i < IMAGES; i++) CHECK(endo_frames_put(one, targets[i], images[i], STRIDE) == ENDO_OK);
    CHECK(endo_frames_put_list(list, targets, IMAGES, old, STRIDE) == ENDO_OK);
    uint8_t grey[WIDTH * HEIGHT];
    for (int i = 0; i < IMAGES; i++) CHECK(endo_frames_get_grey(list, targets[i], grey) == ENDO_OK);
    CHECK(endo_frames_put_list(list, targets, IMAGES, images, STRIDE) == ENDO_OK);
    check_same(context, one, list, type, keep_pixels);
    CHECK(endo_frames_get_grey(list, 1, grey) == ENDO_ERR_ARGUMENT); /* none of theirs */
    endo_frames_destroy(&one);
    endo_frames_destroy(&list);
}

static void test_list_refusals(endo_context *context) {
    static uint32_t memory[WIDTH * HEIGHT];
    static const int32_t twice[] = {1, 0, 1}, beyond[] = {0, 1, SLOTS};
    const void *images[] = {memory, memory, memory}, *missing[] = {memory, memory, NULL};
    uint8_t grey[WIDTH * HEIGHT];
    endo_frames *frames = make_store(context, ENDO_RGB32, 1);
    CHECK(endo_frames_put_list(frames, twice, 3, images, WIDTH) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "slot 1 comes twice") != NULL);
    CHECK(endo_frames_put_list(frames, beyond, 3, images, WIDTH) == ENDO_ERR_ARGUMENT);
    CHECK(endo_frames_put_list(frames, targets, 3, missing, WIDTH) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "image 2 is NULL") != NULL);
    CHECK(endo_frames_put_list(frames, targets, 3, images, WIDTH - 1) == ENDO_ERR_ARGUMENT);
    CHECK(endo_frames_put_list(frames, NULL, 1, images, WIDTH) == ENDO_ERR_ARGUMENT);
    for (int slot = 0; slot < SLOTS; slot++) CHECK(endo_frames_get_grey(frames, slot, grey) == ENDO_ERR_ARGUMENT);
    CHECK(endo_frames_put_list(frames, NULL, 0, NULL, WIDTH) == ENDO_OK);
    endo_frames_destroy(&frames);
}

static uint32_t pixel_of(int frame, int i) { return 0xff000000u | ((uint32_t)(i + 977 * frame) * 2654435761u >> 8); }

static void put_frame(endo_frames *frames, int frame) {
    static uint32_t pixels[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) pixels[i] = pixel_of(frame, i);
    CHECK(endo_frames_put(frames, 0, pixels, WIDTH) == ENDO_OK);
}

static int wrong_greys(endo_frames *frames, int frame) {
    static uint8_t grey[WIDTH * HEIGHT];
    int wrong = 0;
    CHECK(endo_frames_get_grey(frames, 0, grey) == ENDO_OK);
    for (int i = 0; i < WIDTH * HEIGHT; i++) wrong += grey[i] != endo_grey_of_rgb(pixel_of(frame, i));
    return wrong;
}

/* One frame after another in a slot, some of which nobody matches. */
static void test_turns(endo_context *context, int capacity) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = WIDTH, o.height = HEIGHT, o.capacity = capacity, o.type = ENDO_RGB32;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int frame = 0; frame < 12; frame++) {
        put_frame(frames, frame);
        if (frame % 4 != 1) CHECK(wrong_greys(frames, frame) == 0);
    }
    endo_frames_destroy(&frames);
}

/* The quality of pairs of frames of a size; the context has met frames of another size before, or none. */
static double agreement(endo_context *context, int width, int height) {
    endo_frames_options o = endo_frames_options_default();
    const endo_pair pairs[] = {{0, 1}, {1, 0}, {0, 1}};
    const endo_transform pose = {ENDO_TRANSFORM_TRANSLATION, {1, 0, 0.5, 0, 1, 0.25, 0, 0, 1}}, poses[] = {pose, pose, pose};
    uint32_t *pixels = malloc((size_t)width * (size_t)height * sizeof *pixels);
    endo_frames *frames = NULL;
    double quality[3] = {0};
    o.width = width, o.height = height, o.capacity = 2, o.type = ENDO_RGB32;
    CHECK(pixels && endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int slot = 0; slot < 2 && pixels; slot++) {
        for (int i = 0; i < width * height; i++) pixels[i] = pixel_of(7, i / 64) + (uint32_t)(i % 5 * slot);
        CHECK(endo_frames_put(frames, slot, pixels, width) == ENDO_OK);
    }
    CHECK(endo_quality_measure(frames, pairs, poses, 3, quality) == ENDO_OK);
    endo_frames_destroy(&frames);
    free(pixels);
    return quality[0] + quality[1] + quality[2];
}

static void test_sizes(int backend) {
    endo_context *fresh = test_open(backend), *used = test_open(backend);
    if (fresh && used) {
        double small = agreement(used, WIDTH, HEIGHT), wanted = agreement(fresh, 900, 700), large = agreement(used, 900, 700);
        CHECK(small > -3 && large == wanted);
        CHECK(agreement(used, WIDTH, HEIGHT) == small);
    }
    endo_context_destroy(&fresh);
    endo_context_destroy(&used);
}

/* -------------------------------------------------------------- colours of files */

/* Rows so long that they are written past the caches, from any place on; nothing is written before or behind them. */
static void test_many_colours(void) {
    enum { LEAST = 4090, MOST = 4110, PLACES = 9 };
    static uint8_t bytes[3 * MOST];
    static uint32_t all[MOST + PLACES + 1];
    for (int i = 0; i < 3 * MOST; i++) bytes[i] = (uint8_t)(i * 37 + (i >> 8) + 11);
    for (int place = 1; place < PLACES; place++)
        for (int n = LEAST; n <= MOST; n++) {
            uint32_t *pixels = all + place;
            int wrong = 0;
            memset(all, 0, sizeof all);
            pixels[-1] = pixels[n] = 77;
            CHECK(endo_colours_from_bytes(bytes, 3, (size_t)n, pixels) == ENDO_OK);
            for (int i = 0; i < n; i++) {
                const uint8_t *b = bytes + 3 * i;
                wrong += pixels[i] != 255u * 0x1000000 + b[0] * 0x10000u + b[1] * 0x100u + b[2];
            }
            CHECK(wrong == 0 && pixels[-1] == 77 && pixels[n] == 77);
        }
}

/* Rows of any length, behind which nothing is written. */
static void test_colours(void) {
    enum { MOST = 100, SAMPLES = 5 };
    static uint8_t bytes[MOST * SAMPLES];
    static uint32_t pixels[MOST + 1];
    for (int i = 0; i < MOST * SAMPLES; i++) bytes[i] = (uint8_t)(i * 37 + 11);
    for (int samples = 3; samples <= SAMPLES; samples++)
        for (int n = 0; n <= MOST; n++) {
            int wrong = 0;
            pixels[n] = 77;
            CHECK(endo_colours_from_bytes(bytes, samples, (size_t)n, pixels) == ENDO_OK);
            for (int i = 0; i < n; i++) {
                const uint8_t *b = bytes + i * samples;
                wrong += pixels[i] != 255u * 0x1000000 + b[0] * 0x10000u + b[1] * 0x100u + b[2];
            }
            CHECK(wrong == 0 && pixels[n] == 77);
        }
    test_many_colours();
    CHECK(endo_colours_from_bytes(bytes, 2, 1, pixels) == ENDO_ERR_ARGUMENT);
    CHECK(endo_colours_from_bytes(bytes, 65536, 1, pixels) == ENDO_ERR_ARGUMENT);
    CHECK(endo_colours_from_bytes(NULL, 3, 1, pixels) == ENDO_ERR_ARGUMENT);
    CHECK(endo_colours_from_bytes(bytes, 3, 1, NULL) == ENDO_ERR_ARGUMENT);
}

int main(void) {
    test_colours();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_rim(context);
        for (int type = 0; type < 3; type++) {
            test_list(context, (endo_pixel)type, 1);
            test_list(context, (endo_pixel)type, 0);
        }
        test_list_refusals(context);
        test_turns(context, 1);
        test_turns(context, 1400); /* more pixels than caches hold */
        endo_context_destroy(&context);
        test_sizes(i);
    }
    return check_summary("test_frames");
}
