/* The border of a field of view: smooth, below the grid's resolution, and on the safe side.
 *
 * A pixel counts by the share of bright ones around it, weighted by a cone (two means of five, across and down). The border is
 * where that share, interpolated linearly on the grid, passes a level: noise on the rim is averaged, and as the level is
 * high, a pixel whose surroundings are a quarter dark, as in a notch's corner, stays outside. */
#include "field_border.h"
#include "base/threads.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* The cone's weights 1 2 3 4 5 4 3 2 1, and their sum. */
enum { REACH = 4, WEIGHTS = 25 };

/* The level: 17/20 of all weights, times 256 by 256 for the position within a cell of the grid. */
static const int64_t BORDER = (int64_t)WEIGHTS * WEIGHTS * 17 / 20 * 65536;


endo_field_grid endo_field_grid_of(int width, int height) {
    int side = width > height ? width : height, step = (side + ENDO_FIELD_SIDE - 1) / ENDO_FIELD_SIDE;
    return (endo_field_grid){width, height, (width + step - 1) / step, (height + step - 1) / step};
}

/* ------------------------------------------------------------------- shares */

static int clamp(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Weighted sums along a row, which is continued beyond its ends. */
static void weigh_row(const uint8_t *row, int n, uint16_t *out) {
    uint16_t set[ENDO_FIELD_SIDE + 2 * REACH];
    for (int i = 0; i < n + 2 * REACH; i++) set[i] = row[clamp(i - REACH, n)] != 0;
    for (int x = 0; x < n; x++) out[x] = 0;
    for (int k = 0; k <= 2 * REACH; k++) {
        int weight = REACH + 1 - (k < REACH ? REACH - k : k - REACH);
        for (int x = 0; x < n; x++) out[x] = (uint16_t)(out[x] + weight * set[x + k]);
    }
}

/* Weighted sums around each pixel. shares: 0..625. across: workspace of that size. */
static void weigh(const endo_field_grid *g, const uint8_t *region, uint16_t *across, uint16_t *shares) {
    for (int y = 0; y < g->rows; y++)
        weigh_row(region + (size_t)y * g->columns, g->columns, across + (size_t)y * g->columns);
    memset(shares, 0, (size_t)g->columns * g->rows * sizeof *shares);
    for (int y = 0; y < g->rows; y++)
        for (int k = -REACH; k <= REACH; k++) {
            const uint16_t *from = across + (size_t)clamp(y + k, g->rows) * g->columns;
            uint16_t *to = shares + (size_t)y * g->columns;
            int weight = REACH + 1 - (k < 0 ? -k : k);
            for (int x = 0; x < g->columns; x++) to[x] = (uint16_t)(to[x] + weight * from[x]);
        }
}

/* ------------------------------------------------------------------ drawing */

/* Position of a pixel between two pixels of the grid: the first of them, and the distance from it in 1/256. */
typedef struct position {
    int first, beyond;
} position;

static position position_of(int pixel, int n, int side) {
    if (side == 1 || n == 1) return (position){0, 0};
    int64_t at = (int64_t)pixel * (n - 1) * 256 / (side - 1);
    return (position){(int)(at / 256), (int)(at % 256)};
}

/* Shares between two rows of the grid, times 256. */
static void mix_rows(const endo_field_grid *g, const uint16_t *shares, int y, int32_t *row) {
    position at = position_of(y, g->rows, g->height);
    const uint16_t *above = shares + (size_t)at.first * g->columns;
    const uint16_t *below = at.first + 1 < g->rows ? above + g->columns : above;
    for (int x = 0; x < g->columns; x++) row[x] = above[x] * (256 - at.beyond) + below[x] * at.beyond;
}

static uint8_t drawn(const endo_field_grid *g, const int32_t *row, int x) {
    position at = position_of(x, g->columns, g->width);
    int next = at.first + 1 < g->columns ? at.first + 1 : at.first;
    return (int64_t)row[at.first] * (256 - at.beyond) + (int64_t)row[next] * at.beyond >= BORDER ? 255 : 0;
}

/* Draws a row of the mask; between grid pixels that are both in or both out nothing is computed. */
static void draw_row(const endo_field_grid *g, const int32_t *row, uint8_t *mask) {
    for (int i = 0, x = 0; i < g->columns; i++) {
        int last = i + 1 == g->columns, end = last ? g->width : endo_field_pixel_of(i + 1, g->columns, g->width);
        int here = row[i] * (int64_t)256 >= BORDER, next = last ? here : row[i + 1] * (int64_t)256 >= BORDER;
        if (here == next && end > x) {
            memset(mask + x, here ? 255 : 0, (size_t)(end - x));
            x = end;
        }
        for (; x < end; x++) mask[x] = drawn(g, row, x);
    }
}

endo_status endo_field_draw(const endo_field_grid *g, const uint8_t *region, int threads, uint8_t *mask) {
    size_t area = (size_t)g->columns * g->rows;
    uint16_t *shares = endo_alloc(2 * area, sizeof *shares);
    endo_status status = ENDO_OK;
    if (shares) {
        weigh(g, region, shares + area, shares);
#pragma omp parallel for num_threads(threads) schedule(static) if ((size_t)g->width * (size_t)g->height > ENDO_MANY_PIXELS)
        for (int y = 0; y < g->height; y++) {
            int32_t row[ENDO_FIELD_SIDE];
            mix_rows(g, shares, y, row);
            draw_row(g, row, mask + (size_t)y * g->width);
        }
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for the mask of %d x %d pixels", g->width, g->height);
    }
    endo_free(shares);
    return status;
}
