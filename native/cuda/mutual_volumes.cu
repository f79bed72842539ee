/* Pyramids of two volumes on a device: grey values in 65536 steps, halved level by level, and from each level bins of
 * the fixed one and neighbours of the moving one. */
#include "mutual.cuh"

#include <string.h>

#define THREADS 256
#define PIECE ((size_t)2 << 20)
#define LEVELS 256 /* of the histograms by which the fullest place is guessed */
#define ONE_IN 4   /* one piece of the voxels in so many is counted for that guess */

/* Of 65536 steps, dense, with its mask (NULL: every voxel counts). */
typedef struct grey_volume {
    int size[3];
    uint16_t *values;
    uint8_t *mask;
} grey_volume;

__host__ __device__ static inline int64_t voxels(const int size[3]) { return (int64_t)size[0] * size[1] * size[2]; }

/* ------------------------------------------------------------------ kernels */

template <typename PIXEL> __device__ static inline int grey_of(PIXEL v) { return v; }
template <> __device__ inline int grey_of(uint32_t v) { return endo_grey_of_rgb(v); }

template <typename PIXEL>
__global__ static void take_kernel(const PIXEL *from, int64_t n, int low, int high, uint16_t *to) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) to[i] = endo_mutual_quantize(grey_of(from[i]), low, high);
}

/* Along one axis; step: from voxel to voxel. */
__global__ static void smooth_kernel(const uint16_t *from, int64_t n, int64_t step, int side, uint16_t *to) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    int at = (int)(i / step % side);
    to[i] = endo_mutual_smooth(from[at > 0 ? i - step : i], from[i], from[at + 1 < side ? i + step : i]);
}

/* The mean of a block; a voxel counts where all of the block do. */
__global__ static void halve_kernel(grey_volume from, grey_volume to, int halved_x, int halved_y, int halved_z) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= voxels(to.size)) return;
    int x = (int)(i % to.size[0]), y = (int)(i / to.size[0] % to.size[1]), z = (int)(i / to.size[0] / to.size[1]);
    uint32_t sum = 0, n = 0;
    uint8_t counts = 255;
    for (int dz = 0; dz <= halved_z; dz++)
        for (int dy = 0; dy <= halved_y; dy++)
            for (int dx = 0; dx <= halved_x; dx++, n++) {
                int64_t at = (((int64_t)(z << halved_z) + dz) * from.size[1] + (y << halved_y) + dy) * from.size[0] +
                             (x << halved_x) + dx;
                sum += from.values[at];
                if (from.mask && !from.mask[at]) counts = 0;
            }
    to.values[i] = endo_mutual_mean(sum, n);
    if (to.mask) to.mask[i] = counts;
}

__global__ static void fixed_kernel(grey_volume v, int bins, uint16_t *to) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= voxels(v.size)) return;
    to[i] = v.mask && !v.mask[i] ? (uint16_t)bins : (uint16_t)endo_mutual_fixed_bin(v.values[i], (uint32_t)bins);
}

/* Elements of (width + 2) * (height + 1) * (depth + 1): from -1 to the side, or to the side less 1. */
__global__ static void moving_kernel(grey_volume v, mutual_level l, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    int x = mutual_within((int)(i % l.stride) - 1, v.size[0]), y = (int)(i % l.slice / l.stride) - 1,
        z = (int)(i / l.slice) - 1;
    uint32_t element = 0;
    for (int k = 0; k < 4; k++) {
        int64_t row = (int64_t)mutual_within(z + (k >> 1), v.size[2]) * v.size[1] + mutual_within(y + (k & 1), v.size[1]);
        element |= (uint32_t)endo_mutual_moving_level(v.values[row * v.size[0] + x]) << 8 * k;
    }
    l.moving_memory[i] = element;
}

__global__ static void levels_kernel(const uint16_t *values, int64_t n, uint32_t *counts) {
    __shared__ uint32_t local[LEVELS];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS * ONE_IN)
        atomicAdd(&local[values[i] >> 8], 1);
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

/* ------------------------------------------------------------------- upload */

/* Memory that is needed only while a pair is made. */
typedef struct workspace {
    cuda_backend *backend;
    uint8_t *raw;
    grey_volume now[2], next[2];
    uint32_t *counts; /* 2 * LEVELS */
} workspace;

static int64_t voxels_of(const endo_volume *v) { return (int64_t)v->width * v->height * v->depth; }

