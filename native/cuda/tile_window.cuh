/* The tiles that a kernel works on, as its argument: a window of rows and columns of tiles. The host knows which there
 * are (base/canvas_tiles.h); nothing of it lies in device memory, so nothing has to wait for a copy. */
#ifndef ENDO_CUDA_TILE_WINDOW_CUH
#define ENDO_CUDA_TILE_WINDOW_CUH

#include "base/canvas_tiles.h"

#include <cuda_runtime.h>

#define BLOCK_X 32
#define BLOCK_Y 8
/* Tiles of a window: arguments of a kernel are at most 4 KB. */
#define WINDOW 256

/* Some rows and columns of tiles, and which pixels of the canvas a kernel looks at in them. */
typedef struct tile_window {
    int x, y;                     /* of the first tile's first pixel, on the canvas */
    int columns;                  /* tiles of a row */
    int left, top, right, bottom; /* right and bottom exclusive */
    uint8_t *tiles[WINDOW];       /* row by row; NULL: not painted */
} tile_window;

/* Where a block of threads begins: no block lies across the border of two tiles in a row, so that the threads of a warp
 * find the same tile. */
__host__ __device__ static inline int first_column(const tile_window &w) { return w.left - (w.left - w.x) % BLOCK_X; }

static inline dim3 grid_of(const tile_window &w) {
    return dim3((w.right - first_column(w) + BLOCK_X - 1) / BLOCK_X, (w.bottom - w.top + BLOCK_Y - 1) / BLOCK_Y);
}

__device__ static inline uint8_t *tile_at(const tile_window &w, int x, int y, size_t *at) {
    unsigned u = (unsigned)(x - w.x), v = (unsigned)(y - w.y);
    *at = (size_t)(v % ENDO_TILE_HEIGHT) * ENDO_TILE_WIDTH + u % ENDO_TILE_WIDTH;
    return w.tiles[v / ENDO_TILE_HEIGHT * w.columns + u / ENDO_TILE_WIDTH];
}

/* Begins at a tile; no tiles yet. */
static inline void window_begin(const endo_canvas_extent *p, int64_t column, int64_t row, int columns, tile_window *w) {
    w->x = (int)(column * ENDO_TILE_WIDTH - p->left), w->y = (int)(row * ENDO_TILE_HEIGHT - p->top);
    w->columns = columns;
    for (int i = 0; i < WINDOW; i++) w->tiles[i] = NULL;
}

/* ----------------------------------------------------- what a frame reaches */

/* Columns of tiles that `n` bands from the first on have together. */
static inline int64_t columns_of(const endo_tile_band *bands, size_t n, int64_t *first) {
    int64_t last = bands[0].column + bands[0].n;
    *first = bands[0].column;
    for (size_t i = 1; i < n; i++) {
        if (!bands[i].n) continue;
        if (bands[i].column < *first) *first = bands[i].column;
        if (bands[i].column + bands[i].n > last) last = bands[i].column + bands[i].n;
    }
    return last - *first;
}

/* How many bands, at least one, fit a window together. The first is not empty. */
static inline size_t bands_together(const endo_tile_band *bands, size_t most) {
    int64_t first;
    size_t n = 1;
    while (n < most && columns_of(bands, n + 1, &first) * (int64_t)(n + 1) <= WINDOW) n++;
    return n;
}

/* Fills a window with the tiles of n bands in `columns` columns of tiles from `first` on; returns how many tiles. */
static inline int fill_window(const endo_canvas_extent *place, const endo_reach *reach, const endo_tile_band *bands, size_t n,
                              int64_t first, int columns, tile_window *w) {
    int tiles = 0;
    window_begin(place, first, bands[0].row, columns, w);
    w->left = place->width, w->right = 0, w->top = bands[0].top, w->bottom = 0;
    for (size_t i = 0; i < n; i++) {
        const endo_tile_band *band = &bands[i];
        for (int k = 0; k < columns; k++) {
            int64_t at = first + k - band->column;
            if (at < 0 || at >= band->n || !reach->memory[band->first + at]) continue;
            w->tiles[i * columns + k] = reach->memory[band->first + at];
            tiles++;
        }
        if (!band->n) continue;
        if (band->left < w->left) w->left = band->left;
        if (band->right > w->right) w->right = band->right;
        w->bottom = band->bottom;
    }
    if (w->left < w->x) w->left = w->x;
    if (w->right > w->x + columns * ENDO_TILE_WIDTH) w->right = w->x + columns * ENDO_TILE_WIDTH;
    return w->left < w->right ? tiles : 0;
}

/* Window after window over what a frame reaches. */
typedef struct reach_walk {
    const endo_canvas_extent *place;
    const endo_reach *reach;
    size_t band, n; /* bands of the present row of windows; n 0: to be found */
    int64_t column; /* of it, done so far */
} reach_walk;

static inline reach_walk reach_begin(const endo_canvas_extent *place, const endo_reach *reach) {
    reach_walk walk = {place, reach, 0, 0, 0};
    return walk;
}

/* 0 after the last. */
static inline int reach_next(reach_walk *walk, tile_window *w) {
    const endo_reach *r = walk->reach;
    while (walk->band < r->n_bands) {
        const endo_tile_band *bands = r->bands + walk->band;
        if (!walk->n) walk->n = bands->n ? bands_together(bands, r->n_bands - walk->band) : 1;
        int64_t first = 0, columns = bands->n ? columns_of(bands, walk->n, &first) : 0;
        while (walk->column < columns) {
            int some = columns - walk->column < WINDOW ? (int)(columns - walk->column) : WINDOW;
            int64_t at = first + walk->column;
            walk->column += some;
            if (fill_window(walk->place, r, bands, walk->n, at, some, w)) return 1;
        }
        walk->band += walk->n, walk->n = 0, walk->column = 0;
    }
    return 0;
}

#endif
