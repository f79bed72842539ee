/* Device memory by the block (arena.h). */
#include "cuda.h"

#define ALIGNMENT ((size_t)256)
/* More than any memory: a sum that overflows stays here, and is refused. */
#define TOO_MUCH (SIZE_MAX / 2)

typedef struct cuda_arena_block {
    struct cuda_arena_block *before;
    size_t size;
    void *memory;
} cuda_arena_block;

static size_t part_size(size_t n, size_t size) {
    if (size && n > (TOO_MUCH - ALIGNMENT) / size) return TOO_MUCH;
    return (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *cuda_arena_take(cuda_arena *a, size_t n, size_t size) {
    size_t bytes = part_size(n, size);
    if (a->counted || !a->last || bytes > a->last->size - a->used) {
        a->counted = bytes > TOO_MUCH - a->counted ? TOO_MUCH : a->counted + bytes;
        return NULL;
    }
    void *part = (uint8_t *)a->last->memory + a->used;
    a->used += bytes;
    return part;
}

static endo_status fill_block(cuda_backend *b, cuda_arena_block *block) {
    ENDO_TRY(cuda_allocate(b, &block->memory, block->size));
    ENDO_CUDA(b, cudaMemsetAsync(block->memory, 0, block->size, b->stream));
    return ENDO_OK;
}

endo_status cuda_arena_grow(cuda_arena *a) {
    cuda_arena_block *block = (cuda_arena_block *)endo_alloc_zeroed(1, sizeof *block);
    size_t bytes = a->counted;
    a->counted = 0;
    if (!block) return endo_fail(ENDO_ERR_MEMORY, "no memory for images");
    block->size = bytes;
    endo_status status = fill_block(a->backend, block);
    if (status != ENDO_OK) {
        cuda_release(a->backend, block->memory);
        endo_free(block);
        return status;
    }
    block->before = a->last;
    a->last = block;
    a->used = 0;
    return ENDO_OK;
}

endo_status cuda_arena_add(cuda_arena *a, size_t n, size_t size, void **out) {
    a->counted = part_size(n, size);
    ENDO_TRY(cuda_arena_grow(a));
    *out = cuda_arena_take(a, n, size);
    return ENDO_OK;
}

void cuda_arena_free(cuda_arena *a) {
    while (a->last) {
        cuda_arena_block *before = a->last->before;
        cuda_release(a->backend, a->last->memory);
        endo_free(a->last);
        a->last = before;
    }
    a->used = a->counted = 0;
}
