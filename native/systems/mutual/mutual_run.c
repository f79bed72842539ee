/* A whole registration: the search, its result, and how certain that is. */
#include "mutual_rim.h"
#include "mutual_search.h"
#include "mutual_space.h"

#include <string.h>

/* Information that voxels of two images without any relation would have in bins like these, bits. */
static double chance(const endo_mutual *m, const endo_mutual_sums *s) {
    double free_bins = (double)(m->options.bins - 1) * (m->options.bins - 1);
    return free_bins / (2 * log(2.0) * (double)s->n);
}

/* Least share of restarts that must come back. On phantoms, of searches that ended at the truth most restarts came back (9 of
 * 10 times at least 5 of 7); of 40 that ended elsewhere, of volumes too far apart or of noise, never more than 4 did. */
#define ENOUGH_AGREEMENT 0.7
/* Least share of the information that must exceed chance. */
#define ENOUGH_INFORMATION 0.5

static void judge(const endo_mutual_search *search, const endo_mutual_sums *s, endo_mutual_result *r) {
    const endo_mutual *m = search->mutual;
    double information = endo_mutual_information(s), beyond = 0;
    if (information > 0) beyond = fmax(0, 1 - chance(m, s) / information);
    r->certainty = beyond * search->agreement;
    r->status = ENDO_MUTUAL_OK;
    if (beyond < ENOUGH_INFORMATION || search->agreement < ENOUGH_AGREEMENT) r->status = ENDO_MUTUAL_LOW_CERTAINTY;
    if (m->constant || endo_mutual_entropy(s->n, s->fixed) == 0 || endo_mutual_entropy(s->n, s->moving) == 0)
        r->status = ENDO_MUTUAL_NO_CONTENT;
    if ((double)s->n < m->least[0]) r->status = ENDO_MUTUAL_NO_OVERLAP;
    if (r->status > ENDO_MUTUAL_LOW_CERTAINTY) r->certainty = 0;
}

static void report_levels(const endo_mutual_search *s, endo_mutual_result *r) {
    const endo_mutual *m = s->mutual;
    for (int i = 0; i < m->options.levels; i++) {
        r->level[i] = s->level[i];
        r->level[i].width = m->fixed[i].size[0];
        r->level[i].height = m->fixed[i].size[1];
        r->level[i].depth = m->fixed[i].size[2];
        r->level[i].bins = m->plan[i].bins;
    }
    r->levels = m->options.levels;
    r->starts = s->starts;
    r->stop = s->stop;
    r->evaluations = s->evaluations + 2;
}

static endo_status run_once(endo_mutual *m, endo_mutual_result *result) {
    static const double still[ENDO_SEARCH_PARAMETERS] = {0};
    endo_mutual_search search = {.mutual = m};
    endo_mutual_sums before, after;
    endo_mutual_result r;
    memset(&r, 0, sizeof r);
    if (!m->constant) ENDO_TRY(endo_mutual_observe(&search));
    endo_mutual_world(m, search.n ? search.poses[0].parameters : still, r.world);
    endo_mutual_in_voxels(m, 0, r.world, r.voxels);
    ENDO_TRY(endo_mutual_measure_world(m, m->initial, &before));
    ENDO_TRY(endo_mutual_measure_world(m, r.world, &after));
    if (search.stop != ENDO_MUTUAL_CONVERGED && !(endo_mutual_value(m, &after) >= endo_mutual_value(m, &before))) {
        memcpy(r.world, m->initial, sizeof r.world); /* nothing better was found before the stop */
        endo_mutual_in_voxels(m, 0, r.world, r.voxels);
        after = before;
    }
    r.before = endo_mutual_value(m, &before);
    r.after = endo_mutual_value(m, &after);
    r.overlap = endo_mutual_overlap(m, &after);
    report_levels(&search, &r);
    judge(&search, &after, &r);
    *result = r;
    return ENDO_OK;
}

/* ------------------------------------------------------------ without rims */

/* Most searches without the rims, each with the mask by the result before: under a wrong map the moving rim lies elsewhere. */
#define WITHOUT_RIMS 3
/* Largest distance, voxels of the coarser volume, of results with the rims and without them that agree. */
#define TOGETHER 2.0

static double smaller_side(const endo_mutual_space *s) {
    double spacing[3];
    endo_world_spacing(s->world, spacing);
    return fmin(spacing[0], spacing[1]);
}

/* Largest distance between where two maps take points at the radius and the centre, in voxels of the coarser volume. */
static double apart(const endo_mutual *m, const double a[16], const double b[16]) {
    double most = 0;
    for (int k = 0; k < 7; k++) {
        double at[3], p[3], q[3], square = 0;
        memcpy(at, m->centre, sizeof at);
        if (k < 6 && !(m->planar && k / 2 == 2)) at[k / 2] += k % 2 ? m->radius : -m->radius;
        endo_affine3_apply(a, at, p);
        endo_affine3_apply(b, at, q);
        for (int i = 0; i < 3; i++) square += (p[i] - q[i]) * (p[i] - q[i]);
        most = fmax(most, sqrt(square));
    }
    return most / fmax(smaller_side(&m->fixed[0]), smaller_side(&m->moving[0]));
}

/* Searches over voxels that are in no rim under the last result (NULL: not in the fixed one): volumes from there, images anew,
 * for a surround may have held the search where nothing has moved. */
