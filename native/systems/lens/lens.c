/* A lens on a back end, and masks, which need none (lens.h). */
#include "lens.h"

endo_status endo_lens_make(endo_context *context, int width, int height, double percent, endo_lens **out) {
    endo_lens *l = endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for the table of a lens");
    l->context = endo_context_keep(context);
    endo_lens_fill(percent, width, height, &l->table);
    endo_status status = context->kernels->lens->create(context->backend, &l->table, &l->lens);
    if (status == ENDO_OK)
        *out = l;
    else
        endo_lens_free(l);
    return status;
}

void endo_lens_free(endo_lens *l) {
    if (l->lens) l->context->kernels->lens->destroy(l->lens);
    endo_context_let_go(l->context);
    endo_free(l);
}

static uint8_t seen(const endo_lens_table *t, const uint8_t *shown, int x, int y) {
    endo_lens_position p;
    if (!endo_lens_find(t, x, y, &p)) return 0;
    return shown ? shown[(size_t)endo_lens_nearest(p.y) * (size_t)t->width + (size_t)endo_lens_nearest(p.x)] : 255;
}

void endo_lens_undistort_mask(const endo_lens_table *t, const uint8_t *shown, uint8_t *mask) {
    for (int y = 0; y < t->height; y++) {
        uint8_t *row = mask + (size_t)y * (size_t)t->width;
        for (int x = 0; x < t->width; x++) row[x] = seen(t, shown, x, y);
    }
}
