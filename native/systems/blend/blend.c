/* The two bands of a blend, in integers: details of the narrow mean, light of the broad one.
 *
 * Each cell of the panorama has a broad and a narrow mean of the same samples. Their difference, smoothed by a binomial
 * kernel over the cells that were seen (normalised, without the others), and interpolated between the middles of the cells,
 * is added to each narrow pixel. Then the holes that highlights leave are lifted (blend_holes.c). */
#include "blend.h"

#include "blend_holes.h"

#include <string.h>

enum {
    SIDE = ENDO_BLEND_SIDE,
    REACH = 4,         /* reach of the kernel, cells to either side */
    FINE = 4,          /* fractional bits of the light below 1/4096 of the range */
    BAND = 256,        /* rows of pixels at a time */
    WINDOW = 8192,     /* columns of pixels at a time: windows without paint take hardly any time */
    MARGIN = REACH + ENDO_BLEND_HOLE_REACH + 1, /* cells around a window that its pixels need */
    MOST_COLUMNS = WINDOW / SIDE + 2 * MARGIN + 2, /* of cells */
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
    /* Below 2^37: the quotient of doubles, which is faster, is never rounded up to the next integer. */
    return (uint32_t)((double)(((uint64_t)sums[c] << bits) + sums[channels] / 2) / (double)sums[channels]);
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
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int row = 0; row < f->rows; row++) {
        light_sum *along = f->rows_smoothed + (size_t)row * f->columns;
        light_sum *differences = f->differences + (size_t)row * f->columns;
        for (int column = 0; column < f->columns; column++)
            differences[column] = difference_of(&f->cells[(size_t)row * f->columns + column]);
        for (int column = 0; column < f->columns; column++)
            along[column] = smoothed(differences + column, 1, column, f->columns);
    }
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int row = 0; row < f->rows; row++)
        for (int column = 0; column < f->columns; column++) {
            size_t i = (size_t)row * f->columns + column;
            light_sum s = smoothed(f->rows_smoothed + i, f->columns, row, f->rows);
            for (int c = 0; c < 3; c++)
                f->light[3 * i + c] = s.weight ? (int32_t)((int64_t)s.value[c] * (1 << FINE) / s.weight) : 0;
        }
}

/* The light of the cells along a row of pixels, eight times: interpolated between the middles of the cells down the columns.
 * out: three for each cell. */
static void light_along(const finish *f, int y, int32_t *out) {
    int j = y % SIDE, row = y / SIDE - f->row;
    int above = row + endo_blend_neighbour(j);
    if (above < 0 || above >= f->rows) above = row;
    int32_t down = (int32_t)endo_blend_cell_share(j);
    const int32_t *near = f->light + 3 * (size_t)row * f->columns, *far = f->light + 3 * (size_t)above * f->columns;
    for (int k = 0; k < 3 * f->columns; k++) out[k] = down * near[k] + (8 - down) * far[k];
}

/* The light, interpolated along the row, too, in 1/4096 of the range with FINE fractional bits. */
static int32_t light_at(const finish *f, const int32_t *along, int x, int c) {
    int i = x % SIDE, column = x / SIDE - f->column;
    int beside = column + endo_blend_neighbour(i);
    if (beside < 0 || beside >= f->columns) beside = column;
    int32_t across = (int32_t)endo_blend_cell_share(i);
    return (across * along[3 * column + c] + (8 - across) * along[3 * beside + c]) / 64;
}

/* ------------------------------------------------------------------- finish */

static uint32_t clamp(int32_t value, int32_t most) { return (uint32_t)(value < 0 ? 0 : value > most ? most : value); }

/* A pixel's channel with FINE fractional bits below 1/4096 of the range. Where the frames that see the cell best do not reach
 * the pixel, and the others are faint beside them, it has no weight, and takes the value of the cell. */
static int32_t value_of(const finish *f, const int32_t *along, size_t i, int x, int y, int c) {
    const endo_blend_cell *cell = f->cells + (size_t)(y / SIDE - f->row) * f->columns + (x / SIDE - f->column);
    if (!has_weight(f, i)) return mean_of(cell->broad[c], cell->broad_weight) * (1 << FINE);
    int deep = f->blend->setup.type == ENDO_GREY16;
    return (int32_t)narrow_mean(f, i, c, deep ? 0 : FINE) + light_at(f, along, x, c);
}

/* A finished pixel. 8 bit: FINE bits below 1/16 of a level are 1/256. 16 bit: 1/16 of 1/4096 of the range is a level. hole:
 * whether the pixel's cell is in a hole or beside one. */
static uint32_t finished(const finish *f, const int32_t *along, size_t i, int x, int y, int c, int hole) {
    int32_t value = value_of(f, along, i, x, y, c);
    if (hole) value += endo_blend_lift_at(&f->holes, x / SIDE - f->column, y / SIDE - f->row, x % SIDE, y % SIDE, c);
    return f->blend->setup.type == ENDO_GREY16 ? clamp(value, 65535) : clamp((value + 128) >> 8, 255);
}

