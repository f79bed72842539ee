/* Memory by the block (arena.h). */
#include "arena.h"

#include "base/pages.h"
#include "base/status.h"

#include <stdint.h>

#define ALIGNMENT ((size_t)64)
/* More than any memory: a sum that overflows stays here, and is refused. */
#define TOO_MUCH (SIZE_MAX / 2)

/* At the beginning of its own memory. */
typedef struct cpu_arena_block {
    struct cpu_arena_block *before;
    size_t size; /* with this */
} cpu_arena_block;

static size_t part_size(size_t n, size_t size) {
    if (size && n > (TOO_MUCH - ALIGNMENT) / size) return TOO_MUCH;
    return (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *cpu_arena_take(cpu_arena *a, size_t n, size_t size) {
    size_t bytes = part_size(n, size);
    if (a->counted || !a->last || bytes > a->last->size - a->used) {
        a->counted = bytes > TOO_MUCH - a->counted ? TOO_MUCH : a->counted + bytes;
        return NULL;
    }
    void *part = (uint8_t *)a->last + a->used;
    a->used += bytes;
    return part;
}

endo_status cpu_arena_grow(cpu_arena *a) {
    size_t bytes = a->counted + ALIGNMENT;
    a->counted = 0;
    cpu_arena_block *block = bytes > TOO_MUCH ? NULL : endo_pages_alloc(bytes);
    if (!block) return endo_fail(ENDO_ERR_MEMORY, "no memory for %.1f MB of images", (double)bytes / 1e6);
    block->before = a->last;
    block->size = bytes;
    a->last = block;
    a->used = ALIGNMENT;
    return ENDO_OK;
}

endo_status cpu_arena_add(cpu_arena *a, size_t n, size_t size, void **out) {
    a->counted = part_size(n, size);
    endo_status status = cpu_arena_grow(a);
    if (status == ENDO_OK) *out = cpu_arena_take(a, n, size);
    return status;
}

void cpu_arena_free(cpu_arena *a) {
    while (a->last) {
        cpu_arena_block *before = a->last->before;
        endo_pages_free(a->last, a->last->size);
        a->last = before;
    }
    a->used = a->counted = 0;
}
