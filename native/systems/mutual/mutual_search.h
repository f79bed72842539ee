/* The search for the transform that makes the measure largest: many starts at the coarsest level, the best of them on to
 * the finer ones. */
#ifndef ENDO_SYSTEMS_MUTUAL_SEARCH_H
#define ENDO_SYSTEMS_MUTUAL_SEARCH_H

#include "mutual.h"
#include "base/math/newton.h"

/* Maps of one call to a back end. */
#define ENDO_MUTUAL_BATCH 64
/* Starts that are followed to their end at the coarsest level, and of those at the next. */
#define ENDO_MUTUAL_FOLLOWED 8
#define ENDO_MUTUAL_KEPT 3

/* A place in the parameters' space: of the largest measure known there. */
typedef struct endo_mutual_pose {
    double parameters[ENDO_SEARCH_PARAMETERS];
    double cost; /* minus the measure; above 0 where too few voxels meet */
} endo_mutual_pose;

typedef struct endo_mutual_search {
    endo_mutual *mutual;
    int64_t evaluations; /* so far */
    int stop;            /* endo_mutual_stop; CONVERGED: go on */
    int starts;
    const endo_mutual_window *window; /* of this level; NULL: every voxel that falls into the moving volume */
    double agreement;    /* of searches that began around the best place of the coarsest level, the share that came back
                            to it; 0..1 */
    int seeks_gain;      /* the last parameters of a place are those of the gain (endo_mutual_set_gain) */
    double gain[3];      /* else it is this one */
    int n;               /* places, the best of the last level first; at least a voxel of that apart */
    endo_mutual_pose places[ENDO_MUTUAL_FOLLOWED];
    endo_mutual_pose ends[ENDO_MUTUAL_FOLLOWED]; /* where the searches of the last level ended, one by one */
    endo_mutual_level level[ENDO_MUTUAL_MAX_LEVELS];
} endo_mutual_search;

/* Costs of n places at a level, as far as evaluations and cancelling allow: the rest becomes infinite, and
 * search->stop says why. */
endo_status endo_mutual_costs(endo_mutual_search *search, int level, const double (*points)[ENDO_SEARCH_PARAMETERS],
                              size_t n, double *costs);

/* search: mutual is set, all else 0. */
endo_status endo_mutual_observe(endo_mutual_search *search);

#endif
