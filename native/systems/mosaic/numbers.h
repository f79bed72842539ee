/* Comparisons in which what is no number stays none, and the order of numbers. */
#ifndef ENDO_MOSAIC_NUMBERS_H
#define ENDO_MOSAIC_NUMBERS_H

#include <stddef.h>

/* NaN if one of the two is. */
static inline double lesser_of(double a, double b) {
    return a != a ? a : b != b ? b : a < b ? a : b;
}

static inline double greater_of(double a, double b) {
    return a != a ? a : b != b ? b : a > b ? a : b;
}

/* Below 0, 0 or above: NaN is the largest. */
static inline int compare_numbers(double a, double b) {
    int order = (a > b) - (a < b);
    return order ? order : (a != a) - (b != b);
}

/* The one at `rank` in the order of n numbers, which are sorted. */
double number_at_rank(double *numbers, size_t n, size_t rank);

/* Of equal items the earlier one stays before the later. rest: room for as many; what is in it is lost. */
void sort_in_order(void *items, void *rest, size_t n, size_t size, int (*compare)(const void *a, const void *b));

#endif
