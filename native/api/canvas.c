/* Canvases: checks and ownership. */
#include "checks.h"

#include "canvas_map.h"
#include "transform.h"

static endo_status check_size(int width, int height) {
    if (width < 1 || width > 1 << 20 || height < 1 || height > 1 << 20)
        return endo_fail(ENDO_ERR_ARGUMENT, "canvas of %d x %d: each side must be 1..%d", width, height, 1 << 20);
    return ENDO_OK;
}

static void release(endo_canvas *c) {
    endo_context_let_go(c->context);
    endo_free(c);
}

endo_status endo_canvas_create(endo_context *context, endo_pixel type, int width, int height, endo_canvas **out) {
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "canvas: an argument is NULL");
    if (endo_pixel_size(type) == 0) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)type);
    endo_status status = check_size(width, height);
    if (status != ENDO_OK) return status;
    endo_canvas *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas");
    c->context = endo_context_keep(context);
    c->type = type;
    c->width = width;
    c->height = height;
    status = context->kernels->canvas->create(context->backend, type, width, height, &c->canvas);
    if (status == ENDO_OK)
        *out = c;
    else
        release(c);
    return status;
}

void endo_canvas_destroy(endo_canvas **canvas) {
    if (!canvas || !*canvas) return;
    (*canvas)->context->kernels->canvas->destroy((*canvas)->canvas);
    release(*canvas);
    *canvas = NULL;
}

endo_status endo_canvas_resize(endo_canvas *c, int width, int height, int dx, int dy) {
    if (!c) return endo_fail(ENDO_ERR_ARGUMENT, "canvas is NULL");
    endo_status status = check_size(width, height);
    if (status == ENDO_OK) status = c->context->kernels->canvas->resize(c->canvas, width, height, dx, dy);
    if (status == ENDO_OK) {
        c->width = width;
        c->height = height;
    }
    return status;
}

endo_status endo_canvas_clear(endo_canvas *c) {
    if (!c) return endo_fail(ENDO_ERR_ARGUMENT, "canvas is NULL");
    return c->context->kernels->canvas->clear(c->canvas);
}

static endo_status check_paint(const endo_canvas *c, const endo_frames *f, const endo_posed_frames *p,
                               endo_painting painting) {
    if (!c || !f || !p || (p->n && (!p->slots || !p->transforms)))
        return endo_fail(ENDO_ERR_ARGUMENT, "paint: an argument is NULL");
    if (c->context != f->context) return endo_fail(ENDO_ERR_ARGUMENT, "paint: canvas and frames differ in context");
    if (c->type != f->options.type)
        return endo_fail(ENDO_ERR_ARGUMENT, "paint: canvas of type %d, frames of type %d", (int)c->type,
                         (int)f->options.type);
    if (!f->options.keep_pixels) return endo_fail(ENDO_ERR_ARGUMENT, "paint: the frame store keeps no pixels");
    if (painting != ENDO_PAINT_RING && painting != ENDO_PAINT_UNION)
        return endo_fail(ENDO_ERR_ARGUMENT, "painting %d: must be 1 (ring) or 2 (union)", (int)painting);
    if (p->weights || p->gains)
        return endo_fail(ENDO_ERR_ARGUMENT, "paint: weights and gains belong to blends, and must be NULL");
    for (size_t i = 0; i < p->n; i++) {
        ENDO_TRY(endo_check_slot(f, p->slots[i], ENDO_USE_PAINTING));
    }
    return endo_check_poses("paint", p->transforms, p->n, f->options.width, f->options.height);
}

/* Paints a list of frames by their maps. */
static endo_status paint_list(endo_canvas *c, const endo_frames *frames, const int32_t *slots,
                              const endo_canvas_map *maps, int n, endo_painting painting) {
    const endo_canvas_kernels *kernels = c->context->kernels->canvas;
    endo_status status = endo_context_go_on(c->context);
    if (kernels->paint_list && status == ENDO_OK)
        return kernels->paint_list(c->canvas, frames->store, slots, maps, n, painting);
    for (int i = 0; i < n && status == ENDO_OK; i++) {
        if (i > 0) status = endo_context_go_on(c->context);
        if (status == ENDO_OK) status = kernels->paint(c->canvas, frames->store, slots[i], &maps[i], painting);
    }
    return status;
}

static endo_status place_frame(const endo_frames *f, const endo_transform *t, const endo_canvas_origin *origin,
                               endo_canvas_map *map) {
    return endo_canvas_to_frame("paint", t, f->options.width, f->options.height, origin, map);
}

endo_status endo_canvas_paint(endo_canvas *c, const endo_frames *frames, const endo_posed_frames *posed,
                              endo_painting painting) {
    endo_canvas_map maps[ENDO_PAINT_LIST];
    endo_status status = check_paint(c, frames, posed, painting);
    if (status == ENDO_OK) status = endo_check_origin("paint", posed->origin_x, posed->origin_y);
    if (status != ENDO_OK) return status;
    const endo_canvas_origin origin = {posed->origin_x, posed->origin_y, posed->origin_x};
    size_t n = posed->n;
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        status = place_frame(frames, &posed->transforms[i], &origin, maps);
    if (status == ENDO_OK) status = endo_context_step(c->context);
    for (size_t i = 0; i < n && status == ENDO_OK; i += ENDO_PAINT_LIST) {
        int some = n - i < ENDO_PAINT_LIST ? (int)(n - i) : ENDO_PAINT_LIST;
        for (int k = 0; k < some && status == ENDO_OK; k++)
            status = place_frame(frames, &posed->transforms[i + (size_t)k], &origin, &maps[k]);
        if (status == ENDO_OK) status = paint_list(c, frames, posed->slots + i, maps, some, painting);
    }
    return status;
}

endo_status endo_canvas_read(endo_canvas *c, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    if (!c || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "read: an argument is NULL");
    if (x < 0 || y < 0 || width < 1 || height < 1 || x > c->width - width || y > c->height - height)
        return endo_fail(ENDO_ERR_ARGUMENT, "read: %d x %d at (%d, %d) is not inside the canvas of %d x %d", width,
                         height, x, y, c->width, c->height);
    return c->context->kernels->canvas->read(c->canvas, x, y, width, height, pixels, painted);
}
