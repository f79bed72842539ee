/* The bright region of an image with a dark surround: the largest connected component above the surround's level, with its
 * holes filled. Text and marks in the surround are other components. */
#ifndef ENDO_FIELD_REGION_H
#define ENDO_FIELD_REGION_H

#include <string.h>

#include "backend/objects.h"

/* A horizontal stretch of one value. Connected runs form a tree; its root holds the sums. */
typedef struct run {
    int y, left, right;
    uint32_t parent, area;
    int at_border; /* the component reaches the border of the image */
} run;

static inline uint32_t find_root(run *runs, uint32_t i) {
    while (runs[i].parent != i) i = runs[i].parent = runs[runs[i].parent].parent;
    return i;
}

static inline void join_runs(run *runs, uint32_t a, uint32_t b) {
    a = find_root(runs, a);
    b = find_root(runs, b);
    if (a == b) return;
    if (a > b) { uint32_t t = a; a = b; b = t; }
    runs[b].parent = a;
    runs[a].area += runs[b].area;
    runs[a].at_border |= runs[b].at_border;
}

/* The end of the pixels from `x` on that are alike. */
static inline int end_of_alike(const uint8_t *row, int x, int width) {
    uint8_t value = row[x];
    uint64_t alike = value * UINT64_C(0x0101010101010101);
    for (uint64_t all[4]; x + 32 <= width; x += 32) { /* most runs are long */
        memcpy(all, row + x, sizeof all);
        if ((all[0] ^ alike) | (all[1] ^ alike) | (all[2] ^ alike) | (all[3] ^ alike)) break;
    }
    for (uint64_t eight; x + 8 <= width; x += 8) {
        memcpy(&eight, row + x, sizeof eight);
        if (eight != alike) break;
    }
    while (x < width && row[x] == value) x++;
    return x;
}

/* Lists the runs of `value` into runs, or only counts them if it is NULL. */
static inline size_t list_runs(const uint8_t *mask, int width, int height, uint8_t value, run *runs) {
    size_t n = 0;
    for (int y = 0; y < height; y++, mask += width)
        for (int left = 0, end; left < width; left = end) {
            end = end_of_alike(mask, left, width);
            if (mask[left] != value) continue;
            int at_border = y == 0 || y == height - 1 || left == 0 || end == width;
            if (runs) runs[n] = (run){y, left, end - 1, (uint32_t)n, (uint32_t)(end - left), at_border};
            n++;
        }
    return n;
}

/* Joins runs that touch from one row to the next (four neighbours). */
static inline void connect_runs(run *runs, size_t n) {
    size_t above = 0;
    for (size_t i = 0; i < n; i++) {
        while (above < i && (runs[above].y < runs[i].y - 1 ||
                             (runs[above].y == runs[i].y - 1 && runs[above].right < runs[i].left)))
            above++;
        for (size_t k = above; k < i && runs[k].y == runs[i].y - 1 && runs[k].left <= runs[i].right; k++)
            join_runs(runs, (uint32_t)k, (uint32_t)i);
    }
}

/* The runs of `value`, joined to connected components; *n of them can be 0. NULL if memory is out. */
static inline run *connected_components(const uint8_t *mask, int width, int height, uint8_t value, size_t *n) {
    *n = list_runs(mask, width, height, value, NULL);
    run *runs = endo_alloc(*n, sizeof *runs);
    if (!runs) return NULL;
    list_runs(mask, width, height, value, runs);
    connect_runs(runs, *n);
    return runs;
}

static inline void fill_run(uint8_t *mask, int width, const run *r, uint8_t value) {
    memset(mask + (size_t)r->y * (size_t)width + r->left, value, (size_t)(r->right - r->left + 1));
}

/* Keeps the largest component of the 255s of a mask. 0 if memory is out. */
static inline int keep_largest_component(uint8_t *mask, int width, int height) {
    size_t n, largest = 0;
    run *runs = connected_components(mask, width, height, 255, &n);
    if (!runs) return 0;
    for (size_t i = 0; i < n; i++)
        if (runs[i].parent == i && runs[i].area > runs[largest].area) largest = i;
    for (size_t i = 0; i < n; i++)
        if (find_root(runs, (uint32_t)i) != largest) fill_run(mask, width, &runs[i], 0);
    endo_free(runs);
    return 1;
}

/* Fills the holes of the 255s of a mask. 0 if memory is out. */
static inline int fill_holes(uint8_t *mask, int width, int height) {
    size_t n;
    run *runs = connected_components(mask, width, height, 0, &n);
    if (!runs) return 0;
    for (size_t i = 0; i < n; i++)
        if (!runs[find_root(runs, (uint32_t)i)].at_border) fill_run(mask, width, &runs[i], 255);
    endo_free(runs);
    return 1;
}

/* Adds how many pixels have each of 256 greys; in four tables, since the same grey often comes again at once. */
static inline void count_greys(const uint8_t *grey, size_t area, size_t *histogram) {
    enum { TABLES = 4 };
    uint32_t counts[TABLES][256] = {{0}};
    size_t i = 0;
    for (; i + TABLES <= area; i += TABLES)
        for (int k = 0; k < TABLES; k++) counts[k][grey[i + (size_t)k]]++;
    for (; i < area; i++) counts[0][grey[i]]++;
    for (int v = 0; v < 256; v++)
        for (int k = 0; k < TABLES; k++) histogram[v] += counts[k][v];
}

/* The grey level between the surround and the lit tissue, or -1 if nothing is dark enough to be a surround. The surround is the
 * darkest peak of the histogram; the level lies in the middle of the valley above it, so that it cuts a blurred rim half way
 * up wherever the tissue is bright. Where the tissue is dark, two thirds of all pixels brighter than the surround must be
 * above the level: else the valley beyond the tissue would be the deepest. */
static inline int surround_level(const uint8_t *brightest, size_t area) {
    enum { DARKEST_PEAK = 40, PEAK_WIDTH = 12, FIRST = 4, REACH = 40 };
    size_t histogram[256 + 4] = {0}, smooth[256];
    count_greys(brightest, area, histogram + 2);
    histogram[1] = histogram[3]; /* mirrored, lest a peak at 0 lose its height */
    histogram[0] = histogram[4];
    for (int v = 0; v < 256; v++)
        smooth[v] = histogram[v] + histogram[v + 1] + histogram[v + 2] + histogram[v + 3] + histogram[v + 4];
    int low = 0;
    for (size_t below = histogram[2]; below * 500 < area && low < 255;) below += histogram[++low + 2];
    if (low > DARKEST_PEAK) return -1;
    int peak = low;
    for (int v = low; v <= low + PEAK_WIDTH; v++)
        if (smooth[v] > smooth[peak]) peak = v;
    size_t lit = 0, above = 0;
    for (int v = peak + FIRST + 1; v < 256; v++) lit += histogram[v + 2];
    int end = 255; /* what is above it is counted */
    while (end > peak + FIRST && (end > peak + REACH || 3 * above < 2 * lit)) above += histogram[end-- + 2];
    size_t least = smooth[peak + FIRST];
    for (int v = peak + FIRST; v <= end; v++)
        if (smooth[v] < least) least = smooth[v];
    int first = 0, last = 0;
    for (int v = peak + FIRST; v <= end; v++)
        if (smooth[v] <= least + least / 2 + area / 50000) {
            if (!first) first = v;
            last = v;
        }
    return (first + last) / 2;
}

#endif
