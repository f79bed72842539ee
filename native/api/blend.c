/* Blends: checks and ownership. */
#include "checks.h"
#include "base/threads.h"
#include "systems/blend/blend_details.h"
#include "systems/blend/blend_field.h"
#include "systems/blend/blend_shrink.h"
#include "canvas_map.h"
#include "transform.h"

#include <string.h>

void endo_blend_options_init(endo_blend_options *options) {
    const endo_blend_options defaults = {.interpolation = ENDO_INTERPOLATION_CUBIC, .votes = 1, .shrink = 1};
    if (options) *options = defaults;
}

/* ------------------------------------------------------------------ objects */

static endo_status check_size(int width, int height, int shrink) {
    int most = (1 << 20) / shrink;
    if (width < 1 || width > most || height < 1 || height > most)
        return endo_fail(ENDO_ERR_ARGUMENT, "blend of %d x %d: each side must be 1..%d", width, height, most);
    return ENDO_OK;
}

static endo_status check_options(const endo_blend_options *o) {
    if (o->interpolation != ENDO_INTERPOLATION_LINEAR && o->interpolation != ENDO_INTERPOLATION_CUBIC)
        return endo_fail(ENDO_ERR_ARGUMENT, "interpolation %d: must be 0 (linear) or 1 (cubic)", (int)o->interpolation);
    if (o->shrink < 1 || o->shrink > ENDO_BLEND_MOST_SHRINK)
        return endo_fail(ENDO_ERR_ARGUMENT, "shrink %d: must be 1..%d", o->shrink, ENDO_BLEND_MOST_SHRINK);
    return endo_check_flag("votes", o->votes);
}

static void release(endo_blend *b) {
    endo_context_let_go(b->context);
    endo_free(b->factors);
    endo_free(b);
}

endo_status endo_blend_create(endo_context *context, endo_pixel type, int width, int height,
                              const endo_blend_options *options, endo_blend **out) {
    endo_blend_options defaults = endo_blend_options_default();
    const endo_blend_options *o = options ? options : &defaults;
    if (!context || !out) return endo_fail(ENDO_ERR_ARGUMENT, "blend: an argument is NULL");
    if (endo_pixel_size(type) == 0) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)type);
    endo_status status = check_options(o);
    if (status == ENDO_OK) status = check_size(width, height, o->shrink);
    if (status != ENDO_OK) return status;
    endo_blend *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a blend");
    b->context = endo_context_keep(context);
    b->shrink = o->shrink;
    b->setup = (endo_blend_setup){type, width * o->shrink, height * o->shrink,
                                  o->interpolation == ENDO_INTERPOLATION_CUBIC, o->votes};
    status = context->kernels->blend->create(context->backend, &b->setup, &b->blend);
    if (status == ENDO_OK)
        *out = b;
    else
        release(b);
    return status;
}

void endo_blend_destroy(endo_blend **blend) {
    if (!blend || !*blend) return;
    (*blend)->context->kernels->blend->destroy((*blend)->blend);
    release(*blend);
    *blend = NULL;
}

/* --------------------------------------------------------------- correction */


static int has_wrong_factors(const uint16_t *correction, size_t n, int threads) {
    int wrong = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : wrong) if (n > ENDO_MANY_PIXELS)
    for (size_t i = 0; i < n; i++) {
        int is_wrong = correction[i] < 1 || correction[i] > ENDO_BLEND_MOST_FACTOR;
        wrong = is_wrong > wrong ? is_wrong : wrong;
    }
    return wrong;
}

static endo_status check_factors(const uint16_t *correction, int width, int height, int threads) {
    if (!has_wrong_factors(correction, (size_t)width * (size_t)height, threads)) return ENDO_OK;
    for (size_t i = 0; i < (size_t)width * height; i++)
        if (correction[i] < 1 || correction[i] > ENDO_BLEND_MOST_FACTOR)
            return endo_fail(ENDO_ERR_ARGUMENT, "correction %d at (%d, %d): must be 1..%d", correction[i],
                             (int)(i % width), (int)(i / width), ENDO_BLEND_MOST_FACTOR);
    return ENDO_OK;
}

