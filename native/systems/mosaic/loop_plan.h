/* Plans which frames far apart in the sequence may show the same, by their poses so far and the deviations of these. */
#ifndef ENDO_MOSAIC_LOOP_PLAN_H
#define ENDO_MOSAIC_LOOP_PLAN_H

#include "key_frames.h"
#include "poses.h"

/* A frame that may overlap an older key frame. key, stretch: indices of key frames. */
typedef struct loop_candidate {
    int key;
    int stretch;
    int frame;
    double overlap;
} loop_candidate;

typedef struct loop_candidates {
    loop_candidate *items;
    int n;
    int capacity;
} loop_candidates;

typedef struct loop_plan loop_plan;

/* frames: number of frames of the sequence; keys are borrowed. */
endo_status loop_plan_create(int frames, mosaic_size size, const key_frames *keys, loop_plan **out);
void loop_plan_destroy(loop_plan **plan);

/* Plan edges that may tie a component to a larger one (those that were not planned before), or the next round of loops. */
endo_status loop_plan_ties(loop_plan *plan, const mosaic_poses *poses);
endo_status loop_plan_loops(loop_plan *plan, const mosaic_poses *poses);

/* The planned pairs, sorted by key frame: those that can be searched for from their poses, and those whose poses are too
 * uncertain. Valid until the next plan. */
const loop_candidates *loop_plan_near(const loop_plan *plan);
const loop_candidates *loop_plan_far(const loop_plan *plan);

/* Notes an edge that was registered, so that it is not planned again. */
endo_status loop_plan_tie(loop_plan *plan, const loop_candidate *candidate);

#endif
