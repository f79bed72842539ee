/* Canvases in device memory, in tiles ([S] Table A.1: XMethod, erode_rim). Painting returns at once; reading waits. */
#include "cuda.h"
#include "tile_window.cuh"
#include "tiles.h"

#include <string.h>

/* Slabs: multiples of this. */
#define SLAB_STEP ((size_t)8 << 20)
/* Bytes that are read at a time, and a piece of them on the bus. */
#define READ_BYTES ((size_t)64 << 20)
#define PIECE ((size_t)2 << 20)

/* A tile is its pixels, then its marks. */
typedef struct cuda_canvas {
    cuda_backend *backend;
    endo_pixel type;
    size_t size; /* bytes of a pixel */
    endo_canvas_tiles tiles;
    endo_reach reach; /* of the last frame */
} cuda_canvas;

static endo_status cuda_canvas_create(void *backend, endo_pixel type, int width, int height, void **canvas) {
    ENDO_TRY(cuda_enter((cuda_backend *)backend));
    cuda_canvas *c = (cuda_canvas *)endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for a canvas");
    endo_slab_source source = cuda_slab_source((cuda_backend *)backend, SLAB_STEP);
    c->backend = (cuda_backend *)backend;
    c->type = type, c->size = endo_pixel_size(type);
    endo_canvas_tiles_init(&c->tiles, width, height, ENDO_TILE_PIXELS * (c->size + 1), &source);
    *canvas = c;
    return ENDO_OK;
}

static void cuda_canvas_destroy(void *canvas) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    if (!c) return;
    cudaSetDevice(c->backend->device);
    cudaStreamSynchronize(c->backend->stream);
    endo_canvas_tiles_free(&c->tiles);
    endo_reach_free(&c->reach);
    endo_free(c);
}

/* Clears a part of a tile in the stream, after whatever was painted there before. */
static endo_status clear_part(void *owner, uint8_t *tile, int x, int y, int width, int height) {
    const cuda_canvas *c = (const cuda_canvas *)owner;
    size_t at = (size_t)y * ENDO_TILE_WIDTH + x;
    ENDO_CUDA(c->backend, cudaMemset2DAsync(tile + at * c->size, ENDO_TILE_WIDTH * c->size, 0, width * c->size, height,
                                            c->backend->stream));
    ENDO_CUDA(c->backend, cudaMemset2DAsync(tile + ENDO_TILE_PIXELS * c->size + at, ENDO_TILE_WIDTH, 0, width, height,
                                            c->backend->stream));
    return ENDO_OK;
}

static endo_status cuda_canvas_resize(void *canvas, int width, int height, int dx, int dy) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    ENDO_TRY(cuda_enter(c->backend));
    return endo_canvas_tiles_resize(&c->tiles, width, height, dx, dy, clear_part, c);
}

static endo_status cuda_canvas_clear(void *canvas) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    ENDO_TRY(cuda_enter(c->backend));
    endo_canvas_tiles_clear(&c->tiles);
    return ENDO_OK;
}

/* ------------------------------------------------------------------- paint */

typedef struct paint_job {
    const uint8_t *frame, *bilinear;
    int frame_width, frame_height, stride;
    int ring;
    endo_pixel type;
    endo_canvas_map map;
} paint_job;

__device__ static uint32_t bilinear_rgb(const uint32_t *top, const uint32_t *bottom, int fx, int fy) {
    uint32_t a = top[0], b = top[1], c = bottom[0], d = bottom[1];
    uint32_t rgb = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8)
        rgb |= (uint32_t)endo_bilinear(a >> shift & 255, b >> shift & 255, c >> shift & 255, d >> shift & 255, fx, fy)
               << shift;
    return rgb;
}

/* One pixel of a tile from the place `from` of the frame. */
__device__ static void paint_pixel(const paint_job &job, uint8_t *tile, size_t to, size_t from, int fx, int fy) {
    if (job.type == ENDO_RGB32) {
        const uint32_t *p = (const uint32_t *)job.frame + from;
        ((uint32_t *)tile)[to] = bilinear_rgb(p, p + job.stride, fx, fy);
    } else if (job.type == ENDO_GREY16) {
        const uint16_t *p = (const uint16_t *)job.frame + from, *q = p + job.stride;
        ((uint16_t *)tile)[to] = (uint16_t)endo_bilinear16(p[0], p[1], q[0], q[1], fx, fy);
    } else {
        const uint8_t *p = job.frame + from, *q = p + job.stride;
        tile[to] = (uint8_t)endo_bilinear(p[0], p[1], q[0], q[1], fx, fy);
    }
}

