/* Blends in host memory, in tiles (endorama/blend.h). A frame is first made into blocks, then it visits the cells of the
 * panorama, which say what it counts there, then the pixels. */
#include "cpu.h"

#include "../base/span.h"
#include "tiles.h"

#include <string.h>

enum { SIDE = ENDO_BLEND_SIDE, TILE_COLUMNS = ENDO_TILE_WIDTH / SIDE, TILE_ROWS = ENDO_TILE_HEIGHT / SIDE };

#define TILE_CELLS ((size_t)TILE_COLUMNS * TILE_ROWS)

/* Memory that grows with the frames and is kept. */
typedef struct cpu_room {
    void *memory;
    size_t bytes;
} cpu_room;

/* A tile is the sums of its pixels, then their coverage, then its cells. */
typedef struct cpu_blend {
    const cpu_backend *backend;
    endo_blend_setup setup;
    size_t size; /* bytes of a pixel's sums */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
    endo_blend_correction factors;
    int8_t taps[256][4];
    cpu_room blocks, clipped, weights;
} cpu_blend;

static endo_status cpu_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    cpu_blend *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a blend of %d x %d", setup->width, setup->height);
    endo_slab_source source = cpu_slab_source(&b->tiles);
    b->backend = backend;
    b->setup = *setup, b->size = endo_blend_sum_size(setup->type);
    endo_canvas_tiles_init(&b->tiles, setup->width, setup->height,
                           ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)) + TILE_CELLS * sizeof(endo_blend_cell), &source);
    for (int f = 0; f < 256; f++) endo_blend_taps(setup->cubic, f, b->taps[f]);
    *blend = b;
    return ENDO_OK;
}

static void cpu_blend_destroy(void *blend) {
    cpu_blend *b = blend;
    if (!b) return;
    endo_canvas_tiles_free(&b->tiles);
    endo_reach_free(&b->reach);
    endo_free(b->blocks.memory);
    endo_free(b->clipped.memory);
    endo_free(b->weights.memory);
    endo_free(b);
}

static endo_status cpu_blend_correct(void *blend, const endo_blend_correction *correction) {
    ((cpu_blend *)blend)->factors = *correction;
    return ENDO_OK;
}

static uint16_t *coverage_of(const cpu_blend *b, uint8_t *tile) { return (uint16_t *)(tile + ENDO_TILE_PIXELS * b->size); }

static endo_blend_cell *cells_of(const cpu_blend *b, uint8_t *tile) {
    return (endo_blend_cell *)(coverage_of(b, tile) + ENDO_TILE_PIXELS);
}

/* ------------------------------------------------------------------- frames */

/* A frame while it is added. Cells: those of its box of the blend, with one more on every side. */
typedef struct adding {
    cpu_blend *blend;
    const cpu_store *store;
    const endo_blend_frame *frame;
    endo_blend_block *blocks;
    uint8_t *clipped;
    int block_columns, block_rows;
    int left, top, right, bottom; /* pixels of the blend, right and bottom exclusive */
    int column, row, columns, rows; /* of the weights */
    uint16_t *weights;
    uint32_t tolerance, clipped16;
} adding;

static int make_room(cpu_room *room, size_t n, size_t size) {
    if (room->bytes / size >= n) return 1;
    endo_free(room->memory);
    room->memory = endo_alloc(n, size);
    room->bytes = room->memory ? n * size : 0;
    return room->memory != NULL;
}

/* The box of what is reached. */
static void find_box(adding *a) {
    const endo_reach *r = &a->blend->reach;
    a->top = r->bands[0].top, a->bottom = r->bands[r->n_bands - 1].bottom;
    a->left = a->blend->setup.width, a->right = 0;
    for (size_t i = 0; i < r->n_bands; i++) {
        if (!r->bands[i].n) continue;
        if (r->bands[i].left < a->left) a->left = r->bands[i].left;
        if (r->bands[i].right > a->right) a->right = r->bands[i].right;
    }
    a->column = a->left / SIDE - 1, a->row = a->top / SIDE - 1;
    a->columns = (a->right - 1) / SIDE + 2 - a->column, a->rows = (a->bottom - 1) / SIDE + 2 - a->row;
}

static endo_status take_rooms(adding *a) {
    cpu_blend *b = a->blend;
    size_t blocks = (size_t)a->block_columns * a->block_rows, cells = (size_t)a->columns * a->rows;
    int made = make_room(&b->blocks, blocks + 1, sizeof *a->blocks) && make_room(&b->clipped, blocks + 1, 1) &&
               endo_memory_can_hold(cells * sizeof *a->weights) && make_room(&b->weights, cells, sizeof *a->weights);
    if (!made) return endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of a frame in %zu cells", cells);
    a->blocks = b->blocks.memory, a->clipped = b->clipped.memory, a->weights = b->weights.memory;
    return ENDO_OK;
}

/* ------------------------------------------------------------------- blocks */