/* Sets the correction; NULL: factors of 1. */
static endo_status correct(endo_blend *b, const uint16_t *correction, int width, int height) {
    ptrdiff_t stride = endo_plane_stride(width, 1);
    size_t padded = (size_t)stride * (height + 1) + ENDO_PLANE_ROW;
    uint16_t *factors = endo_alloc(padded + endo_blend_blocks(width, height), sizeof *factors);
    if (!factors) return endo_fail(ENDO_ERR_MEMORY, "no memory for a correction of %d x %d", width, height);
    int threads = (size_t)width * (size_t)height > ENDO_MANY_PIXELS ? b->context->threads : 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) {
        uint16_t *row = factors + y * stride;
        for (int x = 0; x < width; x++) row[x] = correction ? correction[(size_t)y * width + x] : ENDO_BLEND_ONE;
        memset(row + width, 0, (size_t)(stride - width) * sizeof *row);
    }
    memset(factors + (size_t)stride * height, 0, (padded - (size_t)stride * height) * sizeof *factors);
    endo_blend_find_means(factors, stride, width, height, threads, factors + padded);
    endo_blend_correction made = {width, height, stride, factors, factors + padded};
    endo_status status = b->context->kernels->blend->correct(b->blend, &made);
    endo_free(b->factors);
    b->factors = status == ENDO_OK ? factors : NULL; /* on failure the back end has lost the old correction */
    b->correction = made;
    b->flat = !correction;
    if (status != ENDO_OK) endo_free(factors);
    return status;
}

endo_status endo_blend_set_correction(endo_blend *b, const uint16_t *correction, int width, int height) {
    if (!b) return endo_fail(ENDO_ERR_ARGUMENT, "blend is NULL");
    if (!correction) {
        int made = b->factors && !b->flat;
        return made ? correct(b, NULL, b->correction.width, b->correction.height) : ENDO_OK;
    }
    if (width < 1 || width > 32767 || height < 1 || height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "correction of %d x %d: each side must be 1..32767", width, height);
    endo_status status = check_factors(correction, width, height, b->context->threads);
    return status == ENDO_OK ? correct(b, correction, width, height) : status;
}

/* Checks that frames have the size of the correction; without one, factors of 1 are made for frames of any size. */
static endo_status match_correction(endo_blend *b, const endo_frames *f) {
    const endo_blend_correction *c = &b->correction;
    int width = f->options.width, height = f->options.height;
    if (b->factors && c->width == width && c->height == height) return ENDO_OK;
    if (!b->factors || b->flat) return correct(b, NULL, width, height);
    return endo_fail(ENDO_ERR_ARGUMENT, "blend: frames of %d x %d, correction of %d x %d", width, height, c->width,
                     c->height);
}

/* ---------------------------------------------------------------------- add */

static endo_status check_objects(const endo_blend *b, const endo_frames *f, const endo_posed_frames *p) {
    if (!b || !f || !p || (p->n && (!p->slots || !p->transforms)))
        return endo_fail(ENDO_ERR_ARGUMENT, "blend: an argument is NULL");
    if (b->context != f->context) return endo_fail(ENDO_ERR_ARGUMENT, "blend: blend and frames differ in context");
    if (b->setup.type != f->options.type)
        return endo_fail(ENDO_ERR_ARGUMENT, "blend: blend of type %d, frames of type %d", (int)b->setup.type,
                         (int)f->options.type);
    if (!f->options.keep_pixels) return endo_fail(ENDO_ERR_ARGUMENT, "blend: the frame store keeps no pixels");
    int uses = b->second ? ENDO_USE_PAINTING : ENDO_USE_PAINTING | ENDO_USE_FIRST_PASS;
    for (size_t i = 0; i < p->n; i++) {
        ENDO_TRY(endo_check_slot(f, p->slots[i], uses));
    }
    return endo_check_poses("blend", p->transforms, p->n, f->options.width, f->options.height);
}

static endo_status check_numbers(const endo_posed_frames *p) {
    for (size_t i = 0; p->weights && i < p->n; i++)
        if (p->weights[i] < 1 || p->weights[i] > 256)
            return endo_fail(ENDO_ERR_ARGUMENT, "blend: weight %d: must be 1..256", p->weights[i]);
    for (size_t i = 0; p->gains && i < 3 * p->n; i++)
        if (p->gains[i] < 1 || p->gains[i] > ENDO_BLEND_MOST_FACTOR)
            return endo_fail(ENDO_ERR_ARGUMENT, "blend: gain %d: must be 1..%d", p->gains[i], ENDO_BLEND_MOST_FACTOR);
    return ENDO_OK;
}

/* The transform to the pixels that are blended: shrink x shrink of them have the middle of a pixel that is read. */
static endo_transform enlarged(const endo_transform *t, int shrink) {
    endo_transform large = *t;
    double *m = large.matrix, half = 0.5 * (shrink - 1);
    if (shrink == 1) return large;
    large.kind = t->kind == ENDO_TRANSFORM_HOMOGRAPHY ? ENDO_TRANSFORM_HOMOGRAPHY : ENDO_TRANSFORM_AFFINE;
    for (int i = 0; i < 6; i++) m[i] = m[i] * shrink + half * m[6 + i % 3];
    return large;
}

