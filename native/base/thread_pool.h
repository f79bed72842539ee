/* Threads that wait for work and share it piece by piece; also for a thread that works in a parallel region itself, which has no
 * others there. */
#ifndef ENDO_BASE_THREAD_POOL_H
#define ENDO_BASE_THREAD_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_THREAD_POOL_MOST 32

typedef struct endo_thread_pool endo_thread_pool;

/* Work on one piece. piece: 0..n-1, each once, in any order; worker: 0 (the caller) .. workers - 1, one piece at a time. */
typedef void (*endo_thread_pool_work)(void *job, size_t piece, int worker);

/* Creates a pool of 1..ENDO_THREAD_POOL_MOST workers, the caller among them; fewer where the system has no more threads.
 * NULL: no memory. */
endo_thread_pool *endo_thread_pool_create(int workers);
void endo_thread_pool_destroy(endo_thread_pool **pool);

/* Number of workers; 1 for NULL. */
int endo_thread_pool_workers(const endo_thread_pool *pool);

/* Does n pieces of work and returns when all are done. Workers that wake late are not waited for. pool NULL: the caller does
 * all pieces. One call at a time. */
void endo_thread_pool_run(endo_thread_pool *pool, size_t n, endo_thread_pool_work work, void *job);

#ifdef __cplusplus
}
#endif

#endif
