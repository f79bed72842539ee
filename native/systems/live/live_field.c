/* Field of view and grey range, from some of the frames (live_field.h). */
#include "live_field.h"

#include "base/memory.h"

#include <string.h>

/* Frames up to this one count: 16 of them. */
#define LAST (1 << 15)

static size_t area_of(const live_field *f) { return (size_t)f->size.width * (size_t)f->size.height; }

endo_status live_field_init(live_field *f, const live_reducer *reducer, endo_mosaic_field kind, const uint8_t *mask) {
    *f = (live_field){.kind = kind, .size = reducer->small, .type = reducer->type, .high = 65535};
    if (kind == ENDO_MOSAIC_FIELD_MASK) f->mask = endo_alloc(area_of(f), 1);
    if (kind == ENDO_MOSAIC_FIELD_AUTO) f->found = endo_alloc(area_of(f), 1);
    if (f->type == ENDO_GREY16) f->range = endo_alloc_zeroed(1, sizeof *f->range);
    if ((kind == ENDO_MOSAIC_FIELD_MASK && !f->mask) || (kind == ENDO_MOSAIC_FIELD_AUTO && !f->found) ||
        (f->type == ENDO_GREY16 && !f->range))
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the field of view of the preview");
    if (f->mask) live_reduce_mask(reducer, mask, f->mask);
    return ENDO_OK;
}

void live_field_free(live_field *f) {
    endo_field_finder_destroy(&f->finder);
    endo_free(f->mask);
    endo_free(f->found);
    endo_free(f->range);
    *f = (live_field){.mask = NULL};
}

static void see_range(live_field *f, const void *small, int *changed) {
    int low = f->low;
    int high = f->high;
    grey_range_add(f->range, small, area_of(f));
    grey_range_ends(f->range, &f->low, &f->high);
    *changed |= f->low != low || f->high != high;
}

/* Puts the mask that was found in place of the present one. */
static void take_found(live_field *f, int is_whole, int *changed) {
    uint8_t *before = f->mask;
    if (is_whole ? !before : before && !memcmp(before, f->found, area_of(f))) return;
    *changed = 1;
    if (is_whole) {
        f->mask = NULL;
        endo_free(before);
        return;
    }
    f->mask = f->found;
    f->found = before;
}

static endo_status see_mask(live_field *f, endo_context *context, const void *small, int *changed) {
    endo_field_info info;
    int width = f->size.width;
    if (!f->found) f->found = endo_alloc(area_of(f), 1);
    if (!f->found) return endo_fail(ENDO_ERR_MEMORY, "no memory for the field of view of the preview");
    if (!f->finder) ENDO_TRY(endo_field_finder_create(context, f->type, width, f->size.height, f->low, f->high, &f->finder));
    ENDO_TRY(endo_field_finder_add(f->finder, small, width));
    ENDO_TRY(endo_field_finder_find(f->finder, f->found, &info));
    take_found(f, info.shape == ENDO_FIELD_WHOLE, changed);
    return ENDO_OK;
}

endo_status live_field_see(live_field *f, endo_context *context, int64_t number, const void *small, int *changed) {
    *changed = 0;
    if (number > LAST || (number & (number - 1)) != 0) return ENDO_OK;
    if (f->range) see_range(f, small, changed);
    return f->kind == ENDO_MOSAIC_FIELD_AUTO ? see_mask(f, context, small, changed) : ENDO_OK;
}
