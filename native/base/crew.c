/* Members wait at one condition, and take pieces by a counter (crew.h). */
#include "crew.h"

#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct member {
    endo_crew *crew;
    int number;
} member;

struct endo_crew {
    pthread_mutex_t lock;
    pthread_cond_t called, finished;
    pthread_t threads[ENDO_CREW_MOST];
    member each[ENDO_CREW_MOST];
    int members; /* with the caller, who has no thread here */
    int ending;
    int busy; /* threads at work; what follows does not change while there are any */
    endo_crew_work work;
    void *job;
    size_t n;
    atomic_size_t next;
};

static void take_pieces(endo_crew *c, int number) {
    for (size_t piece; (piece = atomic_fetch_add(&c->next, 1)) < c->n;) c->work(c->job, piece, number);
}

static int has_work(endo_crew *c) { return atomic_load(&c->next) < c->n; }

static void *live(void *me) {
    member *m = me;
    endo_crew *c = m->crew;
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

endo_crew *endo_crew_create(int members) {
    endo_crew *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return NULL;
    if (members > ENDO_CREW_MOST) members = ENDO_CREW_MOST;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->called, NULL);
    pthread_cond_init(&c->finished, NULL);
    for (c->members = 1; c->members < members; c->members++) {
        member *m = &c->each[c->members];
        m->crew = c, m->number = c->members;
        if (pthread_create(&c->threads[c->members], NULL, live, m) != 0) break;
    }
    return c;
}

void endo_crew_destroy(endo_crew **crew) {
    endo_crew *c = *crew;
    *crew = NULL;
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->ending = 1;
    pthread_cond_broadcast(&c->called);
    pthread_mutex_unlock(&c->lock);
    for (int i = 1; i < c->members; i++) pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->finished);
    pthread_cond_destroy(&c->called);
    pthread_mutex_destroy(&c->lock);
    endo_free(c);
}

int endo_crew_members(const endo_crew *crew) { return crew ? crew->members : 1; }

/* Wakes no more than there is work for. */
static void call(endo_crew *c, size_t n, endo_crew_work work, void *job) {
    pthread_mutex_lock(&c->lock);
    c->work = work, c->job = job, c->n = n;
    atomic_store(&c->next, 0);
    if (n >= (size_t)c->members)
        pthread_cond_broadcast(&c->called);
    else
        for (size_t i = 1; i < n; i++) pthread_cond_signal(&c->called);
    pthread_mutex_unlock(&c->lock);
}

void endo_crew_run(endo_crew *c, size_t n, endo_crew_work work, void *job) {
    if (!c || c->members == 1 || n < 2) {
        for (size_t piece = 0; piece < n; piece++) work(job, piece, 0);
        return;
    }
    call(c, n, work, job);
    take_pieces(c, 0);
    pthread_mutex_lock(&c->lock);
    while (c->busy) pthread_cond_wait(&c->finished, &c->lock);
    pthread_mutex_unlock(&c->lock);
}
