/* Finishing a blend in host memory (rules/blend_finish.h), window after window: light and lifts of its cells and of those
 * around, then its pixels, whose sums are read where they lie in the tiles. */
#include "blend_holes.h"
#include "blend_tiles.h"

#include <string.h>

enum {
    BAND = 512,    /* rows of pixels at a time */
    WINDOW = 8192, /* columns of pixels at a time: windows without paint take hardly any time */
};

/* A window of the view: its pixels, and the cells that these need. */
typedef struct finish {
    const cpu_blend *blend;
    const endo_blend_view *view;
    int threads;
    int left, top, right, bottom;   /* pixels, right and bottom exclusive */
    int column, row, columns, rows; /* cells: those of the window and around it */
    endo_blend_cell *cells;
    endo_blend_light *differences;
    endo_blend_light *along; /* differences, smoothed along their row */
    int32_t *light;          /* three for each cell */
    cpu_blend_holes holes;
    int any_holes;
} finish;

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

/* -------------------------------------------------------------------- cells */

static void surround(finish *f) {
    const endo_blend_setup *s = &f->blend->setup;
    f->column = greatest(f->left / SIDE - ENDO_BLEND_REACH, 0);
    f->row = greatest(f->top / SIDE - ENDO_BLEND_REACH, 0);
    f->columns = least((f->right - 1) / SIDE + ENDO_BLEND_REACH + 1, endo_blend_cells(s->width)) - f->column;
    f->rows = least((f->bottom - 1) / SIDE + ENDO_BLEND_REACH + 1, endo_blend_cells(s->height)) - f->row;
}

/* Takes the arrays of a window one behind the other; returns their size, bytes. */
static size_t lay_out(finish *f, uint8_t *memory) {
    endo_block all = {memory, 0};
    size_t cells = (size_t)f->columns * (size_t)f->rows;
    f->cells = endo_block_take(&all, cells, sizeof *f->cells);
    f->differences = endo_block_take(&all, cells, sizeof *f->differences);
    f->along = endo_block_take(&all, cells, sizeof *f->along);
    f->light = endo_block_take(&all, cells, 3 * sizeof *f->light);
    f->holes.of = (endo_blend_holes){.cells = f->cells, .light = f->light, .columns = f->columns, .rows = f->rows};
    cpu_blend_holes_take(&f->holes, &all);
    return all.used;
}

/* Memory of windows, one after another: fresh memory costs more than what is computed in it. */
typedef struct window_memory {
    uint8_t *bytes;
    size_t size;
} window_memory;

static endo_status take_memory(finish *f, window_memory *m) {
    size_t size = lay_out(f, NULL);
    if (size > m->size) {
        endo_free(m->bytes);
        m->bytes = endo_alloc(size, 1);
        m->size = m->bytes ? size : 0;
    }
    if (!m->bytes)
        return endo_fail(ENDO_ERR_MEMORY, "no memory to read %d x %d of a blend", f->right - f->left, f->bottom - f->top);
    lay_out(f, m->bytes);
    cpu_blend_holes_clear(&f->holes);
    return ENDO_OK;
}

static void take_cells(const finish *f, int row) {
    cpu_blend_copy_cells(f->blend, f->column, f->row + row, f->columns, f->cells + (size_t)row * f->columns);
}

static void smooth_along(const finish *f, int row) {
    endo_blend_light *differences = f->differences + (size_t)row * f->columns;
    endo_blend_light *along = f->along + (size_t)row * f->columns;
    for (int i = 0; i < f->columns; i++) differences[i] = endo_blend_light_of(&f->cells[(size_t)row * f->columns + i]);
    for (int i = 0; i < f->columns; i++) {
        endo_blend_light sum = {{0, 0, 0}, 0};
        int from = greatest(-ENDO_BLEND_LIGHT_REACH, -i);
        int to = least(ENDO_BLEND_LIGHT_REACH, f->columns - 1 - i);
        for (int k = from; k <= to; k++) endo_blend_light_add(&sum, k, &differences[i + k]);
        along[i] = sum;
    }
}

