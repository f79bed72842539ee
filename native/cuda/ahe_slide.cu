/* Adaptive equalization, any window at the same cost.
 *
 * Just as on the CPU (native/cpu/ahe_rows.h) a window moves right by the difference of the column that enters and the column
 * that leaves. A block keeps the differences of a strip of columns in shared memory and walks down a band of rows. Each
 * thread owns a column: it alone changes its counters, without atomics. Each warp owns 32 columns and holds the
 * window's counters in registers, eight levels a lane; a pixel is one 128-bit read a lane, four additions, and a sum over
 * the lanes. The warps of a block work in step, each one row behind its left neighbour, from which it takes over the
 * window: only the first must keep a window of its own, which it slides down.
 *
 * Without a limit, counters are cumulative within their lane. The sum over the lanes then gives what lies below the
 * pixel's lane; what lies in it, each lane looks up for a pixel of its own afterwards, in windows that are put down every
 * CHUNK pixels, less the differences between. */
#include "ahe_window.cuh"

/* Reads that are on their way at once where a thread has nothing else to do. */
#define AHEAD 8
/* Changes of the first window that a thread reads ahead of a row. */
#define DELTAS 4
/* Warps of a block that works on a tile. */
#define TILE_WARPS 4

__device__ static const uint8_t *row_at(const ahe_plane &p, int i) { return p.pixels + (size_t)p.row_of[i] * p.pitch; }

/* The level whose rank is wanted: the pixel's own, or in a tile what ahe_tile says. */
template <bool TILE> __device__ static inline int asked_at(const ahe_plane &p, const uint8_t *single, int x, int y) {
    int level = row_at(p, y)[x];
    if constexpr (TILE)
        if (level && !single[level]) level--;
    return level;
}

/* AHEAD pixels of a thread in the window left of the strip: each warp takes every so many rows, in runs of 32 * AHEAD. */
typedef struct window_piece {
    int pixels[AHEAD]; /* -1: none */
} window_piece;

__device__ static inline window_piece read_piece(const ahe_plane &p, int x0, int y0, int piece, int runs, int pieces) {
    window_piece w;
    int row = piece / runs, k = piece % runs * 32 * AHEAD + threadIdx.x % 32;
    int v = 1 + threadIdx.x / 32 + row * (blockDim.x / 32);
    const uint8_t *pixels = row_at(p, y0 + min(v, p.window)) + x0;
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        w.pixels[i] = piece < pieces && k + 32 * i < p.window ? pixels[k + 32 * i] : -1;
    return w;
}

/* Nobody waits for the answer of an addition by the memory itself. */
__device__ static inline void count_pixel(uint4 *column, int pixel, int by) {
    atomicAdd((uint32_t *)column + (pixel >> 1), pixel & 1 ? (uint32_t)by << 16 : (uint32_t)by);
}

/* The window left of the strip, on the band's first row, counted into deltas[0]. Threads count for themselves, in the
 * memory of their columns, which is empty before and after. */
__device__ static void count_first_window(const ahe_plane &p, const tables &t, int x0, int y0) {
    uint4 *own = t.columns + threadIdx.x * COLUMN;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int i = 0; i < COLUMN; i++) own[i] = make_uint4(0, 0, 0, 0);
    for (int i = threadIdx.x; i < 2 * LEVELS; i += blockDim.x) t.deltas[i] = 0;
    int runs = (p.window + 32 * AHEAD - 1) / (32 * AHEAD), pieces = runs * ((p.window - warp + warps - 1) / warps);
    window_piece next = read_piece(p, x0, y0, 0, runs, pieces);
    for (int i = 0; i < pieces; i++) {
        window_piece now = next;
        next = read_piece(p, x0, y0, i + 1, runs, pieces);
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (now.pixels[k] >= 0) count_pixel(own, now.pixels[k], 1);
    }
    __syncthreads();
    int sums[8] = {0};
    for (int c = 32 * warp; c < 32 * warp + 32; c++) {
        uint4 d = t.columns[c * COLUMN + lane];
        const uint32_t words[4] = {d.x, d.y, d.z, d.w};
        for (int i = 0; i < 4; i++) sums[2 * i] += words[i] & 0xffff, sums[2 * i + 1] += words[i] >> 16;
    }
    for (int i = 0; i < 8; i++)
        if (sums[i]) atomicAdd(&t.deltas[8 * lane + i], sums[i]);
    __syncwarp();
    for (int i = 0; i < COLUMN; i++) own[i] = make_uint4(0, 0, 0, 0);
}

