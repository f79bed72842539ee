/* Steps of [G] Table 2 with the CPU back end's own loops, each timed alone on one thread. What is left of a pair,
 * the correlation and the check on the bitmaps, cannot be called alone. */
#ifndef ENDO_BENCH_EXPOSURES_STEPS_H
#define ENDO_BENCH_EXPOSURES_STEPS_H

#include "exposures_rig.h"

/* Seconds: one brightness histogram; the eight row and column histograms of a pair. */
typedef struct exposures_steps {
    timing brightness, projected;
} exposures_steps;

/* rig: of the CPU back end with one thread, its disjoint pairs aligned. INTERNAL if the counts differ from those of
 * the plain loops. */
endo_status exposures_steps_time(exposures_rig *rig, int rounds, exposures_steps *out);

#endif
