/* Coefficients of the counts of rows and columns in the alignment of exposures, and their peaks: the candidates. */
#ifndef ENDO_RULES_EXPOSURE_COEFFICIENTS_H
#define ENDO_RULES_EXPOSURE_COEFFICIENTS_H

#include "coefficient.h"

/* Largest shift along an axis of n pixels, at least half of which must overlap. */
ENDO_HD int endo_exposure_reach(int search, int n) { return search < n / 2 ? search : n / 2; }

/* The number that is correlated: the count of a row (or column), less what its pixels of the field would hold if the colour
 * were spread evenly. The outline of a round field, which does not move with the scene, would otherwise correlate best at
 * shift 0. Without a field the same is subtracted from every count, and no coefficient changes. */
ENDO_HD int32_t endo_exposure_excess(int32_t count, int32_t field, int64_t all_counts, int64_t all_field) {
    return all_field ? count - (int32_t)((field * all_counts + all_field / 2) / all_field) : 0;
}

/* The mean of the coefficients of both colours, as far as they are defined; NaN if neither is. */
ENDO_HD double endo_exposure_mean(double black, double white) {
    if (black != black) return white;
    if (white != white) return black;
    return (black + white) / 2;
}

/* The coefficient of the excesses of black and white pixels. Numbers up to 32767 over as many rows keep every product below
 * 2^60. */
ENDO_HD double endo_exposure_coefficient(const endo_sums *black, const endo_sums *white) {
    return endo_exposure_mean(endo_coefficient(black), endo_coefficient(white));
}

/* Most candidates of an axis. */
#define ENDO_EXPOSURE_PEAKS 4

/* Whether the coefficient at i, of 2 * reach + 1 (shifts -reach..reach), is as great as its neighbours. */
ENDO_HD int endo_exposure_is_peak(const double *c, int reach, int i) {
    if (c[i] != c[i]) return 0;
    return !(i > 0 && c[i - 1] > c[i]) && !(i < 2 * reach && c[i + 1] > c[i]);
}

/* Whether the peak at shift s comes before the one at t: the greater coefficient, then the smaller shift, then the
 * negative one. */
ENDO_HD int endo_exposure_peak_before(double at_s, int s, double at_t, int t) {
    if (at_s != at_t) return at_s > at_t;
    int a = s < 0 ? -s : s, b = t < 0 ? -t : t;
    return a != b ? a < b : s < t;
}

/* The first ENDO_EXPOSURE_PEAKS peaks in the order of endo_exposure_peak_before; shift 0 where no coefficient is defined.
 * Returns how many. */
ENDO_HD int endo_exposure_peaks(const double *c, int reach, int32_t peaks[ENDO_EXPOSURE_PEAKS]) {
    int n = 0;
    for (int i = 0; i <= 2 * reach; i++) {
        if (!endo_exposure_is_peak(c, reach, i)) continue;
        int at = n < ENDO_EXPOSURE_PEAKS ? n++ : n;
        for (; at > 0 && endo_exposure_peak_before(c[i], i - reach, c[peaks[at - 1] + reach], peaks[at - 1]); at--)
            if (at < ENDO_EXPOSURE_PEAKS) peaks[at] = peaks[at - 1];
        if (at < ENDO_EXPOSURE_PEAKS) peaks[at] = i - reach;
    }
    if (n == 0) peaks[n++] = 0;
    return n;
}

#endif
