/* Mosaics: options and their checks, ownership, results. */
#include "base/memory.h"
#include "systems/mosaic/aligned_frames.h"
#include "systems/mosaic/session.h"
#include "checks.h"
#include "mosaic_checks.h"
#include "testing.h"

#include <math.h>
#include <string.h>

#define LEAST_MEMORY (1 << 20)

/* --------------------------------------------------------------------- options */

void endo_mosaic_options_init(endo_mosaic_options *options) {
    endo_mosaic_options defaults = {
        .context = endo_context_options_default(),
        .pairs = endo_pairs_options_default(),
        .field = ENDO_MOSAIC_FIELD_AUTO,
        .pattern = 1,
        .iir = 4,
        .solve = 1,
        .lens = ENDO_MOSAIC_LENS_AUTO,
        .painting = ENDO_MOSAIC_BLEND,
        .picture = 1,
        .light = 1,
        .interpolation = ENDO_INTERPOLATION_CUBIC,
        .scale = 1,
        .rim = 8,
        .max_canvas = 1000000000,
        .memory = (int64_t)1 << 30,
    };
    defaults.pairs.method = ENDO_METHOD_BEST;
    defaults.pairs.transform = ENDO_TRANSFORM_AUTO;
    if (options) *options = defaults;
}

static endo_status check_range(const char *name, double value, double least, double most) {
    if (value >= least && value <= most) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %g: must be %g..%g", name, value, least, most);
}

static endo_status check_flags(const endo_mosaic_options *o) {
    ENDO_TRY(endo_check_flag("pattern", o->pattern));
    ENDO_TRY(endo_check_flag("highlights", o->highlights));
    ENDO_TRY(endo_check_flag("enhance", o->enhance));
    ENDO_TRY(endo_check_flag("solve", o->solve));
    ENDO_TRY(endo_check_flag("picture", o->picture));
    return endo_check_flag("light", o->light);
}

static endo_status check_method(const endo_pairs_options *pairs) {
    int kind = pairs->transform;
    if (pairs->method != ENDO_METHOD_PAPER) return ENDO_OK;
    if (kind >= ENDO_TRANSFORM_TRANSLATION && kind <= ENDO_TRANSFORM_AFFINE) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "transform class %d: goes with ENDO_METHOD_BEST alone; ENDO_METHOD_PAPER takes 0 "
                     "(translation) to 3 (affine)", kind);
}

static endo_status check_options(const endo_mosaic_options *o) {
    ENDO_TRY(check_flags(o));
    ENDO_TRY(check_range("field", o->field, ENDO_MOSAIC_FIELD_AUTO, ENDO_MOSAIC_FIELD_WHOLE));
    ENDO_TRY(check_range("painting", o->painting, ENDO_MOSAIC_BLEND, ENDO_MOSAIC_UNION));
    ENDO_TRY(check_range("instruments", o->instruments, ENDO_MOSAIC_LEAVE_OUT, ENDO_MOSAIC_KEEP));
    ENDO_TRY(check_range("relief", o->relief, ENDO_MOSAIC_RELIEF_AUTO, ENDO_MOSAIC_RELIEF_NONE));
    ENDO_TRY(check_range("interpolation", o->interpolation, ENDO_INTERPOLATION_LINEAR, ENDO_INTERPOLATION_CUBIC));
    ENDO_TRY(check_range("iir", o->iir, 0, 255));
    ENDO_TRY(check_range("rim", o->rim, 0, 1000));
    if (!isnan(o->lens)) ENDO_TRY(check_range("lens", o->lens, -40, 40));
    ENDO_TRY(check_range("scale", o->scale, 0.25, 4));
    ENDO_TRY(check_range("extras", o->extras, 0, ENDO_MOSAIC_COVERAGE + ENDO_MOSAIC_UNCERTAINTY));
    ENDO_TRY(check_range("max_canvas", (double)o->max_canvas, 1, 4e9));
    if (o->memory < LEAST_MEMORY)
        return endo_fail(ENDO_ERR_ARGUMENT, "memory %lld: must be %d bytes or more", (long long)o->memory, LEAST_MEMORY);
    if (o->field == ENDO_MOSAIC_FIELD_MASK && !o->mask)
        return endo_fail(ENDO_ERR_ARGUMENT, "field 1 (mask): mask is NULL; give one, or take 0 (auto) or 2 (whole)");
    return check_method(&o->pairs);
}

