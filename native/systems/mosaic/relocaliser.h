/* Finds the first frame of a chain in what the chains before it have seen: beside the frames after which the scope was lost, or
 * by its spectrum, against key frames. And knows when chain after chain finds nobody: every frame of a long interruption
 * begins one. */
#ifndef ENDO_MOSAIC_RELOCALISER_H
#define ENDO_MOSAIC_RELOCALISER_H

#include "frame_matcher.h"
#include "key_frames.h"
#include "plausibility.h"
#include "workspace.h"

/* Frames after which the scope was lost that are kept in the store, for it often comes back there. */
#define RELOCALISER_ENDS 2

typedef struct relocaliser {
    mosaic_workspace *workspace;
    const key_frames *keys;
    plausibility usual;      /* what is usual in this sequence */
    remembered_pairs *known; /* pairs that chains have in common */
    int order;               /* frames of all chains so far, in the order in which they are painted */
    int alone;               /* chains in a row, up to now, whose first frame no other one agreed with */
    placed_frame ends[RELOCALISER_ENDS]; /* the last good frames of chains, the latest first */
    int n_ends;
} relocaliser;

endo_status relocaliser_init(relocaliser *r, mosaic_workspace *workspace, const key_frames *keys);
void relocaliser_free(relocaliser *r);

void relocaliser_chain_ended(relocaliser *r, int alone);                     /* its sequence goes on. alone: it found nobody */
void relocaliser_lost_after(relocaliser *r, const placed_frame *last);       /* the scope was lost after this frame */
void relocaliser_end_frames(const relocaliser *r, int frames[RELOCALISER_ENDS]); /* -1 for none */

int relocaliser_finds_nobody(const relocaliser *r);  /* many chains in a row: this is no scene, or another with every frame */
int relocaliser_looks_at_once(const relocaliser *r); /* the first frame is looked for before another one agrees with it */

/* Where a frame was found. */
typedef struct found_frame {
    int is_found;         /* else the rest is not set */
    int chain;            /* that it belongs to: the canvas's number */
    endo_transform pose;  /* of the frame in that chain */
    endo_transform step;  /* from the frame to the one that it was found beside */
    endo_mosaic_edge edge;
    int by_spectrum;      /* which of the two below tells how */
    pair_match match;
    spectra_match spectrum;
} found_frame;

void found_frame_describe(const found_frame *found, endo_mosaic_frame *frame);

/* Registers a frame with those after which the scope was lost. */
endo_status relocaliser_find_where_lost(relocaliser *r, frame_matcher *matcher, int frame, int slot, found_frame *out);

/* Compares a frame with key frames. */
endo_status relocaliser_find(relocaliser *r, int frame, found_frame *out);

#endif
