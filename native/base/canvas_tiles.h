/* The memory of a canvas: tiles that are taken when something is first painted there, found by their numbers. Where a
 * tile's bytes lie, host or device, is the back end's: here they are only handed out.
 *
 * Tiles are cut from slabs. A slab goes back when the canvas is destroyed; tiles that a canvas no longer needs are the
 * next to be handed out. */
#ifndef ENDO_BASE_CANVAS_TILES_H
#define ENDO_BASE_CANVAS_TILES_H

#include "tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where slabs come from. */
typedef struct endo_slab_source {
    void *owner;
    endo_status (*allocate)(void *owner, size_t size, void **memory);
    void (*release)(void *owner, void *memory);
    size_t step; /* a slab is a multiple of so many bytes, if the canvas can ever use them */
    int share;   /* and at least one part in so many of what there is; 0: need not be */
} endo_slab_source;

typedef struct endo_tile {
    int64_t column, row;
    uint8_t *memory; /* NULL: none */
} endo_tile;

typedef struct endo_canvas_tiles {
    endo_canvas_place place;
    endo_slab_source source;
    size_t tile_bytes;
    endo_tile *table; /* by a hash of the numbers; a power of two, at least half of it free */
    size_t room, n;
    void **spare; /* has room for every tile of every slab */
    size_t n_spare, spare_room;
    void **slabs;
    size_t n_slabs, slab_room, held; /* held: tiles of all slabs */
} endo_canvas_tiles;

/* No tile yet, and no memory. */
void endo_canvas_tiles_init(endo_canvas_tiles *tiles, int width, int height, size_t tile_bytes,
                            const endo_slab_source *source);
void endo_canvas_tiles_free(endo_canvas_tiles *tiles);

/* NULL: nothing was painted there. */
uint8_t *endo_canvas_tile(const endo_canvas_tiles *tiles, int64_t column, int64_t row);

/* Fills reach->memory, and reach->fresh for tiles that are new: the caller clears these. All or nothing. */
ENDO_NODISCARD endo_status endo_canvas_tiles_take(endo_canvas_tiles *tiles, endo_reach *reach);

/* Clears a part of a tile. */
typedef endo_status (*endo_tile_clear)(void *owner, uint8_t *memory, int x, int y, int width, int height);

/* As endo_canvas_resize. Lack of memory leaves everything as it was. */
ENDO_NODISCARD endo_status endo_canvas_tiles_resize(endo_canvas_tiles *tiles, int width, int height, int dx, int dy,
                                                    endo_tile_clear clear, void *owner);

/* Nothing is painted any more. */
void endo_canvas_tiles_clear(endo_canvas_tiles *tiles);

#ifdef __cplusplus
}
#endif
#endif
