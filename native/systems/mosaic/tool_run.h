/* A run of a mosaic that makes no panorama: what it works with, its one stage, and what it leaves in the mosaic (what computed,
 * and the field of view). */
#ifndef ENDO_MOSAIC_TOOL_RUN_H
#define ENDO_MOSAIC_TOOL_RUN_H

#include "session.h"

/* How frames are used; the rest of the setup is that of any such run. */
typedef struct tool_use {
    int matches;    /* as workspace_setup, these four */
    int compares;
    int most_slots;
    int64_t passes;
    int paints;                      /* stores keep pixels to paint from */
    const endo_pairs_options *pairs; /* in the place of the mosaic's; NULL: these */
} tool_use;

/* It stays where it is while it is open. */
typedef struct tool_run {
    endo_mosaic *mosaic;
    endo_mosaic_options options; /* the mosaic's, without panoramas */
    mosaic_workspace *workspace;
} tool_run;

endo_status tool_run_open(tool_run *run, endo_mosaic *mosaic, const endo_mosaic_source *source, const tool_use *use);

/* To its end: CANCELLED if it did not come there. */
endo_status tool_run_stage(tool_run *run, const mosaic_stage *stage);

void tool_run_close(tool_run *run);

/* The slot of a frame of the run's store; -1: it cannot be read, which is said once, with what becomes of it ("left out"). */
endo_status tool_run_ask(tool_run *run, int frame, const char *fate, int *slot);

#endif
