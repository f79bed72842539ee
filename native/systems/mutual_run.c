/* A whole registration: the search, what was found, and how far it can be believed. */
#include "mutual_search.h"
#include "mutual_space.h"

#include <string.h>

/* Information that voxels of two images without any relation would have in bins like these, bits. */
static double chance(const endo_mutual *m, const endo_mutual_sums *s) {
    double free_bins = (double)(m->options.bins - 1) * (m->options.bins - 1);
    return free_bins / (2 * log(2.0) * (double)s->n);
}

/* What was measured on phantoms: of searches that ended at the truth most witnesses came back (9 of 10 times at least 5
 * of 7); of 40 that ended elsewhere, of volumes too far apart or of noise, never more than 4 did. */
#define ENOUGH_AGREEMENT 0.7
/* Of the information, what is more than chance. */
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
    r->levels = m->options.levels, r->starts = s->starts;
    r->stop = s->stop, r->evaluations = s->evaluations + 2;
}

endo_status endo_mutual_run(endo_mutual *m, endo_mutual_result *result) {
    static const double still[ENDO_SEARCH_PARAMETERS] = {0};
    endo_mutual_search search = {.mutual = m};
    endo_mutual_sums before, after;
    endo_mutual_result r;
    memset(&r, 0, sizeof r);
    if (!m->constant) ENDO_TRY(endo_mutual_look(&search));
    endo_mutual_world(m, search.n ? search.places[0].parameters : still, r.world);
    endo_mutual_in_voxels(m, 0, r.world, r.voxels);
    ENDO_TRY(endo_mutual_measure_world(m, m->initial, &before));
    ENDO_TRY(endo_mutual_measure_world(m, r.world, &after));
    if (search.stop != ENDO_MUTUAL_CONVERGED && !(endo_mutual_value(m, &after) >= endo_mutual_value(m, &before))) {
        memcpy(r.world, m->initial, sizeof r.world); /* nothing better was found in time */
        endo_mutual_in_voxels(m, 0, r.world, r.voxels);
        after = before;
    }
    r.before = endo_mutual_value(m, &before), r.after = endo_mutual_value(m, &after);
    r.overlap = endo_mutual_overlap(m, &after);
    report_levels(&search, &r);
    judge(&search, &after, &r);
    *result = r;
    return ENDO_OK;
}
