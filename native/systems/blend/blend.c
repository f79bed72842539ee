/* The two bands of a blend, in integers: details of the narrow mean, light of the broad one.
 *
 * Each cell of the panorama has a broad and a narrow mean of the same samples. Their difference, smoothed by a binomial
 * kernel over the cells that were seen (normalised, without the others), and interpolated between the middles of the cells,
 * is added to each narrow pixel. Then the holes that highlights leave are lifted (blend_holes.c). */
#include "blend.h"

#include "base/memory.h"
#include "blend_holes.h"

#include <string.h>

enum {
    SIDE = ENDO_BLEND_SIDE,
    REACH = 4,         /* reach of the kernel, cells to either side */
    FINE = 4,          /* fractional bits of the light below 1/4096 of the range */
    BAND = 256,        /* rows of pixels at a time */
    WINDOW = 8192,     /* columns of pixels at a time: windows without paint take hardly any time */
};

/* Binomial, together 256: a standard deviation of the square root of 2 cells. */
static const int32_t kernel[2 * REACH + 1] = {1, 8, 28, 56, 70, 56, 28, 8, 1};

/* Sum of three weighted channels, and of their weights. */
typedef struct light_sum {
    int32_t value[3], weight;
} light_sum;

typedef struct finish {
    const endo_blend *blend;
    int threads;
    int x, y, width, height;        /* pixels of the band */
    int column, row, columns, rows; /* cells: those of the band and around it, by the reach of the kernel */
    uint8_t *sums;
    uint16_t *coverage;
    endo_blend_cell *cells;
    light_sum *differences, *rows_smoothed;
    int32_t *light; /* three for each cell */
    endo_blend_holes holes;
} finish;

/* ------------------------------------------------------------------- pixels */

/* Channel c of a pixel's narrow mean, with so many fractional bits; its weight is not 0. */
static uint32_t narrow_mean(const finish *f, size_t i, int c, int bits) {
    if (f->blend->setup.type == ENDO_GREY16) {
        const uint64_t *sums = (const uint64_t *)f->sums + 2 * i;
        return (uint32_t)(((sums[0] << bits) + sums[1] / 2) / sums[1]);
    }
    int channels = f->blend->setup.type == ENDO_RGB32 ? 3 : 1;
    const uint32_t *sums = (const uint32_t *)f->sums + (size_t)(channels + 1) * i;
    /* Exact: below 2^53 a quotient of doubles rounds up to no whole number, and it takes less time than one of integers. */
    double sum = (double)(((uint64_t)sums[c] << bits) + sums[channels] / 2);
    return (uint32_t)(sum / (double)sums[channels]);
}

static int has_weight(const finish *f, size_t i) {
    switch (f->blend->setup.type) {
    case ENDO_RGB32: return ((const uint32_t *)f->sums)[4 * i + 3] != 0;
    case ENDO_GREY16: return ((const uint64_t *)f->sums)[2 * i + 1] != 0;
    default: return ((const uint32_t *)f->sums)[2 * i + 1] != 0;
    }
}

static int channels_of(const finish *f) { return f->blend->setup.type == ENDO_RGB32 ? 3 : 1; }

/* -------------------------------------------------------------------- light */

static int32_t mean_of(uint32_t sum, uint32_t weight) { return (int32_t)((sum + weight / 2) / weight); }

static light_sum difference_of(const endo_blend_cell *cell) {
    light_sum d = {{0, 0, 0}, cell->narrow_weight != 0};
    for (int c = 0; c < 3 && d.weight; c++)
        d.value[c] = mean_of(cell->broad[c], cell->broad_weight) - mean_of(cell->narrow[c], cell->narrow_weight);
    return d;
}

