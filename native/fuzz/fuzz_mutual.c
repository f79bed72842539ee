/* Calls of registration by mutual information: small volumes of all shapes, transforms of all kinds. */
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAPS 3

static void random_matrix(fuzz_input *in, double m[16]) {
    for (int i = 0; i < 16; i++) m[i] = i % 5 == 0;
    if (fuzz_one_in(in, 4)) return;
    for (int i = 0; i < 12; i++)
        if (fuzz_one_in(in, 2)) m[i] += i % 4 == 3 ? fuzz_real(in, -9, 9) : fuzz_real(in, -0.2, 0.2);
    if (fuzz_one_in(in, 20)) m[fuzz_between(in, 0, 15)] = fuzz_real(in, -1, 1);
}

/* Sizes that are allowed, or now and then not; memory of what the header asks for. */
static endo_volume make_volume(fuzz_input *in, void **pixels) {
    endo_volume v = endo_volume_default();
    v.type = (endo_pixel)fuzz_wild(in, 0, 2);
    v.width = fuzz_wild(in, 1, 40), v.height = fuzz_wild(in, 1, 30), v.depth = fuzz_one_in(in, 2) ? 1 : fuzz_wild(in, 1, 12);
    int valid = endo_pixel_size(v.type) && v.width >= 1 && v.width <= 100 && v.height >= 1 && v.height <= 100 && v.depth >= 1 &&
                v.depth <= 20;
    if (!valid && v.width > 0 && v.height > 0 && v.depth > 0) v.width = ENDO_MUTUAL_MAX_SIDE + 1; /* refused, not read */
    int rows = valid ? v.height + fuzz_between(in, 0, 1) : 1;
    ptrdiff_t stride = valid ? v.width + fuzz_between(in, 0, 3) : 1;
    if (!fuzz_one_in(in, 3)) rows = valid ? v.height : 1, stride = valid ? v.width : 1;
    else v.stride = stride, v.slice = stride * rows;
    *pixels = valid ? fuzz_image(in, v.width, rows * (v.depth - 1) + v.height, stride, endo_pixel_size(v.type))
                    : fuzz_output(1);
    v.pixels = *pixels;
    for (int i = 0; i < 3; i++)
        if (fuzz_one_in(in, 3)) v.spacing[i] = fuzz_real(in, 0.3, 4);
    if (fuzz_one_in(in, 4)) random_matrix(in, v.world);
    if (fuzz_one_in(in, 16)) v.slice = fuzz_wild(in, 0, 9);
    return v;
}

static endo_mutual_options make_options(fuzz_input *in) {
    endo_mutual_options o = endo_mutual_options_default();
    o.model = (endo_transform_class)fuzz_wild(in, 0, 3);
    o.bins = fuzz_one_in(in, 3) ? 0 : fuzz_wild(in, 16, 256);
    o.measure = (endo_mutual_measure)fuzz_wild(in, 0, 1);
    o.interpolation = (endo_mutual_interpolation)fuzz_wild(in, 0, 1);
    o.optimizer = (endo_mutual_optimizer)fuzz_wild(in, 0, 1);
    o.initial = (endo_mutual_initial)fuzz_wild(in, 0, 3);
    o.levels = fuzz_wild(in, 0, 3), o.starts = fuzz_wild(in, 1, 5);
    o.turn_range = fuzz_real(in, 0, 180), o.shift_range = fuzz_real(in, 0, 50);
    o.overlap = fuzz_real(in, 0.01, 1), o.tolerance = fuzz_real(in, 0.001, 1);
    o.max_evaluations = fuzz_between(in, 1, 60);
    if (fuzz_one_in(in, 6)) o.low[0] = fuzz_wild(in, 0, 300), o.high[0] = fuzz_wild(in, 0, 65535);
    random_matrix(in, o.initial_map);
    return o;
}

