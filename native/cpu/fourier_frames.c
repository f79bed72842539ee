/* The levels of frames for Fourier registration, and who frees what is kept of them (rules/fourier_levels.h). */
#include "derived.h"
#include "fourier.h"

#include <string.h>

static void forget(cpu_fourier_frame *f) {
    for (int l = 0; l < f->n_levels; l++)
        for (int half = 0; half <= ENDO_FOURIER_MOST_HALF; half++) endo_free(f->levels[l].highpass[half]);
    endo_free(f->turns.values);
    endo_free(f->shifts.values);
    endo_free(f->memory);
    int width = f->width, height = f->height;
    memset(f, 0, sizeof *f);
    f->width = width, f->height = height;
}

void cpu_fourier_free(cpu_store *s) {
    for (int i = 0; s->fourier && i < s->options.capacity; i++) forget(&s->fourier[i]);
    endo_free(s->fourier);
    s->fourier = NULL;
}

static int is_whole(const cpu_store *s) {
    for (int y = 0; y < s->options.height; y++)
        for (int x = 0; x < s->options.width; x++)
            if (!s->field->mask[y * s->stride + x]) return 0;
    return !s->options.highlights;
}

/* ------------------------------------------------------------------ levels */

/* Level 0 is the frame's own. */
static ptrdiff_t stride_of(const cpu_store *s, const cpu_fourier_frame *f, int level) {
    return level ? endo_plane_stride(f->width >> level, 0) : s->stride;
}

static size_t level_bytes(const cpu_store *s, const cpu_fourier_frame *f, int level) {
    return (size_t)stride_of(s, f, level) * (size_t)(f->height >> level);
}

static size_t all_bytes(const cpu_store *s, const cpu_fourier_frame *f) {
    size_t bytes = s->fourier_whole ? 0 : level_bytes(s, f, 0);
    for (int l = 1; l < f->n_levels; l++) bytes += level_bytes(s, f, l) * (s->fourier_whole ? 1 : 2);
    return bytes;
}

static void fill_valid(const cpu_store *s, int slot, cpu_fourier_level *l, uint8_t *valid) {
    const uint8_t *bright = s->frames[slot].bright;
    for (int y = 0; y < l->height; y++)
        for (int x = 0; x < l->width; x++) {
            ptrdiff_t from = y * s->stride + x;
            valid[y * l->stride + x] = s->field->mask[from] && !(bright && bright[from]);
        }
}

static void halve_grey(const cpu_store *s, const cpu_fourier_level *in, const cpu_fourier_level *out, uint8_t *grey) {
    for (int y = 0; y < out->height; y++)
        s->backend->variant->pyramid->halve_row(in->grey + 2 * y * in->stride, in->grey + (2 * y + 1) * in->stride,
                                                out->width, grey + y * out->stride);
}

static void halve_valid(const cpu_fourier_level *in, const cpu_fourier_level *out, uint8_t *valid) {
    for (int y = 0; y < out->height; y++) {
        const uint8_t *top = in->valid + 2 * y * in->stride, *bottom = top + in->stride;
        uint8_t *to = valid + y * out->stride;
        for (int x = 0; x < out->width; x++) to[x] = top[2 * x] & top[2 * x + 1] & bottom[2 * x] & bottom[2 * x + 1];
    }
}

static int build_frame(const cpu_store *s, int slot) {
    cpu_fourier_frame *f = &s->fourier[slot];
    forget(f);
    f->n_levels = endo_fourier_levels(f->width, f->height);
    uint8_t *at = f->memory = endo_alloc(all_bytes(s, f), 1);
    if (!at) return 0;
    for (int l = 0; l < f->n_levels; l++) {
        cpu_fourier_level made = {f->width >> l, f->height >> l, stride_of(s, f, l), NULL, NULL, {NULL}};
        if (l == 0) {
            made.grey = s->frames[slot].plain;
        } else {
            halve_grey(s, &f->levels[l - 1], &made, at);
            made.grey = at, at += level_bytes(s, f, l);
        }
        if (!s->fourier_whole) {
            if (l == 0)
                fill_valid(s, slot, &made, at);
            else
                halve_valid(&f->levels[l - 1], &made, at);
            made.valid = at, at += level_bytes(s, f, l);
        }
        f->levels[l] = made;
    }
    return 1;
}

static endo_status build(cpu_store *s, const int32_t *slots, size_t n) {
    int failed = 0;
#pragma omp parallel for num_threads(cpu_threads(s->backend, n)) schedule(dynamic, 1) reduction(| : failed)
    for (size_t i = 0; i < n; i++) failed |= !build_frame(s, slots[i]);
    return failed ? endo_fail(ENDO_ERR_MEMORY, "no memory for the levels of a frame") : ENDO_OK;
}

const cpu_derivation cpu_fourier = {
    .from = CPU_GREY,
    .build = build,
};

static void want_size(cpu_store *s, int slot, int width, int height) {
    cpu_fourier_frame *f = &s->fourier[slot];
    if (f->width == width && f->height == height) return;
    endo_slots_drop(&s->slots, CPU_FOURIER, slot);
    f->width = width, f->height = height;
}

endo_status cpu_fourier_prepare(cpu_store *s, const void *requests, size_t n, size_t size) {
    if (!s->fourier) {
        s->fourier = endo_alloc_zeroed((size_t)s->options.capacity, sizeof *s->fourier);
        if (!s->fourier) return endo_fail(ENDO_ERR_MEMORY, "no memory for the levels of %d frames", s->options.capacity);
        s->fourier_whole = is_whole(s);
    }
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = (const endo_fourier_images *)((const uint8_t *)requests + i * size);
        want_size(s, m->reference, m->reference_width, m->reference_height);
        want_size(s, m->current, m->current_width, m->current_height);
    }
    return cpu_derive(s, CPU_FOURIER, requests, n, size);
}
