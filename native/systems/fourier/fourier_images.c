/* Fourier registration of two images of any size and type, in a store made for them. */
#include "fourier.h"

#include "rules/grey.h"
#include "systems/frames/frames.h"

static uint8_t grey_at(const endo_fourier_image *m, size_t i) {
    if (m->type == ENDO_RGB32) return endo_grey_of_rgb(((const uint32_t *)m->pixels)[i]);
    if (m->type == ENDO_GREY16) return endo_grey_of_16(((const uint16_t *)m->pixels)[i], m->low, m->high);
    return ((const uint8_t *)m->pixels)[i];
}

/* Puts an image, as grey, in the top left corner of a frame of the store. */
static endo_status put(endo_frames *frames, int slot, const endo_fourier_image *m, uint8_t *grey) {
    int width = frames->options.width;
    for (int y = 0; y < m->height; y++)
        for (int x = 0; x < m->width; x++) grey[(size_t)y * width + x] = grey_at(m, (size_t)(y * m->stride) + x);
    return endo_frames_take(frames, slot, grey, width);
}

static endo_frames_options options_for(const endo_fourier_image *a, const endo_fourier_image *b) {
    endo_frames_options o = endo_frames_defaults;
    o.width = a->width > b->width ? a->width : b->width;
    o.height = a->height > b->height ? a->height : b->height;
    o.capacity = 2;
    o.flow = o.keep_pixels = 0;
    return o;
}

endo_status endo_fourier_run_images(endo_context *context, const endo_fourier_image *reference,
                                    const endo_fourier_image *current, const endo_fourier_options *options,
                                    endo_fourier_result *result) {
    endo_frames_options o = options_for(reference, current);
    endo_frames *frames = NULL;
    endo_fourier_pair pair = {
        .reference = 0,
        .current = 1,
        .reference_width = reference->width,
        .reference_height = reference->height,
        .current_width = current->width,
        .current_height = current->height,
    };
    uint8_t *grey = endo_alloc_zeroed((size_t)o.width * o.height, 1);
    if (!grey) return endo_fail(ENDO_ERR_MEMORY, "no memory for an image of %d x %d", o.width, o.height);
    endo_status status = endo_frames_make(context, &o, &frames);
    if (status == ENDO_OK) status = put(frames, 0, reference, grey);
    if (status == ENDO_OK) status = put(frames, 1, current, grey);
    if (status == ENDO_OK) status = endo_fourier_run(frames, &pair, 1, options, result);
    endo_frames_free(frames);
    endo_free(grey);
    return status;
}
