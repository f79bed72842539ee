/* Rivals (pair_rivals.h). Shifts by which patches of the reference resemble what lies beside them are sought in two levels: a
 * period is a shift that fits far better than half of it. The pair's map, moved by each period, is refined; what each map leaves
 * unexplained is compared over all patches of the frames. The best stands where it is clearly better than every other one. */
#include "pair_rivals.h"

#include "base/memory.h"
#include "base/transform.h"
#include "map_agreement.h"
#include "pair_refine.h"

#include <math.h>
#include <string.h>

/* Periods are sought in the frames themselves and in this level, or the last one of small frames. */
#define LAST_LEVEL 2
/* Shifts, px of a level, either way, and the shortest of them. */
#define REACH 14
#define SHIFTS (2 * REACH + 1)
#define SHORTEST 4
#define MEASURED (SHIFTS * SHIFTS / 2 + 1)
/* Patches along the longer side that are asked about themselves, and at which maps are compared. */
#define ASKED_ACROSS 5
#define MOST_ASKED 25
#define ACROSS 14
#define MOST (ACROSS * ACROSS)
/* A patch resembles what lies a period away by this coefficient at least, in the mean, and by so much more than half way. */
#define RESEMBLES 0.7
#define OVER_HALF 0.3
/* One patch in so many is asked first; where these find nothing, with both limits lower by so much, the others are not asked. */
#define FIRST_EVERY 4
#define LENIENT 0.2
/* Periods of a level at most; two of them lie further apart than this, px of the level. */
#define MOST_PERIODS 8
#define APART 3.0
/* Periods that are tried fit so well, over the best of them. */
#define NEARLY 0.8
/* The best of all is compared with its own rivals in its turn, so often at most. */
#define ROUNDS 4
/* A map is better by so many standard deviations of the mean difference. */
#define CLEARLY 4.0
/* Frames that are looked at with one call: a device answers for many in the time of one. */
#define TOGETHER 16
/* Rivals that lie no further away than this, px, after they were refined are the pair itself. */
#define SAME 2.0

/* --------------------------------------------------------------------- periods */

/* Mean coefficient by shift; NaN: too few patches say something. */
typedef struct resemblance {
    double at[SHIFTS][SHIFTS]; /* y, x */
} resemblance;

/* Mean of n patches, of which a third must say something. */
static double mean_coefficient(const endo_patch_sums *sums, size_t n, int side) {
    double sum = 0;
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        double c = endo_patch_coefficient(&sums[k], side);
        if (c != c) continue;
        sum += c;
        count++;
    }
    return 3 * count > n ? sum / (double)count : NAN;
}

/* One patch in so many of a grid. */
typedef struct some_patches {
    endo_patch_grid grid;
    int32_t positions[2 * MOST_ASKED];
} some_patches;

static void choose_patches(const endo_patch_grid *g, size_t every, some_patches *out) {
    out->grid = *g;
    out->grid.positions = out->positions;
    out->grid.n = 0;
    for (size_t i = 0; i < g->n; i += every, out->grid.n++)
        memcpy(&out->positions[2 * out->grid.n], &g->positions[2 * i], 2 * sizeof *g->positions);
}

/* Requests of one frame at all shifts. Of two opposite shifts one is measured: a frame resembles itself by both alike. */
static void ask_shifts(const endo_patch_grid *g, int slot, endo_patch_request *requests) {
    static const double identity[6] = {1, 0, 0, 0, 1, 0};
    const endo_pair itself = {.reference = slot, .current = slot};
    for (int i = 0; i < MEASURED; i++) {
        const int shift[2] = {i % SHIFTS - REACH, i / SHIFTS - REACH};
        endo_patch_grid_ask(g, &itself, identity, shift, requests + (size_t)i * g->n);
    }
}

/* Asks of the other frames what is asked of the first one. */
static void ask_likewise(const int32_t *slots, size_t n, size_t each, endo_patch_request *requests) {
    for (size_t i = each; i < n * each; i++) {
        requests[i] = requests[i % each];
        requests[i].reference = requests[i].current = slots[i / each];
    }
}

static void set_resemblance(const endo_patch_grid *g, const endo_patch_sums *sums, resemblance *r) {
    for (int i = 0; i < MEASURED; i++) {
        int opposite = SHIFTS * SHIFTS - 1 - i;
        r->at[i / SHIFTS][i % SHIFTS] = mean_coefficient(sums + (size_t)i * g->n, g->n, g->side);
        r->at[opposite / SHIFTS][opposite % SHIFTS] = r->at[i / SHIFTS][i % SHIFTS];
    }
}

