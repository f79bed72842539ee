/* Returns whether a pair's transform is believed: by what the pixels say of it, of other places, and of no motion. */
#ifndef ENDO_SYSTEMS_PAIR_JUDGE_H
#define ENDO_SYSTEMS_PAIR_JUDGE_H

#include "pair_distortion.h"

/* In this level, or the last one before it, single pixels no longer show. */
#define ENDO_JUDGE_LEVEL 2

/* By how much the coefficients of patches under the map exceed others, each mean difference over its own standard deviation;
 * NaN where too few patches say something. */
typedef struct endo_evidence {
    double chance;      /* those of the same patches moved by half a side: what a wrong place would give, too */
    double still;       /* those under no motion, of patches that the map moves; NaN: it moves next to nothing */
    double coefficient; /* mean under the map */
    double at_rest;     /* mean under no motion, of patches that the map moves: what may stand still; >= 0 */
    double common, coarse_common; /* covariance of both under the map, mean of the patches; and in that further level */
    double stirring;               /* patches that the map moves */
    double middle;                 /* median of the differences of which `chance` has the mean */
    endo_distortion_result bending;          /* what the patches say beyond the map */
    double coarse_chance, coarse_coefficient, coarse_middle; /* in a level in which single pixels are averaged out */
} endo_evidence;

typedef enum endo_belief {
    ENDO_BELIEF_NONE,  /* chance explains it as well */
    ENDO_BELIEF_DOUBT, /* something is registered, but it may be no more than a part that does not move */
    ENDO_BELIEF_SURE
} endo_belief;

/* SURE: far from chance in both levels, better than no motion, and what the two frames have in common is in the scene: it
 * remains where pixels are averaged, in which noise and a pattern of the sensor taper. Where the map moves nothing, more of it
 * must remain. And where it is not clearly better than no motion most patches must say the same, for a rim that was not found
 * lies in a quarter of them. */
endo_belief endo_evidence_belief(const endo_evidence *e);

/* The level above, in which noise tapers, may know more. share: of the gradients, the scene's (endo_patch_motion.share). */
int endo_is_noisy(double share);

/* The deviation, px, up to which a pair is sure: where tissue moves against itself nothing is known better than that leaves it.
 * relief: px^2 (rules/patch_step.h), of which no more counts than what is allowed without any. */
double endo_sure_deviation(double relief);

/* n pairs with their maps, reference -> current. */
endo_status endo_pairs_weigh(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps, size_t n,
                             endo_evidence *evidence);

#endif
