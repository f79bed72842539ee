/* The check of canvases: painting, growth, reading, with guard bands around what is read. */
#include "endo_check.h"

#include <stdio.h>
#include <string.h>

#define GUARD 64

typedef struct reading {
    uint8_t *pixels, *painted; /* with GUARD bytes of 0xc3 on either side */
    size_t area, bytes;
} reading;

static reading reading_create(int width, int height, endo_pixel type) {
    reading r = {.area = (size_t)width * height};
    r.bytes = r.area * endo_pixel_size(type);
    r.pixels = endo_alloc(r.bytes + 2 * GUARD, 1);
    r.painted = endo_alloc(r.area + 2 * GUARD, 1);
    memset(r.pixels, 0xc3, r.bytes + 2 * GUARD);
    memset(r.painted, 0xc3, r.area + 2 * GUARD);
    return r;
}

static void reading_free(reading *r) {
    endo_free(r->pixels);
    endo_free(r->painted);
}

static int paint_and_read(check_rig *rig, endo_context *context, endo_frames *frames, const endo_transform *maps,
                          endo_painting painting, int width, int height, reading *out) {
    static const int32_t slots[] = {0, 1, 0};
    endo_canvas *canvas = NULL;
    int small_w = (width + 1) / 2, small_h = (height + 1) / 2;
    endo_status status = endo_canvas_create(context, rig->c->type, small_w, small_h, &canvas);
    if (status == ENDO_OK) status = endo_canvas_paint(canvas, frames, slots, maps, 1, 0, 0, painting);
    if (status == ENDO_OK) status = endo_canvas_resize(canvas, width, height, width / 4, -height / 8);
    if (status == ENDO_OK) status = endo_canvas_paint(canvas, frames, slots + 1, maps + 1, 2, 0, 0, painting);
    if (status == ENDO_OK)
        status = endo_canvas_read(canvas, 0, 0, width, height, out->pixels + GUARD, out->painted + GUARD);
    endo_canvas_destroy(&canvas);
    return status == ENDO_OK;
}

static int compare(check_rig *rig, endo_painting painting, char *text, size_t size) {
    int width = rig->c->width + 9, height = rig->c->height + 5, failed = 0;
    endo_transform maps[3] = {{ENDO_TRANSFORM_TRANSLATION, {1, 0, 2, 0, 1, 1, 0, 0, 1}}};
    reading a = reading_create(width, height, rig->c->type), b = reading_create(width, height, rig->c->type);
    for (int i = 1; i < 3; i++) maps[i] = check_random_map(rig);
    if (!paint_and_read(rig, rig->reference_context, rig->reference, maps, painting, width, height, &a) ||
        !paint_and_read(rig, rig->tested_context, rig->tested, maps, painting, width, height, &b)) {
        snprintf(text, size, "paint: %s", endo_last_error());
        failed = 1;
    } else {
        long pixel = check_difference(a.pixels, b.pixels, a.bytes + 2 * GUARD);
        long painted = check_difference(a.painted, b.painted, a.area + 2 * GUARD);
        failed = pixel >= 0 || painted >= 0;
        if (failed)
            snprintf(text, size, "canvas %d x %d, painting %d: pixel byte %ld, painted byte %ld differ (-%d: guard)",
                     width, height, painting, pixel, painted, GUARD);
    }
    reading_free(&a);
    reading_free(&b);
    return failed;
}

int check_paint(check_rig *rig, char *text, size_t size) {
    return compare(rig, ENDO_PAINT_UNION, text, size) || compare(rig, ENDO_PAINT_RING, text, size);
}
