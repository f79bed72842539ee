/* Parallel regions and loops on threads of our own (openmp_inside.h).
 *
 * A region takes a seat for its caller and for each of its workers. Workers of seats that are free sleep; each that is woken
 * wakes some more, so that many are awake soon. Where a region is one loop whose iterations are taken as they come, the caller
 * calls back those that are not awake when none is left: it waits for nobody who has nothing to do. Seats are not freed while
 * their threads live, so that whoever leaves a region last may still touch its caller's seat when the region is gone. Regions
 * within regions of several threads have one thread. */
#define _GNU_SOURCE
#include "openmp_inside.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <sched.h>
#include <unistd.h>
#endif

/* Times that a thread looks for what it waits for before it sleeps, some ten microseconds: to be woken takes as long. None
 * where threads outnumber processors: another one has work for this one's. */
#define LOOKS 300
/* Threads that each thread of a region calls: to wake takes some microseconds, to be awake some tens. */
#define CALLS 4
/* Loops of a region that threads may be in at the same time. */
#define LOOPS 8
/* Regions within regions. */
#define DEPTH 4

/* What a thread waits by. */
typedef struct seat {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct region *_Atomic region; /* that its worker is to join */
    atomic_int sleeps; /* threads that do */
    atomic_int ends;
    int number;        /* of its worker in the region */
    pthread_t thread;  /* of its worker; a caller's seat has none */
    struct seat *next; /* free ones */
} seat;

typedef struct region {
    void (*work)(void *data);
    void *data;
    int n;              /* threads */
    seat *caller;       /* NULL: one thread */
    seat **workers;     /* by number, from 1 on */
    atomic_int working; /* workers that have not finished */
    atomic_int arrived; /* threads at the barrier */
    atomic_int passed;  /* barriers */
    int in_loop;        /* threads begin within the first loop */
    openmp_loop loops[LOOPS];
} region;

/* A thread's place. */
typedef struct place {
    region *in;
    int within;        /* in or in a region around it there are several threads */
    int number;
    long loops;        /* loops that it has begun */
    openmp_loop *loop; /* the present one */
} place;

static _Thread_local place here;

/* Regions that a thread runs alone within others, and where it was before. */
static _Thread_local struct alone {
    place before[DEPTH];
    region in[DEPTH];
    int n;
} alone;

