/* The runtime of the library's parallel loops. A compiler turns `#pragma omp` into calls of a runtime; here are those that GCC
 * makes of the loops of this library (openmp.c). Its threads are shared by all contexts. They sleep while they wait, start when
 * a loop first wants them, take no signals, and end with the last context. Where the system starts fewer, a loop goes on with
 * these; a child that was forked starts its own. */
#ifndef ENDO_BASE_OPENMP_H
#define ENDO_BASE_OPENMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Most threads of a loop, the caller among them. */
#define ENDO_OPENMP_MOST 256

/* As OpenMP defines them. */
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
double omp_get_wtime(void);

/* Threads stay until as many closes as opens. Those that a loop starts outside of both end with the next last close. */
void endo_openmp_open(void);
void endo_openmp_close(void);

/* Number of threads that exist, working or asleep. */
int endo_openmp_threads(void);

#ifdef __cplusplus
}
#endif

#endif
