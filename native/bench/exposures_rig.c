#include "exposures_rig.h"

#include "images.h"

#include "api/testing.h"
#include "test/scene.h"

#include <string.h>

#define MARGIN 48 /* the greatest shift */

static uint8_t exposed(int v, double gain, int noise) {
    double out = gain * v + noise;
    return (uint8_t)(out < 0 ? 0 : out > 255 ? 255 : out);
}

static int cut(exposures_set *s, const uint8_t *scene, int i) {
    static const double gains[3] = {1, 1.4, 0.6};
    int stride = s->width + MARGIN;
    test_random r = {(uint64_t)i + 1};
    s->places[i][0] = test_between(&r, 0, MARGIN), s->places[i][1] = test_between(&r, 0, MARGIN);
    s->frames[i] = endo_alloc((size_t)s->width * s->height, 1);
    if (!s->frames[i]) return 0;
    for (int y = 0; y < s->height; y++) {
        const uint8_t *row = scene + (size_t)(y + s->places[i][1]) * stride + s->places[i][0];
        for (int x = 0; x < s->width; x++)
            s->frames[i][(size_t)y * s->width + x] = exposed(row[x], gains[i % 3], test_between(&r, -2, 2));
    }
    return 1;
}

int exposures_set_create(exposures_set *s, int width, int height, int n) {
    exposures_set made = {width, height, n, endo_alloc_zeroed((size_t)n, sizeof *made.frames),
                          endo_alloc_zeroed((size_t)n, sizeof *made.places)};
    uint32_t *rgb = image_tissue(width + MARGIN, height + MARGIN);
    uint8_t *grey = rgb ? image_grey(rgb, (size_t)(width + MARGIN) * (height + MARGIN)) : NULL;
    int ready = made.frames && made.places && grey;
    for (int i = 0; i < n && ready; i++) ready = cut(&made, grey, i);
    endo_free(rgb);
    endo_free(grey);
    *s = made;
    if (!ready) exposures_set_destroy(s);
    return ready;
}

void exposures_set_destroy(exposures_set *s) {
    for (int i = 0; s->frames && i < s->n; i++) endo_free(s->frames[i]);
    endo_free(s->frames);
    endo_free(s->places);
    s->frames = NULL;
    s->places = NULL;
}

void exposures_truth(const exposures_set *s, int reference, int current, int *dx, int *dy) {
    const int *r = s->places[reference % s->n], *c = s->places[current % s->n];
    *dx = c[0] - r[0], *dy = c[1] - r[1];
}

endo_exposure_options exposures_paper_params(void) {
    endo_exposure_options p = {.search = 64, .tolerance = 4, .bins = 64, .percentile = ENDO_PERCENTILE_MEDIAN};
    return p;
}

endo_status exposures_rig_create(exposures_rig *r, const exposures_set *set, const endo_kernels *kernels,
                                 const endo_context_options *options, int capacity) {
    endo_frames_options f = endo_frames_options_default();
    memset(r, 0, sizeof *r);
    r->set = set, r->capacity = capacity;
    f.width = set->width, f.height = set->height, f.type = ENDO_GREY8, f.capacity = capacity;
    f.flow = 0, f.keep_pixels = 0;
    endo_status status = endo_context_create_with(kernels, options, &r->context);
    if (status == ENDO_OK) status = endo_frames_create(r->context, &f, &r->frames);
    if (status != ENDO_OK) return status;
    r->pairs = endo_alloc((size_t)capacity, sizeof *r->pairs);
    r->results = endo_alloc_zeroed((size_t)capacity, sizeof *r->results);
    if (!r->pairs || !r->results) return endo_fail(ENDO_ERR_MEMORY, "no memory for a bench");
    exposures_rig_disjoint(r);
    return exposures_rig_refill(r);
}

void exposures_rig_destroy(exposures_rig *r) {
    endo_frames_destroy(&r->frames);
    endo_context_destroy(&r->context);
    endo_free(r->pairs);
    endo_free(r->results);
}

endo_status exposures_rig_refill(exposures_rig *r) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < r->capacity && status == ENDO_OK; i++)
        status = endo_frames_put(r->frames, i, r->set->frames[i % r->set->n], r->set->width);
    return status;
}

static void make_pairs(exposures_rig *r, int step) {
    r->n_pairs = 0;
    for (int i = 0; i + 1 < r->capacity; i += step) {
        endo_pair pair = {i, i + 1};
        r->pairs[r->n_pairs++] = pair;
    }
}

void exposures_rig_disjoint(exposures_rig *r) { make_pairs(r, 2); }

void exposures_rig_neighbours(exposures_rig *r) { make_pairs(r, 1); }

endo_status exposures_rig_align(exposures_rig *r, const endo_exposure_options *p, size_t first, size_t n) {
    return r->context->kernels->batches->exposures(r->frames->store, r->pairs + first, n, p, r->results + first);
}

endo_status exposures_rig_check(const exposures_rig *r) {
    for (size_t i = 0; i < r->n_pairs; i++) {
        int dx, dy;
        const endo_exposure_result *e = &r->results[i];
        exposures_truth(r->set, r->pairs[i].reference, r->pairs[i].current, &dx, &dy);
        if (e->dx != dx || e->dy != dy)
            return endo_fail(ENDO_ERR_INTERNAL, "%s, pair %zu of %d x %d: shift (%g, %g), made with (%d, %d)",
                             r->context->description, i, r->set->width, r->set->height, e->dx, e->dy, dx, dy);
    }
    return ENDO_OK;
}

endo_status exposures_rig_time(exposures_rig *r, const endo_exposure_options *p, size_t per_call, int rounds,
                               timing *out) {
    endo_status status = exposures_rig_align(r, p, 0, r->n_pairs);
    if (status == ENDO_OK) status = exposures_rig_check(r);
    for (int round = 0; round < rounds && status == ENDO_OK; round++) {
        status = exposures_rig_refill(r);
        for (size_t i = 0; i + per_call <= r->n_pairs && status == ENDO_OK; i += per_call) {
            double start = timing_now();
            status = exposures_rig_align(r, p, i, per_call);
            timing_add(out, (timing_now() - start) / (double)per_call);
        }
    }
    return status;
}
