/* Thresholds of the alignment of exposures: which grey levels separate black from white in both images, and which
 * pixels are ignored. docs/algorithms/exposures.md has the reasons. */
#ifndef ENDO_RULES_EXPOSURE_THRESHOLDS_H
#define ENDO_RULES_EXPOSURE_THRESHOLDS_H

#include "include/endorama.h"
#include "base/host_device.h"

/* Numbers of rows that are enough to find thresholds, to compare candidates and match a threshold, and to find the exact
 * shift. Higher images are sampled at regular rows. */
#define ENDO_EXPOSURE_LEVEL_ROWS 30
#define ENDO_EXPOSURE_ROUGH_ROWS 60
#define ENDO_EXPOSURE_EXACT_ROWS 480

ENDO_HD int endo_exposure_row_step(int height, int rows) { return height < 2 * rows ? 1 : height / rows; }

/* Cumulative histogram. below[v]: pixels of the field, on every row_step-th row from the first, that are darker than v;
 * below[256]: all of these pixels. */
typedef struct endo_exposure_levels {
    int32_t below[257];
} endo_exposure_levels;

/* Levels from..to of an image: pixels of other levels are ignored, as if they were outside the field. */
typedef struct endo_exposure_slice {
    int32_t from, to;
} endo_exposure_slice;

/* Black is at most level - tolerance, white is above level + tolerance; between them a pixel is ignored. */
typedef struct endo_exposure_threshold {
    int32_t level, tolerance;
    endo_exposure_slice slice;
    int32_t pixels;       /* pixels of the slice */
    int32_t black, white; /* black and white pixels of the slice */
    int32_t above;        /* pixels of the slice above the level, whatever the tolerance */
} endo_exposure_threshold;

/* The band around the level is narrowed, to a tolerance of 1 at least, until it holds one of so many pixels at most. */
#define ENDO_EXPOSURE_BAND 16
/* An image has content if one of so many pixels, and at least so many, are black, and as many white. */
#define ENDO_EXPOSURE_SHARE 64
#define ENDO_EXPOSURE_PIXELS 16

/* Distance of thresholds, which lie at the edges of the bins: step - 1, 2 * step - 1 .. 255 - step. */
ENDO_HD int endo_exposure_step(int bins) { return 256 / bins; }

ENDO_HD int32_t endo_exposure_not_above(const endo_exposure_levels *l, int level) {
    return level < 0 ? 0 : l->below[level > 255 ? 256 : level + 1];
}

ENDO_HD endo_exposure_slice endo_exposure_all_levels(void) {
    endo_exposure_slice all = {0, 255};
    return all;
}

ENDO_HD int endo_exposure_is_slice(const endo_exposure_threshold *t) { return t->slice.from > 0 || t->slice.to < 255; }

/* The nearest level that has levels of the slice on either side. */
ENDO_HD int endo_exposure_within(endo_exposure_slice s, int level) {
    if (level >= s.to) level = s.to - 1;
    return level < s.from ? s.from : level;
}

/* The threshold at a level of a slice. */
ENDO_HD endo_exposure_threshold endo_exposure_threshold_at(const endo_exposure_levels *l, endo_exposure_slice slice,
                                                           int level, int tolerance) {
    int32_t under = l->below[slice.from], end = l->below[slice.to + 1], n = end - under;
    endo_exposure_threshold t = {level, tolerance, slice, n, 0, 0, end - endo_exposure_not_above(l, level)};
    for (;; t.tolerance--) {
        t.black = endo_exposure_not_above(l, level - t.tolerance) - under;
        t.white = end - endo_exposure_not_above(l, level + t.tolerance);
        if (t.tolerance <= 1 || (int64_t)(n - t.black - t.white) * ENDO_EXPOSURE_BAND <= n) return t;
    }
}

/* The lowest edge that at least half of the pixels do not exceed. */
ENDO_HD int endo_exposure_median(const endo_exposure_levels *l, int step) {
    int level = step - 1;
    while (level < 255 - step && 2 * (int64_t)l->below[level + 1] < l->below[256]) level += step;
    return level;
}

/* The edge with the number of pixels below it nearest to `wanted`; the lower one on a tie. */
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
        /* Of edges with equal counts the lowest. */
        low--;
        while (low && l->below[low * step] == l->below[(low + 1) * step]) low--;
    }
    return (low + 1) * step - 1;
}

/* Thresholds within this distance of black or white, grey levels, separate only noise where pixels are clipped. */
#define ENDO_EXPOSURE_CLIPPED 12

ENDO_HD int endo_exposure_is_clipped(const endo_exposure_threshold *t) {
    return t->level < ENDO_EXPOSURE_CLIPPED || t->level > 255 - ENDO_EXPOSURE_CLIPPED;
}

