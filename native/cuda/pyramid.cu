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
    const int *slots;
    size_t area;
    int stride;
} source_images;

/* The first halving (or, with step 1, a copy) reads the store. */
__global__ static void from_store_kernel(source_images in, half_images out, int step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out.width || y >= out.height) return;
    size_t frame = in.slots[blockIdx.z] * in.area;
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

typedef struct smoothing {
    cuda_levels levels;
    const uint8_t *grey, *valid; /* dense, frame after frame */
    const uint8_t *field;        /* dense, one for all */
    const int16_t *gain;
    int16_t *smoothed; /* scratch: columns done */
    int16_t *pyramids;
    const int *slots;
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
    int16_t *out = s.pyramids + s.slots[blockIdx.y] * s.levels.elements + level->offset;
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

/* Grey and validity of every level. */
static void halve_all(cuda_store *s, const int *slots, size_t n, const build_scratch *scratch) {
    cudaStream_t stream = s->backend->stream;
    source_images source = {s->grey, s->specular, s->field, slots, s->area, s->stride};
    dim3 block(32, 8);
    half_images last;
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
    ENDO_TRY(cuda_send(b, slots, n * sizeof *slots));
    const int *device_slots = (const int *)b->device_in.memory;
    halve_all(s, device_slots, n, &scratch);
    int lines = n * blocks_of(&s->levels, 1, MOST_LINES) < (size_t)b->multiprocessors ? FEW_LINES : MOST_LINES;
    smoothing all = {s->levels, scratch.grey, scratch.valid, s->level_field, s->gain,
                     scratch.smoothed, s->pyramids, device_slots, s->smoothing, lines};
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
