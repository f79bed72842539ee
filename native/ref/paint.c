/* Painting frames onto a canvas, [S] Table A.1 (XMethod, erode_rim). */
#include "ref.h"

#include <string.h>

static void ref_canvas_destroy(void *canvas);

static endo_status ref_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    (void)backend;
    size_t area = (size_t)width * height;
    ref_canvas *c = endo_alloc_zeroed(1, sizeof *c);
    if (c) {
        c->type = type, c->width = width, c->height = height;
        c->pixels = endo_alloc_zeroed(area, endo_pixel_size(type));
        c->painted = endo_alloc_zeroed(area, 1);
    }
    if (!c || !c->pixels || !c->painted) {
        ref_canvas_destroy(c);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas of %d x %d", width, height);
    }
    *canvas = c;
    return ENDO_OK;
}

static void ref_canvas_destroy(void *canvas) {
    ref_canvas *c = canvas;
    if (!c) return;
    endo_free(c->pixels);
    endo_free(c->painted);
    endo_free(c);
}

static endo_status ref_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    ref_canvas *c = canvas;
    size_t size = endo_pixel_size(c->type);
    void *made;
    ENDO_TRY(ref_canvas_create(NULL, c->type, width, height, &made));
    ref_canvas *larger = made;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            int64_t u = (int64_t)x + dx, v = (int64_t)y + dy;
            if (u < 0 || v < 0 || u >= width || v >= height) continue;
            size_t from = (size_t)y * c->width + x, to = (size_t)v * width + (size_t)u;
            memcpy(larger->pixels + to * size, c->pixels + from * size, size);
            larger->painted[to] = c->painted[from];
        }
    ref_canvas old = *c;
    *c = *larger;
    *larger = old;
    ref_canvas_destroy(larger);
    return ENDO_OK;
}

static endo_status ref_canvas_clear(void *canvas) {
    ref_canvas *c = canvas;
    memset(c->pixels, 0, (size_t)c->width * c->height * endo_pixel_size(c->type));
    memset(c->painted, 0, (size_t)c->width * c->height);
    return ENDO_OK;
}

static uint32_t bilinear_rgb(const uint32_t *top, const uint32_t *bottom, const ref_sample *p) {
    uint32_t rgb = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) {
        int32_t value = endo_bilinear(top[p->x] >> shift & 255, top[p->x1] >> shift & 255,
                                      bottom[p->x] >> shift & 255, bottom[p->x1] >> shift & 255, p->fx, p->fy);
        rgb |= (uint32_t)value << shift;
    }
    return rgb;
}

static void paint_pixel(ref_canvas *c, size_t to, const ref_store *s, const void *pixels, const ref_sample *p) {
    size_t top = (size_t)p->y * s->options.width, bottom = (size_t)p->y1 * s->options.width;
    if (c->type == ENDO_RGB32) {
        const uint32_t *rgb = pixels;
        ((uint32_t *)c->pixels)[to] = bilinear_rgb(rgb + top, rgb + bottom, p);
    } else if (c->type == ENDO_GREY16) {
        const uint16_t *t = (const uint16_t *)pixels + top, *b = (const uint16_t *)pixels + bottom;
        ((uint16_t *)c->pixels)[to] = (uint16_t)endo_bilinear16(t[p->x], t[p->x1], b[p->x], b[p->x1], p->fx, p->fy);
    } else {
        const uint8_t *t = (const uint8_t *)pixels + top, *b = (const uint8_t *)pixels + bottom;
        c->pixels[to] = (uint8_t)endo_bilinear(t[p->x], t[p->x1], b[p->x], b[p->x1], p->fx, p->fy);
    }
    c->painted[to] = 255;
}

/* The pixels that have a weight lie in the field less its rim: the same on all its sides. */
static int may_paint(const ref_store *s, const ref_sample *p) {
    int right = p->fx ? p->x1 : p->x, below = p->fy ? p->y1 : p->y, width = s->options.width;
    const uint8_t *top = s->paint_field + (size_t)p->y * width, *bottom = s->paint_field + (size_t)below * width;
    return top[p->x] && top[right] && bottom[p->x] && bottom[right];
}

static endo_status ref_canvas_paint(void *canvas, const void *store, int slot, const endo_canvas_map *map,
                             endo_painting painting) {
    ref_canvas *c = canvas;
    const ref_store *s = store;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            size_t to = (size_t)y * c->width + x;
            endo_fixed_affine local;
            ref_sample p;
            if (painting == ENDO_PAINT_RING && c->painted[to]) continue;
            if (!endo_canvas_map_at(map, x, y, 0, &local)) continue;
            if (!ref_locate(&local, x, y, s->options.width, s->options.height, &p) || !may_paint(s, &p)) continue;
            paint_pixel(c, to, s, s->frames[slot].pixels, &p);
        }
    return ENDO_OK;
}

static endo_status ref_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    ref_canvas *c = canvas;
    size_t size = endo_pixel_size(c->type);
    for (int v = 0; v < height; v++) {
        size_t from = (size_t)(y + v) * c->width + x, to = (size_t)v * width;
        memcpy((uint8_t *)pixels + to * size, c->pixels + from * size, (size_t)width * size);
        if (painted) memcpy(painted + to, c->painted + from, width);
    }
    return ENDO_OK;
}

const endo_canvas_kernels ref_canvas_kernels = {
    .create = ref_canvas_create,
    .destroy = ref_canvas_destroy,
    .resize = ref_canvas_resize,
    .clear = ref_canvas_clear,
    .paint = ref_canvas_paint,
    .read = ref_canvas_read,
};
