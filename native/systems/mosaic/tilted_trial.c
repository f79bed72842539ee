/* Tries the pairs of a sequence as homographies, where they agree on a tilted plane, or where they all ask for perspective, as
 * close tissue that is not flat does. A curved scene, as the wall of a tube, looks tilted, too, and no homography fits it:
 * there pairs show a lens, or the poses that follow are worse than those of the simpler classes (reregistration.h). */
#include "reregistration.h"

#include "base/memory.h"
#include "consistency.h"
#include "held_out.h"
#include "lens_estimate.h"

#include <stdio.h>

#define REASON_SIZE 120
#define OUTCOME_SIZE 300

struct tilted_trial {
    mosaic_workspace *workspace;
    endo_pairs_options options;
    const key_frames *keys;
    char reason[REASON_SIZE]; /* for people */
    int sees_tilt;            /* the edges agree on a tilted plane; else each asks by itself, and held-out pairs decide */
    mosaic_edges before;
    mosaic_edges edges;
    reregistration *again; /* registers `edges`; NULL: not begun */
    mosaic_poses *straight;
    mosaic_poses *tilted;
    mosaic_edges held_out;
    reregistration *voters; /* registers held_out where the poses do not decide by themselves; else NULL */
    int is_taken;
    int done;
    char outcome[OUTCOME_SIZE]; /* for people; "": nothing to report */
};

/* -------------------------------------------------------------- create, destroy */

/* Finds why homographies are tried; 0: the edges show no perspective. */
static int find_reason(tilted_trial *t, const mosaic_poses *poses, const mosaic_edges *edges) {
    t->sees_tilt = poses_sees_tilt(poses);
    if (!t->sees_tilt) return perspective_is_asked(edges, t->reason, sizeof t->reason);
    poses_tilt(poses, t->reason, sizeof t->reason);
    return 1;
}

endo_status tilted_trial_create(mosaic_workspace *workspace, const endo_pairs_options *options, const mosaic_poses *poses,
                                const mosaic_edges *edges, const key_frames *keys, tilted_trial **out) {
    lens_estimate lens;
    *out = NULL;
    if (!reregistration_chooses(options)) return ENDO_OK;
    ENDO_TRY(lens_estimate_of(edges, sequence_size(workspace->sequence), &lens));
    if (lens_is_seen(&lens)) return ENDO_OK;
    tilted_trial *t = endo_alloc_zeroed(1, sizeof *t);
    if (!t) return endo_fail(ENDO_ERR_MEMORY, "no memory for the trial of homographies");
    t->workspace = workspace;
    t->options = *options;
    t->keys = keys;
    if (find_reason(t, poses, edges))
        *out = t;
    else
        tilted_trial_destroy(&t);
    return ENDO_OK;
}

void tilted_trial_destroy(tilted_trial **trial) {
    tilted_trial *t = *trial;
    *trial = NULL;
    if (!t) return;
    reregistration_destroy(&t->again);
    reregistration_destroy(&t->voters);
    poses_destroy(&t->straight);
    poses_destroy(&t->tilted);
    edges_free(&t->before);
    edges_free(&t->edges);
    edges_free(&t->held_out);
    endo_free(t);
}

/* ---------------------------------------------------------------------- deciding */

int tilted_trial_has_begun(const tilted_trial *t) { return t->again != NULL; }

endo_status tilted_trial_begin(tilted_trial *t, const mosaic_edges *edges) {
    ENDO_TRY(edges_replace(&t->before, edges));
    ENDO_TRY(edges_replace(&t->edges, edges));
    return reregistration_create_tilted(t->workspace, &t->options, &t->edges, &t->again);
}

int tilted_trial_done(const tilted_trial *t) { return t->done; }

static void end(tilted_trial *t, int is_taken) {
    t->is_taken = is_taken;
    t->done = 1;
    if (is_taken)
        snprintf(t->outcome, sizeof t->outcome,
                 "%s%s: all pairs were registered again as homographies (warp=Affine prevents that)", t->reason,
                 t->voters ? ", and homographies fit pairs that were held out better" : "");
    else if (t->sees_tilt)
        snprintf(t->outcome, sizeof t->outcome,
                 "%s, but homographies hold the sequence together no better: pairs stay as they are", t->reason);
}

static endo_status solve_both(tilted_trial *t, solve_edges solve, void *self) {
    poses_destroy(&t->straight);
    poses_destroy(&t->tilted);
    ENDO_TRY(solve(self, &t->before, &t->straight));
    return solve(self, &t->edges, &t->tilted);
}

static endo_status hold_out(tilted_trial *t) {
    int frames = sequence_count(t->workspace->sequence);
    ENDO_TRY(held_out_choose(frames, t->straight, &t->before, t->keys, &t->held_out));
    return reregistration_create_tilted(t->workspace, &t->options, &t->held_out, &t->voters);
}

static endo_status compare(tilted_trial *t) {
    int is_better = 0;
    if (t->sees_tilt)
        ENDO_TRY(tilted_is_better(t->straight, &t->before, t->tilted, &t->edges, sequence_size(t->workspace->sequence),
                                  &is_better));
    if (!is_better && tilted_loses_nothing(t->straight, t->tilted)) return hold_out(t);
    end(t, is_better);
    return ENDO_OK;
}

static endo_status vote(tilted_trial *t) {
    int speaks = 0;
    ENDO_TRY(held_out_favour(&t->held_out, t->tilted, t->straight, sequence_size(t->workspace->sequence), &speaks));
    end(t, speaks);
    return ENDO_OK;
}

endo_status tilted_trial_step(tilted_trial *t, solve_edges solve, void *self) {
    if (!reregistration_done(t->again)) return reregistration_step(t->again);
    if (!t->voters) {
        ENDO_TRY(solve_both(t, solve, self));
        return compare(t);
    }
    return reregistration_done(t->voters) ? vote(t) : reregistration_step(t->voters);
}

/* ---------------------------------------------------------------------- the result */

int tilted_trial_is_taken(const tilted_trial *t) { return t->is_taken; }

const mosaic_edges *tilted_trial_edges(const tilted_trial *t) { return &t->edges; }

mosaic_poses *tilted_trial_take_poses(tilted_trial *t) {
    mosaic_poses **better = t->is_taken ? &t->tilted : &t->straight;
    mosaic_poses *poses = *better;
    *better = NULL;
    return poses;
}

const char *tilted_trial_outcome(const tilted_trial *t) { return t->outcome[0] ? t->outcome : NULL; }
