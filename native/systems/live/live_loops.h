/* Poses of all kept frames, solved for on a thread of its own whenever there are half as many more, and the preview painted
 * with them. The thread that puts frames takes both over between two frames. */
#ifndef ENDO_LIVE_LOOPS_H
#define ENDO_LIVE_LOOPS_H

#include "base/outcome.h"
#include "live_kept.h"
#include "live_picture.h"

#include <pthread.h>

/* What was solved. */
typedef struct live_solution {
    endo_mosaic_frame *frames; /* n records */
    int n;
    live_pictures pictures;
    int painted; /* kept frames that are in these */
} live_solution;

typedef struct live_loops {
    struct endo_live *live; /* whose lock guards these fields */
    pthread_cond_t changed;
    pthread_t thread;
    int has_thread;
    int ending;
    int due;                 /* kept frames from which on poses are solved for */
    live_solution *solution; /* not taken over yet; NULL: none */
    endo_outcome failure;    /* of the last try, not told yet: the next one waits until it is */
} live_loops;

void live_loops_init(live_loops *l, struct endo_live *live);

/* Ends the thread, and frees what was not taken over. */
void live_loops_end(live_loops *l);
void live_loops_free(live_loops *l); /* also of a thread that has not ended */

/* Called with the lock, when a frame was kept: starts the thread, or wakes it. */
void live_loops_kept(live_loops *l, int kept);

void live_solution_destroy(live_solution **solution);

#endif
