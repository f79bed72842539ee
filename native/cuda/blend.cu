/* Blends in device memory, in tiles (endorama/blend.h). Adding returns at once; reading waits. A frame is made into blocks
 * (values, then scores), visits the cells of the panorama, which leave its weights behind, and then the pixels. */
#include "cuda.h"
#include "tile_window.cuh"
#include "tiles.h"

#include <string.h>

#define SIDE ENDO_BLEND_SIDE
#define TILE_COLUMNS (ENDO_TILE_WIDTH / SIDE)
#define TILE_CELLS ((size_t)TILE_COLUMNS * (ENDO_TILE_HEIGHT / SIDE))
/* Slabs: multiples of this. */
#define SLAB_STEP ((size_t)32 << 20)
#define PIECE ((size_t)2 << 20)
/* The weight of a cell in which the frame shows nothing. */
#define UNSEEN 0xffff

/* A tile is the sums of its pixels, then their coverage, then its cells. */
typedef struct cuda_blend {
    cuda_backend *backend;
    endo_blend_setup setup;
    size_t size; /* bytes of a pixel's sums */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
    cuda_buffer factors, factor_means; /* the correction */
    int factor_stride;
    cuda_buffer blocks, clipped, weights;
} cuda_blend;

static endo_status cuda_blend_create(void *backend, const endo_blend_setup *setup, void **blend) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    cuda_blend *b = (cuda_blend *)endo_alloc_zeroed(1, sizeof *b);
    if (!b) return endo_fail(ENDO_ERR_MEMORY, "no memory for a blend");
    endo_slab_source source = cuda_slab_source((cuda_backend *)backend, SLAB_STEP);
    b->backend = (cuda_backend *)backend;
    b->setup = *setup, b->size = endo_blend_sum_size(setup->type);
    endo_canvas_tiles_init(&b->tiles, setup->width, setup->height,
                           ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)) + TILE_CELLS * sizeof(endo_blend_cell), &source);
    *blend = b;
    return ENDO_OK;
}

static void cuda_blend_destroy(void *blend) {
    cuda_blend *b = (cuda_blend *)blend;
    if (!b) return;
    cudaSetDevice(b->backend->device);
    cudaStreamSynchronize(b->backend->stream);
    endo_canvas_tiles_free(&b->tiles);
    endo_reach_free(&b->reach);
    cuda_buffer *buffers[] = {&b->factors, &b->factor_means, &b->blocks, &b->clipped, &b->weights};
    for (cuda_buffer *buffer : buffers) cuda_release(b->backend, buffer->memory);
    endo_free(b);
}

static endo_status cuda_blend_correct(void *blend, const endo_blend_correction *c) {
    cuda_blend *b = (cuda_blend *)blend;
    size_t row = c->stride * sizeof(uint16_t), columns = c->width / SIDE, means = columns * sizeof(uint16_t);
    ENDO_TRY(cuda_enter(b->backend));
    ENDO_TRY(cuda_reserve(b->backend, &b->factors, row * c->height));
    ENDO_TRY(cuda_reserve(b->backend, &b->factor_means, means * (c->height / SIDE) + 1));
    b->factor_stride = (int)c->stride;
    ENDO_TRY(cuda_upload_rows(b->backend, b->factors.memory, row, c->pixels, row, row, c->height, PIECE));
    if (!means || c->height < SIDE) return ENDO_OK;
    return cuda_upload_rows(b->backend, b->factor_means.memory, means, c->blocks, means, means, c->height / SIDE, PIECE);
}

/* ---------------------------------------------------------------------- add */

/* A frame while it is added, as kernels get it. */
typedef struct add_job {
    const uint8_t *pixels, *sixteen, *depths;
    int width, height, stride;
    endo_pixel type;
    const uint16_t *factors, *factor_means;
    int factor_stride;
    uint32_t gain[3], weight, tolerance, clipped_from;
    int second, cubic;
    endo_fixed_affine map;
    endo_blend_block *blocks;
    uint8_t *clipped;
    int block_columns, block_rows;
    int blend_width, blend_height;
    uint16_t *weights; /* of cells */
    int column, row, columns, rows; /* of them */
} add_job;

__device__ static inline uint32_t channel_of(const add_job &job, size_t i, int c) {
    if (job.type == ENDO_RGB32) return ((const uint32_t *)job.pixels)[i] >> 8 * c & 255;
    return job.type == ENDO_GREY16 ? ((const uint16_t *)job.pixels)[i] : job.pixels[i];
}

