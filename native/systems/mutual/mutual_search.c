/* Starts, levels, and searches that are evaluated together. */
#include "mutual_search.h"

#include "base/openmp.h"
#include "mutual_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distance between starts, within which a search at the coarsest level converges. */
#define TURN_APART 12.0  /* degrees */
#define SHIFT_APART 0.25 /* share of the radius */
#define MOST_TURNS 7     /* starts each way from the initial turn and shift */
#define MOST_SHIFTS 3
#define DEGREE 0.017453292519943295
#define ROUNDS 12        /* most rounds of Powell */
#define COARSE_TOLERANCE 0.1 /* voxels */
#define LAST_TOLERANCE 0.05  /* voxels of the level before the finest, whose evaluations cost several times as much */
#define RESTARTS (ENDO_MUTUAL_FOLLOWED - 1)
#define RESTART_ROUNDS 3 /* rounds of restarts, at most */
#define RESTART_APART 0.08 /* share of the radius, each parameter */
#define TOGETHER 2.0     /* voxels of the coarsest level */
#define BATCH_VOXELS 4e7
#define WINDOW_MARGIN 2  /* voxels of the fixed volume */

/* -------------------------------------------------------------------- cost */

/* Cost of a map: where too few voxels overlap, above that of any other map, and less the more there are. */
static double cost_of(int normalized, double least, const endo_mutual_sums *s) {
    if ((double)s->n < least) return 2 - (double)s->n / least;
    return normalized ? -endo_mutual_normalized(s) : -endo_mutual_information(s);
}

/* Whether the normalized measure is used. Mutual information grows where background leaves the overlap: among starts far
 * apart it would prefer those that hardly overlap. Unless there is one level only, as in [B], starts are compared by the
 * normalized measure. */
static int is_normalized(const endo_mutual_search *s, int level) {
    const endo_mutual_options *o = &s->mutual->options;
    return o->measure == ENDO_MUTUAL_NMI || (!s->window && level > 0 && level == o->levels - 1);
}

static int map_of(const endo_mutual_search *s, int level, const double *parameters, endo_mutual_map *map) {
    const endo_mutual *m = s->mutual;
    double world[16], voxels[16];
    endo_mutual_world(m, parameters, world);
    endo_mutual_in_voxels(m, level, world, voxels);
    if (!endo_affine3_to_fixed(voxels, map)) return 0;
    endo_mutual_set_gain(m, level, s->seeks_gain ? parameters + m->parameters : s->gain, map);
    return 1;
}

static int may_go_on(endo_mutual_search *s, size_t n) {
    const endo_context *c = s->mutual->context;
    if (s->stop != ENDO_MUTUAL_CONVERGED) return 0;
    if (s->evaluations + (int64_t)n > s->mutual->options.max_evaluations) s->stop = ENDO_MUTUAL_EVALUATIONS;
    if (c->cancel && c->cancel(c->cancel_user)) s->stop = ENDO_MUTUAL_CANCELLED;
    return s->stop == ENDO_MUTUAL_CONVERGED;
}

/* Fewest voxels that must overlap; half of them in a window, which leaves out some. */
static double least_of(const endo_mutual_search *s, int level) {
    return s->window ? s->mutual->least[level] / 2 : s->mutual->least[level];
}

/* Costs of at most ENDO_MUTUAL_BATCH points. */
static endo_status costs_of_batch(endo_mutual_search *s, int level, const double (*points)[ENDO_SEARCH_PARAMETERS],
                                  size_t n, double *costs) {
    endo_mutual *m = s->mutual;
    endo_mutual_map maps[ENDO_MUTUAL_BATCH];
    endo_mutual_sums sums[ENDO_MUTUAL_BATCH];
    size_t of[ENDO_MUTUAL_BATCH], used = 0;
    for (size_t i = 0; i < n; i++) costs[i] = INFINITY;
    if (!may_go_on(s, n)) return ENDO_OK;
    for (size_t i = 0; i < n; i++)
        if (map_of(s, level, points[i], &maps[used])) of[used++] = i;
    endo_status status = used ? m->context->kernels->mutual->measure(m->pair, level, s->window, maps, used, sums) : ENDO_OK;
    for (size_t i = 0; i < used && status == ENDO_OK; i++)
        costs[of[i]] = cost_of(is_normalized(s, level), least_of(s, level), &sums[i]);
    s->evaluations += (int64_t)n;
    s->level[level].evaluations += (int64_t)n;
    return status;
}

