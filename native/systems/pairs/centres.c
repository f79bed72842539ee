/* The eroded field of a frame store (centres.h). */
#include "centres.h"

static endo_status erode(endo_frames *f, int side) {
    int width = f->options.width, height = f->options.height;
    endo_eroded_field *e = &f->eroded;
    if (!e->mask) e->mask = endo_alloc((size_t)width * height, 1);
    if (!e->mask) return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask of %d x %d", width, height);
    e->side = 0;
    ENDO_TRY(endo_mask_erode(f->field, width, height, side / 2, f->context->threads, e->mask));
    e->box = endo_mask_bounds(e->mask, width, height);
    e->side = side;
    return ENDO_OK;
}

endo_status endo_centres_of(endo_frames *f, int side, endo_centres *out, endo_box *box) {
    endo_status status = f->eroded.side == side ? ENDO_OK : erode(f, side);
    if (status != ENDO_OK) return status;
    out->side = side;
    out->mask = f->eroded.mask;
    if (box) *box = f->eroded.box;
    return ENDO_OK;
}