/* Two columns of AHEAD rows from v on. */
typedef struct rows_ahead {
    int in[AHEAD], out[AHEAD];
} rows_ahead;

__device__ static inline rows_ahead read_rows(const ahe_plane &p, int x, int y0, int v) {
    rows_ahead r;
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        const uint8_t *row = row_at(p, y0 + min(v + i, p.window)) + x;
        r.in[i] = row[p.window], r.out[i] = row[0];
    }
    return r;
}

/* The columns' differences on the band's first row: a histogram first, then made cumulative. */
template <bool LIMITED>
__device__ static void count_first_columns(const ahe_plane &p, const tables &t, int x, int y0) {
    uint4 *own = t.columns + threadIdx.x * COLUMN;
    rows_ahead next = read_rows(p, x, y0, 1);
    for (int v = 1; v <= p.window; v += AHEAD) {
        rows_ahead now = next;
        next = read_rows(p, x, y0, v + AHEAD);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (v + i <= p.window && now.in[i] != now.out[i]) {
                count_pixel(own, now.in[i], 1);
                count_pixel(own, now.out[i], -1);
            }
    }
    for (int i = 0; i < (LIMITED ? 0 : 32); i++) {
        uint4 d = own[i]; /* words are numbers: upper += lower, and both += all before */
        d.x += d.x << 16;
        d.y += (d.y << 16) + upper(d.x) * 0x10001;
        d.z += (d.z << 16) + upper(d.y) * 0x10001;
        d.w += (d.w << 16) + upper(d.z) * 0x10001;
        own[i] = d;
    }
}

/* The first window's change to row y, by all threads: what they read of it before the row, and add after it. */
typedef struct delta_ahead {
    int in[DELTAS], out[DELTAS];
} delta_ahead;

__device__ static inline delta_ahead read_delta(const ahe_plane &p, int x0, int y) {
    const uint8_t *enter = row_at(p, y + p.window) + x0, *leave = row_at(p, y) + x0;
    delta_ahead d;
#pragma unroll
    for (int i = 0; i < DELTAS; i++) {
        int k = threadIdx.x + i * blockDim.x;
        d.in[i] = d.out[i] = 0;
        if (k < p.window) d.in[i] = enter[k], d.out[i] = leave[k];
    }
    return d;
}

__device__ static inline void change_delta(int *deltas, int in, int out) {
    if (in == out) return;
    atomicAdd(&deltas[in], 1);
    atomicAdd(&deltas[out], -1);
}

__device__ static void add_delta(const ahe_plane &p, int *deltas, const delta_ahead &d, int x0, int y) {
#pragma unroll
    for (int i = 0; i < DELTAS; i++) change_delta(deltas, d.in[i], d.out[i]);
    const uint8_t *enter = row_at(p, y + p.window) + x0, *leave = row_at(p, y) + x0;
    for (int k = threadIdx.x + DELTAS * blockDim.x; k < p.window; k += blockDim.x) change_delta(deltas, enter[k], leave[k]);
}

/* The pixels by which a column's difference moves down to row y. */
typedef struct four_pixels {
    int in, in_leaves, out, out_leaves;
} four_pixels;

__device__ static inline four_pixels read_four(const ahe_plane &p, int x, int y) {
    const uint8_t *enter = row_at(p, y + p.window) + x, *leave = row_at(p, y) + x;
    four_pixels f = {enter[p.window], leave[p.window], enter[0], leave[0]};
    return f;
}

