/* Local bitmaps of two images, by the mean of a square (docs/algorithms/exposures.md,
 * Second opinion). All counts are integers. */
#include "exposures_bits.h"

#include "rules/exposure_observations.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------ memory */

endo_status exposures_bits_create(const endo_context *context, int width, int height, int side, int rows, exposures_bits *out) {
    size_t area = (size_t)width * (size_t)height;
    *out = (exposures_bits){
        .width = width,
        .height = height,
        .step = endo_exposure_row_step(height, rows),
        .cpu = context->cpu,
        .side = side,
        .reference = endo_alloc_zeroed(area, 1),
        .current = endo_alloc_zeroed(area, 1),
        .columns = endo_alloc(2 * (size_t)width, sizeof(uint16_t)),
        .counts = endo_alloc(4 * (size_t)width, 1),
    };
    if (out->reference && out->current && out->columns && out->counts) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for local bitmaps");
}

void exposures_bits_free(exposures_bits *b) {
    endo_free(b->reference);
    endo_free(b->current);
    endo_free(b->columns);
    endo_free(b->counts);
}

/* ----------------------------------------------------------------- bitmaps */

void exposures_bits_keep(const uint8_t *restrict inside, size_t n, uint8_t *restrict bits) {
    for (size_t i = 0; i < n; i++) bits[i] &= inside[i];
}

ENDO_SIMD_INLINE void add_row(const uint8_t *restrict enters, const uint8_t *restrict leaves, int n, uint16_t *restrict columns) {
    if (!leaves)
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x]);
    else
        for (int x = 0; x < n; x++) columns[x] = (uint16_t)(columns[x] + enters[x] - leaves[x]);
}

ENDO_SIMD_LOOP(add_rows, add_row, (const uint8_t *enters, const uint8_t *leaves, int n, uint16_t *columns),
               (enters, leaves, n, columns))

/* The squares of a row, the first of them around pixel side / 2, from the sums of as many pixels above each other; sums of 2, 4,
 * 8 .. neighbours. */
ENDO_SIMD_INLINE void sum_squares(const uint16_t *restrict columns, int width, int side, uint16_t *restrict squares) {
    int n = width;
    for (int x = 0; x < n - 1; x++) squares[x] = (uint16_t)(columns[x] + columns[x + 1]);
    for (int apart = 2; apart < side; apart *= 2)
        for (int x = 0; x < n - 2 * apart + 1; x++) squares[x] = (uint16_t)(squares[x] + squares[x + apart]);
}

ENDO_SIMD_LOOP(sum_rows, sum_squares, (const uint16_t *columns, int width, int side, uint16_t *squares),
               (columns, width, side, squares))

/* area_bits: logarithm of the pixels of a square to base 2. */
ENDO_SIMD_INLINE void threshold(const uint8_t *restrict grey, const uint16_t *restrict squares, int n, int area_bits,
                                uint8_t *restrict bits) {
    int half = 1 << (area_bits - 1);
    for (int x = 0; x < n; x++) {
        int16_t above = (int16_t)(grey[x] - (uint16_t)((uint16_t)(squares[x] + half) >> area_bits));
        bits[x] = (uint8_t)((above > 0) * LOCAL_WHITE + (above < 0) * LOCAL_BLACK);
    }
}

ENDO_SIMD_LOOP(threshold_rows, threshold,
               (const uint8_t *grey, const uint16_t *squares, int n, int area_bits, uint8_t *bits),
               (grey, squares, n, area_bits, bits))

static void mark(const uint16_t *restrict squares, int n, int full, uint8_t *restrict inside) {
    for (int x = 0; x < n; x++) inside[x] = squares[x] == full ? 255 : 0;
}