/* How thresholds are chosen in an observation (exposure_observations.h). */
typedef struct endo_exposure_observation {
    int32_t step, tolerance;
    int32_t median; /* 1: the medians, without a choice */
    int32_t deep;   /* 1: thresholds near black have no penalty */
    endo_exposure_slice reference, current;
} endo_exposure_observation;

ENDO_HD endo_exposure_observation endo_exposure_first_observation(const endo_exposure_options *p) {
    endo_exposure_slice all = endo_exposure_all_levels();
    endo_exposure_observation observation = {
        endo_exposure_step(p->bins), p->tolerance, p->percentile == ENDO_PERCENTILE_MEDIAN, 0, all, all};
    return observation;
}

/* The observation of a slice, which has little but noise between its levels: every level is an edge, and none is ignored. */
ENDO_HD endo_exposure_observation endo_exposure_deep_observation(endo_exposure_slice reference, endo_exposure_slice current) {
    endo_exposure_observation observation = {1, 0, 0, 1, reference, current};
    return observation;
}

/* A choice of thresholds for both images: an exposure keeps the order of the pixels, so the same share of them must be black
 * in both. value: the smaller number of black pixels times the smaller number of white ones (outside the bands), less the
 * difference of the numbers above times all pixels, less a sixteenth of the square of all pixels for each threshold near black
 * or white, unless the observation is deep. */
typedef struct endo_exposure_choice {
    int64_t value;
    endo_exposure_threshold reference, current;
} endo_exposure_choice;

/* Number of choices: every edge of the reference with its partner, then every edge of the current image with its partner. */
ENDO_HD int endo_exposure_choices(int step) { return 2 * (256 / step - 1); }

ENDO_HD endo_exposure_choice endo_exposure_choose(const endo_exposure_levels *reference,
                                                  const endo_exposure_levels *current,
                                                  const endo_exposure_observation *observation, int number) {
    int step = observation->step, edges = 256 / step - 1, of_current = number >= edges;
    int level = (number - (of_current ? edges : 0) + 1) * step - 1, r = level, c = level;
    if (of_current)
        r = endo_exposure_rank(reference, step, current->below[level + 1]);
    else
        c = endo_exposure_rank(current, step, reference->below[level + 1]);
    r = endo_exposure_within(observation->reference, r);
    c = endo_exposure_within(observation->current, c);
    endo_exposure_choice choice = {0, endo_exposure_threshold_at(reference, observation->reference, r, observation->tolerance),
                                   endo_exposure_threshold_at(current, observation->current, c, observation->tolerance)};
    const endo_exposure_threshold *a = &choice.reference, *b = &choice.current;
    int64_t black = a->black < b->black ? a->black : b->black, white = a->white < b->white ? a->white : b->white;
    int64_t apart = a->above < b->above ? b->above - a->above : a->above - b->above;
    int64_t n = a->pixels, clipped = observation->deep ? 0 : endo_exposure_is_clipped(a) + endo_exposure_is_clipped(b);
    choice.value = black * white - apart * n - clipped * n * n / 16;
    return choice;
}

/* The first choice of the greatest value, or the medians. */
ENDO_HD endo_exposure_choice endo_exposure_thresholds(const endo_exposure_levels *reference,
                                                      const endo_exposure_levels *current,
                                                      const endo_exposure_observation *observation) {
    if (observation->median) {
        int r = endo_exposure_median(reference, observation->step), c = endo_exposure_median(current, observation->step);
        int32_t tolerance = observation->tolerance;
        endo_exposure_choice medians = {0, endo_exposure_threshold_at(reference, observation->reference, r, tolerance),
                                        endo_exposure_threshold_at(current, observation->current, c, tolerance)};
        return medians;
    }
    endo_exposure_choice best = endo_exposure_choose(reference, current, observation, 0);
    for (int i = 1; i < endo_exposure_choices(observation->step); i++) {
        endo_exposure_choice other = endo_exposure_choose(reference, current, observation, i);
        if (other.value > best.value) best = other;
    }
    return best;
}

/* Matches the current image's threshold to the reference in the overlap: pixels that leave and enter with a shift have changed
 * the ranks, and the bins were coarse. current: levels of the current image in the overlap; black: pixels of the reference
 * there that are not above its threshold; both on the rows of the current image by ENDO_EXPOSURE_ROUGH_ROWS, of any level.
 * slice: that of the current image. */
ENDO_HD endo_exposure_threshold endo_exposure_match(const endo_exposure_levels *current, int32_t black,
                                                    endo_exposure_slice slice, int tolerance) {
    int level = endo_exposure_within(slice, endo_exposure_rank(current, 1, black));
    return endo_exposure_threshold_at(current, slice, level, tolerance);
}

ENDO_HD int endo_exposure_has_content(const endo_exposure_threshold *t) {
    int32_t least = t->black < t->white ? t->black : t->white;
    return least >= ENDO_EXPOSURE_PIXELS && (int64_t)least * ENDO_EXPOSURE_SHARE >= t->pixels;
}

#endif
