/* Finishing a blend in device memory (rules/blend_finish.h), window after window: light and lifts of its cells and of those
 * around, then its pixels, of which only what is finished goes down. While a window is on its way, the one before it is
 * copied out of pinned memory. */
#include "blend.cuh"
#include "tile_window.cuh"

#include "base/block.h"
#include "rules/blend_holes.h"

#include <string.h>

/* Columns of a window at most: with those around, in seven rows of tiles, they fit a tile_window. Windows without paint take
 * hardly any time. */
#define COLUMNS 8192
/* Where memory is short; fewer would save little: the cells around a window stay. */
#define LEAST_COLUMNS 128
/* Bytes of a window that go down, about: many cells around a window of few rows are prepared twice. */
#define WINDOW_BYTES ((size_t)4 << 20)
#define MOST_ROWS 512
/* Windows whose pixels are on their way down, or wait to be copied. */
#define AWAY 2

/* A side of a window with the cells around it, px: it may begin and end within a cell. */
#define WITH_AROUND(side) ((side) + 2 * SIDE - 2 + 2 * ENDO_BLEND_REACH * SIDE)
static_assert((WITH_AROUND(COLUMNS) + 2 * ENDO_TILE_WIDTH - 2) / ENDO_TILE_WIDTH *
                      ((WITH_AROUND(MOST_ROWS) + 2 * ENDO_TILE_HEIGHT - 2) / ENDO_TILE_HEIGHT) <= WINDOW,
              "tiles of a window and around it");

/* A window as kernels get it: its pixels, and cells, those of the window and around it. */
typedef struct finish_job {
    endo_pixel type;
    int x, y, width, height;
    int column, row;
    endo_blend_cell *cells;
    endo_blend_light *differences, *along; /* and smoothed along their row */
    int32_t *light;
    endo_blend_holes of;
    uint8_t *pixels, *painted; /* dense; painted, coverage: NULL: not wanted */
    uint16_t *coverage;
} finish_job;

static_assert(sizeof(finish_job) + sizeof(tile_window) + sizeof(size_t) <= 4096, "arguments of a kernel are at most 4 KB");

/* -------------------------------------------------------------------- cells */

/* The number of a thread's cell; 0: it has none. */
__device__ static inline int cell_of_thread(const finish_job &job, int *column, int *row) {
    *column = blockIdx.x * BLOCK_X + threadIdx.x, *row = blockIdx.y * BLOCK_Y + threadIdx.y;
    return *column < job.of.columns && *row < job.of.rows;
}

/* Takes the cells out of their tiles. */
__global__ static void take_cells_kernel(const __grid_constant__ finish_job job, const __grid_constant__ tile_window w,
                                         size_t size) {
    int column, row;
    if (!cell_of_thread(job, &column, &row)) return;
    size_t from, to = (size_t)row * job.of.columns + column;
    uint8_t *tile = tile_at(w, (job.column + column) * SIDE, (job.row + row) * SIDE, &from);
    endo_blend_cell cell = {};
    if (tile)
        cell = ((endo_blend_cell *)(tile + ENDO_TILE_PIXELS * (size + sizeof(uint16_t))))[from / ENDO_TILE_WIDTH / SIDE *
                                                                                              TILE_COLUMNS +
                                                                                          from % ENDO_TILE_WIDTH / SIDE];
    job.cells[to] = cell;
    job.differences[to] = endo_blend_light_of(&cell);
    job.of.weights[to] = endo_blend_hole_weight(&cell);
}

/* Smooths along rows. */
__global__ static void along_kernel(const __grid_constant__ finish_job job) {
    int column, row;
    if (!cell_of_thread(job, &column, &row)) return;
    const endo_blend_light *own = job.differences + (size_t)row * job.of.columns + column;
    endo_blend_light sum = {};
    for (int k = -ENDO_BLEND_LIGHT_REACH; k <= ENDO_BLEND_LIGHT_REACH; k++)
        if (column + k >= 0 && column + k < job.of.columns) endo_blend_light_add(&sum, k, own + k);
    job.along[(size_t)row * job.of.columns + column] = sum;
}