static void smooth_down(const finish *f, int row) {
    int from = greatest(-ENDO_BLEND_LIGHT_REACH, -row);
    int to = least(ENDO_BLEND_LIGHT_REACH, f->rows - 1 - row);
    for (int i = 0; i < f->columns; i++) {
        size_t at = (size_t)row * f->columns + i;
        endo_blend_light sum = {{0, 0, 0}, 0};
        for (int k = from; k <= to; k++) endo_blend_light_add(&sum, k, f->along + (ptrdiff_t)at + (ptrdiff_t)k * f->columns);
        for (int c = 0; c < 3; c++) f->light[3 * at + c] = endo_blend_light_mean(sum.value[c], sum.weight);
    }
}

static void prepare_cells(finish *f) {
#pragma omp parallel num_threads(f->threads)
    {
#pragma omp for schedule(dynamic)
        for (int row = 0; row < f->rows; row++) take_cells(f, row), smooth_along(f, row);
#pragma omp for schedule(dynamic)
        for (int row = 0; row < f->rows; row++) smooth_down(f, row);
    }
    f->any_holes = cpu_blend_find_holes(&f->holes, f->threads);
}

/* ------------------------------------------------------------------- pixels */

static int channels_of(endo_pixel type) { return type == ENDO_RGB32 ? 3 : 1; }

/* Bytes of a plane of the view from a pixel of the window on; NULL: not wanted. */
static void *view_at(const finish *f, void *plane, size_t size, int x, int y) {
    const endo_blend_view *v = f->view;
    return plane ? (uint8_t *)plane + ((size_t)(y - v->y) * v->width + (size_t)(x - v->x)) * size : NULL;
}

/* Lifts of n cells of a row, added to the light of their pixels. */
static void add_lifts(const finish *f, int column, int y, int n, int32_t *light[3]) {
    int row = y / SIDE - f->row;
    for (int k = 0; k < n; k++) {
        if (!f->holes.of.holes[(size_t)row * f->columns + column + k]) continue;
        for (int c = 0; c < channels_of(f->blend->setup.type); c++)
            for (int i = 0; i < SIDE; i++)
                light[c][SIDE * k + i] += endo_blend_lift_at(&f->holes.of, column + k, row, i, y % SIDE, c);
    }
}

static void find_light(const finish *f, int column, int y, int n, int32_t *light[3]) {
    int row = y / SIDE - f->row;
    int beyond = row + endo_blend_neighbour(y % SIDE);
    if (beyond < 0 || beyond >= f->rows) beyond = row;
    const cpu_light_row r = {
        .near = f->light + 3 * ((size_t)row * f->columns + column),
        .far = f->light + 3 * ((size_t)beyond * f->columns + column),
        .down = (int32_t)endo_blend_cell_share(y % SIDE),
        .before = column > 0,
        .behind = column + n < f->columns,
        .n = n,
    };
    f->blend->backend->variant->blend->light_row(&r, channels_of(f->blend->setup.type), light);
    if (f->any_holes) add_lifts(f, column, y, n, light);
}

/* A covered pixel without weight, at x, y: its cell's value, or nothing. */
static void write_broad(const finish *f, int x, int y, uint16_t coverage, const cpu_finish_run *run, int i) {
    int column = x / SIDE - f->column;
    int row = y / SIDE - f->row;
    const endo_blend_cell *cell = f->cells + (size_t)row * f->columns + column;
    endo_pixel type = f->blend->setup.type;
    uint32_t level[3] = {0, 0, 0};
    if (!endo_blend_is_painted(coverage, 0, cell)) return;
    for (int c = 0; c < channels_of(type); c++) {
        int32_t value = endo_blend_broad_value(cell, c);
        if (f->any_holes) value += endo_blend_lift_at(&f->holes.of, column, row, x % SIDE, y % SIDE, c);
        level[c] = type == ENDO_GREY16 ? endo_blend_level16(value) : endo_blend_level(value);
    }
    if (type == ENDO_RGB32) ((uint32_t *)run->pixels)[i] = 0xff000000u | level[2] << 16 | level[1] << 8 | level[0];
    else if (type == ENDO_GREY16) ((uint16_t *)run->pixels)[i] = (uint16_t)level[0];
    else ((uint8_t *)run->pixels)[i] = (uint8_t)level[0];
    if (run->painted) run->painted[i] = 255;
    if (run->covered) run->covered[i] = coverage;
}

