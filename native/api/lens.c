/* Lenses: argument checks. */
#include "checks.h"

#include "systems/lens/lens.h"

endo_status endo_lens_create(endo_context *context, int width, int height, double percent, endo_lens **out) {
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "lens: an argument is NULL");
    if (width < 1 || width > 32767 || height < 1 || height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "lens for frames of %d x %d: each side must be 1..32767", width, height);
    if (!(percent >= -ENDO_LENS_MAX_PERCENT && percent <= ENDO_LENS_MAX_PERCENT))
        return endo_fail(ENDO_ERR_ARGUMENT, "lens %g %%: must be -%d..%d", percent, ENDO_LENS_MAX_PERCENT,
                         ENDO_LENS_MAX_PERCENT);
    endo_status status = endo_context_step(context);
    return status == ENDO_OK ? endo_lens_make(context, width, height, percent, out) : status;
}

void endo_lens_destroy(endo_lens **lens) {
    if (!lens || !*lens) return;
    endo_lens_free(*lens);
    *lens = NULL;
}

endo_status endo_lens_undistort(endo_lens *lens, const void *pixels, endo_pixel type, ptrdiff_t stride, void *out,
                                ptrdiff_t out_stride) {
    if (!lens || !pixels || !out) return endo_fail(ENDO_ERR_ARGUMENT, "lens: an argument is NULL");
    if (endo_pixel_size(type) == 0) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)type);
    endo_status status = endo_check_stride("stride", stride, lens->table.width);
    if (status == ENDO_OK) status = endo_check_stride("out stride", out_stride, lens->table.width);
    if (status == ENDO_OK) status = endo_context_step(lens->context);
    if (status != ENDO_OK) return status;
    const endo_lens_job job = {.pixels = pixels, .type = type, .stride = stride, .out = out, .out_stride = out_stride};
    return lens->context->kernels->lens->undistort(lens->lens, &job);
}

endo_status endo_lens_mask(const endo_lens *lens, const uint8_t *shown, uint8_t *mask) {
    if (!lens || !mask) return endo_fail(ENDO_ERR_ARGUMENT, "lens: an argument is NULL");
    endo_lens_undistort_mask(&lens->table, shown, mask);
    return ENDO_OK;
}
