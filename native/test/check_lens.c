/* The check of frames without the distortion of their lens: barrels and cushions, weak and strong. Only the first of the pair
 * of images; type and fill come from the case. */
#include "endo_check.h"

#include "base/memory.h"

/* In %: none, hardly any, those of endoscopes, and the strongest, by which a part of the frame is not shown. */
static const double percents[] = {0, 0.02, -0.4, -12.2, 8, -40, 40};

#define N_PERCENTS ((int)(sizeof percents / sizeof percents[0]))

/* Rows of any stride, in which nothing outside the frame may be read. */
static void fill_image(const check_rig *rig, const uint8_t *grey, int stride, uint8_t *to) {
    const check_case *c = rig->c;
    size_t size = endo_pixel_size(c->type);
    memset(to, 0xee, (size_t)stride * (size_t)c->height * size);
    for (int i = 0; i < c->width * c->height; i++) {
        size_t at = (size_t)(i / c->width) * (size_t)stride + (size_t)(i % c->width);
        uint32_t other = grey[c->width * c->height - 1 - i];
        if (c->type == ENDO_GREY8)
            to[at] = grey[i];
        else if (c->type == ENDO_GREY16)
            ((uint16_t *)to)[at] = (uint16_t)(grey[i] << 8 | other);
        else
            ((uint32_t *)to)[at] = other << 24 | (uint32_t)grey[i] << 16 | other << 8 | (255u - grey[i]);
    }
}

/* One percent; out: `bytes` bytes, of which neither padding nor what follows may change. */
static endo_status undistort(endo_context *context, const check_case *c, double percent, const void *image, int stride,
                             void *out, int out_stride) {
    endo_lens *lens = NULL;
    endo_status status = endo_lens_create(context, c->width, c->height, percent, &lens);
    if (status == ENDO_OK) status = endo_lens_undistort(lens, image, c->type, stride, out, out_stride);
    endo_lens_destroy(&lens);
    return status;
}

static int check_percent(check_rig *rig, double percent, const void *image, int stride, char *text, size_t size) {
    const check_case *c = rig->c;
    int out_stride = c->width + test_between(&rig->random, 0, 5);
    size_t bytes = (size_t)out_stride * (size_t)c->height * endo_pixel_size(c->type) + 64;
    uint8_t *wanted = endo_alloc(bytes, 1);
    uint8_t *given = endo_alloc(bytes, 1);
    int differs = 0;
    memset(wanted, 0x5a, bytes);
    memset(given, 0x5a, bytes);
    if (CHECK_REFERENCE(rig, undistort(rig->reference_context, c, percent, image, stride, wanted, out_stride), wanted, bytes) !=
            ENDO_OK ||
        undistort(rig->tested_context, c, percent, image, stride, given, out_stride) != ENDO_OK) {
        snprintf(text, size, "lens of %g %%: %s", percent, endo_last_error());
        differs = 1;
    } else if (check_difference(wanted, given, bytes) >= 0) {
        snprintf(text, size, "lens of %g %%, strides %d and %d: byte %ld differs", percent, stride, out_stride,
                 check_difference(wanted, given, bytes));
        differs = 1;
    }
    endo_free(wanted);
    endo_free(given);
    return differs;
}

int check_lens(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    if (c->field > 0) return CHECK_NOT_FOR_CASE; /* fields play no part */
    int stride = c->width + c->number % 7;
    int failed = 0;
    size_t area = (size_t)c->width * (size_t)c->height;
    uint8_t *pair = endo_alloc(2 * area, 1);
    uint8_t *image = endo_alloc((size_t)stride * (size_t)c->height, endo_pixel_size(c->type));
    test_fill_pair(c->fill, c->width, c->height, c->seed, pair, pair + area);
    fill_image(rig, pair, stride, image);
    for (int i = 0; i < N_PERCENTS && !failed; i++) failed = check_percent(rig, percents[i], image, stride, text, size);
    endo_free(pair);
    endo_free(image);
    return failed;
}
