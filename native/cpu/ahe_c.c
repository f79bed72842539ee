/* The loops of adaptive equalization in plain C. */
#define AHE_LANE_BYTES 16
#include "ahe_rows.h"

static uint32_t count_members(const uint16_t *columns, const uint16_t *levels, int n, int first, int window, int level) {
    uint32_t count = 0;
    for (int i = 0; i < n; i++) count += ((uint16_t)(columns[i] - first) < window) & (levels[i] <= level);
    return count;
}

const cpu_ahe_loops cpu_ahe_c = {
    .largest_compared = 5,
    .largest_compared16 = 5,
    .count_members = count_members,
    AHE_LOOPS,
};
