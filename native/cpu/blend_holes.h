/* Holes of a blend in host memory (rules/blend_holes.h). A survey says which cells may be in one: it takes less time than to
 * look around each of them. */
#ifndef ENDO_CPU_BLEND_HOLES_H
#define ENDO_CPU_BLEND_HOLES_H

#include "base/block.h"
#include "rules/blend_holes.h"

/* A rectangle of cells. */
typedef struct cpu_blend_holes {
    endo_blend_holes of;
    uint32_t *across, *down; /* the greatest weight in the FAR cells to the right, and below */
} cpu_blend_holes;

/* Takes the arrays of a rectangle out of a block, and clears those that are only partly written. */
void cpu_blend_holes_take(cpu_blend_holes *h, endo_block *block);
void cpu_blend_holes_clear(cpu_blend_holes *h);

/* Finds holes and lifts, once; cells beside a hole become ENDO_BLEND_BESIDE_HOLE. Returns whether there is any. */
int cpu_blend_find_holes(const cpu_blend_holes *h, int threads);

#endif
