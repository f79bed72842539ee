/* Tiles in device memory: what canvases and blends have in common. */
#include "tiles.h"

/* At least a part in so many of what there is. */
#define SLAB_SHARE 8

static endo_status allocate_slab(void *owner, size_t size, void **memory) {
    return cuda_allocate((cuda_backend *)owner, memory, size);
}

static void release_slab(void *owner, void *memory) { cuda_release((cuda_backend *)owner, memory); }

endo_slab_source cuda_slab_source(cuda_backend *b, size_t step) {
    endo_slab_source source = {b, allocate_slab, release_slab, step, SLAB_SHARE};
    return source;
}

endo_status cuda_take_tiles(cuda_backend *b, endo_canvas_tiles *tiles, endo_reach *r, const endo_frames_options *frame,
                            const endo_canvas_map *map) {
    endo_status status = endo_reach_find(r, &tiles->extent, map, frame->width, frame->height);
    if (status == ENDO_OK) status = endo_canvas_tiles_take(tiles, r);
    if (status != ENDO_OK) endo_reach_free(r); /* it may be as large as what was refused */
    ENDO_TRY(status);
    for (size_t i = 0; r->n_fresh && i < r->n; i++)
        if (r->fresh[i]) ENDO_CUDA(b, cudaMemsetAsync(r->memory[i], 0, tiles->tile_bytes, b->stream));
    return ENDO_OK;
}
