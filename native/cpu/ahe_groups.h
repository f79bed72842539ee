/* Groups of levels: those of a tile of 16-bit pixels in 256 groups that follow one another, each of about as many
 * pixels (endo_ahe_group). Any groups give the same ranks; even ones make them fast. A group of more than one level has
 * fewer than three times its share. */
#ifndef ENDO_CPU_AHE_GROUPS_H
#define ENDO_CPU_AHE_GROUPS_H

#include <stdint.h>

#define CPU_AHE_LEVELS 65536
#define CPU_AHE_GROUPS 256

typedef struct cpu_ahe_groups {
    uint32_t members[CPU_AHE_GROUPS];
    uint8_t single[CPU_AHE_GROUPS]; /* 1: all its pixels have the same level */
    uint8_t of[CPU_AHE_LEVELS];     /* of a level that occurs */
} cpu_ahe_groups;

/* counts: pixels of each level, at least one in all; of those that occur, becomes how many of the group lie below. */
void cpu_ahe_groups_make(uint32_t *counts, cpu_ahe_groups *groups);

#endif
