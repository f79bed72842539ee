/* Registration of bridges, a few pairs at a time (bridges.h). */
#include "bridges.h"

#include "base/memory.h"
#include "bridge_plan.h"
#include "stored_pairs.h"

/* Pairs of a step. */
#define BATCH 16
/* Distance from the chain's prediction, px, from which on a pair is wrong. */
#define ASTRAY 8

struct bridges {
    mosaic_workspace *workspace;
    endo_pairs_options options;
    frame_pairs pairs;
    int next; /* pairs done */
};

endo_status bridges_create(mosaic_workspace *workspace, const endo_pairs_options *options, const endo_mosaic_frame *frames,
                           int n, const mosaic_edges *edges, bridges **out) {
    bridges *b = endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for the bridges of %d frames", n);
    b->workspace = workspace;
    b->options = *options;
    endo_status status = bridge_plan(frames, n, edges, &b->pairs);
    if (status == ENDO_OK)
        *out = b;
    else
        bridges_destroy(&b);
    return status;
}

void bridges_destroy(bridges **planned) {
    bridges *b = *planned;
    *planned = NULL;
    if (!b) return;
    frame_pairs_free(&b->pairs);
    endo_free(b);
}

int bridges_done(const bridges *b) { return b->next == b->pairs.n; }

/* Adds a pair whose relative transform is known from the poses, if neither frame crosses the other's horizon. */
static endo_status add(const bridges *b, const mosaic_poses *poses, const int pair[2], guided_pairs *pairs) {
    int component = poses_component(poses, pair[0]);
    if (component == 0 || component != poses_component(poses, pair[1])) return ENDO_OK;
    endo_transform start = pose_between(poses_pose(poses, pair[0]), poses_pose(poses, pair[1]));
    if (!frame_is_shown(sequence_size(b->workspace->sequence), &start)) return ENDO_OK;
    return stored_pairs_add(pairs, b->workspace, pair[0], pair[1], &start);
}

/* *taken: pairs that are registered together, or cannot be registered. */
static endo_status add_next(const bridges *b, const mosaic_poses *poses, guided_pairs *pairs, int *taken) {
    frame_store *store = b->workspace->store;
    int left = b->pairs.n - b->next;
    frame_store_keep_only(store, b->pairs.items[b->next], 2);
    for (*taken = 0; *taken < BATCH && *taken < left; ++*taken) {
        const int *pair = b->pairs.items[b->next + *taken];
        if (*taken > 0 && !frame_store_can_hold(store, pair[0], pair[1])) break;
        ENDO_TRY(add(b, poses, pair, pairs));
    }
    return ENDO_OK;
}

endo_status bridges_step(bridges *b, const mosaic_poses *poses, mosaic_edges *out) {
    guided_pairs pairs = {.items = NULL};
    int taken = 0;
    endo_status status = add_next(b, poses, &pairs, &taken);
    if (status == ENDO_OK) status = stored_pairs_near(&pairs, b->workspace, &b->options, ASTRAY, out);
    guided_pairs_free(&pairs);
    if (status == ENDO_OK) b->next += taken;
    return status;
}
