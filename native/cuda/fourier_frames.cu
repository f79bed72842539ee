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
    const level_item *items;
    const uint8_t *field;
    int stride; /* of plain, specular and field */
    int base;   /* the level that tiles are read from: 0, of the store, or one that is there */
} level_job;

__device__ static int16_t read_base(const level_job *job, const level_item *item, int x, int y) {
    if (x >= item->width >> job->base || y >= item->height >> job->base) return ENDO_FOURIER_INVALID;
    if (job->base) return item->levels[job->layout.offset[job->base] + (size_t)y * job->layout.stride[job->base] + x];
    size_t at = (size_t)y * job->stride + x;
    int grey = item->plain[at], valid = job->field[at] && !(item->specular && item->specular[at]);
    return (int16_t)(valid ? grey : ENDO_FOURIER_INVALID);
}

/* All reads of a thread before its first write: they do not wait for each other. */
__device__ static void read_tile(const level_job *job, const level_item *item, int left, int top, int16_t *tile) {
    int16_t values[TILE * TILE / THREADS];
#pragma unroll
    for (int k = 0; k < TILE * TILE / THREADS; k++) {
        int i = threadIdx.x + k * THREADS;
        values[k] = read_base(job, item, left + i % TILE, top + i / TILE);
    }
#pragma unroll
    for (int k = 0; k < TILE * TILE / THREADS; k++) {
        int i = threadIdx.x + k * THREADS, x = left + i % TILE, y = top + i / TILE;
        tile[i] = values[k];
        if (job->base == 0 && x < item->width && y < item->height)
            item->levels[(size_t)y * job->layout.stride[0] + x] = values[k];
    }
}

__device__ static int16_t halve(const int16_t *in, int pitch) {
    int a = in[0], b = in[1], c = in[pitch], d = in[pitch + 1];
    int invalid = min(min(a, b), min(c, d)) == ENDO_FOURIER_INVALID;
    return (int16_t)(invalid ? ENDO_FOURIER_INVALID : endo_fourier_halve(a, b, c, d));
}

/* A block takes 64 x 64 pixels of the base, and writes what follows from them of the levels above. Pixels beyond the image
 * are read as not valid; what they lead to is beyond the levels above, and is not written. */
__global__ static void levels_kernel(level_job job) {
    __shared__ int16_t tiles[2][TILE * TILE];
    const level_item item = job.items[blockIdx.z];
    int n = endo_fourier_levels(item.width, item.height), left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    if (left >= item.width >> job.base || top >= item.height >> job.base || (job.base && n <= job.base + 1)) return;
    read_tile(&job, &item, left, top, tiles[0]);
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
    ENDO_TRY(cuda_send(b, items, n * sizeof *items));
    level_job job = {s->fourier->layout, (const level_item *)b->device_in.memory, s->field, s->stride, 0};
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

#define MARGIN ENDO_FOURIER_MOST_HALF
#define ROWS 32 /* of a tile; TILE columns */
#define RUN 8   /* sums that a thread carries on from pixel to pixel */
/* A valid pixel as one number: its grey, and 1 to count. 25 x 25 of them fit 31 bits, and their grey 20. */
#define COUNTED (1 << 20)

typedef struct highpass_item {
    const int16_t *values;
    int16_t *out;
    int width, height, stride, half;
    uint32_t first_tile;
} highpass_item;

__device__ static const highpass_item *item_of_tile(const highpass_item *items, uint32_t n, uint32_t tile) {
    uint32_t low = 0, high = n; /* the last item that does not begin after the tile */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (items[middle].first_tile <= tile) low = middle;
        else high = middle;
    }
    return &items[low];
}

typedef int packed_tile[ROWS + 2 * MARGIN][TILE + 2 * MARGIN + 1];

/* The pixels of a tile and around it; all reads of a thread before its first write. */
__device__ static void pack_tile(const highpass_item *item, int left, int top, packed_tile packed) {
    const int across = TILE + 2 * MARGIN, n = (ROWS + 2 * MARGIN) * across;
    int values[(n + THREADS - 1) / THREADS];
#pragma unroll
    for (int k = 0; k < (n + THREADS - 1) / THREADS; k++) {
        int i = threadIdx.x + k * THREADS, x = left + i % across - MARGIN, y = top + i / across - MARGIN;
        int inside = i < n && x >= 0 && y >= 0 && x < item->width && y < item->height;
        values[k] = inside ? item->values[(size_t)y * item->stride + x] : ENDO_FOURIER_INVALID;
    }
#pragma unroll
    for (int k = 0; k < (n + THREADS - 1) / THREADS; k++) {
        int i = threadIdx.x + k * THREADS;
        if (i < n) packed[i / across][i % across] = values[k] == ENDO_FOURIER_INVALID ? 0 : values[k] + COUNTED;
    }
}

