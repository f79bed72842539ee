/* Details of a frame, and their means and contrasts by cells. */
#include "pattern.h"

#include "base/simd.h"

#include <string.h>

/* A mean below this is dark. */
#define DARK 10

/* A number has the sum of known grey values, 255 * 441 at most, and above these bits how many they are. */
#define COUNT_SHIFT 20

/* Sums along a row. values: workspace of its length. */
ENDO_SIMD_INLINE void sum_row(const uint8_t *grey, const uint8_t *known, int width, uint32_t *values, uint32_t *sums) {
    uint32_t sum = 0;
    for (int x = 0; x < width; x++) values[x] = known[x] ? grey[x] | 1u << COUNT_SHIFT : 0;
    for (int x = -PATTERN_REACH; x < width; x++) {
        int enters = x + PATTERN_REACH, leaves = x - PATTERN_REACH - 1;
        if (enters < width) sum += values[enters];
        if (leaves >= 0) sum -= values[leaves];
        if (x >= 0) sums[x] = sum;
    }
}

/* The detail of a pixel; unknown in the dark, where a pattern is clipped at black. The quotient is below 2^12, numerator and
 * denominator below 2^22 and 2^10: single precision, which is vectorized, truncates to the right integer. */
ENDO_SIMD_INLINE int16_t detail_of(uint8_t grey, uint8_t known, uint32_t all) {
    uint32_t sum = all & ((1u << COUNT_SHIFT) - 1), count = all >> COUNT_SHIFT;
    int32_t above = (int32_t)(2 * 16 * sum + count), below = (int32_t)(2 * count + !count);
    int32_t mean = (int32_t)((float)above / (float)below);
    return (int16_t)(!known || mean < 16 * DARK ? PATTERN_UNKNOWN : 16 * grey - mean);
}

/* Rows whose sums are kept: those of a square, and the one that leaves it. */
#define RING (2 * PATTERN_REACH + 2)

ENDO_SIMD_INLINE void add_row(const uint32_t *row, int width, uint32_t *sums) {
    for (int x = 0; x < width; x++) sums[x] += row[x];
}

ENDO_SIMD_INLINE void take_row(const uint32_t *row, int width, uint32_t *sums) {
    for (int x = 0; x < width; x++) sums[x] -= row[x];
}

ENDO_SIMD_INLINE void make_row(const uint8_t *grey, const uint8_t *known, const uint32_t *sums, int width,
                               int16_t *details) {
    for (int x = 0; x < width; x++) details[x] = detail_of(grey[x], known[x], sums[x]);
}

/* endo_pattern_details. workspace: RING + 2 rows: the sums of the columns, the values of a row, then the sums along the last
 * rows. */
ENDO_SIMD_INLINE void make_rows(const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom,
                                uint32_t *workspace, int16_t *details) {
    int width = s->width, first = top < PATTERN_REACH ? 0 : top - PATTERN_REACH;
    uint32_t *sums = workspace, *values = workspace + width, *ring = workspace + 2 * (size_t)width;
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int enters = first; enters < bottom + PATTERN_REACH; enters++) {
        int y = enters - PATTERN_REACH, leaves = y - PATTERN_REACH - 1;
        uint32_t *row = ring + (size_t)(enters % RING) * (size_t)width;
        size_t at = (size_t)enters * (size_t)width;
        if (enters < s->height) sum_row(grey + at, known + at, width, values, row), add_row(row, width, sums);
        if (leaves >= first) take_row(ring + (size_t)(leaves % RING) * (size_t)width, width, sums);
        if (y < top) continue;
        at = (size_t)y * (size_t)width;
        make_row(grey + at, known + at, sums, width, details + (size_t)(y - top) * (size_t)width);
    }
}

ENDO_SIMD_LOOP(make_part, make_rows,
               (const pattern_size *s, const uint8_t *grey, const uint8_t *known, int top, int bottom, uint32_t *workspace,
                int16_t *details),
               (s, grey, known, top, bottom, workspace, details))

size_t endo_pattern_workspace(const pattern_size *s) { return (RING + 2) * (size_t)s->width; }

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

/* Adds the squares and the count of n known pixels of a row, which lie in one cell: together they are below 2^30. */
ENDO_SIMD_INLINE void add_run(const int16_t *details, const int16_t *pattern, int n, uint64_t *sum, uint32_t *count) {
    uint32_t squares = 0, known = 0;
    for (int x = 0; x < n; x++) {
        int32_t counts = details[x] != PATTERN_UNKNOWN, d = counts ? details[x] - (pattern ? pattern[x] : 0) : 0;
        squares += (uint32_t)(d * d);
        known += (uint32_t)counts;
    }
    *sum += squares, *count += known;
}

static void add_squares(const pattern_size *s, const int16_t *details, const int16_t *pattern, int y, uint64_t *sums,
                        uint32_t *counts) {
    size_t row = (size_t)y * s->width;
    int whole = s->width / PATTERN_CELL, left = whole * PATTERN_CELL;
    for (int i = 0; i < whole; i++) {
        size_t at = row + (size_t)i * PATTERN_CELL;
        if (pattern) add_run(details + at, pattern + at, PATTERN_CELL, &sums[i], &counts[i]);
        else add_run(details + at, NULL, PATTERN_CELL, &sums[i], &counts[i]);
    }
    if (left < s->width)
        add_run(details + row + left, pattern ? pattern + row + left : NULL, s->width - left, &sums[whole], &counts[whole]);
}

void endo_pattern_contrast(const pattern_size *s, const int16_t *details, const int16_t *pattern, uint64_t floor,
                           uint64_t *sums, uint32_t *counts, uint64_t *contrast) {
    memset(sums, 0, pattern_cells(s) * sizeof *sums);
    memset(counts, 0, pattern_cells(s) * sizeof *counts);
#pragma omp parallel for num_threads(s->threads) if (pattern_area(s) > 100000)
    for (int row = 0; row < s->rows; row++)
        for (int y = row * PATTERN_CELL; y < s->height && y < (row + 1) * PATTERN_CELL; y++)
            add_squares(s, details, pattern, y, sums + row * s->columns, counts + row * s->columns);
    endo_pattern_smooth_cells(s, sums, counts, contrast);
    for (size_t i = 0; i < pattern_cells(s); i++)
        if (contrast[i] < floor) contrast[i] = floor;
}
