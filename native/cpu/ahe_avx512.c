/* The loops of adaptive equalization in AVX-512. */
#define AHE_LANE_BYTES 64
#include "ahe_rows.h"

const cpu_ahe_loops cpu_ahe_avx512 = {
    .largest_compared = 21,
    .largest_compared16 = 45,
    .add_row = add_row,
    .slide_down = slide_down,
    .slide_right = slide_right,
    .slide_right_wide = slide_right_wide,
    .add_row_counts = add_row_counts,
    .slide_down_counts = slide_down_counts,
    .slide_right_limited = slide_right_limited,
    .slide_right_limited_wide = slide_right_limited_wide,
    .compare8 = compare8,
    .compare16 = compare16,
    .map8 = map8,
    .map_limited = map_limited,
};
