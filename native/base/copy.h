/* Copies of large images by several threads. */
#ifndef ENDO_BASE_COPY_H
#define ENDO_BASE_COPY_H

#include "thread_pool.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* height rows of `row` bytes, their pitches in bytes; pool: as endo_thread_pool_run takes it. */
void endo_copy_rows(endo_thread_pool *pool, uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t row,
                    int height);

/* n bytes for somebody else to read, a device: they leave the processor's caches alone, from which a bus takes them at
 * half its rate, and are in memory when this returns. The two do not overlap. */
void endo_copy_away(void *to, const void *from, size_t n);

#ifdef __cplusplus
}
#endif

#endif
