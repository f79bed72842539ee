/* The frame store in host memory. Images are padded so that bilinear sampling needs no edge case (the
 * last column and row repeat) and vector loads may run over the end. */
#include "derived.h"
#include "fourier.h"

#include "../base/threads.h"
#include "../rules/grey.h"

#include <string.h>

cpu_plane cpu_store_plane(cpu_store *s, endo_plane_type type) {
    endo_plane_format format = {type, s->options.width, s->options.height, s->options.capacity};
    return cpu_plane_take(&s->arena, &format, 1);
}

static endo_plane_type type_of(endo_pixel type) {
    return type == ENDO_RGB32 ? ENDO_PLANE_U32 : type == ENDO_GREY16 ? ENDO_PLANE_U16 : ENDO_PLANE_U8;
}

/* All memory of a new store: first counted, then there. */
static void take_all(cpu_store *s) {
    s->frames = cpu_arena_take(&s->arena, (size_t)s->options.capacity, sizeof *s->frames);
    s->plain = cpu_store_plane(s, ENDO_PLANE_U8);
    if (s->options.highlights) s->bright = cpu_store_plane(s, ENDO_PLANE_U8);
    if (s->options.keep_pixels) s->pixels = cpu_store_plane(s, type_of(s->options.type));
    for (int i = 0; s->frames && i < s->options.capacity; i++) {
        cpu_frame *f = &s->frames[i];
        f->grey = f->plain = cpu_plane_slice(&s->plain, i);
        f->bright = cpu_plane_slice(&s->bright, i);
        f->specular = s->options.highlights == 1 ? f->bright : NULL;
        f->pixels = cpu_plane_slice(&s->pixels, i);
    }
    cpu_derived_take(s);
}

static void cpu_store_destroy(void *store) {
    cpu_store *s = store;
    if (!s) return;
    cpu_fourier_free(s);
    endo_slots_destroy(&s->slots);
    endo_free(s->smoothed);
    endo_free(s->field_memory);
    endo_free(s->field_columns);
    endo_free(s->field_rows);
    cpu_arena_free(&s->arena);
    endo_free(s);
}

static endo_status fill_store(cpu_store *s) {
    endo_status status = endo_slots_create(&s->slots, s->options.capacity);
    if (status != ENDO_OK) return status;
    take_all(s);
    status = cpu_arena_grow(&s->arena);
    if (status == ENDO_OK) take_all(s);
    return status;
}

