/* Fourier registration: argument checks. */
#include "checks.h"

#include "systems/fourier/fourier.h"

#include <string.h>

void endo_fourier_options_init(endo_fourier_options *options) {
    if (options) *options = endo_fourier_defaults;
}

endo_status endo_fourier_check(const endo_fourier_options *o) {
    int model = (int)o->model, window = (int)o->window, gradient = (int)o->gradient;
    if (model < ENDO_TRANSFORM_TRANSLATION || model > ENDO_TRANSFORM_SIMILARITY)
        return endo_fail(ENDO_ERR_ARGUMENT, "model %d: must be 0 (translation), 1 (rigid) or 2 (similarity)", model);
    if (!(o->max_scale >= 1 && o->max_scale <= ENDO_FOURIER_MAX_SCALE))
        return endo_fail(ENDO_ERR_ARGUMENT, "max_scale %g: must be 1..%g", o->max_scale, ENDO_FOURIER_MAX_SCALE);
    if (!(o->max_angle >= 0 && o->max_angle <= 180))
        return endo_fail(ENDO_ERR_ARGUMENT, "max_angle %g: must be 0..180", o->max_angle);
    if (window < ENDO_WINDOW_NONE || window > ENDO_WINDOW_TUKEY)
        return endo_fail(ENDO_ERR_ARGUMENT, "window %d: must be 0 (none), 1 (Hann) or 2 (Tukey)", window);
    if (gradient < ENDO_GRADIENT_NONE || gradient > ENDO_GRADIENT_HIGHPASS)
        return endo_fail(ENDO_ERR_ARGUMENT, "gradient %d: must be 0 (none), 1 (Sobel) or 2 (high-pass)", gradient);
    if (o->candidates < 1 || o->candidates > ENDO_FOURIER_MAX_CANDIDATES)
        return endo_fail(ENDO_ERR_ARGUMENT, "candidates %d: must be 1..%d", o->candidates, ENDO_FOURIER_MAX_CANDIDATES);
    endo_status status = endo_check_flag("refine", o->refine);
    return status == ENDO_OK ? endo_check_flag("paper", o->paper) : status;
}

/* Replaces sizes of 0 by the store's, and checks that a slot has one size in a call. */
static endo_status settle_size(const endo_frames *frames, int slot, int32_t *width, int32_t *height, int32_t (*sizes)[2]) {
    ENDO_TRY(endo_check_slot(frames, slot, ENDO_USE_MATCHING));
    if (*width == 0 && *height == 0) {
        *width = frames->options.width;
        *height = frames->options.height;
    }
    if (*width < 1 || *height < 1 || *width > frames->options.width || *height > frames->options.height)
        return endo_fail(ENDO_ERR_ARGUMENT, "image of %d x %d in slot %d: must be 1 x 1 .. %d x %d, or 0 x 0", *width, *height,
                         slot, frames->options.width, frames->options.height);
    if (sizes[slot][0] == 0) {
        sizes[slot][0] = *width;
        sizes[slot][1] = *height;
    }
    if (sizes[slot][0] == *width && sizes[slot][1] == *height) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "slot %d: must have one size in a call, not %d x %d and %d x %d", slot,
                     sizes[slot][0], sizes[slot][1], *width, *height);
}

static endo_status settle_sizes(const endo_frames *frames, endo_fourier_pair *pairs, size_t n) {
    int32_t(*sizes)[2] = endo_alloc_zeroed((size_t)frames->options.capacity, sizeof *sizes);
    endo_status status = sizes ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        endo_fourier_pair *p = &pairs[i];
        status = settle_size(frames, p->reference, &p->reference_width, &p->reference_height, sizes);
        if (status == ENDO_OK) status = settle_size(frames, p->current, &p->current_width, &p->current_height, sizes);
    }
    endo_free(sizes);
    return status;
}

endo_status endo_fourier_register(endo_frames *frames, const endo_fourier_pair *pairs, size_t n,
                                  const endo_fourier_options *options, endo_fourier_result *results) {
    if (!frames || !options || (n && (!pairs || !results)))
        return endo_fail(ENDO_ERR_ARGUMENT, "fourier: an argument is NULL");
    endo_status status = endo_fourier_check(options);
    if (status != ENDO_OK || n == 0) return status;
    endo_fourier_pair *copy = endo_alloc(n, sizeof *copy);
    if (!copy) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    memcpy(copy, pairs, n * sizeof *copy);
    status = settle_sizes(frames, copy, n);
    if (status == ENDO_OK) status = endo_context_step(frames->context);
    if (status == ENDO_OK) status = endo_fourier_run(frames, copy, n, options, results);
    endo_free(copy);
    return status;
}

static endo_status check_image(const char *name, const endo_fourier_image *m) {
    if (!m || !m->pixels) return endo_fail(ENDO_ERR_ARGUMENT, "fourier: the %s image is NULL", name);
    if (endo_pixel_size(m->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s image: pixel type %d: must be 0..2", name, (int)m->type);
    if (m->width < 1 || m->width > 32767 || m->height < 1 || m->height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s image of %d x %d: each side must be 1..32767", name, m->width, m->height);
    if (m->stride < m->width)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s image: stride %td: must be at least the width %d", name, m->stride, m->width);
    if (m->type == ENDO_GREY16 && (m->low < 0 || m->high > 65535 || m->low >= m->high))
        return endo_fail(ENDO_ERR_ARGUMENT, "%s image: grey range %d..%d: must grow, within 0..65535", name, m->low, m->high);
    return ENDO_OK;
}

endo_status endo_fourier_register_images(endo_context *context, const endo_fourier_image *reference,
                                         const endo_fourier_image *current, const endo_fourier_options *options,
                                         endo_fourier_result *result) {
    if (!context || !options || !result) return endo_fail(ENDO_ERR_ARGUMENT, "fourier: an argument is NULL");
    endo_status status = endo_fourier_check(options);
    if (status == ENDO_OK) status = check_image("reference", reference);
    if (status == ENDO_OK) status = check_image("current", current);
    if (status == ENDO_OK) status = endo_context_step(context);
    return status == ENDO_OK ? endo_fourier_run_images(context, reference, current, options, result) : status;
}
