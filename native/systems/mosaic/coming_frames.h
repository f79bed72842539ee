/* Frames that a thread loads into a store ahead of need, some at once, while the asking thread works with others. All functions
 * are called by that one thread. */
#ifndef ENDO_MOSAIC_COMING_FRAMES_H
#define ENDO_MOSAIC_COMING_FRAMES_H

#include "base/status.h"

typedef struct coming_frames coming_frames;

/* Loads n frames into slots, all of them or none. */
typedef struct frame_bringer {
    endo_status (*bring)(void *self, const int *frames, const int32_t *slots, int n);
    void *self;
} frame_bringer;

/* Frames of a group at most. */
#define COMING_TOGETHER 16

/* most: frames that are loaded at one time. Fails with MEMORY alone. */
endo_status coming_create(frame_bringer bringer, int most, coming_frames **out);
void coming_destroy(coming_frames **coming); /* waits until the thread has ended */

int coming_has(const coming_frames *coming, int frame);

/* Begins to load n frames as a group; synchronously where the system has no thread for it. */
void coming_begin(coming_frames *coming, const int *frames, const int32_t *slots, int n);

/* Waits for a frame that is being loaded; returns its slot and removes the frame from the queue. *there = 0: its group failed;
 * the caller loads the frame again and gets the error then. */
int coming_take(coming_frames *coming, int frame, int *there);

/* Cancels groups whose loading has not begun; coming_take then reports them as failed. */
void coming_cancel(coming_frames *coming);

/* A frame that was begun and not taken; -1: none. */
int coming_next(coming_frames *coming);

#endif
