/* The stage that closes loops (loop_stage.h). Poses so far predict which frames show the same; where they are too uncertain to
 * search from, a few pairs are registered by their spectra, and after the next solution more pairs can be searched for. */
#include "loop_stage.h"

#include "base/memory.h"
#include "bridges.h"
#include "loop_queue.h"
#include "scene_layers.h"
#include "reregistration.h"
#include "stored_pairs.h"

#include <stdio.h>

struct loop_stage {
    mosaic_workspace *workspace;
    endo_pairs_options options;
    int solves; /* poses follow from all edges; 0: from those of neighbours */
    endo_mosaic_frame *frames;
    int n_frames;
    const plausibility *usual;
    mosaic_edges edges;
    mosaic_edges none; /* edges to be registered again where nothing is solved */
    loop_plan *plan;
    loop_queue queue;
    reregistration *again;
    tilted_trial *trial; /* NULL: edges show no perspective, or the trial is over */
    bridges *bridges;    /* NULL: before their turn */
    mosaic_poses *poses;
    int components; /* that were to be tied */
    int is_solved; /* the poses follow from all edges before the last round */
    int done;
};

/* ----------------------------------------------------------------------- poses */

static endo_status solved(void *stage, const mosaic_edges *edges, mosaic_poses **out) {
    loop_stage *s = stage;
    mosaic_workspace *w = s->workspace;
    mosaic_poses *poses = NULL;
    ENDO_TRY(poses_create(s->frames, s->n_frames, edges, sequence_size(w->sequence), &poses));
    endo_status status = s->solves ? poses_solve(poses, w->computing.context) : ENDO_OK;
    if (status == ENDO_OK)
        *out = poses;
    else
        poses_destroy(&poses);
    return status;
}

static void take_poses(loop_stage *s, mosaic_poses *poses) {
    poses_destroy(&s->poses);
    s->poses = poses;
    s->is_solved = 1;
}

/* Components that were tied together are larger, and tried once more with the others, until no pair ties any. *ties: 1: pairs are
 * planned for that. */
static endo_status tie_again(loop_stage *s, int *ties) {
    *ties = 0;
    if (s->queue.round > 0 || poses_components(s->poses) >= s->components) return ENDO_OK;
    ENDO_TRY(loop_plan_ties(s->plan, s->poses));
    s->components = poses_components(s->poses);
    loop_queue_init(&s->queue, s->queue.keys, loop_plan_near(s->plan), loop_plan_far(s->plan));
    *ties = !loop_queue_is_empty(&s->queue);
    return ENDO_OK;
}

/* Solves for the poses and plans the next pairs from them. Without a new edge the poses stay. */
static endo_status solve(loop_stage *s) {
    int ties;
    if (!s->is_solved || s->queue.found > 0) {
        mosaic_poses *poses = NULL;
        ENDO_TRY(solved(s, &s->edges, &poses));
        take_poses(s, poses);
    }
    ENDO_TRY(tie_again(s, &ties));
    if (ties) return ENDO_OK;
    if (!s->solves || loop_queue_is_last_round(&s->queue)) {
        s->done = 1;
        return ENDO_OK;
    }
    ENDO_TRY(loop_plan_loops(s->plan, s->poses));
    loop_queue_next_round(&s->queue, loop_plan_near(s->plan), loop_plan_far(s->plan));
    s->done = loop_queue_is_last_round(&s->queue);
    return ENDO_OK;
}

/* ---------------------------------------------------------------- homographies */

/* Ends the trial. If homographies are accepted, all further pairs are registered as homographies. The number of edges stays the
 * same, so no memory is needed. */
static endo_status end_trial(loop_stage *s) {
    const char *outcome = tilted_trial_outcome(s->trial);
    if (tilted_trial_is_taken(s->trial)) {
        ENDO_TRY(edges_replace(&s->edges, tilted_trial_edges(s->trial)));
        s->options.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    }
    take_poses(s, tilted_trial_take_poses(s->trial));
    if (outcome) events_say(s->workspace->events, ENDO_EVENT_LOG, ENDO_EVENT_PERSPECTIVE, -1, -1, "%s", outcome);
    tilted_trial_destroy(&s->trial);
    return ENDO_OK;
}

static endo_status try_homographies(loop_stage *s) {
    if (!tilted_trial_has_begun(s->trial)) ENDO_TRY(tilted_trial_begin(s->trial, &s->edges));
    if (!tilted_trial_done(s->trial)) ENDO_TRY(tilted_trial_step(s->trial, solved, s));
    return tilted_trial_done(s->trial) ? end_trial(s) : ENDO_OK;
}

/* --------------------------------------------------------------------- bridges */

static endo_status bridge(loop_stage *s) {
    int before = s->edges.n;
    if (!s->bridges)
        ENDO_TRY(bridges_create(s->workspace, &s->options, s->frames, s->n_frames, &s->edges, &s->bridges));
    if (bridges_done(s->bridges)) return ENDO_OK;
    ENDO_TRY(bridges_step(s->bridges, s->poses, &s->edges));
    loop_queue_also_found(&s->queue, s->edges.n - before);
    return ENDO_OK;
}

