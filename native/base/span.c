/* Exact spans by integer division: start + x * step must stay in [0, limit). */
#include "span.h"

static int64_t floor_divide(int64_t a, int64_t b) { /* b > 0 */
    int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}

static void clip(int64_t start, int64_t step, int64_t limit, int *from, int *to) {
    if (step < 0) { /* mirror: 0 <= limit - 1 - (start + x step) < limit */
        start = limit - 1 - start;
        step = -step;
    }
    if (step == 0) {
        if (start < 0 || start >= limit) *to = *from;
        return;
    }
    int64_t first = -floor_divide(start, step);            /* smallest x with start + x step >= 0 */
    int64_t last = floor_divide(limit - 1 - start, step);  /* largest x with start + x step < limit */
    if (first > *from) *from = first > *to ? *to : (int)first;
    if (last + 1 < *to) *to = last + 1 < *from ? *from : (int)(last + 1);
}

void endo_row_span(const endo_fixed_affine *map, int y, int width, int height, int *from, int *to) {
    const int64_t *m = map->m;
    /* position8 = (p + 2^23) >> 24 lies in 0 .. 256 (size - 1). */
    clip(m[1] * y + m[2] + (1 << 23), m[0], ((int64_t)(width - 1) * 256 + 1) << 24, from, to);
    if (*from < *to) clip(m[4] * y + m[5] + (1 << 23), m[3], ((int64_t)(height - 1) * 256 + 1) << 24, from, to);
}
