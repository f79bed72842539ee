/* Frames without the distortion of their lens: positions are found once and kept. A frame is copied with an edge that goes on
 * as the frame ends, so that no loop asks where it ends; above it are some black pixels for what no frame shows. */
#include "cpu.h"

#include "base/threads.h"
#include "rules/lens.h"

#include <string.h>

/* Pixels that a frame is continued by on each side. */
#define EDGE 2
/* Rows above that, black in their first four pixels. */
#define BLACK 4

typedef struct cpu_lens {
    cpu_backend *backend;
    const endo_lens_table *table;
    ptrdiff_t stride; /* of a frame with its edge, pixels */
    int32_t *first;   /* of each pixel, as cpu_lens_row has them */
    uint16_t *weight;
} cpu_lens;

/* ------------------------------------------------------------------- positions */

static void find_row(const cpu_lens *l, int y) {
    const endo_lens_table *t = l->table;
    for (int x = 0; x < t->width; x++) {
        size_t at = (size_t)y * (size_t)t->width + (size_t)x;
        endo_lens_position p;
        l->first[at] = 0;
        l->weight[at] = 0;
        if (!endo_lens_find(t, x, y, &p)) continue;
        l->first[at] = (int32_t)((BLACK + EDGE + endo_lens_first(p.y)) * l->stride + EDGE + endo_lens_first(p.x));
        l->weight[at] = (uint16_t)endo_lens_weight(p);
    }
}

static void destroy(void *lens) {
    cpu_lens *l = lens;
    if (!l) return;
    endo_free(l->first);
    endo_free(l->weight);
    endo_free(l);
}

static endo_status create(void *backend, const endo_lens_table *table, void **lens) {
    cpu_lens *l = endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for a lens");
    size_t area = (size_t)table->width * (size_t)table->height;
    l->backend = backend;
    l->table = table;
    l->stride = table->width + 2 * EDGE;
    l->first = endo_alloc(area, sizeof *l->first);
    l->weight = endo_alloc(area, sizeof *l->weight);
    if (!l->first || !l->weight) {
        destroy(l);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for where a lens shows %d x %d pixels", table->width, table->height);
    }
    int threads = endo_frame_threads(l->backend->threads, area * (sizeof *l->first + sizeof *l->weight));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < table->height; y++) find_row(l, y);
    *lens = l;
    return ENDO_OK;
}

/* ----------------------------------------------------------------------- edges */

/* A row of the copy, of pixels of `size` bytes. */
static void continue_row(uint8_t *to, const uint8_t *from, int width, size_t size) {
    uint8_t *after = to + ((size_t)EDGE + (size_t)width) * size;
    memcpy(to + EDGE * size, from, (size_t)width * size);
    for (size_t i = 0; i < EDGE; i++) {
        memcpy(to + i * size, from, size);
        memcpy(after + i * size, after - size, size);
    }
}

static void continue_frame_row(const cpu_lens *l, const endo_lens_job *j, int y, uint8_t *copy) {
    size_t size = endo_pixel_size(j->type);
    size_t row = (size_t)endo_lens_within(y, l->table->height);
    const uint8_t *from = (const uint8_t *)j->pixels + row * (size_t)j->stride * size;
    continue_row(copy + (size_t)((BLACK + EDGE + y) * l->stride) * size, from, l->table->width, size);
}

static void blacken(const cpu_lens *l, size_t size, uint8_t *copy) {
    for (int y = 0; y < BLACK; y++) memset(copy + (size_t)(y * l->stride) * size, 0, 4 * size);
}

/* ---------------------------------------------------------------------- pixels */

static void make_row(const cpu_lens *l, const endo_lens_job *j, int y, const uint8_t *copy) {
    const cpu_lens_loops *loops = l->backend->variant->lens;
    size_t at = (size_t)y * (size_t)l->table->width;
    size_t to = (size_t)y * (size_t)j->out_stride;
    size_t pitch = (size_t)l->stride * endo_pixel_size(j->type);
    const cpu_lens_row row = {
        .rows = {copy, copy + pitch, copy + 2 * pitch, copy + 3 * pitch},
        .first = l->first + at,
        .weight = l->weight + at,
        .weights = l->table->weights,
        .n = l->table->width,
    };
    switch (j->type) {
    case ENDO_GREY8: loops->grey8(&row, (uint8_t *)j->out + to); break;
    case ENDO_GREY16: loops->grey16(&row, (uint16_t *)j->out + to); break;
    case ENDO_RGB32: loops->rgb(&row, (uint32_t *)j->out + to); break;
    }
}

static endo_status undistort(void *lens, const endo_lens_job *j) {
    const cpu_lens *l = lens;
    int height = l->table->height;
    size_t size = endo_pixel_size(j->type);
    size_t area = (size_t)l->stride * ((size_t)height + 2 * EDGE + BLACK);
    int threads = endo_frame_threads(l->backend->threads, area * size);
    uint8_t *copy = cpu_frame_scratch(l->backend, area, size);
    if (!copy) return endo_fail(ENDO_ERR_MEMORY, "no memory for a copy of a frame of %d x %d pixels", l->table->width, height);
    blacken(l, size, copy);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int y = -EDGE; y < height + EDGE; y++) continue_frame_row(l, j, y, copy);
#pragma omp for schedule(static)
        for (int y = 0; y < height; y++) make_row(l, j, y, copy);
    }
    cpu_frame_scratch_end(l->backend);
    return ENDO_OK;
}

const endo_lens_kernels cpu_lens_kernels = {
    .create = create,
    .destroy = destroy,
    .undistort = undistort,
};
