/* Kernels that add frames to a blend (blend_add.cu): a frame is made into blocks (values, then scores), visits the cells of
 * the panorama, which leave its weights behind, and then the pixels.
 *
 * Cells and pixels take the frames one after another, as if each came alone: what a thread adds to is read and written
 * once for all of them. */
#ifndef ENDO_CUDA_BLEND_KERNELS_CUH
#define ENDO_CUDA_BLEND_KERNELS_CUH

#include "blend.cuh"
#include "tile_window.cuh"

/* The weight of a cell in which the frame shows nothing. */
#define UNSEEN 0xffff

/* A frame while it is added, as kernels get it. */
typedef struct add_frame {
    const uint8_t *pixels;
    uint16_t *weights;        /* of cells */
    int column, row, columns; /* of them */
    uint32_t gain[3], weight;
    endo_canvas_map map;
} add_frame;

typedef struct add_job {
    const uint8_t *bicubic, *depths;
    int width, height, stride;
    endo_pixel type;
    const uint16_t *factors, *factor_means;
    int factor_stride;
    uint32_t tolerance, clipped_from;
    int second, cubic, n;
    endo_blend_block *blocks; /* of one frame after the other, as what follows */
    uint8_t *clipped;
    int block_columns, block_rows;
    add_frame frames[ENDO_BLEND_BATCH];
} add_job;

/* Hidden cells of the frames of a job, an argument of its own: only the scores need them. */
typedef struct add_hidden {
    endo_blend_hidden frames[ENDO_BLEND_BATCH];
} add_hidden;

static_assert(sizeof(add_job) + sizeof(add_hidden) <= 4096, "arguments of a kernel are at most 4 KB");
static_assert(sizeof(add_job) + sizeof(tile_window) + sizeof(size_t) <= 4096, "arguments of a kernel are at most 4 KB");

__device__ static inline uint32_t channel_of(const add_job &job, const add_frame &frame, size_t i, int c) {
    if (job.type == ENDO_RGB32) return ((const uint32_t *)frame.pixels)[i] >> 8 * c & 255;
    return job.type == ENDO_GREY16 ? ((const uint16_t *)frame.pixels)[i] : frame.pixels[i];
}

/* Whether pixel i of a grey frame is clipped. */
__device__ static inline int is_clipped(const add_job &job, const add_frame &frame, size_t i) {
    return channel_of(job, frame, i, 0) >= job.clipped_from;
}

/* Blocks of one frame. */
__device__ static inline size_t blocks_of(const add_job &job) { return (size_t)job.block_columns * job.block_rows; }

/* The sums of a colour block's channels; returns whether a pixel of it is clipped. i: its first pixel; rows begin at multiples
 * of 64 pixels, so that four of them are read at once. Blue and red have 16 bits each. */
__device__ static inline int sum_rgb(const add_job &job, const add_frame &frame, size_t i, uint32_t sum[3]) {
    const uint32_t *p = (const uint32_t *)frame.pixels + i;
    uint32_t even = 0, green = 0;
    int any = 0;
    for (int y = 0; y < SIDE; y++, p += job.stride) {
        uint4 row = *(const uint4 *)p;
        const uint32_t rgb[SIDE] = {row.x, row.y, row.z, row.w};
        for (int x = 0; x < SIDE; x++) {
            even += rgb[x] & 0xff00ff, green += rgb[x] >> 8 & 0xff;
            any |= endo_blend_clipped_rgb(rgb[x]);
        }
    }
    sum[0] = even & 0xffff, sum[1] = green, sum[2] = even >> 16;
    return any;
}

__device__ static inline int sum_grey(const add_job &job, const add_frame &frame, size_t i, uint32_t sum[3]) {
    int any = 0;
    for (int y = 0; y < SIDE; y++, i += job.stride)
        for (int x = 0; x < SIDE; x++) {
            sum[0] += channel_of(job, frame, i + x, 0);
            any |= is_clipped(job, frame, i + x);
        }
    if (job.type == ENDO_GREY16) sum[0] >>= 8;
    return any;
}

