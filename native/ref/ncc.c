/* The cross-correlation coefficient, [S] section 2.3 and eq. 3.1. */
#include "ref.h"

static int square_in_field(const ref_store *s, int x, int y, int half) {
    if (x < half || y < half || x + half >= s->options.width || y + half >= s->options.height) return 0;
    for (int v = y - half; v <= y + half; v++)
        for (int u = x - half; u <= x + half; u++)
            if (!s->field[(size_t)v * s->options.width + u]) return 0;
    return 1;
}

double ref_coefficient(const ref_store *s, const endo_ncc_request *q, int side) {
    int half = side / 2, width = s->options.width;
    if (!square_in_field(s, q->x, q->y, half) || !square_in_field(s, q->cx, q->cy, half)) return NAN;
    const ref_frame *reference = &s->frames[q->reference], *current = &s->frames[q->current];
    endo_sums sums = {0, 0, 0, 0, 0, 0};
    for (int v = -half; v <= half; v++)
        for (int u = -half; u <= half; u++) {
            size_t i = (size_t)(q->y + v) * width + q->x + u, j = (size_t)(q->cy + v) * width + q->cx + u;
            if (reference->specular[i] || current->specular[j]) continue;
            int64_t x = reference->grey[i], y = current->grey[j];
            sums.n += 1, sums.x += x, sums.y += y;
            sums.xx += x * x, sums.yy += y * y, sums.xy += x * y;
        }
    if (2 * sums.n < (int64_t)side * side) return NAN;
    return endo_coefficient(&sums);
}

endo_status ref_ncc(void *store, const endo_ncc_request *requests, size_t n, const endo_centres *centres, double *out) {
    for (size_t i = 0; i < n; i++) out[i] = ref_coefficient(store, &requests[i], centres->side);
    return ENDO_OK;
}
