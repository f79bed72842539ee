/* The frames that stand for a stretch of the sequence: others are registered against them. */
#ifndef ENDO_MOSAIC_KEY_FRAMES_H
#define ENDO_MOSAIC_KEY_FRAMES_H

#include "base/status.h"
#include "geometry.h"

typedef struct key_frame {
    int frame;
    int chain;           /* that it belongs to: the canvas's number */
    endo_transform pose; /* along that chain */
    int end;             /* the last frame of the stretch that it stands for */
} key_frame;

/* In the order in which they were found. Keys are known by their index. */
typedef struct key_frames {
    mosaic_rect field; /* around the field of view, px of a frame */
    key_frame *items;
    int n;
    int capacity;
} key_frames;

/* index: of the new one. MEMORY alone. */
endo_status key_frames_add(key_frames *keys, int frame, int chain, const endo_transform *pose, int *index);
void key_frames_free(key_frames *keys);

/* Share of the field of view at one pose that the one at another pose covers, 0..1. */
double key_frames_overlap(const key_frames *keys, const endo_transform *reference, const endo_transform *current);

/* A frame shares too little with a key frame. */
int key_frames_is_beyond(const key_frames *keys, int index, const endo_transform *pose);

#endif