static uint32_t weight_of(const cpu_finish_run *run, endo_pixel type, int i) {
    switch (type) {
    case ENDO_RGB32: return ((const uint32_t *)run->sums)[4 * i + 3];
    case ENDO_GREY16: return (uint32_t)((const uint64_t *)run->sums)[2 * i + 1];
    default: return ((const uint32_t *)run->sums)[2 * i + 1];
    }
}

/* n pixels from x on, all in one tile. */
static void write_run(const finish *f, uint8_t *tile, int x, int y, int n) {
    const cpu_blend *b = f->blend;
    int32_t planes[3][CPU_FINISH_MOST];
    int32_t *light[3] = {planes[0], planes[1], planes[2]};
    int lead = x % SIDE;
    int cells = (lead + n + SIDE - 1) / SIDE;
    size_t at = (size_t)(y % ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH + (size_t)(x % ENDO_TILE_WIDTH);
    const uint16_t *coverage = coverage_of(b, tile) + at;
    find_light(f, x / SIDE - f->column, y, cells, light);
    const cpu_finish_run run = {
        .sums = tile + at * b->size,
        .coverage = coverage,
        .light = {planes[0] + lead, planes[1] + lead, planes[2] + lead},
        .n = n,
        .pixels = view_at(f, f->view->pixels, endo_pixel_size(b->setup.type), x, y),
        .painted = view_at(f, f->view->painted, 1, x, y),
        .covered = view_at(f, f->view->coverage, sizeof *coverage, x, y),
    };
    if (!b->backend->variant->blend->finish_run(&run, b->setup.type)) return;
    for (int i = 0; i < n; i++)
        if (coverage[i] && !weight_of(&run, b->setup.type, i)) write_broad(f, x + i, y, coverage[i], &run, i);
}

static void write_nothing(const finish *f, int x, int y, int n) {
    size_t size = endo_pixel_size(f->blend->setup.type);
    const endo_blend_view *v = f->view;
    memset(view_at(f, v->pixels, size, x, y), 0, (size_t)n * size);
    if (v->painted) memset(view_at(f, v->painted, 1, x, y), 0, (size_t)n);
    if (v->coverage) memset(view_at(f, v->coverage, sizeof *v->coverage, x, y), 0, (size_t)n * sizeof *v->coverage);
}

static void write_row(const finish *f, int y) {
    int n;
    for (int x = f->left; x < f->right; x += n) {
        uint8_t *tile = tile_of(f->blend, x, y);
        n = least(ENDO_TILE_WIDTH - x % ENDO_TILE_WIDTH, f->right - x);
        if (tile) write_run(f, tile, x, y, n);
        else write_nothing(f, x, y, n);
    }
}

/* ------------------------------------------------------------------ windows */

/* No frame has reached the window. */
static int is_empty(const finish *f) {
    const endo_canvas_tiles *tiles = &f->blend->tiles;
    endo_tile_walk walk = {&tiles->extent, f->left, f->top, f->right - f->left, f->bottom - f->top, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);)
        if (endo_canvas_tile(tiles, p.column, p.row)) return 0;
    return 1;
}

static endo_status finish_window(finish *f, window_memory *memory) {
    if (is_empty(f)) {
        for (int y = f->top; y < f->bottom; y++) write_nothing(f, f->left, y, f->right - f->left);
        return ENDO_OK;
    }
    surround(f);
    ENDO_TRY(take_memory(f, memory));
    prepare_cells(f);
#pragma omp parallel for num_threads(f->threads) schedule(dynamic)
    for (int y = f->top; y < f->bottom; y++) write_row(f, y);
    return ENDO_OK;
}

endo_status cpu_blend_finish(void *blend, const endo_blend_view *view) {
    const cpu_blend *b = blend;
    int right = view->x + view->width;
    int bottom = view->y + view->height;
    window_memory memory = {NULL, 0};
    endo_status status = ENDO_OK;
    for (int top = view->y; top < bottom && status == ENDO_OK; top += BAND)
        for (int left = view->x; left < right && status == ENDO_OK; left += WINDOW) {
            finish f = {.blend = b, .view = view, .threads = b->backend->threads, .left = left, .top = top,
                        .right = least(left + WINDOW, right), .bottom = least(top + BAND, bottom)};
            status = finish_window(&f, &memory);
        }
    endo_free(memory.bytes);
    return status;
}
