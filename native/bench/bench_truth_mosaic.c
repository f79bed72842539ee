/* Panoramas of frames in memory, and how far their poses are from the truth. */
#include "bench_truth.h"

#include "base/status.h"
#include "base/transform.h"

#include <math.h>

double truth_pose_error(const truth_frame_size *size, const endo_transform *pose, const endo_transform *anchor,
                        const endo_transform *true_pose, const endo_transform *true_anchor) {
    const double right = size->width - 1;
    const double bottom = size->height - 1;
    const double points[5][2] = {{0, 0}, {right, 0}, {0, bottom}, {right, bottom}, {right / 2, bottom / 2}};
    endo_transform back, true_back;
    double sum = 0;
    if (!endo_transform_inverse(anchor, &back)) return INFINITY;
    if (!endo_transform_inverse(true_anchor, &true_back)) return INFINITY;
    for (int i = 0; i < 5; i++) {
        double x, y, p, q;
        if (!endo_transform_point(pose, points[i][0], points[i][1], &x, &y)) return INFINITY;
        if (!endo_transform_point(&back, x, y, &x, &y)) return INFINITY;
        endo_affine_apply(true_pose->matrix, points[i][0], points[i][1], &p, &q);
        endo_affine_apply(true_back.matrix, p, q, &p, &q);
        sum += ((x - p) * (x - p) + (y - q) * (y - q)) / 5;
    }
    return sqrt(sum);
}

static const void *lend(void *user, int32_t frame, char *reason) {
    uint32_t *const *frames = user;
    (void)reason;
    return frames[frame];
}

endo_status truth_mosaic(uint32_t **frames, int n, const truth_frame_size *size, endo_mosaic **mosaic,
                         const endo_mosaic_frame **records) {
    endo_mosaic_options options = endo_mosaic_options_default();
    return truth_mosaic_by(&options, frames, n, size, mosaic, records);
}

endo_status truth_mosaic_by(const endo_mosaic_options *by, uint32_t **frames, int n, const truth_frame_size *size,
                            endo_mosaic **mosaic, const endo_mosaic_frame **records) {
    endo_mosaic_options options = *by;
    endo_mosaic_source source = {
        .frames = n,
        .width = size->width,
        .height = size->height,
        .type = ENDO_RGB32,
        .lend = lend,
        .user = frames,
        .at_hand = 1,
    };
    int32_t reached = 0;
    options.picture = 0;
    endo_status status = endo_mosaic_create(&options, NULL, mosaic);
    if (status == ENDO_OK) status = endo_mosaic_run(*mosaic, &source);
    if (status != ENDO_OK) return status;
    *records = endo_mosaic_frames(*mosaic, &reached);
    return reached == n ? ENDO_OK : endo_fail(ENDO_ERR_INTERNAL, "%d of %d frames came back", reached, n);
}
