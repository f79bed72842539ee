/* What looks at every frame that is read, on threads of its own, while frames are registered. Results do not depend on when it
 * does. */
#ifndef ENDO_MOSAIC_OBSERVERS_H
#define ENDO_MOSAIC_OBSERVERS_H

#include "sequence.h"

/* What looks at the pixels of every frame once, when it is read for something else. Several threads may come with a frame each,
 * of different numbers. */
typedef struct mosaic_observer {
    int (*is_new)(void *self, int frame);                          /* it was not seen yet */
    endo_status (*see)(void *self, int frame, const void *pixels); /* dense; not kept */
    void *self;
} mosaic_observer;

#define MOSAIC_OBSERVERS 2

typedef struct mosaic_observers mosaic_observers;

/* Frames that wait for them at most, or two for each of their threads. */
#define OBSERVERS_MOST 8

/* n of them, up to MOSAIC_OBSERVERS; processors: that the run may use. The sequence gets back the frames that they have
 * seen. */
endo_status observers_create(mosaic_sequence *sequence, const mosaic_observer *all, int n, int processors,
                             mosaic_observers **out);

/* They look no more when this returns. */
void observers_destroy(mosaic_observers **observers);

/* Shows them a frame that is not needed otherwise; they look at those that they have not seen before. A failure is that of a
 * frame before, for which there was no memory, say: this one was not taken, and can be shown again. */
endo_status observers_see(mosaic_observers *observers, int frame, const void *pixels);

/* Until they have seen all that was shown. What fails is tried again here, now and whenever this is asked for. */
endo_status observers_await(mosaic_observers *observers);

/* That others have waited for them. */
double observers_seconds(const mosaic_observers *observers);

#endif
