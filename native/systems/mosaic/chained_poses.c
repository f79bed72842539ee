/* Poses along chains, each from that of the frame's reference (chained_poses.h). */
#include "chained_poses.h"

#include "base/memory.h"
#include "geometry.h"

/* Finds for each frame the index of the edge by which it joined its chain; -1: none. Returns 1 if one of these is a homography
 * and its frame's pose is not. */
static int find_steps(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, int *steps) {
    int is_new = 0;
    for (int i = 0; i < n; i++) steps[i] = -1;
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        const endo_mosaic_frame *frame = &frames[edge->current];
        if (frame->reference != edge->reference || edge->by_hand) continue;
        steps[edge->current] = i;
        is_new |= pose_is_homography(&edge->transform) && !pose_is_homography(&frame->pose);
    }
    return is_new;
}

/* Computes the pose of a frame after that of its reference. */
static endo_transform follow(const endo_mosaic_frame *frames, int i, const endo_mosaic_edge *edge, const endo_transform *out) {
    const endo_mosaic_frame *frame = &frames[i];
    int before = frame->reference;
    int is_step = frame->registered && before >= 0 && before < i && frames[before].chain == frame->chain;
    if (!is_step) return frame->pose;
    endo_transform step = edge ? edge->transform : pose_between(&frames[before].pose, &frame->pose);
    return pose_times(&out[before], &step);
}

endo_status chained_poses(const endo_mosaic_frame *frames, int n, const mosaic_edges *edges, endo_transform *out) {
    int *steps = endo_alloc((size_t)n, sizeof *steps);
    if (!steps) return endo_fail(ENDO_ERR_MEMORY, "no memory for the chains of %d frames", n);
    int is_new = find_steps(frames, n, edges, steps);
    for (int i = 0; i < n; i++)
        out[i] = is_new ? follow(frames, i, steps[i] < 0 ? NULL : &edges->items[steps[i]], out) : frames[i].pose;
    endo_free(steps);
    return ENDO_OK;
}
