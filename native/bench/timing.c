#include "timing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double timing_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void timing_add(timing *t, double seconds) {
    if (t->n < TIMING_REPEATS) t->seconds[t->n++] = seconds;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double timing_quantile(const timing *t, double share) {
    double sorted[TIMING_REPEATS];
    if (t->n == 0) return 0;
    memcpy(sorted, t->seconds, (size_t)t->n * sizeof *sorted);
    qsort(sorted, (size_t)t->n, sizeof *sorted, ascending);
    int rank = (int)(share * t->n);
    return sorted[rank < t->n ? rank : t->n - 1];
}
