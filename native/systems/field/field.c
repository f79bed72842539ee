/* Field of view: the brightest image of a sequence, and the field in it.
 *
 * A pixel outside the field stays dark in every frame. Shapes are found on a grid of the frame's pixels
 * (field_border.h), which is all of them unless the frame is large. */
#include "field.h"
#include "base/threads.h"

#include "base/mask.h"
#include "base/memory.h"
#include "base/simd.h"
#include "base/status.h"
#include "rules/grey.h"
#include "field_bars.h"
#include "field_shape.h"

#include <string.h>

/* -------------------------------------------------------------------- grey */

/* Pixels of colours that are converted at a time; and how far ahead memory is asked for, bytes: further than the processor looks
 * by itself, which ends with a page. */
#define RUN 64
#define AHEAD 4096
#define CACHE_LINE 64

static inline void fetch(const void *from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += CACHE_LINE) __builtin_prefetch((const char *)from + i);
}

ENDO_SIMD_INLINE void grey_of_colours(const uint32_t *rgb, int width, uint8_t *restrict grey) {
    int x = 0;
    for (; x + RUN <= width; x += RUN) {
        fetch((const char *)(rgb + x) + AHEAD, RUN * sizeof *rgb);
        for (int i = x; i < x + RUN; i++) grey[i] = endo_grey_of_rgb(rgb[i]);
    }
    for (; x < width; x++) grey[x] = endo_grey_of_rgb(rgb[x]);
}

/* A loop for each type, without branches, so that it is vectorized. */
ENDO_SIMD_INLINE void grey_of_row(const void *pixels, endo_pixel type, int width, int low, int high, uint8_t *restrict grey) {
    const uint8_t *grey8 = pixels;
    const uint16_t *grey16 = pixels;
    if (type == ENDO_GREY8)
        memcpy(grey, grey8, (size_t)width);
    else if (type == ENDO_GREY16)
        for (int x = 0; x < width; x++) grey[x] = endo_grey_of_16(grey16[x], low, high);
    else
        grey_of_colours(pixels, width, grey);
}

ENDO_SIMD_LOOP(grey_rows, grey_of_row,
               (const void *pixels, endo_pixel type, int width, int low, int high, uint8_t *grey),
               (pixels, type, width, low, high, grey))

void endo_field_grey_row(const endo_field_image *image, int y, endo_cpu cpu, uint8_t *grey) {
    ptrdiff_t pitch = image->stride * (ptrdiff_t)endo_pixel_size(image->type);
    const uint8_t *row = (const uint8_t *)image->pixels + y * pitch;
    grey_rows[endo_simd_best(cpu)](row, image->type, image->width, image->low, image->high, grey);
}

/* ------------------------------------------------------------- accumulation */

static inline uint8_t larger(uint8_t a, uint8_t b) { return a > b ? a : b; }

/* A loop for each type, without branches, so that it is vectorized. */
ENDO_SIMD_INLINE void raise_row(const void *pixels, endo_pixel type, int width, int low, int high,
                                uint8_t *brightest) {
    const uint8_t *grey8 = pixels;
    const uint16_t *grey16 = pixels;
    const uint32_t *rgb = pixels;
    if (type == ENDO_GREY8)
        for (int x = 0; x < width; x++) brightest[x] = larger(brightest[x], grey8[x]);
    else if (type == ENDO_GREY16)
        for (int x = 0; x < width; x++) brightest[x] = larger(brightest[x], endo_grey_of_16(grey16[x], low, high));
    else
        for (int x = 0; x < width; x++) brightest[x] = larger(brightest[x], endo_grey_of_rgb(rgb[x]));
}

ENDO_SIMD_LOOP(raise_rows, raise_row,
               (const void *pixels, endo_pixel type, int width, int low, int high, uint8_t *brightest),
               (pixels, type, width, low, high, brightest))

static void raise_any(const endo_field_image *image, int y, endo_cpu set, uint8_t *brightest) {
    ptrdiff_t pitch = image->stride * (ptrdiff_t)endo_pixel_size(image->type);
    const uint8_t *row = (const uint8_t *)image->pixels + y * pitch;
    raise_rows[set](row, image->type, image->width, image->low, image->high, brightest);
}

void endo_field_brighten(const endo_field_image *image, int threads, endo_cpu cpu, uint8_t *brightest) {
    endo_cpu set = endo_simd_best(cpu);
    size_t width = (size_t)image->width, area = width * (size_t)image->height;
#pragma omp parallel for num_threads(threads) if (area > ENDO_MANY_PIXELS)
    for (int y = 0; y < image->height; y++) raise_any(image, y, set, brightest + (size_t)y * width);
}

/* ------------------------------------------------------------------ detect */

