/* Sums of columns first, then of squares (live_reduce.h). */
#include "live_reduce.h"

#include "base/memory.h"

#include <string.h>

/* Rows of a square that are summed at most: two channels share a number, with 16 bits each. */
#define MOST_ROWS 256

endo_status live_reducer_init(live_reducer *r, endo_pixel type, mosaic_size full, int longest) {
    int longer = full.width > full.height ? full.width : full.height;
    int shorter = full.width + full.height - longer;
    int factor = (longer + longest - 1) / longest;
    if (factor > shorter) factor = shorter;
    *r = (live_reducer){.type = type, .full = full, .factor = factor};
    r->small = (mosaic_size){.width = full.width / factor, .height = full.height / factor};
    r->sums = endo_alloc((size_t)full.width, 2 * sizeof *r->sums);
    if (r->sums) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for small copies of frames of %d px", full.width);
}

void live_reducer_free(live_reducer *r) {
    endo_free(r->sums);
    r->sums = NULL;
}

/* Adds a row to the sums of columns: of grey values, or of red and blue to `a` and of green to `b`. */
static void add_row(endo_pixel type, const void *row, int width, uint32_t *a, uint32_t *b) {
    const uint8_t *grey = row;
    const uint16_t *deep = row;
    const uint32_t *colour = row;
    switch (type) {
    case ENDO_GREY8:
        for (int x = 0; x < width; x++) a[x] += grey[x];
        break;
    case ENDO_GREY16:
        for (int x = 0; x < width; x++) a[x] += deep[x];
        break;
    case ENDO_RGB32:
        for (int x = 0; x < width; x++) {
            a[x] += colour[x] & 0xff00ff;
            b[x] += colour[x] >> 8 & 0xff;
        }
        break;
    }
}

/* Rounded mean of n pixels of `columns` columns. */
static uint32_t mean_grey(const uint32_t *a, int columns, uint64_t n) {
    uint64_t sum = n / 2;
    for (int x = 0; x < columns; x++) sum += a[x];
    return (uint32_t)(sum / n);
}

static uint32_t mean_colour(const uint32_t *a, const uint32_t *b, int columns, uint32_t n) {
    uint32_t red = n / 2;
    uint32_t green = n / 2;
    uint32_t blue = n / 2;
    for (int x = 0; x < columns; x++) {
        red += a[x] >> 16;
        blue += a[x] & 0xffff;
        green += b[x];
    }
    return 0xff000000 | (red / n) << 16 | (green / n) << 8 | blue / n;
}

static void put_row(const live_reducer *r, int rows, void *to, int row) {
    const uint32_t *a = r->sums;
    const uint32_t *b = r->sums + r->full.width;
    uint32_t n = (uint32_t)rows * (uint32_t)r->factor;
    for (int x = 0; x < r->small.width; x++) {
        size_t at = (size_t)row * (size_t)r->small.width + (size_t)x;
        int from = x * r->factor;
        switch (r->type) {
        case ENDO_GREY8: ((uint8_t *)to)[at] = (uint8_t)mean_grey(a + from, r->factor, n); break;
        case ENDO_GREY16: ((uint16_t *)to)[at] = (uint16_t)mean_grey(a + from, r->factor, n); break;
        case ENDO_RGB32: ((uint32_t *)to)[at] = mean_colour(a + from, b + from, r->factor, n); break;
        }
    }
}

void live_reduce(const live_reducer *r, const void *pixels, ptrdiff_t stride, void *to) {
    size_t step = (size_t)stride * endo_pixel_size(r->type);
    int rows = r->factor < MOST_ROWS ? r->factor : MOST_ROWS;
    for (int row = 0; row < r->small.height; row++) {
        const char *from = (const char *)pixels + (size_t)(row * r->factor) * step;
        memset(r->sums, 0, (size_t)r->full.width * 2 * sizeof *r->sums);
        for (int y = 0; y < rows; y++)
            add_row(r->type, from + (size_t)y * step, r->full.width, r->sums, r->sums + r->full.width);
        put_row(r, rows, to, row);
    }
}

static int is_inside(const uint8_t *mask, ptrdiff_t stride, int f) {
    for (int y = 0; y < f; y++)
        for (int x = 0; x < f; x++)
            if (!mask[y * stride + x]) return 0;
    return 1;
}

void live_reduce_mask(const live_reducer *r, const uint8_t *mask, uint8_t *to) {
    ptrdiff_t stride = r->full.width;
    for (int y = 0; y < r->small.height; y++)
        for (int x = 0; x < r->small.width; x++)
            *to++ = is_inside(mask + (y * stride + x) * r->factor, stride, r->factor) ? 255 : 0;
}

endo_transform live_enlarged(const live_reducer *r, const endo_transform *small) {
    endo_transform up = pose_scaling(r->factor);
    endo_transform down = pose_inverse(&up);
    endo_transform there = pose_times(small, &down);
    endo_transform full = pose_times(&up, &there);
    full.kind = small->kind;
    if (small->kind == ENDO_TRANSFORM_TRANSLATION) return pose_translation(full.matrix[2], full.matrix[5]);
    return full;
}
