/* The calls that Clang makes of OpenMP's pragmas, as LLVM's runtime names them. A pragma that needs another one does not link. */
#ifdef __clang__
#include "openmp_inside.h"

#include <stdarg.h>
#include <stdint.h>

/* Variables of a region's function at most. */
#define MOST_ARGUMENTS 15

/* How a loop is shared out: in chunks of a size, by turns, or else in one part a thread; the bits above say something else. */
#define SHARED_IN_STATIC_CHUNKS 33
#define KIND 0xff

typedef struct ident ident; /* a place in the source, which is not read */
typedef void (*function_of_region)(int32_t *global, int32_t *bound, ...);
typedef unsigned long long number;

static _Thread_local unsigned asked_threads;

int32_t __kmpc_global_thread_num(ident *where);
int32_t __kmpc_global_thread_num(ident *where) {
    (void)where;
    return omp_get_thread_num();
}

/* ---------------------------------------------------------------------- regions */

typedef struct region_call {
    function_of_region function;
    void *arguments[MOST_ARGUMENTS];
} region_call;

/* More arguments than the function has do no harm: the caller takes them away. */
static void call(void *data) {
    region_call *c = data;
    void **a = c->arguments;
    int32_t thread = omp_get_thread_num();
    int32_t bound = thread;
    void (*f)(int32_t *, int32_t *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
              void *, void *, void *, void *) =
        (void (*)(int32_t *, int32_t *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                  void *, void *, void *, void *))c->function;
    f(&thread, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]);
}

void __kmpc_push_num_threads(ident *where, int32_t thread, int32_t threads);
void __kmpc_push_num_threads(ident *where, int32_t thread, int32_t threads) {
    (void)where;
    (void)thread;
    asked_threads = threads > 0 ? (unsigned)threads : 1;
}

void __kmpc_fork_call(ident *where, int32_t n, function_of_region function, ...);
void __kmpc_fork_call(ident *where, int32_t n, function_of_region function, ...) {
    region_call c = {.function = function};
    unsigned threads = asked_threads;
    va_list list;
    (void)where;
    asked_threads = 0;
    if (n > MOST_ARGUMENTS) __builtin_trap(); /* found by the first test that runs the loop */
    va_start(list, function);
    for (int i = 0; i < n; i++) c.arguments[i] = va_arg(list, void *);
    va_end(list);
    openmp_run(call, &c, threads, NULL);
}

void __kmpc_serialized_parallel(ident *where, int32_t thread);
void __kmpc_serialized_parallel(ident *where, int32_t thread) {
    (void)where;
    (void)thread;
    asked_threads = 0;
    openmp_begin_alone();
}

void __kmpc_end_serialized_parallel(ident *where, int32_t thread);
void __kmpc_end_serialized_parallel(ident *where, int32_t thread) {
    (void)where;
    (void)thread;
    openmp_end_alone();
}

void __kmpc_barrier(ident *where, int32_t thread);
void __kmpc_barrier(ident *where, int32_t thread) {
    (void)where;
    (void)thread;
    openmp_barrier();
}

/* ------------------------------------------------------------------------ loops */

/* Iterations from lower to upper, both included; numbers that go round. */
static number iterations(number lower, number upper, int64_t step) {
    if (step > 0) return (int64_t)(upper - lower) < 0 ? 0 : (upper - lower) / (number)step + 1;
    return (int64_t)(lower - upper) < 0 ? 0 : (lower - upper) / (number)-step + 1;
}

/* Iterations of a thread, from first to before end, and as many after every `stride`. */
typedef struct part {
    number first;
    number end;
    number stride;
    int has_last; /* the last one of the loop is among them */
} part;

static part part_of_loop(int32_t kind, number n, int64_t chunk) {
    number threads = (number)omp_get_num_threads();
    number thread = (number)omp_get_thread_num();
    number each = n / threads;
    number more = n % threads;
    if ((kind & KIND) == SHARED_IN_STATIC_CHUNKS) {
        number size = chunk > 0 ? (number)chunk : 1;
        int has_last = n > 0 && (n - 1) / size % threads == thread;
        return (part){.first = thread * size, .end = thread * size + size, .stride = size * threads, .has_last = has_last};
    }
    number first = thread * each + (thread < more ? thread : more);
    number end = first + each + (thread < more);
    return (part){.first = first, .end = end, .stride = n, .has_last = end == n && first < end};
}

/* The functions of a type: *lower and *upper are those of the loop, and become those of the thread's part; an empty part has the
 * last iteration before the first one. */
#define STATIC_LOOP(suffix, type, step_type)                                                                              \
    void __kmpc_for_static_init_##suffix(ident *where, int32_t thread, int32_t kind, int32_t *last, type *lower,          \
                                         type *upper, step_type *stride, step_type step, step_type chunk);                \
    void __kmpc_for_static_init_##suffix(ident *where, int32_t thread, int32_t kind, int32_t *last, type *lower,          \
                                         type *upper, step_type *stride, step_type step, step_type chunk) {               \
        number from = (number)*lower;                                                                                     \
        part p = part_of_loop(kind, iterations(from, (number)*upper, step), chunk);                                       \
        (void)where;                                                                                                      \
        (void)thread;                                                                                                     \
        *last = p.has_last;                                                                                               \
        *stride = (step_type)(p.stride * (number)step);                                                                   \
        *lower = (type)(from + p.first * (number)step);                                                                   \
        *upper = (type)(from + p.end * (number)step - (number)step);                                                      \
    }

