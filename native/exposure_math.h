/* The rules of the alignment of exposures that every back end shares: thresholds, coefficients of the counts,
 * candidates, the search on the bitmaps, and what is said of the shift found. docs/algorithms.md has the reasons.
 *
 * A back end counts (pixels of a level, black and white pixels of a row or column, pixels that differ under a
 * shift); what the counts mean is decided here. Invariant: integers, or single IEEE operations in a fixed order. */
#ifndef ENDO_EXPOSURE_MATH_H
#define ENDO_EXPOSURE_MATH_H

#include "include/endorama/exposures.h"
#include "pixel_math.h"

/* -------------------------------------------------------------- thresholds */

/* Rows that are enough: to find thresholds, to compare candidates and match a threshold, to find the exact shift.
 * Of higher images every so many-th row counts. */
#define ENDO_EXPOSURE_LEVEL_ROWS 30
#define ENDO_EXPOSURE_ROUGH_ROWS 60
#define ENDO_EXPOSURE_EXACT_ROWS 480

ENDO_HD int endo_exposure_row_step(int height, int rows) { return height < 2 * rows ? 1 : height / rows; }

/* below[v]: pixels of the field, on every row_step-th row from the first, that are darker than v; below[256]: all
 * of them. */
typedef struct endo_exposure_levels {
    int32_t below[257];
} endo_exposure_levels;

/* Black is at most level - tolerance, white is above level + tolerance; between them a pixel is ignored. */
typedef struct endo_exposure_threshold {
    int32_t level, tolerance;
    int32_t black, white; /* pixels */
    int32_t above;        /* pixels above the level, whatever the tolerance */
} endo_exposure_threshold;

/* The band may hold this share of the pixels at most; it is narrowed to that, to one level at least. */
#define ENDO_EXPOSURE_BAND 16
/* Fewer black or white pixels than this share (and than this number) are no content. */
#define ENDO_EXPOSURE_SHARE 64
#define ENDO_EXPOSURE_PIXELS 16

/* Thresholds lie at the edges of the bins: step - 1, 2 * step - 1 .. 255 - step. */
ENDO_HD int endo_exposure_step(int bins) { return 256 / bins; }

ENDO_HD int32_t endo_exposure_not_above(const endo_exposure_levels *l, int level) {
    return level < 0 ? 0 : l->below[level > 255 ? 256 : level + 1];
}

ENDO_HD endo_exposure_threshold endo_exposure_threshold_at(const endo_exposure_levels *l, int level, int tolerance) {
    int32_t n = l->below[256];
    endo_exposure_threshold t = {level, tolerance, 0, 0, n - endo_exposure_not_above(l, level)};
    for (;; t.tolerance--) {
        t.black = endo_exposure_not_above(l, level - t.tolerance);
        t.white = n - endo_exposure_not_above(l, level + t.tolerance);
        if (t.tolerance <= 1 || (int64_t)(n - t.black - t.white) * ENDO_EXPOSURE_BAND <= n) return t;
    }
}

/* The lowest edge that at least half of the pixels do not exceed. */
ENDO_HD int endo_exposure_median(const endo_exposure_levels *l, int step) {
    int level = step - 1;
    while (level < 255 - step && 2 * (int64_t)l->below[level + 1] < l->below[256]) level += step;
    return level;
}

