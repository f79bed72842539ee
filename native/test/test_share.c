/* Pieces of work that threads share: each is done once, several at the same time, and nothing is left of a call when the next
 * one comes. Copies that are made so. */
#include "base/copy.h"
#include "base/openmp.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define PIECES 500

static atomic_int done[PIECES];

static void count(void *job, size_t piece) {
    (void)job;
    atomic_fetch_add(&done[piece], 1);
}

static int each_once(int threads, size_t n) {
    memset(done, 0, sizeof done);
    endo_openmp_share(threads, n, count, NULL);
    for (size_t i = 0; i < PIECES; i++)
        if (atomic_load(&done[i]) != (i < n)) return 0;
    return 1;
}

static void test_pieces(void) {
    static const int threads[] = {0, 1, 2, 3, 6, 7, 40, ENDO_OPENMP_MOST + 5};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        int right = 1;
        int rounds = threads[k] > 8 ? 20 : 300;
        for (int round = 0; round < rounds; round++) right &= each_once(threads[k], (size_t)(round * 7 % PIECES));
        for (int round = 0; round < 2000; round++) right &= each_once(threads[k], (size_t)(round % 4));
        CHECK(right && each_once(threads[k], PIECES));
    }
}

typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int here, wanted;
} meeting;

/* Waits for the others, but not for ever. */
static void meet(void *job, size_t piece) {
    meeting *m = job;
    struct timespec end;
    (void)piece;
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
    for (int n = 1; n <= 5; n++) {
        meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, n};
        endo_openmp_share(5, (size_t)n, meet, &m);
        CHECK(m.here == n && m.wanted == n);
    }
}

static void look_around(void *threads, size_t piece) {
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) ((int *)threads)[piece] = omp_get_num_threads();
}

/* Pieces have threads for their loops, as whoever calls has; a loop within a loop has one. */
static void test_loops_within(void) {
    int of[4] = {0};
    int within = 0;
    endo_openmp_share(4, 4, look_around, of);
    for (int i = 0; i < 4; i++) CHECK(of[i] == 3);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        endo_openmp_share(3, 1, look_around, of);
        within = omp_get_num_threads();
    }
    CHECK(of[0] == 3 && within == 2);
}

/* ------------------------------------------------------------------- copies */

static uint8_t from[3 << 20], to[3 << 20];

/* Every byte of the rows, and none between or behind them. */
static int copies(int threads, size_t row, size_t from_pitch, size_t to_pitch, int height) {
    memset(to, 7, sizeof to);
    endo_copy_rows(threads, to, to_pitch, from, from_pitch, row, height);
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
    for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)(i * 2654435761u >> 24);
    CHECK(copies(4, 1024, 1024, 1024, 2048) && copies(4, 1000, 1003, 1024, 2047));
    CHECK(copies(4, 300000, 300000, 300000, 10) && copies(4, 4096, 8192, 4100, 257));
    CHECK(copies(4, 1, 2, 3, 5) && copies(4, 50, 50, 50, 0) && copies(1, 1000, 1003, 1024, 1500));
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
    test_loops_within();
    return check_summary("test_share");
}
