/* How many members of a pixel's own group of levels its window holds that are not above it, by rows of bits, as
 * native/cpu/ahe_members.h does it. A block takes a group of a tile. Its members get numbers row by row, so that those on
 * the rows of a window are a run. One row of bits says which are on the columns of a window: these rows are made for some
 * places of the window along a row at a time. Another says which are among the first `step` * c by level. What both have
 * set within the run, and a comparison of the members of a step, is the answer. Eight lanes work on a pixel. */
#include "ahe_tile.cuh"

#define LANE_ALL 0xffffffffu
#define THREADS 512
#define WARPS (THREADS / 32)
/* At first; halved, and doubled, until the rows of bits fit. */
#define PLACES 64
#define STEP 32
/* Shared memory of a block at most: two are resident on the larger devices. */
#define LARGEST_SHARED ((size_t)108 << 10)
#define LANES 8

/* What a block works with. Rows of bits have `words` words. */
typedef struct own_group {
    uint32_t begin, size;
    int words, step, places;
    uint32_t *ends;       /* of each row: members up to its end */
    uint32_t *not_above;  /* of the first step * c by level: row c */
    uint32_t *on_columns; /* of the window at places x0 + i: row i */
    int rows, window;
} own_group;

/* uint4s of a row: an odd number, so that rows lie in different banks. */
__device__ static inline int fours_for(uint32_t size) { return (int)(size / 128 + 1) | 1; }

__device__ static own_group lay_out(const ahe_tile_memory &m, const ahe_tile &t, int window, int group, uint4 *shared,
                                    int fours) {
    own_group g;
    g.begin = m.first[group], g.size = m.size[group], g.window = window, g.rows = t.height + window;
    g.words = 4 * fours_for(g.size), g.step = STEP, g.places = PLACES;
    int ends = (g.rows + 3) / 4, room = 4 * (fours - ends) / g.words;
    while ((int)(g.size / g.step) + 1 + g.places > room) {
        if ((int)(g.size / g.step) >= g.places)
            g.step *= 2;
        else
            g.places /= 2;
    }
    g.ends = (uint32_t *)shared;
    g.not_above = (uint32_t *)(shared + ends);
    g.on_columns = g.not_above + (g.size / g.step + 1) * g.words;
    return g;
}

/* ----------------------------------------------------------------- numbers */

/* Sums up to each, of the n ends of rows. */
__device__ static void sum_ends(uint32_t *ends, int n) {
    __shared__ uint32_t sums[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, each = (n + THREADS - 1) / THREADS, from = threadIdx.x * each;
    uint32_t own = 0, before = 0;
    for (int i = from; i < min(from + each, n); i++) own += ends[i];
    uint32_t inclusive = own;
    for (int i = 1; i < 32; i *= 2) {
        uint32_t other = __shfl_up_sync(LANE_ALL, inclusive, i);
        if (lane >= i) inclusive += other;
    }
    if (lane == 31) sums[warp] = inclusive;
    __syncthreads();
    for (int i = 0; i < warp; i++) before += sums[i];
    before += inclusive - own;
    for (int i = from; i < min(from + each, n); i++) ends[i] = before += ends[i];
    __syncthreads();
}

__device__ static void number_members(const ahe_tile_memory &m, const own_group &g) {
    for (int i = threadIdx.x; i < g.rows; i += THREADS) g.ends[i] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < g.size; i += THREADS)
        m.numbers[g.begin + i] = (uint16_t)atomicAdd(&g.ends[m.places[g.begin + i] >> 16], 1u);
    __syncthreads();
    sum_ends(g.ends, g.rows);
    for (uint32_t i = threadIdx.x; i < g.size; i += THREADS)
        m.numbers[g.begin + i] += (uint16_t)g.ends[(m.places[g.begin + i] >> 16) - 1];
}

/* ------------------------------------------------------------ rows of bits */

__device__ static inline void flip(uint32_t *row, uint32_t number) { atomicXor(&row[number / 32], 1u << number % 32); }

