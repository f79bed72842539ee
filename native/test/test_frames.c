/* Frame stores: what painting leaves out along the field's rim, on every back end of the CPU. */
#include "backends.h"

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
static int in_reach(double place, int from, int n, int left_out) {
    return place >= from + left_out && place <= from + n - 1 - left_out;
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
    const endo_transform place = {ENDO_TRANSFORM_TRANSLATION, {1, 0, c->dx, 0, 1, c->dy, 0, 0, 1}};
    const int32_t slot = 0;
    endo_frames *frames = make_frames(context, c);
    endo_canvas *canvas = NULL;
    CHECK(endo_canvas_create(context, c->type, WIDTH, HEIGHT, &canvas) == ENDO_OK);
    CHECK(endo_canvas_paint(canvas, frames, &slot, &place, 1, 0, 0, ENDO_PAINT_UNION) == ENDO_OK);
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
    static const double places[][2] = {{0, 0}, {3, -2}, {0.5, 0}, {0, 0.5}, {-0.5, 0.25}, {1.0 / 256, -1.0 / 256}};
    static const endo_region fields[] = {{0, 0, WIDTH, HEIGHT}, {9, 11, 33, 25}};
    for (int i = 0; i < 6 * 6 * 2 * 3; i++) {
        const int *rim = rims[i % 6];
        const double *place = places[i / 6 % 6];
        rim_case c = {rim[0], rim[1], place[0], place[1], (endo_pixel)(i / 72), fields[i / 36 % 2]};
        paint_rim(context, &c);
    }
}

int main(void) {
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_rim(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_frames");
}
