/* The field of view as back ends want it (kernels.h): padded masks, and the gains by which the flow pyramid
 * normalises its smoothed images ([S] Table A.1, a_IIR), so that the dark surround does not bleed in. */
#include "field_planes.h"
#include "base/threads.h"

#include "base/block.h"
#include "base/mask.h"
#include "base/memory.h"
#include "base/status.h"
#include "systems/blend/blend_field.h"

#include <string.h>

/* ------------------------------------------------------------------- masks */

static void pad(const endo_frames_options *o, int y, ptrdiff_t stride, uint8_t *out) {
    for (int x = 0; x < o->width; x++) out[y * stride + x] = o->field[(size_t)y * o->width + x] ? 255 : 0;
}

/* Bits by endo_sampled(): set where all pixels with a weight at such a position are in the mask. The last row and column have
 * no neighbours, and no positions lie beyond them. */
static inline uint8_t sampled_bits(uint8_t here, uint8_t right, uint8_t below, uint8_t beyond) {
    uint8_t one = here != 0, across = one & (right != 0), down = one & (below != 0);
    return (across & down & (beyond != 0)) ? 255 : (uint8_t)(one | across << 1 | down << 2);
}

/* A row of the mask of positions that can be interpolated. all: all four pixels must be in the mask, wherever the position is.
 * Has no branches, so that it is vectorized. */
static void fill_bilinear(const endo_frames_options *o, const uint8_t *mask, int all, int y, ptrdiff_t stride, uint8_t *out) {
    const uint8_t kept = all ? 0 : 7;
    int last = o->width - 1;
    const uint8_t *top = mask + (size_t)y * o->width, *bottom = y + 1 < o->height ? top + o->width : top;
    uint8_t *row = out + y * stride;
    for (int x = 0; x < last; x++) {
        uint8_t bits = sampled_bits(top[x], top[x + 1], bottom[x], bottom[x + 1]);
        row[x] = bits == 255 ? bits : bits & kept;
    }
    uint8_t bits = sampled_bits(top[last], top[last], bottom[last], bottom[last]);
    row[last] = bits == 255 ? bits : bits & kept;
}

/* ------------------------------------------------------------------ levels */

/* Columns that are smoothed together: row by row, so that it is vectorized along them. */
#define TOGETHER 64

static void smooth_row(int16_t *row, int width, int k) {
    for (int x = 1; x < width; x++) row[x] = (int16_t)endo_smooth_step(row[x - 1], row[x], k);
    for (int x = width - 2; x >= 0; x--) row[x] = (int16_t)endo_smooth_step(row[x + 1], row[x], k);
}

static void smooth_columns(int16_t *image, ptrdiff_t stride, int width, int height, int k) {
    for (int y = 1; y < height; y++) {
        const int16_t *above = image + (y - 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < width; x++) row[x] = (int16_t)endo_smooth_step(above[x], row[x], k);
    }
    for (int y = height - 2; y >= 0; y--) {
        const int16_t *below = image + (y + 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < width; x++) row[x] = (int16_t)endo_smooth_step(below[x], row[x], k);
    }
}

/* The smoothed field is the smoothed image of a white frame. */
static void make_gain(const uint8_t *mask, const endo_flow_level *size, ptrdiff_t stride, int k, int threads, int16_t *gain) {
    int width = size->width, height = size->height;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int left = 0; left < width; left += TOGETHER) {
        int n = left + TOGETHER < width ? TOGETHER : width - left;
        for (int y = 0; y < height; y++)
            for (int x = left; x < left + n; x++)
                gain[y * stride + x] = mask[(size_t)y * (size_t)width + (size_t)x] ? ENDO_FLOW_FULL : 0;
        if (k) smooth_columns(gain + left, stride, n, height, k);
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) {
        int16_t *row = gain + y * stride;
        if (k) smooth_row(row, width, k);
        for (int x = 0; x < width; x++) row[x] = (int16_t)endo_smooth_gain(row[x]);
    }
}

/* endo_mask_halve, a row of the result after the other. */
static void halve(const uint8_t *mask, int width, int height, int threads, uint8_t *out) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height / 2; y++)
        endo_mask_halve(mask + (size_t)(2 * y) * (size_t)width, width, 2, out + (size_t)y * (size_t)(width / 2));
}

typedef struct level_memory {
    uint8_t *mask;
    int16_t *gain;
} level_memory;

/* images: workspace of two images of the frame's size. */
static void make_levels(const endo_frames_options *o, const endo_field_planes *p, const level_memory *memory, int threads,
                        uint8_t *images) {
    int width = o->width, height = o->height, now = 0;
    uint8_t *half[2] = {images, images + (size_t)width * height};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) pad(o, y, width, images);
    for (int l = 0; l < p->n_levels; l++) {
        const endo_field_level *level = &p->levels[l];
        for (; width != level->size.width || height != level->size.height; width /= 2, height /= 2, now ^= 1)
            halve(half[now], width, height, threads, half[!now]);
        memcpy(memory[l].mask, half[now], (size_t)width * height);
        make_gain(memory[l].mask, &level->size, level->stride, p->smoothing, threads, memory[l].gain);
    }
}

