/* Pairs that are registered again: those with a simpler class of transform than the sequence asks for, and all of them as
 * homographies where they agree on a tilted plane. */
#ifndef ENDO_MOSAIC_REREGISTRATION_H
#define ENDO_MOSAIC_REREGISTRATION_H

#include "key_frames.h"
#include "poses.h"
#include "workspace.h"

/* Returns whether the options leave the choice of the class to the pairs. */
int reregistration_chooses(const endo_pairs_options *options);

/* Registers pairs of too simple a class again; they are listed at creation, and replaced in `edges` one by one. */
typedef struct reregistration reregistration;
endo_status reregistration_create(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                  reregistration **out);

/* Registers all pairs of a sequence with a tilted plane as homographies; none where another class is asked for. */
endo_status reregistration_create_tilted(mosaic_workspace *workspace, const endo_pairs_options *options, mosaic_edges *edges,
                                         reregistration **out);
void reregistration_destroy(reregistration **r);
int reregistration_done(const reregistration *r);
endo_status reregistration_step(reregistration *r); /* the next pairs, as many as fit into the store */

/* Registers the pairs as homographies, and compares the poses with those of the simpler classes. */
typedef struct tilted_trial tilted_trial;

/* *out = NULL: the pairs show no perspective, or show a lens, or another class is asked for. */
endo_status tilted_trial_create(mosaic_workspace *workspace, const endo_pairs_options *options, const mosaic_poses *poses,
                                const mosaic_edges *edges, const key_frames *keys, tilted_trial **out);
void tilted_trial_destroy(tilted_trial **t);

/* Solves for poses from edges; the caller owns them. */
typedef endo_status (*solve_edges)(void *self, const mosaic_edges *edges, mosaic_poses **out);

int tilted_trial_has_begun(const tilted_trial *t);
endo_status tilted_trial_begin(tilted_trial *t, const mosaic_edges *edges); /* edges stay unchanged */
int tilted_trial_done(const tilted_trial *t);
endo_status tilted_trial_step(tilted_trial *t, solve_edges solve, void *self);
int tilted_trial_is_taken(const tilted_trial *t);           /* the homographies are better */
const mosaic_edges *tilted_trial_edges(const tilted_trial *t);
mosaic_poses *tilted_trial_take_poses(tilted_trial *t);      /* the better ones, when it is done; the caller owns them */
const char *tilted_trial_outcome(const tilted_trial *t);    /* for people; NULL: nothing to report */

#endif