static void walk_rows(const exposures_bits *b, const uint8_t *image, int marks, int step, uint8_t *out) {
    int width = b->width;
    int side = b->side;
    int n = width - side + 1;
    int area_bits = 0;
    endo_cpu set = endo_simd_best(b->cpu);
    uint16_t *columns = b->columns;
    uint16_t *squares = columns + width;
    while (1 << area_bits < side * side) area_bits++;
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (int y = 0; y < b->height && n > 0; y++) {
        const uint8_t *enters = image + (size_t)y * (size_t)width;
        const uint8_t *leaves = y < side ? NULL : enters - (ptrdiff_t)side * width;
        add_rows[set](enters, leaves, width, columns);
        if (y < side - 1 || (y + 1 - side / 2) % step != 0) continue;
        ptrdiff_t first = (ptrdiff_t)(y + 1 - side / 2) * width + side / 2;
        sum_rows[set](columns, width, side, squares);
        if (marks)
            mark(squares, n, 255 * side * side, out + first);
        else
            threshold_rows[set](image + first, squares, n, area_bits, out + first);
    }
}

void exposures_bits_threshold(const exposures_bits *b, const uint8_t *grey, int step, uint8_t *bits) {
    walk_rows(b, grey, 0, step, bits);
}

void exposures_bits_mark(const exposures_bits *b, const uint8_t *field, uint8_t *inside) { walk_rows(b, field, 1, 1, inside); }

/* ------------------------------------------------------------------- shifts */

/* Counts of columns in some rows, fewer than 256. */
ENDO_SIMD_INLINE void count_row(const uint8_t *restrict r, const uint8_t *restrict c, int n, uint8_t *restrict reference,
                                uint8_t *restrict current, uint8_t *restrict alike, uint8_t *restrict unlike) {
    for (int x = 0; x < n; x++) {
        reference[x] = (uint8_t)(reference[x] + (r[x] != 0));
        current[x] = (uint8_t)(current[x] + (c[x] != 0));
        alike[x] = (uint8_t)(alike[x] + ((r[x] & c[x]) != 0));
        unlike[x] = (uint8_t)(unlike[x] + ((r[x] | c[x]) == (LOCAL_WHITE | LOCAL_BLACK)));
    }
}

ENDO_SIMD_LOOP(count_rows, count_row,
               (const uint8_t *r, const uint8_t *c, int n, uint8_t *reference, uint8_t *current, uint8_t *alike, uint8_t *unlike),
               (r, c, n, reference, current, alike, unlike))

static void add_counts(const uint8_t *restrict reference, const uint8_t *restrict current, const uint8_t *restrict alike,
                       const uint8_t *restrict unlike, int n, exposures_overlap *o) {
    int32_t in_reference = 0, in_current = 0, both = 0, excess = 0;
    for (int x = 0; x < n; x++) {
        in_reference += reference[x];
        in_current += current[x];
        both += alike[x] + unlike[x];
        excess += alike[x] - unlike[x];
    }
    o->reference += in_reference;
    o->current += in_current;
    o->both += both;
    o->excess += excess;
}

exposures_overlap exposures_bits_compare(const exposures_bits *b, int dx, int dy) {
    int width = b->width;
    int height = b->height;
    int step = b->step;
    int left = dx < 0 ? -dx : 0;
    int n = width - (dx < 0 ? -dx : dx);
    int y = dy < 0 ? (step - 1 - dy) / step * step : 0, end = dy < 0 ? height : height - dy;
    uint8_t *reference = b->counts;
    uint8_t *current = reference + width;
    uint8_t *alike = current + width;
    uint8_t *unlike = alike + width;
    endo_cpu set = endo_simd_best(b->cpu);
    exposures_overlap o = {0, 0, 0, 0, 0};
    while (y < end && n > 0) {
        memset(b->counts, 0, 4 * (size_t)width);
        for (int rows = 0; rows < 255 && y < end; rows++, y += step) {
            count_rows[set](b->reference + (ptrdiff_t)(y + dy) * width + left + dx, b->current + (ptrdiff_t)y * width + left, n,
                            reference, current, alike, unlike);
            o.pixels += n;
        }
        add_counts(reference, current, alike, unlike, n, &o);
    }
    return o;
}

double exposures_bits_coefficient(const exposures_overlap *o) {
    return o->reference && o->current ? (double)o->excess / sqrt((double)o->reference * (double)o->current) : 0;
}