/* ------------------------------------------------------------------ memory */

/* Addresses of the planes. */
typedef struct layout {
    uint8_t *mask, *bilinear, *paint_bilinear, *bicubic, *depths, *surroundings;
    level_memory levels[ENDO_FLOW_MAX_LEVELS];
} layout;

static void lay_out(const endo_frames_options *o, const endo_field_planes *p, endo_block *b, layout *out) {
    size_t padded = (size_t)p->stride * (o->height + 1) + ENDO_PLANE_ROW;
    out->mask = endo_block_take(b, padded, 1);
    out->bilinear = endo_block_take(b, padded, 1);
    out->paint_bilinear = endo_block_take(b, padded, 1);
    out->bicubic = endo_block_take(b, padded, 1);
    out->depths = endo_block_take(b, endo_blend_blocks(o->width, o->height), 1);
    /* Three more, since reads are four bytes wide. */
    out->surroundings = endo_block_take(b, endo_blend_blocks(o->width, o->height) + 3, 1);
    for (int l = 0; l < p->n_levels; l++) {
        const endo_field_level *level = &p->levels[l];
        out->levels[l].mask = endo_block_take(b, (size_t)level->size.width * level->size.height, 1);
        out->levels[l].gain = endo_block_take(b, (size_t)level->stride * level->size.height + ENDO_PLANE_ROW, sizeof(int16_t));
    }
}

static void size_levels(const endo_frames_options *o, endo_field_planes *p) {
    endo_flow_level sizes[ENDO_FLOW_MAX_LEVELS] = {{0, 0, 0}};
    if (!o->flow) return;
    p->smoothing = endo_smooth_coefficient(o->iir);
    p->n_levels = endo_flow_levels(o->width, o->height, sizes);
    for (int l = 0; l < p->n_levels; l++) {
        p->levels[l].size = sizes[l];
        p->levels[l].stride = endo_plane_stride(sizes[l].width, 0);
    }
}

/* Fills all planes. images: workspace of two images of the frame's size. */
static endo_status fill(const endo_frames_options *o, int threads, const layout *at, uint8_t *images, endo_field_planes *p) {
    ENDO_TRY(endo_mask_erode(o->field, o->width, o->height, o->rim / 2, threads, images));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < o->height; y++) {
        fill_bilinear(o, images, 0, y, p->stride, at->paint_bilinear);
        fill_bilinear(o, o->field, 1, y, p->stride, at->bilinear);
        pad(o, y, p->stride, at->mask);
    }
    endo_blend_find_bicubic(images, o->width, o->height, p->stride, threads, at->bicubic);
    endo_blend_find_depths(images, o->width, o->height, threads, at->depths);
    endo_blend_find_surroundings(at->bicubic, p->stride, at->depths, o->width, o->height, threads, at->surroundings);
    make_levels(o, p, at->levels, threads, images);
    p->mask = at->mask;
    p->bilinear = at->bilinear;
    p->paint_bilinear = at->paint_bilinear;
    p->bicubic = at->bicubic;
    p->depths = at->depths;
    p->surroundings = at->surroundings;
    for (int l = 0; l < p->n_levels; l++) {
        p->levels[l].mask = at->levels[l].mask;
        p->levels[l].gain = at->levels[l].gain;
    }
    return ENDO_OK;
}


/* Zeros, a piece after the other: threads get new memory from the system together. */
static void clear(uint8_t *memory, size_t bytes, int threads) {
    const size_t piece = (size_t)1 << 21;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t at = 0; at < bytes; at += piece) memset(memory + at, 0, bytes - at < piece ? bytes - at : piece);
}

endo_status endo_field_planes_create(const endo_frames_options *o, int threads, endo_field_planes *out) {
    int together = (size_t)o->width * (size_t)o->height > ENDO_MANY_PIXELS ? threads : 1;
    endo_field_planes made = {.stride = endo_plane_stride(o->width, 1)};
    uint8_t *images = endo_alloc((size_t)o->width * o->height, 2);
    endo_block b = {NULL, 0};
    layout at;
    size_levels(o, &made);
    lay_out(o, &made, &b, &at);
    made.memory = b.memory = endo_alloc(b.used, 1);
    if (b.memory) clear(b.memory, b.used, together);
    b.used = 0;
    if (b.memory) lay_out(o, &made, &b, &at);
    endo_status status = ENDO_ERR_MEMORY;
    if (images && b.memory)
        status = fill(o, together, &at, images, &made);
    else
        endo_fail(status, "no memory for the masks of frames of %d x %d", o->width, o->height);
    endo_free(images);
    if (status == ENDO_OK)
        *out = made;
    else
        endo_field_planes_destroy(&made);
    return status;
}

void endo_field_planes_destroy(endo_field_planes *planes) {
    endo_free(planes->memory);
    planes->memory = NULL;
}
