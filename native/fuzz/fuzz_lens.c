/* Calls about lenses: frames of all shapes and types, with strides that fit or do not; what comes back is held against the
 * reference. */
#include "api/testing.h"
#include "backend/objects.h"
#include "fuzz_stores.h"

#include <stdlib.h>
#include <string.h>

typedef struct lens_frame {
    endo_pixel type;
    int width, height;
    double percent;
    ptrdiff_t stride, out_stride;
    size_t bytes; /* of the output */
} lens_frame;

static lens_frame make_frame(fuzz_input *in) {
    lens_frame f = {.type = (endo_pixel)fuzz_wild(in, 0, 2), .percent = fuzz_real(in, -40, 40)};
    f.width = fuzz_wild(in, 1, fuzz_one_in(in, 3) ? 9 : 150);
    f.height = fuzz_wild(in, 1, fuzz_one_in(in, 4) ? 3 : 90);
    f.stride = (ptrdiff_t)f.width + fuzz_between(in, 0, 5) - fuzz_one_in(in, 24);
    f.out_stride = (ptrdiff_t)f.width + fuzz_between(in, 0, 5) - fuzz_one_in(in, 24);
    return f;
}

/* Sides and distortions that endorama/lens.h allows. */
static int lens_is_valid(const lens_frame *f) {
    return f->width >= 1 && f->width <= 32767 && f->height >= 1 && f->height <= 32767 && f->percent >= -40 && f->percent <= 40;
}

static int frame_is_valid(const lens_frame *f) {
    return endo_pixel_size(f->type) && f->stride >= f->width && f->out_stride >= f->width;
}

static endo_context *open_reference(void) {
    endo_context_options options = endo_context_options_default();
    endo_context *reference = NULL;
    fuzz_require(endo_context_create_with(&endo_kernels_ref, &options, &reference) == ENDO_OK, "a reference");
    return reference;
}

static void check_frame(const lens_frame *f, const void *pixels, const void *out) {
    endo_context *reference = open_reference();
    endo_lens *lens = NULL;
    uint8_t *wanted = fuzz_output(f->bytes);
    fuzz_require(endo_lens_create(reference, f->width, f->height, f->percent, &lens) == ENDO_OK, "a lens of the reference");
    fuzz_require(endo_lens_undistort(lens, pixels, f->type, f->stride, wanted, f->out_stride) == ENDO_OK,
                 "a frame of the reference");
    fuzz_require(!memcmp(wanted, out, f->bytes), "a frame that is not the reference's, or a write between its rows");
    endo_lens_destroy(&lens);
    endo_context_destroy(&reference);
    free(wanted);
}

static void undistort(fuzz_input *in, endo_lens *lens, lens_frame *f) {
    int valid = frame_is_valid(f);
    int missing = fuzz_one_in(in, 30);
    size_t size = endo_pixel_size(f->type);
    if (valid) f->bytes = ((size_t)(f->height - 1) * (size_t)f->out_stride + (size_t)f->width) * size;
    void *pixels = valid ? fuzz_image(in, f->width, f->height, f->stride, size) : fuzz_output(1);
    void *out = fuzz_guarded(f->bytes);
    endo_status status = endo_lens_undistort(lens, missing ? NULL : pixels, f->type, f->stride, out, f->out_stride);
    fuzz_checked(status, out, f->bytes, "endo_lens_undistort");
    fuzz_require((status == ENDO_OK) == (valid && !missing), "a frame that is taken or refused wrongly");
    if (status == ENDO_OK) check_frame(f, pixels, out);
    fuzz_release(out, f->bytes);
    free(pixels);
}

/* A mask that is 255 where the lens shows a pixel comes back as no more than that. */
static void check_mask(const endo_lens *lens, const lens_frame *f) {
    size_t area = (size_t)f->width * (size_t)f->height;
    uint8_t *shown = fuzz_guarded(area);
    uint8_t *mask = fuzz_guarded(area);
    fuzz_checked(endo_lens_mask(lens, NULL, shown), shown, area, "endo_lens_mask");
    fuzz_checked(endo_lens_mask(lens, shown, mask), mask, area, "endo_lens_mask");
    for (size_t i = 0; i < area; i++)
        fuzz_require((shown[i] == 0 || shown[i] == 255) && mask[i] <= shown[i], "a mask that shows what a lens does not");
    fuzz_release(mask, area);
    fuzz_release(shown, area);
}

void fuzz_lens(fuzz_session *s) {
    fuzz_input *in = &s->in;
    lens_frame f = make_frame(in);
    endo_lens *lens = NULL;
    if (f.width > 0 && f.height > 0 && (int64_t)f.width * f.height > FUZZ_PIXELS && lens_is_valid(&f)) return;
    endo_status status = endo_lens_create(s->context, f.width, f.height, f.percent, &lens);
    fuzz_checked(status, &lens, 0, "endo_lens_create");
    fuzz_require((status == ENDO_OK) == lens_is_valid(&f), "a lens that is taken or refused wrongly");
    if (status == ENDO_OK) {
        undistort(in, lens, &f);
        check_mask(lens, &f);
    }
    endo_lens_destroy(&lens);
}
