/* The search for the transform that makes the measure largest: many starts at the coarsest level, the best of them on to
 * the finer ones. */
#ifndef ENDO_SYSTEMS_MUTUAL_SEARCH_H
#define ENDO_SYSTEMS_MUTUAL_SEARCH_H

#include "mutual.h"
#include "base/math/newton.h"

/* Most maps of one call to a back end. */
#define ENDO_MUTUAL_BATCH 64
/* Starts that are followed to their end at the coarsest level, and those of them that are at the next. */
#define ENDO_MUTUAL_FOLLOWED 8
#define ENDO_MUTUAL_KEPT 3

/* A point in the space of the parameters, with its cost. */
typedef struct endo_mutual_pose {
    double parameters[ENDO_SEARCH_PARAMETERS];
    double cost; /* minus the measure; above 0 where too few voxels overlap */
} endo_mutual_pose;

typedef struct endo_mutual_search {
    endo_mutual *mutual;
    int64_t evaluations; /* number of evaluations so far */
    int stop;            /* endo_mutual_stop; CONVERGED: go on */
    int starts;
    const endo_mutual_window *window; /* voxels that count at this level; NULL: all that fall into the moving volume */
    double agreement;    /* share, 0..1, of the restarts around the best pose of the coarsest level that came back to it */
    int seeks_gain;      /* the last parameters of a pose are those of the gain (endo_mutual_set_gain) */
    double gain[3];      /* the gain where it is not sought */
    int n;               /* number of poses, the best of the last level first, at least one of its voxels apart */
    endo_mutual_pose poses[ENDO_MUTUAL_FOLLOWED];
    endo_mutual_pose ends[ENDO_MUTUAL_FOLLOWED]; /* where the searches of the last level ended, one by one */
    endo_mutual_level level[ENDO_MUTUAL_MAX_LEVELS];
} endo_mutual_search;

/* Costs of n points at a level, as far as evaluations and cancelling allow: the rest becomes infinite, and search->stop says
 * why. */
endo_status endo_mutual_costs(endo_mutual_search *search, int level, const double (*points)[ENDO_SEARCH_PARAMETERS],
                              size_t n, double *costs);

/* Runs the search. search: mutual is set, all else 0. */
endo_status endo_mutual_observe(endo_mutual_search *search);

#endif
