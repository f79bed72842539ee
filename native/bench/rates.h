/* Rates of this machine, measured in the run whose figures are held against it. */
#ifndef ENDO_BENCH_RATES_H
#define ENDO_BENCH_RATES_H

/* Bytes a second that one core loads from its first cache, in its widest registers. */
double rate_l1_load(void);

/* Bytes a second read and written by copying blocks too large for the second cache, all threads at once. */
double rate_copy(int threads);

#endif
