/* Host memory of one owner: parts of a few large blocks, freed together.
 *
 * Parts are taken twice, in the same order: the first time they are only counted, then cpu_arena_grow allocates one
 * block for all of them, the second time they are there. */
#ifndef ENDO_CPU_ARENA_H
#define ENDO_CPU_ARENA_H

#include "include/endorama.h"

#include <stddef.h>

struct cpu_arena_block;

/* All zero: empty. */
typedef struct cpu_arena {
    struct cpu_arena_block *last; /* the newest; it leads to the others */
    size_t used;                  /* bytes of it */
    size_t counted;               /* bytes that were asked for and are not there yet */
} cpu_arena;

/* n * size bytes, 64-byte aligned, zero; NULL: they are counted. */
void *cpu_arena_take(cpu_arena *a, size_t n, size_t size);
/* A block for everything that was counted. A failure forgets the count and changes nothing else. */
ENDO_NODISCARD endo_status cpu_arena_grow(cpu_arena *a);
/* One part in a block of its own; nothing may have been counted. out: untouched on failure. */
ENDO_NODISCARD endo_status cpu_arena_add(cpu_arena *a, size_t n, size_t size, void **out);
void cpu_arena_free(cpu_arena *a);

#endif