/* ----------------------------------------------------------------- create, free */

static endo_status copy_scratch(endo_mosaic *m, const char *scratch) {
    m->options.scratch = NULL;
    if (!scratch) return ENDO_OK;
    size_t size = strlen(scratch) + 1;
    m->scratch = endo_alloc(size, 1);
    if (!m->scratch) return endo_fail(ENDO_ERR_MEMORY, "no memory for the name of the scratch folder");
    memcpy(m->scratch, scratch, size);
    m->options.scratch = m->scratch;
    return ENDO_OK;
}

endo_status endo_mosaic_create_abi(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks, int abi,
                                   endo_mosaic **out) {
    endo_mosaic_options defaults = endo_mosaic_options_default();
    ENDO_TRY(endo_check_abi(abi));
    if (!out) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic: out is NULL");
    if (!options) options = &defaults;
    ENDO_TRY(check_options(options));
    endo_mosaic *m = endo_alloc_zeroed(1, sizeof *m);
    if (!m) return endo_fail(ENDO_ERR_MEMORY, "no memory for a mosaic");
    m->options = *options;
    m->finds_lens = isnan(options->lens);
    if (m->finds_lens) m->options.lens = 0;
    events_init(&m->events, hooks);
    endo_status status = copy_scratch(m, options->scratch);
    if (status == ENDO_OK)
        *out = m;
    else
        endo_mosaic_destroy(&m);
    return status;
}

void endo_mosaic_destroy(endo_mosaic **mosaic) {
    if (!mosaic || !*mosaic) return;
    endo_mosaic *m = *mosaic;
    aligned_destroy(&m->aligned);
    mosaic_session_free(m);
    spool_destroy(&m->spool);
    events_free(&m->events);
    endo_free(m->mask);
    endo_free(m->scratch);
    endo_free(m);
    *mosaic = NULL;
}

/* ------------------------------------------------------------------------ runs */

endo_status mosaic_check_source(const endo_mosaic_source *s, int least) {
    if (!s || !s->lend) return endo_fail(ENDO_ERR_ARGUMENT, "source: %s is NULL", s ? "lend" : "it");
    if (s->frames < least || s->frames > MOSAIC_MOST_FRAMES)
        return endo_fail(ENDO_ERR_ARGUMENT, "a sequence of %d frames: must be %d..%d", s->frames, least, MOSAIC_MOST_FRAMES);
    if (s->width < 1 || s->height < 1 || s->width > MOSAIC_LONGEST_SIDE || s->height > MOSAIC_LONGEST_SIDE)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d px: sides must be 1..%d", s->width, s->height,
                         MOSAIC_LONGEST_SIDE);
    if (!endo_pixel_size(s->type)) return endo_fail(ENDO_ERR_ARGUMENT, "pixel type %d: must be 0..2", (int)s->type);
    return ENDO_OK;
}

/* Copies the mask when a run begins, since its size is not known before. */
static endo_status copy_mask(endo_mosaic *m, const endo_mosaic_source *source) {
    size_t area = (size_t)source->width * (size_t)source->height;
    if (m->options.field != ENDO_MOSAIC_FIELD_MASK) return ENDO_OK;
    m->mask = endo_alloc(area, 1);
    if (!m->mask) return endo_fail(ENDO_ERR_MEMORY, "no memory for a mask of %d x %d px", source->width, source->height);
    memcpy(m->mask, m->options.mask, area);
    m->options.mask = m->mask;
    return ENDO_OK;
}

