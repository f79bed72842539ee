/* Memory: the only place where the library takes and gives back any of the host's. */
#ifndef ENDO_BASE_MEMORY_H
#define ENDO_BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* n * size bytes, 64-byte aligned, or NULL when it overflows or memory is out. Free with endo_free. */
void *endo_alloc(size_t n, size_t size);
void *endo_alloc_zeroed(size_t n, size_t size);
void endo_free(void *memory);

/* 0: more than memory and swap of this machine together. A system that promises more than it has refuses one large
 * piece, but not as much in small pieces, and ends a process when they are used. */
int endo_memory_can_hold(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