/* Smooths down, and clears what lifts are written to. */
__global__ static void light_kernel(const __grid_constant__ finish_job job) {
    int column, row;
    if (!cell_of_thread(job, &column, &row)) return;
    size_t at = (size_t)row * job.of.columns + column;
    endo_blend_light sum = {};
    for (int k = -ENDO_BLEND_LIGHT_REACH; k <= ENDO_BLEND_LIGHT_REACH; k++)
        if (row + k >= 0 && row + k < job.of.rows)
            endo_blend_light_add(&sum, k, job.along + (ptrdiff_t)at + (ptrdiff_t)k * job.of.columns);
    for (int c = 0; c < 3; c++) {
        job.light[3 * at + c] = endo_blend_light_mean(sum.value[c], sum.weight);
        job.of.lifts[3 * at + c] = 0;
    }
    job.of.holes[at] = 0;
}

__global__ static void lifts_kernel(const __grid_constant__ finish_job job) {
    int column, row;
    if (cell_of_thread(job, &column, &row)) endo_blend_lift_cell(&job.of, column, row);
}

/* ------------------------------------------------------------------- pixels */

/* Channel c of a pixel's narrow mean, and its weight. */
__device__ static inline int32_t narrow_mean(const finish_job &job, const uint8_t *tile, size_t i, int c) {
    if (job.type == ENDO_GREY16) {
        ulonglong2 sums = ((const ulonglong2 *)tile)[i];
        return endo_blend_narrow_mean16(sums.x, sums.y);
    }
    const uint32_t *sums = (const uint32_t *)tile + (job.type == ENDO_RGB32 ? 4 * i : 2 * i);
    return endo_blend_narrow_mean(sums[c], sums[job.type == ENDO_RGB32 ? 3 : 1]);
}

__device__ static inline uint32_t weight_of(const finish_job &job, const uint8_t *tile, size_t i) {
    if (job.type == ENDO_GREY16) return (uint32_t)((const uint64_t *)tile)[2 * i + 1];
    return job.type == ENDO_RGB32 ? ((const uint32_t *)tile)[4 * i + 3] : ((const uint32_t *)tile)[2 * i + 1];
}

/* A painted pixel's channel. */
__device__ static inline uint32_t finished(const finish_job &job, const uint8_t *tile, size_t i, int x, int y, uint32_t weight,
                                           int c) {
    const endo_blend_holes *h = &job.of;
    int column = x / SIDE - job.column, row = y / SIDE - job.row;
    int32_t value = 0, light[4];
    size_t at[4];
    endo_blend_cells_around(h->columns, h->rows, column, row, x % SIDE, y % SIDE, at);
    if (weight) {
        for (int k = 0; k < 4; k++) light[k] = job.light[3 * at[k] + c];
        value = narrow_mean(job, tile, i, c) + endo_blend_between(x % SIDE, y % SIDE, light);
    } else {
        value = endo_blend_broad_value(job.cells + at[0], c);
    }
    if (h->holes[at[0]] | h->holes[at[1]] | h->holes[at[2]] | h->holes[at[3]])
        value += endo_blend_lift_at(h, column, row, x % SIDE, y % SIDE, c);
    return job.type == ENDO_GREY16 ? endo_blend_level16(value) : endo_blend_level(value);
}

