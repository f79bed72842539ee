/* Tiles by their numbers: a hash table with open addressing and linear probing. */
#include "canvas_tiles.h"

#include "memory.h"
#include "status.h"

#include <string.h>

void endo_canvas_tiles_init(endo_canvas_tiles *t, int width, int height, size_t tile_bytes,
                            const endo_slab_source *source) {
    endo_canvas_tiles empty = {.extent = {width, height, 0, 0}, .source = *source, .tile_bytes = tile_bytes};
    *t = empty;
}

void endo_canvas_tiles_free(endo_canvas_tiles *t) {
    for (size_t i = 0; i < t->n_slabs; i++) t->source.release(t->source.owner, t->slabs[i]);
    endo_free(t->slabs);
    endo_free(t->spare);
    endo_free(t->table);
    t->slabs = NULL;
    t->spare = NULL;
    t->table = NULL;
    t->capacity = t->n = t->n_spare = t->spare_capacity = t->n_slabs = t->slab_capacity = t->held = 0;
}

/* The entry of a tile in the table, or the free one where it belongs. */
static endo_tile *entry_of(endo_tile *table, size_t capacity, int64_t column, int64_t row) {
    uint64_t hash = (uint64_t)column * 0x9e3779b97f4a7c15u + (uint64_t)row * 0xc2b2ae3d27d4eb4fu;
    for (size_t i = (size_t)(hash >> 32);; i++) {
        endo_tile *tile = &table[i & (capacity - 1)];
        if (!tile->memory || (tile->column == column && tile->row == row)) return tile;
    }
}

uint8_t *endo_canvas_tile(const endo_canvas_tiles *t, int64_t column, int64_t row) {
    return t->n ? entry_of(t->table, t->capacity, column, row)->memory : NULL;
}

static void put(endo_tile *table, size_t capacity, int64_t column, int64_t row, uint8_t *memory) {
    endo_tile tile = {column, row, memory};
    *entry_of(table, capacity, column, row) = tile;
}

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of tiles"); }

/* Grows the table to at least twice as many entries as tiles; the old ones are moved into it. */
static endo_status make_table(endo_canvas_tiles *t, size_t tiles) {
    size_t capacity = t->capacity ? t->capacity : 64;
    while (capacity < 2 * tiles) capacity *= 2;
    if (capacity == t->capacity) return ENDO_OK;
    endo_tile *table = endo_alloc_zeroed(capacity, sizeof *table);
    if (!table) return no_memory();
    for (size_t i = 0; i < t->capacity; i++)
        if (t->table[i].memory) put(table, capacity, t->table[i].column, t->table[i].row, t->table[i].memory);
    endo_free(t->table);
    t->table = table;
    t->capacity = capacity;
    return ENDO_OK;
}

/* Grows an array to at least n pointers; the first `used` are kept. */
static endo_status reserve(void ***array, size_t *capacity, size_t used, size_t n) {
    if (n <= *capacity) return ENDO_OK;
    size_t wanted = 2 * *capacity > n ? 2 * *capacity : n;
    void **larger = endo_alloc(wanted, sizeof *larger);
    if (!larger) return no_memory();
    if (used) memcpy(larger, *array, used * sizeof *larger);
    endo_free(*array);
    *array = larger;
    *capacity = wanted;
    return ENDO_OK;
}

/* Number of tiles of the canvas that no slab holds yet. */
static size_t tiles_to_come(const endo_canvas_tiles *t) {
    const endo_canvas_extent *p = &t->extent;
    size_t columns = (size_t)(endo_tile_column(p->left + p->width - 1) - endo_tile_column(p->left) + 1);
    size_t rows = (size_t)(endo_tile_row(p->top + p->height - 1) - endo_tile_row(p->top) + 1);
    return columns * rows > t->held ? columns * rows - t->held : 0;
}

typedef struct slab_size {
    size_t tiles, bytes;
} slab_size;

/* The size of the next slab, which needs `least` tiles; 0 bytes: more than a size_t can count. */
static slab_size choose_slab(const endo_canvas_tiles *t, size_t least) {
    size_t step = t->source.step, most = tiles_to_come(t), share = t->source.share ? t->held / (size_t)t->source.share : 0;
    if (share > SIZE_MAX / 2 / t->tile_bytes || least > SIZE_MAX / 2 / t->tile_bytes) return (slab_size){least, 0};
    size_t bytes = ((share > least ? share : least) * t->tile_bytes + step - 1) / step * step;
    slab_size usual = {bytes / t->tile_bytes, bytes}, smallest = {least, least * t->tile_bytes};
    return usual.tiles <= most ? usual : smallest;
}

static endo_status allocate(endo_canvas_tiles *t, size_t bytes, void **slab) {
    if (!bytes) return endo_fail(ENDO_ERR_MEMORY, "no memory for so large a part of a canvas");
    return t->source.allocate(t->source.owner, bytes, slab);
}

/* Adds a slab of at least `least` tiles, all spare. */
static endo_status add_slab(endo_canvas_tiles *t, size_t least) {
    slab_size size = choose_slab(t, least);
    void *slab = NULL;
    endo_status status = reserve(&t->spare, &t->spare_capacity, t->n_spare, t->held + size.tiles);
    if (status == ENDO_OK) status = reserve(&t->slabs, &t->slab_capacity, t->n_slabs, t->n_slabs + 1);
    if (status != ENDO_OK) return status;
    status = allocate(t, size.bytes, &slab);
    if (status == ENDO_ERR_MEMORY && size.tiles > least) {
        size.tiles = least;
        status = allocate(t, least * t->tile_bytes, &slab);
    }
    if (status != ENDO_OK) return status;
    t->slabs[t->n_slabs++] = slab;
    t->held += size.tiles;
    for (size_t i = size.tiles; i-- > 0;) t->spare[t->n_spare++] = (uint8_t *)slab + i * t->tile_bytes;
    return ENDO_OK;
}

