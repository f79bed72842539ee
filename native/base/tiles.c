/* Which tiles a frame reaches: halves of the canvas are looked at as long as they may have some of it, and the rows of a
 * tile until all columns that they may have are known to be reached. By endo_canvas_span. */
#include "tiles.h"

#include "memory.h"
#include "status.h"

#include <string.h>

typedef struct search {
    endo_reach *reach;
    const endo_canvas_place *place;
    const endo_canvas_map *map;
    int width, height; /* of the frame */
} search;

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of tiles"); }

/* Room for n elements in an array that keeps what it has. array: of a pointer. */
static int make_room(void *array, size_t *room, size_t n, size_t size) {
    void *old;
    memcpy(&old, array, sizeof old);
    if (n <= *room) return 1;
    size_t wanted = 2 * *room > n ? 2 * *room : n;
    void *larger = endo_alloc(wanted, size);
    if (!larger) return 0;
    if (*room) memcpy(larger, old, *room * size);
    endo_free(old);
    memcpy(array, &larger, sizeof larger);
    *room = wanted;
    return 1;
}

static int make_tile_room(endo_reach *r, size_t n) {
    size_t rooms[3] = {r->room, r->room, r->room};
    int made = make_room(&r->reached, &rooms[0], n, 1) && make_room(&r->fresh, &rooms[1], n, 1) &&
               make_room(&r->memory, &rooms[2], n, sizeof *r->memory);
    if (made) r->room = rooms[0];
    return made;
}

/* Columns of the canvas that rows top .. bottom - 1 may have. */
static int span_of(const search *s, int top, int bottom, int *from, int *to) {
    *from = 0, *to = s->place->width;
    endo_canvas_span(s->map, top, bottom, s->width, s->height, from, to);
    return *from < *to;
}

/* Marks what rows top .. bottom - 1 reach of a band whose marks begin at its first column. */
static void mark(search *s, const endo_tile_band *band, int top, int bottom) {
    int from, to, middle = top + (bottom - top) / 2;
    if (top >= bottom || !span_of(s, top, bottom, &from, &to)) return;
    uint8_t *marks = s->reach->reached + band->first;
    int64_t first = endo_tile_column(s->place->left + from) - band->column;
    int64_t last = endo_tile_column(s->place->left + to - 1) - band->column;
    if (!memchr(marks + first, 0, (size_t)(last - first + 1))) return; /* nothing left to find */
    if (bottom - top == 1) {
        memset(marks + first, 1, (size_t)(last - first + 1));
        return;
    }
    mark(s, band, middle, middle + 1);
    mark(s, band, top, middle);
    mark(s, band, middle + 1, bottom);
}

#define SLICE 16

/* Leaves out rows at the top and bottom that have nothing; 0: none is left. */
static int trim(const search *s, endo_tile_band *band) {
    int from, to;
    while (band->bottom - band->top > SLICE && !span_of(s, band->top, band->top + SLICE, &from, &to)) band->top += SLICE;
    while (band->bottom - band->top > SLICE && !span_of(s, band->bottom - SLICE, band->bottom, &from, &to))
        band->bottom -= SLICE;
    return span_of(s, band->top, band->bottom, &band->left, &band->right);
}

/* Keeps the tiles from the first to the last that is reached; 0: none is. */
static int keep_reached(endo_reach *r, endo_tile_band *band) {
    uint8_t *marks = r->reached + band->first;
    int first = 0, count = 0;
    while (band->n && !marks[band->n - 1]) band->n--;
    while (first < band->n && !marks[first]) first++;
    memmove(marks, marks + first, (size_t)(band->n - first));
    band->column += first, band->n -= first;
    for (int i = 0; i < band->n; i++) count += marks[i];
    r->n_reached += (size_t)count;
    return count;
}

/* Behind the last; rows of tiles between them, of which none is reached, have an empty band. */
static endo_status append(endo_reach *r, const endo_tile_band *band) {
    int64_t row = r->n_bands ? r->bands[r->n_bands - 1].row + 1 : band->row;
    size_t n = r->n_bands + (size_t)(band->row - row) + 1;
    if (!make_room(&r->bands, &r->band_room, n, sizeof *band)) return no_memory();
    while (row < band->row) r->bands[r->n_bands++] = (endo_tile_band){.row = row++, .first = band->first};
    r->bands[r->n_bands++] = *band;
    r->n += (size_t)band->n;
    return ENDO_OK;
}

static endo_status add_band(search *s, endo_tile_band band) {
    endo_reach *r = s->reach;
    if (!span_of(s, band.top, band.bottom, &band.left, &band.right) || !trim(s, &band)) return ENDO_OK;
    band.column = endo_tile_column(s->place->left + band.left);
    band.n = (int)(endo_tile_column(s->place->left + band.right - 1) - band.column + 1);
    band.first = r->n;
    if (!make_tile_room(r, r->n + (size_t)band.n)) return no_memory();
    memset(r->reached + band.first, 0, (size_t)band.n);
    mark(s, &band, band.top, band.bottom);
    return keep_reached(r, &band) ? append(r, &band) : ENDO_OK;
}

/* Rows of tiles first .. last. */
static endo_status find(search *s, int64_t first, int64_t last) {
    int64_t top = first * ENDO_TILE_HEIGHT - s->place->top, bottom = (last + 1) * ENDO_TILE_HEIGHT - s->place->top;
    if (top < 0) top = 0;
    if (bottom > s->place->height) bottom = s->place->height;
    endo_tile_band band = {.top = (int)top, .bottom = (int)bottom, .row = first};
    int from, to;
    if (first == last) return add_band(s, band);
    if (!span_of(s, band.top, band.bottom, &from, &to)) return ENDO_OK;
    int64_t middle = first + (last - first) / 2;
    endo_status status = find(s, first, middle);
    return status == ENDO_OK ? find(s, middle + 1, last) : status;
}

endo_status endo_reach_find(endo_reach *reach, const endo_canvas_place *place, const endo_canvas_map *map, int width,
                            int height) {
    search s = {reach, place, map, width, height};
    reach->n_bands = reach->n = reach->n_reached = 0;
    return find(&s, endo_tile_row(place->top), endo_tile_row(place->top + place->height - 1));
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
    int64_t x = w->place->left + w->x + w->left, y = w->place->top + w->y + w->top;
    part->column = endo_tile_column(x), part->row = endo_tile_row(y);
    part->x = (int)(x - part->column * ENDO_TILE_WIDTH), part->y = (int)(y - part->row * ENDO_TILE_HEIGHT);
    part->left = w->left, part->top = w->top;
    part->width = least(w->width - w->left, ENDO_TILE_WIDTH - part->x);
    part->height = least(w->height - w->top, ENDO_TILE_HEIGHT - part->y);
    w->left += part->width;
    if (w->left == w->width) w->left = 0, w->top += part->height;
    return 1;
}
