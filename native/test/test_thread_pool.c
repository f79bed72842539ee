/* A pool does every piece once, its workers at the same time, and nothing is left of a call when the next one comes. */
#include "base/copy.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define PIECES 500

typedef struct count_job {
    atomic_int done[PIECES], working[ENDO_THREAD_POOL_MOST];
    atomic_int twice; /* a worker at two things at once, or one that there is not */
    int workers;
} count_job;

static void count(void *job, size_t piece, int worker) {
    count_job *c = job;
    if (worker < 0 || worker >= c->workers || atomic_fetch_add(&c->working[worker], 1) != 0) atomic_store(&c->twice, 1);
    atomic_fetch_add(&c->done[piece], 1);
    atomic_fetch_sub(&c->working[worker], 1);
}

static int each_once(endo_thread_pool *pool, size_t n) {
    static count_job c;
    memset(&c, 0, sizeof c);
    c.workers = endo_thread_pool_workers(pool);
    endo_thread_pool_run(pool, n, count, &c);
    for (size_t i = 0; i < PIECES; i++)
        if (atomic_load(&c.done[i]) != (i < n)) return 0;
    return !atomic_load(&c.twice);
}

static void test_pieces(void) {
    for (int workers = 1; workers <= 6; workers++) {
        endo_thread_pool *pool = endo_thread_pool_create(workers);
        int right = 1;
        CHECK(endo_thread_pool_workers(pool) == workers);
        for (int round = 0; round < 300; round++) right &= each_once(pool, (size_t)(round * 7 % PIECES));
        for (int round = 0; round < 2000; round++) right &= each_once(pool, (size_t)(round % 4));
        CHECK(right && each_once(pool, PIECES));
        endo_thread_pool_destroy(&pool);
        CHECK(!pool);
    }
}

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int here, wanted;
} meeting;

/* Waits for the others, but not for ever. */
static void meet(void *job, size_t piece, int worker) {
    meeting *m = job;
    struct timespec end;
    (void)piece, (void)worker;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    pthread_mutex_lock(&m->lock);
    m->here++;
    pthread_cond_broadcast(&m->came);
    while (m->here < m->wanted && pthread_cond_timedwait(&m->came, &m->lock, &end) == 0) continue;
    if (m->here < m->wanted) m->wanted = -1;
    pthread_mutex_unlock(&m->lock);
}

static void test_at_once(void) {
    endo_thread_pool *pool = endo_thread_pool_create(5);
    for (int n = 1; n <= 5; n++) {
        meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, n};
        endo_thread_pool_run(pool, (size_t)n, meet, &m);
        CHECK(m.here == n && m.wanted == n);
    }
    endo_thread_pool_destroy(&pool);
}

static void test_limits(void) {
    endo_thread_pool *none = NULL, *many = endo_thread_pool_create(ENDO_THREAD_POOL_MOST + 5);
    CHECK(endo_thread_pool_workers(NULL) == 1 && each_once(NULL, 3));
    CHECK(endo_thread_pool_workers(many) == ENDO_THREAD_POOL_MOST && each_once(many, 100));
    endo_thread_pool_destroy(&many);
    endo_thread_pool_destroy(&none);
}

/* ------------------------------------------------------------------- copies */

static uint8_t from[3 << 20], to[3 << 20];

/* Every byte of the rows, and none between or behind them. */
static int copies(endo_thread_pool *pool, size_t row, size_t from_pitch, size_t to_pitch, int height) {
    memset(to, 7, sizeof to);
    endo_copy_rows(pool, to, to_pitch, from, from_pitch, row, height);
    size_t i = 0;
    for (int y = 0; y < height; y++) {
        if (memcmp(to + (size_t)y * to_pitch, from + (size_t)y * from_pitch, row) != 0) return 0;
        for (i = row; i < to_pitch; i++)
            if (to[(size_t)y * to_pitch + i] != 7) return 0;
    }
    for (i = (size_t)height * to_pitch; i < sizeof to; i++)
        if (to[i] != 7) return 0;
    return 1;
}

static void test_copies(void) {
    endo_thread_pool *pool = endo_thread_pool_create(4);
    for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i * 2654435761u >> 24);
    CHECK(copies(pool, 1024, 1024, 1024, 2048) && copies(pool, 1000, 1003, 1024, 2047));
    CHECK(copies(pool, 300000, 300000, 300000, 10) && copies(pool, 4096, 8192, 4100, 257));
    CHECK(copies(pool, 1, 2, 3, 5) && copies(pool, 50, 50, 50, 0) && copies(NULL, 1000, 1003, 1024, 1500));
    endo_thread_pool_destroy(&pool);
}

/* From and to any place, so many bytes and none around them. */
static int copies_away(size_t at, size_t to_at, size_t n) {
    memset(to, 7, sizeof to);
    endo_copy_away(to + to_at, from + at, n);
    for (size_t i = 0; i < 300; i++)
        if ((i < to_at && to[i] != 7) || to[to_at + n + i] != 7) return 0;
    return memcmp(to + to_at, from + at, n) == 0;
}

static void test_copies_away(void) {
    int right = 1;
    for (size_t to_at = 0; to_at < 70; to_at += 7)
        for (size_t n = 0; n < 300; n += to_at % 2 ? 1 : 13) right &= copies_away(n % 5, to_at, n);
    CHECK(right && copies_away(3, 64, 1 << 20) && copies_away(0, 1, (1 << 20) + 77));
}

int main(void) {
    test_copies();
    test_copies_away();
    test_pieces();
    test_at_once();
    test_limits();
    return check_summary("test_thread_pool");
}
