/* Patches compared under a map (rules/patches.h) on a device: frames are smoothed once, then a block takes a patch. */
#include "chunks.h"
#include "correlate.cuh"
#include "derived.h"
#include "patches.cuh"

#include "rules/patches.h"

#define TILE_X 32
#define TILE_Y 8
#define THREADS 128
#define WARPS (THREADS / 32)
#define SUMS (1 + ENDO_PATCH_NUMBERS + ENDO_PATCH_PRODUCTS)

static_assert(sizeof(endo_patch_sums) == SUMS * sizeof(int32_t), "sums are taken as a row of numbers");

/* ---------------------------------------------------------------- smoothed */

/* Levels of one frame: rows of `stride` elements, each level from its offset on. */
typedef struct patch_layout {
    int n, width, height;
    int stride[ENDO_PATCH_LEVELS];
    size_t offset[ENDO_PATCH_LEVELS], elements;
} patch_layout;

static patch_layout layout_of(const cuda_store *s) {
    patch_layout l = {endo_patch_levels(s->options.width, s->options.height), s->options.width, s->options.height, {}, {}, 0};
    for (int i = 0; i < l.n; i++) {
        l.stride[i] = (int)endo_plane_stride(l.width >> i, 0);
        l.offset[i] = l.elements;
        l.elements += (size_t)l.stride[i] * (size_t)(l.height >> i);
    }
    return l;
}

/* Halved frames of one level, dense, frame after frame; -1: no value. */
typedef struct halved_level {
    int16_t *values;
    int width, height;
} halved_level;

typedef struct smooth_job {
    patch_layout layout;
    const uint8_t *grey, *specular, *field; /* of all slots; the field's; specular: or NULL */
    size_t area;
    int stride; /* of these */
    cuda_slots slots;
    int16_t *out;
    halved_level halved[ENDO_PATCH_LEVELS]; /* none of level 0 */
} smooth_job;

/* A pixel of a level before it is smoothed: the first one is there, others are made of the level above. */
__device__ static int grey_at(const smooth_job *job, int level, int x, int y) {
    const halved_level *from = &job->halved[level == 1 ? 1 : level - 1];
    const int16_t *frame = from->values + (size_t)blockIdx.z * from->height * from->width;
    if (level == 1) return frame[(size_t)y * from->width + x];
    const int16_t *two = frame + (size_t)2 * y * from->width + 2 * x;
    int v[4] = {two[0], two[1], two[from->width], two[from->width + 1]};
    return min(min(v[0], v[1]), min(v[2], v[3])) < 0 ? -1 : endo_patch_halve(v[0], v[1], v[2], v[3]);
}

#define AROUND_X (TILE_X + 2)
#define AROUND_Y (TILE_Y + 2)

/* The pixels of a block and those around them, each once. */
__device__ static void halve_around(const smooth_job *job, int level, int16_t around[AROUND_Y][AROUND_X]) {
    int width = job->layout.width >> level, height = job->layout.height >> level;
    for (int i = threadIdx.y * TILE_X + threadIdx.x; i < AROUND_X * AROUND_Y; i += TILE_X * TILE_Y) {
        int x = (int)blockIdx.x * TILE_X + i % AROUND_X - 1, y = (int)blockIdx.y * TILE_Y + i / AROUND_X - 1;
        int inside = x >= 0 && y >= 0 && x < width && y < height;
        around[i / AROUND_X][i % AROUND_X] = (int16_t)(inside ? grey_at(job, level, x, y) : -1);
    }
}

/* A further level; the one above it is done. */
template <int LEVEL> __global__ static void smooth_kernel(const __grid_constant__ smooth_job job) {
    __shared__ int16_t around[AROUND_Y][AROUND_X];
    int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y, least = 0;
    int width = job.layout.width >> LEVEL, height = job.layout.height >> LEVEL;
    uint8_t g[9];
    halve_around(&job, LEVEL, around);
    __syncthreads();
    if (x >= width || y >= height) return;
    for (int i = 0; i < 9; i++) {
        int grey = around[threadIdx.y + i / 3][threadIdx.x + i % 3];
        least = min(least, grey);
        g[i] = (uint8_t)grey;
    }
    int16_t *to = job.out + cuda_slot(&job.slots, blockIdx.z) * job.layout.elements + job.layout.offset[LEVEL];
    to[(size_t)y * job.layout.stride[LEVEL] + x] = (int16_t)(least < 0 ? ENDO_PATCH_INVALID : endo_patch_smooth(g));
    if (LEVEL > 1)
        job.halved[LEVEL].values[((size_t)blockIdx.z * height + y) * width + x] = around[threadIdx.y + 1][threadIdx.x + 1];
}

/* ---------------------------------------------------------- frames themselves */

