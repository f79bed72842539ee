/* Registration by mutual information: from the caller's volumes to the levels of a back end, and from the search to the
 * result. */
#include "mutual.h"

#include "mutual_rim.h"
#include "mutual_samples.h"
#include "mutual_search.h"
#include "mutual_space.h"

#include <string.h>

#define BINS 64 /* where the options leave it open */

/* -------------------------------------------------------------------- make */

static double count_mask(const endo_volume *v) {
    size_t n = (size_t)v->width * v->height * v->depth, counted = 0;
    if (!v->mask) return (double)n;
    for (size_t i = 0; i < n; i++) counted += v->mask[i] != 0;
    return (double)counted;
}

static double volume_of(const double world[16]) {
    double s[3];
    endo_world_spacing(world, s);
    return s[0] * s[1] * s[2];
}

/* Fewest voxels that must overlap at each level: a share of the smaller of both volumes, in fixed voxels. */
static void find_least(endo_mutual *m) {
    const int *size = m->moving[0].size;
    double moving = (double)size[0] * size[1] * size[2] * volume_of(m->moving[0].world) / volume_of(m->fixed[0].world);
    double least = m->options.overlap * fmin(m->counted, moving);
    for (int i = 0; i < m->options.levels; i++) {
        m->least[i] = least * volume_of(m->fixed[0].world) / volume_of(m->fixed[i].world);
        if (m->least[i] < 1) m->least[i] = 1;
    }
}

/* The initial shift that brings two points together, each in voxels of its volume. */
static void join(endo_mutual *m, const double fixed[3], const double moving[3]) {
    double from[3], to[3];
    endo_affine3_apply(m->fixed[0].world, fixed, from);
    endo_affine3_apply(m->moving[0].world, moving, to);
    for (int i = 0; i < 3; i++) m->initial[4 * i + 3] = to[i] - from[i];
}

static void find_initial(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving,
                         const endo_grey_range ranges[2]) {
    double middle[2][3], bright[2][3];
    for (int i = 0; i < 3; i++) {
        middle[0][i] = (m->fixed[0].size[i] - 1) / 2.0;
        middle[1][i] = (m->moving[0].size[i] - 1) / 2.0;
    }
    endo_affine3_identity(m->initial);
    switch (m->options.initial) {
    case ENDO_MUTUAL_HEADER: break;
    case ENDO_MUTUAL_CENTRES: join(m, middle[0], middle[1]); break;
    case ENDO_MUTUAL_MOMENTS:
        endo_volume_centre(fixed, ranges[0], bright[0]);
        endo_volume_centre(moving, ranges[1], bright[1]);
        join(m, bright[0], bright[1]);
        break;
    case ENDO_MUTUAL_GIVEN: memcpy(m->initial, m->options.initial_map, sizeof m->initial); break;
    }
}

static endo_status find_spaces(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving) {
    const endo_volume *volumes[2] = {fixed, moving};
    for (int k = 0; k < 2; k++) {
        endo_mutual_space *s = k ? &m->moving[0] : &m->fixed[0];
        s->size[0] = volumes[k]->width;
        s->size[1] = volumes[k]->height;
        s->size[2] = volumes[k]->depth;
        if (!endo_volume_world(volumes[k], m->planar, s->world))
            return endo_fail(ENDO_ERR_ARGUMENT, "world of the %s volume: must be affine and not flat",
                             k ? "moving" : "fixed");
    }
    m->options.levels = endo_mutual_plan_levels(m, m->options.levels);
    for (int i = 0; i < m->options.levels; i++)
        if (!endo_affine3_invert(m->moving[i].world, m->to_moving[i]))
            return endo_fail(ENDO_ERR_ARGUMENT, "world of the moving volume: cannot be inverted");
    endo_mutual_find_centre(m);
    find_least(m);
    return ENDO_OK;
}

