/* The flow pyramid ([S] Table A.1, a_IIR), for many frames in one launch a step: halving, smoothing of
 * columns, smoothing of rows with the subtraction. A recursion runs along a line in shared memory, one
 * thread a line, 32 lines a block; with few frames 8, so that more blocks share the way to memory and back. */
#include "chunks.h"
#include "derived.h"

#include <string.h>

#define MOST_LINES 32
#define FEW_LINES 8
#define THREADS 256
/* Words of shared memory between neighbouring lines: odd, so that 32 threads meet 32 banks. */
#define LINE_PITCH(length) ((((length) + 1) / 2 | 1) * 2)

/* One size of the halved images, dense, frame after frame. */
typedef struct half_images {
    uint8_t *grey, *valid;
    size_t frame; /* bytes from frame to frame */
    int width, height;
} half_images;

typedef struct source_images {
    const uint8_t *grey, *specular, *field;
    cuda_slots slots;
    size_t area;
    int stride;
} source_images;

/* The first halving (or, with step 1, a copy) reads the store. */
__global__ static void from_store_kernel(const __grid_constant__ source_images in, half_images out, int step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;
    size_t frame = cuda_slot(&in.slots, blockIdx.z) * in.area;
    int grey = 0, valid = 255;
    for (int v = 0; v < step; v++)
        for (int u = 0; u < step; u++) {
            size_t i = (size_t)(step * y + v) * in.stride + step * x + u;
            grey += in.grey[frame + i];
            valid &= in.field[i];
            if (in.specular) valid &= ~in.specular[frame + i];
        }
    size_t to = blockIdx.z * out.frame + (size_t)y * out.width + x;
    out.grey[to] = (uint8_t)(step == 1 ? grey : (grey + 2) >> 2);
    out.valid[to] = (uint8_t)valid;
}

__global__ static void halve_kernel(half_images in, half_images out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;
    size_t i = blockIdx.z * in.frame + (size_t)(2 * y) * in.width + 2 * x, j = i + in.width;
    size_t to = blockIdx.z * out.frame + (size_t)y * out.width + x;
    out.grey[to] = (uint8_t)((in.grey[i] + in.grey[i + 1] + in.grey[j] + in.grey[j + 1] + 2) >> 2);
    out.valid[to] = in.valid[i] & in.valid[i + 1] & in.valid[j] & in.valid[j + 1];
}

/* ------------------------------------------------------ all levels at once */

/* Halved as often as a tile of this side can be. */
#define TILE 64
#define MOST_HALVINGS 6

typedef struct halving_job {
    source_images in;
    cuda_levels levels;
    uint8_t *grey, *valid; /* dense, frame after frame */
    int width, height;     /* of the store's frames */
    int first, halvings;   /* of the finest level, of the coarsest one */
} halving_job;

/* A tile of one size, grey and valid. */
typedef struct tile_images {
    uint8_t grey[TILE * TILE], valid[TILE * TILE];
} tile_images;

/* Beyond the frame is nothing that anything is made of. */
__device__ static void read_tile(const halving_job *job, size_t frame, tile_images *t) {
    const source_images *in = &job->in;
#pragma unroll 4
    for (int i = threadIdx.x; i < TILE * TILE / 4; i += THREADS) {
        int x = blockIdx.x * TILE + i % (TILE / 4) * 4, y = blockIdx.y * TILE + i / (TILE / 4);
        size_t at = (size_t)min(y, job->height - 1) * in->stride + min(x, in->stride - 4);
        uint32_t valid = *(const uint32_t *)(in->field + at);
        if (in->specular) valid &= ~*(const uint32_t *)(in->specular + frame + at);
        ((uint32_t *)t->grey)[i] = *(const uint32_t *)(in->grey + frame + at);
        ((uint32_t *)t->valid)[i] = valid;
    }
}

__device__ static void halve_tile(const tile_images *in, int side, tile_images *out) {
    for (int i = threadIdx.x; i < side * side; i += THREADS) {
        int at = i / side * 2 * 2 * side + i % side * 2, below = at + 2 * side;
        out->grey[i] = (uint8_t)((in->grey[at] + in->grey[at + 1] + in->grey[below] + in->grey[below + 1] + 2) >> 2);
        out->valid[i] = in->valid[at] & in->valid[at + 1] & in->valid[below] & in->valid[below + 1];
    }
}

__device__ static void write_tile(const halving_job *job, const tile_images *t, int side, int l) {
    const cuda_level *level = &job->levels.level[l];
    size_t to = blockIdx.z * job->levels.dense_bytes + level->dense;
    for (int i = threadIdx.x; i < side * side; i += THREADS) {
        int x = blockIdx.x * side + i % side, y = blockIdx.y * side + i / side;
        if (x >= level->size.width || y >= level->size.height) continue;
        job->grey[to + (size_t)y * level->size.width + x] = t->grey[i];
        job->valid[to + (size_t)y * level->size.width + x] = t->valid[i];
    }
}

