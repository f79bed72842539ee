#include "mosaic_stages.h"

#include "base/transform.h"
#include "systems/pairs/pairs.h"

#include <math.h>

static endo_status put(mosaic_rig *r) { return sequence_put(r->source, r->frames); }

static endo_status flow(mosaic_rig *r) {
    return endo_flow_estimate(r->frames, r->pairs, r->n_pairs, r->params.transform, r->flow);
}

static endo_status search(mosaic_rig *r) {
    endo_search_options p = {r->params.template_side, r->params.cross, r->params.subpixel};
    return endo_search_run(r->frames, r->requests, r->n_pairs * r->n_marks, &p, r->found);
}

static endo_status fit(mosaic_rig *r) {
    const int size[2] = {r->source->width, r->source->height};
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < r->n_pairs && status == ENDO_OK; i++)
        status = endo_mosaic_fit(r->marks, r->found + i * r->n_marks, r->n_marks, &r->params, size, &r->results[i],
                                 NULL, NULL);
    return status;
}

static endo_status measure_quality(mosaic_rig *r) {
    return endo_quality_measure(r->frames, r->pairs, r->transforms, r->n_pairs, r->quality);
}

static endo_status paint(mosaic_rig *r) {
    const endo_posed_frames posed = {.slots = r->slots, .transforms = r->poses, .n = (size_t)r->source->n};
    return endo_canvas_paint(r->canvas, r->frames, &posed, ENDO_PAINT_UNION);
}

static endo_status register_with(mosaic_rig *r, int quality) {
    r->params.quality = quality;
    return endo_pairs_register(r->frames, r->pairs, r->n_pairs, &r->params, r->results);
}

static endo_status register_bare(mosaic_rig *r) { return register_with(r, 0); }

static endo_status register_all(mosaic_rig *r) { return register_with(r, 1); }

static endo_status register_best(mosaic_rig *r) {
    endo_pairs_options p = r->params;
    p.quality = 1, p.method = ENDO_METHOD_BEST, p.transform = ENDO_TRANSFORM_AUTO;
    return endo_pairs_register(r->frames, r->pairs, r->n_pairs, &p, r->results);
}

static endo_status everything(mosaic_rig *r) {
    endo_status status = put(r);
    if (status == ENDO_OK) status = register_all(r);
    return status == ENDO_OK ? paint(r) : status;
}

const mosaic_stage mosaic_stages[MOSAIC_STAGES] = {
    {"copy and grey", 1, NULL, put},
    {"flow with pyramid", 0, put, flow},
    {"flow alone", 0, NULL, flow},
    {"search", 0, NULL, search},
    {"fit", 0, NULL, fit},
    {"quality", 0, NULL, measure_quality},
    {"paint", 1, NULL, paint},
    {"pair without quality", 0, put, register_bare},
    {"pair", 0, put, register_all},
    {"pair of method best", 0, put, register_best},
    {"put and pair and paint", 1, NULL, everything},
};

/* The landmarks of endo_pairs_register where the field is the whole frame. */
static void spread_marks(mosaic_rig *r) {
    int half = r->params.template_side / 2, k = MOSAIC_SIDE_LANDMARKS;
    int across = r->source->width - 1 - 2 * half, down = r->source->height - 1 - 2 * half;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            r->marks[2 * (j * k + i)] = half + (2 * i + 1) * across / (2 * k);
            r->marks[2 * (j * k + i) + 1] = half + (2 * j + 1) * down / (2 * k);
        }
}

static void make_requests(mosaic_rig *r) {
    for (size_t i = 0; i < r->n_pairs * r->n_marks; i++) {
        size_t pair = i / r->n_marks, mark = i % r->n_marks;
        endo_transform forward = endo_transform_still; /* reference -> current */
        const double *m = forward.matrix;
        (void)endo_transform_inverse(&r->flow[pair].transform, &forward);
        double x = r->marks[2 * mark], y = r->marks[2 * mark + 1];
        endo_search_request q = {r->pairs[pair].reference,
                                 r->pairs[pair].current,
                                 (int32_t)x,
                                 (int32_t)y,
                                 (int32_t)floor(m[0] * x + m[1] * y + m[2] + 0.5),
                                 (int32_t)floor(m[3] * x + m[4] * y + m[5] + 0.5)};
        r->requests[i] = q;
    }
}

