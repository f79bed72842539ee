/* Pose graphs: argument checks. */
#include "systems/graph/graph.h"

#include "base/memory.h"
#include "base/status.h"
#include "backend/objects.h"
#include "transform.h"

#include <string.h>

#define MOST_FRAMES 1000000
#define MOST_PAIRS 100000000
#define LONGEST 65536

void endo_graph_options_init(endo_graph_options *options) {
    const endo_graph_options defaults = {
        .transform = ENDO_TRANSFORM_AFFINE, .fixed = 0, .iterations = 50, .robust = 3};
    if (options) *options = defaults;
}

static endo_status check_options(const endo_graph_options *o, size_t n) {
    ENDO_TRY(endo_check_class("graph", o->transform));
    if (o->fixed < 0 || (size_t)o->fixed >= n)
        return endo_fail(ENDO_ERR_ARGUMENT, "fixed %d: must be 0..%zu", o->fixed, n - 1);
    if (o->iterations < 1 || o->iterations > 1000)
        return endo_fail(ENDO_ERR_ARGUMENT, "iterations %d: must be 1..1000", o->iterations);
    if (!(o->robust >= 0 && o->robust <= 1e6))
        return endo_fail(ENDO_ERR_ARGUMENT, "robust %g: must be 0..1e6", o->robust);
    return ENDO_OK;
}

/* Checks a transform and copies it; the copy of a homography is scaled so that its last number is 1. */
static endo_status check_homography(const graph_frame *frame, const char *what, size_t i, endo_transform *t) {
    endo_transform inverse;
    if (!endo_transform_inverse(t, &inverse))
        return endo_fail(ENDO_ERR_ARGUMENT, "%s %zu: its transform cannot be inverted", what, i);
    if (graph_homography_scale(frame, t->matrix)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT,
                     "%s %zu: its homography takes a part of a frame of %g x %g px to infinity or beyond: all pixels "
                     "must be in front",
                     what, i, frame->width, frame->height);
}

static endo_status check_matrix(const graph_frame *frame, const char *what, size_t i, endo_transform *t) {
    double inverse[6];
    ENDO_TRY(endo_transform_check(t));
    if (t->kind != ENDO_TRANSFORM_HOMOGRAPHY) {
        if (endo_affine_invert(t->matrix, inverse)) return ENDO_OK;
        return endo_fail(ENDO_ERR_ARGUMENT, "%s %zu: its transform cannot be inverted", what, i);
    }
    if (frame->kind == ENDO_TRANSFORM_HOMOGRAPHY) return check_homography(frame, what, i, t);
    return endo_fail(ENDO_ERR_UNSUPPORTED, "%s %zu: a homography: only a graph of homographies can take it", what, i);
}

static endo_status check_pair(const graph_frame *frame, const endo_graph_pair *p, size_t i, size_t n) {
    const int32_t frames[2] = {p->reference, p->current};
    endo_transform transform = p->transform;
    for (int k = 0; k < 2; k++)
        if (frames[k] < 0 || (size_t)frames[k] >= n)
            return endo_fail(ENDO_ERR_ARGUMENT, "pair %zu: frame %d: must be 0..%zu", i, frames[k], n - 1);
    if (p->reference == p->current)
        return endo_fail(ENDO_ERR_ARGUMENT, "pair %zu: frame %d twice: must be two", i, p->reference);
    if (!(p->deviation > 0 && p->deviation <= 1e9))
        return endo_fail(ENDO_ERR_ARGUMENT, "pair %zu: deviation %g px: must be above 0, at most 1e9", i, p->deviation);
    return check_matrix(frame, "pair", i, &transform);
}

static endo_status check_sizes(const endo_context *context, const endo_graph *g) {
    if (!context || !g || !g->poses || (!g->pairs && g->n_pairs))
        return endo_fail(ENDO_ERR_ARGUMENT, "graph: an argument is NULL");
    if (g->width < 1 || g->height < 1 || g->width > LONGEST || g->height > LONGEST)
        return endo_fail(ENDO_ERR_ARGUMENT, "graph: frames of %d x %d px: sides must be 1..%d", g->width, g->height, LONGEST);
    if (g->n < 1 || g->n > MOST_FRAMES)
        return endo_fail(ENDO_ERR_ARGUMENT, "graph: %zu frames: must be 1..%d", g->n, MOST_FRAMES);
    if (g->n_pairs > MOST_PAIRS)
        return endo_fail(ENDO_ERR_ARGUMENT, "graph: %zu pairs: must be 0..%d", g->n_pairs, MOST_PAIRS);
    return ENDO_OK;
}

/* Converts poses to the class asked for: the nearest ones about the frame's centre. */
static endo_status nearest_poses(const graph_frame *frame, const endo_transform *poses, size_t n, endo_transform *out) {
    for (size_t i = 0; i < n; i++) {
        endo_transform pose = poses[i];
        ENDO_TRY(check_matrix(frame, "pose", i, &pose));
        if (!endo_transform_nearest(&pose, frame->kind, frame->x, frame->y, &out[i]))
            return endo_fail(ENDO_ERR_ARGUMENT, "pose %zu: no transform of the class asked for is near", i);
    }
    return ENDO_OK;
}

endo_status endo_graph_solve(endo_context *context, const endo_graph *g, const endo_graph_options *options,
                             endo_graph_report *report) {
    endo_graph_options defaults = endo_graph_options_default();
    endo_graph_report made;
    memset(&made, 0, sizeof made);
    if (!options) options = &defaults;
    ENDO_TRY(check_sizes(context, g));
    ENDO_TRY(check_options(options, g->n));
    graph_frame frame = graph_frame_of(g->width, g->height, options->transform);
    for (size_t i = 0; i < g->n_pairs; i++) ENDO_TRY(check_pair(&frame, &g->pairs[i], i, g->n));
    endo_transform *solved = endo_alloc(g->n, sizeof *solved);
    if (!solved) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu poses", g->n);
    endo_status status = nearest_poses(&frame, g->poses, g->n, solved);
    if (status == ENDO_OK)
        status = endo_graph_run(context, &frame, g->pairs, g->n_pairs, options, solved, g->n, g->deviations, g->weights, &made);
    if (status == ENDO_OK) {
        memcpy(g->poses, solved, g->n * sizeof *solved);
        if (report) *report = made;
    }
    endo_free(solved);
    return status;
}