/* Of n frames, by one patch in so many. */
static endo_status measure(endo_frames *frames, const endo_patch_grid *g, const int32_t *slots, size_t n, size_t every,
                           resemblance *r) {
    some_patches some;
    choose_patches(g, every, &some);
    endo_patches_setup setup = {g->side};
    size_t each = MEASURED * some.grid.n;
    endo_patch_request *requests = endo_alloc(n * each, sizeof *requests);
    endo_patch_sums *sums = endo_alloc(n * each, sizeof *sums);
    endo_status status = requests && sums ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the rivals of a pair");
    if (status == ENDO_OK) {
        ask_shifts(&some.grid, slots[0], requests);
        ask_likewise(slots, n, each, requests);
        status = frames->context->kernels->batches->patches(frames->store, requests, n * each, &setup, sums);
    }
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic)
    for (long i = 0; i < (long)n; i++)
        if (status == ENDO_OK) set_resemblance(&some.grid, sums + i * each, &r[i]);
    endo_free(requests);
    endo_free(sums);
    return status;
}

/* A shift, px of the level. */
typedef struct period {
    int x, y;
} period;

static int is_peak(const resemblance *r, int x, int y) {
    double c = r->at[y][x];
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (u >= 0 && u < SHIFTS && v >= 0 && v < SHIFTS && r->at[v][u] > c) return 0;
    return 1;
}

static int is_period(const resemblance *r, int x, int y) {
    int dx = x - REACH;
    int dy = y - REACH;
    if (dx * dx + dy * dy < SHORTEST * SHORTEST || !(r->at[y][x] >= RESEMBLES) || !is_peak(r, x, y)) return 0;
    return r->at[y][x] >= r->at[REACH + dy / 2][REACH + dx / 2] + OVER_HALF;
}

/* Whether some shift looks like a period to a few patches, or these say too little. */
static int may_repeat(const resemblance *r) {
    int known = 0;
    for (int i = 0; i < MEASURED; i++) {
        int dx = i % SHIFTS - REACH;
        int dy = i / SHIFTS - REACH;
        double fits = r->at[REACH + dy][REACH + dx];
        double half_way = r->at[REACH + dy / 2][REACH + dx / 2];
        known += fits == fits;
        if (dx * dx + dy * dy < SHORTEST * SHORTEST) continue;
        if (fits >= RESEMBLES - LENIENT && fits >= half_way + OVER_HALF - LENIENT) return 1;
    }
    return 2 * known < MEASURED;
}

static int is_apart(const period *periods, int n, const period *p) {
    for (int i = 0; i < n; i++)
        if (hypot(periods[i].x - p->x, periods[i].y - p->y) < APART) return 0;
    return 1;
}

/* What all periods are compared with: the best of them. */
static double best_fit(const resemblance *r) {
    double best = 0;
    for (int i = 0; i < SHIFTS * SHIFTS; i++) {
        double fits = r->at[i / SHIFTS][i % SHIFTS];
        if (fits > best && is_period(r, i % SHIFTS, i / SHIFTS)) best = fits;
    }
    return best;
}

static double length_of(const period *p) { return hypot(p->x, p->y); }

/* The shortest first, of those that fit nearly as well as the best: the others are sums of these. */
static int choose_periods(const resemblance *r, period periods[MOST_PERIODS]) {
    double least = NEARLY * best_fit(r);
    int n = 0;
    while (n < MOST_PERIODS) {
        period next = {.x = SHIFTS, .y = SHIFTS};
        for (int i = 0; i < SHIFTS * SHIFTS; i++) {
            int x = i % SHIFTS;
            int y = i / SHIFTS;
            period p = {.x = x - REACH, .y = y - REACH};
            if (!(r->at[y][x] >= least) || !is_period(r, x, y) || !is_apart(periods, n, &p)) continue;
            if (length_of(&p) < length_of(&next)) next = p;
        }
        if (next.x == SHIFTS) break;
        periods[n++] = next;
    }
    return n;
}

/* ------------------------------------------------------------------- comparison */

/* What a map leaves unexplained of each patch, as a logarithm; NaN: nothing is known. */
static endo_status explain(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const endo_transform *map,
                           double left[MOST]) {
    endo_patch_request requests[MOST];
    endo_patch_sums sums[MOST];
    endo_patches_setup setup = {g->side};
    endo_patch_grid_ask_map(g, pair, map, requests);
    ENDO_TRY(frames->context->kernels->batches->patches(frames->store, requests, g->n, &setup, sums));
    for (size_t i = 0; i < g->n; i++) {
        double c = endo_patch_coefficient(&sums[i], g->side);
        left[i] = c != c ? NAN : log(1.0001 - (c > 0 ? c * c : 0));
    }
    return ENDO_OK;
}

/* By how many standard deviations one map explains more than another. */
static double advantage(const double *one, const double *other, size_t n) {
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double d = other[i] - one[i];
        if (d != d) continue;
        sum += d;
        squares += d * d;
        count++;
    }
    if (count < 6) return 0;
    double variance = (squares - sum * sum / count) / (count - 1) + 1e-4;
    return sum / sqrt(variance * count);
}