template <bool LIMITED> __device__ static inline void move_down(uint4 *own, const tables &t, const four_pixels &f) {
    if (f.in != f.in_leaves) {
        change<LIMITED>(own, t, f.in, 1);
        change<LIMITED>(own, t, f.in_leaves, -1);
    }
    if (f.out != f.out_leaves) {
        change<LIMITED>(own, t, f.out, -1);
        change<LIMITED>(own, t, f.out_leaves, 1);
    }
}

/* 32 pixels of one row: the lane's own comes back. */
template <bool WIDE, bool PARTS>
__device__ static window_counts slide_limited(window_state<WIDE> *s, const tables &t, const uint4 *columns, int centre,
                                              int lane, uint32_t clip) {
    window_counts mine = {0, 0, 0, 0};
#pragma unroll 8
    for (int j = 0; j < 32; j++) {
        window_counts v = {0, 0, 0, 0};
        int c = __shfl_sync(LANE_ALL, centre, j);
        slide(s, columns[j * COLUMN + lane]);
        limited_in<PARTS>(*s, t, c, lane, clip, &v);
        if (lane == j) mine = v;
    }
    return mine;
}

template <bool LIMITED, bool PARTS>
__device__ static void put(const ahe_plane &p, const window_counts &v, int centre, int x, int y) {
    uint32_t n = (uint32_t)(p.window * p.window), value;
    size_t to = (size_t)y * p.out_stride + x;
    if (LIMITED) {
        uint32_t part = PARTS ? p.parts[(size_t)p.row_of[y + p.window / 2 + 1] * p.pitch + x + p.window / 2 + 1] + 1u : 1u;
        uint64_t cut = n - v.kept;
        endo_ahe_bin b = {v.below, v.own, cut, (uint32_t)centre, part, (uint32_t)p.bin_width};
        if (PARTS)
            value = endo_ahe_limited(&b, n, p.out_16bit ? 65535 : 255);
        else
            value = (uint32_t)((256ull * v.below + cut * (centre + 1)) * 255 / (256ull * n));
    } else {
        value = v.rank * 255 / n;
    }
    if (PARTS && p.out_16bit)
        ((uint16_t *)p.out)[to] = (uint16_t)value;
    else
        ((uint8_t *)p.out)[to] = (uint8_t)value;
}

