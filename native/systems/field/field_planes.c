/* The field of view as back ends want it (kernels.h): padded masks, and the gains by which the flow pyramid
 * normalises its smoothed images ([S] Table A.1, a_IIR), so that the dark surround does not bleed in. */
#include "field_planes.h"

#include "base/block.h"
#include "base/mask.h"
#include "base/memory.h"
#include "base/status.h"
#include "systems/blend/blend_field.h"

#include <string.h>

/* ------------------------------------------------------------------- masks */

static void pad(const endo_frames_options *o, ptrdiff_t stride, uint8_t *out) {
    for (int y = 0; y < o->height; y++)
        for (int x = 0; x < o->width; x++) out[y * stride + x] = o->field[(size_t)y * o->width + x] ? 255 : 0;
}

/* Bits by endo_sampled(): set where all pixels with a weight at such a position are in the mask. The last row and column have
 * no neighbours, and no positions lie beyond them. */
static inline uint8_t sampled_bits(uint8_t here, uint8_t right, uint8_t below, uint8_t beyond) {
    uint8_t one = here != 0, across = one & (right != 0), down = one & (below != 0);
    return (across & down & (beyond != 0)) ? 255 : (uint8_t)(one | across << 1 | down << 2);
}

/* The mask of positions that can be interpolated. all: all four pixels must be in the mask, wherever the position is. Has no
 * branches, so that it is vectorized. */
static void fill_bilinear(const endo_frames_options *o, const uint8_t *mask, int all, ptrdiff_t stride, uint8_t *out) {
    const uint8_t kept = all ? 0 : 7;
    int last = o->width - 1;
    for (int y = 0; y < o->height; y++) {
        const uint8_t *top = mask + (size_t)y * o->width, *bottom = y + 1 < o->height ? top + o->width : top;
        uint8_t *row = out + y * stride;
        for (int x = 0; x < last; x++) {
            uint8_t bits = sampled_bits(top[x], top[x + 1], bottom[x], bottom[x + 1]);
            row[x] = bits == 255 ? bits : bits & kept;
        }
        uint8_t bits = sampled_bits(top[last], top[last], bottom[last], bottom[last]);
        row[last] = bits == 255 ? bits : bits & kept;
    }
}

/* ------------------------------------------------------------------ levels */

static void smooth_rows(int16_t *image, ptrdiff_t stride, const endo_flow_level *size, int k) {
    for (int y = 0; y < size->height; y++) {
        int16_t *row = image + y * stride;
        for (int x = 1; x < size->width; x++) row[x] = (int16_t)endo_smooth_step(row[x - 1], row[x], k);
        for (int x = size->width - 2; x >= 0; x--) row[x] = (int16_t)endo_smooth_step(row[x + 1], row[x], k);
    }
}

/* Row by row, so that it is vectorized along the columns. */
static void smooth_columns(int16_t *image, ptrdiff_t stride, const endo_flow_level *size, int k) {
    for (int y = 1; y < size->height; y++) {
        const int16_t *above = image + (y - 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < size->width; x++) row[x] = (int16_t)endo_smooth_step(above[x], row[x], k);
    }
    for (int y = size->height - 2; y >= 0; y--) {
        const int16_t *below = image + (y + 1) * stride;
        int16_t *row = image + y * stride;
        for (int x = 0; x < size->width; x++) row[x] = (int16_t)endo_smooth_step(below[x], row[x], k);
    }
}

/* The smoothed field is the smoothed image of a white frame. */
static void make_gain(const uint8_t *mask, const endo_flow_level *size, ptrdiff_t stride, int k, int16_t *gain) {
    for (int y = 0; y < size->height; y++)
        for (int x = 0; x < size->width; x++)
            gain[y * stride + x] = mask[(size_t)y * size->width + x] ? ENDO_FLOW_FULL : 0;
    if (k) {
        smooth_columns(gain, stride, size, k);
        smooth_rows(gain, stride, size, k);
    }
    for (int y = 0; y < size->height; y++)
        for (int x = 0; x < size->width; x++)
            gain[y * stride + x] = (int16_t)endo_smooth_gain(gain[y * stride + x]);
}

typedef struct level_memory {
    uint8_t *mask;
    int16_t *gain;
} level_memory;

/* images: workspace of two images of the frame's size. */
static void make_levels(const endo_frames_options *o, const endo_field_planes *p, const level_memory *memory,
                        uint8_t *images) {
    int width = o->width, height = o->height, now = 0;
    uint8_t *half[2] = {images, images + (size_t)width * height};
    for (size_t i = 0; i < (size_t)width * height; i++) half[now][i] = o->field[i] ? 255 : 0;
    for (int l = 0; l < p->n_levels; l++) {
        const endo_field_level *level = &p->levels[l];
        for (; width != level->size.width || height != level->size.height; width /= 2, height /= 2, now ^= 1)
            endo_mask_halve(half[now], width, height, half[!now]);
        memcpy(memory[l].mask, half[now], (size_t)width * height);
        make_gain(memory[l].mask, &level->size, level->stride, p->smoothing, memory[l].gain);
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
static endo_status fill(const endo_frames_options *o, const layout *at, uint8_t *images, endo_field_planes *p) {
    ENDO_TRY(endo_mask_erode(o->field, o->width, o->height, o->rim / 2, images));
    fill_bilinear(o, images, 0, p->stride, at->paint_bilinear);
    fill_bilinear(o, o->field, 1, p->stride, at->bilinear);
    endo_blend_find_bicubic(images, o->width, o->height, p->stride, at->bicubic);
    endo_blend_find_depths(images, o->width, o->height, at->depths);
    endo_blend_find_surroundings(at->bicubic, p->stride, at->depths, o->width, o->height, at->surroundings);
    pad(o, p->stride, at->mask);
    make_levels(o, p, at->levels, images);
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

endo_status endo_field_planes_create(const endo_frames_options *o, endo_field_planes *out) {
    endo_field_planes made = {.stride = endo_plane_stride(o->width, 1)};
    uint8_t *images = endo_alloc((size_t)o->width * o->height, 2);
    endo_block b = {NULL, 0};
    layout at;
    size_levels(o, &made);
    lay_out(o, &made, &b, &at);
    made.memory = b.memory = endo_alloc_zeroed(b.used, 1);
    b.used = 0;
    if (b.memory) lay_out(o, &made, &b, &at);
    endo_status status = ENDO_ERR_MEMORY;
    if (images && b.memory)
        status = fill(o, &at, images, &made);
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
