/* Comparisons that keep NaN, and the order of numbers. */
#ifndef ENDO_MOSAIC_NUMBERS_H
#define ENDO_MOSAIC_NUMBERS_H

#include <stddef.h>

/* The lesser number; NaN if one of them is. */
static inline double lesser_of(double a, double b) {
    return a != a ? a : b != b ? b : a < b ? a : b;
}

static inline double greater_of(double a, double b) {
    return a != a ? a : b != b ? b : a > b ? a : b;
}

/* Negative, 0 or positive, as qsort asks for it; NaN is the largest. */
static inline int compare_numbers(double a, double b) {
    int order = (a > b) - (a < b);
    return order ? order : (a != a) - (b != b);
}

/* The number of a rank in the order of n numbers, which get sorted. */
double number_at_rank(double *numbers, size_t n, size_t rank);

/* A stable sort. rest: scratch memory for as many items. */
void sort_in_order(void *items, void *rest, size_t n, size_t size, int (*compare)(const void *a, const void *b));

#endif
