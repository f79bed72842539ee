/* A blend in host memory, and what its tiles hold where (blend.c, blend_read.c). */
#ifndef ENDO_CPU_BLEND_TILES_H
#define ENDO_CPU_BLEND_TILES_H

#include "cpu.h"
#include "tiles.h"

enum { SIDE = ENDO_BLEND_SIDE, TILE_COLUMNS = ENDO_TILE_WIDTH / SIDE, TILE_ROWS = ENDO_TILE_HEIGHT / SIDE };

#define TILE_CELLS ((size_t)TILE_COLUMNS * TILE_ROWS)

/* Memory that grows with the frames and is kept. */
typedef struct cpu_workspace {
    void *memory;
    size_t bytes;
} cpu_workspace;

/* A tile is the sums of its pixels, then their coverage, then its cells: rows of CPU_CELL_PLANES planes. */
typedef struct cpu_blend {
    const cpu_backend *backend;
    endo_blend_setup setup;
    size_t size; /* bytes of a pixel's sums */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
    endo_blend_correction factors;
    int8_t taps[256][4];
    uint32_t tolerance;
    uint16_t votes[CPU_VOTES * ENDO_BLEND_TOLERANCE + 2]; /* and one that is only read */
    struct cpu_workspaces {
        cpu_workspace blocks, weights, inside;
    } workspaces[ENDO_BLEND_BATCH];
} cpu_blend;

static inline uint16_t *coverage_of(const cpu_blend *b, uint8_t *tile) { return (uint16_t *)(tile + ENDO_TILE_PIXELS * b->size); }

/* The cells of a tile's row of cells, 0 .. TILE_ROWS - 1. */
static inline uint32_t *cells_of(const cpu_blend *b, uint8_t *tile, int row) {
    return (uint32_t *)(coverage_of(b, tile) + ENDO_TILE_PIXELS) + (size_t)row * CPU_CELL_PLANES * TILE_COLUMNS;
}

/* The tile of a pixel of the blend; NULL: no frame has reached it. */
static inline uint8_t *tile_of(const cpu_blend *b, int x, int y) {
    const endo_canvas_extent *p = &b->tiles.extent;
    return endo_canvas_tile(&b->tiles, endo_tile_column(p->left + x), endo_tile_row(p->top + y));
}

/* Defined in blend_read.c, for the table in blend.c. */
endo_status cpu_blend_settle(void *blend);
endo_status cpu_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage);
endo_status cpu_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells);
/* n cells of a row of cells from x on. */
void cpu_blend_copy_cells(const cpu_blend *blend, int x, int y, int n, endo_blend_cell *cells);
/* Defined in blend_finish.c. */
endo_status cpu_blend_finish(void *blend, const endo_blend_view *view);

#endif
