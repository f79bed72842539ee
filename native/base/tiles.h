/* The arithmetic of tiles: canvases lie on a plane without borders that is cut into tiles. A canvas is a rectangle over it:
 * growing, on whichever side, moves the rectangle and no pixel. canvas_tiles.h has the memory. */
#ifndef ENDO_BASE_TILES_H
#define ENDO_BASE_TILES_H

#include "projection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a tile, px: multiples of 32 and 8, the size that a block of a device paints. */
#define ENDO_TILE_WIDTH 512
#define ENDO_TILE_HEIGHT 128
#define ENDO_TILE_PIXELS ((size_t)ENDO_TILE_WIDTH * ENDO_TILE_HEIGHT)

/* Number of the tile that holds a coordinate of the plane, which may be negative. */
static inline int64_t endo_tile_column(int64_t x) { return (x - (x < 0 ? ENDO_TILE_WIDTH - 1 : 0)) / ENDO_TILE_WIDTH; }
static inline int64_t endo_tile_row(int64_t y) { return (y - (y < 0 ? ENDO_TILE_HEIGHT - 1 : 0)) / ENDO_TILE_HEIGHT; }

/* The rectangle of a canvas: its pixel (0, 0) is the plane's (left, top). */
typedef struct endo_canvas_extent {
    int width, height;
    int64_t left, top;
} endo_canvas_extent;

/* The tiles of one row of tiles that a frame reaches. */
typedef struct endo_tile_band {
    int top, bottom, left, right; /* bounding box on the canvas, px, right and bottom exclusive */
    int64_t row, column;          /* numbers of the first tile reached */
    int n;                        /* tiles from there to the last one reached; 0: none */
    size_t first;                 /* index of the first tile in the arrays of endo_reach */
} endo_tile_band;

/* The tiles that a frame reaches: those with a pixel whose position in the frame lies within its pixel centres; for a
 * homography also some a few pixels around it. */
typedef struct endo_reach {
    endo_tile_band *bands; /* one for each row of tiles from the first reached to the last */
    size_t n_bands, n, n_reached;
    uint8_t *reached; /* n flags, band by band */
    uint8_t **memory; /* set by endo_canvas_tiles_take: the memory of tiles that are reached, else NULL */
    uint8_t *fresh;   /* set by endo_canvas_tiles_take: flags of tiles that are new, whose bytes are not set */
    size_t n_fresh;
    size_t band_capacity; /* elements of `bands` */
    size_t capacity;      /* elements of the other arrays */
} endo_reach;

/* Finds the tiles of a frame of width x height pixels. map: canvas -> frame. reach is all zero before its first use, and
 * keeps its memory for the next. Fails for lack of memory only. */
ENDO_NODISCARD endo_status endo_reach_find(endo_reach *reach, const endo_canvas_extent *extent, const endo_canvas_map *map,
                                           int width, int height);
void endo_reach_free(endo_reach *reach);

/* The part of a rectangle of the canvas that lies in one tile, px. */
typedef struct endo_tile_part {
    int64_t column, row; /* numbers of the tile */
    int x, y;            /* position in the tile */
    int width, height;
    int left, top; /* position in the rectangle */
} endo_tile_part;

/* A walk over a rectangle of the canvas, tile by tile and row by row. All but the first five members begin as 0. */
typedef struct endo_tile_walk {
    const endo_canvas_extent *extent;
    int x, y, width, height; /* the rectangle, px of the canvas */
    int left, top;           /* position of the next part in it */
} endo_tile_walk;

/* The next part of the rectangle; 0 after the last. */
int endo_tile_next(endo_tile_walk *walk, endo_tile_part *part);

#ifdef __cplusplus
}
#endif
#endif
