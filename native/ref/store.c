/* Frames as they come in, their grey image and their highlight mask. */
#include "ref.h"

#include <string.h>

static void ref_store_destroy(void *store);

/* n pixels on both sides of i, `step` apart from each other, are set; i is the place-th of `length` of them. */
static int reaches(const uint8_t *mask, size_t i, size_t step, int place, int length, int n) {
    if (place < n || place + n >= length) return 0;
    for (size_t k = i - n * step; k <= i + n * step; k += step)
        if (!mask[k]) return 0;
    return 1;
}

/* Where the square that reaches rim / 2 pixels to every side lies in the field: along the rows, then the columns. */
static void leave_out_rim(const ref_store *s, uint8_t *across, uint8_t *out) {
    int width = s->options.width, height = s->options.height, n = s->options.rim / 2;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * width + x;
            across[i] = reaches(s->field, i, 1, x, width, n) ? 255 : 0;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * width + x;
            out[i] = reaches(across, i, width, y, height, n) ? 255 : 0;
        }
}

static endo_status ref_store_create(void *backend, const endo_store_setup *setup, void **store) {
    (void)backend;
    size_t area = (size_t)setup->options.width * setup->options.height;
    ref_store *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) goto fail;
    s->options = setup->options;
    s->enhance_clip = setup->enhance_clip;
    s->depths = setup->field->depths;
    s->field = endo_alloc(area, 1);
    s->paint_field = endo_alloc(area, 1);
    s->frames = endo_alloc_zeroed(s->options.capacity, sizeof *s->frames);
    if (!s->field || !s->paint_field || !s->frames) goto fail;
    memcpy(s->field, setup->options.field, area);
    uint8_t *across = endo_alloc(area, 1);
    if (!across) goto fail;
    leave_out_rim(s, across, s->paint_field);
    endo_free(across);
    for (int i = 0; i < s->options.capacity; i++) {
        s->frames[i].grey = endo_alloc(area, 1);
        s->frames[i].plain = s->options.enhance ? endo_alloc(area, 1) : s->frames[i].grey;
        s->frames[i].specular = endo_alloc_zeroed(area, 1);
        s->frames[i].bright = endo_alloc_zeroed(area, 1);
        s->frames[i].pixels = endo_alloc(area, endo_pixel_size(s->options.type));
        if (!s->frames[i].grey || !s->frames[i].plain || !s->frames[i].specular || !s->frames[i].bright ||
            !s->frames[i].pixels)
            goto fail;
    }
    *store = s;
    return ENDO_OK;
fail:
    ref_store_destroy(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d frames", setup->options.capacity);
}

static void ref_store_destroy(void *store) {
    ref_store *s = store;
    if (!s) return;
    for (int i = 0; s->frames && i < s->options.capacity; i++) {
        if (s->frames[i].plain != s->frames[i].grey) endo_free(s->frames[i].plain);
        endo_free(s->frames[i].grey);
        endo_free(s->frames[i].specular);
        endo_free(s->frames[i].bright);
        endo_free(s->frames[i].pixels);
    }
    endo_free(s->frames);
    endo_free(s->field);
    endo_free(s->paint_field);
    endo_free(s);
}

static int grey_at(const ref_store *s, const void *pixels, size_t i, int *specular) {
    switch (s->options.type) {
    case ENDO_RGB32: {
        uint32_t rgb = ((const uint32_t *)pixels)[i];
        *specular = endo_is_specular_rgb(rgb);
        return endo_grey_of_rgb(rgb);
    }
    case ENDO_GREY16: {
        int grey = endo_grey_of_16(((const uint16_t *)pixels)[i], s->options.low, s->options.high);
        *specular = grey >= ENDO_SPECULAR_GREY;
        return grey;
    }
    default: {
        int grey = ((const uint8_t *)pixels)[i];
        *specular = grey >= ENDO_SPECULAR_GREY;
        return grey;
    }
    }
}

static void grow_highlight(const ref_store *s, uint8_t *mask, int x, int y) {
    for (int v = y - ENDO_SPECULAR_GROWTH; v <= y + ENDO_SPECULAR_GROWTH; v++)
        for (int u = x - ENDO_SPECULAR_GROWTH; u <= x + ENDO_SPECULAR_GROWTH; u++)
            if (u >= 0 && u < s->options.width && v >= 0 && v < s->options.height)
                mask[(size_t)v * s->options.width + u] = 255;
}

static endo_status ref_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    ref_store *s = store;
    ref_frame *f = &s->frames[slot];
    int width = s->options.width, height = s->options.height;
    size_t size = endo_pixel_size(s->options.type);
    for (int y = 0; y < height; y++)
        memcpy((uint8_t *)f->pixels + (size_t)y * width * size,
               (const uint8_t *)pixels + (size_t)(y * stride) * size, (size_t)width * size);
    memset(f->bright, 0, (size_t)width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int specular;
            size_t i = (size_t)y * width + x;
            f->plain[i] = (uint8_t)grey_at(s, f->pixels, i, &specular);
            if (s->options.pattern) f->plain[i] = endo_grey_less(f->plain[i], s->options.pattern[i]);
            if (specular && s->options.highlights) grow_highlight(s, f->bright, x, y);
        }
    if (s->options.highlights == 1) memcpy(f->specular, f->bright, (size_t)width * height);
    if (!s->options.enhance) return ENDO_OK;
    endo_ahe_job job = endo_enhance_job(&s->options, f->plain, width, f->grey, s->enhance_clip);
    return ref_ahe(NULL, &job);
}

static endo_status ref_store_get_grey(void *store, int slot, uint8_t *grey) {
    const ref_store *s = store;
    memcpy(grey, s->frames[slot].grey, (size_t)s->options.width * s->options.height);
    return ENDO_OK;
}

const endo_frames_kernels ref_frames = {
    .create = ref_store_create,
    .destroy = ref_store_destroy,
    .put = ref_store_put,
    .get_grey = ref_store_get_grey,
};
