/* How many members of a pixel's own group of levels its window holds that are not above it, by rows of bits, as
 * native/cpu/ahe_members.h does it. A block takes a group of a tile. Its members get numbers row by row, so that those on
 * the rows of a window are a run. One row of bits says which are on the columns of a window: these rows are made for some
 * places of the window along a row at a time. Another says which are among the first `step` * c by level. What both have
 * set within the run, and a comparison of the members of a step, is the answer. Eight lanes work on a pixel. Members are
 * sorted by some columns together, too, so that only those are looked at that a place of the window gets or loses. */
#include "ahe_tile.cuh"

#define LANE_ALL 0xffffffffu
#define THREADS 512
#define WARPS (THREADS / 32)
/* At first; halved, and doubled, until the rows of bits fit. */
#define PLACES 64
#define STEP 32
/* Shared memory of a block at most: two are resident on the larger devices. */
#define LARGEST_SHARED ((size_t)106 << 10)
#define LANES 8
/* Columns that members are sorted by are so many together; a power of two. */
#define TOGETHER 32
#define BUCKETS 64
static_assert((AHE_TILE_WIDTH + ENDO_AHE_MAX_WINDOW) / TOGETHER < BUCKETS, "buckets for all columns");
/* Pixels that wait for their answers. */
#define QUEUE 1024

/* The group of levels that a block works on, and its shared memory. Rows of bits have `words` words. */
typedef struct own_group {
    uint32_t begin, size;
    int words, step, places;
    uint32_t *ends;       /* of each row: members up to its end */
    uint32_t *not_above;  /* of the first step * c by level: row c */
    uint32_t *on_columns; /* of the window at places x0 + i: row 1 + i; at that before: row 0 */
    uint32_t *buckets;    /* where members sorted by columns end */
    int rows, window;
} own_group;

/* uint4s of a row: an odd number, so that rows lie in different banks. */
__device__ static inline int fours_for(uint32_t size) { return (int)(size / 128 + 1) | 1; }

