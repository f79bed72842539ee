/* A ring of frames that are observed in order. A thread that waits for the first of them observes it itself unless another one
 * has begun, so that nothing waits where the system has no threads (observers.h). */
#include "observers.h"

#include "base/memory.h"
#include "events.h"

#include <pthread.h>

#define THREADS 8
#define RING (2 * THREADS)

typedef enum observation_state { OBSERVATION_WAITS, OBSERVATION_BEGUN, OBSERVATION_DONE, OBSERVATION_FAILED } observation_state;

typedef struct observation {
    int frame;
    const void *pixels;
    observation_state state;
} observation;

struct mosaic_observers {
    mosaic_sequence *sequence;
    mosaic_observer all[MOSAIC_OBSERVERS];
    int n;
    pthread_mutex_t gate; /* held while a frame is shown or waited for */
    double seconds;

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t shown;
    pthread_cond_t seen;
    observation observations[RING];
    int first; /* index of the first frame in the ring */
    int n_observations;
    int most;
    int ending;
    pthread_t threads[THREADS];
    int n_threads;
};

static observation *observation_at(mosaic_observers *o, int i) { return &o->observations[(o->first + i) % RING]; }

static endo_status see_held(const mosaic_observers *o, int frame, const void *pixels) {
    for (int i = 0; i < o->n; i++) ENDO_TRY(o->all[i].see(o->all[i].self, frame, pixels));
    return ENDO_OK;
}

static endo_status see(const mosaic_observers *o, int frame, const void *lent) {
    const void *pixels = sequence_hold(o->sequence, lent, 0);
    if (!pixels) return ENDO_ERR_MEMORY;
    endo_status status = see_held(o, frame, pixels);
    sequence_let_go(o->sequence, lent, pixels, 0);
    return status;
}

/* ---------------------------------------------------------------------- threads */

static observation *first_waiting(mosaic_observers *o) {
    for (int i = 0; i < o->n_observations; i++)
        if (observation_at(o, i)->state == OBSERVATION_WAITS) return observation_at(o, i);
    return NULL;
}

/* Called with the lock, which is released meanwhile. */
static endo_status observe(mosaic_observers *o, observation *one) {
    one->state = OBSERVATION_BEGUN;
    pthread_mutex_unlock(&o->lock);
    endo_status status = see(o, one->frame, one->pixels);
    pthread_mutex_lock(&o->lock);
    one->state = status == ENDO_OK ? OBSERVATION_DONE : OBSERVATION_FAILED;
    return status;
}

static void *run_thread(void *observers) {
    mosaic_observers *o = observers;
    pthread_mutex_lock(&o->lock);
    while (!o->ending) {
        observation *one = first_waiting(o);
        if (!one) {
            pthread_cond_wait(&o->shown, &o->lock);
            continue;
        }
        (void)observe(o, one); /* a failure is reported to the thread that waits */
        pthread_cond_signal(&o->seen);
    }
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

static int threads_of(int processors) {
    int threads = processors / 2;
    return threads < 1 ? 1 : threads > THREADS ? THREADS : threads;
}

endo_status observers_create(mosaic_sequence *sequence, const mosaic_observer *all, int n, int processors,
                             mosaic_observers **out) {
    mosaic_observers *o = endo_alloc_zeroed(1, sizeof *o);
    if (!o) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of frames that are looked at");
    int threads = threads_of(processors);
    o->sequence = sequence;
    o->most = 2 * threads > OBSERVERS_MOST ? 2 * threads : OBSERVERS_MOST;
    for (; o->n < n; o->n++) o->all[o->n] = all[o->n];
    pthread_mutex_init(&o->gate, NULL);
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->shown, NULL);
    pthread_cond_init(&o->seen, NULL);
    while (o->n_threads < threads && pthread_create(&o->threads[o->n_threads], NULL, run_thread, o) == 0) o->n_threads++;
    *out = o;
    return ENDO_OK;
}

static void end_threads(mosaic_observers *o) {
    pthread_mutex_lock(&o->lock);
    o->ending = 1;
    pthread_cond_broadcast(&o->shown);
    pthread_mutex_unlock(&o->lock);
    for (int i = 0; i < o->n_threads; i++) pthread_join(o->threads[i], NULL);
}

void observers_destroy(mosaic_observers **observers) {
    mosaic_observers *o = *observers;
    *observers = NULL;
    if (!o) return;
    end_threads(o);
    for (int i = 0; i < o->n_observations; i++)
        sequence_give_back(o->sequence, observation_at(o, i)->frame, observation_at(o, i)->pixels, 0);
    pthread_cond_destroy(&o->seen);
    pthread_cond_destroy(&o->shown);
    pthread_mutex_destroy(&o->lock);
    pthread_mutex_destroy(&o->gate);
    endo_free(o);
}

/* ---------------------------------------------------------------------- showing */

static int is_seen(const mosaic_observers *o, int frame) {
    for (int i = 0; i < o->n; i++)
        if (o->all[i].is_new(o->all[i].self, frame)) return 0;
    return 1;
}

/* Returns whether a frame is in the ring, and must not be observed twice. */
static int is_waiting(mosaic_observers *o, int frame) {
    int waiting = 0;
    pthread_mutex_lock(&o->lock);
    for (int i = 0; i < o->n_observations; i++) waiting |= observation_at(o, i)->frame == frame;
    pthread_mutex_unlock(&o->lock);
    return waiting;
}

static endo_status finish_first(mosaic_observers *o) {
    observation *one = observation_at(o, 0);
    while (one->state == OBSERVATION_BEGUN) pthread_cond_wait(&o->seen, &o->lock);
    if (one->state != OBSERVATION_DONE) ENDO_TRY(observe(o, one));
    return ENDO_OK;
}

static endo_status await_first(mosaic_observers *o) {
    double start = mosaic_seconds();
    observation done = *observation_at(o, 0);
    pthread_mutex_lock(&o->lock);
    endo_status status = finish_first(o);
    if (status == ENDO_OK) {
        o->first = (o->first + 1) % RING;
        o->n_observations--;
    }
    pthread_mutex_unlock(&o->lock);
    if (status == ENDO_OK) sequence_give_back(o->sequence, done.frame, done.pixels, 0);
    o->seconds += mosaic_seconds() - start;
    return status;
}

static endo_status show(mosaic_observers *o, int frame, const void *pixels) {
    if (is_waiting(o, frame) || is_seen(o, frame)) {
        sequence_give_back(o->sequence, frame, pixels, 0);
        return ENDO_OK;
    }
    while (o->n_observations >= o->most) ENDO_TRY(await_first(o));
    pthread_mutex_lock(&o->lock);
    *observation_at(o, o->n_observations++) = (observation){.frame = frame, .pixels = pixels, .state = OBSERVATION_WAITS};
    pthread_cond_signal(&o->shown);
    pthread_mutex_unlock(&o->lock);
    return ENDO_OK;
}

endo_status observers_see(mosaic_observers *o, int frame, const void *pixels) {
    pthread_mutex_lock(&o->gate);
    endo_status status = show(o, frame, pixels);
    pthread_mutex_unlock(&o->gate);
    return status;
}

endo_status observers_await(mosaic_observers *o) {
    endo_status status = ENDO_OK;
    pthread_mutex_lock(&o->gate);
    while (status == ENDO_OK && o->n_observations) status = await_first(o);
    pthread_mutex_unlock(&o->gate);
    return status;
}

double observers_seconds(const mosaic_observers *o) { return o->seconds; }
