/* Host memory: the only functions by which the library allocates and frees it. */
#ifndef ENDO_BASE_MEMORY_H
#define ENDO_BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n * size bytes, 64-byte aligned, or NULL when the size overflows or memory is out. Free with endo_free. */
void *endo_alloc(size_t n, size_t size);
void *endo_alloc_zeroed(size_t n, size_t size);
void endo_free(void *memory);

/* Whether memory and swap of this machine together have so many bytes. A system that overcommits refuses one large allocation,
 * but not as much in small ones, and ends the process when they are used. */
int endo_memory_can_hold(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
