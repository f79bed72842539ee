/* Pairs refined on their intensities, many at a time: which levels they pass, from which starts, and in how many rounds
 * (pair_rounds.h).
 *
 * Small levels come first, as similarities, from every start that there is; the one goes on whose map leaves least
 * unexplained. The full frames follow, in the most general class that is allowed; when that has nearly settled the class is
 * chosen, and the last rounds are made in it. At the end the map is judged. Homographies, where they are asked for, begin
 * as similarities, and become homographies below the first levels (pair_homography.h). */
#include "pair_refine.h"

#include "base/transform.h"
#include "map_agreement.h"
#include "pair_homography.h"
#include "pair_judge.h"
#include "pair_rounds.h"

#include <math.h>
#include <string.h>

/* Most patches along the longer side; in larger frames there are gaps between them. */
#define ACROSS 22
/* The first level's longer side, px, at least. */
#define COARSE 64
#define COARSE_ROUNDS 3
/* The first round in the full frames uses every other patch. */
#define SPARSE 2
/* Deviation by what stands still, which pulls a map towards no motion: PULL times the unexplained share of the variance times
 * the motion, of which no more than PULL_REACH px count, the reach of details in a patch (30 sequences of tissue under
 * grain, noise and wandering light). */
#define PULL 0.06
#define PULL_REACH 10.0
/* Deviation by the remnant of the scene in a static pattern that was taken out: a share of the motion, up to so many px. */
#define REMNANT 0.05
#define REMNANT_REACH 4.0
/* Starts of a pair: the result of the landmarks, what they started from, no motion. */
#define STARTS 3
/* Starts that are no further apart than this, px of the first level, are one. */
#define SAME_START 0.25
/* Pairs whose patches are in memory at a time: some 80 kB each. A device needs little more time for many than for few. */
#define AT_ONCE 128
#define AT_ONCE_ON_DEVICES 256

static const endo_level_plan last_plan = {1, ENDO_MOST_ROUNDS, 0, endo_take_last_step};

/* ------------------------------------------------------------------ starts */

static int coarse_level(const endo_frames *frames) {
    int width = frames->options.width, height = frames->options.height, longer = width > height ? width : height;
    int level = endo_patch_levels(width, height) - 1;
    while (level > 0 && longer >> level < COARSE) level--;
    return level;
}

static endo_frame_size size_of(const endo_frames *frames) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    return size;
}

/* Begins a refinement from a similarity near a start, current -> reference. */
static endo_refinement begin(const endo_frames *frames, const endo_transform *start, size_t pair) {
    double x = (frames->options.width - 1) / 2.0, y = (frames->options.height - 1) / 2.0;
    endo_transform forward;
    endo_refinement r = {.pair = pair, .map = endo_transform_still, .score = INFINITY};
    r.is_done = !endo_transform_inverse(start, &forward) ||
                !endo_transform_nearest(&forward, ENDO_TRANSFORM_SIMILARITY, x, y, &r.map);
    return r;
}

/* Begins a refinement from a homography, current -> reference. */
static endo_refinement begin_homography(const endo_frames *frames, const endo_transform *start, size_t pair) {
    endo_refinement r = {.pair = pair, .map = endo_transform_still, .score = INFINITY, .is_done = 1};
    if (!endo_transform_inverse(start, &r.map) || !endo_map_shows_frame(size_of(frames), &r.map)) return r;
    r.is_given = 1;
    r.score = 0;
    return r;
}

static double distance_of(const endo_frames *frames, const endo_transform *a, const endo_transform *b) {
    return endo_map_distance(size_of(frames), a, b);
}

static int is_lost(const endo_refinement *r) { return r->is_done && !(r->score < INFINITY); }

