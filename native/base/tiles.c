/* Finds the tiles that a frame reaches, by endo_canvas_span: the canvas is halved as long as the halves may have pixels of the
 * frame, and the rows of a tile are tested until all columns that they may have are known to be reached. */
#include "tiles.h"

#include "memory.h"
#include "status.h"

#include <string.h>

typedef struct search {
    endo_reach *reach;
    const endo_canvas_extent *extent;
    const endo_canvas_map *map;
    int width, height; /* size of the frame, px */
} search;

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of tiles"); }

/* Grows an array to at least n elements; its elements are kept. array: address of the pointer to it. */
static int reserve(void *array, size_t *capacity, size_t n, size_t size) {
    void *old;
    memcpy(&old, array, sizeof old);
    if (n <= *capacity) return 1;
    size_t wanted = 2 * *capacity > n ? 2 * *capacity : n;
    void *larger = endo_alloc(wanted, size);
    if (!larger) return 0;
    if (*capacity) memcpy(larger, old, *capacity * size);
    endo_free(old);
    memcpy(array, &larger, sizeof larger);
    *capacity = wanted;
    return 1;
}

static int reserve_tiles(endo_reach *r, size_t n) {
    size_t capacities[3] = {r->capacity, r->capacity, r->capacity};
    int made = reserve(&r->reached, &capacities[0], n, 1) && reserve(&r->fresh, &capacities[1], n, 1) &&
               reserve(&r->memory, &capacities[2], n, sizeof *r->memory);
    if (made) r->capacity = capacities[0];
    return made;
}

/* Columns of the canvas that the frame may reach in rows top .. bottom - 1; returns whether there are any. */
static int span_of(const search *s, int top, int bottom, int *from, int *to) {
    *from = 0;
    *to = s->extent->width;
    endo_canvas_span(s->map, top, bottom, s->width, s->height, from, to);
    return *from < *to;
}

/* Marks the tiles of a band that the frame reaches in rows top .. bottom - 1. */
static void mark(search *s, const endo_tile_band *band, int top, int bottom) {
    int from, to, middle = top + (bottom - top) / 2;
    if (top >= bottom || !span_of(s, top, bottom, &from, &to)) return;
    uint8_t *marks = s->reach->reached + band->first;
    int64_t first = endo_tile_column(s->extent->left + from) - band->column;
    int64_t last = endo_tile_column(s->extent->left + to - 1) - band->column;
    if (!memchr(marks + first, 0, (size_t)(last - first + 1))) return; /* all are marked already */
    if (bottom - top == 1) {
        memset(marks + first, 1, (size_t)(last - first + 1));
        return;
    }
    mark(s, band, middle, middle + 1);
    mark(s, band, top, middle);
    mark(s, band, middle + 1, bottom);
}

#define SLICE 16

/* Leaves out rows at the top and bottom that the frame does not reach; 0: no row is left. */
static int trim(const search *s, endo_tile_band *band) {
    int from, to;
    while (band->bottom - band->top > SLICE && !span_of(s, band->top, band->top + SLICE, &from, &to)) band->top += SLICE;
    while (band->bottom - band->top > SLICE && !span_of(s, band->bottom - SLICE, band->bottom, &from, &to))
        band->bottom -= SLICE;
    return span_of(s, band->top, band->bottom, &band->left, &band->right);
}

/* Keeps the tiles from the first to the last that is reached; returns how many are reached. */
static int keep_reached(endo_reach *r, endo_tile_band *band) {
    uint8_t *marks = r->reached + band->first;
    int first = 0, count = 0;
    while (band->n && !marks[band->n - 1]) band->n--;
    while (first < band->n && !marks[first]) first++;
    memmove(marks, marks + first, (size_t)(band->n - first));
    band->column += first;
    band->n -= first;
    for (int i = 0; i < band->n; i++) count += marks[i];
    r->n_reached += (size_t)count;
    return count;
}

/* Appends a band; rows of tiles in between, of which none is reached, get empty bands. */
static endo_status append(endo_reach *r, const endo_tile_band *band) {
    int64_t row = r->n_bands ? r->bands[r->n_bands - 1].row + 1 : band->row;
    size_t n = r->n_bands + (size_t)(band->row - row) + 1;
    if (!reserve(&r->bands, &r->band_capacity, n, sizeof *band)) return no_memory();
    while (row < band->row) r->bands[r->n_bands++] = (endo_tile_band){.row = row++, .first = band->first};
    r->bands[r->n_bands++] = *band;
    r->n += (size_t)band->n;
    return ENDO_OK;
}

static endo_status add_band(search *s, endo_tile_band band) {
    endo_reach *r = s->reach;
    if (!span_of(s, band.top, band.bottom, &band.left, &band.right) || !trim(s, &band)) return ENDO_OK;
    band.column = endo_tile_column(s->extent->left + band.left);
    band.n = (int)(endo_tile_column(s->extent->left + band.right - 1) - band.column + 1);
    band.first = r->n;
    if (!reserve_tiles(r, r->n + (size_t)band.n)) return no_memory();
    memset(r->reached + band.first, 0, (size_t)band.n);
    mark(s, &band, band.top, band.bottom);
    return keep_reached(r, &band) ? append(r, &band) : ENDO_OK;
}

/* Finds the tiles in rows of tiles first .. last. */
static endo_status find(search *s, int64_t first, int64_t last) {
    int64_t top = first * ENDO_TILE_HEIGHT - s->extent->top, bottom = (last + 1) * ENDO_TILE_HEIGHT - s->extent->top;
    if (top < 0) top = 0;
    if (bottom > s->extent->height) bottom = s->extent->height;
    endo_tile_band band = {.top = (int)top, .bottom = (int)bottom, .row = first};
    int from, to;
    if (first == last) return add_band(s, band);
    if (!span_of(s, band.top, band.bottom, &from, &to)) return ENDO_OK;
    int64_t middle = first + (last - first) / 2;
    endo_status status = find(s, first, middle);
    return status == ENDO_OK ? find(s, middle + 1, last) : status;
}

endo_status endo_reach_find(endo_reach *reach, const endo_canvas_extent *extent, const endo_canvas_map *map, int width,
                            int height) {
    search s = {reach, extent, map, width, height};
    reach->n_bands = reach->n = reach->n_reached = 0;
    return find(&s, endo_tile_row(extent->top), endo_tile_row(extent->top + extent->height - 1));
}

void endo_reach_free(endo_reach *reach) {
    endo_reach none = {0};
    endo_free(reach->bands);
    endo_free(reach->reached);
    endo_free(reach->memory);
    endo_free(reach->fresh);
    *reach = none;
}

static int least(int a, int64_t b) { return a < b ? a : (int)b; }

int endo_tile_next(endo_tile_walk *w, endo_tile_part *part) {
    if (w->top >= w->height) return 0;
    int64_t x = w->extent->left + w->x + w->left, y = w->extent->top + w->y + w->top;
    part->column = endo_tile_column(x);
    part->row = endo_tile_row(y);
    part->x = (int)(x - part->column * ENDO_TILE_WIDTH);
    part->y = (int)(y - part->row * ENDO_TILE_HEIGHT);
    part->left = w->left;
    part->top = w->top;
    part->width = least(w->width - w->left, ENDO_TILE_WIDTH - part->x);
    part->height = least(w->height - w->top, ENDO_TILE_HEIGHT - part->y);
    w->left += part->width;
    if (w->left == w->width) {
        w->left = 0;
        w->top += part->height;
    }
    return 1;
}
