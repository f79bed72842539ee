/* The grey image that matching works on where a store is made with `enhance`. Nothing is interpolated in it: its last
 * column and row are not repeated. */
#include "ahe.cuh"
#include "derived.h"

static int applies(const cuda_store *s) { return s->options.enhance != 0; }

static void take(cuda_store *s) { s->grey = cuda_store_plane(s, ENDO_PLANE_U8, s->options.capacity).samples; }

static endo_status enhance(const cuda_store *s, int slot) {
    const uint8_t *plain = s->plain + slot * s->area;
    uint8_t *grey = s->grey + slot * s->area;
    endo_ahe_job job = endo_enhance_job(&s->options, plain, s->stride, grey, s->enhance_clip);
    return cuda_ahe_device(s->backend, &job, plain, s->stride, grey, s->stride);
}

/* One after the other: each fills the device. */
static endo_status build(cuda_store *s, const int32_t *slots, size_t n) {
    for (size_t i = 0; i < n; i++) ENDO_TRY(enhance(s, slots[i]));
    return ENDO_OK;
}

extern const cuda_derivation cuda_enhanced = {
    .from = CUDA_ARRIVED,
    .applies = applies,
    .take = take,
    .build = build,
};
