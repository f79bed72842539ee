/* The light that frames have in common: a polynomial in x and y through the means of cells, by least squares.
 *
 * The scope carries its light along. Where tissue is plain the vignetting is the strongest structure of a patch, and stands
 * still; a scene is not as smooth as a polynomial of so few numbers. */
#include "pattern.h"

#include "base/math/eliminate.h"

#include <math.h>

/* Degree of the polynomial, and how many numbers it has. */
#define DEGREE 2
#define NUMBERS 6

/* Products of powers of x and y, both -1..1 over the frame. */
static void powers_at(const pattern_size *s, double x, double y, double powers[NUMBERS]) {
    double u = 2 * x / s->width - 1, v = 2 * y / s->height - 1, row = 1;
    for (int i = 0, at = 0; i <= DEGREE; i++, row *= v) {
        double product = row;
        for (int k = 0; k + i <= DEGREE; k++, product *= u) powers[at++] = product;
    }
}

static double value_of(const double numbers[NUMBERS], const double powers[NUMBERS]) {
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++) sum += numbers[i] * powers[i];
    return sum;
}

/* Fits the cells known in at least half of the frames; sixteenths of a level, less the mean. */
static void fit(const pattern_size *s, const int64_t *sums, const int32_t *counts, int n, double numbers[NUMBERS]) {
    double m[NUMBERS][NUMBERS + 1] = {{0}}, powers[NUMBERS], total = 0;
    int cells = 0;
    for (size_t i = 0; i < pattern_cells(s); i++)
        if (2 * counts[i] >= n && counts[i]) {
            total += (double)sums[i] / counts[i];
            cells++;
        }
    for (size_t i = 0; i < pattern_cells(s); i++) {
        if (2 * counts[i] < n || !counts[i]) continue;
        int column = (int)(i % (size_t)s->columns), row = (int)(i / (size_t)s->columns);
        double value = (double)sums[i] / counts[i] - total / cells;
        powers_at(s, (column + 0.5) * PATTERN_CELL, (row + 0.5) * PATTERN_CELL, powers);
        for (int k = 0; k < NUMBERS; k++) {
            for (int j = 0; j < NUMBERS; j++) m[k][j] += powers[k] * powers[j];
            m[k][NUMBERS] += powers[k] * value;
        }
    }
    endo_eliminate(*m, NUMBERS, numbers);
}

void endo_pattern_add_light(const pattern_size *s, const int64_t *sums, const int32_t *counts, int n, const uint8_t *field,
                            int16_t *pattern) {
    double numbers[NUMBERS], powers[NUMBERS];
    fit(s, sums, counts, n, numbers);
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * s->width + x;
            if (!field[i]) continue;
            powers_at(s, x + 0.5, y + 0.5, powers);
            double level = pattern[i] + floor(value_of(numbers, powers) / 16 + 0.5);
            pattern[i] = (int16_t)(level < -255 ? -255 : level > 255 ? 255 : level);
        }
}
