/* Frames without the distortion of their lens: positions are found once and kept. The loops make the pixels whose 4 x 4 pixels
 * all lie in the frame, which are a run of each row and nearly all there are; beside these runs each pixel is made by itself. */
#include "cpu.h"

#include "base/threads.h"
#include "rules/lens.h"

#include <string.h>

/* Values that stand for the index of the first pixel about a position: no frame shows it; the frame lacks some of the 4 x 4
 * pixels. */
#define NOWHERE (-1)
#define BESIDE (-2)

/* Pixels of a row, from `from` on and before `to`. */
typedef struct run {
    int from, to;
} run;

typedef struct cpu_lens {
    cpu_backend *backend;
    const endo_lens_table *table;
    int32_t *first; /* of each pixel, as cpu_lens_row has them, where rows follow one another */
    uint16_t *weight;
    run *inside; /* of each row */
} cpu_lens;

/* ------------------------------------------------------------------- positions */

static int32_t first_about(const endo_lens_table *t, endo_lens_position p) {
    int x = endo_lens_first(p.x);
    int y = endo_lens_first(p.y);
    int has_all = x >= 0 && y >= 0 && x + 4 <= t->width && y + 4 <= t->height;
    return has_all ? y * t->width + x : BESIDE;
}

static void find_row(const cpu_lens *l, int y) {
    const endo_lens_table *t = l->table;
    int32_t *first = l->first + (size_t)y * (size_t)t->width;
    uint16_t *weight = l->weight + (size_t)y * (size_t)t->width;
    for (int x = 0; x < t->width; x++) {
        endo_lens_position p = {0, 0};
        first[x] = endo_lens_find(t, x, y, &p) ? first_about(t, p) : NOWHERE;
        weight[x] = (uint16_t)endo_lens_weight(p);
    }
    run r = {0, 0};
    while (r.from < t->width && first[r.from] < 0) r.from++;
    for (r.to = r.from; r.to < t->width && first[r.to] >= 0;) r.to++;
    l->inside[y] = r;
}

static void destroy(void *lens) {
    cpu_lens *l = lens;
    if (!l) return;
    endo_free(l->first);
    endo_free(l->weight);
    endo_free(l->inside);
    endo_free(l);
}

static endo_status create(void *backend, const endo_lens_table *table, void **lens) {
    cpu_lens *l = endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for a lens");
    size_t area = (size_t)table->width * (size_t)table->height;
    l->backend = backend;
    l->table = table;
    l->first = endo_alloc(area, sizeof *l->first);
    l->weight = endo_alloc(area, sizeof *l->weight);
    l->inside = endo_alloc((size_t)table->height, sizeof *l->inside);
    if (!l->first || !l->weight || !l->inside) {
        destroy(l);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for where a lens shows %d x %d pixels", table->width, table->height);
    }
    int threads = endo_frame_threads(l->backend->threads, area * (sizeof *l->first + sizeof *l->weight));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < table->height; y++) find_row(l, y);
    *lens = l;
    return ENDO_OK;
}

/* ----------------------------------------------------------- beside the runs */

/* One colour of a pixel, by its first bit. */
static int32_t colour_of(const endo_lens_job *j, size_t i, int bit) {
    switch (j->type) {
    case ENDO_GREY8: return ((const uint8_t *)j->pixels)[i];
    case ENDO_GREY16: return ((const uint16_t *)j->pixels)[i];
    case ENDO_RGB32: break;
    }
    return (int32_t)(((const uint32_t *)j->pixels)[i] >> bit & 255);
}

static uint32_t cubic(const endo_lens_table *t, const endo_lens_job *j, endo_lens_position p, int bit) {
    const int16_t *weights = t->weights + endo_lens_weight(p);
    int32_t sum = 0;
    for (int tap = 0; tap < ENDO_LENS_TAPS; tap++) {
        int x = endo_lens_within(endo_lens_first(p.x) + tap % 4, t->width);
        int y = endo_lens_within(endo_lens_first(p.y) + tap / 4, t->height);
        sum += weights[tap] * colour_of(j, (size_t)y * (size_t)j->stride + (size_t)x, bit);
    }
    return (uint32_t)endo_lens_value(sum, j->type == ENDO_GREY16 ? 65535 : 255);
}

