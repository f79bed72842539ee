/* The second stage: pairs of too simple a class are registered again, chains that only edges of neighbours hold get more edges,
 * components are tied together, loops are closed, and the poses of all frames are solved for. */
#ifndef ENDO_MOSAIC_LOOP_STAGE_H
#define ENDO_MOSAIC_LOOP_STAGE_H

#include "chain_stage.h"
#include "poses.h"

typedef struct loop_stage loop_stage;

endo_status loop_stage_create(mosaic_workspace *workspace, chain_stage *chains, loop_stage **out);
void loop_stage_destroy(loop_stage **stage);
mosaic_stage loop_stage_calls(loop_stage *stage);

const mosaic_edges *loop_stage_edges(const loop_stage *stage); /* all edges that were accepted */
mosaic_poses *loop_stage_take_poses(loop_stage *stage);        /* poses that follow from all edges; the caller owns them */

#endif
