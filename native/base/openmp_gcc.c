/* The calls that GCC makes of OpenMP's pragmas, as libgomp names them. A pragma that needs another one does not link. */
#if defined(__GNUC__) && !defined(__clang__)
#include "openmp_inside.h"

#include <stdbool.h>
#include <stddef.h>

typedef unsigned long long number;

/* ---------------------------------------------------------------------- regions */

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    openmp_run(function, data, threads, NULL);
}

void GOMP_barrier(void);
void GOMP_barrier(void) { openmp_barrier(); }

/* ------------------------------------------------------------------------ loops */

/* Iterations from start to before end. */
static number iterations(bool up, number start, number end, number step) {
    number way = up ? end - start : start - end;
    number stride = up ? step : -step;
    return (way - 1) / stride + 1;
}

static openmp_loop loop_of(long start, long end, long step, long chunk) {
    int is_empty = step > 0 ? end <= start : end >= start;
    return (openmp_loop){
        .start = (number)start,
        .step = (number)step,
        .chunk = (number)chunk,
        .n = is_empty ? 0 : iterations(step > 0, (number)start, (number)end, (number)step),
    };
}

bool GOMP_loop_ull_nonmonotonic_dynamic_next(number *first, number *end);
bool GOMP_loop_ull_nonmonotonic_dynamic_next(number *first, number *end) { return openmp_take_iterations(first, end); }

bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, number start, number end, number step, number chunk, number *first,
                                              number *last);
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, number start, number end, number step, number chunk, number *first,
                                              number *last) {
    int is_empty = up ? end <= start : end >= start;
    const openmp_loop asked = {
        .start = start,
        .step = step,
        .chunk = chunk,
        .n = is_empty ? 0 : iterations(up, start, end, step),
    };
    openmp_begin_loop(&asked);
    return openmp_take_iterations(first, last);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *first, long *end);
bool GOMP_loop_nonmonotonic_dynamic_next(long *first, long *end) {
    number from;
    number to;
    if (!openmp_take_iterations(&from, &to)) return false;
    *first = (long)from;
    *end = (long)to;
    return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *first, long *last);
bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *first, long *last) {
    const openmp_loop asked = loop_of(start, end, step, chunk);
    openmp_begin_loop(&asked);
    return GOMP_loop_nonmonotonic_dynamic_next(first, last);
}

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*function)(void *), void *data, unsigned threads, long start, long end,
                                             long step, long chunk, unsigned flags);
void GOMP_parallel_loop_nonmonotonic_dynamic(void (*function)(void *), void *data, unsigned threads, long start, long end,
                                             long step, long chunk, unsigned flags) {
    const openmp_loop asked = loop_of(start, end, step, chunk);
    (void)flags;
    openmp_run(function, data, threads, &asked);
}

void GOMP_loop_end(void);
void GOMP_loop_end(void) {
    openmp_leave_loop();
    openmp_barrier();
}

void GOMP_loop_end_nowait(void);
void GOMP_loop_end_nowait(void) { openmp_leave_loop(); }

/* ------------------------------------------------------------------------ locks */

void GOMP_critical_name_start(void **name);
void GOMP_critical_name_start(void **name) {
    (void)name;
    openmp_lock();
}

void GOMP_critical_name_end(void **name);
void GOMP_critical_name_end(void **name) {
    (void)name;
    openmp_unlock();
}

void GOMP_atomic_start(void);
void GOMP_atomic_start(void) { openmp_lock(); }

void GOMP_atomic_end(void);
void GOMP_atomic_end(void) { openmp_unlock(); }
#endif
