/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels, in tiles, as native/cpu/ahe_sixteen.c does it: the
 * levels of a tile, with what its windows reach, are put into 256 groups of as many pixels each. How many pixels of a
 * window lie in the groups below is what 8-bit equalization counts (ahe_slide.cu). A warp then takes 32 pixels of one
 * group and goes through the group's members, some 1/256 of what the tile's windows reach. These lie sorted by their
 * levels: up to the end of a pixel's own level, only the places count. Places are half floats, exact for integers up to
 * 2048, and two are taken at a time. Small windows are compared as they are. */
#include "ahe.cuh"

#include <cuda_fp16.h>

#define LANE_ALL 0xffffffffu
#define THREADS 256
#define LEVELS 65536
#define GROUPS 256
/* Windows up to this are compared. */
#define LARGEST_COMPARED 15
/* Blocks that share the pixels of a tile: so many that the tiles worked on at a time fit the second cache. And warps that
 * share a group. */
#define SHARES 64
#define WARPS_A_GROUP 4
/* Tiles that are worked on at a time take about so much memory. */
#define TOGETHER ((size_t)512 << 20)
/* Members are read in eights: a group begins at a multiple. */
#define EIGHT 8
/* Columns that a strip reads beyond the tile's windows. */
#define PAD 128

/* How the tiles lie in the region, and the memory of one. */
typedef struct tile_layout {
    int across, window, pitch, rows; /* rows: of the groups' plane */
    size_t members;                  /* places for them */
    size_t counts, of, first, size, single, groups, columns_of, rows_of, ranks, bytes;
} tile_layout;

/* What a kernel knows of a tile. */
typedef struct tile_memory {
    uint32_t *counts;        /* of levels; then where their members begin, and when these are there, end */
    uint8_t *of;             /* the group of a level */
    uint32_t *first, *size;  /* of the members of a group */
    uint8_t *single, *groups;
    __half *columns, *rows;  /* of members */
    uint32_t *ranks;
} tile_memory;

static size_t place_part(size_t *at, size_t bytes) {
    size_t here = *at;
    *at += (bytes + 255) & ~(size_t)255;
    return here;
}

static tile_layout lay_out(const ahe_plane *p) {
    tile_layout l = {};
    size_t at = 0;
    l.across = (p->width + AHE_TILE - 1) / AHE_TILE, l.window = p->window;
    l.rows = AHE_TILE + p->window;
    l.pitch = (AHE_TILE + p->window + PAD + 63) & ~63;
    l.members = (size_t)l.rows * l.rows + EIGHT * GROUPS;
    l.counts = place_part(&at, LEVELS * 4);
    l.of = place_part(&at, LEVELS);
    l.first = place_part(&at, GROUPS * 4);
    l.size = place_part(&at, GROUPS * 4);
    l.single = place_part(&at, GROUPS);
    l.groups = place_part(&at, (size_t)l.rows * l.pitch);
    l.columns_of = place_part(&at, l.members * 2);
    l.rows_of = place_part(&at, l.members * 2);
    l.ranks = place_part(&at, (size_t)AHE_TILE * AHE_TILE * 4);
    l.bytes = at;
    return l;
}

__device__ static tile_memory memory_of(const tile_layout &l, uint8_t *base) {
    tile_memory m;
    m.counts = (uint32_t *)(base + l.counts), m.of = base + l.of;
    m.first = (uint32_t *)(base + l.first), m.size = (uint32_t *)(base + l.size);
    m.single = base + l.single, m.groups = base + l.groups;
    m.columns = (__half *)(base + l.columns_of), m.rows = (__half *)(base + l.rows_of);
    m.ranks = (uint32_t *)(base + l.ranks);
    return m;
}

/* ------------------------------------------------------------------- pixels */

__device__ static const uint16_t *row_at(const ahe_plane &p, int i) { return p.sixteen + (size_t)p.row_of[i] * p.pitch; }