/* A block a tile of a frame: all its levels. */
__global__ static void __launch_bounds__(THREADS) halve_all_kernel(const __grid_constant__ halving_job job) {
    __shared__ __align__(16) tile_images tiles[2];
    read_tile(&job, cuda_slot(&job.in.slots, blockIdx.z) * job.in.area, &tiles[0]);
    __syncthreads();
    if (job.first == 0) write_tile(&job, &tiles[0], TILE, 0);
    for (int k = 1; k <= job.halvings; k++) {
        tile_images *out = &tiles[k & 1];
        halve_tile(&tiles[~k & 1], TILE >> k, out);
        __syncthreads();
        if (k >= job.first) write_tile(&job, out, TILE >> k, k - job.first);
    }
}

typedef struct smoothing {
    cuda_levels levels;
    const uint8_t *grey, *valid; /* dense, frame after frame */
    const uint8_t *field;        /* dense, one for all */
    const int16_t *gain;
    int16_t *smoothed; /* scratch: columns done */
    int16_t *pyramids;
    cuda_slots slots;
    int k;
    int lines; /* of a block: MOST_LINES or FEW_LINES */
} smoothing;

/* Groups of lines of a level: columns, or rows. */
__host__ __device__ static int groups_of(const cuda_level *level, int rows, int lines) {
    return ((rows ? level->size.height : level->size.width) + lines - 1) / lines;
}

/* The level that this block works on, and its first line there. */
__device__ static const cuda_level *level_of(const smoothing *s, int rows, int *first) {
    int l = 0, group = blockIdx.x, groups;
    for (; group >= (groups = groups_of(&s->levels.level[l], rows, s->lines)); l++) group -= groups;
    *first = group * s->lines;
    return &s->levels.level[l];
}

/* Steps whose inputs are read ahead: a thread has only its own recursion to hide a read behind. */
#define AHEAD 8

/* One direction along a line: at line, line + step, ... n values, y the one before. */
__device__ static int32_t smooth_run(int16_t *line, int n, int step, int32_t y, int k) {
    int i = 0;
    for (; i + AHEAD <= n; i += AHEAD) {
        int32_t v[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) v[j] = line[(i + j) * step];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) line[(i + j) * step] = (int16_t)(y = endo_smooth_step(y, v[j], k));
    }
    for (; i < n; i++) line[i * step] = (int16_t)(y = endo_smooth_step(y, line[i * step], k));
    return y;
}

__device__ static void smooth_line(int16_t *line, int n, int k) {
    int32_t y = smooth_run(line + 1, n - 1, 1, line[0], k);
    if (n > 1) smooth_run(line + n - 2, n - 1, -1, y, k);
}

/* Pixels that a thread reads before it writes the first of them: with few frames nothing else hides the way to memory. */
#define BATCH 8

/* A strip of columns of the masked image into shared memory, column by column; beyond the image 0. */
__device__ static void read_strip(const uint8_t *grey, const uint8_t *field, int x0, int width, int height, int columns,
                                  int pitch, int16_t *lines) {
    int column = threadIdx.x % columns, x = min(x0 + column, width - 1), keep = x0 + column < width ? 255 : 0;
    int step = THREADS / columns;
    for (int y0 = threadIdx.x / columns; y0 < height; y0 += BATCH * step) {
        uint8_t v[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            size_t at = (size_t)min(y0 + j * step, height - 1) * width + x;
            v[j] = __ldg(grey + at) & __ldg(field + at) & keep;
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            int y = y0 + j * step;
            if (y < height) lines[column * pitch + y] = (int16_t)(v[j] * ENDO_FLOW_ONE);
        }
    }
}

__global__ static void smooth_columns_kernel(const __grid_constant__ smoothing s) {
    extern __shared__ int16_t lines[]; /* column by column */
    int x0;
    const cuda_level *level = level_of(&s, 0, &x0);
    int width = level->size.width, height = level->size.height, pitch = LINE_PITCH(height);
    const uint8_t *grey = s.grey + blockIdx.y * s.levels.dense_bytes + level->dense, *field = s.field + level->dense;
    read_strip(grey, field, x0, width, height, s.lines, pitch, lines);
    __syncthreads();
    if (threadIdx.x < s.lines) smooth_line(lines + threadIdx.x * pitch, height, s.k);
    __syncthreads();
    int16_t *out = s.smoothed + blockIdx.y * s.levels.elements + level->offset;
    int column = threadIdx.x % s.lines, x = x0 + column;
    for (int y = threadIdx.x / s.lines; y < height && x < width; y += THREADS / s.lines)
        out[(size_t)y * level->stride + x] = lines[column * pitch + y];
}

