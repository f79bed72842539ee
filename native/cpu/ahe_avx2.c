/* The loops of adaptive equalization in AVX2. */
#define AHE_LANE_BYTES 32
#include "ahe_members_loops.h"
#include "ahe_rows.h"

const cpu_ahe_loops cpu_ahe_avx2 = {
    .largest_compared = 17,
    .largest_compared16 = 17,
    .count_members = count_members_plain,
    AHE_LOOPS,
};
