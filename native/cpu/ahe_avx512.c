/* The loops of adaptive equalization in AVX-512. */
#define AHE_LANE_BYTES 64
#include "ahe_rows.h"

const cpu_ahe_loops cpu_ahe_avx512 = {
    .largest_compared = 21,
    .largest_compared16 = 45,
    AHE_LOOPS,
};
