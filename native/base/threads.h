/* How many threads a team may have. */
#ifndef ENDO_BASE_THREADS_H
#define ENDO_BASE_THREADS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members of a team for what is done to a frame that comes in, of so many bytes: one where that is soon done, else the
 * same number every time. OpenMP ends threads and starts others whenever the size of teams changes, and with many
 * processors that takes longer than the work. */
#define ENDO_FRAME_TEAM 8
static inline int endo_frame_threads(int threads, size_t bytes) {
    if (bytes < (size_t)1 << 20) return 1;
    return threads < ENDO_FRAME_TEAM ? threads : ENDO_FRAME_TEAM;
}

/* The same for what goes to a device and comes from it: there nothing but the copies takes the processor's time. */
#define ENDO_LIST_TEAM 8
static inline int endo_list_threads(int threads, size_t bytes) {
    if (bytes < (size_t)1 << 18) return 1;
    return threads < ENDO_LIST_TEAM ? threads : ENDO_LIST_TEAM;
}

/* 1..wanted: members of a team, the caller among them, that the system lets this process have. OpenMP ends the process
 * when it cannot have a thread that it was asked for, so threads are taken and given back here before. Where there are not
 * enough for all, eight and half of the others are left to the rest of the process. Takes some 15 us a thread. */
int endo_threads_obtainable(int wanted);

#ifdef __cplusplus
}
#endif
#endif
