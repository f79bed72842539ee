/* The grey images of frames, less what stands still on the sensor, and their highlights. */
#include "derived.h"

#include "../rules/grey.h"

#include <string.h>

/* Returns whether there may be highlights. */
static int grey_row(const cpu_store *s, const void *pixels, uint8_t *grey) {
    int width = s->options.width, may_shine = 1;
    if (s->options.type == ENDO_RGB32) {
        may_shine = s->backend->variant->pyramid->grey_rgb(pixels, width, grey);
    } else if (s->options.type == ENDO_GREY16) {
        const uint16_t *in = pixels;
        for (int x = 0; x < width; x++) grey[x] = endo_grey_of_16(in[x], s->options.low, s->options.high);
    } else {
        memcpy(grey, pixels, width);
    }
    grey[width] = grey[width - 1];
    return may_shine;
}

static int is_specular(const cpu_store *s, const void *pixels, const uint8_t *grey, int x) {
    return s->options.type == ENDO_RGB32 ? endo_is_specular_rgb(((const uint32_t *)pixels)[x]) : grey[x] >= ENDO_SPECULAR_GREY;
}

/* Highlights from..to - 1 of row y, grown. */
static void mark_run(const cpu_store *s, int from, int to, int y, uint8_t *mask) {
    int left = from < ENDO_SPECULAR_GROWTH ? 0 : from - ENDO_SPECULAR_GROWTH;
    int right = to + ENDO_SPECULAR_GROWTH > s->options.width ? s->options.width : to + ENDO_SPECULAR_GROWTH;
    for (int v = y - ENDO_SPECULAR_GROWTH; v <= y + ENDO_SPECULAR_GROWTH; v++)
        if (v >= 0 && v < s->options.height) memset(mask + v * s->stride + left, 255, (size_t)(right - left));
}

static void mark_specular(const cpu_store *s, const void *pixels, const uint8_t *grey, int y, uint8_t *mask) {
    for (int x = 0; x < s->options.width; x++) {
        int from = x;
        while (x < s->options.width && is_specular(s, pixels, grey, x)) x++;
        if (x > from) mark_run(s, from, x, y, mask);
    }
}

/* Less what stands still on the sensor; the last pixel is repeated. */
static void pattern_row(const cpu_store *s, int y, uint8_t *grey) {
    int width = s->options.width;
    const int16_t *pattern = s->options.pattern + (size_t)y * width;
    for (int x = 0; x < width; x++) grey[x] = endo_grey_less(grey[x], pattern[x]);
    grey[width] = grey[width - 1];
}

void cpu_make_grey(const cpu_store *s, int slot, const void *pixels, ptrdiff_t stride) {
    const cpu_frame *f = &s->frames[slot];
    int height = s->options.height;
    size_t size = endo_pixel_size(s->options.type);
    if (f->bright) memset(f->bright, 0, (size_t)s->bright.slice);
    for (int y = 0; y < height; y++) {
        const uint8_t *row = (const uint8_t *)pixels + (size_t)y * stride * size;
        uint8_t *grey = f->plain + y * s->stride;
        int may_shine = grey_row(s, row, grey);
        if (f->bright && may_shine) mark_specular(s, row, grey, y, f->bright);
    }
    for (int y = 0; s->options.pattern && y < height; y++) pattern_row(s, y, f->plain + y * s->stride);
    cpu_plane_repeat_row(&s->plain, slot);
}

static int applies(const cpu_store *s) { return s->options.keep_pixels; }

/* A thread a frame. */
static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
#pragma omp parallel for num_threads(cpu_threads(s->backend, n)) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) cpu_make_grey(s, slots[i], s->frames[slots[i]].pixels, s->stride);
    return ENDO_OK;
}

const cpu_derivation cpu_grey = {
    .from = CPU_DERIVED,
    .applies = applies,
    .build = build,
};