__device__ static void put(const ahe_plane &p, int x, int y, uint32_t rank) {
    ((uint16_t *)p.out)[(size_t)y * p.out_stride + x] =
        (uint16_t)endo_ahe_plain(rank, (uint32_t)(p.window * p.window), 65535);
}

__global__ static void compare_kernel(ahe_plane p) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, r = p.window / 2 + 1;
    if (x >= p.width || y >= p.height) return;
    int centre = row_at(p, y + r)[x + r];
    uint32_t rank = 0;
    for (int v = 1; v <= p.window; v++) {
        const uint16_t *row = row_at(p, y + v) + x + 1;
        for (int u = 0; u < p.window; u++) rank += row[u] <= centre;
    }
    put(p, x, y, rank);
}

/* ------------------------------------------------------------------- groups */

__device__ static ahe_tile tile_number(const ahe_plane &p, const tile_layout &l, int number) {
    ahe_tile t = {};
    t.x = number % l.across * AHE_TILE, t.y = number / l.across * AHE_TILE;
    t.width = min(AHE_TILE, p.width - t.x), t.height = min(AHE_TILE, p.height - t.y);
    return t;
}

/* Tile first + blockIdx.y; block blockIdx.x of SHARES takes every so many rows. All rows and columns but the first. */
__global__ static void __launch_bounds__(THREADS) count_kernel(ahe_plane p, tile_layout l, uint8_t *memory, int first) {
    tile_memory m = memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = tile_number(p, l, first + blockIdx.y);
    for (int i = 1 + blockIdx.x; i < t.height + l.window; i += SHARES) {
        const uint16_t *row = row_at(p, t.y + i) + t.x;
        for (int k = 1 + threadIdx.x; k < t.width + l.window; k += THREADS) atomicAdd(&m.counts[row[k]], 1u);
    }
}

#define GROUP_THREADS 1024
#define LEVELS_A_WARP (LEVELS / (GROUP_THREADS / 32))

__device__ static inline uint32_t inclusive_sum(uint32_t value) {
    for (int i = 1; i < 32; i *= 2) {
        uint32_t other = __shfl_up_sync(LANE_ALL, value, i);
        if ((int)(threadIdx.x % 32) >= i) value += other;
    }
    return value;
}

