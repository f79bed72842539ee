/* The loops of adaptive equalization in AVX2. */
#define AHE_LANE_BYTES 32
#include "ahe_rows.h"

const cpu_ahe_loops cpu_ahe_avx2 = {
    .largest_compared = 17,
    .largest_compared16 = 31,
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
