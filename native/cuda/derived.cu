/* One place for what is derived from frames (derived.h). */
#include "derived.h"

/* In the order of cuda_derived. */
static const cuda_derivation *const kinds[CUDA_DERIVED] = {&cuda_arrived, &cuda_enhanced, &cuda_pyramid, &cuda_fourier_levels,
                                                           &cuda_smoothed, &cuda_local_bitmaps, &cuda_small_bitmaps};

static int applies(const cuda_store *s, int kind) { return !kinds[kind]->applies || kinds[kind]->applies(s); }

void cuda_derived_take(cuda_store *s) {
    for (int kind = 0; kind < CUDA_DERIVED; kind++)
        if (kinds[kind]->take && applies(s, kind)) kinds[kind]->take(s);
}

endo_status cuda_derive(cuda_store *s, cuda_derived kind, const void *requests, size_t n, size_t size) {
    const cuda_derivation *d = kinds[kind];
    if (d->from != CUDA_DERIVED) ENDO_TRY(cuda_derive(s, d->from, requests, n, size));
    if (!applies(s, kind)) return ENDO_OK;
    size_t count = endo_slots_claim(&s->slots, kind, requests, n, size);
    if (count == 0) return ENDO_OK;
    endo_status status = d->build(s, s->slots.claimed, count);
    if (status != ENDO_OK) endo_slots_give_up(&s->slots, kind, count);
    return status;
}
