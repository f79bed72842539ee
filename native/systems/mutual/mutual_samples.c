/* Grey range and centre of brightness of a volume. */
#include "mutual_samples.h"

#include "base/memory.h"
#include "rules/grey.h"

#include <math.h>

#define SAMPLES 1000000
/* Tables of counts that voxels of a row take in turn: neighbours are often alike, and would wait for each other. */
#define TABLES 4
/* One voxel in so many may lie below the range, and one above. */
#define BEYOND 1000

int endo_volume_grey(const endo_volume *v, int x, int y, int z) {
    ptrdiff_t i = z * v->slice + y * v->stride + x;
    if (v->type == ENDO_GREY8) return ((const uint8_t *)v->pixels)[i];
    if (v->type == ENDO_GREY16) return ((const uint16_t *)v->pixels)[i];
    return endo_grey_of_rgb(((const uint32_t *)v->pixels)[i]);
}

/* Distance between the voxels that are read along each axis. */
static void find_steps(const endo_volume *v, int steps[3]) {
    double share = (double)v->width * v->height * v->depth / SAMPLES;
    int step = share > 1 ? (int)ceil(v->depth > 1 ? cbrt(share) : sqrt(share)) : 1;
    steps[0] = step < v->width ? step : v->width;
    steps[1] = step < v->height ? step : v->height;
    steps[2] = step < v->depth ? step : v->depth;
}

static void find_range(const uint32_t *counts, int values, endo_grey_range *out) {
    int least = 0, most = values - 1;
    int64_t below = 0, above = 0, n = 0;
    for (int i = 0; i < values; i++) n += counts[i];
    while (least < most && !counts[least]) least++;
    while (most > least && !counts[most]) most--;
    out->low = least;
    out->high = most;
    while (out->low < most && (below += counts[out->low]) <= n / BEYOND) out->low++;
    while (out->high > least && (above += counts[out->high]) <= n / BEYOND) out->high--;
    if (out->low >= out->high) {
        out->low = least;
        out->high = most;
    }
}

/* Voxels of a row from number `first` on, `step` apart. values: of a table. */
static void count_row(const endo_volume *v, ptrdiff_t row, int first, int step, int values, uint32_t *counts) {
    if (v->type == ENDO_GREY8) {
        const uint8_t *pixels = (const uint8_t *)v->pixels + row;
        for (int x = first, k = 0; x < v->width; x += step, k++) counts[k % TABLES * values + pixels[x]]++;
    } else if (v->type == ENDO_GREY16) {
        const uint16_t *pixels = (const uint16_t *)v->pixels + row;
        for (int x = first, k = 0; x < v->width; x += step, k++) counts[k % TABLES * values + pixels[x]]++;
    } else {
        const uint32_t *pixels = (const uint32_t *)v->pixels + row;
        for (int x = first, k = 0; x < v->width; x += step, k++)
            counts[k % TABLES * values + endo_grey_of_rgb(pixels[x])]++;
    }
}

endo_status endo_volume_range(const endo_volume *v, endo_grey_range *out) {
    int steps[3], values = v->type == ENDO_GREY16 ? 65536 : 256;
    uint32_t *counts = endo_alloc_zeroed((size_t)values * TABLES, sizeof *counts);
    if (!counts) return endo_fail(ENDO_ERR_MEMORY, "no memory to look at a volume");
    find_steps(v, steps);
    for (int z = steps[2] / 2; z < v->depth; z += steps[2])
        for (int y = steps[1] / 2; y < v->height; y += steps[1])
            count_row(v, z * v->slice + y * v->stride, steps[0] / 2, steps[0], values, counts);
    for (int k = 1; k < TABLES; k++)
        for (int i = 0; i < values; i++) counts[i] += counts[k * values + i];
    find_range(counts, values, out);
    endo_free(counts);
    return ENDO_OK;
}

void endo_volume_centre(const endo_volume *v, endo_grey_range range, double centre[3]) {
    const int sides[3] = {v->width, v->height, v->depth};
    int64_t weights = 0, sums[3] = {0, 0, 0};
    int steps[3];
    find_steps(v, steps);
    for (int z = steps[2] / 2; z < v->depth; z += steps[2])
        for (int y = steps[1] / 2; y < v->height; y += steps[1]) {
            int64_t row = 0;
            for (int x = steps[0] / 2; x < v->width; x += steps[0]) {
                int grey = endo_volume_grey(v, x, y, z), most = range.high - range.low;
                int weight = grey < range.low ? 0 : grey > range.high ? most : grey - range.low;
                row += weight;
                sums[0] += (int64_t)weight * x;
            }
            weights += row;
            sums[1] += row * y;
            sums[2] += row * z;
        }
    for (int i = 0; i < 3; i++) centre[i] = weights ? (double)sums[i] / (double)weights : (sides[i] - 1) / 2.0;
}
