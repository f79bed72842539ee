/* The levels of frames for Fourier registration and their high-passed values (rules/fourier_levels.h), on the device. A
 * level is a plane of 16-bit numbers: grey, or ENDO_FOURIER_INVALID, since nobody asks for the grey of a pixel that is not
 * valid. */
#include "chunks.h"
#include "derived.h"
#include "fourier.cuh"

#include <string.h>

#define TILE 64
#define THREADS 256
/* Levels that follow from a tile: of 64, 32, .. 1 pixels. */
#define LEVELS_A_TILE 6
/* Images that come with a launch. */
#define FEW_LEVELS 4

/* ------------------------------------------------------------------ layout */

static void lay_out(const cuda_store *s, cuda_fourier_layout *l) {
    int n = endo_fourier_levels(s->options.width, s->options.height);
    for (int i = 0; i < n; i++) {
        l->stride[i] = ((s->options.width >> i) + 15) / 16 * 16;
        l->offset[i] = l->elements;
        l->elements += (size_t)l->stride[i] * (size_t)(s->options.height >> i);
    }
}

void cuda_fourier_free(cuda_store *s) {
    cuda_fourier *f = s->fourier;
    if (!f) return;
    for (int i = 0; f->frames && i < s->options.capacity; i++) {
        cuda_release(s->backend, f->frames[i].levels.memory);
        for (int half = 0; half <= ENDO_FOURIER_MOST_HALF; half++) cuda_release(s->backend, f->frames[i].highpass[half].memory);
        cuda_release(s->backend, f->frames[i].turns.values.memory);
        cuda_release(s->backend, f->frames[i].shifts.values.memory);
    }
    cuda_release(s->backend, f->tapers.memory);
    cuda_release(s->backend, f->places.memory);
    endo_free(f->frames);
    endo_free(f);
    s->fourier = NULL;
}

