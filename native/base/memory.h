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

#ifdef __cplusplus
}
#endif
#endif
