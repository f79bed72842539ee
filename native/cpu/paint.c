/* Canvases in host memory, in tiles, painted row by row ([S] Table A.1: XMethod, erode_rim). */
#include "cpu.h"

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

/* Frames of a list, which a row takes together: nothing is sampled that a later frame covers. */
typedef struct painting_job {
    const cpu_canvas *canvas;
    const cpu_store *store;
    const int32_t *slots;
    const endo_canvas_map *maps;
    int n, ring;
    int top[ENDO_PAINT_LIST], bottom[ENDO_PAINT_LIST]; /* rows of the canvas that a frame may reach */
    cpu_outline_lines outlines[ENDO_PAINT_LIST];
} painting_job;

/* The pixels from .. to - 1 of a row of the canvas that each frame may paint, and the span of all of them. */
typedef struct row_spans {
    int from[ENDO_PAINT_LIST], to[ENDO_PAINT_LIST];
    int left, right;
} row_spans;

/* A row's pixels of one tile. done: those that are not painted any more. */
typedef struct tile_row {
    uint8_t *pixels, *marks, *done;
    int x, n, y; /* of the canvas */
} tile_row;

static void find_spans(const painting_job *j, int y, row_spans *s) {
    s->left = j->canvas->tiles.extent.width, s->right = 0;
    for (int i = 0; i < j->n; i++) {
        s->from[i] = 0, s->to[i] = j->canvas->tiles.extent.width;
        if (y < j->top[i] || y >= j->bottom[i]) s->to[i] = 0;
        else endo_canvas_span(&j->maps[i], y, y + 1, j->store->options.width, j->store->options.height, &s->from[i], &s->to[i]);
        if (s->from[i] < s->to[i]) cpu_outline_clip(&j->outlines[i], y, &s->from[i], &s->to[i]);
        if (s->from[i] >= s->to[i]) continue;
        if (s->from[i] < s->left) s->left = s->from[i];
        if (s->to[i] > s->right) s->right = s->to[i];
    }
}

/* The next pixel that is open to painting. */
static int next_open(const uint8_t *done, int from, int to) {
    const uint8_t *at = memchr(done + from, 0, (size_t)(to - from));
    return at ? (int)(at - done) : to;
}

/* The end of a run that begins with an open pixel: where 32 pixels in a row are painted already. */
static int next_done(const uint8_t *done, int from, int to) {
    enum { WORDS = 4 };
    uint64_t words[WORDS];
    for (; from + (int)sizeof words <= to; from += (int)sizeof words) {
        memcpy(words, done + from, sizeof words);
        if ((words[0] & words[1] & words[2] & words[3]) == UINT64_MAX) return from;
    }
    return to;
}

/* Paints pixels from .. to - 1 of a row of a tile, all of which lie in frame i. */
static void paint_run(const painting_job *j, int i, const tile_row *t, const int64_t *m, int from, int to) {
    const cpu_canvas *c = j->canvas;
    int x = t->x + from;
    cpu_warp_row run = {j->store->frames[j->slots[i]].pixels, j->store->field->paint_bilinear, j->store->stride,
                        m[0] * x + m[1] * t->y + m[2], m[3] * x + m[4] * t->y + m[5], m[0], m[3], to - from};
    c->backend->variant->warp->paint_row(&run, c->type, t->pixels + (size_t)from * c->size, t->done + from);
}

/* Paints those of pixels from .. to - 1 of a row of a tile that lie in frame i, whose map is a homography. */
static void paint_projected(const painting_job *j, int i, const tile_row *t, int from, int to) {
    const endo_frames_options *o = &j->store->options;
    endo_run_walk walk = {&j->maps[i].projection, t->y, 0, o->width, o->height, t->x + from, t->x + to};
    for (endo_projected_run run; endo_run_next(&walk, &run);) paint_run(j, i, t, run.map.m, run.from - t->x, run.to - t->x);
}

/* Paints with frame i those of pixels from .. to - 1 of a row of a tile that no frame has painted yet. */
static void paint_frame(const painting_job *j, int i, const tile_row *t, int from, int to) {
    while ((from = next_open(t->done, from, to)) < to) {
        int end = next_done(t->done, from, to);
        if (j->maps[i].projection.bits) paint_projected(j, i, t, from, end);
        else paint_run(j, i, t, j->maps[i].affine.m, from, end);
        from = end;
    }
}

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