/* ------------------------------------------------------------------------ a pair */

#define MOST_RIVALS (2 * MOST_PERIODS)

/* The periods of a frame, as shifts of the whole frame. */
typedef struct frame_periods {
    endo_transform shifts[MOST_RIVALS];
    size_t n;
} frame_periods;

static void add_periods(const resemblance *r, int level, frame_periods *p) {
    period periods[MOST_PERIODS];
    int n = choose_periods(r, periods);
    for (int i = 0; i < n; i++) {
        const double moved[6] = {1, 0, periods[i].x * (double)(1 << level), 0, 1, periods[i].y * (double)(1 << level)};
        p->shifts[p->n++] = endo_transform_make(ENDO_TRANSFORM_TRANSLATION, moved);
    }
}

/* Adds the periods that n frames have in one level. r: memory for as many. */
static endo_status find_periods(endo_frames *frames, int level, const int32_t *slots, size_t n, resemblance *r, frame_periods *p) {
    endo_patch_grid g;
    endo_status status = endo_patch_grid_make(frames, level, ASKED_ACROSS, 1, &g);
    if (status == ENDO_OK && g.n > 0) status = measure(frames, &g, slots, n, FIRST_EVERY, r);
    for (size_t i = 0; i < n && g.n > 0 && status == ENDO_OK; i++) {
        if (!may_repeat(&r[i])) continue;
        status = measure(frames, &g, &slots[i], 1, 1, &r[i]);
        if (status == ENDO_OK) add_periods(&r[i], level, &p[i]);
    }
    endo_patch_grid_free(&g);
    return status;
}

static endo_status find_shifts(endo_frames *frames, const int32_t *slots, size_t n, frame_periods *p) {
    int last = endo_patch_levels(frames->options.width, frames->options.height) - 1;
    if (last > LAST_LEVEL) last = LAST_LEVEL;
    resemblance *r = endo_alloc(n, sizeof *r);
    if (!r) return endo_fail(ENDO_ERR_MEMORY, "no memory for the rivals of a pair");
    for (size_t i = 0; i < n; i++) p[i].n = 0;
    endo_status status = ENDO_OK;
    for (int k = 0; k <= (last > 0) && status == ENDO_OK; k++) status = find_periods(frames, k * last, slots, n, r, p);
    endo_free(r);
    return status;
}

/* The pair, and each rival that is another one: what it is, and what it leaves unexplained. */
typedef struct candidate {
    endo_pair_result result;
    double left[MOST];
} candidate;

typedef struct candidates {
    candidate items[MOST_RIVALS + 1];
    size_t n;
} candidates;

static endo_status add(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, const endo_pair_result *result,
                       candidates *all) {
    endo_frame_size size = {g->width, g->height};
    endo_transform map;
    if (result->status == ENDO_PAIR_JUMP || !endo_transform_inverse(&result->transform, &map)) return ENDO_OK;
    for (size_t i = 0; i < all->n; i++)
        if (endo_map_distance(size, &all->items[i].result.transform, &result->transform) < SAME) return ENDO_OK;
    candidate *c = &all->items[all->n];
    c->result = *result;
    ENDO_TRY(explain(frames, g, pair, &map, c->left));
    all->n++;
    return ENDO_OK;
}

static const candidate *best_of(const candidates *all, size_t n_patches) {
    const candidate *best = &all->items[0];
    for (size_t i = 1; i < all->n; i++)
        if (advantage(all->items[i].left, best->left, n_patches) > 0) best = &all->items[i];
    return best;
}

/* Standard deviations by which one explains more than every other one. */
static double lead_of(const candidates *all, const candidate *best, size_t n_patches) {
    double least = INFINITY;
    for (size_t i = 0; i < all->n; i++) {
        double ahead = advantage(best->left, all->items[i].left, n_patches);
        if (&all->items[i] != best && ahead < least) least = ahead;
    }
    return least;
}

/* The rivals of a result, refined; *n: how many there are. */
static endo_status refine_rivals(endo_frames *frames, const endo_pair *pair, endo_transform_class kind, const frame_periods *p,
                                 const endo_pair_result *result, endo_pair_result rivals[MOST_RIVALS], size_t *n) {
    static const uint8_t all[1] = {1};
    endo_frame_size size = {frames->options.width, frames->options.height};
    endo_transform map, maps[MOST_RIVALS];
    endo_pair pairs[MOST_RIVALS];
    endo_layer_mask masks[MOST_RIVALS];
    *n = 0;
    if (!endo_transform_inverse(&result->transform, &map)) return ENDO_OK;
    for (size_t i = 0; i < p->n; i++) {
        endo_transform moved;
        if (!endo_transform_product(&p->shifts[i], &map, &moved)) continue;
        if (!endo_map_nearest_over_frame(size, &moved, ENDO_TRANSFORM_SIMILARITY, &maps[*n])) continue;
        pairs[*n] = *pair;
        masks[*n] = (endo_layer_mask){.columns = 1, .rows = 1, .layer = 1, .cells = all};
        rivals[*n] = *result;
        ++*n;
    }
    return *n ? endo_pairs_refine_layers(frames, pairs, maps, masks, *n, kind, rivals) : ENDO_OK;
}

