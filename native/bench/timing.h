/* Repeats of one measurement, and what is quoted of them. */
#ifndef ENDO_BENCH_TIMING_H
#define ENDO_BENCH_TIMING_H

#define TIMING_REPEATS 200

typedef struct timing {
    double seconds[TIMING_REPEATS];
    int n;
} timing;

/* Seconds of a clock that never steps back. */
double timing_now(void);

void timing_add(timing *t, double seconds);

/* The value that a share of the repeats does not exceed: 0.5 is the median. */
double timing_quantile(const timing *t, double share);

#endif