/* Sums of numbers `step` apart about each of a run of them, as far as endo_fourier_reach() says; those beyond the
 * image are nobody's. in: the first of the run. */
__device__ static void sum_run(const int *in, int step, int place, int length, int half, int sums[RUN]) {
    int sum = 0, carried = 0; /* the sum is that of the place before, reaching `half` */
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        int reach = place + k < length ? endo_fourier_reach(place + k, length, half) : 0;
        if (reach == half && carried) {
            sum += in[(k + half) * step] - in[(k - half - 1) * step];
        } else {
            sum = 0;
            for (int i = k - reach; i <= k + reach; i++) sum += in[i * step];
        }
        carried = reach == half;
        sums[k] = sum;
    }
}

/* Sums of rectangles: first along rows, then down columns. */
__global__ static void highpass_kernel(const highpass_item *items, uint32_t n) {
    __shared__ packed_tile packed;
    __shared__ int across[ROWS + 2 * MARGIN][TILE + 1];
    const highpass_item item = *item_of_tile(items, n, blockIdx.x);
    uint32_t tile = blockIdx.x - item.first_tile, columns = (item.width + TILE - 1) / TILE;
    int left = (int)(tile % columns) * TILE, top = (int)(tile / columns) * ROWS, sums[RUN];
    pack_tile(&item, left, top, packed);
    __syncthreads();
    for (int i = threadIdx.x; i < (ROWS + 2 * MARGIN) * (TILE / RUN); i += THREADS) {
        int row = i % (ROWS + 2 * MARGIN), from = i / (ROWS + 2 * MARGIN) * RUN;
        sum_run(&packed[row][from + MARGIN], 1, left + from, item.width, item.half, sums);
#pragma unroll
        for (int k = 0; k < RUN; k++) across[row][from + k] = sums[k];
    }
    __syncthreads();
    int column = threadIdx.x % TILE, from = threadIdx.x / TILE * RUN, x = left + column; /* THREADS / TILE * RUN == ROWS */
    int wide = x < item.width ? 2 * endo_fourier_reach(x, item.width, item.half) + 1 : 1;
    sum_run(&across[from + MARGIN][column], TILE + 1, top + from, item.height, item.half, sums);
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        int y = top + from + k, middle = packed[from + k + MARGIN][column + MARGIN], sum = sums[k];
        if (x >= item.width || y >= item.height) continue;
        int area = wide * (2 * endo_fourier_reach(y, item.height, item.half) + 1);
        int has = middle && endo_fourier_has_mean(sum / COUNTED, area);
        item.out[(size_t)y * item.stride + x] =
            (int16_t)(has ? endo_fourier_highpass(middle % COUNTED, sum % COUNTED, sum / COUNTED) : ENDO_FOURIER_INVALID);
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
        *tiles += (uint32_t)((width + TILE - 1) / TILE) * (uint32_t)((height + ROWS - 1) / ROWS);
    }
    return ENDO_OK;
}

static endo_status launch_highpass(cuda_backend *b, const highpass_item *items, size_t n, uint32_t tiles) {
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_send(b, items, n * sizeof *items));
    highpass_kernel<<<tiles, THREADS, 0, b->stream>>>((const highpass_item *)b->device_in.memory, (uint32_t)n);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_fourier_highpass(cuda_store *s, const cuda_fourier_wanted *wanted, size_t n) {
    size_t count = 0;
    uint32_t tiles = 0;
    highpass_item *items = (highpass_item *)endo_alloc(n, sizeof *items);
    if (!items) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu images", n);
    endo_status status = list_missing(s, wanted, n, items, &count, &tiles);
    if (status == ENDO_OK) status = launch_highpass(s->backend, items, count, tiles);
    for (size_t i = 0; i < n && status != ENDO_OK; i++)
        memset(s->fourier->frames[wanted[i].slot].highpassed, 0, sizeof s->fourier->frames[wanted[i].slot].highpassed);
    endo_free(items);
    return status;
}
