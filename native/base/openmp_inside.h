/* What the calls that compilers make of OpenMP's pragmas are built on: openmp_gcc.c and openmp_clang.c have these calls. */
#ifndef ENDO_BASE_OPENMP_INSIDE_H
#define ENDO_BASE_OPENMP_INSIDE_H

#include "openmp.h"

#include <stdatomic.h>

/* A loop whose iterations threads take as they come. Its variable is counted in unsigned numbers, which go round: they serve
 * signed ones, and loops downwards, too. */
typedef struct openmp_loop {
    long number; /* the how many-th of its region; -1: none yet */
    int users;   /* threads that have not left it */
    unsigned long long start;
    unsigned long long step;
    unsigned long long chunk; /* iterations that a thread takes at once */
    unsigned long long n;     /* iterations */
    atomic_ullong next;       /* the first that is not taken */
} openmp_loop;

/* Runs a region by up to so many threads; 0: as many as there are processors. asked: the loop that the region is; NULL: none. */
void openmp_run(void (*function)(void *), void *data, unsigned threads, const openmp_loop *asked);

/* A region that the calling thread runs by itself, from the one call to the other. */
void openmp_begin_alone(void);
void openmp_end_alone(void);

/* Waits until all threads of the region are here. */
void openmp_barrier(void);

/* A loop of `n` iterations: start, step, chunk and n of `asked` are given. Every thread of the region begins and leaves it. */
void openmp_begin_loop(const openmp_loop *asked);
/* Takes the next iterations, from *first to before *end; 0: none are left. */
int openmp_take_iterations(unsigned long long *first, unsigned long long *end);
unsigned long long openmp_step(void); /* of the loop that the thread is in */
void openmp_leave_loop(void);

/* One lock for the critical sections of all names: none lies within another. */
void openmp_lock(void);
void openmp_unlock(void);

#endif
