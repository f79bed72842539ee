/* Pairs refined on their intensities, many at a time: rounds in which patches are compared under the present maps (one
 * batch over all pairs), and a robust step follows from what they say (patch_fit.h).
 *
 * Small levels first, as similarities, from every start that there is; of those the one goes on whose map leaves least
 * unexplained. In the frames themselves then with all the freedom that is allowed; when that has nearly settled the
 * class is chosen, and the last rounds are made in it. At the end the map is judged. */
#include "pair_refine.h"

#include "../base/transform.h"
#include "map_agreement.h"
#include "pair_judge.h"
#include "pair_steps.h"

#include <math.h>
#include <string.h>

/* Patches along the longer side; larger frames leave room between them. */
#define ACROSS 22
/* The first level's longer side, px, at least. */
#define COARSE 64
#define COARSE_ROUNDS 3
/* Rounds at most of the frames themselves, and of them with all freedom. */
#define MOST_ROUNDS 6
#define FREE_ROUNDS 3
/* A step that moves the frame's edge by less than this, px, is the last before the class is chosen. */
#define NEARLY_THERE 0.25
/* Of a step so much is left to go, over what noise leaves (endo_patch_motion.share): 0.04 of steps of a hundredth of a
 * pixel was seen. Where less than SETTLED, px, is left no round comes after it. */
#define CURVED 0.1
#define SETTLED 0.005
/* The first look at the frames themselves is one round at every other patch. What it knows as precisely as this, px,
 * stands. */
#define SPARSE 2
#define ENOUGH 0.02
/* Errors of neighbouring patches are alike (light, relief, interpolation); the fit takes them for independent. By so
 * much deviations are larger than it says, and never less than that of the interpolation, px (endo_bench truth). */
#define ALIKE 2.0
#define INTERPOLATED 0.004
/* In the further levels patches overlap by a third each way: what they say counts so many times, in deviations. */
#define OVERLAPPING 1.5
/* What stands still of what a map leaves unexplained pulls the map towards no motion: of the share of the variance, times
 * the motion, up to so many px, as far as what is seen in a patch reaches, this much (30 sequences of tissue under grain,
 * noise and wandering light). */
#define PULL 0.06
#define PULL_REACH 10.0
/* And so does what is left of the scene in a static pattern that was taken out, of which details reach less far. */
#define REMNANT 0.05
#define REMNANT_REACH 4.0
/* No step is longer, px of the level. */
#define FARTHEST 6.0
/* What the landmarks say, what they started from, no motion. */
#define STARTS 3
/* Starts that lie no further apart than this, px of the first level, are one; and one whose step is shorter goes on to
 * the next level. */
#define SAME_START 0.25
#define SETTLED_START 0.0625
/* Pairs whose patches are in memory at a time: some 80 kB each. A device does many in little more time than few. */
#define AT_ONCE 128
#define AT_ONCE_ON_DEVICES 256

/* A pair on its way from one of its starts. */
typedef struct refinement {
    size_t pair;
    endo_transform map; /* reference -> current, px of the whole frames */
    double score;       /* the less the better */
    double deviation;   /* 0: none yet */
    double last;        /* of the step that was taken last */
    double share;       /* endo_patch_motion.share of the step that the deviation is from */
    double relief;      /* and its relief, px^2 */
    endo_transform coarse; /* the map of level ENDO_JUDGE_LEVEL, or of the first one if that is lower */
    double coarse_deviation;
    double lag; /* endo_map_held_back, which is part of the deviation */
    int round, is_chosen, is_done;
} refinement;

/* ----------------------------------------------------------------- motions */

/* The motion that a map near the identity makes. */
static void motion_of(const endo_patch_grid *g, const double m[6], double motion[ENDO_MOTION]) {
    double x, y, s = g->half / 2;
    endo_affine_apply(m, g->middle[0], g->middle[1], &x, &y);
    motion[0] = x - g->middle[0], motion[1] = y - g->middle[1];
    motion[2] = s * (m[3] - m[1]), motion[3] = s * (m[0] + m[4] - 2);
    motion[4] = s * (m[0] - m[4]), motion[5] = s * (m[3] + m[1]);
}