/* Of starts that are alike the first one goes on. tried: STARTS a pair. */
static void drop_same(const endo_frames *frames, endo_refinement *tried, size_t n) {
    double near = SAME_START * (1 << coarse_level(frames));
    for (size_t i = 0; i < n; i++)
        for (int k = 1; k < STARTS; k++)
            for (int j = 0; j < k; j++) {
                endo_refinement *r = &tried[STARTS * i + k];
                const endo_refinement *other = r - k + j;
                if (is_lost(r) || is_lost(other) || !(distance_of(frames, &r->map, &other->map) < near)) continue;
                r->is_done = 1;
                r->score = INFINITY;
            }
}

/* Runs all starts in the first level. tried: STARTS a pair. */
static endo_status try_starts(endo_frames *frames, const endo_pair *pairs, size_t n, endo_round_workspace *workspace,
                              endo_refinement *tried) {
    static const endo_level_plan once = {1, 1, 1, endo_take_coarse_step};
    endo_status status = ENDO_OK;
    for (int round = 0; round < COARSE_ROUNDS && status == ENDO_OK; round++) {
        drop_same(frames, tried, n);
        status = endo_level_run(frames, pairs, coarse_level(frames), ACROSS, &once, workspace, tried, n * STARTS);
    }
    return status;
}

/* Keeps the start of each pair with the least score. tried: STARTS a pair. */
static void keep_best(const endo_refinement *tried, size_t n, endo_refinement *best) {
    for (size_t i = 0; i < n; i++) {
        best[i] = tried[STARTS * i];
        for (int k = 1; k < STARTS; k++)
            if (tried[STARTS * i + k].score < best[i].score) best[i] = tried[STARTS * i + k];
        best[i].is_done = best[i].is_given || !(best[i].score < INFINITY);
    }
}

/* Prepares a refinement for the full frames, in the class that is asked for; AUTO begins as affine. */
static void descend(const endo_frames *frames, endo_transform_class kind, endo_refinement *r) {
    double x = (frames->options.width - 1) / 2.0, y = (frames->options.height - 1) / 2.0;
    r->round = 0;
    r->is_chosen = kind != ENDO_TRANSFORM_AUTO;
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY)
        r->map.kind = ENDO_TRANSFORM_HOMOGRAPHY;
    else if (!r->is_chosen || kind == ENDO_TRANSFORM_AFFINE)
        r->map.kind = ENDO_TRANSFORM_AFFINE;
    else if (!endo_transform_nearest(&r->map, kind, x, y, &r->map))
        r->is_done = 1;
}

/* Adds the lag, which the fit does not know of, to the deviation. */
static void add_lag(const endo_frames *frames, endo_refinement *r) {
    r->lag = endo_map_held_back(size_of(frames), &r->coarse, r->coarse_deviation, &r->map);
    if (r->deviation > 0) r->deviation = hypot(r->deviation, r->lag);
}

/* Whether noise or what stands still disturbs the pair more than it would in the level above. */
static int is_unsure(const endo_refinement *r) { return r->deviation > 0 && (endo_is_noisy(r->share) || r->lag > 0); }

/* Refines to the end in a level. */
static endo_status run_last(endo_frames *frames, const endo_pair *pairs, int level, endo_transform_class kind,
                            endo_round_workspace *workspace, endo_refinement *all, size_t n) {
    if (kind == ENDO_TRANSFORM_HOMOGRAPHY) return endo_homography_level_run(frames, pairs, level, ACROSS, 1, 1, all, n);
    return endo_level_run(frames, pairs, level, ACROSS, &last_plan, workspace, all, n);
}

/* Pairs whose gradients are noise to a good part, or which are held back, are refined in the levels above, too, as long
 * as they stay so; the level of the least deviation is kept. again: workspace of n refinements. */