static endo_status cpu_store_create(void *backend, const endo_store_setup *setup, void **store) {
    const endo_frames_options *o = &setup->options;
    cpu_store *s = endo_alloc_zeroed(1, sizeof *s);
    endo_status status = ENDO_ERR_MEMORY;
    if (s) {
        s->backend = backend;
        s->options = *o;
        s->options.field = NULL;
        s->enhance_clip = setup->enhance_clip;
        s->field = setup->field;
        s->stride = s->field->stride;
        status = fill_store(s);
    }
    if (status == ENDO_OK) {
        *store = s;
        return ENDO_OK;
    }
    cpu_store_destroy(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d frames of %d x %d", o->capacity, o->width, o->height);
}

static void grey_row(const cpu_store *s, const void *pixels, uint8_t *grey) {
    int width = s->options.width;
    if (s->options.type == ENDO_RGB32) {
        s->backend->variant->pyramid->grey_rgb(pixels, width, grey);
    } else if (s->options.type == ENDO_GREY16) {
        const uint16_t *in = pixels;
        for (int x = 0; x < width; x++) grey[x] = endo_grey_of_16(in[x], s->options.low, s->options.high);
    } else {
        memcpy(grey, pixels, width);
    }
    grey[width] = grey[width - 1];
}

/* Copies a row and repeats its last pixel. */
static void pixel_row(const cpu_store *s, const void *pixels, uint8_t *out) {
    size_t size = endo_pixel_size(s->options.type), bytes = s->options.width * size;
    memcpy(out, pixels, bytes);
    memcpy(out + bytes, out + bytes - size, size);
}

/* Most rows have none. */
static int has_specular(const uint32_t *rgb, int width) {
    uint32_t any = 0;
    for (int x = 0; x < width; x++) any |= (uint32_t)endo_is_specular_rgb(rgb[x]);
    return any != 0;
}

static void mark_specular(const cpu_store *s, const void *pixels, const uint8_t *grey, int y, uint8_t *mask) {
    int width = s->options.width, height = s->options.height;
    if (s->options.type == ENDO_RGB32 && !has_specular(pixels, width)) return;
    for (int x = 0; x < width; x++) {
        int specular = s->options.type == ENDO_RGB32 ? endo_is_specular_rgb(((const uint32_t *)pixels)[x])
                                                      : grey[x] >= ENDO_SPECULAR_GREY;
        if (!specular) continue;
        int left = x < ENDO_SPECULAR_GROWTH ? 0 : x - ENDO_SPECULAR_GROWTH;
        int right = x + ENDO_SPECULAR_GROWTH >= width ? width - 1 : x + ENDO_SPECULAR_GROWTH;
        for (int v = y - ENDO_SPECULAR_GROWTH; v <= y + ENDO_SPECULAR_GROWTH; v++)
            if (v >= 0 && v < height) memset(mask + v * s->stride + left, 255, (size_t)(right - left + 1));
    }
}

static void mark_highlights(const cpu_store *s, int slot, const void *pixels, ptrdiff_t stride) {
    cpu_frame *f = &s->frames[slot];
    size_t size = endo_pixel_size(s->options.type);
    memset(f->bright, 0, (size_t)s->bright.slice);
    for (int y = 0; y < s->options.height; y++)
        mark_specular(s, (const uint8_t *)pixels + (size_t)y * stride * size, f->plain + y * s->stride, y, f->bright);
}

/* Less what stands still on the sensor; the last pixel is repeated. */
static void pattern_row(const cpu_store *s, int y, uint8_t *grey) {
    int width = s->options.width;
    const int16_t *pattern = s->options.pattern + (size_t)y * width;
    for (int x = 0; x < width; x++) grey[x] = endo_grey_less(grey[x], pattern[x]);
    grey[width] = grey[width - 1];
}

/* Copies; what is derived waits until it is needed: the caller may hold up others as long as this takes. */
static endo_status cpu_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    cpu_store *s = store;
    cpu_frame *f = &s->frames[slot];
    int height = s->options.height;
    size_t size = endo_pixel_size(s->options.type);
    int threads = endo_frame_team(s->backend->threads, (size_t)s->options.width * height * size);
    endo_slots_forget(&s->slots, slot);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) {
        const uint8_t *row = (const uint8_t *)pixels + (size_t)y * stride * size;
        grey_row(s, row, f->plain + y * s->stride);
        if (f->pixels) pixel_row(s, row, f->pixels + (size_t)(y * s->stride) * size);
    }
    if (f->pixels) cpu_plane_repeat_row(&s->pixels, slot);
    if (f->bright) mark_highlights(s, slot, pixels, stride);
    for (int y = 0; s->options.pattern && y < height; y++) pattern_row(s, y, f->plain + y * s->stride);
    cpu_plane_repeat_row(&s->plain, slot);
    return ENDO_OK;
}

static endo_status cpu_store_get_grey(void *store, int slot, uint8_t *grey) {
    cpu_store *s = store;
    const endo_pair request = {slot, slot};
    endo_status status = cpu_derive(s, CPU_ENHANCED, &request, 1, sizeof request);
    if (status != ENDO_OK) return status;
    for (int y = 0; y < s->options.height; y++)
        memcpy(grey + (size_t)y * s->options.width, s->frames[slot].grey + y * s->stride, s->options.width);
    return ENDO_OK;
}

const endo_frames_kernels cpu_frames = {
    .create = cpu_store_create,
    .destroy = cpu_store_destroy,
    .put = cpu_store_put,
    .get_grey = cpu_store_get_grey,
};
