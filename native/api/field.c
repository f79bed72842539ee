/* Field of view: argument checks. */
#include "checks.h"

#include "systems/field/field.h"

#include "backend/objects.h"
#include "systems/field/field_finder.h"

static endo_status check_size(int width, int height) {
    if (width >= 1 && width <= 32767 && height >= 1 && height <= 32767) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "field image of %d x %d: each side must be 1..32767", width, height);
}

/* Checks the arguments of a finder: all but pixels and stride. */
static endo_status check_image(const endo_field_image *i) {
    ENDO_TRY(check_size(i->width, i->height));
    if (endo_pixel_size(i->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)i->type);
    if (i->type == ENDO_GREY16 && (i->low < 0 || i->high > 65535 || i->low >= i->high))
        return endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", i->low, i->high);
    return ENDO_OK;
}

endo_status endo_field_accumulate(endo_context *context, const endo_image *i, int low, int high, uint8_t *brightest) {
    if (!context || !i || !i->pixels || !brightest) return endo_fail(ENDO_ERR_ARGUMENT, "field: an argument is NULL");
    endo_field_image image = {i->pixels, i->type, i->width, i->height, i->stride, low, high};
    endo_status status = check_image(&image);
    if (status == ENDO_OK) status = endo_check_stride("stride", i->stride, i->width);
    if (status == ENDO_OK) endo_field_brighten(&image, context->threads, context->cpu, brightest);
    return status;
}

endo_status endo_field_detect(const uint8_t *brightest, int width, int height, uint8_t *mask, endo_field_info *info) {
    if (!brightest || !mask || !info) return endo_fail(ENDO_ERR_ARGUMENT, "field: an argument is NULL");
    endo_status status = check_size(width, height);
    return status == ENDO_OK ? endo_field_find(brightest, width, height, mask, info) : status;
}

endo_status endo_field_finder_create(endo_context *context, endo_pixel type, int width, int height, int low, int high,
                                     endo_field_finder **out) {
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "field: an argument is NULL");
    endo_field_image like = {NULL, type, width, height, width, low, high};
    endo_status status = check_image(&like);
    return status == ENDO_OK ? endo_finder_make(context, &like, out) : status;
}

void endo_field_finder_destroy(endo_field_finder **finder) {
    if (!finder || !*finder) return;
    endo_finder_free(*finder);
    *finder = NULL;
}

endo_status endo_field_finder_add(endo_field_finder *finder, const void *pixels, ptrdiff_t stride) {
    if (!finder || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "field: an argument is NULL");
    endo_status status = endo_check_stride("stride", stride, endo_finder_width(finder));
    return status == ENDO_OK ? endo_finder_take(finder, pixels, stride) : status;
}

endo_status endo_field_finder_find(const endo_field_finder *finder, uint8_t *mask, endo_field_info *info) {
    if (!finder || !mask || !info) return endo_fail(ENDO_ERR_ARGUMENT, "field: an argument is NULL");
    /* Frames that wait are taken in first, which the caller of this const function does not notice. */
    return endo_finder_decide((endo_field_finder *)finder, mask, info);
}