/* ----------------------------------------------------------------------- loops */

static int key_frame_of(const loop_stage *s, const loop_candidate *c) { return s->queue.keys->items[c->key].frame; }

/* Registers n pairs by their spectra, and appends the edges found. *left: the other pairs, n_left of them. */
static endo_status register_by_spectra(loop_stage *s, const loop_candidate *pairs, int n, mosaic_edges *found,
                                       loop_candidate *left, int *n_left) {
    int frames[LOOP_QUEUE_FAR];
    spectra_match matches[LOOP_QUEUE_FAR];
    spectra *by = NULL;
    for (int i = 0; i < n; i++) frames[i] = pairs[i].frame;
    ENDO_TRY(workspace_spectra(s->workspace, &by));
    ENDO_TRY(s->queue.round == 0 ? spectra_search(by, key_frame_of(s, &pairs[0]), frames, n, 1, matches)
                                 : spectra_register(by, key_frame_of(s, &pairs[0]), frames, n, 1, matches));
    for (int i = 0; i < n; i++) {
        if (!matches[i].is_accepted) {
            left[(*n_left)++] = pairs[i];
            continue;
        }
        endo_mosaic_edge edge = spectra_edge(&matches[i]);
        if (s->workspace->repeats_from > 0 || scene_layers_any(s->workspace->layers)) edge.doubtful = EDGE_TORN;
        ENDO_TRY(edges_add(found, &edge));
        ENDO_TRY(loop_plan_tie(s->plan, &pairs[i]));
    }
    return ENDO_OK;
}

typedef struct near_search {
    const loop_candidate *candidates;
    int n;
    guided_pairs pairs; /* pairs whose frames can be read */
    int *candidate_of;  /* one a pair */
    pair_match *matches;
    int *accepted;
    int *kept; /* frames of all pairs */
} near_search;

static void near_search_free(near_search *search) {
    guided_pairs_free(&search->pairs);
    endo_free(search->candidate_of);
    endo_free(search->matches);
    endo_free(search->accepted);
    endo_free(search->kept);
}

static endo_status near_search_make(const loop_candidate *candidates, int n, near_search *search) {
    size_t count = (size_t)n;
    *search = (near_search){
        .candidates = candidates,
        .n = n,
        .candidate_of = endo_alloc(count, sizeof *search->candidate_of),
        .matches = endo_alloc(count, sizeof *search->matches),
        .accepted = endo_alloc(count, sizeof *search->accepted),
        .kept = endo_alloc(2 * count, sizeof *search->kept),
    };
    if (search->candidate_of && search->matches && search->accepted && search->kept) return ENDO_OK;
    near_search_free(search);
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %d pairs of frames far apart", n);
}

static void keep_frames(const loop_stage *s, near_search *search) {
    for (int i = 0; i < search->n; i++) {
        search->kept[2 * i] = key_frame_of(s, &search->candidates[i]);
        search->kept[2 * i + 1] = search->candidates[i].frame;
    }
    frame_store_keep_only(s->workspace->store, search->kept, 2 * search->n);
}

/* Adds a pair if both frames can be read and neither crosses the other's horizon. */
static endo_status add_near(const loop_stage *s, near_search *search, int i) {
    const loop_candidate *c = &search->candidates[i];
    int key = key_frame_of(s, c);
    int before = search->pairs.n;
    endo_transform start = pose_between(poses_pose(s->poses, key), poses_pose(s->poses, c->frame));
    if (!search->pairs.is_searched && !frame_is_shown(sequence_size(s->workspace->sequence), &start)) return ENDO_OK;
    ENDO_TRY(stored_pairs_add(&search->pairs, s->workspace, key, c->frame, &start));
    if (search->pairs.n > before) search->candidate_of[before] = i;
    return ENDO_OK;
}

static endo_status search_near(loop_stage *s, near_search *search, mosaic_edges *found) {
    endo_frames *frames = NULL;
    keep_frames(s, search);
    for (int i = 0; i < search->n; i++) ENDO_TRY(add_near(s, search, i));
    ENDO_TRY(frame_store_frames(s->workspace->store, &frames));
    ENDO_TRY(guided_pairs_checked(&search->pairs, frames, &s->options, s->usual, search->matches, search->accepted));
    for (int i = 0; i < search->pairs.n; i++) {
        if (!search->accepted[i]) continue;
        endo_mosaic_edge edge = pair_match_edge(&search->matches[i], search->pairs.items[i].current);
        ENDO_TRY(edges_add(found, &edge));
        ENDO_TRY(loop_plan_tie(s->plan, &search->candidates[search->candidate_of[i]]));
    }
    return ENDO_OK;
}

static endo_status register_near(loop_stage *s, const loop_candidate *candidates, int n, int is_searched, mosaic_edges *found) {
    near_search search;
    ENDO_TRY(near_search_make(candidates, n, &search));
    search.pairs.is_searched = is_searched;
    endo_status status = search_near(s, &search, found);
    near_search_free(&search);
    return status;
}