static endo_status refine_unsure(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                                  endo_round_workspace *workspace, endo_refinement *again, endo_refinement *best) {
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < n; i++) add_lag(frames, &best[i]);
    memcpy(again, best, n * sizeof *again);
    for (int level = 1; level <= coarse_level(frames) && status == ENDO_OK; level++) {
        int some = 0;
        for (size_t i = 0; i < n; i++) {
            again[i].is_done = !is_unsure(&again[i]);
            again[i].deviation = 0;
            if (!again[i].is_done) descend(frames, kind, &again[i]);
            some |= !again[i].is_done;
        }
        if (!some) break;
        status = run_last(frames, pairs, level, kind, workspace, again, n);
        for (size_t i = 0; i < n && status == ENDO_OK; i++) {
            add_lag(frames, &again[i]);
            if (again[i].deviation > 0 && again[i].deviation < best[i].deviation) best[i] = again[i];
        }
    }
    return status;
}

static void keep_coarse(endo_refinement *r) {
    r->coarse = r->map;
    r->coarse_deviation = r->last;
}

/* From the first level down to `last`. Below ENDO_JUDGE_LEVEL, by which pairs are judged, half of the patches suffice. */
static endo_status come_down(endo_frames *frames, const endo_pair *pairs, size_t n, int last, endo_round_workspace *workspace,
                             endo_refinement *best) {
    endo_status status = ENDO_OK;
    for (int level = coarse_level(frames); level >= last && status == ENDO_OK; level--) {
        const endo_level_plan plan = {level < ENDO_JUDGE_LEVEL ? SPARSE : 1, 1, 0, endo_take_passing_step};
        if (level < coarse_level(frames)) status = endo_level_run(frames, pairs, level, ACROSS, &plan, workspace, best, n);
        for (size_t i = 0; i < n && level >= ENDO_JUDGE_LEVEL; i++) keep_coarse(&best[i]);
    }
    return status;
}

/* Refinements that began as homographies waited until the levels of homographies. */
static void wake_given(endo_refinement *best, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (best[i].is_given) best[i].is_done = 0;
}

/* The coarse map of those that began as homographies: the similarity nearest to their map in the first level they pass. */
static void keep_given_coarse(const endo_frames *frames, endo_refinement *best, size_t n) {
    for (size_t i = 0; i < n; i++) {
        endo_refinement *r = &best[i];
        if (!r->is_given) continue;
        r->coarse_deviation = r->last;
        if (!endo_map_nearest_over_frame(size_of(frames), &r->map, ENDO_TRANSFORM_SIMILARITY, &r->coarse)) r->is_done = 1;
    }
}

/* Perspective is refined from the level in which single pixels no longer show: a step reaches a few of a level's pixels, and
 * between frames far apart perspective moves the rim by more. */
static endo_status come_down_homography(endo_frames *frames, const endo_pair *pairs, size_t n, endo_refinement *best) {
    int first = coarse_level(frames) < ENDO_JUDGE_LEVEL ? coarse_level(frames) : ENDO_JUDGE_LEVEL;
    endo_status status = ENDO_OK;
    wake_given(best, n);
    for (int level = first; level > 0 && status == ENDO_OK; level--) {
        status = endo_homography_level_run(frames, pairs, level, ACROSS, 1, 0, best, n);
        if (level == first) keep_given_coarse(frames, best, n);
    }
    if (status == ENDO_OK) status = endo_homography_level_run(frames, pairs, 0, ACROSS, SPARSE, 0, best, n);
    return status;
}

static endo_status refine(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                          endo_round_workspace *workspace, endo_refinement *tried, endo_refinement *best) {
    static const endo_level_plan first_observation = {SPARSE, 1, 0, endo_take_first_observation};
    int is_homography = kind == ENDO_TRANSFORM_HOMOGRAPHY;
    endo_status status = try_starts(frames, pairs, n, workspace, tried);
    keep_best(tried, n, best);
    for (size_t i = 0; i < n; i++) keep_coarse(&best[i]);
    if (status == ENDO_OK) status = come_down(frames, pairs, n, is_homography ? ENDO_JUDGE_LEVEL : 1, workspace, best);
    if (status == ENDO_OK && is_homography) status = come_down_homography(frames, pairs, n, best);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) descend(frames, kind, &best[i]);
    if (status == ENDO_OK && !is_homography)
        status = endo_level_run(frames, pairs, 0, ACROSS, &first_observation, workspace, best, n);
    if (status == ENDO_OK) status = run_last(frames, pairs, 0, kind, workspace, best, n);
    return status == ENDO_OK ? refine_unsure(frames, pairs, n, kind, workspace, tried, best) : status;
}

