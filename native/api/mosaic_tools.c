/* Tools beside the panorama (endorama/mosaic_tools.h): argument checks. */
#include "include/endorama/mosaic_tools.h"

#include "systems/mosaic/aligned_frames.h"
#include "systems/mosaic/option_sweep.h"
#include "systems/mosaic/pair_refine.h"
#include "systems/mosaic/pose_quality.h"
#include "systems/mosaic/wild_poses.h"
#include "checks.h"
#include "mosaic_checks.h"

/* ----------------------------------------------------------- quality of poses */

endo_status endo_mosaic_quality(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames,
                                int32_t n, int32_t distance, endo_pose_quality *qualities, int32_t *n_qualities) {
    if (!qualities || !n_qualities) return endo_fail(ENDO_ERR_ARGUMENT, "quality: an argument is NULL");
    if (distance < 1) return endo_fail(ENDO_ERR_ARGUMENT, "distance %d: must be 1 or more frames", distance);
    ENDO_TRY(mosaic_check_source(source, 2));
    ENDO_TRY(mosaic_check_poses(source, frames, n));
    ENDO_TRY(mosaic_begin(mosaic, source, 2));
    return pose_quality_run(mosaic, source, frames, distance, qualities, n_qualities);
}

/* ----------------------------------------------------------- sweep over options */

static endo_status check_combination(const endo_pairs_options *all, int i) {
    ENDO_TRY(endo_check_pairs_options(&all[i]));
    if (all[i].initial == all->initial && all[i].method == all->method) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "combination %d: initial %d and method %d: must be those of combination 0, %d and %d",
                     i, (int)all[i].initial, (int)all[i].method, (int)all->initial, (int)all->method);
}

endo_status endo_mosaic_sweep(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pairs_options *combinations,
                              int32_t n, endo_sweep_result *results) {
    if (!combinations || !results) return endo_fail(ENDO_ERR_ARGUMENT, "sweep: an argument is NULL");
    if (n < 1 || n > ENDO_SWEEP_MOST)
        return endo_fail(ENDO_ERR_ARGUMENT, "%d combinations of options: must be 1..%d", n, ENDO_SWEEP_MOST);
    for (int i = 0; i < n; i++) ENDO_TRY(check_combination(combinations, i));
    ENDO_TRY(mosaic_begin(mosaic, source, 2));
    return option_sweep_run(mosaic, source, combinations, n, results);
}

/* ---------------------------------------------------------- refinement of a pair */

endo_status endo_mosaic_refine(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_pair *pair,
                               const endo_transform *start, endo_refined_pair *refined) {
    if (!pair || !start || !refined) return endo_fail(ENDO_ERR_ARGUMENT, "refine: an argument is NULL");
    ENDO_TRY(mosaic_check_source(source, 2));
    if (pair->reference < 0 || pair->current < 0 || pair->reference >= source->frames || pair->current >= source->frames ||
        pair->reference == pair->current)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames %d and %d: must be two of 0..%d", pair->reference, pair->current,
                         source->frames - 1);
    if (endo_transform_check(start) != ENDO_OK || !pose_is_invertible(start))
        return endo_fail(ENDO_ERR_ARGUMENT, "start: it is not finite, not of its class, or cannot be inverted");
    ENDO_TRY(mosaic_begin(mosaic, source, 2));
    return pair_refine_run(mosaic, source, pair, start, refined);
}

/* ---------------------------------------------------------------- aligned frames */

endo_status endo_mosaic_align(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames, int32_t n,
                              int32_t component, endo_aligned_extent extent, endo_aligned_size *size) {
    if (!size) return endo_fail(ENDO_ERR_ARGUMENT, "align: size is NULL");
    if ((int)extent != ENDO_ALIGNED_FRAME && extent != ENDO_ALIGNED_ALL)
        return endo_fail(ENDO_ERR_ARGUMENT, "extent %d: must be 0 (that of a frame) or 1 (all)", (int)extent);
    if (component < 1) return endo_fail(ENDO_ERR_ARGUMENT, "component %d: must be 1 or more", component);
    ENDO_TRY(mosaic_check_source(source, 1));
    ENDO_TRY(mosaic_check_poses(source, frames, n));
    ENDO_TRY(mosaic_begin(mosaic, source, 1));
    ENDO_TRY(aligned_create(mosaic, source, frames, component, extent, &mosaic->aligned));
    mosaic_rect r = aligned_rect(mosaic->aligned);
    *size = (endo_aligned_size){
        .width = rect_width(r),
        .height = rect_height(r),
        .origin_x = -r.left,
        .origin_y = -r.top,
    };
    return ENDO_OK;
}

endo_status endo_mosaic_read_aligned(endo_mosaic *mosaic, int32_t frame, void *pixels, int32_t *is_readable) {
    int readable;
    if (!mosaic || !pixels) return endo_fail(ENDO_ERR_ARGUMENT, "read aligned: an argument is NULL");
    if (!mosaic->aligned) return endo_fail(ENDO_ERR_ARGUMENT, "read aligned: nothing was aligned (endo_mosaic_align)");
    ENDO_TRY(aligned_read(mosaic->aligned, frame, pixels, &readable));
    if (is_readable) *is_readable = readable;
    return ENDO_OK;
}

/* -------------------------------------------------- poses that cannot be shown */

endo_status endo_mosaic_wild_poses(const endo_mosaic_frame *frames, int32_t n, int width, int height, int64_t max_canvas,
                                   endo_wild_pose *wild, int32_t *n_wild) {
    if (!n_wild || (n > 0 && (!frames || !wild))) return endo_fail(ENDO_ERR_ARGUMENT, "wild poses: an argument is NULL");
    if (n < 0 || n > MOSAIC_MOST_FRAMES)
        return endo_fail(ENDO_ERR_ARGUMENT, "%d frames: must be 0..%d", n, MOSAIC_MOST_FRAMES);
    if (width < 1 || height < 1 || width > MOSAIC_LONGEST_SIDE || height > MOSAIC_LONGEST_SIDE)
        return endo_fail(ENDO_ERR_ARGUMENT, "frames of %d x %d px: sides must be 1..%d", width, height, MOSAIC_LONGEST_SIDE);
    if (max_canvas < 1) return endo_fail(ENDO_ERR_ARGUMENT, "max_canvas %lld: must be 1 or more", (long long)max_canvas);
    if (n) ENDO_TRY(mosaic_check_records(frames, n, NULL, 0));
    return wild_poses_find(frames, n, (mosaic_size){.width = width, .height = height}, max_canvas, wild, n_wild);
}
