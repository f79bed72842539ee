/* Selects, for the stretch of a key frame and an older key frame, the frame of the stretch that shares most with it.
 *
 * Older key frames are those of the map: the first ones to show their part of the scene. A key frame that is tied to one of
 * them and shows nearly the same is not in the map, and no stretch is tied to more than a few of them. So the number of pairs
 * grows with the frames, not with their square, where a scope stays in one place (loop_plan.h). */
#include "loop_plan.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "numbers.h"
#include "pair_set.h"

/* Older key frames that a stretch is registered against, in a round and in all rounds. */
#define MOST_OLDER 4
#define MOST_TIED 6
/* Overlap with a key frame in the map from which on a key frame adds nothing to it. */
#define REPEATED 0.7
#define LEAST_OVERLAP 0.4
/* Least overlap of two frames that share too little with any other to have a stretch: tiles of a survey. */
#define LEAST_OF_TILES 0.05
/* Reach of a search around a predicted pose, px of the key frame, and the number of deviations that it has to cover. */
#define SEARCH 12
#define SURE 3
/* Pairs by spectra in a round: FAR, and one more for every FRAMES_PER_FAR frames. */
#define FAR 4
#define FRAMES_PER_FAR 100
/* Numbers for tying components: frames of the smaller one, key frames of the larger one for each of them, and pairs of a round in
 * all, or for each component where that is more. */
#define TIES 2
#define TIE_KEYS 8
#define MOST_TIES 32
#define TIES_EACH 8

struct loop_plan {
    int frames;
    mosaic_size size;
    const key_frames *keys;
    pair_set searched; /* pairs searched for from their poses */
    pair_set compared; /* pairs registered by their spectra */
    pair_set tied;     /* pairs that were found */
    pair_set tried;    /* pairs planned to tie components */
    int *ties;         /* one a key frame: number of its ties */
    int n_ties;        /* entries of `ties` */
    int ties_capacity;
    int has_ladder;    /* the first round was planned */
    loop_candidates planned;
    loop_candidates near;
    loop_candidates far;
};

endo_status loop_plan_create(int frames, mosaic_size size, const key_frames *keys, loop_plan **out) {
    loop_plan *plan = endo_alloc_zeroed(1, sizeof *plan);
    if (!plan) return endo_fail(ENDO_ERR_MEMORY, "no memory for the plan of loops of %d frames", frames);
    plan->frames = frames;
    plan->size = size;
    plan->keys = keys;
    *out = plan;
    return ENDO_OK;
}

void loop_plan_destroy(loop_plan **plan) {
    loop_plan *p = *plan;
    if (!p) return;
    pair_set_free(&p->searched);
    pair_set_free(&p->compared);
    pair_set_free(&p->tied);
    pair_set_free(&p->tried);
    endo_free(p->ties);
    endo_free(p->planned.items);
    endo_free(p->near.items);
    endo_free(p->far.items);
    endo_free(p);
    *plan = NULL;
}

const loop_candidates *loop_plan_near(const loop_plan *plan) {
    return &plan->near;
}

const loop_candidates *loop_plan_far(const loop_plan *plan) {
    return &plan->far;
}

/* -------------------------------------------------------------------- candidates */

static endo_status reserve(loop_candidates *list, int n) {
    return ARRAY_RESERVE(list->items, list->capacity, n);
}

static endo_status add_planned(loop_plan *plan, const loop_candidate *candidate) {
    ENDO_TRY(reserve(&plan->planned, plan->planned.n + 1));
    plan->planned.items[plan->planned.n++] = *candidate;
    return ENDO_OK;
}

static void cut(loop_candidates *list, int most) {
    if (list->n > most) list->n = most;
}

/* A candidate with what its order depends on. */
typedef struct keyed_candidate {
    loop_candidate candidate;
    int frame; /* frame number of the key frame */
} keyed_candidate;

