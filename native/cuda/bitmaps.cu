/* Local bitmaps (rules/local_bitmaps.h) on a device: made once a frame as rows of bits, and compared by a block a request. */
#include "chunks.h"
#include "correlate.cuh"
#include "derived.h"

#include "rules/local_bitmaps.h"

/* Pixels that a block makes: each of its threads takes a column, and some rows. */
#define TILE_X 64
#define TILE_Y 32
#define MAKERS 256
#define ROWS_OF_THREAD (TILE_Y * TILE_X / MAKERS)
/* With what squares reach around them. */
#define AROUND_X (TILE_X + ENDO_BITMAP_SIDE)
#define AROUND_Y (TILE_Y + ENDO_BITMAP_SIDE)
/* Added to the sum of a square for each pixel that does not lie in the field or in the image: no sum of levels reaches it. */
#define OUTSIDE (1u << 16)

#define COMPARERS 128
#define SUMS 4 /* of what an overlap counts, beside its pixels */

/* ------------------------------------------------------------------- planes */

/* Pixel x of a row is bit x % 32 of word x / 32; bits beyond the width are 0. */
__host__ __device__ static inline int row_words(const endo_bitmap_layout *l) { return (l->width + 31) / 32; }

__host__ __device__ static inline size_t plane_words(const endo_bitmap_layout *l) { return (size_t)row_words(l) * l->height; }

/* The bitmaps of a frame, the one behind the other: what is black or white, and what is white. A word before those of all
 * frames and one behind them may be read. */
__host__ __device__ static inline size_t words_before(const endo_bitmap_layout *l, size_t slot) {
    return 1 + 2 * plane_words(l) * slot;
}

/* ------------------------------------------------------------------- making */

typedef struct make_job {
    endo_bitmap_layout layout;
    const uint8_t *plain, *field;
    size_t area;
    int stride;
    cuda_slots slots;
    uint32_t *planes;
} make_job;

/* The level of a pixel at the scale; OUTSIDE where not all of it lies in the field. */
__device__ static uint32_t level_at(const make_job *job, const uint8_t *grey, int x, int y) {
    const endo_bitmap_layout *l = &job->layout;
    if (x < 0 || y < 0 || x >= l->width || y >= l->height) return OUTSIDE;
    size_t first = (size_t)y * l->factor * job->stride + (size_t)x * l->factor;
    int sum = 0, inside = 1;
    for (int v = 0; v < l->factor; v++)
        for (int u = 0; u < l->factor; u++) {
            size_t at = first + (size_t)v * job->stride + u;
            sum += grey[at];
            inside &= job->field[at] != 0;
        }
    return inside ? (uint32_t)endo_bitmap_shrunken(l, sum) : OUTSIDE;
}

/* Sums of `side` neighbours along the rows. */
__device__ static void sum_rows(int side, const uint32_t around[AROUND_Y][AROUND_X], uint32_t sums[AROUND_Y][TILE_X]) {
    for (int i = threadIdx.x; i < (TILE_Y + side) * TILE_X; i += MAKERS) {
        const uint32_t *first = &around[i / TILE_X][i % TILE_X];
        uint32_t sum = 0;
        for (int k = 0; k < side; k++) sum += first[k];
        sums[i / TILE_X][i % TILE_X] = sum;
    }
}

/* A warp has 32 pixels of a row, a word of each plane. */
__device__ static void give_word(const make_job *job, uint32_t *planes, int x, int y, uint32_t level, uint32_t square) {
    const endo_bitmap_layout *l = &job->layout;
    int above = square < OUTSIDE ? (int)level - endo_bitmap_mean(l, (int)square) : 0;
    uint32_t seen = __ballot_sync(0xffffffffu, above != 0);
    uint32_t white = __ballot_sync(0xffffffffu, above > 0);
    if (x % 32 || x >= l->width || y >= l->height) return;
    size_t at = (size_t)y * row_words(l) + x / 32;
    planes[at] = seen;
    planes[plane_words(l) + at] = white;
}

