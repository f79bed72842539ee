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

/* Fewest pixels of the grid for which threads are used. */
enum { MANY = 100000 };

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

/* Adds the weighted sums of the rows around a row. */
static void weigh_column(const endo_field_grid *g, const uint16_t *across, int y, uint16_t *to) {
    memset(to, 0, (size_t)g->columns * sizeof *to);
    for (int k = -REACH; k <= REACH; k++) {
        const uint16_t *from = across + (size_t)clamp(y + k, g->rows) * g->columns;
        int weight = REACH + 1 - (k < 0 ? -k : k);
        for (int x = 0; x < g->columns; x++) to[x] = (uint16_t)(to[x] + weight * from[x]);
    }
}

/* Weighted sums around each pixel. shares: 0..625. across: workspace of that size. */
static void weigh(const endo_field_grid *g, const uint8_t *region, int threads, uint16_t *across, uint16_t *shares) {
    int many = (size_t)g->columns * (size_t)g->rows > MANY;
#pragma omp parallel for num_threads(threads) schedule(static) if (many)
    for (int y = 0; y < g->rows; y++)
        weigh_row(region + (size_t)y * g->columns, g->columns, across + (size_t)y * g->columns);
#pragma omp parallel for num_threads(threads) schedule(static) if (many)
    for (int y = 0; y < g->rows; y++) weigh_column(g, across, y, shares + (size_t)y * g->columns);
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

/* For each pixel of the grid the frame's column where the next one begins; the last one's ends with the row. */
static void find_ends(const endo_field_grid *g, int *ends) {
    for (int i = 0; i + 1 < g->columns; i++) ends[i] = endo_field_pixel_of(i + 1, g->columns, g->width);
    ends[g->columns - 1] = g->width;
}

static int is_in(int32_t share) { return share >= BORDER / 256; }

static uint8_t drawn(const endo_field_grid *g, const int32_t *row, int x) {
    position at = position_of(x, g->columns, g->width);
    int next = at.first + 1 < g->columns ? at.first + 1 : at.first;
    return (int64_t)row[at.first] * (256 - at.beyond) + (int64_t)row[next] * at.beyond >= BORDER ? 255 : 0;
}

/* Draws a row of the mask, run by run of grid pixels that are all in or all out; only between two such runs something is
 * computed. ends: of find_ends. */
static void draw_row(const endo_field_grid *g, const int *ends, const int32_t *row, uint8_t *mask) {
    int x = 0;
    for (int i = 0; i < g->columns; i++) {
        int here = is_in(row[i]);
        while (i + 1 < g->columns && is_in(row[i + 1]) == here) i++;
        int before = i > 0 ? ends[i - 1] : 0;
        int same = i + 1 == g->columns ? g->width : before;
        if (same > x) {
            memset(mask + x, here ? 255 : 0, (size_t)(same - x));
            x = same;
        }
        for (; x < ends[i]; x++) mask[x] = drawn(g, row, x);
    }
}

endo_status endo_field_draw(const endo_field_grid *g, const uint8_t *region, int threads, uint8_t *mask) {
    size_t area = (size_t)g->columns * g->rows;
    uint16_t *shares = endo_alloc(2 * area, sizeof *shares);
    endo_status status = ENDO_OK;
    if (shares) {
        int ends[ENDO_FIELD_SIDE];
        find_ends(g, ends);
        weigh(g, region, threads, shares + area, shares);
#pragma omp parallel for num_threads(threads) schedule(static) if ((size_t)g->width * (size_t)g->height > ENDO_MANY_PIXELS)
        for (int y = 0; y < g->height; y++) {
            int32_t row[ENDO_FIELD_SIDE];
            mix_rows(g, shares, y, row);
            draw_row(g, ends, row, mask + (size_t)y * g->width);
        }
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for the mask of %d x %d pixels", g->width, g->height);
    }
    endo_free(shares);
    return status;
}