/* A thread takes four pixels of a row, and so many rows. */
#define FOUR 4
#define FRAME_ROWS 8
#define ODD_BYTES 0x00ff00ffu

/* Four pixels; valid: 255 in the bytes of those that have a value. */
typedef struct four_pixels {
    uint32_t grey, valid;
} four_pixels;

/* Sums 1 2 1 along a row, 16 bits each: of the first and the third pixel, of the second and the fourth. */
typedef struct four_sums {
    uint32_t first, second, valid;
} four_sums;

/* Four pixels of a row, with a value each where they have one: outside the frame none has, for beyond its right and lower
 * border the field is 0. */
__device__ static four_pixels four_at(const smooth_job *job, size_t slot, int x, int y) {
    four_pixels none = {0, 0};
    if (x < 0 || y < 0 || x >= job->layout.width || y >= job->layout.height) return none;
    size_t at = (size_t)y * job->stride + x, there = slot * job->area + at;
    uint32_t valid = *(const uint32_t *)(job->field + at);
    if (job->specular) valid &= ~*(const uint32_t *)(job->specular + there);
    four_pixels p = {*(const uint32_t *)(job->grey + there), valid};
    return p;
}

/* Sums of four pixels with their neighbours, which the threads beside this one hold; called by all threads of a warp. */
__device__ static four_sums sums_of(const smooth_job *job, size_t slot, int x, int y, const four_pixels *own) {
    four_pixels left = {__shfl_up_sync(0xffffffffu, own->grey, 1), __shfl_up_sync(0xffffffffu, own->valid, 1)};
    four_pixels right = {__shfl_down_sync(0xffffffffu, own->grey, 1), __shfl_down_sync(0xffffffffu, own->valid, 1)};
    if (threadIdx.x == 0) left = four_at(job, slot, x - FOUR, y);
    if (threadIdx.x == TILE_X - 1) right = four_at(job, slot, x + FOUR, y);
    uint32_t before = __funnelshift_l(left.grey, own->grey, 8), after = __funnelshift_r(own->grey, right.grey, 8);
    four_sums s;
    s.first = (before & ODD_BYTES) + 2 * (own->grey & ODD_BYTES) + (after & ODD_BYTES);
    s.second = (before >> 8 & ODD_BYTES) + 2 * (own->grey >> 8 & ODD_BYTES) + (after >> 8 & ODD_BYTES);
    s.valid = own->valid & __funnelshift_l(left.valid, own->valid, 8) & __funnelshift_r(own->valid, right.valid, 8);
    return s;
}

/* 1 2 1 down, of two pixels: as endo_patch_smooth. */
__device__ static uint32_t smooth_two(uint32_t above, uint32_t own, uint32_t below) {
    uint32_t quarters = (above + 2 * own + below + 0x00020002u) >> 2 & 0x3fff3fffu;
    return __vsub2(quarters, ENDO_PATCH_MIDDLE * 0x00010001u);
}

/* Pixels that follow each other, by the bytes of their values' validity. */
__device__ static uint32_t or_invalid(uint32_t two, uint32_t valid) {
    return (two & valid) | ((uint16_t)ENDO_PATCH_INVALID * 0x00010001u & ~valid);
}

__device__ static uint2 smooth_four(const four_sums s[3]) {
    uint32_t first = smooth_two(s[0].first, s[1].first, s[2].first), valid = s[0].valid & s[1].valid & s[2].valid;
    uint32_t second = smooth_two(s[0].second, s[1].second, s[2].second);
    return make_uint2(or_invalid(__byte_perm(first, second, 0x5410), __byte_perm(valid, 0, 0x1100)),
                      or_invalid(__byte_perm(first, second, 0x7632), __byte_perm(valid, 0, 0x3322)));
}

/* Two pixels of the first level, of two rows of the frame. */
__device__ static void halve_four(const smooth_job *job, int x, int y, const four_pixels *top, const four_pixels *bottom) {
    const halved_level *to = &job->halved[1];
    uint32_t valid = top->valid & bottom->valid;
    for (int i = 0; i < FOUR / 2; i++) {
        uint32_t t = top->grey >> 16 * i, b = bottom->grey >> 16 * i;
        int mean = endo_patch_halve(t & 255, t >> 8 & 255, b & 255, b >> 8 & 255), u = x / 2 + i, v = y / 2;
        if (u < to->width && v < to->height)
            to->values[((size_t)blockIdx.z * to->height + v) * to->width + u] =
                (int16_t)((valid >> 16 * i & 0xffff) == 0xffff ? mean : -1);
    }
}

