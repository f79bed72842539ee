/* Observers see every frame that is read, on threads of their own, while frames are registered. Results do not depend on when
 * they do. */
#ifndef ENDO_MOSAIC_OBSERVERS_H
#define ENDO_MOSAIC_OBSERVERS_H

#include "sequence.h"

/* Sees the pixels of every frame once, when it is read for another purpose. Several threads may show frames of different
 * numbers at once. */
typedef struct mosaic_observer {
    int (*is_new)(void *self, int frame);                          /* whether the frame was not seen yet */
    endo_status (*see)(void *self, int frame, const void *pixels); /* dense pixels, valid during the call */
    void *self;
} mosaic_observer;

#define MOSAIC_OBSERVERS 2

typedef struct mosaic_observers mosaic_observers;

/* Fewest frames that may wait to be observed; with many threads, two for each of them. */
#define OBSERVERS_MOST 8

/* all: n observers, MOSAIC_OBSERVERS at most; processors: those that the run may use. Frames are given back to the sequence
 * once they are seen. */
endo_status observers_create(mosaic_sequence *sequence, const mosaic_observer *all, int n, int processors,
                             mosaic_observers **out);

/* Returns when all threads have ended. */
void observers_destroy(mosaic_observers **observers);

/* Shows a frame that is not needed otherwise, to observers that have not seen it. A failure is that of an earlier frame, for
 * lack of memory, say: this frame was not taken, and can be shown again. */
endo_status observers_see(mosaic_observers *observers, int frame, const void *pixels);

/* Waits until all frames shown have been seen. A frame that failed is tried again here, at every call. */
endo_status observers_await(mosaic_observers *observers);

/* time that callers waited for observers, s */
double observers_seconds(const mosaic_observers *observers);

#endif
