/* A block of memory that is handed out part by part, each at a multiple of 64 bytes. */
#ifndef ENDO_BASE_BLOCK_H
#define ENDO_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Without `memory`, only the sizes count. */
typedef struct endo_block {
    uint8_t *memory;
    size_t used; /* bytes */
} endo_block;

/* n elements of `size` bytes; NULL without memory. */
static inline void *endo_block_take(endo_block *b, size_t n, size_t size) {
    void *part = b->memory ? b->memory + b->used : NULL;
    b->used += (n * size + 63) & ~(size_t)63;
    return part;
}

#endif
