/* The frame store in host memory. Images are padded so that bilinear sampling needs no edge case (the
 * last column and row repeat) and vector loads may run over the end. */
#include "ahe_plane.h"
#include "cpu.h"

#include "../rules/grey.h"

#include <string.h>

static size_t padded_area(const cpu_store *s) { return (size_t)s->stride * (s->options.height + 1) + CPU_SLACK; }

static int create_frames(cpu_store *s) {
    size_t area = padded_area(s);
    s->frames = endo_alloc_zeroed(s->options.capacity, sizeof *s->frames);
    for (int i = 0; s->frames && i < s->options.capacity; i++) {
        cpu_frame *f = &s->frames[i];
        f->grey = endo_alloc_zeroed(area, 1);
        f->plain = s->options.enhance ? endo_alloc_zeroed(area, 1) : f->grey;
        if (!f->grey || !f->plain) return 0;
        if (s->options.highlights && !(f->specular = endo_alloc_zeroed(area, 1))) return 0;
        if (s->options.keep_pixels && !(f->pixels = endo_alloc_zeroed(area, endo_pixel_size(s->options.type))))
            return 0;
        for (int l = 0; l < s->field->n_levels; l++) {
            const endo_field_level *level = &s->field->levels[l];
            f->levels[l] = endo_alloc_zeroed((size_t)level->stride * level->size.height + CPU_SLACK, 2);
            if (!f->levels[l]) return 0;
        }
    }
    return s->frames != NULL;
}

static void cpu_store_destroy(void *store);

static endo_status cpu_store_create(void *backend, const endo_store_setup *setup, void **store) {
    const endo_frames_options *o = &setup->options;
    cpu_store *s = endo_alloc_zeroed(1, sizeof *s);
    if (s) {
        s->backend = backend;
        s->options = *o;
        s->options.field = NULL;
        s->enhance_clip = setup->enhance_clip;
        s->field = setup->field;
        s->stride = s->field->stride;
        if (create_frames(s)) {
            *store = s;
            return ENDO_OK;
        }
    }
    cpu_store_destroy(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d frames of %d x %d", o->capacity, o->width, o->height);
}

static void destroy_frame(cpu_frame *f) {
    if (f->plain != f->grey) endo_free(f->plain);
    endo_free(f->grey);
    endo_free(f->specular);
    endo_free(f->pixels);
    for (int l = 0; l < ENDO_FLOW_MAX_LEVELS; l++) endo_free(f->levels[l]);
}

static void cpu_store_destroy(void *store) {
    cpu_store *s = store;
    if (!s) return;
    for (int i = 0; s->frames && i < s->options.capacity; i++) destroy_frame(&s->frames[i]);
    endo_free(s->frames);
    endo_free(s->field_memory);
    endo_free(s->field_columns);
    endo_free(s->field_rows);
    endo_free(s);
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

static void mark_specular(const cpu_store *s, const void *pixels, const uint8_t *grey, int y, uint8_t *mask) {
    int width = s->options.width, height = s->options.height;
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

static void enhance(const cpu_store *s, cpu_frame *f, cpu_ahe_work *work) {
    int width = s->options.width, height = s->options.height;
    cpu_ahe_run(work);
    cpu_ahe_release(work);
    for (int y = 0; y < height; y++) f->grey[y * s->stride + width] = f->grey[y * s->stride + width - 1];
    memcpy(f->grey + height * s->stride, f->grey + (height - 1) * s->stride, s->stride);
}

static endo_status cpu_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    cpu_store *s = store;
    cpu_frame *f = &s->frames[slot];
    int height = s->options.height;
    size_t size = endo_pixel_size(s->options.type);
    cpu_ahe_work work;
    if (s->options.enhance) { /* its memory first: a frame that cannot be put leaves the slot as it was */
        endo_ahe_job job = endo_enhance_job(&s->options, f->plain, s->stride, f->grey, s->enhance_clip);
        endo_status status = cpu_ahe_reserve(s->backend, &job, &work);
        if (status != ENDO_OK) return status;
    }
#pragma omp parallel for num_threads(cpu_threads(s->backend, (size_t)s->options.width * height / CPU_PIXELS_A_THREAD)) schedule(static)
    for (int y = 0; y < height; y++) {
        const uint8_t *row = (const uint8_t *)pixels + (size_t)y * stride * size;
        grey_row(s, row, f->plain + y * s->stride);
        if (f->pixels) pixel_row(s, row, f->pixels + (size_t)(y * s->stride) * size);
    }
    memcpy(f->plain + height * s->stride, f->plain + (height - 1) * s->stride, s->stride);
    if (f->pixels)
        memcpy(f->pixels + (size_t)(height * s->stride) * size, f->pixels + (size_t)((height - 1) * s->stride) * size,
               s->stride * size);
    if (f->specular) {
        memset(f->specular, 0, padded_area(s));
        for (int y = 0; y < height; y++)
            mark_specular(s, (const uint8_t *)pixels + (size_t)y * stride * size, f->plain + y * s->stride, y,
                          f->specular);
    }
    f->has_levels = f->has_brightness = 0;
    if (s->options.enhance) enhance(s, f, &work);
    return ENDO_OK;
}

static endo_status cpu_store_get_grey(const void *store, int slot, uint8_t *grey) {
    const cpu_store *s = store;
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
