/* The first stage: frames are read chunk by chunk, registered with one call a chunk, chained, and painted as they come. */
#ifndef ENDO_MOSAIC_CHAIN_STAGE_H
#define ENDO_MOSAIC_CHAIN_STAGE_H

#include "edges.h"
#include "key_frames.h"
#include "plausibility.h"
#include "workspace.h"

typedef struct chain_stage chain_stage;

endo_status chain_stage_create(mosaic_workspace *workspace, chain_stage **out);
void chain_stage_destroy(chain_stage **stage);
mosaic_stage chain_stage_calls(chain_stage *stage);

/* Ends the stage; what was done until now is kept. */
endo_status chain_stage_finish(chain_stage *stage);

int chain_stage_frames(const chain_stage *stage); /* frames that have a record; all of them only when the stage is done */
endo_mosaic_frame *chain_stage_records(chain_stage *stage); /* one a frame that has a record; owned by the stage */
const mosaic_edges *chain_stage_edges(const chain_stage *stage);
const key_frames *chain_stage_keys(const chain_stage *stage);
plausibility *chain_stage_plausibility(chain_stage *stage);

#endif