/* A row of n pixels into shared memory, by a warp. */
__device__ static void read_row(const int16_t *in, int n, int16_t *line) {
    for (int x0 = threadIdx.x % 32; x0 < n; x0 += BATCH * 32) {
        int16_t v[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) v[j] = __ldg(in + min(x0 + j * 32, n - 1));
#pragma unroll
        for (int j = 0; j < BATCH; j++)
            if (x0 + j * 32 < n) line[x0 + j * 32] = v[j];
    }
}

/* A row of the result, by a warp: grey less its smoothed copy, normalised by gain. */
__device__ static void write_row(const uint8_t *grey, const uint8_t *valid, const int16_t *gain, const int16_t *line, int n,
                                 int smoothed, int16_t *out) {
    for (int x0 = threadIdx.x % 32; x0 < n; x0 += BATCH * 32) {
        int g[BATCH], factor[BATCH], counts[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            int x = min(x0 + j * 32, n - 1);
            g[j] = __ldg(grey + x), counts[j] = __ldg(valid + x);
            factor[j] = smoothed ? __ldg(gain + x) : 0;
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            int x = x0 + j * 32;
            if (x >= n) break;
            int32_t difference = smoothed ? endo_smooth_difference(g[j], line[x], factor[j]) : g[j] * ENDO_FLOW_ONE;
            out[x] = (int16_t)(counts[j] ? difference : ENDO_FLOW_INVALID);
        }
    }
}

__global__ static void smooth_rows_kernel(const __grid_constant__ smoothing s) {
    extern __shared__ int16_t lines[]; /* row by row */
    int y0, warp = threadIdx.x / 32;
    const cuda_level *level = level_of(&s, 1, &y0);
    int width = level->size.width, height = level->size.height, stride = level->stride, pitch = LINE_PITCH(width);
    int rows = min(s.lines, height - y0);
    const int16_t *in = s.smoothed + blockIdx.y * s.levels.elements + level->offset;
    size_t dense = blockIdx.y * s.levels.dense_bytes + level->dense;
    if (s.k) {
        for (int y = warp; y < rows; y += THREADS / 32) read_row(in + (size_t)(y0 + y) * stride, width, lines + y * pitch);
        __syncthreads();
        if (threadIdx.x < rows) smooth_line(lines + threadIdx.x * pitch, width, s.k);
        __syncthreads();
    }
    int16_t *out = s.pyramids + cuda_slot(&s.slots, blockIdx.y) * s.levels.elements + level->offset;
    const int16_t *gain = s.gain + level->offset;
    for (int y = warp; y < rows; y += THREADS / 32) {
        size_t at = dense + (size_t)(y0 + y) * width, to = (size_t)(y0 + y) * stride;
        write_row(s.grey + at, s.valid + at, gain + to, lines + y * pitch, width, s.k, out + to);
    }
}

/* Scratch of one build: the images above the finest level, then every level, then the smoothed columns. */
typedef struct build_scratch {
    uint8_t *above[2], *above_valid[2]; /* two halvings take turns */
    size_t above_frame;
    uint8_t *grey, *valid;
    int16_t *smoothed;
} build_scratch;

static size_t lay_out_scratch(const cuda_store *s, size_t n, uint8_t *base, build_scratch *out) {
    size_t half = (size_t)(s->options.width / 2) * (s->options.height / 2), at = 0;
    out->above_frame = (half + 255) & ~(size_t)255;
    for (int i = 0; i < 2; i++) {
        out->above[i] = base + at, at += n * out->above_frame;
        out->above_valid[i] = base + at, at += n * out->above_frame;
    }
    out->grey = base + at, at += n * s->levels.dense_bytes;
    out->valid = base + at, at += n * s->levels.dense_bytes;
    out->smoothed = (int16_t *)(base + at), at += n * s->levels.elements * 2;
    return at;
}

static half_images level_images(const cuda_store *s, const build_scratch *scratch, int l) {
    const cuda_level *level = &s->levels.level[l];
    half_images h = {scratch->grey + level->dense, scratch->valid + level->dense, s->levels.dense_bytes,
                     level->size.width, level->size.height};
    return h;
}

static dim3 grid_of(const half_images *h, size_t n) { return dim3((h->width + 31) / 32, (h->height + 7) / 8, (unsigned)n); }

static int logarithm(int scale) {
    int k = 0;
    while (scale > 1 << k) k++;
    return k;
}

