/* Workers wait at one condition, and take pieces by a counter (thread_pool.h). */
#include "thread_pool.h"

#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct worker {
    endo_thread_pool *pool;
    int number;
} worker;

struct endo_thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t called, finished;
    pthread_t threads[ENDO_THREAD_POOL_MOST];
    worker each[ENDO_THREAD_POOL_MOST];
    int workers; /* including the caller, which needs no thread */
    int ending;
    int busy; /* threads at work; the members below do not change while there are any */
    endo_thread_pool_work work;
    void *job;
    size_t n;
    atomic_size_t next;
};

static void take_pieces(endo_thread_pool *c, int number) {
    for (size_t piece; (piece = atomic_fetch_add(&c->next, 1)) < c->n;) c->work(c->job, piece, number);
}

static int has_work(endo_thread_pool *c) { return atomic_load(&c->next) < c->n; }

static void *live(void *me) {
    worker *m = me;
    endo_thread_pool *c = m->pool;
    pthread_mutex_lock(&c->lock);
    while (!c->ending) {
        if (!has_work(c)) {
            pthread_cond_wait(&c->called, &c->lock);
            continue;
        }
        c->busy++;
        pthread_mutex_unlock(&c->lock);
        take_pieces(c, m->number);
        pthread_mutex_lock(&c->lock);
        if (--c->busy == 0) pthread_cond_signal(&c->finished);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

endo_thread_pool *endo_thread_pool_create(int workers) {
    endo_thread_pool *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return NULL;
    if (workers > ENDO_THREAD_POOL_MOST) workers = ENDO_THREAD_POOL_MOST;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->called, NULL);
    pthread_cond_init(&c->finished, NULL);
    for (c->workers = 1; c->workers < workers; c->workers++) {
        worker *m = &c->each[c->workers];
        m->pool = c;
        m->number = c->workers;
        if (pthread_create(&c->threads[c->workers], NULL, live, m) != 0) break;
    }
    return c;
}

void endo_thread_pool_destroy(endo_thread_pool **pool) {
    endo_thread_pool *c = *pool;
    *pool = NULL;
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->ending = 1;
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
    for (int i = 1; i < c->workers; i++) pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->finished);
    pthread_cond_destroy(&c->called);
    pthread_mutex_destroy(&c->lock);
    endo_free(c);
}

int endo_thread_pool_workers(const endo_thread_pool *pool) { return pool ? pool->workers : 1; }

/* Wakes as many workers as there are pieces for. */
static void call(endo_thread_pool *c, size_t n, endo_thread_pool_work work, void *job) {
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->job = job;
    c->n = n;
    atomic_store(&c->next, 0);
    if (n >= (size_t)c->workers)
        pthread_cond_broadcast(&c->called);
    else
        for (size_t i = 1; i < n; i++) pthread_cond_signal(&c->called);
    pthread_mutex_unlock(&c->lock);
}

void endo_thread_pool_run(endo_thread_pool *c, size_t n, endo_thread_pool_work work, void *job) {
    if (!c || c->workers == 1 || n < 2) {
        for (size_t piece = 0; piece < n; piece++) work(job, piece, 0);
        return;
    }
    call(c, n, work, job);
    take_pieces(c, 0);
    pthread_mutex_lock(&c->lock);
    while (c->busy) pthread_cond_wait(&c->finished, &c->lock);
    pthread_mutex_unlock(&c->lock);
}
