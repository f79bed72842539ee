/* Private fields of a workspace, for its own files. */
#ifndef ENDO_MOSAIC_WORKSPACE_STATE_H
#define ENDO_MOSAIC_WORKSPACE_STATE_H

#include "base/outcome.h"
#include "workspace.h"

struct workspace_state {
    int matches;                 /* frames are registered */
    int follows;                 /* patches of frames are followed */
    int compares;                /* frames are compared as they lie */
    int drops_pixels;            /* stores need no pixels to paint from */
    int most_slots;              /* 0: what suits chunks of frames */
    int64_t passes;              /* how often each frame is registered or painted */
    int paints;                  /* panoramas are made */
    int is_open;                 /* a store was made before */
    endo_outcome failure;        /* why there is no store */
    int slots;                   /* slots of the store, or of the one that memory did not suffice for */
    int kept;                    /* additional slots, given up first for want of memory */
    mosaic_observers *observers; /* NULL: none */
    double observed;             /* time spent waiting for observers that `times` includes, s */
    endo_pairs_options asked;    /* how frames found by their spectra are registered */
    spectra *spectra;            /* NULL until needed */
    int defers;                  /* no live picture is shown */
    placed_frames deferred;      /* frames to be painted when a picture is asked for, or a frame has to leave the store */
    int n_painted;               /* the first of these that are; 0 when all of them were */
};

static inline int workspace_blends(const mosaic_workspace *w) { return w->options->painting == ENDO_MOSAIC_BLEND; }

/* ENDO_OK, or why there is no store. */
endo_status workspace_need_store(const mosaic_workspace *w);

endo_frames_options workspace_store_options(const mosaic_workspace *w, int capacity);

/* -------------------------------------------------------------------- painting */

/* All canvases were lost: puts the stage's painted frames back into the queue. */
endo_status paint_queue_begin_anew(mosaic_workspace *w, const mosaic_stage *stage);

#endif
