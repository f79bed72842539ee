/* One step of the refinement of many pairs: patches asked under each pair's map, measured, and fitted. */
#ifndef ENDO_SYSTEMS_PAIR_STEPS_H
#define ENDO_SYSTEMS_PAIR_STEPS_H

#include "patch_grid.h"

/* Memory of steps, zeroed before the first one; it grows and is kept, since the system clears every page of a new large
 * block. */
typedef struct endo_step_workspace {
    int is_host; /* steps are made on the CPU: no device makes them */
    const endo_layer_mask *const *masks; /* NULL, or the patches of each request that take part, which needs the CPU */
    size_t pairs, patches_of_all;
    endo_patch_request *requests;
    endo_patch_sums *sums;
    endo_patch *patches;
    double *numbers;
} endo_step_workspace;

/* Makes the steps of n requests, results in their order, on the device where there is one. is_scored: with scores. */
endo_status endo_pair_steps(endo_frames *frames, const endo_patch_grid *grid, int is_scored, endo_step_workspace *workspace,
                            const endo_step_request *requests, size_t n, endo_step_result *results);
void endo_step_workspace_free(endo_step_workspace *workspace);

/* Logarithm of a score. */
double endo_score_log(const endo_score *s);

#endif