/* Parts of the scratch memory; returns its size. base: may be NULL. */
static size_t lay_out(workspace *w, const endo_mutual_setup *s, uint8_t *base) {
    const endo_volume *v[2] = {&s->fixed, &s->moving};
    size_t at = 0;
    auto take = [&](size_t bytes) {
        uint8_t *part = base ? base + at : NULL;
        at += (bytes + 255) & ~(size_t)255;
        return part;
    };
    w->counts = (uint32_t *)take(2 * LEVELS * sizeof *w->counts);
    for (int k = 0; k < 2; k++)
        for (grey_volume *g : {&w->now[k], &w->next[k]}) {
            g->values = (uint16_t *)take((size_t)voxels_of(v[k]) * sizeof *g->values);
            g->mask = v[k]->mask ? take((size_t)voxels_of(v[k])) : NULL;
        }
    size_t raw[2];
    for (int k = 0; k < 2; k++) raw[k] = (size_t)voxels_of(v[k]) * endo_pixel_size(v[k]->type);
    w->raw = take(raw[0] > raw[1] ? raw[0] : raw[1]);
    return at;
}

/* Dense on the device. */
static endo_status upload(cuda_backend *b, const endo_volume *v, uint8_t *to) {
    size_t element = endo_pixel_size(v->type), row = v->width * element;
    const uint8_t *from = (const uint8_t *)v->pixels;
    if (v->slice == v->stride * v->height && (int64_t)v->height * v->depth <= INT32_MAX)
        return cuda_upload_rows(b, to, row, from, v->stride * element, row, v->height * v->depth, PIECE);
    for (int z = 0; z < v->depth; z++)
        ENDO_TRY(cuda_upload_rows(b, to + z * row * v->height, row, from + z * v->slice * element, v->stride * element, row,
                                  v->height, PIECE));
    return ENDO_OK;
}

/* other: values of the same size, which become the volume's. */
static endo_status smooth(cuda_backend *b, grey_volume *v, grey_volume *other) {
    int64_t n = voxels(v->size), step = 1;
    for (int axis = 0; axis < 3; step *= v->size[axis++]) {
        uint16_t *from = v->values;
        smooth_kernel<<<mutual_blocks(n, THREADS), THREADS, 0, b->stream>>>(from, n, step, v->size[axis], other->values);
        ENDO_CUDA(b, cudaGetLastError());
        v->values = other->values, other->values = from;
    }
    return ENDO_OK;
}

static endo_status take(workspace *w, const endo_volume *v, int low, int high, grey_volume *to, grey_volume *other) {
    cuda_backend *b = w->backend;
    int64_t n = voxels_of(v);
    int blocks = mutual_blocks(n, THREADS);
    ENDO_TRY(upload(b, v, w->raw));
    to->size[0] = v->width, to->size[1] = v->height, to->size[2] = v->depth;
    if (v->type == ENDO_GREY8)
        take_kernel<<<blocks, THREADS, 0, b->stream>>>((const uint8_t *)w->raw, n, low, high, to->values);
    else if (v->type == ENDO_GREY16)
        take_kernel<<<blocks, THREADS, 0, b->stream>>>((const uint16_t *)w->raw, n, low, high, to->values);
    else
        take_kernel<<<blocks, THREADS, 0, b->stream>>>((const uint32_t *)w->raw, n, low, high, to->values);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(smooth(b, to, other));
    if (!v->mask) return ENDO_OK;
    return cuda_upload_rows(b, to->mask, v->width, v->mask, v->width, v->width, v->height * v->depth, PIECE);
}

/* ------------------------------------------------------------------- levels */

static endo_status halve(workspace *w, int which, const uint8_t halved[3]) {
    grey_volume *from = &w->now[which], *to = &w->next[which], before = *from;
    for (int i = 0; i < 3; i++) to->size[i] = from->size[i] >> halved[i];
    halve_kernel<<<mutual_blocks(voxels(to->size), THREADS), THREADS, 0, w->backend->stream>>>(*from, *to, halved[0],
                                                                                              halved[1], halved[2]);
    ENDO_CUDA(w->backend, cudaGetLastError());
    *from = *to, *to = before;
    return ENDO_OK;
}

static endo_status make_level(workspace *w, mutual_level *l) {
    cuda_backend *b = w->backend;
    int64_t n = (int64_t)l->slice * (l->moving_size[2] + 1);
    fixed_kernel<<<mutual_blocks(voxels(l->size), THREADS), THREADS, 0, b->stream>>>(w->now[0], l->bins, l->fixed);
    moving_kernel<<<mutual_blocks(n, THREADS), THREADS, 0, b->stream>>>(w->now[1], *l, n);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

static uint32_t fullest(const uint32_t *counts) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < LEVELS; i++)
        if (counts[i] > counts[best]) best = i;
    return best << 8; /* of 65536 steps */
}