/* -------------------------------------------------------------- conclusion */

/* The result of a pair that was not registered. */
static void give_up(endo_pair_result *out) {
    out->transform = endo_transform_still;
    out->deviation = NAN;
    out->status = ENDO_PAIR_JUMP;
}

/* Whether the coarse level agrees with the map. */
static int is_confirmed_by_coarse(const endo_frames *frames, const endo_refinement *r) {
    int level = coarse_level(frames);
    double pixel = (double)(1 << (level < ENDO_JUDGE_LEVEL ? level : ENDO_JUDGE_LEVEL));
    return endo_maps_agree(size_of(frames), &r->coarse, r->coarse_deviation, pixel, &r->map);
}

/* Deviation, px, with the pull of what stands still. */
static double whole_deviation(const endo_frames *frames, const endo_refinement *r, const endo_evidence *e) {
    double far = distance_of(frames, &r->map, &endo_transform_still);
    double left = fmin(1 - e->coefficient * e->coefficient, e->at_rest);
    double remnant = frames->options.pattern ? REMNANT * (far < REMNANT_REACH ? far : REMNANT_REACH) : 0;
    return hypot(hypot(r->deviation, remnant), PULL * left * (far < PULL_REACH ? far : PULL_REACH));
}

static void copy_distortion(const endo_distortion_result *b, endo_pair_result *out) {
    memcpy(out->perspective, b->perspective, sizeof out->perspective);
    out->perspective_deviation = b->perspective_deviation;
    out->lens = b->lens;
    out->lens_deviation = b->lens_deviation;
}

/* The inverse of the map. 0: there is none, or a homography that tears the frame in either direction. */
static int invert_map(const endo_frames *frames, const endo_transform *map, endo_transform *back) {
    if (!endo_transform_inverse(map, back)) return 0;
    return map->kind != ENDO_TRANSFORM_HOMOGRAPHY ||
           (endo_map_shows_frame(size_of(frames), map) && endo_map_shows_frame(size_of(frames), back));
}

/* Whether the deviation is small enough. The part due to perspective is left out: it concerns the corners, not whether the
 * map is the right one. */
static int is_known(double deviation, const endo_refinement *r) {
    double sure = endo_sure_deviation(r->relief);
    return deviation * deviation <= sure * sure + r->perspective * r->perspective;
}

/* The result of a pair by its refinement and evidence. */
static void conclude_pair(const endo_frames *frames, const endo_refinement *r, const endo_evidence *e,
                          endo_pair_result *out) {
    endo_transform back;
    endo_belief belief = r->deviation > 0 ? endo_evidence_belief(e) : ENDO_BELIEF_NONE;
    if (out->status == ENDO_PAIR_NO_TEXTURE) return;
    if (belief == ENDO_BELIEF_NONE || !invert_map(frames, &r->map, &back)) {
        give_up(out);
        return;
    }
    out->transform = back;
    out->deviation = whole_deviation(frames, r, e);
    copy_distortion(&e->distortion, out);
    if (!is_confirmed_by_coarse(frames, r) || !is_known(out->deviation, r)) belief = ENDO_BELIEF_DOUBT;
    out->status = belief == ENDO_BELIEF_SURE ? ENDO_PAIR_OK : ENDO_PAIR_FEW_LANDMARKS;
}

