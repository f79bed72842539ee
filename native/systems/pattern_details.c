/* Details of a frame, and what cells say of them. */
#include "pattern.h"

#include <omp.h>
#include <string.h>

/* A mean below this is dark. */
#define DARK 10

/* Sums of grey values that are known, and above these bits how many they are: 255 * 441 at most. */
#define COUNT_SHIFT 20

#define INLINE static inline __attribute__((always_inline))

/* Sums along a row. values: as long, to work with. */
INLINE void sum_row(const uint8_t *grey, const uint8_t *known, int width, uint32_t *values, uint32_t *sums) {
    uint32_t sum = 0;
    for (int x = 0; x < width; x++) values[x] = known[x] ? grey[x] | 1u << COUNT_SHIFT : 0;
    for (int x = -PATTERN_REACH; x < width; x++) {
        int enters = x + PATTERN_REACH, leaves = x - PATTERN_REACH - 1;
        if (enters < width) sum += values[enters];
        if (leaves >= 0) sum -= values[leaves];
        if (x >= 0) sums[x] = sum;
    }
}

/* Unknown in the dark, where a pattern is cut off at black. The quotient is below 2^12, its parts below 2^22 and 2^10: in
 * single precision, too, it is cut off at the right whole number, and several are made at once. */
INLINE int16_t detail_of(uint8_t grey, uint8_t known, uint32_t all) {
    uint32_t sum = all & ((1u << COUNT_SHIFT) - 1), count = all >> COUNT_SHIFT;
    int32_t above = (int32_t)(2 * 16 * sum + count), below = (int32_t)(2 * count + !count);
    int32_t mean = (int32_t)((float)above / (float)below);
    return (int16_t)(!known || mean < 16 * DARK ? PATTERN_UNKNOWN : 16 * grey - mean);
}

/* The columns from..to of the sums along the rows are summed down. */
INLINE void sum_columns(const pattern_size *s, const uint8_t *grey, const uint8_t *known, const uint32_t *sums, int from,
                        int n, int16_t *details) {
    uint32_t sum[64] = {0};
    for (int y = -PATTERN_REACH; y < s->height; y++) {
        int enters = y + PATTERN_REACH, leaves = y - PATTERN_REACH - 1;
        const uint32_t *more = enters < s->height ? sums + (size_t)enters * s->width + from : NULL;
        const uint32_t *less = leaves >= 0 ? sums + (size_t)leaves * s->width + from : NULL;
        for (int x = 0; more && x < n; x++) sum[x] += more[x];
        for (int x = 0; less && x < n; x++) sum[x] -= less[x];
        size_t i = y >= 0 ? (size_t)y * s->width + from : 0;
        for (int x = 0; y >= 0 && x < n; x++) details[i + x] = detail_of(grey[i + x], known[i + x], sum[x]);
    }
}

/* So many columns at a time. */
#define TOGETHER 64

INLINE void sum_any_columns(const pattern_size *s, const uint8_t *grey, const uint8_t *known, const uint32_t *sums, int from,
                            int16_t *details) {
    if (from + TOGETHER <= s->width) sum_columns(s, grey, known, sums, from, TOGETHER, details);
    else sum_columns(s, grey, known, sums, from, s->width - from, details);
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx2"))) static
WIDE void row_wide(const uint8_t *grey, const uint8_t *known, int width, uint32_t *values, uint32_t *sums) {
    sum_row(grey, known, width, values, sums);
}
WIDE void columns_wide(const pattern_size *s, const uint8_t *grey, const uint8_t *known, const uint32_t *sums, int from,
                       int16_t *details) {
    sum_any_columns(s, grey, known, sums, from, details);
}
static int is_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define row_wide sum_row
#define columns_wide sum_any_columns
static int is_wide(void) { return 0; }
#endif

void endo_pattern_details(const pattern_size *s, const uint8_t *grey, const uint8_t *known, uint32_t *scratch,
                          int16_t *details) {
    size_t area = pattern_area(s);
    int wide = is_wide();
#pragma omp parallel num_threads(s->threads) if (area > 100000)
    {
#pragma omp for
        for (int y = 0; y < s->height; y++) {
            size_t row = (size_t)y * s->width;
            uint32_t *values = scratch + area + (size_t)omp_get_thread_num() * (size_t)s->width;
            if (wide) row_wide(grey + row, known + row, s->width, values, scratch + row);
            else sum_row(grey + row, known + row, s->width, values, scratch + row);
        }
#pragma omp for
        for (int x = 0; x < s->width; x += TOGETHER)
            if (wide) columns_wide(s, grey, known, scratch, x, details);
            else sum_any_columns(s, grey, known, scratch, x, details);
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

/* Of n pixels of a row, which lie in one cell: their squares together are below 2^30. */
INLINE void add_run(const int16_t *details, const int16_t *pattern, int n, uint64_t *sum, uint32_t *count) {
    uint32_t squares = 0, known = 0;
    for (int x = 0; x < n; x++) {
        int32_t counts = details[x] != PATTERN_UNKNOWN, d = counts ? details[x] - (pattern ? pattern[x] : 0) : 0;
        squares += (uint32_t)(d * d), known += (uint32_t)counts;
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
