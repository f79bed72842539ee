/* Finishing a blend (rules/blend_finish.h): the light and the lifts of all its cells, then the pixels of a rectangle. */
#include "blend.h"

#include "rules/blend_holes.h"

enum { SIDE = ENDO_BLEND_SIDE, REACH = ENDO_BLEND_LIGHT_REACH };

/* All cells of the blend. */
typedef struct ref_finish {
    const ref_blend *blend;
    int32_t *light; /* three a cell */
    endo_blend_holes holes;
} ref_finish;

static const endo_blend_cell *cell_at(const ref_finish *f, int column, int row) {
    return &f->blend->cells[(size_t)row * f->blend->columns + column];
}

/* -------------------------------------------------------------------- light */

/* The mean difference of the two bands around a cell, of the cells that were seen, weighted by the kernel across and down. */
static void find_light(const ref_finish *f, int column, int row) {
    int64_t sums[3] = {0, 0, 0};
    int64_t weight = 0;
    for (int v = row - REACH; v <= row + REACH; v++)
        for (int u = column - REACH; u <= column + REACH; u++) {
            if (u < 0 || v < 0 || u >= f->blend->columns || v >= f->blend->rows) continue;
            endo_blend_light light = endo_blend_light_of(cell_at(f, u, v));
            int64_t share = (int64_t)endo_blend_light_share(u - column) * endo_blend_light_share(v - row);
            for (int c = 0; c < 3; c++) sums[c] += share * light.value[c];
            weight += share * light.weight;
        }
    for (int c = 0; c < 3; c++)
        f->light[3 * ((size_t)row * f->blend->columns + column) + c] = weight ? (int32_t)(sums[c] * 16 / weight) : 0;
}

static void prepare(ref_finish *f) {
    int columns = f->blend->columns;
    int rows = f->blend->rows;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            find_light(f, column, row);
            f->holes.weights[(size_t)row * columns + column] = endo_blend_hole_weight(cell_at(f, column, row));
        }
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) endo_blend_lift_cell(&f->holes, column, row);
}

/* ------------------------------------------------------------------- pixels */

/* Channel c of the narrow mean, with 4 fractional bits below 1/4096 of the range. */
static int32_t narrow_mean(const ref_blend *b, size_t i, int c) {
    if (b->setup.type == ENDO_GREY16) {
        const uint64_t *sums = (const uint64_t *)b->sums + 2 * i;
        return (int32_t)((sums[0] + sums[1] / 2) / sums[1]);
    }
    int channels = b->setup.type == ENDO_RGB32 ? 3 : 1;
    const uint32_t *sums = (const uint32_t *)b->sums + (size_t)(channels + 1) * i;
    return (int32_t)(((uint64_t)sums[c] * 16 + sums[channels] / 2) / sums[channels]);
}

static uint32_t weight_of(const ref_blend *b, size_t i) {
    switch (b->setup.type) {
    case ENDO_RGB32: return ((const uint32_t *)b->sums)[4 * i + 3];
    case ENDO_GREY16: return (uint32_t)((const uint64_t *)b->sums)[2 * i + 1];
    default: return ((const uint32_t *)b->sums)[2 * i + 1];
    }
}

/* The light at a pixel, between the middles of four cells; at the edge of the blend a cell has no other beside it. */
static int32_t light_at(const ref_finish *f, int x, int y, int c) {
    int column = x / SIDE;
    int row = y / SIDE;
    int beside = column + endo_blend_neighbour(x % SIDE);
    int above = row + endo_blend_neighbour(y % SIDE);
    if (beside < 0 || beside >= f->blend->columns) beside = column;
    if (above < 0 || above >= f->blend->rows) above = row;
    const int32_t *near = f->light + 3 * (size_t)row * f->blend->columns + c;
    const int32_t *far = f->light + 3 * (size_t)above * f->blend->columns + c;
    int32_t across = (int32_t)endo_blend_cell_share(x % SIDE);
    int32_t down = (int32_t)endo_blend_cell_share(y % SIDE);
    int32_t own = down * near[3 * column] + (8 - down) * far[3 * column];
    int32_t other = down * near[3 * beside] + (8 - down) * far[3 * beside];
    return (across * own + (8 - across) * other) / 64;
}

static uint32_t finished(const ref_finish *f, int x, int y, int c) {
    const ref_blend *b = f->blend;
    size_t i = (size_t)y * b->setup.width + x;
    int32_t value = weight_of(b, i) ? narrow_mean(b, i, c) + light_at(f, x, y, c)
                                    : endo_blend_broad_value(cell_at(f, x / SIDE, y / SIDE), c);
    value += endo_blend_lift_at(&f->holes, x / SIDE, y / SIDE, x % SIDE, y % SIDE, c);
    return b->setup.type == ENDO_GREY16 ? endo_blend_level16(value) : endo_blend_level(value);
}

static void write_pixel(const ref_finish *f, const endo_blend_view *view, int u, int v) {
    const ref_blend *b = f->blend;
    int x = view->x + u;
    int y = view->y + v;
    size_t from = (size_t)y * b->setup.width + x;
    size_t to = (size_t)v * view->width + u;
    int painted = endo_blend_is_painted(b->coverage[from], weight_of(b, from), cell_at(f, x / SIDE, y / SIDE));
    uint32_t value[3] = {0, 0, 0};
    for (int c = 0; c < (b->setup.type == ENDO_RGB32 ? 3 : 1) && painted; c++) value[c] = finished(f, x, y, c);
    switch (b->setup.type) {
    case ENDO_RGB32:
        ((uint32_t *)view->pixels)[to] = painted ? 0xff000000u | value[2] << 16 | value[1] << 8 | value[0] : 0;
        break;
    case ENDO_GREY16: ((uint16_t *)view->pixels)[to] = (uint16_t)value[0]; break;
    case ENDO_GREY8: ((uint8_t *)view->pixels)[to] = (uint8_t)value[0]; break;
    }
    if (view->painted) view->painted[to] = painted ? 255 : 0;
    if (view->coverage) view->coverage[to] = painted ? b->coverage[from] : 0;
}

endo_status ref_blend_finish(void *blend, const endo_blend_view *view) {
    const ref_blend *b = blend;
    size_t cells = (size_t)b->columns * b->rows;
    ref_finish f = {.blend = b, .light = endo_alloc(cells, 3 * sizeof *f.light)};
    f.holes = (endo_blend_holes){.cells = b->cells, .light = f.light, .columns = b->columns, .rows = b->rows,
                                 .weights = endo_alloc(cells, sizeof(uint32_t)),
                                 .lifts = endo_alloc_zeroed(cells, 3 * sizeof(int32_t)), .holes = endo_alloc_zeroed(cells, 1)};
    int ready = f.light && f.holes.weights && f.holes.lifts && f.holes.holes;
    if (ready) {
        prepare(&f);
        for (int v = 0; v < view->height; v++)
            for (int u = 0; u < view->width; u++) write_pixel(&f, view, u, v);
    }
    endo_free(f.light);
    endo_free(f.holes.weights);
    endo_free(f.holes.lifts);
    endo_free(f.holes.holes);
    return ready ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory to finish a blend");
}
