/* Details of a frame, and what cells say of them. */
#include "pattern.h"

#include <string.h>

/* A mean below this is dark. */
#define DARK 10

/* Sums along a row: of grey values that are known, and their number. */
static void sum_row(const uint8_t *grey, const uint8_t *known, int width, uint32_t *sums, uint32_t *counts) {
    uint32_t sum = 0, count = 0;
    for (int x = -PATTERN_REACH; x < width; x++) {
        int enters = x + PATTERN_REACH, leaves = x - PATTERN_REACH - 1;
        if (enters < width && known[enters]) sum += grey[enters], count++;
        if (leaves >= 0 && known[leaves]) sum -= grey[leaves], count--;
        if (x >= 0) sums[x] = sum, counts[x] = count;
    }
}

/* Unknown in the dark, where a pattern is cut off at black. The quotient is below 2^12, its parts below 2^22 and 2^10: in
 * single precision, too, it is cut off at the right whole number, and several are made at once. */
static inline int16_t detail_of(uint8_t grey, uint8_t known, uint32_t sum, uint32_t count) {
    int32_t above = (int32_t)(2 * 16 * sum + count), below = (int32_t)(2 * count + !count);
    int32_t mean = (int32_t)((float)above / (float)below);
    return (int16_t)(!known || mean < 16 * DARK ? PATTERN_UNKNOWN : 16 * grey - mean);
}

/* The columns from..to of the sums along the rows are summed down. */
static void details_of_columns(const pattern_size *s, const uint8_t *grey, const uint8_t *known, const uint32_t *scratch,
                               int from, int to, int16_t *details) {
    const uint32_t *sums = scratch, *counts = scratch + pattern_area(s);
    uint32_t sum[64] = {0}, count[64] = {0};
    for (int y = -PATTERN_REACH; y < s->height; y++) {
        int enters = y + PATTERN_REACH, leaves = y - PATTERN_REACH - 1;
        for (int x = from; enters < s->height && x < to; x++) {
            size_t i = (size_t)enters * s->width + x;
            sum[x - from] += sums[i], count[x - from] += counts[i];
        }
        for (int x = from; leaves >= 0 && x < to; x++) {
            size_t i = (size_t)leaves * s->width + x;
            sum[x - from] -= sums[i], count[x - from] -= counts[i];
        }
        for (int x = from; y >= 0 && x < to; x++) {
            size_t i = (size_t)y * s->width + x;
            details[i] = detail_of(grey[i], known[i], sum[x - from], count[x - from]);
        }
    }
}

void endo_pattern_details(const pattern_size *s, const uint8_t *grey, const uint8_t *known, uint32_t *scratch,
                          int16_t *details) {
    size_t area = pattern_area(s);
#pragma omp parallel num_threads(s->threads) if (area > 100000)
    {
#pragma omp for
        for (int y = 0; y < s->height; y++) {
            size_t row = (size_t)y * s->width;
            sum_row(grey + row, known + row, s->width, scratch + row, scratch + area + row);
        }
#pragma omp for
        for (int x = 0; x < s->width; x += 64)
            details_of_columns(s, grey, known, scratch, x, x + 64 < s->width ? x + 64 : s->width, details);
    }
}

/* ------------------------------------------------------------------- cells */

void endo_pattern_smooth_cells(const pattern_size *s, const uint64_t *sums, const uint32_t *counts, uint64_t *out) {
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            uint64_t sum = 0, count = 0;
            for (int v = row - 1; v <= row + 1; v++)
                for (int u = column - 1; u <= column + 1; u++) {
                    if (v < 0 || v >= s->rows || u < 0 || u >= s->columns) continue;
                    sum += sums[v * s->columns + u], count += counts[v * s->columns + u];
                }
            out[row * s->columns + column] = count ? sum / count : 0;
        }
}

static void add_squares(const pattern_size *s, const int16_t *details, const int16_t *pattern, int y, uint64_t *sums,
                        uint32_t *counts) {
    for (int x = 0; x < s->width; x++) {
        size_t i = (size_t)y * s->width + x;
        if (details[i] == PATTERN_UNKNOWN) continue;
        int64_t d = details[i] - (pattern ? pattern[i] : 0);
        sums[x / PATTERN_CELL] += (uint64_t)(d * d), counts[x / PATTERN_CELL]++;
    }
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
