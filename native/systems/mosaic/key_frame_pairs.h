/* The key frames of a chain as it grows, and the pairs of its frames with the last key frame. */
#ifndef ENDO_MOSAIC_KEY_FRAME_PAIRS_H
#define ENDO_MOSAIC_KEY_FRAME_PAIRS_H

#include "frame_chain.h"

/* A frame to be registered against a key frame, with the poses of both along the chain. */
typedef struct key_frame_pair {
    int key;
    int frame;
    endo_transform key_pose;
    endo_transform pose;
} key_frame_pair;

typedef struct key_frame_pairs {
    mosaic_workspace *workspace;
    const frame_chain *chain;
    key_frames *keys;
    int registers; /* 1: frames are registered against their key frames */
    int key;       /* index of the chain's last key frame; -1 until there is one */
    int seen;      /* edges of the chain that were processed */
    key_frame_pair *waiting;
    int n_waiting;
    int capacity;
} key_frame_pairs;

/* Begins with a chain without frames. All pointers are borrowed. */
void key_frame_pairs_init(key_frame_pairs *p, mosaic_workspace *workspace, const frame_chain *chain, key_frames *keys);
void key_frame_pairs_free(key_frame_pairs *p);

/* The last key frame, which must stay in the store; -1 until there is one. */
int key_frame_pairs_key(const key_frame_pairs *p);

/* Finds the new key frames of the chain, and the pairs that are to be registered with them. Fails with MEMORY alone, and can be
 * called again. */
endo_status key_frame_pairs_update(key_frame_pairs *p);

/* Registers the waiting pairs and appends their edges: with one call, unless a failure has made the store too small for all of
 * them. held: frames that stay in the store. */
endo_status key_frame_pairs_register(key_frame_pairs *p, const int *held, int n_held, mosaic_edges *edges);

#endif