/* The smoothed sum of item i of `length`, which are `step` apart; sums: item i. */
static light_sum smoothed(const light_sum *sums, ptrdiff_t step, int i, int length) {
    light_sum total = {{0, 0, 0}, 0};
    for (int k = -REACH; k <= REACH; k++) {
        if (i + k < 0 || i + k >= length) continue;
        const light_sum *s = sums + k * step;
        for (int c = 0; c < 3; c++) total.value[c] += kernel[k + REACH] * s->value[c];
        total.weight += kernel[k + REACH] * s->weight;
    }
    return total;
}

static void find_light(finish *f) {
#pragma omp parallel for num_threads(f->threads) schedule(dynamic)
    for (int row = 0; row < f->rows; row++) {
        light_sum *along = f->rows_smoothed + (size_t)row * f->columns;
        light_sum *differences = f->differences + (size_t)row * f->columns;
        for (int column = 0; column < f->columns; column++)
            differences[column] = difference_of(&f->cells[(size_t)row * f->columns + column]);
        for (int column = 0; column < f->columns; column++)
            along[column] = smoothed(differences + column, 1, column, f->columns);
    }
#pragma omp parallel for num_threads(f->threads) schedule(dynamic)
    for (int row = 0; row < f->rows; row++)
        for (int column = 0; column < f->columns; column++) {
            size_t i = (size_t)row * f->columns + column;
            light_sum s = smoothed(f->rows_smoothed + i, f->columns, row, f->rows);
            for (int c = 0; c < 3; c++)
                f->light[3 * i + c] = s.weight ? (int32_t)((int64_t)s.value[c] * (1 << FINE) / s.weight) : 0;
        }
}

/* The light of a cell and of those to its left and right, three numbers each, interpolated downwards for one row of pixels, in
 * an eighth of its unit. Beside the first and the last one lie these themselves. */
typedef struct light_row {
    const int32_t *near; /* of the row's cells */
    const int32_t *far;  /* of the cells above or below */
    int32_t down;        /* share of `near`, of 8 */
    int columns;
    int column; /* of the cell */
    int32_t at[3][3];
} light_row;

static void take_light(const light_row *l, int column, int32_t at[3]) {
    int within = column < 0 ? 0 : column < l->columns ? column : l->columns - 1;
    for (int c = 0; c < 3; c++) at[c] = l->down * l->near[3 * within + c] + (8 - l->down) * l->far[3 * within + c];
}

static light_row begin_light(const finish *f, int y) {
    int row = y / SIDE - f->row;
    int beyond = row + endo_blend_neighbour(y % SIDE);
    if (beyond < 0 || beyond >= f->rows) beyond = row;
    light_row l = {
        .near = f->light + 3 * (size_t)row * (size_t)f->columns,
        .far = f->light + 3 * (size_t)beyond * (size_t)f->columns,
        .down = (int32_t)endo_blend_cell_share(y % SIDE),
        .columns = f->columns,
        .column = f->x / SIDE - f->column,
    };
    for (int k = 0; k < 3; k++) take_light(&l, l.column + k - 1, l.at[k]);
    return l;
}

static void next_light(light_row *l) {
    l->column++;
    memmove(l->at[0], l->at[1], 2 * sizeof l->at[0]);
    take_light(l, l->column + 1, l->at[2]);
}

/* At pixel i = 0..3 of the cell, in 1/4096 of the range with FINE fractional bits. */
static int32_t light_at(const light_row *l, int i, int c) {
    int32_t across = (int32_t)endo_blend_cell_share(i);
    return (across * l->at[1][c] + (8 - across) * l->at[1 + endo_blend_neighbour(i)][c]) / 64;
}

/* ------------------------------------------------------------------- finish */

static uint32_t clamp(int32_t value, int32_t most) { return (uint32_t)(value < 0 ? 0 : value > most ? most : value); }

/* A pixel's channel with FINE fractional bits below 1/4096 of the range. Where the frames that see the cell best do not reach
 * the pixel, and the others are faint beside them, it has no weight, and takes the value of the cell. */
