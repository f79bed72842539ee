/* Transforms of whole images that turns and shifts keep with a store's frames. */
#include "chunks.h"
#include "fourier.cuh"

#include <string.h>

endo_status cuda_fourier_whole_begin(cuda_fourier_whole *w, size_t most) {
    size_t chunk = cuda_chunk_of(most, w->bytes_each);
    w->count = 0;
    w->slots = (int32_t *)endo_alloc(most, sizeof *w->slots);
    w->sources = (cuda_fourier_source *)endo_alloc(chunk, sizeof *w->sources + sizeof(float2 *));
    return w->slots && w->sources ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu images", most);
}

static cuda_fourier_kept *kept_of(const cuda_fourier_whole *w, int32_t slot) {
    return w->kept(&w->store->fourier->frames[slot]);
}

endo_status cuda_fourier_whole_want(cuda_fourier_whole *w, int32_t slot) {
    cuda_fourier_kept *k = kept_of(w, slot);
    if (k->is_there && !memcmp(&k->setup, w->setup, sizeof *w->setup)) return ENDO_OK;
    k->is_there = 1;
    k->setup = *w->setup;
    w->slots[w->count++] = slot;
    return cuda_reserve(w->store->backend, &k->values, w->numbers * sizeof(float2));
}

endo_status cuda_fourier_whole_send(const cuda_fourier_whole *w, size_t first, size_t n,
                                    const cuda_fourier_source **on_device, float2 *const **to) {
    cuda_backend *b = w->store->backend;
    float2 **pointers = (float2 **)(w->sources + n);
    for (size_t i = 0; i < n; i++) pointers[i] = (float2 *)kept_of(w, w->slots[first + i])->values.memory;
    ENDO_TRY(cuda_send(b, w->sources, n * (sizeof *w->sources + sizeof *pointers)));
    *on_device = (const cuda_fourier_source *)b->device_in.memory;
    *to = (float2 *const *)(*on_device + n);
    return ENDO_OK;
}

void cuda_fourier_whole_end(cuda_fourier_whole *w, endo_status status) {
    for (size_t i = 0; i < w->count && status != ENDO_OK; i++) kept_of(w, w->slots[i])->is_there = 0;
    endo_free(w->slots);
    endo_free(w->sources);
}