__device__ static inline int is_clipped(const add_job &job, size_t i) {
    if (job.type == ENDO_RGB32) return endo_blend_clipped_rgb(((const uint32_t *)job.pixels)[i]);
    return channel_of(job, i, 0) >= job.clipped_from;
}

/* One thread a block: what it shows, and whether a pixel of it is clipped. */
__global__ static void blocks_kernel(const __grid_constant__ add_job job) {
    int column = blockIdx.x * BLOCK_X + threadIdx.x, row = blockIdx.y * BLOCK_Y + threadIdx.y, any = 0;
    if (column >= job.block_columns || row >= job.block_rows) return;
    size_t to = (size_t)row * job.block_columns + column;
    int channels = job.type == ENDO_RGB32 ? 3 : 1;
    uint32_t sum[3] = {0, 0, 0};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            size_t i = (size_t)(row * SIDE + y) * job.stride + column * SIDE + x;
            for (int c = 0; c < channels; c++) sum[c] += channel_of(job, i, c);
            any |= is_clipped(job, i);
        }
    for (int c = 0; c < 3; c++) {
        uint32_t value = job.type == ENDO_GREY16 ? sum[c] >> 8 : sum[c];
        job.blocks[to].value[c] =
            c < channels ? (uint16_t)endo_blend_shade(value, job.factor_means[to], job.gain[c], ENDO_BLEND_MOST) : 0;
    }
    job.clipped[to] = (uint8_t)any;
}

/* And how well the frame sees it. */
__global__ static void scores_kernel(const __grid_constant__ add_job job) {
    int column = blockIdx.x * BLOCK_X + threadIdx.x, row = blockIdx.y * BLOCK_Y + threadIdx.y, any = 0;
    if (column >= job.block_columns || row >= job.block_rows) return;
    for (int y = max(row - 1, 0); y <= min(row + 1, job.block_rows - 1); y++)
        for (int x = max(column - 1, 0); x <= min(column + 1, job.block_columns - 1); x++)
            any |= job.clipped[(size_t)y * job.block_columns + x];
    size_t i = (size_t)row * job.block_columns + column;
    job.blocks[i].score = (uint16_t)endo_blend_score(job.depths[i], job.weight, any);
}

__device__ static inline endo_blend_cell *cells_of(uint8_t *tile, size_t size) {
    return (endo_blend_cell *)(tile + ENDO_TILE_PIXELS * (size + sizeof(uint16_t)));
}

/* One thread a cell of the window whose pixel (1, 1) lies in the frame. first: the number of the first cell. */
__global__ static void cells_kernel(const __grid_constant__ add_job job, const __grid_constant__ tile_window w, size_t size) {
    int column = w.left / SIDE + blockIdx.x * BLOCK_X + threadIdx.x, row = w.top / SIDE + blockIdx.y * BLOCK_Y + threadIdx.y;
    int x = column * SIDE + 1, y = row * SIDE + 1;
    if (x >= w.right || y >= w.bottom) return;
    const int64_t *m = job.map.m;
    int64_t px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
    int64_t px8 = endo_position8(px), py8 = endo_position8(py);
    if (px8 < 0 || py8 < 0 || px8 > (int64_t)(job.width - 1) * 256 || py8 > (int64_t)(job.height - 1) * 256) return;
    int64_t u = endo_blend_block_position(px, (m[0] + m[1]) >> 1), v = endo_blend_block_position(py, (m[3] + m[4]) >> 1);
    endo_blend_look look;
    if (!endo_blend_look_at(job.blocks, job.block_columns, job.block_rows, u, v, &look)) return;
    size_t at;
    uint8_t *tile = tile_at(w, x, y, &at);
    endo_blend_cell *cell = cells_of(tile, size) + at / ENDO_TILE_WIDTH / SIDE * TILE_COLUMNS + at % ENDO_TILE_WIDTH / SIDE;
    if (job.second)
        job.weights[(size_t)(row - job.row) * job.columns + (column - job.column)] =
            (uint16_t)endo_blend_weigh(cell, &look, job.tolerance);
    else
        endo_blend_survey(cell, &look);
}

__device__ static inline uint32_t cell_weight(const add_job &job, int column, int row) {
    uint32_t weight = job.weights[(size_t)(row - job.row) * job.columns + (column - job.column)];
    return weight == UNSEEN ? 1 : weight;
}

