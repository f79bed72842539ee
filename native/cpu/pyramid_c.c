/* Loops of frames and their pyramids in plain C. */
#include "pyramid_rows.h"

#include <string.h>

static void copy_far_c(const uint8_t *from, size_t bytes, size_t element, uint8_t *to) {
    memcpy(to, from, bytes);
    memcpy(to + bytes, from + bytes - element, element);
}

static void end_far_c(void) {}

static void grey_rgb_c(const uint32_t *rgb, int n, uint8_t *grey, uint32_t *highlights) {
    grey_rgb_row(rgb, n, grey, highlights);
}

static void halve_row_c(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out) {
    halve_one_row(top, bottom, n, out);
}

static void smooth_columns_c(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
    smooth_all_columns(image, stride, width, height, k);
}

static void transpose_c(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                 ptrdiff_t out_stride) {
    transpose_all(in, in_stride, width, height, out, out_stride);
}

const cpu_pyramid_loops cpu_pyramid_c = {
    .copy_far = copy_far_c,
    .end_far = end_far_c,
    .grey_rgb = grey_rgb_c,
    .halve_row = halve_row_c,
    .smooth_columns = smooth_columns_c,
    .transpose = transpose_c,
};