/* One thread a block: what it shows, and whether a pixel of it is clipped. */
__global__ static void blocks_kernel(const __grid_constant__ add_job job) {
    const add_frame &frame = job.frames[blockIdx.z];
    int column = blockIdx.x * BLOCK_X + threadIdx.x, row = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (column >= job.block_columns || row >= job.block_rows) return;
    size_t own = (size_t)row * job.block_columns + column, to = blockIdx.z * blocks_of(job) + own;
    size_t first = (size_t)row * SIDE * job.stride + column * SIDE;
    uint32_t sum[3] = {0, 0, 0};
    int any = job.type == ENDO_RGB32 ? sum_rgb(job, frame, first, sum) : sum_grey(job, frame, first, sum);
    uint32_t white = endo_blend_white_of(sum[0], sum[1], sum[2]);
    for (int c = 0; c < 3; c++)
        job.blocks[to].value[c] =
            (uint16_t)endo_blend_shade(sum[c], white, job.factor_means[own], frame.gain[c], ENDO_BLEND_MOST);
    job.clipped[to] = (uint8_t)any;
}

/* Scores: how well the frame sees each block. */
__global__ static void scores_kernel(const __grid_constant__ add_job job, const __grid_constant__ add_hidden hidden) {
    int column = blockIdx.x * BLOCK_X + threadIdx.x, row = blockIdx.y * BLOCK_Y + threadIdx.y, any = 0;
    if (column >= job.block_columns || row >= job.block_rows) return;
    const uint8_t *clipped = job.clipped + blockIdx.z * blocks_of(job);
    for (int y = max(row - 1, 0); y <= min(row + 1, job.block_rows - 1); y++)
        for (int x = max(column - 1, 0); x <= min(column + 1, job.block_columns - 1); x++)
            any |= clipped[(size_t)y * job.block_columns + x];
    size_t i = (size_t)row * job.block_columns + column;
    uint32_t score = endo_blend_score(job.depths[i], job.frames[blockIdx.z].weight, any);
    job.blocks[blockIdx.z * blocks_of(job) + i].score =
        (uint16_t)endo_blend_shown(&hidden.frames[blockIdx.z], column, row, job.width, job.height, score);
}

__device__ static inline endo_blend_cell *cells_of(uint8_t *tile, size_t size) {
    return (endo_blend_cell *)(tile + ENDO_TILE_PIXELS * (size + sizeof(uint16_t)));
}

/* The templates below are compiled twice. PROJECTED: 1, the maps of some frames are homographies. */

/* Observes what a frame shows in the cell whose pixel (1, 1) is x, y; 0: that pixel does not lie in the frame, or the frame
 * shows nothing there. */
template <int PROJECTED>
__device__ static inline int observe(const add_job &job, int k, int x, int y, endo_blend_observation *observation) {
    endo_fixed_affine local;
    if (PROJECTED && !endo_canvas_map_at(&job.frames[k].map, x, y, 1, &local)) return 0;
    const int64_t *m = PROJECTED ? local.m : job.frames[k].map.affine.m;
    int64_t px = m[0] * x + m[1] * y + m[2], py = m[3] * x + m[4] * y + m[5];
    int64_t px8 = endo_position8(px), py8 = endo_position8(py);
    if (px8 < 0 || py8 < 0 || px8 > (int64_t)(job.width - 1) * 256 || py8 > (int64_t)(job.height - 1) * 256) return 0;
    int64_t u = endo_blend_block_position(px, (m[0] + m[1]) >> 1), v = endo_blend_block_position(py, (m[3] + m[4]) >> 1);
    return endo_blend_observe(job.blocks + k * blocks_of(job), job.block_columns, job.block_rows, u, v, observation);
}

/* One thread a cell of the window. A cell that a frame shows lies in a tile that it reaches. */
template <int PROJECTED>
__global__ static void cells_kernel(const __grid_constant__ add_job job, const __grid_constant__ tile_window w, size_t size) {
    int column = w.left / SIDE + blockIdx.x * BLOCK_X + threadIdx.x, row = w.top / SIDE + blockIdx.y * BLOCK_Y + threadIdx.y;
    int x = column * SIDE + 1, y = row * SIDE + 1, any = 0;
    if (x >= w.right || y >= w.bottom) return;
    endo_blend_cell *cell = NULL, own;
    for (int k = 0; k < job.n; k++) {
        endo_blend_observation observation;
        if (!observe<PROJECTED>(job, k, x, y, &observation)) continue;
        if (!any) {
            size_t at;
            uint8_t *tile = tile_at(w, x, y, &at);
            cell = cells_of(tile, size) + at / ENDO_TILE_WIDTH / SIDE * TILE_COLUMNS + at % ENDO_TILE_WIDTH / SIDE;
            own = *cell, any = 1;
        }
        const add_frame &frame = job.frames[k];
        if (job.second)
            frame.weights[(size_t)(row - frame.row) * frame.columns + (column - frame.column)] =
                (uint16_t)endo_blend_weigh(&own, &observation, job.tolerance);
        else
            endo_blend_first_pass(&own, &observation);
    }
    if (any) *cell = own;
}

