/* Memory by the page, for arrays of which little may be used. */
#ifndef ENDO_BASE_PAGES_H
#define ENDO_BASE_PAGES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros, 64-byte aligned; NULL: memory is out. Pages of a large array that are never touched take no memory, and no time. Free
 * with endo_pages_free and the same size. */
void *endo_pages_alloc(size_t bytes);
void endo_pages_free(void *pages, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
