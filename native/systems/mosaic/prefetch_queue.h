/* Frames that a thread loads into a store ahead of need, some at once, while the asking thread works with others. All functions
 * are called by that one thread. */
#ifndef ENDO_MOSAIC_PREFETCH_QUEUE_H
#define ENDO_MOSAIC_PREFETCH_QUEUE_H

#include "base/status.h"

typedef struct prefetch_queue prefetch_queue;

/* Loads n frames into slots, all of them or none. */
typedef struct frame_loader {
    endo_status (*load)(void *self, const int *frames, const int32_t *slots, int n);
    void *self;
} frame_loader;

/* Frames of a group at most. */
#define PREFETCH_GROUP 16

/* most: frames that are loaded at one time. Fails with MEMORY alone. */
endo_status prefetch_create(frame_loader loader, int most, prefetch_queue **out);
void prefetch_destroy(prefetch_queue **queue); /* waits until the thread has ended */

int prefetch_has(const prefetch_queue *queue, int frame);

/* Begins to load n frames as a group; synchronously where the system has no thread for it. */
void prefetch_begin(prefetch_queue *queue, const int *frames, const int32_t *slots, int n);

/* Waits for a frame that is being loaded; returns its slot and removes the frame from the queue. *there = 0: its group failed;
 * the caller loads the frame again and gets the error then. */
int prefetch_take(prefetch_queue *queue, int frame, int *there);

/* Cancels groups whose loading has not begun; prefetch_take then reports them as failed. */
void prefetch_cancel(prefetch_queue *queue);

/* A frame that was begun and not taken; -1: none. */
int prefetch_next(prefetch_queue *queue);

#endif
