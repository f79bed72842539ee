/* Details of a frame, and their means and contrasts by cells. */
#include "pattern.h"

#include "base/simd.h"

#include <string.h>

/* A mean below this is dark. */
#define DARK 10

/* A number has the sum of known grey values, 255 * 441 at most, and above these bits how many they are. */
#define COUNT_SHIFT 20

/* The pixels of a square's row are added up by so many, and these sums then by seven: 3 * 7 of them. */
#define TOGETHER 3
_Static_assert(2 * PATTERN_REACH + 1 == 7 * TOGETHER, "sums of a square's rows");

/* Numbers before and behind a row of sums, zeros beyond the ends of the frame's. */
#define MARGIN 16
_Static_assert(PATTERN_REACH <= MARGIN, "squares reach into the margins");

ENDO_SIMD_INLINE uint32_t number_of(uint8_t grey, uint8_t known) { return known ? grey | 1u << COUNT_SHIFT : 0; }

ENDO_SIMD_INLINE void add_row(const uint8_t *restrict grey, const uint8_t *restrict known, int width, uint32_t *restrict sums) {
    for (int x = 0; x < width; x++) sums[x] += number_of(grey[x], known[x]);
}

ENDO_SIMD_INLINE void take_row(const uint8_t *restrict grey, const uint8_t *restrict known, int width, uint32_t *restrict sums) {
    for (int x = 0; x < width; x++) sums[x] -= number_of(grey[x], known[x]);
}

ENDO_SIMD_INLINE void swap_rows(const uint8_t *restrict grey, const uint8_t *restrict known, size_t taken, int width,
                                uint32_t *restrict sums) {
    const uint8_t *old = grey - taken;
    const uint8_t *was = known - taken;
    for (int x = 0; x < width; x++) sums[x] += number_of(grey[x], known[x]) - number_of(old[x], was[x]);
}

/* Adds the row that enters the squares, and takes the one that leaves them, if these are rows of the image. */
ENDO_SIMD_INLINE void move_down(const pattern_size *s, const uint8_t *grey, const uint8_t *known, int enters, int first,
                                uint32_t *sums) {
    size_t width = (size_t)s->width;
    int leaves = enters - 2 * PATTERN_REACH - 1;
    const uint8_t *row = grey + (size_t)enters * width;
    const uint8_t *is_known = known + (size_t)enters * width;
    size_t between = (2 * PATTERN_REACH + 1) * width;
    if (enters >= s->height && leaves >= first) take_row(row - between, is_known - between, s->width, sums);
    if (enters < s->height && leaves < first) add_row(row, is_known, s->width, sums);
    if (enters < s->height && leaves >= first) swap_rows(row, is_known, between, s->width, sums);
}

/* Sums of columns by TOGETHER, the first of them at -PATTERN_REACH. */
ENDO_SIMD_INLINE void add_together(const uint32_t *restrict columns, int width, uint32_t *restrict threes) {
    const uint32_t *first = columns - PATTERN_REACH;
    for (int x = 0; x < width + 2 * PATTERN_REACH - TOGETHER + 1; x++) threes[x] = first[x] + first[x + 1] + first[x + 2];
}

/* The detail of a pixel; unknown in the dark, where a pattern is clipped at black. The quotient is below 2^12, numerator and
 * denominator below 2^22 and 2^10: single precision, which is vectorized, truncates to the right integer. */
ENDO_SIMD_INLINE int16_t detail_of(uint8_t grey, uint8_t known, uint32_t all) {
    uint32_t sum = all & ((1u << COUNT_SHIFT) - 1), count = all >> COUNT_SHIFT;
    int32_t above = (int32_t)(2 * 16 * sum + count), below = (int32_t)(2 * count + !count);
    int32_t mean = (int32_t)((float)above / (float)below);
    return (int16_t)(!known || mean < 16 * DARK ? PATTERN_UNKNOWN : 16 * grey - mean);
}

ENDO_SIMD_INLINE void make_row(const uint8_t *restrict grey, const uint8_t *restrict known, const uint32_t *restrict threes,
                               int width, int16_t *restrict details) {
    for (int x = 0; x < width; x++) {
        const uint32_t *at = threes + x;
        uint32_t sum = at[0] + at[3] + at[6] + at[9] + at[12] + at[15] + at[18];
        details[x] = detail_of(grey[x], known[x], sum);
    }
}

/* endo_pattern_details. workspace: the sums of the columns of a row's squares between two margins, then these sums by
 * TOGETHER. */
ENDO_SIMD_INLINE void make_rows(const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom,
                                uint32_t *workspace, int16_t *details) {
    int width = s->width;
    int first = top < PATTERN_REACH ? 0 : top - PATTERN_REACH;
    uint32_t *columns = workspace + MARGIN;
    uint32_t *threes = columns + width + MARGIN;
    memset(workspace, 0, (size_t)(width + 2 * MARGIN) * sizeof *workspace);
    for (int enters = first; enters < bottom + PATTERN_REACH; enters++) {
        int y = enters - PATTERN_REACH;
        move_down(s, grey, known, enters, first, columns);
        if (y < top) continue;
        size_t at = (size_t)y * (size_t)width;
        add_together(columns, width, threes);
        make_row(grey + at, known + at, threes, width, details + (size_t)(y - top) * (size_t)width);
    }
}

