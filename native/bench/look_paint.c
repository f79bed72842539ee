#include "look_paint.h"

#include "timing.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"

#include <math.h>

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a panorama"); }

static endo_status put_all(endo_frames *store, const look_frames *f) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < f->n && status == ENDO_OK; i++) status = endo_frames_put(store, i, f->images[i], f->width);
    return status;
}

endo_status look_store(endo_context *context, const look_frames *f, endo_frames **out) {
    endo_frames_options o = endo_frames_options_default();
    o.width = f->width;
    o.height = f->height;
    o.type = ENDO_RGB32;
    o.capacity = f->n;
    o.field = f->field;
    o.flow = 0;
    endo_status status = endo_frames_create(context, &o, out);
    return status == ENDO_OK ? put_all(*out, f) : status;
}

/* Frames in a store, and memory for the light that is estimated from them. */
typedef struct paint_work {
    endo_frames *store;
    const look_frames *frames;
    uint16_t *correction;
    int32_t *gains, *slots;
    endo_light_view *views;
} paint_work;

/* ------------------------------------------------------------------------ walls */

/* Frames apart of the pairs that tell of walls, as a mosaic has them; least share of a frame that they have in common. */
static const int distances[] = {1, 3, 6, 12};
#define DISTANCES 4
#define LEAST_COMMON 0.3
/* Pairs that the light is told of: SAMPLE of those whose frames lie FAR_APART numbers or more apart, if there are as many. */
#define FAR_APART 6
#define SAMPLE 6

/* The motion of a pair; returns the share of the frame that both show. */
static double pair_step(const look_frames *f, const endo_pair *pair, endo_transform *step) {
    double inverse[6];
    double m[6];
    double x;
    double y;
    const double *b = f->poses[pair->current].matrix;
    if (!endo_affine_invert(f->poses[pair->reference].matrix, inverse)) return 0;
    for (int row = 0; row < 6; row += 3)
        for (int k = 0; k < 3; k++)
            m[row + k] = inverse[row] * b[k] + inverse[row + 1] * b[3 + k] + (k == 2 ? inverse[row + 2] : 0);
    *step = endo_transform_of_affine(m);
    endo_affine_apply(m, f->width / 2.0, f->height / 2.0, &x, &y);
    return fmax(1 - fabs(x / f->width - 0.5), 0) * fmax(1 - fabs(y / f->height - 0.5), 0);
}

/* Pairs that overlap, `apart` frames or more; returns their number. */
static int list_pairs(const look_frames *f, int apart, endo_pair *pairs) {
    int n = 0;
    for (int i = 0; i < DISTANCES * f->n; i++) {
        const endo_pair pair = {i / DISTANCES, i / DISTANCES + distances[i % DISTANCES]};
        endo_transform step;
        if (distances[i % DISTANCES] < apart || pair.current >= f->n || pair_step(f, &pair, &step) < LEAST_COMMON) continue;
        pairs[n++] = pair;
    }
    return n;
}

/* Tells the light where a few pairs show the same patches. */
static endo_status see_walls(const paint_work *w, endo_light *light) {
    endo_patch_place places[ENDO_PATCH_PLACES];
    endo_pair *pairs = endo_alloc((size_t)(DISTANCES * w->frames->n), sizeof *pairs);
    if (!pairs) return no_memory();
    int n = list_pairs(w->frames, FAR_APART, pairs);
    int wanted = n < SAMPLE ? n : SAMPLE;
    if (n == 0) wanted = n = list_pairs(w->frames, 1, pairs);
    endo_status status = ENDO_OK;
    for (int i = 0; i < wanted && status == ENDO_OK; i++) {
        const endo_pair *pair = &pairs[(int64_t)i * n / wanted];
        endo_transform step;
        int32_t count = 0;
        pair_step(w->frames, pair, &step);
        status = endo_pairs_locate(w->store, pair, &step, 1, places, &count);
        if (status == ENDO_OK) status = endo_light_put_places(light, places, count);
    }
    endo_free(pairs);
    return status;
}

/* Estimates the light of the scope, and the gain of each frame, from the frames. */
static endo_status solve_light(endo_context *context, const paint_work *w, endo_light_report *report) {
    const look_frames *f = w->frames;
    endo_light *light = NULL;
    endo_status status = endo_light_create(context, ENDO_RGB32, f->width, f->height, 255, f->field, &light);
    for (int i = 0; i < f->n && status == ENDO_OK; i++) {
        w->views[i] = (endo_light_view){.frame = i, .transform = f->poses[i]};
        status = endo_light_put(light, i, f->images[i], f->width);
    }
    if (status == ENDO_OK) status = see_walls(w, light);
    if (status == ENDO_OK)
        status = endo_light_solve(light, w->views, (size_t)f->n, NULL, w->correction, w->gains, report);
    endo_light_destroy(&light);
    return status;
}

static endo_status add_all(const paint_work *w, endo_blend *blend, int even, const look_panorama *p, double *seconds) {
    const look_frames *f = w->frames;
    const endo_posed_frames posed = {
        .slots = w->slots,
        .transforms = f->poses,
        .gains = even ? w->gains : NULL,
        .n = (size_t)f->n,
        .origin_x = -p->left,
        .origin_y = -p->top,
    };
    endo_status status = put_all(w->store, f); /* every pass reads the frames anew */
    double begin = timing_now();
    if (status == ENDO_OK) status = endo_blend_add(blend, w->store, &posed);
    *seconds += timing_now() - begin;
    return status;
}

static endo_status paint(endo_context *context, const paint_work *w, int even, look_panorama *p, look_times *times,
                         endo_light_report *report) {
    const look_frames *f = w->frames;
    const endo_rectangle whole = {.width = p->width, .height = p->height};
    const endo_panorama_planes planes = {.pixels = p->pixels, .painted = p->painted};
    endo_blend *blend = NULL;
    double begin = timing_now();
    endo_status status = even ? solve_light(context, w, report) : ENDO_OK;
    times->light = timing_now() - begin;
    if (status == ENDO_OK) status = endo_blend_create(context, ENDO_RGB32, p->width, p->height, NULL, &blend);
    if (status == ENDO_OK) status = endo_blend_set_correction(blend, even ? w->correction : NULL, f->width, f->height);
    if (status == ENDO_OK) status = add_all(w, blend, even, p, &times->blend);
    if (status == ENDO_OK) status = endo_blend_next_pass(blend);
    if (status == ENDO_OK) status = add_all(w, blend, even, p, &times->blend);
    if (status == ENDO_OK) status = endo_blend_read(blend, &whole, &planes);
    times->all = timing_now() - begin;
    endo_blend_destroy(&blend);
    return status;
}

endo_status look_paint(endo_context *context, endo_frames *store, const look_frames *f, int even, look_panorama *out,
                       look_times *times, endo_light_report *report) {
    size_t n = (size_t)f->n;
    paint_work w = {
        .store = store,
        .frames = f,
        .correction = endo_alloc((size_t)f->width * f->height, sizeof *w.correction),
        .gains = endo_alloc(n, 3 * sizeof *w.gains),
        .slots = endo_alloc(n, sizeof *w.slots),
        .views = endo_alloc(n, sizeof *w.views),
    };
    int made = w.correction && w.gains && w.slots && w.views;
    for (int i = 0; made && i < f->n; i++) w.slots[i] = i;
    endo_status status = made ? paint(context, &w, even, out, times, report) : no_memory();
    endo_free(w.correction);
    endo_free(w.gains);
    endo_free(w.slots);
    endo_free(w.views);
    return status;
}
