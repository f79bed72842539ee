/* Mutual information: argument checks. */
#include "systems/mutual/mutual.h"


#define MOST_VOXELS ((int64_t)1 << 30)

void endo_volume_init(endo_volume *volume) {
    const endo_volume defaults = {.type = ENDO_GREY8, .depth = 1, .spacing = {1, 1, 1}};
    if (volume) *volume = defaults;
}

void endo_mutual_options_init(endo_mutual_options *options) {
    endo_mutual_options defaults = {.model = ENDO_TRANSFORM_RIGID, .turn_range = 15, .overlap = 0.25, .tolerance = 0.01,
                                    .max_evaluations = 100000};
    endo_affine3_identity(defaults.initial_map);
    if (options) *options = defaults;
}

/* ----------------------------------------------------------------- volumes */

static endo_status check_sizes(const char *name, const endo_volume *v) {
    const int sides[3] = {v->width, v->height, v->depth};
    if (endo_pixel_size(v->type) == 0)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s volume: pixel type %d: must be 0..2", name, (int)v->type);
    for (int i = 0; i < 3; i++)
        if (sides[i] < 1 || sides[i] > ENDO_MUTUAL_MAX_SIDE)
            return endo_fail(ENDO_ERR_ARGUMENT, "%s volume of %d x %d x %d: each side must be 1..%d", name, v->width,
                             v->height, v->depth, ENDO_MUTUAL_MAX_SIDE);
    if ((int64_t)v->width * v->height * v->depth > MOST_VOXELS)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s volume of %d x %d x %d: at most 2^30 voxels", name, v->width, v->height,
                         v->depth);
    return ENDO_OK;
}

static endo_status check_strides(const char *name, endo_volume *v) {
    if (v->stride == 0) v->stride = v->width;
    if (v->stride < v->width)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s volume: stride %td: must be at least the width, %d, or 0", name, v->stride,
                         v->width);
    if (v->stride > PTRDIFF_MAX / 8 / v->height)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s volume: stride %td: too large", name, v->stride);
    if (v->slice == 0) v->slice = v->stride * v->height;
    if (v->slice < v->stride * v->height)
        return endo_fail(ENDO_ERR_ARGUMENT, "%s volume: slice %td: must be at least %td (its rows), or 0", name, v->slice,
                         v->stride * v->height);
    return ENDO_OK;
}

/* Copies a volume and sets its strides. */
static endo_status check_volume(const char *name, const endo_volume *from, endo_volume *v) {
    *v = *from;
    endo_status status = check_sizes(name, v);
    if (status == ENDO_OK) status = check_strides(name, v);
    for (int i = 0; i < 3 && status == ENDO_OK; i++)
        if (!(v->spacing[i] >= 1e-6 && v->spacing[i] <= 1e6))
            status = endo_fail(ENDO_ERR_ARGUMENT, "%s volume: spacing %g mm: must be 0.000001..1000000", name, v->spacing[i]);
    return status;
}

/* ----------------------------------------------------------------- options */

static endo_status check_choice(const char *name, int value, int most) {
    if (value >= 0 && value <= most) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s %d: must be 0..%d", name, value, most);
}

static endo_status check_numbers(const endo_mutual_options *o) {
    if (o->bins != 0 && (o->bins < 16 || o->bins > 256))
        return endo_fail(ENDO_ERR_ARGUMENT, "bins %d: must be 16..256, or 0", o->bins);
    if (o->levels < 0 || o->levels > ENDO_MUTUAL_MAX_LEVELS)
        return endo_fail(ENDO_ERR_ARGUMENT, "levels %d: must be 1..%d, or 0", o->levels, ENDO_MUTUAL_MAX_LEVELS);
    if (o->starts < 0 || o->starts > ENDO_MUTUAL_MAX_STARTS)
        return endo_fail(ENDO_ERR_ARGUMENT, "starts %d: must be 1..%d, or 0", o->starts, ENDO_MUTUAL_MAX_STARTS);
    if (!(o->turn_range >= 0 && o->turn_range <= 180))
        return endo_fail(ENDO_ERR_ARGUMENT, "turn range %g degrees: must be 0..180", o->turn_range);
    if (!(o->shift_range >= 0 && o->shift_range <= 1e9))
        return endo_fail(ENDO_ERR_ARGUMENT, "shift range %g mm: must be 0 or more", o->shift_range);
    if (!(o->overlap > 0 && o->overlap <= 1))
        return endo_fail(ENDO_ERR_ARGUMENT, "overlap %g: must be above 0, up to 1", o->overlap);
    if (!(o->tolerance >= 0.0001 && o->tolerance <= 1))
        return endo_fail(ENDO_ERR_ARGUMENT, "tolerance %g voxels: must be 0.0001..1", o->tolerance);
    if (o->max_evaluations < 1 || o->max_evaluations > 1000000)
        return endo_fail(ENDO_ERR_ARGUMENT, "max evaluations %d: must be 1..1000000", o->max_evaluations);
    return ENDO_OK;
}