/* Every pixel that lies in the frame lies in a tile that the frame reaches. PROJECTED: 1, by a homography. */
template <int PROJECTED>
__global__ static void paint_kernel(const __grid_constant__ paint_job job, const __grid_constant__ tile_window w,
                                    size_t size) {
    int x = first_column(w) + blockIdx.x * BLOCK_X + threadIdx.x, y = w.top + blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < w.left || x >= w.right || y >= w.bottom) return;
    endo_projected_run run;
    if (PROJECTED && !endo_projection_run(&job.map.projection, x, y, 0, &run)) return;
    const int64_t *m = PROJECTED ? run.map.m : job.map.affine.m;
    int64_t px = endo_position8(m[0] * x + m[1] * y + m[2]), py = endo_position8(m[3] * x + m[4] * y + m[5]);
    if (px < 0 || py < 0 || px > (int64_t)(job.frame_width - 1) * 256 || py > (int64_t)(job.frame_height - 1) * 256) return;
    size_t from = (size_t)(py >> 8) * job.stride + (size_t)(px >> 8), to;
    int fx = (int)(px & 255), fy = (int)(py & 255);
    if (!(job.bilinear[from] >> endo_sampled(fx, fy) & 1)) return;
    uint8_t *tile = tile_at(w, x, y, &to), *mark = tile + ENDO_TILE_PIXELS * size + to;
    if (job.ring && *mark) return;
    paint_pixel(job, tile, to, from, fx, fy);
    *mark = 255;
}

static endo_status cuda_canvas_paint(void *canvas, const void *store, int slot, const endo_canvas_map *map,
                                     endo_painting painting) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    const cuda_store *s = (const cuda_store *)store;
    ENDO_TRY(cuda_enter(c->backend));
    ENDO_TRY(cuda_take_tiles(c->backend, &c->tiles, &c->reach, &s->options, map));
    ENDO_TRY(cuda_store_enter_slot(s, slot));
    paint_job job = {s->pixels + slot * s->area * c->size, s->paint_bilinear, s->options.width, s->options.height, s->stride,
                     painting == ENDO_PAINT_RING, c->type, *map};
    tile_window w;
    for (reach_walk walk = reach_begin(&c->tiles.extent, &c->reach); reach_next(&walk, &w);)
        if (map->projection.bits)
            paint_kernel<1><<<grid_of(w), dim3(BLOCK_X, BLOCK_Y), 0, c->backend->stream>>>(job, w, c->size);
        else
            paint_kernel<0><<<grid_of(w), dim3(BLOCK_X, BLOCK_Y), 0, c->backend->stream>>>(job, w, c->size);
    ENDO_CUDA(c->backend, cudaGetLastError());
    return cuda_store_leave_slots(s);
}

/* -------------------------------------------------------------------- read */

/* A rectangle of the canvas, dense in device memory. */
typedef struct read_job {
    int x, y, width, height;
    uint8_t *pixels, *painted;
    size_t size;
} read_job;

__global__ static void read_kernel(const __grid_constant__ read_job job, const __grid_constant__ tile_window w) {
    int x = first_column(w) + blockIdx.x * BLOCK_X + threadIdx.x, y = w.top + blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x < w.left || x >= w.right || y >= w.bottom) return;
    size_t from, to = (size_t)(y - job.y) * job.width + (x - job.x);
    const uint8_t *tile = tile_at(w, x, y, &from);
    if (job.size == 4)
        ((uint32_t *)job.pixels)[to] = tile ? ((const uint32_t *)tile)[from] : 0;
    else if (job.size == 2)
        ((uint16_t *)job.pixels)[to] = tile ? ((const uint16_t *)tile)[from] : 0;
    else
        job.pixels[to] = tile ? tile[from] : 0;
    job.painted[to] = tile ? tile[ENDO_TILE_PIXELS * job.size + from] : 0;
}

/* Rows and columns of tiles. */
typedef struct tile_range {
    int64_t column, row;
    int columns, rows;
} tile_range;

static tile_range range_of(const cuda_canvas *c, const read_job *job) {
    int64_t left = c->tiles.extent.left + job->x, top = c->tiles.extent.top + job->y;
    tile_range r = {endo_tile_column(left), endo_tile_row(top), 0, 0};
    r.columns = (int)(endo_tile_column(left + job->width - 1) - r.column + 1);
    r.rows = (int)(endo_tile_row(top + job->height - 1) - r.row + 1);
    return r;
}

