/* A block of memory from which arrays are taken one after another, each at a multiple of 64 bytes. */
#ifndef ENDO_BASE_BLOCK_H
#define ENDO_BASE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

typedef struct endo_block {
    uint8_t *memory; /* NULL: only `used` is counted, to learn the size of the block */
    size_t used;     /* bytes */
} endo_block;

/* Takes an array of n elements of `size` bytes; NULL where the block has no memory. */
static inline void *endo_block_take(endo_block *b, size_t n, size_t size) {
    void *array = b->memory ? b->memory + b->used : NULL;
    b->used += (n * size + 63) & ~(size_t)63;
    return array;
}

#endif