ENDO_SIMD_LOOP(make_part, make_rows,
               (const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom, uint32_t *workspace,
                int16_t *details),
               (s, grey, known, top, bottom, workspace, details))

size_t endo_pattern_workspace(const pattern_size *s) { return 2 * ((size_t)s->width + 2 * MARGIN); }

void endo_pattern_details(const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom,
                          uint32_t *workspace, int16_t *details) {
    make_part[endo_simd_best(s->cpu)](s, grey, known, top, bottom, workspace, details);
}

/* ------------------------------------------------------------------- cells */

void endo_pattern_smooth_cells(const pattern_size *s, const uint64_t *sums, const uint32_t *counts, uint64_t *out) {
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            uint64_t sum = 0, count = 0;
            for (int v = row - 1; v <= row + 1; v++)
                for (int u = column - 1; u <= column + 1; u++) {
                    if (v < 0 || v >= s->rows || u < 0 || u >= s->columns) continue;
                    sum += sums[v * s->columns + u];
                    count += counts[v * s->columns + u];
                }
            out[row * s->columns + column] = count ? sum / count : 0;
        }
}

/* Cells whose columns are summed at a time. */
#define BLOCK 64

/* Sums over the rows of a cell: of the squares, below 2^32 together in a cell of 64 pixels, and how many pixels are known. */
typedef struct column_sums {
    uint32_t squares[BLOCK * PATTERN_CELL];
    uint32_t known[BLOCK * PATTERN_CELL];
} column_sums;

/* Adds n pixels of a row, without branches. pattern: NULL: zeros. */
ENDO_SIMD_INLINE void add_squares(const int16_t *restrict details, const int16_t *restrict pattern, int n,
                                  column_sums *restrict sums) {
    for (int x = 0; x < n; x++) {
        int32_t known = -(details[x] != PATTERN_UNKNOWN); /* all bits */
        int32_t d = (details[x] - (pattern ? pattern[x] : 0)) & known;
        sums->squares[x] += (uint32_t)(d * d);
        sums->known[x] -= (uint32_t)known;
    }
}

/* Sets the sums and counts of n cells from those of their columns. */
ENDO_SIMD_INLINE void add_columns(const column_sums *columns, int n, uint64_t *sums, uint32_t *counts) {
    for (int i = 0; i < n; i++) {
        uint32_t squares = 0;
        uint32_t known = 0;
        for (int k = 0; k < PATTERN_CELL; k++) {
            squares += columns->squares[i * PATTERN_CELL + k];
            known += columns->known[i * PATTERN_CELL + k];
        }
        sums[i] = squares;
        counts[i] = known;
    }
}

/* Sums the squares of a row of cells, block by block. */
ENDO_SIMD_INLINE void sum_cells(const pattern_size *s, const int16_t *details, const int16_t *pattern, int row, uint64_t *sums,
                                uint32_t *counts) {
    int top = row * PATTERN_CELL;
    int bottom = top + PATTERN_CELL < s->height ? top + PATTERN_CELL : s->height;
    for (int cell = 0; cell < s->columns; cell += BLOCK) {
        int cells = s->columns - cell < BLOCK ? s->columns - cell : BLOCK;
        int left = cell * PATTERN_CELL;
        int n = s->width - left < BLOCK * PATTERN_CELL ? s->width - left : BLOCK * PATTERN_CELL;
        column_sums columns;
        memset(&columns, 0, sizeof columns);
        for (int y = top; y < bottom; y++) {
            size_t at = (size_t)y * (size_t)s->width + (size_t)left;
            if (pattern) add_squares(details + at, pattern + at, n, &columns);
            else add_squares(details + at, NULL, n, &columns);
        }
        add_columns(&columns, cells, sums + cell, counts + cell);
    }
}

ENDO_SIMD_LOOP(sum_row_of_cells, sum_cells,
               (const pattern_size *s, const int16_t *details, const int16_t *pattern, int row, uint64_t *sums,
                uint32_t *counts),
               (s, details, pattern, row, sums, counts))

void endo_pattern_contrast(const pattern_size *s, const int16_t *details, const int16_t *pattern, uint64_t floor,
                           uint64_t *sums, uint32_t *counts, uint64_t *contrast) {
    endo_cpu set = endo_simd_best(s->cpu);
#pragma omp parallel for num_threads(s->threads) if (pattern_area(s) > 100000)
    for (int row = 0; row < s->rows; row++)
        sum_row_of_cells[set](s, details, pattern, row, sums + row * s->columns, counts + row * s->columns);
    endo_pattern_smooth_cells(s, sums, counts, contrast);
    for (size_t i = 0; i < pattern_cells(s); i++)
        if (contrast[i] < floor) contrast[i] = floor;
}
