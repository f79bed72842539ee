/* Fixed pattern: argument checks. */
#include "include/endorama/pattern.h"

#include "systems/pattern/pattern.h"

static endo_status check_like(const endo_field_image *i) {
    if (i->width < 1 || i->width > 32767 || i->height < 1 || i->height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d: each side must be 1..32767", i->width, i->height);
    if (endo_pixel_size(i->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)i->type);
    if (i->type == ENDO_GREY16 && (i->low < 0 || i->high > 65535 || i->low >= i->high))
        return endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", i->low, i->high);
    return ENDO_OK;
}

endo_status endo_pattern_finder_create(endo_context *context, endo_pixel type, int width, int height, int low, int high,
                                       const uint8_t *field, endo_pattern_finder **out) {
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "pattern: an argument is NULL");
    endo_field_image like = {NULL, type, width, height, width, low, high};
    endo_status status = check_like(&like);
    return status == ENDO_OK ? endo_pattern_make(context, &like, field, out) : status;
}

void endo_pattern_finder_destroy(endo_pattern_finder **finder) {
    if (!finder || !*finder) return;
    endo_pattern_free(*finder);
    *finder = NULL;
}

endo_status endo_pattern_finder_add(endo_pattern_finder *finder, const void *pixels, ptrdiff_t stride) {
    if (!finder || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "pattern: an argument is NULL");
    if (stride < endo_pattern_width(finder))
        return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width, %d", stride,
                         endo_pattern_width(finder));
    return endo_pattern_take(finder, pixels, stride);
}

endo_status endo_pattern_finder_find(const endo_pattern_finder *finder, int16_t *pattern, endo_pattern_info *info) {
    if (!finder || !pattern || !info) return endo_fail(ENDO_ERR_ARGUMENT, "pattern: an argument is NULL");
    /* Frames that wait are taken in first, which the caller of this const function does not notice. */
    return endo_pattern_decide((endo_pattern_finder *)finder, pattern, info);
}
