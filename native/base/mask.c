/* Erosion by a square, separably, by the length of the run that ends at each pixel. */
#include "mask.h"

#include "memory.h"
#include "status.h"

/* A window [x-half, x+half] is full when the run of set pixels ending at its right end is long enough. */
static void erode_row(const uint8_t *in, int width, int half, uint8_t *out) {
    int run = 0;
    for (int x = 0; x < width && x < half; x++) run = in[x] ? run + 1 : 0;
    for (int x = 0; x < width; x++) {
        int end = x + half;
        if (end < width) run = in[end] ? run + 1 : 0;
        out[x] = end < width && run > 2 * half ? 255 : 0;
    }
}

static void erode_columns(const uint8_t *in, int width, int height, int half, int *runs, uint8_t *out) {
    for (int x = 0; x < width; x++) runs[x] = 0;
    for (int y = 0; y < height + half; y++) {
        if (y < height)
            for (int x = 0; x < width; x++) runs[x] = in[(size_t)y * width + x] ? runs[x] + 1 : 0;
        int centre = y - half;
        if (centre < 0) continue;
        for (int x = 0; x < width; x++)
            out[(size_t)centre * width + x] = y < height && runs[x] > 2 * half ? 255 : 0;
    }
}

endo_status endo_mask_erode(const uint8_t *mask, int width, int height, int half, uint8_t *out) {
    uint8_t *rows = endo_alloc((size_t)width * height, 1);
    int *runs = endo_alloc(width, sizeof *runs);
    if (!rows || !runs) {
        endo_free(rows);
        endo_free(runs);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask of %d x %d", width, height);
    }
    for (int y = 0; y < height; y++)
        erode_row(mask + (size_t)y * width, width, half, rows + (size_t)y * width);
    erode_columns(rows, width, height, half, runs, out);
    endo_free(rows);
    endo_free(runs);
    return ENDO_OK;
}

endo_box endo_mask_bounds(const uint8_t *mask, int width, int height) {
    endo_box box = {width, height, -1, -1};
    for (int y = 0; y < height; y++) {
        const uint8_t *row = mask + (size_t)y * width;
        int first = 0, last = width - 1;
        while (first < width && !row[first]) first++;
        if (first == width) continue;
        while (!row[last]) last--;
        if (first < box.left) box.left = first;
        if (last > box.right) box.right = last;
        if (y < box.top) box.top = y;
        box.bottom = y;
    }
    return box;
}