static int by_overlap(const void *a, const void *b) {
    const keyed_candidate *one = a;
    const keyed_candidate *other = b;
    return compare_numbers(-one->candidate.overlap, -other->candidate.overlap);
}

static int by_key(const void *a, const void *b) {
    const keyed_candidate *one = a;
    const keyed_candidate *other = b;
    return (one->frame > other->frame) - (one->frame < other->frame);
}

static void sort(const loop_plan *plan, loop_candidates *list, keyed_candidate *scratch,
                 int (*compare)(const void *a, const void *b)) {
    for (int i = 0; i < list->n; i++)
        scratch[i] = (keyed_candidate){.candidate = list->items[i], .frame = plan->keys->items[list->items[i].key].frame};
    sort_in_order(scratch, scratch + list->n, (size_t)list->n, sizeof *scratch, compare);
    for (int i = 0; i < list->n; i++) list->items[i] = scratch[i].candidate;
}

static int key_frame_of(const loop_plan *plan, const loop_candidate *c) {
    return plan->keys->items[c->key].frame;
}

static int stretch_frame_of(const loop_plan *plan, const loop_candidate *c) {
    return plan->keys->items[c->stretch].frame;
}

static int ties_of(const loop_plan *plan, int stretch) {
    return stretch < plan->n_ties ? plan->ties[stretch] : 0;
}

/* Makes `ties` as long as the list of key frames. */
static endo_status reserve_ties(loop_plan *plan) {
    ENDO_TRY(ARRAY_RESERVE(plan->ties, plan->ties_capacity, plan->keys->n));
    while (plan->n_ties < plan->keys->n) plan->ties[plan->n_ties++] = 0;
    return ENDO_OK;
}

