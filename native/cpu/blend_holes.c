/* Holes of a blend in host memory (blend_holes.h). */
#include "blend_holes.h"

#include <string.h>

enum { FAR = ENDO_BLEND_HOLE_FAR };

/* Columns of cells that a thread surveys at once. */
#define STRIP ((size_t)64)

void cpu_blend_holes_take(cpu_blend_holes *h, endo_block *block) {
    size_t n = (size_t)h->of.columns * (size_t)h->of.rows;
    h->of.weights = endo_block_take(block, n, sizeof *h->of.weights);
    h->across = endo_block_take(block, n, sizeof *h->across);
    h->down = endo_block_take(block, n, sizeof *h->down);
    h->of.lifts = endo_block_take(block, n, 3 * sizeof *h->of.lifts);
    h->of.holes = endo_block_take(block, n, 1);
}

void cpu_blend_holes_clear(cpu_blend_holes *h) {
    size_t n = (size_t)h->of.columns * (size_t)h->of.rows;
    memset(h->of.lifts, 0, 3 * n * sizeof *h->of.lifts);
    memset(h->of.holes, 0, n);
}

/* ------------------------------------------------------------------- survey */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Each of n numbers becomes the greatest of it and the FAR - 1 that follow, as far as there are so many. */
static void spread(uint32_t *numbers, size_t n) {
    for (size_t reach = 1; reach < FAR; reach *= 2)
        for (size_t i = 0; i + reach < n; i++) numbers[i] = larger(numbers[i], numbers[i + reach]);
}

/* Each number of the first `some` columns of a rectangle becomes the greatest of it and the FAR - 1 below it, as far as there
 * are so many rows. */
static void spread_down(uint32_t *numbers, size_t columns, size_t some, size_t rows) {
    for (size_t reach = 1; reach < FAR; reach *= 2)
        for (size_t row = 0; row + reach < rows; row++)
            for (size_t i = row * columns; i < row * columns + some; i++)
                numbers[i] = larger(numbers[i], numbers[i + reach * columns]);
}

static void find_most(const cpu_blend_holes *h, int threads) {
    size_t columns = (size_t)h->of.columns;
    size_t rows = (size_t)h->of.rows;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t row = 0; row < rows; row++) {
            uint32_t *weights = h->of.weights + row * columns;
            uint32_t *across = h->across + row * columns;
            for (size_t i = 0; i < columns; i++)
                weights[i] = across[i] = h->down[row * columns + i] = endo_blend_hole_weight(h->of.cells + row * columns + i);
            spread(across, columns);
        }
#pragma omp for schedule(static)
        for (size_t first = 0; first < columns; first += STRIP)
            spread_down(h->down + first, columns, columns - first < STRIP ? columns - first : STRIP, rows);
    }
}

/* Whether cells beyond an edge are among the FAR on both sides; most: the greatest weight of a cell and those behind it. Where
 * fewer cells lie in front, it may be one that lies behind. */
static int is_between(const uint32_t *most, ptrdiff_t step, int before, int behind, uint32_t weight) {
    if (!before || !behind || !endo_blend_is_beyond(most[step], weight)) return 0;
    return endo_blend_is_beyond(most[-step * (before < FAR ? before : FAR)], weight);
}

/* 0: the cell is in no hole. */
static int may_be_hole(const cpu_blend_holes *h, int column, int row) {
    int columns = h->of.columns;
    int rows = h->of.rows;
    size_t i = (size_t)row * (size_t)columns + (size_t)column;
    uint32_t weight = h->of.weights[i];
    if (!endo_blend_may_be_hole(h->of.cells + i, weight)) return 0;
    return is_between(h->across + i, 1, column, columns - 1 - column, weight) ||
           is_between(h->down + i, columns, row, rows - 1 - row, weight);
}

/* ------------------------------------------------------------------ finding */

static void mark_around(const endo_blend_holes *h, int column, int row) {
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++) {
            if (x < 0 || y < 0 || x >= h->columns || y >= h->rows) continue;
            uint8_t *hole = &h->holes[(size_t)y * (size_t)h->columns + (size_t)x];
            if (!*hole) *hole = ENDO_BLEND_BESIDE_HOLE;
        }
}

static void mark_row(const endo_blend_holes *h, int row) {
    const uint8_t *holes = h->holes + (size_t)row * (size_t)h->columns;
    for (int column = 0; column < h->columns; column++)
        if (holes[column] == ENDO_BLEND_IN_HOLE) mark_around(h, column, row);
}

int cpu_blend_find_holes(const cpu_blend_holes *h, int threads) {
    int any = 0;
    find_most(h, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(| : any)
    for (int row = 0; row < h->of.rows; row++)
        for (int column = 0; column < h->of.columns; column++)
            if (may_be_hole(h, column, row)) {
                endo_blend_lift_cell(&h->of, column, row);
                any |= h->of.holes[(size_t)row * (size_t)h->of.columns + (size_t)column];
            }
    for (int row = 0; row < h->of.rows && any; row++) mark_row(&h->of, row);
    return any != 0;
}
