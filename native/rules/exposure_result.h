/* The result of the alignment of exposures: fraction, deviation, certainty and status of the shift found. */
#ifndef ENDO_RULES_EXPOSURE_RESULT_H
#define ENDO_RULES_EXPOSURE_RESULT_H

#include "exposure_search.h"

/* The fraction of the shift, from the shares that differ at two pixels left .. two pixels right. These grow with the distance
 * from the true shift, by k a pixel: left - right is 2 k times the fraction, and the outer ones less the inner ones are k. */
ENDO_HD double endo_exposure_fraction(double left2, double left, double right, double right2) {
    double twice_k = (right2 - right) + (left2 - left), fraction = (left - right) / twice_k;
    if (!(twice_k > 0)) return 0;
    return fraction < -0.75 ? -0.75 : fraction > 0.75 ? 0.75 : fraction;
}

/* Standard deviation of a shift: that of left - right, as if the n * share pixels that differ were independent, over 2 k,
 * with k from the inner shares; `limit` at most, and where there is no minimum. */
ENDO_HD double endo_exposure_deviation(double left, double centre, double right, double n, double limit) {
    double twice_k = left + right - 2 * centre;
    if (!(twice_k > 0)) return limit;
    double deviation = sqrt((left + right) / n) / twice_k;
    return deviation < limit ? deviation : limit;
}

/* 1 for equal bitmaps, 0 for the expected share of unrelated ones with as much white. */
ENDO_HD double endo_exposure_agreement(double share, const endo_exposure_choice *t) {
    int64_t a = t->reference.above, b = t->current.above, n = t->reference.pixels, m = t->current.pixels;
    double chance = (double)(a * (m - b) + b * (n - a)) / ((double)n * (double)m);
    return 1 - share / chance;
}

/* The agreement of a candidate; 0 if it belongs to the peak of the shift found. */
ENDO_HD double endo_exposure_agreement_apart(const endo_exposure_search *s, const endo_exposure_choice *t, int i) {
    int x = s->candidate_dx[i] - s->best_dx, y = s->candidate_dy[i] - s->best_dy;
    if (x >= -ENDO_EXPOSURE_APART && x <= ENDO_EXPOSURE_APART && y >= -ENDO_EXPOSURE_APART && y <= ENDO_EXPOSURE_APART)
        return 0;
    return endo_exposure_agreement(endo_exposure_share(&s->candidate[i]), t);
}

/* The best agreement of another peak; 0 if none is above 0. */
ENDO_HD double endo_exposure_second(const endo_exposure_search *s, const endo_exposure_choice *t) {
    double second = 0;
    for (int i = 0; i < s->candidates; i++) {
        double agreement = endo_exposure_agreement_apart(s, t, i);
        if (agreement > second) second = agreement;
    }
    return second;
}

/* The deviation along direction i = 0..3: up left, up, up right, left, each with its opposite. */
ENDO_HD double endo_exposure_direction(const double near[9], int i, double n, double limit) {
    return endo_exposure_deviation(near[i], near[4], near[8 - i], n, limit);
}

/* The largest of the four deviations, px: a single edge does not determine the shift along itself. */
ENDO_HD double endo_exposure_worst_direction(const double deviation[4]) {
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        double d = deviation[i] * (i % 2 ? 1 : sqrt(2.0));
        if (d > worst) worst = d;
    }
    return worst;
}

ENDO_HD double endo_exposure_worst_deviation(const double near[9], double n, double limit) {
    double deviation[4];
    for (int i = 0; i < 4; i++) deviation[i] = endo_exposure_direction(near, i, n, limit);
    return endo_exposure_worst_direction(deviation);
}

/* Agreement, times its lead over the second (as a share of what the second lacks to 1), times 1 / (1 + (6 deviation)^2), which
 * is one half at a sixth of a pixel. */
ENDO_HD double endo_exposure_certainty(double agreement, double second, double deviation) {
    if (!(agreement > second)) return 0;
    double behind = (agreement - second) / (1 - second), wide = 6 * deviation;
    return agreement * behind / (1 + wide * wide);
}

/* The amount by which a fixed pattern of single pixels lowers the share `centre` at shift 0, and no other share: a scene's
 * share at one pixel is at most half way to that at two, so the line through them meets 0 at no more than the share of a scene
 * alone. */
ENDO_HD double endo_exposure_spike(double left2, double left, double centre, double right, double right2) {
    double spike = left + right - (left2 + right2) / 2 - centre;
    return spike > 0 ? spike : 0;
}

/* The evidence for a shift found. Each number can be computed by itself, those of the fit from the shares. */
typedef struct endo_exposure_evidence {
    double near[9], wide[4]; /* shares, as in the search; wide: 1 where it was not asked for */
    double second;           /* agreement of the best other peak */
    double clean;            /* fit: the share at the shift found, without a fixed pattern */
    double deviation[4];     /* fit: px, along four directions */
    double agreement;        /* fit: that of the clean share */
} endo_exposure_evidence;

ENDO_HD int endo_exposure_asks_wide(const endo_exposure_search *s) { return s->subpixel || s->dark; }

ENDO_HD endo_exposure_evidence endo_exposure_evidence_of(const endo_exposure_search *s, const endo_exposure_choice *t) {
    endo_exposure_evidence e = {};
    for (int i = 0; i < 9; i++) e.near[i] = endo_exposure_share(&s->near[i]);
    for (int i = 0; i < 4; i++) e.wide[i] = endo_exposure_asks_wide(s) ? endo_exposure_share(&s->wide[i]) : 1;
    e.second = endo_exposure_second(s, t);
    return e;
}