/* First the motion, then the map; of the class of the motion. */
static int move(const endo_patch_grid *g, const double motion[ENDO_MOTION], endo_transform_class kind,
                endo_transform *map) {
    double s = 1 / g->half, turn = s * motion[2], growth = s * motion[3], x = g->middle[0], y = g->middle[1];
    double l[4] = {1 + growth + s * motion[4], s * motion[5] - turn, s * motion[5] + turn, 1 + growth - s * motion[4]};
    if (kind == ENDO_TRANSFORM_RIGID) {
        double length = sqrt(l[0] * l[0] + l[1] * l[1]);
        for (int i = 0; i < 4; i++) l[i] /= length;
    }
    double m[6] = {l[0], l[1], x + motion[0] - l[0] * x - l[1] * y, l[2], l[3], y + motion[1] - l[2] * x - l[3] * y};
    endo_transform step = endo_transform_make(kind, m);
    return endo_transform_product(&step, map, map);
}

/* About the most that it moves along the frame's edges, px. */
static double length_of(const double motion[ENDO_MOTION]) {
    double sum = 0;
    for (int i = 0; i < ENDO_MOTION; i++) sum += motion[i] * motion[i];
    return sqrt(sum);
}

/* ------------------------------------------------------------------- steps */

static double deviation_of(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class kind) {
    double variance = m->scale * endo_patch_variance(m, kind, g->width, g->height, g->half) / (m->share * m->share);
    double alike = g->level == 0 ? ALIKE : ALIKE * OVERLAPPING, interpolated = INTERPOLATED * (1 << g->level);
    return sqrt(alike * alike * variance + interpolated * interpolated);
}

/* A step of the class that the map has, into m; 0: there is none. is_scored: the score is asked for. */
static int take_step(const endo_patch_grid *g, const endo_step_result *step, int is_scored, refinement *r,
                     endo_patch_motion *m) {
    endo_transform_class kind = (endo_transform_class)r->map.kind;
    if (is_scored) r->score = endo_score_log(&step->score);
    *m = step->motion;
    r->round++;
    if (step->is_fitted && length_of(m->motion) < FARTHEST * (1 << g->level) && move(g, m->motion, kind, &r->map)) {
        r->last = deviation_of(g, m, kind);
        return 1;
    }
    r->is_done = 1, r->score = INFINITY;
    return 0;
}

/* The class that the evidence asks for; the map becomes of that class. */
static int choose(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class most, refinement *r) {
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

/* What is left to go after a step. */
static double rest_of(const endo_patch_motion *m) { return length_of(m->motion) * (1 - m->share + CURVED); }

/* The class, where it is free, and what the map is worth in it. */
static int conclude_steps(const endo_patch_grid *g, const endo_patch_motion *m, endo_transform_class most, refinement *r) {
    endo_patch_motion moved = *m;
    endo_patch_shift(&moved);
    if (!r->is_chosen) r->is_chosen = choose(g, &moved, most, r);
    r->deviation = deviation_of(g, m, (endo_transform_class)r->map.kind);
    r->share = m->share;
    r->relief = m->relief;
    r->is_done = 1;
    return r->is_chosen;
}

/* The only one at some of the patches: it stands where it ends short of nothing and says enough, else it is forgotten: in
 * noise half of the patches lead astray. */
static void take_first_look(const endo_patch_grid *g, const endo_step_result *step, refinement *r) {
    endo_transform_class most = (endo_transform_class)r->map.kind;
    endo_patch_motion m;
    refinement ended = *r;
    int is_near = take_step(g, step, 0, &ended, &m) && rest_of(&m) < SETTLED;
    if (is_near && conclude_steps(g, &m, most, &ended) && ended.deviation < ENOUGH) *r = ended;
}

/* In the level that decides. */
static void take_last_step(const endo_patch_grid *g, const endo_step_result *step, refinement *r) {
    endo_transform_class most = (endo_transform_class)r->map.kind;
    endo_patch_motion m;
    if (!take_step(g, step, 0, r, &m)) return;
    if (rest_of(&m) < SETTLED || r->round == MOST_ROUNDS) {
        if (!conclude_steps(g, &m, most, r)) r->deviation = 0;
    } else if (!r->is_chosen && (length_of(m.motion) < NEARLY_THERE || r->round == FREE_ROUNDS)) {
        endo_patch_shift(&m);
        r->is_chosen = choose(g, &m, most, r);
        r->is_done = !r->is_chosen;
    }
}

/* In the first level, from one of the starts. */
static void take_coarse_step(const endo_patch_grid *g, const endo_step_result *step, refinement *r) {
    endo_patch_motion m;
    if (take_step(g, step, 1, r, &m)) r->is_done = length_of(m.motion) < SETTLED_START * (1 << g->level);
}

/* On the way down. */
static void take_passing_step(const endo_patch_grid *g, const endo_step_result *step, refinement *r) {
    endo_patch_motion m;
    (void)take_step(g, step, 0, r, &m);
}

/* What is done in a level: at one patch of so many, so many rounds at most, by this rule. */
typedef struct level_plan {
    int every, rounds, is_scored;
    void (*step)(const endo_patch_grid *g, const endo_step_result *step, refinement *r);
} level_plan;

static const level_plan last_plan = {1, MOST_ROUNDS, 0, take_last_step};

/* ------------------------------------------------------------------ rounds */

/* Memory of the rounds, for so many pairs; it grows and is kept. */
typedef struct round_room {
    size_t pairs;
    size_t *which; /* that are not done */
    endo_step_request *requests;
    endo_step_result *steps;
    endo_step_room patches;
} round_room;

static void room_free(round_room *room) {
    endo_step_room_free(&room->patches);
    endo_free(room->which);
    endo_free(room->requests);
    endo_free(room->steps);
    room->pairs = 0, room->which = NULL, room->requests = NULL, room->steps = NULL;
}

/* At least; what was in it is lost. */
static endo_status room_reserve(round_room *room, size_t pairs) {
    if (room->pairs >= pairs) return ENDO_OK;
    room_free(room);
    room->which = endo_alloc(pairs, sizeof *room->which);
    room->requests = endo_alloc_zeroed(pairs, sizeof *room->requests);
    room->steps = endo_alloc(pairs, sizeof *room->steps);
    room->pairs = pairs;
    if (room->which && room->requests && room->steps) return ENDO_OK;
    room_free(room);
    return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", pairs);
}

static void ask(const endo_pair *pairs, const refinement *r, endo_step_request *q) {
    q->reference = pairs[r->pair].reference, q->current = pairs[r->pair].current, q->kind = r->map.kind;
    memcpy(q->map, r->map.matrix, sizeof q->map);
}

static endo_status run_round(endo_frames *frames, const endo_pair *pairs, const endo_patch_grid *g, const level_plan *plan,
                             round_room *room, refinement *all, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!all[i].is_done) ask(pairs, &all[i], &room->requests[count]), room->which[count++] = i;
    if (count == 0 || g->n == 0) return ENDO_OK;
    endo_status status = endo_context_go_on(frames->context);
    if (status == ENDO_OK)
        status = endo_pair_steps(frames, g, plan->is_scored, &room->patches, room->requests, count, room->steps);
    if (status != ENDO_OK) return status;
#pragma omp parallel for num_threads(frames->context->threads) schedule(static) if (count > 8)
    for (size_t i = 0; i < count; i++) plan->step(g, &room->steps[i], &all[room->which[i]]);
    return ENDO_OK;
}

