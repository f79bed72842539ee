/* Frame stores: checks, ownership, the field of view and its erosions. */
#include "../objects.h"
#include "options.h"

#include "../rules/ahe.h"
#include "../systems/field_planes.h"
#include "../systems/fourier.h"

#include <string.h>

void endo_frames_options_init(endo_frames_options *options, size_t size) {
    const endo_frames_options defaults = {.rim = 8, .iir = 4, .flow = 1, .keep_pixels = 1, .low = 0, .high = 65535};
    endo_options_copy(options, size, &defaults, sizeof defaults);
}

static endo_status check_options(const endo_frames_options *o) {
    if (o->width < 1 || o->width > 32767 || o->height < 1 || o->height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d: each side must be 1..32767", o->width, o->height);
    if (endo_pixel_size(o->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)o->type);
    if (o->capacity < 1 || o->capacity > 65536)
        return endo_fail(ENDO_ERR_ARGUMENT, "capacity %d: must be 1..65536", o->capacity);
    if (o->rim < 0 || o->rim > 1000) return endo_fail(ENDO_ERR_ARGUMENT, "rim %d: must be 0..1000", o->rim);
    if (o->iir < 0 || o->iir > 255) return endo_fail(ENDO_ERR_ARGUMENT, "iir %d: must be 0..255", o->iir);
    if (o->type == ENDO_GREY16 && (o->low < 0 || o->high > 65535 || o->low >= o->high))
        return endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", o->low, o->high);
    if (o->highlights < 0 || o->highlights > ENDO_HIGHLIGHTS_REFINING)
        return endo_fail(ENDO_ERR_ARGUMENT, "highlights %d: must be 0..2", o->highlights);
    endo_status status = endo_check_flag("flow", o->flow);
    if (status == ENDO_OK) status = endo_check_flag("keep_pixels", o->keep_pixels);
    if (status != ENDO_OK || !o->enhance) return status;
    endo_ahe_options enhance = endo_ahe_options_default();
    enhance.window = o->enhance, enhance.limit = o->enhance_limit;
    return endo_ahe_check(&enhance);
}

static endo_status check_pattern(const endo_frames_options *o) {
    size_t area = (size_t)o->width * o->height;
    for (size_t i = 0; o->pattern && i < area; i++)
        if (o->pattern[i] < -255 || o->pattern[i] > 255)
            return endo_fail(ENDO_ERR_ARGUMENT, "pattern at pixel %zu is %d: must be -255..255", i, o->pattern[i]);
    return ENDO_OK;
}

/* The caller's arrays are not needed afterwards. */
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
    for (size_t i = 0; i < area; i++) f->field[i] = !field || field[i] ? 255 : 0;
}

static endo_status create_store(endo_frames *f) {
    int pixels = f->options.enhance * f->options.enhance;
    endo_store_setup setup = {f->options, &f->planes, pixels ? endo_ahe_clip(f->options.enhance_limit, pixels) : 0};
    endo_status status = endo_field_planes_create(&f->options, &f->planes);
    if (status != ENDO_OK) return status;
    return f->context->kernels->frames->create(f->context->backend, &setup, &f->store);
}

