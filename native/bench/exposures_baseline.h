/* The steps of [G] section 1.1, each a plain loop of one thread: a named baseline. B. Guthier, S. Kopf, M.
 * Wichtlhuber, W. Effelsberg, Parallel Algorithms for Histogram-Based Image Registration, 2012. Compiled without
 * vectorization. */
#ifndef ENDO_BENCH_EXPOSURES_BASELINE_H
#define ENDO_BENCH_EXPOSURES_BASELINE_H

#include <stdint.h>

#define BASELINE_BINS 64

#ifdef __cplusplus
extern "C" {
#endif

/* Row and column histograms of one image; [0] black pixels, [1] white ones. */
typedef struct baseline_counts {
    int width, height;
    int32_t *columns[2], *rows[2];
} baseline_counts;

/* 0 if memory is out. */
int baseline_counts_create(baseline_counts *c, int width, int height);
void baseline_counts_destroy(baseline_counts *c);

void baseline_brightness(const uint8_t *grey, int width, int height, uint32_t histogram[BASELINE_BINS]);

/* The last grey level of the bin in which half of the pixels are reached. */
int baseline_median(const uint32_t histogram[BASELINE_BINS]);

/* Black: at most level - tolerance; white: above level + tolerance. Each histogram by a pass of its own, as [G]
 * section 2.2 has it, or all four in one pass. */
void baseline_project(const uint8_t *grey, int level, int tolerance, baseline_counts *out);
void baseline_project_once(const uint8_t *grey, int level, int tolerance, baseline_counts *out);

/* Shifts of the best correlation in each direction: pixel (x, y) of current lies at (x + dx, y + dy). */
void baseline_correlate(const baseline_counts *reference, const baseline_counts *current, int search, int *dx, int *dy);

#ifdef __cplusplus
}
#endif
#endif