static endo_status run_level(endo_frames *frames, const endo_pair *pairs, int level, const level_plan *plan, round_room *room,
                             refinement *all, size_t n) {
    endo_patch_grid grid;
    endo_status status = endo_patch_grid_make(frames, level, ACROSS, plan->every, &grid);
    if (status == ENDO_OK) status = room_reserve(room, n);
    for (int round = 0; round < plan->rounds && status == ENDO_OK; round++)
        status = run_round(frames, pairs, &grid, plan, room, all, n);
    endo_patch_grid_free(&grid);
    return status;
}

/* ------------------------------------------------------------------ starts */

static int coarse_level(const endo_frames *frames) {
    int width = frames->options.width, height = frames->options.height, longer = width > height ? width : height;
    int level = endo_patch_levels(width, height) - 1;
    while (level > 0 && longer >> level < COARSE) level--;
    return level;
}

/* start: current -> reference. */
static refinement begin(const endo_frames *frames, const endo_transform *start, size_t pair) {
    double x = (frames->options.width - 1) / 2.0, y = (frames->options.height - 1) / 2.0;
    endo_transform forward;
    refinement r = {.pair = pair, .map = endo_transform_still, .score = INFINITY};
    r.is_done = !endo_transform_inverse(start, &forward) ||
                !endo_transform_nearest(&forward, ENDO_TRANSFORM_SIMILARITY, x, y, &r.map);
    return r;
}

static double distance_of(const endo_frames *frames, const endo_transform *a, const endo_transform *b) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    return endo_map_distance(size, a, b);
}

static int is_lost(const refinement *r) { return r->is_done && !(r->score < INFINITY); }

