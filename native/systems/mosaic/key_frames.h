/* Key frames, one for each stretch of the sequence, against which the others are registered. */
#ifndef ENDO_MOSAIC_KEY_FRAMES_H
#define ENDO_MOSAIC_KEY_FRAMES_H

#include "base/status.h"
#include "geometry.h"

typedef struct key_frame {
    int frame;
    int chain;           /* number of its chain, that of the canvas */
    endo_transform pose; /* along the chain */
    int end;             /* last frame of its stretch */
} key_frame;

/* Key frames in the order in which they were found, known by their index. */
typedef struct key_frames {
    mosaic_rect field; /* bounds of the field of view, px of a frame */
    key_frame *items;
    int n;
    int capacity;
} key_frames;

/* index: of the new key frame. Fails with MEMORY alone. */
endo_status key_frames_add(key_frames *keys, int frame, int chain, const endo_transform *pose, int *index);
void key_frames_free(key_frames *keys);

/* Share of the field of view at `reference` that the field at the other pose covers, 0..1. */
double key_frames_overlap(const key_frames *keys, const endo_transform *reference, const endo_transform *current);

/* Returns whether the next frame shares too little with it, as in surveys by big steps. */
int key_frame_is_tile(const key_frame *key);

/* Returns whether a frame shares too little with a key frame. */
int key_frames_is_beyond(const key_frames *keys, int index, const endo_transform *pose);

#endif