static endo_status create(cuda_store *s) {
    cuda_fourier *f = (cuda_fourier *)endo_alloc_zeroed(1, sizeof *f);
    if (f) f->frames = (cuda_fourier_frame *)endo_alloc_zeroed((size_t)s->options.capacity, sizeof *f->frames);
    if (!f || !f->frames) {
        endo_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the levels of %d frames", s->options.capacity);
    }
    lay_out(s, &f->layout);
    s->fourier = f;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ levels */

typedef struct level_item {
    const uint8_t *plain, *specular; /* of the store's size; specular: or NULL */
    int16_t *levels;
    int width, height;
} level_item;

typedef struct level_job {
    cuda_fourier_layout layout;
    cuda_list<level_item, FEW_LEVELS> items;
    const uint8_t *field;
    int stride; /* of plain, specular and field */
    int base;   /* the level that tiles are read from: 0, of the store, or one that is there */
} level_job;

/* Pixels of a frame, four at a time; all reads of a thread before its first write: they do not wait for each other. Rows of
 * frames and of the level are longer than the image, to whole words. */
__device__ static void read_frame_tile(const level_job *job, const level_item *item, int left, int top, int16_t *tile) {
    const int each = TILE * TILE / 4 / THREADS;
    uint32_t grey[each], valid[each];
#pragma unroll
    for (int k = 0; k < each; k++) {
        int i = threadIdx.x + k * THREADS, x = left + i % (TILE / 4) * 4, y = top + i / (TILE / 4);
        int inside = x < item->width && y < item->height;
        size_t at = (size_t)min(y, item->height - 1) * job->stride + (x < item->width ? x : left);
        grey[k] = *(const uint32_t *)(item->plain + at);
        valid[k] = inside ? *(const uint32_t *)(job->field + at) : 0;
        if (item->specular) valid[k] &= ~*(const uint32_t *)(item->specular + at);
    }
#pragma unroll
    for (int k = 0; k < each; k++) {
        int i = threadIdx.x + k * THREADS, x = left + i % (TILE / 4) * 4, y = top + i / (TILE / 4), v[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int is_valid = (valid[k] >> 8 * j & 255) && x + j < item->width;
            v[j] = is_valid ? (int)(grey[k] >> 8 * j & 255) : ENDO_FOURIER_INVALID;
        }
        short4 four = make_short4((short)v[0], (short)v[1], (short)v[2], (short)v[3]);
        *(short4 *)(tile + 4 * i) = four;
        if (x < item->width && y < item->height) *(short4 *)(item->levels + (size_t)y * job->layout.stride[0] + x) = four;
    }
}

/* Pixels of a level. */
__device__ static void read_tile(const level_job *job, const level_item *item, int left, int top, int16_t *tile) {
    int16_t values[TILE * TILE / THREADS];
#pragma unroll
    for (int k = 0; k < TILE * TILE / THREADS; k++) {
        int i = threadIdx.x + k * THREADS;
        int x = left + i % TILE, y = top + i / TILE, inside = x < item->width >> job->base && y < item->height >> job->base;
        size_t at = job->layout.offset[job->base] + (size_t)y * job->layout.stride[job->base] + x;
        values[k] = inside ? item->levels[at] : (int16_t)ENDO_FOURIER_INVALID;
    }
#pragma unroll
    for (int k = 0; k < TILE * TILE / THREADS; k++) tile[threadIdx.x + k * THREADS] = values[k];
}

__device__ static int16_t halve(const int16_t *in, int pitch) {
    int a = in[0], b = in[1], c = in[pitch], d = in[pitch + 1];
    int invalid = min(min(a, b), min(c, d)) == ENDO_FOURIER_INVALID;
    return (int16_t)(invalid ? ENDO_FOURIER_INVALID : endo_fourier_halve(a, b, c, d));
}

/* A block takes 64 x 64 pixels of the base, and writes what follows from them of the levels above. Pixels beyond the image
 * are read as not valid; what they lead to is beyond the levels above, and is not written. */
__global__ static void levels_kernel(const __grid_constant__ level_job job) {
    __shared__ __align__(8) int16_t tiles[2][TILE * TILE];
    const level_item item = job.items[blockIdx.z];
    int n = endo_fourier_levels(item.width, item.height), left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    if (left >= item.width >> job.base || top >= item.height >> job.base || (job.base && n <= job.base + 1)) return;
    if (job.base) read_tile(&job, &item, left, top, tiles[0]);
    else read_frame_tile(&job, &item, left, top, tiles[0]);
    for (int k = 1; k <= LEVELS_A_TILE && job.base + k < n; k++) {
        const int16_t *in = tiles[(k - 1) & 1];
        int16_t *out = tiles[k & 1];
        int level = job.base + k, side = TILE >> k;
        __syncthreads();
        for (int i = threadIdx.x; i < side * side; i += THREADS) {
            int x = i % side, y = i / side, to_x = (left >> k) + x, to_y = (top >> k) + y;
            int16_t value = halve(in + 4 * y * side + 2 * x, 2 * side);
            out[i] = value;
            if (to_x < item.width >> level && to_y < item.height >> level)
                item.levels[job.layout.offset[level] + (size_t)to_y * job.layout.stride[level] + to_x] = value;
        }
    }
}

static level_item item_of(const cuda_store *s, int slot) {
    const cuda_fourier_frame *f = &s->fourier->frames[slot];
    level_item item = {s->plain + slot * s->area, s->bright ? s->bright + slot * s->area : NULL,
                       (int16_t *)f->levels.memory, f->width, f->height};
    return item;
}

static endo_status launch_levels(const cuda_store *s, const level_item *items, size_t n) {
    cuda_backend *b = s->backend;
    level_job job = {s->fourier->layout, {}, s->field, s->stride, 0};
    ENDO_TRY(cuda_send_list(b, items, n, &job.items));
    int levels = endo_fourier_levels(s->options.width, s->options.height);
    for (; job.base == 0 || job.base < levels - 1; job.base += LEVELS_A_TILE) {
        int width = s->options.width >> job.base, height = s->options.height >> job.base;
        dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE, (unsigned)n);
        levels_kernel<<<grid, THREADS, 0, b->stream>>>(job);
    }
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

typedef struct build_call {
    cuda_store *store;
    const int32_t *slots;
    level_item *items;
} build_call;

static endo_status build_chunk(void *job, size_t first, size_t n) {
    const build_call *call = (const build_call *)job;
    return launch_levels(call->store, call->items + first, n);
}

static endo_status build(cuda_store *s, const int32_t *slots, size_t n) {
    for (size_t i = 0; i < n; i++) {
        cuda_fourier_frame *f = &s->fourier->frames[slots[i]];
        memset(f->highpassed, 0, sizeof f->highpassed);
        f->turns.is_there = f->shifts.is_there = 0;
        ENDO_TRY(cuda_reserve(s->backend, &f->levels, s->fourier->layout.elements * sizeof(int16_t)));
    }
    build_call call = {s, slots, (level_item *)endo_alloc(n, sizeof(level_item))};
    if (!call.items) return endo_fail(ENDO_ERR_MEMORY, "no memory for the levels of %zu frames", n);
    for (size_t i = 0; i < n; i++) call.items[i] = item_of(s, slots[i]);
    endo_status status = cuda_in_chunks(n, 0, build_chunk, &call);
    endo_free(call.items);
    return status;
}

extern const cuda_derivation cuda_fourier_levels = {
    .from = CUDA_ARRIVED,
    .applies = NULL,
    .take = NULL,
    .build = build,
};

static void want_size(cuda_store *s, int slot, int width, int height) {
    cuda_fourier_frame *f = &s->fourier->frames[slot];
    if (f->width == width && f->height == height) return;
    endo_slots_drop(&s->slots, CUDA_FOURIER, slot);
    f->width = width, f->height = height;
}

endo_status cuda_fourier_prepare(cuda_store *s, const void *requests, size_t n, size_t size) {
    if (!s->fourier) ENDO_TRY(create(s));
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_images *m = (const endo_fourier_images *)((const uint8_t *)requests + i * size);
        want_size(s, m->reference, m->reference_width, m->reference_height);
        want_size(s, m->current, m->current_width, m->current_height);
    }
    return cuda_derive(s, CUDA_FOURIER, requests, n, size);
}

