/* Tiles in host memory: what canvases and blends have in common. */
#include "tiles.h"

#include <string.h>

/* A large page of most systems. */
#define SLAB_STEP ((size_t)2 << 20)

static endo_status allocate_slab(void *owner, size_t size, void **memory) {
    const endo_canvas_tiles *tiles = owner;
    size_t held = tiles->held * tiles->tile_bytes;
    *memory = endo_memory_can_hold(held + size) ? endo_alloc(size, 1) : NULL;
    if (*memory) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %.1f MB of a panorama that takes %.1f MB", 1e-6 * (double)size,
                     1e-6 * (double)held);
}

static void release_slab(void *owner, void *memory) {
    (void)owner;
    endo_free(memory);
}

endo_slab_source cpu_slab_source(endo_canvas_tiles *tiles) {
    endo_slab_source source = {tiles, allocate_slab, release_slab, SLAB_STEP, 0};
    return source;
}

/* A new tile may have any bytes. */
static void clear_fresh(const endo_canvas_tiles *tiles, const endo_reach *reach, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t i = 0; i < reach->n; i++)
        if (reach->fresh[i]) memset(reach->memory[i], 0, tiles->tile_bytes);
}

endo_status cpu_take_tiles(endo_canvas_tiles *tiles, endo_reach *reach, const endo_frames_options *frame,
                           const endo_canvas_map *map, int threads) {
    endo_status status = endo_reach_find(reach, &tiles->extent, map, frame->width, frame->height);
    if (status == ENDO_OK) status = endo_canvas_tiles_take(tiles, reach);
    if (status != ENDO_OK) endo_reach_free(reach); /* it may be as large as what was refused */
    if (status == ENDO_OK && reach->n_fresh) clear_fresh(tiles, reach, threads);
    return status;
}