static void add_marks(uint8_t *restrict marks, const uint8_t *restrict done, int n) {
    for (int i = 0; i < n; i++) marks[i] |= done[i];
}

/* The last frame has the first word, or with a ring the first one, which leaves alone what is painted. */
static void paint_tile_row(const painting_job *j, const row_spans *s, const tile_row *t) {
    for (int k = 0; k < j->n; k++) {
        int i = j->ring ? k : j->n - 1 - k, from = greatest(s->from[i] - t->x, 0), to = least(s->to[i] - t->x, t->n);
        if (from < to) paint_frame(j, i, t, from, to);
    }
    if (!j->ring) add_marks(t->marks, t->done, t->n);
}

/* Paints a row of the canvas in runs that end where a tile does. */
static void paint_row(const painting_job *j, int y) {
    const cpu_canvas *c = j->canvas;
    const endo_canvas_extent *p = &c->tiles.extent;
    int64_t row = endo_tile_row(p->top + y);
    row_spans s;
    find_spans(j, y, &s);
    for (int x = s.left, n; x < s.right; x += n) {
        int64_t column = endo_tile_column(p->left + x), at = p->left + x - column * ENDO_TILE_WIDTH;
        uint8_t *tile = endo_canvas_tile(&c->tiles, column, row), done[ENDO_TILE_WIDTH] = {0};
        n = least(s.right - x, (int)(ENDO_TILE_WIDTH - at));
        if (!tile) continue; /* between frames */
        at += (p->top + y - row * ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH;
        uint8_t *marks = marks_of(c, tile) + at;
        tile_row t = {tile + (size_t)at * c->size, marks, j->ring ? marks : done, x, n, y};
        paint_tile_row(j, &s, &t);
    }
}

/* Takes tiles for the frames, up to the first for which there is no memory. */
static endo_status take_tiles(cpu_canvas *c, painting_job *j, int n, int threads) {
    endo_status status = ENDO_OK;
    for (j->n = 0; j->n < n; j->n++) {
        const endo_reach *reach = &c->reach;
        status = cpu_take_tiles(&c->tiles, &c->reach, &j->store->options, &j->maps[j->n], threads);
        if (status != ENDO_OK) break;
        j->top[j->n] = reach->n_bands ? reach->bands[0].top : 0;
        j->bottom[j->n] = reach->n_bands ? reach->bands[reach->n_bands - 1].bottom : 0;
        j->outlines[j->n] = cpu_outline_place(&j->store->outline, &j->maps[j->n]);
    }
    return status;
}

static endo_status cpu_canvas_paint_list(void *canvas, const void *store, const int32_t *slots,
                                         const endo_canvas_map *maps, int n, endo_painting painting) {
    cpu_canvas *c = canvas;
    const cpu_store *s = store;
    int threads = cpu_threads(c->backend, (size_t)n * s->options.width * s->options.height / CPU_PIXELS_A_THREAD);
    painting_job job = {.canvas = c, .store = s, .slots = slots, .maps = maps, .ring = painting == ENDO_PAINT_RING};
    endo_status status = take_tiles(c, &job, n, threads);
    int top = c->tiles.extent.height, bottom = 0;
    for (int i = 0; i < job.n; i++) {
        if (job.top[i] < job.bottom[i]) top = least(top, job.top[i]);
        bottom = greatest(bottom, job.bottom[i]);
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int y = top; y < bottom; y++) paint_row(&job, y);
    return status;
}

static endo_status cpu_canvas_paint(void *canvas, const void *store, int slot, const endo_canvas_map *map,
                                    endo_painting painting) {
    const int32_t slots[] = {slot};
    return cpu_canvas_paint_list(canvas, store, slots, map, 1, painting);
}

static endo_status cpu_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    const cpu_canvas *c = canvas;
    endo_tile_walk walk = {&c->tiles.extent, x, y, width, height, 0, 0};
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
    .paint_list = cpu_canvas_paint_list,
    .read = cpu_canvas_read,
};
