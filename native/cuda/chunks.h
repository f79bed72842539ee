/* Many items in several launches: what a grid holds in y and z, and what their scratch memory may take, bounds one. */
#ifndef ENDO_CUDA_CHUNKS_H
#define ENDO_CUDA_CHUNKS_H

#include "cuda.h"

/* Blocks of a grid in y or in z. */
#define CUDA_GRID_LIMIT 65535
/* Scratch memory of one launch, unless a single item needs more. */
#define CUDA_CHUNK_BYTES ((size_t)512 << 20)

/* Items of a chunk: at least one. */
static inline size_t cuda_chunk_of(size_t n, size_t bytes_each) {
    size_t most = bytes_each ? CUDA_CHUNK_BYTES / bytes_each : n;
    if (most > CUDA_GRID_LIMIT) most = CUDA_GRID_LIMIT;
    if (most > n) most = n;
    return most < 1 ? 1 : most;
}

/* Items first .. first + n - 1. */
typedef endo_status (*cuda_chunk_launch)(void *job, size_t first, size_t n);

/* Stops at the first failure. */
static inline endo_status cuda_in_chunks(size_t n, size_t bytes_each, cuda_chunk_launch launch, void *job) {
    size_t chunk = cuda_chunk_of(n, bytes_each);
    for (size_t first = 0; first < n; first += chunk) ENDO_TRY(launch(job, first, n - first < chunk ? n - first : chunk));
    return ENDO_OK;
}

#endif
