/* Pearson's coefficient by its definition, with means, for tests of what computes it otherwise: one set of samples a
 * program at a time. */
#ifndef ENDO_TEST_CORRELATION_H
#define ENDO_TEST_CORRELATION_H

#include <math.h>

enum { TEST_MOST_SAMPLES = 1 << 16 };

static double test_samples[TEST_MOST_SAMPLES][2];
static int test_n_samples;

static inline void test_sample(double a, double b) {
    test_samples[test_n_samples][0] = a;
    test_samples[test_n_samples][1] = b;
    test_n_samples++;
}

/* Sums about the means. */
typedef struct test_correlation {
    int n;
    double aa, bb, ab;
    double coefficient; /* NaN without variance */
} test_correlation;

/* The correlation of the samples so far, which are then forgotten. */
static inline test_correlation test_correlate(void) {
    test_correlation c = {.n = test_n_samples};
    double mean[2] = {0, 0};
    for (int i = 0; i < c.n; i++)
        for (int k = 0; k < 2; k++) mean[k] += test_samples[i][k] / c.n;
    for (int i = 0; i < c.n; i++) {
        double a = test_samples[i][0] - mean[0];
        double b = test_samples[i][1] - mean[1];
        c.aa += a * a;
        c.bb += b * b;
        c.ab += a * b;
    }
    c.coefficient = c.ab / sqrt(c.aa * c.bb);
    test_n_samples = 0;
    return c;
}

#endif