static struct thread_pool {
    pthread_mutex_t lock;
    seat *idle;    /* with a worker each; the one that worked last comes first, its caches are warm */
    seat *callers; /* without */
    int threads;
    int opened;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---------------------------------------------------------------------- waiting */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int looks_for(int threads) { return threads <= omp_get_num_procs() ? LOOKS : 0; }

static void wake(seat *s) {
    if (!atomic_load(&s->sleeps)) return;
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---------------------------------------------------------------------- workers */

static void call(region *r, int number) {
    seat *s = r->workers[number];
    s->number = number;
    atomic_store(&s->region, r);
    wake(s);
}

/* Each thread of a region calls the next ones of a tree whose root is the caller. */
static void call_others(region *r, int number) {
    int first = CALLS * number + 1;
    for (int i = first; i < first + CALLS && i < r->n; i++) call(r, i);
}

static void work(region *r, int number) {
    place before = here;
    here = (place){
        .in = r,
        .within = before.within || r->n > 1,
        .number = number,
        .loops = r->in_loop,
        .loop = r->loops,
    };
    r->work(r->data);
    here = before;
}

static region *await_region(seat *s, int looks) {
    region *r;
    for (int i = 0; i < looks; i++) {
        if ((r = atomic_load(&s->region)) || atomic_load(&s->ends)) return r;
        relax();
    }
    pthread_mutex_lock(&s->lock);
    atomic_fetch_add(&s->sleeps, 1);
    while (!(r = atomic_load(&s->region)) && !atomic_load(&s->ends)) pthread_cond_wait(&s->changed, &s->lock);
    atomic_fetch_sub(&s->sleeps, 1);
    pthread_mutex_unlock(&s->lock);
    return r;
}

static void *live(void *own) {
    seat *s = own;
    int looks = 0;
    while (await_region(s, looks)) {
        region *r = atomic_exchange(&s->region, NULL);
        if (!r) continue; /* called back */
        seat *caller = r->caller;
        looks = looks_for(r->n);
        call_others(r, s->number);
        work(r, s->number);
        if (atomic_fetch_sub(&r->working, 1) == 1) wake(caller); /* the region may be gone from here on */
    }
    return NULL;
}

static seat *new_seat(void) {
    seat *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    return s;
}

static void free_seat(seat *s) {
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Starts a worker that takes no signals: they are the program's. NULL: the system has no more. */
static seat *new_worker(void) {
    seat *s = new_seat();
    if (!s) return NULL;
#ifdef _WIN32
    int failed = pthread_create(&s->thread, NULL, live, s);
#else
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&s->thread, NULL, live, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
    if (!failed) return s;
    free_seat(s);
    return NULL;
}

/* ------------------------------------------------------------------------ seats */

static seat *take(seat **list) {
    seat *s = *list;
    if (s) *list = s->next;
    return s;
}

static void put(seat **list, seat *s) {
    s->next = *list;
    *list = s;
}

#ifndef _WIN32
/* A child that was forked has none of the threads, and nobody holds the lock. */
static void forget_threads(void) {
    pool = (struct thread_pool){.lock = PTHREAD_MUTEX_INITIALIZER, .opened = pool.opened};
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_threads); }
#endif

static seat *take_worker(void) {
    seat *s = take(&pool.idle);
    if (!s && (s = new_worker())) pool.threads++;
    return s;
}

/* Takes seats for up to `wanted` threads; returns for how many. */
static int take_seats(region *r, int wanted) {
    int n = 1;
    pthread_mutex_lock(&pool.lock);
    r->caller = take(&pool.callers);
    if (!r->caller) r->caller = new_seat();
    while (r->caller && n < wanted && (r->workers[n] = take_worker())) n++;
    pthread_mutex_unlock(&pool.lock);
    return n;
}

static void end_workers(seat *list) {
    for (seat *s; (s = take(&list));) {
        atomic_store(&s->ends, 1);
        wake(s);
        pthread_join(s->thread, NULL);
        free_seat(s);
    }
}

/* Takes the idle workers out where no context is open. Called with the pool's lock. */
static seat *unneeded(void) {
    seat *list = pool.opened ? NULL : pool.idle;
    for (seat *s = list; s; s = s->next) pool.threads--;
    if (list) pool.idle = NULL;
    return list;
}

static void give_seats_back(region *r) {
    pthread_mutex_lock(&pool.lock);
    for (int i = r->n - 1; i > 0; i--) put(&pool.idle, r->workers[i]);
    if (r->caller) put(&pool.callers, r->caller);
    pthread_mutex_unlock(&pool.lock);
}

void endo_openmp_open(void) {
#ifndef _WIN32
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    pthread_once(&watched, watch_forks);
#endif
    pthread_mutex_lock(&pool.lock);
    pool.opened++;
    pthread_mutex_unlock(&pool.lock);
}

void endo_openmp_close(void) {
    pthread_mutex_lock(&pool.lock);
    pool.opened--;
    seat *list = unneeded();
    pthread_mutex_unlock(&pool.lock);
    end_workers(list);
}

int endo_openmp_threads(void) {
    pthread_mutex_lock(&pool.lock);
    int n = pool.threads;
    pthread_mutex_unlock(&pool.lock);
    return n;
}

/* ---------------------------------------------------------------------- regions */

static int takes_back(region *r, int number) {
    region *called = r;
    return atomic_compare_exchange_strong(&r->workers[number]->region, &called, NULL);
}

/* Calls back the workers that have not begun, and with each those that it would have called. */
static void call_back(region *r) {
    uint8_t is_back[ENDO_OPENMP_MOST] = {0};
    int n = 0;
    for (int i = 1; i < r->n; i++) {
        is_back[i] = is_back[(i - 1) / CALLS] || takes_back(r, i);
        n += is_back[i];
    }
    if (n) atomic_fetch_sub(&r->working, n);
}

static void await_workers(region *r) {
    seat *s = r->caller;
    for (int i = looks_for(r->n); i > 0 && atomic_load(&r->working); i--) relax();
    if (!atomic_load(&r->working)) return;
    pthread_mutex_lock(&s->lock);
    atomic_fetch_add(&s->sleeps, 1);
    while (atomic_load(&r->working)) pthread_cond_wait(&s->changed, &s->lock);
    atomic_fetch_sub(&s->sleeps, 1);
    pthread_mutex_unlock(&s->lock);
}

static int wanted_threads(unsigned asked) {
    if (here.within) return 1;
    int n = asked ? (int)asked : omp_get_num_procs();
    return n > ENDO_OPENMP_MOST ? ENDO_OPENMP_MOST : n;
}

static void prepare(region *r, void (*function)(void *), void *data) {
    r->work = function;
    r->data = data;
    r->n = 1;
    r->in_loop = 0;
    atomic_init(&r->arrived, 0);
    atomic_init(&r->passed, 0);
    for (int i = 0; i < LOOPS; i++) {
        r->loops[i].number = -1;
        r->loops[i].users = 0;
    }
}

static void set_up(openmp_loop *l, long number, int users, const openmp_loop *asked) {
    l->number = number;
    l->users = users;
    l->start = asked->start;
    l->step = asked->step;
    l->chunk = asked->chunk;
    l->n = asked->n;
    atomic_store(&l->next, 0);
}

void openmp_run(void (*function)(void *), void *data, unsigned threads, const openmp_loop *asked) {
    int wanted = wanted_threads(threads);
    seat *workers[ENDO_OPENMP_MOST];
    region r;
    prepare(&r, function, data);
    r.workers = workers;
    if (wanted > 1) r.n = take_seats(&r, wanted);
    r.in_loop = asked != NULL;
    if (asked) set_up(&r.loops[0], 0, r.n, asked);
    atomic_init(&r.working, r.n - 1);
    call_others(&r, 0);
    work(&r, 0);
    if (asked) call_back(&r);
    if (r.n > 1) await_workers(&r);
    if (wanted > 1) give_seats_back(&r);
}

int omp_get_num_threads(void) { return here.in ? here.in->n : 1; }

int omp_get_thread_num(void) { return here.number; }

void openmp_begin_alone(void) {
    if (alone.n == DEPTH) __builtin_trap(); /* found by the first test that runs such a loop */
    alone.before[alone.n] = here;
    prepare(&alone.in[alone.n], NULL, NULL);
    here = (place){.in = &alone.in[alone.n], .within = here.within};
    alone.n++;
}

void openmp_end_alone(void) { here = alone.before[--alone.n]; }

void openmp_barrier(void) {
    region *r = here.in;
    if (!r || r->n == 1) return;
    int passed = atomic_load(&r->passed);
    if (atomic_fetch_add(&r->arrived, 1) + 1 == r->n) {
        atomic_store(&r->arrived, 0);
        atomic_fetch_add(&r->passed, 1);
        wake(r->caller);
        return;
    }
    for (int i = looks_for(r->n); i > 0 && atomic_load(&r->passed) == passed; i--) relax();
    if (atomic_load(&r->passed) != passed) return;
    pthread_mutex_lock(&r->caller->lock);
    atomic_fetch_add(&r->caller->sleeps, 1);
    while (atomic_load(&r->passed) == passed) pthread_cond_wait(&r->caller->changed, &r->caller->lock);
    atomic_fetch_sub(&r->caller->sleeps, 1);
    pthread_mutex_unlock(&r->caller->lock);
}

/* ------------------------------------------------------------------------ loops */

static void lock(region *r) {
    if (r->n > 1) pthread_mutex_lock(&r->caller->lock);
}

static void unlock(region *r) {
    if (r->n > 1) pthread_mutex_unlock(&r->caller->lock);
}

/* The first thread that comes to a loop sets it up, in the place of one that all have left. */
void openmp_begin_loop(const openmp_loop *asked) {
    region *r = here.in;
    openmp_loop *l = &r->loops[here.loops % LOOPS];
    lock(r);
    while (l->number != here.loops && l->users) pthread_cond_wait(&r->caller->changed, &r->caller->lock);
    if (l->number != here.loops) set_up(l, here.loops, r->n, asked);
    unlock(r);
    here.loops++;
    here.loop = l;
}

unsigned long long openmp_step(void) { return here.loop->step; }

void openmp_leave_loop(void) {
    region *r = here.in;
    lock(r);
    if (--here.loop->users == 0 && r->n > 1) pthread_cond_broadcast(&r->caller->changed);
    unlock(r);
}

int openmp_take_iterations(unsigned long long *first, unsigned long long *end) {
    openmp_loop *l = here.loop;
    unsigned long long from = atomic_fetch_add(&l->next, l->chunk);
    if (from >= l->n) return 0;
    unsigned long long to = l->n - from < l->chunk ? l->n : from + l->chunk;
    *first = l->start + from * l->step;
    *end = l->start + to * l->step;
    return 1;
}

/* ------------------------------------------------------------------------ locks */

static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;

void openmp_lock(void) { pthread_mutex_lock(&critical); }

void openmp_unlock(void) { pthread_mutex_unlock(&critical); }

/* -------------------------------------------------------- processors and time */

static int count_processors(void) {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (int)info.dwNumberOfProcessors : 1;
#else
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
#endif
}

int omp_get_num_procs(void) {
    static atomic_int counted;
    int n = atomic_load(&counted);
    if (n == 0) atomic_store(&counted, n = count_processors());
    return n;
}

double omp_get_wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
