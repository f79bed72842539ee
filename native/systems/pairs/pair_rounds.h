/* Rounds of the refinement of pairs: patches are compared under the present maps (one batch over all pairs that go on), and
 * each pair's map takes the step that follows from what they say (pair_steps.h). */
#ifndef ENDO_SYSTEMS_PAIR_ROUNDS_H
#define ENDO_SYSTEMS_PAIR_ROUNDS_H

#include "pair_steps.h"

/* Rounds at most of the level that decides. */
#define ENDO_MOST_ROUNDS 6

/* A pair on its way from one of its starts. */
typedef struct endo_refinement {
    size_t pair;
    endo_transform map; /* reference -> current, px of the whole frames */
    double score;       /* the less the better */
    double deviation;   /* 0: none yet */
    double perspective; /* the part of it, px, that a homography's two further numbers have; else 0 */
    double last;        /* of the step that was taken last */
    double share;       /* endo_patch_motion.share of the step that the deviation is from */
    double relief;      /* and its relief, px^2 */
    endo_transform coarse; /* the map of level ENDO_JUDGE_LEVEL, or of the first one if that is lower */
    double coarse_deviation;
    double lag; /* endo_map_held_back, which is part of the deviation */
    int round, is_chosen, is_done;
    int is_given; /* began as a homography, which no similarity stands for: it waits for the levels of homographies */
} endo_refinement;

/* Standard deviation, px, of a map where a level's fit says this variance, px^2, of where it takes a point of the frame. */
double endo_level_deviation(int level, double variance);

/* What is left to go, px, after a step of that length; and whether that is nothing. */
double endo_step_rest(double length, double share);
int endo_step_is_settled(double rest);

/* Returns whether a step is too long for a level to have seen where it leads. */
int endo_step_is_wild(int level, double length);

/* What is done in a level: at one patch of so many, so many rounds at most, by this rule. */
typedef struct endo_level_plan {
    int every, rounds, is_scored;
    void (*step)(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);
} endo_level_plan;

/* In the first level, from one of the starts. */
void endo_take_coarse_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* On the way down. */
void endo_take_passing_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* The only one at some of the patches: it stands where it ends short of nothing and says enough, else it is forgotten: in noise
 * half of the patches lead astray. */
void endo_take_first_observation(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* In the level that decides. */
void endo_take_last_step(const endo_patch_grid *g, const endo_step_result *step, endo_refinement *r);

/* Memory of the rounds, of zeros before the first one; it grows and is kept. */
typedef struct endo_round_workspace {
    size_t pairs;
    size_t *which; /* that are not done */
    endo_step_request *requests;
    endo_step_result *steps;
    endo_step_workspace patches;
} endo_round_workspace;

/* n refinements, of `pairs`, those that are not done; patches: at most `across` along the longer side. */
endo_status endo_level_run(endo_frames *frames, const endo_pair *pairs, int level, int across, const endo_level_plan *plan,
                           endo_round_workspace *room, endo_refinement *all, size_t n);
void endo_round_workspace_free(endo_round_workspace *room);

#endif