endo_status mosaic_begin(endo_mosaic *m, const endo_mosaic_source *source, int least) {
    if (!m) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic is NULL");
    if (m->has_run) return endo_fail(ENDO_ERR_ARGUMENT, "this mosaic has run: make another one");
    ENDO_TRY(mosaic_check_source(source, least));
    ENDO_TRY(copy_mask(m, source));
    m->has_run = 1;
    return ENDO_OK;
}

endo_status endo_mosaic_run(endo_mosaic *mosaic, const endo_mosaic_source *source) {
    ENDO_TRY(mosaic_begin(mosaic, source, 2));
    return mosaic_session_run(mosaic, source, MOSAIC_ALL);
}

endo_status endo_mosaic_register(endo_mosaic *mosaic, const endo_mosaic_source *source) {
    ENDO_TRY(mosaic_begin(mosaic, source, 2));
    return mosaic_session_run(mosaic, source, MOSAIC_REGISTER);
}

endo_status endo_mosaic_put(endo_mosaic *m, const void *pixels, endo_pixel type, int width, int height, ptrdiff_t stride) {
    if (!m || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic put: an argument is NULL");
    if (m->has_run) return endo_fail(ENDO_ERR_ARGUMENT, "this mosaic has run: make another one");
    if (stride < width) return endo_fail(ENDO_ERR_ARGUMENT, "stride %td: must be at least the width %d", stride, width);
    if (!m->spool) {
        endo_mosaic_source like = {.frames = 2, .width = width, .height = height, .type = type};
        like.lend = spool_source(NULL).lend;
        ENDO_TRY(mosaic_check_source(&like, 2));
        ENDO_TRY(spool_create(type, width, height, m->options.memory, m->options.scratch, &m->spool));
    }
    if (!spool_is_like(m->spool, type, width, height))
        return endo_fail(ENDO_ERR_ARGUMENT, "a frame of %d x %d px, type %d: must be like the first one", width, height,
                         (int)type);
    return spool_put(m->spool, pixels, stride);
}

endo_status endo_mosaic_finish(endo_mosaic *m) {
    if (!m) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic is NULL");
    if (!m->spool) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic: no frame was put");
    endo_mosaic_source source = spool_source(m->spool);
    return endo_mosaic_run(m, &source);
}

/* ------------------------------------------------------------------- one stage */

static endo_status check_pose(const char *what, int i, const endo_transform *t) {
    if (endo_transform_check(t) == ENDO_OK && pose_is_invertible(t)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d: its transform is not finite, not of its class, or cannot be inverted", what, i);
}

static endo_status check_frame(const endo_mosaic_frame *f, int i, int n) {
    ENDO_TRY(check_pose("frame", i, &f->pose));
    if (f->solved) ENDO_TRY(check_pose("frame", i, &f->chained));
    if (f->reference < -1 || f->reference >= n)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: reference %d: must be -1..%d", i, f->reference, n - 1);
    if (f->chain < 0 || f->chain > n)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: chain %d: must be 0..%d", i, f->chain, n);
    if (f->component < 0 || f->component > n)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: component %d: must be 0..%d", i, f->component, n);
    if (f->status < ENDO_FRAME_OK || f->status > ENDO_FRAME_NOT_PLACED)
        return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: status %d: must be 0..%d", i, f->status, ENDO_FRAME_NOT_PLACED);
    if (f->deviation < 0) return endo_fail(ENDO_ERR_ARGUMENT, "frame %d: deviation %g: must be 0 or more", i, f->deviation);
    return ENDO_OK;
}

static endo_status check_edge(const endo_mosaic_edge *e, int i, const endo_mosaic_frame *frames, int n) {
    ENDO_TRY(check_pose("edge", i, &e->transform));
    if (e->reference < 0 || e->reference >= n || e->current < 0 || e->current >= n || e->reference == e->current)
        return endo_fail(ENDO_ERR_ARGUMENT, "edge %d: frames %d and %d: must be two of 0..%d", i, e->reference, e->current,
                         n - 1);
    if (!e->by_hand && (!frames[e->reference].registered || !frames[e->current].registered))
        return endo_fail(ENDO_ERR_ARGUMENT, "edge %d: frames %d and %d: both must be registered, or the edge by hand", i,
                         e->reference, e->current);
    if (!(e->deviation > 0) || isinf(e->deviation))
        return endo_fail(ENDO_ERR_ARGUMENT, "edge %d: deviation %g px: must be above 0, and finite", i, e->deviation);
    return ENDO_OK;
}

endo_status mosaic_check_records(const endo_mosaic_frame *frames, int n, const endo_mosaic_edge *edges, int n_edges) {
    if (n < 1 || n > MOSAIC_MOST_FRAMES) return endo_fail(ENDO_ERR_ARGUMENT, "%d frames: must be 1..%d", n, MOSAIC_MOST_FRAMES);
    if (!frames || (n_edges && !edges) || n_edges < 0) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic: an argument is NULL");
    for (int i = 0; i < n; i++) ENDO_TRY(check_frame(&frames[i], i, n));
    for (int i = 0; i < n_edges; i++) ENDO_TRY(check_edge(&edges[i], i, frames, n));
    return ENDO_OK;
}

endo_status mosaic_check_poses(const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n) {
    ENDO_TRY(mosaic_check_records(frames, n, NULL, 0));
    if (n == source->frames) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%d poses for a sequence of %d frames: must be as many", n, source->frames);
}

endo_status endo_mosaic_solve(endo_mosaic *mosaic, const endo_mosaic_records *records) {
    if (!mosaic) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic is NULL");
    if (!records) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic: an argument is NULL");
    const endo_mosaic_records *r = records;
    const mosaic_size size = {.width = r->width, .height = r->height};
    ENDO_TRY(mosaic_check_records(r->frames, r->n_frames, r->edges, r->n_edges));
    ENDO_TRY(check_range("width", r->width, 1, MOSAIC_LONGEST_SIDE));
    ENDO_TRY(check_range("height", r->height, 1, MOSAIC_LONGEST_SIDE));
    ENDO_TRY(check_range("field_spread", r->field_spread, 0, 2.0 * MOSAIC_LONGEST_SIDE));
    mosaic_edges list = {.n = r->n_edges};
    list.items = (endo_mosaic_edge *)r->edges; /* only read */
    return mosaic_session_solve(mosaic, size, r->field_spread, r->frames, r->n_frames, &list);
}

endo_status endo_mosaic_paint(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                              int32_t n) {
    ENDO_TRY(mosaic_check_source(source, 1));
    ENDO_TRY(mosaic_check_poses(source, frames, n));
    ENDO_TRY(mosaic_begin(mosaic, source, 1));
    return mosaic_session_paint(mosaic, source, frames, n);
}

/* --------------------------------------------------------------------- results */

const endo_mosaic_frame *endo_mosaic_frames(const endo_mosaic *m, int32_t *n) {
    if (n) *n = m ? m->n_frames : 0;
    return m ? m->frames : NULL;
}

const endo_mosaic_edge *endo_mosaic_edges(const endo_mosaic *m, int32_t *n) {
    if (n) *n = m ? m->edges.n : 0;
    return m ? m->edges.items : NULL;
}

int32_t endo_mosaic_components(const endo_mosaic *m) { return m ? m->n_components : 0; }

static endo_status find_panorama(const endo_mosaic *m, int component, panorama_store **out) {
    if (!m) return endo_fail(ENDO_ERR_ARGUMENT, "mosaic is NULL");
    if (component < 0 || component > m->n_components)
        return endo_fail(ENDO_ERR_ARGUMENT, "component %d: must be 1..%d, or 0 for a snapshot", component, m->n_components);
    *out = component ? m->panoramas[component - 1] : m->snapshot;
    return ENDO_OK;
}

static int count_of(const endo_mosaic *m, int component) {
    int n = 0;
    for (int i = 0; i < m->n_frames; i++) n += m->frames[i].registered && m->frames[i].component == component;
    return n;
}

endo_status endo_mosaic_describe(const endo_mosaic *m, int32_t component, endo_mosaic_panorama *panorama) {
    panorama_store *store = NULL;
    if (!panorama) return endo_fail(ENDO_ERR_ARGUMENT, "describe: panorama is NULL");
    ENDO_TRY(find_panorama(m, component, &store));
    endo_mosaic_panorama made = {
        .frames = component ? count_of(m, component) : 0,
        .type = m->type,
        .scale = 1,
    };
    if (store) {
        mosaic_rect rect = panorama_store_rect(store);
        endo_transform scaling = pose_scaling(panorama_store_scale(store));
        made.scale = panorama_store_scale(store);
        made.extras = panorama_store_extras(store);
        made.width = rect_width(rect);
        made.height = rect_height(rect);
        made.origin_x = pose_x(&scaling, 0, 0) - rect.left;
        made.origin_y = pose_y(&scaling, 0, 0) - rect.top;
    }
    *panorama = made;
    return ENDO_OK;
}

endo_status endo_mosaic_snapshot(endo_mosaic *m, int32_t canvas) {
    if (!m || !m->workspace) return endo_fail(ENDO_ERR_ARGUMENT, "snapshot: only within the hook `painted`");
    panorama_store_destroy(&m->snapshot);
    return workspace_snapshot(m->workspace, canvas, &m->snapshot);
}

endo_status endo_mosaic_read(const endo_mosaic *m, int32_t component, const endo_rectangle *rectangle,
                             const endo_panorama_planes *planes) {
    panorama_store *store = NULL;
    ENDO_TRY(find_panorama(m, component, &store));
    if (!rectangle || !planes) return endo_fail(ENDO_ERR_ARGUMENT, "read: an argument is NULL");
    if (!store) return endo_fail(ENDO_ERR_ARGUMENT, "component %d: nothing of it is painted", component);
    const endo_rectangle *r = rectangle;
    mosaic_rect rect = panorama_store_rect(store);
    int right = rect_width(rect);
    int bottom = rect_height(rect);
    if (r->x < 0 || r->y < 0 || r->width < 1 || r->height < 1 || r->width > right - r->x || r->height > bottom - r->y)
        return endo_fail(ENDO_ERR_ARGUMENT, "a rectangle of %d x %d px at (%d, %d): must lie in the panorama of %d x %d px",
                         r->width, r->height, r->x, r->y, right, bottom);
    return panorama_store_read(store, r, planes);
}

double endo_mosaic_lens(const endo_mosaic *m) { return m ? m->options.lens : 0; }

const char *endo_mosaic_backend(const endo_mosaic *m) { return m ? m->backend : ""; }

const char *endo_mosaic_field_description(const endo_mosaic *m) { return m ? m->field.description : ""; }

const char *endo_mosaic_light_description(const endo_mosaic *m) { return m ? m->light : ""; }

const endo_light_report *endo_mosaic_light(const endo_mosaic *m) { return m && m->has_light ? &m->light_report : NULL; }

endo_mosaic_times endo_mosaic_spent(const endo_mosaic *m) { return m ? m->times : (endo_mosaic_times){0}; }

void endo_mosaic_fail_after(endo_mosaic *mosaic, int calls) { mosaic->faults.fail_after = calls; }

const uint8_t *endo_mosaic_field_mask(const endo_mosaic *m) { return m ? m->field.mask : NULL; }

double endo_mosaic_field_spread(const endo_mosaic *m) { return m ? m->field.spread : 0; }
