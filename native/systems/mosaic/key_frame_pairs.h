/* The key frames of a chain as it grows, and the pairs of its frames with the last one of them. */
#ifndef ENDO_MOSAIC_KEY_FRAME_PAIRS_H
#define ENDO_MOSAIC_KEY_FRAME_PAIRS_H

#include "frame_chain.h"

/* A frame that is to be registered against a key frame, with the poses of both along the chain. */
typedef struct key_frame_pair {
    int key, frame;
    endo_transform key_pose, pose;
} key_frame_pair;

typedef struct key_frame_pairs {
    mosaic_workspace *workspace;
    const frame_chain *chain;
    key_frames *keys;
    int registers; /* frames are registered against their key frames */
    int key;       /* the chain's last one, by its index; -1 before there is one */
    int seen;      /* edges of the chain that were looked at */
    key_frame_pair *waiting;
    int n_waiting;
    int capacity;
} key_frame_pairs;

/* Of a chain that has no frames yet. All are borrowed. */
void key_frame_pairs_init(key_frame_pairs *p, mosaic_workspace *workspace, const frame_chain *chain, key_frames *keys);
void key_frame_pairs_free(key_frame_pairs *p);

/* The last key frame, which must stay in the store; -1 before there is one. */
int key_frame_pairs_key(const key_frame_pairs *p);

/* Looks which of the frames that joined the chain are key frames, and which pairs with them are to be registered. MEMORY alone;
 * it can be called again. */
endo_status key_frame_pairs_look(key_frame_pairs *p);

/* Registers the pairs that wait, adding to edges: in one call, unless a failure has made the store too small for all of them.
 * held: frames that stay in the store. */
endo_status key_frame_pairs_register(key_frame_pairs *p, const int *held, int n_held, mosaic_edges *edges);

#endif
