/* Calls about canvases: sizes, origins and rectangles anywhere. */
#include "fuzz_stores.h"

#include <stdlib.h>

static int within_pixels(int width, int height) {
    return width < 1 || height < 1 || (int64_t)width * height <= FUZZ_PIXELS * 4;
}

void fuzz_make_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_canvas *made = NULL;
    endo_pixel type = s->frames && !fuzz_one_in(in, 8) ? s->options.type : (endo_pixel)fuzz_wild(in, 0, 2);
    int width = fuzz_wild(in, 1, 400), height = fuzz_wild(in, 1, 400);
    if (!within_pixels(width, height)) return;
    endo_status status = endo_canvas_create(s->context, type, width, height, &made);
    fuzz_checked(status, NULL, 0, "endo_canvas_create");
    if (status != ENDO_OK) return;
    endo_canvas_destroy(&s->canvas);
    s->canvas = made, s->canvas_type = type;
    s->canvas_width = width, s->canvas_height = height;
}

void fuzz_resize_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int width = fuzz_wild(in, 1, 400), height = fuzz_wild(in, 1, 400);
    if (!s->canvas || !within_pixels(width, height)) return;
    endo_status status = endo_canvas_resize(s->canvas, width, height, fuzz_wild(in, -400, 400),
                                            fuzz_wild(in, -400, 400));
    fuzz_checked(status, NULL, 0, "endo_canvas_resize");
    if (status == ENDO_OK) s->canvas_width = width, s->canvas_height = height;
}

void fuzz_clear_canvas(fuzz_session *s) {
    if (s->canvas) fuzz_checked(endo_canvas_clear(s->canvas), NULL, 0, "endo_canvas_clear");
}

#define LARGEST_ORIGIN ((int64_t)1 << 21)

static int64_t abs_of(int64_t v) { return v < 0 ? -v : v; }

/* Where the panorama's (0, 0) lies: mostly on the canvas or near it, now and then at the limit or beyond. */
static int origin(fuzz_input *in, int size) {
    static const int far[] = {1 << 21, -(1 << 21), (1 << 21) + 1, -(1 << 21) - 1, (1 << 21) - 1, 65537, -65537, 0};
    if (fuzz_one_in(in, 16)) return far[fuzz_byte(in) % 8];
    return fuzz_one_in(in, 3) ? 0 : fuzz_wild(in, -size, 2 * size);
}

void fuzz_paint(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int32_t slots[3];
    endo_transform poses[3];
    size_t n = (size_t)fuzz_between(in, 0, 3);
    if (!s->canvas || !s->frames) return;
    for (size_t i = 0; i < n; i++) {
        slots[i] = fuzz_wild(in, 0, s->options.capacity > 1);
        poses[i] = fuzz_transform(in, s->canvas_width);
    }
    endo_painting painting = (endo_painting)fuzz_wild(in, 1, 2);
    const endo_posed_frames posed = {
        .slots = slots,
        .transforms = poses,
        .weights = fuzz_one_in(in, 60) ? slots : NULL,
        .n = n,
        .origin_x = origin(in, s->canvas_width),
        .origin_y = origin(in, s->canvas_height),
    };
    endo_status status = endo_canvas_paint(s->canvas, s->frames, &posed, painting);
    fuzz_checked(status, NULL, 0, "endo_canvas_paint");
    if (abs_of(posed.origin_x) > LARGEST_ORIGIN || abs_of(posed.origin_y) > LARGEST_ORIGIN)
        fuzz_require(status != ENDO_OK, "an origin far outside was taken");
    fuzz_require(status != ENDO_OK || !posed.weights, "a canvas took weights");
}

/* Colours of painted pixels are opaque, and what is not painted is 0. */
static void check_pixels(const fuzz_session *s, const void *pixels, const uint8_t *painted, size_t area) {
    for (size_t i = 0; i < area; i++) {
        fuzz_require(painted[i] == 0 || painted[i] == 255, "a painted flag that is neither 0 nor 255");
        if (s->canvas_type != ENDO_RGB32) continue;
        uint32_t pixel = ((const uint32_t *)pixels)[i];
        fuzz_require(painted[i] ? pixel >> 24 == 255 : pixel == 0, "a pixel and its painted flag disagree");
    }
}

void fuzz_read_canvas(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->canvas) return;
    int x = fuzz_wild(in, 0, s->canvas_width - 1), y = fuzz_wild(in, 0, s->canvas_height - 1);
    int inside = x >= 0 && y >= 0 && x < s->canvas_width && y < s->canvas_height;
    int width = fuzz_wild(in, 1, inside ? s->canvas_width - x : 9);
    int height = fuzz_wild(in, 1, inside ? s->canvas_height - y : 9);
    size_t area = width > 0 && height > 0 && width <= s->canvas_width && height <= s->canvas_height
                      ? (size_t)width * (size_t)height
                      : 1;
    size_t bytes = area * endo_pixel_size(s->canvas_type);
    void *pixels = fuzz_output(bytes);
    uint8_t *painted = fuzz_one_in(in, 4) ? NULL : fuzz_output(area);
    endo_status status = endo_canvas_read(s->canvas, x, y, width, height, pixels, painted);
    fuzz_checked(status, pixels, bytes, "endo_canvas_read");
    if (status == ENDO_OK && painted) check_pixels(s, pixels, painted, area);
    free(pixels);
    free(painted);
}
