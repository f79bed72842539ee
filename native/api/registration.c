/* Coefficients, search, flow, quality and pair registration: argument checks. */
#include "checks.h"
#include "transform.h"

#include "base/threads.h"
#include "systems/pairs/centres.h"
#include "systems/pairs/overlap.h"
#include "systems/pairs/pair_layers.h"
#include "systems/pairs/pair_rivals.h"
#include "systems/pairs/pairs.h"
#include "systems/pairs/patch_places.h"

void endo_search_options_init(endo_search_options *options) {
    const endo_search_options defaults = {31, 4, 1};
    if (options) *options = defaults;
}

void endo_pairs_options_init(endo_pairs_options *options) {
    const endo_pairs_options defaults = {ENDO_INITIAL_FLOW, 0, 4, 8, 0.85, 2.5, 0.2, ENDO_TRANSFORM_AFFINE, 1, 1,
                                         ENDO_METHOD_PAPER};
    if (options) *options = defaults;
}

int endo_pairs_template_side(int width) { return endo_mosaic_template_side(width); }

static endo_status check_side(int side) {
    if (side < 3 || side > 255 || side % 2 == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "template %d: must be odd, 3..255", side);
    return ENDO_OK;
}

static endo_status check_cross(int cross) {
    if (cross < 1 || cross > 128 || (cross & (cross - 1)))
        return endo_fail(ENDO_ERR_ARGUMENT, "cross %d: must be a power of two, 1..128", cross);
    return ENDO_OK;
}

static endo_status check_slots(const endo_frames *frames, int reference, int current) {
    endo_status status = endo_check_slot(frames, reference, ENDO_USE_MATCHING);
    return status == ENDO_OK ? endo_check_slot(frames, current, ENDO_USE_MATCHING) : status;
}

static endo_status check_pairs(const endo_frames *frames, const endo_pair *pairs, size_t n, const void *out) {
    if (!frames || (n && (!pairs || !out))) return endo_fail(ENDO_ERR_ARGUMENT, "an argument is NULL");
    for (size_t i = 0; i < n; i++) {
        ENDO_TRY(check_slots(frames, pairs[i].reference, pairs[i].current));
    }
    return ENDO_OK;
}

/* Requests are checked by several threads: a coefficient takes little longer than the check of its request. */
static endo_status check_ncc_requests(const endo_frames *frames, const endo_ncc_request *requests, size_t n) {
    int threads = endo_list_threads(frames->context->threads, n * sizeof *requests), bad = 0;
    uint32_t capacity = (uint32_t)frames->options.capacity;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : bad)
    for (size_t i = 0; i < n; i++) {
        uint32_t reference = (uint32_t)requests[i].reference, current = (uint32_t)requests[i].current;
        bad |= reference >= capacity || current >= capacity ||
               !(frames->filled[reference] & frames->filled[current] & ENDO_USE_MATCHING);
    }
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && bad && status == ENDO_OK; i++) /* finds the first bad one for the message */
        status = check_slots(frames, requests[i].reference, requests[i].current);
    return status;
}

endo_status endo_ncc_compute(endo_frames *frames, const endo_ncc_request *requests, size_t n, int side,
                     double *coefficients) {
    if (!frames || (n && (!requests || !coefficients))) return endo_fail(ENDO_ERR_ARGUMENT, "an argument is NULL");
    endo_status status = check_side(side);
    if (status == ENDO_OK) status = check_ncc_requests(frames, requests, n);
    endo_centres centres;
    if (status == ENDO_OK) status = endo_centres_of(frames, side, &centres, NULL);
    if (status != ENDO_OK || n == 0) return status;
    return frames->context->kernels->batches->ncc(frames->store, requests, n, &centres, coefficients);
}

/* Limit of starts, px: no position beyond it can be in the field, and positions within it fit 16 bits where back ends pack
 * them. */
static endo_status check_start(const endo_frames *frames, const endo_search_request *q) {
    int margin = ENDO_SEARCH_MARGIN, width = frames->options.width, height = frames->options.height;
    if (q->start_x >= -margin && q->start_x < width + margin && q->start_y >= -margin && q->start_y < height + margin)
        return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "start (%d, %d): must lie within %d px of the frame of %d x %d", q->start_x,
                     q->start_y, margin, width, height);
}

