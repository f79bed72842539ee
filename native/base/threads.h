/* How many threads a team may have. */
#ifndef ENDO_BASE_THREADS_H
#define ENDO_BASE_THREADS_H

#ifdef __cplusplus
extern "C" {
#endif

/* 1..wanted: members of a team, the caller among them, that the system lets this process have. OpenMP ends the process
 * when it cannot have a thread that it was asked for, so threads are taken and given back here before. Some are left to
 * the rest of the process where there are not enough for all. Takes some 15 us a thread. */
int endo_threads_obtainable(int wanted);

#ifdef __cplusplus
}
#endif
#endif
