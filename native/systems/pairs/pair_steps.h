/* One step of the refinement of many pairs: patches asked under each pair's map, measured, and fitted. */
#ifndef ENDO_SYSTEMS_PAIR_STEPS_H
#define ENDO_SYSTEMS_PAIR_STEPS_H

#include "patch_grid.h"

/* Memory of steps, of zeros before the first one; it grows and is kept: large pieces of memory come from the system,
 * which clears every page anew. */
typedef struct endo_step_workspace {
    int is_host; /* there is no device that does it in one go */
    const endo_layer_mask *const *masks; /* NULL, or of each request the patches that take part: not in one go */
    size_t pairs, patches_of_all;
    endo_patch_request *requests;
    endo_patch_sums *sums;
    endo_patch *patches;
    double *numbers;
} endo_step_workspace;

/* n requests, results in their order, by the device where there is one. is_scored: scores are asked for. */
endo_status endo_pair_steps(endo_frames *frames, const endo_patch_grid *grid, int is_scored, endo_step_workspace *room,
                            const endo_step_request *requests, size_t n, endo_step_result *results);
void endo_step_workspace_free(endo_step_workspace *room);

/* Its logarithm. */
double endo_score_log(const endo_score *s);

#endif