endo_status endo_search_run(endo_frames *frames, const endo_search_request *requests, size_t n,
                        const endo_search_options *options, endo_search_result *results) {
    if (!frames || !options || (n && (!requests || !results)))
        return endo_fail(ENDO_ERR_ARGUMENT, "an argument is NULL");
    endo_status status = check_side(options->template_side);
    if (status == ENDO_OK) status = check_cross(options->cross);
    if (status == ENDO_OK) status = endo_check_flag("subpixel", options->subpixel);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        status = check_slots(frames, requests[i].reference, requests[i].current);
        if (status == ENDO_OK) status = check_start(frames, &requests[i]);
    }
    endo_search_setup setup = {.options = *options};
    if (status == ENDO_OK) status = endo_centres_of(frames, options->template_side, &setup.centres, NULL);
    if (status != ENDO_OK || n == 0) return status;
    return frames->context->kernels->batches->search(frames->store, requests, n, &setup, results);
}

endo_status endo_flow_estimate(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                      endo_flow_result *results) {
    const endo_flow_setup setup = {kind, 0};
    endo_status status = check_pairs(frames, pairs, n, results);
    if (status == ENDO_OK) status = endo_check_class("flow", (int)kind);
    if (status != ENDO_OK) return status;
    if (kind != ENDO_TRANSFORM_TRANSLATION && kind != ENDO_TRANSFORM_AFFINE)
        return endo_fail(ENDO_ERR_UNSUPPORTED, "flow: transform class %d: only 0 (translation) and 3 (affine) can be "
                         "estimated yet", (int)kind);
    if (!frames->options.flow) return endo_fail(ENDO_ERR_ARGUMENT, "flow: the frame store was made without it");
    return n ? frames->context->kernels->batches->flow(frames->store, pairs, n, &setup, results) : ENDO_OK;
}

/* Checks that a homography takes no point of the frame to infinity or beyond. */
static endo_status check_denominators(const char *what, const endo_frames *frames, const endo_transform *t, size_t i) {
    const double *m = t->matrix;
    for (int k = 0; k < 4; k++) {
        int x = k & 1 ? frames->options.width - 1 : 0, y = k & 2 ? frames->options.height - 1 : 0;
        double w = m[6] * x + m[7] * y + m[8];
        if (!(w > 0 && endo_is_finite(w)))
            return endo_fail(ENDO_ERR_ARGUMENT, "%s: transform %zu is a homography with the denominator %g at (%d, %d): must be "
                             "above 0 over the frame", what, i, w, x, y);
    }
    return ENDO_OK;
}

static endo_status check_places(const char *what, const endo_frames *frames, const endo_transform *transforms, size_t n) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        if (transforms[i].kind == ENDO_TRANSFORM_HOMOGRAPHY)
            status = check_denominators(what, frames, &transforms[i], i);
        else
            status = endo_check_affine(what, &transforms[i], 1);
    }
    return status;
}

endo_status endo_pairs_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                              endo_patch_place *places, int32_t *counts) {
    endo_status status = check_pairs(frames, pairs, n, places);
    if (status == ENDO_OK && n && (!transforms || !counts))
        status = endo_fail(ENDO_ERR_ARGUMENT, "%s is NULL", transforms ? "counts" : "transforms");
    if (status == ENDO_OK) status = check_places("locate", frames, transforms, n);
    if (status != ENDO_OK || n == 0) return status;
    return endo_patches_locate(frames, pairs, transforms, n, places, counts);
}

endo_status endo_quality_measure(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                 size_t n, double *quality) {
    endo_status status = check_pairs(frames, pairs, n, quality);
    if (status == ENDO_OK && n && !transforms) status = endo_fail(ENDO_ERR_ARGUMENT, "transforms is NULL");
    if (status == ENDO_OK) status = check_places("quality", frames, transforms, n);
    return status == ENDO_OK && n ? endo_overlap_quality(frames, pairs, transforms, n, quality) : status;
}