/* Tile (blockIdx.x, blockIdx.y) of frame blockIdx.z. */
__global__ static void __launch_bounds__(MAKERS) make_kernel(const __grid_constant__ make_job job) {
    __shared__ uint32_t around[AROUND_Y][AROUND_X];
    __shared__ uint32_t sums[AROUND_Y][TILE_X];
    int slot = cuda_slot(&job.slots, blockIdx.z), side = job.layout.side, half = side / 2;
    int left = blockIdx.x * TILE_X, top = blockIdx.y * TILE_Y;
    const uint8_t *grey = job.plain + slot * job.area;
    uint32_t *planes = job.planes + words_before(&job.layout, slot);
    for (int i = threadIdx.x; i < AROUND_Y * AROUND_X; i += MAKERS)
        around[i / AROUND_X][i % AROUND_X] = level_at(&job, grey, left - half + i % AROUND_X, top - half + i / AROUND_X);
    __syncthreads();
    sum_rows(side, around, sums);
    __syncthreads();
    int x = threadIdx.x % TILE_X, y = threadIdx.x / TILE_X * ROWS_OF_THREAD;
    uint32_t square = 0;
    for (int k = 0; k < side; k++) square += sums[y + k][x];
    for (int end = y + ROWS_OF_THREAD; y < end; y++) {
        give_word(&job, planes, left + x, top + y, around[y + half][x + half], square);
        square += sums[y + side][x] - sums[y][x];
    }
}

typedef struct make_call {
    cuda_store *store;
    endo_bitmap_scale scale;
    const int32_t *slots;
} make_call;

static endo_status make_some(void *call, size_t first, size_t n) {
    const make_call *c = (const make_call *)call;
    cuda_store *s = c->store;
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, c->scale);
    cuda_slots slots;
    ENDO_TRY(cuda_send_slots(s->backend, c->slots + first, n, &slots));
    make_job job = {l, s->plain, s->field, s->area, s->stride, slots, s->bitmaps[c->scale]};
    dim3 tiles((l.width + TILE_X - 1) / TILE_X, (l.height + TILE_Y - 1) / TILE_Y, (unsigned)n);
    make_kernel<<<tiles, MAKERS, 0, s->backend->stream>>>(job);
    ENDO_CUDA(s->backend, cudaGetLastError());
    return ENDO_OK;
}

static endo_status build(cuda_store *s, endo_bitmap_scale scale, const int32_t *slots, size_t n) {
    endo_bitmap_layout l = endo_bitmap_layout_of(s->options.width, s->options.height, scale);
    size_t words = words_before(&l, (size_t)s->options.capacity) + 1;
    make_call call = {s, scale, slots};
    if (!s->bitmaps[scale]) ENDO_TRY(cuda_allocate(s->backend, (void **)&s->bitmaps[scale], words * sizeof(uint32_t)));
    return cuda_in_chunks(n, 0, make_some, &call);
}

static endo_status build_whole(cuda_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_WHOLE, slots, n); }

static endo_status build_small(cuda_store *s, const int32_t *slots, size_t n) { return build(s, ENDO_BITMAP_SMALL, slots, n); }

extern const cuda_derivation cuda_local_bitmaps = {
    .from = CUDA_ARRIVED,
    .applies = NULL,
    .take = NULL,
    .build = build_whole,
};

extern const cuda_derivation cuda_small_bitmaps = {
    .from = CUDA_ARRIVED,
    .applies = NULL,
    .take = NULL,
    .build = build_small,
};

/* ---------------------------------------------------------------- comparing */

typedef struct compare_job {
    endo_bitmap_layout layout;
    const uint32_t *planes;
    const endo_bitmap_request *requests;
    endo_bitmap_overlap *overlaps;
} compare_job;

/* 32 pixels of the reference, from pixel 32 * word + bit of a row on. */
__device__ static uint32_t from_bit(const uint32_t *row, int word, int bit) {
    return __funnelshift_r(row[word], row[word + 1], bit);
}

