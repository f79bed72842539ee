/* What a run works with: back end, field of view, frame store, canvases, and what becomes of them when the library fails.
 * Where memory ends the store gets smaller; where a device fails that AUTO had chosen the CPU goes on, with what the device
 * had painted, or by painting the registered frames again. */
#ifndef ENDO_MOSAIC_WORKSPACE_H
#define ENDO_MOSAIC_WORKSPACE_H

#include "back_end.h"
#include "canvases.h"
#include "events.h"
#include "spectra.h"
#include "stage.h"

/* For tests of what becomes of a run when something fails. */
typedef struct mosaic_faults {
    int canvas_lost; /* canvases cannot be read after a failure */
    int band_rows;   /* rows of a band of a blend, a multiple of 4; 0: by the memory */
    int fail_after;  /* calls after which the first context fails as a broken device would; 0: never */
    int ahead;       /* frames are put into the store before they are needed, as for a device */
} mosaic_faults;

typedef struct mosaic_workspace {
    const endo_mosaic_options *options;
    mosaic_events *events;
    mosaic_sequence *sequence;
    back_end computing;
    field_of_view field;
    frame_store *store;         /* another one after a failure; NULL where nothing helped */
    mosaic_canvases *canvases;
    light_of_scope *light;      /* NULL: the light stays as it is */
    sharpness *sharp;           /* NULL where nothing is blended */
    endo_mosaic_times times;
    mosaic_faults faults;
    int repeats_from;           /* number, from 1, of the first frame in which the scene repeats itself; 0: in none */
    placed_frames waiting;      /* frames that are registered, in order; painted with workspace_paint_waiting */
    struct workspace_state *state; /* the rest of it (workspace.c) */
} mosaic_workspace;

typedef struct workspace_setup {
    const endo_mosaic_options *options; /* borrowed */
    mosaic_events *events;
    const endo_mosaic_source *source;
    int matches;  /* frames are registered; 0: painted alone */
    int compares; /* 1: or compared as they lie: what stands still is taken out of them, and nothing else */
    int pictures; /* 0: nothing is painted */
    int drops_pixels; /* 1: stores need no pixels to paint from */
    int most_slots;   /* of the store; 0: what suits chunks of frames */
    int64_t passes;   /* how often each frame of the sequence is registered or painted; 0: once */
    int defers;   /* nobody looks at what is painted along the chain: where it is painted anew in the end, it can wait */
    mosaic_faults faults;
} workspace_setup;

/* Starts the back end, looks for the field of view, makes store and canvases. ARGUMENT: no frame can be read; an option that
 * does not go with the sequence. */
endo_status workspace_open(const workspace_setup *setup, mosaic_workspace **out);
void workspace_close(mosaic_workspace **workspace);

/* For pairs of which nobody knows how they lie to each other. */
endo_status workspace_spectra(mosaic_workspace *w, spectra **out);

/* Frames of the first chunk, of the largest, and pairs that are registered in a call at most. */
int workspace_first_chunk(const mosaic_workspace *w);
int workspace_largest_chunk(const mosaic_workspace *w);
int workspace_pairs_a_step(const mosaic_workspace *w);
int workspace_keeps_all(const mosaic_workspace *w); /* no frame has to leave the store */
int workspace_keeps_frames(const mosaic_workspace *w); /* memory could be had by reading frames again */
int workspace_on_device(const mosaic_workspace *w);

/* Frames first..end-1 will be wanted after those that are registered next. */
endo_status workspace_expect(mosaic_workspace *w, int first, int end);

/* Paints what waits (workspace->waiting), as many frames at once as the store holds; held: frames that stay in the store. */
endo_status workspace_paint_waiting(mosaic_workspace *w, const int *held, int n);
endo_status workspace_paint_deferred(mosaic_workspace *w); /* what could wait until now */
const char *workspace_full(const mosaic_workspace *w);     /* why nothing more is painted; NULL while there is room */

/* A canvas as it is; *out = NULL: nothing of it was painted. */
endo_status workspace_snapshot(mosaic_workspace *w, int canvas, panorama_store **out);

/* Until everything that was read has been seen by light and sharpness; at the end of a stage it has. */
endo_status workspace_await_observers(mosaic_workspace *w);

/* Does some work of a stage (NULL: of none), again and again where a failure can be helped. */
endo_status workspace_persist(mosaic_workspace *w, const mosaic_stage *stage, endo_status (*work)(void *job), void *job);

/* Goes to the end of a stage, or until the run is cancelled; what is done of `stages` stages is told. CANCELLED is no
 * failure here. */
typedef struct stage_runner {
    mosaic_workspace *workspace;
    int stages;
    int done;
} stage_runner;
endo_status stage_runner_run(stage_runner *runner, const mosaic_stage *stage);

/* After a failure that ends the run: what waits for somebody to look is painted by the CPU. */
endo_status workspace_rescue_deferred(mosaic_workspace *w);

#endif