/* Fails where maps near the initial one cannot be represented. */
static endo_status check_resolution(const endo_mutual *m) {
    double voxels[16];
    endo_mutual_map map;
    for (int i = 0; i < m->options.levels; i++) {
        endo_mutual_in_voxels(m, i, m->initial, voxels);
        if (!endo_affine3_to_fixed(voxels, &map))
            return endo_fail(ENDO_ERR_ARGUMENT, "initial transform: a step of a fixed voxel must be less than %.0f moving "
                                                "voxels, and a shift less than %.0f", ENDO_MUTUAL_MAX_STEP,
                             ENDO_MUTUAL_MAX_SHIFT);
    }
    return ENDO_OK;
}

static endo_status upload(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving,
                          const endo_grey_range ranges[2]) {
    endo_mutual_setup setup = {.fixed = *fixed, .moving = *moving, .n_levels = m->options.levels,
                               .nearest = m->options.interpolation == ENDO_MUTUAL_NEAREST};
    for (int k = 0; k < 2; k++) {
        setup.low[k] = ranges[k].low;
        setup.high[k] = ranges[k].high;
    }
    memcpy(setup.levels, m->plan, sizeof setup.levels);
    return m->context->kernels->mutual->create(m->context->backend, &setup, &m->pair);
}

static endo_status fill(endo_mutual *m, const endo_volume *fixed, const endo_volume *moving) {
    const endo_mutual_options *o = &m->options;
    endo_grey_range ranges[2];
    for (int k = 0; k < 2; k++) {
        ranges[k] = (endo_grey_range){o->low[k], o->high[k]};
        if (o->low[k] >= o->high[k]) ENDO_TRY(endo_volume_range(k ? moving : fixed, &ranges[k]));
    }
    ENDO_TRY(find_spaces(m, fixed, moving));
    find_initial(m, fixed, moving, ranges);
    ENDO_TRY(check_resolution(m));
    m->constant = ranges[0].low == ranges[0].high || ranges[1].low == ranges[1].high;
    return upload(m, fixed, moving, ranges);
}

static double longest_side(const endo_mutual *m) {
    double spacing[3], longest = 0;
    endo_world_spacing(m->fixed[0].world, spacing);
    for (int i = 0; i < 3; i++) longest = fmax(longest, spacing[i] * m->fixed[0].size[i]);
    return longest;
}

endo_status endo_mutual_make_plain(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                                   const endo_mutual_options *options, endo_mutual **out) {
    endo_mutual *m = endo_alloc_zeroed(1, sizeof *m);
    if (!m) return endo_fail(ENDO_ERR_MEMORY, "no memory for a registration");
    m->context = endo_context_keep(context);
    m->options = *options;
    m->planar = fixed->depth == 1 && moving->depth == 1;
    m->parameters = endo_mutual_parameters(options->model, m->planar);
    m->counted = count_mask(fixed);
    if (m->options.bins == 0) m->options.bins = BINS;
    endo_status status = fill(m, fixed, moving);
    if (status == ENDO_OK && m->options.shift_range == 0) m->options.shift_range = longest_side(m) / 8;
    if (status == ENDO_OK)
        *out = m;
    else
        endo_mutual_free(m);
    return status;
}

endo_status endo_mutual_make(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                             const endo_mutual_options *options, endo_mutual **out) {
    endo_mutual *m = NULL;
    ENDO_TRY(endo_mutual_make_plain(context, fixed, moving, options, &m));
    endo_status status = endo_mutual_keep_rims(m, fixed, moving);
    if (status == ENDO_OK)
        *out = m;
    else
        endo_mutual_free(m);
    return status;
}

void endo_mutual_free(endo_mutual *m) {
    endo_mutual_free_rims(m);
    if (m->pair) m->context->kernels->mutual->destroy(m->pair);
    endo_context_let_go(m->context);
    endo_free(m);
}

/* ---------------------------------------------------------------- evaluate */