static endo_status search_without_rims(const endo_mutual *m, const endo_mutual_result *last, int64_t evaluations,
                                    endo_mutual_result *r) {
    endo_mutual_options options = m->options;
    endo_volume fixed = m->kept[0];
    endo_mutual *other = NULL;
    uint8_t *mask = NULL;
    options.max_evaluations = (int)evaluations;
    if (!m->planar) {
        options.initial = ENDO_MUTUAL_GIVEN;
        options.starts = 1;
        memcpy(options.initial_map, last->world, sizeof options.initial_map);
    }
    ENDO_TRY(endo_mutual_mask_rims(m, last ? last->voxels : NULL, &mask));
    fixed.mask = mask;
    endo_status status = endo_mutual_make_plain(m->context, &fixed, &m->kept[1], &options, &other);
    endo_free(mask);
    if (status != ENDO_OK) return status;
    status = run_once(other, r);
    endo_mutual_free(other);
    return status;
}

/* Combines the results with and without rims: where they differ, certainty is reduced. The one without rims replaces the other
 * if it is certain. */
static endo_status weigh(endo_mutual *m, const endo_mutual_result *without, endo_mutual_result *r) {
    double distance = apart(m, r->world, without->world);
    if (without->status == ENDO_MUTUAL_OK) {
        endo_mutual_sums sums;
        ENDO_TRY(endo_mutual_measure_world(m, without->world, &sums));
        memcpy(r->world, without->world, sizeof r->world);
        memcpy(r->voxels, without->voxels, sizeof r->voxels);
        r->after = endo_mutual_value(m, &sums);
        r->overlap = endo_mutual_overlap(m, &sums);
    }
    if (distance <= TOGETHER) return ENDO_OK;
    r->certainty *= TOGETHER / distance;
    if (r->status == ENDO_MUTUAL_OK) r->status = ENDO_MUTUAL_LOW_CERTAINTY;
    return ENDO_OK;
}

static endo_status repeat_without_rims(endo_mutual *m, endo_mutual_result *r) {
    endo_mutual_result last = *r, next;
    double moved = INFINITY;
    for (int i = 0; i < WITHOUT_RIMS && moved > TOGETHER / 2; i++, last = next) {
        int64_t left = m->options.max_evaluations - r->evaluations;
        if (left < 1) r->stop = ENDO_MUTUAL_EVALUATIONS;
        if (r->stop != ENDO_MUTUAL_CONVERGED) break;
        ENDO_TRY(search_without_rims(m, &last, left, &next));
        r->evaluations += next.evaluations;
        r->stop = next.stop;
        if (next.status > ENDO_MUTUAL_LOW_CERTAINTY) return ENDO_OK; /* hardly anything is left without the rims */
        moved = apart(m, last.world, next.world);
    }
    return weigh(m, &last, r);
}

/* Images that have a surround: searched anew without it, which holds the search where nothing has moved. The result with it
 * stands where the other one is uncertain, and at the same place, and where hardly anything is left without it. The measures
 * are of the whole image. */
static endo_status repeat_without_surround(endo_mutual *m, endo_mutual_result *r) {
    endo_mutual_result with = *r;
    endo_mutual_sums sums;
    int64_t left = m->options.max_evaluations - with.evaluations;
    if (left < 1) {
        r->stop = ENDO_MUTUAL_EVALUATIONS;
        if (r->status == ENDO_MUTUAL_OK) r->status = ENDO_MUTUAL_LOW_CERTAINTY;
        return ENDO_OK;
    }
    if (m->rim[0]) {
        ENDO_TRY(search_without_rims(m, NULL, left, r));
        r->evaluations += with.evaluations;
    }
    if (r->stop == ENDO_MUTUAL_CONVERGED && r->status <= ENDO_MUTUAL_LOW_CERTAINTY) ENDO_TRY(repeat_without_rims(m, r));
    with.evaluations = r->evaluations;
    with.stop = r->stop;
    if (with.stop != ENDO_MUTUAL_CONVERGED && with.status == ENDO_MUTUAL_OK) with.status = ENDO_MUTUAL_LOW_CERTAINTY;
    int is_near = apart(m, with.world, r->world) <= TOGETHER;
    int is_nothing = r->status > ENDO_MUTUAL_LOW_CERTAINTY; /* hardly anything is left without the surround */
    if (is_nothing && with.status == ENDO_MUTUAL_OK) with.status = ENDO_MUTUAL_LOW_CERTAINTY;
    if (is_nothing || (r->status != ENDO_MUTUAL_OK && (is_near || with.stop != ENDO_MUTUAL_CONVERGED))) *r = with;
    ENDO_TRY(endo_mutual_measure_world(m, r->world, &sums));
    r->before = with.before;
    r->after = endo_mutual_value(m, &sums);
    r->overlap = endo_mutual_overlap(m, &sums);
    return ENDO_OK;
}

endo_status endo_mutual_run(endo_mutual *m, endo_mutual_result *result) {
    endo_mutual_result r;
    ENDO_TRY(run_once(m, &r));
    if ((m->rim[0] || m->rim[1]) && r.stop == ENDO_MUTUAL_CONVERGED && r.status <= ENDO_MUTUAL_LOW_CERTAINTY)
        ENDO_TRY(m->planar ? repeat_without_surround(m, &r) : repeat_without_rims(m, &r));
    memcpy(r.rim, m->rim_share, sizeof r.rim);
    *result = r;
    return ENDO_OK;
}