/* Registers n pairs by their spectra, and those that share too little for that by searching for their overlap. */
static endo_status register_far(loop_stage *s, const loop_candidate *pairs, int n, mosaic_edges *found) {
    loop_candidate left[LOOP_QUEUE_FAR];
    int n_left = 0;
    int is_tiles = key_frame_is_tile(&s->queue.keys->items[pairs[0].key]);
    ENDO_TRY(register_by_spectra(s, pairs, n, found, left, &n_left));
    if (!n_left || !(s->queue.round == 0 || is_tiles) || s->options.method != ENDO_METHOD_BEST) return ENDO_OK;
    return register_near(s, left, n_left, 1, found);
}

/* Registers the next pairs: those searched for before those by spectra. Tying a pair twice is harmless, so a failure needs no
 * undoing. */
static endo_status register_next(loop_stage *s) {
    mosaic_workspace *w = s->workspace;
    mosaic_edges found = {.items = NULL};
    const loop_candidate *first = loop_queue_first(&s->queue);
    int is_near = loop_queue_has_near(&s->queue);
    int n = is_near ? loop_queue_next_near(&s->queue, workspace_pairs_a_step(w), frame_store_capacity(w->store))
                    : loop_queue_next_far(&s->queue);
    endo_status status = is_near ? register_near(s, first, n, 0, &found) : register_far(s, first, n, &found);
    if (status == ENDO_OK) status = edges_append(&s->edges, &found);
    if (status == ENDO_OK) loop_queue_done(&s->queue, n, found.n);
    edges_free(&found);
    return status;
}

/* ----------------------------------------------------------------------- stage */

static int done(void *stage) { return ((const loop_stage *)stage)->done; }

static endo_status step(void *stage) {
    loop_stage *s = stage;
    if (!reregistration_done(s->again)) return reregistration_step(s->again);
    if (s->trial) return try_homographies(s);
    if (s->solves && (!s->bridges || !bridges_done(s->bridges))) return bridge(s);
    return loop_queue_is_empty(&s->queue) ? solve(s) : register_next(s);
}

static double share(void *stage) {
    const loop_stage *s = stage;
    return s->done ? 1 : loop_queue_share(&s->queue);
}

static void where(void *stage, char *out, size_t size) {
    (void)stage;
    snprintf(out, size, "closing loops");
}

/* Lists the frames as the chains have painted them. */
static endo_status painted(void *stage, placed_frames *out) {
    const loop_stage *s = stage;
    return placed_add_registered(out, s->frames, s->n_frames);
}

static const mosaic_stage_calls calls = {
    .done = done,
    .step = step,
    .share = share,
    .where = where,
    .painted = painted,
};

mosaic_stage loop_stage_calls(loop_stage *stage) { return (mosaic_stage){.calls = &calls, .self = stage}; }

/* ------------------------------------------------------------- create, destroy */

static endo_status open_stage(loop_stage *s, chain_stage *chains) {
    mosaic_workspace *w = s->workspace;
    const key_frames *keys = chain_stage_keys(chains);
    mosaic_size size = sequence_size(w->sequence);
    ENDO_TRY(edges_append(&s->edges, chain_stage_edges(chains)));
    ENDO_TRY(loop_plan_create(sequence_count(w->sequence), size, keys, &s->plan));
    ENDO_TRY(poses_create(s->frames, s->n_frames, &s->edges, size, &s->poses));
    ENDO_TRY(reregistration_create(w, &s->options, s->solves ? &s->edges : &s->none, &s->again));
    if (s->solves) ENDO_TRY(tilted_trial_create(w, &s->options, s->poses, &s->edges, keys, &s->trial));
    ENDO_TRY(loop_plan_ties(s->plan, s->poses));
    s->components = poses_components(s->poses);
    loop_queue_init(&s->queue, keys, loop_plan_near(s->plan), loop_plan_far(s->plan));
    return ENDO_OK;
}

endo_status loop_stage_create(mosaic_workspace *workspace, chain_stage *chains, loop_stage **out) {
    loop_stage *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory to close loops");
    s->workspace = workspace;
    s->options = workspace->options->pairs;
    s->solves = workspace->options->solve;
    s->frames = chain_stage_records(chains);
    s->n_frames = chain_stage_frames(chains);
    s->usual = chain_stage_plausibility(chains);
    endo_status status = open_stage(s, chains);
    if (status == ENDO_OK)
        *out = s;
    else
        loop_stage_destroy(&s);
    return status;
}

void loop_stage_destroy(loop_stage **stage) {
    loop_stage *s = *stage;
    *stage = NULL;
    if (!s) return;
    tilted_trial_destroy(&s->trial);
    reregistration_destroy(&s->again);
    bridges_destroy(&s->bridges);
    loop_plan_destroy(&s->plan);
    poses_destroy(&s->poses);
    edges_free(&s->edges);
    edges_free(&s->none);
    endo_free(s);
}

/* ----------------------------------------------------------------- what it made */

const mosaic_edges *loop_stage_edges(const loop_stage *stage) { return &stage->edges; }

mosaic_poses *loop_stage_take_poses(loop_stage *stage) {
    mosaic_poses *poses = stage->poses;
    stage->poses = NULL;
    return poses;
}