__device__ static own_group lay_out(const ahe_tile_memory &m, const ahe_tile &t, int window, int group, uint4 *shared,
                                    int fours) {
    __shared__ uint32_t buckets[BUCKETS];
    own_group g;
    g.buckets = buckets;
    g.begin = m.first[group], g.size = m.size[group], g.window = window, g.rows = t.height + window;
    g.words = 4 * fours_for(g.size), g.step = STEP, g.places = PLACES;
    int ends = (g.rows + 3) / 4, room = 4 * (fours - ends) / g.words;
    while ((int)(g.size / g.step) + 2 + g.places > room) {
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

__device__ static inline uint32_t bucket_of(uint32_t place) { return (place & 0xffff) / TOGETHER; }

/* Where those of each begin. */
__device__ static void place_buckets(uint32_t *buckets) {
    if (threadIdx.x < 32) {
        uint32_t a = buckets[2 * threadIdx.x], b = buckets[2 * threadIdx.x + 1], sum = a + b;
        for (int i = 1; i < 32; i *= 2) {
            uint32_t other = __shfl_up_sync(LANE_ALL, sum, i);
            if ((int)threadIdx.x >= i) sum += other;
        }
        buckets[2 * threadIdx.x] = sum - a - b, buckets[2 * threadIdx.x + 1] = sum - b;
    }
    __syncthreads();
}
static_assert(BUCKETS == 64, "two of them a lane");

/* Numbers of all members, and these by their columns. */
__device__ static void number_members(const ahe_tile_memory &m, const own_group &g) {
    for (int i = threadIdx.x; i < g.rows; i += THREADS) g.ends[i] = 0;
    if (threadIdx.x < BUCKETS) g.buckets[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < g.size; i += THREADS) {
        uint32_t place = m.places[g.begin + i];
        m.numbers[g.begin + i] = (uint16_t)atomicAdd(&g.ends[place >> 16], 1u);
        atomicAdd(&g.buckets[bucket_of(place)], 1u);
    }
    __syncthreads();
    place_buckets(g.buckets);
    sum_ends(g.ends, g.rows);
    for (uint32_t i = threadIdx.x; i < g.size; i += THREADS) {
        uint32_t place = m.places[g.begin + i], number = m.numbers[g.begin + i] + g.ends[(place >> 16) - 1];
        m.numbers[g.begin + i] = (uint16_t)number;
        m.sorted[g.begin + atomicAdd(&g.buckets[bucket_of(place)], 1u)] = make_uint2(place, number);
    }
    __syncthreads();
}

/* Members, sorted by columns, of which some lie in the columns from..to. */
typedef struct own_run {
    uint32_t from, to;
} own_run;

__device__ static inline own_run run_of(const own_group &g, int from, int to) {
    own_run r = {from < TOGETHER ? 0 : g.buckets[from / TOGETHER - 1], g.buckets[to / TOGETHER]};
    return r;
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

/* Makes the rows of bits for n places of the window from x0 on. before: so many rows were made last. The window of place x
 * has columns x + 1 .. x + window, so that it gets column x + window and loses column x. */
__device__ static void find_on_columns(const ahe_tile_memory &m, const own_group &g, int x0, int n, int before) {
    for (int k = threadIdx.x; k < g.words; k += THREADS) g.on_columns[k] = before ? g.on_columns[before * g.words + k] : 0;
    __syncthreads();
    clear(g.on_columns + g.words, n, g.words);
    own_run gets = run_of(g, x0 ? x0 + g.window : 0, x0 + n - 1 + g.window), loses = run_of(g, x0, x0 + n - 1);
    for (uint32_t i = gets.from + threadIdx.x; i < gets.to; i += THREADS) {
        uint2 member = m.sorted[g.begin + i];
        int place = max((int)(member.x & 0xffff) - g.window, 0) - x0;
        if (place >= 0 && place < n) flip(g.on_columns + (1 + place) * g.words, member.y);
    }
    for (uint32_t i = loses.from + threadIdx.x; i < loses.to; i += THREADS) {
        uint2 member = m.sorted[g.begin + i];
        int place = (int)(member.x & 0xffff) - x0;
        if (place >= 0 && place < n) flip(g.on_columns + (1 + place) * g.words, member.y);
    }
    accumulate(g.on_columns, n + 1, g.words);
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
    const uint4 *a = (const uint4 *)(g.on_columns + (1 + q.x - x0) * g.words);
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

/* How many members of the group are in the window of the lane's pixel and not above it. */
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
    if (lane < n) ahe_put_16bit(p, t.x + q.x, t.y + q.y, rank);
}

/* Members from..to by columns that are pixels of the output, at n places from x0 on: their places. */
__device__ static void gather(const ahe_tile_memory &m, const ahe_tile &t, const own_group &g, const own_run &run, int x0,
                              int n, uint32_t *queue, uint32_t *waiting) {
    int lane = threadIdx.x % 32, r = g.window / 2 + 1;
    for (uint32_t i = run.from + threadIdx.x - lane; i < run.to; i += THREADS) {
        uint32_t place = i + lane < run.to ? m.sorted[g.begin + i + lane].x : 0, at = 0;
        int asked = (place & 0xffff) - (uint32_t)(r + x0) < (uint32_t)n && (place >> 16) - (uint32_t)r < (uint32_t)t.height;
        uint32_t lanes = __ballot_sync(LANE_ALL, asked);
        if (lane == 0) at = atomicAdd(waiting, (uint32_t)__popc(lanes));
        at = __shfl_sync(LANE_ALL, at, 0);
        if (asked) queue[at + __popc(lanes & ((1u << lane) - 1))] = place;
    }
}

/* The pixels of the output at n places from x0 on, shared by the warps. */
__device__ static void answer_all(const ahe_plane &p, const ahe_tile_memory &m, const ahe_tile &t, const own_group &g,
                                  int group, int x0, int n) {
    __shared__ uint32_t queue[QUEUE], waiting;
    int warp = threadIdx.x / 32, r = g.window / 2 + 1;
    own_run all = run_of(g, x0 + r, x0 + n - 1 + r);
    for (uint32_t i = all.from; i < all.to; i += QUEUE) {
        own_run run = {i, min(i + QUEUE, all.to)};
        if (threadIdx.x == 0) waiting = 0;
        __syncthreads();
        gather(m, t, g, run, x0, n, queue, &waiting);
        __syncthreads();
        int count = (int)waiting, each = (count + WARPS - 1) / WARPS, to = min((warp + 1) * each, count);
        for (int k = warp * each; k < to; k += 32)
            answer(p, m, t, g, group, queue[min(k + (int)threadIdx.x % 32, to - 1)], min(32, to - k), x0);
        __syncthreads();
    }
}

/* All members have the same level: the ranks are there. */
__device__ static void put_single(const ahe_plane &p, const ahe_tile_memory &m, const ahe_tile &t, int group, int window) {
    int r = window / 2 + 1;
    for (uint32_t i = threadIdx.x; i < m.size[group]; i += THREADS) {
        uint32_t place = m.places[m.first[group] + i], x = (place & 0xffff) - r, y = (place >> 16) - r;
        if (x < (uint32_t)t.width && y < (uint32_t)t.height)
            ahe_put_16bit(p, t.x + (int)x, t.y + (int)y, m.ranks[y * AHE_TILE_WIDTH + x]);
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
        find_on_columns(m, g, x0, n, x0 ? g.places : 0);
        answer_all(p, m, t, g, group, x0, n);
    }
}

/* The rows of bits of a group of usual size, or as many as there is room for. */
static size_t shared_for(const cuda_backend *b, const ahe_tile_layout *l) {
    size_t most = b->shared_memory_of_block - 8192, members = l->members / AHE_GROUPS;
    size_t row = (members / 128 + 2) * 16, usual = (size_t)l->rows * 4 + 64 + (members / STEP + 3 + PLACES) * row * 5 / 4;
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
