/* Device memory of one owner: parts of a few large blocks, counted against the context's limit, freed together.
 *
 * Parts are taken twice, in the same order: the first time they are only counted, then cuda_arena_grow allocates one
 * block for all of them, the second time they are there. */
#ifndef ENDO_CUDA_ARENA_H
#define ENDO_CUDA_ARENA_H

#include "include/endorama.h"

#include <stddef.h>

typedef struct cuda_backend cuda_backend;
struct cuda_arena_block;

/* All zero, but for the backend: empty. */
typedef struct cuda_arena {
    cuda_backend *backend;
    struct cuda_arena_block *last; /* the newest; it leads to the others */
    size_t used;                   /* bytes of it */
    size_t counted;                /* bytes that were asked for and are not there yet */
} cuda_arena;

/* n * size bytes, 256-byte aligned; NULL: they are counted. */
void *cuda_arena_take(cuda_arena *a, size_t n, size_t size);
/* A block for everything that was counted, zero in the context's stream. A failure forgets the count and changes
 * nothing else. */
endo_status cuda_arena_grow(cuda_arena *a);
/* One part in a block of its own; nothing may have been counted. out: untouched on failure. */
endo_status cuda_arena_add(cuda_arena *a, size_t n, size_t size, void **out);
/* Whatever works on the memory must be done. */
void cuda_arena_free(cuda_arena *a);

#endif