/* Between the middles of four cells. */
__device__ static inline uint32_t pixel_weight(const add_job &job, int x, int y) {
    int column = x / SIDE, row = y / SIDE, beside = column + endo_blend_neighbour(x % SIDE);
    int above = row + endo_blend_neighbour(y % SIDE);
    uint32_t across = endo_blend_own_share(x % SIDE), down = endo_blend_own_share(y % SIDE);
    uint32_t near = across * cell_weight(job, column, row) + (8 - across) * cell_weight(job, beside, row);
    uint32_t far = across * cell_weight(job, column, above) + (8 - across) * cell_weight(job, beside, above);
    return (down * near + (8 - down) * far + 32) >> 6;
}

__device__ static inline void add_rgb(const add_job &job, uint32_t *sums, size_t from, const int8_t *across,
                                      const int8_t *down, uint32_t factor, uint32_t weight) {
    uint4 before = *(const uint4 *)sums;
    if (!endo_blend_takes(before.w, weight)) return;
    const uint32_t *p = (const uint32_t *)job.pixels + from - job.stride - 1;
    int32_t sum[3] = {0, 0, 0};
    for (int v = 0; v < 4; v++, p += job.stride)
        for (int u = 0; u < 4; u++) {
            uint32_t rgb = p[u];
            int32_t share = across[u] * down[v];
            for (int c = 0; c < 3; c++) sum[c] += share * (int32_t)(rgb >> 8 * c & 255);
        }
    before.x += weight * endo_blend_shade(endo_blend_value8(sum[0]), factor, job.gain[0], ENDO_BLEND_MOST);
    before.y += weight * endo_blend_shade(endo_blend_value8(sum[1]), factor, job.gain[1], ENDO_BLEND_MOST);
    before.z += weight * endo_blend_shade(endo_blend_value8(sum[2]), factor, job.gain[2], ENDO_BLEND_MOST);
    before.w += weight;
    *(uint4 *)sums = before;
}

__device__ static inline int32_t grey_sum(const add_job &job, size_t from, const int8_t *across, const int8_t *down) {
    int32_t sum = 0;
    for (int v = 0; v < 4; v++)
        for (int u = 0; u < 4; u++)
            sum += across[u] * down[v] * (int32_t)channel_of(job, from + (size_t)v * job.stride + u - job.stride - 1, 0);
    return sum;
}

/* The type is known at compile time where it is called. */
__device__ static inline void add_pixel(const add_job &job, uint8_t *tile, size_t to, size_t from, const int8_t *across,
                                        const int8_t *down, uint32_t factor, uint32_t weight) {
    if (job.type == ENDO_RGB32) {
        add_rgb(job, (uint32_t *)tile + 4 * to, from, across, down, factor, weight);
    } else if (job.type == ENDO_GREY16) {
        uint64_t *sums = (uint64_t *)tile + 2 * to;
        if (!endo_blend_takes((uint32_t)sums[1], weight)) return;
        uint32_t value = endo_blend_value16(grey_sum(job, from, across, down));
        sums[0] += (uint64_t)weight * endo_blend_shade(value, factor, job.gain[0], ENDO_BLEND_MOST16);
        sums[1] += weight;
    } else {
        uint32_t *sums = (uint32_t *)tile + 2 * to;
        if (!endo_blend_takes(sums[1], weight)) return;
        uint32_t value = endo_blend_value8(grey_sum(job, from, across, down));
        sums[0] += weight * endo_blend_shade(value, factor, job.gain[0], ENDO_BLEND_MOST);
        sums[1] += weight;
    }
}

/* Every pixel that lies in the frame lies in a tile that the frame reaches. */
__global__ static void pixels_kernel(const __grid_constant__ add_job job, const __grid_constant__ tile_window w, size_t size) {
    int x = first_column(w) + blockIdx.x * BLOCK_X + threadIdx.x, y = w.top + blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < w.left || x >= w.right || y >= w.bottom) return;
    const int64_t *m = job.map.m;
    int64_t px = endo_position8(m[0] * x + m[1] * y + m[2]), py = endo_position8(m[3] * x + m[4] * y + m[5]);
    if (px < 0 || py < 0 || px > (int64_t)(job.width - 1) * 256 || py > (int64_t)(job.height - 1) * 256) return;
    size_t from = (size_t)(py >> 8) * job.stride + (size_t)(px >> 8), to;
    if (!job.sixteen[from]) return;
    uint8_t *tile = tile_at(w, x, y, &to);
    uint16_t *coverage = (uint16_t *)(tile + ENDO_TILE_PIXELS * size) + to;
    if (*coverage < 65535) ++*coverage;
    uint32_t weight = pixel_weight(job, x, y);
    if (!weight) return;
    int8_t across[4], down[4];
    endo_blend_taps(job.cubic, (int)(px & 255), across);
    endo_blend_taps(job.cubic, (int)(py & 255), down);
    uint32_t factor = job.factors[(size_t)(py >> 8) * job.factor_stride + (size_t)(px >> 8)];
    add_pixel(job, tile, to, from, across, down, factor, weight);
}

