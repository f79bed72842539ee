/* Fixed pattern: argument checks. */
#include "include/endorama/pattern.h"

#include "systems/pattern/pattern.h"

static endo_status check_options(const endo_pattern_options *o) {
    if (o->width < 1 || o->width > 32767 || o->height < 1 || o->height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d: each side must be 1..32767", o->width, o->height);
    if (endo_pixel_size(o->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)o->type);
    if (o->type == ENDO_GREY16 && (o->low < 0 || o->high > 65535 || o->low >= o->high))
        return endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", o->low, o->high);
    return ENDO_OK;
}

void endo_pattern_options_init(endo_pattern_options *options) {
    const endo_pattern_options defaults = {.type = ENDO_GREY8, .high = 65535};
    if (options) *options = defaults;
}

endo_status endo_pattern_finder_create(endo_context *context, const endo_pattern_options *options,
                                       endo_pattern_finder **out) {
    if (!context || !options || !out) return endo_fail(ENDO_ERR_ARGUMENT, "pattern: an argument is NULL");
    endo_status status = check_options(options);
    return status == ENDO_OK ? endo_pattern_make(context, options, out) : status;
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