static uint32_t pixel_of(const endo_lens_table *t, const endo_lens_job *j, int x, int y) {
    endo_lens_position p;
    if (!endo_lens_find(t, x, y, &p)) return 0;
    if (j->type != ENDO_RGB32) return cubic(t, j, p, 0);
    return cubic(t, j, p, 16) << 16 | cubic(t, j, p, 8) << 8 | cubic(t, j, p, 0);
}

static void make_beside(const cpu_lens *l, const endo_lens_job *j, int y, int from, int to) {
    const int32_t *first = l->first + (size_t)y * (size_t)l->table->width;
    for (int x = from; x < to; x++) {
        size_t at = (size_t)y * (size_t)j->out_stride + (size_t)x;
        uint32_t pixel = first[x] == NOWHERE ? 0 : pixel_of(l->table, j, x, y);
        switch (j->type) {
        case ENDO_GREY8: ((uint8_t *)j->out)[at] = (uint8_t)pixel; break;
        case ENDO_GREY16: ((uint16_t *)j->out)[at] = (uint16_t)pixel; break;
        case ENDO_RGB32: ((uint32_t *)j->out)[at] = ENDO_LENS_BLACK_RGB | pixel; break;
        }
    }
}

/* ---------------------------------------------------------------------- pixels */

static void make_inside(const cpu_lens *l, const endo_lens_job *j, int y, run r) {
    const cpu_lens_loops *loops = l->backend->variant->lens;
    const uint8_t *pixels = j->pixels;
    size_t pitch = (size_t)j->stride * endo_pixel_size(j->type);
    size_t at = (size_t)y * (size_t)l->table->width + (size_t)r.from;
    size_t to = (size_t)y * (size_t)j->out_stride + (size_t)r.from;
    const cpu_lens_row row = {
        .rows = {pixels, pixels + pitch, pixels + 2 * pitch, pixels + 3 * pitch},
        .first = l->first + at,
        .weight = l->weight + at,
        .weights = l->table->weights,
        .n = r.to - r.from,
    };
    switch (j->type) {
    case ENDO_GREY8: loops->grey8(&row, (uint8_t *)j->out + to); break;
    case ENDO_GREY16: loops->grey16(&row, (uint16_t *)j->out + to); break;
    case ENDO_RGB32: loops->rgb(&row, (uint32_t *)j->out + to); break;
    }
}

static void make_row(const cpu_lens *l, const endo_lens_job *j, int y) {
    run r = l->inside[y];
    make_beside(l, j, y, 0, r.from);
    if (r.from < r.to) make_inside(l, j, y, r);
    make_beside(l, j, y, r.to, l->table->width);
}

/* Copies the rows of a frame so that they follow one another. */
static endo_status close_up(const cpu_lens *l, endo_lens_job *j) {
    size_t size = endo_pixel_size(j->type);
    size_t width = (size_t)l->table->width;
    size_t height = (size_t)l->table->height;
    const uint8_t *from = j->pixels;
    uint8_t *copy = cpu_frame_scratch(l->backend, width * height, size);
    if (!copy) return endo_fail(ENDO_ERR_MEMORY, "no memory for a copy of a frame of %zu x %zu pixels", width, height);
    for (size_t y = 0; y < height; y++) memcpy(copy + y * width * size, from + y * (size_t)j->stride * size, width * size);
    j->pixels = copy;
    j->stride = (ptrdiff_t)width;
    return ENDO_OK;
}

static endo_status undistort(void *lens, const endo_lens_job *job) {
    const cpu_lens *l = lens;
    endo_lens_job j = *job;
    int height = l->table->height;
    size_t bytes = (size_t)l->table->width * (size_t)height * endo_pixel_size(j.type);
    if (j.stride != l->table->width) ENDO_TRY(close_up(l, &j));
#pragma omp parallel for num_threads(endo_frame_threads(l->backend->threads, bytes)) schedule(static)
    for (int y = 0; y < height; y++) make_row(l, &j, y);
    cpu_frame_scratch_end(l->backend);
    return ENDO_OK;
}

const endo_lens_kernels cpu_lens_kernels = {
    .create = create,
    .destroy = destroy,
    .undistort = undistort,
};