/* The origin in pixels that are blended. Runs begin with the cell that holds the panorama's point (0, 0). */
static endo_canvas_origin origin_of(const endo_blend *b, int x, int y) {
    endo_canvas_origin origin = {b->shrink * x, b->shrink * y, 0};
    origin.begin = origin.x - (origin.x & (ENDO_BLEND_SIDE - 1));
    return origin;
}

/* Converts frame i of a call to the back ends' form. */
static endo_status describe(const endo_blend *b, const endo_frames *f, const endo_posed_frames *p, size_t i,
                            const endo_canvas_origin *origin, endo_blend_frame *out) {
    int colour = b->setup.type == ENDO_RGB32;
    out->slot = p->slots[i];
    out->second = b->second;
    out->weight = p->weights ? (uint32_t)p->weights[i] : 256;
    out->hidden = f->hidden[p->slots[i]];
    for (int c = 0; c < 3; c++) /* channels begin with blue; for grey the first gain is used */
        out->gain[c] = p->gains ? (uint32_t)p->gains[3 * i + (colour ? 2 - c : 0)] : ENDO_BLEND_ONE;
    endo_transform large = enlarged(&p->transforms[i], b->shrink);
    return endo_canvas_to_frame("blend", &large, f->options.width, f->options.height, origin, &out->map);
}

endo_status endo_blend_add(endo_blend *b, const endo_frames *frames, const endo_posed_frames *posed) {
    endo_blend_frame batch[ENDO_BLEND_BATCH];
    endo_status status = check_objects(b, frames, posed);
    if (status == ENDO_OK) status = check_numbers(posed);
    if (status == ENDO_OK) status = endo_check_origin("blend", posed->origin_x, posed->origin_y);
    if (status != ENDO_OK) return status;
    const endo_canvas_origin origin = origin_of(b, posed->origin_x, posed->origin_y);
    size_t n = posed->n;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) status = describe(b, frames, posed, i, &origin, batch);
    if (status == ENDO_OK) status = match_correction(b, frames);
    if (status == ENDO_OK) status = endo_context_step(b->context);
    for (size_t i = 0; i < n && status == ENDO_OK; i += ENDO_BLEND_BATCH) {
        int some = n - i < ENDO_BLEND_BATCH ? (int)(n - i) : ENDO_BLEND_BATCH;
        status = endo_context_go_on(b->context);
        for (int k = 0; k < some && status == ENDO_OK; k++)
            status = describe(b, frames, posed, i + (size_t)k, &origin, &batch[k]);
        if (status == ENDO_OK) status = b->context->kernels->blend->add(b->blend, frames->store, batch, some);
    }
    return status;
}

endo_status endo_blend_next_pass(endo_blend *b) {
    if (!b) return endo_fail(ENDO_ERR_ARGUMENT, "blend is NULL");
    if (b->second) return endo_fail(ENDO_ERR_ARGUMENT, "blend: its second pass has begun, and there is no third");
    endo_status status = b->context->kernels->blend->settle(b->blend);
    if (status == ENDO_OK) b->second = 1;
    return status;
}

/* --------------------------------------------------------------------- read */

endo_status endo_blend_read(endo_blend *b, const endo_rectangle *rectangle, const endo_panorama_planes *planes) {
    if (!b || !rectangle || !planes || !planes->pixels) return endo_fail(ENDO_ERR_ARGUMENT, "read: an argument is NULL");
    const endo_rectangle *r = rectangle;
    int across = b->setup.width / b->shrink, down = b->setup.height / b->shrink;
    if (r->x < 0 || r->y < 0 || r->width < 1 || r->height < 1 || r->x > across - r->width || r->y > down - r->height)
        return endo_fail(ENDO_ERR_ARGUMENT, "read: %d x %d at (%d, %d) is not inside the blend of %d x %d", r->width,
                         r->height, r->x, r->y, across, down);
    if (planes->uncertainty) return endo_fail(ENDO_ERR_ARGUMENT, "read: a blend knows no uncertainty");
    endo_blend_view view = {
        .x = r->x,
        .y = r->y,
        .width = r->width,
        .height = r->height,
        .pixels = planes->pixels,
        .painted = planes->painted,
        .coverage = planes->coverage,
    };
    return b->shrink == 1 ? b->context->kernels->blend->finish(b->blend, &view) : endo_blend_shrink(b, &view);
}

/* ------------------------------------------------------------------ details */

endo_status endo_blend_details(endo_pixel type, int width, int height, const void *pixels, ptrdiff_t stride,
                               double *details) {
    if (!pixels || !details) return endo_fail(ENDO_ERR_ARGUMENT, "details: an argument is NULL");
    if (width < 1 || width > 32767 || height < 1 || height > 32767)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d: each side must be 1..32767", width, height);
    if (endo_pixel_size(type) == 0) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)type);
    if (stride < width) return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width, %d", stride, width);
    *details = endo_details_of(type, width, height, pixels, stride);
    return ENDO_OK;
}
