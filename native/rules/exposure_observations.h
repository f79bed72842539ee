/* Observations: at which grey levels a pair is compared, and how the results of several comparisons are combined.
 *
 * One observation is enough, unless both images are near black. No threshold that is safe from noise then separates the scene,
 * and static structure dominates while the scene moves: hot pixels and the pattern of the sensor, a reflection, the outline of
 * a dark surround. Such a pair is observed at lower thresholds, and a shift near 0 needs a witness: the pixels on one side of
 * the threshold alone, which exclude the outline or the reflection. docs/algorithms/exposures.md has the reasons. */
#ifndef ENDO_RULES_EXPOSURE_OBSERVATIONS_H
#define ENDO_RULES_EXPOSURE_OBSERVATIONS_H

#include "exposure_result.h"

/* An image is near black if so many quarters of its pixels are darker than this, as in every image of a mean up to 8. */
#define ENDO_EXPOSURE_DARK 32
#define ENDO_EXPOSURE_DARK_QUARTERS 3
/* Largest deviation of a witness, px. */
#define ENDO_EXPOSURE_WITNESS 0.5
/* Deviation from which the share has no minimum worth the name, px. */
#define ENDO_EXPOSURE_FLAT 8
/* Least certainty at which a shift of a dark pair needs no witness. */
#define ENDO_EXPOSURE_PLAIN 0.15
/* A pixel and the largest fraction that is added to it, px. */
#define ENDO_EXPOSURE_PIXEL 1.75
/* The smaller side of a threshold is observed if it holds one of so many pixels. */
#define ENDO_EXPOSURE_SIDE 8
/* Certainty below which a deep observation has no content. */
#define ENDO_EXPOSURE_SEEN 0.02

/* The observations, in their order. */
typedef enum endo_exposure_stage {
    ENDO_EXPOSURE_FIRST,   /* all levels, by the options */
    ENDO_EXPOSURE_DEEP,    /* all levels, with the lowest thresholds */
    ENDO_EXPOSURE_LARGER,  /* the side of the threshold with more pixels: the witness */
    ENDO_EXPOSURE_INNER,   /* the larger side of the witness, which must not contradict it */
    ENDO_EXPOSURE_SMALLER, /* the other side, which finds a motion but cannot confirm a shift near 0 */
    ENDO_EXPOSURE_DONE
} endo_exposure_stage;

/* The state of a pair. While the stage is not DONE, the back end aligns the pair as `observation` says and passes the result to
 * endo_exposure_observations_take. */
typedef struct endo_exposure_observations {
    endo_exposure_stage stage;
    int32_t dark; /* 1: both images are near black */
    endo_exposure_observation observation;
    endo_exposure_choice thresholds; /* of the observation at all levels that `result` is from */
    endo_exposure_result result;     /* the best so far; that of the pair when DONE */
} endo_exposure_observations;

ENDO_HD int endo_exposure_is_dark(const endo_exposure_levels *l) {
    return 4 * (int64_t)l->below[ENDO_EXPOSURE_DARK] >= ENDO_EXPOSURE_DARK_QUARTERS * (int64_t)l->below[256];
}

/* Begins a pair. A frame paired with itself, of which only the content is asked for, does not count as dark. */
ENDO_HD void endo_exposure_observations_begin(endo_exposure_observations *s, const endo_pair *pair,
                                              const endo_exposure_levels *reference, const endo_exposure_levels *current,
                                              const endo_exposure_options *p) {
    const endo_exposure_choice none = {}; /* set whole, or some compilers warn */
    s->stage = ENDO_EXPOSURE_FIRST;
    s->thresholds = none;
    s->dark = pair->reference != pair->current && endo_exposure_is_dark(reference) && endo_exposure_is_dark(current);
    s->observation = endo_exposure_first_observation(p);
}

/* Whether both images have content; otherwise the search need not begin. */
ENDO_HD int endo_exposure_shows(const endo_exposure_choice *t) {
    return endo_exposure_has_content(&t->reference) && endo_exposure_has_content(&t->current);
}

/* Sets up the search for the present observation. */
ENDO_HD void endo_exposure_observations_prepare(const endo_exposure_observations *s, const endo_exposure_choice *t, int width,
                                                int height, const endo_exposure_options *p, endo_exposure_search *search) {
    search->reach_x = endo_exposure_reach(p->search, width);
    search->reach_y = endo_exposure_reach(p->search, height);
    search->height = height;
    search->subpixel = p->subpixel;
    search->dark = s->dark;
    search->sliced = endo_exposure_is_slice(&t->reference) || endo_exposure_is_slice(&t->current);
}

/* ------------------------------------------------------------------- sides */

/* The levels on one side of a threshold. */
ENDO_HD endo_exposure_slice endo_exposure_side(const endo_exposure_threshold *t, int white) {
    endo_exposure_slice s = {white ? t->level + 1 : t->slice.from, white ? t->slice.to : t->level};
    return s;
}

ENDO_HD void endo_exposure_observe_side(endo_exposure_observations *s, endo_exposure_stage stage,
                                        const endo_exposure_choice *t) {
    const endo_exposure_threshold *r = &t->reference, *c = &t->current;
    int64_t above = (int64_t)r->above + c->above, all = (int64_t)r->pixels + c->pixels;
    int white = (2 * above > all) == (stage != ENDO_EXPOSURE_SMALLER);
    if (ENDO_EXPOSURE_SIDE * (white ? above : all - above) < all) return;
    s->observation = endo_exposure_deep_observation(endo_exposure_side(r, white), endo_exposure_side(c, white));
    s->stage = stage;
}

