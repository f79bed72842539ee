/* Transforms of whole images that turns and shifts keep with a store's frames. */
#include "fourier.cuh"

#include <string.h>

endo_status cuda_fourier_whole_begin(cuda_fourier_whole *w, size_t most) {
    w->count = 0;
    w->slots = (int32_t *)endo_alloc(most, sizeof *w->slots);
    return w->slots ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for the spectra of %zu images", most);
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
    return cuda_reserve(w->store->backend, &k->values,
                        cuda_fft_spectrum(w->fft) * sizeof(float2) + cuda_fourier_squares(w->fft) * sizeof(double));
}

cuda_fourier_weighted cuda_fourier_whole_of(const cuda_fourier_whole *w, int32_t slot) {
    float2 *numbers = (float2 *)kept_of(w, slot)->values.memory;
    cuda_fourier_weighted made = {numbers, (double *)(numbers + cuda_fft_spectrum(w->fft))};
    return made;
}

void cuda_fourier_whole_end(cuda_fourier_whole *w, endo_status status) {
    for (size_t i = 0; i < w->count && status != ENDO_OK; i++) kept_of(w, w->slots[i])->is_there = 0;
    endo_free(w->slots);
}
