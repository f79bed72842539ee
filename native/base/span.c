/* Exact spans by integer division: start + x * step must stay in [0, limit). */
#include "span.h"

static int64_t floor_divide(int64_t a, int64_t b) { /* b > 0 */
    int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}

/* Narrows x = *from .. *to - 1 to those with 0 <= start + x step < limit for some start of low .. high. */
static void clip(int64_t low, int64_t high, int64_t step, int64_t limit, int *from, int *to) {
    if (step < 0) { /* mirror: 0 <= limit - 1 - (start + x step) < limit */
        int64_t mirrored = limit - 1 - high;
        high = limit - 1 - low;
        low = mirrored;
        step = -step;
    }
    if (step == 0) {
        if (high < 0 || low >= limit) *to = *from;
        return;
    }
    int64_t first = -floor_divide(high, step);          /* smallest x with high + x step >= 0 */
    int64_t last = floor_divide(limit - 1 - low, step); /* largest x with low + x step < limit */
    if (first > *from) *from = first > *to ? *to : (int)first;
    if (last + 1 < *to) *to = last + 1 < *from ? *from : (int)(last + 1);
}

/* Clips by one coordinate, whose three numbers of the map are m: (p + 2^23) >> 24 must lie in 0 .. 256 (size - 1). */
static void clip_rows(const int64_t *m, int top, int bottom, int size, int *from, int *to) {
    int64_t first = m[1] * top + m[2] + (1 << 23), last = first + m[1] * (bottom - 1 - top);
    int64_t limit = ((int64_t)(size - 1) * 256 + 1) << 24;
    clip(first < last ? first : last, first < last ? last : first, m[0], limit, from, to);
}

void endo_rows_span(const endo_fixed_affine *map, int top, int bottom, int width, int height, int *from, int *to) {
    clip_rows(map->m, top, bottom, width, from, to);
    if (*from < *to) clip_rows(map->m + 3, top, bottom, height, from, to);
}

void endo_row_span(const endo_fixed_affine *map, int y, int width, int height, int *from, int *to) {
    endo_rows_span(map, y, y + 1, width, height, from, to);
}