__device__ static void clear(uint32_t *rows, int n, int words) {
    uint4 *fours = (uint4 *)rows;
    for (int i = threadIdx.x; i < n * words / 4; i += THREADS) fours[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
}

/* Each row says where it differs from the one before. */
__device__ static void accumulate(uint32_t *rows, int n, int words) {
    __syncthreads();
    for (int k = threadIdx.x; k < words; k += THREADS) {
        uint32_t bits = 0;
#pragma unroll 8
        for (int i = 0; i < n; i++) rows[i * words + k] = bits ^= rows[i * words + k];
    }
    __syncthreads();
}

__device__ static void find_not_above(const ahe_tile_memory &m, const own_group &g) {
    uint32_t steps = g.size / g.step;
    clear(g.not_above, (int)steps + 1, g.words);
    for (uint32_t i = threadIdx.x; i < steps * g.step; i += THREADS)
        flip(g.not_above + (i / g.step + 1) * g.words, m.numbers[g.begin + i]);
    accumulate(g.not_above, (int)steps + 1, g.words);
}

/* For n places of the window from x0 on. The window of place x has columns x + 1 .. x + window. */
__device__ static void find_on_columns(const ahe_tile_memory &m, const own_group &g, int x0, int n) {
    clear(g.on_columns, n, g.words);
    for (uint32_t i = threadIdx.x; i < g.size; i += THREADS) {
        int column = (int)(m.places[g.begin + i] & 0xffff) - x0, gets = max(column - g.window, 0);
        uint32_t number = m.numbers[g.begin + i];
        if (column <= 0 || gets >= n) continue;
        flip(g.on_columns + gets * g.words, number);
        if (column < n) flip(g.on_columns + column * g.words, number);
    }
    accumulate(g.on_columns, n, g.words);
}

/* ---------------------------------------------------------------- questions */

/* The members of a pixel's window: x, y are its place in the tile, end: how many members are not above it. */
typedef struct question {
    int x, y;
    uint32_t end;
} question;

/* Bits of the word whose first has number `base`, from number first to before last. */
__device__ static inline uint32_t bits_between(int base, int first, int last) {
    uint32_t from = __funnelshift_lc(0, ~0u, max(first - base, 0)), beyond = __funnelshift_lc(0, ~0u, max(last - base, 0));
    return from & ~beyond;
}

/* The lane's share. */
__device__ static uint32_t count_share(const ahe_tile_memory &m, const own_group &g, const question &q, int x0, int lane) {
    int first = (int)g.ends[q.y], last = (int)g.ends[q.y + g.window];
    uint32_t step = q.end / g.step, count = 0, window = (uint32_t)g.window;
    const uint4 *a = (const uint4 *)(g.on_columns + (q.x - x0) * g.words);
    const uint4 *b = (const uint4 *)(g.not_above + step * g.words);
    for (int i = first / 128 + lane; 128 * i < last; i += LANES) {
        uint4 on = a[i], low = b[i];
        count += __popc(on.x & low.x & bits_between(128 * i, first, last));
        count += __popc(on.y & low.y & bits_between(128 * i + 32, first, last));
        count += __popc(on.z & low.z & bits_between(128 * i + 64, first, last));
        count += __popc(on.w & low.w & bits_between(128 * i + 96, first, last));
    }
    for (uint32_t i = step * g.step + lane; i < q.end; i += LANES) {
        uint32_t place = m.places[g.begin + i];
        count += (place & 0xffff) - (q.x + 1) < window && (place >> 16) - (q.y + 1) < window;
    }
    return count;
}

/* The lane's own pixel's. */
__device__ static uint32_t count_own(const ahe_tile_memory &m, const own_group &g, const question &own, int x0, int n) {
    int lane = threadIdx.x % 32;
    uint32_t answer = 0;
    for (int from = 0; from < n; from += 32 / LANES) {
        int of = from + lane / LANES;
        question q = {__shfl_sync(LANE_ALL, own.x, of), __shfl_sync(LANE_ALL, own.y, of),
                      __shfl_sync(LANE_ALL, own.end, of)};
        uint32_t count = of < n ? count_share(m, g, q, x0, lane % LANES) : 0;
        for (int i = LANES / 2; i; i /= 2) count += __shfl_xor_sync(LANE_ALL, count, i);
        count = __shfl_sync(LANE_ALL, count, lane % (32 / LANES) * LANES);
        if (lane - from >= 0 && lane - from < 32 / LANES) answer = count;
    }
    return answer;
}

/* n pixels, one a lane, whose places in the tile's plane of groups are given. */
__device__ static void answer(const ahe_plane &p, const ahe_tile_memory &m, const ahe_tile &t, const own_group &g, int group,
                              uint32_t place, int n, int x0) {
    int lane = threadIdx.x % 32, r = g.window / 2 + 1;
    question q = {(int)(place & 0xffff) - r, (int)(place >> 16) - r, 0};
    uint32_t rank = 0;
    if (lane < n) {
        int level = ahe_row_at(p, t.y + q.y + r)[t.x + q.x + r];
        q.end = m.counts[level] - g.begin;
        if (group) rank = m.ranks[q.y * AHE_TILE_WIDTH + q.x];
    }
    rank += count_own(m, g, q, x0, n);
    if (lane < n) ahe_put_sixteen(p, t.x + q.x, t.y + q.y, rank);
}

/* The pixels of the output at n places from x0 on: a warp gathers them among its members until there are 32. */
__device__ static void answer_all(const ahe_plane &p, const ahe_tile_memory &m, const ahe_tile &t, const own_group &g,
                                  int group, int x0, int n) {
    __shared__ uint32_t queues[WARPS][64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, r = g.window / 2 + 1, waiting = 0;
    uint32_t *queue = queues[warp];
    for (uint32_t i = 32 * warp; i < g.size; i += THREADS) {
        uint32_t place = i + lane < g.size ? m.places[g.begin + i + lane] : 0;
        uint32_t x = (place & 0xffff) - (r + x0), y = (place >> 16) - r;
        int asked = x < (uint32_t)n && y < (uint32_t)t.height;
        uint32_t lanes = __ballot_sync(LANE_ALL, asked);
        if (asked) queue[waiting + __popc(lanes & ((1u << lane) - 1))] = place;
        waiting += __popc(lanes);
        __syncwarp();
        if (waiting < 32) continue;
        answer(p, m, t, g, group, queue[lane], 32, x0);
        uint32_t rest = queue[32 + lane];
        __syncwarp();
        queue[lane] = rest;
        waiting -= 32;
        __syncwarp();
    }
    if (waiting) answer(p, m, t, g, group, queue[lane], waiting, x0);
    __syncthreads();
}

/* All members have the same level: the ranks are there. */
__device__ static void put_single(const ahe_plane &p, const ahe_tile_memory &m, const ahe_tile &t, int group, int window) {
    int r = window / 2 + 1;
    for (uint32_t i = threadIdx.x; i < m.size[group]; i += THREADS) {
        uint32_t place = m.places[m.first[group] + i], x = (place & 0xffff) - r, y = (place >> 16) - r;
        if (x < (uint32_t)t.width && y < (uint32_t)t.height)
            ahe_put_sixteen(p, t.x + (int)x, t.y + (int)y, m.ranks[y * AHE_TILE_WIDTH + x]);
    }
}

/* Group blockIdx.x of tile first + blockIdx.y; fours: uint4s of shared memory. */
__global__ static void __launch_bounds__(THREADS) own_kernel(ahe_plane p, ahe_tile_layout l, uint8_t *memory, int first,
                                                             int fours) {
    extern __shared__ uint4 shared[];
    int group = blockIdx.x;
    ahe_tile_memory m = ahe_memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = ahe_tile_number(p, l, first + blockIdx.y);
    if (m.single[group]) {
        put_single(p, m, t, group, l.window);
        return;
    }
    if (!m.size[group]) return;
    own_group g = lay_out(m, t, l.window, group, shared, fours);
    number_members(m, g);
    find_not_above(m, g);
    for (int x0 = 0; x0 < t.width; x0 += g.places) {
        int n = min(g.places, t.width - x0);
        find_on_columns(m, g, x0, n);
        answer_all(p, m, t, g, group, x0, n);
    }
}

/* The rows of bits of a group of usual size, or as many as there is room for. */
static size_t shared_for(const cuda_backend *b, const ahe_tile_layout *l) {
    size_t most = b->shared_memory_of_block - 4096, members = l->members / AHE_GROUPS;
    size_t row = (members / 128 + 2) * 16, usual = (size_t)l->rows * 4 + 64 + (members / STEP + 2 + PLACES) * row * 5 / 4;
    if (most > LARGEST_SHARED) most = LARGEST_SHARED;
    return usual < most ? usual : most;
}

endo_status cuda_ahe_own(cuda_backend *b, const ahe_plane *p, const ahe_tile_layout *l, uint8_t *memory, int first, int n) {
    size_t bytes = shared_for(b, l) & ~(size_t)15;
    ENDO_CUDA(b, cudaFuncSetAttribute(own_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    own_kernel<<<dim3(AHE_GROUPS, n), THREADS, bytes, b->stream>>>(*p, *l, memory, first, (int)(bytes / 16));
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}
