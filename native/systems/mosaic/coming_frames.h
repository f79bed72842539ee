/* Frames on their way into a store, some at once, on a thread of their own, while the thread that they come for works with
 * others. Asked by that one thread. */
#ifndef ENDO_MOSAIC_COMING_FRAMES_H
#define ENDO_MOSAIC_COMING_FRAMES_H

#include "base/status.h"

typedef struct coming_frames coming_frames;

/* Brings n frames into slots, all of them or none. */
typedef struct frame_bringer {
    endo_status (*bring)(void *self, const int *frames, const int32_t *slots, int n);
    void *self;
} frame_bringer;

/* Frames that come together at most. */
#define COMING_TOGETHER 16

/* most: frames that are coming at one time. MEMORY alone. */
endo_status coming_create(frame_bringer bringer, int most, coming_frames **out);
void coming_destroy(coming_frames **coming); /* nothing comes any more when this returns */

int coming_has(const coming_frames *coming, int frame);

/* n frames come together; at once, where the system has no thread for it. */
void coming_begin(coming_frames *coming, const int *frames, const int32_t *slots, int n);

/* Waits for a frame that is coming: its slot. there: 0: it failed, or one that came with it; what failed is tried again by
 * whom the frame is for, and told there. It is coming no more. */
int coming_take(coming_frames *coming, int frame, int *there);

/* Those that have not begun to come do not any more: coming_take says so. */
void coming_cancel(coming_frames *coming);

/* A frame that was begun and not taken; -1: there is none. */
int coming_next(coming_frames *coming);

#endif
