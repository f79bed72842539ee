/* The middle one of many numbers. */
#ifndef ENDO_BASE_MEDIAN_H
#define ENDO_BASE_MEDIAN_H

#include <stddef.h>

/* Of n numbers, 1 or more and none of them NaN, that which n / 2 of them, if all differ, are less than. rest: room for n.
 * What is in both is spoilt. */
double endo_median(double *values, double *rest, size_t n);

#endif