/* Loops whose iterations threads take as they come. */
#define DISPATCHED_LOOP(suffix, type, step_type)                                                                          \
    void __kmpc_dispatch_init_##suffix(ident *where, int32_t thread, int32_t kind, type lower, type upper,                \
                                       step_type step, step_type chunk);                                                  \
    void __kmpc_dispatch_init_##suffix(ident *where, int32_t thread, int32_t kind, type lower, type upper,                \
                                       step_type step, step_type chunk) {                                                 \
        const openmp_loop asked = {                                                                                       \
            .start = (number)lower,                                                                                       \
            .step = (number)step,                                                                                         \
            .chunk = chunk > 0 ? (number)chunk : 1,                                                                       \
            .n = iterations((number)lower, (number)upper, step),                                                          \
        };                                                                                                                \
        (void)where;                                                                                                      \
        (void)thread;                                                                                                     \
        (void)kind;                                                                                                       \
        openmp_begin_loop(&asked);                                                                                        \
    }                                                                                                                     \
    int32_t __kmpc_dispatch_next_##suffix(ident *where, int32_t thread, int32_t *last, type *lower, type *upper,          \
                                          step_type *stride);                                                             \
    int32_t __kmpc_dispatch_next_##suffix(ident *where, int32_t thread, int32_t *last, type *lower, type *upper,          \
                                          step_type *stride) {                                                            \
        number first;                                                                                                     \
        number end;                                                                                                       \
        number step = openmp_step();                                                                                      \
        (void)where;                                                                                                      \
        (void)thread;                                                                                                     \
        *last = 0;                                                                                                        \
        if (!openmp_take_iterations(&first, &end)) {                                                                      \
            openmp_leave_loop();                                                                                          \
            return 0;                                                                                                     \
        }                                                                                                                 \
        *lower = (type)first;                                                                                             \
        *upper = (type)(end - step);                                                                                      \
        *stride = (step_type)step;                                                                                        \
        return 1;                                                                                                         \
    }

STATIC_LOOP(4, int32_t, int32_t)
STATIC_LOOP(4u, uint32_t, int32_t)
STATIC_LOOP(8, int64_t, int64_t)
STATIC_LOOP(8u, uint64_t, int64_t)
DISPATCHED_LOOP(4, int32_t, int32_t)
DISPATCHED_LOOP(4u, uint32_t, int32_t)
DISPATCHED_LOOP(8, int64_t, int64_t)
DISPATCHED_LOOP(8u, uint64_t, int64_t)

/* Clang 19 calls it when a loop has ended, of which nothing is left to free. */
void __kmpc_dispatch_deinit(ident *where, int32_t thread);
void __kmpc_dispatch_deinit(ident *where, int32_t thread) {
    (void)where;
    (void)thread;
}

void __kmpc_for_static_fini(ident *where, int32_t thread);
void __kmpc_for_static_fini(ident *where, int32_t thread) {
    (void)where;
    (void)thread;
}

/* ------------------------------------------------------------------------ locks */

void __kmpc_critical(ident *where, int32_t thread, void *name);
void __kmpc_critical(ident *where, int32_t thread, void *name) {
    (void)where;
    (void)thread;
    (void)name;
    openmp_lock();
}

void __kmpc_end_critical(ident *where, int32_t thread, void *name);
void __kmpc_end_critical(ident *where, int32_t thread, void *name) {
    (void)where;
    (void)thread;
    (void)name;
    openmp_unlock();
}

/* Every thread adds its own to what is shared, one at a time. */
int32_t __kmpc_reduce_nowait(ident *where, int32_t thread, int32_t n, size_t size, void *data,
                             void (*function)(void *to, void *from), void *lock);
int32_t __kmpc_reduce_nowait(ident *where, int32_t thread, int32_t n, size_t size, void *data,
                             void (*function)(void *to, void *from), void *lock) {
    (void)where;
    (void)thread;
    (void)n;
    (void)size;
    (void)data;
    (void)function;
    (void)lock;
    openmp_lock();
    return 1;
}

void __kmpc_end_reduce_nowait(ident *where, int32_t thread, void *lock);
void __kmpc_end_reduce_nowait(ident *where, int32_t thread, void *lock) {
    (void)where;
    (void)thread;
    (void)lock;
    openmp_unlock();
}

int32_t __kmpc_reduce(ident *where, int32_t thread, int32_t n, size_t size, void *data,
                      void (*function)(void *to, void *from), void *lock);
int32_t __kmpc_reduce(ident *where, int32_t thread, int32_t n, size_t size, void *data,
                      void (*function)(void *to, void *from), void *lock) {
    return __kmpc_reduce_nowait(where, thread, n, size, data, function, lock);
}

void __kmpc_end_reduce(ident *where, int32_t thread, void *lock);
void __kmpc_end_reduce(ident *where, int32_t thread, void *lock) {
    __kmpc_end_reduce_nowait(where, thread, lock);
    openmp_barrier();
}
#endif
