/* Adaptive equalization: argument checks. */
#include "checks.h"

#include "systems/equalization/ahe.h"

void endo_ahe_options_init(endo_ahe_options *options) {
    const endo_ahe_options defaults = {ENDO_AHE_WINDOW, 63, 0, 0, 0};
    if (options) *options = defaults;
}

endo_status endo_ahe_check(const endo_ahe_options *p) {
    if (p->method != ENDO_AHE_WINDOW && p->method != ENDO_AHE_GLOBAL)
        return endo_fail(ENDO_ERR_ARGUMENT, "method %d: must be 0 (sliding window) or 1 (global)", (int)p->method);
    if (p->window < 3 || p->window > ENDO_AHE_MAX_WINDOW || p->window % 2 == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "window %d: must be odd, 3..%d", p->window, ENDO_AHE_MAX_WINDOW);
    if (!(p->limit == 0 || (p->limit > 1 && p->limit <= ENDO_AHE_MAX_LIMIT)))
        return endo_fail(ENDO_ERR_ARGUMENT, "limit %g: must be 0 (none) or above 1, up to %d", p->limit,
                         ENDO_AHE_MAX_LIMIT);
    if (p->low < 0 || p->high > 65535 || p->low > p->high)
        return endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", p->low, p->high);
    return ENDO_OK;
}

static endo_status check_image(const endo_ahe_image *i) {
    if (endo_pixel_size(i->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)i->type);
    if (i->width < 1 || i->width > 32767 || i->height < 1 || i->height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "image of %d x %d: each side must be 1..32767", i->width, i->height);
    if (i->stride < i->width)
        return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width %d", i->stride, i->width);
    const endo_region *r = &i->region;
    if (r->x < 0 || r->y < 0 || r->width < 1 || r->height < 1 || r->width > i->width - r->x ||
        r->height > i->height - r->y)
        return endo_fail(ENDO_ERR_ARGUMENT, "region of %d x %d at (%d, %d): must lie in the image of %d x %d", r->width,
                         r->height, r->x, r->y, i->width, i->height);
    if (i->out_stride < r->width)
        return endo_fail(ENDO_ERR_ARGUMENT, "out stride %td: must be at least the region's width %d", i->out_stride,
                         r->width);
    return ENDO_OK;
}

endo_status endo_ahe_apply(endo_context *context, const endo_image *i, const endo_region *region,
                           const endo_ahe_options *options, void *out, ptrdiff_t out_stride) {
    if (!context || !i || !i->pixels || !options || !out)
        return endo_fail(ENDO_ERR_ARGUMENT, "equalization: an argument is NULL");
    endo_region all = {0, 0, i->width, i->height};
    endo_ahe_image image = {i->pixels, i->type, i->width, i->height, i->stride, region ? *region : all, out, out_stride};
    endo_status status = check_image(&image);
    if (status == ENDO_OK) status = endo_ahe_check(options);
    if (status == ENDO_OK) status = endo_context_step(context);
    return status == ENDO_OK ? endo_ahe_run(context, &image, options) : status;
}
