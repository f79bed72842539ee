/* Copies of large images by several threads. */
#ifndef ENDO_BASE_COPY_H
#define ENDO_BASE_COPY_H

#include "thread_pool.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies height rows of `row` bytes, their pitches in bytes; pool: as in endo_thread_pool_run, may be NULL. */
void endo_copy_rows(endo_thread_pool *pool, uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t row,
                    int height);

/* Copies n bytes that a device will read, past the processor's caches: a bus reads from caches at half its rate. A device that
 * is told afterwards reads them. The two must not overlap. */
void endo_copy_away(void *to, const void *from, size_t n);

#ifdef __cplusplus
}
#endif

#endif