/* Sum of what the threads before this one have, and of all. */
__device__ static uint32_t sum_before(uint32_t value, uint32_t *all) {
    __shared__ uint32_t sums[GROUP_THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t inclusive = inclusive_sum(value), before = 0;
    if (lane == 31) sums[warp] = inclusive;
    __syncthreads();
    *all = 0;
    for (int i = 0; i < GROUP_THREADS / 32; i++) {
        if (i < warp) before += sums[i];
        *all += sums[i];
    }
    __syncthreads();
    return before + inclusive - value;
}

/* Members of all groups, one after the other, each from a multiple of EIGHT on. */
__device__ static void place_groups(const tile_memory &m, const uint32_t *sizes, uint32_t *firsts) {
    uint32_t unused, size = threadIdx.x < GROUPS ? sizes[threadIdx.x] : 0;
    uint32_t first = sum_before((size + EIGHT - 1) / EIGHT * EIGHT, &unused);
    if (threadIdx.x < GROUPS) m.first[threadIdx.x] = firsts[threadIdx.x] = first, m.size[threadIdx.x] = size;
    __syncthreads();
}

/* Groups of a tile's levels, and where the members of each level begin. */
__global__ static void __launch_bounds__(GROUP_THREADS) group_kernel(tile_layout l, uint8_t *memory) {
    __shared__ uint32_t sizes[GROUPS], levels[GROUPS], lowest[GROUPS], firsts[GROUPS];
    tile_memory m = memory_of(l, memory + blockIdx.x * l.bytes);
    uint32_t own = 0, all;
    int lane = threadIdx.x % 32, from = threadIdx.x / 32 * LEVELS_A_WARP + lane;
    if (threadIdx.x < GROUPS) sizes[threadIdx.x] = levels[threadIdx.x] = 0, lowest[threadIdx.x] = ~0u;
    for (int v = from; v < from + LEVELS_A_WARP; v += 32) own += m.counts[v];
    uint32_t before = __shfl_sync(LANE_ALL, sum_before(own, &all), 0); /* of the warp */
    for (int v = from; v < from + LEVELS_A_WARP; v += 32) {
        uint32_t count = m.counts[v], inclusive = inclusive_sum(count), below = before + inclusive - count;
        uint32_t group = endo_ahe_group(below, count, all, GROUPS);
        before += __shfl_sync(LANE_ALL, inclusive, 31);
        m.counts[v] = below;
        m.of[v] = (uint8_t)group;
        if (!count) continue;
        atomicAdd(&sizes[group], count);
        atomicAdd(&levels[group], 1u);
        atomicMin(&lowest[group], below);
    }
    __syncthreads();
    place_groups(m, sizes, firsts);
    for (int v = from; v < from + LEVELS_A_WARP; v += 32) m.counts[v] += firsts[m.of[v]] - lowest[m.of[v]];
    if (threadIdx.x < GROUPS) m.single[threadIdx.x] = levels[threadIdx.x] == 1;
}

/* The plane of groups, all of it, and the members. Columns beyond what windows reach repeat the last. */
__global__ static void __launch_bounds__(THREADS) scatter_kernel(ahe_plane p, tile_layout l, uint8_t *memory, int first) {
    tile_memory m = memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = tile_number(p, l, first + blockIdx.y);
    int columns = t.width + l.window;
    for (int i = blockIdx.x; i < t.height + l.window; i += SHARES) {
        const uint16_t *row = row_at(p, t.y + i) + t.x;
        for (int k = threadIdx.x; k < l.pitch; k += THREADS) {
            int level = row[max(min(k, columns - 1), 1)], member = i && k && k < columns;
            m.groups[(size_t)i * l.pitch + k] = i ? m.of[level] : 0;
            if (!member) continue;
            uint32_t at = atomicAdd(&m.counts[level], 1u);
            m.columns[at] = __int2half_rn(k), m.rows[at] = __int2half_rn(i);
        }
    }
}

/* ------------------------------------------------------------------ own group */

/* A pixel of the output that a lane works on. */
typedef struct own_pixel {
    int x, y; /* in the tile; x = -1: none */
    int level;
} own_pixel;

__device__ static inline uint32_t least_of_lanes(uint32_t v) {
    for (int i = 16; i; i >>= 1) v = min(v, __shfl_xor_sync(LANE_ALL, v, i));
    return v;
}

/* Two places along an axis: 1 where one lies in the window, 0 where it does not, or is not a number. */
__device__ static inline __half2 lie_in(uint32_t places, __half2 centre, __half2 beyond) {
    return __hadd2_sat(beyond, __hneg2(__habs2(__hsub2(*(const __half2 *)&places, centre))));
}

/* Of a window: its centre, and the first distance from it that is outside. */
typedef struct half_window {
    __half2 x, y, beyond;
} half_window;

/* Adds eight places: how many lie in the window. */
__device__ static inline void add_eight(const tile_memory &m, uint32_t at, const half_window &w, __half2 *sum) {
    uint4 columns = *(const uint4 *)(m.columns + at), rows = *(const uint4 *)(m.rows + at);
    *sum = __hfma2(lie_in(columns.x, w.x, w.beyond), lie_in(rows.x, w.y, w.beyond), *sum);
    *sum = __hfma2(lie_in(columns.y, w.x, w.beyond), lie_in(rows.y, w.y, w.beyond), *sum);
    *sum = __hfma2(lie_in(columns.z, w.x, w.beyond), lie_in(rows.z, w.y, w.beyond), *sum);
    *sum = __hfma2(lie_in(columns.w, w.x, w.beyond), lie_in(rows.w, w.y, w.beyond), *sum);
}

/* Sums are exact up to 2048: of so many eights, four a half. */
#define EIGHTS_EXACT 512

/* from and to: multiples of EIGHT. */
__device__ static uint32_t count_eights(const tile_memory &m, uint32_t from, uint32_t to, const half_window &w) {
    uint32_t count = 0;
    for (uint32_t i = from; i < to;) {
        uint32_t end = min(to, i + EIGHT * EIGHTS_EXACT);
        __half2 sum = __half2half2(__int2half_rn(0));
#pragma unroll 2
        for (; i < end; i += EIGHT) add_eight(m, i, w, &sum);
        count += __half2uint_rn(__low2half(sum)) + __half2uint_rn(__high2half(sum));
    }
    return count;
}

__device__ static inline uint32_t is_in(const tile_memory &m, uint32_t at, const half_window &w) {
    __half2 place = __halves2half2(m.columns[at], m.rows[at]);
    __half2 inside = lie_in(*(const uint32_t *)&place, __lows2half2(w.x, w.y), w.beyond);
    return __half2uint_rn(__hmul(__low2half(inside), __high2half(inside)));
}

/* Members of the group that are in the window of the lane's pixel and not above it. What all lanes look at comes first:
 * they read the same places. */
__device__ static uint32_t count_members(const tile_memory &m, const tile_layout &l, uint32_t first, const own_pixel &o) {
    int r = l.window / 2;
    half_window w = {__half2half2(__int2half_rn(o.x + r + 1)), __half2half2(__int2half_rn(o.y + r + 1)),
                     __half2half2(__int2half_rn(r + 1))};
    uint32_t end = o.x < 0 ? first : m.counts[o.level], whole = end / EIGHT * EIGHT;
    uint32_t common = least_of_lanes(o.x < 0 ? ~0u : whole);
    uint32_t count = count_eights(m, first, common, w);
    if (o.x < 0) return 0;
    count += count_eights(m, common, whole, w);
    for (uint32_t i = whole; i < end; i++) count += is_in(m, i, w);
    return count;
}

/* 32 pixels of a group. */
__device__ static void finish(const ahe_plane &p, const tile_layout &l, const tile_memory &m, const ahe_tile &t, int group,
                              const own_pixel &o) {
    uint32_t rank = 0;
    int single = m.single[group];
    if (o.x >= 0 && (group || single)) rank = m.ranks[o.y * AHE_TILE + o.x];
    if (!single) rank += count_members(m, l, m.first[group], o);
    if (o.x >= 0) put(p, t.x + o.x, t.y + o.y, rank);
}

/* Group blockIdx.x of tile first + blockIdx.y. A warp gathers pixels of the output among its share of the members until
 * there are 32. */
__global__ static void __launch_bounds__(32 * WARPS_A_GROUP) own_kernel(ahe_plane p, tile_layout l, uint8_t *memory,
                                                                        int first) {
    __shared__ uint32_t queues[WARPS_A_GROUP][64];
    tile_memory m = memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = tile_number(p, l, first + blockIdx.y);
    int group = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, r = l.window / 2 + 1, waiting = 0;
    uint32_t begin = m.first[group], size = m.size[group], *queue = queues[warp];
    uint32_t from = begin + (uint32_t)((uint64_t)size * warp / WARPS_A_GROUP);
    uint32_t to = begin + (uint32_t)((uint64_t)size * (warp + 1) / WARPS_A_GROUP);
    for (uint32_t i = from; i < to || waiting; i += 32) {
        if (i < to) {
            uint32_t at = i + lane;
            int x = -1, y = -1;
            if (at < to) x = __half2int_rn(m.columns[at]) - r, y = __half2int_rn(m.rows[at]) - r;
            int own = x >= 0 && y >= 0 && x < t.width && y < t.height;
            uint32_t lanes = __ballot_sync(LANE_ALL, own);
            if (own) queue[waiting + __popc(lanes & ((1u << lane) - 1))] = at;
            waiting += __popc(lanes);
            __syncwarp();
            if (waiting < 32 && i + 32 < to) continue;
        }
        own_pixel o = {-1, -1, 0};
        if (lane < waiting) {
            uint32_t at = queue[lane];
            o.x = __half2int_rn(m.columns[at]) - r, o.y = __half2int_rn(m.rows[at]) - r;
            o.level = row_at(p, t.y + o.y + r)[t.x + o.x + r];
        }
        uint32_t rest = 32 + lane < waiting ? queue[32 + lane] : 0;
        __syncwarp();
        queue[lane] = rest;
        if (waiting) finish(p, l, m, t, group, o);
        waiting = max(waiting - 32, 0);
        __syncwarp();
    }
}

/* ------------------------------------------------------------------- launch */

__global__ static void describe_kernel(ahe_plane p, tile_layout l, uint8_t *memory, int first, int n, ahe_tile *tiles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile_memory m = memory_of(l, memory + i * l.bytes);
    ahe_tile t = tile_number(p, l, first + i);
    t.groups = m.groups, t.single = m.single, t.ranks = m.ranks;
    tiles[i] = t;
}

__global__ static void rows_kernel(int *row_of, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row_of[i] = i;
}

/* Nothing counted yet; no place lies anywhere: all bits set is not a number. */
static endo_status clear_tiles(cuda_backend *b, const tile_layout *l, uint8_t *memory, int n) {
    ENDO_CUDA(b, cudaMemset2DAsync(memory + l->counts, l->bytes, 0, LEVELS * 4, n, b->stream));
    ENDO_CUDA(b, cudaMemset2DAsync(memory + l->columns_of, l->bytes, 0xff, l->ranks - l->columns_of, n, b->stream));
    return ENDO_OK;
}

static endo_status run_tiles(cuda_backend *b, const ahe_plane *p, const tile_layout *l, uint8_t *memory, int first, int n) {
    ahe_tile *tiles = (ahe_tile *)(memory + n * l->bytes);
    int *row_of = (int *)(tiles + n);
    ahe_tiles all = {tiles, row_of, n, l->pitch, l->window};
    ENDO_TRY(clear_tiles(b, l, memory, n));
    describe_kernel<<<(n + 127) / 128, 128, 0, b->stream>>>(*p, *l, memory, first, n, tiles);
    rows_kernel<<<(l->rows + 127) / 128, 128, 0, b->stream>>>(row_of, l->rows);
    count_kernel<<<dim3(SHARES, n), THREADS, 0, b->stream>>>(*p, *l, memory, first);
    group_kernel<<<n, GROUP_THREADS, 0, b->stream>>>(*l, memory);
    scatter_kernel<<<dim3(SHARES, n), THREADS, 0, b->stream>>>(*p, *l, memory, first);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_ahe_slide_tiles(b, &all));
    own_kernel<<<dim3(GROUPS, n), 32 * WARPS_A_GROUP, 0, b->stream>>>(*p, *l, memory, first);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

static endo_status compare(cuda_backend *b, const ahe_plane *p) {
    dim3 grid((p->width + 31) / 32, (p->height + 7) / 8);
    compare_kernel<<<grid, dim3(32, 8), 0, b->stream>>>(*p);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_ahe_sixteen(cuda_backend *b, const ahe_plane *p) {
    if (p->window <= LARGEST_COMPARED) return compare(b, p);
    tile_layout l = lay_out(p);
    int all = l.across * ((p->height + AHE_TILE - 1) / AHE_TILE), together = (int)(TOGETHER / l.bytes);
    if (together > all) together = all;
    if (together > 65535) together = 65535; /* of a grid along y */
    if (together < 1) together = 1;
    ENDO_TRY(cuda_reserve(b, &b->histograms, together * (l.bytes + sizeof(ahe_tile)) + l.rows * sizeof(int)));
    for (int first = 0; first < all; first += together)
        ENDO_TRY(run_tiles(b, p, &l, (uint8_t *)b->histograms.memory, first, all - first < together ? all - first : together));
    return ENDO_OK;
}
