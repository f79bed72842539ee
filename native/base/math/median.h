/* Numbers by their rank: selected, not sorted. */
#ifndef ENDO_BASE_MEDIAN_H
#define ENDO_BASE_MEDIAN_H

#include <stddef.h>

/* The median of n numbers, 1 or more and none of them NaN: n / 2 of them, if all differ, are less. rest: room for n. What is
 * in both is spoilt. */
double endo_median(double *values, double *rest, size_t n);

/* The k-th smallest of n floats, 0 ..; n < 2^32, none of them NaN. They stay; room: for n + 1. */
float endo_select(const float *a, size_t n, size_t k, float *room);

#endif