static endo_status check_options(const endo_mutual_options *o) {
    endo_status status = check_choice("model", (int)o->model, ENDO_TRANSFORM_AFFINE);
    if (status == ENDO_OK) status = check_choice("measure", (int)o->measure, ENDO_MUTUAL_NMI);
    if (status == ENDO_OK) status = check_choice("interpolation", (int)o->interpolation, ENDO_MUTUAL_NEAREST);
    if (status == ENDO_OK) status = check_choice("optimizer", (int)o->optimizer, ENDO_MUTUAL_GRADIENT);
    if (status == ENDO_OK) status = check_choice("initial", (int)o->initial, ENDO_MUTUAL_GIVEN);
    if (status == ENDO_OK) status = check_numbers(o);
    for (int i = 0; i < 2 && status == ENDO_OK; i++)
        if (o->low[i] < 0 || o->high[i] > 65535 || o->low[i] > o->high[i])
            status = endo_fail(ENDO_ERR_ARGUMENT, "grey range %d..%d: must grow, within 0..65535", o->low[i], o->high[i]);
    if (status == ENDO_OK && o->initial == ENDO_MUTUAL_GIVEN && !endo_affine3_is_affine(o->initial_map))
        status = endo_fail(ENDO_ERR_ARGUMENT, "initial transform: must be finite, its last row 0 0 0 1");
    return status;
}

/* ------------------------------------------------------------------- calls */

endo_status endo_mutual_create(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                               const endo_mutual_options *options, endo_mutual **out) {
    endo_mutual_options defaults = endo_mutual_options_default();
    endo_volume volumes[2];
    if (!context || !fixed || !moving || !out || !fixed->pixels || !moving->pixels)
        return endo_fail(ENDO_ERR_ARGUMENT, "registration: an argument is NULL");
    if (!options) options = &defaults;
    endo_status status = check_volume("fixed", fixed, &volumes[0]);
    if (status == ENDO_OK) status = check_volume("moving", moving, &volumes[1]);
    if (status == ENDO_OK) status = check_options(options);
    if (status == ENDO_OK && moving->mask)
        status = endo_fail(ENDO_ERR_ARGUMENT, "moving volume: a mask belongs to the fixed one");
    if (status == ENDO_OK) status = endo_context_step(context);
    return status == ENDO_OK ? endo_mutual_make(context, &volumes[0], &volumes[1], options, out) : status;
}

void endo_mutual_destroy(endo_mutual **mutual) {
    if (!mutual || !*mutual) return;
    endo_mutual_free(*mutual);
    *mutual = NULL;
}

endo_status endo_mutual_register(endo_mutual *mutual, endo_mutual_result *result) {
    if (!mutual || !result) return endo_fail(ENDO_ERR_ARGUMENT, "registration: an argument is NULL");
    endo_status status = endo_context_step(mutual->context);
    return status == ENDO_OK ? endo_mutual_run(mutual, result) : status;
}

static endo_status check_worlds(const double *worlds, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!endo_affine3_is_affine(worlds + 16 * i))
            return endo_fail(ENDO_ERR_ARGUMENT, "transform %zu: must be finite, its last row 0 0 0 1", i);
    return ENDO_OK;
}

endo_status endo_mutual_evaluate(endo_mutual *mutual, const double *worlds, size_t n, double *values, double *overlaps) {
    if (!mutual || (n && (!worlds || !values))) return endo_fail(ENDO_ERR_ARGUMENT, "registration: an argument is NULL");
    endo_status status = check_worlds(worlds, n);
    if (status == ENDO_OK) status = endo_context_step(mutual->context);
    return status == ENDO_OK ? endo_mutual_values(mutual, worlds, n, values, overlaps) : status;
}

endo_status endo_mutual_histogram(endo_mutual *mutual, const double *world, uint32_t *counts) {
    if (!mutual || !world || !counts) return endo_fail(ENDO_ERR_ARGUMENT, "registration: an argument is NULL");
    endo_status status = check_worlds(world, 1);
    if (status == ENDO_OK) status = endo_context_step(mutual->context);
    return status == ENDO_OK ? endo_mutual_counts(mutual, world, counts) : status;
}

int endo_mutual_bins(const endo_mutual *mutual) { return mutual ? mutual->options.bins : 0; }

endo_status endo_mutual_resample(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                                 const double *world, endo_mutual_interpolation interpolation,
                                 const endo_volume_output *out) {
    endo_volume grid, from, to;
    if (!context || !fixed || !moving || !world || !out || !out->pixels || !moving->pixels)
        return endo_fail(ENDO_ERR_ARGUMENT, "resampling: an argument is NULL");
    endo_status status = check_volume("fixed", fixed, &grid);
    if (status == ENDO_OK) status = check_volume("moving", moving, &from);
    to = grid;
    to.stride = out->stride;
    to.slice = out->slice;
    if (status == ENDO_OK) status = check_strides("resampled", &to);
    if (status == ENDO_OK) status = check_worlds(world, 1);
    if (status == ENDO_OK) status = check_choice("interpolation", (int)interpolation, ENDO_MUTUAL_NEAREST);
    if (status == ENDO_OK) status = endo_context_step(context);
    if (status != ENDO_OK) return status;
    const endo_volume_output dense = {.pixels = out->pixels, .stride = to.stride, .slice = to.slice};
    return endo_mutual_redraw(context, &grid, &from, world, interpolation == ENDO_MUTUAL_NEAREST, &dense);
}