/* A frame whose weight is least may reach a pixel at its edge without weight in it or in its cell. */
static int is_painted(const finish *f, size_t i, int x, int y) {
    const endo_blend_cell *cell = f->cells + (size_t)(y / SIDE - f->row) * f->columns + (x / SIDE - f->column);
    return f->coverage[i] && (has_weight(f, i) || cell->broad_weight);
}

static void write_pixel(const finish *f, const endo_blend_view *view, const int32_t *along, int x, int y) {
    size_t from = (size_t)(y - f->y) * f->width + (x - f->x), to = (size_t)(y - view->y) * view->width + (x - view->x);
    int painted = is_painted(f, from, x, y);
    int hole = f->holes.holes[(size_t)(y / SIDE - f->row) * f->columns + (size_t)(x / SIDE - f->column)];
    uint32_t value[3] = {0};
    for (int c = 0; c < channels_of(f) && painted; c++) value[c] = finished(f, along, from, x, y, c, hole);
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
    f->column = greatest(w->left / SIDE - MARGIN, 0);
    f->row = greatest(w->top / SIDE - MARGIN, 0);
    f->columns = least((w->right - 1) / SIDE + MARGIN + 1, endo_blend_cells(s->width)) - f->column;
    f->rows = least((w->bottom - 1) / SIDE + MARGIN + 1, endo_blend_cells(s->height)) - f->row;
    f->x = w->left;
    f->y = w->top;
    f->width = w->right - w->left;
    f->height = w->bottom - w->top;
}

static void release(finish *f) {
    endo_free(f->sums);
    endo_free(f->coverage);
    endo_free(f->cells);
    endo_free(f->differences);
    endo_free(f->rows_smoothed);
    endo_free(f->light);
}

/* Memory for all windows of a view: that of new ones would be cleared by the system again and again. */
static endo_status take_memory(finish *f, const endo_blend_view *view) {
    size_t width = (size_t)least(view->width, WINDOW), height = (size_t)least(view->height, BAND);
    size_t area = width * height, cells = (width / SIDE + 2 * MARGIN + 2) * (height / SIDE + 2 * MARGIN + 2);
    f->sums = endo_alloc(area, endo_blend_sum_size(f->blend->setup.type));
    f->coverage = endo_alloc(area, sizeof *f->coverage);
    f->cells = endo_alloc(cells, sizeof *f->cells);
    f->differences = endo_alloc(cells, sizeof *f->differences);
    f->rows_smoothed = endo_alloc(cells, sizeof *f->rows_smoothed);
    f->light = endo_alloc(cells, 3 * sizeof *f->light);
    if (f->sums && f->coverage && f->cells && f->differences && f->rows_smoothed && f->light) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory to read %d x %d of a blend", view->width, view->height);
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

static endo_status write_painted(finish *f, const endo_blend_view *view) {
    const endo_blend_kernels *kernels = f->blend->context->kernels->blend;
    ENDO_TRY(kernels->read_cells(f->blend->blend, f->column, f->row, f->columns, f->rows, f->cells));
    find_light(f);
    endo_blend_find_holes(&f->holes, f->threads);
#pragma omp parallel for num_threads(f->threads) schedule(dynamic, 4)
    for (int y = f->y; y < f->y + f->height; y++) {
        int32_t along[3 * MOST_COLUMNS];
        light_along(f, y, along);
        for (int x = f->x; x < f->x + f->width; x++) write_pixel(f, view, along, x, y);
    }
    return ENDO_OK;
}

static endo_status write_window(finish *f, const endo_blend_view *view) {
    f->holes = (endo_blend_holes){.cells = f->cells, .light = f->light, .columns = f->columns, .rows = f->rows, .fine = FINE};
    endo_status status = endo_blend_holes_make(&f->holes)
                             ? write_painted(f, view)
                             : endo_fail(ENDO_ERR_MEMORY, "no memory to read %d x %d of a blend", f->width, f->height);
    endo_blend_holes_free(&f->holes);
    return status;
}

static endo_status finish_window(finish *f, const endo_blend_view *view, const window *w) {
    const endo_blend_kernels *kernels = f->blend->context->kernels->blend;
    surround(f, w);
    ENDO_TRY(kernels->read(f->blend->blend, f->x, f->y, f->width, f->height, f->sums, f->coverage));
    if (!is_empty(f)) return write_window(f, view);
    write_nothing(f, view);
    return ENDO_OK;
}

endo_status endo_blend_finish(const endo_blend *blend, const endo_blend_view *view) {
    finish f = {.blend = blend, .threads = blend->context->threads};
    int right = view->x + view->width;
    int bottom = view->y + view->height;
    endo_status status = take_memory(&f, view);
    for (int top = view->y; top < bottom; top += BAND)
        for (int left = view->x; left < right && status == ENDO_OK; left += WINDOW) {
            window w = {.left = left, .top = top, .right = least(left + WINDOW, right), .bottom = least(top + BAND, bottom)};
            status = finish_window(&f, view, &w);
        }
    release(&f);
    return status;
}
