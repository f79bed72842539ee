/* The flow's inner loops in plain C. */
#include "flow_rows.h"

void grey_rgb_c(const uint32_t *rgb, int n, uint8_t *grey) { grey_rgb_row(rgb, n, grey); }

void halve_row_c(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out) {
    halve_one_row(top, bottom, n, out);
}

void smooth_columns_c(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
    smooth_all_columns(image, stride, width, height, k);
}

void transpose_c(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                 ptrdiff_t out_stride) {
    transpose_all(in, in_stride, width, height, out, out_stride);
}

void shift_row_c(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums) {
    shift_pixels(reference, current, n, sums);
}

void flow_row_c(const cpu_flow_row *row, cpu_flow_row_sums sums[2]) { flow_pixels(row, 1, row->width - 1, sums); }
