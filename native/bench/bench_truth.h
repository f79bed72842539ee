/* `endo_bench truth`: sequences, transforms and tables that its files share. */
#ifndef ENDO_BENCH_TRUTH_H
#define ENDO_BENCH_TRUTH_H

#include "bench.h"

/* Mean square over the frame's corners, px^2; and over the frame, an axis. */
void truth_errors(const endo_transform *found, const endo_transform *truth, const endo_demo_options *o, double *corners,
                  double *frame);

/* quick: without the long ones. */
int bench_truth_sequences(endo_context *context, int quick);

/* quick: three rows. */
int bench_truth_instruments(endo_context *context, int quick);
int bench_truth_exposures(endo_context *context);

/* quick: four rows. */
int bench_truth_verdicts(endo_context *context, int quick);

/* quick: a quarter of the pairs. */
int bench_truth_overlaps(endo_context *context, int quick);

#endif
