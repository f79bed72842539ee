#include "exposures_baseline.h"

#include "backend/objects.h"
#include "rules/coefficient.h"

#include <string.h>

int baseline_counts_create(baseline_counts *c, int width, int height) {
    c->width = width, c->height = height;
    for (int i = 0; i < 2; i++) {
        c->columns[i] = endo_alloc((size_t)width, sizeof(int32_t));
        c->rows[i] = endo_alloc((size_t)height, sizeof(int32_t));
    }
    return c->columns[0] && c->columns[1] && c->rows[0] && c->rows[1];
}

void baseline_counts_destroy(baseline_counts *c) {
    for (int i = 0; i < 2; i++) {
        endo_free(c->columns[i]);
        endo_free(c->rows[i]);
    }
}

void baseline_brightness(const uint8_t *grey, int width, int height, uint32_t histogram[BASELINE_BINS]) {
    memset(histogram, 0, BASELINE_BINS * sizeof *histogram);
    for (int i = 0; i < width * height; i++) histogram[grey[i] / (256 / BASELINE_BINS)]++;
}

int baseline_median(const uint32_t histogram[BASELINE_BINS]) {
    uint64_t all = 0, below = 0;
    int bin = 0;
    for (int i = 0; i < BASELINE_BINS; i++) all += histogram[i];
    while (bin < BASELINE_BINS - 1 && 2 * (below += histogram[bin]) < all) bin++;
    return (bin + 1) * (256 / BASELINE_BINS) - 1;
}

/* Comparisons are added up as they are: without branches, which would be guessed wrong on texture. White is what
 * is above `white`, black is what is not above `black`: `flip` turns the first into the second. */
static void project_columns(const uint8_t *grey, int width, int height, int threshold, int flip, int32_t *columns) {
    memset(columns, 0, (size_t)width * sizeof *columns);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) columns[x] += (grey[(size_t)y * width + x] > threshold) ^ flip;
}

static void project_rows(const uint8_t *grey, int width, int height, int threshold, int flip, int32_t *rows) {
    for (int y = 0; y < height; y++) {
        int32_t n = 0;
        for (int x = 0; x < width; x++) n += (grey[(size_t)y * width + x] > threshold) ^ flip;
        rows[y] = n;
    }
}

void baseline_project(const uint8_t *grey, int level, int tolerance, baseline_counts *out) {
    for (int c = 0; c < 2; c++) {
        int threshold = c ? level + tolerance : level - tolerance;
        project_columns(grey, out->width, out->height, threshold, !c, out->columns[c]);
        project_rows(grey, out->width, out->height, threshold, !c, out->rows[c]);
    }
}

void baseline_project_once(const uint8_t *grey, int level, int tolerance, baseline_counts *out) {
    int black = level - tolerance, white = level + tolerance;
    for (int c = 0; c < 2; c++) memset(out->columns[c], 0, (size_t)out->width * sizeof(int32_t));
    for (int y = 0; y < out->height; y++) {
        const uint8_t *row = grey + (size_t)y * out->width;
        int32_t n_black = 0, n_white = 0;
        for (int x = 0; x < out->width; x++) {
            int b = row[x] <= black, w = row[x] > white;
            out->columns[0][x] += b, n_black += b;
            out->columns[1][x] += w, n_white += w;
        }
        out->rows[0][y] = n_black, out->rows[1][y] = n_white;
    }
}

static double correlate(const int32_t *reference, const int32_t *current, int n, int shift) {
    endo_sums s = {0, 0, 0, 0, 0, 0};
    int first = shift < 0 ? -shift : 0, last = shift > 0 ? n - shift : n;
    for (int i = first; i < last; i++) {
        int64_t x = reference[i + shift], y = current[i];
        s.x += x, s.y += y;
        s.xx += x * x, s.yy += y * y, s.xy += x * y;
    }
    s.n = last - first;
    return endo_coefficient(&s);
}

static int best_shift(int32_t *const reference[2], int32_t *const current[2], int n, int search) {
    double most = -2;
    int best = 0, reach = search < n / 2 ? search : n / 2;
    for (int shift = -reach; shift <= reach; shift++) {
        double c = correlate(reference[0], current[0], n, shift) + correlate(reference[1], current[1], n, shift);
        if (c > most) most = c, best = shift;
    }
    return best;
}

void baseline_correlate(const baseline_counts *reference, const baseline_counts *current, int search, int *dx, int *dy) {
    *dx = best_shift(reference->columns, current->columns, reference->width, search);
    *dy = best_shift(reference->rows, current->rows, reference->height, search);
}