/* The share at the shift found without a fixed pattern, along both axes, since rows and columns have patterns too. */
ENDO_HD double endo_exposure_clean_share(const endo_exposure_search *s, const endo_exposure_evidence *e) {
    double share = e->near[4];
    if (!s->dark) return share;
    if (s->best_dx == 0) share += endo_exposure_spike(e->wide[0], e->near[3], e->near[4], e->near[5], e->wide[1]);
    if (s->best_dy == 0) share += endo_exposure_spike(e->wide[2], e->near[1], e->near[4], e->near[7], e->wide[3]);
    return share;
}

/* The shares around the shift found, with the clean one in the middle. */
ENDO_HD void endo_exposure_clean_near(const endo_exposure_evidence *e, double near[9]) {
    for (int i = 0; i < 9; i++) near[i] = i == 4 ? e->clean : e->near[i];
}

/* Computes the numbers of the fit; limit: largest deviation, px. */
ENDO_HD void endo_exposure_fit(const endo_exposure_search *s, const endo_exposure_choice *t, double limit,
                               endo_exposure_evidence *e) {
    double near[9];
    e->clean = endo_exposure_clean_share(s, e);
    endo_exposure_clean_near(e, near);
    for (int i = 0; i < 4; i++) e->deviation[i] = endo_exposure_direction(near, i, (double)s->near[4].total, limit);
    e->agreement = endo_exposure_agreement(e->clean, t);
}

/* Least certainty of a shift that is OK. */
#define ENDO_EXPOSURE_CERTAIN 0.1

/* The status that a back end gives a whole-pixel shift that is OK but has a neighbour that is nearly as good: one threshold
 * does not tell which of them is nearer. systems/exposures decides, and makes it OK. */
#define ENDO_EXPOSURE_BETWEEN 3
/* A neighbour is nearly as good where its share exceeds that of the shift found by less than this part of what the opposite
 * neighbour's does: about a quarter of a pixel off. */
#define ENDO_EXPOSURE_NEARLY 0.5

ENDO_HD int endo_exposure_is_between(double left, double centre, double right) {
    double less = left < right ? left : right, more = left < right ? right : left;
    return less - centre < ENDO_EXPOSURE_NEARLY * (more - centre);
}

/* The result of a pair without content. */
ENDO_HD void endo_exposure_nothing(const endo_exposure_choice *t, endo_exposure_result *out) {
    out->dx = out->dy = 0;
    out->peak = out->deviation_x = out->deviation_y = out->mismatch = NAN;
    out->certainty = out->usable = 0;
    out->status = ENDO_EXPOSURE_NO_CONTENT;
    out->threshold_reference = t->reference.level;
    out->threshold_current = t->current.level;
}

/* The result of a pair. matched: the last threshold of the current image; where it leaves nothing of one colour in the overlap,
 * black lies on black and the shift is not certain. peak_x, peak_y: the coefficients at the shift found. */
ENDO_HD void endo_exposure_conclude(const endo_exposure_search *s, const endo_exposure_choice *t,
                                    const endo_exposure_evidence *e, const endo_exposure_threshold *matched, double peak_x,
                                    double peak_y, endo_exposure_result *out) {
    endo_exposure_nothing(t, out);
    out->threshold_current = matched->level;
    out->dx = s->best_dx;
    out->dy = s->best_dy;
    out->deviation_x = e->deviation[3];
    out->deviation_y = e->deviation[1];
    if (s->subpixel) {
        out->dx += endo_exposure_fraction(e->wide[0], e->near[3], e->near[5], e->wide[1]);
        out->dy += endo_exposure_fraction(e->wide[2], e->near[1], e->near[7], e->wide[3]);
    }
    out->peak = peak_x != peak_x ? peak_y : peak_y != peak_y ? peak_x : (peak_x + peak_y) / 2;
    if (endo_exposure_has_content(matched))
        out->certainty = endo_exposure_certainty(e->agreement, e->second, endo_exposure_worst_direction(e->deviation));
    out->status = out->certainty >= ENDO_EXPOSURE_CERTAIN ? ENDO_EXPOSURE_OK : ENDO_EXPOSURE_LOW_CERTAINTY;
    if (out->status == ENDO_EXPOSURE_OK && !s->subpixel && !s->dark &&
        (endo_exposure_is_between(e->near[3], e->near[4], e->near[5]) ||
         endo_exposure_is_between(e->near[1], e->near[4], e->near[7])))
        out->status = ENDO_EXPOSURE_BETWEEN;
    if (s->usable.total) out->mismatch = endo_exposure_share(&s->usable);
    if (s->near[4].total) out->usable = (double)s->usable.total / (double)s->near[4].total;
}

ENDO_HD void endo_exposure_finish(const endo_exposure_search *s, const endo_exposure_choice *t,
                                  const endo_exposure_threshold *matched, double peak_x, double peak_y, int search,
                                  endo_exposure_result *out) {
    endo_exposure_evidence e = endo_exposure_evidence_of(s, t);
    endo_exposure_fit(s, t, search, &e);
    endo_exposure_conclude(s, t, &e, matched, peak_x, peak_y, out);
}

#endif