static int32_t value_of(const finish *f, const light_row *l, size_t i, int x, int y, int c) {
    const endo_blend_cell *cell = f->cells + (size_t)(y / SIDE - f->row) * f->columns + (x / SIDE - f->column);
    if (!has_weight(f, i)) return mean_of(cell->broad[c], cell->broad_weight) * (1 << FINE);
    int deep = f->blend->setup.type == ENDO_GREY16;
    return (int32_t)narrow_mean(f, i, c, deep ? 0 : FINE) + light_at(l, x % SIDE, c);
}

/* A finished pixel. 8 bit: FINE bits below 1/16 of a level are 1/256. 16 bit: 1/16 of 1/4096 of the range is a level. hole:
 * whether the pixel's cell is in a hole or beside one. */
static uint32_t finished(const finish *f, const light_row *l, size_t i, int x, int y, int c, int hole) {
    int32_t value = value_of(f, l, i, x, y, c);
    if (hole) value += endo_blend_lift_at(&f->holes, x / SIDE - f->column, y / SIDE - f->row, x % SIDE, y % SIDE, c);
    return f->blend->setup.type == ENDO_GREY16 ? clamp(value, 65535) : clamp((value + 128) >> 8, 255);
}

/* A frame whose weight is least may reach a pixel at its edge without weight in it or in its cell. */
static int is_painted(const finish *f, size_t i, int x, int y) {
    const endo_blend_cell *cell = f->cells + (size_t)(y / SIDE - f->row) * f->columns + (x / SIDE - f->column);
    return f->coverage[i] && (has_weight(f, i) || cell->broad_weight);
}

static void write_pixel(const finish *f, const endo_blend_view *view, const light_row *l, int x, int y) {
    size_t from = (size_t)(y - f->y) * f->width + (x - f->x), to = (size_t)(y - view->y) * view->width + (x - view->x);
    int painted = is_painted(f, from, x, y);
    int hole = f->holes.holes[(size_t)(y / SIDE - f->row) * f->columns + (size_t)(x / SIDE - f->column)];
    uint32_t value[3] = {0};
    for (int c = 0; c < channels_of(f) && painted; c++) value[c] = finished(f, l, from, x, y, c, hole);
    switch (f->blend->setup.type) {
    case ENDO_RGB32:
        ((uint32_t *)view->pixels)[to] = painted ? 0xff000000u | value[2] << 16 | value[1] << 8 | value[0] : 0;
        break;
    case ENDO_GREY16: ((uint16_t *)view->pixels)[to] = (uint16_t)value[0]; break;
    case ENDO_GREY8: ((uint8_t *)view->pixels)[to] = (uint8_t)value[0]; break;
    }
    if (view->painted) view->painted[to] = painted ? 255 : 0;
    if (view->coverage) view->coverage[to] = painted ? f->coverage[from] : 0;
}

static void write_row(const finish *f, const endo_blend_view *view, int y) {
    light_row light = begin_light(f, y);
    for (int x = f->x; x < f->x + f->width; x++) {
        if (x > f->x && x % SIDE == 0) next_light(&light);
        write_pixel(f, view, &light, x, y);
    }
}

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

/* Pixels from left and top to right and bottom. */
typedef struct window {
    int left;
    int top;
    int right;
    int bottom;
} window;

/* Prepares the cells that the pixels of a window need. */
static void surround(finish *f, const window *w) {
    const endo_blend_setup *s = &f->blend->setup;
    int margin = REACH + ENDO_BLEND_HOLE_REACH + 1;
    f->column = greatest(w->left / SIDE - margin, 0);
    f->row = greatest(w->top / SIDE - margin, 0);
    f->columns = least((w->right - 1) / SIDE + margin + 1, endo_blend_cells(s->width)) - f->column;
    f->rows = least((w->bottom - 1) / SIDE + margin + 1, endo_blend_cells(s->height)) - f->row;
    f->x = w->left;
    f->y = w->top;
    f->width = w->right - w->left;
    f->height = w->bottom - w->top;
}

