/* Frames without the distortion of their lens in plain C. */
#include "lens_rows.h"

static void grey8(const cpu_lens_row *row, uint8_t *out) { lens_grey8(row, out); }

static void grey16(const cpu_lens_row *row, uint16_t *out) { lens_grey16(row, out); }

static void rgb(const cpu_lens_row *row, uint32_t *out) { lens_rgb(row, out); }

const cpu_lens_loops cpu_lens_c = {
    .grey8 = grey8,
    .grey16 = grey16,
    .rgb = rgb,
};