/* A block's strip and band. TILE: of a tile, whose ranks come out; else levels. */
template <bool WIDE, bool LIMITED, bool PARTS, bool TILE>
__device__ static void slide_block(const ahe_plane &p, int band_rows, const ahe_tile *tile) {
    extern __shared__ uint4 shared[];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, r = p.window / 2 + 1;
    int x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x, y0 = blockIdx.y * band_rows;
    int rows = min(band_rows, p.height - y0), edge = WIDE ? 64 : 32;
    tables t = tables_in<WIDE, LIMITED>(shared, warps);
    uint4 *own = t.columns + threadIdx.x * COLUMN, *columns = t.columns + 32 * warp * COLUMN;
    if (threadIdx.x < CONSTANTS) t.constants[threadIdx.x] = LIMITED ? mask_below(threadIdx.x) : step_of(threadIdx.x);
    count_first_window(p, t, x0, y0);
    __syncthreads();
    count_first_columns<LIMITED>(p, t, x, y0);
    __syncthreads();
    const uint8_t *single = TILE ? tile->single : NULL;
    window_state<WIDE> first = {}, s = {};
    four_pixels next = {0, 0, 0, 0};
    int centre = asked_at<TILE>(p, single, x + r, y0 + r);
    for (int step = 0; step < rows + warps - 1; step++) {
        int y = step - warp;
        delta_ahead delta = {};
        if (step + 1 < rows) delta = read_delta(p, x0, y0 + step + 1);
        if (y >= 0 && y < rows) {
            int now = centre;
            if (y > 0) move_down<LIMITED>(own, t, next);
            if (y + 1 < rows) { /* read while this row is worked on */
                next = read_four(p, x, y0 + y + 1);
                centre = asked_at<TILE>(p, single, x + r, y0 + y + 1 + r);
            }
            __syncwarp();
            if (warp == 0) {
                int *changes = t.deltas + (step & 1) * LEVELS + 8 * lane;
                add_counts<WIDE, LIMITED>(&first, changes);
                for (int i = 0; i < 8; i++) changes[i] = 0;
                s = first;
            } else {
                take_over(&s, t.edges + (((step - 1) & 1) * warps + warp - 1) * edge, lane);
            }
            window_counts v = {0, 0, 0, 0};
            if constexpr (LIMITED)
                v = slide_limited<WIDE, PARTS>(&s, t, columns, now, lane, (uint32_t)p.clip);
            else
                v.rank = slide_plain(&s, t.windows + warp * CHUNKS(WIDE) * edge, columns, now, lane);
            pass_on(s, t.edges + ((step & 1) * warps + warp) * edge, lane);
            if constexpr (TILE) {
                if (x < p.width) tile->ranks[(y0 + y) * AHE_TILE_WIDTH + x] = v.rank;
            } else {
                if (x < p.width) put<LIMITED, PARTS>(p, v, now, x, y0 + y);
            }
        }
        if (step + 1 < rows) add_delta(p, t.deltas + ((step + 1) & 1) * LEVELS, delta, x0, y0 + step + 1);
        __syncthreads();
    }
}

template <bool WIDE, bool LIMITED, bool PARTS>
__global__ static void __launch_bounds__(32 * MAX_WARPS) slide_kernel(ahe_plane p, int band_rows) {
    slide_block<WIDE, LIMITED, PARTS, false>(p, band_rows, NULL);
}

/* Tile number blockIdx.z. */
template <bool WIDE>
__global__ static void __launch_bounds__(32 * TILE_WARPS) tiles_kernel(const ahe_tile *tiles, const int *row_of, int pitch,
                                                                      int window, int band_rows) {
    ahe_tile tile = tiles[blockIdx.z];
    ahe_plane p = {};
    p.pixels = tile.groups, p.row_of = row_of, p.pitch = pitch, p.width = tile.width, p.height = tile.height, p.window = window;
    if ((int)(blockIdx.x * blockDim.x) >= p.width || (int)blockIdx.y * band_rows >= p.height) return;
    slide_block<WIDE, false, false, true>(p, band_rows, &tile);
}

