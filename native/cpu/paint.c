/* Canvases in host memory, in tiles, painted row by row ([S] Table A.1: XMethod, erode_rim). */
#include "cpu.h"

#include "../base/span.h"
#include "tiles.h"

#include <string.h>

/* A tile is its pixels, then its marks. */
typedef struct cpu_canvas {
    const cpu_backend *backend;
    endo_pixel type;
    size_t size; /* bytes of a pixel */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
} cpu_canvas;

static endo_status cpu_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    cpu_canvas *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas of %d x %d", width, height);
    endo_slab_source source = cpu_slab_source(&c->tiles);
    c->backend = backend;
    c->type = type, c->size = endo_pixel_size(type);
    endo_canvas_tiles_init(&c->tiles, width, height, ENDO_TILE_PIXELS * (c->size + 1), &source);
    *canvas = c;
    return ENDO_OK;
}

static void cpu_canvas_destroy(void *canvas) {
    cpu_canvas *c = canvas;
    if (!c) return;
    endo_canvas_tiles_free(&c->tiles);
    endo_reach_free(&c->reach);
    endo_free(c);
}

static uint8_t *marks_of(const cpu_canvas *c, uint8_t *tile) { return tile + ENDO_TILE_PIXELS * c->size; }

static endo_status clear_part(void *owner, uint8_t *tile, int x, int y, int width, int height) {
    const cpu_canvas *c = owner;
    for (int v = y; v < y + height; v++) {
        size_t at = (size_t)v * ENDO_TILE_WIDTH + (size_t)x;
        memset(tile + at * c->size, 0, (size_t)width * c->size);
        memset(marks_of(c, tile) + at, 0, (size_t)width);
    }
    return ENDO_OK;
}

static endo_status cpu_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    cpu_canvas *c = canvas;
    return endo_canvas_tiles_resize(&c->tiles, width, height, dx, dy, clear_part, c);
}

static endo_status cpu_canvas_clear(void *canvas) {
    endo_canvas_tiles_clear(&((cpu_canvas *)canvas)->tiles);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- paint */

typedef struct painting_job {
    cpu_canvas *canvas;
    const cpu_store *store;
    const uint8_t *pixels; /* of the frame */
    const endo_fixed_affine *map;
    int ring;
} painting_job;

/* The frame's pixels of a row, as runs that end where a tile does. */
static void paint_row(const painting_job *j, int y) {
    const cpu_canvas *c = j->canvas;
    const endo_canvas_place *p = &c->tiles.place;
    const endo_tile_band *band = &c->reach.bands[endo_tile_row(p->top + y) - c->reach.bands[0].row];
    const int64_t *m = j->map->m, left = p->left - band->column * ENDO_TILE_WIDTH; /* of the canvas, in the band */
    size_t row = (size_t)(p->top + y - band->row * ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH;
    int x = band->left, to = band->right;
    endo_row_span(j->map, y, j->store->options.width, j->store->options.height, &x, &to);
    while (x < to) {
        size_t number = (size_t)(left + x) / ENDO_TILE_WIDTH, column = (size_t)(left + x) % ENDO_TILE_WIDTH;
        int rest = (int)(ENDO_TILE_WIDTH - column), n = to - x < rest ? to - x : rest;
        uint8_t *tile = c->reach.memory[band->first + number];
        cpu_warp_row run = {j->pixels, j->store->field->paint_quads, j->store->stride, m[0] * x + m[1] * y + m[2],
                            m[3] * x + m[4] * y + m[5], m[0], m[3], n};
        c->backend->variant->warp->paint_row(&run, c->type, j->ring, tile + (row + column) * c->size,
                                       marks_of(c, tile) + row + column);
        x += n;
    }
}

static endo_status cpu_canvas_paint(void *canvas, const void *store, int slot, const endo_fixed_affine *map,
                                    endo_painting painting) {
    cpu_canvas *c = canvas;
    const cpu_store *s = store;
    int width = s->options.width, height = s->options.height;
    int threads = cpu_threads(c->backend, (size_t)width * height / CPU_PIXELS_A_THREAD);
    const endo_reach *reach = &c->reach;
    endo_status status = cpu_take_tiles(&c->tiles, &c->reach, &s->options, map, threads);
    if (status != ENDO_OK || !reach->n_bands) return status;
    painting_job job = {c, s, s->frames[slot].pixels, map, painting == ENDO_PAINT_RING};
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int y = reach->bands[0].top; y < reach->bands[reach->n_bands - 1].bottom; y++) paint_row(&job, y);
    return ENDO_OK;
}

static endo_status cpu_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    const cpu_canvas *c = canvas;
    endo_tile_walk walk = {&c->tiles.place, x, y, width, height, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);) {
        uint8_t *tile = endo_canvas_tile(&c->tiles, p.column, p.row);
        for (int v = 0; v < p.height; v++) {
            size_t from = (size_t)(p.y + v) * ENDO_TILE_WIDTH + (size_t)p.x, to = (size_t)(p.top + v) * width + p.left;
            uint8_t *out = (uint8_t *)pixels + to * c->size;
            if (tile) memcpy(out, tile + from * c->size, (size_t)p.width * c->size);
            else memset(out, 0, (size_t)p.width * c->size);
            if (painted && tile) memcpy(painted + to, marks_of(c, tile) + from, (size_t)p.width);
            else if (painted) memset(painted + to, 0, (size_t)p.width);
        }
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