/* Where the fullest row and column cross: a guess that costs nothing but time where it is wrong. */
static endo_status find_hot(workspace *w, mutual_pair *p) {
    cuda_backend *b = w->backend;
    uint32_t counts[2 * LEVELS];
    ENDO_CUDA(b, cudaMemsetAsync(w->counts, 0, sizeof counts, b->stream));
    for (int k = 0; k < 2; k++)
        levels_kernel<<<b->multiprocessors, THREADS, 0, b->stream>>>(w->now[k].values, voxels(w->now[k].size),
                                                                     w->counts + k * LEVELS);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_receive(b, w->counts, counts, sizeof counts));
    uint16_t row = (uint16_t)fullest(counts), column = (uint16_t)fullest(counts + LEVELS);
    for (int i = 0; i < p->n_levels; i++) {
        uint32_t bins = (uint32_t)p->levels[i].bins;
        p->levels[i].hot = endo_mutual_fixed_bin(row, bins) * bins + endo_mutual_fixed_bin(column, bins);
    }
    return ENDO_OK;
}

static void plan_level(mutual_pair *p, const endo_mutual_setup *s, int i) {
    const int sides[2][3] = {{s->fixed.width, s->fixed.height, s->fixed.depth},
                             {s->moving.width, s->moving.height, s->moving.depth}};
    mutual_level *l = &p->levels[i];
    l->bins = s->levels[i].bins;
    if (l->bins > p->most_bins) p->most_bins = l->bins;
    for (int k = 0; k < 3; k++) {
        l->size[k] = i ? p->levels[i - 1].size[k] >> s->levels[i].halved[0][k] : sides[0][k];
        l->moving_size[k] = i ? p->levels[i - 1].moving_size[k] >> s->levels[i].halved[1][k] : sides[1][k];
    }
    l->runs_a_row = (l->size[0] + ENDO_MUTUAL_RUN - 1) / ENDO_MUTUAL_RUN;
    l->runs = l->runs_a_row * l->size[1] * l->size[2];
    l->stride = l->moving_size[0] + 2;
    l->slice = l->stride * (l->moving_size[1] + 1);
}

/* Once counted, once taken. */
static void take_memory(mutual_pair *p) {
    cuda_arena *a = &p->arena;
    for (int i = 0; i < p->n_levels; i++) {
        mutual_level *l = &p->levels[i];
        l->fixed = (uint16_t *)cuda_arena_take(a, (size_t)voxels(l->size), sizeof *l->fixed);
        l->moving_memory = (uint32_t *)cuda_arena_take(a, (size_t)l->slice, (l->moving_size[2] + 1) * sizeof *l->moving);
        if (l->moving_memory) l->moving = l->moving_memory + l->slice + l->stride + 1;
    }
    p->windowed = (uint16_t *)cuda_arena_take(a, (size_t)voxels(p->levels[0].size), sizeof *p->windowed);
    p->counts = (uint32_t *)cuda_arena_take(a, MUTUAL_MAPS * p->histogram, sizeof *p->counts);
    p->states = (mutual_state *)cuda_arena_take(a, MUTUAL_MAPS, sizeof *p->states);
    p->terms = (int64_t *)cuda_arena_take(a, MUTUAL_TERMS, sizeof *p->terms);
}

static endo_status send_terms(mutual_pair *p) {
    int64_t terms[MUTUAL_TERMS];
    for (uint32_t i = 0; i < MUTUAL_TERMS; i++) terms[i] = endo_mutual_term(i);
    ENDO_CUDA(p->backend, cudaMemcpyAsync(p->terms, terms, sizeof terms, cudaMemcpyHostToDevice, p->backend->stream));
    return ENDO_OK;
}

endo_status cuda_mutual_fill(mutual_pair *p, const endo_mutual_setup *s) {
    workspace w = {};
    cuda_backend *b = w.backend = p->backend;
    ENDO_TRY(cuda_reserve(b, &b->scratch, lay_out(&w, s, NULL)));
    lay_out(&w, s, (uint8_t *)b->scratch.memory);
    p->n_levels = s->n_levels, p->nearest = s->nearest, p->window_level = -1;
    for (int i = 0; i < p->n_levels; i++) plan_level(p, s, i);
    p->histogram = ((size_t)p->most_bins * p->most_bins + 63) & ~(size_t)63;
    take_memory(p);
    ENDO_TRY(cuda_arena_grow(&p->arena));
    take_memory(p);
    ENDO_TRY(send_terms(p));
    ENDO_TRY(take(&w, &s->fixed, s->low[0], s->high[0], &w.now[0], &w.next[0]));
    ENDO_TRY(take(&w, &s->moving, s->low[1], s->high[1], &w.now[1], &w.next[1]));
    ENDO_TRY(find_hot(&w, p));
    for (int i = 0; i < p->n_levels; i++) {
        for (int k = 0; k < 2 && i > 0; k++) ENDO_TRY(halve(&w, k, s->levels[i].halved[k]));
        ENDO_TRY(make_level(&w, &p->levels[i]));
    }
    return ENDO_OK;
}