template <bool WIDE, bool LIMITED, bool PARTS>
static endo_status launch(cuda_backend *b, const ahe_plane *p, const ahe_plan *plan) {
    size_t bytes = shared_bytes<WIDE, LIMITED>(plan->warps);
    int band_rows = (p->height + plan->bands - 1) / plan->bands, columns = 32 * plan->warps;
    dim3 grid((p->width + columns - 1) / columns, (p->height + band_rows - 1) / band_rows);
    auto kernel = slide_kernel<WIDE, LIMITED, PARTS>;
    ENDO_CUDA(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    kernel<<<grid, columns, bytes, b->stream>>>(*p, band_rows);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

template <bool WIDE>
static endo_status launch_tiles(cuda_backend *b, const ahe_tiles *t, int band_rows) {
    const int warps = TILE_WARPS;
    size_t bytes = shared_bytes<WIDE, false>(warps);
    dim3 grid(AHE_TILE_WIDTH / (32 * warps), (t->height + band_rows - 1) / band_rows, t->n);
    ENDO_CUDA(b, cudaFuncSetAttribute(tiles_kernel<WIDE>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    tiles_kernel<WIDE><<<grid, 32 * warps, bytes, b->stream>>>(t->tiles, t->row_of, t->pitch, t->window, band_rows);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_ahe_slide(cuda_backend *b, const ahe_plane *p, const ahe_plan *plan) {
    int wide = p->window > 255;
    if (!p->clip) return wide ? launch<true, false, false>(b, p, plan) : launch<false, false, false>(b, p, plan);
    if (p->parts) return wide ? launch<true, true, true>(b, p, plan) : launch<false, true, true>(b, p, plan);
    return wide ? launch<true, true, false>(b, p, plan) : launch<false, true, false>(b, p, plan);
}

/* Cycles of a block, fitted to what an H200 takes. */
static double block_cost(const ahe_plane *p, int warps, int band_rows) {
    int wide = p->window > 255;
    double pixel = p->clip ? (wide ? 54 : 36) : (wide ? 18 : 14);
    double first = 1000 + (double)p->window * p->window / (32 * warps) * 8 + p->window * 40.0;
    double row = 32 * pixel + 150 + (300 + p->window / 1.6) / warps;
    return first + (band_rows + warps - 1) * row;
}

/* Long bands start seldom; few tiles want short ones, for every multiprocessor to have some. */
static int tile_band_rows(const cuda_backend *b, const ahe_tiles *t, size_t bytes) {
    ahe_plane p = {};
    int best = AHE_TILE_HEIGHT, resident = (int)(b->shared_memory / (bytes + 1024));
    double least = 1e300;
    p.window = t->window;
    for (int rows = AHE_TILE_HEIGHT; rows >= 32; rows /= 2) {
        int blocks = t->n * (AHE_TILE_WIDTH / (32 * TILE_WARPS)) * ((t->height + rows - 1) / rows);
        int waves = (blocks + b->multiprocessors * resident - 1) / (b->multiprocessors * resident);
        double cost = waves * block_cost(&p, TILE_WARPS, rows);
        if (cost < least) least = cost, best = rows;
    }
    return best;
}

endo_status cuda_ahe_slide_tiles(cuda_backend *b, const ahe_tiles *t) {
    if (t->window > 255) return launch_tiles<true>(b, t, tile_band_rows(b, t, shared_bytes<true, false>(TILE_WARPS)));
    return launch_tiles<false>(b, t, tile_band_rows(b, t, shared_bytes<false, false>(TILE_WARPS)));
}

static size_t bytes_of(const ahe_plane *p, int warps) {
    if (p->window > 255) return p->clip ? shared_bytes<true, true>(warps) : shared_bytes<true, false>(warps);
    return p->clip ? shared_bytes<false, true>(warps) : shared_bytes<false, false>(warps);
}

/* Chooses the warps of a block and the number of bands that give the busiest multiprocessor the least work. */
ahe_plan cuda_ahe_choose_plan(const cuda_backend *b, const ahe_plane *p) {
    ahe_plan best = {1, 1};
    double least = 1e300;
    for (int warps = 1; warps <= MAX_WARPS; warps++) {
        size_t bytes = bytes_of(p, warps);
        if (bytes > b->shared_memory_of_block) break;
        int strips = (p->width + 32 * warps - 1) / (32 * warps);
        int resident = (int)(b->shared_memory / (bytes + 1024)); /* the system takes 1 KB a block */
        if (resident * warps > 64) resident = 64 / warps;
        for (int bands = 1; bands <= p->height; bands += 1 + bands / 32) {
            int rows = (p->height + bands - 1) / bands, blocks = strips * ((p->height + rows - 1) / rows);
            int waves = (blocks + b->multiprocessors * resident - 1) / (b->multiprocessors * resident);
            int at_once = blocks < b->multiprocessors * resident ? (blocks + b->multiprocessors - 1) / b->multiprocessors
                                                                 : resident;
            int busy = at_once * warps + 4; /* what few warps wait for costs as much as four more would work */
            double cost = waves * block_cost(p, warps, rows) * busy;
            if (cost < least) least = cost, best.warps = warps, best.bands = bands;
        }
    }
    return best;
}