/* Takes the arrays of a window one behind the other; returns their size, bytes. */
static size_t lay_out(finish *f, uint8_t *memory) {
    endo_block all = {memory, 0};
    size_t area = (size_t)f->width * (size_t)f->height;
    size_t cells = (size_t)f->columns * (size_t)f->rows;
    f->sums = endo_block_take(&all, area, endo_blend_sum_size(f->blend->setup.type));
    f->coverage = endo_block_take(&all, area, sizeof *f->coverage);
    f->cells = endo_block_take(&all, cells, sizeof *f->cells);
    f->differences = endo_block_take(&all, cells, sizeof *f->differences);
    f->rows_smoothed = endo_block_take(&all, cells, sizeof *f->rows_smoothed);
    f->light = endo_block_take(&all, cells, 3 * sizeof *f->light);
    f->holes = (endo_blend_holes){.cells = f->cells, .light = f->light, .columns = f->columns, .rows = f->rows, .fine = FINE};
    endo_blend_holes_take(&f->holes, &all);
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
    if (!m->bytes) return endo_fail(ENDO_ERR_MEMORY, "no memory to read %d x %d of a blend", f->width, f->height);
    lay_out(f, m->bytes);
    endo_blend_holes_clear(&f->holes);
    return ENDO_OK;
}

static int is_empty(const finish *f) {
    size_t area = (size_t)f->width * (size_t)f->height;
    for (size_t i = 0; i < area; i++)
        if (f->coverage[i]) return 0;
    return 1;
}

static void write_nothing(const finish *f, const endo_blend_view *view) {
    size_t size = endo_pixel_size(f->blend->setup.type);
    for (int y = f->y; y < f->y + f->height; y++) {
        size_t to = (size_t)(y - view->y) * (size_t)view->width + (size_t)(f->x - view->x);
        memset((uint8_t *)view->pixels + to * size, 0, (size_t)f->width * size);
        if (view->painted) memset(view->painted + to, 0, (size_t)f->width);
        if (view->coverage) memset(view->coverage + to, 0, (size_t)f->width * sizeof *view->coverage);
    }
}

static endo_status write_window(finish *f, const endo_blend_view *view) {
    const endo_blend_kernels *kernels = f->blend->context->kernels->blend;
    ENDO_TRY(kernels->read_cells(f->blend->blend, f->column, f->row, f->columns, f->rows, f->cells));
    find_light(f);
    endo_blend_find_holes(&f->holes, f->threads);
#pragma omp parallel for num_threads(f->threads) schedule(dynamic)
    for (int y = f->y; y < f->y + f->height; y++) write_row(f, view, y);
    return ENDO_OK;
}

static endo_status finish_window(const endo_blend *b, const endo_blend_view *view, const window *w, window_memory *memory) {
    const endo_blend_kernels *kernels = b->context->kernels->blend;
    finish f = {.blend = b, .threads = b->context->threads};
    surround(&f, w);
    ENDO_TRY(take_memory(&f, memory));
    ENDO_TRY(kernels->read(b->blend, f.x, f.y, f.width, f.height, f.sums, f.coverage));
    if (!is_empty(&f)) return write_window(&f, view);
    write_nothing(&f, view);
    return ENDO_OK;
}

endo_status endo_blend_finish(const endo_blend *blend, const endo_blend_view *view) {
    int right = view->x + view->width;
    int bottom = view->y + view->height;
    window_memory memory = {NULL, 0};
    endo_status status = ENDO_OK;
    for (int top = view->y; top < bottom && status == ENDO_OK; top += BAND)
        for (int left = view->x; left < right && status == ENDO_OK; left += WINDOW) {
            window w = {.left = left, .top = top, .right = least(left + WINDOW, right), .bottom = least(top + BAND, bottom)};
            status = finish_window(blend, view, &w, &memory);
        }
    endo_free(memory.bytes);
    return status;
}
