/* Frame stores: argument checks. */
#include "checks.h"

#include "base/colours.h"
#include "systems/frames/frames.h"

void endo_frames_options_init(endo_frames_options *options) {
    if (options) *options = endo_frames_defaults;
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
    enhance.window = o->enhance;
    enhance.limit = o->enhance_limit;
    return endo_ahe_check(&enhance);
}

static endo_status check_pattern(const endo_frames_options *o) {
    size_t area = (size_t)o->width * o->height;
    for (size_t i = 0; o->pattern && i < area; i++)
        if (o->pattern[i] < -255 || o->pattern[i] > 255)
            return endo_fail(ENDO_ERR_ARGUMENT, "pattern at pixel %zu is %d: must be -255..255", i, o->pattern[i]);
    return ENDO_OK;
}

endo_status endo_frames_create(endo_context *context, const endo_frames_options *options, endo_frames **out) {
    if (!context || !options || !out) return endo_fail(ENDO_ERR_ARGUMENT, "frames: an argument is NULL");
    endo_status status = check_options(options);
    if (status == ENDO_OK) status = check_pattern(options);
    return status == ENDO_OK ? endo_frames_make(context, options, out) : status;
}

void endo_frames_destroy(endo_frames **frames) {
    if (!frames || !*frames) return;
    endo_frames_free(*frames);
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
    ENDO_TRY(endo_check_slot(f, slot, 0));
    if (stride < f->options.width)
        return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width %d", stride, f->options.width);
    return ENDO_OK;
}

endo_status endo_frames_put(endo_frames *f, int slot, const void *pixels, ptrdiff_t stride) {
    if (!f || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "put: an argument is NULL");
    endo_status status = check_put(f, slot, stride);
    return status == ENDO_OK ? endo_frames_take(f, slot, pixels, stride) : status;
}

static endo_status check_list(const endo_frames *f, const int32_t *slots, size_t n, const void *const *pixels,
                              ptrdiff_t stride) {
    for (size_t i = 0; i < n; i++) {
        ENDO_TRY(check_put(f, slots[i], stride));
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
        if (status == ENDO_OK) endo_frames_was_put(f, slots[i]);
    }
    return status;
}

endo_status endo_frames_put_list(endo_frames *f, const int32_t *slots, size_t n, const void *const *pixels,
                                 ptrdiff_t stride) {
    if (!f || (n && (!slots || !pixels))) return endo_fail(ENDO_ERR_ARGUMENT, "put: an argument is NULL");
    endo_status status = check_list(f, slots, n, pixels, stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = endo_context_step(f->context);
    if (status == ENDO_OK && n) status = put_list(f, slots, n, pixels, stride);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) endo_frames_was_put(f, slots[i]);
    return status;
}

/* ------------------------------------------------------------------------ hidden */

static endo_status check_hidden(const endo_frames *f, int slot, int columns, int rows, const uint8_t *cells) {
    ENDO_TRY(endo_check_slot(f, slot, ENDO_USE_ANY));
    if (columns < 1 || rows < 1 || columns > ENDO_MOST_HIDDEN / rows)
        return endo_fail(ENDO_ERR_ARGUMENT, "hide: %d x %d cells: each must be 1 or more, their product at most %d", columns, rows,
                         ENDO_MOST_HIDDEN);
    for (int i = 0; i < columns * rows; i++)
        if (cells[i] > ENDO_HIDDEN)
            return endo_fail(ENDO_ERR_ARGUMENT, "hide: cell %d is %d: must be 0..%d", i, cells[i], ENDO_HIDDEN);
    return ENDO_OK;
}

endo_status endo_frames_hide(endo_frames *f, int slot, int columns, int rows, const uint8_t *cells) {
    if (!f || !cells) return endo_fail(ENDO_ERR_ARGUMENT, "hide: an argument is NULL");
    ENDO_TRY(check_hidden(f, slot, columns, rows, cells));
    endo_blend_hidden hidden = {.columns = (int16_t)columns, .rows = (int16_t)rows};
    for (int i = 0; i < columns * rows; i++) hidden.bits[i / 16] |= (uint32_t)cells[i] << 2 * (i % 16);
    f->hidden[slot] = hidden;
    return ENDO_OK;
}

endo_status endo_frames_get_grey(const endo_frames *f, int slot, uint8_t *grey) {
    if (!f || !grey) return endo_fail(ENDO_ERR_ARGUMENT, "get grey: an argument is NULL");
    endo_status status = endo_check_slot(f, slot, ENDO_USE_MATCHING);
    return status == ENDO_OK ? f->context->kernels->frames->get_grey(f->store, slot, grey) : status;
}

endo_status endo_colours_from_bytes(const uint8_t *bytes, int samples, size_t n, uint32_t *pixels) {
    if (!bytes || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "colours: an argument is NULL");
    if (samples < 3 || samples > 65535) return endo_fail(ENDO_ERR_ARGUMENT, "samples %d: must be 3..65535", samples);
    colours_take(bytes, samples, n, pixels);
    return ENDO_OK;
}
