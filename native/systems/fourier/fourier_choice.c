/* The best trial of a pair, whether it is accepted, and its result. */
#include "fourier_candidates.h"

#include "rules/fourier_spectra.h"

#include <math.h>
#include <string.h>

/* Demands on a trial: its correlation at the first level, and how far it exceeds the best different trial of the pair, as the
 * ratio of Fisher's z of both. Measured with fourier_accuracy on 300 pairs of real textures, reduced to 256 pixels, and on 720
 * pairs that have nothing in common: correlations of right trials begin at 0.81, and ratios at 2.0 (but for 2 of 270, which
 * are rejected); below 0.87 ratios begin at 4.4. Wrong ones reach 0.80 with a ratio of 1.9, and 0.62 with more. */
typedef struct demand {
    double ncc, multiple;
} demand;

static const demand at_once = {0.85, 2.0}, at_last = {0.7, 2.4};

/* Least correlation that the best different trial is taken to have. */
#define LEAST_OTHER 0.12
#define LEAST_SHARE 0.1
/* Least spread of a texture in two directions: textures have 0.9 and more; parallel lines, which match wherever they are moved
 * along themselves, have 0.00. */
#define LEAST_SPREAD 0.05

static double share_of(const fourier_plan *plan, const fourier_trial *t) {
    const endo_fourier_images *m = &t->request.images;
    const endo_fourier_map *map = &t->result.map;
    double fixed = (double)m->reference_width * m->reference_height;
    double moved = (double)m->current_width * m->current_height / (map->a * map->a + map->b * map->b);
    double share = (double)t->result.pixels * pow(4, t->result.reference_level) / (plan->field * (fixed < moved ? fixed : moved));
    return share > 1 ? 1 : share;
}

void fourier_trial_take(const fourier_plan *plan, fourier_trial *t, const endo_align_result *result) {
    t->result = *result;
    t->share = share_of(plan, t);
    t->score = result->ncc == result->ncc ? result->ncc * sqrt(t->share) : -1;
}

/* Whether a trial is within the limits of the options; the steps of the alignment may lead out of them. */
static int is_allowed(const fourier_plan *plan, const fourier_trial *t) {
    const endo_fourier_options *o = plan->options;
    const endo_fourier_map *m = &t->result.map;
    double scale = fabs(log(m->a * m->a + m->b * m->b) / 2), angle = fabs(atan2(m->b, m->a)) * 180 / ENDO_PI;
    if (o->model == ENDO_TRANSFORM_TRANSLATION) return 1;
    return angle <= o->max_angle + 2 && (o->model == ENDO_TRANSFORM_RIGID || scale <= log(o->max_scale) + 0.03);
}

/* The transform of a trial, current -> reference. 0: there is none. */
static int transform_of(const fourier_trial *t, double m[6]) {
    const endo_fourier_map *map = &t->result.map;
    double fixed_to_moved[6] = {map->a, 0 - map->b, map->tx, map->b, map->a, map->ty};
    memcpy(m, fixed_to_moved, sizeof fixed_to_moved);
    return t->swapped || endo_affine_invert(m, m);
}

/* Whether two trials take the corners of the current image to nearly the same points, within a tenth of its footprint. */
static int is_same_transform(const fourier_trial *a, const fourier_trial *b) {
    double p[6], q[6];
    if (!transform_of(a, p) || !transform_of(b, q)) return 0;
    const endo_fourier_images *m = &a->request.images;
    double right = a->swapped ? m->reference_width : m->current_width;
    double bottom = a->swapped ? m->reference_height : m->current_height;
    double reach = 0.1 * sqrt(p[0] * p[0] + p[3] * p[3]) * (right > bottom ? right : bottom);
    for (int i = 0; i < 4; i++) {
        double x, y, u, v;
        endo_affine_apply(p, i & 1 ? right : 0, i & 2 ? bottom : 0, &x, &y);
        endo_affine_apply(q, i & 1 ? right : 0, i & 2 ? bottom : 0, &u, &v);
        if (!(fabs(x - u) < reach && fabs(y - v) < reach)) return 0;
    }
    return 1;
}

static int meets(const fourier_pair_state *s, demand d) {
    double other = s->other < LEAST_OTHER ? LEAST_OTHER : s->other;
    return s->best.result.ncc >= d.ncc && atanh(s->best.result.ncc) >= d.multiple * atanh(other);
}

static int is_believed(const fourier_pair_state *s, int last) {
    if (!s->tried || !(s->best.share >= LEAST_SHARE && s->best.result.spread >= LEAST_SPREAD)) return 0;
    return meets(s, at_once) || (last && meets(s, at_last));
}

static int is_better(const fourier_plan *plan, const fourier_trial *a, const fourier_trial *b) {
    return plan->options->paper ? a->height > b->height : a->score > b->score;
}

void fourier_choose(const fourier_plan *plan, fourier_pair_state *s, const fourier_trial *trials, size_t n) {
    fourier_trial before = s->best;
    int had = s->tried;
    for (size_t i = 0; i < n; i++) {
        if (!plan->options->paper && !is_allowed(plan, &trials[i])) continue;
        if (s->tried && !is_better(plan, &trials[i], &s->best)) continue;
        s->best = trials[i];
        s->tried = 1;
    }
    for (size_t i = 0; i < n; i++)
        if (trials[i].result.ncc > s->other && !is_same_transform(&trials[i], &s->best)) s->other = trials[i].result.ncc;
    if (had && before.result.ncc > s->other && !is_same_transform(&before, &s->best)) s->other = before.result.ncc;
    s->refined = s->best;
    s->verified = is_believed(s, 0);
}

void fourier_keep_refined(const fourier_plan *plan, fourier_pair_state *s, const fourier_trial *refined) {
    int keeps = refined->result.first_ncc >= 0.9 * s->best.result.ncc && is_allowed(plan, refined);
    s->refined = keeps ? *refined : s->best;
}

void fourier_result_make(const fourier_plan *plan, const fourier_pair_state *s, endo_fourier_result *out) {
    double m[6];
    memset(out, 0, sizeof *out);
    out->transform = endo_transform_still;
    out->scale = 1;
    out->ncc = NAN;
    out->status = ENDO_FOURIER_NO_CONTENT;
    if (!s->has_content || !s->tried || !transform_of(&s->refined, m)) return;
    double x = (s->pair.current_width - 1) / 2.0, y = (s->pair.current_height - 1) / 2.0, at_x, at_y;
    out->transform = endo_transform_make(plan->options->model, m);
    endo_affine_apply(m, x, y, &at_x, &at_y);
    out->angle = atan2(m[3], m[0]) * 180 / ENDO_PI;
    if (out->angle <= -180) out->angle = 180;
    out->scale = sqrt(m[0] * m[0] + m[3] * m[3]);
    out->dx = at_x - x;
    out->dy = at_y - y;
    out->peak = s->peak;
    out->ratio = s->peak > 0 && s->second > 0 ? s->second / s->peak : 0;
    out->overlap = s->refined.share;
    out->ncc = s->refined.result.ncc;
    out->status = is_believed(s, 1) ? ENDO_FOURIER_OK : ENDO_FOURIER_LOW_CERTAINTY;
}