__device__ static inline uint32_t cell_weight(const uint16_t *weights, int at) {
    uint32_t weight = weights[at];
    return weight == UNSEEN ? 1 : weight;
}

/* Between the middles of four cells. */
__device__ static inline uint32_t pixel_weight(const add_frame &frame, int x, int y) {
    int at = (y / SIDE - frame.row) * frame.columns + (x / SIDE - frame.column), beside = endo_blend_neighbour(x % SIDE);
    int above = endo_blend_neighbour(y % SIDE) * frame.columns;
    uint32_t across = endo_blend_cell_share(x % SIDE), down = endo_blend_cell_share(y % SIDE);
    const uint16_t *weights = frame.weights;
    uint32_t near = across * cell_weight(weights, at) + (8 - across) * cell_weight(weights, at + beside);
    uint32_t far = across * cell_weight(weights, at + above) + (8 - across) * cell_weight(weights, at + above + beside);
    return (down * near + (8 - down) * far + 32) >> 6;
}

/* The sums of a pixel, by type: four uint32_t, two uint32_t, two uint64_t. */
typedef union pixel_sums {
    uint4 rgb;
    uint2 grey;
    ulonglong2 deep;
} pixel_sums;

__device__ static inline void read_sums(const add_job &job, const uint8_t *tile, size_t i, pixel_sums *sums) {
    if (job.type == ENDO_GREY8) sums->grey = ((const uint2 *)tile)[i];
    else sums->rgb = ((const uint4 *)tile)[i];
}

__device__ static inline void write_sums(const add_job &job, const pixel_sums *sums, uint8_t *tile, size_t i) {
    if (job.type == ENDO_GREY8) ((uint2 *)tile)[i] = sums->grey;
    else ((uint4 *)tile)[i] = sums->rgb;
}

/* endo_blend_taps, a byte each. */
__device__ static inline uint32_t packed_taps(int cubic, int f) {
    int8_t taps[4];
    endo_blend_taps(cubic, f, taps);
    return (uint32_t)(uint8_t)taps[0] | (uint32_t)(uint8_t)taps[1] << 8 | (uint32_t)(uint8_t)taps[2] << 16 |
           (uint32_t)(uint8_t)taps[3] << 24;
}

__device__ static inline int32_t tap_of(uint32_t taps, int i) { return (int8_t)(taps >> 8 * i); }

/* The sum of four bytes, without signs, by taps. */
__device__ static inline int32_t weigh_bytes(uint32_t bytes, uint32_t taps) {
    int32_t sum;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(bytes), "r"(taps), "r"(0));
    return sum;
}

/* Where a pixel is taken from in a frame. */
typedef struct pixel_place {
    uint32_t from; /* a frame has less than 2^31 pixels with its padding */
    uint32_t across, down; /* packed_taps */
    uint32_t factor, weight;
} pixel_place;

__device__ static inline void add_rgb(const add_job &job, const add_frame &frame, const pixel_place *at, uint4 *sums) {
    if (!endo_blend_takes(sums->w, at->weight)) return;
    const uint32_t *p = (const uint32_t *)frame.pixels + (at->from - (uint32_t)job.stride - 1);
    int32_t sum[3] = {0, 0, 0};
    for (int v = 0; v < 4; v++, p += job.stride) {
        /* The four pixels of a row, channel by channel: blue and green of two of them, then red and what is not used. */
        uint32_t first = __byte_perm(p[0], p[1], 0x5140), second = __byte_perm(p[2], p[3], 0x5140);
        uint32_t first_red = __byte_perm(p[0], p[1], 0x7362), second_red = __byte_perm(p[2], p[3], 0x7362);
        int32_t share = tap_of(at->down, v);
        sum[0] += share * weigh_bytes(__byte_perm(first, second, 0x5410), at->across);
        sum[1] += share * weigh_bytes(__byte_perm(first, second, 0x7632), at->across);
        sum[2] += share * weigh_bytes(__byte_perm(first_red, second_red, 0x5410), at->across);
    }
    uint32_t value[3] = {endo_blend_value8(sum[0]), endo_blend_value8(sum[1]), endo_blend_value8(sum[2])};
    uint32_t white = endo_blend_white_of(value[0], value[1], value[2]);
    sums->x += at->weight * endo_blend_shade(value[0], white, at->factor, frame.gain[0], ENDO_BLEND_MOST);
    sums->y += at->weight * endo_blend_shade(value[1], white, at->factor, frame.gain[1], ENDO_BLEND_MOST);
    sums->z += at->weight * endo_blend_shade(value[2], white, at->factor, frame.gain[2], ENDO_BLEND_MOST);
    sums->w += at->weight;
}