/* The edge that parts the pixels most nearly as `wanted` below it; the lower one on a tie. */
ENDO_HD int endo_exposure_rank(const endo_exposure_levels *l, int step, int32_t wanted) {
    int low = 0, high = 256 / step - 2; /* edges by number; find the first with at least `wanted` below */
    while (low < high) {
        int middle = (low + high) / 2;
        if (l->below[(middle + 1) * step] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    int32_t at = l->below[(low + 1) * step] - wanted;
    int32_t before = low ? wanted - l->below[low * step] : 0;
    if (low && before <= (at < 0 ? -at : at)) {
        /* Equal counts: the lowest edge of them. */
        low--;
        while (low && l->below[low * step] == l->below[(low + 1) * step]) low--;
    }
    return (low + 1) * step - 1;
}

/* Thresholds this near to black or white part noise where pixels are clipped. */
#define ENDO_EXPOSURE_CLIPPED 12

ENDO_HD int endo_exposure_is_clipped(const endo_exposure_threshold *t) {
    return t->level < ENDO_EXPOSURE_CLIPPED || t->level > 255 - ENDO_EXPOSURE_CLIPPED;
}

/* A choice of thresholds for both images: an exposure keeps the order of the pixels, so the same share of them
 * must be black in both. value: the product of what both have of black and of white at least (pixels outside
 * the bands), less the pixels by which the shares differ; a sixteenth of the square of all less for each threshold
 * that is near to black or white. */
typedef struct endo_exposure_choice {
    int64_t value;
    endo_exposure_threshold reference, current;
} endo_exposure_choice;

/* Choices 0..endo_exposure_choices()-1: every edge of the reference with its partner, then every edge of the
 * current image with its. */
ENDO_HD int endo_exposure_choices(int step) { return 2 * (256 / step - 1); }

ENDO_HD endo_exposure_choice endo_exposure_choose(const endo_exposure_levels *reference,
                                                  const endo_exposure_levels *current, int step, int tolerance,
                                                  int number) {
    int edges = 256 / step - 1, of_current = number >= edges;
    int level = (number - (of_current ? edges : 0) + 1) * step - 1, r = level, c = level;
    if (of_current)
        r = endo_exposure_rank(reference, step, current->below[level + 1]);
    else
        c = endo_exposure_rank(current, step, reference->below[level + 1]);
    endo_exposure_choice choice = {0, endo_exposure_threshold_at(reference, r, tolerance),
                                   endo_exposure_threshold_at(current, c, tolerance)};
    const endo_exposure_threshold *a = &choice.reference, *b = &choice.current;
    int64_t black = a->black < b->black ? a->black : b->black, white = a->white < b->white ? a->white : b->white;
    int64_t apart = a->above < b->above ? b->above - a->above : a->above - b->above;
    int64_t n = reference->below[256], clipped = endo_exposure_is_clipped(a) + endo_exposure_is_clipped(b);
    choice.value = black * white - apart * n - clipped * n * n / 16;
    return choice;
}

/* The first choice of the greatest value; of Median, the medians. */
ENDO_HD endo_exposure_choice endo_exposure_thresholds(const endo_exposure_levels *reference,
                                                      const endo_exposure_levels *current,
                                                      const endo_exposure_params *p) {
    int step = endo_exposure_step(p->bins);
    if (p->percentile == ENDO_PERCENTILE_MEDIAN) {
        endo_exposure_choice medians = {
            0, endo_exposure_threshold_at(reference, endo_exposure_median(reference, step), p->tolerance),
            endo_exposure_threshold_at(current, endo_exposure_median(current, step), p->tolerance)};
        return medians;
    }
    endo_exposure_choice best = endo_exposure_choose(reference, current, step, p->tolerance, 0);
    for (int i = 1; i < endo_exposure_choices(step); i++) {
        endo_exposure_choice other = endo_exposure_choose(reference, current, step, p->tolerance, i);
        if (other.value > best.value) best = other;
    }
    return best;
}

/* The current image's threshold for what both images show: what leaves and enters with a shift has changed the
 * ranks, and the bins were coarse. current: its levels in the overlap; black: pixels of the reference there that are
 * not above its threshold; both on the rows of the current image that ENDO_EXPOSURE_ROUGH_ROWS asks for. */
ENDO_HD endo_exposure_threshold endo_exposure_match(const endo_exposure_levels *current, int32_t black, int tolerance) {
    return endo_exposure_threshold_at(current, endo_exposure_rank(current, 1, black), tolerance);
}

ENDO_HD int endo_exposure_has_content(const endo_exposure_threshold *t, int32_t pixels) {
    int32_t least = t->black < t->white ? t->black : t->white;
    return least >= ENDO_EXPOSURE_PIXELS && (int64_t)least * ENDO_EXPOSURE_SHARE >= pixels;
}

/* ------------------------------------------------------------ coefficients */

/* Shifts along an axis of n pixels: at least half of it must overlap. */
ENDO_HD int endo_exposure_reach(int search, int n) { return search < n / 2 ? search : n / 2; }

/* What is correlated: a count, less what the row's (or column's) pixels of the field would hold if the colour
 * were spread evenly. Else the outline of a round field, which does not move with the scene, would correlate best
 * where it lies on itself. Without a field this takes the same from every count, and no coefficient changes. */
ENDO_HD int32_t endo_exposure_excess(int32_t count, int32_t field, int64_t all_counts, int64_t all_field) {
    return all_field ? count - (int32_t)((field * all_counts + all_field / 2) / all_field) : 0;
}

/* Of the excesses of black and of white pixels: the mean of what is defined; NaN if neither is. Numbers up to
 * 32767 over as many rows keep every product below 2^60. */
ENDO_HD double endo_exposure_coefficient(const endo_sums *black, const endo_sums *white) {
    double b = endo_coefficient(black), w = endo_coefficient(white);
    if (b != b) return w;
    if (w != w) return b;
    return (b + w) / 2;
}

/* Candidates of an axis. */
#define ENDO_EXPOSURE_PEAKS 4

/* Is the coefficient at i, of 2 * reach + 1 (shifts -reach..reach), as great as its neighbours? */
ENDO_HD int endo_exposure_is_peak(const double *c, int reach, int i) {
    if (c[i] != c[i]) return 0;
    return !(i > 0 && c[i - 1] > c[i]) && !(i < 2 * reach && c[i + 1] > c[i]);
}

/* Does the peak at shift s come before the one at t? The greater coefficient, then the smaller shift, then the
 * negative one. */
ENDO_HD int endo_exposure_peak_before(double at_s, int s, double at_t, int t) {
    if (at_s != at_t) return at_s > at_t;
    int a = s < 0 ? -s : s, b = t < 0 ? -t : t;
    return a != b ? a < b : s < t;
}

/* The first ENDO_EXPOSURE_PEAKS peaks in that order; no shift where no coefficient is defined. Returns how many. */
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

/* -------------------------------------------------- search on the bitmaps */

/* The bitmaps (above the level or not) under one shift: pixels of the field of both, and how many differ. */
typedef struct endo_exposure_overlap {
    int64_t total, differ;
} endo_exposure_overlap;

ENDO_HD int endo_exposure_is_better(const endo_exposure_overlap *a, const endo_exposure_overlap *b) {
    if (a->total == 0 || b->total == 0) return a->total != 0;
    return a->differ * b->total < b->differ * a->total;
}

ENDO_HD double endo_exposure_share(const endo_exposure_overlap *o) {
    return o->total ? (double)o->differ / (double)o->total : 1;
}

typedef enum endo_exposure_phase {
    ENDO_EXPOSURE_CANDIDATES, /* every pair of peaks, on some rows */
    ENDO_EXPOSURE_ROUGH,      /* from the best one to better neighbours, on some rows */
    ENDO_EXPOSURE_MATCH,      /* no question: the current image gets a new threshold; endo_exposure_matched() */
    ENDO_EXPOSURE_EXACT,      /* on from there on more rows */
    ENDO_EXPOSURE_WIDE,       /* two pixels each way, for the fit */
    ENDO_EXPOSURE_FINAL       /* the shift found, without the ignored pixels */
} endo_exposure_phase;

/* Shifts of one question. */
#define ENDO_EXPOSURE_ASKED (ENDO_EXPOSURE_PEAKS * ENDO_EXPOSURE_PEAKS)
/* Moves of a walk. */
#define ENDO_EXPOSURE_MOVES 64
/* Candidates nearer than this to the shift found are the same peak. */
#define ENDO_EXPOSURE_APART 4

/* Asks for shifts until it knows: the back end answers `asked` of them, counted on the rows 0, row_step, .. of the
 * current image, in the pixels of the field or (phase FINAL) of both bitmaps outside their bands. */
typedef struct endo_exposure_search {
    endo_exposure_phase phase;
    int32_t reach_x, reach_y, height, subpixel;
    int32_t row_step, asked, moves;
    int32_t dx[ENDO_EXPOSURE_ASKED], dy[ENDO_EXPOSURE_ASKED];
    int32_t candidates, candidate_dx[ENDO_EXPOSURE_ASKED], candidate_dy[ENDO_EXPOSURE_ASKED];
    endo_exposure_overlap candidate[ENDO_EXPOSURE_ASKED];
    int32_t best_dx, best_dy;
    endo_exposure_overlap near[9]; /* around the best, row by row */
    int32_t missing[9];            /* those that are being asked for */
    endo_exposure_overlap wide[4]; /* left, right, up, down */
    endo_exposure_overlap usable;
} endo_exposure_search;

ENDO_HD void endo_exposure_ask(endo_exposure_search *s, int dx, int dy) {
    s->dx[s->asked] = s->best_dx + dx;
    s->dy[s->asked] = s->best_dy + dy;
    s->asked++;
}

/* The nine shifts around the best; after a step of (x, y), those that were not asked for before. */
ENDO_HD void endo_exposure_ask_around(endo_exposure_search *s, endo_exposure_phase phase, int x, int y) {
    endo_exposure_overlap before[9];
    int again = s->phase != phase;
    s->phase = phase;
    s->row_step = endo_exposure_row_step(
        s->height, phase == ENDO_EXPOSURE_ROUGH ? ENDO_EXPOSURE_ROUGH_ROWS : ENDO_EXPOSURE_EXACT_ROWS);
    s->asked = 0;
    for (int i = 0; i < 9; i++) before[i] = s->near[i];
    for (int i = 0; i < 9; i++) {
        int u = i % 3 - 1 + x, v = i / 3 - 1 + y; /* from the best before */
        int known = !again && u >= -1 && u <= 1 && v >= -1 && v <= 1;
        s->missing[i] = !known;
        if (known)
            s->near[i] = before[4 + u + 3 * v];
        else
            endo_exposure_ask(s, i % 3 - 1, i / 3 - 1);
    }
}

ENDO_HD void endo_exposure_search_begin(endo_exposure_search *s, const int32_t *peaks_x, int n_x,
                                        const int32_t *peaks_y, int n_y) {
    s->phase = ENDO_EXPOSURE_CANDIDATES;
    s->row_step = endo_exposure_row_step(s->height, ENDO_EXPOSURE_ROUGH_ROWS);
    s->asked = s->moves = 0;
    s->best_dx = s->best_dy = 0;
    for (int i = 0; i < n_x; i++)
        for (int j = 0; j < n_y; j++) endo_exposure_ask(s, peaks_x[i], peaks_y[j]);
    s->candidates = s->asked;
}

ENDO_HD void endo_exposure_take_candidates(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    int best = 0;
    for (int i = 0; i < s->candidates; i++) {
        s->candidate_dx[i] = s->dx[i];
        s->candidate_dy[i] = s->dy[i];
        s->candidate[i] = answers[i];
        if (endo_exposure_is_better(&answers[i], &answers[best])) best = i;
    }
    s->best_dx = s->dx[best];
    s->best_dy = s->dy[best];
    endo_exposure_ask_around(s, ENDO_EXPOSURE_ROUGH, 0, 0);
}

/* To the best neighbour within reach, the first one on a tie, or (0) on to what follows when none is better. */
ENDO_HD int endo_exposure_move(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    int best = 4, answer = 0;
    for (int i = 0; i < 9; i++)
        if (s->missing[i]) s->near[i] = answers[answer++];
    for (int i = 0; i < 9; i++) {
        int x = s->best_dx + i % 3 - 1, y = s->best_dy + i / 3 - 1;
        int within = x >= -s->reach_x && x <= s->reach_x && y >= -s->reach_y && y <= s->reach_y;
        if (within && endo_exposure_is_better(&s->near[i], &s->near[best])) best = i;
    }
    if (best == 4 || s->moves == ENDO_EXPOSURE_MOVES) return 0;
    s->best_dx += best % 3 - 1;
    s->best_dy += best / 3 - 1;
    s->moves++;
    endo_exposure_ask_around(s, s->phase, best % 3 - 1, best / 3 - 1);
    return 1;
}

ENDO_HD void endo_exposure_ask_wide(endo_exposure_search *s) {
    s->phase = ENDO_EXPOSURE_WIDE;
    s->asked = 0;
    endo_exposure_ask(s, -2, 0);
    endo_exposure_ask(s, 2, 0);
    endo_exposure_ask(s, 0, -2);
    endo_exposure_ask(s, 0, 2);
}

ENDO_HD void endo_exposure_ask_final(endo_exposure_search *s) {
    s->phase = ENDO_EXPOSURE_FINAL;
    s->asked = 0;
    endo_exposure_ask(s, 0, 0);
}

/* The current image has its new threshold. */
ENDO_HD void endo_exposure_matched(endo_exposure_search *s) { endo_exposure_ask_around(s, ENDO_EXPOSURE_EXACT, 0, 0); }

/* Takes what was asked for, in every phase but MATCH; asked = 0 afterwards: the search has ended. */
ENDO_HD void endo_exposure_answer(endo_exposure_search *s, const endo_exposure_overlap *answers) {
    switch (s->phase) {
    case ENDO_EXPOSURE_CANDIDATES: endo_exposure_take_candidates(s, answers); return;
    case ENDO_EXPOSURE_ROUGH:
        if (!endo_exposure_move(s, answers)) s->phase = ENDO_EXPOSURE_MATCH;
        return;
    case ENDO_EXPOSURE_MATCH: return;
    case ENDO_EXPOSURE_EXACT:
        if (endo_exposure_move(s, answers)) return;
        if (s->subpixel)
            endo_exposure_ask_wide(s);
        else
            endo_exposure_ask_final(s);
        return;
    case ENDO_EXPOSURE_WIDE:
        for (int i = 0; i < 4; i++) s->wide[i] = answers[i];
        endo_exposure_ask_final(s);
        return;
    case ENDO_EXPOSURE_FINAL: s->usable = answers[0]; s->asked = 0; return;
    }
}

/* ------------------------------------------------------------------ result */

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
