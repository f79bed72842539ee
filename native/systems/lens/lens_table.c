/* The table of a lens, the only part that is not made of integers: square roots and products in double precision, in a fixed
 * order. */
#include "lens.h"

#include <string.h>

double endo_lens_factor(double percent, int width, int height, double square) {
    double lambda = percent / 100;
    double half = (width > height ? width : height) / 2.0;
    double root = 1 - 4 * lambda * square / (half * half);
    return root < 0 ? (double)NAN : 2 / (1 + sqrt(root));
}

static void fill_factors(double percent, endo_lens_table *t) {
    int64_t most = (int64_t)t->width * t->width + (int64_t)t->height * t->height;
    while (most >> t->shift >= ENDO_LENS_ENTRIES) t->shift++;
    int n = (int)(most >> t->shift) + 2;
    for (; t->known < n; t->known++) {
        double square = (double)((int64_t)t->known << t->shift) / 4.0;
        double factor = endo_lens_factor(percent, t->width, t->height, square);
        if (isnan(factor)) break;
        t->factors[t->known] = (int32_t)floor(factor * (1 << ENDO_LENS_FACTOR_BITS) + 0.5);
    }
}

/* --------------------------------------------------------------------- weights */

static double cubic(double t) {
    double a = fabs(t);
    return a < 1 ? (1.5 * a - 2.5) * a * a + 1 : a < 2 ? ((-0.5 * a + 2.5) * a - 4) * a + 2 : 0;
}

/* The tap of the greatest weight, which takes the rounding error. */
static int heaviest(int step) {
    int down = step / ENDO_LENS_STEPS < ENDO_LENS_STEPS / 2 ? 4 : 8;
    return down + (step % ENDO_LENS_STEPS < ENDO_LENS_STEPS / 2 ? 1 : 2);
}

static void fill_weights(int16_t *weights) {
    for (int step = 0; step < ENDO_LENS_STEPS * ENDO_LENS_STEPS; step++) {
        int16_t *of_step = weights + step * ENDO_LENS_TAPS;
        int left = 1 << ENDO_LENS_WEIGHT_BITS;
        for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) {
            double down = cubic(tap / 4 - 1 - (double)(step / ENDO_LENS_STEPS) / ENDO_LENS_STEPS);
            double across = cubic(tap % 4 - 1 - (double)(step % ENDO_LENS_STEPS) / ENDO_LENS_STEPS);
            of_step[tap] = (int16_t)floor(down * across * (1 << ENDO_LENS_WEIGHT_BITS) + 0.5);
            left -= of_step[tap];
        }
        of_step[heaviest(step)] = (int16_t)(of_step[heaviest(step)] + left);
    }
}

void endo_lens_fill(double percent, int width, int height, endo_lens_table *table) {
    memset(table, 0, sizeof *table);
    table->width = width;
    table->height = height;
    fill_factors(percent, table);
    fill_weights(table->weights);
}