static endo_status conclude(endo_frames *frames, const endo_pair *pairs, const endo_layer_mask *masks, size_t n,
                            const endo_refinement *best, endo_pair_result *results) {
    endo_transform *maps = endo_alloc(n, sizeof *maps);
    endo_evidence *evidence = endo_alloc(n, sizeof *evidence);
    endo_status status = ENDO_OK;
    if (!maps || !evidence) status = endo_fail(ENDO_ERR_MEMORY, "no memory to judge %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) maps[i] = best[i].map;
    if (status == ENDO_OK) status = endo_pairs_weigh(frames, pairs, maps, masks, n, evidence);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) conclude_pair(frames, &best[i], &evidence[i], &results[i]);
    endo_free(maps);
    endo_free(evidence);
    return status;
}

static endo_status refine_some(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                               endo_transform_class kind, endo_round_workspace *workspace, endo_pair_result *results) {
    endo_refinement *tried = endo_alloc((STARTS + 1) * n, sizeof *tried), *best = tried + STARTS * n;
    if (!tried) return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        int is_homography = starts[i].transform.kind == ENDO_TRANSFORM_HOMOGRAPHY;
        tried[STARTS * i] = begin(frames, &results[i].transform, i);
        tried[STARTS * i + 1] = is_homography ? begin_homography(frames, &starts[i].transform, i)
                                              : begin(frames, &starts[i].transform, i);
        tried[STARTS * i + 2] = begin(frames, &endo_transform_still, i);
        for (int k = 0; k < STARTS; k += 2) tried[STARTS * i + k].is_done |= is_homography;
    }
    endo_status status = refine(frames, pairs, n, kind, workspace, tried, best);
    if (status == ENDO_OK) status = conclude(frames, pairs, NULL, n, best, results);
    endo_free(tried);
    return status;
}

/* Refines each pair from its map alone. */
static endo_status refine_layer(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps, size_t n,
                                endo_transform_class kind, endo_round_workspace *workspace, endo_pair_result *results) {
    endo_refinement *tried = endo_alloc((STARTS + 1) * n, sizeof *tried);
    if (!tried) return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", n);
    endo_refinement *best = tried + STARTS * n;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < STARTS; k++)
            tried[STARTS * i + k] = (endo_refinement){.pair = i, .map = maps[i], .score = INFINITY, .is_done = k > 0};
    endo_status status = refine(frames, pairs, n, kind, workspace, tried, best);
    if (status == ENDO_OK) status = conclude(frames, pairs, workspace->masks, n, best, results);
    endo_free(tried);
    return status;
}

endo_status endo_pairs_refine_layers(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                                     const endo_layer_mask *masks, size_t n, endo_transform_class kind,
                                     endo_pair_result *results) {
    endo_status status = ENDO_OK;
    for (size_t at = 0; at < n && status == ENDO_OK; at += AT_ONCE) {
        endo_round_workspace workspace = {.masks = masks + at};
        size_t count = n - at < AT_ONCE ? n - at : AT_ONCE;
        status = refine_layer(frames, pairs + at, maps + at, count, kind, &workspace, results + at);
        endo_round_workspace_free(&workspace);
    }
    return status;
}

/* Size of the equal shares in which n pairs are refined. */
static size_t share_of(const endo_frames *frames, size_t n) {
    size_t most = frames->context->kernels->takes_many ? AT_ONCE_ON_DEVICES : AT_ONCE, shares = (n + most - 1) / most;
    return (n + shares - 1) / shares;
}

endo_status endo_pairs_refine(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                              endo_transform_class kind, endo_pair_result *results) {
    endo_status status = ENDO_OK;
    endo_round_workspace workspace = {0};
    size_t share = share_of(frames, n);
    for (size_t at = 0; at < n && status == ENDO_OK; at += share) {
        size_t count = n - at < share ? n - at : share;
        status = refine_some(frames, pairs + at, starts + at, count, kind, &workspace, results + at);
    }
    endo_round_workspace_free(&workspace);
    return status;
}