static void make_blocks(const adding *a, int row) {
    const cpu_blend *b = a->blend;
    const cpu_store *s = a->store;
    size_t first = (size_t)row * a->block_columns;
    cpu_block_row r = {.pixels = s->frames[a->frame->slot].pixels +
                                 (size_t)(row * SIDE * s->stride) * endo_pixel_size(b->setup.type),
                       .stride = s->stride, .n = a->block_columns, .factors = b->factors.blocks + first,
                       .clipped = a->clipped16};
    memcpy(r.gain, a->frame->gain, sizeof r.gain);
    b->backend->variant->blend->block_row(&r, b->setup.type, a->blocks + first, a->clipped + first);
}

/* A pixel of the block or of one around it is clipped. */
static int is_clipped_near(const adding *a, int column, int row) {
    int any = 0;
    for (int y = row - 1; y <= row + 1; y++) {
        if (y < 0 || y >= a->block_rows) continue;
        const uint8_t *clipped = a->clipped + (size_t)y * a->block_columns;
        any |= clipped[column];
        if (column > 0) any |= clipped[column - 1];
        if (column + 1 < a->block_columns) any |= clipped[column + 1];
    }
    return any;
}

static void score_blocks(const adding *a, int row) {
    const uint8_t *depths = a->store->field->depths + (size_t)row * a->block_columns;
    endo_blend_block *blocks = a->blocks + (size_t)row * a->block_columns;
    for (int i = 0; i < a->block_columns; i++)
        blocks[i].score = (uint16_t)endo_blend_score(depths[i], a->frame->weight, is_clipped_near(a, i, row));
}

/* -------------------------------------------------------------------- cells */

static uint8_t *tile_of(const cpu_blend *b, int x, int y) {
    const endo_canvas_place *p = &b->tiles.place;
    return endo_canvas_tile(&b->tiles, endo_tile_column(p->left + x), endo_tile_row(p->top + y));
}

/* Those of a row whose pixel (1, 1) lies in the frame. */
static void visit_cells(const adding *a, int row) {
    const cpu_blend *b = a->blend;
    const int64_t *m = a->frame->map.m;
    int y = row * SIDE + 1, from = 0, to = b->setup.width;
    uint16_t *weights = a->weights + (size_t)(row - a->row) * a->columns;
    for (int i = 0; i < a->columns; i++) weights[i] = 1;
    if (y < 0 || y >= b->setup.height) return;
    endo_row_span(&a->frame->map, y, a->store->options.width, a->store->options.height, &from, &to);
    uint8_t *tile = NULL;
    for (int column = (from + SIDE - 2) / SIDE; column * SIDE + 1 < to; column++) {
        int x = column * SIDE + 1;
        int64_t u = endo_blend_block_position(m[0] * x + m[1] * y + m[2], (m[0] + m[1]) >> 1);
        int64_t v = endo_blend_block_position(m[3] * x + m[4] * y + m[5], (m[3] + m[4]) >> 1);
        endo_blend_look look;
        if (!tile || column % TILE_COLUMNS == 0) tile = tile_of(b, x, y);
        if (!endo_blend_look_at(a->blocks, a->block_columns, a->block_rows, u, v, &look)) continue;
        endo_blend_cell *cell = cells_of(b, tile) + (row % TILE_ROWS) * TILE_COLUMNS + column % TILE_COLUMNS;
        if (a->frame->second)
            weights[column - a->column] = (uint16_t)endo_blend_weigh(cell, &look, a->tolerance);
        else
            endo_blend_survey(cell, &look);
    }
}

/* ------------------------------------------------------------------- pixels */

/* Pixels of a tile's row, whole cells. */
typedef struct spread_row {
    uint32_t between[TILE_COLUMNS + 2]; /* rows of cells, times 8 */
    uint16_t weights[ENDO_TILE_WIDTH];
} spread_row;

/* The weights of n pixels of a row from x on, between the middles of the cells. */
static const uint16_t *spread_weights(const adding *a, int x, int y, int n, spread_row *s) {
    int row = y / SIDE - a->row, first = x / SIDE, cells = (x + n - 1) / SIDE - first + 1;
    uint32_t down = endo_blend_own_share(y % SIDE);
    const uint16_t *near = a->weights + (size_t)row * a->columns + (first - 1 - a->column);
    const uint16_t *far = near + endo_blend_neighbour(y % SIDE) * a->columns;
    for (int i = 0; i < cells + 2; i++) s->between[i] = down * near[i] + (8 - down) * far[i];
    for (int i = 0; i < cells; i++) {
        uint32_t left = s->between[i], own = s->between[i + 1], right = s->between[i + 2];
        uint16_t *out = s->weights + SIDE * i;
        out[0] = (uint16_t)((5 * own + 3 * left + 32) >> 6), out[1] = (uint16_t)((7 * own + left + 32) >> 6);
        out[2] = (uint16_t)((7 * own + right + 32) >> 6), out[3] = (uint16_t)((5 * own + 3 * right + 32) >> 6);
    }
    return s->weights + x % SIDE;
}