/* --------------------------------------------------------------- high-pass */

#define WARPS (THREADS / 32)
#define MARGIN ENDO_FOURIER_MOST_HALF
#define SIDE (TILE + 2 * MARGIN) /* of a tile and what is around it */
#define ROWS (SIDE / WARPS)      /* of a warp */
#define EACH 3                   /* neighbours in a row that a lane takes */
static_assert(ROWS * WARPS == SIDE && EACH * 32 >= SIDE && TILE * TILE % THREADS == 0, "warps and lanes share a tile");
/* A valid pixel as one number: its grey, and 1 to count. 25 x 25 of them fit 32 bits, and their grey 20; larger sums may
 * overflow, since what is made of them is modulo 2^32. */
#define COUNTED (1u << 20)

typedef struct highpass_item {
    const int16_t *values;
    int16_t *out;
    int width, height, stride, half;
    uint32_t first_tile;
} highpass_item;

typedef struct highpass_job {
    cuda_list<highpass_item, CUDA_FOURIER_ASIDE> items;
    uint32_t n;
} highpass_job;

__device__ static const highpass_item *item_of_tile(const highpass_job *job, uint32_t tile) {
    const highpass_item *items = job->items.many ? job->items.many : job->items.few;
    uint32_t low = 0, high = job->n; /* the last item that does not begin after the tile */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (items[middle].first_tile <= tile) low = middle;
        else high = middle;
    }
    return &items[low];
}

/* Sums of all pixels above and to the left of a corner of a pixel. */
typedef struct highpass_table {
    unsigned sums[SIDE + 1][SIDE + 1];
    unsigned last[WARPS][SIDE]; /* the last row of each warp, of its rows alone */
} highpass_table;

/* The numbers of a warp's rows; all reads of a thread come first. */
__device__ static void read_rows(const highpass_item *item, int left, int top, unsigned numbers[ROWS][EACH]) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int x = left + EACH * lane + k, y = top + r;
            int inside = EACH * lane + k < SIDE && x >= 0 && y >= 0 && x < item->width && y < item->height;
            int value = inside ? item->values[(size_t)y * item->stride + x] : ENDO_FOURIER_INVALID;
            numbers[r][k] = value == ENDO_FOURIER_INVALID ? 0 : value + COUNTED;
        }
}

/* Sums along each row of a warp, then down its columns. */
__device__ static void add_rows(unsigned numbers[ROWS][EACH]) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        unsigned own = numbers[r][0] + numbers[r][1] + numbers[r][2], all = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, all, offset);
            if (lane >= offset) all += other;
        }
        unsigned sum = all - own;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            sum += numbers[r][k];
            numbers[r][k] = r ? sum + numbers[r - 1][k] : sum;
        }
    }
}

__device__ static void fill_table(const highpass_item *item, int left, int top, highpass_table *t) {
    int warp = threadIdx.x / 32, column = EACH * (threadIdx.x % 32);
    unsigned numbers[ROWS][EACH];
    read_rows(item, left - MARGIN, top - MARGIN + warp * ROWS, numbers);
    add_rows(numbers);
    for (int i = threadIdx.x; i <= SIDE; i += THREADS) t->sums[0][i] = t->sums[i][0] = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (column + k < SIDE) t->last[warp][column + k] = numbers[ROWS - 1][k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        unsigned above = 0;
        if (column + k >= SIDE) continue;
        for (int w = 0; w < warp; w++) above += t->last[w][column + k];
#pragma unroll
        for (int r = 0; r < ROWS; r++) t->sums[warp * ROWS + r + 1][column + k + 1] = numbers[r][k] + above;
    }
    __syncthreads();
}

