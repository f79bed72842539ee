/* Finds the first frame of a chain in what earlier chains have seen: beside the frames after which tracking was lost, or by its
 * spectrum, against key frames. It reduces the search when chain after chain finds no other frame, since every frame of a long
 * interruption begins a chain. */
#ifndef ENDO_MOSAIC_RELOCALISER_H
#define ENDO_MOSAIC_RELOCALISER_H

#include "frame_matcher.h"
#include "key_frames.h"
#include "plausibility.h"
#include "workspace.h"

/* Frames after which tracking was lost that are kept in the store, for the scope often returns there. */
#define RELOCALISER_ENDS 2

typedef struct relocaliser {
    mosaic_workspace *workspace;
    const key_frames *keys;
    plausibility usual;                  /* usual share of tiles that differ */
    pair_cache *known;                   /* cache of pairs, shared by all chains */
    int order;                           /* frames of all chains so far, in the order in which they are painted */
    int alone;                           /* latest chains in a row with whose first frame no other one agreed */
    placed_frame ends[RELOCALISER_ENDS]; /* last good frames of chains, the latest first */
    int n_ends;
} relocaliser;

endo_status relocaliser_init(relocaliser *r, mosaic_workspace *workspace, const key_frames *keys);
void relocaliser_free(relocaliser *r);

void relocaliser_chain_ended(relocaliser *r, int alone);                     /* alone: it found no other frame */
void relocaliser_lost_after(relocaliser *r, const placed_frame *last);       /* last: last good frame */
void relocaliser_end_frames(const relocaliser *r, int frames[RELOCALISER_ENDS]); /* -1: none */

int relocaliser_finds_nobody(const relocaliser *r);  /* several chains in a row found no other frame */
int relocaliser_searches_at_once(const relocaliser *r); /* searches before another frame agrees */

typedef struct found_frame {
    int is_found;        /* 0: the other fields are not set */
    int chain;           /* chain of the pose: number of the canvas */
    endo_transform pose; /* of the frame in that chain */
    endo_transform step; /* frame -> the frame that it was found beside */
    endo_mosaic_edge edge;
    int by_spectrum; /* `spectrum` is set, else `match` */
    pair_match match;
    spectra_match spectrum;
} found_frame;

void found_frame_describe(const found_frame *found, endo_mosaic_frame *frame);

/* Registers a frame with the frames after which tracking was lost. */
endo_status relocaliser_find_where_lost(relocaliser *r, frame_matcher *matcher, int frame, int slot, found_frame *out);

/* Registers a frame with key frames by their spectra. */
endo_status relocaliser_find(relocaliser *r, int frame, found_frame *out);

/* Registers a frame with key frames that are tiles (key_frame_is_tile): these share too little for their spectra. */
endo_status relocaliser_find_among_tiles(relocaliser *r, frame_matcher *matcher, int frame, int slot, found_frame *out);

#endif