/* ----------------------------------------------------------------- results */

ENDO_HD int endo_exposure_is_near(double v, double limit) { return v >= -limit && v <= limit; }

/* Whether static structure may have this shift: near 0 on one axis (an edge fixes one axis only), or nearly so on both. */
ENDO_HD int endo_exposure_stands(const endo_exposure_result *r) {
    if (endo_exposure_is_near(r->dx, ENDO_EXPOSURE_PIXEL) || endo_exposure_is_near(r->dy, ENDO_EXPOSURE_PIXEL)) return 1;
    return endo_exposure_is_near(r->dx, ENDO_EXPOSURE_APART) && endo_exposure_is_near(r->dy, ENDO_EXPOSURE_APART);
}

/* Whether a shift needs no witness: it is certain, and static structure does not move so far. */
ENDO_HD int endo_exposure_is_plain(const endo_exposure_result *r) {
    return r->status == ENDO_EXPOSURE_OK && r->certainty >= ENDO_EXPOSURE_PLAIN && !endo_exposure_stands(r);
}

ENDO_HD int endo_exposure_agrees(const endo_exposure_result *side, const endo_exposure_result *r) {
    return endo_exposure_is_near(side->dx - r->dx, ENDO_EXPOSURE_PIXEL) &&
           endo_exposure_is_near(side->dy - r->dy, ENDO_EXPOSURE_PIXEL);
}

/* Whether the larger side has its lowest share there too. Its certainty is not compared, since it has less content. */
ENDO_HD int endo_exposure_witnesses(const endo_exposure_result *side, const endo_exposure_result *r) {
    return side->certainty > 0 && endo_exposure_agrees(side, r) && side->deviation_x <= ENDO_EXPOSURE_WITNESS &&
           side->deviation_y <= ENDO_EXPOSURE_WITNESS;
}

/* Whether the inner side contradicts the witness. The outline of a surround may be in the witness too, but not inside of it:
 * the inside objects if it has content whose lowest share lies elsewhere, or which has no clear minimum. */
ENDO_HD int endo_exposure_objects(const endo_exposure_result *inner, const endo_exposure_result *r) {
    if (inner->status == ENDO_EXPOSURE_NO_CONTENT) return 0;
    if (inner->deviation_x >= ENDO_EXPOSURE_FLAT || inner->deviation_y >= ENDO_EXPOSURE_FLAT) return 1;
    return inner->certainty >= ENDO_EXPOSURE_SEEN && !endo_exposure_agrees(inner, r);
}

/* Discards a shift that needs a witness and has none: nothing of the scene is seen for certain. */
ENDO_HD void endo_exposure_doubt(endo_exposure_observations *s) {
    if (s->result.status == ENDO_EXPOSURE_OK) endo_exposure_nothing(&s->thresholds, &s->result);
}

/* Takes the result of an observation at all levels, and chooses the next one unless the pair is settled. */
ENDO_HD void endo_exposure_take_whole(endo_exposure_observations *s, endo_exposure_stage stage, const endo_exposure_choice *t,
                                      const endo_exposure_result *seen) {
    s->thresholds = *t;
    s->result = *seen;
    if (stage == ENDO_EXPOSURE_DEEP && seen->certainty < ENDO_EXPOSURE_SEEN) endo_exposure_nothing(t, &s->result);
    if (!s->dark || endo_exposure_is_plain(seen)) return;
    if (seen->status != ENDO_EXPOSURE_NO_CONTENT) {
        endo_exposure_observe_side(s, ENDO_EXPOSURE_LARGER, t);
    } else if (stage == ENDO_EXPOSURE_FIRST) {
        s->observation = endo_exposure_deep_observation(endo_exposure_all_levels(), endo_exposure_all_levels());
        s->stage = ENDO_EXPOSURE_DEEP;
    }
}

/* Takes the result of an observation at one side: a shift that needs no witness is that of the scene. */
ENDO_HD void endo_exposure_take_side(endo_exposure_observations *s, endo_exposure_stage stage, const endo_exposure_choice *t,
                                     const endo_exposure_result *seen) {
    if (endo_exposure_is_plain(seen)) {
        s->result = *seen;
    } else if (stage == ENDO_EXPOSURE_SMALLER) {
        endo_exposure_doubt(s);
    } else if (stage == ENDO_EXPOSURE_INNER) {
        if (endo_exposure_objects(seen, &s->result)) endo_exposure_doubt(s);
    } else if (s->result.status == ENDO_EXPOSURE_OK && endo_exposure_witnesses(seen, &s->result)) {
        endo_exposure_observe_side(s, ENDO_EXPOSURE_INNER, t);
    } else {
        endo_exposure_observe_side(s, ENDO_EXPOSURE_SMALLER, &s->thresholds);
        if (s->stage == ENDO_EXPOSURE_DONE) endo_exposure_doubt(s);
    }
}

/* Takes the result of the present observation and its thresholds t. */
ENDO_HD void endo_exposure_observations_take(endo_exposure_observations *s, const endo_exposure_choice *t,
                                      const endo_exposure_result *seen) {
    endo_exposure_stage stage = s->stage;
    s->stage = ENDO_EXPOSURE_DONE;
    if (stage == ENDO_EXPOSURE_FIRST || stage == ENDO_EXPOSURE_DEEP)
        endo_exposure_take_whole(s, stage, t, seen);
    else
        endo_exposure_take_side(s, stage, t, seen);
}

#endif
