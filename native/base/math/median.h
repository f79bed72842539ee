/* Selection of numbers by their rank, without sorting. */
#ifndef ENDO_BASE_MEDIAN_H
#define ENDO_BASE_MEDIAN_H

#include <stddef.h>

/* The median of n numbers, 1 or more and none NaN: n / 2 of them, if all differ, are less. rest: workspace of n numbers.
 * Both arrays are overwritten. */
double endo_median(double *values, double *rest, size_t n);

/* The k-th smallest, from 0, of n floats, n < 2^32, none of them NaN; of many, by so many threads at most. workspace: n + 1
 * floats. */
float endo_select(const float *a, size_t n, size_t k, int threads, float *workspace);

#endif
