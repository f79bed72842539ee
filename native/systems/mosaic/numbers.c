/* The order of numbers, and merge sort. */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    return compare_numbers(*(const double *)a, *(const double *)b);
}

double number_at_rank(double *numbers, size_t n, size_t rank) {
    qsort(numbers, n, sizeof *numbers, by_value);
    return numbers[rank];
}

typedef struct items_order {
    size_t size;
    int (*compare)(const void *a, const void *b);
} items_order;

/* Merges two sorted runs, first..middle-1 and middle..end-1. */
static void merge(const items_order *order, const char *from, char *to, size_t first, size_t middle, size_t end) {
    size_t left = first;
    size_t right = middle;
    for (size_t i = first; i < end; i++) {
        int takes_left = right == end ||
            (left < middle && order->compare(from + left * order->size, from + right * order->size) <= 0);
        size_t taken = takes_left ? left++ : right++;
        memcpy(to + i * order->size, from + taken * order->size, order->size);
    }
}

void sort_in_order(void *items, void *rest, size_t n, size_t size, int (*compare)(const void *a, const void *b)) {
    const items_order order = {.size = size, .compare = compare};
    char *from = items;
    char *to = rest;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t first = 0; first < n; first += 2 * run) {
            size_t middle = first + run < n ? first + run : n;
            size_t end = middle + run < n ? middle + run : n;
            merge(&order, from, to, first, middle, end);
        }
        char *other = from;
        from = to;
        to = other;
    }
    if (from != items) memcpy(items, from, n * size);
}
