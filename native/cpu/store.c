/* The frame store in host memory. Images are padded so that bilinear sampling needs no edge case (the
 * last column and row repeat) and vector loads may run over the end. */
#include "derived.h"
#include "fourier.h"

#include "base/run_skipping.h"
#include "base/threads.h"

#include <string.h>

/* Bytes of pixels of all frames from which they are more than caches hold. */
#define LARGE 16e6

/* Rows that a thread puts at once: few enough that threads end together where something else runs beside them. */
#define ROWS 32

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
    s->shining_stride = (s->options.width + 31) / 32;
    size_t words = (size_t)(s->shining_stride * s->options.height);
    uint32_t *shining = NULL;
    if (s->options.highlights) shining = cpu_arena_take(&s->arena, (size_t)s->options.capacity * words, sizeof *shining);
    for (int i = 0; s->frames && i < s->options.capacity; i++) {
        cpu_frame *f = &s->frames[i];
        f->grey = f->plain = cpu_plane_slice(&s->plain, i);
        f->bright = cpu_plane_slice(&s->bright, i);
        f->specular = s->options.highlights == 1 ? f->bright : NULL;
        f->pixels = cpu_plane_slice(&s->pixels, i);
        f->shining = shining ? shining + (size_t)i * words : NULL;
    }
    cpu_derived_take(s);
}

static void cpu_store_destroy(void *store) {
    cpu_store *s = store;
    if (!s) return;
    cpu_fourier_free(s);
    endo_slots_destroy(&s->slots);
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
        s->uses = ENDO_USE_ANY;
        s->enhance_clip = setup->enhance_clip;
        s->field = setup->field;
        s->stride = s->field->stride;
        s->outline = cpu_outline_find(s->field->paint_bilinear, s->stride, o->width, o->height);
        s->is_large = (double)s->stride * o->height * o->capacity * (double)endo_pixel_size(o->type) > LARGE;
        status = fill_store(s);
    }
    if (status == ENDO_OK) {
        *store = s;
        return ENDO_OK;
    }
    cpu_store_destroy(s);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d frames of %d x %d", o->capacity, o->width, o->height);
}

/* Copies pixels of a row and repeats the last one. */
static void copy_pixels(const cpu_store *s, const uint8_t *pixels, size_t n, uint8_t *out) {
    size_t size = endo_pixel_size(s->options.type), bytes = n * size;
    if (s->is_large) {
        s->backend->variant->pyramid->copy_far(pixels, bytes, size, out);
        return;
    }
    memcpy(out, pixels, bytes);
    memcpy(out + bytes, pixels + bytes - size, size);
}

/* Pixels of whole cache lines. */
enum { TOGETHER = 64 };

/* Copies a row of pixels. Of a frame that comes for the first pass, and not for matching, nobody reads pixels outside the
 * field: they are left out, but for whole cache lines. */
static void pixel_row(const cpu_store *s, ptrdiff_t y, const uint8_t *pixels, uint8_t *out) {
    size_t size = endo_pixel_size(s->options.type);
    int from = 0, to = s->options.width;
    if (!(s->uses & ENDO_USE_MATCHING) && s->uses & ENDO_USE_FIRST_PASS) {
        const uint8_t *field = s->field->mask + y * s->stride;
        from = endo_skip_forward(field, from, to, 0);
        to = endo_skip_backward(field, from, to, 0);
        from -= from % TOGETHER;
    }
    if (from < to) copy_pixels(s, pixels + (size_t)from * size, (size_t)(to - from), out + (size_t)from * size);
}

static int takes_pixels(const cpu_store *s) { return s->options.keep_pixels && s->uses & ENDO_USE_PAINTING; }

static void put_row(const cpu_store *s, int slot, ptrdiff_t y, const void *pixels, ptrdiff_t stride) {
    size_t size = endo_pixel_size(s->options.type);
    const uint8_t *row = (const uint8_t *)pixels + (size_t)(y * stride) * size;
    if (takes_pixels(s)) pixel_row(s, y, row, s->frames[slot].pixels + (size_t)(y * s->stride) * size);
    if (s->frames[slot].is_grey) cpu_grey_row(s, slot, (int)y, row);
    if (s->frames[slot].is_summed && y % ENDO_BLEND_SIDE == ENDO_BLEND_SIDE - 1)
        cpu_sum_blocks(s, slot, (int)(y / ENDO_BLEND_SIDE), row - (size_t)((ENDO_BLEND_SIDE - 1) * stride) * size, stride);
}