static void check_result(const endo_mutual_result *r, const endo_mutual_options *o) {
    fuzz_require(r->status >= ENDO_MUTUAL_OK && r->status <= ENDO_MUTUAL_NO_CONTENT, "a registration's status");
    fuzz_require(r->stop >= ENDO_MUTUAL_CONVERGED && r->stop <= ENDO_MUTUAL_CANCELLED, "why a registration stopped");
    fuzz_require(r->certainty >= 0 && r->certainty <= 1 && r->overlap >= 0 && r->overlap <= 1, "a registration's shares");
    fuzz_require(r->evaluations <= o->max_evaluations + 2, "more evaluations than allowed");
    fuzz_require(r->levels >= 1 && r->levels <= ENDO_MUTUAL_MAX_LEVELS, "levels");
    fuzz_require(isnan(r->after) || (r->after > -1e-3 && r->after < 17), "a measure that is none");
    for (int i = 0; i < 16; i++) fuzz_require(isfinite(r->world[i]) && isfinite(r->voxels[i]), "a transform that is none");
}

static void use(fuzz_input *in, endo_mutual *m, const endo_mutual_options *o) {
    double worlds[MAPS][16], *values = fuzz_guarded(MAPS * sizeof *values);
    int bins = endo_mutual_bins(m);
    size_t bytes = (size_t)bins * (size_t)bins * sizeof(uint32_t);
    uint32_t *counts = fuzz_guarded(bytes);
    endo_mutual_result *result = fuzz_guarded(sizeof *result);
    for (int i = 0; i < MAPS; i++) random_matrix(in, worlds[i]);
    fuzz_checked(endo_mutual_evaluate(m, worlds[0], MAPS, values, NULL), values, MAPS * sizeof *values,
                 "endo_mutual_evaluate");
    fuzz_checked(endo_mutual_histogram(m, worlds[0], counts), counts, bytes, "endo_mutual_histogram");
    endo_status status = fuzz_checked(endo_mutual_register(m, result), result, sizeof *result, "endo_mutual_register");
    if (status == ENDO_OK) check_result(result, o);
    fuzz_release(values, MAPS * sizeof *values);
    fuzz_release(counts, bytes);
    fuzz_release(result, sizeof *result);
}

static void resample(fuzz_session *s, const endo_volume *fixed, const endo_volume *moving) {
    double world[16];
    size_t bytes = (size_t)fixed->width * (size_t)fixed->height * (size_t)fixed->depth * endo_pixel_size(moving->type);
    uint8_t *out = fuzz_guarded(bytes);
    const endo_volume_output to = {.pixels = out};
    random_matrix(&s->in, world);
    endo_status status = endo_mutual_resample(s->context, fixed, moving, world,
                                              (endo_mutual_interpolation)fuzz_wild(&s->in, 0, 1), &to);
    fuzz_checked(status, out, bytes, "endo_mutual_resample");
    fuzz_release(out, bytes);
}

void fuzz_mutual(fuzz_session *s) {
    fuzz_input *in = &s->in;
    void *pixels[2];
    endo_volume fixed = make_volume(in, &pixels[0]), moving = make_volume(in, &pixels[1]);
    endo_mutual_options o = make_options(in);
    endo_mutual *m = NULL;
    size_t voxels = (size_t)(fixed.width > 0 && fixed.width <= 100 && fixed.height > 0 && fixed.depth > 0
                                 ? fixed.width * fixed.height * fixed.depth : 1);
    uint8_t *mask = fuzz_output(voxels);
    if (fuzz_one_in(in, 3)) fixed.mask = mask;
    int unsaid = fuzz_one_in(in, 8);
    if (unsaid) o = endo_mutual_options_default();
    endo_status status = endo_mutual_create(s->context, &fixed, &moving, unsaid ? NULL : &o, &m);
    fuzz_checked(status, &m, 0, "endo_mutual_create");
    if (status == ENDO_OK) {
        resample(s, &fixed, &moving);
        if (endo_mutual_bins(m) == o.bins) use(in, m, &o);
    } else {
        fuzz_require(m == NULL, "a failure made a registration");
    }
    endo_mutual_destroy(&m);
    free(mask);
    free(pixels[0]);
    free(pixels[1]);
}
