/* Blends in device memory, in tiles (endorama/blend.h): their memory, what frames are corrected by, and the way back.
 * Adding (blend_add.cu) returns at once; reading waits. */
#include "blend.cuh"

#include <string.h>

/* Slabs: multiples of this. */
#define SLAB_STEP ((size_t)32 << 20)
#define PIECE ((size_t)2 << 20)

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

/* --------------------------------------------------------------------- read */

/* Tiles of a launch. */
#define SETTLED 256

typedef struct settle_job {
    endo_blend_cell *cells[SETTLED];
} settle_job;

/* A row of blocks a tile. */
__global__ static void settle_kernel(const __grid_constant__ settle_job job) {
    endo_blend_settle(&job.cells[blockIdx.y][blockIdx.x * blockDim.x + threadIdx.x]);
}

static void settle(const cuda_blend *b, const settle_job *job, int n) {
    const dim3 grid((unsigned)(TILE_CELLS / 128), (unsigned)n);
    if (n) settle_kernel<<<grid, 128, 0, b->backend->stream>>>(*job);
}

static endo_status cuda_blend_settle(void *blend) {
    cuda_blend *b = (cuda_blend *)blend;
    settle_job job;
    int n = 0;
    ENDO_TRY(cuda_enter(b->backend));
    for (size_t i = 0; i < b->tiles.capacity; i++) {
        uint8_t *tile = b->tiles.table[i].memory;
        if (!tile) continue;
        job.cells[n++] = (endo_blend_cell *)(tile + ENDO_TILE_PIXELS * (b->size + sizeof(uint16_t)));
        if (n == SETTLED) settle(b, &job, n), n = 0;
    }
    settle(b, &job, n);
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
    endo_tile_walk walk = {&b->tiles.extent, x, y, width, height, 0, 0};
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
    endo_tile_walk walk = {&b->tiles.extent, x * SIDE, y * SIDE, width * SIDE, height * SIDE, 0, 0};
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
    .finish = cuda_blend_finish,
};