/* The cells of the box of what is reached, with one more on every side. */
static void find_box(const cuda_blend *b, add_job *job) {
    const endo_reach *r = &b->reach;
    int left = b->setup.width, right = 0, top = r->bands[0].top, bottom = r->bands[r->n_bands - 1].bottom;
    for (size_t i = 0; i < r->n_bands; i++) {
        if (!r->bands[i].n) continue;
        if (r->bands[i].left < left) left = r->bands[i].left;
        if (r->bands[i].right > right) right = r->bands[i].right;
    }
    job->column = left / SIDE - 1, job->row = top / SIDE - 1;
    job->columns = (right - 1) / SIDE + 2 - job->column, job->rows = (bottom - 1) / SIDE + 2 - job->row;
}

static add_job make_job(const cuda_blend *b, const cuda_store *s, const endo_blend_frame *frame) {
    const endo_frames_options *o = &s->options;
    int deep = o->type == ENDO_GREY16;
    add_job job = {};
    job.pixels = s->pixels + frame->slot * s->area * endo_pixel_size(o->type);
    job.sixteen = s->sixteen, job.depths = s->depths;
    job.width = o->width, job.height = o->height, job.stride = s->stride, job.type = o->type;
    job.factors = (const uint16_t *)b->factors.memory, job.factor_means = (const uint16_t *)b->factor_means.memory;
    job.factor_stride = b->factor_stride;
    memcpy(job.gain, frame->gain, sizeof job.gain);
    job.weight = frame->weight, job.second = frame->second, job.cubic = b->setup.cubic, job.map = frame->map;
    job.tolerance = b->setup.votes ? endo_blend_tolerance(deep, o->low, o->high) : 0;
    job.clipped_from = deep ? endo_blend_clipped_16(o->low, o->high) : ENDO_SPECULAR_GREY;
    job.block_columns = o->width / SIDE, job.block_rows = o->height / SIDE;
    return job;
}

static endo_status take_rooms(cuda_blend *b, add_job *job) {
    size_t blocks = (size_t)job->block_columns * job->block_rows + 1, cells = (size_t)job->columns * job->rows;
    ENDO_TRY(cuda_reserve(b->backend, &b->blocks, blocks * sizeof *job->blocks));
    ENDO_TRY(cuda_reserve(b->backend, &b->clipped, blocks));
    ENDO_TRY(cuda_reserve(b->backend, &b->weights, cells * sizeof *job->weights));
    job->blocks = (endo_blend_block *)b->blocks.memory, job->clipped = (uint8_t *)b->clipped.memory;
    job->weights = (uint16_t *)b->weights.memory;
    if (job->second)
        ENDO_CUDA(b->backend, cudaMemsetAsync(job->weights, 0xff, cells * sizeof *job->weights, b->backend->stream));
    return ENDO_OK;
}

