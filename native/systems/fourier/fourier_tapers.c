/* The taper of the field of view in spectra: weights from nothing at its edge to all well inside, so that the edge, which
 * stands still while the scene moves, does not correlate. */
#include "fourier.h"

#include "base/mask.h"
#include "rules/fourier_levels.h"

/* Half the side of the square whose share of field pixels is the weight, px: a 24th of the frame's longer side. */
static int half_of(int width, int height) {
    int half = (width > height ? width : height) / 24;
    return half < 2 ? 2 : half;
}

/* Share of the frame in the field of view, 0..1. */
static double share_of(const endo_frames *f) {
    size_t area = (size_t)f->options.width * f->options.height, count = 0;
    for (size_t i = 0; i < area; i++) count += f->field[i] != 0;
    return (double)count / (double)area;
}

/* Weight by the share of the square that lies in the field, from half (0) to all of it (255): 0 on a straight edge. The frame's
 * border is no edge: a window tapers it. sums: integral image of the field, width + 1 numbers a row. */
static uint8_t weight_at(const int32_t *sums, int width, int height, int x, int y, int half) {
    int left = x < half ? 0 : x - half, right = x + half >= width ? width : x + half + 1;
    int top = y < half ? 0 : y - half, bottom = y + half >= height ? height : y + half + 1;
    size_t stride = (size_t)width + 1;
    int32_t inside = sums[bottom * stride + right] - sums[bottom * stride + left] - sums[top * stride + right] +
                     sums[top * stride + left];
    int32_t area = (right - left) * (bottom - top); /* 255 times this fits: sides are up to 2 * (32767 / 24) + 1 */
    if (inside == area || 2 * inside <= area) return inside == area ? 255 : 0;
    return (uint8_t)(255 * (2 * inside - area) / area);
}

static void taper(const uint8_t *mask, int width, int height, int32_t *sums, uint8_t *out) {
    size_t stride = (size_t)width + 1;
    for (size_t x = 0; x < stride; x++) sums[x] = 0;
    for (int y = 0; y < height; y++) {
        int32_t row = 0, *to = sums + (size_t)(y + 1) * stride;
        to[0] = 0;
        for (int x = 0; x < width; x++) {
            row += mask[(size_t)y * width + x] != 0;
            to[x + 1] = to[(ptrdiff_t)x + 1 - (ptrdiff_t)stride] + row;
        }
    }
    int half = half_of(width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t at = (size_t)y * width + x;
            out[at] = mask[at] ? weight_at(sums, width, height, x, y, half) : 0;
        }
}

static void make_all(endo_frames *f, int levels, uint8_t *mask, int32_t *sums) {
    uint8_t *at = f->tapers_memory;
    for (int l = 0; l < levels; l++) {
        int width = f->options.width >> l, height = f->options.height >> l;
        endo_fourier_taper made = {width, height, at};
        taper(mask, width, height, sums, at);
        f->tapers[l] = made;
        at += (size_t)width * height;
        endo_mask_halve(mask, width, height, mask);
    }
}

endo_status endo_fourier_tapers_make(endo_frames *f, const endo_fourier_taper **tapers) {
    int width = f->options.width, height = f->options.height, levels = endo_fourier_levels(width, height);
    size_t area = (size_t)width * height, bytes = 0;
    *tapers = NULL;
    if (f->field_share == 0) f->field_share = share_of(f);
    if (f->field_share == 1) return ENDO_OK;
    if (!f->tapers_memory) {
        for (int l = 0; l < levels; l++) bytes += (size_t)(width >> l) * (size_t)(height >> l);
        uint8_t *memory = endo_alloc(bytes, 1), *mask = endo_alloc(area, 1);
        int32_t *sums = endo_alloc(((size_t)width + 1) * ((size_t)height + 1), sizeof *sums);
        if (memory && mask && sums) {
            for (size_t i = 0; i < area; i++) mask[i] = f->field[i];
            f->tapers_memory = memory;
            make_all(f, levels, mask, sums);
        } else {
            endo_free(memory);
        }
        endo_free(mask);
        endo_free(sums);
    }
    if (!f->tapers_memory) return endo_fail(ENDO_ERR_MEMORY, "no memory to taper the field of %d x %d", width, height);
    *tapers = f->tapers;
    return ENDO_OK;
}