endo_status loop_plan_tie(loop_plan *plan, const loop_candidate *candidate) {
    if (candidate->stretch == candidate->key) return ENDO_OK;
    ENDO_TRY(reserve_ties(plan));
    ENDO_TRY(pair_set_reserve(&plan->tied, 1));
    int is_new = pair_set_add(&plan->tied, key_frame_of(plan, candidate), stretch_frame_of(plan, candidate));
    if (is_new) plan->ties[candidate->stretch]++;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------- loops */

/* Plans each key frame with the next one of its chain, unless it is the next frame: that pair is an edge already. */
static endo_status plan_ladder(loop_plan *plan) {
    const key_frame *keys = plan->keys->items;
    for (int i = 1; i < plan->keys->n; i++) {
        const loop_candidate next = {.key = i - 1, .stretch = i, .frame = keys[i].frame, .overlap = 1};
        int is_next = keys[i - 1].end == keys[i].frame;
        if (is_next && keys[i].frame - keys[i - 1].frame > 1) ENDO_TRY(add_planned(plan, &next));
    }
    return ENDO_OK;
}

/* Returns whether the centres are more than this many diagonals of a frame apart. */
static int is_far(const loop_plan *plan, const endo_transform *a, const endo_transform *b, double diagonals) {
    double x = (plan->size.width - 1) / 2.0;
    double y = (plan->size.height - 1) / 2.0;
    endo_transform tangent = pose_tangent(a, x, y);
    double scale = sqrt(fabs(pose_determinant(&tangent)));
    double apart = length_of(pose_x(a, x, y) - pose_x(b, x, y), pose_y(a, x, y) - pose_y(b, x, y));
    return apart > diagonals * scale * length_of(plan->size.width, plan->size.height);
}

/* Returns whether the pair was tied, or compared by spectra. */
static int is_known(const loop_plan *plan, const key_frame *key, const key_frame *stretch) {
    return pair_set_has(&plan->tied, key->frame, stretch->frame) || pair_set_has(&plan->compared, key->frame, stretch->frame);
}

static double least_overlap(const key_frame *key, const key_frame *stretch) {
    return key_frame_is_tile(key) && key_frame_is_tile(stretch) ? LEAST_OF_TILES : LEAST_OVERLAP;
}

/* Last frame of a stretch that is looked at: after a tile the next key frame, which ends its stretch, has one of its own. */
static int last_frame(const loop_plan *plan, int stretch) {
    const key_frame *key = &plan->keys->items[stretch];
    int is_next_key = stretch + 1 < plan->keys->n && plan->keys->items[stretch + 1].frame == key->end;
    return key_frame_is_tile(key) && is_next_key ? key->frame : key->end;
}

/* Finds the frame of a stretch that shares most with a key frame; 0: none shares enough. */
static int find_candidate(const loop_plan *plan, int older, int later, const mosaic_poses *poses, loop_candidate *out) {
    const key_frame *key = &plan->keys->items[older];
    const key_frame *stretch = &plan->keys->items[later];
    const endo_transform *key_pose = poses_pose(poses, key->frame);
    int component = poses_component(poses, key->frame);
    double most = least_overlap(key, stretch);
    int found = 0;
    if (component != poses_component(poses, stretch->frame) || key->end >= stretch->frame || is_known(plan, key, stretch) ||
        is_far(plan, key_pose, poses_pose(poses, stretch->frame), 2))
        return 0;
    int last = last_frame(plan, later);
    for (int frame = stretch->frame; frame <= last; frame++) {
        const endo_transform *pose = poses_pose(poses, frame);
        if (poses_component(poses, frame) != component || is_far(plan, key_pose, pose, 1)) continue;
        double overlap = key_frames_overlap(plan->keys, key_pose, pose);
        if (!(overlap > most)) continue;
        *out = (loop_candidate){.key = older, .stretch = later, .frame = frame, .overlap = overlap};
        most = overlap;
        found = 1;
    }
    return found;
}

/* Inserts into a list of the candidates with the largest overlap, of equal ones the first; returns its length. */
static int keep_best(loop_candidate *best, int n, int most, const loop_candidate *candidate) {
    int at = n;
    while (at > 0 && compare_numbers(best[at - 1].overlap, candidate->overlap) < 0) at--;
    if (at >= most) return n;
    int kept = n < most ? n + 1 : most;
    memmove(best + at + 1, best + at, (size_t)(kept - 1 - at) * sizeof *best);
    best[at] = *candidate;
    return kept;
}

/* map: indices of n key frames. */
static endo_status plan_stretch(loop_plan *plan, const int *map, int n, int stretch, const mosaic_poses *poses) {
    loop_candidate best[MOST_OLDER];
    int free_ties = MOST_TIED - ties_of(plan, stretch);
    int most = free_ties < MOST_OLDER ? free_ties : MOST_OLDER;
    int count = 0;
    if (free_ties <= 0) return ENDO_OK;
    for (int i = 0; i < n; i++) {
        loop_candidate candidate;
        if (find_candidate(plan, map[i], stretch, poses, &candidate)) count = keep_best(best, count, most, &candidate);
    }
    for (int i = 0; i < count; i++) ENDO_TRY(add_planned(plan, &best[i]));
    return ENDO_OK;
}

/* Returns whether a key frame in the map, tied to the stretch, shows nearly the same as its first frame. */
static int is_repeated(const loop_plan *plan, const int *map, int n, int stretch, const mosaic_poses *poses) {
    int frame = plan->keys->items[stretch].frame;
    if (ties_of(plan, stretch) == 0) return 0;
    for (int i = 0; i < n; i++) {
        int older = plan->keys->items[map[i]].frame;
        if (!pair_set_has(&plan->tied, older, frame)) continue;
        if (key_frames_overlap(plan->keys, poses_pose(poses, older), poses_pose(poses, frame)) >= REPEATED) return 1;
    }
    return 0;
}

static endo_status plan_round(loop_plan *plan, const mosaic_poses *poses) {
    int keys = plan->keys->n;
    int *map = endo_alloc((size_t)keys, sizeof *map);
    int n = 0;
    endo_status status = map ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the order of %d key frames", keys);
    for (int stretch = 0; status == ENDO_OK && stretch < keys; stretch++) {
        status = plan_stretch(plan, map, n, stretch, poses);
        if (!is_repeated(plan, map, n, stretch, poses)) map[n++] = stretch;
    }
    endo_free(map);
    return status;
}

/* Divides planned pairs by whether they can be searched for from their poses. */
static void divide(loop_plan *plan, const mosaic_poses *poses) {
    for (int i = 0; i < plan->planned.n; i++) {
        const loop_candidate *c = &plan->planned.items[i];
        int key = key_frame_of(plan, c);
        double deviation = poses_deviation(poses, c->frame) / poses_scale(poses, key);
        int is_sure = SURE * deviation <= SEARCH && pair_set_add(&plan->searched, key, stretch_frame_of(plan, c));
        loop_candidates *list = is_sure ? &plan->near : &plan->far;
        list->items[list->n++] = *c;
    }
}

/* Sorts the planned pairs into both lists. Only lack of memory makes it fail, before anything has changed. */
static endo_status settle(loop_plan *plan, const mosaic_poses *poses) {
    int n = plan->planned.n;
    ENDO_TRY(reserve(&plan->near, n));
    ENDO_TRY(reserve(&plan->far, n));
    ENDO_TRY(pair_set_reserve(&plan->searched, n));
    ENDO_TRY(pair_set_reserve(&plan->compared, n));
    keyed_candidate *scratch = endo_alloc(2 * (size_t)n, sizeof *scratch);
    if (!scratch) return endo_fail(ENDO_ERR_MEMORY, "no memory for the order of %d pairs of frames", n);
    divide(plan, poses);
    if (plan->has_ladder) {
        sort(plan, &plan->far, scratch, by_overlap);
        cut(&plan->far, FAR + plan->frames / FRAMES_PER_FAR);
    }
    for (int i = 0; i < plan->far.n; i++) {
        const loop_candidate *c = &plan->far.items[i];
        pair_set_add(&plan->compared, key_frame_of(plan, c), stretch_frame_of(plan, c));
    }
    sort(plan, &plan->near, scratch, by_key);
    sort(plan, &plan->far, scratch, by_key);
    plan->has_ladder = 1;
    endo_free(scratch);
    return ENDO_OK;
}

static void clear(loop_plan *plan) {
    plan->planned.n = 0;
    plan->near.n = 0;
    plan->far.n = 0;
}

/* The first round registers each key frame with the next one of its chain. */
endo_status loop_plan_loops(loop_plan *plan, const mosaic_poses *poses) {
    clear(plan);
    ENDO_TRY(plan->has_ladder ? plan_round(plan, poses) : plan_ladder(plan));
    return settle(plan, poses);
}

/* -------------------------------------------------------------------------- ties */

/* Lists the indices of a component's key frames and returns their number. */
static int keys_of(const loop_plan *plan, const mosaic_poses *poses, int component, int *out) {
    int n = 0;
    for (int i = 0; i < plan->keys->n; i++)
        if (poses_component(poses, plan->keys->items[i].frame) == component) out[n++] = i;
    return n;
}

static int frames_of(const mosaic_poses *poses, int component, int *out) {
    int n = 0;
    for (int i = poses_next(poses, component, 0); i >= 0; i = poses_next(poses, component, i + 1)) out[n++] = i;
    return n;
}

/* Frames of a component, and key frames of a larger one. */
typedef struct tie_sides {
    const int *frames;
    int n;
    const int *keys;
    int n_keys;
} tie_sides;

/* Whether a pair was tried in a plan before this one, or is in it. */
static int is_tried(const loop_plan *plan, const loop_candidate *tie) {
    int first = plan->planned.n > MOST_TIES ? plan->planned.n - MOST_TIES : 0; /* a component has no more pairs */
    for (int i = first; i < plan->planned.n; i++)
        if (plan->planned.items[i].key == tie->key && plan->planned.items[i].frame == tie->frame) return 1;
    return pair_set_has(&plan->tried, key_frame_of(plan, tie), tie->frame);
}

/* Plans the k-th pair of two components, if it was not tried: frames and key frames are spread evenly, and neighbours of both do
 * not come one after the other. */
static endo_status plan_tie(loop_plan *plan, const tie_sides *sides, int k) {
    int used = sides->n_keys < TIE_KEYS ? sides->n_keys : TIE_KEYS;
    if (sides->n < 1 || used < 1) return ENDO_OK;
    int at = (5 * (k / TIES) + 3) % TIE_KEYS % used;
    int key = sides->keys[(int)((int64_t)at * sides->n_keys / used)];
    int frame = sides->frames[(int)((int64_t)(k % TIES + 1) * (sides->n - 1) / TIES)];
    const loop_candidate tie = {.key = key, .stretch = key, .frame = frame};
    return is_tried(plan, &tie) ? ENDO_OK : add_planned(plan, &tie);
}

/* Plans pairs of a component with all larger ones in turn, at most so many. */
static endo_status plan_ties_of(loop_plan *plan, const mosaic_poses *poses, int component, int most, int *frames, int *known) {
    int n = frames_of(poses, component, frames);
    int end = plan->planned.n + most;
    for (int k = 0; k < TIES * TIE_KEYS; k++)
        for (int larger = 1; larger < component && plan->planned.n < end; larger++) {
            const tie_sides sides = {frames, n, known, keys_of(plan, poses, larger, known)};
            ENDO_TRY(plan_tie(plan, &sides, k));
        }
    return ENDO_OK;
}

/* The number of pairs grows with that of the components, not with its square. */
static endo_status plan_all_ties(loop_plan *plan, const mosaic_poses *poses, int *frames, int *known) {
    int others = poses_components(poses) - 1;
    int most = TIES_EACH * others > MOST_TIES ? TIES_EACH * others : MOST_TIES;
    for (int component = 2; component <= others + 1; component++)
        ENDO_TRY(plan_ties_of(plan, poses, component, most / others, frames, known));
    return ENDO_OK;
}

static endo_status plan_ties_in(loop_plan *plan, const mosaic_poses *poses, int *frames, int *known) {
    ENDO_TRY(plan_all_ties(plan, poses, frames, known));
    ENDO_TRY(reserve(&plan->far, plan->planned.n));
    ENDO_TRY(pair_set_reserve(&plan->tried, plan->planned.n));
    keyed_candidate *scratch = endo_alloc(2 * (size_t)plan->planned.n + 1, sizeof *scratch);
    if (!scratch) return endo_fail(ENDO_ERR_MEMORY, "no memory for the order of %d pairs of frames", plan->planned.n);
    for (int i = 0; i < plan->planned.n; i++) {
        const loop_candidate *c = &plan->planned.items[i];
        pair_set_add(&plan->tried, key_frame_of(plan, c), c->frame);
        plan->far.items[plan->far.n++] = *c;
    }
    sort(plan, &plan->far, scratch, by_key);
    endo_free(scratch);
    return ENDO_OK;
}

/* The first frame of a component is left out: it was searched for in other chains before. */
endo_status loop_plan_ties(loop_plan *plan, const mosaic_poses *poses) {
    clear(plan);
    int *frames = endo_alloc((size_t)plan->frames, sizeof *frames);
    int *known = endo_alloc((size_t)plan->keys->n, sizeof *known);
    endo_status status = frames && known ? plan_ties_in(plan, poses, frames, known)
                                         : endo_fail(ENDO_ERR_MEMORY, "no memory for a plan of %d frames", plan->frames);
    endo_free(frames);
    endo_free(known);
    return status;
}