/* What a thread counts: every COMPARERS-th word of the rows compared. */
__device__ static void count_words(const compare_job *job, const endo_bitmap_request *q, const endo_bitmap_range *r, int rows,
                                   uint32_t sums[SUMS]) {
    const endo_bitmap_layout *l = &job->layout;
    int words = row_words(l), first = r->left / 32, across = (r->right - 1) / 32 - first + 1;
    const uint32_t *reference = job->planes + words_before(l, q->reference), *current = job->planes + words_before(l, q->current);
    for (int i = threadIdx.x; i < rows * across; i += COMPARERS) {
        int k = first + i % across, y = r->top + i / across * l->step;
        int at = 32 * k + q->dx + 32; /* not negative */
        uint32_t mask = 0xffffffffu;
        if (32 * k < r->left) mask &= 0xffffffffu << (r->left - 32 * k);
        if (32 * k + 32 > r->right) mask &= 0xffffffffu >> (32 * k + 32 - r->right);
        const uint32_t *there = reference + (size_t)(y + q->dy) * words, *here = current + (size_t)y * words;
        uint32_t in_reference = from_bit(there, at / 32 - 1, at % 32) & mask;
        uint32_t in_current = here[k] & mask;
        uint32_t both = in_reference & in_current;
        uint32_t unlike = (from_bit(there + plane_words(l), at / 32 - 1, at % 32) ^ here[plane_words(l) + k]) & both;
        sums[0] += __popc(in_reference);
        sums[1] += __popc(in_current);
        sums[2] += __popc(both);
        sums[3] += __popc(unlike);
    }
}

/* Request blockIdx.x. */
__global__ static void __launch_bounds__(COMPARERS) compare_kernel(const __grid_constant__ compare_job job) {
    __shared__ endo_bitmap_request q;
    __shared__ uint32_t all[SUMS];
    /* The request may be in the host's memory: each block reads it once. */
    if (threadIdx.x < sizeof q / 4) ((int32_t *)&q)[threadIdx.x] = ((const int32_t *)&job.requests[blockIdx.x])[threadIdx.x];
    if (threadIdx.x < SUMS) all[threadIdx.x] = 0;
    __syncthreads();
    endo_bitmap_range range = endo_bitmap_range_of(&job.layout, q.dx, q.dy);
    int rows = endo_bitmap_rows(&job.layout, &range);
    uint32_t sums[SUMS] = {0, 0, 0, 0};
    count_words(&job, &q, &range, rows, sums);
    for (int k = 0; k < SUMS; k++) {
        uint32_t sum = warp_add(sums[k]);
        if (threadIdx.x % 32 == 0) atomicAdd(&all[k], sum);
    }
    __syncthreads();
    if (threadIdx.x) return;
    endo_bitmap_overlap o = {rows * (range.right - range.left), (int)all[0], (int)all[1], (int)all[2],
                             (int)all[2] - 2 * (int)all[3]};
    job.overlaps[blockIdx.x] = o;
}

extern "C" endo_status cuda_bitmaps(void *store, const endo_bitmap_request *requests, size_t n, const endo_bitmap_setup *setup,
                                    endo_bitmap_overlap *overlaps) {
    cuda_store *s = (cuda_store *)store;
    cuda_backend *b = s->backend;
    const void *on_device;
    void *made;
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(b));
    ENDO_TRY(cuda_derive(s, setup->scale == ENDO_BITMAP_SMALL ? CUDA_SMALL_BITMAPS : CUDA_BITMAPS, requests, n, sizeof *requests));
    ENDO_TRY(cuda_arguments(b, requests, n * sizeof *requests, &on_device));
    ENDO_TRY(cuda_results(b, n * sizeof *overlaps, &made));
    compare_job job = {endo_bitmap_layout_of(s->options.width, s->options.height, setup->scale), s->bitmaps[setup->scale],
                       (const endo_bitmap_request *)on_device, (endo_bitmap_overlap *)made};
    cuda_time_begin(b);
    compare_kernel<<<(unsigned)n, COMPARERS, 0, b->stream>>>(job);
    cuda_time_end(b);
    ENDO_CUDA(b, cudaGetLastError());
    return cuda_collect(b, made, overlaps, n * sizeof *overlaps);
}
