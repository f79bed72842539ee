/* Rounds (pair_rounds.h): requests for all pairs that go on, one batch, and the step of each pair. */
#include "pair_rounds.h"

#include "base/transform.h"

#include <math.h>
#include <string.h>

/* Most rounds in the full frames before the class is chosen. */
#define FREE_ROUNDS 3
/* A step that moves the frame's edge by less than this, px, is the last before the class is chosen. */
#define NEARLY_THERE 0.25
/* Share of a step that is left to go beside what noise leaves (endo_patch_motion.share); 0.04 was seen for steps of a
 * hundredth of a pixel. Where less than SETTLED, px, is left no further round is made. */
#define CURVED 0.1
#define SETTLED 0.005
/* Deviation, px, below which the first observation of the full frames is kept. */
#define ENOUGH 0.02
/* Deviations are larger than the fit says by this factor, since errors of neighbouring patches are alike (light, relief,
 * interpolation), which the fit takes for independent; and never below that of the interpolation, px (endo_bench truth). */
#define ALIKE 2.0
#define INTERPOLATED 0.004
/* Factor of deviations above level 0, where patches overlap by a third each way and so count more than once. */
#define OVERLAPPING 1.5
/* Longest step, px of the level. */
#define FARTHEST 6.0
/* A start whose step is shorter, px of the first level, goes on to the next level. */
#define SETTLED_START 0.0625

/* ----------------------------------------------------------------- motions */

/* The motion that a map near the identity makes. */
static void motion_of(const endo_patch_grid *g, const double m[6], double motion[ENDO_MOTION]) {
    double x, y, s = g->half / 2;
    endo_affine_apply(m, g->middle[0], g->middle[1], &x, &y);
    motion[0] = x - g->middle[0];
    motion[1] = y - g->middle[1];
    motion[2] = s * (m[3] - m[1]);
    motion[3] = s * (m[0] + m[4] - 2);
    motion[4] = s * (m[0] - m[4]);
    motion[5] = s * (m[3] + m[1]);
}

/* The map after the motion: motion times map, of the class of the motion. 0: there is none. */
static int move(const endo_patch_grid *g, const double motion[ENDO_MOTION], endo_transform_class kind,
                endo_transform *map) {
    double s = 1 / g->half, turn = s * motion[2], growth = s * motion[3];
    double x = g->middle[0], y = g->middle[1];
    double l[4] = {1 + growth + s * motion[4], s * motion[5] - turn, s * motion[5] + turn, 1 + growth - s * motion[4]};
    if (kind == ENDO_TRANSFORM_RIGID) {
        double length = sqrt(l[0] * l[0] + l[1] * l[1]);
        for (int i = 0; i < 4; i++) l[i] /= length;
    }
    double m[6] = {l[0], l[1], x + motion[0] - l[0] * x - l[1] * y, l[2], l[3], y + motion[1] - l[2] * x - l[3] * y};
    endo_transform step = endo_transform_make(kind, m);
    return endo_transform_product(&step, map, map);
}

/* Length of a motion: about the most that it moves along the edges of the frame, px. */
static double length_of(const double motion[ENDO_MOTION]) {
    double sum = 0;
    for (int i = 0; i < ENDO_MOTION; i++) sum += motion[i] * motion[i];
    return sqrt(sum);
}

/* ------------------------------------------------------------------- steps */

int endo_step_is_wild(int level, double length) { return !(length < FARTHEST * (1 << level)); }

double endo_step_rest(double length, double share) { return length * (1 - share + CURVED); }

int endo_step_is_settled(double rest) { return rest < SETTLED; }

double endo_level_deviation(int level, double variance) {
    double alike = level == 0 ? ALIKE : ALIKE * OVERLAPPING, interpolated = INTERPOLATED * (1 << level);
    return sqrt(alike * alike * variance + interpolated * interpolated);
}

static double deviation_of(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class kind) {
    double variance = m->scale * endo_patch_variance(m, kind, g->width, g->height, g->half) / (m->share * m->share);
    return endo_level_deviation(g->level, variance);
}

/* Moves the map by a step of its class, which is copied into m; 0: there is none. is_scored: also sets the score. */
static int take_step(const endo_patch_grid *g, const endo_step_result *step, int is_scored, endo_refinement *r,
                     endo_patch_motion *m) {
    endo_transform_class kind = (endo_transform_class)r->map.kind;
    if (is_scored) r->score = endo_score_log(&step->score);
    *m = step->motion;
    r->round++;
    if (step->is_fitted && !endo_step_is_wild(g->level, length_of(m->motion)) && move(g, m->motion, kind, &r->map)) {
        r->last = deviation_of(g, m, kind);
        return 1;
    }
    r->is_done = 1;
    r->score = INFINITY;
    return 0;
}

/* Chooses the class by the evidence; the map becomes of that class. */
static int choose(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class most, endo_refinement *r) {
    endo_transform nearest[4], back;
    double start[4][ENDO_MOTION], motion[ENDO_MOTION];
    if (!endo_transform_inverse(&r->map, &back)) return 0;
    for (int kind = 0; kind <= (int)most; kind++) {
        endo_transform difference;
        if (!endo_transform_nearest(&r->map, (endo_transform_class)kind, g->middle[0], g->middle[1], &nearest[kind]))
            return 0;
        if (!endo_transform_product(&nearest[kind], &back, &difference)) return 0;
        motion_of(g, difference.matrix, start[kind]);
    }
    endo_transform_class kind = endo_patch_choose(m, start, most, motion);
    r->map = nearest[kind];
    return move(g, motion, kind, &r->map);
}