__global__ static void finish_kernel(const __grid_constant__ finish_job job, const __grid_constant__ tile_window w,
                                     size_t size) {
    int x = first_column(w) + blockIdx.x * BLOCK_X + threadIdx.x, y = w.top + blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < w.left || x >= w.right || y >= w.bottom) return;
    size_t from, to = (size_t)(y - job.y) * job.width + (x - job.x);
    const uint8_t *tile = tile_at(w, x, y, &from);
    uint32_t coverage = tile ? ((const uint16_t *)(tile + ENDO_TILE_PIXELS * size))[from] : 0;
    uint32_t weight = coverage ? weight_of(job, tile, from) : 0, value[3] = {0, 0, 0};
    const endo_blend_cell *cell = job.cells + (size_t)(y / SIDE - job.row) * job.of.columns + (x / SIDE - job.column);
    int painted = endo_blend_is_painted(coverage, weight, cell), channels = job.type == ENDO_RGB32 ? 3 : 1;
    for (int c = 0; c < channels && painted; c++) value[c] = finished(job, tile, from, x, y, weight, c);
    if (job.type == ENDO_RGB32)
        ((uint32_t *)job.pixels)[to] = painted ? 0xff000000u | value[2] << 16 | value[1] << 8 | value[0] : 0;
    else if (job.type == ENDO_GREY16) ((uint16_t *)job.pixels)[to] = (uint16_t)value[0];
    else job.pixels[to] = (uint8_t)value[0];
    if (job.painted) job.painted[to] = painted ? 255 : 0;
    if (job.coverage) job.coverage[to] = (uint16_t)(painted ? coverage : 0);
}

/* ------------------------------------------------------------------ windows */

/* Pixels of the blend that lie in a rectangle of tiles, right and bottom exclusive. Returns how many tiles there are. */
static int fill(const cuda_blend *b, int left, int top, int right, int bottom, tile_window *w) {
    const endo_canvas_extent *p = &b->tiles.extent;
    int64_t first = endo_tile_column(left + p->left), row = endo_tile_row(top + p->top);
    int columns = (int)(endo_tile_column(right - 1 + p->left) - first + 1);
    int rows = (int)(endo_tile_row(bottom - 1 + p->top) - row + 1), tiles = 0;
    window_begin(p, first, row, columns, w);
    for (int i = 0; i < rows * columns; i++) {
        w->tiles[i] = endo_canvas_tile(&b->tiles, first + i % columns, row + i / columns);
        tiles += w->tiles[i] != NULL;
    }
    w->left = left, w->top = top, w->right = right, w->bottom = bottom;
    return tiles;
}

/* Where the finished planes of a window lie on their way to the host, one behind the other after the pixels. */
typedef struct planes {
    size_t painted, coverage, bytes; /* where they begin; of all */
} planes;

static planes planes_of(const endo_blend_view *view, size_t size, size_t area) {
    endo_block all = {NULL, 0};
    planes p = {0, 0, 0};
    endo_block_take(&all, area, size);
    p.painted = all.used;
    if (view->painted) endo_block_take(&all, area, 1);
    p.coverage = all.used;
    if (view->coverage) endo_block_take(&all, area, sizeof(uint16_t));
    p.bytes = all.used;
    return p;
}

/* A window on its way. */
typedef struct window_away {
    const uint8_t *pinned; /* NULL: nothing is painted there */
    int index;             /* of the ring */
    int x, y, width, height;
} window_away;

typedef struct finishing {
    cuda_blend *blend;
    const endo_blend_view *view;
    size_t size;       /* bytes of a pixel */
    int columns, rows; /* of a window, px */
    window_away away[AWAY];
    int sent, taken;
} finishing;

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

static void surround(const finishing *f, finish_job *job) {
    const endo_blend_setup *s = &f->blend->setup;
    job->column = greatest(job->x / SIDE - ENDO_BLEND_REACH, 0);
    job->row = greatest(job->y / SIDE - ENDO_BLEND_REACH, 0);
    job->of.columns = least((job->x + job->width - 1) / SIDE + ENDO_BLEND_REACH + 1, endo_blend_cells(s->width)) - job->column;
    job->of.rows = least((job->y + job->height - 1) / SIDE + ENDO_BLEND_REACH + 1, endo_blend_cells(s->height)) - job->row;
}

