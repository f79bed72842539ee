/* Threads that wait for work and share it piece by piece. They are its owner's own: OpenMP ends and starts threads
 * whenever the size of a team changes, and has none for a thread that is itself in one. */
#ifndef ENDO_BASE_THREAD_POOL_H
#define ENDO_BASE_THREAD_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_THREAD_POOL_MOST 32

typedef struct endo_thread_pool endo_thread_pool;

/* piece: 0..n-1, each once, in any order; worker: 0 (who called) .. workers - 1, each at one thing at a time. */
typedef void (*endo_thread_pool_work)(void *job, size_t piece, int worker);

/* workers: 1..ENDO_THREAD_POOL_MOST, who calls among them; fewer where the system has no more threads. NULL: no memory. */
endo_thread_pool *endo_thread_pool_create(int workers);
void endo_thread_pool_destroy(endo_thread_pool **pool);

/* At most so many work at once; 1 for NULL. */
int endo_thread_pool_workers(const endo_thread_pool *pool);

/* Returns when all n pieces are done. Workers that wake late are not waited for. pool NULL: the caller does it all. One
 * call at a time. */
void endo_thread_pool_run(endo_thread_pool *pool, size_t n, endo_thread_pool_work work, void *job);

#ifdef __cplusplus
}
#endif

#endif
