/* Erosion by a square, separably: of a row's runs of set pixels the ends go, and of each column's. */
#include "mask.h"
#include "threads.h"

#include "memory.h"
#include "status.h"

#include <string.h>

int endo_mask_run(const uint8_t *row, int x, int width, int set) {
    static const uint64_t lows = 0x0101010101010101;
    static const uint64_t highs = 0x8080808080808080;
    for (uint64_t all[4]; x + 32 <= width; x += 32) { /* most runs are long, of 0 or of 255 */
        memcpy(all, row + x, sizeof all);
        if (set ? (all[0] & all[1] & all[2] & all[3]) != UINT64_MAX : (all[0] | all[1] | all[2] | all[3]) != 0) break;
    }
    for (uint64_t eight; x + 8 <= width; x += 8) {
        memcpy(&eight, row + x, sizeof eight);
        if (set ? ((eight - lows) & ~eight & highs) != 0 : eight != 0) break;
    }
    while (x < width && (row[x] != 0) == set) x++;
    return x;
}

/* A window [x-half, x+half] is full if it lies in a run. */
static void erode_row(const uint8_t *in, int width, int half, uint8_t *out) {
    memset(out, 0, (size_t)width);
    for (int first = 0, end; first < width; first = end) {
        int set = in[first] != 0;
        end = endo_mask_run(in, first, width, set);
        int left = first + half;
        int right = end - half;
        if (set && left < right) memset(out + left, 255, (size_t)(right - left));
    }
}

/* Erodes along the columns, in the rows from top to before bottom, by the length of the run of marked pixels that ends at each
 * pixel. */
static void erode_columns(const uint8_t *in, int width, int height, int half, int top, int bottom, uint16_t *runs,
                          uint8_t *out) {
    memset(runs, 0, (size_t)width * sizeof *runs);
    for (int y = top < half ? 0 : top - half; y < bottom + half; y++) {
        if (y < height)
            for (int x = 0; x < width; x++) runs[x] = (uint16_t)(in[(size_t)y * width + x] ? runs[x] + 1 : 0);
        int centre = y - half;
        if (centre < top) continue;
        uint8_t *row = out + (size_t)centre * width;
        if (y >= height)
            memset(row, 0, (size_t)width);
        else
            for (int x = 0; x < width; x++) row[x] = runs[x] > 2 * half ? 255 : 0;
    }
}


endo_status endo_mask_erode(const uint8_t *mask, int width, int height, int half, int threads, uint8_t *out) {
    int strips = (size_t)width * (size_t)height > ENDO_MANY_PIXELS ? threads : 1;
    uint8_t *rows = endo_alloc((size_t)width * height, 1);
    uint16_t *runs = endo_alloc((size_t)strips * (size_t)width, sizeof *runs);
    if (!rows || !runs) {
        endo_free(rows);
        endo_free(runs);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask of %d x %d", width, height);
    }
#pragma omp parallel for num_threads(strips) schedule(static) if (strips > 1)
    for (int y = 0; y < height; y++)
        erode_row(mask + (size_t)y * width, width, half, rows + (size_t)y * width);
#pragma omp parallel for num_threads(strips) schedule(static) if (strips > 1)
    for (int k = 0; k < strips; k++) {
        int top = (int)((int64_t)height * k / strips);
        int bottom = (int)((int64_t)height * (k + 1) / strips);
        erode_columns(rows, width, height, half, top, bottom, runs + (size_t)k * (size_t)width, out);
    }
    endo_free(rows);
    endo_free(runs);
    return ENDO_OK;
}

void endo_mask_halve(const uint8_t *mask, int width, int height, uint8_t *out) {
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const uint8_t *p = mask + (size_t)2 * y * width + 2 * x;
            out[(size_t)y * (width / 2) + x] = p[0] & p[1] & p[width] & p[width + 1];
        }
}

/* Whether n pixels are all 0; the system compares faster than a loop. */
static int is_empty(const uint8_t *row, int n) { return n <= 0 || (!row[0] && !memcmp(row, row + 1, (size_t)n - 1)); }

/* Widens the box to the pixels of a row. */
static void widen(const uint8_t *row, int width, endo_box *box) {
    if (!is_empty(row, box->left)) box->left = endo_mask_run(row, 0, box->left, 0);
    if (is_empty(row + box->right + 1, width - box->right - 1)) return;
    int last = width - 1;
    for (uint64_t eight = 0; last - box->right > 8; last -= 8) {
        memcpy(&eight, row + last - 7, sizeof eight);
        if (eight) break;
    }
    while (!row[last]) last--;
    box->right = last;
}

endo_box endo_mask_bounds(const uint8_t *mask, int width, int height) {
    endo_box box = {width, height, -1, -1};
    int top = 0;
    int bottom = height - 1;
    while (top < height && is_empty(mask + (size_t)top * (size_t)width, width)) top++;
    if (top == height) return box;
    while (is_empty(mask + (size_t)bottom * (size_t)width, width)) bottom--;
    box.top = top;
    box.bottom = bottom;
    widen(mask + (size_t)((top + bottom) / 2) * (size_t)width, width, &box); /* the widest one of most fields */
    for (int y = top; y <= bottom; y++) widen(mask + (size_t)y * (size_t)width, width, &box);
    return box;
}