endo_status endo_agreement_measure(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms,
                                   size_t n, endo_agreement *agreement) {
    endo_status status = check_pairs(frames, pairs, n, agreement);
    if (status == ENDO_OK && n && !transforms) status = endo_fail(ENDO_ERR_ARGUMENT, "transforms is NULL");
    if (status == ENDO_OK) status = check_places("agreement", frames, transforms, n);
    return status == ENDO_OK && n ? endo_overlap_agreement(frames, pairs, transforms, n, agreement) : status;
}

static endo_status check_fitted(const endo_pairs_options *p) {
    if (p->method == ENDO_METHOD_BEST && p->transform == ENDO_TRANSFORM_AUTO) return ENDO_OK;
    endo_status status = endo_check_class("transform", (int)p->transform);
    if (status != ENDO_OK || p->transform != ENDO_TRANSFORM_HOMOGRAPHY || p->method == ENDO_METHOD_BEST) return status;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "transform: a homography: the method paper fits 0 (translation), 1 (rigid), 2 "
                     "(similarity) and 3 (affine); homographies need the method best");
}

/* Checks that starts are homographies only where homographies are asked for. */
static endo_status check_starts(const endo_pairs_options *p, const endo_transform *starts, size_t n) {
    endo_status status = ENDO_OK;
    if (p->transform != ENDO_TRANSFORM_HOMOGRAPHY) return endo_check_affine("start", starts, n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        status = starts[i].kind == ENDO_TRANSFORM_HOMOGRAPHY ? ENDO_OK : endo_check_affine("start", &starts[i], 1);
    return status;
}

endo_status endo_check_pairs_options(const endo_pairs_options *p) {
    endo_status status = p->template_side ? check_side(p->template_side) : ENDO_OK;
    if (status == ENDO_OK) status = check_cross(p->cross);
    if (status == ENDO_OK) status = check_fitted(p);
    if (status == ENDO_OK) status = endo_check_flag("subpixel", p->subpixel);
    if (status == ENDO_OK) status = endo_check_flag("quality", p->quality);
    if (status != ENDO_OK) return status;
    if ((int)p->initial < ENDO_INITIAL_NONE || p->initial > ENDO_INITIAL_FOURIER)
        return endo_fail(ENDO_ERR_ARGUMENT, "initial %d: must be 0 (none), 1 (flow), 2 (exposures) or 3 (Fourier)",
                         (int)p->initial);
    if ((int)p->method != ENDO_METHOD_PAPER && p->method != ENDO_METHOD_BEST)
        return endo_fail(ENDO_ERR_ARGUMENT, "method %d: must be 0 (paper) or 1 (best)", (int)p->method);
    if (p->landmarks < 2 || p->landmarks > 64)
        return endo_fail(ENDO_ERR_ARGUMENT, "landmarks %d: must be 2..64 per dimension", p->landmarks);
    if (!(p->cthresh >= -1 && p->cthresh <= 1))
        return endo_fail(ENDO_ERR_ARGUMENT, "cthresh %g: must be -1..1", p->cthresh);
    if (!(p->uthresh > 0 && p->uthresh <= 1000))
        return endo_fail(ENDO_ERR_ARGUMENT, "uthresh %g: must be above 0, up to 1000", p->uthresh);
    if (!(p->guarantee >= 0 && p->guarantee <= 1))
        return endo_fail(ENDO_ERR_ARGUMENT, "guarantee %g: must be 0..1", p->guarantee);
    return ENDO_OK;
}

static endo_status check_initial(const endo_frames *frames, const endo_pairs_options *p) {
    if (p->initial != ENDO_INITIAL_FLOW || frames->options.flow) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "initial flow: the frame store was made without it");
}