/* The frame's pixels of a row, as runs that end where a tile does. */
static void add_row(const adding *a, int y) {
    const cpu_blend *b = a->blend;
    const cpu_store *s = a->store;
    const int64_t *m = a->frame->map.m;
    spread_row spread;
    int x = a->left, to = a->right;
    endo_row_span(&a->frame->map, y, s->options.width, s->options.height, &x, &to);
    while (x < to) {
        int column = x % ENDO_TILE_WIDTH, rest = ENDO_TILE_WIDTH - column, n = to - x < rest ? to - x : rest;
        size_t at = (size_t)(y % ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH + (size_t)column;
        uint8_t *tile = tile_of(b, x, y);
        cpu_blend_run run = {s->frames[a->frame->slot].pixels, s->field->sixteen, b->factors.pixels, s->stride,
                             m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5], m[0], m[3], n, b->taps,
                             a->frame->gain, spread_weights(a, x, y, n, &spread), tile + at * b->size, coverage_of(b, tile) + at};
        b->backend->variant->blend->add_run(&run, b->setup.type);
        x += n;
    }
}

static void add_frame(const adding *a) {
    int height = a->bottom - a->top, last = a->row + a->rows;
    int threads = cpu_threads(a->blend->backend,
                              (size_t)a->store->options.width * a->store->options.height / CPU_PIXELS_A_THREAD);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int row = 0; row < a->block_rows; row++) make_blocks(a, row);
#pragma omp for schedule(static)
        for (int row = 0; row < a->block_rows; row++) score_blocks(a, row);
#pragma omp for schedule(dynamic, 8)
        for (int row = a->row; row < last; row++) visit_cells(a, row);
        if (a->frame->second) {
#pragma omp for schedule(dynamic, 16) nowait
            for (int y = 0; y < height; y++) add_row(a, a->top + y);
        }
    }
}

static endo_status cpu_blend_add(void *blend, const void *store, const endo_blend_frame *frame) {
    cpu_blend *b = blend;
    const cpu_store *s = store;
    const endo_frames_options *o = &s->options;
    adding a = {.blend = b, .store = s, .frame = frame, .block_columns = o->width / SIDE, .block_rows = o->height / SIDE,
                .tolerance = b->setup.votes ? endo_blend_tolerance(o->type == ENDO_GREY16, o->low, o->high) : 0,
                .clipped16 = o->type == ENDO_GREY16 ? endo_blend_clipped_16(o->low, o->high) : 0};
    endo_status status = cpu_take_tiles(&b->tiles, &b->reach, o, &frame->map, b->backend->threads);
    if (status != ENDO_OK || !b->reach.n_bands) return status;
    find_box(&a);
    status = take_rooms(&a);
    if (status == ENDO_OK) add_frame(&a);
    return status;
}

/* --------------------------------------------------------------------- read */

static endo_status cpu_blend_settle(void *blend) {
    const cpu_blend *b = blend;
    for (size_t i = 0; i < b->tiles.room; i++) {
        uint8_t *tile = b->tiles.table[i].memory;
        for (size_t k = 0; tile && k < TILE_CELLS; k++) endo_blend_settle(&cells_of(b, tile)[k]);
    }
    return ENDO_OK;
}

/* n elements, zeros from NULL. */
static void copy_run(void *to, const void *from, size_t n, size_t size) {
    if (from) memcpy(to, from, n * size);
    else memset(to, 0, n * size);
}

static endo_status cpu_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    const cpu_blend *b = blend;
    endo_tile_walk walk = {&b->tiles.place, x, y, width, height, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);) {
        uint8_t *tile = endo_canvas_tile(&b->tiles, p.column, p.row);
        for (int v = 0; v < p.height; v++) {
            size_t from = (size_t)(p.y + v) * ENDO_TILE_WIDTH + (size_t)p.x, to = (size_t)(p.top + v) * width + p.left;
            copy_run((uint8_t *)sums + to * b->size, tile ? tile + from * b->size : NULL, (size_t)p.width, b->size);
            copy_run(coverage + to, tile ? coverage_of(b, tile) + from : NULL, (size_t)p.width, sizeof *coverage);
        }
    }
    return ENDO_OK;
}

static endo_status cpu_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    const cpu_blend *b = blend;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            uint8_t *tile = tile_of(b, (x + u) * SIDE, (y + v) * SIDE);
            size_t at = (size_t)((y + v) % TILE_ROWS) * TILE_COLUMNS + (x + u) % TILE_COLUMNS;
            copy_run(&cells[(size_t)v * width + u], tile ? &cells_of(b, tile)[at] : NULL, 1, sizeof *cells);
        }
    return ENDO_OK;
}

const endo_blend_kernels cpu_blend_kernels = {
    .create = cpu_blend_create,
    .destroy = cpu_blend_destroy,
    .correct = cpu_blend_correct,
    .add = cpu_blend_add,
    .settle = cpu_blend_settle,
    .read = cpu_blend_read,
    .read_cells = cpu_blend_read_cells,
};