endo_status endo_frames_create(endo_context *context, const endo_frames_options *options, endo_frames **out) {
    if (!context || !options || !out) return endo_fail(ENDO_ERR_ARGUMENT, "frames: an argument is NULL");
    endo_status status = check_options(options);
    if (status == ENDO_OK) status = check_pattern(options);
    if (status != ENDO_OK) return status;
    endo_frames *f = endo_alloc_zeroed(1, sizeof *f);
    if (!f) return endo_fail(ENDO_ERR_MEMORY, "no memory for a frame store");
    f->context = endo_context_keep(context);
    f->options = *options;
    f->uses = ENDO_USE_ANY;
    f->field = endo_alloc((size_t)options->width * options->height, 1);
    f->filled = endo_alloc_zeroed(options->capacity, 1);
    if (f->field && f->filled) {
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
        endo_frames_destroy(&f);
    return status;
}

void endo_frames_destroy(endo_frames **frames) {
    if (!frames || !*frames) return;
    endo_frames *f = *frames;
    if (f->store) f->context->kernels->frames->destroy(f->store);
    endo_free(f->field);
    endo_free(f->filled);
    endo_free(f->pattern);
    endo_free(f->eroded.mask);
    endo_field_planes_destroy(&f->planes);
    endo_fourier_fades_free(f);
    endo_context_let_go(f->context);
    endo_free(f);
    *frames = NULL;
}

void endo_frames_get_size(const endo_frames *frames, int *width, int *height) {
    *width = frames ? frames->options.width : 0;
    *height = frames ? frames->options.height : 0;
}

endo_status endo_check_slot(const endo_frames *f, int slot, int uses) {
    if (slot < 0 || slot >= f->options.capacity)
        return endo_fail(ENDO_ERR_ARGUMENT, "slot %d: must be 0..%d", slot, f->options.capacity - 1);
    if (uses && !f->filled[slot]) return endo_fail(ENDO_ERR_ARGUMENT, "slot %d: no frame was put there", slot);
    if (uses && !(f->filled[slot] & uses))
        return endo_fail(ENDO_ERR_ARGUMENT, "slot %d: its frame was put for uses %d, not for %d", slot, f->filled[slot], uses);
    return ENDO_OK;
}

endo_status endo_frames_put_for(endo_frames *f, int uses) {
    if (!f) return endo_fail(ENDO_ERR_ARGUMENT, "put: frames is NULL");
    if (uses < 1 || uses > ENDO_USE_ANY) return endo_fail(ENDO_ERR_ARGUMENT, "uses %d: must be 1..%d", uses, ENDO_USE_ANY);
    if (f->context->kernels->frames->put_for) f->context->kernels->frames->put_for(f->store, uses);
    f->uses = uses;
    return ENDO_OK;
}

static endo_status check_put(const endo_frames *f, int slot, ptrdiff_t stride) {
    endo_status status = endo_check_slot(f, slot, 0);
    if (status != ENDO_OK) return status;
    if (stride < f->options.width)
        return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width %d", stride, f->options.width);
    return ENDO_OK;
}

endo_status endo_frames_put(endo_frames *f, int slot, const void *pixels, ptrdiff_t stride) {
    if (!f || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "put: an argument is NULL");
    endo_status status = check_put(f, slot, stride);
    if (status != ENDO_OK) return status;
    status = endo_context_step(f->context);
    if (status != ENDO_OK) return status;
    status = f->context->kernels->frames->put(f->store, slot, pixels, stride);
    if (status == ENDO_OK) f->filled[slot] = (uint8_t)f->uses;
    return status;
}

static endo_status check_list(const endo_frames *f, const int32_t *slots, size_t n, const void *const *pixels,
                              ptrdiff_t stride) {
    for (size_t i = 0; i < n; i++) {
        endo_status status = check_put(f, slots[i], stride);
        if (status != ENDO_OK) return status;
        if (!pixels[i]) return endo_fail(ENDO_ERR_ARGUMENT, "put: image %zu is NULL", i);
        for (size_t k = 0; k < i; k++)
            if (slots[k] == slots[i]) return endo_fail(ENDO_ERR_ARGUMENT, "put: slot %d comes twice", (int)slots[i]);
    }
    return ENDO_OK;
}

static endo_status put_list(endo_frames *f, const int32_t *slots, size_t n, const void *const *pixels, ptrdiff_t stride) {
    const endo_frames_kernels *kernels = f->context->kernels->frames;
    endo_status status = ENDO_OK;
    if (kernels->put_list) return kernels->put_list(f->store, slots, n, pixels, stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        status = kernels->put(f->store, slots[i], pixels[i], stride);
        if (status == ENDO_OK) f->filled[slots[i]] = (uint8_t)f->uses;
    }
    return status;
}

endo_status endo_frames_put_list(endo_frames *f, const int32_t *slots, size_t n, const void *const *pixels,
                                 ptrdiff_t stride) {
    if (!f || (n && (!slots || !pixels))) return endo_fail(ENDO_ERR_ARGUMENT, "put: an argument is NULL");
    endo_status status = check_list(f, slots, n, pixels, stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = endo_context_step(f->context);
    if (status == ENDO_OK && n) status = put_list(f, slots, n, pixels, stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) f->filled[slots[i]] = (uint8_t)f->uses;
    return status;
}

endo_status endo_frames_get_grey(const endo_frames *f, int slot, uint8_t *grey) {
    if (!f || !grey) return endo_fail(ENDO_ERR_ARGUMENT, "get grey: an argument is NULL");
    endo_status status = endo_check_slot(f, slot, ENDO_USE_MATCHING);
    return status == ENDO_OK ? f->context->kernels->frames->get_grey(f->store, slot, grey) : status;
}
