/* Grey range and centre of brightness of a volume. */
#include "mutual_samples.h"

#include "base/memory.h"
#include "rules/grey.h"

#include <math.h>

#define SAMPLES 1000000
#define VALUES 65536
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

typedef struct bright {
    int64_t weight, x, y, z;
} bright;

static void find_range(const uint32_t *counts, int64_t n, endo_volume_samples *out) {
    int least = 0, most = VALUES - 1;
    int64_t below = 0, above = 0;
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

static int64_t count(const endo_volume *v, const int steps[3], uint32_t *counts) {
    int64_t n = 0;
    for (int z = steps[2] / 2; z < v->depth; z += steps[2])
        for (int y = steps[1] / 2; y < v->height; y += steps[1])
            for (int x = steps[0] / 2; x < v->width; x += steps[0]) counts[endo_volume_grey(v, x, y, z)]++, n++;
    return n;
}

static bright weigh(const endo_volume *v, const int steps[3], int low, int high) {
    bright b = {0, 0, 0, 0};
    for (int z = steps[2] / 2; z < v->depth; z += steps[2])
        for (int y = steps[1] / 2; y < v->height; y += steps[1])
            for (int x = steps[0] / 2; x < v->width; x += steps[0]) {
                int grey = endo_volume_grey(v, x, y, z), weight = grey < low ? 0 : grey > high ? high - low : grey - low;
                b.weight += weight;
                b.x += (int64_t)weight * x;
                b.y += (int64_t)weight * y;
                b.z += (int64_t)weight * z;
            }
    return b;
}

endo_status endo_volume_sample(const endo_volume *v, int low, int high, endo_volume_samples *out) {
    int steps[3];
    uint32_t *counts = endo_alloc_zeroed(VALUES, sizeof *counts);
    if (!counts) return endo_fail(ENDO_ERR_MEMORY, "no memory to look at a volume");
    find_steps(v, steps);
    int64_t n = count(v, steps, counts);
    find_range(counts, n, out);
    endo_free(counts);
    if (low < high) {
        out->low = low;
        out->high = high;
    }
    bright b = weigh(v, steps, out->low, out->high);
    out->centre[0] = b.weight ? (double)b.x / (double)b.weight : (v->width - 1) / 2.0;
    out->centre[1] = b.weight ? (double)b.y / (double)b.weight : (v->height - 1) / 2.0;
    out->centre[2] = b.weight ? (double)b.z / (double)b.weight : (v->depth - 1) / 2.0;
    return ENDO_OK;
}
