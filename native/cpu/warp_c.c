/* Warping and painting in plain C. */
#include "warp_rows.h"

static void warp_row_c(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid) { warp_pixels(row, 0, warped, valid); }

static void paint_row_c(const cpu_warp_row *row, endo_pixel type, void *pixels, uint8_t *painted) {
    switch (type) {
    case ENDO_RGB32: paint_rgb_pixels(row, pixels, painted); break;
    case ENDO_GREY16: paint_grey16_pixels(row, pixels, painted); break;
    case ENDO_GREY8: paint_grey8_pixels(row, pixels, painted); break;
    }
}

static void comb_c(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int n, endo_comb_sums *out) {
    comb_row(row, stride, field, n, out);
}

const cpu_warp_loops cpu_warp_c = {
    .comb = comb_c,
    .warp_row = warp_row_c,
    .paint_row = paint_row_c,
};