static dim3 grid_over(int columns, int rows) {
    return dim3((columns + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
}

static endo_status launch(const cuda_blend *b, const add_job *job) {
    const dim3 block(BLOCK_X, BLOCK_Y);
    cudaStream_t stream = b->backend->stream;
    tile_window w;
    if (job->block_columns && job->block_rows) {
        dim3 grid = grid_over(job->block_columns, job->block_rows);
        blocks_kernel<<<grid, block, 0, stream>>>(*job);
        scores_kernel<<<grid, block, 0, stream>>>(*job);
    }
    for (reach_walk walk = reach_begin(&b->tiles.place, &b->reach); reach_next(&walk, &w);) {
        dim3 grid = grid_over((w.right - 1) / SIDE - w.left / SIDE + 1, (w.bottom - 1) / SIDE - w.top / SIDE + 1);
        cells_kernel<<<grid, block, 0, stream>>>(*job, w, b->size);
    }
    for (reach_walk walk = reach_begin(&b->tiles.place, &b->reach); job->second && reach_next(&walk, &w);)
        pixels_kernel<<<grid_of(w), block, 0, stream>>>(*job, w, b->size);
    ENDO_CUDA(b->backend, cudaGetLastError());
    return ENDO_OK;
}

static endo_status add_frame(void *blend, const void *store, const endo_blend_frame *frame) {
    cuda_blend *b = (cuda_blend *)blend;
    const cuda_store *s = (const cuda_store *)store;
    ENDO_TRY(cuda_enter(b->backend));
    ENDO_TRY(cuda_take_tiles(b->backend, &b->tiles, &b->reach, &s->options, &frame->map));
    if (!b->reach.n_bands) return ENDO_OK;
    add_job job = make_job(b, s, frame);
    find_box(b, &job);
    ENDO_TRY(take_rooms(b, &job));
    ENDO_TRY(cuda_store_enter_slot(s, frame->slot));
    ENDO_TRY(launch(b, &job));
    return cuda_store_leave_slots(s);
}

static endo_status cuda_blend_add(void *blend, const void *store, const endo_blend_frame *frames, int n) {
    for (int i = 0; i < n; i++) ENDO_TRY(add_frame(blend, store, &frames[i]));
    return ENDO_OK;
}

/* --------------------------------------------------------------------- read */

__global__ static void settle_kernel(endo_blend_cell *cells) {
    endo_blend_settle(&cells[blockIdx.x * blockDim.x + threadIdx.x]);
}

static endo_status cuda_blend_settle(void *blend) {
    cuda_blend *b = (cuda_blend *)blend;
    ENDO_TRY(cuda_enter(b->backend));
    for (size_t i = 0; i < b->tiles.room; i++) {
        uint8_t *tile = b->tiles.table[i].memory;
        if (!tile) continue;
        endo_blend_cell *cells = (endo_blend_cell *)(tile + ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)));
        settle_kernel<<<(unsigned)(TILE_CELLS / 128), 128, 0, b->backend->stream>>>(cells);
    }
    ENDO_CUDA(b->backend, cudaGetLastError());
    return ENDO_OK;
}

/* A part of a tile, elements of `size` bytes that lie `offset` behind its beginning in rows of `pitch` elements; into a
 * dense rectangle. tile NULL: zeros. */
static endo_status read_part(const cuda_blend *b, const uint8_t *tile, size_t offset, int pitch, int x, int y, int columns,
                             int rows, size_t size, uint8_t *to, size_t to_pitch) {
    if (tile)
        return cuda_download_rows(b->backend, to, to_pitch * size, tile + offset + ((size_t)y * pitch + x) * size,
                                  pitch * size, columns * size, rows, PIECE);
    for (int v = 0; v < rows; v++) memset(to + v * to_pitch * size, 0, columns * size);
    return ENDO_OK;
}

static endo_status cuda_blend_read(void *blend, int x, int y, int width, int height, void *sums, uint16_t *coverage) {
    const cuda_blend *b = (const cuda_blend *)blend;
    ENDO_TRY(cuda_enter(b->backend));
    endo_tile_walk walk = {&b->tiles.place, x, y, width, height, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);) {
        const uint8_t *tile = endo_canvas_tile(&b->tiles, p.column, p.row);
        size_t to = (size_t)p.top * width + p.left;
        ENDO_TRY(read_part(b, tile, 0, ENDO_TILE_WIDTH, p.x, p.y, p.width, p.height, b->size,
                           (uint8_t *)sums + to * b->size, width));
        ENDO_TRY(read_part(b, tile, ENDO_TILE_PIXELS * b->size, ENDO_TILE_WIDTH, p.x, p.y, p.width, p.height,
                           sizeof *coverage, (uint8_t *)(coverage + to), width));
    }
    return ENDO_OK;
}

static endo_status cuda_blend_read_cells(void *blend, int x, int y, int width, int height, endo_blend_cell *cells) {
    const cuda_blend *b = (const cuda_blend *)blend;
    ENDO_TRY(cuda_enter(b->backend));
    endo_tile_walk walk = {&b->tiles.place, x * SIDE, y * SIDE, width * SIDE, height * SIDE, 0, 0};
    for (endo_tile_part p; endo_tile_next(&walk, &p);)
        ENDO_TRY(read_part(b, endo_canvas_tile(&b->tiles, p.column, p.row), ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)),
                           TILE_COLUMNS, p.x / SIDE, p.y / SIDE, p.width / SIDE, p.height / SIDE, sizeof *cells,
                           (uint8_t *)(cells + (size_t)(p.top / SIDE) * width + p.left / SIDE), width));
    return ENDO_OK;
}

extern "C" const endo_blend_kernels cuda_blend_kernels = {
    .create = cuda_blend_create,
    .destroy = cuda_blend_destroy,
    .correct = cuda_blend_correct,
    .add = cuda_blend_add,
    .settle = cuda_blend_settle,
    .read = cuda_blend_read,
    .read_cells = cuda_blend_read_cells,
};
