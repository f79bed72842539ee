/* Light: argument checks. */
#include "systems/light/light.h"

#include "base/transform.h"
#include "checks.h"

#include <math.h>

#define MOST_VIEWS 1000000
#define MOST_FRAMES 10000000
/* Farthest position of a patch, px. */
#define FARTHEST 1e6

void endo_light_options_init(endo_light_options *options) {
    const endo_light_options defaults = {.colour = 1, .limit = 3.99, .robust = 2};
    if (options) *options = defaults;
}

endo_status endo_light_create(endo_context *context, endo_pixel type, int width, int height, int high,
                              const uint8_t *field, endo_light **out) {
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "light: an argument is NULL");
    if (width < 1 || width > 32767 || height < 1 || height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d: each side must be 1..32767", width, height);
    if (endo_pixel_size(type) == 0) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)type);
    if (type == ENDO_GREY16 && (high < 1 || high > 65535))
        return endo_fail(ENDO_ERR_ARGUMENT, "high %d: must be 1..65535", high);
    const light_frame like = {type, width, height, type == ENDO_GREY16 ? high : 255};
    return light_make(context, &like, field, out);
}

void endo_light_destroy(endo_light **light) {
    if (!light || !*light) return;
    light_free(*light);
    *light = NULL;
}

endo_status endo_light_put(endo_light *light, int frame, const void *pixels, ptrdiff_t stride) {
    if (!light || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "light: an argument is NULL");
    if (frame < 0 || frame >= MOST_FRAMES)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: must be 0..%d", frame, MOST_FRAMES - 1);
    if (stride < light->frame.width)
        return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width, %d", stride, light->frame.width);
    return light_take(light, frame, pixels, stride);
}

endo_status endo_light_put_places(endo_light *light, const endo_patch_place *places, int n) {
    if (!light || (!places && n != 0)) return endo_fail(ENDO_ERR_ARGUMENT, "light: an argument is NULL");
    if (n < 0 || n > ENDO_PATCH_PLACES)
        return endo_fail(ENDO_ERR_ARGUMENT, "%d places: must be 0..%d", n, ENDO_PATCH_PLACES);
    for (int i = 0; i < n; i++) {
        const endo_patch_place *p = &places[i];
        const float numbers[] = {p->x, p->y, p->current_x, p->current_y};
        for (int k = 0; k < 4; k++)
            if (!(fabs((double)numbers[k]) <= FARTHEST))
                return endo_fail(ENDO_ERR_ARGUMENT, "place %d: %g px: must be within %g", i, (double)numbers[k], FARTHEST);
        if (!(p->deviation >= 0 && (double)p->deviation <= FARTHEST))
            return endo_fail(ENDO_ERR_ARGUMENT, "place %d: deviation %g px: must be 0..%g", i, (double)p->deviation, FARTHEST);
    }
    light_take_places(light, places, (size_t)n);
    return ENDO_OK;
}

static endo_status check_options(const endo_light_options *o) {
    ENDO_TRY(endo_check_flag("colour", o->colour));
    if (!(o->limit >= 1 && o->limit <= 16)) return endo_fail(ENDO_ERR_ARGUMENT, "limit %g: must be 1..16", o->limit);
    if (!(o->robust >= 1 && o->robust <= 1e6))
        return endo_fail(ENDO_ERR_ARGUMENT, "robust %g: must be 1..1e6", o->robust);
    return ENDO_OK;
}

static endo_status check_view(const endo_light_view *v, size_t i, size_t n) {
    endo_transform inverse;
    if (v->frame < 0 || v->frame >= MOST_FRAMES)
        return endo_fail(ENDO_ERR_ARGUMENT, "view %zu: frame %d: must be 0..%d", i, v->frame, MOST_FRAMES - 1);
    if (v->component < 0 || (size_t)v->component >= n)
        return endo_fail(ENDO_ERR_ARGUMENT, "view %zu: component %d: must be 0..%zu", i, v->component, n - 1);
    endo_status status = endo_transform_check(&v->transform);
    if (status == ENDO_OK && !endo_transform_inverse(&v->transform, &inverse))
        status = endo_fail(ENDO_ERR_ARGUMENT, "view %zu: its transform cannot be inverted", i);
    return status;
}

endo_status endo_light_solve(const endo_light *light, const endo_light_view *views, size_t n,
                             const endo_light_options *options, uint16_t *correction, int32_t *gains,
                             endo_light_report *report) {
    endo_light_options defaults = endo_light_options_default();
    if (!options) options = &defaults;
    if (!light || (!views && n)) return endo_fail(ENDO_ERR_ARGUMENT, "light: an argument is NULL");
    if (n > MOST_VIEWS) return endo_fail(ENDO_ERR_ARGUMENT, "light: %zu views: must be 0..%d", n, MOST_VIEWS);
    endo_status status = check_options(options);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = check_view(&views[i], i, n);
    return status == ENDO_OK ? light_find(light, views, n, options, correction, gains, report) : status;
}
