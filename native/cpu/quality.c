/* The 5 x 5 measure of [S] section 3.3.1, pairs side by side. */
#include "derived.h"

#include "base/openmp.h"
#include "base/run_skipping.h"
#include "base/span.h"

#include <string.h>

#define TILES 5

typedef struct box {
    int left, top, right, bottom; /* inclusive */
} box;

/* One thread's images, with the store's stride. */
typedef struct workspace {
    uint8_t *warped, *unused; /* unused: 255 where not both frames show something */
} workspace;

static void include_run(box *b, const uint8_t *unused, int from, int to, int y) {
    from = endo_skip_forward(unused, from, to, 255);
    to = endo_skip_backward(unused, from, to, 255);
    if (from >= to) return;
    if (from < b->left) b->left = from;
    if (to - 1 > b->right) b->right = to - 1;
    if (y < b->top) b->top = y;
    b->bottom = y;
}

/* The current frame in the reference's coordinates. Returns the bounding box of what both show. */
static box warp(const cpu_store *s, const cpu_frame *current, const endo_fixed_affine *map, workspace *w) {
    int width = s->options.width, height = s->options.height;
    box bounds = {width, height, -1, -1};
    for (int y = 0; y < height; y++) {
        int from = 0, to = width;
        uint8_t *warped = w->warped + y * s->stride, *unused = w->unused + y * s->stride;
        const uint8_t *field = s->field->mask + y * s->stride;
        endo_row_span(map, y, width, height, &from, &to);
        memset(unused, 255, width);
        if (from >= to) continue;
        cpu_warp_row row = {current->plain, s->field->bilinear, s->stride, map->m[0] * from + map->m[1] * y + map->m[2],
                            map->m[3] * from + map->m[4] * y + map->m[5], map->m[0], map->m[3], to - from};
        s->backend->variant->warp->warp_row(&row, warped + from, unused + from);
        cpu_warp_unused(unused + from, field + from, to - from);
        include_run(&bounds, unused, from, to, y);
    }
    return bounds;
}

static double tile_coefficient(const cpu_store *s, const cpu_frame *reference, const workspace *w, int x0, int y0,
                               int x1, int y1) {
    ptrdiff_t at = y0 * s->stride + x0;
    cpu_masked_window window = {reference->plain + at, w->unused + at, w->warped + at, w->unused + at,
                                s->stride, x1 - x0, y1 - y0};
    endo_sums sums = {0, 0, 0, 0, 0, 0};
    if (x1 > x0 && y1 > y0) s->backend->variant->ncc->masked(&window, &sums);
    if (2 * sums.n < (int64_t)(x1 - x0) * (y1 - y0)) return NAN;
    return endo_coefficient(&sums);
}

static double mean_of_tiles(const cpu_store *s, const cpu_frame *reference, const workspace *w, const box *b) {
    int width = b->right - b->left + 1, height = b->bottom - b->top + 1, count = 0;
    double sum = 0;
    if (b->right < b->left) return NAN;
    for (int j = 0; j < TILES; j++)
        for (int i = 0; i < TILES; i++) {
            double c = tile_coefficient(s, reference, w, b->left + width * i / TILES, b->top + height * j / TILES,
                                        b->left + width * (i + 1) / TILES, b->top + height * (j + 1) / TILES);
            if (c == c) sum += c, count++;
        }
    return count ? sum / count : NAN;
}

endo_status cpu_quality(void *store, const endo_mapped_pair *requests, size_t n, const endo_nothing *nothing,
                        double *quality) {
    (void)nothing;
    cpu_store *s = store;
    ENDO_TRY(cpu_derive(s, CPU_GREY, requests, n, sizeof *requests));
    size_t area = ((size_t)s->stride * s->options.height + ENDO_PLANE_ROW + 63) & ~(size_t)63;
    int threads = cpu_threads(s->backend, n);
    uint8_t *images = cpu_frame_scratch(s->backend, 2 * (size_t)threads, area);
    if (!images) return endo_fail(ENDO_ERR_MEMORY, "no memory to warp frames");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        uint8_t *local = images + 2 * area * (size_t)omp_get_thread_num();
        workspace w = {local, local + area};
        const endo_mapped_pair *q = &requests[i];
        box bounds = warp(s, &s->frames[q->pair.current], &q->map, &w);
        quality[i] = mean_of_tiles(s, &s->frames[q->pair.reference], &w, &bounds);
    }
    cpu_frame_scratch_end(s->backend);
    return ENDO_OK;
}