/* 0: not with tiles. */
static int halve_tiles(cuda_store *s, const cuda_slots *slots, size_t n, const build_scratch *scratch) {
    int width = s->options.width, height = s->options.height;
    int first = logarithm(s->levels.level[0].size.scale), halvings = first + s->levels.n - 1;
    if (halvings > MOST_HALVINGS) return 0;
    source_images source = {s->grey, s->specular, s->field, *slots, s->area, s->stride};
    halving_job job = {source, s->levels, scratch->grey, scratch->valid, width, height, first, halvings};
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE, (unsigned)n);
    halve_all_kernel<<<grid, THREADS, 0, s->backend->stream>>>(job);
    return 1;
}

/* Grey and validity of every level. */
static void halve_all(cuda_store *s, const cuda_slots *slots, size_t n, const build_scratch *scratch) {
    cudaStream_t stream = s->backend->stream;
    source_images source = {s->grey, s->specular, s->field, *slots, s->area, s->stride};
    dim3 block(32, 8);
    half_images last;
    if (halve_tiles(s, slots, n, scratch)) return;
    int scale = s->levels.level[0].size.scale, width = s->options.width, height = s->options.height;
    if (scale == 1) {
        last = level_images(s, scratch, 0);
        from_store_kernel<<<grid_of(&last, n), block, 0, stream>>>(source, last, 1);
    }
    for (int step = 2, turn = 0; step <= scale; step *= 2, turn ^= 1) {
        width /= 2, height /= 2;
        half_images next = {scratch->above[turn], scratch->above_valid[turn], scratch->above_frame, width, height};
        if (step == scale) next = level_images(s, scratch, 0);
        if (step == 2)
            from_store_kernel<<<grid_of(&next, n), block, 0, stream>>>(source, next, 2);
        else
            halve_kernel<<<grid_of(&next, n), block, 0, stream>>>(last, next);
        last = next;
    }
    for (int l = 1; l < s->levels.n; l++) {
        half_images next = level_images(s, scratch, l);
        halve_kernel<<<grid_of(&next, n), block, 0, stream>>>(last, next);
        last = next;
    }
}

/* Blocks a frame. */
static unsigned blocks_of(const cuda_levels *levels, int rows, int lines) {
    unsigned n = 0;
    for (int l = 0; l < levels->n; l++) n += (unsigned)groups_of(&levels->level[l], rows, lines);
    return n;
}

static endo_status build_some(cuda_store *s, const int32_t *slots, size_t n) {
    cuda_backend *b = s->backend;
    build_scratch scratch;
    ENDO_TRY(cuda_reserve(b, &b->scratch, lay_out_scratch(s, n, NULL, &scratch)));
    lay_out_scratch(s, n, (uint8_t *)b->scratch.memory, &scratch);
    cuda_slots on_device;
    ENDO_TRY(cuda_send_slots(b, slots, n, &on_device));
    halve_all(s, &on_device, n, &scratch);
    int lines = n * blocks_of(&s->levels, 1, MOST_LINES) < (size_t)b->multiprocessors ? FEW_LINES : MOST_LINES;
    smoothing all = {s->levels, scratch.grey, scratch.valid, s->level_field, s->gain,
                     scratch.smoothed, s->pyramids, on_device, s->smoothing, lines};
    size_t shared = 2 * lines * (size_t)LINE_PITCH(ENDO_FLOW_SIDE);
    dim3 strips(blocks_of(&s->levels, 0, lines), (unsigned)n), bands(blocks_of(&s->levels, 1, lines), (unsigned)n);
    if (s->smoothing) smooth_columns_kernel<<<strips, THREADS, shared, b->stream>>>(all);
    smooth_rows_kernel<<<bands, THREADS, shared, b->stream>>>(all);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

typedef struct build_call {
    cuda_store *store;
    const int32_t *slots;
} build_call;

static endo_status build_chunk(void *job, size_t first, size_t n) {
    const build_call *call = (const build_call *)job;
    return build_some(call->store, call->slots + first, n);
}

static endo_status build(cuda_store *s, const int32_t *slots, size_t n) {
    build_scratch unused;
    build_call call = {s, slots};
    return cuda_in_chunks(n, lay_out_scratch(s, 1, NULL, &unused), build_chunk, &call);
}

static int applies(const cuda_store *s) { return s->levels.n > 0; }

static void take(cuda_store *s) {
    s->pyramids = (int16_t *)cuda_arena_take(&s->arena, s->levels.elements, s->options.capacity * sizeof(int16_t));
}

extern const cuda_derivation cuda_pyramid = {
    .from = CUDA_ENHANCED,
    .applies = applies,
    .take = take,
    .build = build,
};