static double rest_of(const endo_patch_motion *m) { return endo_step_rest(length_of(m->motion), m->share); }

/* Chooses the class, where it is free, and sets the deviation of the map in it. */
static int conclude_steps(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class most,
                          endo_refinement *r) {
    endo_patch_motion moved = *m;
    endo_patch_shift(&moved);
    if (!r->is_chosen) r->is_chosen = choose(g, &moved, most, r);
    r->deviation = deviation_of(g, m, (endo_transform_class)r->map.kind);
    r->share = m->share;
    r->relief = m->relief;
    r->is_done = 1;
    return r->is_chosen;
}

void endo_take_first_observation(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r) {
    endo_transform_class most = (endo_transform_class)r->map.kind;
    endo_patch_motion m;
    endo_refinement ended = *r;
    int is_near = take_step(g, step, 0, &ended, &m) && endo_step_is_settled(rest_of(&m));
    if (is_near && conclude_steps(g, &m, most, &ended) && ended.deviation < ENOUGH) *r = ended;
}

void endo_take_last_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r) {
    endo_transform_class most = (endo_transform_class)r->map.kind;
    endo_patch_motion m;
    if (!take_step(g, step, 0, r, &m)) return;
    if (endo_step_is_settled(rest_of(&m)) || r->round == ENDO_MOST_ROUNDS) {
        if (!conclude_steps(g, &m, most, r)) r->deviation = 0;
    } else if (!r->is_chosen && (length_of(m.motion) < NEARLY_THERE || r->round == FREE_ROUNDS)) {
        endo_patch_shift(&m);
        r->is_chosen = choose(g, &m, most, r);
        r->is_done = !r->is_chosen;
    }
}

void endo_take_coarse_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r) {
    endo_patch_motion m;
    if (take_step(g, step, 1, r, &m)) r->is_done = length_of(m.motion) < SETTLED_START * (1 << g->level);
}

void endo_take_passing_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r) {
    endo_patch_motion m;
    (void)take_step(g, step, 0, r, &m);
}

/* ------------------------------------------------------------------ rounds */

void endo_round_workspace_free(endo_round_workspace *workspace) {
    endo_step_workspace_free(&workspace->patches);
    endo_free(workspace->which);
    endo_free(workspace->masks_asked);
    endo_free(workspace->requests);
    endo_free(workspace->steps);
    workspace->pairs = 0;
    workspace->which = NULL;
    workspace->masks_asked = NULL;
    workspace->requests = NULL;
    workspace->steps = NULL;
}

/* Makes the memory at least large enough for so many pairs; its contents are lost. */
static endo_status workspace_reserve(endo_round_workspace *workspace, size_t pairs) {
    if (workspace->pairs >= pairs) return ENDO_OK;
    endo_round_workspace_free(workspace);
    workspace->which = endo_alloc(pairs, sizeof *workspace->which);
    workspace->masks_asked = endo_alloc(pairs, sizeof *workspace->masks_asked);
    workspace->requests = endo_alloc_zeroed(pairs, sizeof *workspace->requests);
    workspace->steps = endo_alloc(pairs, sizeof *workspace->steps);
    workspace->pairs = pairs;
    if (workspace->which && workspace->masks_asked && workspace->requests && workspace->steps) return ENDO_OK;
    endo_round_workspace_free(workspace);
    return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", pairs);
}

static void ask(const endo_pair *pairs, const endo_refinement *r, endo_step_request *q) {
    q->reference = pairs[r->pair].reference;
    q->current = pairs[r->pair].current;
    q->kind = r->map.kind;
    memcpy(q->map, r->map.matrix, sizeof q->map);
}

static endo_status run_round(endo_frames *frames, const endo_pair *pairs, const endo_patch_grid *g,
                             const endo_level_plan *plan, endo_round_workspace *workspace, endo_refinement *all, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!all[i].is_done) {
            ask(pairs, &all[i], &workspace->requests[count]);
            workspace->which[count++] = i;
        }
    if (count == 0 || g->n == 0) return ENDO_OK;
    for (size_t i = 0; i < count && workspace->masks; i++) workspace->masks_asked[i] = &workspace->masks[all[workspace->which[i]].pair];
    workspace->patches.masks = workspace->masks ? workspace->masks_asked : NULL;
    endo_status status = endo_context_go_on(frames->context);
    if (status == ENDO_OK)
        status = endo_pair_steps(frames, g, plan->is_scored, &workspace->patches, workspace->requests, count, workspace->steps);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) if (count > 8)
    for (long i = 0; i < (long)count; i++) plan->step(g, &workspace->steps[i], &all[workspace->which[i]]);
    return ENDO_OK;
}

endo_status endo_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, const endo_level_plan *plan,
                           endo_round_workspace *workspace, endo_refinement *all, size_t n) {
    endo_patch_grid grid;
    endo_status status = endo_patch_grid_make(frames, level, across, plan->every, &grid);
    if (status == ENDO_OK) status = workspace_reserve(workspace, n);
    for (int round = 0; round < plan->rounds && status == ENDO_OK; round++)
        status = run_round(frames, pairs, &grid, plan, workspace, all, n);
    endo_patch_grid_free(&grid);
    return status;
}
