/* The workspace of a run: back end, field of view, frame store and canvases, and recovery from failures of the library. Where
 * memory ends the store gets smaller; where a device fails that AUTO had chosen the CPU goes on, with what the device had
 * painted, or by painting the registered frames again. */
#ifndef ENDO_MOSAIC_WORKSPACE_H
#define ENDO_MOSAIC_WORKSPACE_H

#include "back_end.h"
#include "canvases.h"
#include "events.h"
#include "spectra.h"
#include "stage.h"

/* Faults that tests cause. */
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
    frame_store *store;         /* replaced after a failure; NULL where nothing helped */
    mosaic_canvases *canvases;
    light_of_scope *light;      /* NULL: uncorrected */
    sharpness *sharp;           /* NULL where nothing is blended */
    endo_mosaic_times times;
    mosaic_faults faults;
    struct scene_layers *layers; /* which of two motions is the scene's (scene_layers.h); NULL before there is a chain */
    int repeats_from;           /* number, from 1, of the first frame in which the scene repeats itself; 0: in none */
    frame_displacements displacements;          /* by which frames are stored from when they are known on */
    placed_frames waiting;      /* registered frames, in order; see workspace_paint_waiting */
    struct workspace_state *state; /* private fields (workspace_state.h) */
} mosaic_workspace;

typedef struct workspace_setup {
    const endo_mosaic_options *options; /* borrowed */
    mosaic_events *events;
    const endo_mosaic_source *source;
    int matches;  /* frames are registered; 0: painted only */
    int follows;  /* patches of frames are followed, as those of registered ones are */
    int compares; /* frames are compared as they lie: only the fixed pattern is subtracted */
    int pictures; /* 0: nothing is painted */
    int drops_pixels; /* stores need no pixels to paint from */
    int most_slots;   /* slots of the store; 0: what suits chunks of frames */
    int64_t passes;   /* how often each frame is registered or painted; 0: once */
    int defers;   /* no live picture is shown, so that painting can wait where the panorama is painted anew at the end */
    mosaic_faults faults;
} workspace_setup;

/* Starts the back end, finds the field of view, makes store and canvases. ARGUMENT: no frame can be read, or an option does not
 * suit the sequence. */
endo_status workspace_open(const workspace_setup *setup, mosaic_workspace **out);
void workspace_close(mosaic_workspace **workspace);

/* Registration of pairs without an approximate relative transform. */
endo_status workspace_spectra(mosaic_workspace *w, spectra **out);

/* Frames of the first and of the largest chunk, and pairs that are registered in a call at most. */
int workspace_first_chunk(const mosaic_workspace *w);
int workspace_largest_chunk(const mosaic_workspace *w);
int workspace_pairs_a_step(const mosaic_workspace *w);
int workspace_keeps_all(const mosaic_workspace *w); /* no frame has to leave the store */
int workspace_keeps_frames(const mosaic_workspace *w); /* memory could be freed by reading frames again */
int workspace_on_device(const mosaic_workspace *w);

/* Announces frames first..end-1, which come after those that are registered next. */
endo_status workspace_expect(mosaic_workspace *w, int first, int end);

/* Paints the frames of workspace->waiting, as many at once as the store holds; held: frames that stay in the store. */
endo_status workspace_paint_waiting(mosaic_workspace *w, const int *held, int n);
endo_status workspace_paint_deferred(mosaic_workspace *w); /* frames whose painting was deferred */
int workspace_matches(const mosaic_workspace *w);          /* frames are registered, not painted only */
const char *workspace_full(const mosaic_workspace *w);     /* why nothing more is painted; NULL: there is space */

/* Copies a canvas; *out = NULL: nothing was painted on it. */
endo_status workspace_snapshot(mosaic_workspace *w, int canvas, panorama_store **out);

/* Waits until the observers of light and sharpness have seen all frames read; the end of a stage waits, too. */
endo_status workspace_await_observers(mosaic_workspace *w);

/* Calls `work` for a stage (NULL: for none), again after each failure that can be recovered from. */
endo_status workspace_persist(mosaic_workspace *w, const mosaic_stage *stage, endo_status (*work)(void *job), void *job);

/* Runs stages to the end, or until the run is cancelled (no failure here), and tells progress as a share of all stages. */
typedef struct stage_runner {
    mosaic_workspace *workspace;
    int stages;
    int done;
} stage_runner;
endo_status stage_runner_run(stage_runner *runner, const mosaic_stage *stage);

/* After a failure that ends the run, paints the deferred frames on the CPU. */
endo_status workspace_rescue_deferred(mosaic_workspace *w);

#endif
