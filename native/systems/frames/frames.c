/* Frame stores: ownership, and the field of view as back ends need it. */
#include "frames.h"
#include "base/threads.h"

#include "rules/ahe.h"
#include "systems/field/field_planes.h"

#include <string.h>

const endo_frames_options endo_frames_defaults = {
    .rim = 8,
    .iir = 4,
    .flow = 1,
    .keep_pixels = 1,
    .low = 0,
    .high = 65535,
};

/* Copies the pattern; the caller's array is not needed afterwards. */
static endo_status copy_pattern(endo_frames *f, const int16_t *pattern) {
    size_t area = (size_t)f->options.width * f->options.height;
    if (!pattern) return ENDO_OK;
    f->pattern = endo_alloc(area, sizeof *f->pattern);
    if (!f->pattern)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a pattern of %d x %d", f->options.width, f->options.height);
    memcpy(f->pattern, pattern, area * sizeof *f->pattern);
    f->options.pattern = f->pattern;
    return ENDO_OK;
}

static void copy_field(endo_frames *f, const uint8_t *field) {
    size_t area = (size_t)f->options.width * f->options.height;
#pragma omp parallel for num_threads(f->context->threads) schedule(static) if (area > ENDO_MANY_PIXELS)
    for (size_t i = 0; i < area; i++) f->field[i] = !field || field[i] ? 255 : 0;
}

static endo_status create_store(endo_frames *f) {
    int pixels = f->options.enhance * f->options.enhance;
    endo_store_setup setup = {
        .options = f->options,
        .field = &f->planes,
        .enhance_clip = pixels ? endo_ahe_clip(f->options.enhance_limit, pixels) : 0,
    };
    ENDO_TRY(endo_field_planes_create(&f->options, f->context->threads, &f->planes));
    return f->context->kernels->frames->create(f->context->backend, &setup, &f->store);
}

endo_status endo_frames_make(endo_context *context, const endo_frames_options *options, endo_frames **out) {
    endo_status status = ENDO_OK;
    endo_frames *f = endo_alloc_zeroed(1, sizeof *f);
    if (!f) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    f->context = endo_context_keep(context);
    f->options = *options;
    f->uses = ENDO_USE_ANY;
    f->field = endo_alloc((size_t)options->width * options->height, 1);
    f->filled = endo_alloc_zeroed(options->capacity, 1);
    f->hidden = endo_alloc_zeroed((size_t)options->capacity, sizeof *f->hidden);
    if (f->field && f->filled && f->hidden) {
        copy_field(f, options->field);
        f->options.field = f->field;
        status = copy_pattern(f, options->pattern);
        if (status == ENDO_OK) status = create_store(f);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for frames of %d x %d", options->width, options->height);
    }
    if (status == ENDO_OK)
        *out = f;
    else
        endo_frames_free(f);
    return status;
}

void endo_frames_free(endo_frames *f) {
    if (!f) return;
    if (f->store) f->context->kernels->frames->destroy(f->store);
    endo_free(f->field);
    endo_free(f->filled);
    endo_free(f->hidden);
    endo_free(f->pattern);
    endo_free(f->eroded.mask);
    endo_field_planes_destroy(&f->planes);
    endo_free(f->tapers_memory);
    endo_context_let_go(f->context);
    endo_free(f);
}

void endo_frames_was_put(endo_frames *f, int slot) {
    f->filled[slot] = (uint8_t)f->uses;
    f->hidden[slot].columns = 0;
}

endo_status endo_frames_take(endo_frames *f, int slot, const void *pixels, ptrdiff_t stride) {
    endo_status status = endo_context_step(f->context);
    if (status == ENDO_OK) status = f->context->kernels->frames->put(f->store, slot, pixels, stride);
    if (status == ENDO_OK) endo_frames_was_put(f, slot);
    return status;
}