static endo_status to_fixed(const endo_mutual *m, const double *world, endo_mutual_map *map) {
    double voxels[16];
    endo_mutual_in_voxels(m, 0, world, voxels);
    if (endo_affine3_to_fixed(voxels, map)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "transform: a step of a fixed voxel must be less than %.0f moving voxels, and a "
                                        "shift less than %.0f", ENDO_MUTUAL_MAX_STEP, ENDO_MUTUAL_MAX_SHIFT);
}

double endo_mutual_value(const endo_mutual *m, const endo_mutual_sums *s) {
    if (s->n == 0) return NAN;
    return m->options.measure == ENDO_MUTUAL_NMI ? endo_mutual_normalized(s) : endo_mutual_information(s);
}

double endo_mutual_overlap(const endo_mutual *m, const endo_mutual_sums *s) {
    return m->counted > 0 ? (double)s->n / m->counted : 0;
}

endo_status endo_mutual_measure_world(endo_mutual *m, const double *world, endo_mutual_sums *sums) {
    endo_mutual_map map;
    ENDO_TRY(to_fixed(m, world, &map));
    return m->context->kernels->mutual->measure(m->pair, 0, NULL, &map, 1, sums);
}

endo_status endo_mutual_values(endo_mutual *m, const double *worlds, size_t n, double *values, double *overlaps) {
    endo_mutual_map maps[ENDO_MUTUAL_BATCH];
    endo_mutual_sums sums[ENDO_MUTUAL_BATCH];
    for (size_t i = 0; i < n; i++) ENDO_TRY(to_fixed(m, worlds + 16 * i, &maps[0])); /* before anything is written */
    for (size_t i = 0; i < n; i += ENDO_MUTUAL_BATCH) {
        size_t part = n - i < ENDO_MUTUAL_BATCH ? n - i : ENDO_MUTUAL_BATCH;
        for (size_t k = 0; k < part; k++) ENDO_TRY(to_fixed(m, worlds + 16 * (i + k), &maps[k]));
        ENDO_TRY(m->context->kernels->mutual->measure(m->pair, 0, NULL, maps, part, sums));
        for (size_t k = 0; k < part; k++) {
            values[i + k] = endo_mutual_value(m, &sums[k]);
            if (overlaps) overlaps[i + k] = endo_mutual_overlap(m, &sums[k]);
        }
    }
    return ENDO_OK;
}

endo_status endo_mutual_counts(endo_mutual *m, const double *world, uint32_t *counts) {
    endo_mutual_map map;
    ENDO_TRY(to_fixed(m, world, &map));
    return m->context->kernels->mutual->histogram(m->pair, 0, &map, counts);
}

/* ---------------------------------------------------------------- resample */

endo_status endo_mutual_redraw(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                               const double *world, int nearest, const endo_volume_output *out) {
    endo_resample_job job = {.moving = *moving, .nearest = nearest, .width = fixed->width, .height = fixed->height,
                             .depth = fixed->depth, .out = out->pixels, .out_stride = out->stride,
                             .out_slice = out->slice};
    double worlds[2][16], voxels[16];
    int planar = fixed->depth == 1 && moving->depth == 1;
    if (!endo_volume_world(fixed, planar, worlds[0]) || !endo_volume_world(moving, planar, worlds[1]) ||
        !endo_affine3_invert(worlds[1], worlds[1]))
        return endo_fail(ENDO_ERR_ARGUMENT, "world of a volume: must be affine and not flat");
    endo_affine3_product(worlds[0], world, voxels);
    endo_affine3_product(voxels, worlds[1], voxels);
    if (!endo_affine3_to_fixed(voxels, &job.map))
        return endo_fail(ENDO_ERR_ARGUMENT, "transform: a step of a fixed voxel must be less than %.0f moving voxels, "
                                            "and a shift less than %.0f", ENDO_MUTUAL_MAX_STEP, ENDO_MUTUAL_MAX_SHIFT);
    return context->kernels->mutual->resample(context->backend, &job);
}