/* A stretch of rows; all that was copied is there for other threads when it returns. */
static void put_rows(const cpu_store *s, int slot, ptrdiff_t first, const void *pixels, ptrdiff_t stride) {
    ptrdiff_t end = first + ROWS < s->options.height ? first + ROWS : s->options.height;
    for (ptrdiff_t y = first; y < end; y++) put_row(s, slot, y, pixels, stride);
    if (s->is_large) s->backend->variant->pyramid->end_far();
}

/* A frame is to come. What is made of it with the copy, while the pixels are at hand, is what it is for. Where nobody says
 * that, it is guessed: where the one before it here was matched it will be, too, and the first one where the store was made
 * for flow; and its blocks are wanted where those of the one before it were. */
static void expect_frame(cpu_store *s, int32_t slot) {
    cpu_frame *f = &s->frames[slot];
    int is_said = s->uses != ENDO_USE_ANY, is_matched = endo_slots_has(&s->slots, CPU_GREY, slot);
    int was_blended = endo_slots_has(&s->slots, CPU_BLOCKS, slot);
    int is_grey = is_said ? s->uses & ENDO_USE_MATCHING : f->was_put ? is_matched : s->field->n_levels > 0;
    f->is_grey = !s->options.keep_pixels || is_grey;
    f->is_summed = s->options.keep_pixels && (is_said ? s->uses & ENDO_USE_FIRST_PASS : was_blended);
    f->was_put = 1;
    endo_slots_forget(&s->slots, slot);
    if (f->is_summed) endo_slots_add(&s->slots, CPU_BLOCKS, slot);
}

/* Copies; what is derived waits until it is needed, but for grey values that will be: the caller may hold up others as long
 * as this takes, and who only paints needs none.
 * One parallel region for all rows of all images: to wake its threads takes as long as to copy half an image. */
static endo_status cpu_store_put_list(void *store, const int32_t *slots, size_t n, const void *const *pixels,
                                      ptrdiff_t stride) {
    cpu_store *s = store;
    ptrdiff_t stretches = (s->options.height + ROWS - 1) / ROWS;
    size_t area = (size_t)s->options.width * (size_t)s->options.height;
    int threads = endo_frame_threads(s->backend->threads, n * area * endo_pixel_size(s->options.type));
    for (size_t i = 0; i < n; i++) expect_frame(s, slots[i]);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * stretches; i++)
        put_rows(s, slots[i / stretches], i % stretches * ROWS, pixels[i / stretches], stride);
    for (size_t i = 0; i < n && takes_pixels(s); i++) cpu_plane_repeat_row(&s->pixels, slots[i]);
    return ENDO_OK;
}

static endo_status cpu_store_put(void *store, int slot, const void *pixels, ptrdiff_t stride) {
    const int32_t slots[] = {slot};
    return cpu_store_put_list(store, slots, 1, &pixels, stride);
}

static void cpu_store_put_for(void *store, int uses) { ((cpu_store *)store)->uses = uses; }

static endo_status cpu_store_get_grey(void *store, int slot, uint8_t *grey) {
    cpu_store *s = store;
    const endo_pair request = {slot, slot};
    ENDO_TRY(cpu_derive(s, CPU_ENHANCED, &request, 1, sizeof request));
    for (int y = 0; y < s->options.height; y++)
        memcpy(grey + (size_t)y * s->options.width, s->frames[slot].grey + y * s->stride, s->options.width);
    return ENDO_OK;
}

const endo_frames_kernels cpu_frames = {
    .create = cpu_store_create,
    .destroy = cpu_store_destroy,
    .put = cpu_store_put,
    .put_list = cpu_store_put_list,
    .put_for = cpu_store_put_for,
    .get_grey = cpu_store_get_grey,
};
