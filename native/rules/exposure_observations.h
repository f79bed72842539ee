/* Looks: at which grey levels a pair is compared, and what several comparisons say together.
 *
 * One look is enough, unless both images are near black. There no threshold that is safe from noise parts the scene, and
 * what stands still while the scene moves has the say: hot pixels and the pattern of the sensor, a reflection, the
 * outline of a dark surround. So such a pair is looked at deeper, and a shift near to 0 needs a witness: the pixels on
 * one side of the threshold alone, among which the outline or the reflection takes no part.
 * docs/algorithms/exposures.md has the reasons. */
#ifndef ENDO_RULES_EXPOSURE_OBSERVATIONS_H
#define ENDO_RULES_EXPOSURE_OBSERVATIONS_H

#include "exposure_result.h"

/* Near black: so many quarters of the pixels are darker than this. Every image of a mean up to 8 is. */
#define ENDO_EXPOSURE_DARK 32
#define ENDO_EXPOSURE_DARK_QUARTERS 3
/* A witness is as sharp as this: the greatest deviation, px. */
#define ENDO_EXPOSURE_WITNESS 0.5
/* With a deviation from here on there is no lowest share to speak of, px. */
#define ENDO_EXPOSURE_FLAT 8
/* So certain is a dark pair of a shift that needs no witness. */
#define ENDO_EXPOSURE_PLAIN 0.15
/* A pixel, and the fraction that may be on top of it. */
#define ENDO_EXPOSURE_PIXEL 1.75
/* The smaller side of a threshold is looked at if it holds one of so many pixels. */
#define ENDO_EXPOSURE_SIDE 8
/* What a deep look is less certain of than this is no content. */
#define ENDO_EXPOSURE_SEEN 0.02

/* The looks, in their order. */
typedef enum endo_exposure_stage {
    ENDO_EXPOSURE_FIRST,   /* at all levels, as the options say */
    ENDO_EXPOSURE_DEEP,    /* at all levels, thresholds as low as they may be */
    ENDO_EXPOSURE_LARGER,  /* at the side of the threshold that has more pixels: the witness */
    ENDO_EXPOSURE_INNER,   /* at the larger side of the witness, which must not speak against it */
    ENDO_EXPOSURE_SMALLER, /* at the other one, which finds what has moved but is no witness of what has not */
    ENDO_EXPOSURE_DONE
} endo_exposure_stage;

/* While the stage is not DONE, the back end aligns the pair as `look` says and hands what it saw to
 * endo_exposure_observations_take(). */
typedef struct endo_exposure_observations {
    endo_exposure_stage stage;
    int32_t dark;
    endo_exposure_observation observation;
    endo_exposure_choice thresholds; /* thresholds of the look at all levels that `result` is from */
    endo_exposure_result result; /* so far; of the pair when DONE */
} endo_exposure_observations;

ENDO_HD int endo_exposure_is_dark(const endo_exposure_levels *l) {
    return 4 * (int64_t)l->below[ENDO_EXPOSURE_DARK] >= ENDO_EXPOSURE_DARK_QUARTERS * (int64_t)l->below[256];
}

/* pair: a frame with itself, of which only the content is asked for, is no pair of dark ones. */
ENDO_HD void endo_exposure_observations_begin(endo_exposure_observations *s, const endo_pair *pair,
                                              const endo_exposure_levels *reference, const endo_exposure_levels *current,
                                              const endo_exposure_options *p) {
    const endo_exposure_choice none = {}; /* every compiler sees that all of it is set */
    s->stage = ENDO_EXPOSURE_FIRST;
    s->thresholds = none;
    s->dark = pair->reference != pair->current && endo_exposure_is_dark(reference) && endo_exposure_is_dark(current);
    s->observation = endo_exposure_first_observation(p);
}

/* Does it show anything? Else the search need not begin. */
ENDO_HD int endo_exposure_shows(const endo_exposure_choice *t) {
    return endo_exposure_has_content(&t->reference) && endo_exposure_has_content(&t->current);
}

/* What the search of this look must know of it. */
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

/* The side of a threshold as a slice. */
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

/* May it be the shift of what stands still, or along one axis half of it? A straight edge holds one axis only. */
ENDO_HD int endo_exposure_stands(const endo_exposure_result *r) {
    if (endo_exposure_is_near(r->dx, ENDO_EXPOSURE_PIXEL) || endo_exposure_is_near(r->dy, ENDO_EXPOSURE_PIXEL)) return 1;
    return endo_exposure_is_near(r->dx, ENDO_EXPOSURE_APART) && endo_exposure_is_near(r->dy, ENDO_EXPOSURE_APART);
}

/* Does it speak for itself? Nothing that stands still moves. */
ENDO_HD int endo_exposure_is_plain(const endo_exposure_result *r) {
    return r->status == ENDO_EXPOSURE_OK && r->certainty >= ENDO_EXPOSURE_PLAIN && !endo_exposure_stands(r);
}

ENDO_HD int endo_exposure_agrees(const endo_exposure_result *side, const endo_exposure_result *r) {
    return endo_exposure_is_near(side->dx - r->dx, ENDO_EXPOSURE_PIXEL) &&
           endo_exposure_is_near(side->dy - r->dy, ENDO_EXPOSURE_PIXEL);
}

/* Does the larger side have its lowest share there too? It has less to show, so its certainty does not count. */
ENDO_HD int endo_exposure_witnesses(const endo_exposure_result *side, const endo_exposure_result *r) {
    return side->certainty > 0 && endo_exposure_agrees(side, r) && side->deviation_x <= ENDO_EXPOSURE_WITNESS &&
           side->deviation_y <= ENDO_EXPOSURE_WITNESS;
}

/* The outline of a surround may be seen twice, by the witness too; but not among what is inside of it. Is there something
 * inside, with its lowest share elsewhere, or with none to speak of? */
ENDO_HD int endo_exposure_objects(const endo_exposure_result *inner, const endo_exposure_result *r) {
    if (inner->status == ENDO_EXPOSURE_NO_CONTENT) return 0;
    if (inner->deviation_x >= ENDO_EXPOSURE_FLAT || inner->deviation_y >= ENDO_EXPOSURE_FLAT) return 1;
    return inner->certainty >= ENDO_EXPOSURE_SEEN && !endo_exposure_agrees(inner, r);
}

/* A shift that needs a witness and has none is no answer: nothing of the scene is seen for certain. */
ENDO_HD void endo_exposure_doubt(endo_exposure_observations *s) {
    if (s->result.status == ENDO_EXPOSURE_OK) endo_exposure_nothing(&s->thresholds, &s->result);
}

/* What a look at all levels saw: the next one, unless this settles it. */
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

/* What a look at one side saw: a plain shift is the scene's. */
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

/* t: the thresholds of the look; seen: what it found. */
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
