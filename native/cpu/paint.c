/* Canvases in host memory, painted row by row ([S] Table A.1: XMethod, erode_rim). */
#include "cpu.h"

#include "../base/span.h"

#include <string.h>

typedef struct cpu_canvas {
    const cpu_backend *backend;
    endo_pixel type;
    int width, height;
    uint8_t *pixels, *painted;
} cpu_canvas;

static void cpu_canvas_destroy(void *canvas);

static endo_status cpu_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    size_t area = (size_t)width * height;
    cpu_canvas *c = endo_alloc_zeroed(1, sizeof *c);
    if (c) {
        c->backend = backend;
        c->type = type, c->width = width, c->height = height;
        c->pixels = endo_alloc_zeroed(area, endo_pixel_size(type));
        c->painted = endo_alloc_zeroed(area, 1);
    }
    if (!c || !c->pixels || !c->painted) {
        cpu_canvas_destroy(c);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas of %d x %d", width, height);
    }
    *canvas = c;
    return ENDO_OK;
}

static void cpu_canvas_destroy(void *canvas) {
    cpu_canvas *c = canvas;
    if (!c) return;
    endo_free(c->pixels);
    endo_free(c->painted);
    endo_free(c);
}

static void copy_overlap(const cpu_canvas *from, cpu_canvas *to, int dx, int dy) {
    size_t size = endo_pixel_size(from->type);
    int64_t left = dx < 0 ? -(int64_t)dx : 0;
    int64_t right = (int64_t)to->width - dx < from->width ? (int64_t)to->width - dx : from->width;
    if (left >= right) return;
    for (int y = 0; y < from->height; y++) {
        int64_t v = (int64_t)y + dy;
        if (v < 0 || v >= to->height) continue;
        size_t in = (size_t)y * from->width + left, out = (size_t)v * to->width + (size_t)(left + dx);
        memcpy(to->pixels + out * size, from->pixels + in * size, (size_t)(right - left) * size);
        memcpy(to->painted + out, from->painted + in, (size_t)(right - left));
    }
}

static endo_status cpu_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    cpu_canvas *c = canvas;
    void *made;
    endo_status status = cpu_canvas_create((void *)c->backend, c->type, width, height, &made);
    if (status != ENDO_OK) return status;
    copy_overlap(c, made, dx, dy);
    cpu_canvas old = *c;
    *c = *(cpu_canvas *)made;
    *(cpu_canvas *)made = old;
    cpu_canvas_destroy(made);
    return ENDO_OK;
}

static endo_status cpu_canvas_clear(void *canvas) {
    cpu_canvas *c = canvas;
    memset(c->pixels, 0, (size_t)c->width * c->height * endo_pixel_size(c->type));
    memset(c->painted, 0, (size_t)c->width * c->height);
    return ENDO_OK;
}

static void paint_row(const cpu_canvas *c, const cpu_store *s, const cpu_frame *f, const endo_fixed_affine *map, int y,
                      int ring) {
    int from = 0, to = c->width;
    endo_row_span(map, y, s->options.width, s->options.height, &from, &to);
    if (from >= to) return;
    size_t at = (size_t)y * c->width + from;
    cpu_warp_row row = {f->pixels, s->field->paint_quads, s->stride, map->m[0] * from + map->m[1] * y + map->m[2],
                        map->m[3] * from + map->m[4] * y + map->m[5], map->m[0], map->m[3], to - from};
    s->backend->variant->warp->paint_row(&row, c->type, ring, c->pixels + at * endo_pixel_size(c->type), c->painted + at);
}

static endo_status cpu_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                             endo_painting painting) {
    cpu_canvas *c = canvas;
    const cpu_store *s = store;
    size_t pieces = (size_t)s->options.width * s->options.height / CPU_PIXELS_A_THREAD;
#pragma omp parallel for num_threads(cpu_threads(c->backend, pieces)) schedule(dynamic, 16)
    for (int y = 0; y < c->height; y++) paint_row(c, s, &s->frames[slot], map, y, painting == ENDO_PAINT_RING);
    return ENDO_OK;
}

static endo_status cpu_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    const cpu_canvas *c = canvas;
    size_t size = endo_pixel_size(c->type);
    for (int v = 0; v < height; v++) {
        size_t from = (size_t)(y + v) * c->width + x, to = (size_t)v * width;
        memcpy((uint8_t *)pixels + to * size, c->pixels + from * size, (size_t)width * size);
        if (painted) memcpy(painted + to, c->painted + from, width);
    }
    return ENDO_OK;
}

const endo_canvas_kernels cpu_canvas_kernels = {
    .create = cpu_canvas_create,
    .destroy = cpu_canvas_destroy,
    .resize = cpu_canvas_resize,
    .clear = cpu_canvas_clear,
    .paint = cpu_canvas_paint,
    .read = cpu_canvas_read,
};
