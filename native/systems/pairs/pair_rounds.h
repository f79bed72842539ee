/* Rounds of the refinement of pairs: patches are compared under the current maps (one batch over all pairs that go on),
 * and each pair's map takes the step that was fitted to them (pair_steps.h). */
#ifndef ENDO_SYSTEMS_PAIR_ROUNDS_H
#define ENDO_SYSTEMS_PAIR_ROUNDS_H

#include "pair_steps.h"

/* Most rounds in the last level. */
#define ENDO_MOST_ROUNDS 6

/* A pair on its way from one of its starts. */
typedef struct endo_refinement {
    size_t pair;
    endo_transform map; /* reference -> current, px of the whole frames */
    double score;       /* the less the better */
    double deviation;   /* 0: none yet */
    double perspective; /* part of the deviation, px, due to a homography's perspective; else 0 */
    double last;        /* deviation, px, by the last step */
    double share;       /* endo_patch_motion.share of the step that the deviation is from */
    double relief;      /* endo_patch_motion.relief of that step, px^2 */
    endo_transform coarse;   /* the map of level ENDO_JUDGE_LEVEL, or of the first one if that is lower */
    double coarse_deviation; /* standard deviation of `coarse`, px */
    double lag;              /* endo_map_held_back, px, which is part of the deviation */
    int round, is_chosen, is_done;
    int is_given; /* began as a homography: it waits for the levels in which homographies are refined */
} endo_refinement;

/* Standard deviation, px, of a map from the variance, px^2, that a level's fit gives for where it takes a point. */
double endo_level_deviation(int level, double variance);

/* Distance that is left to go, px, after a step of that length; and whether it is negligible. */
double endo_step_rest(double length, double share);
int endo_step_is_settled(double rest);

/* Whether a step is longer than a level can measure. */
int endo_step_is_wild(int level, double length);

/* How a level is run: at every so-many-th patch, most rounds, whether scores are computed, and how a step is taken. */
typedef struct endo_level_plan {
    int every, rounds, is_scored;
    void (*step)(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);
} endo_level_plan;

/* The step in the first level, from one of the starts. */
void endo_take_coarse_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* The step in the levels between the first and the last. */
void endo_take_passing_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* The step at every other patch of level 0: kept where it settles and is precise enough, else dropped, since in noise half
 * of the patches mislead. */
void endo_take_first_observation(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* The step in the last level, which decides. */
void endo_take_last_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* Memory of the rounds, zeroed before the first one; it grows and is kept. */
typedef struct endo_round_workspace {
    size_t pairs;
    size_t *which; /* refinements that are not done */
    const endo_layer_mask *masks;        /* NULL, or the patches of each pair that take part */
    const endo_layer_mask **masks_asked; /* those of `which` */
    endo_step_request *requests;
    endo_step_result *steps;
    endo_step_workspace patches;
} endo_round_workspace;

/* Runs those of n refinements, of `pairs`, that are not done; at most `across` patches along the longer side. */
endo_status endo_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, const endo_level_plan *plan,
                           endo_round_workspace *workspace, endo_refinement *all, size_t n);
void endo_round_workspace_free(endo_round_workspace *workspace);

#endif