/* tried: STARTS a pair. Of those that are alike the first one goes on. */
static void drop_same(const endo_frames *frames, refinement *tried, size_t n) {
    double near = SAME_START * (1 << coarse_level(frames));
    for (size_t i = 0; i < n; i++)
        for (int k = 1; k < STARTS; k++)
            for (int j = 0; j < k; j++) {
                refinement *r = &tried[STARTS * i + k];
                const refinement *other = r - k + j;
                if (is_lost(r) || is_lost(other) || !(distance_of(frames, &r->map, &other->map) < near)) continue;
                r->is_done = 1, r->score = INFINITY;
            }
}

/* In the first level. tried: STARTS a pair. */
static endo_status try_starts(endo_frames *frames, const endo_pair *pairs, size_t n, round_room *room, refinement *tried) {
    static const level_plan once = {1, 1, 1, take_coarse_step};
    endo_status status = ENDO_OK;
    for (int round = 0; round < COARSE_ROUNDS && status == ENDO_OK; round++) {
        drop_same(frames, tried, n);
        status = run_level(frames, pairs, coarse_level(frames), &once, room, tried, n * STARTS);
    }
    return status;
}

/* tried: STARTS a pair. */
static void keep_best(const refinement *tried, size_t n, refinement *best) {
    for (size_t i = 0; i < n; i++) {
        best[i] = tried[STARTS * i];
        for (int k = 1; k < STARTS; k++)
            if (tried[STARTS * i + k].score < best[i].score) best[i] = tried[STARTS * i + k];
        best[i].is_done = !(best[i].score < INFINITY);
    }
}

/* Into the frames themselves, in the class that is asked for; AUTO: all of them may be needed. */
static void descend(const endo_frames *frames, endo_transform_class kind, refinement *r) {
    double x = (frames->options.width - 1) / 2.0, y = (frames->options.height - 1) / 2.0;
    r->round = 0;
    r->is_chosen = kind != ENDO_TRANSFORM_AUTO;
    if (!r->is_chosen || kind == ENDO_TRANSFORM_AFFINE)
        r->map.kind = ENDO_TRANSFORM_AFFINE;
    else if (!endo_transform_nearest(&r->map, kind, x, y, &r->map))
        r->is_done = 1;
}

/* What holds the map back is not in the fit's own deviation. */
static void add_lag(const endo_frames *frames, refinement *r) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    r->lag = endo_map_held_back(size, &r->coarse, r->coarse_deviation, &r->map);
    if (r->deviation > 0) r->deviation = hypot(r->deviation, r->lag);
}

/* Noise or what stands still has more of it than the level above would have. */
static int is_unsure(const refinement *r) { return r->deviation > 0 && (endo_is_noisy(r->share) || r->lag > 0); }

/* Pairs whose gradients are noise to a good part, or which are held back, are refined in the levels above, too, as long
 * as that goes on; the level that knows most stands. again: room for n. */
static endo_status refine_unsure(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                                  round_room *room, refinement *again, refinement *best) {
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
        status = run_level(frames, pairs, level, &last_plan, room, again, n);
        for (size_t i = 0; i < n && status == ENDO_OK; i++) {
            add_lag(frames, &again[i]);
            if (again[i].deviation > 0 && again[i].deviation < best[i].deviation) best[i] = again[i];
        }
    }
    return status;
}

static void keep_coarse(refinement *r) { r->coarse = r->map, r->coarse_deviation = r->last; }

/* From the first level down to the frames themselves. Nothing is judged by what the level above those says: half of the
 * patches do. */
static endo_status come_down(endo_frames *frames, const endo_pair *pairs, size_t n, round_room *room, refinement *best) {
    endo_status status = ENDO_OK;
    for (int level = coarse_level(frames); level > 0 && status == ENDO_OK; level--) {
        const level_plan plan = {level < ENDO_JUDGE_LEVEL ? SPARSE : 1, 1, 0, take_passing_step};
        if (level < coarse_level(frames)) status = run_level(frames, pairs, level, &plan, room, best, n);
        for (size_t i = 0; i < n && level >= ENDO_JUDGE_LEVEL; i++) keep_coarse(&best[i]);
    }
    return status;
}

static endo_status refine(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                          round_room *room, refinement *tried, refinement *best) {
    static const level_plan first_look = {SPARSE, 1, 0, take_first_look};
    endo_status status = try_starts(frames, pairs, n, room, tried);
    keep_best(tried, n, best);
    for (size_t i = 0; i < n; i++) keep_coarse(&best[i]);
    if (status == ENDO_OK) status = come_down(frames, pairs, n, room, best);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) descend(frames, kind, &best[i]);
    if (status == ENDO_OK) status = run_level(frames, pairs, 0, &first_look, room, best, n);
    if (status == ENDO_OK) status = run_level(frames, pairs, 0, &last_plan, room, best, n);
    return status == ENDO_OK ? refine_unsure(frames, pairs, n, kind, room, tried, best) : status;
}