/* Registers pairs; starts: NULL, or one for each pair. */
static endo_status register_pairs(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                                  const endo_pairs_options *options, endo_pairs_out *out) {
    endo_status status = check_pairs(frames, pairs, n, out->results);
    if (status == ENDO_OK && !options) status = endo_fail(ENDO_ERR_ARGUMENT, "options is NULL");
    if (status == ENDO_OK) status = endo_check_pairs_options(options);
    if (status == ENDO_OK) status = starts ? check_starts(options, starts, n) : check_initial(frames, options);
    if (status == ENDO_OK) status = endo_context_step(frames->context);
    if (status != ENDO_OK || n == 0) return status;
    out->capacity = (size_t)options->landmarks * (size_t)options->landmarks;
    return endo_pairs_run(frames, pairs, starts, n, options, out);
}

endo_status endo_pairs_register(endo_frames *frames, const endo_pair *pairs, size_t n,
                                const endo_pairs_options *options, endo_pair_result *results) {
    endo_pairs_out out = {.results = results};
    return register_pairs(frames, pairs, NULL, n, options, &out);
}

endo_status endo_pairs_register_from(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts,
                                     size_t n, const endo_pairs_options *options, endo_pair_result *results) {
    endo_pairs_out out = {.results = results};
    if (n && !starts) return endo_fail(ENDO_ERR_ARGUMENT, "starts is NULL");
    return register_pairs(frames, pairs, starts, n, options, &out);
}

endo_status endo_pairs_register_landmarks(endo_frames *frames, const endo_pair *pairs, size_t n,
                                          const endo_pairs_options *options, endo_pair_result *results,
                                          endo_landmark *landmarks, int32_t *counts) {
    endo_pairs_out out = {.results = results, .landmarks = landmarks, .counts = counts};
    if (n && (!landmarks || !counts))
        return endo_fail(ENDO_ERR_ARGUMENT, "%s is NULL", landmarks ? "counts" : "landmarks");
    return register_pairs(frames, pairs, NULL, n, options, &out);
}

/* What the calls about pairs that were registered take; name: of the further argument. */
static endo_status check_registered(const endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                    const endo_pair_result *results, const void *more, const char *name) {
    endo_status status = check_pairs(frames, pairs, n, results);
    if (status == ENDO_OK && (!options || (n && !more)))
        status = endo_fail(ENDO_ERR_ARGUMENT, "%s is NULL", options ? name : "options");
    if (status == ENDO_OK) status = endo_check_pairs_options(options);
    if (status == ENDO_OK && options->method != ENDO_METHOD_BEST)
        status = endo_fail(ENDO_ERR_UNSUPPORTED, "layers and rivals of pairs: need the method BEST");
    return status;
}

endo_status endo_pairs_separate(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                endo_pair_result *results, endo_pair_layers *layers) {
    endo_status status = check_registered(frames, pairs, n, options, results, layers, "layers");
    if (status != ENDO_OK || n == 0) return status;
    return endo_layers_separate(frames, pairs, n, options->transform, results, layers);
}

endo_status endo_pairs_register_layer(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts,
                                      const endo_pair_layers *layers, size_t n, const endo_pairs_options *options,
                                      endo_pair_result *results) {
    endo_status status = check_registered(frames, pairs, n, options, results, layers, "layers");
    if (status == ENDO_OK && n && !starts) status = endo_fail(ENDO_ERR_ARGUMENT, "starts is NULL");
    if (status == ENDO_OK) status = endo_check_affine("start", starts, n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        if (layers[i].columns < 1 || layers[i].rows < 1 || layers[i].columns > ENDO_LAYER_CELLS / layers[i].rows)
            status = endo_fail(ENDO_ERR_ARGUMENT, "layers %zu: %d x %d cells: must be 1..%d in all", i, (int)layers[i].columns,
                               (int)layers[i].rows, ENDO_LAYER_CELLS);
    if (status != ENDO_OK || n == 0) return status;
    return endo_layers_register(frames, pairs, starts, layers, n, options->transform, results);
}

endo_status endo_pairs_try_rivals(endo_frames *frames, const endo_pair *pairs, size_t n, const endo_pairs_options *options,
                                  endo_pair_result *results, int32_t *repeats) {
    endo_status status = check_registered(frames, pairs, n, options, results, repeats, "repeats");
    if (status != ENDO_OK || n == 0) return status;
    return endo_rivals_try(frames, pairs, n, options->transform, results, repeats);
}