/* Takes the arrays of a window one behind the other; returns their size, bytes. */
static size_t lay_out(const finishing *f, finish_job *job, uint8_t *memory) {
    endo_block all = {memory, 0};
    size_t cells = (size_t)job->of.columns * job->of.rows;
    planes p = planes_of(f->view, f->size, (size_t)job->width * job->height);
    job->cells = (endo_blend_cell *)endo_block_take(&all, cells, sizeof *job->cells);
    job->differences = (endo_blend_light *)endo_block_take(&all, cells, sizeof *job->differences);
    job->along = (endo_blend_light *)endo_block_take(&all, cells, sizeof *job->along);
    job->light = (int32_t *)endo_block_take(&all, cells, 3 * sizeof *job->light);
    job->of.weights = (uint32_t *)endo_block_take(&all, cells, sizeof *job->of.weights);
    job->of.lifts = (int32_t *)endo_block_take(&all, cells, 3 * sizeof *job->of.lifts);
    job->of.holes = (uint8_t *)endo_block_take(&all, cells, 1);
    job->of.cells = job->cells, job->of.light = job->light;
    job->pixels = (uint8_t *)endo_block_take(&all, p.bytes, 1);
    job->painted = f->view->painted && memory ? job->pixels + p.painted : NULL;
    job->coverage = f->view->coverage && memory ? (uint16_t *)(job->pixels + p.coverage) : NULL;
    return all.used;
}

static void launch(const cuda_blend *b, const finish_job *job, const tile_window *cells, const tile_window *pixels) {
    const dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid((job->of.columns + BLOCK_X - 1) / BLOCK_X, (job->of.rows + BLOCK_Y - 1) / BLOCK_Y);
    cudaStream_t stream = b->backend->stream;
    take_cells_kernel<<<grid, block, 0, stream>>>(*job, *cells, b->size);
    along_kernel<<<grid, block, 0, stream>>>(*job);
    light_kernel<<<grid, block, 0, stream>>>(*job);
    lifts_kernel<<<grid, block, 0, stream>>>(*job);
    finish_kernel<<<grid_of(*pixels), block, 0, stream>>>(*job, *pixels, b->size);
}

/* Computes a window and sends its pixels into pinned memory. */
static endo_status send_window(finishing *f, window_away *a, const tile_window *pixels) {
    cuda_backend *b = f->blend->backend;
    finish_job job = {};
    tile_window cells;
    uint8_t *pinned;
    size_t bytes = planes_of(f->view, f->size, (size_t)a->width * a->height).bytes;
    job.type = f->blend->setup.type, job.x = a->x, job.y = a->y, job.width = a->width, job.height = a->height;
    surround(f, &job);
    lay_out(f, &job, (uint8_t *)b->scratch.memory);
    fill(f->blend, job.column * SIDE, job.row * SIDE, (job.column + job.of.columns) * SIDE, (job.row + job.of.rows) * SIDE,
         &cells);
    ENDO_TRY(cuda_ring_take(b, &b->calls, bytes, &pinned, &a->index));
    launch(f->blend, &job, &cells, pixels);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_CUDA(b, cudaMemcpyAsync(pinned, job.pixels, bytes, cudaMemcpyDeviceToHost, b->stream));
    ENDO_CUDA(b, cudaEventRecord(b->calls.ring_free[a->index], b->stream));
    a->pinned = pinned;
    return ENDO_OK;
}

/* ------------------------------------------------------------- to the caller */

/* A plane of a window out of pinned memory into the view. */
static void put_plane(const finishing *f, const window_away *a, void *plane, size_t offset, size_t size) {
    const endo_blend_view *v = f->view;
    uint8_t *to = (uint8_t *)plane + ((size_t)(a->y - v->y) * v->width + (size_t)(a->x - v->x)) * size;
    size_t row = a->width * size;
    if (a->pinned) {
        cuda_copy_out(f->blend->backend, a->pinned + offset, to, v->width * size, row, a->height);
    } else {
        for (int i = 0; i < a->height; i++) memset(to + (size_t)i * v->width * size, 0, row);
    }
}