__device__ static inline int32_t grey_sum(const add_job &job, const add_frame &frame, const pixel_place *at) {
    int32_t sum = 0;
    for (int v = 0; v < 4; v++)
        for (int u = 0; u < 4; u++)
            sum += tap_of(at->across, u) * tap_of(at->down, v) *
                   (int32_t)channel_of(job, frame, at->from + (size_t)v * job.stride + u - job.stride - 1, 0);
    return sum;
}

__device__ static inline void add_pixel(const add_job &job, const add_frame &frame, const pixel_place *at, pixel_sums *sums) {
    if (job.type == ENDO_RGB32) {
        add_rgb(job, frame, at, &sums->rgb);
    } else if (job.type == ENDO_GREY16) {
        if (!endo_blend_takes((uint32_t)sums->deep.y, at->weight)) return;
        uint32_t value = endo_blend_value16(grey_sum(job, frame, at));
        uint32_t white = endo_blend_white(value >> 4);
        sums->deep.x += (uint64_t)at->weight * endo_blend_shade(value, white, at->factor, frame.gain[0], ENDO_BLEND_MOST16);
        sums->deep.y += at->weight;
    } else {
        if (!endo_blend_takes(sums->grey.y, at->weight)) return;
        uint32_t value = endo_blend_value8(grey_sum(job, frame, at));
        uint32_t white = endo_blend_white(value);
        sums->grey.x += at->weight * endo_blend_shade(value, white, at->factor, frame.gain[0], ENDO_BLEND_MOST);
        sums->grey.y += at->weight;
    }
}

/* Where the frame shows the pixel x, y; 0: nowhere. taps: packed_taps of 0..255. at->weight may be 0. */
template <int PROJECTED>
__device__ static inline int find_place(const add_job &job, const add_frame &frame, const uint32_t *taps, int x, int y,
                                        pixel_place *at) {
    endo_fixed_affine local;
    if (PROJECTED && !endo_canvas_map_at(&frame.map, x, y, 0, &local)) return 0;
    const int64_t *m = PROJECTED ? local.m : frame.map.affine.m;
    /* Without signs: what lies before the frame is far behind it. */
    uint64_t px8 = (uint64_t)endo_position8(m[0] * x + m[1] * y + m[2]);
    uint64_t py8 = (uint64_t)endo_position8(m[3] * x + m[4] * y + m[5]);
    if (px8 > (uint32_t)(job.width - 1) * 256 || py8 > (uint32_t)(job.height - 1) * 256) return 0;
    uint32_t px = (uint32_t)px8, py = (uint32_t)py8;
    at->from = (py >> 8) * (uint32_t)job.stride + (px >> 8);
    if (!job.bicubic[at->from]) return 0;
    at->weight = pixel_weight(frame, x, y);
    at->across = taps[px & 255], at->down = taps[py & 255];
    at->factor = job.factors[(py >> 8) * (uint32_t)job.factor_stride + (px >> 8)];
    return 1;
}

static_assert(BLOCK_X * BLOCK_Y == 256, "a thread for each of the taps");

/* Every pixel that lies in a frame lies in a tile that the frame reaches. */
template <int PROJECTED>
__global__ static void pixels_kernel(const __grid_constant__ add_job job, const __grid_constant__ tile_window w, size_t size) {
    __shared__ uint32_t taps[256];
    int x = first_column(w) + blockIdx.x * BLOCK_X + threadIdx.x, y = w.top + blockIdx.y * BLOCK_Y + threadIdx.y;
    int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    taps[thread] = packed_taps(job.cubic, thread);
    __syncthreads();
    if (x < w.left || x >= w.right || y >= w.bottom) return;
    uint32_t covered = 0, weighed = 0;
    uint8_t *tile = NULL;
    size_t to = 0;
    pixel_sums sums;
    for (int k = 0; k < job.n; k++) {
        pixel_place at;
        if (!find_place<PROJECTED>(job, job.frames[k], taps, x, y, &at)) continue;
        if (!covered++) tile = tile_at(w, x, y, &to);
        if (!at.weight) continue;
        if (!weighed++) read_sums(job, tile, to, &sums);
        add_pixel(job, job.frames[k], &at, &sums);
    }
    if (!covered) return;
    uint16_t *coverage = (uint16_t *)(tile + ENDO_TILE_PIXELS * size) + to;
    *coverage = (uint16_t)min(*coverage + covered, 65535u);
    if (weighed) write_sums(job, &sums, tile, to);
}

#endif