/* The part of a rectangle that lies in these tiles; returns how many of them are painted. */
static int window_to_read(const cuda_canvas *c, const read_job *job, const tile_range *r, tile_window *w) {
    int tiles = 0;
    window_begin(&c->tiles.extent, r->column, r->row, r->columns, w);
    for (int i = 0; i < r->rows; i++)
        for (int k = 0; k < r->columns; k++) {
            w->tiles[i * r->columns + k] = endo_canvas_tile(&c->tiles, r->column + k, r->row + i);
            tiles += w->tiles[i * r->columns + k] != NULL;
        }
    int right = w->x + r->columns * ENDO_TILE_WIDTH, bottom = w->y + r->rows * ENDO_TILE_HEIGHT;
    w->left = w->x > job->x ? w->x : job->x, w->top = w->y > job->y ? w->y : job->y;
    w->right = right < job->x + job->width ? right : job->x + job->width;
    w->bottom = bottom < job->y + job->height ? bottom : job->y + job->height;
    return tiles;
}

/* Every window of a rectangle; with `launch` 0 only counts the tiles that are painted. */
static endo_status gather(const cuda_canvas *c, const read_job *job, int launch, int64_t *tiles) {
    tile_range all = range_of(c, job);
    tile_window w;
    int columns = all.columns < WINDOW ? all.columns : WINDOW, rows = WINDOW / columns;
    *tiles = 0;
    for (int i = 0; i < all.rows; i += rows)
        for (int k = 0; k < all.columns; k += columns) {
            tile_range some = {all.column + k, all.row + i, all.columns - k < columns ? all.columns - k : columns,
                               all.rows - i < rows ? all.rows - i : rows};
            *tiles += window_to_read(c, job, &some, &w);
            if (launch) read_kernel<<<grid_of(w), dim3(BLOCK_X, BLOCK_Y), 0, c->backend->stream>>>(*job, w);
        }
    ENDO_CUDA(c->backend, cudaGetLastError());
    return ENDO_OK;
}

/* Some rows of the rectangle, down to the host. painted may be NULL. */
static endo_status read_rows(cuda_canvas *c, read_job *job, void *pixels, uint8_t *painted) {
    cuda_backend *b = c->backend;
    size_t row = job->width * job->size, area = (size_t)job->width * job->height;
    int64_t tiles;
    ENDO_TRY(gather(c, job, 0, &tiles));
    if (!tiles) {
        memset(pixels, 0, row * job->height);
        if (painted) memset(painted, 0, area);
        return ENDO_OK;
    }
    job->pixels = (uint8_t *)b->scratch.memory;
    job->painted = job->pixels + area * job->size;
    ENDO_TRY(gather(c, job, 1, &tiles));
    ENDO_TRY(cuda_download_rows(b, pixels, row, job->pixels, row, row, job->height, PIECE));
    if (!painted) return ENDO_OK;
    return cuda_download_rows(b, painted, job->width, job->painted, job->width, job->width, job->height, PIECE);
}

/* Scratch memory for as many rows as there are, or fewer; at least one. */
static endo_status reserve_rows(cuda_backend *b, size_t row_bytes, int height, int *rows) {
    size_t wanted = READ_BYTES / row_bytes;
    *rows = wanted < 1 ? 1 : wanted < (size_t)height ? (int)wanted : height;
    endo_status status = cuda_reserve(b, &b->scratch, *rows * row_bytes);
    while (status == ENDO_ERR_MEMORY && *rows > 1) {
        *rows /= 2;
        status = cuda_reserve(b, &b->scratch, *rows * row_bytes);
    }
    return status;
}

static endo_status cuda_canvas_read(void *canvas, int x, int y, int width, int height, void *pixels, uint8_t *painted) {
    cuda_canvas *c = (cuda_canvas *)canvas;
    int rows;
    ENDO_TRY(cuda_enter(c->backend));
    ENDO_TRY(reserve_rows(c->backend, width * (c->size + 1), height, &rows));
    for (int v = 0; v < height; v += rows) {
        read_job job = {x, y + v, width, height - v < rows ? height - v : rows, NULL, NULL, c->size};
        size_t at = (size_t)v * width;
        ENDO_TRY(read_rows(c, &job, (uint8_t *)pixels + at * c->size, painted ? painted + at : NULL));
    }
    return ENDO_OK;
}

extern "C" const endo_canvas_kernels cuda_canvas_kernels = {
    .create = cuda_canvas_create,
    .destroy = cuda_canvas_destroy,
    .resize = cuda_canvas_resize,
    .clear = cuda_canvas_clear,
    .paint = cuda_canvas_paint,
    .paint_list = NULL, /* each is a kernel of its own, in the stream */
    .read = cuda_canvas_read,
};