/* endo_fourier_highpass() without a division of integers: what is divided is below 2^21, by at most 1250, which leaves a
 * quotient up to 1020. A half more keeps it away from whole numbers by 0.5 / 1250, more than its rounding. */
__device__ static int highpass(int grey, int sum, int count) {
    float mean = __fdividef((float)(2 * ENDO_FOURIER_ONE * sum + count) + 0.5f, (float)(2 * count));
    return ENDO_FOURIER_ONE * grey - (int)mean;
}

/* A block a tile: sums of rectangles from a table of sums. */
__global__ static void __launch_bounds__(THREADS) highpass_kernel(const __grid_constant__ highpass_job job) {
    __shared__ highpass_table t;
    const highpass_item item = *item_of_tile(&job, blockIdx.x);
    uint32_t tile = blockIdx.x - item.first_tile, columns = (item.width + TILE - 1) / TILE;
    int left = (int)(tile % columns) * TILE, top = (int)(tile / columns) * TILE;
    fill_table(&item, left, top, &t);
    int column = threadIdx.x % TILE, x = left + column;
    if (x >= item.width) return;
    int reach = endo_fourier_reach(x, item.width, item.half), from = column + MARGIN - reach, to = column + MARGIN + reach + 1;
    for (int row = threadIdx.x / TILE; row < TILE && top + row < item.height; row += THREADS / TILE) {
        int y = top + row, tall = endo_fourier_reach(y, item.height, item.half);
        int grey = item.values[(size_t)y * item.stride + x];
        const unsigned *above = t.sums[row + MARGIN - tall], *below = t.sums[row + MARGIN + tall + 1];
        unsigned sum = below[to] - below[from] - above[to] + above[from];
        int count = (int)(sum / COUNTED), area = (2 * reach + 1) * (2 * tall + 1);
        int has = grey != ENDO_FOURIER_INVALID && endo_fourier_has_mean(count, area);
        item.out[(size_t)y * item.stride + x] =
            (int16_t)(has ? highpass(grey, (int)(sum % COUNTED), count) : ENDO_FOURIER_INVALID);
    }
}

/* Lists the levels that lack high-passed values; from now on they are taken to have them. */
static endo_status list_missing(cuda_store *s, const cuda_fourier_wanted *wanted, size_t n, highpass_item *items,
                                size_t *count, uint32_t *tiles) {
    for (size_t i = 0; i < n; i++) {
        const cuda_fourier_wanted *w = &wanted[i];
        cuda_fourier_frame *f = &s->fourier->frames[w->slot];
        int level = w->level, width = f->width >> level, height = f->height >> level;
        if (f->highpassed[w->half] >> level & 1) continue;
        ENDO_TRY(cuda_reserve(s->backend, &f->highpass[w->half], s->fourier->layout.elements * sizeof(int16_t)));
        f->highpassed[w->half] |= 1u << level;
        highpass_item item = {cuda_fourier_level(s, w->slot, level, 0), cuda_fourier_level(s, w->slot, level, w->half), width,
                              height, s->fourier->layout.stride[level], w->half, *tiles};
        items[(*count)++] = item;
        *tiles += (uint32_t)((width + TILE - 1) / TILE) * (uint32_t)((height + TILE - 1) / TILE);
    }
    return ENDO_OK;
}

static endo_status launch_highpass(cuda_backend *b, const highpass_item *items, size_t n, uint32_t tiles, cudaStream_t stream) {
    if (n == 0) return ENDO_OK;
    highpass_job job = {{}, (uint32_t)n};
    ENDO_TRY(cuda_send_list(b, items, n, &job.items));
    highpass_kernel<<<tiles, THREADS, 0, stream>>>(job);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_fourier_highpass(cuda_store *s, const cuda_fourier_wanted *wanted, size_t n, cudaStream_t stream) {
    size_t count = 0;
    uint32_t tiles = 0;
    highpass_item *items = (highpass_item *)endo_alloc(n, sizeof *items);
    if (!items) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu images", n);
    endo_status status = list_missing(s, wanted, n, items, &count, &tiles);
    if (status == ENDO_OK) status = launch_highpass(s->backend, items, count, tiles, stream);
    for (size_t i = 0; i < n && status != ENDO_OK; i++)
        memset(s->fourier->frames[wanted[i].slot].highpassed, 0, sizeof s->fourier->frames[wanted[i].slot].highpassed);
    endo_free(items);
    return status;
}