/* Fills reach->memory with the tiles that exist; returns how many are missing. */
static size_t look_up(const endo_canvas_tiles *t, endo_reach *reach) {
    size_t missing = 0;
    for (size_t b = 0; b < reach->n_bands; b++) {
        const endo_tile_band *band = &reach->bands[b];
        for (int i = 0; i < band->n; i++) {
            size_t at = band->first + (size_t)i;
            reach->memory[at] = reach->reached[at] ? endo_canvas_tile(t, band->column + i, band->row) : NULL;
            reach->fresh[at] = reach->reached[at] && !reach->memory[at];
            missing += reach->fresh[at];
        }
    }
    return missing;
}

endo_status endo_canvas_tiles_take(endo_canvas_tiles *t, endo_reach *reach) {
    size_t missing = reach->n_fresh = look_up(t, reach);
    if (!missing) return ENDO_OK;
    endo_status status = make_table(t, t->n + missing);
    if (status == ENDO_OK && missing > t->n_spare) status = add_slab(t, missing - t->n_spare);
    if (status != ENDO_OK) return status;
    for (size_t b = 0; b < reach->n_bands; b++) {
        const endo_tile_band *band = &reach->bands[b];
        for (int i = 0; i < band->n; i++) {
            size_t at = band->first + (size_t)i;
            if (!reach->fresh[at]) continue;
            reach->memory[at] = t->spare[--t->n_spare];
            put(t->table, t->capacity, band->column + i, band->row, reach->memory[at]);
        }
    }
    t->n += missing;
    return ENDO_OK;
}

void endo_canvas_tiles_clear(endo_canvas_tiles *t) {
    for (size_t i = 0; i < t->capacity; i++) {
        if (t->table[i].memory) t->spare[t->n_spare++] = t->table[i].memory;
        t->table[i].memory = NULL;
    }
    t->n = 0;
}

/* ------------------------------------------------------------------ resize */

/* The share of a tile in the canvas: columns x0 .. x1 - 1 of rows y0 .. y1 - 1, empty unless x0 < x1 and y0 < y1. */
typedef struct tile_share {
    int64_t x0, y0, x1, y1;
} tile_share;

static tile_share share_of(const endo_canvas_extent *p, const endo_tile *tile) {
    int64_t x = p->left - tile->column * ENDO_TILE_WIDTH, y = p->top - tile->row * ENDO_TILE_HEIGHT;
    tile_share s = {x > 0 ? x : 0, y > 0 ? y : 0, x + p->width, y + p->height};
    if (s.x1 > ENDO_TILE_WIDTH) s.x1 = ENDO_TILE_WIDTH;
    if (s.y1 > ENDO_TILE_HEIGHT) s.y1 = ENDO_TILE_HEIGHT;
    return s;
}

static int is_empty(const tile_share *s) { return s->x0 >= s->x1 || s->y0 >= s->y1; }

/* Clears the pixels of a tile outside its share: rows above and below, columns at both sides. */
static endo_status clear_outside(const tile_share *s, const endo_tile *tile, endo_tile_clear clear, void *owner) {
    const int64_t outside[4][4] = {{0, 0, ENDO_TILE_WIDTH, s->y0},
                                   {0, s->y1, ENDO_TILE_WIDTH, ENDO_TILE_HEIGHT},
                                   {0, s->y0, s->x0, s->y1},
                                   {s->x1, s->y0, ENDO_TILE_WIDTH, s->y1}};
    for (int i = 0; i < 4; i++) {
        int width = (int)(outside[i][2] - outside[i][0]), height = (int)(outside[i][3] - outside[i][1]);
        if (width <= 0 || height <= 0) continue;
        ENDO_TRY(clear(owner, tile->memory, (int)outside[i][0], (int)outside[i][1], width, height));
    }
    return ENDO_OK;
}

/* Makes a new table without the tiles outside the extent, which become spare; tiles on its border are cleared beyond it. */
static endo_status drop(endo_canvas_tiles *t, const endo_canvas_extent *extent, endo_tile_clear clear, void *owner) {
    endo_tile *table = t->capacity ? endo_alloc_zeroed(t->capacity, sizeof *table) : NULL;
    if (t->capacity && !table) return no_memory();
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < t->capacity; i++) {
        const endo_tile *tile = &t->table[i];
        if (!tile->memory) continue;
        tile_share share = share_of(extent, tile);
        if (is_empty(&share)) {
            t->spare[t->n_spare++] = tile->memory;
            t->n--;
            continue;
        }
        put(table, t->capacity, tile->column, tile->row, tile->memory);
        if (status == ENDO_OK) status = clear_outside(&share, tile, clear, owner);
    }
    endo_free(t->table);
    t->table = table;
    return status;
}

endo_status endo_canvas_tiles_resize(endo_canvas_tiles *t, int width, int height, int dx, int dy, endo_tile_clear clear,
                                     void *owner) {
    const endo_canvas_extent *old = &t->extent;
    endo_canvas_extent extent = {width, height, old->left - dx, old->top - dy};
    int grows = dx >= 0 && dy >= 0 && (int64_t)width - dx >= old->width && (int64_t)height - dy >= old->height;
    endo_status status = grows || !t->n ? ENDO_OK : drop(t, &extent, clear, owner);
    if (status != ENDO_OK) return status;
    if (!t->n) extent.left = extent.top = 0;
    t->extent = extent;
    return ENDO_OK;
}