/* Takes the oldest window. */
static endo_status take_window(finishing *f) {
    cuda_backend *b = f->blend->backend;
    const window_away *a = &f->away[f->taken++ % AWAY];
    planes p = planes_of(f->view, f->size, (size_t)a->width * a->height);
    if (a->pinned) ENDO_CUDA(b, cudaEventSynchronize(b->calls.ring_free[a->index]));
    put_plane(f, a, f->view->pixels, 0, f->size);
    if (f->view->painted) put_plane(f, a, f->view->painted, p.painted, 1);
    if (f->view->coverage) put_plane(f, a, f->view->coverage, p.coverage, sizeof(uint16_t));
    return ENDO_OK;
}

static endo_status finish_window(finishing *f, int left, int top) {
    const endo_blend_view *v = f->view;
    tile_window pixels;
    if (f->sent - f->taken == AWAY) ENDO_TRY(take_window(f));
    window_away *a = &f->away[f->sent % AWAY];
    a->pinned = NULL, a->x = left, a->y = top;
    a->width = least(f->columns, v->x + v->width - left), a->height = least(f->rows, v->y + v->height - top);
    if (fill(f->blend, left, top, left + a->width, top + a->height, &pixels)) ENDO_TRY(send_window(f, a, &pixels));
    f->sent++;
    return ENDO_OK;
}

/* Device memory for the largest window, anywhere in the blend. */
static endo_status reserve_window(finishing *f) {
    finish_job job = {};
    job.width = f->columns, job.height = f->rows;
    job.of.columns = least((f->columns + 2 * SIDE - 2) / SIDE + 2 * ENDO_BLEND_REACH, endo_blend_cells(f->blend->setup.width));
    job.of.rows = least((f->rows + 2 * SIDE - 2) / SIDE + 2 * ENDO_BLEND_REACH, endo_blend_cells(f->blend->setup.height));
    return cuda_reserve(f->blend->backend, &f->blend->backend->scratch, lay_out(f, &job, NULL));
}

/* Half as many rows, or half as many columns of so few rows, in whole cells; 0: neither can be less. */
static int halve_window(finishing *f) {
    if (f->rows > SIDE) f->rows = greatest(f->rows / 2 / SIDE * SIDE, SIDE);
    else if (f->columns > LEAST_COLUMNS) f->columns = greatest(f->columns / 2 / SIDE * SIDE, LEAST_COLUMNS);
    else return 0;
    return 1;
}

/* Smaller windows where memory is short. */
static endo_status choose_windows(finishing *f) {
    const endo_blend_view *v = f->view;
    f->columns = least(COLUMNS, v->width);
    int rows = (int)(WINDOW_BYTES / (planes_of(v, f->size, f->columns).bytes + 1)) / SIDE * SIDE;
    f->rows = least(least(greatest(rows, SIDE), MOST_ROWS), v->height);
    endo_status status = reserve_window(f);
    while (status == ENDO_ERR_MEMORY && halve_window(f)) status = reserve_window(f);
    return status;
}

endo_status cuda_blend_finish(void *blend, const endo_blend_view *view) {
    finishing f = {};
    f.blend = (cuda_blend *)blend, f.view = view;
    f.size = endo_pixel_size(f.blend->setup.type);
    ENDO_TRY(cuda_enter(f.blend->backend));
    ENDO_TRY(choose_windows(&f));
    for (int top = view->y; top < view->y + view->height; top += f.rows)
        for (int left = view->x; left < view->x + view->width; left += f.columns) ENDO_TRY(finish_window(&f, left, top));
    while (f.taken < f.sent) ENDO_TRY(take_window(&f));
    return ENDO_OK;
}
