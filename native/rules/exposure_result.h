/* What is said of the shift found: fraction, deviation, certainty, status. */
#ifndef ENDO_RULES_EXPOSURE_RESULT_H
#define ENDO_RULES_EXPOSURE_RESULT_H

#include "exposure_search.h"

/* Shares that differ at two pixels left .. two pixels right grow with the distance from the true shift, by k a
 * pixel: left - right of the inner two is 2 k times the fraction, the outer ones less the inner ones are k. */
ENDO_HD double endo_exposure_fraction(double left2, double left, double right, double right2) {
    double twice_k = (right2 - right) + (left2 - left), fraction = (left - right) / twice_k;
    if (!(twice_k > 0)) return 0;
    return fraction < -0.75 ? -0.75 : fraction > 0.75 ? 0.75 : fraction;
}

/* Standard deviation of a shift: of left - right, were the n * share pixels that differ independent, over 2 k,
 * with k from the inner shares. Flat or no minimum: the greatest, `limit`. */
ENDO_HD double endo_exposure_deviation(double left, double centre, double right, double n, double limit) {
    double twice_k = left + right - 2 * centre;
    if (!(twice_k > 0)) return limit;
    double deviation = sqrt((left + right) / n) / twice_k;
    return deviation < limit ? deviation : limit;
}

/* 1 for equal bitmaps, 0 for what unrelated ones of these shares of white give. */
ENDO_HD double endo_exposure_agreement(const endo_exposure_overlap *o, const endo_exposure_choice *t, int32_t pixels) {
    int64_t a = t->reference.above, b = t->current.above;
    double chance = (double)(a * (pixels - b) + b * (pixels - a)) / ((double)pixels * (double)pixels);
    return 1 - endo_exposure_share(o) / chance;
}

/* The best agreement of the candidates apart from the shift found; 0 if none is above. */
ENDO_HD double endo_exposure_second(const endo_exposure_search *s, const endo_exposure_choice *t, int32_t pixels) {
    double second = 0;
    for (int i = 0; i < s->candidates; i++) {
        int x = s->candidate_dx[i] - s->best_dx, y = s->candidate_dy[i] - s->best_dy;
        if (x >= -ENDO_EXPOSURE_APART && x <= ENDO_EXPOSURE_APART && y >= -ENDO_EXPOSURE_APART &&
            y <= ENDO_EXPOSURE_APART)
            continue;
        double agreement = endo_exposure_agreement(&s->candidate[i], t, pixels);
        if (agreement > second) second = agreement;
    }
    return second;
}

/* The greatest deviation of four directions: where all there is is one edge, its own direction shows nothing. */
ENDO_HD double endo_exposure_worst_deviation(const double near[9], double n, double limit) {
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        double d = endo_exposure_deviation(near[i], near[4], near[8 - i], n, limit) * (i % 2 ? 1 : sqrt(2.0));
        if (d > worst) worst = d;
    }
    return worst;
}

/* Agreement, times how far the second is behind (of what it lacks to 1), times 1 / (1 + (6 deviation)^2): one half
 * at a sixth of a pixel. */
ENDO_HD double endo_exposure_certainty(double agreement, double second, double deviation) {
    if (!(agreement > second)) return 0;
    double behind = (agreement - second) / (1 - second), wide = 6 * deviation;
    return agreement * behind / (1 + wide * wide);
}

#define ENDO_EXPOSURE_CERTAIN 0.1

ENDO_HD void endo_exposure_nothing(const endo_exposure_choice *t, endo_exposure_result *out) {
    out->dx = out->dy = 0;
    out->peak = out->deviation_x = out->deviation_y = out->mismatch = NAN;
    out->certainty = out->usable = 0;
    out->status = ENDO_EXPOSURE_NO_CONTENT;
    out->threshold_reference = t->reference.level;
    out->threshold_current = t->current.level;
    out->reserved = 0;
}

/* peak_x, peak_y: the coefficients at the shift found. pixels: endo_exposure_levels.below[256]. */
ENDO_HD void endo_exposure_finish(const endo_exposure_search *s, const endo_exposure_choice *t, int32_t pixels,
                                  double peak_x, double peak_y, int search, endo_exposure_result *out) {
    double near[9], n = (double)s->near[4].total;
    endo_exposure_nothing(t, out);
    for (int i = 0; i < 9; i++) near[i] = endo_exposure_share(&s->near[i]);
    out->dx = s->best_dx;
    out->dy = s->best_dy;
    out->deviation_x = endo_exposure_deviation(near[3], near[4], near[5], n, search);
    out->deviation_y = endo_exposure_deviation(near[1], near[4], near[7], n, search);
    if (s->subpixel) {
        out->dx += endo_exposure_fraction(endo_exposure_share(&s->wide[0]), near[3], near[5],
                                          endo_exposure_share(&s->wide[1]));
        out->dy += endo_exposure_fraction(endo_exposure_share(&s->wide[2]), near[1], near[7],
                                          endo_exposure_share(&s->wide[3]));
    }
    out->peak = peak_x != peak_x ? peak_y : peak_y != peak_y ? peak_x : (peak_x + peak_y) / 2;
    out->certainty =
        endo_exposure_certainty(endo_exposure_agreement(&s->near[4], t, pixels), endo_exposure_second(s, t, pixels),
                                endo_exposure_worst_deviation(near, n, search));
    out->status = out->certainty >= ENDO_EXPOSURE_CERTAIN ? ENDO_EXPOSURE_OK : ENDO_EXPOSURE_LOW_CERTAINTY;
    if (s->usable.total) out->mismatch = endo_exposure_share(&s->usable);
    if (s->near[4].total) out->usable = (double)s->usable.total / (double)s->near[4].total;
}

#endif
