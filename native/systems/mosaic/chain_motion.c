/* Motion along a chain, and predicted poses (chain_motion.h). */
#include "chain_motion.h"

#include "chain_failures.h"

void chain_motion_init(chain_motion *m, mosaic_size size) {
    *m = (chain_motion){.size = size, .last = pose_identity};
}

void chain_motion_describe(const chain_motion *m, const endo_transform *step, endo_mosaic_frame *record) {
    double x = (m->size.width - 1) / 2.0;
    double y = (m->size.height - 1) / 2.0;
    record->dx = pose_x(step, x, y) - x;
    record->dy = pose_y(step, x, y) - y;
}

endo_transform chain_motion_predicted(const chain_motion *m, const placed_frame *from, int frame) {
    endo_transform pose = from->pose;
    int steps = frame - from->frame;
    if (steps > CHAIN_REACH + 1) steps = CHAIN_REACH + 1;
    for (; steps > 0; steps--) pose = pose_times(&pose, &m->last);
    return pose_is_invertible(&pose) && frame_is_shown(m->size, &pose) ? pose : from->pose;
}
