/* Made-up sequences: frames of chains, and edges between them. */
#ifndef ENDO_TEST_POSES_RIG_H
#define ENDO_TEST_POSES_RIG_H

#include "systems/mosaic/edges.h"
#include "systems/mosaic/poses.h"
#include "check.h"
#include "scene.h"

#include <string.h>

enum { RIG_FRAMES = 4096 };

typedef struct poses_rig {
    int n;
    endo_mosaic_frame frames[RIG_FRAMES];
    mosaic_edges edges;
} poses_rig;

static inline void rig_clear(poses_rig *rig) {
    rig->n = 0;
    edges_clear(&rig->edges);
}

/* A registered frame of a chain, against a reference (itself: a chain begins). */
static inline int rig_frame(poses_rig *rig, int chain, int reference, const endo_transform *pose) {
    endo_mosaic_frame *frame = &rig->frames[rig->n];
    *frame = mosaic_unknown_frame();
    frame->registered = 1;
    frame->status = ENDO_FRAME_OK;
    frame->chain = chain;
    frame->reference = reference;
    frame->pose = *pose;
    return rig->n++;
}

/* A frame of a chain at x, not registered against any. */
static inline int rig_frame_at(poses_rig *rig, int chain, double x) {
    endo_transform pose = pose_translation(x, 0);
    return rig_frame(rig, chain, -1, &pose);
}

static inline endo_mosaic_edge *rig_edge(poses_rig *rig, int reference, int current, const endo_transform *step,
                                         double deviation) {
    const endo_mosaic_edge edge = {
        .transform = *step,
        .deviation = deviation,
        .reference = reference,
        .current = current,
    };
    CHECK(edges_add(&rig->edges, &edge) == ENDO_OK);
    return &rig->edges.items[rig->edges.n - 1];
}

static inline endo_mosaic_edge *rig_shift(poses_rig *rig, int reference, int current, double x, double deviation) {
    endo_transform step = pose_translation(x, 0);
    return rig_edge(rig, reference, current, &step, deviation);
}

static inline void rig_remove_edge(poses_rig *rig, int i) {
    mosaic_edges *e = &rig->edges;
    memmove(e->items + i, e->items + i + 1, (size_t)(e->n - i - 1) * sizeof *e->items);
    e->n--;
}

static inline mosaic_poses *rig_poses(poses_rig *rig, mosaic_size size) {
    mosaic_poses *poses = NULL;
    CHECK(poses_create(rig->frames, rig->n, &rig->edges, size, &poses) == ENDO_OK);
    return poses;
}

static inline mosaic_poses *rig_solved(poses_rig *rig, mosaic_size size) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    mosaic_poses *poses = rig_poses(rig, size);
    options.backend = ENDO_BACKEND_CPU;
    options.threads = 1;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    CHECK(poses_solve(poses, context) == ENDO_OK);
    endo_context_destroy(&context);
    return poses;
}

static inline double rig_x(const mosaic_poses *poses, int frame) {
    return poses_pose(poses, frame)->matrix[2];
}

/* ------------------------------------------------------------------- transforms */

static inline endo_transform rig_affine(double m00, double m01, double m02, double m10, double m11, double m12) {
    const double m[6] = {m00, m01, m02, m10, m11, m12};
    return endo_transform_make(ENDO_TRANSFORM_AFFINE, m);
}

static inline endo_transform rig_of_kind(endo_transform_class kind, const endo_transform *t) {
    endo_transform made = *t;
    made.kind = kind;
    return made;
}

static inline endo_transform rig_perspective(double gx, double gy, double x, double y) {
    const double g[2] = {gx, gy};
    return pose_perspective(g, x, y);
}

static inline endo_transform rig_times(endo_transform outer, endo_transform inner) {
    return pose_times(&outer, &inner);
}

static inline int rig_begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

#endif
