/* The grey images of frames, less what stands still on the sensor, and their highlights. */
#include "derived.h"

#include "rules/grey.h"

#include <string.h>

static void mark_grey(const uint8_t *grey, int n, uint32_t *highlights) {
    for (int i = 0; i < n; i += 32) {
        uint32_t word = 0;
        for (int k = 0; k < 32 && i + k < n; k++) word |= (uint32_t)(grey[i + k] >= ENDO_SPECULAR_GREY) << k;
        highlights[i / 32] = word;
    }
}

static uint8_t grey_at(const cpu_store *s, const void *pixels, int x) {
    switch (s->options.type) {
    case ENDO_RGB32: return endo_grey_of_rgb(((const uint32_t *)pixels)[x]);
    case ENDO_GREY16: return endo_grey_of_16(((const uint16_t *)pixels)[x], s->options.low, s->options.high);
    default: return ((const uint8_t *)pixels)[x];
    }
}

void cpu_grey_row(const cpu_store *s, int slot, int y, const void *pixels) {
    const cpu_frame *f = &s->frames[slot];
    uint8_t *grey = f->plain + y * s->stride;
    uint32_t *highlights = f->shining ? f->shining + y * s->shining_stride : NULL;
    int width = s->options.width;
    if (s->options.type == ENDO_RGB32) {
        s->backend->variant->pyramid->grey_rgb(pixels, width, grey, highlights);
    } else if (s->options.type == ENDO_GREY16) {
        const uint16_t *in = pixels;
        for (int x = 0; x < width; x++) grey[x] = endo_grey_of_16(in[x], s->options.low, s->options.high);
    } else {
        memcpy(grey, pixels, width);
    }
    if (highlights && s->options.type != ENDO_RGB32) mark_grey(grey, width, highlights);
    grey[width] = grey_at(s, pixels, width - 1); /* to read back what was just written waits for the memory */
}

/* Highlights from..to - 1 of row y, grown. */
static void mark_run(const cpu_store *s, int from, int to, int y, uint8_t *mask) {
    int left = from < ENDO_SPECULAR_GROWTH ? 0 : from - ENDO_SPECULAR_GROWTH;
    int right = to + ENDO_SPECULAR_GROWTH > s->options.width ? s->options.width : to + ENDO_SPECULAR_GROWTH;
    for (int v = y - ENDO_SPECULAR_GROWTH; v <= y + ENDO_SPECULAR_GROWTH; v++)
        if (v >= 0 && v < s->options.height) memset(mask + v * s->stride + left, 255, (size_t)(right - left));
}

/* Returns whether there are any. */
static int mark_row(const cpu_store *s, const uint32_t *highlights, int y, uint8_t *mask) {
    int any = 0;
    for (int i = 0; i < s->options.width; i += 32)
        for (uint32_t word = highlights[i / 32]; word;) {
            int from = __builtin_ctz(word);
            uint32_t rest = ~(word >> from); /* the run's end is its lowest bit; none: it goes on to the word's */
            int n = rest ? __builtin_ctz(rest) : 32;
            mark_run(s, i + from, i + from + n, y, mask);
            word = from + n < 32 ? word & ~0u << (from + n) : 0;
            any = 1;
        }
    return any;
}

static void mark_highlights(const cpu_store *s, cpu_frame *f) {
    if (f->is_marked) memset(f->bright, 0, (size_t)s->bright.slice);
    f->is_marked = 0;
    for (int y = 0; y < s->options.height; y++)
        f->is_marked |= mark_row(s, f->shining + y * s->shining_stride, y, f->bright);
}

/* Less what stands still on the sensor; the last pixel is repeated. */
static void pattern_row(const cpu_store *s, int y, uint8_t *grey) {
    int width = s->options.width;
    const int16_t *pattern = s->options.pattern + (size_t)y * width;
    for (int x = 0; x < width; x++) grey[x] = endo_grey_less(grey[x], pattern[x]);
    grey[width] = grey[width - 1];
}

/* Finishes a frame once the grey values of all rows are there: highlights, fixed pattern, and the rows beyond the last. */
static void finish(const cpu_store *s, int slot) {
    cpu_frame *f = &s->frames[slot];
    if (f->bright) mark_highlights(s, f);
    for (int y = 0; s->options.pattern && y < s->options.height; y++) pattern_row(s, y, f->plain + y * s->stride);
    cpu_plane_repeat_row(&s->plain, slot);
    f->is_grey = 0; /* it is more than that now */
}

static void make_grey(const cpu_store *s, int slot) {
    const uint8_t *pixels = s->frames[slot].pixels;
    size_t pitch = (size_t)s->stride * endo_pixel_size(s->options.type);
    for (int y = 0; y < s->options.height; y++) cpu_grey_row(s, slot, y, pixels + (size_t)y * pitch);
}

/* A thread a frame. */
static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
#pragma omp parallel for num_threads(cpu_threads(s->backend, n)) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        if (!s->frames[slots[i]].is_grey) make_grey(s, slots[i]);
        finish(s, slots[i]);
    }
    return ENDO_OK;
}

const cpu_derivation cpu_grey = {
    .from = CPU_DERIVED,
    .build = build,
};
