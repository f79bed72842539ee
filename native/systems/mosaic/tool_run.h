/* A run of a mosaic that makes no panorama: its workspace, its one stage, and what it leaves in the mosaic (back end and field
 * of view). */
#ifndef ENDO_MOSAIC_TOOL_RUN_H
#define ENDO_MOSAIC_TOOL_RUN_H

#include "session.h"

/* The use of frames; matches, compares, passes and most_slots are those of workspace_setup. */
typedef struct tool_use {
    int matches;    /* see workspace_setup */
    int compares;
    int most_slots;
    int64_t passes;
    int paints;                      /* stores keep pixels to paint from */
    const endo_pairs_options *pairs; /* in place of the mosaic's; NULL: those */
} tool_use;

/* An open run must not be moved. */
typedef struct tool_run {
    endo_mosaic *mosaic;
    endo_mosaic_options options; /* the mosaic's, without panoramas */
    mosaic_workspace *workspace;
} tool_run;

endo_status tool_run_open(tool_run *run, endo_mosaic *mosaic, const endo_mosaic_source *source, const tool_use *use);

/* Runs a stage to its end; CANCELLED if it was cancelled. */
endo_status tool_run_stage(tool_run *run, const mosaic_stage *stage);

void tool_run_close(tool_run *run);

/* Finds the slot of a frame in the run's store; -1: it cannot be read, which is reported once, with its fate ("left out"). */
endo_status tool_run_ask(tool_run *run, int frame, const char *fate, int *slot);

#endif
