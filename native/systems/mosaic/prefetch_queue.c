/* A queue of groups of frames that one thread loads in order (prefetch_queue.h). */
#include "prefetch_queue.h"

#include "base/memory.h"

#include <pthread.h>

typedef enum group_state { GROUP_WAITS, GROUP_BEGUN, GROUP_DONE, GROUP_FAILED } group_state;

typedef struct group {
    int frames[PREFETCH_GROUP];
    int32_t slots[PREFETCH_GROUP];
    int n;
    int taken; /* bit i: frame i of the group was taken */
    group_state state;
} group;

struct prefetch_queue {
    frame_loader loader;
    pthread_mutex_t lock;
    pthread_cond_t begun;
    pthread_cond_t finished;
    group *groups; /* in the order in which they are loaded */
    int n_groups;
    int most;
    int ending;
    int has_thread;
    pthread_t thread;
};

/* ----------------------------------------------------------------------- thread */

static group *first_waiting(prefetch_queue *c) {
    for (int i = 0; i < c->n_groups; i++)
        if (c->groups[i].state == GROUP_WAITS) return &c->groups[i];
    return NULL;
}

static void work(prefetch_queue *c, group *g) {
    g->state = GROUP_BEGUN;
    pthread_mutex_unlock(&c->lock);
    endo_status status = c->loader.load(c->loader.self, g->frames, g->slots, g->n);
    pthread_mutex_lock(&c->lock);
    g->state = status == ENDO_OK ? GROUP_DONE : GROUP_FAILED;
    pthread_cond_signal(&c->finished);
}

static void *run_thread(void *queue) {
    prefetch_queue *c = queue;
    pthread_mutex_lock(&c->lock);
    while (!c->ending) {
        group *g = first_waiting(c);
        if (g)
            work(c, g);
        else
            pthread_cond_wait(&c->begun, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

endo_status prefetch_create(frame_loader loader, int most, prefetch_queue **out) {
    prefetch_queue *c = endo_alloc_zeroed(1, sizeof *c);
    group *groups = endo_alloc((size_t)most, sizeof *groups);
    if (!c || !groups) {
        endo_free(c);
        endo_free(groups);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames that are expected", most);
    }
    c->loader = loader;
    c->groups = groups;
    c->most = most;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->finished, NULL);
    c->has_thread = pthread_create(&c->thread, NULL, run_thread, c) == 0;
    *out = c;
    return ENDO_OK;
}

void prefetch_destroy(prefetch_queue **queue) {
    prefetch_queue *c = *queue;
    *queue = NULL;
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->ending = 1;
    pthread_cond_signal(&c->begun);
    pthread_mutex_unlock(&c->lock);
    if (c->has_thread) pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->finished);
    pthread_cond_destroy(&c->begun);
    pthread_mutex_destroy(&c->lock);
    endo_free(c->groups);
    endo_free(c);
}

/* ----------------------------------------------------------------------- frames */

/* Finds the group of a frame, and the frame's index in it. Only the asking thread adds and removes groups. */
static group *find(const prefetch_queue *c, int frame, int *number) {
    for (int i = 0; i < c->n_groups; i++)
        for (int k = 0; k < c->groups[i].n; k++)
            if (c->groups[i].frames[k] == frame && !(c->groups[i].taken >> k & 1)) {
                *number = k;
                return &c->groups[i];
            }
    return NULL;
}

int prefetch_has(const prefetch_queue *c, int frame) {
    int number;
    return find(c, frame, &number) != NULL;
}

void prefetch_begin(prefetch_queue *c, const int *frames, const int32_t *slots, int n) {
    pthread_mutex_lock(&c->lock);
    group *g = &c->groups[c->n_groups++];
    *g = (group){.n = n, .state = GROUP_WAITS};
    for (int i = 0; i < n; i++) {
        g->frames[i] = frames[i];
        g->slots[i] = slots[i];
    }
    if (c->has_thread)
        pthread_cond_signal(&c->begun);
    else
        work(c, g);
    pthread_mutex_unlock(&c->lock);
}

int prefetch_take(prefetch_queue *c, int frame, int *there) {
    int number;
    group *g = find(c, frame, &number);
    pthread_mutex_lock(&c->lock);
    while (g->state < GROUP_DONE) pthread_cond_wait(&c->finished, &c->lock);
    g->taken |= 1 << number;
    *there = g->state == GROUP_DONE;
    pthread_mutex_unlock(&c->lock);
    return g->slots[number];
}

void prefetch_cancel(prefetch_queue *c) {
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < c->n_groups; i++)
        if (c->groups[i].state == GROUP_WAITS) c->groups[i].state = GROUP_FAILED;
    pthread_mutex_unlock(&c->lock);
}

int prefetch_next(prefetch_queue *c) {
    for (int i = 0; i < c->n_groups; i++)
        for (int k = 0; k < c->groups[i].n; k++)
            if (!(c->groups[i].taken >> k & 1)) return c->groups[i].frames[k];
    pthread_mutex_lock(&c->lock);
    c->n_groups = 0; /* all of them were taken */
    pthread_mutex_unlock(&c->lock);
    return -1;
}
