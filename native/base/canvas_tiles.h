/* The memory of a canvas: tiles that are allocated when something is first painted there, found by their numbers. The back
 * end decides whether their bytes are host or device memory.
 *
 * Tiles are cut from slabs, which are released when the canvas is destroyed; tiles that a canvas no longer needs are used
 * again. */
#ifndef ENDO_BASE_CANVAS_TILES_H
#define ENDO_BASE_CANVAS_TILES_H

#include "tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The allocator of slabs. */
typedef struct endo_slab_source {
    void *owner;
    endo_status (*allocate)(void *owner, size_t size, void **memory);
    void (*release)(void *owner, void *memory);
    size_t step; /* bytes that the size of a slab is a multiple of, if the canvas can ever use them */
    int share;   /* a slab has at least 1 / share of the tiles held so far; 0: no such limit */
} endo_slab_source;

typedef struct endo_tile {
    int64_t column, row;
    uint8_t *memory; /* NULL: none */
} endo_tile;

typedef struct endo_canvas_tiles {
    endo_canvas_extent extent;
    endo_slab_source source;
    size_t tile_bytes;
    endo_tile *table; /* by a hash of the numbers; at least half of the entries are free */
    size_t capacity;  /* entries of the table, a power of two */
    size_t n;         /* tiles in it */
    void **spare;     /* tiles that are not used; large enough for every tile of every slab */
    size_t n_spare, spare_capacity;
    void **slabs;
    size_t n_slabs, slab_capacity;
    size_t held; /* tiles of all slabs */
} endo_canvas_tiles;

/* Begins without tiles; allocates nothing. */
void endo_canvas_tiles_init(endo_canvas_tiles *tiles, int width, int height, size_t tile_bytes,
                            const endo_slab_source *source);
void endo_canvas_tiles_free(endo_canvas_tiles *tiles);

/* The memory of a tile; NULL: nothing was painted there. */
uint8_t *endo_canvas_tile(const endo_canvas_tiles *tiles, int64_t column, int64_t row);

/* Takes the tiles that a frame reaches: fills reach->memory, and reach->fresh for new tiles, which the caller must clear. On
 * failure no tile is taken. */
ENDO_NODISCARD endo_status endo_canvas_tiles_take(endo_canvas_tiles *tiles, endo_reach *reach);

/* Clears a rectangle of a tile. */
typedef endo_status (*endo_tile_clear)(void *owner, uint8_t *memory, int x, int y, int width, int height);

/* Changes the size as endo_canvas_resize does. Lack of memory leaves everything as it was. */
ENDO_NODISCARD endo_status endo_canvas_tiles_resize(endo_canvas_tiles *tiles, int width, int height, int dx, int dy,
                                                    endo_tile_clear clear, void *owner);

/* Makes every tile spare. */
void endo_canvas_tiles_clear(endo_canvas_tiles *tiles);

#ifdef __cplusplus
}
#endif
#endif
