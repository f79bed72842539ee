/* The levels of frames for Fourier registration, and who frees what is kept of them (rules/fourier_levels.h). */
#include "derived.h"
#include "fourier.h"

#include <string.h>

int cpu_fourier_is_kept(const cpu_fourier_kept *k, const endo_turns_setup *setup) {
    return k->is_there && !memcmp(&k->setup, setup, sizeof *setup);
}

void cpu_fourier_kept_free(cpu_fourier_kept *k) {
    endo_free(k->values);
    memset(k, 0, sizeof *k);
}

int cpu_fourier_keep(cpu_fourier_kept *k, const endo_turns_setup *setup, size_t numbers) {
    if (k->numbers != numbers) {
        cpu_fourier_kept_free(k);
        k->values = endo_alloc(numbers, sizeof *k->values);
        if (!k->values) return 0;
        k->numbers = numbers;
    }
    k->setup = *setup;
    k->is_there = 1;
    return 1;
}

/* With all memory. */
static void forget(cpu_fourier_frame *f) {
    for (int l = 0; l < f->n_levels; l++)
        for (int half = 0; half <= ENDO_FOURIER_MOST_HALF; half++) endo_free(f->levels[l].highpass[half]);
    cpu_fourier_kept_free(&f->turns);
    cpu_fourier_kept_free(&f->shifts);
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
    if (f->n_levels && (f->levels[0].width != f->width || f->levels[0].height != f->height)) forget(f);
    f->n_levels = endo_fourier_levels(f->width, f->height);
    f->turns.is_there = f->shifts.is_there = 0;
    if (!f->memory) f->memory = endo_alloc(all_bytes(s, f), 1);
    uint8_t *at = f->memory;
    if (!at) return 0;
    for (int l = 0; l < f->n_levels; l++) {
        cpu_fourier_level made = f->levels[l];
        made.width = f->width >> l, made.height = f->height >> l, made.stride = stride_of(s, f, l);
        made.grey = made.valid = NULL;
        made.highpassed = 0;
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
