/* Whether a pair's transform is believed: by its patches under the transform, moved aside, and under no motion. */
#ifndef ENDO_SYSTEMS_PAIR_JUDGE_H
#define ENDO_SYSTEMS_PAIR_JUDGE_H

#include "pair_distortion.h"

/* Level from which on single pixels no longer show; frames with fewer levels have their last one. */
#define ENDO_JUDGE_LEVEL 2

/* By how much the coefficients of patches under the map exceed others, as the mean difference over its standard deviation,
 * and what else the patches say; NaN where too few patches have texture. */
typedef struct endo_evidence {
    double chance;      /* excess over the same patches moved by half a side, as a wrong map would place them */
    double still;       /* excess over no motion, of patches that the map moves; NaN: it moves next to nothing */
    double coefficient; /* mean under the map */
    double at_rest;     /* mean under no motion, of patches that the map moves: what may stand still; >= 0 */
    double common;      /* covariance of both frames under the map, mean of the patches */
    double stirring;    /* number of patches that the map moves */
    double middle;      /* median of the differences of which `chance` has the mean */
    endo_distortion_result distortion; /* perspective and lens beyond the map */
    /* Counterparts of the members named so, in a coarse level, in which single pixels are averaged out. */
    double coarse_chance, coarse_coefficient, coarse_common, coarse_middle;
    int is_part;        /* the patches of one of two motions alone took part */
} endo_evidence;

typedef enum endo_belief {
    ENDO_BELIEF_NONE,  /* explained by chance as well */
    ENDO_BELIEF_DOUBT, /* something is registered, but perhaps only a region that stands still */
    ENDO_BELIEF_SURE
} endo_belief;

/* SURE: far from chance in both levels, better than no motion, and what the two frames have in common is the scene's: it
 * remains where pixels are averaged, which takes away noise and a pattern of the sensor. Where the map moves nothing, more
 * of it must remain. Where the map is not clearly better than no motion most patches must agree, for a rim that was not
 * found lies in a quarter of them. */
endo_belief endo_evidence_belief(const endo_evidence *e);

/* Whether noise is so strong that the level above may be more precise. share: the scene's of the gradients
 * (endo_patch_motion.share). */
int endo_is_noisy(double share);

/* The deviation, px, up to which a pair is sure: larger where tissue moves against itself. relief: px^2
 * (rules/patch_step.h), of which no more counts than what is allowed without any. */
double endo_sure_deviation(double relief);

/* Weighs n pairs with their maps, reference -> current. masks: NULL, or the patches of each pair that take part. */
endo_status endo_pairs_weigh(endo_frames *frames, const endo_pair *pairs, const endo_transform *maps,
                             const endo_layer_mask *masks, size_t n, endo_evidence *evidence);

#endif
