/* Whether two frames show the same, tile by tile (rules/agreement.h): a band of tiles at a time, pairs side by side. */
#include "derived.h"

#include "base/openmp.h"
#include "base/span.h"
#include "rules/agreement.h"

#include <string.h>

/* How much the rows of a tile alternate. */
typedef struct combs {
    endo_comb_sums reference, current;
} combs;

/* One thread's memory for a band of tiles. Images have a row for each that is looked at, as far apart as those of a
 * frame. */
typedef struct workspace {
    uint8_t *warped, *unused; /* unused: 255 where not both frames show something */
    combs *combs;             /* of each tile */
    int n_tiles;
} workspace;

#define ROWS (ENDO_AGREEMENT_TILE / ENDO_AGREEMENT_STEP)

static ptrdiff_t row_stride(const cpu_store *s) { return ENDO_AGREEMENT_STEP * s->stride; }

static int end_of(int tile, int size) {
    return tile + ENDO_AGREEMENT_TILE < size ? tile + ENDO_AGREEMENT_TILE : size;
}

static void add_combs(const cpu_store *s, const endo_pair *pair, int y, workspace *w) {
    ptrdiff_t at = y * s->stride;
    const uint8_t *field = s->field->mask + at;
    for (int k = 0; k < w->n_tiles; k++) {
        int from = k * ENDO_AGREEMENT_TILE, n = end_of(from, s->options.width) - from;
        const cpu_warp_loops *loops = s->backend->variant->warp;
        loops->comb(s->frames[pair->reference].plain + at + from, s->stride, field + from, n, &w->combs[k].reference);
        loops->comb(s->frames[pair->current].plain + at + from, s->stride, field + from, n, &w->combs[k].current);
    }
}

/* The current frame along a row of the reference. */
static void warp_row(const cpu_store *s, const endo_mapped_pair *q, int y, uint8_t *warped, uint8_t *unused) {
    const int64_t *m = q->map.m;
    const uint8_t *field = s->field->mask + y * s->stride;
    int width = s->options.width, from = 0, to = width;
    endo_row_span(&q->map, y, width, s->options.height, &from, &to);
    memset(unused, 255, width);
    if (from >= to) return;
    cpu_warp_row row = {s->frames[q->pair.current].plain, s->field->bilinear, s->stride, m[0] * from + m[1] * y + m[2],
                        m[3] * from + m[4] * y + m[5], m[0], m[3], to - from};
    s->backend->variant->warp->warp_row(&row, warped + from, unused + from);
    cpu_warp_unused(unused + from, field + from, to - from);
}

/* The band of tiles from row `top` on. */
static void fill_band(const cpu_store *s, const endo_mapped_pair *q, int top, workspace *w) {
    memset(w->combs, 0, (size_t)w->n_tiles * sizeof *w->combs);
    for (int y = top; y < end_of(top, s->options.height); y += ENDO_AGREEMENT_STEP) {
        ptrdiff_t at = (y - top) / ENDO_AGREEMENT_STEP * row_stride(s);
        warp_row(s, q, y, w->warped + at, w->unused + at);
        if (y >= 2 && y < s->options.height - 2) add_combs(s, &q->pair, y, w);
    }
}

static endo_tile_sums tile_sums(const cpu_store *s, const endo_mapped_pair *q, int left, int top, const workspace *w) {
    const uint8_t *reference = s->frames[q->pair.reference].plain + top * s->stride + left;
    int rows = (end_of(top, s->options.height) - top + ENDO_AGREEMENT_STEP - 1) / ENDO_AGREEMENT_STEP;
    cpu_masked_window window = {reference, w->unused + left, w->warped + left, w->unused + left, row_stride(s),
                                end_of(left, s->options.width) - left, rows};
    endo_sums sums = {0, 0, 0, 0, 0, 0};
    s->backend->variant->ncc->masked(&window, &sums);
    endo_tile_sums tile = {(int32_t)sums.n,  (int32_t)sums.x,  (int32_t)sums.y,
                           (int32_t)sums.xx, (int32_t)sums.yy, (int32_t)sums.xy};
    return tile;
}

static endo_agreement compare(const cpu_store *s, const endo_mapped_pair *q, workspace *w) {
    endo_agreement found = {0, 0};
    for (int top = 0; top < s->options.height; top += ENDO_AGREEMENT_TILE) {
        fill_band(s, q, top, w);
        for (int k = 0; k < w->n_tiles; k++) {
            endo_tile_sums sums = tile_sums(s, q, k * ENDO_AGREEMENT_TILE, top, w);
            if (sums.n < ENDO_AGREEMENT_LEAST) continue;
            found.tiles++;
            const combs *c = &w->combs[k];
            found.differing += endo_tile_differs(&sums, endo_common_noise(&c->reference, &c->current)) ||
                               endo_is_combed(&c->reference) != endo_is_combed(&c->current);
        }
    }
    return found;
}

endo_status cpu_agreement(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                          endo_agreement *agreement) {
    (void)nothing;
    cpu_store *s = store;
    ENDO_TRY(cpu_derive(s, CPU_GREY, requests, n, sizeof *requests));
    int threads = cpu_threads(s->backend, n), n_tiles = (s->options.width + ENDO_AGREEMENT_TILE - 1) / ENDO_AGREEMENT_TILE;
    size_t image = ((size_t)(ROWS * row_stride(s)) + ENDO_PLANE_ROW + 63) & ~(size_t)63;
    size_t each = 2 * image + (((size_t)n_tiles * sizeof(combs) + 63) & ~(size_t)63);
    uint8_t *memory = endo_alloc((size_t)threads, each);
    if (!memory) return endo_fail(ENDO_ERR_MEMORY, "no memory to compare frames");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        uint8_t *local = memory + each * (size_t)omp_get_thread_num();
        workspace w = {local, local + image, (combs *)(local + 2 * image), n_tiles};
        agreement[i] = compare(s, &requests[i], &w);
    }
    endo_free(memory);
    return ENDO_OK;
}
