/* Canvases lie on a plane without borders that is cut into tiles. A canvas is a rectangle over it: growing, on
 * whichever side, moves the rectangle and no pixel. Here is arithmetic only; canvas_tiles.h keeps the memory. */
#ifndef ENDO_BASE_TILES_H
#define ENDO_BASE_TILES_H

#include "projection.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Multiples of 32 and 8, what a block of a device paints. */
#define ENDO_TILE_WIDTH 512
#define ENDO_TILE_HEIGHT 128
#define ENDO_TILE_PIXELS ((size_t)ENDO_TILE_WIDTH * ENDO_TILE_HEIGHT)

/* Number of the tile that holds a place of the plane, which may be negative. */
static inline int64_t endo_tile_column(int64_t x) { return (x - (x < 0 ? ENDO_TILE_WIDTH - 1 : 0)) / ENDO_TILE_WIDTH; }
static inline int64_t endo_tile_row(int64_t y) { return (y - (y < 0 ? ENDO_TILE_HEIGHT - 1 : 0)) / ENDO_TILE_HEIGHT; }

/* Where a canvas lies: its pixel (0, 0) is the plane's (left, top). */
typedef struct endo_canvas_place {
    int width, height;
    int64_t left, top;
} endo_canvas_place;

/* What one row of tiles has of a frame. */
typedef struct endo_tile_band {
    int top, bottom, left, right; /* of the canvas, right and bottom exclusive: no pixel of the frame lies outside */
    int64_t row, column;          /* of the first tile reached */
    int n;                        /* tiles to the last that is reached; 0: none is */
    size_t first;                 /* the number of the first in endo_reach */
} endo_tile_band;

/* The tiles that a frame reaches: those with a pixel whose place in the frame lies within its pixel centres; of a
 * homography also some a few pixels around it. */
typedef struct endo_reach {
    endo_tile_band *bands; /* from the first row of tiles that has one that is reached to the last, without a gap */
    size_t n_bands, n, n_reached;
    uint8_t *reached; /* n flags, band by band */
    /* Filled by endo_canvas_tiles_take. */
    uint8_t **memory; /* of tiles that are reached, else NULL */
    uint8_t *fresh;   /* flags: the tile is new, and has any bytes */
    size_t n_fresh;
    size_t band_room, room; /* of the arrays */
} endo_reach;

/* Finds the tiles of a frame of width x height pixels. map: canvas -> frame. reach is all zero before its first use, and
 * keeps its memory for the next. Fails for lack of memory only. */
ENDO_NODISCARD endo_status endo_reach_find(endo_reach *reach, const endo_canvas_place *place, const endo_canvas_map *map,
                                           int width, int height);
void endo_reach_free(endo_reach *reach);

/* One tile's share of a rectangle of the canvas. */
typedef struct endo_tile_part {
    int64_t column, row;
    int x, y; /* in the tile */
    int width, height;
    int left, top; /* in the rectangle */
} endo_tile_part;

/* A rectangle tile by tile, row after row of them. Begin with all zero but the first five members. */
typedef struct endo_tile_walk {
    const endo_canvas_place *place;
    int x, y, width, height;
    int left, top; /* of the next part */
} endo_tile_walk;

/* 0 after the last part. */
int endo_tile_next(endo_tile_walk *walk, endo_tile_part *part);

#ifdef __cplusplus
}
#endif
#endif
