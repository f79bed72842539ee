#include "ahe_baselines.h"

#include "rules/ahe.h"
#include "backend/objects.h"

#include <string.h>

int ahe_strip_create(ahe_strip *s, const uint8_t *grey, int width, int height, ptrdiff_t stride, int left, int columns,
                     int window) {
    int r = window / 2, wide = columns + window - 1, high = height + window - 1;
    ahe_strip made = {endo_alloc((size_t)wide * high, 1), left, columns, height, window, wide};
    *s = made;
    if (!made.pixels) return 0;
    for (int y = 0; y < high; y++) {
        const uint8_t *row = grey + endo_ahe_mirror(y - r, height) * stride;
        for (int x = 0; x < wide; x++) made.pixels[y * made.stride + x] = row[endo_ahe_mirror(left + x - r, width)];
    }
    return 1;
}

void ahe_strip_destroy(ahe_strip *s) {
    endo_free(s->pixels);
    s->pixels = NULL;
}

static void count_row(uint32_t *histogram, const uint8_t *row, int n) {
    for (int i = 0; i < n; i++) histogram[row[i]]++;
}

static void uncount_row(uint32_t *histogram, const uint8_t *row, int n) {
    for (int i = 0; i < n; i++) histogram[row[i]]--;
}

/* Lines 2 to 7: one column, from its first pixel down. */
static void equalize_column(const ahe_strip *s, int column, uint8_t *out) {
    uint32_t histogram[256], n = (uint32_t)s->window * (uint32_t)s->window;
    const uint8_t *top = s->pixels + column; /* of the window */
    memset(histogram, 0, sizeof histogram);
    for (int v = 0; v < s->window; v++) count_row(histogram, top + v * s->stride, s->window);
    for (int j = 0; j < s->height; j++, top += s->stride) {
        if (j > 0) {
            uncount_row(histogram, top - s->stride, s->window);
            count_row(histogram, top + (s->window - 1) * s->stride, s->window);
        }
        int centre = top[s->window / 2 * s->stride + s->window / 2];
        uint32_t cdf = 0;
        for (int l = 0; l <= centre; l++) cdf += histogram[l];
        out[(size_t)j * s->columns + column] = (uint8_t)(cdf * 255u / n);
    }
}

void ahe_algorithm2(const ahe_strip *s, int threads, uint8_t *out) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < s->columns; i++) equalize_column(s, i, out);
}
