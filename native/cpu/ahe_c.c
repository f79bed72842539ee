/* The loops of adaptive equalization in plain C. */
#define AHE_LANE_BYTES 16
#include "ahe_members_loops.h"
#include "ahe_rows.h"

const cpu_ahe_loops cpu_ahe_c = {
    .largest_compared = 5,
    .largest_compared16 = 5,
    .count_members = count_members_plain,
    AHE_LOOPS,
};
