/* Groups of levels (ahe_groups.h). */
#include "ahe_groups.h"

#include "rules/ahe.h"

void cpu_ahe_groups_make(uint32_t *counts, cpu_ahe_groups *groups) {
    uint32_t levels[CPU_AHE_GROUPS] = {0};
    uint64_t all = 0, below = 0;
    for (int level = 0; level < CPU_AHE_LEVELS; level++) all += counts[level];
    for (int g = 0; g < CPU_AHE_GROUPS; g++) groups->members[g] = 0;
    for (int level = 0; level < CPU_AHE_LEVELS; level++) {
        uint32_t own = counts[level];
        if (!own) continue;
        uint32_t g = endo_ahe_group(below, own, all, CPU_AHE_GROUPS);
        groups->of[level] = (uint8_t)g;
        counts[level] = groups->members[g];
        groups->members[g] += own;
        levels[g]++;
        below += own;
    }
    for (int g = 0; g < CPU_AHE_GROUPS; g++) groups->single[g] = levels[g] == 1;
}