/* Frames turned a little, side by side on a canvas that holds them. */
static void place_frames(mosaic_rig *r) {
    for (int i = 0; i < r->source->n; i++) {
        double angle = 0.02 + 0.005 * i, shift = 0.1 * r->source->height;
        double m[6] = {cos(angle), -sin(angle), shift + 3.3 * i, sin(angle), cos(angle), shift + 1.7 * i};
        r->poses[i] = endo_transform_make(ENDO_TRANSFORM_RIGID, m);
        r->slots[i] = i;
    }
}

static endo_status make_store(mosaic_rig *r, int threads) {
    endo_context_options o = endo_context_options_default();
    endo_frames_options f = endo_frames_options_default();
    o.threads = threads;
    f.width = r->source->width, f.height = r->source->height, f.type = ENDO_RGB32, f.capacity = r->source->n;
    endo_status status = endo_context_create(&o, &r->context);
    if (status == ENDO_OK) status = endo_frames_create(r->context, &f, &r->frames);
    if (status == ENDO_OK)
        status = endo_canvas_create(r->context, ENDO_RGB32, f.width + f.height / 2, f.height + f.height / 2,
                                    &r->canvas);
    return status;
}

static int make_arrays(mosaic_rig *r) {
    size_t n = r->n_pairs, frames = (size_t)r->source->n;
    r->pairs = endo_alloc(n, sizeof *r->pairs);
    r->flow = endo_alloc(n, sizeof *r->flow);
    r->marks = endo_alloc(r->n_marks, 2 * sizeof *r->marks);
    r->requests = endo_alloc(n * r->n_marks, sizeof *r->requests);
    r->found = endo_alloc(n * r->n_marks, sizeof *r->found);
    r->results = endo_alloc(n, sizeof *r->results);
    r->slots = endo_alloc(frames, sizeof *r->slots);
    r->quality = endo_alloc(n, sizeof *r->quality);
    r->transforms = endo_alloc(n, sizeof *r->transforms);
    r->poses = endo_alloc(frames, sizeof *r->poses);
    return r->pairs && r->flow && r->marks && r->requests && r->found && r->results && r->slots && r->quality &&
           r->transforms && r->poses;
}

/* Every stage once: each leaves what the next one takes. */
static endo_status run_once(mosaic_rig *r) {
    endo_status status = put(r);
    if (status == ENDO_OK) status = flow(r);
    if (status != ENDO_OK) return status;
    make_requests(r);
    status = search(r);
    if (status == ENDO_OK) status = fit(r);
    for (size_t i = 0; i < r->n_pairs && status == ENDO_OK; i++)
        r->transforms[i] = r->results[i].transform;
    return status == ENDO_OK ? register_all(r) : status;
}

endo_status mosaic_rig_create(mosaic_rig *r, const sequence *source, int threads) {
    mosaic_rig empty = {.source = source, .n_pairs = (size_t)source->n - 1,
                        .n_marks = MOSAIC_SIDE_LANDMARKS * MOSAIC_SIDE_LANDMARKS,
                        .params = endo_pairs_options_default()};
    *r = empty;
    r->params.template_side = endo_pairs_template_side(source->width);
    r->params.landmarks = MOSAIC_SIDE_LANDMARKS;
    ENDO_TRY(make_store(r, threads));
    if (!make_arrays(r)) return endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    for (size_t i = 0; i < r->n_pairs; i++) r->pairs[i].reference = (int32_t)i, r->pairs[i].current = (int32_t)i + 1;
    spread_marks(r);
    place_frames(r);
    return run_once(r);
}

void mosaic_rig_destroy(mosaic_rig *r) {
    void *const arrays[] = {r->pairs,   r->flow,  r->marks,   r->requests, r->found,
                            r->results, r->slots, r->quality, r->transforms, r->poses};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) endo_free(arrays[i]);
    endo_canvas_destroy(&r->canvas);
    endo_frames_destroy(&r->frames);
    endo_context_destroy(&r->context);
}
