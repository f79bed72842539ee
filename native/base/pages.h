/* Memory by the page, for what may be much larger than what is used of it. */
#ifndef ENDO_BASE_PAGES_H
#define ENDO_BASE_PAGES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros, 64-byte aligned; NULL: memory is out. Of a large piece, what is never touched takes no memory, and no time. Free
 * with endo_pages_free, which wants to know the size again. */
void *endo_pages_alloc(size_t bytes);
void endo_pages_free(void *pages, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
