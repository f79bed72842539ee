/* Frames without the distortion of their lens with AVX2. */
#include "lens_avx2.h"

static void grey8(const cpu_lens_row *row, uint8_t *out) { lens_grey8_vectors(row, out); }

static void grey16(const cpu_lens_row *row, uint16_t *out) { lens_grey16_vectors(row, out); }

static void rgb(const cpu_lens_row *row, uint32_t *out) { lens_rgb_vectors(row, out); }

const cpu_lens_loops cpu_lens_avx2 = {
    .grey8 = grey8,
    .grey16 = grey16,
    .rgb = rgb,
};
