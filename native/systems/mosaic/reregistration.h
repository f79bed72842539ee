/* Pairs that are registered once more: those that were given a simpler class of transform than the sequence asks for, and all
 * of them as homographies where they agree that a tilted plane is seen. */
#ifndef ENDO_MOSAIC_REREGISTRATION_H
#define ENDO_MOSAIC_REREGISTRATION_H

#include "key_frames.h"
#include "poses.h"
#include "workspace.h"

/* The class is to be chosen by what the pairs say. */
int reregistration_chooses(const endo_pairs_options *options);

/* Pairs of too simple a class: which of `edges` those are is found now, and the edges are replaced as they are registered. */
typedef struct reregistration reregistration;
endo_status reregistration_create(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                  reregistration **out);

/* All pairs of a sequence that sees a tilted plane, as homographies; none where another class is asked for. */
endo_status reregistration_create_tilted(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                         reregistration **out);
void reregistration_destroy(reregistration **r);
int reregistration_done(const reregistration *r);
endo_status reregistration_step(reregistration *r); /* the next few, as many as find room in the store */

/* As homographies, and both ways are compared. */
typedef struct tilted_trial tilted_trial;

/* *out NULL: pairs say nothing of perspective, they see a lens, or another class is asked for. */
endo_status tilted_trial_create(mosaic_workspace *workspace, const endo_pairs_options *options, const mosaic_poses *poses,
                                const mosaic_edges *edges, const key_frames *keys, tilted_trial **out);
void tilted_trial_destroy(tilted_trial **t);

/* Poses that follow from edges; the caller owns them. */
typedef endo_status (*solve_edges)(void *self, const mosaic_edges *edges, mosaic_poses **out);

int tilted_trial_has_begun(const tilted_trial *t);
endo_status tilted_trial_begin(tilted_trial *t, const mosaic_edges *edges); /* which stay as they are */
int tilted_trial_done(const tilted_trial *t);
endo_status tilted_trial_step(tilted_trial *t, solve_edges solve, void *self);
int tilted_trial_is_taken(const tilted_trial *t);           /* the homographies are the better ones */
const mosaic_edges *tilted_trial_edges(const tilted_trial *t);
mosaic_poses *tilted_trial_take_poses(tilted_trial *t);      /* the better ones, when it is done; the caller owns them */
const char *tilted_trial_outcome(const tilted_trial *t);    /* for people; NULL: nothing was claimed that did not hold */

#endif
