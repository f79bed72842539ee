/* Whether two frames show the same, tile by tile (rules/agreement.h): a band of tiles at a time, pairs side by side. */
#include "cpu.h"

#include "../base/span.h"
#include "../rules/agreement.h"

#include <omp.h>
#include <string.h>

/* One tile of a band. */
typedef struct tile {
    endo_tile_sums sums;
    endo_comb_sums reference, current;
} tile;

/* One thread's memory: rows of the store's stride, and the tiles of a band. */
typedef struct workspace {
    uint8_t *warped, *valid;
    tile *tiles;
    int n_tiles;
} workspace;

static int to_of(int left, int width) { return left + ENDO_AGREEMENT_TILE < width ? left + ENDO_AGREEMENT_TILE : width; }

/* Masks of 255 or 0; both masks at once leave zeros, which add nothing. */
static void add_pixels(const uint8_t *reference, const workspace *w, const uint8_t *field, int from, int to,
                       endo_tile_sums *out) {
    int32_t n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = from; i < to; i++) {
        int32_t keep = w->valid[i] & field[i], a = reference[i] & keep, b = w->warped[i] & keep;
        n += keep & 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    out->n += n, out->x += x, out->y += y, out->xx += xx, out->yy += yy, out->xy += xy;
}

static void add_comb(const uint8_t *row, ptrdiff_t stride, const uint8_t *field, int from, int to, endo_comb_sums *out) {
    int32_t n = 0, one = 0, two = 0;
    for (int i = from; i < to; i++) {
        int32_t keep = -(field[i] & 1);
        int32_t a = keep & endo_comb_step(row[i], row[i - stride], row[i + stride]);
        int32_t b = keep & endo_comb_step(row[i], row[i - 2 * stride], row[i + 2 * stride]);
        n -= keep, one += a * a, two += b * b;
    }
    out->n += n, out->one += one, out->two += two;
}

/* The current frame along a row of the reference. */
static void warp_row(const cpu_store *s, const endo_mapped_pair *q, int y, workspace *w) {
    const int64_t *m = q->map.m;
    int width = s->options.width, from = 0, to = width;
    endo_row_span(&q->map, y, width, s->options.height, &from, &to);
    memset(w->valid, 0, width);
    if (from >= to) return;
    cpu_warp_row row = {s->frames[q->pair.current].plain, s->field->quads, s->stride, m[0] * from + m[1] * y + m[2],
                        m[3] * from + m[4] * y + m[5], m[0], m[3], to - from};
    s->backend->variant->warp->warp_row(&row, w->warped + from, w->valid + from);
}

static void add_row(const cpu_store *s, const endo_mapped_pair *q, int y, workspace *w) {
    ptrdiff_t at = y * s->stride;
    const uint8_t *reference = s->frames[q->pair.reference].plain + at, *field = s->field->mask + at;
    const uint8_t *current = s->frames[q->pair.current].plain + at;
    int width = s->options.width, inner = y >= 2 && y < s->options.height - 2;
    warp_row(s, q, y, w);
    for (int k = 0; k < w->n_tiles; k++) {
        int from = k * ENDO_AGREEMENT_TILE, to = to_of(from, width);
        add_pixels(reference, w, field, from, to, &w->tiles[k].sums);
        if (!inner) continue;
        add_comb(reference, s->stride, field, from, to, &w->tiles[k].reference);
        add_comb(current, s->stride, field, from, to, &w->tiles[k].current);
    }
}

static endo_agreement compare(const cpu_store *s, const endo_mapped_pair *q, workspace *w) {
    endo_agreement found = {0, 0};
    for (int top = 0; top < s->options.height; top += ENDO_AGREEMENT_TILE) {
        memset(w->tiles, 0, (size_t)w->n_tiles * sizeof *w->tiles);
        for (int y = top; y < to_of(top, s->options.height); y += ENDO_AGREEMENT_STEP) add_row(s, q, y, w);
        for (int k = 0; k < w->n_tiles; k++) {
            const tile *t = &w->tiles[k];
            if (t->sums.n < ENDO_AGREEMENT_LEAST) continue;
            found.tiles++;
            found.differing +=
                endo_tile_differs(&t->sums) || endo_is_combed(&t->reference) != endo_is_combed(&t->current);
        }
    }
    return found;
}

endo_status cpu_agreement(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                          endo_agreement *agreement) {
    (void)nothing;
    const cpu_store *s = store;
    int threads = cpu_threads(s->backend, n), n_tiles = (s->options.width + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    size_t row = ((size_t)s->stride + ENDO_PLANE_ROW + 63) & ~(size_t)63;
    size_t each = 2 * row + (((size_t)n_tiles * sizeof(tile) + 63) & ~(size_t)63);
    uint8_t *memory = endo_alloc((size_t)threads, each);
    if (!memory) return endo_fail(ENDO_ERR_MEMORY, "no memory to compare frames");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        uint8_t *own = memory + each * (size_t)omp_get_thread_num();
        workspace w = {own, own + row, (tile *)(own + 2 * row), n_tiles};
        agreement[i] = compare(s, &requests[i], &w);
    }
    endo_free(memory);
    return ENDO_OK;
}