/* The result becomes the best of it and its rivals; *is_other: it is another one than before. Doubtful where it is not clearly
 * the best. */
static endo_status compare(endo_frames *frames, const endo_patch_grid *g, const endo_pair *pair, endo_transform_class kind,
                           const frame_periods *p, candidates *all, endo_pair_result *result, int *is_other) {
    endo_pair_result rivals[MOST_RIVALS];
    size_t n = 0;
    all->n = 0;
    *is_other = 0;
    ENDO_TRY(refine_rivals(frames, pair, kind, p, result, rivals, &n));
    ENDO_TRY(add(frames, g, pair, result, all));
    for (size_t i = 0; i < n; i++) ENDO_TRY(add(frames, g, pair, &rivals[i], all));
    if (!all->n) return ENDO_OK;
    const candidate *best = best_of(all, g->n);
    *is_other = best != &all->items[0];
    *result = best->result;
    if (lead_of(all, best, g->n) < CLEARLY && result->status == ENDO_PAIR_OK) result->status = ENDO_PAIR_FEW_LANDMARKS;
    return ENDO_OK;
}

/* Compares a pair with its rivals, and the best with its own. */
static endo_status try_pair(endo_frames *frames, const endo_pair *pair, endo_transform_class kind, const frame_periods *p,
                            endo_pair_result *result) {
    endo_patch_grid g;
    candidates *all = endo_alloc(1, sizeof *all);
    endo_status status = endo_patch_grid_make(frames, 0, ACROSS, 1, &g);
    if (status == ENDO_OK && !all) status = endo_fail(ENDO_ERR_MEMORY, "no memory for the rivals of a pair");
    int is_other = 1;
    for (int round = 0; round < ROUNDS && is_other && status == ENDO_OK; round++)
        status = compare(frames, &g, pair, kind, p, all, result, &is_other);
    if (status == ENDO_OK && is_other && result->status == ENDO_PAIR_OK) result->status = ENDO_PAIR_FEW_LANDMARKS;
    endo_patch_grid_free(&g);
    endo_free(all);
    return status;
}

static int has_rivals(const endo_pair_result *result) {
    int is_lost = result->status == ENDO_PAIR_JUMP || result->status == ENDO_PAIR_NO_TEXTURE;
    return !is_lost && result->transform.kind != ENDO_TRANSFORM_HOMOGRAPHY;
}

/* Pairs whose references are looked at with one call. */
typedef struct pair_group {
    size_t at[TOGETHER]; /* which pairs */
    int32_t slots[TOGETHER];
    frame_periods periods[TOGETHER];
    size_t n;
} pair_group;

/* Takes the next pairs from `from` on that may have rivals; returns the pair after them. */
static size_t take_group(const endo_pair *pairs, const endo_pair_result *results, size_t from, size_t n, pair_group *group) {
    group->n = 0;
    for (; from < n && group->n < TOGETHER; from++) {
        if (!has_rivals(&results[from])) continue;
        group->at[group->n] = from;
        group->slots[group->n++] = pairs[from].reference;
    }
    return from;
}

static endo_status try_group(endo_frames *frames, const endo_pair *pairs, endo_transform_class kind, pair_group *group,
                             endo_pair_result *results, int32_t *repeats) {
    if (group->n == 0) return ENDO_OK;
    ENDO_TRY(find_shifts(frames, group->slots, group->n, group->periods));
    for (size_t i = 0; i < group->n; i++) {
        size_t at = group->at[i];
        repeats[at] = group->periods[i].n > 0;
        ENDO_TRY(endo_context_go_on(frames->context));
        if (repeats[at]) ENDO_TRY(try_pair(frames, &pairs[at], kind, &group->periods[i], &results[at]));
    }
    return ENDO_OK;
}

endo_status endo_rivals_try(endo_frames *frames, const endo_pair *pairs, size_t n, endo_transform_class kind,
                            endo_pair_result *results, int32_t *repeats) {
    pair_group *group = endo_alloc(1, sizeof *group);
    endo_status status = group ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the rivals of a pair");
    for (size_t i = 0; i < n; i++) repeats[i] = 0;
    for (size_t from = 0; from < n && status == ENDO_OK;) {
        from = take_group(pairs, results, from, n, group);
        status = try_group(frames, pairs, kind, group, results, repeats);
    }
    endo_free(group);
    return status;
}
