/* Recognizes registered frames that do not show the same, by the share of tiles that differ, relative to the usual share in the
 * sequence. */
#ifndef ENDO_MOSAIC_PLAUSIBILITY_H
#define ENDO_MOSAIC_PLAUSIBILITY_H

#include "geometry.h"

#define PLAUSIBILITY_MEMORY 15

typedef struct plausibility {
    double recent[PLAUSIBILITY_MEMORY]; /* shares of accepted pairs */
    int count;
} plausibility;

void plausibility_add(plausibility *p, double differing);
void plausibility_add_first(plausibility *p, double one, double other, double third);
int plausibility_is_suspicious(const plausibility *p, double differing);
int plausibility_is_wild(const plausibility *p, double differing);
int is_odd_one_out(double from_one, double from_other, double others, double tile);
int is_leap(const endo_transform *step); /* turns by more than a right angle, or mirrors */

#endif