/* The frames' own level, smoothed, and the first one below it, halved. */
__global__ static void __launch_bounds__(TILE_X *TILE_Y) smooth_frames_kernel(const __grid_constant__ smooth_job job) {
    int x = (blockIdx.x * TILE_X + threadIdx.x) * FOUR, top = (blockIdx.y * TILE_Y + threadIdx.y) * FRAME_ROWS;
    size_t slot = cuda_slot(&job.slots, blockIdx.z);
    int16_t *to = job.out + slot * job.layout.elements + job.layout.offset[0] + x;
    four_pixels own = four_at(&job, slot, x, top - 1), before;
    four_sums s[3] = {{}, {}, sums_of(&job, slot, x, top - 1, &own)};
    for (int y = top; y <= top + FRAME_ROWS; y++) {
        before = own, own = four_at(&job, slot, x, y);
        s[0] = s[1], s[1] = s[2], s[2] = sums_of(&job, slot, x, y, &own);
        if (y == top || y > job.layout.height || x >= job.layout.width) continue;
        *(uint2 *)(to + (size_t)(y - 1) * job.layout.stride[0]) = smooth_four(s);
        if ((y - top) % 2 == 1 && job.layout.n > 1) halve_four(&job, x, y - 1, &before, &own);
    }
}

static void smooth_frames(const smooth_job *job, size_t n, cudaStream_t stream) {
    int columns = TILE_X * FOUR, rows = TILE_Y * FRAME_ROWS;
    dim3 grid((job->layout.width + columns - 1) / columns, (job->layout.height + rows - 1) / rows, (unsigned)n);
    smooth_frames_kernel<<<grid, dim3(TILE_X, TILE_Y), 0, stream>>>(*job);
}

template <int LEVEL> static void smooth_level(const smooth_job *job, size_t n, cudaStream_t stream) {
    int width = job->layout.width >> LEVEL, height = job->layout.height >> LEVEL;
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y, (unsigned)n);
    if (LEVEL < job->layout.n) smooth_kernel<LEVEL><<<grid, dim3(TILE_X, TILE_Y), 0, stream>>>(*job);
}

/* Where the halved frames lie; returns how many bytes they take. */
static size_t lay_out_halved(const patch_layout *layout, size_t n, int16_t *memory, halved_level halved[ENDO_PATCH_LEVELS]) {
    size_t at = 0;
    for (int l = 1; l < layout->n; l++) {
        halved_level h = {memory + at, layout->width >> l, layout->height >> l};
        halved[l] = h;
        at += n * h.width * h.height;
    }
    return at * sizeof(int16_t);
}

typedef struct smooth_call {
    cuda_store *store;
    const int32_t *slots;
} smooth_call;

