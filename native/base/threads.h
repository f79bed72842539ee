/* Numbers of threads. */
#ifndef ENDO_BASE_THREADS_H
#define ENDO_BASE_THREADS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that prepare an incoming frame of `bytes` bytes: one for a small frame, and few for others, which take less time
 * than it takes to wake many threads. */
#define ENDO_FRAME_THREADS 8
static inline int endo_frame_threads(int threads, size_t bytes) {
    if (bytes < (size_t)1 << 20) return 1;
    return threads < ENDO_FRAME_THREADS ? threads : ENDO_FRAME_THREADS;
}

/* Threads that copy `bytes` bytes to or from a device: one for few bytes. */
#define ENDO_LIST_THREADS 8
static inline int endo_list_threads(int threads, size_t bytes) {
    if (bytes < (size_t)1 << 18) return 1;
    return threads < ENDO_LIST_THREADS ? threads : ENDO_LIST_THREADS;
}

/* Fewest pixels of an image for which several threads are used. */
#define ENDO_MANY_PIXELS 300000

/* The number of threads, 1..wanted, the caller among them, that the system lets this process have: they are started and ended
 * to see. Where there are too few, eight and half of the others are left to the rest of the process. Takes some 15 us a
 * thread. */
int endo_threads_obtainable(int wanted);

#ifdef __cplusplus
}
#endif
#endif