/* Points between two checks whether to stop: few for large volumes, so that a processor needs a tenth of a second or two. */
static size_t batch_of(const endo_mutual *m, int level) {
    const int *size = m->fixed[level].size;
    double most = BATCH_VOXELS / ((double)size[0] * size[1] * size[2]);
    return most < 1 ? 1 : most < ENDO_MUTUAL_BATCH ? (size_t)most : ENDO_MUTUAL_BATCH;
}

endo_status endo_mutual_costs(endo_mutual_search *s, int level, const double (*points)[ENDO_SEARCH_PARAMETERS],
                              size_t n, double *costs) {
    endo_status status = ENDO_OK;
    size_t batch = batch_of(s->mutual, level);
    for (size_t i = 0; i < n && status == ENDO_OK; i += batch) {
        size_t part = n - i < batch ? n - i : batch;
        status = costs_of_batch(s, level, points + i, part, costs + i);
    }
    return status;
}

/* ------------------------------------------------------------------- poses */

static double distance(const endo_mutual *m, const double *a, const double *b) {
    double square = 0;
    for (int i = 0; i < m->parameters; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(square);
}

/* Adds a pose to the best ones, sorted, none nearer than `apart` to a better one. Returns how many there are. */
static int keep(const endo_mutual *m, endo_mutual_pose *poses, int n, int most, double apart,
                const endo_mutual_pose *one) {
    int at = 0;
    for (int i = 0; i < n; i++)
        if (distance(m, poses[i].parameters, one->parameters) < apart) {
            if (poses[i].cost <= one->cost) return n;
            memmove(poses + i, poses + i + 1, (size_t)(n - i - 1) * sizeof *poses);
            n--, i--;
        }
    while (at < n && poses[at].cost <= one->cost) at++;
    if (at == most) return n;
    if (n == most) n--;
    memmove(poses + at + 1, poses + at, (size_t)(n - at) * sizeof *poses);
    poses[at] = *one;
    return n + 1;
}

/* --------------------------------------------------------------- refinement */

static double voxel_of(const endo_mutual *m, int level) {
    double spacing[3];
    endo_world_spacing(m->fixed[level].world, spacing);
    double least = spacing[0] < spacing[1] ? spacing[0] : spacing[1];
    return !m->planar && spacing[2] < least ? spacing[2] : least;
}

/* Number of parameters of a gain. */
static int gains(const endo_mutual *m) { return m->planar ? 2 : 3; }

/* A search by one of the two methods. */
typedef struct follower {
    int newton;
    endo_powell powell;
    endo_newton steps;
} follower;

static void follower_begin(follower *f, const endo_mutual_search *s, const double *point, double step, double tolerance) {
    const endo_mutual *m = s->mutual;
    int n = m->parameters + (s->seeks_gain ? gains(m) : 0);
    double steps[ENDO_SEARCH_PARAMETERS];
    for (int i = 0; i < ENDO_SEARCH_PARAMETERS; i++) steps[i] = step;
    f->newton = m->options.optimizer == ENDO_MUTUAL_GRADIENT;
    endo_powell_begin(&f->powell, n, point, steps, tolerance, ROUNDS);
    endo_newton_begin(&f->steps, n, point, steps, tolerance, ROUNDS);
    f->powell.value = f->steps.value = INFINITY; /* for cancelling before the first evaluation */
}

static int follower_ask(const follower *f, double (*points)[ENDO_SEARCH_PARAMETERS]) {
    return f->newton ? endo_newton_ask(&f->steps, points) : endo_powell_ask(&f->powell, points);
}

static void follower_tell(follower *f, const double *values) {
    if (f->newton) endo_newton_tell(&f->steps, values);
    else endo_powell_tell(&f->powell, values);
}

static void follower_end(const follower *f, endo_mutual_pose *end) {
    end->cost = f->newton ? f->steps.value : f->powell.value;
    memcpy(end->parameters, f->newton ? f->steps.point : f->powell.point, sizeof end->parameters);
}

/* Voxels that a call of a device counts in little more time than it takes in any case. */
#define FREE_VOXELS 2e6

/* Points that a search may ask for next, evaluated beside those that it asked for. */
typedef struct foreseen {
    int n;
    double points[ENDO_POWELL_FORESEEN][ENDO_SEARCH_PARAMETERS], costs[ENDO_POWELL_FORESEEN];
} foreseen;

/* The cost of a point of n parameters if it was foreseen, else NULL. */
static const double *cost_foreseen(const foreseen *f, const double *point, int n) {
    for (int i = 0; i < f->n; i++)
        if (!memcmp(f->points[i], point, (size_t)n * sizeof *point)) return &f->costs[i];
    return NULL;
}

/* Asks a search for its next points, beyond those that were foreseen. */
static int ask_beyond(endo_mutual_search *s, int level, follower *f, const foreseen *known,
                      double (*points)[ENDO_SEARCH_PARAMETERS]) {
    double costs[ENDO_NEWTON_POINTS];
    for (;;) {
        int n = follower_ask(f, points), found = 0;
        for (const double *cost; found < n && (cost = cost_foreseen(known, points[found], f->powell.n)); found++)
            costs[found] = *cost;
        if (n == 0 || found < n) return n;
        follower_tell(f, costs);
        s->evaluations += n;
        s->level[level].evaluations += n;
    }
}

/* How many points a call evaluates with hardly more time: where a search foresees them. A search that may end at the limit of
 * evaluations foresees nothing, so that it ends where it would elsewhere. */
static int points_for_free(const endo_mutual_search *s, int level, const follower *f, int n) {
    const endo_mutual *m = s->mutual;
    const int *size = m->fixed[level].size;
    if (f->newton || !m->context->kernels->takes_many) return 0;
    int64_t most_evaluated = (int64_t)n * endo_powell_most(&f->powell) + ENDO_MUTUAL_BATCH;
    if (s->evaluations + most_evaluated > m->options.max_evaluations) return 0;
    double most = FREE_VOXELS / ((double)size[0] * size[1] * size[2]);
    return most < ENDO_MUTUAL_BATCH ? (int)most : ENDO_MUTUAL_BATCH;
}

_Static_assert(ENDO_MUTUAL_BATCH <= ENDO_MUTUAL_FOLLOWED * ENDO_NEWTON_POINTS, "a batch with what was foreseen");

/* Runs searches together: the points that all of them need next are evaluated in one batch, and in its place that is left
 * those that they may need after. */
static endo_status follow_together(endo_mutual_search *s, int level, follower *searches, int n) {
    double points[ENDO_MUTUAL_FOLLOWED * ENDO_NEWTON_POINTS + ENDO_POWELL_FORESEEN][ENDO_SEARCH_PARAMETERS];
    double costs[ENDO_MUTUAL_FOLLOWED * ENDO_NEWTON_POINTS];
    foreseen known[ENDO_MUTUAL_FOLLOWED];
    endo_status status = ENDO_OK;
    int room = points_for_free(s, level, &searches[0], n);
    for (int i = 0; i < n; i++) known[i].n = 0;
    while (status == ENDO_OK && s->stop == ENDO_MUTUAL_CONVERGED) {
        int asked[ENDO_MUTUAL_FOLLOWED], all = 0, more;
        for (int i = 0; i < n; i++) all += asked[i] = ask_beyond(s, level, &searches[i], &known[i], points + all);
        if (all == 0) break;
        more = all;
        for (int i = 0; i < n; i++) {
            known[i].n = asked[i] && more < room ? endo_powell_foresee(&searches[i].powell, points + more) : 0;
            if (more + known[i].n > room) known[i].n = 0;
            memcpy(known[i].points, points + more, (size_t)known[i].n * sizeof *points);
            more += known[i].n;
        }
        status = endo_mutual_costs(s, level, points, (size_t)more, costs);
        s->evaluations -= more - all;
        s->level[level].evaluations -= more - all;
        if (s->stop != ENDO_MUTUAL_CONVERGED) break; /* the searches keep their best points */
        for (int i = 0, at = 0; i < n && status == ENDO_OK; at += asked[i++])
            if (asked[i]) follower_tell(&searches[i], costs + at);
        for (int i = 0, at = all; i < n; at += known[i++].n)
            memcpy(known[i].costs, costs + at, (size_t)known[i].n * sizeof *costs);
    }
    return status;
}

/* Tolerance of a level, voxels. */
static double tolerance_of(const endo_mutual_search *s, int level) {
    if (level == 0) return s->mutual->options.tolerance;
    return level == 1 && s->window ? LAST_TOLERANCE : COARSE_TOLERANCE;
}

/* Refines the poses of a coarser level, or the starts, at this level. */
static endo_status refine(endo_mutual_search *s, int level, double step) {
    const endo_mutual *m = s->mutual;
    follower searches[ENDO_MUTUAL_FOLLOWED];
    endo_mutual_pose found[ENDO_MUTUAL_FOLLOWED], *ends = s->ends;
    double voxel = voxel_of(m, level);
    double tolerance = tolerance_of(s, level) * voxel;
    int kept = 0;
    for (int i = 0; i < s->n; i++) follower_begin(&searches[i], s, s->poses[i].parameters, step, tolerance);
    ENDO_TRY(follow_together(s, level, searches, s->n));
    for (int i = 0; i < s->n; i++) {
        follower_end(&searches[i], &ends[i]);
        if (ends[i].cost < INFINITY) kept = keep(m, found, kept, ENDO_MUTUAL_FOLLOWED, voxel, &ends[i]);
    }
    memcpy(s->poses, found, (size_t)kept * sizeof *found);
    if (kept) s->n = kept;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ window */

/* Fixes the voxels that count to those of the best pose so far, so that searches at one level count the same ones
 * (rules/mutual.h). */
static void fix_window(endo_mutual_search *s, int level, endo_mutual_window *window) {
    const endo_mutual *m = s->mutual;
    double spacing[3], margin = WINDOW_MARGIN * voxel_of(m, level);
    endo_world_spacing(m->moving[level].world, spacing);
    if (!map_of(s, level, s->poses[0].parameters, &window->map)) return;
    for (int i = 0; i < 3; i++) {
        double most = m->moving[level].size[i] / 8.0, voxels = margin / spacing[i];
        window->margin[i] = m->planar && i == 2 ? 0 : (int32_t)(65536 * (voxels < most ? voxels : most));
    }
    s->window = window;
}

/* Refines the best pose alone, and the gain with it where `seeks_gain`. */
static endo_status refine_best(endo_mutual_search *s, int level, double step, int seeks_gain) {
    double *gain = s->poses[0].parameters + s->mutual->parameters;
    endo_mutual_window window;
    endo_status status;
    int n = s->n;
    fix_window(s, level, &window);
    memcpy(gain, s->gain, sizeof s->gain);
    s->n = 1;
    s->seeks_gain = seeks_gain;
    status = refine(s, level, step);
    if (seeks_gain) memcpy(s->gain, gain, sizeof s->gain);
    s->n = n;
    s->seeks_gain = 0;
    s->window = NULL;
    return status;
}

/* ------------------------------------------------------------------ starts */

/* Points on a grid about the initial transform, ring by ring from the middle. A ring has the points whose largest number of
 * steps along an axis is the same. */
typedef struct start_walk {
    int axes, total; /* parameters; points on the grid */
    int ring, rings; /* current ring, and the last */
    int next;        /* next point that is checked for this ring */
    int each_way[ENDO_SEARCH_PARAMETERS]; /* points on either side of the middle */
    double step[ENDO_SEARCH_PARAMETERS];
} start_walk;

static void add_axis(start_walk *w, double range, double apart, int most, double unit) {
    int n = (int)fmin(fmax(ceil(range / apart - 0.5), 0), most);
    w->each_way[w->axes] = n;
    w->step[w->axes++] = n ? unit * range / (n + 0.5) : 0;
    w->total *= 2 * n + 1;
    if (n > w->rings) w->rings = n;
}

static start_walk begin_starts(const endo_mutual *m) {
    start_walk w = {.total = 1};
    int shifts = m->planar ? 2 : 3, turns = m->options.model == ENDO_TRANSFORM_TRANSLATION ? 0 : m->planar ? 1 : 3;
    double apart = fmax(SHIFT_APART * m->radius, 3 * voxel_of(m, m->options.levels - 1));
    for (int i = 0; i < shifts; i++) add_axis(&w, m->options.shift_range, apart, MOST_SHIFTS, 1);
    for (int i = 0; i < turns; i++) add_axis(&w, m->options.turn_range, TURN_APART, MOST_TURNS, m->radius * DEGREE);
    return w;
}

/* The next start; 0: there is none left. */
static int next_start(start_walk *w, double *point) {
    for (; w->ring <= w->rings; w->ring++, w->next = 0)
        while (w->next < w->total) {
            int rest = w->next++, far = 0;
            for (int k = 0; k < w->axes; k++) {
                int points = 2 * w->each_way[k] + 1, at = rest % points - w->each_way[k];
                rest /= points;
                point[k] = at * w->step[k];
                if (abs(at) > far) far = abs(at);
            }
            if (far == w->ring) return 1;
        }
    return 0;
}

/* Keeps the best of all starts. */
static endo_status try_starts(endo_mutual_search *s, int level) {
    const endo_mutual *m = s->mutual;
    double points[ENDO_MUTUAL_BATCH][ENDO_SEARCH_PARAMETERS] = {{0}}, costs[ENDO_MUTUAL_BATCH];
    start_walk walk = begin_starts(m);
    int most = m->options.starts ? m->options.starts : ENDO_MUTUAL_MAX_STARTS, n = 1;
    while (n > 0 && s->stop == ENDO_MUTUAL_CONVERGED) {
        for (n = 0; n < ENDO_MUTUAL_BATCH && s->starts < most && next_start(&walk, points[n]); n++) s->starts++;
        ENDO_TRY(endo_mutual_costs(s, level, points, (size_t)n, costs));
        for (int k = 0; k < n; k++) {
            endo_mutual_pose one = {.cost = costs[k]};
            memcpy(one.parameters, points[k], sizeof one.parameters);
            if (one.cost < INFINITY) s->n = keep(m, s->poses, s->n, ENDO_MUTUAL_FOLLOWED, 0, &one);
        }
    }
    return ENDO_OK;
}

/* ------------------------------------------------------------------ levels */

/* A restart's shifts and turns each differ from the best pose's by RESTART_APART, in one direction or the other, such that any
 * two of them have the same direction in half of the restarts. */
static void make_restart(const endo_mutual *m, const endo_mutual_pose *best, int number, endo_mutual_pose *out) {
    *out = *best;
    for (int k = 0; k < m->parameters && k < (m->planar ? 3 : 6); k++) {
        int sign = __builtin_parity((unsigned)number & (unsigned)(k % RESTARTS + 1)) ? 1 : -1;
        out->parameters[k] += sign * RESTART_APART * m->radius;
    }
}

/* Restarts the search around the best pose; a better end becomes the best. */
static endo_status run_restarts(endo_mutual_search *s, int level) {
    const endo_mutual *m = s->mutual;
    int back = 0;
    for (int i = 1; i <= RESTARTS; i++) make_restart(m, &s->poses[0], i, &s->poses[i]);
    s->n = 1 + RESTARTS;
    ENDO_TRY(refine(s, level, 2 * voxel_of(m, level)));
    for (int i = 1; i <= RESTARTS; i++)
        back += distance(m, s->ends[i].parameters, s->poses[0].parameters) < TOGETHER * voxel_of(m, level);
    s->agreement = (double)back / RESTARTS;
    return ENDO_OK;
}

/* Confirms the best pose by restarts; where one of them ends better, that one is confirmed in turn. */
static endo_status confirm_best(endo_mutual_search *s, int level) {
    for (int i = 0; i < RESTART_ROUNDS && s->n && s->stop == ENDO_MUTUAL_CONVERGED; i++) {
        endo_mutual_pose asked = s->poses[0];
        ENDO_TRY(run_restarts(s, level));
        if (distance(s->mutual, asked.parameters, s->poses[0].parameters) < TOGETHER * voxel_of(s->mutual, level)) break;
    }
    if (s->stop != ENDO_MUTUAL_CONVERGED) s->agreement = 0;
    return ENDO_OK;
}

/* How many poses go on from one level to the next. */
static int followed(const endo_mutual_search *s, int level) {
    int most = level == 0 ? 1 : ENDO_MUTUAL_KEPT;
    return s->n < most ? s->n : most;
}

endo_status endo_mutual_observe(endo_mutual_search *s) {
    int coarsest = s->mutual->options.levels - 1;
    for (int level = coarsest; level >= 0 && s->stop == ENDO_MUTUAL_CONVERGED; level--) {
        double begun = omp_get_wtime(), voxel = voxel_of(s->mutual, level);
        if (level == coarsest) {
            ENDO_TRY(try_starts(s, level));
            ENDO_TRY(refine(s, level, 2 * voxel));
            ENDO_TRY(confirm_best(s, level));
        }
        double step = level || level == coarsest ? voxel / 2 : voxel / 4;
        s->n = followed(s, level);
        /* [B] has one level, and no gain. */
        if (s->n == 1 || (s->n && level == coarsest)) ENDO_TRY(refine_best(s, level, step, level > 0));
        else if (s->n) ENDO_TRY(refine(s, level, step));
        s->level[level].seconds = omp_get_wtime() - begun;
        if (s->n) s->level[level].measure = -s->poses[0].cost;
    }
    return ENDO_OK;
}
