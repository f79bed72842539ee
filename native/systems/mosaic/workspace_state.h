/* What is behind a workspace; for its own files. */
#ifndef ENDO_MOSAIC_WORKSPACE_STATE_H
#define ENDO_MOSAIC_WORKSPACE_STATE_H

#include "base/outcome.h"
#include "workspace.h"

struct workspace_state {
    int matches;                 /* frames are registered */
    int compares;                /* frames are compared as they lie */
    int drops_pixels;            /* stores need no pixels to paint from */
    int most_slots;              /* 0: what suits chunks of frames */
    int64_t passes;              /* how often each frame is registered or painted */
    int paints;                  /* panoramas are made */
    int is_open;                 /* there is, or was, a store */
    endo_outcome failure;        /* why there is no store */
    int slots;                   /* of the store, or of the one that there was no memory for */
    int kept;                    /* slots beside them: they go first where there is no memory */
    mosaic_observers *observers; /* NULL: nothing looks at frames */
    double observed;             /* s of waiting for them that are in the times */
    endo_pairs_options asked;    /* how frames are registered that were found by their spectra */
    spectra *spectra;            /* NULL until they are asked for */
    int defers;                  /* nobody looks at what is painted along the chain */
    placed_frames deferred;      /* what could wait until somebody wants the picture, or a frame has to go */
};

static inline int workspace_blends(const mosaic_workspace *w) { return w->options->painting == ENDO_MOSAIC_BLEND; }

/* ENDO_OK, or why there is no store. */
endo_status workspace_need_store(const mosaic_workspace *w);

endo_frames_options workspace_store_options(const mosaic_workspace *w, int capacity);

/* -------------------------------------------------------------------- painting */

/* There is nothing but these to paint, all of which was lost. */
endo_status paint_queue_begin_anew(mosaic_workspace *w, const mosaic_stage *stage);

#endif