/* -------------------------------------------------------------- conclusion */

/* Nothing was registered. */
static void give_up(endo_pair_result *out) {
    out->transform = endo_transform_still;
    out->deviation = NAN;
    out->status = ENDO_PAIR_JUMP;
}

static int is_seen_from_afar(const endo_frames *frames, const refinement *r) {
    endo_frame_size size = {frames->options.width, frames->options.height};
    int level = coarse_level(frames);
    double pixel = (double)(1 << (level < ENDO_JUDGE_LEVEL ? level : ENDO_JUDGE_LEVEL));
    return endo_maps_agree(size, &r->coarse, r->coarse_deviation, pixel, &r->map);
}

/* With what may pull it. */
static double whole_deviation(const endo_frames *frames, const refinement *r, const endo_evidence *e) {
    double far = distance_of(frames, &r->map, &endo_transform_still), left = fmin(1 - e->coefficient * e->coefficient, e->at_rest);
    double remnant = frames->options.pattern ? REMNANT * (far < REMNANT_REACH ? far : REMNANT_REACH) : 0;
    return hypot(hypot(r->deviation, remnant), PULL * left * (far < PULL_REACH ? far : PULL_REACH));
}

/* Where nothing could be refined, the landmarks' word is all there is, and no more than doubtful. */
static void conclude_pair(const endo_frames *frames, const refinement *r, const endo_evidence *e, endo_pair_result *out) {
    endo_transform back;
    endo_belief belief = r->deviation > 0 ? endo_evidence_belief(e) : ENDO_BELIEF_NONE;
    if (out->status == ENDO_PAIR_NO_TEXTURE) return;
    if (belief == ENDO_BELIEF_NONE || !endo_transform_inverse(&r->map, &back)) {
        give_up(out);
        return;
    }
    out->transform = back;
    out->deviation = whole_deviation(frames, r, e);
    if (!is_seen_from_afar(frames, r) || out->deviation > endo_sure_deviation(r->relief)) belief = ENDO_BELIEF_DOUBT;
    out->status = belief == ENDO_BELIEF_SURE ? ENDO_PAIR_OK : ENDO_PAIR_FEW_LANDMARKS;
}

static endo_status conclude(endo_frames *frames, const endo_pair *pairs, size_t n, const refinement *best,
                            endo_pair_result *results) {
    endo_transform *maps = endo_alloc(n, sizeof *maps);
    endo_evidence *evidence = endo_alloc(n, sizeof *evidence);
    endo_status status = ENDO_OK;
    if (!maps || !evidence) status = endo_fail(ENDO_ERR_MEMORY, "no memory to judge %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) maps[i] = best[i].map;
    if (status == ENDO_OK) status = endo_pairs_weigh(frames, pairs, maps, n, evidence);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) conclude_pair(frames, &best[i], &evidence[i], &results[i]);
    endo_free(maps);
    endo_free(evidence);
    return status;
}

static endo_status refine_some(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                               endo_transform_class kind, round_room *room, endo_pair_result *results) {
    refinement *tried = endo_alloc((STARTS + 1) * n, sizeof *tried), *best = tried + STARTS * n;
    if (!tried) return endo_fail(ENDO_ERR_MEMORY, "no memory to refine %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        tried[STARTS * i] = begin(frames, &results[i].transform, i);
        tried[STARTS * i + 1] = begin(frames, &starts[i].transform, i);
        tried[STARTS * i + 2] = begin(frames, &endo_transform_still, i);
    }
    endo_status status = refine(frames, pairs, n, kind, room, tried, best);
    if (status == ENDO_OK) status = conclude(frames, pairs, n, best, results);
    endo_free(tried);
    return status;
}

/* Equal shares of n pairs. */
static size_t share_of(const endo_frames *frames, size_t n) {
    size_t most = frames->context->kernels->takes_many ? AT_ONCE_ON_DEVICES : AT_ONCE, shares = (n + most - 1) / most;
    return (n + shares - 1) / shares;
}

endo_status endo_pairs_refine(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                              endo_transform_class kind, endo_pair_result *results) {
    endo_status status = ENDO_OK;
    round_room room = {0};
    size_t share = share_of(frames, n);
    for (size_t at = 0; at < n && status == ENDO_OK; at += share) {
        size_t count = n - at < share ? n - at : share;
        status = refine_some(frames, pairs + at, starts + at, count, kind, &room, results + at);
    }
    room_free(&room);
    return status;
}