static endo_status smooth_some(void *call, size_t first, size_t n) {
    const smooth_call *c = (const smooth_call *)call;
    cuda_store *s = c->store;
    cuda_backend *b = s->backend;
    patch_layout layout = layout_of(s);
    halved_level halved[ENDO_PATCH_LEVELS];
    ENDO_TRY(cuda_reserve(b, &b->scratch, lay_out_halved(&layout, n, NULL, halved)));
    cuda_slots slots;
    ENDO_TRY(cuda_send_slots(b, c->slots + first, n, &slots));
    smooth_job job = {layout, s->grey, s->bright, s->field, s->area, s->stride, slots, s->smoothed, {}};
    lay_out_halved(&layout, n, (int16_t *)b->scratch.memory, job.halved);
    smooth_frames(&job, n, b->stream);
    smooth_level<1>(&job, n, b->stream);
    smooth_level<2>(&job, n, b->stream);
    smooth_level<3>(&job, n, b->stream);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

static endo_status build(cuda_store *s, const int32_t *slots, size_t n) {
    size_t bytes = (size_t)s->options.capacity * layout_of(s).elements * sizeof(int16_t);
    smooth_call call = {s, slots};
    patch_layout layout = layout_of(s);
    halved_level halved[ENDO_PATCH_LEVELS];
    if (!s->smoothed) ENDO_TRY(cuda_allocate(s->backend, (void **)&s->smoothed, bytes));
    return cuda_in_chunks(n, lay_out_halved(&layout, 1, NULL, halved), smooth_some, &call);
}

extern const cuda_derivation cuda_smoothed = {
    .from = CUDA_ENHANCED,
    .applies = NULL,
    .take = NULL,
    .build = build,
};

/* ----------------------------------------------------------------- patches */

typedef struct patch_job {
    patch_layout layout;
    const int16_t *smoothed;
    const endo_patch_request *requests;
    int side;
    int32_t *sums; /* SUMS a request */
} patch_job;

/* One level of one frame. */
typedef struct patch_image {
    const int16_t *values;
    int width, height, stride;
} patch_image;

__device__ static patch_image image_of(const patch_job *job, int slot, int level) {
    patch_image m = {job->smoothed + slot * job->layout.elements + job->layout.offset[level], job->layout.width >> level,
                     job->layout.height >> level, job->layout.stride[level]};
    return m;
}

/* 0: it does not count. In the first and last columns and rows no pixel has a value, and so none counts beside them. */
__device__ static int reference_numbers(const patch_image *m, int x, int y, int fx, int fy, int upright,
                                         int numbers[ENDO_PATCH_NUMBERS]) {
    if (x < 2 || y < 2 || x >= m->width - 2 || y >= m->height - 2) return 0;
    const int16_t *p = m->values + (size_t)y * m->stride + x;
    endo_patch_line across = {p[-1], p[1], p[-2], p[2]};
    endo_patch_line down = {p[-m->stride], p[m->stride], p[-2 * m->stride], p[2 * m->stride]};
    int near = min(min(across.before, across.behind), min(down.before, down.behind));
    int here = p[0];
    if (min(near, here) == ENDO_PATCH_INVALID) return 0;
    numbers[0] = across.behind - across.before, numbers[1] = down.behind - down.before;
    numbers[2] = endo_patch_blunt(here, &across, &down, fx, fy, upright);
    return 1;
}

__device__ static int current_number(const patch_image *m, int px, int py, int *number) {
    int x = px >> 8, y = py >> 8;
    if (x < 0 || y < 0 || x >= m->width - 1 || y >= m->height - 1) return 0;
    const int16_t *top = m->values + (size_t)y * m->stride + x, *bottom = top + m->stride;
    int a = top[0], b = top[1], c = bottom[0], d = bottom[1];
    if (min(min(a, b), min(c, d)) == ENDO_PATCH_INVALID) return 0;
    *number = endo_patch_between(a, b, c, d, px & 255, py & 255);
    return 1;
}

/* No sum of a patch exceeds 31 bits, so their order does not matter. */
__global__ static void patches_kernel(const __grid_constant__ patch_job job) {
    __shared__ int32_t partial[WARPS][SUMS];
    __shared__ endo_patch_request q;
    /* The request may be in the host's memory: each block reads it once. */
    if (threadIdx.x < sizeof q / 4) ((int32_t *)&q)[threadIdx.x] = ((const int32_t *)&job.requests[blockIdx.x])[threadIdx.x];
    __syncthreads();
    patch_image r = image_of(&job, q.reference, q.level), c = image_of(&job, q.current, q.level);
    endo_patch_sums own = {};
    int upright = endo_patch_is_upright(q.step);
    int across = THREADS % job.side, down = THREADS / job.side, i = threadIdx.x % job.side, j = threadIdx.x / job.side;
    for (; j < job.side; i += across, j += down) { /* pixel by pixel of all threads, row by row */
        int numbers[ENDO_PATCH_NUMBERS];
        if (i >= job.side) i -= job.side, j++;
        if (j == job.side) break;
        int px = endo_patch_position8(q.at[0] + i * q.step[0] + j * q.step[2]);
        int py = endo_patch_position8(q.at[1] + i * q.step[1] + j * q.step[3]);
        numbers[4] = endo_patch_off_middle(i, job.side), numbers[5] = endo_patch_off_middle(j, job.side);
        if (reference_numbers(&r, q.x + i, q.y + j, px & 255, py & 255, upright, numbers) &&
            current_number(&c, px, py, &numbers[3]))
            endo_patch_add(&own, numbers);
    }
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        int32_t v = (int32_t)warp_add((unsigned)((const int32_t *)&own)[k]);
        if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32][k] = v;
    }
    __syncthreads();
    if (threadIdx.x >= SUMS) return;
    int32_t all = 0;
    for (int w = 0; w < WARPS; w++) all += partial[w][threadIdx.x];
    job.sums[(size_t)blockIdx.x * SUMS + threadIdx.x] = all;
}

endo_status cuda_patches_launch(cuda_store *s, const endo_patch_request *requests, size_t n, int side,
                                endo_patch_sums *sums) {
    patch_job job = {layout_of(s), s->smoothed, requests, side, (int32_t *)sums};
    patches_kernel<<<(unsigned)n, THREADS, 0, s->backend->stream>>>(job);
    ENDO_CUDA(s->backend, cudaGetLastError());
    return ENDO_OK;
}

extern "C" endo_status cuda_patches(void *store, const endo_patch_request *requests, size_t n,
                                    const endo_patches_setup *setup, endo_patch_sums *results) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    cuda_time_begin(b);
    ENDO_TRY(cuda_derive(s, CUDA_SMOOTHED, requests, n, sizeof *requests));
    const void *on_device;
    void *made;
    ENDO_TRY(cuda_arguments(b, requests, n * sizeof *requests, &on_device));
    ENDO_TRY(cuda_results(b, n * sizeof *results, &made));
    ENDO_TRY(cuda_patches_launch(s, (const endo_patch_request *)on_device, n, setup->side, (endo_patch_sums *)made));
    cuda_time_end(b);
    return cuda_collect(b, made, results, n * sizeof *results);
}