/* Copies the pixels of a row at some columns, dense and of the row's type. next: the row that will be asked for next. */
static void pick_columns(const void *row, const void *next, endo_pixel type, const int *columns, int n, void *out) {
    uint8_t *grey8 = out;
    uint16_t *grey16 = out;
    uint32_t *rgb = out;
    size_t size = endo_pixel_size(type);
    for (int x = 0; x < n; x++) __builtin_prefetch((const char *)next + (size_t)columns[x] * size);
    if (type == ENDO_GREY8)
        for (int x = 0; x < n; x++) grey8[x] = ((const uint8_t *)row)[columns[x]];
    else if (type == ENDO_GREY16)
        for (int x = 0; x < n; x++) grey16[x] = ((const uint16_t *)row)[columns[x]];
    else
        for (int x = 0; x < n; x++) rgb[x] = ((const uint32_t *)row)[columns[x]];
}

void endo_field_sample(const endo_field_image *image, const endo_field_grid *grid, int threads, endo_cpu cpu, uint8_t *grey) {
    ptrdiff_t pitch = image->stride * (ptrdiff_t)endo_pixel_size(image->type);
    size_t area = (size_t)grid->rows * (size_t)grid->columns;
    int columns[ENDO_FIELD_SIDE];
    for (int x = 0; x < grid->columns; x++) columns[x] = endo_field_pixel_of(x, grid->columns, grid->width);
#pragma omp parallel for num_threads(threads) if (area > 100000)
    for (int y = 0; y < grid->rows; y++) {
        int at = endo_field_pixel_of(y, grid->rows, grid->height);
        int next = y + 1 < grid->rows ? endo_field_pixel_of(y + 1, grid->rows, grid->height) : at;
        const uint8_t *pixels = image->pixels;
        uint32_t picked[ENDO_FIELD_SIDE];
        endo_field_image row = {
            .pixels = picked,
            .type = image->type,
            .width = grid->columns,
            .height = 1,
            .stride = grid->columns,
            .low = image->low,
            .high = image->high,
        };
        pick_columns(pixels + at * pitch, pixels + next * pitch, image->type, columns, grid->columns, picked);
        endo_field_grey_row(&row, 0, cpu, grey + (size_t)y * grid->columns);
    }
}

void endo_field_enlarge(const endo_field_grid *grid, endo_field_info *info) {
    double across = endo_field_pace(grid->columns, grid->width), down = endo_field_pace(grid->rows, grid->height);
    info->x *= across;
    info->y *= down;
    info->radius *= (across + down) / 2;
}

static void put_bounds(const endo_field_grid *grid, const uint8_t *mask, endo_field_info *info) {
    endo_box box = endo_mask_bounds(mask, grid->width, grid->height);
    info->left = box.left;
    info->top = box.top;
    info->right = box.right;
    info->bottom = box.bottom;
}

endo_status endo_field_finish(const endo_field_grid *grid, uint8_t *region, endo_field_info *info, int threads,
                              uint8_t *mask) {
    const double inset = 1.5; /* pixels of the grid, by which the drawn border is inside the rim */
    ENDO_TRY(endo_field_draw(grid, region, threads, mask));
    put_bounds(grid, mask, info);
    if (info->left > info->right) { /* nothing is left within the rim */
        memset(mask, 255, (size_t)grid->width * grid->height);
        *info = (endo_field_info){.shape = ENDO_FIELD_WHOLE, .right = grid->width - 1, .bottom = grid->height - 1};
    }
    if (info->shape != ENDO_FIELD_CIRCLE) info->x = info->y = info->radius = 0;
    if (info->radius > 0) info->radius -= inset * endo_field_pace(grid->columns, grid->width);
    return ENDO_OK;
}

endo_status endo_field_find(const uint8_t *brightest, int width, int height, uint8_t *mask, endo_field_info *info) {
    endo_field_grid grid = endo_field_grid_of(width, height);
    endo_field_image image = {.pixels = brightest, .type = ENDO_GREY8, .width = width, .height = height, .stride = width};
    size_t area = (size_t)grid.columns * (size_t)grid.rows;
    uint8_t *grey = endo_alloc(area, 2);
    if (!grey) return endo_fail(ENDO_ERR_MEMORY, "no memory to find the field of %d x %d pixels", width, height);
    endo_field_info found;
    endo_field_sample(&image, &grid, 1, ENDO_CPU_BEST, grey); /* without a context there is no limit */
    endo_field_blacken_bars(grey, grid.columns, grid.rows);
    endo_status status = endo_field_shape_of(grey, grid.columns, grid.rows, grey + area, &found);
    if (status == ENDO_OK) {
        endo_field_enlarge(&grid, &found);
        status = endo_field_finish(&grid, grey + area, &found, 1, mask);
    }
    endo_free(grey);
    if (status == ENDO_OK) *info = found;
    return status;
}
