/* The allocator of test_memory: it counts, and fails where it is told to. Linked with --wrap: all memory of the library
 * comes through the functions of base/memory.h, and of C++ through operator new (memory_new.cpp). */
#ifndef ENDO_TEST_MEMORY_ALLOCATOR_H
#define ENDO_TEST_MEMORY_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls that failed since the allocator was armed; blocks that were not given back. */
extern int memory_failures, memory_alive;

/* The call number `at` from now on fails, with all_after those after it, too; 0: none. */
void memory_arm(int at, int all_after);

/* Counts a call; 1 if it is to fail. */
int memory_fails(void);

void *__real_endo_alloc(size_t n, size_t size);
void *__real_endo_alloc_zeroed(size_t n, size_t size);
void __real_endo_free(void *memory);
void *__wrap_endo_alloc(size_t n, size_t size);
void *__wrap_endo_alloc_zeroed(size_t n, size_t size);
void __wrap_endo_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
