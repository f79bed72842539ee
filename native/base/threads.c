/* Starts threads to find how many the system allows (threads.h). */
#include "threads.h"

#include <pthread.h>

/* Threads that are left to the rest of the process: a virtual machine needs some. */
#define SPARE 8
#define MOST 256

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int open;
} gate;

static void *wait_at(void *shared) {
    gate *g = shared;
    pthread_mutex_lock(&g->lock);
    while (!g->open) pthread_cond_wait(&g->opened, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* Starts up to `wanted` threads that live at the same time, and ends them; returns how many could be started. */
static int take(int wanted) {
    gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t threads[MOST + SPARE];
    int taken = 0;
    while (taken < wanted && pthread_create(&threads[taken], NULL, wait_at, &g) == 0) taken++;
    pthread_mutex_lock(&g.lock);
    g.open = 1;
    pthread_cond_broadcast(&g.opened);
    pthread_mutex_unlock(&g.lock);
    for (int i = 0; i < taken; i++) pthread_join(threads[i], NULL);
    return taken;
}

int endo_threads_obtainable(int wanted) {
    if (wanted <= 1) return 1;
    if (wanted > MOST) wanted = MOST;
    int others = wanted - 1, left = take(others + SPARE) - SPARE;
    if (left >= others) return wanted;
    /* A second thread may call, with threads of its own. */
    return left > 1 ? 1 + left / 2 : 1;
}
