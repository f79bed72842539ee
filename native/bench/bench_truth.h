/* `endo_bench truth`: sequences, transforms and tables that its files share. */
#ifndef ENDO_BENCH_TRUTH_H
#define ENDO_BENCH_TRUTH_H

#include "bench.h"

#include "include/endorama/mosaic.h"

/* Mean square over the frame's corners, px^2; and over the frame, an axis. */
void truth_errors(const endo_transform *found, const endo_transform *truth, const endo_demo_options *o, double *corners,
                  double *frame);

/* A number of a seed, nearly normal, of deviation 1. */
double truth_noise(uint64_t seed);

/* The nearest of 256 greys, as RGB. */
uint32_t truth_grey(double grey);

/* px. */
typedef struct truth_frame_size {
    int width;
    int height;
} truth_frame_size;

/* Distance of a pose from the truth where both are seen from another frame, the anchor, px: root mean square of corners and
 * middle; INFINITY where a corner is not seen. */
double truth_pose_error(const truth_frame_size *size, const endo_transform *pose, const endo_transform *anchor,
                        const endo_transform *true_pose, const endo_transform *true_anchor);

/* Registers n frames with the default options. records: one a frame, until the mosaic is destroyed, as it must be on failure,
 * too. */
endo_status truth_mosaic(uint32_t **frames, int n, const truth_frame_size *size, endo_mosaic **mosaic,
                         const endo_mosaic_frame **records);

/* The same with other options. */
endo_status truth_mosaic_by(const endo_mosaic_options *options, uint32_t **frames, int n, const truth_frame_size *size,
                            endo_mosaic **mosaic, const endo_mosaic_frame **records);

/* quick: without the long ones. */
int bench_truth_sequences(endo_context *context, int quick);

/* quick: three rows. */
int bench_truth_instruments(endo_context *context, int quick);
int bench_truth_exposures(endo_context *context);

/* quick: four rows. */
int bench_truth_verdicts(endo_context *context, int quick);

/* quick: two scenes. */
int bench_truth_relief(endo_context *context, int quick);
int bench_truth_lens(endo_context *context, int quick);

/* quick: one row. */
int bench_truth_parts(endo_context *context, int quick);

/* quick: a quarter of the pairs. */
int bench_truth_overlaps(endo_context *context, int quick);

#endif
