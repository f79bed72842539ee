/* Window sums in plain C. */
#include "ncc_rows.h"

static void ncc_prepare_c(cpu_template *t) { ncc_template_sums(t); }

static void ncc_window_c(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out) {
    int64_t y = 0, yy = 0, xy = 0;
    for (int v = 0; v < t->side; v++) {
        const uint8_t *a = t->pixels + v * t->stride, *b = window + v * stride;
        uint32_t row_y = 0, row_yy = 0, row_xy = 0; /* 255 pixels keep them below 2^24 */
        for (int u = 0; u < t->side; u++) {
            row_y += b[u];
            row_yy += (uint32_t)b[u] * b[u];
            row_xy += (uint32_t)a[u] * b[u];
        }
        y += row_y, yy += row_yy, xy += row_xy;
    }
    out->y = y, out->yy = yy, out->xy = xy;
}

static void ncc_masked_c(const cpu_masked_window *w, endo_sums *out) { ncc_masked_rows(w, out); }

const cpu_ncc_loops cpu_ncc_c = {
    .prepare = ncc_prepare_c,
    .window = ncc_window_c,
    .masked = ncc_masked_c,
};
