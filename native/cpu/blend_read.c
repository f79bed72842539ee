/* Reading a blend in host memory: its cells are settled, its sums and cells copied out of the tiles. */
#include "blend_tiles.h"

#include <string.h>

endo_status cpu_blend_settle(void *blend) {
    const cpu_blend *b = blend;
    for (size_t i = 0; i < b->tiles.capacity; i++) {
        uint8_t *tile = b->tiles.table[i].memory;
        for (int row = 0; tile && row < TILE_ROWS; row++)
            for (int k = 0; k < TILE_COLUMNS; k++) {
                uint32_t *at = cells_of(b, tile, row) + k;
                endo_blend_cell cell = cpu_blend_cell(at, TILE_COLUMNS);
                endo_blend_settle(&cell);
                cpu_blend_set_cell(at, TILE_COLUMNS, &cell);
            }
    }
    return ENDO_OK;
}

/* n elements, zeros from NULL. */
static void copy_run(void *to, const void *from, size_t n, size_t size) {
    if (from) memcpy(to, from, n * size);
    else memset(to, 0, n * size);
}

endo_status cpu_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    const cpu_blend *b = blend;
    endo_tile_walk walk = {&b->tiles.extent, x, y, width, height, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);) {
        uint8_t *tile = endo_canvas_tile(&b->tiles, p.column, p.row);
        for (int v = 0; v < p.height; v++) {
            size_t from = (size_t)(p.y + v) * ENDO_TILE_WIDTH + (size_t)p.x, to = (size_t)(p.top + v) * width + p.left;
            copy_run((uint8_t *)sums + to * b->size, tile ? tile + from * b->size : NULL, (size_t)p.width, b->size);
            copy_run(coverage + to, tile ? coverage_of(b, tile) + from : NULL, (size_t)p.width, sizeof *coverage);
        }
    }
    return ENDO_OK;
}

void cpu_blend_copy_cells(const cpu_blend *b, int x, int y, int n, endo_blend_cell *cells) {
    for (int i = 0, some; i < n; i += some) {
        int column = (x + i) % TILE_COLUMNS;
        uint8_t *tile = tile_of(b, (x + i) * SIDE, y * SIDE);
        some = TILE_COLUMNS - column < n - i ? TILE_COLUMNS - column : n - i;
        if (!tile) memset(cells + i, 0, (size_t)some * sizeof *cells);
        const uint32_t *at = tile ? cells_of(b, tile, y % TILE_ROWS) + column : NULL;
        for (int k = 0; k < some && tile; k++) cells[i + k] = cpu_blend_cell(at + k, TILE_COLUMNS);
    }
}

endo_status cpu_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    for (int v = 0; v < height; v++) cpu_blend_copy_cells(blend, x, y + v, width, cells + (size_t)v * width);
    return ENDO_OK;
}
